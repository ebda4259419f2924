// Where values come from and what they reach, by an index that lies (lie.h), with the text of its
// trace. Every question ends, within its limits, with an answer or a reason.
//
// Input: the number of edits, eight bytes for each, then a trace.
#include "lie.h"

#include "dataflow/chain.h"
#include "dataflow/reach.h"
#include "dataflow/slice.h"

enum { STEPS_MAX = 200, EVENTS_MAX = 400, POINTS = 4, TARGETS = 6 };

static void claim_answered(enum status status, const struct error *err)
{
    CLAIM(status == STATUS_OK || err->text[0]);
}

static void ask_back(struct dataflow *flow, uint64_t event, const struct dataflow_bytes *bytes)
{
    struct chain chain = {.flow = flow, .limit = STEPS_MAX};
    struct error err = {.status = STATUS_OK};
    claim_answered(chain_find(&chain, event, bytes, 1, &err), &err);
    CLAIM(chain.steps.count <= STEPS_MAX);
    for (size_t i = 0; i < chain.steps.count; i++)
        CLAIM(chain.steps.items[i].event == TRAWL_NONE ||
              chain.steps.items[i].event < flow->event_count);
    chain_free(&chain);
    for (unsigned how = 0; how < 2; how++) {
        struct slice slice = {
            .flow = flow, .with_addresses = how, .with_edges = how, .limit = EVENTS_MAX};
        claim_answered(slice_find(&slice, event, true, bytes, 1, &err), &err);
        CLAIM(slice.events.count <= EVENTS_MAX);
        for (size_t i = 1; i < slice.events.count; i++) // the latest first, each once
            CLAIM(slice.events.items[i].event < slice.events.items[i - 1].event);
        slice_free(&slice);
    }
}

static void ask_forwards(struct dataflow *flow, uint64_t event, const struct dataflow_bytes *bytes)
{
    struct reach reach = {.flow = flow, .limit = EVENTS_MAX, .with_addresses = event & 1};
    struct error err = {.status = STATUS_OK};
    claim_answered(reach_find(&reach, event, bytes, 1, &err), &err);
    CLAIM(reach.events.count <= EVENTS_MAX);
    reach_free(&reach);
}

static void ask_all_points(struct dataflow *flow, uint8_t how)
{
    const struct dataflow_bytes targets[TARGETS] = {
        {.cell = how % 64, .space = DATA_REGISTERS, .mask = 0xff},
        {.cell = flow->kind->stack_cell, .space = DATA_REGISTERS, .mask = 0xff},
        {.cell = how, .space = DATA_REGISTERS, .mask = 0x5a},
        {.space = DATA_FLAGS, .mask = flow->kind->flags},
        {.cell = 0x90000 / 8, .space = DATA_MEMORY, .mask = 0xff},
        {.cell = UINT64_MAX / 8, .space = DATA_MEMORY, .mask = 0x81},
    };
    for (unsigned i = 0; i < POINTS && flow->event_count; i++) {
        const uint64_t event =
            i ? flow->event_count - 1 - i * how % flow->event_count : TRAWL_START;
        for (unsigned k = 0; k < TARGETS; k++) {
            ask_back(flow, event, &targets[k]);
            ask_forwards(flow, event, &targets[k]);
        }
    }
}

static void ask_origin(const struct bytes *bytes, struct trace *trace, uint8_t how)
{
    struct trawl_index *index;
    struct index_view view;
    struct dataflow flow;
    struct error err = {.status = STATUS_OK};
    char *copy = fuzz_copy(bytes->items, bytes->count);
    if (trawl_open_bytes(&index, "lie", copy, bytes->count, NULL) == TRAWL_OK) {
        enum status status = index_view_adopt(&view, index, READING_TRUE, &err);
        claim_answered(status, &err);
        if (status == STATUS_OK) {
            status = dataflow_open(&flow, &view, trace, &err);
            claim_answered(status, &err);
            if (status == STATUS_OK && view.info.lanes)
                ask_all_points(&flow, how);
            dataflow_close(&flow);
            index_view_close(&view);
        }
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    const struct indexed_way way = {.threads = 1};
    struct bytes bytes = {0};
    size_t text;
    if (!lie_make(data, size_bytes, &bytes, &text))
        return 0;
    struct trace *trace = indexed_trace(fuzz_file(data + text, size_bytes - text), &way);
    if (trace) {
        ask_origin(&bytes, trace,
                   size_bytes > text ? data[size_bytes - 1] ^ data[size_bytes / 2] : 0);
        trace_close(trace);
    }
    free(bytes.items);
    return 0;
}
