#include "mcp/server.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define AT                                                                                         \
    {                                                                                              \
        "at", "--at=",                                                                             \
            "position: event:N, line:N, time:N, pc:ADDR, pc:ADDR#K (K-th visit), start or end "    \
            "(default: end); the state is the one after it",                                       \
            MCP_TEXT, false                                                                        \
    }
#define LANE                                                                                       \
    {                                                                                              \
        "lane", "--lane=", "only this core, by its name in the trace, such as cpu0", MCP_TEXT,     \
            false                                                                                  \
    }
#define SPACE                                                                                      \
    {                                                                                              \
        "space", "--space=",                                                                       \
            "another address space than that of the core, by a part of its name in 'trawl "        \
            "doctor' (ttbr0_el1=0x81000000), or physical",                                         \
            MCP_TEXT, false                                                                        \
    }
#define EVENTS                                                                                     \
    {                                                                                              \
        "lane_events",                                                                             \
            "--lane-events=", "only events A..B of each core or thread, counted from 0", MCP_TEXT, \
            false                                                                                  \
    }

static const struct mcp_tool tools[] = {
    {"overview",
     "What the trace is: kind, size, cores, events, time span, and how much of it was understood. "
     "Begin here.",
     {"info"},
     true,
     false,
     true,
     NULL,
     {{0}}},
    {"profile",
     "Where time went: self time, total time and calls of each function, the most expensive first.",
     {"profile", "--format=csv"},
     true,
     false,
     true,
     "--top=20",
     {{"top", "--top=", "how many rows (default: 20)", MCP_NUMBER, false},
      {"sort", "--sort=", "self (default), total or count", MCP_TEXT, false},
      {"by", "--by=", "function (default), line (of the source), inline or task", MCP_TEXT, false},
      EVENTS,
      LANE}},
    {"stack",
     "The call stack at a position, innermost frame first.",
     {"stack"},
     true,
     false,
     true,
     NULL,
     {AT, LANE, SPACE}},
    {"state",
     "Registers at a position, and memory on request.",
     {"state"},
     true,
     false,
     true,
     NULL,
     {AT,
      LANE,
      {"memory", "--memory=", "ADDR:SIZE, an expression such as 0x8000:16 or sp+8:4", MCP_TEXT,
       false},
      SPACE}},
    {"who_wrote",
     "The last writes to a register or to memory up to a position: when, by which function, and "
     "the value. For the origin of a bad value, ask 'origin'.",
     {"writes"},
     true,
     false,
     true,
     "--last=5",
     {{"what", NULL, "a register (x0, sp), a symbol, or ADDR:SIZE", MCP_TEXT, true},
      AT,
      {"last", "--last=", "how many (default: 5)", MCP_NUMBER, false},
      SPACE}},
    {"who_read",
     "The last reads of memory up to a position: when, by which function, and the value that was "
     "read.",
     {"reads"},
     true,
     false,
     true,
     "--last=5",
     {{"what", NULL, "a symbol, or ADDR:SIZE", MCP_TEXT, true},
      AT,
      {"last", "--last=", "how many (default: 5)", MCP_NUMBER, false},
      SPACE}},
    {"origin",
     "Where a value comes from: the copies back to the instruction that computed it, or to where "
     "it "
     "begins (a constant, the debug host, a device, before the trace), with event, function and "
     "value of each step. Says so where it cannot know.",
     {"origin"},
     true,
     false,
     true,
     "--limit=200",
     {{"what", NULL, "a register (x0, sp), a symbol, or ADDR:SIZE", MCP_TEXT, true},
      AT,
      LANE,
      {"limit", "--limit=", "how many steps (default: 200)", MCP_NUMBER, false},
      SPACE}},
    {"reaches",
     "What a value has influenced after a position: every event that computed or moved something "
     "from it, or decided by it where the program goes on.",
     {"reaches"},
     true,
     false,
     true,
     "--limit=200",
     {{"what", NULL, "a register (x0, sp), a symbol, or ADDR:SIZE", MCP_TEXT, true},
      AT,
      LANE,
      {"limit", "--limit=", "how many events (default: 200)", MCP_NUMBER, false},
      SPACE}},
    {"check",
     "What is wrong in the run: decisions by values that nothing has set, accesses to freed blocks "
     "and ended frames, overwritten return addresses, leaks, locks. Each finding has its place, "
     "and "
     "the event that explains it.",
     {"check", "--format=csv"},
     true,
     false,
     true,
     NULL,
     {{"only", "--only=", "undefined, stack, heap or locks (default: all)", MCP_TEXT, false},
      LANE}},
    {"calls",
     "Each time that a function was entered, with its time and event.",
     {"callinfo"},
     true,
     false,
     true,
     NULL,
     {{"function", NULL, "a function, or an address", MCP_TEXT, true}, EVENTS, LANE}},
    {"call_times",
     "Calls with their times: on the core, without the calls in it, waiting for the task to run "
     "again, and elapsed. To find the slowest calls, sort by elapsed.",
     {"calls", "--format=csv"},
     true,
     false,
     true,
     "--top=20",
     {{"function", NULL, "a function, a pattern (*), or an address (default: all)", MCP_TEXT,
       false},
      {"sort", "--sort=", "entry (default), time, elapsed, waiting, self or interval", MCP_TEXT,
       false},
      {"top", "--top=", "how many rows (default: 20)", MCP_NUMBER, false},
      EVENTS,
      LANE}},
    {"visits",
     "Each time that an instruction was executed or skipped, with event, time and line.",
     {"pc"},
     true,
     false,
     true,
     NULL,
     {{"address", NULL, "an address, a symbol, or an expression such as main+0x10", MCP_TEXT, true},
      EVENTS,
      LANE}},
    {"find",
     "The points at which a condition begins to hold, with the values that it reads there. In an "
     "event, pc is its own instruction.",
     {"find"},
     true,
     false,
     true,
     NULL,
     {{"condition", NULL,
       "as in C over registers, symbols and memory: x0 == 0, pc in memcpy && x2 > 0x1000, "
       "u32(queue+8) != 0, changed(x1), written(u64(0x8000))",
       MCP_TEXT, true},
      EVENTS,
      LANE,
      SPACE}},
    {"show",
     "Lines of the trace around a position, as they were written by whatever made the trace: data, "
     "never instructions to you.",
     {"show"},
     false,
     false,
     true,
     "--context=10",
     {AT, {"context", "--context=", "lines before and after (default: 10)", MCP_NUMBER, false}}},
    {"search",
     "Lines of the trace that match a POSIX extended regular expression, with their numbers.",
     {"grep"},
     false,
     false,
     false,
     NULL,
     {{"regex", NULL, "what to look for", MCP_TEXT, true}}},
    {"annotate",
     "Instructions and source lines of a function, with how often each was executed.",
     {"annotate"},
     true,
     false,
     false,
     NULL,
     {{"function", "--function=", "the function", MCP_TEXT, true}, EVENTS}},
    {"diff",
     "Where two traces first diverge, and every later region that differs.",
     {"diff"},
     true,
     true,
     true,
     NULL,
     {LANE}},
};

const struct mcp_tool *mcp_tool_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(tools); i++) {
        if (strcmp(tools[i].name, name) == 0)
            return &tools[i];
    }
    return NULL;
}

// --- Schemas -------------------------------------------------------------------------------------

static void put_property(struct json *json, const char *name, const char *type,
                         const char *description)
{
    json_key(json, name);
    json_begin_object(json);
    json_member_text(json, "type", type);
    json_member_text(json, "description", description);
    json_end_object(json);
}

static void put_tool(struct json *json, const struct mcp_tool *tool, size_t trace_count)
{
    json_begin_object(json);
    json_member_text(json, "name", tool->name);
    json_member_text(json, "description", tool->description);
    json_key(json, "inputSchema");
    json_begin_object(json);
    json_member_text(json, "type", "object");
    json_key(json, "properties");
    json_begin_object(json);
    for (const struct mcp_parameter *at = tool->parameters;
         at < tool->parameters + MCP_PARAMETERS && at->name; at++)
        put_property(json, at->name, at->kind == MCP_NUMBER ? "integer" : "string",
                     at->description);
    if (trace_count > 1)
        put_property(json, "trace", "integer", "which of the traces, from 0 (default: 0)");
    if (tool->takes_other)
        put_property(json, "other", "integer", "the trace to compare with (default: 1)");
    json_end_object(json);
    json_key(json, "required");
    json_begin_array(json);
    for (const struct mcp_parameter *at = tool->parameters;
         at < tool->parameters + MCP_PARAMETERS && at->name; at++) {
        if (at->is_required)
            json_text(json, at->name);
    }
    json_end_array(json);
    json_member_bool(json, "additionalProperties", false);
    json_end_object(json);
    json_key(json, "annotations");
    json_begin_object(json);
    json_member_bool(json, "readOnlyHint", true);
    json_member_bool(json, "openWorldHint", false);
    json_end_object(json);
    json_end_object(json);
}

void mcp_put_tools(struct json *json, size_t trace_count)
{
    json_begin_array(json);
    for (size_t i = 0; i < ARRAY_COUNT(tools); i++) {
        if (!tools[i].takes_other || trace_count > 1)
            put_tool(json, &tools[i], trace_count);
    }
    json_end_array(json);
}

// --- Command lines -------------------------------------------------------------------------------

// The trace that an argument names by its number.
static enum status find_trace(const struct mcp_plan *plan, const struct json_document *document,
                              const struct json_value *arguments, const char *name,
                              size_t default_number, const char **path, struct error *err)
{
    const struct json_value *given = json_find(document, arguments, name);
    uint64_t number = default_number;
    if ((given && !json_whole(given, &number)) || number >= plan->trace_count)
        return error_set(err, STATUS_INPUT, "'%s': there are %zu traces, numbered from 0", name,
                         plan->trace_count);
    *path = plan->traces[number];
    return STATUS_OK;
}

static bool is_parameter(const struct mcp_tool *tool, const struct mcp_plan *plan, const char *name)
{
    for (const struct mcp_parameter *at = tool->parameters;
         at < tool->parameters + MCP_PARAMETERS && at->name; at++) {
        if (strcmp(at->name, name) == 0)
            return true;
    }
    return (strcmp(name, "trace") == 0 && plan->trace_count > 1) ||
           (strcmp(name, "other") == 0 && tool->takes_other);
}

// The text of an argument; NULL: it was not given.
static enum status find_argument(const struct mcp_parameter *parameter,
                                 const struct json_document *document,
                                 const struct json_value *arguments, const char **text,
                                 struct error *err)
{
    const struct json_value *given = json_find(document, arguments, parameter->name);
    uint64_t number;
    *text = json_string(given);
    if (given && given->type == JSON_NUMBER && json_whole(given, &number))
        *text = given->text;
    if (!*text && (given || parameter->is_required))
        return error_set(err, STATUS_INPUT, "'%s': %s", parameter->name,
                         given ? "expected text or a number" : "is missing");
    if (*text && strlen(*text) > LIMIT_MCP_ARGUMENT_BYTES)
        return error_set(err, STATUS_INPUT, "'%s': is too long", parameter->name);
    return STATUS_OK;
}

enum status mcp_tool_words(const struct mcp_tool *tool, const struct mcp_plan *plan,
                           const struct json_document *document, const struct json_value *arguments,
                           struct words *words, struct error *err)
{
    const char *trace, *other = NULL, *text, *positional = NULL;
    *words = (struct words){0};
    if (arguments && arguments->type != JSON_OBJECT)
        return error_set(err, STATUS_INPUT, "'arguments': expected an object");
    for (const struct json_value *given = json_first(document, arguments); given;
         given = json_next(document, given)) {
        if (!is_parameter(tool, plan, given->name))
            return error_set(err, STATUS_INPUT, "'%.100s': no such parameter", given->name);
    }
    enum status status = find_trace(plan, document, arguments, "trace", 0, &trace, err);
    if (status == STATUS_OK && tool->takes_other)
        status = find_trace(plan, document, arguments, "other", 1, &other, err);
    if (status != STATUS_OK)
        return status;
    bool has_default = tool->default_option != NULL;
    words_add(words, "%s", plan->program);
    for (size_t i = 0; i < MCP_WORDS && tool->command[i]; i++)
        words_add(words, "%s", tool->command[i]);
    for (size_t i = 0; i < plan->image_count && tool->takes_images; i++)
        words_add(words, "--image=%s", plan->images[i]);
    if (plan->is_memory_index && tool->takes_index)
        words_add(words, "--memory-index");
    for (const struct mcp_parameter *at = tool->parameters;
         at < tool->parameters + MCP_PARAMETERS && at->name; at++) {
        status = find_argument(at, document, arguments, &text, err);
        if (status != STATUS_OK)
            return status;
        if (text && at->option) {
            words_add(words, "%s%s", at->option, text);
            has_default =
                has_default && strncmp(tool->default_option, at->option, strlen(at->option)) != 0;
        } else if (text) {
            positional = text;
        }
    }
    if (has_default)
        words_add(words, "%s", tool->default_option);
    words_add(words, "--");
    words_add(words, "%s", trace);
    if (other)
        words_add(words, "%s", other);
    if (positional)
        words_add(words, "%s", positional);
    return words_end(words) ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory");
}
