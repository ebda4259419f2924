#include "serve/searches.h"

#include "base/limits.h"
#include "browse/search.h"
#include "browse/shown_line.h"

#include <pthread.h>
#include <stdlib.h>

struct kept_search {
    char *text;
    bool is_condition;
    uint64_t lane;
    struct expression condition;
    struct search *search; // NULL: free
    uint64_t asked;        // when it was last requested
};

struct searches {
    struct request_context *context;
    pthread_mutex_t lock; // a search is used by one thread at a time
    uint64_t clock;
    struct shown_lines *shown; // NULL: none was needed yet
    struct kept_search kept[LIMIT_SERVE_SEARCHES];
};

enum status searches_open(struct searches **out, struct request_context *context, struct error *err)
{
    struct searches *searches = calloc(1, sizeof *searches);
    if (!searches)
        return error_set(err, STATUS_MEMORY, "no memory to search");
    searches->context = context;
    pthread_mutex_init(&searches->lock, NULL);
    *out = searches;
    return STATUS_OK;
}

static void drop(struct kept_search *kept)
{
    search_close(kept->search);
    free(kept->text);
    *kept = (struct kept_search){0};
}

void searches_close(struct searches *searches)
{
    if (!searches)
        return;
    for (size_t i = 0; i < LIMIT_SERVE_SEARCHES; i++)
        drop(&searches->kept[i]);
    shown_lines_close(searches->shown);
    pthread_mutex_destroy(&searches->lock);
    free(searches);
}

static struct kept_search *find(struct searches *searches, const struct search_wish *wish)
{
    for (size_t i = 0; i < LIMIT_SERVE_SEARCHES; i++) {
        struct kept_search *kept = &searches->kept[i];
        if (kept->search && kept->is_condition == wish->is_condition && kept->lane == wish->lane &&
            strcmp(kept->text, wish->text) == 0)
            return kept;
    }
    return NULL;
}

static enum status open_search(struct searches *searches, struct kept_search *kept,
                               const struct search_way *way, struct error *err)
{
    struct browse_source *source = &searches->context->source;
    const struct trace_lines text = browse_lines(source);
    enum status status = STATUS_OK;
    if (!kept->is_condition) {
        if (!searches->shown && shown_lines_differ(source))
            status = shown_lines_open(&searches->shown, source->session, err);
        if (status != STATUS_OK)
            return status;
        return source->rows == ROWS_LINES
                   ? text_search_open(&kept->search, &text, kept->text, searches->shown, way, err)
                   : name_search_open(&kept->search, source, kept->text, way, err);
    }
    status = browse_condition(source, 0, kept->text, &kept->condition, err);
    return status == STATUS_OK ? event_search_open(&kept->search, source->indexed, &kept->condition,
                                                   kept->lane, way, err)
                               : status;
}

// Replaces the search that was not requested for the longest time.
static enum status begin(struct searches *searches, const struct search_wish *wish,
                         const struct search_way *way, struct kept_search **out, struct error *err)
{
    struct kept_search *kept = &searches->kept[0];
    for (size_t i = 1; i < LIMIT_SERVE_SEARCHES; i++) {
        if (searches->kept[i].asked < kept->asked)
            kept = &searches->kept[i];
    }
    drop(kept);
    *kept = (struct kept_search){
        .text = strdup(wish->text), .is_condition = wish->is_condition, .lane = wish->lane};
    if (!kept->text)
        return error_set(err, STATUS_MEMORY, "no memory to search");
    enum status status = open_search(searches, kept, way, err);
    if (status != STATUS_OK)
        drop(kept);
    *out = kept;
    return status;
}

// Collects hits one after the other, until they would start again.
static enum status collect(struct search *search, uint64_t from, bool is_forward, size_t capacity,
                           struct search_answer *answer, struct error *err)
{
    *answer = (struct search_answer){.outcome = SEARCH_NOWHERE};
    answer->places = calloc(capacity + 1, sizeof *answer->places);
    if (!answer->places)
        return error_set(err, STATUS_MEMORY, "no memory for hits");
    for (uint64_t place = from; answer->count < capacity; place = answer->places[answer->count++]) {
        bool has_wrapped = false;
        enum search_outcome outcome =
            search_next(search, place, is_forward, &answer->places[answer->count], &has_wrapped);
        bool is_first = answer->count == 0;
        if (is_first) {
            answer->outcome = outcome;
            answer->has_wrapped = has_wrapped;
        }
        if (outcome != SEARCH_FOUND || (has_wrapped && !is_first))
            break;
        if (has_wrapped) {
            answer->count++;
            break;
        }
    }
    answer->progress = search_progress(search);
    answer->are_events = event_search_is(search) || name_search_is(search);
    return STATUS_OK;
}

enum status searches_ask(struct searches *searches, const struct search_wish *wish, uint64_t from,
                         bool is_forward, size_t capacity, struct search_answer *answer,
                         struct error *err)
{
    const struct search_way way = {from, is_forward, 2};
    enum status status = STATUS_OK;
    pthread_mutex_lock(&searches->lock);
    struct kept_search *kept = find(searches, wish);
    if (!kept)
        status = begin(searches, wish, &way, &kept, err);
    if (status == STATUS_OK) {
        kept->asked = ++searches->clock;
        status = collect(kept->search, from, is_forward, capacity, answer, err);
    }
    pthread_mutex_unlock(&searches->lock);
    return status;
}

void searches_stop(struct searches *searches, const struct search_wish *wish)
{
    pthread_mutex_lock(&searches->lock);
    struct kept_search *kept = find(searches, wish);
    if (kept)
        drop(kept);
    pthread_mutex_unlock(&searches->lock);
}
