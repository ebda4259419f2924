// The function records of an XRay log as the events of an index, cut into segments of a fixed
// number of events (flow/segment.h): lane by lane, each in its own order.
//
// They are not ordered by time: such an order would be useful only as far as the clocks of
// processors agree, the records of a lane would be far apart, and the thread of an event would not
// follow from its number.
//
// A segment is read twice: in order, for its calls (calls.h), which shows where the next segment
// begins; and then, in parallel with others, for its rows.
#ifndef TRAWL_TRACE_XRAY_SEGMENTS_H
#define TRAWL_TRACE_XRAY_SEGMENTS_H

#include "idx/index_write.h"
#include "simd/simd.h"
#include "trace/xray/pass.h"

// The pass that makes an index: passes function records to pass->segments, as its events, and sets
// the fields after the pass for xray_segments_write_calls.
enum status xray_segments_run(struct xray_pass *pass, struct pass_result *result,
                              struct error *err);

// Afterwards: writes the calls of all lanes, one after the other. False: no memory.
bool xray_segments_write_calls(struct xray_pass *pass, struct index_writer *writer, enum simd simd);

#endif
