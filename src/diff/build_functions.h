// The functions of a run, as another build of the program has them: how two builds are matched.
//
// Addresses say nothing across builds, and names say too much: compilers copy and split functions,
// and number the copies anew each time (work.constprop.0, work.part.1, work.cold, work.lto_priv.7,
// work.llvm.2481). What is left without these endings is the name of the function in the source,
// and all of them are that function: its time is theirs together, each moment once, and to go on
// into a part of itself is no call.
//
// Functions that have one name in the source (static ones, in several files), which their addresses
// tell apart elsewhere (init@0x8040), are told apart by their files, where DWARF has them. It is
// only read for these, and by a caller that wants to know where else a function may be.
#ifndef TRAWL_DIFF_BUILD_FUNCTIONS_H
#define TRAWL_DIFF_BUILD_FUNCTIONS_H

#include "base/arena.h"
#include "flow/context_tree.h"
#include "names/source_lines.h"

// How much of a name is not appended by a compiler, nor an address, nor an offset. *is_part: it
// is a part of the function, and not a copy of it.
size_t build_name_length(const char *name, bool *is_part);

struct build_function {
    uint64_t pc;      // as it was asked for
    uint32_t first;   // the number of the first one that is the same function; of that, its own
    bool is_part;     // of the first
    const char *name; // of the function; "" if it has none
    // Where it begins, once that was asked for; NULL: unknown.
    const char *file; // without directories
    uint32_t line;
    bool has_place;
};

// All zero but for `names` is ready.
struct build_functions {
    struct names *names;
    struct source_lines lines;
    struct arena arena;
    VEC(, struct build_function) items;
    struct hash_index by_pc, by_name;
};

void build_functions_free(struct build_functions *functions);

// The number of the function that is entered at `pc`. UINT32_MAX: no memory.
uint32_t build_function_at(struct build_functions *functions, uint64_t pc);

// Finds where it begins, which does not fail: that may be unknown.
void build_function_place(struct build_functions *functions, uint32_t number);

// Makes one function of those in a tree that are, below each of `roots`: all have the PC of the
// first. False: no memory.
bool build_functions_fold(struct build_functions *functions, struct context_tree *tree,
                          const uint32_t *roots, size_t root_count);

#endif
