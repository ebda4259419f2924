// The profile of an XRay log (flow/profile.h), directly from its calls: because entries and exits
// are known, no calling context is needed to recognize recursive calls.
#include "trace/xray/pass.h"

#include "base/hash_index.h"

#include <stdlib.h>

struct function {
    uint64_t count, ticks_all, ticks_total;
    uint64_t ticks_self; // sums and differences; correct after all calls have ended
    uint32_t id;
    uint32_t active; // number of open calls in the current lane
};

// Functions by id. Ids are small and dense, so most are at the index of their id.
struct functions {
    VEC(, struct function) items;
    struct hash_index by_id;
    struct function root; // outside of all calls
};

struct crew {
    struct xray_pass *pass;
    const char *lane;
    struct functions *workers;
};

// --- Functions -----------------------------------------------------------------------------------

// Adds a function; returns its index in items. UINT32_MAX: no memory.
static NEVER_INLINE uint32_t add_function(struct functions *functions, uint32_t id, uint64_t hash)
{
    uint32_t number = (uint32_t)functions->items.count;
    if (functions->items.count >= UINT32_MAX - 1 || !VEC_ROOM(&functions->items, 1) ||
        !hash_index_add(&functions->by_id, hash, number))
        return UINT32_MAX;
    functions->items.items[functions->items.count++] = (struct function){.id = id};
    return number;
}

static ALWAYS_INLINE uint32_t find_function(struct functions *functions, uint32_t id)
{
    uint64_t hash = hash_key(hash_index_seed(&functions->by_id), id);
    uint32_t found;
    HASH_INDEX_FIND(found, &functions->by_id, hash, functions->items.items[candidate].id == id);
    return LIKELY(found != HASH_INDEX_NONE) ? found : add_function(functions, id, hash);
}

// --- The walk ------------------------------------------------------------------------------------

// The place of an open call is the index of its function.
struct walk {
    struct functions *functions;
    struct clip *clip;
    bool lacks_memory;
};

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    struct walk *walk = self;
    uint32_t at = find_function(walk->functions, record->function);
    (void)lane;
    if (UNLIKELY(at == UINT32_MAX))
        return false;
    call->who = xray_who_of(record->function, at);
    walk->functions->items.items[at].active++;
    return true;
}

// A call ends. Its time does not count as its caller's self time. No effect if `ends` is 0.
static ALWAYS_INLINE void leave(struct function *function, struct function *caller, uint64_t ends,
                                uint64_t ticks)
{
    function->count += ends;
    function->ticks_all += ticks;
    function->ticks_self += ticks;
    function->ticks_total += function->active ? 0 : ticks;
    caller->ticks_self -= ticks;
}

// The function of a call, or the root outside of all calls.
static ALWAYS_INLINE struct function *function_of(struct functions *functions,
                                                  const struct xray_call *call, bool is_outside)
{
    return is_outside ? &functions->root : &functions->items.items[xray_slot(call->who)];
}

static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    struct walk *walk = self;
    struct function *function = function_of(walk->functions, call, false);
    struct function *caller =
        function_of(walk->functions, call - 1, call == xray_lane_call(lane, 0));
    uint64_t ticks;
    (void)record, (void)is_unwound;
    function->active--;
    // A call outside of the range is ignored; the calls inside it are also outside.
    if (xray_lane_clip(lane, call, walk->clip, &ticks))
        leave(function, caller, 1, ticks);
    return true;
}

static const struct xray_visitor visitor = {on_enter, on_leave, NULL, NULL};

// The same for plain records, without branches, if there is no range.
static ALWAYS_INLINE void step(void *self, struct xray_call *top, const struct xray_step *record)
{
    struct xray_lane_batch *batch = self;
    struct walk *walk = batch->self;
    xray_lane_step(batch, top, record);
    uint32_t at = find_function(walk->functions, record->function);
    if (UNLIKELY(at == UINT32_MAX)) {
        walk->lacks_memory = true;
        return;
    }
    struct function *function = &walk->functions->items.items[at];
    const struct xray_call *around = top - record->is_exit;
    struct function *caller = function_of(walk->functions, around, around == batch->outside);
    function->active += 1 - 2 * (uint32_t)record->is_exit;
    leave(function, caller, record->is_exit, (batch->time - top->tsc) & -record->is_exit);
    top[1].who = xray_who_of(record->function, at);
}

static bool walk_lane(void *self, unsigned worker, struct xray_lane *lane, size_t number)
{
    const struct crew *crew = self;
    struct lane_result *result = &crew->pass->result->lanes[number];
    struct walk walk = {&crew->workers[worker], &result->clip, false};
    if (crew->lane && strcmp(crew->lane, result->name) != 0)
        return xray_lane_read(lane);
    bool has_memory = call_range_is_all(&crew->pass->range)
                          ? xray_lane_walk_batches(lane, &walk, &visitor, step)
                          : xray_lane_walk(lane, &walk, &visitor);
    if (!has_memory || walk.lacks_memory)
        return false;
    // The calls that are open at the end count up to there.
    for (size_t i = xray_match_depth(&lane->match); i > 0; i--)
        on_leave(&walk, lane, xray_lane_call(lane, i - 1), NULL, false);
    struct function *root = &walk.functions->root;
    struct node_ref entry = {.time = lane->first_time};
    struct node_ref exit = {.event = lane->events - 1, .time = lane->time};
    bool is_clipped = false;
    walk.clip->first_event_time = lane->wanted_times[0];
    walk.clip->last_event_time = lane->wanted_times[1];
    if (lane->events && clip_nodes(walk.clip, &entry, &exit, &is_clipped)) {
        root->count++;
        root->ticks_all += exit.time - entry.time;
        root->ticks_total += exit.time - entry.time;
        root->ticks_self += exit.time - entry.time;
    }
    return true;
}

// --- The profile ---------------------------------------------------------------------------------

static void add_figures(struct function *into, const struct function *from)
{
    into->count += from->count;
    into->ticks_all += from->ticks_all;
    into->ticks_total += from->ticks_total;
    into->ticks_self += from->ticks_self;
}

static bool add_row(struct profile *profile, uint64_t pc, const struct function *function)
{
    if (!function->count)
        return true;
    if (!VEC_ROOM(&profile->rows, 1))
        return false;
    profile->rows.items[profile->rows.count++] = (struct profile_row){
        .pc = pc,
        .count = function->count,
        .ticks_all = function->ticks_all,
        .ticks_total = function->ticks_total,
        .ticks_self = function->ticks_self,
    };
    return true;
}

ORDER_BY(compare_ids, struct function, id)

static bool make_rows(const struct crew *crew, struct profile *profile)
{
    struct functions *all = &crew->workers[0];
    bool has_memory = true;
    for (unsigned i = 1; i < crew->pass->threads && has_memory; i++) {
        const struct functions *from = &crew->workers[i];
        add_figures(&all->root, &from->root);
        for (size_t k = 0; k < from->items.count && has_memory; k++) {
            uint32_t at = find_function(all, from->items.items[k].id);
            has_memory = at != UINT32_MAX;
            if (has_memory)
                add_figures(&all->items.items[at], &from->items.items[k]);
        }
    }
    if (all->items.count)
        qsort(all->items.items, all->items.count, sizeof *all->items.items, compare_ids);
    for (size_t i = 0; i < all->items.count && has_memory; i++)
        has_memory = add_row(profile, function_pc(all->items.items[i].id), &all->items.items[i]);
    return has_memory && add_row(profile, FUNCTION_PC_OUTSIDE, &all->root);
}

enum status xray_profile_run(struct xray_pass *pass, const char *lane, struct profile *profile,
                             struct pass_result *result, struct error *err)
{
    struct crew crew = {pass, lane, calloc(pass->threads, sizeof *crew.workers)};
    enum status status = STATUS_OK;
    *profile = (struct profile){0};
    *result = (struct pass_result){0};
    if (!crew.workers)
        return error_set(err, STATUS_MEMORY, "no memory for the profile");
    status = xray_pass_run(pass, result, &crew, walk_lane, err);
    if (status == STATUS_OK && !make_rows(&crew, profile))
        status = error_set(err, STATUS_MEMORY, "no memory for the profile");
    for (unsigned i = 0; i < pass->threads; i++) {
        free(crew.workers[i].items.items);
        hash_index_free(&crew.workers[i].by_id);
    }
    free(crew.workers);
    return status;
}
