#include "serve/answer.h"

#include "base/limits.h"
#include "browse/frames.h"
#include "query/file_place.h"
#include "query/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct question questions[] = {
    {"trace", answer_trace, false},         {"view", answer_view, false},
    {"fold", answer_fold, false},           {"step", answer_step, false},
    {"opening", answer_opening, false},     {"find", answer_find, false},
    {"registers", answer_registers, false}, {"memory", answer_memory, false},
    {"writes", answer_writes, false},       {"stack", answer_stack, false},
    {"chart", answer_chart, false},         {"search", answer_search, false},
    {"pane", answer_pane, false},           {"functions", answer_functions, false},
    {"profile", answer_profile, false},     {"flame", answer_flame, false},
    {"edges", answer_edges, false},         {"value", answer_value, false},
    {"history", answer_history, false},     {"density", answer_density, false},
    {"notes", answer_notes, false},         {"note", answer_note, true},
    {"counts", answer_counts, false},       {"origin", answer_origin, false},
    {"source", answer_source, false},       {"tasks", answer_tasks, false},
    {"states", answer_states, false},       {"difference", answer_difference, false},
    {"series", answer_series, false},       {0},
};

enum status asking_position(const struct asking *asking, const char *text, uint64_t *event,
                            struct error *err)
{
    struct session *session = &asking->context->session;
    struct point_names of = {.names = &session->names};
    const struct expression_names names = point_names(&of);
    struct position position;
    enum status status = file_position_parse(&position, text, &names, session->trace, err);
    return status == STATUS_OK ? point_of(&session->view, &position, TRAWL_ANY_LANE, event, err)
                               : status;
}

enum status asking_point(const struct asking *asking, uint64_t *event, struct error *err)
{
    const char *text = request_text(asking->request, "at");
    if (text && (strchr(text, ':') || strcmp(text, "end") == 0))
        return asking_position(asking, text, event, err);
    return request_point(asking->request, "at", asking->context->timeline.event_count, event, err);
}

void answer_event(struct json *json, const char *key, uint64_t event)
{
    json_key(json, key);
    if (event == TRAWL_START)
        json_text(json, "start");
    else if (event == TRAWL_NONE)
        json_text(json, NULL);
    else
        json_u64(json, event);
}

void answer_text_u64(struct json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    json_member_text(json, key, text);
}

void answer_digits(char *text, const uint8_t *values, const uint8_t *known, size_t size,
                   bool is_little_endian)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        size_t from = is_little_endian ? size - 1 - i : i;
        text[2 * i] = known[from] ? digits[values[from] >> 4] : '.';
        text[2 * i + 1] = known[from] ? digits[values[from] & 15] : '.';
    }
    text[2 * size] = '\0';
}

void answer_bytes(struct json *json, const uint8_t *values, const uint8_t *known, size_t size,
                  bool is_little_endian)
{
    char text[2 * LIMIT_SERVE_MEMORY_BYTES + 1];
    answer_digits(text, values, known, size, is_little_endian);
    json_text(json, text);
}

void answer_line(const struct asking *asking, const char *key, uint64_t event)
{
    struct request_context *context = asking->context;
    json_key(asking->json, key);
    if (context->source.rows != ROWS_LINES || event == TRAWL_START || event == TRAWL_NONE)
        json_text(asking->json, NULL);
    else
        json_u64(asking->json, timeline_lines_before(&context->timeline, event) + 1);
}

void answer_name(const struct asking *asking, const char *key, uint64_t address)
{
    char name[BROWSE_NAME_BYTES];
    bool is_named = browse_address_name(&asking->context->source, address, name);
    json_member_text(asking->json, key, is_named ? name : NULL);
}

void answer_value_name(const struct asking *asking, uint64_t event, uint64_t value)
{
    char name[BROWSE_NAME_BYTES];
    struct request_context *context = asking->context;
    bool is_named =
        frames_value_name(&context->source, &context->timeline, event, value, name, NULL);
    json_member_text(asking->json, "name_of", is_named ? name : NULL);
}

// --- Rows of text --------------------------------------------------------------------------------

static const char *role_name(uint8_t role)
{
    static const char *const names[ROLE_COUNT] = {
        [ROLE_TEXT] = "text",
        [ROLE_STATUS] = "status",
        [ROLE_MESSAGE] = "message",
        [ROLE_ERROR] = "error",
        [ROLE_TIME] = "time",
        [ROLE_EVENT] = "event",
        [ROLE_ADDRESS] = "address",
        [ROLE_ENCODING] = "encoding",
        [ROLE_ISA] = "isa",
        [ROLE_MODE] = "mode",
        [ROLE_FAILED] = "failed",
        [ROLE_DISASSEMBLY] = "disassembly",
        [ROLE_PUNCTUATION] = "punctuation",
        [ROLE_BAD] = "bad",
        [ROLE_LABEL] = "label",
        [ROLE_VALUE] = "value",
        [ROLE_UNKNOWN] = "unknown",
        [ROLE_UNPRINTABLE] = "unprintable",
        [ROLE_KEY] = "key",
        [ROLE_HELP] = "help",
        [ROLE_HINT] = "hint",
        [ROLE_FOLD] = "fold",
        [ROLE_MATCH] = "match",
    };
    return names[role];
}

// Writes cells [first, end), which have the same style.
static void put_part(struct json *json, const struct cell *first, const struct cell *end)
{
    char text[SCREEN_LINE_BYTES(LIMIT_SCREEN_COLUMNS)];
    char *at = text;
    for (const struct cell *cell = first; cell < end; cell++) {
        if (cell->character)
            at = screen_put_character(at, cell->character);
    }
    *at = '\0';
    json_begin_array(json);
    json_text(json, role_name(first->role));
    json_text(json, text);
    if (first->flags & CELL_HIGHLIGHTED)
        json_text(json, "highlighted");
    json_end_array(json);
}

static void put_row(struct json *json, const struct cell *cells, unsigned width)
{
    const struct cell *end = cells + width;
    while (end > cells && end[-1].character == ' ' && !(end[-1].flags & CELL_HIGHLIGHTED))
        end--;
    json_begin_array(json);
    for (const struct cell *at = cells; at < end;) {
        const struct cell *next = at + 1;
        while (next < end &&
               (!next->character || (next->role == at->role && next->flags == at->flags)))
            next++;
        put_part(json, at, next);
        at = next;
    }
    json_end_array(json);
}

void answer_rows(struct asking *asking, unsigned first, unsigned end)
{
    const struct screen *screen = &asking->context->screen;
    json_begin_array(asking->json);
    for (unsigned y = first; y < end && y < screen->height; y++)
        put_row(asking->json, screen->cells + (size_t)y * screen->width, screen->width);
    json_end_array(asking->json);
}
