// The registers of an Arm core by what users and viewers call them: SECTION_LAYOUT of an index.
#ifndef TRAWL_TRACE_TARMAC_REGISTER_LAYOUT_H
#define TRAWL_TRACE_TARMAC_REGISTER_LAYOUT_H

#include "flow/register_names.h"
#include "idx/register_layout.h"

enum { ISA_A32, ISA_T32, ISA_A64 };

// In the order in which they are shown. Names are where register_find has them, and besides there
// are sp (xsp, or r13 outside AArch64), lr (x30 or r14) and pc.
extern const struct register_table tarmac_registers;

// Writes the section, with the registers that the trace named. False: no memory.
bool tarmac_layout_write(struct parts_writer *parts, const struct register_names *names);

#endif
