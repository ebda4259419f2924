// What an instruction does with data: every place that it writes, with the places from which the
// value comes and what each is for. Numbers of places are those of an architecture (arch/); whoever
// follows data compares them and asks nothing else.
//
// An instruction that is not known has no flows and says so. What is said of a known one errs on
// one side: an input may be named that does not matter for these values (a multiplication by 0, a
// lane that a vector operation keeps apart), but none is missing.
#ifndef TRAWL_FLOW_EFFECTS_H
#define TRAWL_FLOW_EFFECTS_H

#include "flow/effect_vectors.h"

enum effect_place_kind {
    // Bytes of the register space of a lane: `offset`, `bytes`.
    EFFECT_REGISTER,
    // Single bits of the status registers: `offset` is a mask.
    EFFECT_FLAGS,
    // As input, bytes that the event reads; as output, bytes that it writes: from `offset` above
    // the lowest address of these. `bytes` 0: all of them. What both reads and writes (SWP, CAS)
    // does so at the same place.
    EFFECT_MEMORY,
    // A system register: `offset` is its number.
    EFFECT_SYSTEM,
    // As input, a constant of the place of the instruction (ADR, BL's LR, the address of a
    // literal); as output, where execution goes on.
    EFFECT_PC,
    // Input of a flow that selects: the zero register.
    EFFECT_ZERO,
};

enum effect_role {
    ROLE_VALUE,     // the output is computed from it
    ROLE_COPY,      // byte n of the output is byte n of it. If the output has more bytes, these are
                    // copies of its sign (zeros are a flow of their own, without inputs)
    ROLE_ADDRESS,   // it is part of the address that is accessed
    ROLE_CONDITION, // it decides which of the other inputs (CSEL), whether (a condition), or how
                    // (the rounding mode)
};

struct effect_place {
    uint8_t kind, role; // the role means nothing in an output
    uint16_t offset, bytes;
};

// An output and its inputs: `count` of them from `inputs[first]`. None: the value is in the code,
// or is zero. Flows may share inputs. No two flows of an instruction write the same place. All
// inputs are those before the instruction.
struct effect_flow {
    struct effect_place output;
    uint16_t first, count;
};

enum { EFFECT_FLOWS = 80, EFFECT_INPUTS = 256 };

struct effects {
    bool is_known;     // false: no such instruction is known, nothing may be concluded
    bool is_exception; // it calls software or a host that does more than its flows: SVC, HLT, ERET
    bool is_conditional; // it does nothing if `condition` does not hold: then its flows did not
                         // happen. Each names the flags with ROLE_CONDITION
    bool selects;        // a flow's first input counts if `condition` holds, its second otherwise
                         // (CSEL)
    uint8_t condition;   // as in an encoding: 0 to 14
    uint16_t flow_count, input_count;
    struct effect_flow flows[EFFECT_FLOWS];
    struct effect_place inputs[EFFECT_INPUTS];
};

#endif
