// The function records of an XRay log as the events of an index, cut into segments of a fixed
// number (segment.h): lane by lane, each in its own order.
//
// Not in the order of time, as that is of no more use than the clocks of processors agree, a lane's
// records would lie apart, and threads could not be distinguished by their numbers alone.
//
// A segment is read twice: in order, for its calls (calls.h), by which it is known where the
// next one begins; and then, in parallel, for its rows.
#ifndef TRAWL_TRACE_XRAY_SEGMENTS_H
#define TRAWL_TRACE_XRAY_SEGMENTS_H

#include "idx/index_write.h"
#include "simd/simd.h"
#include "trace/xray/pass.h"

// The pass that makes an index: the function records go to pass->segments, as its events, and what
// is after the pass tells of calls for xray_segments_write_calls.
enum status xray_segments_run(struct xray_pass *pass, struct pass_result *result,
                              struct error *err);

// After it: writes the calls of all lanes, one after the other. False: no memory.
bool xray_segments_write_calls(struct xray_pass *pass, struct index_writer *writer, enum simd simd);

#endif
