// Locks by their functions: who holds which, and in which order they are taken. Two locks that are
// taken in both orders can deadlock, also where this run did not; longer circles of orders likewise
// (Linux calls this lockdep). A lock's owner is the task of the lane, by its stack; without tasks,
// the lane.
#include "check/check.h"

#include <stdlib.h>

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the locks");
}

static struct held_lock *find_held(struct locks *locks, uint64_t lock)
{
    for (size_t i = locks->held.count; i--;) {
        if (locks->held.items[i].lock == lock)
            return &locks->held.items[i];
    }
    return NULL;
}

static bool has_lock(struct lock_set *set, uint64_t lock)
{
    const uint64_t hash = hash_key(hash_index_seed(&set->by_lock), lock);
    uint32_t found;
    HASH_INDEX_FIND(found, &set->by_lock, hash, set->items.items[candidate] == lock);
    return found != HASH_INDEX_NONE;
}

static enum status add_lock(struct lock_set *set, uint64_t lock, struct error *err)
{
    if (has_lock(set, lock))
        return STATUS_OK;
    const uint64_t hash = hash_key(hash_index_seed(&set->by_lock), lock);
    if (!VEC_ROOM(&set->items, 1) ||
        !hash_index_add(&set->by_lock, hash, (uint32_t)set->items.count))
        return no_memory(err);
    set->items.items[set->items.count++] = lock;
    return STATUS_OK;
}

static struct lock_order *find_order(struct locks *locks, uint64_t first, uint64_t second)
{
    const uint64_t hash = hash_keys(hash_index_seed(&locks->by_order), first, second);
    uint32_t found;
    HASH_INDEX_FIND(found, &locks->by_order, hash,
                    locks->orders.items[candidate].first == first &&
                        locks->orders.items[candidate].second == second);
    return found == HASH_INDEX_NONE ? NULL : &locks->orders.items[found];
}

// Whether `to` was taken, directly or over others, while `from` was held: the first order on the
// way.
static const struct lock_order *find_way(const struct locks *locks, uint64_t from, uint64_t to)
{
    VEC(, uint32_t) open = {0}; // orders that were reached
    const struct lock_order *first = NULL;
    uint8_t *is_met = calloc(locks->orders.count + 1, 1);
    uint32_t *root = malloc((locks->orders.count + 1) * sizeof *root);
    bool has_memory = is_met && root;
    for (uint32_t i = 0; has_memory && i < locks->orders.count; i++) {
        if (locks->orders.items[i].first != from)
            continue;
        has_memory = VEC_ROOM(&open, 1);
        if (has_memory)
            open.items[open.count++] = i;
        is_met[i] = 1;
        root[i] = i;
    }
    while (has_memory && open.count && !first) {
        const uint32_t at = open.items[--open.count];
        if (locks->orders.items[at].second == to)
            first = &locks->orders.items[root[at]];
        for (uint32_t i = 0; has_memory && !first && i < locks->orders.count; i++) {
            if (is_met[i] || locks->orders.items[i].first != locks->orders.items[at].second)
                continue;
            has_memory = VEC_ROOM(&open, 1);
            if (has_memory)
                open.items[open.count++] = i;
            is_met[i] = 1;
            root[i] = root[at];
        }
    }
    free(open.items);
    free(is_met);
    free(root);
    return first;
}

static void tell(struct finding *finding, const struct pair_call *call, uint64_t lock,
                 const struct held_lock *held)
{
    if (!finding)
        return;
    finding->event = pair_event(call);
    finding->lane = call->lane;
    finding->address = lock;
    if (held)
        finding->causes[0] = (struct finding_cause){"taken", held->event, held->lane};
}

// A lock was taken: its order after all that its owner holds.
static enum status note_orders(struct check *check, const struct pair_call *call, uint64_t lock,
                               uint64_t owner, struct error *err)
{
    struct locks *locks = &check->locks;
    for (size_t i = 0; i < locks->held.count; i++) {
        const struct held_lock held = locks->held.items[i];
        if (held.owner != owner || held.lock == lock || find_order(locks, held.lock, lock))
            continue;
        const struct lock_order *other = find_way(locks, lock, held.lock);
        if (other) {
            struct finding *finding =
                check_note(check, FINDING_LOCK_ORDER, call->caller, held.lock);
            const struct finding_cause reverse = {"in the other order", other->event, other->lane};
            tell(finding, call, lock, &held);
            if (finding) {
                finding->causes[1] = reverse;
                finding->block = held.lock;
            }
        }
        if (locks->orders.count >= LIMIT_LOCK_ORDERS)
            return STATUS_OK;
        const uint64_t hash = hash_keys(hash_index_seed(&locks->by_order), held.lock, lock);
        if (!VEC_ROOM(&locks->orders, 1) ||
            !hash_index_add(&locks->by_order, hash, (uint32_t)locks->orders.count))
            return no_memory(err);
        locks->orders.items[locks->orders.count++] =
            (struct lock_order){held.lock, lock, pair_event(call), call->lane};
    }
    return STATUS_OK;
}

// Whether a call has taken its lock, by the lowest 32 bits of its result.
static enum status find_success(const struct check *check, const struct pair_call *call,
                                bool *has_taken, struct error *err)
{
    struct pair_value result;
    *has_taken = call->function->success == SUCCESS_ALWAYS;
    if (*has_taken)
        return STATUS_OK;
    enum status status = pair_result(check->flow->view, call, &result, err);
    *has_taken = status == STATUS_OK && result.is_there &&
                 !(uint32_t)result.number == (call->function->success == SUCCESS_IF_ZERO);
    return status;
}

// The call around one that had ended at an event of the lane. False: it had not, or there is none.
static bool find_ended(const struct check *check, uint64_t lane, uint64_t in_lane,
                       struct trawl_call *about)
{
    struct trawl_index *index = check->flow->view->index;
    return about->parent != TRAWL_NONE &&
           trawl_call(index, lane, about->parent, about, NULL) == TRAWL_OK && !about->is_open &&
           !(about->how & TRAWL_CALL_SUSPENDED) && about->exit < in_lane;
}

// A lock is released: the functions around the one that took it, and that have ended.
static enum status note_takers(struct check *check, const struct held_lock *held, struct error *err)
{
    struct trawl_call about;
    enum status status = STATUS_OK;
    if (check->now->lane != held->lane ||
        trawl_call(check->flow->view->index, held->lane, held->call, &about, NULL) != TRAWL_OK)
        return STATUS_OK;
    // One that a long jump left did not mean to.
    while (status == STATUS_OK && find_ended(check, held->lane, check->now->in_lane, &about) &&
           !(about.how & TRAWL_CALL_LEFT))
        status = add_lock(&check->locks.takers, about.pc, err);
    return status;
}

enum status locks_call(struct check *check, const struct pair_call *call, bool is_end,
                       struct error *err)
{
    const struct pair_function *function = call->function;
    struct locks *locks = &check->locks;
    const uint64_t lock = call->arguments[function->object_argument];
    const uint64_t owner = call->owner;
    struct held_lock *held = find_held(locks, lock);
    if (function->is_of_made && !has_lock(&locks->made, lock))
        return STATUS_OK;
    if (function->role == PAIR_MAKE_LOCK) {
        struct pair_value made = {0};
        enum status status = STATUS_OK;
        if (is_end && call->has_returned && lock == FREERTOS_MUTEX)
            status = pair_result(check->flow->view, call, &made, err);
        return status == STATUS_OK && made.number ? add_lock(&locks->made, made.number, err)
                                                  : status;
    }
    if (function->role == PAIR_WAIT && !is_end) {
        for (size_t i = 0; i < locks->held.count; i++) {
            const struct held_lock *of = &locks->held.items[i];
            if (of->owner == owner)
                tell(check_note(check, FINDING_HELD_WAITING, call->caller, of->lock), call,
                     of->lock, of);
        }
    } else if (function->role == PAIR_UNLOCK && !is_end) {
        if (!held && !check->is_from_start && !has_lock(&locks->taken, lock))
            return STATUS_OK; // taken before the trace begins
        if (!held)
            tell(check_note(check, FINDING_UNLOCK, call->caller, 0), call, lock, NULL);
        else if (held->owner != owner)
            tell(check_note(check, FINDING_OTHERS_LOCK, call->caller, 0), call, lock, held);
        if (held && --held->depth == 0) {
            enum status status = note_takers(check, held, err);
            if (status != STATUS_OK)
                return status;
            *held = locks->held.items[--locks->held.count];
        }
    } else if (function->role == PAIR_LOCK && !is_end && call->end == TRAWL_NONE) {
        // It never returns: it waits for itself, or for another.
        if (held && held->owner == owner)
            tell(check_note(check, FINDING_RELOCK, call->caller, 0), call, lock, held);
        else
            return note_orders(check, call, lock, owner, err);
    } else if (function->role != PAIR_UNLOCK && function->role != PAIR_WAIT && is_end &&
               call->has_returned) {
        bool has_taken;
        enum status status = find_success(check, call, &has_taken, err);
        if (status != STATUS_OK || !has_taken)
            return status;
        status = add_lock(&locks->taken, lock, err);
        if (status != STATUS_OK)
            return status;
        if (held && held->owner == owner) { // it can be taken several times
            held->depth++;
            return STATUS_OK;
        }
        if (function->role == PAIR_LOCK)
            status = note_orders(check, call, lock, owner, err);
        if (status != STATUS_OK)
            return status;
        if (locks->held.count >= LIMIT_LOCKS_HELD)
            return STATUS_OK;
        if (!VEC_ROOM(&locks->held, 1))
            return no_memory(err);
        locks->held.items[locks->held.count++] = (struct held_lock){
            lock, owner, pair_event(call), call->lane, call->caller, call->number, 1};
    }
    return STATUS_OK;
}

// Whether the function that took a lock has ended, or the one for which it did. A trace may end
// anywhere, so that a lock which is held by a function that still runs is no fault. `cause`: where
// it was left without a return.
static bool has_taker_ended(struct check *check, const struct held_lock *held,
                            struct finding_cause *cause)
{
    struct trawl_call about;
    struct trawl_event exit;
    struct error why;
    if (trawl_call(check->flow->view->index, held->lane, held->call, &about, NULL) != TRAWL_OK)
        return false;
    while (find_ended(check, held->lane, UINT64_MAX, &about)) {
        if (about.how & TRAWL_CALL_LEFT &&
            index_view_event_of_lane(check->flow->view, held->lane, about.exit, &exit, &why) ==
                STATUS_OK)
            *cause = (struct finding_cause){"left by a jump", exit.event, held->lane};
        if (cause->what || !has_lock(&check->locks.takers, about.pc))
            return true;
    }
    return false;
}

void locks_end(struct check *check)
{
    for (size_t i = 0; i < check->locks.held.count; i++) {
        const struct held_lock *held = &check->locks.held.items[i];
        struct finding_cause cause = {0};
        struct finding *finding =
            has_taker_ended(check, held, &cause)
                ? check_note(check, FINDING_STILL_HELD, held->caller, held->lock)
                : NULL;
        if (!finding)
            continue;
        finding->event = held->event;
        finding->lane = held->lane;
        finding->address = held->lock;
        finding->causes[0] = cause;
    }
}
