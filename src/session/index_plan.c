#include "session/index_plan.h"

#include "session/run.h"

struct index_wanted index_plan_wanted(const struct session *session,
                                      const struct fingerprint *fingerprint, bool by_memory)
{
    const struct trace *trace = session->trace;
    const struct pass_options options = session_pass_options(session, NULL, NULL);
    struct index_wanted wanted = {.trace = session->path,
                                  .is_of_files = session->files.typed.count > 0,
                                  .fingerprint = fingerprint};
    if (trace && trace_can(trace, TRACE_LINES) && session->reading == READING_TRUE)
        wanted.source = trace->source;
    if (trace) // otherwise only its index exists
        wanted.options =
            trace->kind->indexing.identity(trace, &options, by_memory, &wanted.options_mask);
    if (session->asks_loads) // an index of an earlier version does not list them
        wanted.options_mask |= wanted.options & TRAWL_TELLS_LOADS;
    // Calls that were found without the functions of these images are less right.
    wanted.task_key = options.task_key ? session->task_key_expression : NULL;
    if (session->index.use != INDEX_NO_BUILD && options.functions)
        wanted.functions = options.functions->hash;
    return wanted;
}

static uint32_t segment_events_of(const struct session *session)
{
    const struct trace_kind *kind = session->trace->kind;
    if (session->index.segment_events)
        return session->index.segment_events;
    uint32_t max = session->index.segment_events_max, usual = SEGMENT_EVENTS_DEFAULT;
    if (kind->indexing.segment_events)
        usual = kind->indexing.segment_events(session->trace);
    return max ? (uint32_t)u64_min(usual, max) : usual;
}

struct indexing_options index_plan(struct session *session, const char *path,
                                   const struct fingerprint *fingerprint, bool stays)
{
    const char *why_not;
    return (struct indexing_options){
        .path = path,
        .trace = session->path,
        .fingerprint = fingerprint,
        .io = session->index.io,
        .segment_events = segment_events_of(session),
        .sync = stays && session->index.syncs,
        .names = stays && index_plan_keeps_names(session, &why_not) ? &session->names : NULL,
        .left_out = &session->names_left_out,
        .task_key = session->task_key ? session->task_key_expression : NULL,
        .follows = session->index.follows,
        .prefix_indexes = session->index.prefix_indexes,
    };
}

static bool are_placed(const struct image_set *images)
{
    for (size_t i = 0; i < images->members.count; i++) {
        const struct image_member *member = &images->members.items[i];
        if (!member->is_placed && image_is_movable(member->image))
            return false;
    }
    return true;
}

bool index_plan_keeps_names(const struct session *session, const char **why_not)
{
    const struct image_set *images = &session->names.images;
    *why_not = NULL;
    if (session->reading != READING_TRUE || !session->images.count)
        return false;
    if (session->names.options.ids && images->members.count != session->images.count) {
        // Nothing distinguishes them from others.
        *why_not = "names of a map in YAML are not kept in the index";
        return false;
    }
    if (!images->members.count) // none fits the trace
        return false;
    if (!session->trace->kind->placing.move || are_placed(images))
        return true;
    *why_not = "the load address of the image is unknown: its names are kept in the index only "
               "with --image FILE@OFFSET";
    return false;
}
