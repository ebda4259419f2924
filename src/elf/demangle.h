// Names of C++, Rust and D symbols as in the source.
#ifndef TRAWL_ELF_DEMANGLE_H
#define TRAWL_ELF_DEMANGLE_H

#include "base/arena.h"

// The demangled form of `symbol`, made in `arena`: Itanium C++, Rust (both manglings) and D, with
// parameters and qualifiers. The endings "#K" and "@0xVALUE" are kept. `symbol` itself if it is not
// mangled or exceeds the limit. NULL: no memory.
const char *demangle_symbol(struct arena *arena, const char *symbol);

#endif
