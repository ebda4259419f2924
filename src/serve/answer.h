// The answers of the server: a table of requests about a trace, each a path under /api/v1/ and a
// function that writes a JSON object. docs/serve-api.md documents them.
#ifndef TRAWL_SERVE_ANSWER_H
#define TRAWL_SERVE_ANSWER_H

#include "report/json.h"
#include "serve/request.h"
#include "serve/request_context.h"

struct searches;
struct sums;
struct levels;
struct selection;
struct notes;
struct task_list;

// What an answer is made from.
struct asking {
    const struct request *request;
    struct request_context *context;
    struct request_context *other; // of the trace that `other` names; NULL: none
    struct searches *searches;     // of the trace
    struct json *json;             // within the object of the answer
    struct sums *sums;             // of the trace
    struct levels *levels;         // likewise
    struct selection *selection;   // likewise
    struct notes *notes;           // likewise
    struct task_list *task_list;   // likewise
    size_t trace_count;            // of the server
};

// STATUS_INPUT: the request is invalid; STATUS_NOT_FOUND: there is no such thing. `err` has the
// message for the user.
typedef enum status answer_function(struct asking *asking, struct error *err);

struct question {
    const char *name;
    answer_function *answer;
    bool is_change; // only by POST
};

// The table, ended by a row without a name.
extern const struct question questions[];

// --- What the functions share --------------------------------------------------------------------

// A position as commands take it.
enum status asking_position(const struct asking *asking, const char *text, uint64_t *event,
                            struct error *err);

// The point of `at`: such a position, or the number of an event alone. The default is the start.
enum status asking_point(const struct asking *asking, uint64_t *event, struct error *err);

// The number of an event, or "start"; null for TRAWL_NONE.
void answer_event(struct json *json, const char *key, uint64_t event);

// A number as text, because JavaScript's have 53 bits.
void answer_text_u64(struct json *json, const char *key, uint64_t value);

// Rows of the context's screen [first, end), as arrays of [role, text] or, if marked, [role, text,
// mark].
void answer_rows(struct asking *asking, unsigned first, unsigned end);

// Up to LIMIT_SERVE_MEMORY_BYTES bytes, in the order in which people write them; two digits each,
// ".." for an unknown one; as text of 2 * size + 1 bytes.
void answer_digits(char *text, const uint8_t *values, const uint8_t *known, size_t size,
                   bool is_little_endian);
void answer_bytes(struct json *json, const uint8_t *values, const uint8_t *known, size_t size,
                  bool is_little_endian);

// The line where an event begins, from 1; null without lines.
void answer_line(const struct asking *asking, const char *key, uint64_t event);

// The name of an address; null without one.
void answer_name(const struct asking *asking, const char *key, uint64_t address);

// Likewise of a value of a register or of memory, as "name_of": frames_value_name.
void answer_value_name(const struct asking *asking, uint64_t event, uint64_t value);

answer_function answer_trace, answer_view, answer_fold, answer_step, answer_opening, answer_find,
    answer_registers, answer_memory, answer_writes, answer_stack, answer_chart, answer_search,
    answer_pane, answer_functions, answer_profile, answer_flame, answer_edges, answer_value,
    answer_history, answer_density, answer_notes, answer_note, answer_counts, answer_origin,
    answer_source, answer_tasks, answer_states, answer_difference, answer_series;

#endif
