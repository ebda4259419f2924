#include "check/ahead.h"

#include "base/large_pages.h"
#include "base/thread.h"
#include "dataflow/access_rows.h"
#include "dataflow/code_text.h"

#include <stdlib.h>

// More threads than this would wait for the checker most of the time.
enum { WORKERS = 3, BLOCKS = 8 };

// Reads blocks of a range of events, one after the other.
struct reader {
    struct dataflow *flow;
    struct code_texts texts;
    struct access_rows loads, stores;
    uint64_t next, end; // events
};

struct worker {
    struct ahead *ahead;
    struct index_view view;
    struct dataflow flow;
    struct reader reader;
    struct ahead_block *blocks; // BLOCKS, each at its number
    uint64_t made, seen;        // how many; under the lock
};

struct ahead {
    uint64_t events, segment_events;
    uint64_t next; // event that the checker wants
    struct worker workers[WORKERS];
    unsigned opened, started;
    pthread_t threads[WORKERS];
    struct worker *seen_of; // who made the block that the checker has; NULL: it has none
    pthread_mutex_t lock;
    pthread_cond_t was_made, was_seen;
    uint64_t taken; // events of segments that are read; under the lock
    bool is_stopped;
    // Without threads.
    struct reader reader;
    struct ahead_block block;
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the check");
}

// --- Reading -------------------------------------------------------------------------------------

static void reader_begin(struct reader *reader, uint64_t first, uint64_t end)
{
    reader->next = first;
    reader->end = end;
    for (unsigned i = 0; i < 2; i++) {
        struct access_rows *rows = i ? &reader->stores : &reader->loads;
        rows->place = (struct trawl_access_cursor){first, 0};
        rows->until = end;
        rows->are_loads = !i;
        rows->is_end = false;
        rows->at = rows->count = 0;
    }
}

// Adds the accesses of an event. *next: the event of the next ones.
static NEVER_INLINE enum status add_accesses(const struct reader *reader, struct access_rows *rows,
                                             uint64_t event, struct ahead_block *block,
                                             uint64_t *next, struct error *err)
{
    enum status status = STATUS_OK;
    for (; access_rows_next(rows, reader->flow->view, event, &status, err); rows->at++) {
        if (!VEC_ROOM(&block->accesses, 1))
            return no_memory(err);
        block->accesses.items[block->accesses.count++] =
            (struct access){.address = rows->address[rows->at],
                            .place = rows->address[rows->at],
                            .size_bytes = rows->size_bytes[rows->at],
                            .is_store = !rows->are_loads};
    }
    *next = rows->at < rows->count ? rows->event[rows->at] : TRAWL_NONE;
    return status;
}

static enum status read_block(struct reader *reader, struct ahead_block *block, struct error *err)
{
    const struct trawl_event_columns columns = {.lane = block->lane,
                                                .in_lane = block->in_lane,
                                                .position = block->position,
                                                .pc = block->pc,
                                                .flags = block->flags};
    const struct code_text_events events = {block->position, block->pc, block->flags};
    const size_t wanted = (size_t)u64_min(reader->end - reader->next, AHEAD_EVENTS);
    struct trawl_error from;
    block->first = reader->next;
    block->accesses.count = 0;
    enum trawl_status read = trawl_events(reader->flow->view->index, block->first, wanted, &columns,
                                          &block->count, &from);
    if (read != TRAWL_OK)
        return index_status(read, &from, err);
    if (block->count != wanted)
        return error_set(err, STATUS_DAMAGED, "the index has fewer events than it says");
    enum status status = code_texts_of(&reader->texts, reader->flow, block->first, block->count,
                                       &events, block->text, err);
    uint64_t load = 0, store = 0; // the events of the next ones
    for (size_t i = 0; i < block->count && status == STATUS_OK; i++) {
        const uint64_t event = block->first + i;
        block->starts[i] = block->accesses.count;
        if (load <= event)
            status = add_accesses(reader, &reader->loads, event, block, &load, err);
        if (store <= event && status == STATUS_OK)
            status = add_accesses(reader, &reader->stores, event, block, &store, err);
    }
    block->starts[block->count] = block->accesses.count;
    reader->next += block->count;
    return status;
}

// --- Threads -------------------------------------------------------------------------------------

// Waits until there is room for another block, and has the reader go on with a segment that no
// thread has taken when it is at the end of its own. False: nothing more is wanted.
static bool begin_block(struct worker *worker)
{
    struct ahead *ahead = worker->ahead;
    struct reader *reader = &worker->reader;
    pthread_mutex_lock(&ahead->lock);
    while (worker->made - worker->seen == BLOCKS && !ahead->is_stopped)
        pthread_cond_wait(&ahead->was_seen, &ahead->lock);
    const uint64_t first = ahead->taken;
    bool goes_on = !ahead->is_stopped;
    if (goes_on && reader->next == reader->end) {
        goes_on = first < ahead->events;
        ahead->taken = u64_min(first + ahead->segment_events, ahead->events);
        reader_begin(reader, first, ahead->taken);
    }
    pthread_mutex_unlock(&ahead->lock);
    return goes_on;
}

static void *run(void *self)
{
    struct worker *worker = self;
    struct ahead *ahead = worker->ahead;
    bool goes_on = true;
    while (goes_on && begin_block(worker)) {
        struct ahead_block *block = &worker->blocks[worker->made % BLOCKS];
        block->status = read_block(&worker->reader, block, &block->err);
        goes_on = block->status == STATUS_OK;
        pthread_mutex_lock(&ahead->lock);
        worker->made++;
        pthread_cond_signal(&ahead->was_made);
        pthread_mutex_unlock(&ahead->lock);
    }
    return NULL;
}

// The block of the event that the checker wants next: a thread has taken its segment, as they are
// taken in order.
static struct ahead_block *wait_for_block(struct ahead *ahead)
{
    struct ahead_block *found = NULL;
    pthread_mutex_lock(&ahead->lock);
    if (ahead->seen_of) {
        ahead->seen_of->seen++;
        pthread_cond_broadcast(&ahead->was_seen);
    }
    while (!found) {
        for (unsigned i = 0; i < ahead->started && !found; i++) {
            struct worker *worker = &ahead->workers[i];
            struct ahead_block *block = &worker->blocks[worker->seen % BLOCKS];
            if (worker->made == worker->seen || block->first != ahead->next)
                continue;
            found = block;
            ahead->seen_of = worker;
        }
        if (!found)
            pthread_cond_wait(&ahead->was_made, &ahead->lock);
    }
    pthread_mutex_unlock(&ahead->lock);
    return found;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status open_worker(struct ahead *ahead, struct worker *worker,
                               const struct dataflow *flow, struct error *err)
{
    worker->ahead = ahead;
    worker->reader = (struct reader){.flow = &worker->flow, .texts.seed = ahead->reader.texts.seed};
    enum status status = index_view_open_again(&worker->view, flow->view, err);
    if (status == STATUS_OK)
        status = dataflow_open_again(&worker->flow, flow, &worker->view, err);
    worker->blocks = calloc(BLOCKS, sizeof *worker->blocks);
    return status == STATUS_OK && !worker->blocks ? no_memory(err) : status;
}

enum status ahead_open(struct ahead **made, struct dataflow *flow, unsigned threads,
                       struct error *err)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    *made = ahead;
    if (!ahead)
        return no_memory(err);
    ahead->events = flow->event_count;
    ahead->segment_events = flow->view->info.segment_events;
    ahead->reader = (struct reader){.flow = flow, .texts.seed = hash_seed_new()};
    reader_begin(&ahead->reader, 0, ahead->events);
    large_pages_begin();
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->was_made, NULL);
    pthread_cond_init(&ahead->was_seen, NULL);
    // Text that is made when it is asked for is made for one thread.
    const uint64_t segments = (ahead->events + ahead->segment_events - 1) / ahead->segment_events;
    const uint64_t most = flow->lines.source ? 0 : u64_min(threads - 1, segments);
    while (ahead->opened < u64_min(most, WORKERS)) {
        struct worker *worker = &ahead->workers[ahead->opened++];
        enum status status = open_worker(ahead, worker, flow, err);
        if (status != STATUS_OK)
            return status;
    }
    ahead->started =
        threads_start(ahead->threads, ahead->opened, run, ahead->workers, sizeof *ahead->workers);
    return STATUS_OK;
}

void ahead_close(struct ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->is_stopped = true;
    pthread_cond_broadcast(&ahead->was_seen);
    pthread_mutex_unlock(&ahead->lock);
    for (unsigned i = 0; i < ahead->started; i++)
        pthread_join(ahead->threads[i], NULL);
    for (unsigned i = 0; i < ahead->opened; i++) {
        struct worker *worker = &ahead->workers[i];
        for (unsigned k = 0; worker->blocks && k < BLOCKS; k++)
            free(worker->blocks[k].accesses.items);
        free(worker->blocks);
        code_texts_free(&worker->reader.texts);
        dataflow_close(&worker->flow);
        index_view_close(&worker->view);
    }
    pthread_cond_destroy(&ahead->was_seen);
    pthread_cond_destroy(&ahead->was_made);
    pthread_mutex_destroy(&ahead->lock);
    code_texts_free(&ahead->reader.texts);
    free(ahead->block.accesses.items);
    free(ahead);
}

enum status ahead_next(struct ahead *ahead, struct ahead_block **block, struct error *err)
{
    enum status status;
    *block = NULL;
    if (ahead->next == ahead->events)
        return STATUS_OK;
    if (ahead->started) {
        *block = wait_for_block(ahead);
        status = (*block)->status;
        if (status != STATUS_OK)
            *err = (*block)->err;
    } else {
        *block = &ahead->block;
        status = read_block(&ahead->reader, *block, err);
    }
    ahead->next += (*block)->count;
    return status;
}
