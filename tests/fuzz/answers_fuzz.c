// The answers of the server: any questions with any parameters, about any bytes as a trace. Every
// answer has all its objects closed, or is a refusal with a reason.
//
// Input: the number of questions; for each, a byte for the question, a byte for the number of its
// parameters, and two bytes for each parameter, which choose its name and value from lists; then
// the trace.
#include "fuzz.h"

#include "base/limits.h"
#include "serve/answer.h"
#include "serve/levels.h"
#include "serve/notes.h"
#include "serve/row_numbers.h"
#include "serve/searches.h"
#include "serve/selection.h"
#include "session/session_index.h"

enum {
    QUESTIONS_MAX = 12,
    PARAMETERS_MAX = 5,
    TRACE_BYTES_MAX = 1 << 13,
    REPLY_BYTES_MAX = 1 << 24
};

static const char *const names[] = {
    "at",   "rows", "count", "lane", "from",  "to",    "of",   "columns", "way",  "what",
    "how",  "line", "kind",  "word", "under", "above", "size", "address", "row",  "place",
    "text", "name", "like",  "find", "folds", "stop",  "by",   "levels",  "parts"};

static const char *const values[] = {
    "0",          "1",         "2",         "9",        "16",       "100",
    "1000",       "start",     "end",       "sp",       "sp:16",    "x0",
    "pc",         "0x8000",    "0x8000:64", "forward",  "backward", "into",
    "over",       "out",       "back",      "all",      "call",     "callees",
    "unfold",     "level",     "none",      "0:0.1",    "0:0.*",    "0:0.1,5.2;1:0.2.3",
    "text",       "condition", "MOV",       "(a|b)*",   "x0 == 1",  "disassembly",
    "memory",     "registers", "source",    "values",   "stack",    "function",
    "address",    "time",      "event",     "position", "callers",  "18446744073709551615",
    "4294967296", "-1",        "",          "u32(sp)",  "main",     "stay",
    "pattern",    "lines",     "calls",     "inline",   "up",       "down",
    "core",       "named",     "unwound",   "home",     "line",     "time:9",
    "regex"};

// --- Questions -----------------------------------------------------------------------------------

struct asked {
    const uint8_t *pairs;
    size_t count;
};

static const char *parameter(const void *self, const char *name)
{
    const struct asked *asked = self;
    for (size_t i = 0; i < asked->count; i++) {
        if (strcmp(names[asked->pairs[2 * i] % ARRAY_COUNT(names)], name) == 0)
            return values[asked->pairs[2 * i + 1] % ARRAY_COUNT(values)];
    }
    return NULL;
}

static size_t question_count(void)
{
    size_t count = 0;
    while (questions[count].name)
        count++;
    return count;
}

static void ask(struct asking *asking, uint8_t which, const struct asked *asked)
{
    const struct question *question = &questions[which % question_count()];
    struct request request = {.path = "/", .self = asked, .parameter = parameter};
    struct json json;
    struct out out;
    struct error err = {.status = STATUS_OK};
    CLAIM(out_open_memory(&out, &err) == STATUS_OK);
    asking->request = &request;
    asking->json = &json;
    json_begin(&json, &out, 0);
    json_begin_object(&json);
    enum status status = question->answer(asking, &err);
    CLAIM(status == STATUS_OK ? json.depth == 1 : err.text[0] != '\0');
    json_end_object(&json);
    json_end(&json);
    CLAIM(strlen(out_memory_text(&out)) < REPLY_BYTES_MAX);
    out_abandon(&out);
}

// --- The trace -----------------------------------------------------------------------------------

static void ask_all(struct asking *asking, const uint8_t *data, size_t size_bytes)
{
    size_t at = 1;
    for (size_t i = 0; i < data[0] % (QUESTIONS_MAX + 1u) && at + 2 <= size_bytes; i++) {
        struct asked asked = {data + at + 2, data[at + 1] % (PARAMETERS_MAX + 1u)};
        if (at + 2 + 2 * asked.count > size_bytes)
            return;
        ask(asking, data[at], &asked);
        at += 2 + 2 * asked.count;
    }
}

static size_t questions_bytes(const uint8_t *data, size_t size_bytes)
{
    size_t at = 1;
    for (size_t i = 0; i < data[0] % (QUESTIONS_MAX + 1u) && at + 2 <= size_bytes; i++)
        at += 2 + 2 * (data[at + 1] % (PARAMETERS_MAX + 1u));
    return at;
}

static void serve(struct session *session, const uint8_t *data, size_t size_bytes)
{
    const struct request_contexts_plan plan = {.session = session, .count_max = 64};
    struct asking asking = {.trace_count = 1};
    struct request_contexts *contexts = NULL;
    struct request_context *searching = NULL;
    struct error err;
    bool is_open =
        request_contexts_open(&contexts, &plan, &err) == STATUS_OK &&
        request_contexts_take(contexts, &searching, &err) == STATUS_OK &&
        searches_open(&asking.searches, searching, &err) == STATUS_OK &&
        sums_open(&asking.sums, &session->view, &err) == STATUS_OK &&
        levels_open(&asking.levels, &session->view, &err) == STATUS_OK &&
        selection_open(&asking.selection, contexts, 1000, &err) == STATUS_OK &&
        notes_open(&asking.notes, "/none", session->view.info.events, false, &err) == STATUS_OK &&
        request_contexts_take(contexts, &asking.context, &err) == STATUS_OK;
    if (is_open) {
        ask_all(&asking, data, size_bytes);
        request_contexts_give_back(contexts, asking.context);
    } else {
        CLAIM(err.text[0]);
    }
    searches_close(asking.searches);
    if (searching)
        request_contexts_give_back(contexts, searching);
    notes_close(asking.notes);
    selection_close(asking.selection);
    levels_close(asking.levels);
    sums_close(asking.sums);
    request_contexts_close(contexts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct session session;
    struct error err;
    if (size_bytes < 2 || size_bytes > TRACE_BYTES_MAX)
        return 0;
    size_t head = questions_bytes(data, size_bytes);
    if (head >= size_bytes)
        return 0;
    session_begin(&session, READING_TRUE, 1);
    session.path = fuzz_file(data + head, size_bytes - head);
    session.index.in_memory = true;
    session.index.segment_events = 16;
    session.asks_calls = true;
    if (session_open_trace(&session, &err) == STATUS_OK &&
        session_open_images(&session, &err) == STATUS_OK &&
        session_index(&session, INDEX_FOR_ANSWERS, &err) == STATUS_OK)
        serve(&session, data, head);
    session_free(&session);
    return 0;
}
