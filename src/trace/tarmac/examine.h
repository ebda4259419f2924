// Examines the file of a Tarmac trace: how it is written, how much of it is understood, and what
// looks wrong.
#ifndef TRAWL_TRACE_TARMAC_EXAMINE_H
#define TRAWL_TRACE_TARMAC_EXAMINE_H

#include "base/source.h"
#include "cli/progress.h"
#include "trace/examination.h"
#include "trace/tarmac/dialect.h"

// Reads the whole trace in order, and shows this on `progress` (NULL: nowhere). `how` must already
// be adapted to the dialect.
enum status tarmac_examine(struct source *source, const struct reading_options *how,
                           const struct tarmac_dialect *dialect, struct progress *progress,
                           struct examination *examination, struct error *err);

#endif
