#include "unwind/unwind_trace.h"

#include "arch/arches.h"
#include "query/point.h"
#include "unwind/call_site.h"

enum { ANY_INSTRUCTION_BYTES = 4 };

// The frames of a core that executes an instruction set. Without rules, a stack comes from calls.
static const struct arch_frames *machine_of(const struct unwind_trace *trace, uint32_t isa)
{
    enum { NONE = FRAME_REGISTERS - 1 }; // which no trace has
    _Static_assert(NONE >= UNWIND_TRACE_REGISTERS, "the number of a register");
    static const struct arch_frames unknown = {
        .word_bytes = 8, .sp = NONE, .fp = NONE, .ra = NONE, .code_bit_fp = NONE};
    const struct arch_frames *frames = trace->view->arch->isas[isa].frames;
    return frames ? frames : &unknown;
}

// Whether pointers to code of an instruction set have the code bit.
static bool has_code_bit(const struct unwind_trace *trace, uint32_t isa)
{
    return machine_of(trace, isa)->has_code_bit && isa == 1;
}

// --- What the unwinder asks ----------------------------------------------------------------------

static bool read_numbered(struct unwind_trace *trace, uint64_t event, uint32_t isa, uint32_t number,
                          uint64_t *value)
{
    if (number >= UNWIND_TRACE_REGISTERS)
        return false;
    const struct trawl_register *which = &trace->registers[isa][number];
    if (!which->size_bytes)
        return false;
    struct point_registers registers = {.view = trace->view, .lane = trace->lane, .event = event};
    const struct expression_registers reader = point_registers(&registers);
    bool is_known = which->size_bytes <= sizeof *value && reader.read(reader.self, which, value);
    if (registers.has_failed) {
        trace->has_failed = true;
        trace->err = registers.err;
    }
    return is_known;
}

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    struct unwind_trace *trace = self;
    return read_numbered(trace, trace->frame_event, trace->isa, number, value);
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    struct unwind_trace *trace = self;
    uint8_t bytes[8], known[8];
    struct trawl_error from;
    enum trawl_status status =
        index_view_memory(trace->view, trace->event, address, size_bytes, bytes, known, &from);
    if (index_status(status, &from, &trace->err) != STATUS_OK) {
        trace->has_failed = true;
        return false;
    }
    *value = 0;
    for (unsigned i = 0; i < size_bytes; i++)
        *value = *value << 8 | bytes[trace->is_big_endian ? i : size_bytes - 1 - i];
    return !memchr(known, 0, size_bytes);
}

static const struct sframe_rule *find_rule(void *self, uint64_t pc)
{
    const struct unwind_trace *trace = self;
    return unwind_rules_find(&trace->rules, trace->machine->machine, pc);
}

static const struct frame_row *find_row(void *self, enum unwind_source source, uint64_t pc)
{
    struct unwind_trace *trace = self;
    return unwind_rules_row(&trace->rules, trace->machine->machine, source, pc);
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

static void set_isa(struct unwind_trace *trace, uint32_t isa)
{
    trace->isa = isa;
    trace->machine = machine_of(trace, isa);
}

// Moves to the event: its lane, and the machine at that time.
static void stand_at(struct unwind_trace *trace, const struct trawl_event *at)
{
    trace->lane = at->lane;
    trace->event = trace->frame_event = at->event;
    // The numbering of a snapshot applies in any state.
    set_isa(trace, trace->is_of_snapshots ? ARCH_ISA_64 : point_isa(trace->view, at));
}

enum status unwind_trace_open(struct unwind_trace *trace, const struct index_view *view,
                              const struct image_set *images, const struct unwind_faults *faults,
                              struct error *err)
{
    *trace = (struct unwind_trace){.view = view, .is_of_snapshots = index_view_has_snapshots(view)};
    trace->is_big_endian = view->info.options & TRAWL_BIG_ENDIAN;
    if (trace->is_of_snapshots && !view->arch->isas[ARCH_ISA_64].frames)
        return error_set(err, STATUS_INPUT, "stacks can be unwound only for " ARCHES_OF_SNAPSHOTS);
    // Registers that the trace does not have get no bytes.
    const struct trawl_index *index = trace->view->index;
    for (uint32_t isa = 0; isa < ARRAY_COUNT(trace->registers); isa++) {
        for (uint32_t i = 0; i < UNWIND_TRACE_REGISTERS; i++)
            trawl_register_of_dwarf(index, isa, i, &trace->registers[isa][i], NULL);
        trawl_register_with(index, isa, TRAWL_REGISTER_PC, &trace->pc[isa], NULL);
    }
    enum status status = unwind_rules_open(&trace->rules, images, faults, err);
    if (status != STATUS_OK)
        unwind_trace_free(trace);
    return status;
}

bool unwind_trace_has(struct unwind_trace *trace, enum unwind_source source)
{
    for (uint32_t isa = trace->is_of_snapshots ? ARCH_ISA_64 : 0; isa < ARCH_ISAS; isa++) {
        if (unwind_rules_have(&trace->rules, machine_of(trace, isa)->machine, source))
            return true;
    }
    return false;
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
    bool is_fine = index_status(status, from, &trace->err) == STATUS_OK;
    trace->has_failed |= !is_fine;
    return is_fine;
}

// Whether a step of an answer succeeded; failures of the index are recorded.
static bool took(struct unwind_trace *trace, enum status status, const struct error *err)
{
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) {
        trace->has_failed = true;
        trace->err = *err;
    }
    return status == STATUS_OK;
}

// The call that was really made, before tail calls replaced it, and the instruction that made it,
// or the last instruction of the code that it interrupted. False: there is none, or the index
// cannot be read.
static bool site_of(struct unwind_trace *trace, const struct trawl_call *call,
                    struct trawl_call *first, struct trawl_event *site)
{
    const struct index_view *view = trace->view;
    struct error err;
    enum status status = call_first_in_place(view, trace->lane, call, NULL, first, &err);
    if (!took(trace, status, &err))
        return false;
    if (first->how & TRAWL_CALL_EXCEPTION)
        status = call_interrupted_site(view, trace->lane, first, site, &err);
    else
        status = index_view_event_of_lane(view, trace->lane, first->began - 1, site, &err);
    return took(trace, status, &err) && site->flags & TRAWL_HAS_INSTRUCTION;
}

// Moves to the call around the current one.
static void go_outward(struct unwind_trace *trace)
{
    const struct trawl_call inner = trace->call;
    struct error err;
    trace->has_call =
        took(trace, call_around(trace->view, trace->lane, &inner, &trace->call, &err), &err);
}

// The call that continues after the point.
static void begin_calls(struct unwind_trace *trace, const struct trawl_event *at)
{
    struct trawl_error from;
    uint64_t next = at->in_lane + (at->in_lane + 1 < trace->view->lanes[trace->lane].events);
    trace->has_call = note(
        trace, trawl_call_at(trace->view->index, trace->lane, next, &trace->call, &from), &from);
}

// The link register after a call, if it is right after the instruction, whose size is not known.
static bool read_link(struct unwind_trace *trace, const struct trawl_event *site, uint64_t *pc)
{
    uint32_t isa = site->flags & TRAWL_ISA;
    const struct arch_isa *about = &trace->view->arch->isas[isa];
    if (!about->frames || about->least_bytes == ANY_INSTRUCTION_BYTES ||
        !read_numbered(trace, site->event, isa, about->frames->ra, pc))
        return false;
    uint64_t distance = (*pc & ~UINT64_C(1)) - (site->pc & ~UINT64_C(1));
    return distance == 2 || distance == 4;
}

// The call that returned to a function at the last event that it executed. False: none.
static bool find_returned(struct unwind_trace *trace, const struct trawl_call *around,
                          const struct trawl_event *last, struct trawl_event *site)
{
    struct trawl_call call, first;
    struct trawl_error from;
    struct error err;
    bool is_found = false;
    bool has_call = note(
        trace, trawl_call_at(trace->view->index, trace->lane, last->in_lane, &call, &from), &from);
    while (has_call && call.began != around->began && call.exit == last->in_lane) {
        if (!took(trace, call_first_in_place(trace->view, trace->lane, &call, NULL, &first, &err),
                  &err))
            return false;
        is_found = took(
            trace, index_view_event_of_lane(trace->view, trace->lane, first.began - 1, site, &err),
            &err);
        has_call = took(trace, call_around(trace->view, trace->lane, &call, &call, &err), &err);
    }
    return is_found;
}

// The place of a function whose next instruction is unknown: after the call that returned to it, or
// after its last instruction, which may have been longer than the least one.
static void stand_after(struct unwind_trace *trace, const struct trawl_call *around,
                        const struct trawl_event *last, struct unwind_frame *caller)
{
    struct trawl_event site;
    caller->is_return_address = around && find_returned(trace, around, last, &site);
    if (!caller->is_return_address)
        caller->pc = (last->pc & ~UINT64_C(1)) +
                     trace->view->arch->isas[last->flags & TRAWL_ISA].least_bytes;
    else if (read_link(trace, &site, &caller->pc))
        caller->pc &= ~UINT64_C(1);
    else
        caller->pc = (site.pc & ~UINT64_C(1)) + ANY_INSTRUCTION_BYTES;
}

// The place of the code that an exception interrupted. False: unknown.
static bool find_interrupted(struct unwind_trace *trace, const struct trawl_call *exception,
                             const struct trawl_event *site, struct unwind_frame *caller)
{
    struct trawl_call around;
    struct error err;
    bool has_around =
        took(trace, call_around(trace->view, trace->lane, exception, &around, &err), &err);
    caller->is_return_address = false;
    if (has_around && around.began == exception->began) {
        caller->pc = around.pc & ~UINT64_C(1); // called, but nothing executed yet
        return true;
    }
    if (took(trace, interrupted_at(trace->view, trace->lane, exception, &caller->pc, &err), &err) &&
        (!has_around || call_has_pc(trace->rules.images, &around, caller->pc)))
        return true;
    stand_after(trace, has_around ? &around : NULL, site, caller);
    if (!has_around || call_has_pc(trace->rules.images, &around, unwind_lookup_pc(caller)))
        return true;
    caller->pc = 0;
    return false;
}

// Stack pointers farther apart are on different stacks.
#define STACK_BYTES 0x10000

// Whether a call came to another stack, which only calls between security states do.
static bool changes_stack(struct unwind_trace *trace, const struct trawl_call *call, uint32_t isa,
                          uint64_t sp)
{
    struct trawl_event entry;
    struct error err;
    uint64_t inside;
    if (!machine_of(trace, isa)->has_ones_at_reset || call->how & TRAWL_CALL_EXCEPTION ||
        !took(trace, index_view_event_of_lane(trace->view, trace->lane, call->began, &entry, &err),
              &err) ||
        !read_numbered(trace, entry.event, isa, machine_of(trace, isa)->sp, &inside))
        return false;
    return (inside < sp ? sp - inside : inside - sp) > STACK_BYTES;
}

// The caller at the time of the call: after the calling instruction.
static bool caller_of(struct unwind_trace *trace, const struct trawl_call *call,
                      struct unwind_frame *caller)
{
    struct trawl_call *first = &trace->caller_call;
    struct trawl_event site;
    if (!site_of(trace, call, first, &site)) {
        // A task that was interrupted before it executed anything is at its beginning, with the
        // stack and the registers set by its creator.
        const struct index_view *view = trace->view;
        struct trawl_call around;
        struct trawl_task_run run;
        struct trawl_task task;
        struct trawl_event before;
        struct trawl_error from;
        struct error err;
        if (!(first->how & TRAWL_CALL_EXCEPTION) ||
            !took(trace, call_around(view, trace->lane, first, &around, &err), &err) ||
            !(around.how & TRAWL_CALL_TASK) || around.began != first->began ||
            !took(trace,
                  index_view_event_of_lane(view, trace->lane, first->began - 1, &before, &err),
                  &err) ||
            !note(trace, trawl_task_run_at(view->index, trace->lane, first->began, &run, &from),
                  &from) ||
            !note(trace, trawl_task(view->index, trace->lane, run.task, &task, &from), &from))
            return false;
        trace->caller_isa = arch_isa_at(view->arch, before.flags & TRAWL_ISA, around.pc);
        *caller = (struct unwind_frame){.pc = around.pc & ~UINT64_C(1), .sp = task.stack};
        caller->has_code_bit = has_code_bit(trace, trace->caller_isa);
        trace->caller_event = before.event;
        trace->caller_site = caller->pc;
        return task.stack != TRAWL_NONE;
    }
    uint32_t isa = site.flags & TRAWL_ISA;
    caller->is_return_address = true;
    caller->has_code_bit = has_code_bit(trace, isa);
    if (first->how & TRAWL_CALL_EXCEPTION) {
        if (!find_interrupted(trace, first, &site, caller))
            return false;
    } else if (read_link(trace, &site, &caller->pc)) {
        caller->pc &= ~UINT64_C(1);
    } else {
        caller->pc = (site.pc & ~UINT64_C(1)) + ANY_INSTRUCTION_BYTES;
    }
    trace->caller_event = site.event;
    trace->caller_site = site.pc & ~UINT64_C(1);
    trace->caller_isa = isa;
    if (!read_numbered(trace, site.event, isa, machine_of(trace, isa)->sp, &caller->sp))
        return false;
    caller->is_of_other_world = changes_stack(trace, call, isa, caller->sp);
    return true;
}

// Moves outward to the call to which the frame belongs: for the innermost frame the call at the
// point, for another one the call around the one that was made from its PC with its SP.
static bool find_activation(struct unwind_trace *trace, const struct unwind_frame *frame)
{
    struct trawl_call saved = trace->call;
    struct unwind_frame caller;
    bool had_call = trace->has_call, is_found = frame->source == UNWIND_REGISTERS;
    if (trace->has_activation && trace->activation_pc == frame->pc &&
        trace->activation_sp == frame->sp)
        return true;
    while (trace->has_call && !is_found) {
        is_found = caller_of(trace, &trace->call, &caller) && caller.pc == frame->pc &&
                   caller.sp == frame->sp;
        if (is_found)
            trace->call = trace->caller_call;
        go_outward(trace);
    }
    if (!is_found) { // this frame is in no call; one further out may be
        trace->call = saved;
        trace->has_call = had_call;
        return false;
    }
    trace->has_activation = true;
    trace->activation_site = frame->is_return_address ? trace->caller_site : frame->pc;
    trace->activation_pc = frame->pc;
    trace->activation_sp = frame->sp;
    return true;
}

// Whether the lane begins in the function of a frame.
static bool is_root(struct unwind_trace *trace, const struct unwind_frame *frame)
{
    struct trawl_event first;
    uint64_t root = trace->view->lanes[trace->lane].root;
    return root != TRAWL_NONE &&
           index_view_event_of_lane(trace->view, trace->lane, root, &first, NULL) == STATUS_OK &&
           call_is_same_function(trace->rules.images, first.pc & ~UINT64_C(1),
                                 unwind_lookup_pc(frame));
}

// Whether a task began with a call, and did not continue in the middle of an earlier one.
static bool begins_task(const struct unwind_trace *trace, const struct trawl_call *call)
{
    uint64_t pc = call->pc & ~UINT64_C(1);
    struct image_symbol place;
    return image_set_by_address(trace->rules.images, pc, &place) && place.address == pc;
}

// Calls do not tell about a function reached by a tail call, or one that never returns. Nobody
// called the function in which the lane or a task begins.
static enum unwind_seen find_caller(void *self, const struct unwind_frame *frame,
                                    struct unwind_frame *caller)
{
    struct unwind_trace *trace = self;
    const struct trawl_call *call = &trace->call;
    if (!find_activation(trace, frame))
        return UNWIND_NOT_SEEN;
    if (!trace->has_call)
        return is_root(trace, frame) ? UNWIND_SEEN_OUTERMOST : UNWIND_NOT_SEEN;
    if (!call_has_pc(trace->rules.images, call, unwind_lookup_pc(frame)))
        return UNWIND_NOT_SEEN;
    if (call->how & TRAWL_CALL_TASK)
        return begins_task(trace, call) ? UNWIND_SEEN_BEGIN : UNWIND_SEEN_OUTERMOST;
    bool is_known = caller_of(trace, call, caller);
    bool is_same_machine = machine_of(trace, trace->caller_isa) == machine_of(trace, trace->isa);
    return is_known && is_same_machine ? UNWIND_SEEN : UNWIND_NOT_SEEN;
}

// From now on, registers are those of the last caller found.
static void enter_caller(void *self)
{
    struct unwind_trace *trace = self;
    trace->frame_event = trace->caller_event;
    trace->isa = trace->caller_isa;
}

// --- A stack -------------------------------------------------------------------------------------

// A stack that cannot continue in libc, for lack of its image, ends at main.
static void end_at_main(struct unwind_trace *trace, struct unwind_stack *stack)
{
    if (stack->end != UNWIND_NO_RULE)
        return;
    size_t count = stack->count;
    if (count > 1 && !is_code(trace, unwind_lookup_pc(&stack->frames[count - 1])))
        count--;
    const struct unwind_frame *frame = &stack->frames[count - 1];
    struct image_symbol place;
    if (!image_set_by_address(trace->rules.images, unwind_lookup_pc(frame), &place) ||
        strcmp(place.symbol->name, "main") != 0)
        return;
    stack->count = count;
    stack->end = UNWIND_OUTERMOST;
}

// How many bits addresses have in the lower (0) or upper (1) half of memory, where the registers of
// all levels that are known agree; 0: not known.
static uint8_t address_bits(struct unwind_trace *trace, unsigned half)
{
    enum { BITS_LEAST = 25, BITS_MOST = 52 };
    const char *const *names = trace->machine->address_sizes;
    unsigned found = 0;
    for (size_t i = 0; names && names[i]; i++) {
        struct trawl_register about;
        struct point_registers registers = {
            .view = trace->view, .lane = trace->lane, .event = trace->event};
        const struct expression_registers reader = point_registers(&registers);
        uint64_t value;
        if (trawl_register_named(trace->view->index, ARCH_ISA_64, names[i], strlen(names[i]),
                                 &about, NULL) != TRAWL_OK ||
            about.size_bytes > sizeof value || !reader.read(reader.self, &about, &value))
            continue;
        const unsigned bits = 64 - (unsigned)(value >> 16 * half & 0x3f);
        if (bits < BITS_LEAST || bits > BITS_MOST || (found && found != bits))
            return 0;
        found = bits;
    }
    return (uint8_t)found;
}

// The reader for unwinding, without calls.
static struct unwind_reader reader_of(struct unwind_trace *trace)
{
    return (struct unwind_reader){.self = trace,
                                  .address_bits = {address_bits(trace, 0), address_bits(trace, 1)},
                                  .has_programs =
                                      (trace->view->info.options & TRAWL_HAS_PROGRAMS) != 0,
                                  .read_register = read_register,
                                  .read_memory = read_memory,
                                  .find_rule = find_rule,
                                  .find_row = find_row,
                                  .is_code = is_code,
                                  .find_function = find_function};
}

// Unwinds from the registers and memory of a snapshot alone.
static void unwind_snapshot(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack)
{
    const struct unwind_reader reader = reader_of(trace);
    stack->count = 0;
    if (!(at->flags & TRAWL_HAS_INSTRUCTION))
        return;
    unwind(stack, &reader, trace->machine, at->pc);
    if (stack->count)
        end_at_main(trace, stack);
}

// The last instruction up to an event of a lane; the event itself if there is none.
static struct trawl_event last_instruction(const struct unwind_trace *trace,
                                           const struct trawl_event *at)
{
    struct trawl_event last;
    uint64_t event;
    bool is_found = trawl_instruction_before(trace->view->index, at->lane, at->in_lane, &event,
                                             NULL) == TRAWL_OK &&
                    index_view_event(trace->view, event, &last, NULL) == STATUS_OK;
    return is_found ? last : *at;
}

// The PC of the next instruction, and its machine. At the end of the trace, it is unknown.
static uint64_t next_pc(struct unwind_trace *trace, const struct trawl_event *at)
{
    struct trawl_event next = *at;
    if (point_next_instruction(trace->view, at->lane, at->event, &next, &trace->err) != STATUS_OK)
        next = last_instruction(trace, at);
    set_isa(trace, point_isa(trace->view, &next));
    return trace->machine->has_code_bit ? next.pc : next.pc & ~UINT64_C(1);
}

static void unwind_with_calls(struct unwind_trace *trace, const struct trawl_event *at,
                              struct unwind_stack *stack)
{
    struct unwind_reader reader = reader_of(trace);
    struct error err;
    reader.find_caller = find_caller;
    reader.enter_caller = enter_caller;
    uint64_t pc = next_pc(trace, at);
    begin_calls(trace, at);
    trace->has_activation = false;
    unwind(stack, &reader, trace->machine, pc);
    bool is_early = stack->end != UNWIND_OUTERMOST && stack->end != UNWIND_TOO_DEEP;
    if (is_early && !trace->has_failed) {
        begin_calls(trace, at);
        // Adds the callers of the last frame. The calls around the point include all of them;
        // those already in the stack are skipped up to the one that returns to the last frame's
        // PC.
        const struct unwind_frame last = stack->frames[stack->count - 1];
        bool is_found = stack->count == 1, begins = false;
        for (; trace->has_call && stack->count < stack->capacity; go_outward(trace)) {
            struct unwind_frame caller = {.source = UNWIND_CALLS};
            begins = trace->call.how & TRAWL_CALL_TASK;
            bool has_sp = caller_of(trace, &trace->call, &caller);
            if (caller.pc == 0)
                break;
            if (is_found)
                stack->frames[stack->count++] = caller;
            is_found |= caller.pc == last.pc && (!has_sp || caller.sp == last.sp);
            trace->call = trace->caller_call;
        }
        const struct unwind_frame *outermost = &stack->frames[stack->count - 1];
        bool is_whole = begins || (!trace->has_call && is_root(trace, outermost));
        if (is_found && is_whole && !trace->has_failed)
            stack->end = UNWIND_OUTERMOST;
    }
    took(trace, unwind_doubt_find(trace->view, trace->rules.images, at, stack, &err), &err);
}

enum status unwind_trace_at(struct unwind_trace *trace, const struct trawl_event *at,
                            struct unwind_stack *stack, struct error *err)
{
    stand_at(trace, at);
    trace->has_failed = false;
    (trace->is_of_snapshots ? unwind_snapshot : unwind_with_calls)(trace, at, stack);
    if (trace->rules.lacks_memory)
        return error_set(err, STATUS_MEMORY, "no memory for the rules of images");
    if (trace->has_failed && err)
        *err = trace->err;
    return trace->has_failed ? trace->err.status : STATUS_OK;
}

// --- What calls know of frames -------------------------------------------------------------------

void unwind_trace_begin(struct unwind_trace *trace, const struct trawl_event *at)
{
    stand_at(trace, at);
    next_pc(trace, at); // sets the machine
    trace->has_failed = trace->has_activation = false;
    begin_calls(trace, at);
}

enum unwind_activation unwind_trace_activation(struct unwind_trace *trace,
                                               const struct unwind_frame *frame,
                                               struct trawl_call *call, uint64_t *site_pc)
{
    if (!find_activation(trace, frame))
        return UNWIND_NO_ACTIVATION;
    *site_pc = trace->activation_site;
    *call = trace->call;
    if (!trace->has_call)
        return is_root(trace, frame) ? UNWIND_ACTIVATION_OF_ROOT : UNWIND_NO_ACTIVATION;
    return call_has_pc(trace->rules.images, call, unwind_lookup_pc(frame))
               ? UNWIND_ACTIVATION_OF_CALL
               : UNWIND_NO_ACTIVATION;
}
