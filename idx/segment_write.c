#include "idx/segment_write.h"

#include "idx/memory_write.h"
#include "idx/register_write.h"
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
    free(writer->column.items);
    free(writer->host_calls.items);
    parts_writer_free(&writer->parts);
    register_build_free(writer->registers);
    memory_build_free(writer->memory);
    *writer = (struct segment_writer){0};
}

// --- Events --------------------------------------------------------------------------------------

// Widens a column of bytes; NULL without memory.
static const uint64_t *widen(struct segment_writer *writer, const uint8_t *bytes, size_t count)
{
    writer->column.count = 0;
    if (!VEC_ROOM(&writer->column, count + 1))
        return NULL;
    for (size_t i = 0; i < count; i++)
        writer->column.items[i] = bytes[i];
    return writer->column.items;
}

static uint8_t any_of(const uint8_t *bytes, size_t count)
{
    uint8_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= bytes[i];
    return any;
}

// What is to be known of all events together.
static void sum_up(struct segment_writer *writer, const struct segment_input *input)
{
    const struct segment_events *events = input->events;
    size_t count = input->event_count;
    writer->flags = any_of(events->flags, count);
    writer->time_max = count ? kernels_of(input->simd)->extremes(events->time, count, 0).max : 0;
    memset(writer->lane_events, 0, sizeof writer->lane_events);
    if (any_of(events->lane, count) == 0)
        writer->lane_events[0] = input->event_count;
    else
        for (size_t i = 0; i < count; i++)
            writer->lane_events[events->lane[i]]++;
}

static bool add_lanes(struct segment_writer *writer, const struct segment_input *input)
{
    const uint8_t *lanes = input->events->lane;
    if (writer->lane_events[0] == input->event_count)
        return true;
    const uint64_t *wide = widen(writer, lanes, input->event_count);
    return wide && parts_add_column(&writer->parts, PART_LANE, wide, input->event_count);
}

// A bit for each of eight bytes that are 0 or 1.
static uint64_t bits_of_bytes(const uint8_t bytes[8])
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return le64toh(word) * UINT64_C(0x0102040810204080) >> 56;
}

// Of the block of events from `from` on. Which of them have an instruction and which lie where the
// one before does cannot be foretold, so that all are put down, some of them after the end.
static void fill_filter(uint64_t *filter, const struct segment_input *input, size_t from)
{
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

static bool add_filter(struct segment_writer *writer, const struct segment_input *input)
{
    size_t blocks = (input->event_count + COLUMN_BLOCK - 1) / COLUMN_BLOCK;
    writer->column.count = 0;
    if (!VEC_ROOM(&writer->column, blocks * PC_FILTER_WORDS))
        return false;
    uint64_t *filters = writer->column.items;
    for (size_t block = 0; block < blocks; block++)
        fill_filter(filters + block * PC_FILTER_WORDS, input, block * COLUMN_BLOCK);
    return parts_add_column(&writer->parts, PART_PC_FILTER, filters, blocks * PC_FILTER_WORDS);
}

static bool add_events(struct segment_writer *writer, const struct segment_input *input)
{
    const struct segment_events *events = input->events;
    struct parts_writer *parts = &writer->parts;
    size_t count = input->event_count;
    const uint64_t *flags;
    return parts_add_column(parts, PART_TIME, events->time, count) &&
           parts_add_column(parts, PART_LINE, events->line, count) &&
           parts_add_column(parts, PART_POSITION, events->position, count) &&
           parts_add_column(parts, PART_PC, events->pc, count) &&
           (flags = widen(writer, events->flags, count)) != NULL &&
           parts_add_column(parts, PART_FLAGS, flags, count) && add_lanes(writer, input) &&
           add_filter(writer, input);
}

// --- Host calls ----------------------------------------------------------------------------------

// r0 or x0 of a lane, as far as the segment has written it.
struct operation {
    uint64_t value;
    uint8_t known;
};

// The operations that write memory unseen: READ, TMPNAM, GET_CMDLINE, HEAPINFO, ELAPSED.
static bool may_write(const struct operation *operation, bool aarch64)
{
    uint8_t needed = aarch64 ? 0xff : 0x0f;
    uint64_t value = aarch64 ? operation->value : (uint32_t)operation->value;
    if ((operation->known & needed) != needed)
        return true;
    return value == 0x06 || value == 0x0d || value == 0x15 || value == 0x16 || value == 0x30;
}

// Walks the writes to r0 and x0 beside the events: what a host call is asked to do is in the
// register before the event.
struct host_call_walk {
    const struct segment_input *input;
    size_t next[256]; // write of each lane
    struct operation operations[256];
};

static void walk_to(struct host_call_walk *walk, unsigned lane, uint32_t event)
{
    const struct segment_input *input = walk->input;
    size_t at = walk->next[lane];
    for (; at < input->register_count; at++) {
        const struct segment_register *write = &input->registers[at];
        if (write->lane != lane)
            continue;
        if (write->event >= event)
            break;
        if (write->cell != 0)
            continue;
        uint64_t bytes = bytes_of_mask(write->mask);
        struct operation *operation = &walk->operations[lane];
        operation->value = (operation->value & ~bytes) | write->value;
        operation->known |= write->mask;
    }
    walk->next[lane] = at;
}

static bool find_host_calls(struct segment_writer *writer, const struct segment_input *input)
{
    struct host_call_walk walk = {.input = input};
    writer->host_calls.count = writer->host_call_count = 0;
    if (!(writer->flags & EVENT_HOST_CALL))
        return true;
    for (uint32_t i = 0; i < input->event_count; i++) {
        uint8_t flags = input->events->flags[i];
        if (LIKELY(!(flags & EVENT_HOST_CALL)))
            continue;
        unsigned lane = input->events->lane[i];
        walk_to(&walk, lane, i);
        if (!may_write(&walk.operations[lane], (flags & EVENT_ISA) == 2))
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

enum status segment_write(struct segment_writer *writer, const struct segment_input *input,
                          struct error *err)
{
    writer->parts.simd = input->simd;
    parts_writer_reset(&writer->parts);
    enum status status = STATUS_MEMORY;
    sum_up(writer, input);
    if (add_events(writer, input) && find_host_calls(writer, input) && add_host_calls(writer) &&
        register_write(writer, input))
        status = memory_write(writer, input);
    writer->bytes.count = 0; // until here it was for the parts to write in
    if (status == STATUS_OK && !parts_finish(&writer->parts, &writer->bytes))
        status = STATUS_MEMORY;
    if (status == STATUS_LIMIT)
        return error_set(err, status, "more than %" PRIu64 " accesses to memory in one segment",
                         memory_record_max(writer));
    return status == STATUS_OK ? status
                               : error_set(err, status, "no memory for a segment of the index");
}

// --- Late rows -----------------------------------------------------------------------------------

static int compare_late(const void *a, const void *b)
{
    const struct segment_late *first = a, *second = b;
    if (first->event != second->event)
        return first->event < second->event ? -1 : 1;
    return (first->instruction_position > second->instruction_position) -
           (first->instruction_position < second->instruction_position);
}

void segment_late_sort(struct segment_late *late, size_t count)
{
    if (count)
        qsort(late, count, sizeof *late, compare_late);
}
