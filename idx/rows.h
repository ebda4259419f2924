// Many rows at once, for those who walk through all of an index: between the public questions and
// the private parts of the reader.
#ifndef TRAWL_IDX_ROWS_H
#define TRAWL_IDX_ROWS_H

#include "base/error.h"
#include "idx/column.h"
#include "idx/index_format.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Which columns of events are wanted.
enum event_column {
    ROWS_TIMES = 1 << 0,
    ROWS_LINES = 1 << 1,
    ROWS_POSITIONS = 1 << 2,
    ROWS_PCS = 1 << 3,
    ROWS_FLAGS = 1 << 4,
    ROWS_LANES = 1 << 5,
};

// The events [first, first + count), one block of a segment.
struct event_rows {
    uint64_t first;
    size_t count;
    uint64_t times[COLUMN_BLOCK], lines[COLUMN_BLOCK], positions[COLUMN_BLOCK];
    uint64_t pcs[COLUMN_BLOCK], flags[COLUMN_BLOCK], lanes[COLUMN_BLOCK];
};

// Reads the block that holds `event`, which exists. What joined its events from later segments is
// added to PCs and flags.
enum status index_event_rows(struct trawl_index *index, uint64_t event, unsigned columns,
                             struct event_rows *rows, struct error *err);

// Whether that block may hold a visit to one of the addresses, by its filter; and where it ends.
enum status index_block_may_visit(struct trawl_index *index, uint64_t event, const uint64_t *pcs,
                                  size_t pc_count, bool *may, uint64_t *end, struct error *err);

// Calls [first, first + count) of a lane, in preorder.
struct call_rows {
    uint64_t first;
    size_t count;
    size_t room; // how many there may be; with many lanes, many such are next to each other
    uint64_t *entries, *lengths, *depths;
    uint64_t *pcs, *open, *how;
    uint64_t *before; // events from where it began to its entry, if it continues
    uint64_t cells[]; // of all of these
};

// Empty, for a lane of `call_count` calls: with room for a block, or for all if they are fewer.
// The caller frees it. NULL: no memory.
struct call_rows *call_rows_make(uint64_t call_count);

// Whose calls trawl_lane, trawl_call and the rest tell of: those that the rules of Arm's Tarmac
// Trace Utilities find, or our own. Without this, those of the reading that the index was made by;
// where it has no others, both find the same.
void index_choose_calls(struct trawl_index *index, bool of_ttu);

// Returns from calls that nobody saw, of the calls chosen.
uint64_t index_unmatched_returns(const struct trawl_index *index, uint64_t lane);

// Reads as many calls from `call` on as stand together; at least that one, which exists.
enum status index_call_rows(struct trawl_index *index, uint64_t lane, uint64_t call,
                            struct call_rows *rows, struct error *err);

// The parts of a section that may be left out; *is_there is false where it is.
enum status index_find_section(const struct trawl_index *index, enum index_section number,
                               struct parts *parts, bool *is_there, struct error *err);

#endif
