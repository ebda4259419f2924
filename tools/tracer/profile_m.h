// Exceptions of the M profile, which Unicorn does not implement: stacking, vectors, EXC_RETURN,
// priorities and tail-chaining, as far as programs without TrustZone and floating point need them.
#ifndef TRACER_PROFILE_M_H
#define TRACER_PROFILE_M_H

#include "insn.h"

#include <stdbool.h>
#include <stdint.h>

enum { M_DEPTH_MAX = 8, SCS_BASE = 0xe000e000, SCS_BYTES = 0x1000 };

typedef struct {
    uint32_t active[M_DEPTH_MAX]; // numbers of the active exceptions, innermost last
    uint32_t depth;
    uint32_t pending; // one bit for each number
    uint64_t device_at_count;
} profile_m_t;

// What a trace shows of an entry or a return.
typedef struct {
    unsigned number;
    bool from_psp;   // the stack of the frame
    bool is_chained; // there is no frame
    uint32_t frame_at, frame[8];
    uint32_t exc_return;
    uint64_t target;
} exception_m_t;

struct core;

// Sets SP and the entry from the image's vectors.
bool profile_m_open(struct core *core);

// The number of the exception that is taken now, or 0. Interrupts become pending when they are due.
unsigned profile_m_due(struct core *core);

// Makes an exception pending.
void profile_m_pend_svc(struct core *core);

// Takes the exception that is due, at core->pc, and traces it.
bool profile_m_enter(struct core *core);

// Executes an instruction that writes EXC_RETURN to the PC, which Unicorn would refuse. False: it
// does not.
bool profile_m_leaves(struct core *core, const insn_t *in, uint32_t *exc_return);

// Returns from the active exception, or continues with the next pending one.
bool profile_m_return(struct core *core, uint32_t exc_return);

// Handles a write to the system control space.
void profile_m_write(struct core *core, uint64_t address, uint32_t value);

bool profile_m_uses_psp(const struct core *core);

// xPSR: flags, T, and the exception's number.
uint32_t profile_m_psr(const struct core *core);

#endif
