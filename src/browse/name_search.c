#include "browse/search.h"
#include "browse/source.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { EVENTS_AT_ONCE = 4096 };

struct name_search {
    const struct index_view *view;
    struct pattern pattern;
    VEC(, uint64_t) pcs; // with that name, ascending
    uint64_t block_events;
    _Atomic bool has_failed;
};

struct name_seeker {
    struct name_search *search;
    struct index_view view;
    uint64_t pcs[EVENTS_AT_ONCE];
};

// --- Names ---------------------------------------------------------------------------------------

static void sort_once(uint64_t *items, size_t *count)
{
    size_t kept = 0;
    if (*count)
        qsort(items, *count, sizeof *items, u64_compare);
    for (size_t i = 0; i < *count; i++) {
        if (!kept || items[kept - 1] != items[i])
            items[kept++] = items[i];
    }
    *count = kept;
}

// The PCs of all events, each once.
static enum status collect_pcs(struct name_search *search, struct error *err)
{
    uint64_t pcs[EVENTS_AT_ONCE], last = UINT64_MAX;
    const struct trawl_event_columns columns = {.pc = pcs};
    struct trawl_error from;
    size_t count, sorted_at = EVENTS_AT_ONCE;
    for (uint64_t event = 0; event < search->view->info.events; event += count) {
        enum trawl_status status =
            trawl_events(search->view->index, event, EVENTS_AT_ONCE, &columns, &count, &from);
        if (status != TRAWL_OK || !count)
            return index_status(status, &from, err);
        if (!VEC_ROOM(&search->pcs, count))
            return error_set(err, STATUS_MEMORY, "no memory for the search");
        for (size_t i = 0; i < count; i++) {
            if (pcs[i] != last)
                search->pcs.items[search->pcs.count++] = pcs[i];
            last = pcs[i];
        }
        if (search->pcs.count > sorted_at) {
            sort_once(search->pcs.items, &search->pcs.count);
            sorted_at = 2 * search->pcs.count + EVENTS_AT_ONCE;
        }
    }
    sort_once(search->pcs.items, &search->pcs.count);
    return STATUS_OK;
}

// --- Blocks --------------------------------------------------------------------------------------

static bool is_named(const struct name_search *search, uint64_t pc)
{
    size_t low;
    PARTITION_POINT(low, search->pcs.count, search->pcs.items[middle] < pc);
    return low < search->pcs.count && search->pcs.items[low] == pc;
}

// Reads events from `first` on, before `end`. Returns how many; 0: there are no more.
static size_t read_events(struct name_seeker *seeker, uint64_t first, uint64_t end)
{
    const struct trawl_event_columns columns = {.pc = seeker->pcs};
    size_t count = 0, wanted = (size_t)u64_min(end - first, EVENTS_AT_ONCE);
    if (wanted &&
        trawl_events(seeker->view.index, first, wanted, &columns, &count, NULL) != TRAWL_OK) {
        atomic_store(&seeker->search->has_failed, true);
        return 0;
    }
    return count;
}

static uint64_t block_end(const struct name_search *search, uint64_t block)
{
    return u64_min((block + 1) * search->block_events, search->view->info.events);
}

static uint64_t count_hits(void *self, uint64_t block)
{
    struct name_seeker *seeker = self;
    const struct name_search *search = seeker->search;
    uint64_t hits = 0, end = block_end(search, block);
    size_t count;
    for (uint64_t at = block * search->block_events; (count = read_events(seeker, at, end));
         at += count) {
        for (size_t i = 0; i < count; i++)
            hits += is_named(search, seeker->pcs[i]);
    }
    return hits;
}

static bool find_hit(void *self, uint64_t block, uint64_t from, bool is_forward, uint64_t *found)
{
    struct name_seeker *seeker = self;
    const struct name_search *search = seeker->search;
    uint64_t at = block * search->block_events, end = block_end(search, block);
    bool is_found = false;
    size_t count;
    if (from != SEARCH_START && is_forward)
        at = u64_max(at, from + 1);
    else if (from != SEARCH_START)
        end = u64_min(end, from);
    for (; at < end && (count = read_events(seeker, at, end)); at += count) {
        for (size_t i = 0; i < count; i++) {
            if (!is_named(search, seeker->pcs[i]))
                continue;
            *found = at + i;
            is_found = true;
            if (is_forward)
                return true;
        }
    }
    return is_found;
}

// --- Opening -------------------------------------------------------------------------------------

static void close_seeker(void *self)
{
    index_view_close(&((struct name_seeker *)self)->view);
    free(self);
}

static enum status open_seeker(void *what, void **out, struct error *err)
{
    struct name_search *search = what;
    struct name_seeker *seeker = calloc(1, sizeof *seeker);
    if (!seeker)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    seeker->search = search;
    enum status status = index_view_open_again(&seeker->view, search->view, err);
    if (status == STATUS_OK)
        *out = seeker;
    else
        close_seeker(seeker);
    return status;
}

static void free_search(void *self)
{
    struct name_search *search = self;
    pattern_free(&search->pattern);
    free(search->pcs.items);
    free(search);
}

static bool has_failed(const void *self)
{
    return atomic_load(&((const struct name_search *)self)->has_failed);
}

static const struct search_kind name_kind = {
    .open = open_seeker,
    .close = close_seeker,
    .count = count_hits,
    .find = find_hit,
    .free = free_search,
    .has_failed = has_failed,
    .unit = "event",
};

enum status name_search_open(struct search **out, struct browse_source *source, const char *pattern,
                             const struct search_way *way, struct error *err)
{
    const struct index_view *view = source->indexed;
    char name[BROWSE_NAME_BYTES];
    struct name_search *search = calloc(1, sizeof *search);
    *out = NULL;
    if (!search)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    search->view = view;
    search->block_events = view->info.segment_events ? view->info.segment_events : 1;
    enum status status = pattern_open(&search->pattern, pattern, err);
    if (status == STATUS_OK)
        status = collect_pcs(search, err);
    if (status != STATUS_OK) {
        free_search(search);
        return status;
    }
    size_t kept = 0;
    for (size_t i = 0; i < search->pcs.count; i++) { // keeps only those whose names match
        uint64_t pc = search->pcs.items[i];
        browse_address_name(source, pc, name);
        if (pattern_takes(&search->pattern, name, strlen(name)))
            search->pcs.items[kept++] = pc;
    }
    search->pcs.count = kept;
    const struct search_plan plan = {
        .kind = &name_kind,
        .what = search,
        .text = pattern,
        .block_count = (view->info.events + search->block_events - 1) / search->block_events,
        .block_size = search->block_events,
        .start = way->start,
        .is_forward = way->is_forward,
        .threads = way->threads,
    };
    return search_open(out, &plan, err);
}

bool name_search_is(const struct search *search)
{
    return search_kind(search) == &name_kind;
}

size_t name_search_matches(struct search *search, const char *row, size_t length,
                           struct pattern_match *matches, size_t capacity)
{
    const struct name_seeker *seeker = search_seeker(search);
    if (!name_search_is(search))
        return 0;
    return pattern_matches(&seeker->search->pattern, row, length, matches, capacity);
}
