#include "serve/selection.h"

#include "serve/stretch.h"
#include "session/passes.h"

#include <pthread.h>
#include <stdlib.h>

struct selection {
    struct desks *desks;
    pthread_mutex_t lock;
    struct desk *desk; // whose session passes are run by; NULL: not yet
    bool has_contexts;
    struct stretch stretch; // that they are of
    struct contexts contexts;
};

enum status selection_open(struct selection **out, struct desks *desks, struct error *err)
{
    struct selection *selection = calloc(1, sizeof *selection);
    if (!selection)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    selection->desks = desks;
    pthread_mutex_init(&selection->lock, NULL);
    *out = selection;
    return STATUS_OK;
}

static void forget(struct selection *selection)
{
    contexts_free(&selection->contexts);
    selection->contexts = (struct contexts){0};
    selection->has_contexts = false;
}

void selection_close(struct selection *selection)
{
    if (!selection)
        return;
    forget(selection);
    if (selection->desk)
        desks_give_back(selection->desks, selection->desk);
    pthread_mutex_destroy(&selection->lock);
    free(selection);
}

static enum status prepare(struct selection *selection, struct error *err)
{
    if (selection->desk)
        return STATUS_OK;
    enum status status = desks_take(selection->desks, &selection->desk, err);
    if (status == STATUS_OK) {
        selection->desk->session.threads = 2;
        status = session_pass_over_view(&selection->desk->session, err);
    }
    if (status != STATUS_OK && selection->desk) {
        desks_give_back(selection->desks, selection->desk);
        selection->desk = NULL;
    }
    return status;
}

static struct call_range range_of(const struct stretch *stretch)
{
    struct call_range range = CALL_RANGE_ALL;
    uint64_t last = stretch->to - 1;
    if (stretch->is_by_time)
        range.first_time = stretch->from, range.last_time = last;
    else
        range.first_event = stretch->from, range.last_event = last;
    return range;
}

static enum status gather(struct selection *selection, const struct stretch *stretch,
                          struct error *err)
{
    struct session *session = &selection->desk->session;
    struct contexts *contexts = &selection->contexts;
    forget(selection);
    session_begin_pass(session);
    session->filter.range = range_of(stretch);
    session->filter.lane =
        session->view.info.lanes > 1 ? session->view.lanes[stretch->lane].name : NULL;
    if (!context_tree_init(&contexts->tree))
        return error_set(err, STATUS_MEMORY, "no memory for the calls");
    enum status status = session_contexts(session, &contexts->tree, err);
    if (status == STATUS_OK && !contexts_add_lanes(contexts, session))
        status = error_set(err, STATUS_MEMORY, "no memory for the calls");
    if (status == STATUS_OK && !contexts->roots.count)
        status = error_set(err, STATUS_NOT_FOUND, "nothing happened there");
    return status;
}

static bool is_same(const struct stretch *a, const struct stretch *b)
{
    return a->lane == b->lane && a->is_by_time == b->is_by_time && a->from == b->from &&
           a->to == b->to;
}

static enum status find(struct selection *selection, const struct stretch *stretch,
                        struct error *err)
{
    if (selection->has_contexts && is_same(&selection->stretch, stretch))
        return STATUS_OK;
    enum status status = prepare(selection, err);
    if (status == STATUS_OK)
        status = gather(selection, stretch, err);
    if (status != STATUS_OK) {
        forget(selection);
        return status;
    }
    selection->has_contexts = true;
    selection->stretch = *stretch;
    return STATUS_OK;
}

enum status selection_take(struct selection *selection, const struct stretch *stretch,
                           struct selected *selected, struct error *err)
{
    pthread_mutex_lock(&selection->lock);
    enum status status = find(selection, stretch, err);
    if (status != STATUS_OK) {
        pthread_mutex_unlock(&selection->lock);
        return status;
    }
    *selected = (struct selected){
        .tree = &selection->contexts.tree,
        .roots = selection->contexts.roots.items,
        .root_count = selection->contexts.roots.count,
        .names = &selection->desk->session.names,
    };
    return STATUS_OK;
}

void selection_give_back(struct selection *selection)
{
    pthread_mutex_unlock(&selection->lock);
}
