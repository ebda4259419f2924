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

// A range of a lane: from a place up to before another, by the numbers of events in the lane or by
// times.
struct stretch {
    uint64_t lane;
    bool is_by_time;
    uint64_t from, to; // from < to
};

// Reads `lane`, `by`, `from` and `to`; by default all of the first lane.
enum status stretch_read(const struct request *request, const struct request_context *context,
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
