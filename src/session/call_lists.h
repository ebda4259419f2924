// The calls of an index, and its tasks: collected in lists while they are matched, and written at
// the end of the trace.
#ifndef TRAWL_SESSION_CALL_LISTS_H
#define TRAWL_SESSION_CALL_LISTS_H

#include "flow/call_list.h"
#include "flow/pass.h"
#include "idx/index_write.h"

// All zero is empty.
struct call_lists {
    struct call_list own, other; // as matched by the reading in use, and by the other one
    bool has_both, writes_other;
    VEC(, uint64_t) other_figures; // of SECTION_OTHER_CALLS
};

// Returns the consumers of the calls. *other is not set without `has_both`. `calls` must not be
// moved.
void call_lists_begin(struct call_lists *calls, bool has_both, struct call_consumer *own,
                      struct call_consumer *other);

void call_lists_free(struct call_lists *calls);

// Writes the calls of all lanes, and fills `lanes`, one for each lane of the result. `are_nested`:
// the segments say how calls nest instead. False: no memory.
bool call_lists_write(struct call_lists *calls, struct index_writer *writer,
                      const struct pass_result *result, bool are_nested, struct index_lane *lanes);

// Writes the sections about calls, tasks and doubts, after index_writer_end. False: no memory.
bool call_lists_write_sections(const struct call_lists *calls, struct index_writer *writer,
                               const struct pass_result *result);

#endif
