// The lines and positions of a segment's events, as steps by PC.
//
// How many lines and bytes an event has in the trace follows nearly always from its instruction: it
// shows the same text and writes the same registers each time. So a segment lists what the events
// of each PC usually have, and for each event only the difference, which is mostly 0: a block of
// zeros takes no bytes. Every STEP_ANCHOR-th line and position is stored too, so that a reader adds
// up few steps. Stored by themselves, lines and positions took a quarter to a third of an index; so
// they take a tenth of that.
//
// The usual step of a PC is that of the majority of its events, by Boyer's and Moore's vote in one
// pass; if there is no majority, it is one that occurs. Code that runs once has no usual steps:
// then lines and positions are stored by themselves.
#include "idx/segment_write.h"

#include "base/hash_index.h"
#include "idx/segment_format.h"
#include "idx/varint.h"

#include <stdlib.h>

struct pc_step {
    uint64_t pc;
    uint64_t lines, bytes; // the usual ones
    uint32_t votes;        // for them, beyond those for others
    uint32_t next;         // the PC that followed it the last time
};

struct step_build {
    struct hash_index by_pc;
    VEC(, struct pc_step) steps; // in the order of the first events of PCs
    VEC(, uint32_t) numbers;     // of each event, in `steps`
};

void step_build_free(struct step_build *build)
{
    if (!build)
        return;
    hash_index_free(&build->by_pc);
    free(build->steps.items);
    free(build->numbers.items);
    free(build);
}

// Steps that only few events share save less than the list of PCs takes.
#define EVENTS_PER_PC 8
#define STEP_EVENTS_MIN 256

// The number of a PC, which may be new. HASH_INDEX_NONE: no memory.
static NEVER_INLINE uint32_t number_of(struct step_build *build, uint64_t pc)
{
    struct pc_step *steps = build->steps.items;
    const uint64_t hash = hash_key(hash_index_seed(&build->by_pc), pc);
    uint32_t number;
    HASH_INDEX_FIND(number, &build->by_pc, hash, steps[candidate].pc == pc);
    if (number != HASH_INDEX_NONE)
        return number;
    number = (uint32_t)build->steps.count;
    if (!hash_index_add(&build->by_pc, hash, number))
        return HASH_INDEX_NONE;
    steps[build->steps.count++] = (struct pc_step){.pc = pc, .next = number};
    return number;
}

// Finds the steps of all PCs. False: no memory. There may be none.
static bool find_steps(struct step_build *build, const struct segment_events *events,
                       uint32_t event_count)
{
    const size_t most = (size_t)u64_min(event_count / EVENTS_PER_PC, STEP_PCS_MAX);
    if (!VEC_ROOM(&build->numbers, event_count) || !VEC_ROOM(&build->steps, most + 1))
        return false;
    struct pc_step *steps = build->steps.items;
    uint32_t *numbers = build->numbers.items;
    uint32_t number = number_of(build, events->pc[0]);
    if (number == HASH_INDEX_NONE)
        return false;
    for (uint32_t i = 0; i + 1 < event_count; i++) {
        struct pc_step *step = &steps[number];
        numbers[i] = number;
        const uint64_t lines = events->line[i + 1] - events->line[i];
        const uint64_t bytes = events->position[i + 1] - events->position[i];
        if (LIKELY(step->lines == lines && step->bytes == bytes)) {
            step->votes++;
        } else if (step->votes) {
            step->votes--;
        } else {
            step->lines = lines;
            step->bytes = bytes;
            step->votes = 1;
        }
        // Most instructions are followed by the same one each time.
        number = step->next;
        if (UNLIKELY(steps[number].pc != events->pc[i + 1])) {
            number = number_of(build, events->pc[i + 1]);
            if (number == HASH_INDEX_NONE)
                return false;
            if (build->steps.count > most) {
                build->steps.count = 0;
                return true;
            }
            step->next = number;
        }
    }
    return true;
}

static bool add_anchors(struct segment_writer *writer, enum segment_part part,
                        const uint64_t *values, uint32_t event_count)
{
    writer->column.count = 0;
    if (!VEC_ROOM(&writer->column, event_count / STEP_ANCHOR + 1))
        return false;
    size_t count = 0;
    for (uint32_t i = 0; i < event_count; i += STEP_ANCHOR)
        writer->column.items[count++] = values[i];
    return parts_add_column(&writer->parts, part, writer->column.items, count);
}

bool step_find(struct segment_writer *writer, const struct segment_input *input)
{
    const struct segment_events *events = input->events;
    const uint32_t count = input->event_count;
    writer->has_steps = false;
    // Only in a trace of lines are both in the order of events.
    if (count >= STEP_EVENTS_MIN && events->line[count - 1] > events->line[0]) {
        if (!writer->steps && !(writer->steps = calloc(1, sizeof *writer->steps)))
            return false;
        hash_index_clear(&writer->steps->by_pc);
        writer->steps->steps.count = 0;
        if (!find_steps(writer->steps, events, count))
            return false;
        writer->has_steps = writer->steps->steps.count > 0;
    }
    if (writer->has_steps)
        return add_anchors(writer, PART_LINE, events->line, count) &&
               add_anchors(writer, PART_POSITION, events->position, count);
    return parts_add_column(&writer->parts, PART_LINE, events->line, count) &&
           parts_add_column(&writer->parts, PART_POSITION, events->position, count);
}

// The events whose step is not the usual one, and the differences of their lines and bytes. False:
// no memory.
static bool add_exceptions(struct segment_writer *writer, const struct segment_events *events,
                           uint32_t event_count)
{
    const struct step_build *build = writer->steps;
    const struct pc_step *steps = build->steps.items;
    writer->column.count = 0;
    if (!VEC_ROOM(&writer->column, 3 * (size_t)event_count))
        return false;
    uint64_t *rows = writer->column.items, *lines = rows + event_count,
             *bytes = lines + event_count;
    size_t count = 0;
    for (uint32_t i = 0; i + 1 < event_count; i++) {
        const struct pc_step *step = &steps[build->numbers.items[i]];
        const uint64_t more_lines = events->line[i + 1] - events->line[i] - step->lines;
        const uint64_t more_bytes = events->position[i + 1] - events->position[i] - step->bytes;
        if (LIKELY(!(more_lines | more_bytes)))
            continue;
        rows[count] = i;
        lines[count] = zigzag(more_lines);
        bytes[count++] = zigzag(more_bytes);
    }
    return parts_add_column(&writer->parts, PART_STEP_EXCEPTIONS, rows, count) &&
           parts_add_column(&writer->parts, PART_STEP_MORE_LINES, lines, count) &&
           parts_add_column(&writer->parts, PART_STEP_MORE_BYTES, bytes, count);
}

bool step_write(struct segment_writer *writer, const struct segment_input *input)
{
    struct step_build *build = writer->steps;
    if (!writer->has_steps)
        return true;
    const size_t count = build->steps.count;
    writer->column.count = 0;
    if (!VEC_ROOM(&writer->column, 3 * count))
        return false;
    uint64_t *columns = writer->column.items;
    for (size_t i = 0; i < count; i++) {
        columns[i] = build->steps.items[i].pc;
        columns[count + i] = build->steps.items[i].lines;
        columns[2 * count + i] = build->steps.items[i].bytes;
    }
    return parts_add_column(&writer->parts, PART_STEP_PCS, columns, count) &&
           parts_add_column(&writer->parts, PART_STEP_LINES, columns + count, count) &&
           parts_add_column(&writer->parts, PART_STEP_BYTES, columns + 2 * count, count) &&
           add_exceptions(writer, input->events, input->event_count);
}
