// browse: the trace on a terminal, with the state at the position (src/browse, src/tui).
#include "cli/visible.h"
#include "cmd/commands.h"
#include "cmd/query_run.h"
#include "cmd/trace_open.h"
#include "session/index_file.h"
#include "tui/tui.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPTION_COLOUR = QUERY_OPTION_OWN,
    OPTION_NO_COLOUR,
};

struct browse {
    struct query query;
    bool has_debug; // what --debug tells while the index is built goes to standard output
    struct tui_options how;
};

// The index says how the trace is; what is shown of it is in the trace.
static enum status check_trace(const struct session *session, struct error *err)
{
    if (!session->trace)
        return *err = session->trace_error, err->status;
    if (!source_is_mapped(session->trace->source))
        return error_set(err, STATUS_INPUT, "%s: is no file, so it cannot be browsed",
                         session->path);
    return STATUS_OK;
}

static enum status browse_session(struct browse *browse, struct session *session, struct error *err)
{
    struct timeline timeline;
    struct browse_source source;
    struct browser browser;
    bool is_plain = session->reading == READING_TTU;
    enum status status = check_trace(session, err);
    if (status != STATUS_OK)
        return status;
    browse_source_open(&source, session);
    status = timeline_open(&timeline, &session->view, err);
    if (status == STATUS_OK) {
        status = browser_open(&browser, &source, &timeline, is_plain, err);
        if (status == STATUS_OK)
            status = tui_run(&browser, &browse->how, err);
        browser_close(&browser);
    }
    timeline_close(&timeline);
    return status;
}

// Before the screen is drawn, or at the end.
static enum status close_debug(struct browse *browse, struct error *err)
{
    if (!browse->has_debug)
        return STATUS_OK;
    browse->has_debug = false;
    return out_close(&browse->query.common.debug, err);
}

static enum exit_status answer(void *self)
{
    struct browse *browse = self;
    struct error err;
    if (close_debug(browse, &err) != STATUS_OK ||
        browse_session(browse, &browse->query.common.session, &err) != STATUS_OK)
        return query_error(&browse->query, &err);
    return EXIT_STATUS_DONE;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct browse *browse = self;
    (void)parser, (void)match;
    browse->how.has_colour = option == OPTION_COLOUR;
    return OPTION_END;
}

static bool wants_colour(void)
{
    const char *refused = getenv("NO_COLOR");
    return !refused || !*refused;
}

// As the reference tells it.
static void ignore_options(struct session_index *index)
{
    if (!index->in_memory)
        return;
    if (index->use == INDEX_NO_BUILD) {
        fputs("Ignoring --no-index since index is in memory\n", stderr);
        index->use = INDEX_AS_NEEDED;
    }
    if (index->path)
        fputs("Ignoring index file name since index is in memory\n", stderr);
    index->path = NULL;
}

// The same of the index at hand.
static void tell_index(void *self, const struct index_file *file, const char *what_follows)
{
    const struct trace_command *command = self;
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

// Nothing is told of one that is built whatever there is.
static void listen_as_reference(struct session *session)
{
    enum index_use use = session->index.use;
    bool is_forced = use == INDEX_FORCE || use == INDEX_ONLY || session->index.in_memory;
    session->listener.about_index = is_forced ? NULL : tell_index;
}

// Under the tarmac-* names nothing has opened the trace by now.
static enum status open_trace(struct trace_command *command, struct error *err)
{
    struct session *session = &command->session;
    struct stat about;
    if (session->reading != READING_TTU)
        return STATUS_OK;
    ignore_options(&session->index);
    if (stat(session->path, &about) != 0)
        return error_set_errno(err, session->path, "stat");
    enum status status = trace_command_open_trace(command, err);
    listen_as_reference(session);
    return status;
}

static enum exit_status open_and_run(struct browse *browse)
{
    struct error err;
    struct trace_command *command = &browse->query.common;
    if (open_trace(command, &err) != STATUS_OK)
        return trace_command_error(command, &err);
    if (command->debug_calls &&
        out_open_fd(&command->debug, STDOUT_FILENO, "standard output", &err) != STATUS_OK)
        return trace_command_error(command, &err);
    browse->has_debug = command->debug_calls;
    enum exit_status status = query_run(&browse->query, answer, browse);
    return close_debug(browse, &err) == STATUS_OK ? status : trace_command_error(command, &err);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct browse browse = {.how = {wants_colour()}};
    struct options_parser parser;
    const struct trace_command_own own = {&browse, take};
    query_begin(&browse.query, self);
    browse.query.common.needs = TRACE_REGISTERS;
    enum exit_status status = query_options(&browse.query, &parser, argc, argv, &own)
                                  ? open_and_run(&browse)
                                  : parser.status;
    query_free(&browse.query);
    return status;
}

static const struct option_spec colour_options[] = {
    {OPTION_COLOUR, 0, "colour,color", NULL, "use colour in the terminal"},
    {OPTION_NO_COLOUR, 0, "no-colour,no-color", NULL, "don't use colour in the terminal"},
    {0},
};

// In the order of the reference.
static const struct option_spec ttu_browser_options[] = {
    {OPTION_IMAGE, 0, "image", "IMAGEFILE", "image file name"},
    {OPTION_LOAD_OFFSET, 0, "load-offset", "OFFSET",
     "offset from addresses in the image file to addresses in the trace"},
    {OPTION_ONLY_INDEX, 0, "only-index", NULL, "generate index and do nothing else"},
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, "regenerate index unconditionally"},
    {OPTION_NO_INDEX, 0, "no-index", NULL, "do not regenerate index"},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL, "keep index in memory instead of on disk"},
    {OPTION_LITTLE_ENDIAN, 0, "li", NULL, "assume trace is from a little-endian platform"},
    {OPTION_BIG_ENDIAN, 0, "bi", NULL, "assume trace is from a big-endian platform"},
    {OPTION_IMPLICIT_THUMB, 0, "implicit-thumb", NULL,
     "assume trace is from a Thumb-only platform and might omit the instruction set state from "
     "trace records"},
    {OPTION_DEBUG, 0, "debug", "TYPE",
     "enable diagnostics of type TYPE (use --debug=list for a list)"},
    {OPTION_VERBOSE, 'v', "verbose", NULL, "make tool more verbose"},
    {OPTION_QUIET, 'q', "quiet", NULL, "make tool quiet"},
    {OPTION_SHOW_PROGRESS, 0, "show-progress-meter", NULL, "force display of the progress meter"},
    {OPTION_INDEX, 0, "index", "INDEXFILE", "index file name"},
    // How the index is made, which must not show: for our tests.
    {OPTION_THREADS, 0, "threads", "N", NULL},
    {OPTION_CHUNK_SIZE, 0, "chunk-size", "SIZE", NULL},
    {OPTION_SEGMENT_EVENTS, 0, "segment-events", "N", NULL},
    {0},
};

const struct command_spec tarmac_browser_command = {
    .name = "tarmac-browser",
    .manner = MANNER_TTU,
    .groups = (const struct option_group[]){{"options", ttu_browser_options},
                                            {NULL, colour_options},
                                            {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
