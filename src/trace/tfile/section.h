// The sections of a trace file in its index: SECTION_LAYOUT with its registers and variables, and
// SECTION_TFILE with the rest.
#ifndef TRAWL_TRACE_TFILE_SECTION_H
#define TRAWL_TRACE_TFILE_SECTION_H

#include "trace/tfile/pass.h"

struct parts_writer;

// Call after a pass. False: no memory.
bool tfile_section_write(const struct tfile_pass *pass, struct parts_writer *parts);
bool tfile_layout_write(const struct tfile_pass *pass, struct parts_writer *parts);

#endif
