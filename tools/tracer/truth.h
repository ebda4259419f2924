// The true state at chosen instructions: registers, memory and call stack, with which tests compare
// the analysis of the trace. corpus/README.md describes the format.
#ifndef TRACER_TRUTH_H
#define TRACER_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct core;
struct machine;

typedef struct {
    FILE *file;
    uint8_t *touched; // one byte for each byte of RAM: the trace has shown its value
    uint8_t *touched_pages;
    bool is_due; // a record is wanted at the next plain instruction
    uint64_t last_insn;
    uint64_t last_line; // of the last instruction, record or not
    uint64_t last_byte;
    uint64_t last_pc;
    uint64_t last_next_pc;
} truth_t;

bool truth_open(truth_t *truth, const struct machine *machine);
bool truth_close(truth_t *truth, struct machine *machine);

// To be called after every instruction, whose own line starts at `line` and `byte`.
void truth_step(struct core *core, uint64_t line, uint64_t byte);

void truth_touch(truth_t *truth, uint64_t address, unsigned size_bytes);
void truth_forget(truth_t *truth, uint64_t address, uint64_t size_bytes);

#endif
