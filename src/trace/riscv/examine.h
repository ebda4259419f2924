// Examines the file of a RISC-V log: how it is written, how much of it is understood, and what is
// missing.
#ifndef TRAWL_TRACE_RISCV_EXAMINE_H
#define TRAWL_TRACE_RISCV_EXAMINE_H

#include "base/source.h"
#include "cli/progress.h"
#include "flow/reading.h"
#include "trace/examination.h"

// Reads the whole log in order, and shows this on `progress` (NULL: nowhere). `how` must already be
// adapted to the dialect.
enum status riscv_examine(struct source *source, const struct reading_options *how,
                          struct progress *progress, struct examination *examination,
                          struct error *err);

#endif
