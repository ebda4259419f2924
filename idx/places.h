// Where virtual addresses are: the places in memory by which the index keeps it (FORMAT.md,
// Places). Questions give virtual addresses, as they mean them at an event of a lane; here they
// become places, and places in answers addresses. Private to the reader.
//
// A page is looked up in the address space that the lane has at the event: at its last access at or
// before the event, in any lane with that space, otherwise at the first after it. What tells spaces
// apart are registers, so nothing about spaces is stored: which one an access was made in follows
// from the registers at its event. A page that the space never shows is taken for that of another
// space; this is sure if all have it at one place (code that all share, a kernel), otherwise it is
// a guess, which is counted.
#ifndef TRAWL_IDX_PLACES_H
#define TRAWL_IDX_PLACES_H

#include "idx/index.h"

struct index_place {
    uint64_t place;      // of the byte
    uint64_t size_bytes; // up to the end of its page
    enum trawl_place_kind kind;
};

// The place of an address in the view that was chosen (trawl_see_memory), otherwise in that of the
// event's lane at it. TRAWL_START: the beginning of the trace.
enum status index_place(struct trawl_index *index, uint64_t event, uint64_t address,
                        struct index_place *found, struct error *err);

// Consecutive virtual addresses at consecutive places.
struct place_run {
    uint64_t address, place, size_bytes;
    enum trawl_place_kind kind;
};

struct place_runs {
    struct place_run *items;
    size_t count, capacity;
};

// The runs of the addresses [first, last] as they are at an event. The caller frees the items, also
// on failure. Of many pages, only those that the trace accesses.
enum status index_place_runs(struct trawl_index *index, uint64_t event, uint64_t first,
                             uint64_t last, struct place_runs *runs, struct error *err);

// Notes that an answer uses a place that is not sure (trawl_place_doubts).
void index_note_doubt(struct trawl_index *index, uint64_t address, const struct index_place *found);

// The virtual address of an access to a place at an event.
enum status index_address(struct trawl_index *index, uint64_t event, uint64_t place,
                          uint64_t *address, struct error *err);

// The virtual pages that the trace accesses, ascending. A search of many pages looks only at these.
enum status index_all_pages(struct trawl_index *index, const uint64_t **pages, size_t *count,
                            struct error *err);

#endif
