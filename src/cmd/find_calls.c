// find on a log of calls: the calls at which a condition holds. A log has no registers and no
// memory, so its expressions are about a call: pc (the function: `pc in NAME`), time, depth, arg0
// to arg3 as far as the log has them, and elapsed, which is known at the call's exit. They are
// asked once for each call, when all that they name is known.
#include "cmd/find.h"

#include "cmd/trace_pass.h"
#include "flow/function_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum call_word { CALL_PC, CALL_TIME, CALL_DEPTH, CALL_ELAPSED, CALL_ARGUMENT };
enum { CALL_ARGUMENTS = 4, CALL_WORDS = CALL_ARGUMENT + CALL_ARGUMENTS };

static const char *const words[CALL_WORDS] = {"pc",   "time", "depth", "elapsed",
                                              "arg0", "arg1", "arg2",  "arg3"};

struct logged_call {
    uint64_t values[CALL_WORDS];
    uint32_t known; // a bit for each
};

struct call_search {
    struct command *command;
    const struct expression *condition;
    find_call_found *found;
    void *self;
    const struct logged_call *now;
    VEC(, struct logged_call) open;
    char *lane;
    bool asks_elapsed, is_new, lacks_memory;
    bool is_over;
};

// --- Names ---------------------------------------------------------------------------------------

static bool find_word(void *self, const char *name, size_t length, struct trawl_register *found)
{
    (void)self;
    for (unsigned i = 0; i < CALL_WORDS; i++) {
        if (strlen(words[i]) != length || strncasecmp(words[i], name, length) != 0)
            continue;
        *found = (struct trawl_register){.name = words[i], .offset = 8 * i, .size_bytes = 8};
        return true;
    }
    return false;
}

static bool find_function(void *self, const char *name, size_t length,
                          struct expression_symbol *symbol)
{
    struct command *command = self;
    char *copy = strndup(name, length);
    uint64_t pc;
    bool is_found = copy && names_find_id(&command->session.names, copy, &pc);
    free(copy);
    if (is_found)
        *symbol = (struct expression_symbol){.address = pc, .size_bytes = 1, .is_code = true};
    return is_found;
}

bool find_calls_condition(struct command *command, const char *text, struct expression *condition)
{
    const struct expression_names names = {.self = command,
                                           .find_register = find_word,
                                           .find_symbol = find_function,
                                           .takes_conditions = true,
                                           .address_bytes = 8};
    struct error err;
    return expression_parse(condition, text, strlen(text), &names, &err) == STATUS_OK ||
           query_text_fail(command, "", text, &err);
}

// --- Calls ---------------------------------------------------------------------------------------

static bool read_word(void *self, const struct trawl_register *which, uint64_t *value)
{
    const struct call_search *search = self;
    const unsigned word = (unsigned)(which->offset / 8);
    *value = search->now->values[word];
    return search->now->known >> word & 1;
}

// What the condition reads of a call, as text.
static void put_values(const struct call_search *search, char *text, size_t room)
{
    size_t used = 0;
    *text = '\0';
    for (unsigned word = CALL_PC + 1; word < CALL_WORDS; word++) {
        bool is_asked = false;
        for (size_t i = 0; i < search->condition->count; i++) {
            const struct expression_term *term = &search->condition->terms[i];
            is_asked |= term->op == EXPRESSION_REGISTER && term->which.offset == 8 * word;
        }
        if (!is_asked || word == CALL_TIME || used >= room)
            continue;
        const uint64_t value = search->now->values[word];
        const char *before = used ? " " : "";
        if (!(search->now->known >> word & 1))
            used += (size_t)snprintf(text + used, room - used, "%s%s=?", before, words[word]);
        else if (word >= CALL_ARGUMENT)
            used += (size_t)snprintf(text + used, room - used, "%s%s=0x%" PRIx64, before,
                                     words[word], value);
        else
            used += (size_t)snprintf(text + used, room - used, "%s%s=%" PRIu64, before, words[word],
                                     value);
    }
}

static bool ask(struct call_search *search, const struct logged_call *call)
{
    const struct expression_registers readers = {.self = search, .read = read_word};
    uint64_t value;
    struct error err;
    char text[256];
    search->now = call;
    if (expression_evaluate(search->condition, &readers, &value, &err) != STATUS_OK || !value)
        return true;
    put_values(search, text, sizeof text);
    search->is_over = !search->found(search->self, search->lane, call->values[CALL_TIME],
                                     call->values[CALL_PC], text);
    return !search->is_over;
}

// Asks about the call that was entered last, when its arguments are known.
static bool settle(struct call_search *search)
{
    const bool was_new = search->is_new;
    search->is_new = false;
    return !was_new || search->asks_elapsed ||
           ask(search, &search->open.items[search->open.count - 1]);
}

static bool sink_begin(void *self, uint64_t start, uint64_t hz)
{
    (void)self, (void)start, (void)hz;
    return true;
}

static bool sink_lane(void *self, const struct call_lane *lane)
{
    struct call_search *search = self;
    if (!settle(search))
        return false;
    free(search->lane);
    search->open.count = 0;
    search->lane = strdup(lane->name ? lane->name : "");
    search->lacks_memory = !search->lane;
    return !search->lacks_memory;
}

static bool sink_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct call_search *search = self;
    (void)how;
    if (!settle(search))
        return false;
    search->lacks_memory = !VEC_ROOM(&search->open, 1);
    if (search->lacks_memory)
        return false;
    struct logged_call *call = &search->open.items[search->open.count++];
    *call = (struct logged_call){.known = 1u << CALL_PC | 1u << CALL_TIME | 1u << CALL_DEPTH};
    call->values[CALL_PC] = pc;
    call->values[CALL_TIME] = time;
    call->values[CALL_DEPTH] = search->open.count;
    search->is_new = true;
    return true;
}

static void sink_argument(void *self, uint64_t value)
{
    struct call_search *search = self;
    if (!search->is_new)
        return;
    struct logged_call *call = &search->open.items[search->open.count - 1];
    for (unsigned word = CALL_ARGUMENT; word < CALL_WORDS; word++) {
        if (call->known >> word & 1)
            continue;
        call->values[word] = value;
        call->known |= 1u << word;
        return;
    }
}

static bool sink_leave(void *self, uint64_t time)
{
    struct call_search *search = self;
    if (!settle(search))
        return false;
    struct logged_call *call = &search->open.items[--search->open.count];
    call->values[CALL_ELAPSED] = time - call->values[CALL_TIME];
    call->known |= 1u << CALL_ELAPSED;
    return !search->asks_elapsed || ask(search, call);
}

bool find_in_calls(struct command *command, const struct expression *condition,
                   find_call_found *found, void *self)
{
    struct call_search search = {
        .command = command, .condition = condition, .found = found, .self = self};
    const struct call_sink sink = {.self = &search,
                                   .begin = sink_begin,
                                   .lane = sink_lane,
                                   .enter = sink_enter,
                                   .leave = sink_leave,
                                   .argument = sink_argument};
    for (size_t i = 0; i < condition->count; i++)
        search.asks_elapsed |= condition->terms[i].op == EXPRESSION_REGISTER &&
                               condition->terms[i].which.offset == 8 * CALL_ELAPSED;
    bool is_done = command_stream(command, &sink);
    if (is_done && !search.is_over && !search.lacks_memory)
        settle(&search);
    free(search.open.items);
    free(search.lane);
    return is_done && (!search.lacks_memory || command_no_memory(command));
}
