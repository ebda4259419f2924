// Stacks of an indexed trace: supplies registers and memory at a point to unwind/unwind.h, and
// continues with the calls that the trace shows if unwinding ends early. For snapshots, which show
// no calls, a stack ends where the collected data ends, or at main.
#ifndef TRAWL_UNWIND_UNWIND_TRACE_H
#define TRAWL_UNWIND_UNWIND_TRACE_H

#include "elf/cfi.h"
#include "elf/exidx.h"
#include "elf/image_set.h"
#include "elf/sframe_flat.h"
#include "idx/trawl.h"
#include "trace/index_view.h"
#include "unwind/unwind.h"
#include "unwind/unwind_frame.h"

// --- unwind_rules.c ------------------------------------------------------------------------------

// Information from images about code, for unwinding (unwind/unwind.h): the rules of all images,
// and where code and functions begin.

// The rules of one image. Call frame information and exception tables are opened when a PC of the
// image is first looked up.
struct unwind_image {
    struct sframe_flat flat; // head is NULL if it has no SFrame
    struct cfi *cfi;         // NULL: none, or not yet
    struct exidx *exidx;
    bool is_asked; // these two were looked for
};

// Receives reports of damage; `what` is "SFrame", "DWARF" or ".ARM.exidx".
struct unwind_faults {
    void *self;
    void (*fault)(void *self, const char *what, const struct error *err);
};

// Fields are for reading.
struct unwind_rules {
    const struct image_set *images;
    struct unwind_image *of; // each image
    struct unwind_faults faults;
    struct frame_row row; // the last one from an exception table
    bool lacks_memory;    // some rule was not found for lack of memory
};

// Opens the rules of all images. Damage is reported to `faults`, also later. The images must
// outlive the rules, which are freed by unwind_rules_free in any case.
enum status unwind_rules_open(struct unwind_rules *rules, const struct image_set *images,
                              const struct unwind_faults *faults, struct error *err);
void unwind_rules_free(struct unwind_rules *rules);

// Whether any image of the machine (e_machine of ELF) has rules of that source: UNWIND_SFRAME,
// UNWIND_DWARF or UNWIND_EXIDX.
bool unwind_rules_have(struct unwind_rules *rules, unsigned machine, enum unwind_source source);

// For an unwind_reader: SFrame's rule and the row for a PC, whether it is in code, its function.
const struct sframe_rule *unwind_rules_find(const struct unwind_rules *rules, unsigned machine,
                                            uint64_t pc);
const struct frame_row *unwind_rules_row(struct unwind_rules *rules, unsigned machine,
                                         enum unwind_source source, uint64_t pc);
bool unwind_rules_is_code(const struct unwind_rules *rules, uint64_t pc);
bool unwind_rules_function(const struct unwind_rules *rules, uint64_t pc, uint64_t *start);

// --- unwind_trace.c ------------------------------------------------------------------------------

enum { UNWIND_TRACE_REGISTERS = 32 };

struct unwind_trace {
    const struct index_view *view;
    struct unwind_rules rules;
    const struct arch_frames *machine; // at the point
    bool is_of_snapshots, is_big_endian;
    // By instruction set (TRAWL_ISA) and number in DWARF; the PC by instruction set.
    struct trawl_register registers[ARCH_ISAS][UNWIND_TRACE_REGISTERS];
    struct trawl_register pc[ARCH_ISAS];
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

// --- unwind_doubt.c ------------------------------------------------------------------------------

// What the calls that a trace shows tell about an unwound stack: which functions PCs belong to,
// where interrupted code continues, and where the stack cannot be right, because a rule may not
// belong to the code that ran, and a frame pointer or a link register may be left over from
// elsewhere.

// --- The function of a call ----------------------------------------------------------------------

// Whether two PCs are in the same function; true if neither has a symbol.
bool call_is_same_function(const struct image_set *images, uint64_t a, uint64_t b);

// Whether a PC is in the function of a call, or in one that this continues in without a call:
// functions in assembly run into the next one, or branch there from their end.
bool call_has_pc(const struct image_set *images, const struct trawl_call *call, uint64_t pc);

// --- Doubts --------------------------------------------------------------------------------------

// Sets stack->doubt, for a stack after an event of its lane. Frames outside of all calls in the
// trace cannot be doubted.
enum status unwind_doubt_find(const struct index_view *view, const struct image_set *images,
                              const struct trawl_event *at, struct unwind_stack *stack,
                              struct error *err);

#endif
