// What a checker has found, by cause: the same fault at the same instruction is one finding,
// however often it comes. The first time is kept with all that is known of it; the others are
// counted.
#ifndef TRAWL_CHECK_FINDINGS_H
#define TRAWL_CHECK_FINDINGS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "dataflow/dataflow.h"
#include "idx/trawl.h"

enum finding_kind {
    FINDING_UNDEFINED_DECISION, // a branch, or a conditional instruction, goes by an undefined
                                // value
    FINDING_UNDEFINED_ADDRESS,  // one is the address of an access
    FINDING_DEAD_FRAME,         // an access to a frame of the stack that has ended
    FINDING_STACK_OVERFLOW,     // the stack pointer leaves its stack for other data
    FINDING_OUTSIDE_STACK,      // an access right outside of the stack, by its stack pointer
    FINDING_RETURN_ADDRESS,     // a return address was overwritten, and is returned to
    FINDING_USE_AFTER_FREE,
    FINDING_PAST_BLOCK, // an access right before or behind a block of a heap
    FINDING_DOUBLE_FREE,
    FINDING_BAD_FREE,     // of what is no block
    FINDING_WRONG_FREE,   // by the function of another heap
    FINDING_LEAK,         // nothing points to the block at the end
    FINDING_UNLOCK,       // of a lock that is not held
    FINDING_OTHERS_LOCK,  // that another task holds
    FINDING_RELOCK,       // a lock is taken by the one who holds it
    FINDING_HELD_WAITING, // a lock is held over a wait
    FINDING_LOCK_ORDER,   // two locks are taken in both orders
    FINDING_STILL_HELD,   // at the end
    FINDING_KINDS,
};

// In words; as a word for programs and suppressions.
extern const char *const finding_texts[FINDING_KINDS];
extern const char *const finding_keys[FINDING_KINDS];

// Points that explain a finding, in the order in which they are told.
enum { FINDING_CAUSES = 3 };

struct finding_cause {
    const char *what; // "allocated", "freed"; NULL: there is none
    uint64_t event, lane;
};

struct finding {
    uint8_t kind; // enum finding_kind
    bool is_write;
    uint64_t event, lane; // TRAWL_NONE: it is about the end of the trace
    uint64_t pc, key;     // of its instruction, or of what allocated or took the lock; what tells
                          // causes at one PC apart
    uint64_t count;
    uint64_t address, size_bytes; // 0 bytes: it is not about memory
    uint64_t block, block_bytes;  // of a heap, or of a stack; 0 bytes: none
    struct finding_cause causes[FINDING_CAUSES];
    struct dataflow_bytes value; // of undefined ones: what is undefined
    uint64_t bytes;              // of leaks: in all blocks
};

struct findings {
    VEC(, struct finding) items; // in the order in which they were first found
    struct hash_index by_cause;
    uint64_t beyond; // further ones than LIMIT_FINDINGS
};

// The finding of this kind at this PC and with this second key. *is_new: it is the first time, and
// everything but kind, pc and count is to be filled. NULL: there are too many, or (*lacks_memory)
// no memory.
struct finding *findings_note(struct findings *findings, unsigned kind, uint64_t pc, uint64_t key,
                              bool *is_new, bool *lacks_memory);
void findings_free(struct findings *findings);

#endif
