// What the conditions of breakpoints have read. A condition is asked at one visit after the other,
// in one direction: looking up each value in the index takes half a microsecond and more, and one
// in here some ten nanoseconds.
//
// After a few questions about a register or a place in memory in one segment of the index, all that
// it held there is read at once, a row for each write, and each further question moves a cursor.
// Conditions that follow pointers read many places, so a few hundred are kept. Traces that show
// physical addresses are asked each time, as an address can mean another place without a write.
#ifndef TRAWL_GDB_KNOWN_H
#define TRAWL_GDB_KNOWN_H

#include "idx/memory_series.h"
#include "trace/index_view.h"

// At most 8 bytes of the register space of a lane, within an aligned word of it, or of memory.
struct gdb_cell {
    bool is_memory;
    uint64_t lane, address, size_bytes;
};

// All values of a cell in a segment.
struct gdb_history {
    struct gdb_cell cell;
    uint64_t asked, questions; // the segment of the last question, and how many were about it
    uint64_t first, end;       // events of the segment; equal: nothing was read
    size_t row;                // the cursor
    struct memory_series values;
};

enum { GDB_HISTORIES = 256 }; // a power of two

// All zero is empty.
struct gdb_known {
    struct gdb_history histories[GDB_HISTORIES]; // by a hash of the cell
    uint64_t row_count;                          // of all
};

void gdb_known_free(struct gdb_known *known);

// After addresses have got another meaning.
void gdb_known_forget_memory(struct gdb_known *known);

// What a cell holds after an event, the byte of the lowest address least significant.
// TRAWL_NOT_FOUND: not all of it is known.
enum trawl_status gdb_known_value(struct gdb_known *known, const struct index_view *view,
                                  const struct gdb_cell *cell, uint64_t event, uint64_t *value,
                                  struct trawl_error *err);

#endif
