// Stacks along an indexed trace: plugs registers and memory at a point into analysis/unwind.h, and
// goes on with the calls that the trace shows where that ends early. Of snapshots, which show no
// calls, a stack ends where what was collected does, or at main.
#ifndef TRAWL_ANALYSIS_UNWIND_TRACE_H
#define TRAWL_ANALYSIS_UNWIND_TRACE_H

#include "analysis/index_view.h"
#include "analysis/unwind.h"
#include "analysis/unwind_rules.h"

struct unwind_trace {
    const struct index_view *view;
    struct unwind_rules rules;
    unsigned abi;
    bool is_of_snapshots;
    struct trawl_register registers[32]; // by their numbers in DWARF
    struct trawl_register pc;
    uint64_t lane, event; // where reading stands
    // The innermost call around the frame that was reached; calls are followed outward only.
    struct trawl_call call;
    bool has_call;
    struct error err; // of the index, while reading
    bool has_failed;
};

// Makes the rules of all images of the machine that have SFrame, where it is to be used. What is
// damaged is told to `faults`. View and images must outlive the rest. Of a trace with calls, which
// is AArch64's: STATUS_NOT_FOUND where no image has SFrame. Of snapshots, frame pointers will do
// without: STATUS_INPUT where none is known of the machine.
enum status unwind_trace_open(struct unwind_trace *trace, const struct index_view *view,
                              const struct image_set *images, bool use_sframe,
                              const struct sframe_faults *faults, struct error *err);

// Whether some image has SFrame that is used.
bool unwind_trace_has_sframe(const struct unwind_trace *trace);
void unwind_trace_free(struct unwind_trace *trace);

// The stack of a lane after the event, which must be one of the lane's. Fails only where the index
// does; why a stack ends early stands in it. A snapshot without a PC has none: stack->count is 0.
enum status unwind_trace_at(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack, struct error *err);

#endif
