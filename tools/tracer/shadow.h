// The true call stack, derived from the executed instructions: calls push, returns pop.
#ifndef TRACER_SHADOW_H
#define TRACER_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

enum { SHADOW_DEPTH_MAX = 1 << 16 };

typedef enum {
    FRAME_ROOT,      // where the core started
    FRAME_CALL,      // entered by a call
    FRAME_TAIL,      // entered by a branch from the frame below; it has the same return address
    FRAME_EXCEPTION, // entered by an exception
    FRAME_DROP,      // entered by an exception return without an exception
} frame_kind_t;

typedef struct {
    frame_kind_t kind;
    uint64_t entry;          // first instruction
    uint64_t call;           // the instruction that called or branched, or was interrupted
    uint64_t return_address; // 0: none
    uint64_t sp;             // at entry
    uint64_t entry_insn;     // the number of its first instruction on this core, from 0
} frame_t;

typedef struct {
    frame_t *frames;
    uint32_t depth;
    uint32_t lost;     // frames not stored, because the stack is too deep
    uint64_t longjmps; // returns that skipped frames
} shadow_t;

struct core;

bool shadow_open(shadow_t *shadow, uint64_t entry);

// To be called after every step that is not a plain instruction: step.insn, passed, taken and
// next_pc are set.
void shadow_step(struct core *core);

void shadow_exception(struct core *core, uint64_t target, uint64_t return_address);

#endif
