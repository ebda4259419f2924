// Operating systems: what their kernels call tasks, and where they say what each task does, as
// lines of a text (os.txt, docs/os.md), of which trawl has one of its own and users may give theirs
// (--os FILE). A new kernel, or a version with other members, needs no code: the lines are
// expressions of C, and one that has no meaning with a kernel's types does not apply to it.
#ifndef TRAWL_SESSION_OS_H
#define TRAWL_SESSION_OS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/vec.h"
#include "names/names.h"

enum os_key {
    OS_SYMBOL,    // a symbol that its kernel has
    OS_TASK_NAME, // the name of the task that runs
    OS_TASK_KEY,  // what tells tasks apart, if their stacks do not
    OS_RUNNING,   // the variable with the address of the task that runs
    // Of $task, the address of a task:
    OS_NAME,
    OS_PRIORITY,
    OS_HELD,         // how many mutexes it holds
    OS_STACK_BOTTOM, // the first byte of its stack
    OS_STACK_TOP,    // and the first behind it
    OS_STATE,        // a word; the first whose condition holds
    OS_WAITS,        // what kind of object it waits for, and its address; likewise
    // Of $object:
    OS_OWNER,  // of a kind of object, the task that holds it
    OS_CALLED, // and its name
    OS_FOLD,   // a function that runs when a task is switched away
    OS_PAIRS,  // functions of a heap or of locks, as for `trawl check --pairs`
};

// Fields that a line of the key does not have are NULL.
struct os_line {
    enum os_key key;
    const char *word;
    const char *expression;
    const char *condition;
};

struct os_system {
    const char *name;
    size_t first, end; // of its lines
};

// All zero is empty.
struct os_table {
    VEC(, struct os_line) lines;
    VEC(, struct os_system) systems;
    struct arena arena;
};

// Those that trawl knows.
extern const char os_text[];

// Reads a text; `path` names it in messages. Freed by os_table_free either way.
enum status os_table_parse(struct os_table *table, const char *text, const char *path,
                           struct error *err);
void os_table_free(struct os_table *table);

// NULL: there is none.
const struct os_system *os_table_named(const struct os_table *table, const char *name);

// Reads those that trawl knows, or those of the file `wanted`, unless the table has some, and finds
// the one that is called so or, without, that the images have with the types of DWARF. *system is
// NULL if there is none, or "none" is wanted; STATUS_INPUT: what is wanted cannot be.
enum status os_find(struct os_table *table, struct names *names, const char *wanted,
                    const struct os_system **system, struct error *err);

// The expression that names tasks with the types of the images: of the task that runs or, where
// tasks have keys, of $task. NULL: none.
const char *os_naming(const struct os_table *table, const struct os_system *system,
                      struct names *names, bool *is_by_key);

// The next line of the system with that key, and of `word` if that is not NULL, from line *at on,
// which moves behind it. NULL: there is none.
const struct os_line *os_next(const struct os_table *table, const struct os_system *system,
                              enum os_key key, const char *word, size_t *at);

// An expression with other texts in place of $task and $object. False: it is too long.
bool os_bind(char text[LIMIT_OS_EXPRESSION_BYTES], const char *expression, const char *task,
             const char *object);

#endif
