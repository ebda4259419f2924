// The key by which the user tells tasks apart (--task-key), in the grammar of all expressions, as
// the place and function that passes need (flow/task_key.h).
#ifndef TRAWL_SESSION_TASK_KEY_H
#define TRAWL_SESSION_TASK_KEY_H

#include "flow/task_key.h"
#include "query/expression.h"

struct names;

struct session_task_key {
    struct task_key key;
    struct expression expression;
    char name[64]; // of its register
};

// Parses `text`, which must outlive the key, with symbols of the images. A symbol alone is the
// variable of that name. STATUS_INPUT: it cannot be a key; `err` says why.
enum status session_task_key_parse(struct session_task_key *key, const char *text,
                                   struct names *names, struct error *err);

#endif
