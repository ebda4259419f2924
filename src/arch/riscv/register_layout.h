// The registers of a RISC-V hart under the names that users and viewers use: SECTION_LAYOUT of an
// index. Those of the architecture (x1) are shown, those of the ABI (ra) are known, too.
#ifndef TRAWL_ARCH_RISCV_REGISTER_LAYOUT_H
#define TRAWL_ARCH_RISCV_REGISTER_LAYOUT_H

#include "arch/riscv/registers.h"
#include "flow/register_names.h"
#include "idx/register_layout.h"

extern const struct register_table riscv_registers;

// Writes the section, including the registers that the trace named: control and status registers.
// Vector registers have names->vector_bytes; 0: there are none. False: no memory.
bool riscv_layout_write(struct parts_writer *parts, const struct register_names *names,
                        enum riscv_isa isa);

#endif
