// The frames of a stack, from registers and memory as somebody else knows them: a trace at a point,
// a recording, a live process.
//
// Each step goes by the first that knows something of the PC, in order of trust: SFrame, DWARF's
// call frame information, Arm's exception tables. Where none does, or they need what is unknown,
// it takes the caller that was seen to call, if that was seen. Else the innermost frame
// may be at the first instruction of a function, where the ABI says what it returns to, or in
// one that has saved nothing yet: the register for return addresses points into another function,
// and the frame pointer's record does not hold the same. Everywhere else it is the chain of frame
// pointers.
//
// Arm's exception tables hold where a function has called another, and so does what compilers write
// as DWARF for 32-bit Arm, where the ends of functions are left out. There the innermost frame goes
// by who was seen to call, where that is another.
//
// Registers that nobody restored are those of the innermost frame, or of the last caller that was
// seen, so that a rule that needs one ends the stack anywhere else. The stack also ends where the
// CFA does not rise, so that no chain is followed for ever.
#ifndef TRAWL_ANALYSIS_UNWIND_H
#define TRAWL_ANALYSIS_UNWIND_H

#include "analysis/unwind_frame.h"

// Fills the stack of a thread that is about to execute the instruction at `pc` (on 32-bit Arm with
// the Thumb bit). `abi` is one of enum sframe_abi, or UNWIND_ARM.
void unwind(struct unwind_stack *stack, const struct unwind_reader *reader, unsigned abi,
            uint64_t pc);

// "sframe", "dwarf", "frame pointer", ...
const char *unwind_source_name(enum unwind_source source);

// A sentence without its end: "memory at the CFA is unknown".
const char *unwind_end_text(enum unwind_end end);

#endif
