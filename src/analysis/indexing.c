#include "analysis/indexing.h"

#include "analysis/call_list.h"
#include "idx/host_calls.h"

#include <stdlib.h>

struct indexing {
    struct index_writer *writer;
    bool big_endian;
    bool uses_aarch64;
    bool has_host_calls; // that may have written memory
};

// --- Segments ------------------------------------------------------------------------------------

static struct segment_input input_of(const struct indexing *indexing, const struct segment *segment)
{
    return (struct segment_input){
        .events = &segment->events,
        .event_count = segment->event_count,
        .registers = segment->registers.items,
        .register_count = segment->registers.count,
        .accesses = segment->accesses.items,
        .access_count = segment->accesses.count,
        .big_endian = indexing->big_endian,
    };
}

static bool build(void *self, struct segment *segment, struct error *err)
{
    const struct segment_input input = input_of(self, segment);
    if (!segment->own)
        segment->own = calloc(1, sizeof(struct segment_writer));
    if (segment->own && segment_write(segment->own, &input))
        return true;
    error_set(err, STATUS_MEMORY, "no memory for a segment of the index");
    return false;
}

static bool write_out(void *self, struct segment *segment, struct error *err)
{
    struct indexing *indexing = self;
    const struct segment_input input = input_of(indexing, segment);
    const struct segment_writer *built = segment->own;
    indexing->has_host_calls |= built->host_call_count > 0;
    bool has_memory =
        index_writer_add_segment(indexing->writer, segment->own, &input) &&
        index_writer_add_late(indexing->writer, segment->late.items, segment->late.count);
    for (uint32_t i = 0; i < segment->event_count && !indexing->uses_aarch64; i++)
        indexing->uses_aarch64 = (segment->events.flags[i] & EVENT_ISA) == ISA_AARCH64;
    if (!has_memory)
        error_set(err, STATUS_MEMORY, "no memory for the directories of the index");
    else if (index_writer_failed(indexing->writer)) // publishing will tell how
        error_set(err, STATUS_IO, "the index cannot be written");
    return has_memory && !index_writer_failed(indexing->writer);
}

static void free_own(void *self, void *own)
{
    (void)self;
    segment_writer_free(own);
    free(own);
}

// --- Calls ---------------------------------------------------------------------------------------

struct open_call {
    call_place next; // sibling to visit when the call is done
    uint64_t number; // of the call that its siblings are in
};

struct call_walk {
    VEC(, struct open_call) stack;
};

// The calls of one lane in preorder.
static bool add_calls(struct index_writer *writer, const struct call_list *list,
                      const struct lane_result *lane)
{
    struct call_walk walk = {0};
    uint64_t outside = UINT64_MAX; // number of the call around
    call_place place = call_list_first(&lane->calls);
    bool has_memory = true;
    while (has_memory && (place || walk.stack.count)) {
        if (!place) {
            const struct open_call *done = &walk.stack.items[--walk.stack.count];
            place = done->next;
            outside = done->number;
            continue;
        }
        struct listed_call listed;
        call_list_read(list, place, &listed);
        uint64_t number = index_writer_call_count(writer);
        const struct index_call call = {
            .entry = listed.call.entry.event,
            .exit = listed.call.exit.event,
            .pc = listed.call.entry.pc,
            .depth = walk.stack.count + 1,
            .parent = outside == UINT64_MAX ? 0 : number - outside,
            .is_open = listed.call.is_open,
        };
        has_memory = index_writer_add_call(writer, &call) && VEC_ROOM(&walk.stack, 1);
        if (!has_memory)
            break;
        walk.stack.items[walk.stack.count++] = (struct open_call){listed.next_sibling, outside};
        outside = number;
        place = listed.first_child;
    }
    free(walk.stack.items);
    return has_memory;
}

// --- The end -------------------------------------------------------------------------------------

static void fill_lane(struct index_lane *filled, const struct lane_result *lane)
{
    *filled = (struct index_lane){.name = lane->name};
    filled->figures[LANE_LINE_EVENTS] = lane->events;
    filled->figures[LANE_EVENTS] = lane->nodes;
    filled->figures[LANE_INSTRUCTIONS] = lane->instructions;
    filled->figures[LANE_ROOT] = lane->has_root ? lane->root.event : UINT64_MAX;
    filled->figures[LANE_TRANSFERS] = lane->counts.transfers;
    filled->figures[LANE_RETURNED] = lane->counts.returned;
    filled->figures[LANE_DROPPED] = lane->counts.dropped;
    filled->figures[LANE_UNRETURNED] = lane->counts.unreturned;
}

static bool end_index(struct indexing *indexing, const struct pipeline_options *options,
                      const struct indexing_options *how, const struct pipeline_result *result,
                      const struct call_list *calls)
{
    struct index_lane *lanes = calloc(result->lane_count + 1, sizeof *lanes);
    struct index_ending ending = {.lanes = lanes, .lane_count = result->lane_count};
    uint64_t *identity = ending.identity;
    bool is_done = lanes != NULL;
    for (size_t i = 0; i < result->lane_count && is_done; i++) {
        const struct lane_result *lane = &result->lanes[i];
        fill_lane(&lanes[i], lane);
        lanes[i].figures[LANE_FIRST_CALL] = index_writer_call_count(indexing->writer);
        is_done = add_calls(indexing->writer, calls, lane);
        lanes[i].figures[LANE_CALLS] =
            index_writer_call_count(indexing->writer) - lanes[i].figures[LANE_FIRST_CALL];
        identity[IDENTITY_EVENTS] += lane->nodes;
    }
    identity[IDENTITY_OPTIONS] = (options->tarmac.reading == READING_TTU ? IDENTITY_IS_TTU : 0) |
                                 (options->tarmac.implicit_thumb ? IDENTITY_IMPLICIT_THUMB : 0) |
                                 (options->big_endian ? IDENTITY_BIG_ENDIAN : 0) |
                                 (indexing->uses_aarch64 ? IDENTITY_USES_AARCH64 : 0) |
                                 (result->readings_differ ? 0 : IDENTITY_READINGS_AGREE);
    identity[IDENTITY_SEGMENT_EVENTS] = how->segment_events;
    identity[IDENTITY_LINES] = result->lines;
    identity[IDENTITY_HEADER_LINES] = result->header_lines;
    identity[IDENTITY_DAMAGED_LINES] = result->damaged_lines;
    identity[IDENTITY_DAMAGED_BYTES] = result->damaged_bytes;
    identity[IDENTITY_REFUSED_LANE_LINES] = result->lines_of_refused_lanes;
    is_done = is_done && index_writer_end(indexing->writer, &ending);
    free(lanes);
    return is_done;
}

// Adds what only the index can tell when all else of it is written.
static enum status add_regions(struct indexing *indexing, const struct indexing_options *how,
                               struct error *err)
{
    struct map map;
    struct trawl_index *index;
    struct parts_writer parts = {0};
    bool any;
    enum status status = index_writer_read_back(indexing->writer, &map, err);
    if (status != STATUS_OK || (status = index_open_map(&index, how->path, &map, err)) != STATUS_OK)
        return status;
    status = host_calls_resolve(index, &parts, &any, err);
    trawl_close(index);
    if (status == STATUS_OK && any &&
        !index_writer_add_section(indexing->writer, SECTION_REGIONS, &parts))
        status = error_set(err, STATUS_MEMORY, "%s: no memory", how->path);
    parts_writer_free(&parts);
    return status;
}

static enum status run(struct indexing *indexing, struct source *source,
                       const struct pipeline_options *options,
                       const struct pipeline_observer *observer, const struct indexing_options *how,
                       struct pipeline_result *result, struct error *err)
{
    struct call_list calls = {0};
    struct pipeline_options pass = *options;
    pass.consumer = call_list_consumer(&calls);
    pass.keep_open_calls = true;
    pass.segments = (struct segment_consumer){.self = indexing,
                                              .segment_events = how->segment_events,
                                              .build = build,
                                              .write = write_out,
                                              .free_own = free_own};
    enum status status = pipeline_run(source, &pass, observer, result, err);
    if (status == STATUS_OK && !end_index(indexing, options, how, result, &calls))
        status = error_set(err, STATUS_MEMORY, "%s: no memory", how->path);
    if (status == STATUS_OK && indexing->has_host_calls && !index_writer_failed(indexing->writer))
        status = add_regions(indexing, how, err);
    call_list_free(&calls);
    return status;
}

enum status indexing_run(struct source *source, const struct pipeline_options *options,
                         const struct pipeline_observer *observer,
                         const struct indexing_options *how, struct pipeline_result *result,
                         struct error *err)
{
    struct indexing indexing = {.big_endian = options->big_endian};
    *result = (struct pipeline_result){0};
    enum status status =
        index_writer_open(&indexing.writer, how->path, how->io, how->segment_events, err);
    if (status != STATUS_OK)
        return status;
    status = run(&indexing, source, options, observer, how, result, err);
    if (status != STATUS_OK && !index_writer_failed(indexing.writer)) {
        index_writer_abandon(indexing.writer);
        return status;
    }
    return index_writer_publish(indexing.writer, how->sync, err);
}
