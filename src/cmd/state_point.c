// What text and JSON of `trawl state` share: the point, lanes, registers to show, memory.
#include "cmd/state_point.h"
#include "base/limits.h"
#include "query/trace_text.h"
#include "report/clean.h"

uint64_t state_first_lane(const struct state *state)
{
    return state->common.lane == TRAWL_ANY_LANE ? 0 : state->common.lane;
}

uint64_t state_end_lane(const struct state *state)
{
    if (state->things.count && !state->registers)
        return state_first_lane(state);
    return state->common.lane == TRAWL_ANY_LANE ? state->common.session.view.info.lanes
                                                : state->common.lane + 1;
}

// --- The point -----------------------------------------------------------------------------------

// An event without an instruction has the PC of the one that it belongs to, if *has_pc.
static enum status read_point(struct state *state, uint64_t event, struct trawl_event *about,
                              bool *has_pc, struct error *err)
{
    *about = (struct trawl_event){.event = event};
    *has_pc = false;
    if (event == TRAWL_START)
        return STATUS_OK;
    enum status status = index_view_event(query_view(&state->common), event, about, err);
    return status == STATUS_OK ? index_view_origin(query_view(&state->common), about, has_pc, err)
                               : status;
}

static void put_number(struct out *out, const char *name, uint64_t value)
{
    out_text(out, name);
    out_u64(out, value);
}

static bool find_text(struct state *state, const struct trawl_event *about,
                      char text[LIMIT_TRACE_TEXT_BYTES])
{
    struct command *command = &state->common;
    const struct session *session = &command->session;
    return command_has_text(command,
                            trace_text_instruction(&session->view, session->trace, about, text));
}

// The source place of the instruction, if requested and known.
static bool find_place(struct state *state, uint64_t pc, char text[SOURCE_PLACE_BYTES])
{
    struct command *command = &state->common;
    return command->split_by & SPLIT_LINES &&
           source_lines_text(&state->lines, &command->session.names, pc, text);
}

static void put_place_json(struct state *state, const struct trawl_event *about, bool has_pc)
{
    char text[SOURCE_PLACE_BYTES];
    if (state->common.split_by & SPLIT_LINES)
        state_put_member(&state->json, "place",
                         has_pc && find_place(state, about->pc, text) ? text : NULL);
}

static void put_pc(struct state *state, uint64_t pc)
{
    struct out *out = state->out;
    char place[SOURCE_PLACE_BYTES];
    const char *name = query_name(&state->common, pc);
    out_text(out, "0x");
    out_hex(out, pc & ~UINT64_C(1), 8);
    out_byte(out, ' ');
    if (name) {
        out_clean(out, name);
        out_byte(out, ' ');
    }
    if (find_place(state, pc, place)) {
        out_clean(out, place);
        out_byte(out, ' ');
    }
}

// Of an event without an instruction.
static void put_origin(struct state *state, const struct trawl_event *about, bool has_pc)
{
    if (has_pc)
        put_pc(state, about->pc);
    out_text(state->out, about->flags & TRAWL_EXCEPTION ? "exception\n"
                         : has_pc                       ? "(no instruction of its own)\n"
                                                        : "no instruction\n");
}

static void put_instruction(struct state *state, const struct trawl_event *about)
{
    struct out *out = state->out;
    char text[LIMIT_TRACE_TEXT_BYTES];
    put_pc(state, about->pc);
    out_text(out, query_isa_name(about));
    out_byte(out, ' ');
    out_text(out, query_outcome(about));
    if (find_text(state, about, text)) {
        out_text(out, ": ");
        out_clean(out, text);
    }
    out_byte(out, '\n');
}

// FILE:LINE, for a trace of several files; otherwise NULL.
static const char *place_of(struct state *state, uint64_t line)
{
    struct command *command = &state->common;
    return file_place_of_line(command->session.trace, line, command->place);
}

enum status state_put_point(struct state *state, uint64_t event, struct error *err)
{
    struct trawl_event about;
    struct out *out = state->out;
    bool has_pc;
    enum status status = read_point(state, event, &about, &has_pc, err);
    if (status != STATUS_OK)
        return status;
    if (event == TRAWL_START) {
        out_text(out, "before the first event\n");
        return STATUS_OK;
    }
    put_number(out, "event ", about.event);
    put_number(out, ", time ", about.time);
    out_byte(out, ' ');
    out_text(out, query_tick_unit(&state->common));
    put_number(out, ", line ", about.line);
    put_number(out, ", byte ", about.position);
    if (place_of(state, about.line)) {
        out_text(out, ", ");
        out_clean(out, place_of(state, about.line));
    }
    if (query_lane_name(&state->common, about.lane)) {
        out_text(out, ", ");
        out_clean(out, query_lane_name(&state->common, about.lane));
    }
    out_byte(out, '\n');
    if (about.flags & TRAWL_HAS_INSTRUCTION)
        put_instruction(state, &about);
    else
        put_origin(state, &about, has_pc);
    trace_context_put(&state->common.context, out,
                      &(struct line_place){about.line, about.position});
    return STATUS_OK;
}

void state_put_member(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

void state_put_member_u64(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

// The lines around it, if requested.
static void put_context_json(struct state *state, const struct trawl_event *about)
{
    const struct line_place place = {about->line, about->position};
    struct trace_context *context = &state->common.context;
    if (context->is_open)
        state_put_member(&state->json, "context", trace_context_text(context, state->out, &place));
}

enum status state_put_point_json(struct state *state, uint64_t event, struct error *err)
{
    struct trawl_event about;
    struct json *json = &state->json;
    char text[LIMIT_TRACE_TEXT_BYTES];
    bool has_pc;
    enum status status = read_point(state, event, &about, &has_pc, err);
    if (status != STATUS_OK)
        return status;
    if (event == TRAWL_START) {
        json_text(json, NULL);
        return STATUS_OK;
    }
    json_begin_object(json);
    state_put_member_u64(json, "event", about.event);
    state_put_member_u64(json, "time", about.time);
    state_put_member_u64(json, "line", about.line);
    if (place_of(state, about.line))
        state_put_member(json, "file_line", place_of(state, about.line));
    state_put_member_u64(json, "byte", about.position);
    state_put_member(json, "lane", query_lane_name(&state->common, about.lane));
    json_key(json, "pc");
    if (has_pc)
        json_address(json, about.pc & ~UINT64_C(1));
    else
        json_text(json, NULL);
    state_put_member(json, "function", has_pc ? query_name(&state->common, about.pc) : NULL);
    if (about.flags & TRAWL_HAS_INSTRUCTION) {
        bool has_text = find_text(state, &about, text);
        state_put_member(json, "isa", query_isa_name(&about));
        json_key(json, "executed");
        json_bool(json, about.flags & TRAWL_EXECUTED);
        state_put_member(json, "text", has_text ? text : NULL);
    } else {
        static const char *const keys[] = {"isa", "executed", "text"};
        for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
            state_put_member(json, keys[i], NULL);
    }
    put_place_json(state, &about, has_pc);
    put_context_json(state, &about);
    json_end_object(json);
    return STATUS_OK;
}

// --- Registers -----------------------------------------------------------------------------------

enum status state_registers_of(struct state *state, uint64_t lane, uint64_t event,
                               struct register_set *set, struct error *err)
{
    struct trawl_event about;
    enum status status = point_in_lane(&state->common.session.view, lane, event, &about, err);
    if (status != STATUS_OK)
        return status;
    const struct index_view *view = &state->common.session.view;
    return register_set_parse(set, view, state->registers, point_isa(view, &about), err);
}

// --- Memory --------------------------------------------------------------------------------------

enum status state_read_piece(const struct state *state, const struct state_memory *memory,
                             uint64_t offset, uint64_t event, struct state_piece *piece,
                             struct error *err)
{
    struct trawl_error from;
    piece->address = memory->address + offset;
    piece->size_bytes = (size_t)u64_min(memory->size_bytes - offset, STATE_PIECE_BYTES);
    return index_status(trawl_memory(state->common.session.view.index, event, piece->address,
                                     piece->size_bytes, piece->values, piece->known, &from),
                        &from, err);
}
