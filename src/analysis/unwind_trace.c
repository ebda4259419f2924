#include "analysis/unwind_trace.h"

#include "analysis/point.h"

enum { INSTRUCTION_BYTES = 4, DWARF_SP = 31 };

// --- What the unwinder asks ----------------------------------------------------------------------

static bool read_place(struct unwind_trace *trace, uint32_t offset, uint64_t *value)
{
    struct point_registers registers = {
        .session = trace->session, .lane = trace->lane, .event = trace->event};
    const struct expression_registers reader = point_registers(&registers);
    bool is_known = reader.read(reader.self, (struct register_place){offset, 8}, value);
    if (registers.has_failed) {
        trace->has_failed = true;
        trace->err = registers.err;
    }
    return is_known;
}

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    if (number > DWARF_SP)
        return false;
    return read_place(
        self, (uint32_t)(number == DWARF_SP ? REGISTER_OFFSET_XSP : REGISTER_OFFSET_X(number)),
        value);
}

static bool read_memory(void *self, uint64_t address, uint64_t *value)
{
    struct unwind_trace *trace = self;
    uint8_t bytes[8], known[8];
    struct trawl_error from;
    enum trawl_status status = trawl_memory(trace->session->index, trace->event, address,
                                            sizeof bytes, bytes, known, &from);
    if (session_status(status, &from, &trace->err) != STATUS_OK) {
        trace->has_failed = true;
        return false;
    }
    *value = sframe_load(bytes, sizeof bytes, trace->rules.abi == SFRAME_AARCH64_BIG);
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

static bool is_entry(void *self, uint64_t pc)
{
    return unwind_rules_is_entry(&((const struct unwind_trace *)self)->rules, pc);
}

// --- Opening -------------------------------------------------------------------------------------

enum status unwind_trace_open(struct unwind_trace *trace, const struct session *session,
                              const struct image_set *images, const struct sframe_faults *faults,
                              struct error *err)
{
    static const unsigned abis[2] = {SFRAME_AARCH64_LITTLE, SFRAME_AARCH64_BIG};
    *trace = (struct unwind_trace){.session = session};
    enum status status = unwind_rules_open(&trace->rules, images, abis, faults, err);
    if (status == STATUS_OK && trace->rules.abi == 0)
        status = error_set(err, STATUS_NOT_FOUND, "no AArch64 image with SFrame is given");
    if (status != STATUS_OK)
        unwind_trace_free(trace);
    return status;
}

void unwind_trace_free(struct unwind_trace *trace)
{
    unwind_rules_free(&trace->rules);
    *trace = (struct unwind_trace){0};
}

// --- The calls of the trace ----------------------------------------------------------------------

// The PC of an event of the lane; false: it has none, or the index cannot be read.
static bool pc_of(struct unwind_trace *trace, uint64_t in_lane, uint64_t *pc)
{
    struct trawl_error from;
    struct trawl_event about;
    uint64_t event;
    enum trawl_status status =
        trawl_event_of_lane(trace->session->index, trace->lane, in_lane, &event, &from);
    if (status == TRAWL_OK)
        status = trawl_event(trace->session->index, event, &about, &from);
    if (session_status(status, &from, &trace->err) != STATUS_OK) {
        trace->has_failed = true;
        return false;
    }
    *pc = about.pc;
    return about.flags & TRAWL_HAS_INSTRUCTION;
}

// Adds the callers of the last frame. The calls around the point tell all of them; those that are
// there already are passed over up to the one that returns to where the last frame goes on.
static void add_callers(struct unwind_trace *trace, uint64_t in_lane, struct unwind_stack *stack)
{
    struct trawl_error from;
    struct trawl_call call;
    uint64_t last = stack->frames[stack->count - 1].pc, site;
    bool is_found = stack->count == 1;
    enum trawl_status status =
        trawl_call_at(trace->session->index, trace->lane, in_lane, &call, &from);
    while (status == TRAWL_OK && stack->count < stack->capacity) {
        if (!pc_of(trace, call.entry - 1, &site))
            return;
        if (is_found)
            stack->frames[stack->count++] = (struct unwind_frame){
                .pc = site + INSTRUCTION_BYTES, .is_return_address = true, .source = UNWIND_CALLS};
        is_found |= site + INSTRUCTION_BYTES == last;
        if (call.parent == TRAWL_NONE)
            return;
        status = trawl_call(trace->session->index, trace->lane, call.parent, &call, &from);
    }
    if (status != TRAWL_OK && status != TRAWL_NOT_FOUND) {
        session_status(status, &from, &trace->err);
        trace->has_failed = true;
    }
}

// --- A stack -------------------------------------------------------------------------------------

enum status unwind_trace_at(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack, struct error *err)
{
    const struct unwind_reader reader = {trace,     read_register, read_memory,
                                         find_rule, is_code,       is_entry};
    uint64_t pc;
    trace->lane = at->lane;
    trace->event = at->event;
    trace->has_failed = false;
    // Where the trace ends nobody knows what would have come next.
    if (!read_place(trace, REGISTER_OFFSET_PC, &pc))
        pc = at->pc & ~UINT64_C(1);
    unwind(stack, &reader, trace->rules.abi, pc);
    bool is_early = stack->end != UNWIND_OUTERMOST && stack->end != UNWIND_TOO_DEEP;
    if (is_early && !trace->has_failed)
        add_callers(trace, at->in_lane, stack);
    if (trace->has_failed && err)
        *err = trace->err;
    return trace->has_failed ? trace->err.status : STATUS_OK;
}
