#include "analysis/xray_account.h"

#include "analysis/open_functions.h"
#include "analysis/xray_ranges.h"
#include "base/parallel.h"

#include <stdlib.h>

// So that workers end at about the same time.
#define RANGES_A_WORKER 2

struct frame {
    uint64_t entered_tsc;
    uint32_t function;
};

VEC(frames, struct frame);

// What a range leaves over.
struct piece {
    struct frames exits; // that found the stack empty: function and time
    struct frames open;  // calls, outermost first
};

struct worker {
    struct latency_table functions, edges;
    struct latency_counts function_counts, edge_counts; // in a pass of a search
    struct latency_table nests; // count: how often on the stack; max: 1 since it was twice
    struct frames stack;
    struct open_functions open; // on the stack
    uint64_t unmatched_exits;
    struct xray_damage damage;
};

struct job {
    const struct xray_log *log;
    const struct xray_account_options *options;
    struct xray_ranges ranges;
    struct piece *pieces; // of each range
    struct worker *workers;
    bool is_search; // a further pass, which looks for percentiles
    struct latency_search function_search, edge_search;
    struct xray_account *account;
};

// --- One call ------------------------------------------------------------------------------------

// Whether recursion, if it matters, lets a call count; called as it ends.
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

static void enter_nest(struct worker *worker, uint32_t function)
{
    struct latency *nest = latency_row(&worker->nests, function);
    if (nest && ++nest->count == 2)
        nest->max = 1;
}

static ALWAYS_INLINE void count_call(struct job *job, struct worker *worker,
                                     const struct frame *frame, uint32_t caller, uint64_t left_tsc)
{
    // Clocks of two processors may disagree.
    uint64_t ticks = left_tsc >= frame->entered_tsc ? left_tsc - frame->entered_tsc
                                                    : frame->entered_tsc - left_tsc;
    if (UNLIKELY(job->options->recursive_only) && !leave_nest(worker, frame->function))
        return;
    if (job->is_search)
        latency_count(&job->function_search, &worker->function_counts, frame->function, ticks);
    else
        latency_add(&worker->functions, frame->function, ticks);
    if (LIKELY(!job->options->by_edge))
        return;
    uint64_t edge = xray_edge_key(caller, frame->function);
    if (job->is_search)
        latency_count(&job->edge_search, &worker->edge_counts, edge, ticks);
    else
        latency_add(&worker->edges, edge, ticks);
}

// Ends the call on top of the stack.
static ALWAYS_INLINE void end_call(struct job *job, struct worker *worker, struct frames *stack,
                                   uint64_t tsc)
{
    const struct frame *top = &stack->items[--stack->count];
    open_functions_closed(&worker->open, stack->count, top->function);
    count_call(job, worker, top, stack->count ? top[-1].function : 0, tsc);
}

// An exit of a function that is not on top of the stack.
static NEVER_INLINE void exit_from_below(struct job *job, struct worker *worker,
                                         struct frames *stack, uint32_t function, uint64_t tsc)
{
    size_t found = 0;
    if (job->options->deduce && stack->count)
        found = open_functions_find(&worker->open, &stack->items->function, sizeof *stack->items,
                                    stack->count, function);
    worker->unmatched_exits += !found;
    while (found && stack->count >= found)
        end_call(job, worker, stack, tsc);
}

// --- A piece -------------------------------------------------------------------------------------

static bool push(struct frames *frames, uint32_t function, uint64_t tsc)
{
    if (!VEC_ROOM(frames, 1))
        return false;
    frames->items[frames->count++] = (struct frame){tsc, function};
    return true;
}

struct taker {
    struct job *job;
    struct worker *worker;
    struct piece *piece;
};

static ALWAYS_INLINE bool take_call(void *self, enum xray_kind kind, uint32_t function,
                                    uint64_t tsc)
{
    struct taker *taker = self;
    struct worker *worker = taker->worker;
    struct frames *stack = &worker->stack;
    if (xray_is_enter(kind)) {
        if (UNLIKELY(taker->job->options->recursive_only))
            enter_nest(worker, function);
        return push(stack, function, tsc);
    }
    if (UNLIKELY(stack->count == 0))
        return push(&taker->piece->exits, function, tsc);
    if (LIKELY(stack->items[stack->count - 1].function == function))
        end_call(taker->job, worker, stack, tsc);
    else
        exit_from_below(taker->job, worker, stack, function, tsc);
    return true;
}

static bool take_piece(void *self, unsigned number, uint64_t item)
{
    struct job *job = self;
    struct worker *worker = &job->workers[number];
    struct piece *piece = &job->pieces[item];
    const struct xray_range *range = &job->ranges.items[item];
    struct xray_cursor cursor;
    struct xray_record record;
    worker->stack.count = 0;
    open_functions_free(&worker->open);
    latency_table_free(&worker->nests);
    struct taker taker = {job, worker, piece};
    xray_cursor_buffers(&cursor, job->log, range->first_buffer, range->end_buffer);
    for (;;) {
        if (!xray_take_calls(&cursor, &taker, take_call))
            return false;
        if (!xray_next(&cursor, &record))
            break;
        if (record.kind == XRAY_FAULT)
            xray_damage_add(&worker->damage, &record.fault);
        else if (xray_is_function(record.kind) &&
                 !take_call(&taker, record.kind, record.function, record.tsc))
            return false;
    }
    piece->open = worker->stack;
    worker->stack = (struct frames){0};
    return !worker->nests.lacks_memory && !worker->open.counts.lacks_memory;
}

// --- All pieces ----------------------------------------------------------------------------------

// Calls of a thread may be matched piece by piece if what an exit does depends on nothing below the
// piece's own calls, and the caller of those does not matter.
static bool cut_pieces(struct job *job)
{
    const struct xray_account_options *options = job->options;
    bool is_divisible = !options->deduce && !options->recursive_only && !options->by_edge;
    if (!xray_ranges_cut(&job->ranges, job->log,
                         is_divisible ? options->threads * RANGES_A_WORKER : 1))
        return false;
    job->pieces = calloc(job->ranges.count + 1, sizeof *job->pieces);
    return job->pieces != NULL;
}

// Matches what pieces left over, thread by thread.
static bool join_pieces(struct job *job)
{
    struct worker *worker = &job->workers[0];
    struct frames *stack = &worker->stack;
    bool is_whole = true;
    stack->count = 0;
    open_functions_free(&worker->open);
    for (size_t i = 0; i < job->ranges.count && is_whole; i++) {
        struct piece *piece = &job->pieces[i];
        for (size_t e = 0; e < piece->exits.count; e++) {
            const struct frame *exit = &piece->exits.items[e];
            if (stack->count && stack->items[stack->count - 1].function == exit->function)
                end_call(job, worker, stack, exit->entered_tsc);
            else
                worker->unmatched_exits++;
        }
        for (size_t o = 0; o < piece->open.count && is_whole; o++)
            is_whole = push(stack, piece->open.items[o].function, piece->open.items[o].entered_tsc);
        if (xray_range_ends_thread(&job->ranges, i))
            stack->count = 0;
    }
    return is_whole;
}

static void empty_pieces(struct job *job)
{
    for (size_t i = 0; i < job->ranges.count && job->pieces; i++) {
        free(job->pieces[i].exits.items);
        free(job->pieces[i].open.items);
        job->pieces[i] = (struct piece){0};
    }
}

static bool run_pass(struct job *job)
{
    bool is_whole =
        parallel_run(job->options->threads, job->ranges.count, job, take_piece) && join_pieces(job);
    empty_pieces(job);
    return is_whole;
}

static bool merge_workers(struct job *job)
{
    struct xray_account *account = job->account;
    bool is_whole = true;
    for (unsigned i = 0; i < job->options->threads; i++) {
        struct worker *worker = &job->workers[i];
        is_whole = is_whole && latency_merge(&account->functions, &worker->functions) &&
                   latency_merge(&account->edges, &worker->edges);
        account->unmatched_exits += worker->unmatched_exits;
        xray_damage_merge(&account->damage, &worker->damage);
    }
    return is_whole && latency_sort(&account->functions) && latency_sort(&account->edges);
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

static void end_counts(struct job *job)
{
    for (unsigned i = 0; i < job->options->threads; i++) {
        latency_counts_free(&job->workers[i].function_counts);
        latency_counts_free(&job->workers[i].edge_counts);
    }
}

static bool find_percentiles(struct job *job)
{
    bool is_whole = latency_search_begin(&job->function_search, &job->account->functions) &&
                    latency_search_begin(&job->edge_search, &job->account->edges);
    job->is_search = true;
    while (is_whole && (latency_search_wants_pass(&job->function_search) ||
                        latency_search_wants_pass(&job->edge_search))) {
        is_whole = begin_counts(job) && run_pass(job) && narrow(job);
        end_counts(job);
    }
    latency_search_end(&job->function_search, &job->account->functions);
    latency_search_end(&job->edge_search, &job->account->edges);
    return is_whole;
}

// -------------------------------------------------------------------------------------------------

static void free_job(struct job *job)
{
    for (unsigned i = 0; i < job->options->threads && job->workers; i++) {
        struct worker *worker = &job->workers[i];
        latency_table_free(&worker->functions);
        latency_table_free(&worker->edges);
        latency_table_free(&worker->nests);
        open_functions_free(&worker->open);
        free(worker->stack.items);
    }
    empty_pieces(job);
    free(job->ranges.items);
    free(job->pieces);
    free(job->workers);
}

enum status xray_account_run(const struct xray_log *log, const struct xray_account_options *options,
                             struct xray_account *account, struct error *err)
{
    struct job job = {.log = log, .options = options, .account = account};
    *account = (struct xray_account){0};
    job.workers = calloc(options->threads, sizeof *job.workers);
    bool is_whole = job.workers && cut_pieces(&job) && run_pass(&job) && merge_workers(&job) &&
                    (!options->percentiles || find_percentiles(&job));
    free_job(&job);
    return is_whole ? STATUS_OK
                    : error_set(err, STATUS_MEMORY, "no memory for the calls of the log");
}

void xray_account_free(struct xray_account *account)
{
    latency_table_free(&account->functions);
    latency_table_free(&account->edges);
}
