// --check: compares all registers after every instruction with the traced ones. The traces are
// right only if nothing ever changes that insn.c did not expect to.
#ifndef TRACER_CHECK_H
#define TRACER_CHECK_H

#include "core.h"

// Reports the first difference and returns false.
bool check_step(core_t *core);

// After an exception, whose own changes belong to no instruction.
void check_forget(const core_t *core);

#endif
