#include "dataflow/gaps.h"

#include "dataflow/code_text.h"
#include "flow/replay.h"

#include <stdlib.h>

enum { BLOCK = 1024 };

// The last instruction of a lane.
struct lane_flow {
    struct trawl_event last;
    bool has_last; // and nothing after it leads elsewhere, such as an exception
    struct trace_loop loop;
};

bool gaps_between(const struct dataflow_gaps *gaps, uint64_t lane, uint64_t after, uint64_t until,
                  uint64_t *gap)
{
    const struct lane_gaps *of = lane == TRAWL_ANY_LANE ? &gaps->all : &gaps->lanes[lane];
    size_t at;
    PARTITION_POINT(at, of->events.count, of->events.items[middle] <= until);
    if (!at || (after != TRAWL_NONE && of->events.items[at - 1] <= after))
        return false;
    *gap = of->events.items[at - 1];
    return true;
}

// Whether an exception was taken that the trace does not show, as the calls of the index have it.
static bool is_exception(const struct dataflow *flow, const struct trawl_event *about)
{
    struct trawl_call call;
    return trawl_call_at(flow->view->index, about->lane, about->in_lane, &call, NULL) == TRAWL_OK &&
           call.entry == about->in_lane && call.how & TRAWL_CALL_EXCEPTION;
}

// Whether the last instruction of a lane can lead to the next one. Most are followed by the next
// address, and are not read: of Thumb, where instructions have two sizes, those that are two bytes
// on.
static enum status leads(struct dataflow *flow, struct code_texts *texts, struct lane_flow *lane,
                         const struct trawl_event *next, bool *does, struct error *err)
{
    const uint64_t size = (lane->last.flags & TRAWL_ISA) == 1 ? 2 : 4;
    const struct trace_code *code;
    *does = next->pc - lane->last.pc == size;
    if (*does)
        return STATUS_OK;
    enum status status = code_texts_code(texts, flow, &lane->last, &code, err);
    if (status != STATUS_OK)
        return status;
    *does = !code->size_bytes ||
            flow->kind->leads(code, lane->last.flags & TRAWL_EXECUTED, next->pc, &lane->loop);
    if (!*does)
        *does = is_exception(flow, next);
    return STATUS_OK;
}

static bool add(struct dataflow_gaps *gaps, const struct trawl_event *about)
{
    struct lane_gaps *lane = &gaps->lanes[about->lane];
    if (!VEC_ROOM(&gaps->all.events, 1) || !VEC_ROOM(&lane->events, 1))
        return false;
    gaps->all.events.items[gaps->all.events.count++] = about->event;
    lane->events.items[lane->events.count++] = about->event;
    return true;
}

static enum status take(struct dataflow *flow, struct code_texts *texts, struct dataflow_gaps *gaps,
                        struct lane_flow *lane, const struct trawl_event *about, struct error *err)
{
    const bool is_strange = about->flags & (TRAWL_EXCEPTION | TRAWL_HOST_CALL);
    bool does_lead = true;
    enum status status = STATUS_OK;
    if (about->flags & TRAWL_HAS_INSTRUCTION) {
        if (lane->has_last && !(about->flags & TRAWL_EXCEPTION))
            status = leads(flow, texts, lane, about, &does_lead, err);
        lane->last = *about;
        lane->has_last = true;
    }
    if (status == STATUS_OK && !does_lead && !add(gaps, about))
        status = error_set(err, STATUS_MEMORY, "no memory for gaps");
    if (is_strange)
        lane->has_last = false;
    return status;
}

static enum status walk(struct dataflow *flow, struct code_texts *texts, struct dataflow_gaps *gaps,
                        struct lane_flow *lanes, struct error *err)
{
    uint64_t lane[BLOCK], in_lane[BLOCK], position[BLOCK], pc[BLOCK], flags[BLOCK];
    const struct trawl_event_columns columns = {
        .lane = lane, .in_lane = in_lane, .position = position, .pc = pc, .flags = flags};
    size_t count = BLOCK;
    for (uint64_t first = 0; count == BLOCK; first += count) {
        struct trawl_error from;
        enum trawl_status read =
            trawl_events(flow->view->index, first, BLOCK, &columns, &count, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        for (size_t i = 0; i < count; i++) {
            const struct trawl_event about = {.event = first + i,
                                              .lane = lane[i],
                                              .in_lane = in_lane[i],
                                              .position = position[i],
                                              .pc = pc[i],
                                              .flags = (uint32_t)flags[i]};
            if (about.lane >= gaps->lane_count)
                return error_set(err, STATUS_DAMAGED, "the index names a lane that it has not");
            enum status status = take(flow, texts, gaps, &lanes[about.lane], &about, err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

enum status gaps_find(struct dataflow *flow, const struct dataflow_gaps **found, struct error *err)
{
    struct doubts doubts;
    enum status status = STATUS_OK;
    if (!flow->has_read_gaps) {
        flow->has_read_gaps = true;
        status = replay_doubts(flow->view->index, &doubts, err);
        if (status != STATUS_OK)
            return status;
        if (doubts.of[DOUBT_GAPS].count || flow->view->info.damaged_lines) {
            struct dataflow_gaps *gaps = flow->gaps = calloc(1, sizeof *gaps);
            const uint64_t lane_count = flow->view->info.lanes;
            struct lane_flow *lanes = calloc((size_t)lane_count + 1, sizeof *lanes);
            struct code_texts *texts = calloc(1, sizeof *texts);
            if (gaps && (gaps->lanes = calloc((size_t)lane_count + 1, sizeof *gaps->lanes)))
                gaps->lane_count = lane_count;
            status = gaps && gaps->lanes && lanes && texts
                         ? walk(flow, texts, gaps, lanes, err)
                         : error_set(err, STATUS_MEMORY, "no memory for gaps");
            if (texts)
                code_texts_free(texts);
            free(texts);
            free(lanes);
        }
    }
    *found = flow->gaps;
    return status;
}
