// When an exception became pending, as far as the trace shows it: software asked for it by a store.
//
// An exception stays pending from the first request after its handler was last entered to the entry
// of the handler. So the stores between two entries are looked at, back from the second: the
// earliest that asks, after the last that takes it back. Which exception a handler is for is in the
// machine's table of vectors.
#ifndef TRAWL_QUERY_IRQ_REQUEST_H
#define TRAWL_QUERY_IRQ_REQUEST_H

#include "arch/requests.h"
#include "trace/index_view.h"

// The number of the exception whose vector is `pc`, in the table that the machine has after an
// event; 0: it is not known, or several have it.
uint32_t irq_number(const struct index_view *view, uint64_t event, uint64_t pc);

struct irq_request {
    uint64_t event;
    const char *name; // of the register
};

// The request for an exception of a lane that was entered at event `entry`, and before that last at
// `before` (TRAWL_START: never). STATUS_NOT_FOUND: the trace shows none.
enum status irq_request_find(const struct index_view *view, uint64_t lane, uint32_t number,
                             uint64_t before, uint64_t entry, struct irq_request *request,
                             struct error *err);

#endif
