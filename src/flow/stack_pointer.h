// Whether the calls of a trace were found without the stack pointer, as stored in its index.
#ifndef TRAWL_FLOW_STACK_POINTER_H
#define TRAWL_FLOW_STACK_POINTER_H

#include "base/error.h"
#include "idx/trawl.h"

// `lacks`: something was called, or might have been, and no lane ever wrote its stack pointer, of
// whichever instruction set (of a lane of two the index knows that of AArch64 and the last). Calls
// of a function by itself, and those that exceptions and longjmp leave, are not distinguished then.
// What a damaged index does not tell counts as there, as a report that needs no registers does not
// miss it: STATUS_MEMORY is the only failure.
enum status stack_pointer_lacks(struct trawl_index *index, bool *lacks, struct error *err);

#endif
