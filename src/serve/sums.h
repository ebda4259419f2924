// The sums by which rows of a lane are numbered while some are folded (browse/level_sums.h), for
// all requests about a trace: made once, in the background, and then only read.
#ifndef TRAWL_SERVE_SUMS_H
#define TRAWL_SERVE_SUMS_H

#include "browse/level_sums.h"

struct sums;

// Starts to make them for the only lane of the index; with several lanes there are none.
enum status sums_open(struct sums **out, const struct index_view *view, struct error *err);
void sums_close(struct sums *sums);

// Waits for them. NULL: there are none.
const struct level_sums *sums_wait(struct sums *sums);

#endif
