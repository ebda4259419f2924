// The matching of calls is compared with the simple two-pass model.
#include "calls_model.h"
#include "test.h"

#define SCRIPTS_PER_KIND 4000

// A consumer that stores every call, linked to the calls inside and after it.
struct kept_call {
    struct call call;
    size_t next, first_inside; // indexes + 1; 0: none
};

struct keeper {
    struct kept_call calls[MODEL_TRANSFERS_MAX];
    size_t count;
};

enum {
    FIRST,
    LAST,
};

static void append(struct keeper *keeper, struct call_content *into, uint64_t first, uint64_t last)
{
    if (into->words[LAST])
        keeper->calls[into->words[LAST] - 1].next = first;
    else
        into->words[FIRST] = first;
    into->words[LAST] = last;
}

static bool keep_call(void *self, struct call_content *into, const struct call *call,
                      const struct call_content *inner)
{
    struct keeper *keeper = self;
    keeper->calls[keeper->count++] = (struct kept_call){*call, 0, inner->words[FIRST]};
    append(keeper, into, keeper->count, keeper->count);
    return true;
}

static bool keep_together(void *self, struct call_content *into, const struct call_content *from)
{
    if (from->words[FIRST])
        append(self, into, from->words[FIRST], from->words[LAST]);
    return true;
}

// Walks the stored calls in preorder, together with the model's calls.
static bool is_as_modelled(const struct keeper *keeper, size_t at, size_t parent,
                           const struct call_model *model, size_t *next)
{
    for (; at; at = keeper->calls[at - 1].next) {
        size_t here = *next;
        if (here >= model->count || model->calls[here].parent != parent ||
            !calls_equal(&keeper->calls[at - 1].call, &model->calls[here].call))
            return false;
        ++*next;
        if (!is_as_modelled(keeper, keeper->calls[at - 1].first_inside, here, model, next))
            return false;
    }
    return true;
}

static bool script_is_as_modelled(const struct call_script *script, bool keep_open)
{
    static struct call_model model;
    static struct keeper keeper;
    const struct call_consumer consumer = {
        .self = &keeper, .fold = keep_call, .merge = keep_together};
    struct call_content outermost;
    bool equal;
    size_t next = 0;
    keeper.count = 0;
    model_run(script, keep_open, &model);
    return script_match(script, keep_open, &consumer, &model, &outermost, &equal) && equal &&
           keeper.count == model.count &&
           is_as_modelled(&keeper, outermost.words[FIRST], MODEL_ROOT, &model, &next) &&
           next == model.count;
}

static void check_scripts(bool keep_open)
{
    static struct call_script script;
    struct prng prng = {1};
    int wrong = 0;
    for (int i = 0; i < SCRIPTS_PER_KIND * SCRIPT_KINDS; i++) {
        script_random(&script, (enum script_kind)(i % SCRIPT_KINDS), &prng);
        wrong += !script_is_as_modelled(&script, keep_open);
    }
    CHECK(wrong == 0);
}

static void calls_are_those_of_the_model(void)
{
    check_scripts(false);
}

static void open_calls_are_those_of_the_model(void)
{
    check_scripts(true);
}

static void add_transfer(struct call_script *script, uint64_t sp, uint64_t pc, uint64_t lr)
{
    uint64_t line = 10 * (script->count + 1);
    struct transfer *transfer = &script->transfers[script->count++];
    transfer->previous = (struct node_ref){line - 1, line - 1, line - 1, 0, 0x2000};
    transfer->node = (struct node_ref){line, line, line, 0, pc};
    transfer->sp = sp;
    transfer->may_be_call = lr != 0;
    transfer->return_address = lr;
    script->last = transfer->node;
}

// f calls g, g calls h, h returns directly to f. h is lost, f is still open.
static void open_call_outside_of_a_lost_one_stays(void)
{
    static struct call_script script;
    static struct keeper keeper;
    static struct call_model model;
    const struct call_consumer consumer = {
        .self = &keeper, .fold = keep_call, .merge = keep_together};
    struct call_content outermost;
    bool equal;
    script = (struct call_script){0};
    keeper.count = 0;
    add_transfer(&script, 0x300, 0x1000, 0x900);
    add_transfer(&script, 0x200, 0x1100, 0x1008);
    add_transfer(&script, 0x100, 0x1200, 0x1108);
    add_transfer(&script, 0x200, 0x1008, 0);
    model_run(&script, true, &model);
    CHECK(script_match(&script, true, &consumer, &model, &outermost, &equal) && equal);
    CHECK(keeper.count == 2);
    const struct kept_call *outer = &keeper.calls[outermost.words[FIRST] - 1];
    CHECK(outer->call.is_open && outer->call.entry.pc == 0x1000);
    CHECK(outer->first_inside && keeper.calls[outer->first_inside - 1].call.entry.pc == 0x1100);
}

static bool refuse_call(void *self, struct call_content *into, const struct call *call,
                        const struct call_content *inner)
{
    (void)self, (void)into, (void)call, (void)inner;
    return false;
}

static void consumer_without_memory_ends_the_matching(void)
{
    static struct call_script script;
    static struct call_model model;
    const struct call_consumer consumer = {
        .self = NULL, .fold = refuse_call, .merge = keep_together};
    struct call_content outermost;
    bool equal;
    script = (struct call_script){0};
    add_transfer(&script, 0x300, 0x1000, 0x900);
    add_transfer(&script, 0x300, 0x900, 0);
    model_run(&script, false, &model);
    CHECK(model.count == 1);
    CHECK(!script_match(&script, false, &consumer, &model, &outermost, &equal));
}

const struct test_case calls_tests[] = {
    {"calls_are_those_of_the_model", calls_are_those_of_the_model},
    {"open_calls_are_those_of_the_model", open_calls_are_those_of_the_model},
    {"open_call_outside_of_a_lost_one_stays", open_call_outside_of_a_lost_one_stays},
    {"consumer_without_memory_ends_the_matching", consumer_without_memory_ends_the_matching},
    {NULL, NULL},
};
