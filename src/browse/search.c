#include "browse/search.h"

#include "base/limits.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <stdlib.h>

struct search_block {
    _Atomic uint32_t hits;
    _Atomic bool is_done;
};

struct search_worker {
    struct search *search;
    void *seeker;
};

struct search {
    struct search_plan plan;
    char *text;
    uint64_t first_block;
    struct search_block *blocks;
    _Atomic uint64_t next, done, hits;
    _Atomic bool is_cancelled;
    struct search_worker asker;
    struct search_worker *workers;
    unsigned worker_count;
    pthread_t threads[LIMIT_THREADS];
    unsigned thread_count;
};

static uint64_t block_of(const struct search *search, uint64_t place)
{
    uint64_t last = search->plan.block_count - 1;
    return u64_min(place / search->plan.block_size, last);
}

// --- Threads -------------------------------------------------------------------------------------

static void search_block(struct search *search, void *seeker, uint64_t number)
{
    struct search_block *block = &search->blocks[number];
    uint64_t hits = search->plan.kind->count(seeker, number);
    atomic_store(&block->hits, (uint32_t)u64_min(hits, UINT32_MAX));
    atomic_store(&block->is_done, true);
    atomic_fetch_add(&search->hits, hits);
    atomic_fetch_add(&search->done, 1);
}

static void *work(void *context)
{
    struct search_worker *worker = context;
    struct search *search = worker->search;
    uint64_t count = search->plan.block_count;
    while (!atomic_load(&search->is_cancelled)) {
        uint64_t turn = atomic_fetch_add(&search->next, 1);
        if (turn >= count)
            break;
        uint64_t step = search->plan.is_forward ? turn : count - turn;
        search_block(search, worker->seeker, (search->first_block + step) % count);
    }
    return NULL;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status open_seeker(struct search *search, struct search_worker *worker,
                               struct error *err)
{
    worker->search = search;
    return search->plan.kind->open(search->plan.what, &worker->seeker, err);
}

enum status search_open(struct search **out, const struct search_plan *plan, struct error *err)
{
    struct search *search = calloc(1, sizeof *search);
    *out = NULL;
    if (!search) {
        plan->kind->free(plan->what);
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    }
    search->plan = *plan;
    unsigned threads = plan->threads ? plan->threads : 1;
    search->plan.threads = threads < LIMIT_THREADS ? threads : LIMIT_THREADS;
    if (plan->block_count && plan->start != SEARCH_START)
        search->first_block = block_of(search, plan->start);
    else if (plan->block_count && !plan->is_forward)
        search->first_block = plan->block_count - 1;
    enum status status = STATUS_OK;
    search->text = strdup(plan->text);
    search->blocks = calloc((size_t)plan->block_count + 1, sizeof *search->blocks);
    search->workers = calloc(search->plan.threads, sizeof *search->workers);
    if (!search->text || !search->blocks || !search->workers)
        status = error_set(err, STATUS_MEMORY, "no memory for the search");
    if (status == STATUS_OK)
        status = open_seeker(search, &search->asker, err);
    while (search->worker_count < search->plan.threads && status == STATUS_OK) {
        status = open_seeker(search, &search->workers[search->worker_count], err);
        search->worker_count += status == STATUS_OK;
    }
    if (status != STATUS_OK) {
        search_close(search);
        return status;
    }
    search->thread_count = threads_start(search->threads, search->plan.threads, work,
                                         search->workers, sizeof *search->workers);
    if (!search->thread_count) // without threads, search now
        work(&search->workers[0]);
    *out = search;
    return STATUS_OK;
}

void search_close(struct search *search)
{
    if (!search)
        return;
    atomic_store(&search->is_cancelled, true);
    if (search->plan.kind->stop)
        search->plan.kind->stop(search->plan.what);
    for (unsigned i = 0; i < search->thread_count; i++)
        pthread_join(search->threads[i], NULL);
    for (unsigned i = 0; i < search->worker_count; i++)
        search->plan.kind->close(search->workers[i].seeker);
    if (search->asker.seeker)
        search->plan.kind->close(search->asker.seeker);
    search->plan.kind->free(search->plan.what);
    free(search->workers);
    free(search->blocks);
    free(search->text);
    free(search);
}

// --- Questions -----------------------------------------------------------------------------------

const char *search_text(const struct search *search)
{
    return search->text;
}

const struct search_kind *search_kind(const struct search *search)
{
    return search->plan.kind;
}

void *search_seeker(struct search *search)
{
    return search->asker.seeker;
}

struct search_progress search_progress(struct search *search)
{
    uint64_t done = atomic_load(&search->done), count = search->plan.block_count;
    return (struct search_progress){
        .hits = atomic_load(&search->hits),
        .percent = (unsigned)(done * 100 / (count ? count : 1)),
        .is_done = done >= count,
        .has_failed =
            search->plan.kind->has_failed && search->plan.kind->has_failed(search->plan.what),
    };
}

bool search_has_hits(const struct search *search, uint64_t first, uint64_t end)
{
    if (!search->plan.block_count || first >= end)
        return false;
    for (uint64_t block = block_of(search, first); block <= block_of(search, end - 1); block++) {
        if (atomic_load(&search->blocks[block].hits))
            return true;
    }
    return false;
}

enum search_outcome search_next(struct search *search, uint64_t from, bool is_forward,
                                uint64_t *found, bool *has_wrapped)
{
    const struct search_kind *kind = search->plan.kind;
    uint64_t count = search->plan.block_count;
    *has_wrapped = false;
    if (!count)
        return SEARCH_NOWHERE;
    bool is_whole = from == SEARCH_START; // before the first place, or after the last
    uint64_t block = is_whole ? (is_forward ? count - 1 : 0) : block_of(search, from);
    if (!is_whole && kind->find(search->asker.seeker, block, from, is_forward, found))
        return SEARCH_FOUND;
    // The block of the start is searched again at the end, completely.
    for (uint64_t i = 0; i < count; i++) {
        bool is_last = is_forward ? block + 1 == count : block == 0;
        *has_wrapped |= is_last && !(is_whole && i == 0 && is_forward);
        block = is_forward ? (is_last ? 0 : block + 1) : (is_last ? count : block) - 1;
        if (!atomic_load(&search->blocks[block].is_done))
            return SEARCH_UNDER_WAY;
        if (atomic_load(&search->blocks[block].hits) &&
            kind->find(search->asker.seeker, block, SEARCH_START, is_forward, found))
            return SEARCH_FOUND;
    }
    return SEARCH_NOWHERE;
}
