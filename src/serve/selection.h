// The calling contexts of a stretch of a trace, which profile, flame graph and call tree are ways
// to look at. They take a pass over the index, so those of the last stretch that was asked for are
// kept.
#ifndef TRAWL_SERVE_SELECTION_H
#define TRAWL_SERVE_SELECTION_H

#include "flow/pc_counts.h"
#include "serve/desk.h"
#include "session/lane_contexts.h"

struct request;
struct selection;
struct stretch;

// The desks are those of the trace, and stay open as long. It keeps so many contexts at most.
enum status selection_open(struct selection **out, struct desks *desks, size_t contexts_max,
                           struct error *err);
void selection_close(struct selection *selection);

// What was found, until selection_give_back: nobody else asks for another meanwhile.
// STATUS_STOPPED: the request was abandoned before that; STATUS_LIMIT: there are too many contexts.
struct selected {
    const struct context_tree *tree;
    const uint32_t *roots;
    size_t root_count;
    struct names *names;
};

enum status selection_take(struct selection *selection, const struct stretch *stretch,
                           const struct request *request, struct selected *selected,
                           struct error *err);
// What has become of the answer: `status`, or STATUS_MEMORY where names lacked it.
enum status selection_give_back(struct selection *selection, struct names *names,
                                enum status status, struct error *err);

// What was counted of the instructions of a stretch, ascending by PC; given back likewise.
struct counted {
    const struct pc_count *counts;
    size_t count;
    struct names *names;
};

enum status selection_take_counts(struct selection *selection, const struct stretch *stretch,
                                  const struct request *request, struct counted *counted,
                                  struct error *err);

#endif
