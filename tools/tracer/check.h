// --check: after every instruction, compares all registers with the traced ones. The traces are
// correct only if no register changes that insn.c did not predict.
#ifndef TRACER_CHECK_H
#define TRACER_CHECK_H

#include "core.h"

// Reports the first difference and returns false.
bool check_step(core_t *core);

// After an exception, whose changes belong to no instruction.
void check_forget(const core_t *core);

#endif
