// The registers of an Arm core under the names that users and viewers use: SECTION_LAYOUT of an
// index.
#ifndef TRAWL_ARCH_ARM_REGISTER_LAYOUT_H
#define TRAWL_ARCH_ARM_REGISTER_LAYOUT_H

#include "flow/reading.h"
#include "flow/register_names.h"
#include "idx/register_layout.h"

enum { ISA_A32, ISA_T32, ISA_A64 };

// In the order in which they are shown. Names are those of register_find, and additionally sp (xsp,
// or r13 outside AArch64), lr (x30 or r14) and pc.
extern const struct register_table tarmac_registers;

// Writes the section, including the registers that the trace named. False: no memory.
bool tarmac_layout_write(struct parts_writer *parts, const struct register_names *names,
                         enum reading reading);

#endif
