// The calls of an index, and the tasks: gathered in lists while they are matched, and written once
// the trace is at its end.
#ifndef TRAWL_SESSION_CALL_LISTS_H
#define TRAWL_SESSION_CALL_LISTS_H

#include "flow/call_list.h"
#include "flow/pass.h"
#include "idx/index_write.h"

// All zero is empty.
struct call_lists {
    struct call_list own, other; // as the reading matches them, and as the other does
    bool has_both, writes_other;
    VEC(, uint64_t) other_figures; // of SECTION_OTHER_CALLS
};

// Gives the consumers of the calls; without `has_both`, *other stays as it is. `calls` must stay
// where it is.
void call_lists_begin(struct call_lists *calls, bool has_both, struct call_consumer *own,
                      struct call_consumer *other);

void call_lists_free(struct call_lists *calls);

// Writes the calls of all lanes, and fills `lanes`, one for each of the result's. With
// `are_written`, the kind of the trace has written them. False: no memory.
bool call_lists_write(struct call_lists *calls, struct index_writer *writer,
                      const struct pass_result *result, bool are_written, struct index_lane *lanes);

// Writes the sections that tell of calls and tasks, after index_writer_end. False: no memory.
bool call_lists_write_sections(const struct call_lists *calls, struct index_writer *writer,
                               const struct pass_result *result);

#endif
