// Stacks along an indexed trace, by the SFrame of its images: plugs registers and memory at a point
// into analysis/unwind.h, and goes on with the calls that the trace shows where that ends early.
#ifndef TRAWL_ANALYSIS_UNWIND_TRACE_H
#define TRAWL_ANALYSIS_UNWIND_TRACE_H

#include "analysis/index_view.h"
#include "analysis/unwind.h"
#include "analysis/unwind_rules.h"

struct unwind_trace {
    const struct index_view *view;
    struct unwind_rules rules;
    struct trawl_register registers[32]; // by their numbers in DWARF
    struct trawl_register pc;
    uint64_t lane, event; // where reading stands
    // The innermost call around the frame that was reached; calls are followed outward only.
    struct trawl_call call;
    bool has_call;
    struct error err; // of the index, while reading
    bool has_failed;
};

// Makes the rules of all AArch64 images that have SFrame. What is damaged is told to `faults`.
// STATUS_NOT_FOUND: none has. Session and images must outlive the rest.
enum status unwind_trace_open(struct unwind_trace *trace, const struct index_view *view,
                              const struct image_set *images, const struct sframe_faults *faults,
                              struct error *err);
void unwind_trace_free(struct unwind_trace *trace);

// The stack of a lane behind the event, which must be one of the lane's. Fails only where the index
// does; why a stack ends early stands in it.
enum status unwind_trace_at(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack, struct error *err);

#endif
