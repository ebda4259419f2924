// Calls as flow/calls.h has them, the slow and plain way: first find every call that
// returns, then walk the depths. The engine decides both in one go; the tests compare.
#ifndef TRAWL_TESTS_UNIT_CALLS_MODEL_H
#define TRAWL_TESTS_UNIT_CALLS_MODEL_H

#include "flow/calls.h"
#include "random.h"

#define MODEL_TRANSFERS_MAX 160
#define MODEL_ROOT SIZE_MAX

// A run as the matching of calls sees it.
struct call_script {
    struct transfer transfers[MODEL_TRANSFERS_MAX];
    size_t count;
    uint64_t drop_below_at_end;
    struct node_ref first, last; // nodes of the trace
};

struct model_call {
    struct call call;
    size_t parent; // its index, or MODEL_ROOT
};

// What a script comes to. Calls stand in the order of their entries.
struct call_model {
    struct model_call calls[MODEL_TRANSFERS_MAX];
    size_t count;
    struct call_counts counts;
    struct call_decision decisions[MODEL_TRANSFERS_MAX];
};

// How wild a random script is: from well-nested calls to transfers without any order.
enum script_kind {
    SCRIPT_WILD,   // any SP, any address
    SCRIPT_NESTED, // calls and returns of a stack, with some returns and drops left out
    SCRIPT_FLAT,   // SP always unknown, few addresses: many keys that are pending already
    SCRIPT_KINDS,
};

void script_random(struct call_script *script, enum script_kind kind, struct prng *prng);

void model_run(const struct call_script *script, bool keep_open, struct call_model *model);

// Hands the script to a matcher. *equal says whether it decided and counted as the model did. False
// without memory.
bool script_match(const struct call_script *script, bool keep_open,
                  const struct call_consumer *consumer, const struct call_model *model,
                  struct call_content *outermost, bool *equal);

bool calls_equal(const struct call *a, const struct call *b);

#endif
