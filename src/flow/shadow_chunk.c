#include "flow/shadow_chunk.h"

#include "flow/shadow_frames.h"

#include <stdlib.h>

// The most different targets that are recorded of branches around a run. The join needs them if no
// frame is around it.
#define PLACES_MAX 64

// The assumption that no function begins after `entry` and up to `pc`. A branch to `pc` then stays
// in the function at `entry`.
struct no_entry {
    uint64_t entry, pc;
};

// Branches of one kind in the frame around a run.
struct branches {
    uint64_t count;
    uint64_t low, high; // of their targets; of direct branches, `high` is also that of their
                        // origins
    uint64_t sp_high;   // ADDRESS_UNKNOWN: that of at least one is unknown
};

// Consecutive transfers that need only frames of the run itself and the one around it.
struct run {
    size_t first, end;           // transfers
    size_t alone_count;          // transfers from `end` on that are taken one at a time
    struct call_mark mark;       // of the store, at the end of the run
    struct call_content content; // what happened outside of its frames
    uint64_t last_event;         // 0: none
    uint64_t returned;           // calls counted as returned
    uint64_t falls;              // of its transfers, those that fall through
    uint64_t high;               // in the frame around: the highest address of a branch, its
                                 // target, or a call
    struct branches direct, indirect;
    uint64_t function; // where the function begins that images say it is in; FUNCTION_MAP_NONE: any
    struct loop loop;  // whose end was executed last; all zero: none
    bool has_many_places;
    bool has_doubts; // which are counted as the trace is joined
    bool needs_no_waiting;
    // The stack pointers at entries of its frames. Each is near those before it, unless
    // `has_far_sps`.
    bool has_sps, has_far_sps;
    uint64_t first_sp, sp_low, sp_high;
    // Where the items of this run end in the arrays of the chunk.
    size_t frames_end, entries_end, no_entries_end, places_end;
};

struct shadow_chunk {
    struct shadow_stack *stack; // of the current run; NULL before the first chunk
    struct chunk_options options;
    const struct transfer *transfers;
    size_t count;
    struct run run; // the current one
    VEC(, struct run) runs;
    VEC(, struct frame) frames;        // left open
    VEC(, uint64_t) entries;           // of functions that were unknown before
    VEC(, struct no_entry) no_entries; // assumptions
    VEC(, uint64_t) places;            // the different targets of branches around a run
};

struct shadow_chunk *shadow_chunk_new(void)
{
    return calloc(1, sizeof(struct shadow_chunk));
}

void shadow_chunk_free(struct shadow_chunk *chunk)
{
    if (!chunk)
        return;
    shadow_stack_free(chunk->stack);
    free(chunk->runs.items);
    free(chunk->frames.items);
    free(chunk->entries.items);
    free(chunk->no_entries.items);
    free(chunk->places.items);
    free(chunk);
}

// --- Matching ------------------------------------------------------------------------------------

// What to do with a transfer.
enum verdict {
    VERDICT_NOTHING, // the summary describes all that it changes
    VERDICT_TAKE,    // to be taken by the run's own stack
    VERDICT_ALONE,   // only the whole stack can explain it
    VERDICT_FAIL,    // no memory
};

// Begins a run at a transfer, with nothing on its stack.
static void begin_run(struct shadow_chunk *chunk, size_t first)
{
    struct shadow_stack *stack = chunk->stack;
    struct task *task = shadow_task(stack);
    while (task->frames.count)
        shadow_drop_top(task);
    task->sp_low = UINT64_MAX;
    task->sp_high = 0;
    stack->outermost = (struct call_content){0};
    stack->counts = (struct call_counts){0};
    chunk->run = (struct run){
        .first = first,
        .direct = {.low = UINT64_MAX},
        .indirect = {.low = UINT64_MAX},
        .function = FUNCTION_MAP_NONE,
    };
}

// Ends the current run before a transfer. False: no memory.
static bool end_run(struct shadow_chunk *chunk, size_t end)
{
    struct shadow_stack *stack = chunk->stack;
    const struct task *task = shadow_task(stack);
    struct run *run = &chunk->run;
    if (!VEC_ROOM(&chunk->frames, task->frames.count) || !VEC_ROOM(&chunk->runs, 1))
        return false;
    if (task->frames.count)
        memcpy(chunk->frames.items + chunk->frames.count, task->frames.items,
               task->frames.count * sizeof *task->frames.items);
    chunk->frames.count += task->frames.count;
    run->end = end;
    run->mark = chunk->options.stores->mark(chunk->options.store);
    run->content = stack->outermost;
    run->last_event = stack->last_event;
    run->returned = stack->counts.returned;
    run->has_doubts = stack->counts.guesses.count || stack->counts.misplaced.count;
    run->sp_low = task->sp_low;
    run->sp_high = task->sp_high;
    run->frames_end = chunk->frames.count;
    run->entries_end = chunk->entries.count;
    run->no_entries_end = chunk->no_entries.count;
    run->places_end = chunk->places.count;
    chunk->runs.items[chunk->runs.count++] = *run;
    return true;
}

// False: no memory.
static bool note_place(struct shadow_chunk *chunk, uint64_t pc)
{
    size_t first = chunk->runs.count ? chunk->runs.items[chunk->runs.count - 1].places_end : 0;
    for (size_t i = chunk->places.count; i > first; i--) {
        if (chunk->places.items[i - 1] == pc)
            return true;
    }
    if (chunk->places.count - first == PLACES_MAX) {
        chunk->run.has_many_places = true;
        return true;
    }
    if (!VEC_ROOM(&chunk->places, 1))
        return false;
    chunk->places.items[chunk->places.count++] = pc;
    return true;
}

// Whether an indirect branch may have been interrupted by an exception that the trace does not
// show: which places handlers are at is not known in a chunk.
static bool may_be_silent(const struct shadow_chunk *chunk, uint64_t pc)
{
    const struct exception_rules *rules = chunk->options.exceptions;
    return UNLIKELY(rules->are_silent) && pc % rules->vector_bytes == 0;
}

// Handles a branch in the frame around the run. It is assumed to stay there, unless its target is
// known to be the beginning of a function, or looks like one.
static enum verdict judge_around(struct shadow_chunk *chunk, const struct transfer *transfer)
{
    const struct function_map *given = chunk->options.functions;
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    bool is_direct = transfer->from.kind == BRANCH_JUMP;
    const struct function_range *to = given ? function_map_find(given, pc) : NULL;
    if (!is_direct && may_be_silent(chunk, pc))
        return VERDICT_ALONE;
    if ((to && to->entry == pc) || entry_set_has(&chunk->stack->entries, pc) ||
        (transfer->opens_frame && is_direct && !transfer->from.is_conditional))
        return VERDICT_ALONE;
    struct run *run = &chunk->run;
    uint64_t from = transfer_origin(transfer);
    if (to && to->entry != FUNCTION_MAP_NONE) {
        // The frame around must be of the function that the branch comes from and goes to.
        uint64_t origin = from & ~UINT64_C(1);
        bool is_near = origin >= to->first && origin <= to->last;
        const struct function_range *there = is_near ? to : function_map_find(given, origin);
        bool is_other = run->function != FUNCTION_MAP_NONE && run->function != to->entry;
        if (!there || there->entry != to->entry || is_other)
            return VERDICT_ALONE;
        run->function = to->entry;
    }
    struct branches *branches = is_direct ? &run->direct : &run->indirect;
    branches->count++;
    branches->low = u64_min(branches->low, pc);
    branches->high = u64_max(branches->high, is_direct ? u64_max(from, pc) : pc);
    branches->sp_high = u64_max(branches->sp_high, transfer->sp_there);
    run->high = u64_max(run->high, u64_max(pc, from));
    return run->has_many_places || note_place(chunk, pc) ? VERDICT_NOTHING : VERDICT_FAIL;
}

// Assumes that no function begins after a frame's entry and up to an address. False: no memory.
static bool assume_no_entry(struct shadow_chunk *chunk, uint64_t entry, uint64_t pc)
{
    for (size_t i = 0; i < chunk->no_entries.count; i++) {
        struct no_entry *assumed = &chunk->no_entries.items[i];
        if (assumed->entry == entry && assumed->pc >= pc)
            return true;
    }
    if (!VEC_ROOM(&chunk->no_entries, 1))
        return false;
    chunk->no_entries.items[chunk->no_entries.count++] = (struct no_entry){entry, pc};
    return true;
}

// The most such assumptions in a chunk. The join checks all of the current run, and again those of
// earlier runs if functions were found meanwhile.
#define NO_ENTRIES_MAX 64

// A direct branch in a frame of the run.
static enum verdict judge_jump(struct shadow_chunk *chunk, const struct frame *top,
                               const struct transfer *transfer)
{
    struct shadow_stack *stack = chunk->stack;
    const struct function_map *given = chunk->options.functions;
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), entry = top->pc & ~UINT64_C(1);
    if (shadow_enters_known(stack, top, transfer))
        return VERDICT_TAKE;
    if (!is_at_entry(top, transfer)) {
        // A tail call in place of the run's outermost frame may be the handler of an exception
        // around the run.
        bool may_be_handler = shadow_task(stack)->frames.count == 1 && top->how & CALL_TAIL_ENTRY;
        return may_be_handler ? VERDICT_ALONE : VERDICT_TAKE;
    }
    enum function_at at = shadow_function_at(stack, top, pc);
    if (shadow_enters_frame(given, top, transfer) || at == FUNCTION_SAME || at == FUNCTION_OTHER ||
        (at == FUNCTION_BY_ENTRIES && pc >= entry_set_next(&stack->entries, entry)))
        return VERDICT_TAKE;
    if (at == FUNCTION_IN_FRONT)
        return VERDICT_ALONE; // is rare
    if (chunk->no_entries.count >= NO_ENTRIES_MAX)
        return VERDICT_ALONE;
    return assume_no_entry(chunk, entry, pc) ? VERDICT_TAKE : VERDICT_FAIL;
}

// An indirect branch in a frame of the run: it may be a long jump or a task switch.
static enum verdict judge_indirect(struct shadow_chunk *chunk, const struct frame *top,
                                   const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    if (is_same_pc(top->return_address, pc))
        return returns_from(top, transfer) ? VERDICT_TAKE : VERDICT_ALONE;
    if ((!is_at_entry(top, transfer) && transfer->sp_there > top->sp) ||
        (may_be_silent(chunk, pc) && shadow_function_at(chunk->stack, top, pc) != FUNCTION_SAME))
        return VERDICT_ALONE;
    chunk->run.needs_no_waiting = true;
    if (!is_at_entry(top, transfer))
        return VERDICT_TAKE;
    enum function_at at = shadow_function_at(chunk->stack, top, pc);
    bool is_decided = entry_set_has(&chunk->stack->entries, pc) &&
                      (at != FUNCTION_BY_ENTRIES ||
                       pc >= entry_set_next(&chunk->stack->entries, top->pc & ~UINT64_C(1)));
    return is_decided ? VERDICT_TAKE : VERDICT_ALONE;
}

static enum verdict judge(struct shadow_chunk *chunk, const struct transfer *transfer)
{
    const struct branch *from = &transfer->from;
    const struct frame *top = task_top(shadow_task(chunk->stack));
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    if (UNLIKELY(transfer->falls_through)) {
        if (!top)
            return VERDICT_ALONE;
        bool stays =
            from->kind != BRANCH_CALL && shadow_image_says(chunk->stack, top, pc) != IMAGE_OTHER;
        return stays ? VERDICT_NOTHING : VERDICT_TAKE;
    }
    if (UNLIKELY(is_exception(transfer) || from->kind == BRANCH_LEAVES))
        return VERDICT_ALONE;
    if (UNLIKELY(is_same_pc(from->pc, pc))) // a duplicate line, a branch to itself, or is_again
        return from->kind == BRANCH_RETURN ? VERDICT_ALONE : VERDICT_NOTHING;
    if (UNLIKELY(is_gap(transfer)))
        return VERDICT_ALONE;
    if (UNLIKELY(from->ends_loop))
        chunk->run.loop = (struct loop){from->pc, pc};
    if (UNLIKELY(transfer->changes_mode) &&
        (from->kind == BRANCH_INDIRECT || chunk->options.exceptions->are_silent))
        return VERDICT_ALONE; // from a handler, or to one
    bool is_jump = from->kind == BRANCH_JUMP || from->kind == BRANCH_INDIRECT;
    if (from->kind == BRANCH_RETURN)
        return top && returns_from(top, transfer) ? VERDICT_TAKE : VERDICT_ALONE;
    if (!is_jump || UNLIKELY(is_same_pc(transfer->link, from->next))) {
        chunk->run.high = top ? chunk->run.high : u64_max(chunk->run.high, from->pc);
        return VERDICT_TAKE; // a call
    }
    if (!top)
        return judge_around(chunk, transfer);
    if (LIKELY(stays_inside(chunk->stack, top, transfer, pc)))
        return VERDICT_NOTHING;
    return from->kind == BRANCH_JUMP ? judge_jump(chunk, top, transfer)
                                     : judge_indirect(chunk, top, transfer);
}

// Records the effect of a transfer that the run's own stack has taken. False: no memory.
static bool note_taken(struct shadow_chunk *chunk, const struct transfer *transfer,
                       size_t entries_before)
{
    struct run *run = &chunk->run;
    const struct task *task = shadow_task(chunk->stack);
    const struct frame *top = task_top(task);
    if (top && is_known(top->sp) && !run->has_sps) {
        run->has_sps = true;
        run->first_sp = top->sp;
    }
    run->has_far_sps |= top && is_known(top->sp) && shadow_is_on_stack_of_task(chunk->stack) &&
                        (top->sp < task->sp_low || top->sp > task->sp_high);
    if (LIKELY(chunk->stack->entries.all.count == entries_before))
        return true;
    if (!VEC_ROOM(&chunk->entries, 1))
        return false;
    chunk->entries.items[chunk->entries.count++] = transfer_pc(transfer) & ~UINT64_C(1);
    return true;
}

// False: no memory.
static bool take(struct shadow_chunk *chunk, const struct transfer *transfer)
{
    size_t entries_before = chunk->stack->entries.all.count;
    return shadow_stack_transfer(chunk->stack, transfer) &&
           note_taken(chunk, transfer, entries_before);
}

static bool begin_match(struct shadow_chunk *chunk)
{
    const struct chunk_options *options = &chunk->options;
    const struct call_consumer consumer = options->stores->consumer(options->store);
    if (!chunk->stack)
        chunk->stack = shadow_stack_new(&consumer, options->functions, options->exceptions,
                                        options->returned_only, NULL);
    struct shadow_stack *stack = chunk->stack;
    if (!stack)
        return false;
    stack->consumer = consumer;
    stack->returned_only = chunk->options.returned_only;
    entry_set_clear(&stack->entries);
    stack->entries.given = chunk->options.functions;
    memset(stack->ranges, 0, sizeof stack->ranges);
    stack->last_event = 0;
    chunk->runs.count = chunk->frames.count = chunk->entries.count = 0;
    chunk->no_entries.count = chunk->places.count = 0;
    begin_run(chunk, 0);
    return true;
}

// Ends the current run at transfer `at`, which is taken alone. False: no memory.
static bool leave_alone(struct shadow_chunk *chunk, size_t at)
{
    bool is_after_run = chunk->run.first < at || !chunk->runs.count;
    if (is_after_run && !end_run(chunk, at))
        return false;
    chunk->runs.items[chunk->runs.count - 1].alone_count++;
    begin_run(chunk, at + 1);
    uint64_t event = chunk->transfers[at].node.event;
    if (event != UINT64_MAX)
        chunk->stack->last_event = u64_max(chunk->stack->last_event, event);
    return true;
}

bool shadow_chunk_match(struct shadow_chunk *chunk, const struct chunk_options *options,
                        const struct transfer *transfers, size_t count)
{
    bool is_alone = true; // also the first one: the transfer before the chunk may have waited for
                          // it
    chunk->options = *options;
    chunk->transfers = transfers;
    chunk->count = count;
    if (!begin_match(chunk))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct transfer *transfer = &transfers[i];
        uint64_t event = transfer->node.event;
        bool is_ignored = event == UINT64_MAX || event <= chunk->stack->last_event;
        if (UNLIKELY(is_ignored) && !is_alone && !transfer->key_kind) {
            chunk->run.falls += transfer->falls_through;
            continue; // the stack ignores it, too
        }
        enum verdict verdict =
            is_alone || transfer->key_kind ? VERDICT_ALONE : judge(chunk, transfer);
        if (verdict == VERDICT_FAIL || (verdict == VERDICT_TAKE && !take(chunk, transfer)) ||
            (verdict == VERDICT_ALONE && !leave_alone(chunk, i)))
            return false;
        if (verdict == VERDICT_NOTHING)
            chunk->stack->last_event = event;
        if (verdict != VERDICT_ALONE)
            chunk->run.falls += transfer->falls_through;
        // The meaning of a gap may depend on the next transfer.
        is_alone = verdict == VERDICT_ALONE && is_gap(transfer) && !is_exception(transfer) &&
                   !transfer->falls_through;
    }
    return end_run(chunk, count);
}

// --- Joining -------------------------------------------------------------------------------------

struct joining {
    struct shadow_stack *shadow;
    const struct shadow_chunk *chunk;
    size_t frame, entry, place; // where the items of the next run begin in the arrays of the chunk
    // When the stack had `entries_count` entries, the assumptions before `no_entries_checked` held.
    // Entries that the chunk adds itself need no check, because matching took them into account.
    size_t no_entries_checked, entries_count;
};

// Whether all branches in the frame around a run stay in the frame that is there now. Direct ones
// do if their origins and targets lie in the part of the function that was seen. Any branch does if
// SP is lower than at the entry, because it is then neither a tail call nor a return. An indirect
// branch must also not go near the return address, and no task may wait.
static bool branches_stay(struct shadow_stack *shadow, const struct task *task,
                          const struct run *run)
{
    const struct frame *top = task_top(task);
    if (run->function != FUNCTION_MAP_NONE) {
        const struct function_range *chunk = shadow_range_of(shadow, top);
        if (!chunk || chunk->entry != run->function)
            return false;
    }
    const struct branches *direct = &run->direct, *indirect = &run->indirect;
    uint64_t back = top->return_address & ~UINT64_C(1);
    bool is_below = is_known(top->sp) && direct->sp_high < top->sp && !is_in_handler(task);
    bool is_seen = direct->low > top->pc && direct->high <= shadow_high_of(shadow, top);
    bool returns = back >= indirect->low && back <= indirect->high;
    if (top->how & CALL_EXCEPTION || (direct->count && !is_below && !is_seen))
        return false;
    return !indirect->count ||
           (is_known(top->sp) && indirect->sp_high < top->sp && !returns && !shadow->waiting.count);
}

// The same if no frame is around the run: whether no branch went to the known beginning of a
// function.
static bool places_are_no_entries(const struct joining *joining, const struct run *run)
{
    for (size_t i = joining->place; i < run->places_end; i++) {
        if (entry_set_has(&joining->shadow->entries, joining->chunk->places.items[i]))
            return false;
    }
    return !run->has_many_places;
}

static bool has_no_entries(struct joining *joining, const struct run *run)
{
    struct entry_set *entries = &joining->shadow->entries;
    const struct no_entry *assumed = joining->chunk->no_entries.items;
    size_t from = entries->all.count == joining->entries_count ? joining->no_entries_checked : 0;
    for (size_t i = from; i < run->no_entries_end; i++) {
        if (entry_set_next(entries, assumed[i].entry) <= assumed[i].pc)
            return false;
    }
    return true;
}

// Whether either all or none of a run's stack pointers belong to the task. *belong: all do.
static bool sps_are_alike(struct shadow_stack *shadow, const struct run *run, bool *belong)
{
    const struct task *task = shadow_task(shadow);
    *belong = false;
    if (!run->has_sps || !shadow_is_on_stack_of_task(shadow))
        return true;
    if (run->has_far_sps)
        return false;
    *belong = task_may_have_sp(task, run->first_sp);
    bool is_far = !task_may_have_sp(task, run->sp_low) && !task_may_have_sp(task, run->sp_high) &&
                  (run->sp_high < task->sp_low || run->sp_low > task->sp_high);
    return *belong || is_far;
}

// Whether everything that a run assumed holds.
static bool run_holds(struct joining *joining, const struct run *run, bool *sps_belong)
{
    struct shadow_stack *shadow = joining->shadow;
    const struct task *task = shadow_task(shadow);
    if (shadow->has_gap || run->has_doubts || (run->needs_no_waiting && shadow->waiting.count) ||
        joining->chunk->transfers[run->first].node.event <= shadow->last_event ||
        !sps_are_alike(shadow, run, sps_belong) || !has_no_entries(joining, run))
        return false;
    if (!run->direct.count && !run->indirect.count)
        return true;
    return task_top(task) ? branches_stay(shadow, task, run) : places_are_no_entries(joining, run);
}

// Opens the frames that a run left open. False: no memory.
static bool join_frames(struct joining *joining, const struct run *run)
{
    const struct chunk_options *options = &joining->chunk->options;
    struct shadow_stack *shadow = joining->shadow;
    for (size_t i = joining->frame; i < run->frames_end; i++) {
        const struct frame *frame = &joining->chunk->frames.items[i];
        struct call_content *content = shadow_push_open(shadow, frame);
        if (!content || !options->stores->merge(shadow->consumer.self, content, options->store,
                                                &frame->content))
            return false;
    }
    return true;
}

static bool join_entries(struct joining *joining, const struct run *run)
{
    struct entry_set *entries = &joining->shadow->entries;
    for (size_t i = joining->entry; i < run->entries_end; i++) {
        if (!entry_set_add(entries, joining->chunk->entries.items[i]))
            return false;
    }
    joining->entries_count = entries->all.count;
    joining->no_entries_checked = run->no_entries_end;
    return true;
}

// Applies a run to the stack. False: no memory.
static bool join_run(struct joining *joining, const struct run *run, bool sps_belong)
{
    const struct chunk_options *options = &joining->chunk->options;
    struct shadow_stack *shadow = joining->shadow;
    struct task *task = shadow_task(shadow);
    struct frame *top = task_top(task);
    void *self = shadow->consumer.self;
    if (top)
        top->high = u64_max(top->high, run->high);
    if (run->loop.end)
        shadow->loop = run->loop;
    if (sps_belong)
        task_add_sps(task, run->sp_low, run->sp_high);
    shadow->counts.transfers += run->end - run->first - run->falls;
    shadow->counts.returned += run->returned;
    shadow->last_event = u64_max(shadow->last_event, run->last_event);
    return options->stores->take(self, options->store, run->mark) &&
           options->stores->merge(self, shadow_stack_inside(shadow), options->store,
                                  &run->content) &&
           join_entries(joining, run) && join_frames(joining, run);
}

// Takes the transfers of a run one at a time. False: no memory.
static bool take_one_by_one(struct joining *joining, const struct run *run)
{
    const struct shadow_chunk *chunk = joining->chunk;
    chunk->options.stores->skip(chunk->options.store, run->mark);
    joining->entries_count = SIZE_MAX;
    for (size_t i = run->first; i < run->end; i++) {
        if (!shadow_stack_transfer(joining->shadow, &chunk->transfers[i]))
            return false;
    }
    return true;
}

bool shadow_stack_join(struct shadow_stack *shadow, const struct shadow_chunk *chunk)
{
    struct joining joining = {.shadow = shadow, .chunk = chunk, .entries_count = SIZE_MAX};
    for (size_t i = 0; i < chunk->runs.count; i++) {
        const struct run *run = &chunk->runs.items[i];
        bool sps_belong;
        if (run->first < run->end &&
            !(run_holds(&joining, run, &sps_belong) ? join_run(&joining, run, sps_belong)
                                                    : take_one_by_one(&joining, run)))
            return false;
        for (size_t at = run->end; at < run->end + run->alone_count; at++) {
            if (!shadow_stack_transfer(shadow, &chunk->transfers[at]))
                return false;
        }
        joining.frame = run->frames_end;
        joining.entry = run->entries_end;
        joining.place = run->places_end;
    }
    return true;
}
