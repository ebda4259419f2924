#include "names/place_merge.h"

#include "base/limits.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 4096 };

void place_merge_free(struct place_merge *merge)
{
    arena_free(&merge->arena);
    free(merge->said.items);
    free(merge->table.entries);
    free(merge->places.items);
    hash_index_free(&merge->by_text);
    *merge = (struct place_merge){0};
}

// --- The text of a place -------------------------------------------------------------------------

static bool say(struct place_merge *merge, const void *bytes, size_t size_bytes)
{
    if (!VEC_ROOM(&merge->said, size_bytes))
        return false;
    memcpy(merge->said.items + merge->said.count, bytes, size_bytes);
    merge->said.count += size_bytes;
    return true;
}

static bool say_text(struct place_merge *merge, const char *text)
{
    const uint8_t has_text = text != NULL;
    return say(merge, &has_text, 1) && (!text || say(merge, text, strlen(text) + 1));
}

static bool say_inlined(struct place_merge *merge, uint64_t pc)
{
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
    size_t count = source_lines_inlines(merge->lines, merge->names, pc, chain, ARRAY_COUNT(chain));
    bool has_memory = say(merge, &count, sizeof count);
    for (size_t i = 0; i < count && has_memory; i++) {
        has_memory = say_text(merge, chain[i].name);
        if (has_memory && merge->by_lines)
            has_memory =
                say_text(merge, chain[i].file) && say(merge, &chain[i].line, sizeof chain[i].line);
    }
    return has_memory;
}

static bool say_line(struct place_merge *merge, uint64_t pc)
{
    struct source_location place;
    if (!source_lines_find(merge->lines, merge->names, pc, &place))
        return say_text(merge, NULL);
    return say_text(merge, place.path) && say(merge, &place.line, sizeof place.line);
}

// False: no memory.
static bool say_all(struct place_merge *merge, uint64_t pc)
{
    uint64_t start = 0;
    const uint8_t has_symbol = names_start_of(merge->names, pc, &start);
    merge->said.count = 0;
    start &= ~UINT64_C(1);
    return say(merge, &has_symbol, 1) && say(merge, &start, sizeof start) &&
           (!merge->by_inlines || say_inlined(merge, pc)) &&
           (!merge->by_lines || say_line(merge, pc));
}

// --- Places --------------------------------------------------------------------------------------

// Finds the first place with the same description. False: no memory.
static bool find_first(struct place_merge *merge, uint64_t pc, uint64_t *first)
{
    if (!say_all(merge, pc))
        return false;
    size_t size_bytes = merge->said.count;
    uint64_t hash = size_bytes;
    for (size_t i = 0; i < size_bytes; i++)
        hash = hash_keys(hash_index_seed(&merge->by_text), hash, merge->said.items[i]);
    const struct merged_place *places = merge->places.items;
    uint32_t number;
    HASH_INDEX_FIND(number, &merge->by_text, hash,
                    places[candidate].size_bytes == size_bytes &&
                        memcmp(places[candidate].bytes, merge->said.items, size_bytes) == 0);
    if (number == HASH_INDEX_NONE) {
        uint8_t *copy = arena_alloc(&merge->arena, size_bytes);
        number = (uint32_t)merge->places.count;
        if (!copy || merge->places.count >= HASH_INDEX_NONE || !VEC_ROOM(&merge->places, 1) ||
            !hash_index_add(&merge->by_text, hash, number))
            return false;
        memcpy(copy, merge->said.items, size_bytes);
        merge->places.items[merge->places.count++] = (struct merged_place){copy, size_bytes, pc};
    }
    *first = merge->places.items[number].first;
    return true;
}

// --- Instructions --------------------------------------------------------------------------------

// Slots are chosen by address, because code is contiguous; if that slot is taken, by a seeded hash,
// so that no trace can be made to need long probes.
static struct place_entry *slot_of_pc(const struct place_merge *merge, uint64_t pc)
{
    size_t mask = merge->table.slot_count - 1, at = place_table_slot(&merge->table, pc);
    if (merge->table.entries[at].is_there && merge->table.entries[at].pc != pc)
        at = (size_t)hash_key(&merge->seed, pc) & mask;
    while (merge->table.entries[at].is_there && merge->table.entries[at].pc != pc)
        at = (at + 1) & mask;
    return &merge->table.entries[at];
}

static bool grow_pcs(struct place_merge *merge)
{
    struct place_merge grown = *merge;
    grown.table.slot_count = merge->table.slot_count ? 2 * merge->table.slot_count : SLOTS_FIRST;
    grown.table.entries = calloc(grown.table.slot_count, sizeof *grown.table.entries);
    if (!grown.table.entries)
        return false;
    for (size_t i = 0; i < merge->table.slot_count; i++) {
        if (merge->table.entries[i].is_there)
            *slot_of_pc(&grown, merge->table.entries[i].pc) = merge->table.entries[i];
    }
    free(merge->table.entries);
    *merge = grown;
    return true;
}

static uint64_t look_up(void *self, uint64_t pc)
{
    struct place_merge *merge = self;
    uint64_t first = pc;
    if (4 * (merge->pc_count + 1) > merge->table.slot_count && !grow_pcs(merge)) {
        merge->lacks_memory = true;
        return pc;
    }
    struct place_entry *slot = slot_of_pc(merge, pc);
    if (!slot->is_there && find_first(merge, pc, &first)) {
        *slot = (struct place_entry){pc, first, pc, true};
        merge->pc_count++;
        struct place_entry *of_first = slot_of_pc(merge, first);
        of_first->lowest = u64_min(of_first->lowest, pc);
    }
    merge->lacks_memory |= !slot->is_there;
    return slot->is_there ? slot->first : pc;
}

uint64_t place_merge_lowest(const struct place_merge *merge, uint64_t first)
{
    const struct place_entry *slot = merge->table.slot_count ? slot_of_pc(merge, first) : NULL;
    return slot && slot->is_there ? slot->lowest : first;
}

void place_merge_init(struct place_merge *merge, bool by_lines, bool by_inlines,
                      const struct names *names, struct source_lines *lines)
{
    *merge = (struct place_merge){.by_lines = by_lines,
                                  .by_inlines = by_inlines,
                                  .names = names,
                                  .lines = lines,
                                  .table = {.look_up = look_up, .self = merge},
                                  .seed = hash_seed_new()};
}
