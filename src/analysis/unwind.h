// The frames of a stack, from registers and memory as somebody else knows them: a trace at a point,
// a recording, a live process.
//
// Each step takes the rules that SFrame has for the PC. Where it has none, or they need what is not
// known, it takes the caller that was seen to call, if somebody saw it. Else the innermost frame
// may stand at the first instruction of a function, where the ABI says what it returns to, or in
// one that has saved nothing yet: the register for return addresses points into another function,
// and the frame pointer's record does not hold the same. Everywhere else it is the chain of frame
// pointers.
//
// Registers other than PC, SP and FP are those of the innermost frame, so that a rule that needs
// one ends the stack anywhere else. The stack also ends where the CFA does not rise, so that no
// chain is followed for ever.
#ifndef TRAWL_ANALYSIS_UNWIND_H
#define TRAWL_ANALYSIS_UNWIND_H

#include "elf/sframe_rule.h"

enum unwind_source {
    UNWIND_REGISTERS,     // the innermost frame
    UNWIND_SFRAME,        // called from here, by SFrame's rules for the frame below
    UNWIND_FRAME_POINTER, // likewise, by its frame pointer
    UNWIND_ENTRY,         // likewise, where the ABI has the return address at a function's entry
    UNWIND_LINK_REGISTER, // likewise, that being in its register still
    UNWIND_CALLS,         // by the calls that a trace shows
};

// Why a stack ends.
enum unwind_end {
    UNWIND_OUTERMOST,       // as it should: a return address that is undefined, or 0
    UNWIND_NO_RULE,         // nothing is known about the PC
    UNWIND_NO_MEMORY,       // memory at `end_address` is not known
    UNWIND_NO_REGISTER,     // a register of the innermost frame is not known
    UNWIND_UNSAFE_REGISTER, // a rule needs what only the innermost frame has
    UNWIND_SIGNAL_FRAME,    // a signal frame without rules
    UNWIND_NOT_RISING,      // CFA or frame pointer not above the one before, or not aligned
    UNWIND_TOO_DEEP,        // more frames than there is room for
};

struct unwind_frame {
    uint64_t pc;
    uint64_t sp, fp;
    bool has_fp;
    // The PC is where a call returns to, so that what names it is the byte before.
    bool is_return_address;
    bool is_signal; // what it interrupted comes next, rather than what called it
    enum unwind_source source;
};

// Who knows the innermost frame, memory, and the code.
struct unwind_reader {
    void *self;
    // A register by its DWARF number. False: it is not known.
    bool (*read_register)(void *self, uint32_t number, uint64_t *value);
    // A number of 8 bytes in the order of the target. False: not all of them are known.
    bool (*read_memory)(void *self, uint64_t address, uint64_t *value);
    // The rule of a PC; of kind SFRAME_MISS where there is none. Never NULL.
    const struct sframe_rule *(*find_rule)(void *self, uint64_t pc);
    // Whether a PC is in code at all, so that what is no frame is not taken for one.
    bool (*is_code)(void *self, uint64_t pc);
    // Where the function begins that a PC is in. False: nobody knows.
    bool (*find_function)(void *self, uint64_t pc, uint64_t *start);
    // Who called a frame, with its PC and registers as they were when it called, where that was
    // seen; else false. NULL where nobody saw calls.
    bool (*find_caller)(void *self, const struct unwind_frame *frame, struct unwind_frame *caller);
};

struct unwind_stack {
    struct unwind_frame *frames; // the innermost first; the caller's, `capacity` of them
    size_t capacity, count;
    enum unwind_end end;
    uint64_t end_address; // the PC, or the memory, that it ended at
};

// Fills the stack of a thread that is about to execute the instruction at `pc`.
void unwind(struct unwind_stack *stack, const struct unwind_reader *reader, unsigned abi,
            uint64_t pc);

// What a PC is looked up by.
static inline uint64_t unwind_lookup_pc(const struct unwind_frame *frame)
{
    return frame->pc - frame->is_return_address;
}

// "sframe", "frame pointer", ...
const char *unwind_source_name(enum unwind_source source);

// A sentence without its end: "memory at the CFA is not known".
const char *unwind_end_text(enum unwind_end end);

#endif
