// The index that a query reads: one that fits the trace, or else one that is built first, beside
// the trace or, where that cannot be, in a temporary file.
#include "cmd/query.h"

#include "analysis/index_file.h"
#include "cli/visible.h"

#include <errno.h>
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
    if (finding->file.stranger)
        visible_line(stderr, "trawl: index file %s was not written by trawl; leaving it alone",
                     finding->file.stranger);
    index_file_describe(&finding->file, finding->query->common.trace, text, sizeof text);
    visible_line(stderr, "trawl: %s; %s", text, what_follows);
}

// --- Opening -------------------------------------------------------------------------------------

// The index at `path`, whether it fits or not.
static bool open_path(struct finding *finding, const char *path)
{
    struct error err;
    struct query *query = finding->query;
    if (session_open(&query->session, path, &err) != STATUS_OK)
        return fail(finding, &err);
    query->index_path = strdup(path);
    error_set(&err, STATUS_MEMORY, "no memory");
    return query->index_path || fail(finding, &err);
}

// --- Building ------------------------------------------------------------------------------------

// A fresh name in the directory for temporary files; "" if there is none to be had.
static void temporary_path(char path[256])
{
    const char *directory = getenv("TMPDIR");
    int length = snprintf(path, 256, "%s/trawl-XXXXXX", directory ? directory : "/tmp");
    if (length >= 240 || !mkdtemp(path))
        path[0] = '\0';
    else
        memcpy(path + length, "/index", 7);
}

static void remove_temporary(char *path)
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
}

static bool is_writable(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool writable = directory && access(directory, W_OK) == 0;
    free(directory);
    return writable;
}

static bool build_at(struct finding *finding, struct source *source, const char *path)
{
    struct trace_command *command = &finding->query->common;
    const struct indexing_options how = {
        .path = path,
        .trace = command->trace,
        .fingerprint = &finding->fingerprint,
        .segment_events =
            command->segment_events ? command->segment_events : SEGMENT_EVENTS_DEFAULT,
    };
    const struct pipeline_options options = trace_command_pass_options(command, NULL, NULL);
    return trace_command_run(command, source, &options, &how, finding->status) &&
           open_path(finding, path);
}

// Into a file that is gone when the command ends.
static bool build_aside(struct finding *finding, struct source *source)
{
    char path[256];
    struct error err;
    temporary_path(path);
    if (!*path) {
        error_set_errno(&err, finding->file.path, "no place for the index");
        return fail(finding, &err);
    }
    bool is_built = build_at(finding, source, path);
    remove_temporary(path);
    return is_built;
}

static bool build(struct finding *finding, struct source *source)
{
    const struct trace_command *command = &finding->query->common;
    bool is_aside = command->memory_index ||
                    (finding->file.fit == INDEX_STRANGE && !command->index_path) ||
                    (!command->index_path && !is_writable(finding->file.path));
    struct error err;
    if (!is_aside && finding->file.fit == INDEX_STRANGE) {
        error_set(&err, STATUS_INPUT, "%s: was not written by trawl, so it is not replaced",
                  finding->file.path);
        return fail(finding, &err);
    }
    say(finding, is_aside ? "building one for this command" : "building it");
    return is_aside ? build_aside(finding, source) : build_at(finding, source, finding->file.path);
}

// --- The decision --------------------------------------------------------------------------------

// The byte order matters where something says what it is.
static void set_wanted(struct finding *finding)
{
    const struct trace_command *command = &finding->query->common;
    const struct pipeline_options options = trace_command_pass_options(command, NULL, NULL);
    bool has_order = command->endianness || names_have_image(&command->names);
    finding->wanted = (struct index_wanted){
        .trace = command->trace,
        .fingerprint = &finding->fingerprint,
        .options = (options.big_endian ? TRAWL_BIG_ENDIAN : 0u) |
                   (command->implicit_thumb ? TRAWL_IMPLICIT_THUMB : 0u),
        .options_mask = TRAWL_READ_AS_TTU | (has_order ? TRAWL_BIG_ENDIAN : 0u) |
                        (command->implicit_thumb ? TRAWL_IMPLICIT_THUMB : 0u),
    };
}

static bool decide(struct finding *finding, struct source *source)
{
    struct query *query = finding->query;
    const struct trace_command *command = &query->common;
    bool is_built_anew =
        command->memory_index || command->index_use == INDEX_FORCE || query->is_rebuilt;
    if (query->is_rebuilt && finding->file.fit == INDEX_FITS)
        finding->file.fit = INDEX_DAMAGED; // where only the answer looked
    if (!query->is_verified && !is_built_anew && finding->file.fit == INDEX_FITS) {
        say(finding, "using it");
        query->is_rebuildable = command->index_use != INDEX_NO_BUILD;
        return open_path(finding, finding->file.path);
    }
    if (!query->is_verified && command->index_use != INDEX_NO_BUILD)
        return build(finding, source);
    if (!query->is_verified && finding->file.fit != INDEX_MISSING) {
        char text[512];
        index_file_describe(&finding->file, finding->query->common.trace, text, sizeof text);
        diag_warning(&query->common.diag, "%s; using it as it is", text);
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
    struct error err;
    struct source *source;
    set_wanted(finding);
    if (source_open(&source, query->common.trace, true, &err) != STATUS_OK)
        return open_without_trace(finding, &err);
    bool is_found = false;
    if (source_fd(source) < 0) {
        error_set(&err, STATUS_INPUT, "%s: is no file, so it cannot have an index",
                  query->common.trace);
        fail(finding, &err);
    } else if (fingerprint_take(&finding->fingerprint, source_fd(source), query->common.trace,
                                &err) != STATUS_OK ||
               index_file_find(&finding->file, query->common.index_path, &finding->wanted, &err) !=
                   STATUS_OK) {
        fail(finding, &err);
    } else {
        is_found = decide(finding, source);
    }
    source_close(source);
    return is_found;
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
