// What a call was given and what it returned.
#ifndef TRAWL_QUERY_CALL_VALUES_H
#define TRAWL_QUERY_CALL_VALUES_H

#include "query/point.h"

// The most arguments without a type that are shown.
enum { CALL_VALUES_ARGUMENTS = 4 };

// A call in an index.
struct call_place {
    uint64_t pc;          // of its function
    uint64_t lane, began; // the event of its entry, numbered in the lane
    uint64_t exit;        // its last event, if it returned; TRAWL_NONE: it did not
};

// The event of a call's entry, and the last event of its lane before it, after which its arguments
// are in their places. False: there is none.
bool call_values_entry(const struct index_view *view, uint64_t lane, uint64_t began,
                       struct trawl_event *entry, struct trawl_event *before);

// As text by the types of DWARF, otherwise the registers that have the first of them ("0x5 ?").
void call_values_put(const struct index_view *view, struct names *names,
                     const struct call_place *call, struct out *arguments, struct out *result);

#endif
