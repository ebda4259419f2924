// Enters exceptions, which Unicorn leaves to its caller.
#ifndef TRACER_EXCEPT_H
#define TRACER_EXCEPT_H

#include "core.h"

// Takes the exception at core->pc (the preferred return address), traces it, and sets core->pc to
// the vector. Unicorn itself returns from it (ERET, SUBS PC,LR).
bool exception_enter(core_t *core, exception_kind_t kind);

// Called before an A64 ERET: saves the context at EL1.
void exception_save_el1(core_t *core);

#endif
