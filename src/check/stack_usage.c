#include "check/stack_usage.h"

#include "dataflow/spread.h"
#include "dataflow/step.h"

#include <stdlib.h>

enum {
    ROWS = 512,
    FRAME_BYTES = 1 << 16, // a longer way is another stack
    JUMP_BYTES = 256,      // by which an instruction that returns moves it
    SAVES = 8,             // of registers, one after the other
    SAVED_BYTES = 512,     // below the stack pointer, by exceptions and switches of tasks
    FLOAT_BYTES = 80,      // for which the machine leaves room: s0 to s15, FPSCR, and to align
    PUSHED_BYTES = 112,    // the most at an exception: what the handler's first instruction pushes
                           // on its own stack is of the same event
    NEAR_BYTES = 256,      // of what a stack had before: it begins anew, or an exception has pushed
    TAKEN_BYTES = 4096,    // in a task, by an allocation whose length another register has
};

#define NO_STACK SIZE_MAX

struct walk {
    struct stack_usage *usage;
    uint64_t lane;
    uint64_t offset, size_bytes; // of the stack pointer
    struct stack_registers registers[ARCH_ISAS];
    size_t at; // the stack in use
    struct error *err;
};

static struct stack_use *stack_of(const struct walk *walk, size_t number)
{
    return &walk->usage->stacks.items[number];
}

// --- What an instruction does with it ------------------------------------------------------------

struct stack_registers stack_registers_of(const struct index_view *view, uint32_t isa)
{
    const struct arch_frames *frames = view->arch->isas[isa].frames;
    const uint32_t dwarf[] = {frames ? frames->fp : TRAWL_NO_DWARF,
                              frames ? frames->code_bit_fp : TRAWL_NO_DWARF};
    struct stack_registers of = {UINT64_MAX, {UINT64_MAX, UINT64_MAX}};
    struct trawl_register found;
    if (trawl_register_with(view->index, isa, TRAWL_REGISTER_LINK, &found, NULL) == TRAWL_OK)
        of.link = found.offset;
    for (unsigned i = 0; i < 2; i++) {
        if (frames && trawl_register_of_dwarf(view->index, isa, dwarf[i], &found, NULL) == TRAWL_OK)
            of.frame[i] = found.offset;
    }
    return of;
}

enum stack_origin stack_origin_of(const struct effects *effects, const struct stack_registers *of,
                                  uint64_t offset)
{
    for (unsigned i = 0; effects && i < effects->flow_count; i++) {
        const struct effect_flow *flow = &effects->flows[i];
        bool from_stack = false, from_other = false;
        if (flow->output.kind != EFFECT_REGISTER || flow->output.offset != offset)
            continue;
        for (unsigned k = 0; k < flow->count; k++) {
            const struct effect_place *input = &effects->inputs[flow->first + k];
            const bool is_stack = input->kind == EFFECT_REGISTER && input->role != ROLE_ADDRESS &&
                                  (input->offset == offset || input->offset == of->frame[0] ||
                                   input->offset == of->frame[1]);
            from_stack |= is_stack;
            from_other |= !is_stack && input->kind != EFFECT_FLAGS && input->kind != EFFECT_PC;
        }
        return !from_stack  ? STACK_FROM_OTHERS
               : from_other ? STACK_FROM_ITSELF_AND_OTHERS
                            : STACK_FROM_ITSELF;
    }
    return effects ? STACK_FROM_BANK : STACK_FROM_OTHERS;
}

// --- Which stack it is ---------------------------------------------------------------------------

static bool has_in_bounds(const struct stack_use *use, uint64_t sp)
{
    return use->about.has_bounds && sp > use->about.bottom && sp <= use->about.top;
}

static bool has_seen(const struct stack_use *use, uint64_t sp)
{
    return sp >= use->low && sp <= use->high;
}

static bool is_apart(const struct stack_usage *usage, uint64_t sp, uint64_t other)
{
    return usage->is_apart && usage->is_apart(usage->self, sp, other);
}

// How the write of the stack pointer by an event goes with what it was.
enum way {
    WAY_MOVED,     // computed from itself
    WAY_EXCEPTION, // the machine has pushed, or it is that of another mode
    WAY_SET,
    WAY_BANK, // by an instruction that chooses or writes one of several stack pointers
};

static enum status find_way(const struct walk *walk, const struct trawl_event *about,
                            uint64_t before, uint64_t value, enum way *way)
{
    const struct dataflow_step *step;
    *way = about->flags & TRAWL_EXCEPTION ? WAY_EXCEPTION : WAY_SET;
    if (*way == WAY_EXCEPTION)
        return STATUS_OK;
    if (!walk->usage->flow) {
        *way = value - before + TAKEN_BYTES <= 2 * TAKEN_BYTES ? WAY_MOVED : WAY_SET;
        return STATUS_OK;
    }
    enum status status = dataflow_step(walk->usage->flow, about->event, &step, walk->err);
    if (status != STATUS_OK || !step_flows(step))
        return status;
    const uint64_t reach = effects_jump(step->effects) ? JUMP_BYTES : FRAME_BYTES;
    const enum stack_origin origin =
        stack_origin_of(step->effects, &walk->registers[about->flags & TRAWL_ISA], walk->offset);
    if (origin == STACK_FROM_BANK)
        *way = WAY_BANK;
    else if (origin != STACK_FROM_OTHERS && value - before + reach <= 2 * reach)
        *way = WAY_MOVED;
    return STATUS_OK;
}

// The task that runs after an event, and whether a handler does.
static enum status find_task(const struct walk *walk, uint64_t in_lane, uint64_t *task,
                             bool *is_handler)
{
    struct trawl_index *index = walk->usage->view->index;
    struct trawl_task_run run;
    struct trawl_call call;
    struct trawl_error from;
    const uint64_t next = u64_min(in_lane + 1, walk->usage->view->lanes[walk->lane].events - 1);
    *task = TRAWL_NONE;
    enum trawl_status found = trawl_task_run_at(index, walk->lane, next, &run, &from);
    if (found == TRAWL_OK)
        *task = run.task;
    else if (found != TRAWL_NOT_FOUND)
        return index_status(found, &from, walk->err);
    if (!is_handler)
        return STATUS_OK;
    *is_handler = false;
    found = trawl_call_at(index, walk->lane, next, &call, &from);
    while (found == TRAWL_OK && !(*is_handler = call.how & TRAWL_CALL_EXCEPTION) &&
           call.parent != TRAWL_NONE)
        found = trawl_call(index, walk->lane, call.parent, &call, &from);
    return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, walk->err);
}

// The stack that has a value which the stack in use does not have by itself; NO_STACK: a new one.
static size_t find_stack(const struct walk *walk, enum way way, uint64_t before, uint64_t value)
{
    const struct stack_usage *usage = walk->usage;
    size_t nearest = NO_STACK;
    uint64_t distance = NEAR_BYTES + 1;
    const struct stack_use *now = walk->at == NO_STACK ? NULL : stack_of(walk, walk->at);
    for (size_t i = usage->stacks.count; i--;) {
        const struct stack_use *use = &usage->stacks.items[i];
        if (use != now && use->lane == walk->lane && use->sp == value)
            return i;
    }
    // A handler that an exception began on the stack of what it interrupted, which may be past its
    // end.
    if (now && way == WAY_EXCEPTION && before - value <= NEAR_BYTES &&
        (has_in_bounds(now, value) || !has_in_bounds(now, before)))
        return walk->at;
    if (now && (has_in_bounds(now, value) || has_seen(now, value)))
        return walk->at;
    for (size_t i = usage->stacks.count; i--;) {
        const struct stack_use *use = &usage->stacks.items[i];
        if (has_in_bounds(use, value) || has_seen(use, value))
            return i;
        const uint64_t away = value < use->low ? use->low - value : value - use->high;
        // A value that never moved may be that of a control block, through which it was loaded.
        // What chooses a stack pointer chooses another stack, however near that begins.
        if (away < distance && !use->about.has_bounds && way != WAY_BANK &&
            (use->is_moved || value > use->high) && !is_apart(usage, value, use->high)) {
            nearest = i;
            distance = away;
        }
    }
    return nearest;
}

static enum status add_stack(struct walk *walk, const struct trawl_event *about, uint64_t value,
                             const struct stack_about *known)
{
    struct stack_usage *usage = walk->usage;
    if (usage->stacks.count == LIMIT_CHECKED_STACKS) {
        usage->is_cut = true;
        walk->at = NO_STACK;
        return STATUS_OK;
    }
    if (!VEC_ROOM(&usage->stacks, 1))
        return error_set(walk->err, STATUS_MEMORY, "no memory for the stacks");
    walk->at = usage->stacks.count;
    usage->stacks.items[usage->stacks.count++] = (struct stack_use){
        .lane = walk->lane,
        .low = value,
        .high = value,
        .event = about->event,
        .first = about->event,
        .stored = value,
        .stored_event = about->event,
        .about = *known,
    };
    struct stack_use *use = stack_of(walk, walk->at);
    return find_task(walk, about->in_lane, &use->task, &use->is_of_handlers);
}

static bool is_same(const struct stack_about *a, const struct stack_about *b)
{
    return a->has_bounds && b->has_bounds && a->bottom == b->bottom && a->top == b->top &&
           strcmp(a->name, b->name) == 0;
}

// What the operating system says of the stack of the task that runs, if it has the value or was
// left with it: then *found is it, if it was used before. Where the top is not known, a new value
// is it, if it `may_begin` there.
static enum status ask_system(const struct walk *walk, const struct trawl_event *about,
                              uint64_t value, bool may_begin, struct stack_about *known,
                              size_t *found)
{
    const struct stack_usage *usage = walk->usage;
    *known = (struct stack_about){0};
    enum status status = usage->find_about ? usage->find_about(usage->self, walk->lane,
                                                               about->event, known, walk->err)
                                           : STATUS_OK;
    if (status != STATUS_OK || !known->has_bounds)
        return status;
    const bool has_top = known->top;
    for (size_t i = usage->stacks.count; i--;) {
        const struct stack_use *use = &usage->stacks.items[i];
        known->top = has_top ? known->top : use->about.top;
        if (is_same(known, &use->about) && (has_in_bounds(use, value) || use->sp == value)) {
            *found = i;
            return STATUS_OK;
        }
    }
    known->top = has_top ? known->top : value;
    if (value <= known->bottom || value > known->top ||
        (!has_top && !(may_begin && value - known->bottom <= FRAME_BYTES)))
        *known = (struct stack_about){0};
    return STATUS_OK;
}

// Goes to the stack that has a value. What the operating system says of the running task decides
// where stacks run into each other, and where the memory of a task that has ended may be another's.
static enum status enter(struct walk *walk, enum way way, const struct trawl_event *about,
                         uint64_t before, uint64_t value)
{
    const struct stack_usage *usage = walk->usage;
    const size_t found = find_stack(walk, way, before, value);
    struct stack_use *use = found == NO_STACK ? NULL : stack_of(walk, found);
    const struct stack_use *now = walk->at == NO_STACK ? NULL : stack_of(walk, walk->at);
    struct stack_about known;
    size_t told = NO_STACK;
    uint64_t task;
    bool is_handler;
    if (use && !usage->has_overflow && (use == now || !use->about.has_bounds)) {
        walk->at = found;
        return STATUS_OK;
    }
    enum status status = find_task(walk, about->in_lane, &task, &is_handler);
    if (status == STATUS_OK && use && task == use->task && !usage->has_overflow) {
        walk->at = found;
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = ask_system(walk, about, value, way >= WAY_SET && (!use || use->about.has_bounds),
                            &known, &told);
    if (status != STATUS_OK)
        return status;
    if (told != NO_STACK)
        stack_of(walk, told)->task = task;
    if (told != NO_STACK || (use && !known.has_bounds)) {
        walk->at = told != NO_STACK ? told : found;
        return STATUS_OK;
    }
    // The same task does not change its stack for one so near.
    if (!use && !known.has_bounds && now && way == WAY_SET && !is_handler && task == now->task &&
        value - before + TAKEN_BYTES <= 2 * TAKEN_BYTES && !is_apart(usage, value, before))
        return STATUS_OK;
    return add_stack(walk, about, value, &known);
}

// --- What is saved below the stack pointer -------------------------------------------------------

// Whether an event of a handler, or of the machine at an exception.
static enum status is_of_handler(const struct walk *walk, uint64_t event, bool *is_handler,
                                 bool *is_exception)
{
    struct trawl_event about;
    uint64_t task;
    *is_handler = *is_exception = false;
    enum status status = index_view_event(walk->usage->view, event, &about, walk->err);
    if (status != STATUS_OK || about.lane != walk->lane)
        return status;
    *is_exception = *is_handler = about.flags & TRAWL_EXCEPTION;
    return *is_exception ? STATUS_OK : find_task(walk, about.in_lane - 1, &task, is_handler);
}

// Goes down from the stack pointer with which a stack was left, over what was saved there without a
// gap: by the machine, and then by a handler. *edge is the lowest byte of that.
static enum status find_edge(const struct walk *walk, const struct stack_use *use, uint64_t until,
                             uint64_t *edge, uint64_t *event)
{
    struct trawl_write write;
    struct trawl_error from;
    uint64_t after = use->left ? use->left - 1 : TRAWL_START;
    *edge = use->sp;
    for (unsigned tries = 0; tries < SAVES; tries++) {
        const uint64_t low = *edge < PUSHED_BYTES ? 0 : *edge - PUSHED_BYTES;
        bool is_handler = false, is_exception = false;
        if (low == *edge)
            return STATUS_OK;
        enum trawl_status found = trawl_memory_written(
            walk->usage->view->index, after, TRAWL_FORWARD, low, *edge - low, &write, &from);
        if (found == TRAWL_NOT_FOUND || (found == TRAWL_OK && write.event >= until))
            return STATUS_OK;
        enum status status = index_status(found, &from, walk->err);
        if (status == STATUS_OK)
            status = is_of_handler(walk, write.event, &is_handler, &is_exception);
        if (status != STATUS_OK)
            return status;
        const uint64_t gap = *edge - (write.address + write.size_bytes);
        if (is_handler && gap < (is_exception ? FLOAT_BYTES : walk->size_bytes)) {
            *edge = write.address;
            *event = write.event;
        }
        after = write.event;
    }
    return STATUS_OK;
}

// Notes what was saved below the stack pointer with which a stack was left, up to an event.
static enum status look_below(const struct walk *walk, struct stack_use *use, uint64_t until)
{
    const uint64_t low = use->sp < SAVED_BYTES ? 0 : use->sp - SAVED_BYTES;
    const uint64_t limit = u64_min(use->sp, stack_use_lowest(use));
    struct trawl_write write;
    struct trawl_error from;
    uint64_t edge, event = 0;
    if (use->next_store >= until || low >= limit)
        return STATUS_OK;
    enum trawl_status found =
        trawl_memory_written(walk->usage->view->index, use->left ? use->left - 1 : TRAWL_START,
                             TRAWL_FORWARD, low, limit - low, &write, &from);
    if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
        return index_status(found, &from, walk->err);
    use->next_store = found == TRAWL_OK ? write.event : UINT64_MAX;
    if (use->next_store >= until)
        return STATUS_OK;
    enum status status = find_edge(walk, use, until, &edge, &event);
    if (status == STATUS_OK && edge < limit) {
        use->stored = edge;
        use->stored_event = event;
    }
    return status;
}

// --- The walk ------------------------------------------------------------------------------------

// A stack pointer that is computed in two steps (AUIPC, ADDI) was nowhere in between: a stack does
// not begin by going up with its second instruction.
static enum status begin_again(const struct walk *walk, struct stack_use *use,
                               const struct trawl_event *about, uint64_t value)
{
    struct trawl_event first;
    if (use->is_moved || value <= use->high)
        return STATUS_OK;
    enum status status = index_view_event(walk->usage->view, use->first, &first, walk->err);
    if (status != STATUS_OK || first.in_lane + 1 != about->in_lane)
        return status;
    use->low = use->high = use->stored = value;
    use->first = use->event = use->stored_event = about->event;
    return STATUS_OK;
}

static enum status take_value(struct walk *walk, uint64_t event, uint64_t value)
{
    struct stack_usage *usage = walk->usage;
    struct stack_use *use = walk->at == NO_STACK ? NULL : stack_of(walk, walk->at);
    const uint64_t before = use ? use->sp : 0;
    const size_t was = walk->at;
    struct trawl_event about;
    enum way way = WAY_SET;
    if (use && has_seen(use, value) && !usage->has_overflow) {
        use->is_moved |= value != before;
        use->sp = value;
        return STATUS_OK;
    }
    enum status status = index_view_event(usage->view, event, &about, walk->err);
    if (status == STATUS_OK && use)
        status = find_way(walk, &about, before, value, &way);
    if (status == STATUS_OK && way != WAY_MOVED)
        status = enter(walk, way, &about, before, value);
    if (status == STATUS_OK && use && way == WAY_MOVED)
        status = begin_again(walk, use, &about, value);
    if (status != STATUS_OK || walk->at == NO_STACK)
        return status;
    if (walk->at != was && was != NO_STACK)
        stack_of(walk, was)->left = event;
    use = stack_of(walk, walk->at);
    if (walk->at != was && use->left)
        status = look_below(walk, use, event);
    else
        use->is_moved |= walk->at == was && value != before;
    use->sp = value;
    use->high = u64_max(use->high, value);
    if (value < use->low) {
        use->low = value;
        use->event = event;
        use->next_store = 0;
        if (use->stored > value) {
            use->stored = value;
            use->stored_event = event;
        }
        usage->has_overflow |= use->about.has_bounds && value < use->about.bottom;
        for (size_t i = 0; i < usage->stacks.count && !usage->has_overflow; i++) {
            const struct stack_use *other = &usage->stacks.items[i];
            usage->has_overflow = other != use && other->lane == walk->lane &&
                                  other->high >= value && other->low <= use->high;
        }
    }
    return status;
}

static enum status walk_lane(struct stack_usage *usage, uint64_t lane,
                             const struct trawl_register *sp, struct error *err)
{
    uint64_t event[ROWS], value[ROWS], known[ROWS];
    const struct trawl_register_value_columns columns = {event, value, known};
    struct walk walk = {.usage = usage,
                        .lane = lane,
                        .offset = sp->offset,
                        .size_bytes = sp->size_bytes,
                        .at = NO_STACK,
                        .err = err};
    const uint64_t all = (UINT64_C(1) << sp->size_bytes) - 1;
    struct trawl_error from;
    uint64_t after = TRAWL_START;
    size_t count = ROWS;
    enum status status = STATUS_OK;
    for (uint32_t isa = 0; isa < ARCH_ISAS; isa++)
        walk.registers[isa] = stack_registers_of(usage->view, isa);
    while (status == STATUS_OK && count == ROWS) {
        status = index_status(trawl_register_values(usage->view->index, lane, after, usage->until,
                                                    sp->offset, (size_t)sp->size_bytes, ROWS,
                                                    &columns, &count, &from),
                              &from, err);
        for (size_t i = 0; i < count && status == STATUS_OK; i++) {
            after = event[i];
            if (known[i] == all)
                status = take_value(&walk, event[i], value[i]);
        }
    }
    for (size_t i = 0; i < usage->stacks.count && status == STATUS_OK; i++) {
        struct stack_use *use = &usage->stacks.items[i];
        if (use->lane == lane && i != walk.at && use->left)
            status = look_below(&walk, use, usage->until);
    }
    return status;
}

enum status stack_usage_find(struct stack_usage *usage, struct error *err)
{
    const struct index_view *view = usage->view;
    struct trawl_register sp;
    struct trawl_error from;
    enum trawl_status found =
        trawl_register_with(view->index, view->isa, TRAWL_REGISTER_SP, &sp, &from);
    if (found == TRAWL_NOT_FOUND || (found == TRAWL_OK && sp.size_bytes > 8))
        return STATUS_OK;
    enum status status = index_status(found, &from, err);
    for (uint64_t lane = 0; lane < view->info.lanes && status == STATUS_OK; lane++)
        status = walk_lane(usage, lane, &sp, err);
    return status;
}

void stack_usage_free(struct stack_usage *usage)
{
    free(usage->stacks.items);
    usage->stacks.items = NULL;
    usage->stacks.count = 0;
}
