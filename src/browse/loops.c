#include "browse/browser_state.h"

#include "base/limits.h"

#define NONE UINT64_MAX

// --- Walking over one call, without what it calls ------------------------------------------------

struct walk {
    const struct lane_calls *calls;
    const struct lane_pcs *pcs;
    uint64_t level, first, last; // of the call
    uint64_t at;
    uint64_t clear; // no call begins before this event, in the direction of the walk
    uint64_t steps;
};

static struct walk walk_from(const struct lane_calls *calls, const struct lane_pcs *pcs,
                             uint64_t event)
{
    struct walk walk = {.calls = calls, .pcs = pcs, .at = event, .clear = event};
    struct lane_call around = {.exit = calls->event_count - 1};
    walk.level = calls->level(calls->self, event);
    if (walk.level)
        calls->around(calls->self, event, walk.level, &around);
    walk.first = around.entry;
    walk.last = around.exit;
    return walk;
}

// Finds the beginning of the next call after the walk's place, skipping calls that are there.
static uint64_t leave_calls_forward(struct walk *walk, uint64_t next)
{
    const struct lane_calls *calls = walk->calls;
    uint64_t number = calls->entered(calls->self, next - 1);
    struct lane_call call = {.entry = NONE};
    while (number < calls->call_count && next <= walk->last) {
        calls->call(calls->self, number, &call);
        if (call.entry != next || !call.level) // a call that never returned does not count
            break;
        calls->around(calls->self, next, walk->level + 1, &call);
        next = u64_max(call.exit, next) + 1;
        number = calls->entered(calls->self, next - 1);
    }
    bool is_open_here = number < calls->call_count && call.entry == next;
    walk->clear = number >= calls->call_count ? walk->last
                  : is_open_here              ? next
                                              : u64_min(call.entry - 1, walk->last);
    return next;
}

// Finds the call before the walk's place, and moves to before it if it ends at `next`.
static uint64_t leave_calls_backward(struct walk *walk, uint64_t next)
{
    const struct lane_calls *calls = walk->calls;
    struct lane_call call;
    while (next > walk->first && calls->level(calls->self, next) > walk->level) {
        calls->around(calls->self, next, walk->level + 1, &call);
        next = u64_min(call.entry, next) - 1;
    }
    uint64_t number = calls->entered(calls->self, next);
    walk->clear = walk->first;
    if (!number)
        return next;
    calls->call(calls->self, number - 1, &call);
    if (call.entry <= walk->first)
        return next;
    if (call.level)
        calls->around(calls->self, call.entry, walk->level + 1, &call);
    else
        call.exit = call.entry;
    walk->clear = u64_max(u64_min(call.exit + 1, next), walk->first);
    return next;
}

// Moves to the next or previous event in the same call. False: there is none, or the limit was
// reached.
static bool step_forward(struct walk *walk)
{
    uint64_t next = walk->at + 1;
    if (walk->at >= walk->last || walk->steps++ >= LIMIT_LOOP_STEPS)
        return false;
    if (next > walk->clear)
        next = leave_calls_forward(walk, next);
    walk->at = next;
    return next <= walk->last;
}

static bool step_backward(struct walk *walk)
{
    if (walk->at <= walk->first || walk->steps++ >= LIMIT_LOOP_STEPS)
        return false;
    uint64_t next = walk->at - 1;
    if (next < walk->clear)
        next = leave_calls_backward(walk, next);
    walk->at = next;
    return next >= walk->first;
}

static bool pc_at(const struct walk *walk, uint64_t *pc)
{
    return walk->pcs->pc(walk->pcs->self, walk->at, pc);
}

// --- The head ------------------------------------------------------------------------------------

// A jump back, and the instruction that makes it.
struct jump {
    uint64_t head, latch;
};

// The first jump back after the place to an address before all that was executed since.
static bool find_jump_after(struct walk walk, uint64_t here, struct jump *jump)
{
    uint64_t lowest = here, from = here, pc;
    while (step_forward(&walk)) {
        if (!pc_at(&walk, &pc))
            continue;
        if (pc <= from && pc <= lowest) {
            *jump = (struct jump){pc, from};
            return true;
        }
        lowest = u64_min(lowest, pc);
        from = pc;
    }
    return false;
}

// The last jump back before the place whose body contains the place.
static bool find_jump_before(struct walk walk, uint64_t here, struct jump *jump)
{
    uint64_t lowest = here, to = here, pc;
    while (step_backward(&walk)) {
        if (!pc_at(&walk, &pc))
            continue;
        if (to <= pc && to == lowest && pc >= here) {
            *jump = (struct jump){to, pc};
            return true;
        }
        lowest = u64_min(lowest, pc);
        to = pc;
    }
    return false;
}

static bool find_jump(const struct walk *walk, uint64_t here, struct jump *jump)
{
    struct jump before;
    bool is_after = find_jump_after(*walk, here, jump);
    if (!find_jump_before(*walk, here, &before))
        return is_after;
    if (!is_after || before.head > jump->head)
        *jump = before;
    else if (before.head == jump->head)
        jump->latch = u64_max(jump->latch, before.latch);
    return true;
}

// --- Iterations ----------------------------------------------------------------------------------

// Moves back to the start of the second iteration.
static void find_first(struct walk walk, const struct jump *jump, struct loop *loop)
{
    uint64_t to_event = walk.at, to, pc;
    if (!pc_at(&walk, &to))
        return;
    while (step_backward(&walk)) {
        if (!pc_at(&walk, &pc))
            continue;
        if (to == jump->head && pc >= to) {
            loop->repeats++;
            loop->first = to_event;
        }
        if (pc < jump->head)
            return;
        to = pc;
        to_event = walk.at;
    }
}

// Moves to the end of the last iteration, where the body is left for good.
static void find_last(struct walk walk, struct jump *jump, struct loop *loop)
{
    uint64_t from, pc, left = NONE, boundary = NONE, end = walk.last + 1;
    if (!pc_at(&walk, &from))
        return;
    while (step_forward(&walk)) {
        if (!pc_at(&walk, &pc))
            continue;
        if (pc < jump->head) {
            end = walk.at;
            break;
        }
        if (pc == jump->head && from >= pc) {
            jump->latch = u64_max(jump->latch, from);
            loop->repeats++;
            boundary = walk.at;
            left = NONE;
            if (loop->first == NONE)
                loop->first = boundary;
        } else if (pc > jump->latch && left == NONE) {
            left = walk.at;
        }
        from = pc;
    }
    // An iteration whose end is too far away is not counted.
    bool is_cut = walk.steps > LIMIT_LOOP_STEPS && left == NONE && end > walk.at;
    if (is_cut)
        end = boundary == NONE ? walk.at : boundary;
    loop->repeats -= is_cut && boundary != NONE;
    loop->last = u64_min(left, end) - 1;
}

bool loop_around(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                 struct loop *loop)
{
    struct walk walk = walk_from(calls, pcs, event);
    struct jump jump;
    uint64_t here;
    *loop = (struct loop){.first = NONE, .last = NONE};
    if (!pc_at(&walk, &here) || !find_jump(&walk, here, &jump))
        return false;
    find_first(walk, &jump, loop);
    find_last(walk, &jump, loop);
    loop->head = jump.head;
    return loop->repeats && loop->first <= loop->last;
}

bool loops_of_call(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                   struct loop *loops, size_t capacity, size_t *count)
{
    struct walk walk = walk_from(calls, pcs, event);
    uint64_t from = 0, pc;
    walk.at = walk.clear = walk.first;
    *count = 0;
    if (!pc_at(&walk, &from))
        from = 0;
    while (step_forward(&walk)) {
        struct loop loop;
        if (!pc_at(&walk, &pc))
            continue;
        bool is_jump_back = pc <= from;
        from = pc;
        if (!is_jump_back || !loop_around(calls, pcs, walk.at, &loop) || loop.first != walk.at)
            continue;
        if (*count == capacity)
            return false;
        loops[(*count)++] = loop;
        walk.steps += loop.last - walk.at; // goes on after its last event
        walk.at = walk.clear = loop.last;
        if (!pc_at(&walk, &from))
            from = 0;
    }
    return walk.steps <= LIMIT_LOOP_STEPS;
}

// --- Of an index ---------------------------------------------------------------------------------

static bool read_pc(void *self, uint64_t event, uint64_t *pc)
{
    struct index_pcs *pcs = self;
    const struct trawl_event_columns columns = {.pc = pcs->pcs, .flags = pcs->flags};
    struct trawl_error err;
    if (pcs->lane_count > 1 &&
        trawl_event_of_lane(pcs->index, pcs->lane, event, &event, &err) != TRAWL_OK)
        return false;
    uint64_t block = event / LINE_BLOCK;
    if (pcs->number != block + 1) {
        pcs->number = 0;
        if (trawl_events(pcs->index, block * LINE_BLOCK, LINE_BLOCK, &columns, &pcs->count, &err) !=
            TRAWL_OK)
            return false;
        pcs->number = block + 1;
    }
    if (event % LINE_BLOCK >= pcs->count)
        return false;
    *pc = pcs->pcs[event % LINE_BLOCK] & ~UINT64_C(1);
    return pcs->flags[event % LINE_BLOCK] & TRAWL_HAS_INSTRUCTION;
}

struct lane_pcs index_pcs_table(struct index_pcs *pcs)
{
    return (struct lane_pcs){pcs, read_pc};
}
