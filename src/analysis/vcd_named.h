// The values of registers that a trace names, core by core, for a VCD file.
#ifndef TRAWL_ANALYSIS_VCD_NAMED_H
#define TRAWL_ANALYSIS_VCD_NAMED_H

#include "analysis/vcd_core.h"
#include "flow/segment.h"

struct vcd_named_values {
    struct vcd_named_cell *cells; // of the first lane, then of the next one
    size_t lane_cells, lane_count;
};

// Allocates the registers of all lanes, all unknown. `named` NULL: none. False: no memory.
bool vcd_named_values_make(struct vcd_named_values *values, const struct register_names *named,
                           size_t lane_count);
void vcd_named_values_free(struct vcd_named_values *values);

// Both were made with the same arguments.
void vcd_named_values_copy(struct vcd_named_values *to, const struct vcd_named_values *from);

// The number of the register that a cell belongs to.
static inline uint32_t vcd_named_number(uint32_t cell)
{
    return (cell - REGISTER_CELLS) / NAMED_REGISTER_CELLS;
}

// Stores a write to a register that is shown; ignores others. Returns whether it is shown.
bool vcd_named_write(struct vcd_named_values *values, const struct segment_register *reg);

// Writes the value of register `number` of a lane, if all of it is known.
void vcd_named_put(const struct vcd_named_values *values, const struct vcd_core *core, size_t lane,
                   uint32_t number, struct out *out);

#endif
