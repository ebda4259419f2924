// The stack pointer of cores of the M profile, which have two: sp is the one in use.
//
// Their traces name both (MSP and PSP, or r13_main and r13_process) and write sp when they write
// either, but do not say when the other one comes into use. Handlers use the main stack, threads
// the one that CONTROL.SPSEL chooses, which an exception return may change (Armv8-M ARM, B3.8 and
// B3.22). What mode the core is in, the exception number in its PSR says. Segments take this in
// their order, as the state at a point depends on all before. With the Security Extension there are
// two such pairs; the one in use is taken to be that of which a pointer was written last.
#ifndef TRAWL_TRACE_TARMAC_TWO_STACKS_H
#define TRAWL_TRACE_TARMAC_TWO_STACKS_H

#include "flow/segment.h"

#include <stdatomic.h>

// What a register that a trace names has to do with it.
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

// Names end in nothing, in _S or in _NS.
enum { STACK_WORLDS = 3 };

// What is known of a core.
struct stack_choice {
    bool has_stacks; // it named one of the two
    bool knows_mode, is_handler;
    uint8_t world;  // whose stack was named last
    uint8_t in_use; // enum stack_role; NONE: not known
    struct stack_pair pairs[STACK_WORLDS];
    uint32_t link; // r14, where an exception leaves how it is to return
};

struct two_stacks {
    // By number of the name. Set before a segment has writes to such a register.
    uint8_t roles[LIMIT_NAMED_REGISTERS]; // enum stack_role
    uint8_t worlds[LIMIT_NAMED_REGISTERS];
    atomic_bool has_roles;               // some name has one
    VEC(, struct stack_choice) cores;    // up to the last that wrote something
    bool has_stacks;                     // some core named one of its two
    VEC(, struct segment_register) rows; // kept from segment to segment
    VEC(, uint32_t) starts;
};

// Notes the name that has a number.
void two_stacks_name(struct two_stacks *stacks, uint32_t number, const char *name);

// Makes sp of the next segment what it is. False: no memory.
bool two_stacks_carry(struct two_stacks *stacks, struct segment *segment);

void two_stacks_free(struct two_stacks *stacks);

#endif
