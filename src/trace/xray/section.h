// SECTION_XRAY of an index: the facts about an XRay log besides events and calls.
#ifndef TRAWL_TRACE_XRAY_SECTION_H
#define TRAWL_TRACE_XRAY_SECTION_H

#include "idx/trawl.h"
#include "trace/xray/pass.h"

struct parts_writer;

// Writes the section, after a pass that made segments. False: no memory.
bool xray_section_write(const struct xray_pass *pass, struct parts_writer *parts);

// Reads what the index of a log of `lane_count` lanes says about each lane besides its events
// (arguments, decreasing times ...), and about the log's damage.
enum status xray_section_read(struct trawl_index *index, size_t lane_count,
                              struct xray_lane_counts *lanes, struct trace_damage *damage,
                              struct error *err);

// Checks that all rows of events can be read, so that a pass does not fail in the middle of them.
enum status xray_section_check_rows(struct trawl_index *index, struct error *err);

#endif
