
#include "base/thread.h"
#include "cmd/browsing.h"
#include "session/passes.h"
#include "session/session_index.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- What is known so far ------------------------------------------------------------------------

// Opens the trace a second time, for showing it while the session is being used.
static bool open_known_trace(struct browse_build *build)
{
    struct session *known = &build->known;
    struct error err;
    enum status status = session_wish_as(known, build->session, &err);
    if (status == STATUS_OK)
        status = session_be_of(known, build->session, &err);
    known->threads = build->session->threads;
    if (status == STATUS_OK)
        status = session_open_trace(known, &err);
    if (status == STATUS_OK)
        status = session_open_images(known, &err);
    if (status == STATUS_OK && source_is_synthesized(known->trace->source))
        source_share_view(known->trace->source, build->session->trace->source);
    return status == STATUS_OK && known->trace != NULL;
}

static bool is_preview_wanted(void *self)
{
    struct browse_build *build = self;
    pthread_mutex_lock(&build->lock);
    bool is_taken = build->fresh_file < 0;
    pthread_mutex_unlock(&build->lock);
    return is_taken && !build->cannot_know &&
           source_read_bytes(build->session->trace->source) > build->published_bytes;
}

static void on_preview_index(void *self, int file, uint64_t bytes, uint64_t lines)
{
    (void)lines;
    struct browse_build *build = self;
    if (!build->has_known_trace)
        build->cannot_know = !(build->has_known_trace = open_known_trace(build));
    if (build->cannot_know) {
        close(file);
        return;
    }
    pthread_mutex_lock(&build->lock);
    build->fresh_file = file;
    build->fresh_bytes = bytes;
    pthread_mutex_unlock(&build->lock);
    build->published_bytes = bytes;
}

enum status browse_build_text(struct browse_build *build, struct trace_lines *lines, bool *is_all,
                              struct error *err)
{
    struct source *source = build->session->trace->source;
    *is_all = build->has_text;
    if (*is_all) {
        enum status status = trace_lines_open(lines, source, err);
        build->growth.total_bytes = lines->size_bytes;
        return status;
    }
    const struct source_view view = source_view_so_far(source);
    *lines = (struct trace_lines){view.bytes, view.size_bytes, NULL};
    return STATUS_OK;
}

uint64_t browse_build_known_bytes(const struct browse_build *build)
{
    uint64_t bytes = build->published_bytes;
    return build->cannot_know || bytes <= build->too_few_bytes ? 0 : bytes;
}

static int take_file(struct browse_build *build, uint64_t *bytes)
{
    pthread_mutex_lock(&build->lock);
    int file = build->fresh_file;
    *bytes = build->fresh_bytes;
    build->fresh_file = -1;
    pthread_mutex_unlock(&build->lock);
    return file;
}

static enum index_turn look(void *self, bool only_whole, struct index_view *fresh)
{
    struct browse_build *build = self;
    if (browse_build_is_over(build)) {
        if (build->status != STATUS_OK)
            return INDEX_FAILED;
        // The index of the session, for the trace that was opened again.
        const struct session *session = build->session;
        struct session *known = &build->known;
        build->status = index_view_open_again(fresh, &session->view, &build->err);
        if (build->status == STATUS_OK && !(known->view_path = strdup(session->view_path)))
            build->status = error_set(&build->err, STATUS_MEMORY, "no memory");
        if (build->status == STATUS_OK)
            return INDEX_IS_WHOLE;
        index_view_close(fresh);
        return INDEX_FAILED;
    }
    if (only_whole)
        return INDEX_STAYS;
    struct error err;
    uint64_t bytes;
    int file = take_file(build, &bytes);
    if (file < 0)
        return INDEX_STAYS;
    enum status status = index_view_open_file(fresh, file, "index of what was read so far",
                                              build->known.reading, &err);
    close(file);
    if (status != STATUS_OK) {
        index_view_close(fresh);
        return INDEX_STAYS;
    }
    growth_take(&build->growth, fresh, bytes);
    return INDEX_HAS_GROWN;
}

// --- The thread ----------------------------------------------------------------------------------

static void *open_index(void *context)
{
    struct browse_build *build = context;
    build->status = STATUS_OK;
    if (!build->session->view.index) // otherwise it was cancelled after this
        build->status = session_index(build->session, INDEX_FOR_ANSWERS, &build->err);
    if (build->status == STATUS_OK)
        build->has_text = true;
    if (build->status == STATUS_OK && build->then)
        build->status = build->then(build->self, &build->err);
    build->has_ended = true;
    return NULL;
}

static bool is_cancelled(void *self)
{
    return ((const struct browse_build *)self)->is_cancelled;
}

static enum pass_pause stop(void *self, struct error *err)
{
    struct browse_build *build = self;
    if (!build->is_cancelled)
        return PASS_GO_ON;
    build->has_stopped = true;
    error_set(err, STATUS_STOPPED, "canceled");
    return PASS_FAIL;
}

static bool start(struct browse_build *build)
{
    build->has_ended = build->has_stopped = build->is_cancelled = false;
    build->is_running = threads_start(&build->thread, 1, open_index, build, sizeof *build) == 1;
    return build->is_running;
}

void browse_build_begin(struct browse_build *build, struct session *session,
                        struct progress *progress, bool tells_preview)
{
    *build = (struct browse_build){.session = session, .fresh_file = -1};
    build->growth = (struct growth){
        .self = build,
        .look = look,
        .progress = progress,
    };
    build->has_text = source_is_mapped(session->trace->source);
    build->previews = (struct prefix_indexes){.self = build,
                                              .are_previews = true,
                                              .is_wanted = is_preview_wanted,
                                              .published = on_preview_index};
    build->pauses = (struct pass_pauses){build, is_cancelled, stop};
    session_begin(&build->known, session->reading, session->threads);
    pthread_mutex_init(&build->lock, NULL);
    session->pauses = &build->pauses;
    session->index.prefix_indexes = tells_preview ? &build->previews : NULL;
}

void browse_build_start(struct browse_build *build)
{
    if (!start(build))
        open_index(build);
}

void browse_build_join(struct browse_build *build)
{
    if (build->is_running)
        pthread_join(build->thread, NULL);
    build->is_running = false;
}

bool browse_build_is_over(struct browse_build *build)
{
    build->is_cancelled = build->growth.is_cancelled;
    if (build->is_running && build->has_ended && build->has_stopped)
        browse_build_join(build);
    bool has_result = build->has_ended && !build->has_stopped;
    if (!build->is_running && !has_result && !build->growth.is_cancelled) {
        // Starts again from the beginning, after it was cancelled.
        if (!build->session->view.index)
            session_begin_pass(build->session);
        build->growth.progress->done_bytes = 0;
        build->growth.is_cancelled = !start(build);
    }
    return build->has_ended && !build->has_stopped;
}

void browse_build_end(struct browse_build *build)
{
    browse_build_join(build);
    build->session->pauses = NULL;
    build->session->index.prefix_indexes = NULL;
    if (build->fresh_file >= 0)
        close(build->fresh_file);
    session_free(&build->known);
    pthread_mutex_destroy(&build->lock);
}
