// origin: the chain of copies back from a register or memory to where its value was made.
#include "base/limits.h"
#include "dataflow/chain.h"
#include "dataflow/place.h"
#include "idx/index.h"
#include "names/source_lines.h"
#include "query/point.h"
#include "serve/answer.h"

#include <stdlib.h>

struct asked_origin {
    struct dataflow flow;
    struct data_target target;
    struct chain chain;
    struct source_lines lines;
};

// Writes what an event of the chain is: null for all of it before the trace.
static void put_event(struct asking *asking, struct asked_origin *origin, uint64_t event,
                      uint32_t *isa)
{
    struct request_context *context = asking->context;
    struct json *json = asking->json;
    char source[SOURCE_PLACE_BYTES], text[LIMIT_TRACE_TEXT_BYTES];
    struct trawl_event about;
    struct error err;
    bool has_pc = false;
    answer_event(json, "event", event);
    if (event == TRAWL_NONE)
        return;
    browse_event(&context->source, event, &about);
    *isa = about.flags & TRAWL_ISA;
    answer_line(asking, "line", event);
    answer_text_u64(json, "time", about.time);
    if (index_view_origin(&context->session.view, &about, &has_pc, &err) == STATUS_OK && has_pc) {
        json_member_address(json, "pc",
                            index_pc_address(context->session.view.index, about.pc) & ~UINT64_C(1));
        answer_name(asking, "name", about.pc);
    }
    bool has_source =
        has_pc && source_lines_text(&origin->lines, &context->session.names, about.pc, source);
    json_member_text(json, "source", has_source ? source : NULL);
    json_member_text(json, "instruction", dataflow_text(&origin->flow, event, text) ? text : NULL);
}

static enum status put_step(struct asking *asking, struct asked_origin *origin,
                            const struct chain_step *step, struct error *err)
{
    static const char *const kinds[] = {"move", "load", "store", "computed", "end"};
    const struct index_view *view = &asking->context->session.view;
    const struct data_place place = {step->space, step->lane, step->offset, step->size_bytes,
                                     step->to_place};
    char text[DATA_PLACE_BYTES], value[VALUE_TEXT_MAX];
    struct json *json = asking->json;
    uint32_t isa = view->info.options & TRAWL_USES_AARCH64 ? 2 : 0;
    bool has_value = false;
    enum status status = step->at == TRAWL_START
                             ? STATUS_OK
                             : data_place_value(view, &place, step->at, value, &has_value, err);
    json_begin_object(json);
    put_event(asking, origin, step->event, &isa);
    data_place_text(view, &place, isa, text);
    json_key(json, "for");
    if (step->needed_by == UINT32_MAX)
        json_text(json, NULL);
    else
        json_u64(json, step->needed_by);
    json_member_text(json, "kind", kinds[step->kind]);
    json_member_text(json, "begins", step->kind == CHAIN_END ? data_end_texts[step->end] : NULL);
    json_member_text(json, "where", text);
    json_member_text(json, "value", has_value ? value : NULL);
    json_end_object(json);
    return status;
}

// Finds what the parameter `of` is at a point, as browse_location has it.
static enum status find_target(struct asking *asking, uint64_t event, struct asked_origin *origin,
                               struct error *err)
{
    struct request_context *context = asking->context;
    const struct index_view *view = &context->session.view;
    const char *of = request_text(asking->request, "of");
    struct location location;
    uint64_t in_lane, address = 0;
    const uint64_t lane =
        timeline_lane_of(&context->timeline, event == TRAWL_START ? 0 : event, &in_lane);
    if (!of || !*of)
        return error_set(err, STATUS_INPUT, "of: expected a register, ADDR or ADDR:SIZE");
    enum status status = browse_location(&context->source, event, of, &location, err);
    if (status == STATUS_OK && location.kind != LOCATION_REGISTER) {
        struct point_registers registers = {.view = view, .lane = lane, .event = event};
        status = point_address(&location, &registers, &address, err);
    }
    if (status == STATUS_OK)
        status = dataflow_open(&origin->flow, view, context->session.trace, err);
    if (status == STATUS_OK)
        status = data_target_of(&origin->target, &origin->flow, of, &location, lane, event, address,
                                err);
    return status;
}

enum status answer_origin(struct asking *asking, struct error *err)
{
    struct asked_origin *origin = calloc(1, sizeof *origin);
    uint64_t event;
    if (!origin)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    origin->chain.flow = &origin->flow;
    origin->chain.limit = LIMIT_SERVE_ORIGIN_STEPS;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "count", LIMIT_SERVE_ORIGIN_STEPS,
                             &origin->chain.limit, err);
    if (status == STATUS_OK)
        status = find_target(asking, event, origin, err);
    if (status == STATUS_OK)
        status = chain_find(&origin->chain, event, origin->target.cells, origin->target.count, err);
    if (status == STATUS_OK) {
        json_key(asking->json, "steps");
        json_begin_array(asking->json);
        for (size_t i = 0; i < origin->chain.steps.count && status == STATUS_OK; i++)
            status = put_step(asking, origin, &origin->chain.steps.items[i], err);
        json_end_array(asking->json);
        json_member_bool(asking->json, "is_cut", origin->chain.is_cut);
    }
    chain_free(&origin->chain);
    dataflow_close(&origin->flow);
    source_lines_free(&origin->lines);
    free(origin);
    return status;
}
