// Matches entries and exits of one thread of an XRay log into calls, many records at a time.
//
// It is unpredictable whether an entry or an exit comes next, and a mispredicted branch takes more
// time than all other work. So xray_match_run does for each record what an entry needs and what an
// exit needs, and keeps the right results: wrong ones in a batch are overwritten. It stops at
// anything that is not plain (metadata, an exit of a function that is not on top), which the caller
// processes record by record.
//
//     while (xray_match_run(&match, &cursor, &batch, ...)) {
//         take the batch; then, unless there is none, one record by xray_next
//     }
#ifndef TRAWL_TRACE_XRAY_MATCH_H
#define TRAWL_TRACE_XRAY_MATCH_H

#include "base/base.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "flow/call_consumer.h"
#include "trace/xray/record.h"

#include <stdlib.h>

// --- Functions that are open ---------------------------------------------------------------------

// The functions that are open on a stack of calls, for exits of functions that are not on top.
// Finding out whether there is such a call must not require a walk down the stack each time,
// because a damaged log may have millions of exits without entries above a million open calls.

struct open_function {
    uint32_t function;
    uint32_t count; // 0: a free slot, or a function without open calls
    bool is_used;
};

// Initialize with zeros. Nothing is counted before the first query.
struct open_functions {
    struct hash_seed seed;
    struct open_function *slots;
    size_t slot_count; // a power of two, or 0
    size_t used_count;
    size_t counted; // number of the stack's calls that were counted, from the outermost on
    bool lacks_memory;
};

// The number of calls from the outermost to the innermost one of `function`, inclusive; 0: none is
// open. The stack has `depth` calls, whose functions are `stride_bytes` apart, beginning at
// `functions`. Each call is counted once, and is walked over only if it is then closed. If there is
// no memory: 0, and open->lacks_memory.
size_t open_functions_find(struct open_functions *open, const uint32_t *functions,
                           size_t stride_bytes, size_t depth, uint32_t function);

// Private to open_functions_closed.
void open_functions_uncount(struct open_functions *open, uint32_t function);

// Must be called after the innermost call, of `function`, was removed; `depth` calls are left.
static ALWAYS_INLINE void open_functions_closed(struct open_functions *open, size_t depth,
                                                uint32_t function)
{
    if (LIKELY(depth >= open->counted))
        return;
    open->counted = depth;
    open_functions_uncount(open, function);
}

// Frees it; it is empty afterwards.
void open_functions_free(struct open_functions *open);

// The number of function records in a batch.
#define XRAY_BATCH 256

// How far ahead the log is prefetched, in bytes.
#define XRAY_AHEAD_BYTES 4096

// The place of a call that began in the current batch: this bit and the number of its entry.
#define XRAY_SLOT_NEW (UINT32_C(1) << 31)

// A function in the low half, and in the high half the user's place for the call or, without paths,
// its caller. One number, so that it is written and read as a whole, unlike two numbers.
typedef uint64_t xray_who;

static ALWAYS_INLINE xray_who xray_who_of(uint32_t function, uint32_t place)
{
    return (uint64_t)place << 32 | function;
}

static ALWAYS_INLINE uint32_t xray_function(xray_who who)
{
    return (uint32_t)who;
}

static ALWAYS_INLINE uint32_t xray_slot(xray_who who)
{
    return (uint32_t)(who >> 32);
}

// An open call.
struct xray_call {
    uint64_t tsc; // of its entry
    xray_who who;
    uint64_t path; // with paths: a hash of all functions from the outermost to this one
};

// An entry in a batch, with paths.
struct xray_entry {
    uint64_t path;
    uint32_t function;
    uint32_t outer; // place of the surrounding call
};

// A call that ended in a batch.
struct xray_ended {
    uint64_t ticks;
    xray_who who;
};

struct xray_batch {
    size_t entry_count, ended_count;
    struct xray_entry entries[XRAY_BATCH];
    struct xray_ended ended[XRAY_BATCH + 1];
    bool is_leaf[XRAY_BATCH + 1]; // with paths: no call that was made in it has ended
};

// Whether there may be more plain records after the batch.
static ALWAYS_INLINE bool xray_batch_is_full(const struct xray_batch *batch)
{
    return batch->entry_count + batch->ended_count == XRAY_BATCH;
}

// Counts of unusual exits.
struct xray_exits {
    uint64_t unmatched; // exits of functions that are not open
    uint64_t blocked;   // exits of calls that stay open, because one inside them is
    uint64_t unwound;   // calls that ended by the exit of an outer call
};

static inline void xray_exits_merge(struct xray_exits *into, const struct xray_exits *from)
{
    into->unmatched += from->unmatched;
    into->blocked += from->blocked;
    into->unwound += from->unwound;
}

// How a call ended (enum call_how): by the exit of an outer call (`is_unwound`), or by its own
// exit.
static ALWAYS_INLINE uint8_t xray_how_ended(enum xray_kind exit, bool is_unwound)
{
    return is_unwound ? CALL_LEFT : exit == XRAY_TAIL_EXIT ? CALL_TAIL_EXIT : 0;
}

struct xray_match {
    // The first item stands for the code outside of all calls; xray_match_begin adds it.
    VEC(, struct xray_call) calls;
    struct open_functions open;
    bool is_after_exit; // the last record processed was an exit
};

// Clocks of processors may disagree.
static ALWAYS_INLINE uint64_t xray_ticks_between(uint64_t entered_tsc, uint64_t left_tsc)
{
    return left_tsc >= entered_tsc ? left_tsc - entered_tsc : entered_tsc - left_tsc;
}

static ALWAYS_INLINE uint64_t xray_path(uint64_t outer, uint32_t function)
{
    uint64_t mixed =
        (outer ^ function * UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0x9E3779B97F4A7C15);
    return mixed ^ mixed >> 32;
}

// Begins without open calls; `match` is all zero or was used before. False: no memory.
static inline bool xray_match_begin(struct xray_match *match, uint64_t path, uint32_t place)
{
    open_functions_free(&match->open);
    match->is_after_exit = false;
    match->calls.count = 0;
    if (!VEC_ROOM(&match->calls, 1))
        return false;
    match->calls.items[match->calls.count++] =
        (struct xray_call){.who = xray_who_of(0, place), .path = path};
    return true;
}

static inline void xray_match_free(struct xray_match *match)
{
    open_functions_free(&match->open);
    free(match->calls.items);
    *match = (struct xray_match){0};
}

// The number of open calls.
static ALWAYS_INLINE size_t xray_match_depth(const struct xray_match *match)
{
    return match->calls.count - 1;
}

// The innermost open call, or the item for the code outside of all calls.
static ALWAYS_INLINE struct xray_call *xray_match_top(const struct xray_match *match)
{
    return &match->calls.items[match->calls.count - 1];
}

// Opens a call. False: no memory.
static ALWAYS_INLINE bool xray_match_enter(struct xray_match *match, const struct xray_call *call)
{
    if (UNLIKELY(!VEC_ROOM(&match->calls, 1)))
        return false;
    match->calls.items[match->calls.count++] = *call;
    match->is_after_exit = false;
    return true;
}

// Closes the innermost call and returns it.
static ALWAYS_INLINE struct xray_call xray_match_leave(struct xray_match *match)
{
    const struct xray_call call = *xray_match_top(match);
    match->calls.count--;
    match->is_after_exit = true;
    open_functions_closed(&match->open, xray_match_depth(match), xray_function(call.who));
    return call;
}

// The number of calls from the outermost to the innermost one of `function`, inclusive; 0: none is
// open.
static ALWAYS_INLINE size_t xray_match_find(struct xray_match *match, uint32_t function)
{
    size_t depth = xray_match_depth(match);
    if (LIKELY(depth && xray_function(xray_match_top(match)->who) == function))
        return depth;
    return depth ? open_functions_find(&match->open, (const uint32_t *)&match->calls.items[1].who,
                                       sizeof *match->calls.items, depth, function)
                 : 0;
}

// The number of calls that stay open after an exit of `function`, which may close several
// (`deduce`) or only the innermost; UINT64_MAX: it closes none. Updates the counts before the calls
// are closed.
static ALWAYS_INLINE uint64_t xray_match_exit(struct xray_match *match, uint32_t function,
                                              bool deduce, struct xray_exits *exits)
{
    size_t depth = xray_match_depth(match), found = xray_match_find(match, function);
    if (LIKELY(found && found == depth))
        return depth - 1;
    exits->unmatched += !found;
    exits->blocked += found && !deduce;
    exits->unwound += found && deduce ? depth - found : 0;
    return found && deduce ? found - 1 : UINT64_MAX;
}

// The implementation of xray_match_each, for either type of log.
static ALWAYS_INLINE void
xray_match_span(struct xray_match *match, struct xray_span *span, bool is_basic, void *self,
                void (*step)(void *self, struct xray_call *top, const struct xray_step *record))
{
    struct xray_call *top = xray_match_top(match);
    const struct xray_call *kept = match->calls.items + match->open.counted;
    struct xray_step record;
    for (size_t at = 0; at < XRAY_BATCH * xray_function_bytes(is_basic) && !is_basic; at += 64)
        __builtin_prefetch(span->at + XRAY_AHEAD_BYTES + at);
    while (span->at < span->end && xray_step_read(span->at, span->tsc, is_basic, &record)) {
        if (is_basic)
            __builtin_prefetch(span->at + XRAY_AHEAD_BYTES);
        if (UNLIKELY(((xray_function(top->who) ^ record.function) | (top <= kept)) &
                     -(uint32_t)record.is_exit))
            break;
        xray_span_take(span, is_basic, &record);
        step(self, top, &record);
        top += 1 - 2 * (ptrdiff_t)record.is_exit;
        match->is_after_exit = record.is_exit;
    }
    match->calls.count = (size_t)(top - match->calls.items) + 1;
}

// Calls `step` for each of up to `count` plain function records, at most XRAY_BATCH. `top` is the
// innermost open call, which an exit closes. top[1] is where a new call is stored; `step` also
// fills it for exits, because it does everything for both. False: no memory.
static ALWAYS_INLINE bool
xray_match_each(struct xray_match *match, struct xray_cursor *cursor, size_t count, void *self,
                void (*step)(void *self, struct xray_call *top, const struct xray_step *record))
{
    if (UNLIKELY(!VEC_ROOM(&match->calls, XRAY_BATCH + 1)))
        return false;
    struct xray_span span = xray_span(cursor, count);
    if (cursor->is_basic)
        xray_match_span(match, &span, true, self, step);
    else
        xray_match_span(match, &span, false, self, step);
    xray_span_taken(cursor, &span);
    return true;
}

// The state of xray_match_run.
struct xray_filling {
    struct xray_batch *batch;
    struct xray_ended *ended;
    uint32_t entry;
    uint64_t is_after_exit;
};

static ALWAYS_INLINE void xray_fill(void *self, struct xray_call *top,
                                    const struct xray_step *record)
{
    struct xray_filling *filling = self;
    filling->ended->ticks = xray_ticks_between(top->tsc, record->tsc);
    filling->ended->who = top->who;
    filling->ended += record->is_exit;
    filling->entry += 1 - (uint32_t)record->is_exit;
    top[1].tsc = record->tsc;
    top[1].who = xray_who_of(record->function, xray_function(top->who));
}

static ALWAYS_INLINE void xray_fill_paths(void *self, struct xray_call *top,
                                          const struct xray_step *record)
{
    struct xray_filling *filling = self;
    struct xray_batch *batch = filling->batch;
    batch->is_leaf[filling->ended - batch->ended] = !filling->is_after_exit;
    filling->is_after_exit = record->is_exit;
    top[1].path = xray_path(top->path, record->function);
    batch->entries[filling->entry] =
        (struct xray_entry){top[1].path, record->function, xray_slot(top->who)};
    uint32_t place = XRAY_SLOT_NEW | filling->entry;
    xray_fill(self, top, record);
    top[1].who = xray_who_of(record->function, place);
}

// Processes up to XRAY_BATCH plain function records. False: no memory.
static ALWAYS_INLINE bool xray_match_run(struct xray_match *match, struct xray_cursor *cursor,
                                         struct xray_batch *batch, bool has_paths)
{
    struct xray_filling filling = {batch, batch->ended, 0, match->is_after_exit};
    if (!xray_match_each(match, cursor, XRAY_BATCH, &filling,
                         has_paths ? xray_fill_paths : xray_fill))
        return false;
    batch->entry_count = filling.entry;
    batch->ended_count = (size_t)(filling.ended - batch->ended);
    return true;
}

#endif
