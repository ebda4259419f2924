// Folds as text, which goes with each request and comes back with answers:
// `LANE:FIRST.LIMIT,...;LANE:...`: from event FIRST of the lane on, events in LIMIT or more calls
// are folded. A LIMIT of * hides nothing; a third number is the number of hidden iterations of a
// loop.
#ifndef TRAWL_SERVE_FOLD_TEXT_H
#define TRAWL_SERVE_FOLD_TEXT_H

#include "browse/timeline.h"
#include "report/out.h"

// Sets the folds of all lanes. NULL and "": nothing is folded, as after a failure. STATUS_INPUT:
// the text is invalid, or not for this trace.
enum status fold_text_read(struct timeline *timeline, const char *text, struct error *err);

void fold_text_write(const struct timeline *timeline, struct out *out);

#endif
