// Calls, and the interface of those who receive them.
//
// The consumer decides what a finished call means. It provides two operations on an opaque content
// that each open call carries: `fold` (a call ended inside this surrounding) and `merge` (two parts
// of one surrounding become one).
#ifndef TRAWL_FLOW_CALL_CONSUMER_H
#define TRAWL_FLOW_CALL_CONSUMER_H

#include "flow/doubts.h"
#include "flow/node.h"

// How a call began and ended, if not by a plain call and return; flags.
enum call_how {
    CALL_LEFT = 1,        // control left it for good without a return
    CALL_TAIL_EXIT = 2,   // it ended with a branch to another function, which takes its place
    CALL_TAIL_ENTRY = 4,  // it began so
    CALL_EXCEPTION = 8,   // it is a handler of an exception
    CALL_TASK = 16,       // the outermost function of a task, on a stack of its own
    CALL_RESUMED = 32,    // the continuation of a call that began earlier, after its task was
                          // switched out
    CALL_SUSPENDED = 64,  // its task is switched out; a later call may continue it
    CALL_INLINED = 128,   // not a real call: the function was inlined (query/frame_split.h)
    CALL_GUESSED = 256,   // nothing shows how control came to it: after lines that are missing
    CALL_INTERRUPT = 512, // of handlers: one of an interrupt, which belongs to no task
};

// How a call ended, in words: "left", "tail call", "switched away"; NULL: by a plain return.
const char *call_end_word(unsigned how);

struct call {
    struct node_ref site;   // the node before the entry
    struct node_ref entry;  // first node of the function, with the PC where it begins
    uint64_t began;         // the event of its entry; of a continued call, that of its first part
    struct node_ref exit;   // its last node
    struct node_ref resume; // the node after the return
    uint64_t from;          // the PC from which it was called, by shadow_stack.h
    uint64_t exit_ticks;    // how long the exit lasted, if that counts for the call, too
    uint16_t how;           // enum call_how
    bool is_open;      // still active at the end of the trace: exit and resume are its last node
    bool is_clipped;   // cut to the requested range (clip.h)
    bool has_no_entry; // XRay: only an exit, which all four nodes are at
};

// What happened so far in one surrounding. All zero: nothing.
struct call_content {
    uint64_t words[3];
};

struct call_stores;

struct call_consumer {
    void *self;
    // `call` ended; `inner` is what happened in it, and now belongs to the consumer. False: no
    // memory.
    bool (*fold)(void *self, struct call_content *into, const struct call *call,
                 const struct call_content *inner);
    // Appends what happened in `from` to `into`. False: no memory.
    bool (*merge)(void *self, struct call_content *into, const struct call_content *from);
    // An instruction itself took this many ticks; `node` has its PC. NULL: not wanted. False: no
    // memory.
    bool (*instruction)(void *self, struct call_content *into, const struct node_ref *node,
                        bool is_executed, uint64_t ticks);
    // Forgets everything, because the pass begins again. NULL: it cannot.
    void (*begin_again)(void *self);
    // How it receives calls that several threads matched in chunks of the trace. NULL: it must
    // receive each call in order.
    const struct call_stores *stores;
};

// How much of a chunk was gathered up to some moment; the consumer defines the numbers.
struct call_mark {
    uint64_t words[2];
};

// Calls that begin and end in a chunk of the trace are gathered in a store of that chunk by the
// thread that matches it. The consumer receives them later, chunk after chunk, in runs: all that
// was gathered up to a mark.
struct call_stores {
    // A store for chunks, for `self`. NULL: no memory.
    void *(*make)(void *self);
    void (*discard)(void *store);
    // Empties a store, for the next chunk.
    void (*clear)(void *store);
    // The consumer that receives the calls of a chunk. Contents belong to the store.
    struct call_consumer (*consumer)(void *store);
    struct call_mark (*mark)(const void *store);
    // Takes the run up to a mark, or skips it. False: no memory.
    bool (*take)(void *self, void *store, struct call_mark until);
    void (*skip)(void *store, struct call_mark until);
    // Appends what happened in `from`, a content of the run that was taken last, to `into`. Each
    // content is given once. False: no memory.
    bool (*merge)(void *self, struct call_content *into, void *store,
                  const struct call_content *from);
};

// Matches calls and forgets them.
extern const struct call_consumer call_consumer_none;

struct call_counts {
    uint64_t transfers;
    uint64_t returned;      // calls matched with their return
    uint64_t dropped;       // lost: SP rose above them first (longjmp, no return)
    uint64_t unreturned;    // lost: still pending at the end
    uint64_t unmatched;     // returns from calls that were not seen
    struct doubt gaps;      // in the flow of instructions
    struct doubt guesses;   // calls with CALL_GUESSED
    struct doubt misplaced; // transfers after which images show another function than the innermost
};

#endif
