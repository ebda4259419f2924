// Contexts from snapshots: each is a sample, unwound from what was collected in it.
#include "cmd/contexts.h"
#include "cmd/unwinding.h"
#include "query/register_set.h"
#include "session/shown.h"

#include <inttypes.h>
#include <stdlib.h>

struct sampling {
    struct contexts *contexts;
    struct query *query;
    struct unwinding unwinding;
    const char *weight_name;      // without $; NULL: each snapshot counts once
    struct trawl_register weight; // a variable of trace state
    uint64_t ticks;
    // The selected snapshots, and those of them without a PC or weight, which are left out.
    uint64_t wanted_count, lost_count, weightless_count;
};

static enum status no_memory(const struct sampling *sampling, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for the stacks",
                     sampling->query->common.session.path);
}

static enum status find_weight(struct sampling *sampling, struct error *err)
{
    const struct index_view *view = query_view(sampling->query);
    uint64_t count = trawl_register_count(view->index);
    if (!sampling->weight_name)
        return STATUS_OK;
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_register *found = &sampling->weight;
        if (trawl_register(view->index, i, found, NULL) == TRAWL_OK &&
            found->flags & TRAWL_REGISTER_VARIABLE &&
            strcmp(found->name, sampling->weight_name) == 0)
            return STATUS_OK;
    }
    return error_set(err, STATUS_NOT_FOUND, "%s: has no variable $%.200s",
                     sampling->query->common.session.path, sampling->weight_name);
}

// The weight of a snapshot; *is_known: it is known, and not negative.
static enum status ticks_of(const struct sampling *sampling, const struct trawl_event *at,
                            uint64_t *ticks, bool *is_known, struct error *err)
{
    struct register_value value;
    int64_t number;
    *ticks = 1;
    *is_known = true;
    if (!sampling->weight_name)
        return STATUS_OK;
    enum status status = register_read(query_view(sampling->query), at->lane, at->event,
                                       &sampling->weight, &value, err);
    memcpy(&number, value.values, sizeof number);
    *is_known = value.known_bytes == value.size_bytes && number >= 0;
    *ticks = (uint64_t)number;
    return status;
}

static bool is_wanted(struct sampling *sampling, const struct trawl_event *at)
{
    struct query *query = sampling->query;
    struct session *session = &query->common.session;
    if ((query->lane != TRAWL_ANY_LANE && query->lane != at->lane) ||
        !session_takes_event(session, at))
        return false;
    return !session->filter.function ||
           (at->flags & TRAWL_HAS_INSTRUCTION && session_takes_function(session, at->pc));
}

static enum status add_stack(struct sampling *sampling, uint64_t ticks, struct error *err)
{
    const struct session *session = &sampling->query->common.session;
    if (ticks > UINT64_MAX - sampling->ticks)
        return error_set(err, STATUS_LIMIT, "%s: the weights of all frames pass 64 bits",
                         session->path);
    sampling->ticks += ticks;
    return contexts_add_stack(sampling->contexts, &session->names.images,
                              &sampling->unwinding.stack, ticks)
               ? STATUS_OK
               : no_memory(sampling, err);
}

static enum status add_snapshot(struct sampling *sampling, const struct trawl_event *at,
                                struct error *err)
{
    uint64_t ticks;
    bool is_known;
    sampling->wanted_count++;
    enum status status = ticks_of(sampling, at, &ticks, &is_known, err);
    if (status != STATUS_OK)
        return status;
    if (!is_known) {
        sampling->weightless_count++;
        return STATUS_OK;
    }
    status = unwinding_at(&sampling->unwinding, at, err);
    if (status == STATUS_OK && sampling->unwinding.stack.count)
        return add_stack(sampling, ticks, err);
    sampling->lost_count += status == STATUS_OK;
    return status;
}

static enum status add_snapshots(struct sampling *sampling, struct error *err)
{
    const struct index_view *view = query_view(sampling->query);
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < view->info.events && status == STATUS_OK; i++) {
        struct trawl_event at;
        status = index_view_event(view, i, &at, err);
        if (status == STATUS_OK && is_wanted(sampling, &at))
            status = add_snapshot(sampling, &at, err);
    }
    if (status == STATUS_OK &&
        (!contexts_end_stacks(sampling->contexts, "") ||
         !contexts_hide(sampling->contexts, &sampling->query->common.session)))
        status = no_memory(sampling, err);
    return status;
}

static void warn(const struct sampling *sampling)
{
    struct diag *diag = &sampling->query->common.diag;
    if (sampling->lost_count)
        diag_warning(diag, "%" PRIu64 " frame%s no PC: left out", sampling->lost_count,
                     sampling->lost_count == 1 ? " has" : "s have");
    if (sampling->weightless_count)
        diag_warning(diag, "$%s has no value from 0 on in %" PRIu64 " frame%s: left out",
                     sampling->weight_name, sampling->weightless_count,
                     plural(sampling->weightless_count));
    unwinding_warn(&sampling->unwinding);
}

static enum status sample(struct sampling *sampling, enum unwind_method how, struct error *err)
{
    enum status status = contexts_begin_stacks(sampling->contexts)
                             ? unwinding_open(&sampling->unwinding, sampling->query, how, err)
                             : no_memory(sampling, err);
    if (status == STATUS_OK)
        status = find_weight(sampling, err);
    if (status == STATUS_OK)
        status = add_snapshots(sampling, err);
    if (status != STATUS_OK)
        return status;
    warn(sampling);
    if (sampling->unwinding.stack_count)
        return STATUS_OK;
    struct session *session = &sampling->query->common.session;
    if (!sampling->wanted_count && !filter_is_all(&session->filter))
        return session_shows_no_frame(session, (size_t)session->view.info.events, err);
    return error_set(err, STATUS_NOT_FOUND, "%s: no frame gives a stack", session->path);
}

bool contexts_snapshots(struct contexts *contexts, struct query *query, enum unwind_method how,
                        const char *weight, enum exit_status *status)
{
    struct sampling sampling = {.contexts = contexts, .query = query};
    struct error err;
    contexts_free(contexts); // of an earlier try, whose index was damaged
    *contexts = (struct contexts){0};
    if (weight)
        sampling.weight_name = weight + (*weight == '$');
    enum status result = sample(&sampling, how, &err);
    unwinding_free(&sampling.unwinding);
    if (result != STATUS_OK)
        *status = query_error(query, &err);
    return result == STATUS_OK;
}
