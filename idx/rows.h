// Reads many rows at once, for code that walks through a whole index. Between the public functions
// and the private parts of the reader.
#ifndef TRAWL_IDX_ROWS_H
#define TRAWL_IDX_ROWS_H

#include "base/error.h"
#include "idx/column.h"
#include "idx/index_format.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// The columns of events that are needed.
enum event_column {
    ROWS_TIMES = 1 << 0,
    ROWS_LINES = 1 << 1,
    ROWS_POSITIONS = 1 << 2,
    ROWS_PCS = 1 << 3,
    ROWS_FLAGS = 1 << 4,
    ROWS_LANES = 1 << 5,
};

// The events [first, first + count) in one block of a segment.
struct event_rows {
    uint64_t first;
    size_t count;
    uint64_t times[COLUMN_BLOCK], lines[COLUMN_BLOCK], positions[COLUMN_BLOCK];
    uint64_t pcs[COLUMN_BLOCK], flags[COLUMN_BLOCK], lanes[COLUMN_BLOCK];
};

// Reads the block that contains `event`, which exists. PCs and flags include what later segments
// add to these events.
enum status index_event_rows(struct trawl_index *index, uint64_t event, unsigned columns,
                             struct event_rows *rows, struct error *err);

// Whether the filter of that block allows that it contains a visit to one of the addresses; *end:
// the end of the block.
enum status index_block_may_visit(struct trawl_index *index, uint64_t event, const uint64_t *pcs,
                                  size_t pc_count, bool *may, uint64_t *end, struct error *err);

// Visits of an instruction in one block of a segment, the nearest first.
struct visit_rows {
    size_t count;
    uint64_t events[COLUMN_BLOCK], lanes[COLUMN_BLOCK];
    uint64_t pcs[COLUMN_BLOCK]; // with code bit, in which they may differ from the one asked for
};

// The nearest visits as trawl_visit finds them in any lane, as many as the block of the first has.
// STATUS_NOT_FOUND: none.
enum status index_visits(struct trawl_index *index, uint64_t pc, uint64_t event,
                         enum trawl_direction direction, struct visit_rows *rows,
                         struct error *err);

// Calls [first, first + count) of a lane, in preorder.
struct call_rows {
    uint64_t first;
    size_t count;
    size_t room; // the capacity; limited, because there is one of these for each of many lanes
    uint64_t *entries, *lengths, *depths;
    uint64_t *pcs, *open, *how;
    uint64_t *before; // the number of events from its begin to its entry, if it continues
    uint64_t cells[]; // the memory of all columns
};

// An empty buffer for a lane of `call_count` calls, with room for a block or for all, whichever is
// smaller. The caller frees it. NULL: no memory.
struct call_rows *call_rows_make(uint64_t call_count);

// Selects the calls that trawl_lane, trawl_call and other functions return: those found by the
// rules of Arm's Tarmac Trace Utilities, or our own. The default is the reading with which the
// index was made. If the index has only one list, both readings find the same calls.
void index_choose_calls(struct trawl_index *index, bool of_ttu);

// The number of returns from calls that are not in the trace, for the chosen reading.
uint64_t index_unmatched_returns(const struct trawl_index *index, uint64_t lane);

// Reads as many calls from `call` on as are in one block; at least `call` itself, which must exist.
enum status index_call_rows(struct trawl_index *index, uint64_t lane, uint64_t call,
                            struct call_rows *rows, struct error *err);

// The parts of an optional section; *is_there: whether it is present.
enum status index_find_section(const struct trawl_index *index, enum index_section number,
                               struct parts *parts, bool *is_there, struct error *err);

#endif
