// Whether the calls of a trace were found without the stack pointer, as stored in its index.
#ifndef TRAWL_FLOW_STACK_POINTER_H
#define TRAWL_FLOW_STACK_POINTER_H

#include "base/error.h"
#include "idx/trawl.h"

// `lacks`: there were calls, or may have been, and no lane ever wrote its stack pointer in any
// instruction set (for a lane with both, the index knows that of AArch64 and the last). Then
// recursive calls, and those left by exceptions and longjmp, are not distinguished. If the index is
// damaged, the stack pointer counts as present, because a report without registers does not need
// it: STATUS_MEMORY is the only failure.
enum status stack_pointer_lacks(struct trawl_index *index, bool *lacks, struct error *err);

#endif
