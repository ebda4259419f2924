// Stacks of an indexed trace: supplies registers and memory at a point to unwind/unwind.h, and
// continues with the calls that the trace shows if unwinding ends early. For snapshots, which show
// no calls, a stack ends where the collected data ends, or at main.
#ifndef TRAWL_UNWIND_UNWIND_TRACE_H
#define TRAWL_UNWIND_UNWIND_TRACE_H

#include "trace/index_view.h"
#include "unwind/unwind.h"
#include "unwind/unwind_rules.h"

enum { UNWIND_TRACE_REGISTERS = 32 };

struct unwind_trace {
    const struct index_view *view;
    struct unwind_rules rules;
    unsigned abi; // at the point; 0: unknown
    bool is_of_snapshots, is_big_endian;
    // By instruction set (TRAWL_ISA) and number in DWARF; the PC by instruction set.
    struct trawl_register registers[3][UNWIND_TRACE_REGISTERS];
    struct trawl_register pc[3];
    uint32_t isa;
    uint64_t lane, event; // the point
    uint64_t frame_event; // where registers are read: the point, or where the caller made its call
    // The innermost call around the current frame; calls are followed outward only.
    struct trawl_call call;
    bool has_call;
    bool has_activation; // `call` belongs to the frame with this PC and SP
    uint64_t activation_pc, activation_sp;
    uint64_t activation_site; // its calling instruction, or its last one before an interruption
    struct trawl_call caller_call;      // made by the last caller found
    uint64_t caller_event, caller_site; // its event then, and the PC of its instruction
    uint32_t caller_isa;
    struct error err; // of reading the index
    bool has_failed;
};

// Opens the rules of all images. Damage is reported to `faults`. View and images must outlive it.
// STATUS_INPUT: snapshots of an unknown machine.
enum status unwind_trace_open(struct unwind_trace *trace, const struct index_view *view,
                              const struct image_set *images, const struct unwind_faults *faults,
                              struct error *err);

// Whether any image of the trace's machines has rules of a source (unwind_rules_have).
bool unwind_trace_has(struct unwind_trace *trace, enum unwind_source source);
void unwind_trace_free(struct unwind_trace *trace);

// The stack of a lane after the event, which must be one of the lane's, from the source
// stack->first on. Fails only if the index does; the stack tells why it ends early. A snapshot
// without a PC has no frames: stack->count is 0.
enum status unwind_trace_at(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack, struct error *err);

// What the calls of the trace tell about a frame.
enum unwind_activation {
    UNWIND_NO_ACTIVATION,
    UNWIND_ACTIVATION_OF_CALL,
    UNWIND_ACTIVATION_OF_ROOT, // the lane began in it
};

// Starts queries about the frames of the stack at the event, which must go from the innermost
// outward: to which call a frame belongs, and its PC there.
void unwind_trace_begin(struct unwind_trace *trace, const struct trawl_event *at);
enum unwind_activation unwind_trace_activation(struct unwind_trace *trace,
                                               const struct unwind_frame *frame,
                                               struct trawl_call *call, uint64_t *site_pc);

#endif
