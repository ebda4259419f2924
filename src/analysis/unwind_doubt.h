// Compares an unwound stack with the calls that the trace shows: a rule may not belong to the code
// that ran, and a frame pointer or a link register may be left over from elsewhere.
#ifndef TRAWL_ANALYSIS_UNWIND_DOUBT_H
#define TRAWL_ANALYSIS_UNWIND_DOUBT_H

#include "analysis/index_view.h"
#include "analysis/unwind_frame.h"
#include "elf/image_set.h"

// Sets stack->doubt, for a stack after an event of its lane. Frames outside of all calls in the
// trace cannot be doubted.
enum status unwind_doubt_find(const struct index_view *view, const struct image_set *images,
                              const struct trawl_event *at, struct unwind_stack *stack,
                              struct error *err);

#endif
