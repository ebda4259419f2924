// Calls as in flow/calls.h, in a slow and simple way: first finds every call that returns, then
// walks the depths. The tested code decides both at once; tests compare the results.
#ifndef TRAWL_TESTS_UNIT_CALLS_MODEL_H
#define TRAWL_TESTS_UNIT_CALLS_MODEL_H

#include "flow/calls.h"
#include "random.h"

#define MODEL_TRANSFERS_MAX 160
#define MODEL_ROOT SIZE_MAX

// A run, for the matching of calls.
struct call_script {
    struct transfer transfers[MODEL_TRANSFERS_MAX];
    size_t count;
    uint64_t drop_below_at_end;
    struct node_ref first, last; // nodes of the trace
};

struct model_call {
    struct call call;
    size_t parent; // an index, or MODEL_ROOT
};

// The calls of a script, in the order of their entries.
struct call_model {
    struct model_call calls[MODEL_TRANSFERS_MAX];
    size_t count;
    struct call_counts counts;
    struct call_decision decisions[MODEL_TRANSFERS_MAX];
};

// How random a script is: from well-nested calls to transfers without any order.
enum script_kind {
    SCRIPT_WILD,   // any SP, any address
    SCRIPT_NESTED, // calls and returns of a stack; some returns and drops are left out
    SCRIPT_FLAT,   // SP always unknown, few addresses: many keys are already pending
    SCRIPT_KINDS,
};

void script_random(struct call_script *script, enum script_kind kind, struct prng *prng);

void model_run(const struct call_script *script, bool keep_open, struct call_model *model);

// Passes the script to a matcher. *equal: it decided and counted like the model. False: no memory.
bool script_match(const struct call_script *script, bool keep_open,
                  const struct call_consumer *consumer, const struct call_model *model,
                  struct call_content *outermost, bool *equal);

bool calls_equal(const struct call *a, const struct call *b);

#endif
