// source: the text of the source file at a point, and the variables of the function there with
// their values by type.
#include "base/limits.h"
#include "browse/browser_state.h"
#include "names/source_lines.h"
#include "names/source_text.h"
#include "query/point.h"
#include "serve/answer.h"

enum { LINES_DEFAULT = 500 };

// Which of the lines are written: `count` around the current one, or from `from` on.
struct excerpt {
    uint64_t from, count;
};

static void put_text(struct json *json, const struct source_text *text,
                     const struct excerpt *excerpt)
{
    json_member_u64(json, "first", excerpt->from);
    json_member_u64(json, "line_count", text->line_count);
    json_key(json, "lines");
    json_begin_array(json);
    for (uint64_t i = 0; i < excerpt->count && excerpt->from + i <= text->line_count; i++) {
        char line[LIMIT_SERVE_SOURCE_LINE_BYTES];
        const char *start;
        size_t length = source_text_line(text, excerpt->from + i, &start);
        length = (size_t)u64_min(length, sizeof line - 1);
        memcpy(line, start, length);
        line[length] = '\0';
        json_text(json, line);
    }
    json_end_array(json);
}

// The functions around the place, the innermost first, and where each was inlined.
static void put_inlines(struct asking *asking, struct source_lines *lines, uint64_t pc)
{
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
    struct json *json = asking->json;
    size_t count =
        source_lines_inlines(lines, &asking->context->session.names, pc, chain, ARRAY_COUNT(chain));
    json_key(json, "functions");
    json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        bool is_inlined = i + 1 < count;
        json_begin_object(json);
        json_member_text(json, "name", chain[i].name);
        json_member_text(json, "inlined_at_file", is_inlined ? chain[i].file : NULL);
        json_member_u64(json, "inlined_at_line", is_inlined ? chain[i].line : 0);
        json_end_object(json);
    }
    json_end_array(json);
}

static void put_variable(void *self, const struct debug_value_text *value)
{
    struct json *json = self;
    json_begin_object(json);
    json_member_text(json, "name", value->name);
    json_member_text(json, "type", value->type);
    json_member_text(json, "value", value->value);
    json_key(json, "address");
    if (value->address)
        json_address(json, *value->address);
    else
        json_text(json, NULL);
    json_member_u64(json, "size", value->size_bytes);
    json_end_object(json);
}

static enum status put_variables(struct asking *asking, uint64_t event, uint64_t pc,
                                 struct error *err)
{
    static const struct {
        const char *key;
        enum debug_list list;
    } lists[] = {{"arguments", DEBUG_ARGUMENTS}, {"locals", DEBUG_LOCALS}};
    struct request_context *context = asking->context;
    uint64_t in_lane, known = event == TRAWL_START ? 0 : event; // the start has the first lane's
    struct point_registers registers = {
        .view = &context->session.view,
        .lane = timeline_lane_of(&context->timeline, known, &in_lane),
        .event = event,
        .names = &context->session.names,
    };
    const struct debug_sink sink = {asking->json, put_variable};
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        json_key(asking->json, lists[i].key);
        json_begin_array(asking->json);
        point_variables(&registers, pc, lists[i].list, &sink); // none: DWARF tells of none
        json_end_array(asking->json);
    }
    if (registers.has_failed)
        *err = registers.err;
    return registers.has_failed ? STATUS_IO : STATUS_OK;
}

enum status answer_source(struct asking *asking, struct error *err)
{
    static const struct source_search nowhere;
    struct request_context *context = asking->context;
    const struct source_search *search = context->browser.source_search;
    struct names *names = &context->session.names;
    struct json *json = asking->json;
    struct source_lines lines = {0};
    struct source_text text = {0};
    struct source_location place;
    struct excerpt excerpt = {0, LINES_DEFAULT};
    uint64_t event, pc;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "from", UINT32_MAX, &excerpt.from, err);
    if (status == STATUS_OK)
        status =
            request_u64(asking->request, "count", LIMIT_SERVE_SOURCE_LINES, &excerpt.count, err);
    if (status == STATUS_OK && !trace_can(context->session.trace, TRACE_ADDRESSES))
        status = error_set(err, STATUS_NOT_FOUND, "this trace shows no addresses");
    if (status == STATUS_OK && !browse_next_pc(&context->source, event, &pc))
        status = error_set(err, STATUS_NOT_FOUND, "nothing is executed after that");
    if (status != STATUS_OK)
        return status;
    if (source_lines_find(&lines, names, pc, &place)) {
        char path[PATH_MAX];
        bool has_path = source_path_join(place.directory, place.path, path);
        bool is_found = source_text_open(&text, search ? search : &nowhere, &place, &lines, names);
        if (!excerpt.from)
            excerpt.from = place.line > excerpt.count / 2 ? place.line - excerpt.count / 2 : 1;
        json_member_text(json, "file", place.path);
        json_member_text(json, "path", has_path ? path : NULL);
        json_member_u64(json, "line", place.line);
        json_member_bool(json, "is_found", is_found);
        put_text(json, &text, &excerpt);
        put_inlines(asking, &lines, pc);
        source_text_close(&text);
    } else {
        json_member_text(json, "file", NULL);
    }
    status = put_variables(asking, event, pc, err);
    if (status == STATUS_OK && source_lines_lacked_memory(&lines))
        status = error_set(err, STATUS_MEMORY, "no memory for lines");
    source_lines_free(&lines);
    return status;
}
