// Names of C++, Rust and D symbols as people wrote them.
#ifndef TRAWL_ELF_DEMANGLE_H
#define TRAWL_ELF_DEMANGLE_H

#include "base/arena.h"

// A mangled name may stand for a text that is exponentially longer, or take exponentially long to
// read. A name whose text would be longer than this, or whose reading is not sure to be short
// (demangle.c says when), stays as it is.
#define LIMIT_DEMANGLED_BYTES ((size_t)64 << 10)

// The demangled form of `symbol`, made in `arena`: Itanium C++, Rust (both manglings) and D, with
// parameters and qualifiers. The endings "#K" and "@0xVALUE" (tarmac.md section 7) are kept.
// `symbol` itself when it is not mangled or past the limit. NULL: no memory.
const char *demangle_symbol(struct arena *arena, const char *symbol);

#endif
