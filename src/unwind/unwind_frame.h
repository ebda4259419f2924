// Frames, how they were found, and the interfaces that supply information about them: shared by all
// parts of the unwinder (unwind/unwind.h).
#ifndef TRAWL_UNWIND_UNWIND_FRAME_H
#define TRAWL_UNWIND_UNWIND_FRAME_H

#include "arch/arch.h"
#include "elf/cfi_program.h"
#include "elf/sframe_rule.h"

enum unwind_source {
    UNWIND_REGISTERS,     // the innermost frame
    UNWIND_SFRAME,        // the caller, by SFrame's rules for the callee
    UNWIND_DWARF,         // likewise, by DWARF's call frame information
    UNWIND_EXIDX,         // likewise, by Arm's exception tables
    UNWIND_FRAME_POINTER, // likewise, by its frame pointer
    UNWIND_ENTRY,         // likewise, by the ABI at a function's entry
    UNWIND_LINK_REGISTER, // likewise, by the return address still in its register
    UNWIND_CALLS,         // by the calls of a trace
};

// Why a stack ends.
enum unwind_end {
    UNWIND_OUTERMOST,       // as it should: a return address that is undefined, or 0
    UNWIND_NO_RULE,         // nothing is known about the PC
    UNWIND_NO_MEMORY,       // memory at `end_address` is unknown
    UNWIND_NO_REGISTER,     // a register of the innermost frame is unknown
    UNWIND_UNSAFE_REGISTER, // a rule needs a register known only in the innermost frame
    UNWIND_BAD_EXPRESSION,  // an expression of DWARF has no value
    UNWIND_SIGNAL_FRAME,    // a signal frame without rules
    UNWIND_NOT_RISING,      // CFA or frame pointer not above the previous one, or not aligned
    UNWIND_TOO_DEEP,        // more frames than there is room for
};

struct unwind_frame {
    uint64_t pc;
    uint64_t sp, fp;
    bool has_fp;
    // The PC is where a call returns to: it is looked up by the byte before it.
    bool is_return_address;
    bool is_signal;    // the next frame is what it interrupted, not its caller
    bool has_code_bit; // pointers to this code have bit 0; the PC has not
    // Of a caller that calls tell of: it called into the other security state of the M profile,
    // which has a stack and registers of its own: rules of the callee do not lead back to it.
    bool is_of_other_world;
    enum unwind_source source;
};

// What the calls of a trace tell of the caller of a frame.
enum unwind_seen {
    UNWIND_NOT_SEEN,
    UNWIND_SEEN,
    UNWIND_SEEN_OUTERMOST, // no caller known
    UNWIND_SEEN_BEGIN,     // a stack began with it: its return address is not that of a caller
};

// Provides the innermost frame, memory, and the code.
struct unwind_reader {
    void *self;
    // A register by its DWARF number: of the innermost frame, or, after enter_caller, of that
    // caller. False: unknown.
    bool (*read_register)(void *self, uint32_t number, uint64_t *value);
    // A number of 1 to 8 bytes in the byte order of the target. False: not all bytes are known.
    bool (*read_memory)(void *self, uint64_t address, unsigned size_bytes, uint64_t *value);
    // SFrame's rule for a PC; of kind SFRAME_MISS if there is none. Never NULL.
    const struct sframe_rule *(*find_rule)(void *self, uint64_t pc);
    // The row of UNWIND_DWARF or UNWIND_EXIDX for a PC, NULL if there is none. The member is NULL
    // if there are no rows at all.
    const struct frame_row *(*find_row)(void *self, enum unwind_source source, uint64_t pc);
    // Whether a PC is in code at all, so that other data is not mistaken for a frame.
    bool (*is_code)(void *self, uint64_t pc);
    // The start of the function of a PC. False: unknown.
    bool (*find_function)(void *self, uint64_t pc, uint64_t *start);
    // The caller of a frame, or what it interrupted: PC, SP, is_return_address and has_code_bit.
    // NULL: no calls are known.
    enum unwind_seen (*find_caller)(void *self, const struct unwind_frame *frame,
                                    struct unwind_frame *caller);
    // Makes read_register read the registers of the last caller from find_caller. NULL: not
    // possible.
    void (*enter_caller)(void *self);
    // PCs may say of which program they are (base/program_pc.h), which values in registers and
    // memory do not: a caller is of the program of the frame.
    bool has_programs;
    // How many bits addresses have, in the lower and in the upper half of memory; 0: not known.
    uint8_t address_bits[2];
};

struct unwind_stack {
    struct unwind_frame *frames; // the innermost first; owned by the caller, `capacity` of them
    size_t capacity, count;
    // The first source to try, in the order of enum unwind_source, from UNWIND_SFRAME (or 0, which
    // is the same) to UNWIND_CALLS.
    enum unwind_source first;
    enum unwind_end end;
    uint64_t end_address; // the PC, or the memory, where it ended
    // The first frame that differs from the calls of the trace; `count`: a frame is missing after
    // the last. UNWIND_NO_DOUBT: none, or no calls are known.
    size_t doubt;
};

#define UNWIND_NO_DOUBT SIZE_MAX

// The address by which a frame's PC is looked up.
static inline uint64_t unwind_lookup_pc(const struct unwind_frame *frame)
{
    return frame->pc - frame->is_return_address;
}

#endif
