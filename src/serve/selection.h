// Ranges of a lane in requests, and what a pass finds in one: calling contexts, for profile, flame
// graph and call tree, and counts of instructions.
//
// A pass reads the whole range, so the result for the last requested range is kept: a page asks for
// its profile, its flame graph and its callers one after the other. One result at a time bounds the
// memory, so other requests wait meanwhile; a pass whose client has gone ends early.
#ifndef TRAWL_SERVE_SELECTION_H
#define TRAWL_SERVE_SELECTION_H

#include "flow/pc_counts.h"
#include "serve/request.h"
#include "serve/request_context.h"
#include "session/lane_contexts.h"

// How places are counted: by the events of the lane, by those of all lanes in their order in the
// trace, or by times.
enum stretch_axis { STRETCH_EVENTS, STRETCH_ORDER, STRETCH_TIME };

// A range of a lane: from a place up to before another.
struct stretch {
    uint64_t lane;
    enum stretch_axis axis;
    uint64_t from, to; // from < to
};

// Reads `lane`, `by`, `from` and `to`; by default all of the first lane.
enum status stretch_read(const struct request *request, const struct request_context *context,
                         struct stretch *stretch, struct error *err);

// How many events of the lane are before a place.
enum status stretch_events_before(const struct stretch *stretch, struct request_context *context,
                                  uint64_t place, uint64_t *count, struct error *err);

// The same for passes, which know a lane alone: its events instead of those of all
// (STATUS_NOT_FOUND: it has none there); times may be before and after it.
enum status stretch_read_for_pass(const struct request *request, struct request_context *context,
                                  struct stretch *stretch, struct error *err);

// Where column number `column` of `columns` equal parts ends.
uint64_t stretch_end_of(const struct stretch *stretch, uint64_t column, uint64_t columns);

struct selection;

// The contexts are those of the trace, and must outlive it. It stores at most `contexts_max`
// contexts.
enum status selection_open(struct selection **out, struct request_contexts *contexts,
                           size_t contexts_max, struct error *err);
void selection_close(struct selection *selection);

// The result, valid until selection_give_back; other requests wait meanwhile. STATUS_STOPPED: the
// request was abandoned; STATUS_LIMIT: there are too many contexts.
struct selected {
    const struct context_tree *tree;
    const uint32_t *roots;
    size_t root_count;
    struct names *names;
};

enum status selection_take(struct selection *selection, const struct stretch *stretch,
                           const struct request *request, struct selected *selected,
                           struct error *err);
// Returns `status`, or STATUS_MEMORY if there was no memory for names.
enum status selection_give_back(struct selection *selection, struct names *names,
                                enum status status, struct error *err);

// The counts of the instructions of a range, ascending by PC; given back likewise.
struct counted {
    const struct pc_count *counts;
    size_t count;
    struct names *names;
};

enum status selection_take_counts(struct selection *selection, const struct stretch *stretch,
                                  const struct request *request, struct counted *counted,
                                  struct error *err);

#endif
