#include "cmd/xray/sums.h"

#include "base/base.h"
#include "base/limits.h"
#include "base/thread.h"
#include "trace/xray/log.h"
#include "trace/xray/match.h"

#include <stdlib.h>
#include <sys/mman.h>

// --- Calls kept for further passes ---------------------------------------------------------------

// Stores ended calls in bounded memory: for each call its row in a table and its length, for
// further passes over the same calls that need nothing else.

// A call is one number: its row in the upper bits, its ticks in the lower ones.
#define CALL_TAPE_TICK_BITS 44
#define CALL_TAPE_BLOCK_CALLS (UINT64_C(1) << 18)
#define CALL_TAPE_BLOCKS (LIMIT_XRAY_TAPE_BYTES / sizeof(uint64_t) / CALL_TAPE_BLOCK_CALLS)

// All zero: empty, with room for as much as one tape can have.
struct call_tape {
    uint64_t *blocks[CALL_TAPE_BLOCKS];
    uint64_t *next, *end; // of the last block
    size_t block_count;
    unsigned shared_by; // number of tapes that share that room, if more than one
    bool is_torn;       // a call did not fit, or there is no memory: it has no contents
};

#define BLOCK_BYTES (CALL_TAPE_BLOCK_CALLS * sizeof(uint64_t))

// Allocating memory takes longer than writing to it. So blocks have the size of huge pages, and all
// but the first request one.
static uint64_t *new_block(const struct call_tape *tape)
{
    uint64_t *block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
#ifdef MADV_HUGEPAGE
    if (block && tape->block_count)
        madvise(block, BLOCK_BYTES, MADV_HUGEPAGE);
#endif
    return block;
}

static void free_blocks(struct call_tape *tape)
{
    for (size_t i = 0; i < tape->block_count; i++)
        free(tape->blocks[i]);
    *tape = (struct call_tape){.is_torn = tape->is_torn, .shared_by = tape->shared_by};
}

static void call_tape_tear(struct call_tape *tape)
{
    tape->is_torn = true;
    free_blocks(tape);
}

// Private to call_tape_add: makes room for a call, or marks the tape as torn.
static NEVER_INLINE bool call_tape_grow(struct call_tape *tape)
{
    uint64_t sharing = u64_max(tape->shared_by, 1);
    bool has_room = !tape->is_torn && tape->block_count < CALL_TAPE_BLOCKS / sharing;
    uint64_t *block = has_room ? new_block(tape) : NULL;
    if (!block) {
        call_tape_tear(tape);
        return false;
    }
    tape->blocks[tape->block_count++] = block;
    tape->next = block;
    tape->end = block + CALL_TAPE_BLOCK_CALLS;
    return true;
}

static ALWAYS_INLINE void call_tape_add(struct call_tape *tape, size_t row, uint64_t ticks)
{
    if (UNLIKELY(tape->next == tape->end) && !call_tape_grow(tape))
        return;
    if (UNLIKELY(ticks >> CALL_TAPE_TICK_BITS || row >> (64 - CALL_TAPE_TICK_BITS))) {
        call_tape_tear(tape);
        return;
    }
    *tape->next++ = (uint64_t)row << CALL_TAPE_TICK_BITS | ticks;
}

// --- The sums ------------------------------------------------------------------------------------

// More ranges than workers, so that workers end at about the same time.
#define RANGES_A_WORKER 2

// An exit for which no call was open in its range.
struct lost_exit {
    uint64_t tsc;
    uint32_t function;
    bool is_above; // calls of the range were open: it ends nothing, but its call may be open
    bool is_shared;
};

// What is left to be matched after a range.
struct chunk {
    VEC(, struct lost_exit) exits;
    struct xray_match open;
    struct trace_damage damage;
};

enum { ROWS_AT_HAND = 4096 };

struct worker {
    struct latency_table rows;     // by edge if edges are requested, otherwise by function
    uint32_t row_of[ROWS_AT_HAND]; // the last row of functions with these lowest bits
    struct call_tape tape;         // its calls, if percentiles are requested
    uint64_t *keys;                // of its rows, after these are merged
    size_t key_count;
    struct latency_counts function_counts, edge_counts; // during a pass of a search
    struct latency_table nests; // count: how often it is on the stack; max: 1 if it was there twice
    struct xray_match match;
    struct xray_hiding hiding;
    struct xray_batch batch;
    struct xray_exits exits, shared_exits;
    bool is_first;  // nothing is before the current range of its thread
    bool is_shared; // the current record is also in another log, where calls that it ends count
};

struct job {
    const struct xray_log *const *logs;
    size_t log_count;
    const struct xray_account_options *options;
    struct xray_ranges ranges;
    struct chunk *chunks; // one for each range
    struct worker *workers;
    bool is_search; // a further pass over the logs, which searches for percentiles
    bool is_torn;   // a tape had no room for all calls: further passes over the logs are needed
    struct latency_search function_search, edge_search;
    struct xray_account *account;
};

// --- One call ------------------------------------------------------------------------------------

// Whether recursion, if requested, lets a call count; called when it ends.
static bool leave_nest(struct worker *worker, uint32_t function)
{
    struct latency *nest = latency_row(&worker->nests, function);
    if (!nest)
        return false;
    bool was_twice = nest->max;
    if (nest->count && --nest->count == 0)
        nest->max = 0;
    return was_twice;
}

static ALWAYS_INLINE void count_call(struct job *job, struct worker *worker, uint32_t function,
                                     uint32_t caller, uint64_t ticks)
{
    uint64_t edge = xray_edge_key(caller, function);
    if (UNLIKELY(job->is_search)) {
        latency_count(&job->function_search, &worker->function_counts, function, ticks);
        if (job->options->by_edge)
            latency_count(&job->edge_search, &worker->edge_counts, edge, ticks);
        return;
    }
    const struct latency *row =
        latency_add(&worker->rows, job->options->by_edge ? edge : function, ticks);
    if (job->options->percentiles && LIKELY(row != NULL))
        call_tape_add(&worker->tape, (size_t)(row - worker->rows.rows.items), ticks);
}

// --- One record ----------------------------------------------------------------------------------

static bool enter(struct job *job, struct worker *worker, uint32_t function, uint64_t tsc)
{
    bool is_hidden = xray_hiding_enter(&worker->hiding, &worker->match, function, tsc);
    const struct xray_call call = {
        .tsc = xray_hiding_time(&worker->hiding, tsc),
        .who = xray_who_of(function, xray_function(xray_match_top(&worker->match)->who))};
    if (job->options->recursive_only && !is_hidden) {
        struct latency *nest = latency_row(&worker->nests, function);
        if (nest && ++nest->count == 2)
            nest->max = 1;
    }
    return xray_match_enter(&worker->match, &call);
}

static struct xray_exits *exits_of(struct worker *worker)
{
    return worker->is_shared ? &worker->shared_exits : &worker->exits;
}

static void leave(struct job *job, struct worker *worker, uint32_t function, uint64_t tsc)
{
    uint64_t left =
        xray_match_exit(&worker->match, function, job->options->deduce, exits_of(worker));
    worker->hiding.is_shared = worker->is_shared;
    while (xray_match_depth(&worker->match) > left) {
        const struct xray_call call = xray_match_leave(&worker->match);
        if (xray_hiding_leave(&worker->hiding, &worker->match, tsc))
            continue;
        bool counts = !job->options->recursive_only || leave_nest(worker, xray_function(call.who));
        if (counts && !worker->is_shared)
            count_call(job, worker, xray_function(call.who), xray_slot(call.who),
                       xray_hiding_ticks(&worker->hiding, call.tsc, tsc));
    }
}

static bool take_record(struct job *job, struct worker *worker, struct chunk *chunk,
                        const struct xray_record *record)
{
    if (record->kind == XRAY_FAULT)
        trace_damage_add(&chunk->damage, &record->fault);
    if (!xray_is_function(record->kind))
        return true;
    if (xray_is_enter(record->kind))
        return enter(job, worker, record->function, record->tsc);
    bool is_above = xray_match_depth(&worker->match);
    if (worker->is_first && !is_above)
        exits_of(worker)->unmatched++;
    else if (worker->is_first || (is_above && xray_match_find(&worker->match, record->function)))
        leave(job, worker, record->function, record->tsc);
    else if (VEC_ROOM(&chunk->exits, 1))
        chunk->exits.items[chunk->exits.count++] =
            (struct lost_exit){record->tsc, record->function, is_above, worker->is_shared};
    else
        return false;
    return true;
}

// --- A chunk -------------------------------------------------------------------------------------

// Adds the calls of a batch by function, which needs no look-up by hash for nearly all of them.
static void count_functions(struct job *job, struct worker *worker)
{
    const struct xray_batch *batch = &worker->batch;
    struct latency_table *table = &worker->rows;
    for (size_t i = 0; i < batch->ended_count; i++) {
        const struct xray_ended *ended = &batch->ended[i];
        const uint32_t function = xray_function(ended->who);
        uint32_t *at_hand = &worker->row_of[function % ROWS_AT_HAND];
        if (UNLIKELY(*at_hand >= table->rows.count ||
                     table->rows.items[*at_hand].key != function)) {
            const struct latency *row = latency_row(table, function);
            if (!row)
                return;
            *at_hand = (uint32_t)(row - table->rows.items);
        }
        if (UNLIKELY(!latency_add_to(table, &table->rows.items[*at_hand], ended->ticks)))
            return;
        if (job->options->percentiles)
            call_tape_add(&worker->tape, *at_hand, ended->ticks);
    }
}

// Processes plain records in batches.
static bool take_batches(struct job *job, struct worker *worker, struct xray_cursor *cursor)
{
    struct xray_batch *batch = &worker->batch;
    do {
        if (!xray_match_run(&worker->match, cursor, batch, false))
            return false;
        if (!job->is_search && !job->options->by_edge) {
            count_functions(job, worker);
            continue;
        }
        for (size_t i = 0; i < batch->ended_count; i++) {
            const struct xray_ended *ended = &batch->ended[i];
            count_call(job, worker, xray_function(ended->who), xray_slot(ended->who), ended->ticks);
        }
    } while (xray_batch_is_full(batch));
    return true;
}

static bool take_chunk(void *self, unsigned number, uint64_t item)
{
    struct job *job = self;
    struct worker *worker = &job->workers[number];
    struct chunk *chunk = &job->chunks[item];
    const struct xray_range *range = &job->ranges.items[item];
    struct xray_cursor cursor;
    struct xray_record record;
    latency_table_free(&worker->nests);
    xray_hiding_begin(&worker->hiding);
    xray_cursor_buffers(&cursor, range->log, range->first_buffer, range->end_buffer);
    bool is_whole = xray_match_begin(&worker->match, 0, 0);
    bool takes_batches = !job->options->recursive_only && !job->options->hider;
    worker->is_first = range->first_buffer == range->log->threads.items[range->thread].first_buffer;
    while (is_whole) {
        if (takes_batches && !xray_next_may_be_shared(&cursor))
            is_whole = take_batches(job, worker, &cursor);
        if (!is_whole || !xray_next(&cursor, &record))
            break;
        worker->is_shared = xray_is_shared(&cursor);
        is_whole = take_record(job, worker, chunk, &record);
    }
    chunk->open = worker->match;
    worker->match = (struct xray_match){0};
    return is_whole && !worker->nests.lacks_memory && !worker->hiding.answers.lacks_memory &&
           !chunk->open.open.lacks_memory;
}

// --- All chunks ----------------------------------------------------------------------------------

// The calls of a thread may be matched in chunks if the effect of an exit does not depend on calls
// from before the chunk, and the callers of those do not matter.
static bool cut_chunks(struct job *job)
{
    const struct xray_account_options *options = job->options;
    bool is_divisible =
        !options->deduce && !options->recursive_only && !options->by_edge && !options->hider;
    unsigned parts = is_divisible ? options->threads * RANGES_A_WORKER : 1;
    for (size_t i = 0; i < job->log_count; i++) {
        if (!xray_ranges_cut(&job->ranges, job->logs[i], parts))
            return false;
    }
    job->chunks = calloc(job->ranges.count + 1, sizeof *job->chunks);
    return job->chunks != NULL;
}

// Matches what was left over from chunks, thread by thread.
static bool join_chunks(struct job *job)
{
    struct worker *worker = &job->workers[0];
    bool is_whole = xray_match_begin(&worker->match, 0, 0);
    xray_hiding_begin(&worker->hiding);
    for (size_t i = 0; i < job->ranges.count && is_whole; i++) {
        const struct chunk *chunk = &job->chunks[i];
        for (size_t e = 0; e < chunk->exits.count; e++) {
            const struct lost_exit *exit = &chunk->exits.items[e];
            worker->is_shared = exit->is_shared;
            if (!exit->is_above)
                leave(job, worker, exit->function, exit->tsc);
            else if (xray_match_find(&worker->match, exit->function))
                exits_of(worker)->blocked++;
            else
                exits_of(worker)->unmatched++;
        }
        for (size_t o = 1; o < chunk->open.calls.count && is_whole; o++)
            is_whole = xray_match_enter(&worker->match, &chunk->open.calls.items[o]);
        if (is_whole && xray_range_ends_thread(&job->ranges, i))
            is_whole = xray_match_begin(&worker->match, 0, 0);
    }
    return is_whole && !worker->match.open.lacks_memory;
}

static void empty_chunks(struct job *job)
{
    for (size_t i = 0; i < job->ranges.count && job->chunks; i++) {
        free(job->chunks[i].exits.items);
        xray_match_free(&job->chunks[i].open);
        job->chunks[i] = (struct chunk){0};
    }
}

static bool run_pass(struct job *job)
{
    bool is_whole =
        parallel_run(job->options->threads, job->ranges.count, job, take_chunk) && join_chunks(job);
    if (is_whole && !job->is_search) {
        // Later passes find the same damage.
        size_t log = 0;
        for (size_t i = 0; i < job->ranges.count; i++) {
            while (job->logs[log] != job->ranges.items[i].log)
                log++;
            trace_damage_merge(&job->account->damage[log], &job->chunks[i].damage);
        }
    }
    empty_chunks(job);
    return is_whole;
}

// Stores the keys of the rows to which the worker's tape refers.
static bool keep_keys(struct worker *worker)
{
    size_t count = worker->rows.rows.count;
    worker->keys = calloc(count + 1, sizeof *worker->keys);
    worker->key_count = worker->keys ? count : 0;
    for (size_t i = 0; i < worker->key_count; i++)
        worker->keys[i] = worker->rows.rows.items[i].key;
    return worker->keys != NULL;
}

// The calls of a function are those of all edges to it.
static bool add_up_edges(struct xray_account *account)
{
    bool is_whole = true;
    for (size_t i = 0; i < account->edges.rows.count && is_whole; i++) {
        const struct latency *edge = &account->edges.rows.items[i];
        is_whole = latency_include(&account->functions, (uint32_t)edge->key, edge);
    }
    return is_whole && latency_sort(&account->functions);
}

static bool merge_workers(struct job *job)
{
    struct xray_account *account = job->account;
    bool by_edge = job->options->by_edge, is_whole = true;
    struct latency_table *rows = by_edge ? &account->edges : &account->functions;
    for (unsigned i = 0; i < job->options->threads; i++) {
        struct worker *worker = &job->workers[i];
        is_whole = is_whole && keep_keys(worker) && latency_merge(rows, &worker->rows);
        job->is_torn |= worker->tape.is_torn;
        xray_exits_merge(&account->exits, &worker->exits);
        account->hidden_ticks += worker->hiding.all_ticks;
        account->hidden_calls += worker->hiding.all_calls;
    }
    return is_whole && latency_sort(rows) && (!by_edge || add_up_edges(account));
}

// --- Percentiles ---------------------------------------------------------------------------------

static bool begin_counts(struct job *job)
{
    bool is_whole = true;
    for (unsigned i = 0; i < job->options->threads; i++)
        is_whole = latency_counts_begin(&job->workers[i].function_counts, &job->function_search) &&
                   latency_counts_begin(&job->workers[i].edge_counts, &job->edge_search) &&
                   is_whole;
    return is_whole;
}

static bool narrow(struct job *job)
{
    struct latency_counts functions[LIMIT_THREADS], edges[LIMIT_THREADS];
    for (unsigned i = 0; i < job->options->threads; i++) {
        functions[i] = job->workers[i].function_counts;
        edges[i] = job->workers[i].edge_counts;
    }
    return latency_search_narrow(&job->function_search, functions, job->options->threads) &&
           latency_search_narrow(&job->edge_search, edges, job->options->threads);
}

// The rows in which the calls of a worker's row are counted.
struct count_places {
    size_t function, edge;
};

static struct count_places places_of(const struct job *job, uint64_t key)
{
    const struct xray_account *account = job->account;
    struct count_places places = {0};
    const struct latency *function = latency_find(&account->functions, (uint32_t)key);
    places.function = (size_t)(function - account->functions.rows.items);
    if (job->options->by_edge)
        places.edge = (size_t)(latency_find(&account->edges, key) - account->edges.rows.items);
    return places;
}

static void count_block(struct job *job, struct worker *worker, const uint64_t *calls, size_t count,
                        const struct count_places *places)
{
    for (size_t i = 0; i < count; i++) {
        const struct count_places *at = &places[calls[i] >> CALL_TAPE_TICK_BITS];
        uint64_t ticks = calls[i] & ((UINT64_C(1) << CALL_TAPE_TICK_BITS) - 1);
        latency_count_row(&job->function_search, &worker->function_counts, at->function, ticks);
        if (job->options->by_edge)
            latency_count_row(&job->edge_search, &worker->edge_counts, at->edge, ticks);
    }
}

static bool count_tape(void *self, unsigned number, uint64_t item)
{
    (void)number;
    struct job *job = self;
    struct worker *worker = &job->workers[item];
    struct count_places *places = calloc(worker->key_count + 1, sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < worker->key_count; i++)
        places[i] = places_of(job, worker->keys[i]);
    const struct call_tape *tape = &worker->tape;
    for (size_t i = 0; i < tape->block_count; i++) {
        const bool is_last = i + 1 == tape->block_count;
        count_block(job, worker, tape->blocks[i],
                    is_last ? (size_t)(tape->next - tape->blocks[i]) : CALL_TAPE_BLOCK_CALLS,
                    places);
    }
    free(places);
    return true;
}

static bool find_percentiles(struct job *job)
{
    bool is_whole = latency_search_begin(&job->function_search, &job->account->functions) &&
                    latency_search_begin(&job->edge_search, &job->account->edges);
    unsigned threads = job->options->threads;
    job->is_search = true;
    while (is_whole && (latency_search_wants_pass(&job->function_search) ||
                        latency_search_wants_pass(&job->edge_search))) {
        is_whole =
            begin_counts(job) &&
            (job->is_torn ? run_pass(job) : parallel_run(threads, threads, job, count_tape)) &&
            narrow(job);
        for (unsigned i = 0; i < job->options->threads; i++) {
            latency_counts_free(&job->workers[i].function_counts);
            latency_counts_free(&job->workers[i].edge_counts);
        }
    }
    latency_search_end(&job->function_search, &job->account->functions);
    latency_search_end(&job->edge_search, &job->account->edges);
    return is_whole;
}

// --- The run -------------------------------------------------------------------------------------

enum status xray_account_run(const struct xray_log *const *logs, size_t log_count,
                             const struct xray_account_options *options,
                             struct xray_account *account, struct error *err)
{
    struct job job = {.logs = logs, .log_count = log_count, .options = options, .account = account};
    *account = (struct xray_account){.damage = calloc(log_count, sizeof *account->damage)};
    account->functions.has_sums_only = account->edges.has_sums_only = !options->percentiles;
    job.workers = calloc(options->threads, sizeof *job.workers);
    for (unsigned i = 0; i < options->threads && job.workers; i++) {
        job.workers[i].rows.has_sums_only = !options->percentiles;
        job.workers[i].hiding.hider = options->hider;
        job.workers[i].tape.shared_by = options->threads;
    }
    bool is_whole = job.workers && account->damage && cut_chunks(&job) && run_pass(&job) &&
                    merge_workers(&job) && (!options->percentiles || find_percentiles(&job));
    for (unsigned i = 0; i < job.options->threads && job.workers; i++) {
        struct worker *worker = &job.workers[i];
        latency_table_free(&worker->rows);
        // The tape is empty afterwards.
        struct call_tape *tape = &worker->tape;
        free_blocks(tape);
        tape->is_torn = false;
        free(worker->keys);
        latency_table_free(&worker->nests);
        xray_hiding_free(&worker->hiding);
        xray_match_free(&worker->match);
    }
    empty_chunks(&job);
    free(job.ranges.items);
    free(job.chunks);
    free(job.workers);
    return is_whole ? STATUS_OK
                    : error_set(err, STATUS_MEMORY, "no memory for the calls of the log");
}

void xray_account_free(struct xray_account *account)
{
    latency_table_free(&account->functions);
    latency_table_free(&account->edges);
    free(account->damage);
}
