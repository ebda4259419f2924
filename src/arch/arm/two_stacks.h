// The stack pointer of cores of the M profile, which have two: sp is the one that is in use.
//
// Their traces name both (MSP and PSP, or r13_main and r13_process) and write sp when they write
// either, but do not say when the other one comes into use. Handlers use the main stack. Threads
// use the one that CONTROL.SPSEL selects, which an exception return may change (Armv8-M ARM, B3.8
// and B3.22). The mode is that of the instruction, if its line names one (thread, handler_ns), or
// follows from the exception number in the PSR. Segments are processed in order, because the state
// at a point depends on everything before. With the Security Extension there are two such pairs:
// that of the security state in the lines of instructions or, if these do not name it, the one of
// which a pointer was written last.
#ifndef TRAWL_ARCH_ARM_TWO_STACKS_H
#define TRAWL_ARCH_ARM_TWO_STACKS_H

#include "flow/segment.h"

#include <stdatomic.h>

// The role of a register that a trace names.
enum stack_role {
    STACK_ROLE_NONE,
    STACK_ROLE_MAIN,
    STACK_ROLE_PROCESS,
    STACK_ROLE_CONTROL,
    STACK_ROLE_STATE, // the exception number is in its lowest bits
};

// The stacks of one security state.
struct stack_pair {
    bool knows_choice, chooses_process; // CONTROL.SPSEL
    bool has[2];                        // main and process
    uint32_t value[2];
};

// Names end without a suffix, in _S, or in _NS.
enum { STACK_WORLDS = 3 };

// What is known of a core.
struct stack_choice {
    bool has_stacks; // it has named one of its two stacks
    bool knows_mode, is_handler;
    bool knows_world; // from the mode of an instruction
    uint8_t world;    // that, or the security state of the stack named last
    uint8_t in_use;   // enum stack_role; NONE: unknown
    uint8_t world_in_use;
    bool is_settled; // until something of stacks is written, events change nothing
    struct stack_pair pairs[STACK_WORLDS];
    uint32_t link; // r14, where an exception stores how it will return
};

struct two_stacks {
    // By number of the name. Set before a segment has writes to such a register.
    uint8_t roles[LIMIT_NAMED_REGISTERS]; // enum stack_role
    uint8_t worlds[LIMIT_NAMED_REGISTERS];
    atomic_bool has_roles;               // some name has a role
    VEC(, struct stack_choice) cores;    // up to the last one with writes
    bool has_stacks;                     // some core has named one of its two stacks
    VEC(, struct segment_register) rows; // memory is reused from segment to segment
    VEC(, uint32_t) starts;
    VEC(, struct segment_mode) modes; // by event
};

// Registers the role of a name, given its number.
void two_stacks_name(struct two_stacks *stacks, uint32_t number, const char *name);

// Corrects sp in the next segment; of one without registers, only the modes count. False: no
// memory.
bool two_stacks_carry(struct two_stacks *stacks, struct segment *segment);

void two_stacks_free(struct two_stacks *stacks);

#endif
