// Frames, how they were found, and the interfaces that supply information about them: shared by all
// parts of the unwinder (analysis/unwind.h).
#ifndef TRAWL_ANALYSIS_UNWIND_FRAME_H
#define TRAWL_ANALYSIS_UNWIND_FRAME_H

#include "elf/frame_row.h"
#include "elf/sframe_rule.h"

// 32-bit Arm, beside enum sframe_abi.
#define UNWIND_ARM 32u

enum unwind_source {
    UNWIND_REGISTERS,     // the innermost frame
    UNWIND_SFRAME,        // called from here, by SFrame's rules for the frame below
    UNWIND_DWARF,         // likewise, by DWARF's call frame information
    UNWIND_EXIDX,         // likewise, by Arm's exception tables
    UNWIND_FRAME_POINTER, // likewise, by its frame pointer
    UNWIND_ENTRY,         // likewise, where the ABI has the return address at a function's entry
    UNWIND_LINK_REGISTER, // likewise, that being in its register still
    UNWIND_CALLS,         // by the calls that a trace shows
};

// Why a stack ends.
enum unwind_end {
    UNWIND_OUTERMOST,       // as it should: a return address that is undefined, or 0
    UNWIND_NO_RULE,         // nothing is known about the PC
    UNWIND_NO_MEMORY,       // memory at `end_address` is unknown
    UNWIND_NO_REGISTER,     // a register of the innermost frame is unknown
    UNWIND_UNSAFE_REGISTER, // a rule needs what only the innermost frame has
    UNWIND_BAD_EXPRESSION,  // an expression of DWARF has no value
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
    bool is_thumb;  // 32-bit Arm; the PC has no Thumb bit
    enum unwind_source source;
};

// What is known of the caller of a frame by calls that were seen.
enum unwind_seen {
    UNWIND_NOT_SEEN,
    UNWIND_SEEN,
    UNWIND_SEEN_OUTERMOST, // no caller was seen
    UNWIND_SEEN_BEGIN, // a stack was seen to begin with it: what it would return to is no caller
};

// Who knows the innermost frame, memory, and the code.
struct unwind_reader {
    void *self;
    // A register by its DWARF number: of the innermost frame, and once find_caller has told a
    // caller, of the last that it told. False: it is unknown.
    bool (*read_register)(void *self, uint32_t number, uint64_t *value);
    // A number of 1 to 8 bytes in the order of the target. False: not all of them are known.
    bool (*read_memory)(void *self, uint64_t address, unsigned size_bytes, uint64_t *value);
    // SFrame's rule of a PC; of kind SFRAME_MISS if there is none. Never NULL.
    const struct sframe_rule *(*find_rule)(void *self, uint64_t pc);
    // The row of a PC by UNWIND_DWARF or UNWIND_EXIDX, NULL if there is none. The member is NULL
    // where nobody has any.
    const struct frame_row *(*find_row)(void *self, enum unwind_source source, uint64_t pc);
    // Whether a PC is in code at all, so that what is no frame is not taken for one.
    bool (*is_code)(void *self, uint64_t pc);
    // Where the function begins that a PC is in. False: it is unknown.
    bool (*find_function)(void *self, uint64_t pc, uint64_t *start);
    // Who called a frame, or was interrupted by it: PC, SP, is_return_address and is_thumb. NULL
    // where no calls were seen.
    enum unwind_seen (*find_caller)(void *self, const struct unwind_frame *frame,
                                    struct unwind_frame *caller);
    // Takes read_register to the caller that find_caller told last. NULL: it cannot.
    void (*enter_caller)(void *self);
};

struct unwind_stack {
    struct unwind_frame *frames; // the innermost first; the caller's, `capacity` of them
    size_t capacity, count;
    // The first in the order of enum unwind_source that is to be tried, from UNWIND_SFRAME
    // (or 0, which is the same) to UNWIND_CALLS.
    enum unwind_source first;
    enum unwind_end end;
    uint64_t end_address; // the PC, or the memory, that it ended at
    // The first frame that calls which were seen have otherwise; `count`: that should come next,
    // but is missing. UNWIND_NO_DOUBT: none, or no calls were seen.
    size_t doubt;
};

#define UNWIND_NO_DOUBT SIZE_MAX

// What a PC is looked up by.
static inline uint64_t unwind_lookup_pc(const struct unwind_frame *frame)
{
    return frame->pc - frame->is_return_address;
}

#endif
