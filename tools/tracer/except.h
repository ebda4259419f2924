// Entering exceptions, which Unicorn leaves to its caller.
#ifndef TRACER_EXCEPT_H
#define TRACER_EXCEPT_H

#include "core.h"

// Takes the exception at core->pc (the preferred return address), traces it, and leaves core->pc
// at the vector. Returning from it (ERET, SUBS PC,LR) is Unicorn's own work.
bool exception_enter(core_t *core, exception_kind_t kind);

// Called before an A64 ERET: remembers what being at EL1 is like.
void exception_save_el1(core_t *core);

#endif
