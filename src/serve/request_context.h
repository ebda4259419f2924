// The tools of a request: its own index handle, names and browser, because each of these serves one
// thread at a time. A trace has a few contexts, which requests use in turn.
#ifndef TRAWL_SERVE_REQUEST_CONTEXT_H
#define TRAWL_SERVE_REQUEST_CONTEXT_H

#include "browse/browser.h"

struct request_context {
    struct session session;
    struct browse_source source;
    struct timeline timeline;
    struct browser browser;
    struct screen screen;
    size_t lane;                  // shown by default; 0: all
    struct request_context *next; // of free contexts
};

struct source_search;
struct request_contexts;

// The session must have a view of its index and outlive the contexts; so must `sources`.
struct request_contexts_plan {
    const struct session *session;
    const struct source_search *source_search;
    unsigned count_max;
};

enum status request_contexts_open(struct request_contexts **out,
                                  const struct request_contexts_plan *plan, struct error *err);
// All contexts must have been given back.
void request_contexts_close(struct request_contexts *contexts);

// Takes a free context, or a new one, or waits for one. Nothing is folded on it, and no lane is
// left out.
enum status request_contexts_take(struct request_contexts *contexts,
                                  struct request_context **context, struct error *err);
void request_contexts_give_back(struct request_contexts *contexts, struct request_context *context);

// The failure while the context was used, after which the context is unusable. False: none.
bool request_context_failed(struct request_context *context, struct error *err);

#endif
