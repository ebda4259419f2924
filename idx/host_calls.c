#include "idx/host_calls.h"

#include "idx/index.h"
#include "idx/live_regions.h"
#include "idx/places.h"

#include <inttypes.h>
#include <stdlib.h>

// A host call, with its operation and the address of its parameter block.
struct host_call {
    struct trawl_index *index;
    uint64_t event; // of the call
    uint64_t lane;
    bool aarch64;
    uint64_t operation; // r0 or x0
    uint64_t block;     // r1 or x1
};

static uint64_t number_of(const uint8_t *bytes, unsigned size_bytes, bool big_endian)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < size_bytes; i++)
        number = number << 8 | bytes[big_endian ? i : size_bytes - 1 - i];
    return number;
}

static bool all_known(const uint8_t *known, unsigned size_bytes)
{
    return memchr(known, 0, size_bytes) == NULL;
}

static unsigned word_bytes(const struct host_call *call)
{
    return call->aarch64 ? 8 : 4;
}

// Reads the two registers before the call. False: one is unknown, or *status has an error.
static bool read_registers(struct host_call *call, enum status *status, struct error *err)
{
    uint8_t values[16], known[16];
    struct trawl_error from;
    enum trawl_status answer = trawl_registers(call->index, call->lane, call->event - 1, TRAWL_X(0),
                                               16, values, known, &from);
    *status = index_status(answer, &from, err);
    unsigned size = word_bytes(call);
    if (*status != STATUS_OK || !all_known(known, size) || !all_known(known + 8, size))
        return false;
    call->operation = number_of(values, size, false);
    call->block = number_of(values + 8, size, false);
    return true;
}

// Word `i` of the parameter block. False: it is unknown, or *status has an error.
static bool read_word(const struct host_call *call, unsigned i, uint64_t *word, enum status *status,
                      struct error *err)
{
    uint8_t values[8], known[8];
    unsigned size = word_bytes(call);
    uint64_t before = call->event - 1, address = call->block + i * (uint64_t)size;
    if (!call->aarch64)
        address = (uint32_t)address;
    if (before == TRAWL_START)
        return false;
    struct index_place found;
    *status = index_place(call->index, call->event, address, &found, err);
    if (*status == STATUS_OK)
        *status =
            index_memory(call->index, before, call->event, found.place, size, values, known, err);
    if (*status != STATUS_OK || !all_known(known, size))
        return false;
    bool big_endian = call->index->identity[IDENTITY_OPTIONS] & TRAWL_BIG_ENDIAN;
    *word = number_of(values, size, big_endian);
    return true;
}

// The memory that the call may write. False: none, or *status has an error.
static bool find_region(const struct host_call *call, uint64_t *start, uint64_t *length,
                        enum status *status, struct error *err)
{
    unsigned size = word_bytes(call);
    switch (call->operation) {
    case 0x06: // READ: file, buffer, length
        return read_word(call, 1, start, status, err) && read_word(call, 2, length, status, err);
    case 0x0d: // TMPNAM: buffer, number, length
        return read_word(call, 0, start, status, err) && read_word(call, 2, length, status, err);
    case 0x15: // GET_CMDLINE: buffer, length
        return read_word(call, 0, start, status, err) && read_word(call, 1, length, status, err);
    case 0x16: // HEAPINFO: a buffer of four words
        *length = 4 * (uint64_t)size;
        return read_word(call, 0, start, status, err);
    case 0x30: // writes to the block itself
        *start = call->block;
        *length = 2 * (uint64_t)size;
        return true;
    }
    return false;
}

// Adds memory that a call may write, at the places where its addresses are. False: no memory, or
// *status has an error.
static bool add_region(const struct host_call *call, uint64_t start, uint64_t length,
                       struct live_regions *regions, enum status *status, struct error *err)
{
    struct place_runs runs = {0};
    bool has_memory = true;
    if (!call->index->has_places || !length)
        return live_regions_add(regions, call->event, start, length);
    *status = index_place_runs(call->index, call->event, start,
                               start + u64_min(length - 1, UINT64_MAX - start), &runs, err);
    for (size_t i = 0; i < runs.count && *status == STATUS_OK && has_memory; i++)
        has_memory =
            live_regions_add(regions, call->event, runs.items[i].place, runs.items[i].size_bytes);
    free(runs.items);
    return has_memory && *status == STATUS_OK;
}

static enum status resolve_call(struct trawl_index *index, uint64_t event,
                                struct live_regions *regions, struct error *err)
{
    struct trawl_event about;
    uint64_t start, length;
    struct trawl_error from;
    enum status status = index_status(trawl_event(index, event, &about, &from), &from, err);
    if (status != STATUS_OK)
        return status;
    struct host_call call = {.index = index,
                             .event = event,
                             .lane = about.lane,
                             .aarch64 = (about.flags & TRAWL_ISA) == 2};
    if (!read_registers(&call, &status, err) || !find_region(&call, &start, &length, &status, err))
        return status;
    if (regions->all.count >= LIMIT_HOST_CALL_BLOCKS)
        return error_set(err, STATUS_LIMIT,
                         "%s: host calls wrote to more than %" PRIu64 " blocks of memory",
                         index->path, LIMIT_HOST_CALL_BLOCKS);
    // GET_CMDLINE also sets the length in its block; the reference does not know this.
    bool sets_length =
        call.operation == 0x15 && !(index->identity[IDENTITY_OPTIONS] & TRAWL_READ_AS_TTU);
    uint64_t size = word_bytes(&call);
    if (add_region(&call, start, length, regions, &status, err) &&
        (!sets_length || add_region(&call, call.block + size, size, regions, &status, err)))
        return STATUS_OK;
    return status != STATUS_OK
               ? status
               : error_set(err, STATUS_MEMORY, "%s: no memory for the writes of host calls",
                           index->path);
}

static enum status resolve_segment(struct trawl_index *index, uint64_t segment,
                                   struct live_regions *regions, struct error *err)
{
    struct segment_view *view = index_segment(index, segment, err);
    const struct column *calls = view ? segment_column(index, view, PART_HOST_CALLS, err) : NULL;
    if (!calls)
        return STATUS_DAMAGED;
    uint64_t *rows = malloc((size_t)(calls->count + 1) * sizeof *rows);
    size_t count = (size_t)calls->count;
    if (!rows)
        return index_no_memory(index, err);
    enum status status = column_read(calls, 0, count, rows)
                             ? STATUS_OK
                             : index_damaged(index, "host calls of a segment", err);
    uint64_t first = segment * index->identity[IDENTITY_SEGMENT_EVENTS];
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = resolve_call(index, first + rows[i], regions, err);
    free(rows);
    return status;
}

ORDER_BY_3(compare_regions, struct region, shift, block, event)

// Sorts all blocks and adds the parts of SECTION_REGIONS. False: no memory.
static bool add_parts(struct live_regions *regions, struct parts_writer *parts)
{
    size_t count = regions->all.count;
    struct region *all = regions->all.items;
    uint64_t *column = malloc((count + 1) * sizeof *column);
    bool is_done = column != NULL;
    if (count)
        qsort(all, count, sizeof *all, compare_regions);
    for (uint32_t part = PART_REGION_SHIFTS; part <= PART_REGION_EVENTS && is_done; part++) {
        for (size_t i = 0; i < count; i++)
            column[i] = part == PART_REGION_SHIFTS   ? all[i].shift
                        : part == PART_REGION_BLOCKS ? all[i].block
                                                     : all[i].event;
        is_done = parts_add_column(parts, part, column, count);
    }
    free(column);
    return is_done;
}

enum status host_calls_resolve(struct trawl_index *index, struct parts_writer *parts, bool *any,
                               struct error *err)
{
    struct live_regions regions = {0};
    enum status status = STATUS_OK;
    index->live = &regions;
    for (uint64_t i = 0; i < index->segment_count && status == STATUS_OK; i++) {
        uint64_t calls;
        if (!column_get(&index->segments[PART_SEGMENT_HOST_CALLS], i, &calls))
            status = index_damaged(index, "directory of segments", err);
        else if (calls)
            status = resolve_segment(index, i, &regions, err);
    }
    index->live = NULL;
    *any = regions.all.count > 0;
    if (status == STATUS_OK && !add_parts(&regions, parts))
        status = index_no_memory(index, err);
    live_regions_free(&regions);
    return status;
}

// --- Where they are ------------------------------------------------------------------------------

// The first host call in a block of flags, at or after row `from`. STATUS_NOT_FOUND: none.
static enum status next_in_block(struct trawl_index *index, const struct column *flags,
                                 uint64_t from, uint64_t *row, struct error *err)
{
    uint64_t block = from / COLUMN_BLOCK, least, most, values[COLUMN_BLOCK];
    uint64_t end = (block + 1) * COLUMN_BLOCK;
    size_t count = (size_t)((end < flags->count ? end : flags->count) - from);
    if (!column_block_range(flags, block, &least, &most))
        return index_damaged(index, "flags of events", err);
    if (most < EVENT_HOST_CALL)
        return STATUS_NOT_FOUND;
    if (!column_read(flags, from, count, values))
        return index_damaged(index, "flags of events", err);
    for (size_t i = 0; i < count; i++) {
        if (values[i] & EVENT_HOST_CALL) {
            *row = from + i;
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}

static enum status next_in_segment(struct trawl_index *index, uint64_t segment, uint64_t from,
                                   uint64_t *row, struct error *err)
{
    struct segment_view *view = index_segment(index, segment, err);
    const struct column *flags = view ? segment_column(index, view, PART_FLAGS, err) : NULL;
    if (!flags)
        return err->status == STATUS_NOT_FOUND ? STATUS_NOT_FOUND : STATUS_DAMAGED;
    enum status status = STATUS_NOT_FOUND;
    while (from < flags->count && status == STATUS_NOT_FOUND) {
        status = next_in_block(index, flags, from, row, err);
        from = (from / COLUMN_BLOCK + 1) * COLUMN_BLOCK;
    }
    return status;
}

// The same for host calls that later segments added to their events.
static enum status next_late(struct trawl_index *index, uint64_t from, uint64_t *event,
                             struct error *err)
{
    const struct column *events = &index->late[PART_LATE_EVENTS];
    uint64_t place = 0, flags;
    if (!index->has_late)
        return STATUS_NOT_FOUND;
    if (from && !column_search(events, 0, events->count, from - 1, &place))
        return index_damaged(index, "late events", err);
    for (; place < events->count; place++) {
        if (!column_get(events, place, event) ||
            !column_get(&index->late[PART_LATE_FLAGS], place, &flags))
            return index_damaged(index, "late events", err);
        if (flags & EVENT_HOST_CALL)
            return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}

enum status host_calls_next(struct trawl_index *index, uint64_t from, uint64_t *event,
                            struct error *err)
{
    uint64_t segment_events = index->identity[IDENTITY_SEGMENT_EVENTS], late, row;
    enum status status = next_late(index, from, &late, err);
    bool has_late = status == STATUS_OK;
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        return status;
    status = STATUS_NOT_FOUND;
    for (uint64_t i = from / segment_events; i < index->segment_count; i++) {
        uint64_t first = i * segment_events;
        if (has_late && late < first)
            break;
        status = next_in_segment(index, i, from > first ? from - first : 0, &row, err);
        if (status == STATUS_OK)
            *event = first + row;
        if (status != STATUS_NOT_FOUND)
            break;
    }
    if (has_late && (status == STATUS_NOT_FOUND || (status == STATUS_OK && late < *event))) {
        *event = late;
        return STATUS_OK;
    }
    return status == STATUS_NOT_FOUND ? error_set(err, status, "no host call follows") : status;
}
