// Small numbers for functions, in the order of their first occurrence, for formats with a table of
// names.
#ifndef TRAWL_EXPORT_NAME_IDS_H
#define TRAWL_EXPORT_NAME_IDS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "names/names.h"
#include "query/stacks.h"

// Room for a name with what is behind it; longer ones are cut.
#define NAME_ID_BYTES 1024

// All zero is empty. `pcs` and `are_guesses` are public: the PC of each number, and whether it is
// of calls that rest on a guess, in formats that have no other place for that than names.
struct name_ids {
    struct hash_index by_pc;
    VEC(, uint64_t) pcs;
    VEC(, bool) are_guesses;
};

// The number of the function entered at `pc`; for a new one, the previous pcs.count. False: no
// memory, or there are 2^32 - 1 already.
bool name_ids_of(struct name_ids *ids, uint64_t pc, uint32_t *id);

// The same, with another number if the call rests on a guess, as `how` says (enum call_how).
bool name_ids_of_call(struct name_ids *ids, uint64_t pc, unsigned how, uint32_t *id);

// The name of a number, in `text` if it is not just that of the function.
const char *name_ids_text(const struct name_ids *ids, size_t id, struct names *names,
                          char text[NAME_ID_BYTES]);

void name_ids_free(struct name_ids *ids);

// The functions of the current stack of stacks_walk, by number; for split frames, labels with their
// own numbers.

// All zero is empty.
struct stack_ids {
    struct name_ids ids;
    VEC(, uint32_t) open; // functions of the stack entered, the outermost first
};

// Processes an event of the walk. STACK_OWN: *function is the one inside the open ones. False: no
// memory.
bool stack_ids_take(struct stack_ids *stack, enum stack_event event,
                    const struct stack_visit *visit, uint32_t *function);

void stack_ids_free(struct stack_ids *stack);

#endif
