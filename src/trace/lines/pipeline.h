// One pass over a trace: split, parse, stitch, scan, match. docs/architecture.md has a diagram.
//
//   split    one worker at a time takes the next chunk from the source
//   parse    in parallel, from a guess of what the line before the chunk left; leaves marks
//   stitch   in order, one step a chunk: checks the guess (and has the chunk parsed again if it
//            was wrong), moves each lane's state over the chunk's summary, passes on notes and
//            damage
//   scan     in parallel: cuts nodes, finds transfers
//   match    in order, one step a transfer: calls
//
// If segments are requested (flow/segment.h):
//
//   gather   in parallel: a segment's events, registers and accesses from its chunks
//   carry    in order, one step a segment
//   build    in parallel
//   write    in order
//
// The result does not depend on the size of chunks or the number of threads.
#ifndef TRAWL_TRACE_LINES_PIPELINE_H
#define TRAWL_TRACE_LINES_PIPELINE_H

#include "flow/pass.h"

struct line_language;

// Runs the pass over lines of a language. `result` is filled up to where the pass ended, even on
// failure. STATUS_INPUT: the trace was changed while it was read. If the observer stops at a fault,
// the result is STATUS_OK, with stopped_at_fault.
//
// `finer`: not NULL if the pass can begin again. Then it ends with STATUS_STOPPED at the first
// chunk with times that are finer than the unit of options->how, and *finer becomes the exponent of
// the finest of them.
enum status pipeline_run(const struct line_language *language, struct source *source,
                         const struct pass_options *options, const struct pass_observer *observer,
                         struct pass_result *result, int *finer, struct error *err);

#endif
