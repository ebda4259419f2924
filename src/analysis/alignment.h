// Where two long sequences of keys are the same, and where they part: the streams of two runs are
// walked beside each other, and where they part, the place is looked for where they come together
// again.
//
// First near by: the shortest edit script (Myers, 1986), up to so many edits, until so many keys in
// a row are the same. Then further away: runs of keys that both have are found by hashes of
// sixteen, in windows that grow fourfold, and the heaviest chain of such runs is what the streams
// are led along. So what is looked at grows with how far the streams are apart: time is n log n
// and memory bounded, whatever the keys are. Where no run is found in all that is left, the rest of
// both is what differs, and is said to be so.
//
// The outcome depends on the keys alone. It is no shortest script of the whole, nor the only one
// that is true: of a loop that was run three times more, any three rounds may be the ones.
#ifndef TRAWL_ANALYSIS_ALIGNMENT_H
#define TRAWL_ANALYSIS_ALIGNMENT_H

#include "analysis/alignment_sink.h"
#include "analysis/key_source.h"

enum status alignment_run(const struct key_source sources[2], const struct alignment_sink *sink,
                          struct error *err);

#endif
