#include "idx/segment_write.h"

#include "idx/segment_format.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>

void segment_writer_free(struct segment_writer *writer)
{
    free(writer->bytes.items);
    free(writer->cells.items);
    free(writer->register_keys.items);
    free(writer->stored.items);
    free(writer->loaded.items);
    free(writer->reread.items);
    free(writer->reads.items);
    free(writer->column.items);
    free(writer->host_calls.items);
    free(writer->host_call_lanes.items);
    free(writer->lane_events.items);
    parts_writer_free(&writer->parts);
    register_build_free(writer->registers);
    memory_build_free(writer->memory);
    load_build_free(writer->loads);
    place_build_free(writer->places);
    step_build_free(writer->steps);
    *writer = (struct segment_writer){0};
}

// --- Events --------------------------------------------------------------------------------------

// Memory for a column of `count` rows; NULL: no memory.
static uint64_t *column_room(struct segment_writer *writer, size_t count)
{
    writer->column.count = 0;
    return VEC_ROOM(&writer->column, count + 1) ? writer->column.items : NULL;
}

// Computes the facts about all events together. False: no memory.
static bool sum_up(struct segment_writer *writer, const struct segment_input *input)
{
    const struct segment_events *events = input->events;
    size_t count = input->event_count;
    uint8_t flags = 0;
    uint16_t bound = 0; // no lane exceeds it; that lane may have no events
    for (size_t i = 0; i < count; i++)
        flags |= events->flags[i];
    for (size_t i = 0; i < count; i++)
        bound |= events->lane[i];
    size_t lanes = (size_t)bound + 1;
    writer->flags = flags;
    writer->time_max = count ? kernels_of(input->simd)->extremes(events->time, count, 0).max : 0;
    writer->lane_events.count = 0;
    if (!VEC_ROOM(&writer->lane_events, lanes))
        return false;
    uint32_t *lane_events = writer->lane_events.items;
    memset(lane_events, 0, lanes * sizeof *lane_events);
    for (size_t i = 0; lanes > 1 && i < count; i++)
        lane_events[events->lane[i]]++;
    if (lanes == 1)
        lane_events[0] = input->event_count;
    while (lanes > 1 && !lane_events[lanes - 1])
        lanes--;
    writer->lane_events.count = lanes;
    return true;
}

static bool add_lanes(struct segment_writer *writer, const struct segment_input *input)
{
    size_t count = input->event_count;
    const uint16_t *lanes = input->events->lane;
    if (writer->lane_events.count == 1)
        return true;
    uint64_t *column = column_room(writer, count);
    for (size_t i = 0; column && i < count; i++)
        column[i] = lanes[i];
    return column && parts_add_column(&writer->parts, PART_LANE, column, count);
}

static bool add_flags(struct segment_writer *writer, const struct segment_input *input)
{
    size_t count = input->event_count;
    const uint8_t *flags = input->events->flags;
    uint64_t *column = column_room(writer, count);
    for (size_t i = 0; column && i < count; i++)
        column[i] = flags[i];
    return column && parts_add_column(&writer->parts, PART_FLAGS, column, count);
}

// Packs eight bytes that are 0 or 1 into eight bits.
static uint64_t bits_of_bytes(const uint8_t bytes[8])
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return le64toh(word) * UINT64_C(0x0102040810204080) >> 56;
}

static bool add_filter(struct segment_writer *writer, const struct segment_input *input)
{
    size_t blocks = (input->event_count + COLUMN_BLOCK - 1) / COLUMN_BLOCK;
    writer->column.count = 0;
    if (!VEC_ROOM(&writer->column, blocks * PC_FILTER_WORDS))
        return false;
    uint64_t *filters = writer->column.items;
    for (size_t block = 0; block < blocks; block++) {
        // Makes the filter of the block of events from `from` on. It is unpredictable which events
        // have an instruction and which are near the previous one, so all are recorded, and those
        // without an instruction in an extra place after the end.
        uint64_t *filter = filters + block * PC_FILTER_WORDS;
        const size_t from = block * COLUMN_BLOCK;
        enum { BITS = 64 * PC_FILTER_WORDS };
        const struct segment_events *events = input->events;
        size_t end = (size_t)u64_min(from + COLUMN_BLOCK, input->event_count);
        uint8_t seen[BITS + 1] = {0}, flags = 0;
        for (size_t i = from; i < end; i++) {
            flags |= events->flags[i];
            unsigned bit = pc_filter_bit(events->pc[i]);
            seen[events->flags[i] & EVENT_HAS_INSTRUCTION ? bit : BITS] = 1;
        }
        if (flags & EVENT_EXCEPTION)
            seen[pc_filter_bit(PC_OF_EXCEPTIONS)] = 1;
        for (unsigned word = 0; word < PC_FILTER_WORDS; word++) {
            filter[word] = 0;
            for (unsigned bit = 0; bit < 64; bit += 8)
                filter[word] |= bits_of_bytes(seen + 64 * word + bit) << bit;
        }
    }
    return parts_add_column(&writer->parts, PART_PC_FILTER, filters, blocks * PC_FILTER_WORDS);
}

// Fills three columns with what is stored of each block of events if calls are not listed.
static void nest_blocks(struct segment_writer *writer, const struct segment_input *input,
                        uint64_t *columns, size_t block_count)
{
    const struct segment_nesting *nesting = &input->nesting;
    const uint8_t *flags = input->events->flags;
    uint64_t entries = 0, depth = nesting->depth;
    size_t next = 0;
    writer->least_depth = UINT64_MAX;
    for (size_t block = 0; block < block_count; block++) {
        const size_t end = (size_t)u64_min((block + 1) * COLUMN_BLOCK, input->event_count);
        uint64_t least = UINT64_MAX;
        columns[block] = entries;
        columns[block_count + block] = depth;
        for (size_t i = block * COLUMN_BLOCK; i < end; i++) {
            const uint64_t entry = flags[i] / EVENT_HAS_INSTRUCTION & 1;
            entries += entry;
            depth += 2 * entry - 1;
            if (next < nesting->exception_count && nesting->exceptions[next].event == i)
                depth = nesting->exceptions[next++].depth;
            least = u64_min(least, depth);
        }
        columns[2 * block_count + block] = least;
        writer->least_depth = u64_min(writer->least_depth, least);
    }
    writer->entry_count = entries;
}

// The PCs of entries, and what the calls follow from.
static bool add_nesting(struct segment_writer *writer, const struct segment_input *input)
{
    const struct segment_nesting *nesting = &input->nesting;
    const struct segment_events *events = input->events;
    const size_t blocks = (input->event_count + COLUMN_BLOCK - 1) / COLUMN_BLOCK;
    const size_t exceptions = nesting->exception_count;
    uint64_t *column =
        column_room(writer, (size_t)u64_max(input->event_count, u64_max(3 * blocks, exceptions)));
    if (!column)
        return false;
    size_t entries = 0;
    for (size_t i = 0; i < input->event_count; i++) {
        column[entries] = events->pc[i];
        entries += events->flags[i] / EVENT_HAS_INSTRUCTION & 1;
    }
    if (!parts_add_column(&writer->parts, PART_ENTRY_PCS, column, entries))
        return false;
    nest_blocks(writer, input, column, blocks);
    for (uint32_t i = 0; i < 3; i++) {
        if (!parts_add_column(&writer->parts, PART_BLOCK_ENTRIES + i, column + i * blocks, blocks))
            return false;
    }
    for (uint32_t part = PART_EXCEPTION_EVENTS; exceptions && part <= PART_EXCEPTION_PCS; part++) {
        for (size_t i = 0; i < exceptions; i++) {
            const struct segment_exception *exception = &nesting->exceptions[i];
            column[i] = part == PART_EXCEPTION_EVENTS   ? exception->event
                        : part == PART_EXCEPTION_DEPTHS ? exception->depth
                                                        : events->pc[exception->event];
        }
        if (!parts_add_column(&writer->parts, part, column, exceptions))
            return false;
    }
    return true;
}

static bool add_events(struct segment_writer *writer, const struct segment_input *input)
{
    const struct segment_events *events = input->events;
    struct parts_writer *parts = &writer->parts;
    size_t count = input->event_count;
    return parts_add_column(parts, PART_TIME, events->time, count) && step_find(writer, input) &&
           (input->is_nested || parts_add_column(parts, PART_PC, events->pc, count)) &&
           add_flags(writer, input) && add_lanes(writer, input) && add_filter(writer, input);
}

// --- Host calls ----------------------------------------------------------------------------------

// The operations that write memory without a line for it: READ, TMPNAM, GET_CMDLINE, HEAPINFO,
// ELAPSED.
static bool may_write(const struct host_call_lane *operation, bool aarch64)
{
    uint8_t needed = aarch64 ? 0xff : 0x0f;
    uint64_t value = aarch64 ? operation->value : (uint32_t)operation->value;
    if ((operation->known & needed) != needed)
        return true;
    return value == 0x06 || value == 0x0d || value == 0x15 || value == 0x16 || value == 0x30;
}

static bool find_host_calls(struct segment_writer *writer, const struct segment_input *input)
{
    writer->host_calls.count = writer->host_call_count = 0;
    if (!(writer->flags & EVENT_HOST_CALL))
        return true;
    size_t lanes = writer->lane_events.count;
    writer->host_call_lanes.count = 0;
    if (!VEC_ROOM(&writer->host_call_lanes, lanes))
        return false;
    memset(writer->host_call_lanes.items, 0, lanes * sizeof *writer->host_call_lanes.items);
    for (uint32_t i = 0; i < input->event_count; i++) {
        uint8_t flags = input->events->flags[i];
        if (LIKELY(!(flags & EVENT_HOST_CALL)))
            continue;
        unsigned lane = input->events->lane[i];
        struct host_call_lane *operation = &writer->host_call_lanes.items[lane];
        // Walks the writes to r0 and x0 in parallel with the events, up to `event`: the operation
        // of a host call is in the register before the event.
        size_t at = operation->next;
        for (; at < input->register_count; at++) {
            const struct segment_register *write = &input->registers[at];
            if (register_cell(write->cell) != 0 || write->lane != lane)
                continue;
            if (write->event >= i)
                break;
            uint64_t bytes = bytes_of_mask(write->mask);
            operation->value = (operation->value & ~bytes) | write->value;
            operation->known = write->cell & REGISTER_VALUE_UNKNOWN
                                   ? operation->known & (uint8_t)~write->mask
                                   : operation->known | write->mask;
        }
        operation->next = at;
        if (!may_write(operation, (flags & EVENT_ISA) == 2))
            continue;
        if (!VEC_ROOM(&writer->host_calls, 1))
            return false;
        writer->host_calls.items[writer->host_calls.count++] = i;
    }
    writer->host_call_count = writer->host_calls.count;
    return true;
}

static bool add_host_calls(struct segment_writer *writer)
{
    size_t count = writer->host_calls.count;
    writer->column.count = 0;
    if (!count)
        return true;
    if (!VEC_ROOM(&writer->column, count))
        return false;
    for (size_t i = 0; i < count; i++)
        writer->column.items[i] = writer->host_calls.items[i];
    return parts_add_column(&writer->parts, PART_HOST_CALLS, writer->column.items, count);
}

static bool add_origins(struct segment_writer *writer, const struct segment_input *input)
{
    size_t count = input->origin_count;
    uint64_t *column = count ? column_room(writer, count) : NULL;
    for (size_t i = 0; column && i < count; i++)
        column[i] = input->origins[i].event;
    if (!count || !column || !parts_add_column(&writer->parts, PART_ORIGIN_EVENTS, column, count))
        return !count;
    for (size_t i = 0; i < count; i++)
        column[i] = input->origins[i].pc;
    return parts_add_column(&writer->parts, PART_ORIGIN_PCS, column, count);
}

enum status segment_write(struct segment_writer *writer, const struct segment_input *input,
                          struct error *err)
{
    writer->parts.simd = input->simd;
    parts_writer_reset(&writer->parts);
    enum status status = STATUS_MEMORY;
    if (sum_up(writer, input) && add_events(writer, input) && find_host_calls(writer, input) &&
        add_host_calls(writer) && register_write(writer, input) && place_find(writer, input))
        status = memory_write(writer, input);
    if (status == STATUS_OK && !add_origins(writer, input))
        status = STATUS_MEMORY;
    if (status == STATUS_OK)
        status = load_write(writer, input);
    if (status == STATUS_OK &&
        (!place_write(writer, input) || !step_write(writer, input) ||
         !register_write_shared(writer) || (input->is_nested && !add_nesting(writer, input))))
        status = STATUS_MEMORY;
    writer->has_forms |= writer->has_steps;
    writer->bytes.count = 0; // until here, other functions used it as a buffer
    if (status == STATUS_OK && !parts_finish(&writer->parts, &writer->bytes))
        status = STATUS_MEMORY;
    if (status == STATUS_LIMIT)
        return error_set(err, status, "more than %" PRIu64 " accesses to memory in one segment",
                         memory_record_max(writer));
    return status == STATUS_OK ? status
                               : error_set(err, status, "no memory for a segment of the index");
}

// --- Late rows -----------------------------------------------------------------------------------

ORDER_BY_2(compare_late, struct segment_late, event, instruction_position)

void segment_late_sort(struct segment_late *late, size_t count)
{
    if (count)
        qsort(late, count, sizeof *late, compare_late);
}
