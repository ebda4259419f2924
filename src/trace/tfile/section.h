// The sections of an index that a trace file has: SECTION_LAYOUT, its registers and variables, and
// SECTION_TFILE, what else is to be known of them.
#ifndef TRAWL_TRACE_TFILE_SECTION_H
#define TRAWL_TRACE_TFILE_SECTION_H

#include "trace/tfile/pass.h"

struct parts_writer;

// After a pass. False: no memory.
bool tfile_section_write(const struct tfile_pass *pass, struct parts_writer *parts);
bool tfile_layout_write(const struct tfile_pass *pass, struct parts_writer *parts);

#endif
