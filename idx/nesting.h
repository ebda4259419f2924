// Calls that are not stored, but follow from the events (FORMAT.md, Nesting): each entry opens a
// call, and each exit closes the innermost one, except where the index says otherwise. A call then
// takes no bytes, and an exit none for its function.
//
// So the depth after each event is known, and all else follows from searching for the next or
// previous event after which it is not above some number: the end of a call, the call around it,
// the entry that an exit belongs to. Such a search skips blocks and segments whose least depth,
// which is stored, is greater.
#ifndef TRAWL_IDX_NESTING_H
#define TRAWL_IDX_NESTING_H

#include "idx/index.h"

// The functions below are for an index with index->is_nested. They may replace open segments.

// Call `number` of a lane, which must exist.
enum status nesting_call(struct trawl_index *index, uint64_t lane, uint64_t number,
                         struct trawl_call *about, struct error *err);

// Consecutive calls of a lane; a column that is NULL is not wanted.
struct nested_calls {
    uint64_t *entries, *exits; // counted in the lane
    uint64_t *depths, *pcs;
    uint64_t *parents; // TRAWL_NONE: none
    uint64_t *open;
};

// Calls [first, first + count) of a lane, which must exist, COLUMN_BLOCK at most.
enum status nesting_calls(struct trawl_index *index, uint64_t lane, uint64_t first, size_t count,
                          const struct nested_calls *calls, struct error *err);

// The number of the lane's calls that were entered at or before the event, counted in the lane,
// which has events.
enum status nesting_entered(struct trawl_index *index, uint64_t lane, uint64_t event,
                            uint64_t *count, struct error *err);

// The PCs of the entries from number `first` on, of all lanes: as many as are in one block of their
// column, at most COLUMN_BLOCK.
enum status nesting_entry_pcs(struct trawl_index *index, uint64_t first, uint64_t *pcs,
                              size_t *count, struct error *err);

// The PCs of `count` events of a segment from row `row` on. With `only_entries`, EVENT_WITHOUT_PC
// for exits.
enum status nesting_pcs(struct trawl_index *index, uint64_t segment, uint64_t row, size_t count,
                        bool only_entries, uint64_t *pcs, struct error *err);

// Whether a block of a segment has an entry with this PC.
enum status nesting_may_visit(struct trawl_index *index, uint64_t segment, uint64_t block,
                              uint64_t pc, bool *may, struct error *err);

// Whether what is stored of all blocks agrees with their events.
enum status nesting_verify(struct trawl_index *index, struct error *err);

#endif
