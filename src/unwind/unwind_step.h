// Shared by the steps of an unwinder (unwind.c, unwind_row.c): the registers of a frame, and how
// they are read.
#ifndef TRAWL_UNWIND_UNWIND_STEP_H
#define TRAWL_UNWIND_UNWIND_STEP_H

#include "unwind/unwind_frame.h"

enum unwind_state {
    STATE_LOST,  // unknown
    STATE_LIVE,  // the reader has it
    STATE_HELD,  // the value itself
    STATE_SAVED, // in memory at that address
};

struct unwind_register {
    uint64_t value;
    enum unwind_state state;
};

struct unwind_registers {
    struct unwind_register items[FRAME_REGISTERS];
};

// From one frame to its caller.
struct unwind_step {
    const struct unwind_reader *reader;
    const struct arch_frames *machine;
    const struct unwind_frame *frame;
    const struct unwind_registers *registers; // of the frame
    struct unwind_registers *restored;        // of the caller
    uint64_t cfa;
    struct unwind_stack *stack; // for end and end_address
};

// Whether the frame may be between any two instructions, instead of where a call returns to.
static inline bool unwind_is_anywhere(const struct unwind_step *step)
{
    return !step->frame->is_return_address;
}

// Says why the stack ends. Always false.
bool unwind_end_at(struct unwind_stack *stack, enum unwind_end end, uint64_t address);

// A register of the frame, or a word of memory. False: the stack ends because of it.
bool unwind_read_register(struct unwind_step *step, uint32_t number, uint64_t *value);
bool unwind_read_word(struct unwind_step *step, uint64_t address, uint64_t *value);

// Sets the frame's PC from a value in a register or in memory, without signature or code bit.
void unwind_set_pc(const struct unwind_step *step, struct unwind_frame *next, uint64_t address,
                   bool is_signed);

// Puts all registers in one state; reads the frame pointer of a frame, if it is known.
void unwind_fill_registers(struct unwind_registers *registers, enum unwind_state state);
void unwind_read_fp(struct unwind_step *step, const struct unwind_registers *registers,
                    struct unwind_frame *frame);

// The caller by a row of DWARF or of Arm's exception tables. False: the stack ends.
bool unwind_by_row(struct unwind_step *step, const struct frame_row *row, enum unwind_source source,
                   struct unwind_frame *next);

#endif
