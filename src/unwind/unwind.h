// The frames of a stack, from registers and memory that a reader provides: a trace at a point, a
// recording, a live process.
//
// Each step uses the first source that covers the PC, in order of trust: SFrame, DWARF's call frame
// information, Arm's exception tables. If none does, or they need something unknown, it uses the
// caller according to the calls of the trace. Otherwise the innermost frame may be at the first
// instruction of a function, where the ABI defines the place of the return address, or in a
// function that has saved nothing yet: the link register points into another function, and the
// frame pointer's record has another address. Everywhere else, the chain of frame pointers is
// followed.
//
// Arm's exception tables are valid where a function has called another, and so is the DWARF that
// compilers write for 32-bit Arm, which leaves out the ends of functions. There the innermost frame
// uses the caller according to the calls, if it is a different one.
//
// Registers that were not restored are known only in the innermost frame and in callers known from
// calls: a rule that needs one ends the stack anywhere else. The stack also ends where the CFA does
// not rise, so that no chain is followed for ever.
#ifndef TRAWL_UNWIND_UNWIND_H
#define TRAWL_UNWIND_UNWIND_H

#include "unwind/unwind_frame.h"

// Fills the stack of a thread that is about to execute the instruction at `pc`, with its code bit.
void unwind(struct unwind_stack *stack, const struct unwind_reader *reader,
            const struct arch_frames *machine, uint64_t pc);

// "sframe", "dwarf", "frame pointer", ...
const char *unwind_source_name(enum unwind_source source);

// A sentence without its full stop: "memory at the CFA is unknown".
const char *unwind_end_text(enum unwind_end end);

#endif
