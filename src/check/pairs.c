// Which functions allocate, free, lock, unlock and wait, and all calls of them. The table has those
// of C libraries, C++ and the usual operating systems; users add theirs.
//
// Calls are those of the index. A call that ends by a branch to another function (malloc that goes
// on as _malloc_r) returns where that one does, and one whose task was switched away goes on in a
// later call, so both are put together here.
#include "check/check.h"

#include "query/point.h"
#include "unwind/call_site.h"

#include <stdlib.h>
#include <strings.h>

enum {
    FAMILY_C,
    FAMILY_NEW,
    FAMILY_NEW_ARRAY,
    FAMILY_FREERTOS,
    FAMILY_ZEPHYR,
    FAMILY_LOCKS,
    FAMILY_GIVEN
};

static const struct pair_function known_functions[] = {
    {"malloc", PAIR_ALLOCATE, FAMILY_C, 0, 0, 0, false},
    {"_malloc_r", PAIR_ALLOCATE, FAMILY_C, 0, 1, 0, false},
    {"calloc", PAIR_ALLOCATE_ARRAY, FAMILY_C, 0, 1, 0, false},
    {"_calloc_r", PAIR_ALLOCATE_ARRAY, FAMILY_C, 0, 2, 0, false},
    {"realloc", PAIR_REALLOCATE, FAMILY_C, 0, 1, 0, false},
    {"_realloc_r", PAIR_REALLOCATE, FAMILY_C, 1, 2, 0, false},
    {"memalign", PAIR_ALLOCATE, FAMILY_C, 0, 1, 0, false},
    {"_memalign_r", PAIR_ALLOCATE, FAMILY_C, 0, 2, 0, false},
    {"aligned_alloc", PAIR_ALLOCATE, FAMILY_C, 0, 1, 0, false},
    {"free", PAIR_FREE, FAMILY_C, 0, 0, 0, false},
    {"_free_r", PAIR_FREE, FAMILY_C, 1, 0, 0, false},
    {"_Znwm", PAIR_ALLOCATE, FAMILY_NEW, 0, 0, 0, false},
    {"_Znwj", PAIR_ALLOCATE, FAMILY_NEW, 0, 0, 0, false},
    {"_ZnwmRKSt9nothrow_t", PAIR_ALLOCATE, FAMILY_NEW, 0, 0, 0, false},
    {"_ZnwjRKSt9nothrow_t", PAIR_ALLOCATE, FAMILY_NEW, 0, 0, 0, false},
    {"_ZdlPv", PAIR_FREE, FAMILY_NEW, 0, 0, 0, false},
    {"_ZdlPvm", PAIR_FREE, FAMILY_NEW, 0, 0, 0, false},
    {"_ZdlPvj", PAIR_FREE, FAMILY_NEW, 0, 0, 0, false},
    {"_Znam", PAIR_ALLOCATE, FAMILY_NEW_ARRAY, 0, 0, 0, false},
    {"_Znaj", PAIR_ALLOCATE, FAMILY_NEW_ARRAY, 0, 0, 0, false},
    {"_ZnamRKSt9nothrow_t", PAIR_ALLOCATE, FAMILY_NEW_ARRAY, 0, 0, 0, false},
    {"_ZnajRKSt9nothrow_t", PAIR_ALLOCATE, FAMILY_NEW_ARRAY, 0, 0, 0, false},
    {"_ZdaPv", PAIR_FREE, FAMILY_NEW_ARRAY, 0, 0, 0, false},
    {"_ZdaPvm", PAIR_FREE, FAMILY_NEW_ARRAY, 0, 0, 0, false},
    {"_ZdaPvj", PAIR_FREE, FAMILY_NEW_ARRAY, 0, 0, 0, false},
    {"pvPortMalloc", PAIR_ALLOCATE, FAMILY_FREERTOS, 0, 0, 0, false},
    {"pvPortCalloc", PAIR_ALLOCATE_ARRAY, FAMILY_FREERTOS, 0, 1, 0, false},
    {"vPortFree", PAIR_FREE, FAMILY_FREERTOS, 0, 0, 0, false},
    {"k_malloc", PAIR_ALLOCATE, FAMILY_ZEPHYR, 0, 0, 0, false},
    {"k_calloc", PAIR_ALLOCATE_ARRAY, FAMILY_ZEPHYR, 0, 1, 0, false},
    {"k_free", PAIR_FREE, FAMILY_ZEPHYR, 0, 0, 0, false},
    {"pthread_mutex_lock", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_ZERO, false},
    {"pthread_mutex_trylock", PAIR_TRY_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_ZERO, false},
    {"pthread_mutex_unlock", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, false},
    {"mtx_lock", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_ZERO, false},
    {"mtx_unlock", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, false},
    {"_tx_mutex_get", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_ZERO, false},
    {"_tx_mutex_put", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, false},
    {"z_impl_k_mutex_lock", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_ZERO, false},
    {"z_impl_k_mutex_unlock", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, false},
    {"xQueueTakeMutexRecursive", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_NOT_ZERO, false},
    {"xQueueGiveMutexRecursive", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, false},
    {"xQueueCreateMutex", PAIR_MAKE_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_NOT_ZERO, false},
    {"xQueueCreateMutexStatic", PAIR_MAKE_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_NOT_ZERO, false},
    {"xQueueSemaphoreTake", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_NOT_ZERO, true},
    {"xQueueGenericSend", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, true},
    {"mutex_lock", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_ALWAYS, false},
    {"mutex_lock_killable", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_ZERO, false},
    {"mutex_lock_interruptible", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_ZERO, false},
    {"mutex_trylock", PAIR_TRY_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_IF_NOT_ZERO, false},
    {"mutex_unlock", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, false},
    {"_raw_spin_lock", PAIR_LOCK, FAMILY_LOCKS, 0, 0, SUCCESS_ALWAYS, false},
    {"_raw_spin_unlock", PAIR_UNLOCK, FAMILY_LOCKS, 0, 0, 0, false},
    {"vTaskDelay", PAIR_WAIT, FAMILY_LOCKS, 0, 0, 0, false},
    {"xTaskDelayUntil", PAIR_WAIT, FAMILY_LOCKS, 0, 0, 0, false},
    {"_tx_thread_sleep", PAIR_WAIT, FAMILY_LOCKS, 0, 0, 0, false},
    {"z_impl_k_sleep", PAIR_WAIT, FAMILY_LOCKS, 0, 0, 0, false},
    {"nanosleep", PAIR_WAIT, FAMILY_LOCKS, 0, 0, 0, false},
    {"usleep", PAIR_WAIT, FAMILY_LOCKS, 0, 0, 0, false},
    {"sleep", PAIR_WAIT, FAMILY_LOCKS, 0, 0, 0, false},
};

// --- What users type -----------------------------------------------------------------------------

static bool has_part(const char *name, size_t length, const char *const *parts)
{
    for (; *parts; parts++) {
        const size_t part = strlen(*parts);
        for (size_t i = 0; i + part <= length; i++) {
            if (strncasecmp(name + i, *parts, part) == 0)
                return true;
        }
    }
    return false;
}

enum status pairs_add(struct pairs *pairs, const char *text, struct error *err)
{
    static const char *const of_heaps[] = {"alloc", "new", NULL};
    static const char *const of_locks[] = {"lock", "take", "acquire", "enter", "get", "wait", NULL};
    const bool is_heap = strncmp(text, "heap=", 5) == 0, is_lock = strncmp(text, "lock=", 5) == 0;
    const char *first = text + (is_heap || is_lock ? 5 : 0), *colon = strrchr(first, ':');
    while (colon && colon > first && colon[-1] == ':') // C++: a::b:a::c
        colon = colon - 1 > first ? memrchr(first, ':', (size_t)(colon - 1 - first)) : NULL;
    if (!colon || colon == first || !colon[1])
        return error_set(err, STATUS_INPUT, "a pair is two names, such as malloc:free");
    const size_t length = (size_t)(colon - first);
    const bool seems_heap = has_part(first, length, of_heaps);
    if (!is_heap && !is_lock && !seems_heap && !has_part(first, length, of_locks))
        return error_set(err, STATUS_INPUT,
                         "say whether it is a heap's or a lock's: heap=%.100s or lock=%.100s",
                         first, first);
    const bool allocates = is_heap || (!is_lock && seems_heap);
    char *name = strndup(first, length);
    if (!name || !VEC_ROOM(&pairs->given, 2) || !VEC_ROOM(&pairs->names, 1)) {
        free(name);
        return error_set(err, STATUS_MEMORY, "no memory");
    }
    pairs->names.items[pairs->names.count++] = name;
    const uint8_t family =
        allocates ? (uint8_t)(FAMILY_GIVEN + u64_min(pairs->given.count / 2, 200)) : FAMILY_LOCKS;
    pairs->given.items[pairs->given.count++] = (struct pair_function){
        name, allocates ? PAIR_ALLOCATE : PAIR_LOCK, family, 0, 0, SUCCESS_ALWAYS, false};
    pairs->given.items[pairs->given.count++] = (struct pair_function){
        colon + 1, allocates ? PAIR_FREE : PAIR_UNLOCK, family, 0, 0, SUCCESS_ALWAYS, false};
    return STATUS_OK;
}

// --- Calls ---------------------------------------------------------------------------------------

enum { CALL_ROWS = 1024, WATCHED = 128 };

struct watched {
    uint64_t pc;
    const struct pair_function *function;
};

struct search {
    struct pairs *pairs;
    const struct index_view *view;
    struct watched watched[WATCHED]; // ascending
    size_t watched_count;
    struct hash_index by_began; // calls by lane and the event at which they began
    VEC(, uint64_t) began;
    uint64_t call[CALL_ROWS], pc[CALL_ROWS];
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the calls of heaps and locks");
}

static void watch(struct search *search, struct names *names, const struct pair_function *function)
{
    uint64_t address, size_bytes;
    if (search->watched_count == WATCHED ||
        !names_find_symbol(names, function->name, &address, &size_bytes))
        return;
    address &= ~UINT64_C(1);
    size_t at = search->watched_count;
    for (; at && search->watched[at - 1].pc > address; at--)
        search->watched[at] = search->watched[at - 1];
    if (at && search->watched[at - 1].pc == address) { // another name of the same
        memmove(search->watched + at, search->watched + at + 1,
                (search->watched_count - at) * sizeof *search->watched);
        return;
    }
    search->watched[at] = (struct watched){address, function};
    search->watched_count++;
}

static const struct pair_function *watched_at(const struct search *search, uint64_t pc)
{
    size_t low;
    PARTITION_POINT(low, search->watched_count, search->watched[middle].pc < (pc & ~UINT64_C(1)));
    return low < search->watched_count && search->watched[low].pc == (pc & ~UINT64_C(1))
               ? search->watched[low].function
               : NULL;
}

// The event at which a call returns, through calls by which it was replaced.
static enum status find_return(const struct search *search, uint64_t lane, struct trawl_call about,
                               struct pair_call *call, struct error *err)
{
    struct trawl_index *index = search->view->index;
    struct trawl_error from;
    call->end = TRAWL_NONE;
    call->has_returned = false;
    for (;;) {
        if (about.is_open || about.how & TRAWL_CALL_SUSPENDED)
            return STATUS_OK;
        enum status status = index_status(
            trawl_event_of_lane(index, lane, about.exit, &call->end, &from), &from, err);
        if (status != STATUS_OK)
            return status;
        call->has_returned = !(about.how & (TRAWL_CALL_LEFT | TRAWL_CALL_TAIL_EXIT));
        if (!(about.how & TRAWL_CALL_TAIL_EXIT))
            return STATUS_OK;
        const uint64_t next = about.exit + 1;
        enum trawl_status found = trawl_call_at(index, lane, next, &about, &from);
        // Replaced ones are entered in the same event where the first instruction is a branch.
        while (found == TRAWL_OK && about.entry > next && about.parent != TRAWL_NONE)
            found = trawl_call(index, lane, about.parent, &about, &from);
        if (found == TRAWL_NOT_FOUND || (found == TRAWL_OK && about.entry != next))
            return STATUS_OK;
        if (found != TRAWL_OK)
            return index_status(found, &from, err);
    }
}

// Whether a call, or one around it, is that of an interrupt. What is found of those on the way is
// kept: calls may nest deeply, and most have the same ones around them.
static bool is_in_interrupt(struct pairs *pairs, const struct index_view *view, uint64_t lane,
                            struct trawl_call call)
{
    uint64_t way[OWNERS_KEPT / 4], number = call.call;
    size_t count = 0;
    bool is_in = false;
    for (;;) {
        const struct call_owner *kept = &pairs->owners[number % OWNERS_KEPT];
        if (kept->is_there && kept->lane == lane && kept->call == number) {
            is_in = kept->is_interrupt;
            break;
        }
        if (number != call.call && trawl_call(view->index, lane, number, &call, NULL) != TRAWL_OK)
            break;
        if (count < ARRAY_COUNT(way))
            way[count++] = number;
        is_in = call.how & TRAWL_CALL_INTERRUPT;
        if (is_in || call.parent == TRAWL_NONE)
            break;
        number = call.parent;
    }
    while (count--)
        pairs->owners[way[count] % OWNERS_KEPT] = (struct call_owner){
            .lane = lane, .call = way[count], .is_there = true, .is_interrupt = is_in};
    return is_in;
}

// Who runs at an event of a lane in a call; NULL: in none.
static uint64_t owner_in(struct pairs *pairs, const struct index_view *view, uint64_t lane,
                         uint64_t in_lane, const struct trawl_call *call)
{
    struct trawl_task_run run;
    if (call && is_in_interrupt(pairs, view, lane, *call))
        return lane << 32 | UINT32_MAX;
    const bool has_task = trawl_task_run_at(view->index, lane, in_lane, &run, NULL) == TRAWL_OK;
    return lane << 32 | (has_task ? run.task + 1 : 0);
}

uint64_t pair_owner(struct pairs *pairs, const struct index_view *view, uint64_t lane,
                    uint64_t event)
{
    struct trawl_event about;
    struct trawl_call call;
    if (trawl_event(view->index, event, &about, NULL) != TRAWL_OK)
        return lane << 32;
    const bool has_call = trawl_call_at(view->index, lane, about.in_lane, &call, NULL) == TRAWL_OK;
    return owner_in(pairs, view, lane, about.in_lane, has_call ? &call : NULL);
}

enum status pair_value_read(const struct index_view *view, uint64_t lane, uint64_t event,
                            uint32_t isa, const char *name, struct pair_value *value,
                            struct error *err)
{
    struct trawl_register about;
    uint8_t values[8] = {0}, known[8];
    struct trawl_error from;
    *value = (struct pair_value){0};
    if (!name ||
        trawl_register_named(view->index, isa, name, strlen(name), &about, NULL) != TRAWL_OK ||
        about.size_bytes > sizeof values)
        return STATUS_OK;
    const size_t size = (size_t)about.size_bytes;
    enum trawl_status read =
        trawl_registers(view->index, lane, event, about.offset, size, values, known, &from);
    if (read == TRAWL_OK)
        *value =
            (struct pair_value){point_number(values, size, false), true, !memchr(known, 0, size)};
    return index_status(read, &from, err);
}

enum status pair_result(const struct index_view *view, const struct pair_call *call,
                        struct pair_value *value, struct error *err)
{
    struct trawl_event end;
    enum status status = index_view_event(view, call->end, &end, err);
    if (status != STATUS_OK)
        return status;
    const uint32_t isa = end.flags & TRAWL_ISA;
    return pair_value_read(view, call->lane, call->end, isa, view->arch->isas[isa].result, value,
                           err);
}

static enum status read_arguments(const struct search *search, struct pair_call *call,
                                  struct error *err)
{
    const struct index_view *view = search->view;
    struct trawl_event entry;
    enum status status = index_view_event(view, call->entry, &entry, err);
    if (status != STATUS_OK)
        return status;
    const uint32_t isa = entry.flags & TRAWL_ISA;
    const char *const *names = view->arch->isas[isa].arguments;
    for (unsigned i = 0; i < PAIR_ARGUMENTS && names && names[i] && status == STATUS_OK; i++) {
        struct pair_value value;
        status = pair_value_read(view, call->lane, call->entry ? call->entry - 1 : TRAWL_START, isa,
                                 names[i], &value, err);
        call->arguments[i] = value.number;
    }
    return status;
}

static enum status add_call(struct search *search, uint64_t lane, uint64_t number,
                            const struct pair_function *function, struct error *err)
{
    struct pairs *pairs = search->pairs;
    struct trawl_index *index = search->view->index;
    struct trawl_call about;
    struct trawl_error from;
    enum status status = index_status(trawl_call(index, lane, number, &about, &from), &from, err);
    if (status != STATUS_OK)
        return status;
    const struct hash_seed *seed = hash_index_seed(&search->by_began);
    const uint64_t hash = hash_keys(seed, lane, about.began);
    uint32_t found;
    HASH_INDEX_FIND(found, &search->by_began, hash,
                    search->began.items[candidate] == about.began &&
                        pairs->calls.items[candidate].lane == lane);
    if (found == HASH_INDEX_NONE) {
        if (about.how & TRAWL_CALL_RESUMED)
            return STATUS_OK; // it was called before the trace
        struct pair_call call = {.function = function,
                                 .lane = lane,
                                 .number = number,
                                 .end = TRAWL_NONE,
                                 .site = TRAWL_NONE};
        status = index_status(trawl_event_of_lane(index, lane, about.entry, &call.entry, &from),
                              &from, err);
        if (status == STATUS_OK)
            status = read_arguments(search, &call, err);
        // By the call: in the event of its entry, an interrupt may have begun.
        call.owner = owner_in(search->pairs, search->view, lane, about.entry, &about);
        struct trawl_event site;
        enum status made = STATUS_NOT_FOUND;
        if (status == STATUS_OK && about.began)
            made = call_made_site(search->view, lane, &about, &site, err);
        if (made == STATUS_OK) {
            call.site = site.event;
            call.caller = site.pc;
        } else if (made != STATUS_NOT_FOUND) {
            status = made;
        }
        if (status != STATUS_OK)
            return status;
        found = (uint32_t)pairs->calls.count;
        if (found >= UINT32_MAX - 1 || !VEC_ROOM(&pairs->calls, 1) ||
            !VEC_ROOM(&search->began, 1) || !hash_index_add(&search->by_began, hash, found))
            return no_memory(err);
        pairs->calls.items[pairs->calls.count++] = call;
        search->began.items[search->began.count++] = about.began;
    }
    return find_return(search, lane, about, &pairs->calls.items[found], err);
}

// Of one event, entries come first.
static int compare_marks(const void *a, const void *b)
{
    const struct pair_mark *left = a, *right = b;
    if (left->event != right->event)
        return left->event < right->event ? -1 : 1;
    if (left->is_end != right->is_end)
        return left->is_end ? 1 : -1;
    // Inner ones end first.
    return left->is_end == (left->call < right->call) ? 1 : -1;
}

enum status pairs_find(struct pairs *pairs, const struct index_view *view, struct names *names,
                       unsigned parts, struct error *err)
{
    // A stack may be in a block of a heap, or run into one.
    const unsigned with_heap = CHECK_HEAP | CHECK_UNDEFINED | CHECK_STACK;
    struct search *search = calloc(1, sizeof *search);
    enum status status = STATUS_OK;
    if (!search)
        return no_memory(err);
    search->pairs = pairs;
    search->view = view;
    for (size_t i = 0; i < pairs->given.count + ARRAY_COUNT(known_functions); i++) {
        const struct pair_function *function = i < pairs->given.count
                                                   ? &pairs->given.items[i]
                                                   : &known_functions[i - pairs->given.count];
        if (parts & (function->role <= PAIR_FREE ? with_heap : CHECK_LOCKS))
            watch(search, names, function);
    }
    const struct trawl_call_columns columns = {.call = search->call, .pc = search->pc};
    for (uint64_t lane = 0; lane < view->info.lanes && search->watched_count; lane++) {
        size_t count = CALL_ROWS;
        for (uint64_t first = 0; count == CALL_ROWS && status == STATUS_OK; first += count) {
            struct trawl_error from;
            status = index_status(
                trawl_calls(view->index, lane, first, CALL_ROWS, &columns, &count, &from), &from,
                err);
            for (size_t i = 0; i < count && status == STATUS_OK; i++) {
                const struct pair_function *function = watched_at(search, search->pc[i]);
                if (function)
                    status = add_call(search, lane, search->call[i], function, err);
            }
        }
    }
    if (status == STATUS_OK && !VEC_ROOM(&pairs->marks, 2 * pairs->calls.count))
        status = no_memory(err);
    for (size_t i = 0; i < pairs->calls.count && status == STATUS_OK; i++) {
        const struct pair_call *call = &pairs->calls.items[i];
        pairs->marks.items[pairs->marks.count++] =
            (struct pair_mark){call->entry, (uint32_t)i, false};
        if (call->end != TRAWL_NONE)
            pairs->marks.items[pairs->marks.count++] =
                (struct pair_mark){call->end, (uint32_t)i, true};
    }
    if (pairs->marks.count)
        qsort(pairs->marks.items, pairs->marks.count, sizeof *pairs->marks.items, compare_marks);
    free(search->began.items);
    hash_index_free(&search->by_began);
    free(search);
    return status;
}

void pairs_free(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->names.count; i++)
        free(pairs->names.items[i]);
    free(pairs->names.items);
    free(pairs->given.items);
    free(pairs->calls.items);
    free(pairs->marks.items);
}
