#include "trace/lines/parsed_chunk.h"

#include <stdlib.h>
#include <xxhash.h>

uint64_t parsed_note_hash(enum line_note note, const char *subject, size_t length)
{
    return XXH3_64bits_withSeed(subject, length, note);
}

void lane_name_set(struct lane_name *name, const char *prefix, const char *text, size_t length)
{
    const size_t before = prefix ? strlen(prefix) : 0;
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES - before);
    *name = (struct lane_name){0};
    if (before)
        memcpy(name->text, prefix, before);
    memcpy(name->text + before, text, length);
}

// Whether a new lane of the chunk exceeds the limit for the trace.
static bool is_refused(struct parsed_chunk *parsed, const char *name, size_t length)
{
    const struct lane_list *known = parsed->known_lanes;
    if (known && lane_table_find(known->table, &known->items, name, length) != SIZE_MAX)
        return false;
    if (parsed->new_lane_count + (known ? known->items.count : 0) == LIMIT_LANES)
        return true;
    parsed->new_lane_count++;
    return false;
}

// The part of a lane, added if necessary. NULL: no memory, or beyond LIMIT_LANES.
static struct lane_part *find_part(struct parsed_chunk *parsed, const char *name, size_t length)
{
    const struct lane_items items = {parsed->parts.items, sizeof *parsed->parts.items,
                                     parsed->part_count};
    size_t found = lane_table_find(&parsed->part_table, &items, name, length);
    if (found != SIZE_MAX) {
        parsed->current_part = found;
        return &parsed->parts.items[found];
    }
    if (is_refused(parsed, name, length)) {
        parsed->has_refused_lanes = true;
        return NULL;
    }
    if (parsed->part_count == parsed->parts.count) {
        if (!VEC_ROOM(&parsed->parts, 1)) {
            parsed->has_no_memory = true;
            return NULL;
        }
        parsed->parts.items[parsed->parts.count++] = (struct lane_part){0};
    }
    parsed->current_part = parsed->part_count++;
    struct lane_part *part = &parsed->parts.items[parsed->current_part];
    lane_name_set(&part->name, NULL, name, length);
    part->line_count = 0;
    part->accessing = (struct accessing){0};
    marks_reset(&part->marks);
    part->marks.keeps_spaces = parsed->keeps_spaces;
    part->marks.exception_returns = parsed->exception_returns;
    part->marks.vector_bases = parsed->vector_bases;
    records_reset(&part->records);
    part->records.names = parsed->keeps_names ? &parsed->names : NULL;
    return part;
}

struct lane_part *parsed_chunk_lane(struct parsed_chunk *parsed, const char *name, size_t length)
{
    if (name) {
        lane_name_set(&parsed->end.lane, parsed->lane_prefix, name, length);
        parsed->current_part = SIZE_MAX;
    }
    return find_part(parsed, parsed->end.lane.text, strlen(parsed->end.lane.text));
}

void parsed_chunk_free(struct parsed_chunk *parsed)
{
    for (size_t i = 0; i < parsed->parts.count; i++) {
        marks_free(&parsed->parts.items[i].marks);
        records_free(&parsed->parts.items[i].records);
        free(parsed->parts.items[i].programs.marks.items);
    }
    free(parsed->parts.items);
    lane_table_free(&parsed->part_table);
    line_templates_free(parsed->templates);
    free(parsed->notes.items);
    free(parsed->faults.items);
    unknown_words_free(&parsed->unknown_words);
    hashset_free(&parsed->notes_seen);
    register_names_free(&parsed->names.names);
    *parsed = (struct parsed_chunk){0};
}
