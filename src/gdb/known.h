// What the conditions of breakpoints have read. A condition is asked at one visit after the other,
// in one direction: looking up each value in the index takes a microsecond, and one in here a
// twentieth.
//
// After some questions about a register or a place in memory in one segment of the index, all that
// it held there is read at once, a row for each write. A place in memory that is seldom written is
// kept from one write to the next, over segments. Traces that show physical addresses are asked
// each time, as an address can mean another place without a write.
#ifndef TRAWL_GDB_KNOWN_H
#define TRAWL_GDB_KNOWN_H

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
    bool is_plain;             // all its writes are stores of known values
    uint64_t value, known;     // before the first of them
    size_t count;
    uint64_t *columns; // events, values, known bytes: a row for each write
};

// A place in memory, and the events after which it is so.
struct gdb_stay {
    struct gdb_cell cell;
    uint64_t first, last;
    uint64_t value;
    bool is_known;
};

enum { GDB_HISTORIES = 8, GDB_STAYS = 16 };

// All zero is empty.
struct gdb_known {
    struct gdb_history histories[GDB_HISTORIES];
    size_t next; // to be replaced
    struct gdb_stay stays[GDB_STAYS];
};

void gdb_known_free(struct gdb_known *known);

// After addresses have got another meaning.
void gdb_known_forget_memory(struct gdb_known *known);

// What a cell holds after an event, the byte of the lowest address least significant.
// TRAWL_NOT_FOUND: not all of it is known.
enum trawl_status gdb_known_value(struct gdb_known *known, const struct index_view *view,
                                  const struct gdb_cell *cell, uint64_t event, bool is_back,
                                  uint64_t *value, struct trawl_error *err);

#endif
