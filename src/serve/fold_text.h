// What is folded, as text that goes with each request and comes back with answers:
// `LANE:FIRST.LIMIT,...;LANE:...`, where from event FIRST of the lane on what is in LIMIT calls
// or more is folded away. A LIMIT of * hides nothing; a third number says how many iterations of a
// loop are hidden.
#ifndef TRAWL_SERVE_FOLD_TEXT_H
#define TRAWL_SERVE_FOLD_TEXT_H

#include "browse/timeline.h"
#include "report/out.h"

// Sets the folds of all lanes. NULL and "": nothing is folded, as after a failure. STATUS_INPUT: it
// is no such text, or not of this trace.
enum status fold_text_read(struct timeline *timeline, const char *text, struct error *err);

void fold_text_write(const struct timeline *timeline, struct out *out);

#endif
