// SECTION_TFILE of an index: what registers and variables of a trace file are called, and where
// they lie in the space of registers.
#ifndef TRAWL_TRACE_TFILE_SECTION_H
#define TRAWL_TRACE_TFILE_SECTION_H

#include "trace/tfile/pass.h"

struct parts_writer;

// The section, behind a pass. False: no memory.
bool tfile_section_write(const struct tfile_pass *pass, struct parts_writer *parts);

#endif
