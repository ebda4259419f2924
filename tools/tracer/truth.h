// What really was: registers, memory and call stack at chosen instructions, for tests to compare
// an analysis of the trace with. The format is described in corpus/README.md.
#ifndef TRACER_TRUTH_H
#define TRACER_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct core;
struct machine;

typedef struct {
    FILE *file;
    uint8_t *touched; // one byte for each of RAM: the trace has told its value
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

// After every instruction; its own line starts at these.
void truth_step(struct core *core, uint64_t line, uint64_t byte);

void truth_touch(truth_t *truth, uint64_t address, unsigned size_bytes);
void truth_forget(truth_t *truth, uint64_t address, uint64_t size_bytes);

#endif
