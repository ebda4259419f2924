#include "cmd/browsing.h"

#include "cli/visible.h"
#include "cmd/option_rows.h"
#include "cmd/trace_pass.h"
#include "session/index_file.h"
#include "session/passes.h"
#include "session/session_index.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int browsing_take_source(struct source_search *search, struct options_parser *parser,
                         const struct option_match *match, bool is_map)
{
    if (!VEC_ROOM(&search->directories, 1) || !VEC_ROOM(&search->maps, 1))
        return options_no_memory(parser);
    if (!is_map) {
        search->directories.items[search->directories.count++] = match->value;
        return OPTION_END;
    }
    if (!source_map_is_sound(match->value))
        return options_bad_value(parser, match, "FROM=TO, such as /build=/home/me/src");
    search->maps.items[search->maps.count++] = match->value;
    return OPTION_END;
}

// --- Traces --------------------------------------------------------------------------------------

enum status browsing_check_trace(const struct session *session, const char *what, struct error *err)
{
    if (!session->trace)
        return *err = session->trace_error, err->status;
    // Keys come from standard input, which cannot also be the trace.
    bool is_input = session->reading == READING_TRUE && strcmp(session->path, "-") == 0;
    if (is_input || !source_is_file(session->trace->source))
        return error_set(err, STATUS_INPUT, "%s: is not a file, so it cannot be %s", session->path,
                         what);
    return STATUS_OK;
}

enum status browsing_open_other_trace(struct session *session, const struct session *first,
                                      const char *what, struct error *err)
{
    enum status status = session_wish_as(session, first, err);
    session->threads = first->threads;
    session->shows_text = true;
    if (status == STATUS_OK)
        status = session_open_trace(session, err);
    if (status == STATUS_OK && session->files.paths.count &&
        !trace_can(session->trace, TRACE_LINES))
        status = error_set(err, STATUS_INPUT, "%s: is %s, which cannot be in several files",
                           session->path, session->trace->kind->words.a);
    if (status == STATUS_OK)
        status = session_open_images(session, err);
    return status == STATUS_OK ? browsing_check_trace(session, what, err) : status;
}

enum status browsing_open_other(struct session *session, const struct session *first,
                                const char *what, struct error *err)
{
    enum status status = STATUS_OK;
    if (session->trace)
        session_begin_pass(session);
    else
        status = browsing_open_other_trace(session, first, what, err);
    if (status != STATUS_OK)
        return status;
    status = session_index(session, INDEX_FOR_ANSWERS, err);
    if (session_forsake_view(session, status))
        status = session_index(session, INDEX_FOR_ANSWERS, err);
    return status;
}

// --- As the reference begins ---------------------------------------------------------------------

static void report_index(void *self, const struct index_file *file, const char *what_follows)
{
    const struct command *command = self;
    char text[480];
    bool is_wanted = command->verbose || (!command->quiet && isatty(STDOUT_FILENO));
    (void)what_follows;
    if (!is_wanted)
        return;
    index_file_describe(file, command->session.path, text, sizeof text);
    visible_on_terminal(stderr, text, strlen(text));
    fprintf(stderr, "; %s\n",
            file->fit == INDEX_FITS      ? "not rebuilding it"
            : file->fit == INDEX_MISSING ? "building it"
                                         : "rebuilding it");
}

enum status browsing_open_as_reference(struct command *command, struct error *err)
{
    struct session *session = &command->session;
    struct stat about;
    if (session->reading != READING_TTU)
        return STATUS_OK;
    struct index_policy *index = &session->index;
    if (index->in_memory) {
        if (index->use == INDEX_NO_BUILD) {
            fputs("Ignoring --no-index since index is in memory\n", stderr);
            index->use = INDEX_AS_NEEDED;
        }
        if (index->path)
            fputs("Ignoring index file name since index is in memory\n", stderr);
        index->path = NULL;
    }
    if (stat(session->path, &about) != 0)
        return error_set_errno(err, session->path, "stat");
    enum status status = command_open_trace(command, err);
    enum index_use use = session->index.use;
    bool is_forced = use == INDEX_FORCE || use == INDEX_ONLY || session->index.in_memory;
    session->listener.about_index = is_forced ? NULL : report_index;
    return status;
}

const struct option_spec ttu_browser_options[] = {
    {TTU_IMAGE},
    {TTU_LOAD_OFFSET},
    {OPTION_ONLY_INDEX, 0, "only-index", NULL, "generate index and do nothing else"},
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, "regenerate index unconditionally"},
    {OPTION_NO_INDEX, 0, "no-index", NULL, "do not regenerate index"},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL, "keep index in memory instead of on disk"},
    {TTU_LITTLE_ENDIAN},
    {TTU_BIG_ENDIAN},
    {TTU_IMPLICIT_THUMB},
    {TTU_DEBUG},
    {TTU_VERBOSE},
    {TTU_QUIET},
    {TTU_SHOW_PROGRESS},
    {TTU_INDEX},
    // How the index is made, which must not show: for our tests.
    {ROW_HIDDEN_THREADS},
    {ROW_HIDDEN_CHUNK_SIZE},
    {ROW_HIDDEN_SEGMENT_EVENTS},
    {0},
};
