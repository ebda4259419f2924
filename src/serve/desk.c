#include "serve/desk.h"

#include "serve/fold_text.h"

#include <pthread.h>
#include <stdlib.h>

struct desks {
    struct desks_plan plan;
    pthread_mutex_t lock;
    pthread_cond_t is_back;
    struct desk *free;
    unsigned count; // number of existing desks
};

// --- One desk ------------------------------------------------------------------------------------

// Opens the trace with the settings of the first session.
static enum status open_session(struct session *session, const struct session *first,
                                struct error *err)
{
    session_begin(session, first->reading, 1);
    enum status status = session_wish_as(session, first, err);
    if (status == STATUS_OK)
        status = session_be_of(session, first, err);
    session->index.use = INDEX_NO_BUILD;
    if (status == STATUS_OK)
        status = session_open_trace(session, err);
    if (status == STATUS_OK && source_is_synthesized(session->trace->source))
        source_share_view(session->trace->source, first->trace->source);
    if (status == STATUS_OK)
        status = session_open_images(session, err);
    if (status == STATUS_OK)
        status = index_view_open_again(&session->view, &first->view, err);
    if (status == STATUS_OK)
        status = names_take_index(&session->names, session->view.index, err);
    return status;
}

static void desk_free(struct desk *desk)
{
    browser_close(&desk->browser);
    timeline_close(&desk->timeline);
    screen_free(&desk->screen);
    session_free(&desk->session);
    free(desk);
}

static enum status desk_open(struct desk **out, const struct desks_plan *plan, struct error *err)
{
    struct desk *desk = calloc(1, sizeof *desk);
    if (!desk)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    enum status status = open_session(&desk->session, plan->session, err);
    if (status == STATUS_OK) {
        browse_source_open(&desk->source, &desk->session);
        status = timeline_open(&desk->timeline, &desk->session.view, err);
    }
    if (status == STATUS_OK)
        status = browser_open(&desk->browser, &desk->source, &desk->timeline, false, err);
    if (status != STATUS_OK) {
        desk_free(desk);
        return status;
    }
    desk->lane = desk->browser.lane;
    desk->browser.source_search = plan->source_search;
    *out = desk;
    return STATUS_OK;
}

bool desk_failed(struct desk *desk, struct error *err)
{
    return browser_failed(&desk->browser, err);
}

// --- All of them ---------------------------------------------------------------------------------

enum status desks_open(struct desks **out, const struct desks_plan *plan, struct error *err)
{
    struct desks *desks = calloc(1, sizeof *desks);
    if (!desks)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    desks->plan = *plan;
    pthread_mutex_init(&desks->lock, NULL);
    pthread_cond_init(&desks->is_back, NULL);
    *out = desks;
    return STATUS_OK;
}

void desks_close(struct desks *desks)
{
    if (!desks)
        return;
    while (desks->free) {
        struct desk *desk = desks->free;
        desks->free = desk->next;
        desk_free(desk);
    }
    pthread_cond_destroy(&desks->is_back);
    pthread_mutex_destroy(&desks->lock);
    free(desks);
}

static void take_off(struct desks *desks)
{
    pthread_mutex_lock(&desks->lock);
    desks->count--;
    pthread_cond_signal(&desks->is_back);
    pthread_mutex_unlock(&desks->lock);
}

enum status desks_take(struct desks *desks, struct desk **desk, struct error *err)
{
    pthread_mutex_lock(&desks->lock);
    while (!desks->free && desks->count >= desks->plan.count_max)
        pthread_cond_wait(&desks->is_back, &desks->lock);
    *desk = desks->free;
    if (*desk)
        desks->free = (*desk)->next;
    else
        desks->count++; // another may be made
    pthread_mutex_unlock(&desks->lock);
    if (!*desk) {
        enum status status = desk_open(desk, &desks->plan, err);
        if (status != STATUS_OK)
            take_off(desks);
        return status;
    }
    return fold_text_read(&(*desk)->timeline, NULL, err);
}

void desks_give_back(struct desks *desks, struct desk *desk)
{
    struct error err;
    if (desk_failed(desk, &err)) { // what it has read is not reliable
        desk_free(desk);
        take_off(desks);
        return;
    }
    pthread_mutex_lock(&desks->lock);
    desk->next = desks->free;
    desks->free = desk;
    pthread_cond_signal(&desks->is_back);
    pthread_mutex_unlock(&desks->lock);
}
