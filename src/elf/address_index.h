// Finds which of many nested and overlapping spans names an address: by the rule of Arm's Tarmac
// Trace Utilities, in one binary search.
#ifndef TRAWL_ELF_ADDRESS_INDEX_H
#define TRAWL_ELF_ADDRESS_INDEX_H

#include "base/base.h"
#include "base/vec.h"

VEC(address_vec, uint64_t);

// What names an address that is in no span: the first span at the highest start below it, whatever
// its size, or nothing.
enum address_gaps { ADDRESS_GAPS_TO_NEAREST, ADDRESS_GAPS_UNNAMED };

// `size` bytes from `start`; a span that passes the end of the address space ends there. A span
// without a size is only a starting point. Of spans with one start the one with the lowest `id`
// comes first. UINT32_MAX is no id.
struct address_span {
    uint64_t start;
    uint64_t size;
    uint32_t id;
};

// The address space cut into ranges that have one answer each: range i goes from starts[i] to the
// next start, and its answer is ids[i]. Addresses below starts[0] have none.
struct address_index {
    uint64_t *starts;
    uint32_t *ids;
    size_t count;
};

// Builds the index in O(n log n); sorts `spans` by start and id. False: no memory; `out` is then
// empty. Freed by address_index_free.
bool address_index_build(struct address_index *out, struct address_span *spans, size_t count,
                         enum address_gaps gaps);

void address_index_free(struct address_index *index);

// Goes through the starts at or below `address` from the highest down, at each by id: the first
// span with a size that contains `address` is the answer, else what the gaps are named by. False
// when that is nothing, or no span starts at or below `address`. O(log n).
bool address_index_find(const struct address_index *index, uint64_t address, uint32_t *id);

#endif
