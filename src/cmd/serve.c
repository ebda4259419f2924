// serve: traces as a page in a web browser (src/serve).
#include "cmd/browsing.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/listen.h"
#include "cmd/opener.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "cmd/trace_pass.h"
#include "serve/server.h"

#include "base/limits.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    OPTION_LISTEN = OPTION_OWN,
    OPTION_SOURCE,
    OPTION_SOURCE_MAP,
    OPTION_PUBLIC,
    OPTION_ONE_PAGE,
    OPTION_NO_OPEN,
    OPTION_NOTES,
};

// For the message that something that is not a file cannot be served.
#define SERVED "served"

struct serve {
    struct command common;
    struct session others[LIMIT_SERVE_TRACES];
    size_t other_count;
    struct source_search sources;
    struct listen_place place;
    struct server *server; // NULL: not open
    sigset_t signals;      // that end the server
    bool is_announced;     // the address was printed
    bool has_one_page;     // ends when the page is closed
    bool opens_none;       // the user opens the address instead
    bool keeps_notes;      // in files next to the traces
};

// --- The command line ----------------------------------------------------------------------------

static int add_trace(struct serve *serve, struct options_parser *parser,
                     const struct option_match *match)
{
    if (serve->other_count + 1 >= LIMIT_SERVE_TRACES)
        return options_error(parser, "'%s': at most %d traces are served", match->value,
                             LIMIT_SERVE_TRACES);
    session_begin(&serve->others[serve->other_count++], READING_TRUE, 1);
    return other_run_take(&serve->common, parser, match);
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct serve *serve = self;
    switch (option) {
    case OPTION_POSITIONAL:
        return add_trace(serve, parser, match);
    case OPTION_PUBLIC:
        serve->place.is_public = true;
        return OPTION_END;
    case OPTION_ONE_PAGE:
        serve->has_one_page = true;
        return OPTION_END;
    case OPTION_NOTES:
        serve->keeps_notes = true;
        return OPTION_END;
    case OPTION_NO_OPEN:
        serve->opens_none = true;
        return OPTION_END;
    case OPTION_LISTEN:
        return listen_take(&serve->place, parser, match->value);
    default:
        return browsing_take_source(&serve->sources, parser, match, option == OPTION_SOURCE_MAP);
    }
}

// --- Serving -------------------------------------------------------------------------------------

// Begins to listen, so that a port that is taken is told before an index is built. Threads of the
// server leave the signals that end it to this one, which they kill as long as it builds an index.
static enum status listen_first(struct serve *serve, struct error *err)
{
    const struct server_plan plan = {.address = serve->place.address,
                                     .port = serve->place.port,
                                     .progress = &serve->common.progress};
    sigemptyset(&serve->signals);
    sigaddset(&serve->signals, SIGINT);
    sigaddset(&serve->signals, SIGTERM);
    sigaddset(&serve->signals, SIGHUP);
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &serve->signals, &before);
    enum status status = server_open(&serve->server, &plan, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

// Prints the address, as soon as there is something to show.
static void announce(struct serve *serve)
{
    if (serve->is_announced)
        return;
    serve->is_announced = true;
    const char *address = server_address(serve->server);
    printf("%s\n", address);
    fflush(stdout);
    bool is_opened = !serve->opens_none && opener_open(address);
    if (!serve->common.quiet)
        fprintf(stderr, "%s; Ctrl-C ends the server.\n",
                is_opened ? "Opening this address in a web browser"
                          : "Open this address in a web browser");
}

// An index is about to be built: meanwhile, the page shows the beginning of the text.
static void on_text(void *self)
{
    _Static_assert(offsetof(struct serve, common) == 0, "begins with its command");
    struct serve *serve = self;
    struct session *session = &serve->common.session;
    struct trace_lines lines;
    struct error err;
    if (!serve->server)
        return;
    bool has_lines = trace_can(session->trace, TRACE_LINES) &&
                     trace_lines_open(&lines, session->trace->source, &err) == STATUS_OK;
    server_builds(serve->server, session->path, has_lines ? &lines : NULL);
    announce(serve);
}

static enum status serve_all(struct serve *serve, struct error *err)
{
    const struct session *sessions[LIMIT_SERVE_TRACES] = {&serve->common.session};
    const struct server_show show = {
        .sessions = sessions,
        .session_count = serve->other_count + 1,
        .source_search = &serve->sources,
        .keeps_notes = serve->keeps_notes,
    };
    for (size_t i = 0; i < serve->other_count; i++)
        sessions[i + 1] = &serve->others[i];
    pthread_sigmask(SIG_BLOCK, &serve->signals, NULL); // only this thread waits for them
    enum status status = server_show(serve->server, &show, err);
    if (status != STATUS_OK)
        return status;
    announce(serve);
    const struct timespec pause = {1, 0};
    while (sigtimedwait(&serve->signals, NULL, &pause) < 0 &&
           !(serve->has_one_page && server_is_left(serve->server))) {
    }
    return STATUS_OK;
}

// Makes the text available to all threads that answer.
static enum status open_text(struct session *session, struct error *err)
{
    struct source_view view;
    return source_view(session->trace->source, &view, err);
}

static enum status open_other(struct serve *serve, size_t number, struct error *err)
{
    const struct command *command = &serve->common;
    struct session *session = &serve->others[number];
    server_builds(serve->server, session->path, NULL);
    enum status status = browsing_open_other(session, &command->session, SERVED, err);
    return status == STATUS_OK ? open_text(session, err) : status;
}

static bool answer(void *self)
{
    struct serve *serve = self;
    struct session *first = &serve->common.session;
    struct error err;
    enum status status = browsing_check_trace(first, SERVED, &err);
    if (status == STATUS_OK)
        status = open_text(first, &err);
    for (size_t i = 0; i < serve->other_count && status == STATUS_OK; i++) {
        if (!serve->others[i].path)
            status = other_run_open(&serve->others[i], &serve->common.others.items[i], &err);
        if (status == STATUS_OK && !serve->others[i].trace)
            status = browsing_open_other_trace(&serve->others[i], first, SERVED, &err);
    }
    if (status == STATUS_OK && serve->other_count)
        announce(serve); // their indexes may have to be built
    for (size_t i = 0; i < serve->other_count && status == STATUS_OK; i++)
        status = open_other(serve, i, &err);
    if (status == STATUS_OK)
        status = serve_all(serve, &err);
    serve->common.uses_memory = true;
    return status == STATUS_OK || command_fail(&serve->common, &err);
}

static bool check(void *self, struct options_parser *parser)
{
    struct serve *serve = self;
    struct error err;
    struct command *command = &serve->common;
    bool is_good = listen_is_allowed(&serve->place, parser);
    if (!is_good)
        return false;
    enum status status = browsing_open_as_reference(command, &err);
    if (status == STATUS_OK && command->session.index.use != INDEX_ONLY)
        status = listen_first(serve, &err);
    if (status == STATUS_OK && command_detect(command)) {
        command->session.listener.text_is_at_hand = on_text;
        return true;
    }
    if (status != STATUS_OK)
        command_fail(command, &err);
    parser->status = command->status;
    return false;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct serve serve = {.place = {.address = "127.0.0.1"}};
    struct command *command = &serve.common;
    command_begin(command, self);
    command->asks_index = true;
    serve.has_one_page = self->option_set == OPTIONS_TTU; // closing the window ends it
    command->needs = self->option_set == OPTIONS_TTU ? TRACE_REGISTERS : TRACE_EVENTS;
    command->session.asks_calls = true;
    command->session.asks_loads = true;
    command->session.shows_text = true;
    struct options_parser parser;
    const struct command_steps steps = {&serve, take, check, answer};
    if (!command_options(command, &parser, argc, argv, &steps))
        command->status = parser.status;
    else if (command_open_images(command))
        command_report(command, steps.report, steps.self);
    server_close(serve.server); // which shows what the command has open
    enum exit_status status = command->status;
    command_free(command);
    for (size_t i = 0; i < serve.other_count; i++)
        session_free(&serve.others[i]);
    source_search_free(&serve.sources);
    return status;
}

static const struct option_spec serve_options[] = {
    {OPTION_LISTEN, 0, "listen", "ADDRESS:PORT",
     "where to listen (default: 127.0.0.1, any free port)"},
    {OPTION_PUBLIC, 0, "public", NULL,
     "allow an address that other machines can reach; the connection is not encrypted"},
    {OPTION_ONE_PAGE, 0, "one-page", NULL, "end when the page is closed"},
    {OPTION_NO_OPEN, 0, "no-open", NULL,
     "open no web browser (default on a desktop: $BROWSER, or xdg-open)"},
    {OPTION_NOTES, 0, "notes", NULL,
     "store the notes made in the page in TRACE.notes.json, and read them from there"},
    {OPTION_SOURCE, 0, ROW_SOURCE},
    {OPTION_SOURCE_MAP, 0, ROW_SOURCE_MAP},
    {ROW_OS},
    {0},
};

static const struct option_spec serve_run_options[] = {
    {ROW_THREADS},
    {ROW_QUIET},
    {0},
};

const struct command_spec serve_command = {
    .name = "serve",
    .option_set = OPTIONS_TRAWL,
    .summary = "browse traces in a web browser, with the state at each point",
    .description =
        "Prints the address of a page that shows the text of the trace with calls that fold, a "
        "chart of the calls over the whole run, registers, memory and the stack at the position, "
        "what wrote a value, and searches. Several traces can be shown next to each other.\n"
        "Only this machine can reach the page, and only with the secret in the address. Over ssh, "
        "forward the port: ssh -L 8080:127.0.0.1:8080 HOST, with '--listen :8080'. Scripts can use "
        "the interface of the page, too: see serve-api.md in the documentation.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", serve_options},
                                            {"names", query_trace_options},
                                            {"traces in several files", files_options},
                                            {NULL, other_files_options},
                                            {"how to run", query_index_options},
                                            {NULL, serve_run_options},
                                            {0}},
    .needs = TRACE_EVENTS,
    .describe_input = trace_inputs_describe,
    .positionals = (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                                    {"OTHER", "more traces", NULL, true, true},
                                                    {0}},
    .examples = "trawl serve run.tarmac\n"
                "trawl serve --image prog.elf good.tarmac bad.tarmac\n"
                "trawl serve --listen :8080 run.xray\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_gui_browser_command = {
    .name = "tarmac-gui-browser",
    .option_set = OPTIONS_TTU,
    .groups = (const struct option_group[]){{"options", ttu_browser_options}, {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
