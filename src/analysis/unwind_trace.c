#include "analysis/unwind_trace.h"

#include "analysis/point.h"

#include <elf.h>

enum { INSTRUCTION_BYTES = 4, DWARF_FP = 29, DWARF_SP = 31 };

// --- What the unwinder asks ----------------------------------------------------------------------

static bool read_at(struct unwind_trace *trace, uint64_t event, const struct trawl_register *which,
                    uint64_t *value)
{
    struct point_registers registers = {.view = trace->view, .lane = trace->lane, .event = event};
    const struct expression_registers reader = point_registers(&registers);
    bool is_known = which->size_bytes <= sizeof *value && reader.read(reader.self, which, value);
    if (registers.has_failed) {
        trace->has_failed = true;
        trace->err = registers.err;
    }
    return is_known;
}

static bool read_numbered(struct unwind_trace *trace, uint64_t event, uint32_t number,
                          uint64_t *value)
{
    const struct trawl_register *which = &trace->registers[number];
    return which->size_bytes && read_at(trace, event, which, value);
}

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    struct unwind_trace *trace = self;
    return number <= DWARF_SP && read_numbered(trace, trace->event, number, value);
}

static bool read_memory(void *self, uint64_t address, uint64_t *value)
{
    struct unwind_trace *trace = self;
    uint8_t bytes[8], known[8];
    struct trawl_error from;
    enum trawl_status status =
        trawl_memory(trace->view->index, trace->event, address, sizeof bytes, bytes, known, &from);
    if (index_view_status(status, &from, &trace->err) != STATUS_OK) {
        trace->has_failed = true;
        return false;
    }
    *value = sframe_load(bytes, sizeof bytes, trace->abi == SFRAME_AARCH64_BIG);
    return !memchr(known, 0, sizeof known);
}

static const struct sframe_rule *find_rule(void *self, uint64_t pc)
{
    return unwind_rules_find(&((const struct unwind_trace *)self)->rules, pc);
}

static bool is_code(void *self, uint64_t pc)
{
    return unwind_rules_is_code(&((const struct unwind_trace *)self)->rules, pc);
}

static bool find_function(void *self, uint64_t pc, uint64_t *start)
{
    return unwind_rules_function(&((const struct unwind_trace *)self)->rules, pc, start);
}

// --- Opening -------------------------------------------------------------------------------------

// Those that the trace does not have stay without bytes.
static void find_registers(struct unwind_trace *trace)
{
    enum { AARCH64 = 2 };
    const struct trawl_index *index = trace->view->index;
    for (uint32_t i = 0; i < ARRAY_COUNT(trace->registers); i++)
        trawl_register_of_dwarf(index, AARCH64, i, &trace->registers[i], NULL);
    trawl_register_with(index, AARCH64, TRAWL_REGISTER_PC, &trace->pc, NULL);
}

static enum status open_calls(struct unwind_trace *trace, const struct image_set *images,
                              const struct sframe_faults *faults, struct error *err)
{
    static const unsigned abis[2] = {SFRAME_AARCH64_LITTLE, SFRAME_AARCH64_BIG};
    enum status status = unwind_rules_open(&trace->rules, images, abis, faults, err);
    if (status == STATUS_OK && trace->rules.abi == 0)
        status = error_set(err, STATUS_NOT_FOUND, "no AArch64 image with SFrame is given");
    trace->abi = trace->rules.abi;
    return status;
}

// The ABI of the machine that the snapshots are of; 0: none that is known.
static unsigned abi_of(const struct trawl_info *info)
{
    bool is_big_endian = info->options & TRAWL_BIG_ENDIAN;
    switch (info->machine) {
    case EM_X86_64:
        return SFRAME_AMD64;
    case EM_AARCH64:
        return is_big_endian ? SFRAME_AARCH64_BIG : SFRAME_AARCH64_LITTLE;
    default:
        return 0;
    }
}

static enum status open_snapshots(struct unwind_trace *trace, const struct image_set *images,
                                  bool use_sframe, const struct sframe_faults *faults,
                                  struct error *err)
{
    trace->abi = abi_of(&trace->view->info);
    if (!trace->abi)
        return error_set(err, STATUS_INPUT,
                         "stacks can be unwound of x86-64 and AArch64, not of this machine");
    const unsigned abi = use_sframe ? trace->abi : 0, abis[2] = {abi, abi};
    return unwind_rules_open(&trace->rules, images, abis, faults, err);
}

enum status unwind_trace_open(struct unwind_trace *trace, const struct index_view *view,
                              const struct image_set *images, bool use_sframe,
                              const struct sframe_faults *faults, struct error *err)
{
    *trace = (struct unwind_trace){.view = view, .is_of_snapshots = index_view_has_snapshots(view)};
    find_registers(trace);
    enum status status = trace->is_of_snapshots
                             ? open_snapshots(trace, images, use_sframe, faults, err)
                             : open_calls(trace, images, faults, err);
    if (status != STATUS_OK)
        unwind_trace_free(trace);
    return status;
}

bool unwind_trace_has_sframe(const struct unwind_trace *trace)
{
    return trace->rules.abi != 0;
}

void unwind_trace_free(struct unwind_trace *trace)
{
    unwind_rules_free(&trace->rules);
    *trace = (struct unwind_trace){0};
}

// --- The calls of the trace ----------------------------------------------------------------------

static bool note(struct unwind_trace *trace, enum trawl_status status,
                 const struct trawl_error *from)
{
    if (status == TRAWL_NOT_FOUND)
        return false;
    bool is_fine = index_view_status(status, from, &trace->err) == STATUS_OK;
    trace->has_failed |= !is_fine;
    return is_fine;
}

// The call that one took the place of, and so on back to the one that was called: who called that
// is where all of them return to.
static bool first_in_place(struct unwind_trace *trace, const struct trawl_call *call,
                           struct trawl_call *first)
{
    struct trawl_error from;
    *first = *call;
    while (first->how & TRAWL_CALL_TAIL_ENTRY && first->entry > 0) {
        uint64_t entry = first->entry;
        if (!note(trace, trawl_call_at(trace->view->index, trace->lane, entry - 1, first, &from),
                  &from) ||
            first->entry >= entry)
            return false;
    }
    return first->entry > 0;
}

// The instruction that a call was made by; false: it is none, or the index cannot be read.
static bool site_of(struct unwind_trace *trace, const struct trawl_call *call,
                    struct trawl_event *site)
{
    struct trawl_error from;
    struct trawl_call first;
    uint64_t event;
    if (!first_in_place(trace, call, &first))
        return false;
    enum trawl_status status =
        trawl_event_of_lane(trace->view->index, trace->lane, first.entry - 1, &event, &from);
    if (status == TRAWL_OK)
        status = trawl_event(trace->view->index, event, site, &from);
    return note(trace, status, &from) && site->flags & TRAWL_HAS_INSTRUCTION;
}

// Goes to the call around the one that is there.
static void go_outward(struct unwind_trace *trace)
{
    struct trawl_error from;
    trace->has_call =
        trace->call.parent != TRAWL_NONE &&
        note(trace,
             trawl_call(trace->view->index, trace->lane, trace->call.parent, &trace->call, &from),
             &from);
}

// The call that goes on after the point.
static void begin_calls(struct unwind_trace *trace, const struct trawl_event *at)
{
    struct trawl_error from;
    uint64_t next = at->in_lane + (at->in_lane + 1 < trace->view->lanes[trace->lane].events);
    trace->has_call = note(
        trace, trawl_call_at(trace->view->index, trace->lane, next, &trace->call, &from), &from);
}

// The caller as it stood when it made the call: after the instruction that did.
static bool caller_of(struct unwind_trace *trace, const struct trawl_call *call,
                      struct unwind_frame *caller)
{
    struct trawl_event site;
    if (!site_of(trace, call, &site))
        return false;
    caller->pc = site.pc + INSTRUCTION_BYTES;
    caller->has_fp = read_numbered(trace, site.event, DWARF_FP, &caller->fp);
    return read_numbered(trace, site.event, DWARF_SP, &caller->sp);
}

// The innermost frame is in the call at the point; another one made the call that left its PC and
// SP, and is in the call around that. Of a function that got there by a tail call, or that never
// returns, calls do not tell.
static bool find_caller(void *self, const struct unwind_frame *frame, struct unwind_frame *caller)
{
    struct unwind_trace *trace = self;
    bool is_found = frame->source == UNWIND_REGISTERS;
    if (!is_found && !frame->is_return_address)
        return false;
    for (; trace->has_call && !is_found; go_outward(trace))
        is_found = caller_of(trace, &trace->call, caller) && caller->pc == frame->pc &&
                   caller->sp == frame->sp;
    uint64_t start;
    return is_found && trace->has_call && find_function(self, unwind_lookup_pc(frame), &start) &&
           start == (trace->call.pc & ~UINT64_C(1)) && caller_of(trace, &trace->call, caller);
}

// Adds the callers of the last frame. The calls around the point tell all of them; those that are
// there already are passed over up to the one that returns to where the last frame goes on.
static void add_callers(struct unwind_trace *trace, struct unwind_stack *stack)
{
    uint64_t last = stack->frames[stack->count - 1].pc;
    bool is_found = stack->count == 1;
    struct trawl_event site;
    for (; trace->has_call && stack->count < stack->capacity; go_outward(trace)) {
        if (!site_of(trace, &trace->call, &site))
            return;
        uint64_t pc = site.pc + INSTRUCTION_BYTES;
        if (is_found)
            stack->frames[stack->count++] =
                (struct unwind_frame){.pc = pc, .is_return_address = true, .source = UNWIND_CALLS};
        is_found |= pc == last;
    }
}

// --- A stack -------------------------------------------------------------------------------------

static bool is_main(const struct unwind_trace *trace, const struct unwind_frame *frame)
{
    struct image_symbol place;
    return image_set_by_address(trace->rules.images, unwind_lookup_pc(frame), &place) &&
           strcmp(place.symbol->name, "main") == 0;
}

// A stack that is lost where libc begins, which nobody gave, ends at main.
static void end_at_main(struct unwind_trace *trace, struct unwind_stack *stack)
{
    if (stack->end != UNWIND_NO_RULE)
        return;
    size_t count = stack->count;
    if (count > 1 && !is_code(trace, unwind_lookup_pc(&stack->frames[count - 1])))
        count--;
    if (!is_main(trace, &stack->frames[count - 1]))
        return;
    stack->count = count;
    stack->end = UNWIND_OUTERMOST;
}

// From the registers and memory of a snapshot alone.
static void unwind_snapshot(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack)
{
    const struct unwind_reader reader = {trace,   read_register, read_memory, find_rule,
                                         is_code, find_function, NULL};
    stack->count = 0;
    if (!(at->flags & TRAWL_HAS_INSTRUCTION))
        return;
    unwind(stack, &reader, trace->abi, at->pc);
    if (stack->count)
        end_at_main(trace, stack);
}

// Where the trace ends nobody knows what would have come next.
static void unwind_with_calls(struct unwind_trace *trace, const struct trawl_event *at,
                              struct unwind_stack *stack)
{
    const struct unwind_reader reader = {trace,   read_register, read_memory, find_rule,
                                         is_code, find_function, find_caller};
    uint64_t pc;
    if (!read_at(trace, at->event, &trace->pc, &pc))
        pc = at->pc & ~UINT64_C(1);
    begin_calls(trace, at);
    unwind(stack, &reader, trace->abi, pc);
    bool is_early = stack->end != UNWIND_OUTERMOST && stack->end != UNWIND_TOO_DEEP;
    if (is_early && !trace->has_failed) {
        begin_calls(trace, at);
        add_callers(trace, stack);
    }
}

enum status unwind_trace_at(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack, struct error *err)
{
    trace->lane = at->lane;
    trace->event = at->event;
    trace->has_failed = false;
    (trace->is_of_snapshots ? unwind_snapshot : unwind_with_calls)(trace, at, stack);
    if (trace->has_failed && err)
        *err = trace->err;
    return trace->has_failed ? trace->err.status : STATUS_OK;
}
