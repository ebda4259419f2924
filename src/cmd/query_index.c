// The index that a query reads: one that fits the trace, or else one that is built first, beside
// the trace or, where that cannot be, in a temporary file.
#include "cmd/query_index.h"

#include "base/place.h"
#include "base/unnamed.h"
#include "cli/visible.h"
#include "cmd/trace_index.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct finding {
    struct query *query;
    struct fingerprint fingerprint;
    struct index_wanted wanted;
    struct index_file file;
    enum exit_status *status;
};

static bool fail(struct finding *finding, const struct error *err)
{
    *finding->status = query_error(finding->query, err);
    return false;
}

static void say(const struct finding *finding, const char *what_follows)
{
    char text[512];
    if (!finding->query->common.verbose)
        return;
    if (finding->file.stranger) {
        index_file_describe_stranger(&finding->file, text, sizeof text);
        visible_line(stderr, "trawl: %s", text);
    }
    index_file_describe(&finding->file, finding->query->common.trace, text, sizeof text);
    visible_line(stderr, "trawl: %s; %s", text, what_follows);
}

// --- Opening -------------------------------------------------------------------------------------

// What was opened, or was not.
static bool end_opening(struct finding *finding, const char *path, enum status status,
                        struct error *err)
{
    struct query *query = finding->query;
    if (status != STATUS_OK)
        return fail(finding, err);
    query->index_path = strdup(path);
    error_set(err, STATUS_MEMORY, "no memory");
    return query->index_path || fail(finding, err);
}

// The index at `path`, whether it fits or not.
static bool open_path(struct finding *finding, const char *path)
{
    struct error err;
    enum status status = index_view_open(&finding->query->view, path, &err);
    return end_opening(finding, path, status, &err);
}

static bool open_file(struct finding *finding, const char *name, int file)
{
    struct error err;
    enum status status = index_view_open_file(&finding->query->view, file, name, &err);
    return end_opening(finding, name, status, &err);
}

// --- Building ------------------------------------------------------------------------------------

static bool is_writable(const char *path)
{
    struct place place;
    bool writable = place_find(&place, path) && place_is_writable(&place);
    place_free(&place);
    return writable;
}

// At `path`, or in the open `file`, where `path` is for messages.
static bool build_at(struct finding *finding, const char *path, const int *file)
{
    struct trace_command *command = &finding->query->common;
    struct indexing_options how =
        trace_index_plan(command, path, &finding->fingerprint, file == NULL);
    const struct trace_request request = trace_command_calls(command, NULL, NULL);
    how.file = file;
    return trace_command_run(command, &request, &how, finding->status) &&
           (file ? open_file(finding, path, *file) : open_path(finding, path));
}

// Into a file that is gone when the command ends, however it ends.
static bool build_aside(struct finding *finding)
{
    struct error err;
    char name[64 + PATH_MAX];
    int file = unnamed_open(unnamed_directory());
    if (file < 0) {
        error_set_errno(&err, unnamed_directory(), "no place for the index");
        return fail(finding, &err);
    }
    snprintf(name, sizeof name, "unnamed file in %s", unnamed_directory());
    bool is_built = build_at(finding, name, &file);
    close(file);
    return is_built;
}

static bool build(struct finding *finding)
{
    const struct trace_command *command = &finding->query->common;
    bool is_foreign = index_file_is_foreign(&finding->file);
    bool is_aside = command->memory_index ||
                    (!command->index_path && (is_foreign || !is_writable(finding->file.path)));
    struct error err;
    if (!is_aside && is_foreign) {
        index_file_refuse(&finding->file, &err);
        return fail(finding, &err);
    }
    say(finding, is_aside ? "building one for this command" : "building it");
    return is_aside ? build_aside(finding) : build_at(finding, finding->file.path, NULL);
}

// --- The decision --------------------------------------------------------------------------------

// The byte order matters where something says what it is.
static void set_wanted(struct finding *finding)
{
    const struct trace_command *command = &finding->query->common;
    bool has_order = command->endianness || names_have_image(&command->names);
    finding->wanted = trace_index_wanted(command, &finding->fingerprint, has_order);
}

static struct index_wish wish_of(const struct query *query)
{
    const struct trace_command *command = &query->common;
    return (struct index_wish){
        .use = command->index_use,
        .is_named = command->index_path != NULL,
        .is_in_memory = command->memory_index,
        .is_question = true,
        .is_verified = query->is_verified,
        .is_spoiled = query->is_rebuilt,
    };
}

static bool decide(struct finding *finding)
{
    struct query *query = finding->query;
    const struct index_wish wish = wish_of(query);
    if (query->is_rebuilt && finding->file.fit == INDEX_FITS)
        finding->file.fit = INDEX_DAMAGED; // where only the answer looked
    switch (index_choose(&wish, finding->file.fit)) {
    case INDEX_READ_IT:
        say(finding, "using it");
        query->is_rebuildable = query->common.index_use != INDEX_NO_BUILD;
        break;
    case INDEX_BUILD_IT:
        return build(finding);
    default:
        if (!query->is_verified && finding->file.fit != INDEX_MISSING) {
            char text[512];
            index_file_describe(&finding->file, query->common.trace, text, sizeof text);
            diag_warning(&query->common.diag, "%s; using it as it is", text);
        }
    }
    return open_path(finding, finding->file.path);
}

// Without the trace, the index at its place is all there is.
static bool open_without_trace(struct finding *finding, const struct error *why)
{
    struct error err;
    const char *named = finding->query->common.index_path;
    if (index_file_find(&finding->file, named, &finding->wanted, &err) != STATUS_OK)
        return fail(finding, &err);
    if (finding->file.fit == INDEX_MISSING || access(finding->wanted.trace, F_OK) == 0)
        return fail(finding, why);
    return open_path(finding, finding->file.path);
}

static bool find(struct finding *finding)
{
    struct query *query = finding->query;
    const struct trace *trace = query->common.opened;
    struct error err;
    set_wanted(finding);
    if (!trace)
        return open_without_trace(finding, &query->common.open_error);
    int fd = source_fd(trace->source);
    if (fd < 0) {
        error_set(&err, STATUS_INPUT, "%s: is no file, so it cannot have an index",
                  query->common.trace);
        return fail(finding, &err);
    }
    if (fingerprint_take(&finding->fingerprint, fd, query->common.trace, &err) != STATUS_OK ||
        index_file_find(&finding->file, query->common.index_path, &finding->wanted, &err) !=
            STATUS_OK)
        return fail(finding, &err);
    return decide(finding);
}

bool query_index(struct query *query, enum exit_status *status)
{
    struct finding finding = {.query = query, .status = status};
    if (query->is_index)
        return open_path(&finding, query->common.trace);
    bool is_found = find(&finding);
    index_file_free(&finding.file);
    return is_found;
}
