// SECTION_XRAY of an index: information about an XRay log in addition to events and calls.
#ifndef TRAWL_TRACE_XRAY_SECTION_H
#define TRAWL_TRACE_XRAY_SECTION_H

#include "idx/trawl.h"
#include "trace/xray/pass.h"

struct parts_writer;

// The section, after a pass that made segments. False: no memory.
bool xray_section_write(const struct xray_pass *pass, struct parts_writer *parts);

// What the index of a log of so many lanes tells of each beyond its events (arguments, falling
// times
// ...), and of the log's damage.
enum status xray_section_read(struct trawl_index *index, size_t lane_count,
                              struct xray_lane_counts *lanes, struct trace_damage *damage,
                              struct error *err);

// Whether all rows of events can be read, so that a pass over them does not end in their midst.
enum status xray_section_check_rows(struct trawl_index *index, struct error *err);

#endif
