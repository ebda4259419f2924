// serve: traces as a page in a web browser (src/serve).
#include "cmd/browsing.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/listen.h"
#include "cmd/opener.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "serve/server.h"

#include "base/limits.h"

#include <signal.h>
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
    bool has_one_page; // ends when the page is closed
    bool opens_none;   // the user opens the address instead
    bool keeps_notes;  // in files next to the traces
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

static enum status serve_all(struct serve *serve, struct error *err)
{
    const struct session *sessions[LIMIT_SERVE_TRACES] = {&serve->common.session};
    const struct server_plan plan = {
        .sessions = sessions,
        .session_count = serve->other_count + 1,
        .source_search = &serve->sources,
        .address = serve->place.address,
        .port = serve->place.port,
        .keeps_notes = serve->keeps_notes,
    };
    struct server *server;
    sigset_t signals;
    for (size_t i = 0; i < serve->other_count; i++)
        sessions[i + 1] = &serve->others[i];
    // Only this thread handles these signals.
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    enum status status = server_open(&server, &plan, err);
    if (status != STATUS_OK)
        return status;
    printf("%s\n", server_address(server));
    fflush(stdout);
    bool is_opened = !serve->opens_none && opener_open(server_address(server));
    if (!serve->common.quiet)
        fprintf(stderr, "%s; Ctrl-C ends the server.\n",
                is_opened ? "Opening this address in a web browser"
                          : "Open this address in a web browser");
    const struct timespec pause = {1, 0};
    while (sigtimedwait(&signals, NULL, &pause) < 0 &&
           !(serve->has_one_page && server_is_left(server))) {
    }
    server_close(server);
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
    enum status status = STATUS_OK;
    if (!session->path)
        status = other_run_open(session, &command->others.items[number], err);
    if (status == STATUS_OK)
        status = browsing_open_other(session, &command->session, SERVED, err);
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
    if (!listen_is_allowed(&serve->place, parser))
        return false;
    if (browsing_open_as_reference(&serve->common, &err) == STATUS_OK)
        return true;
    command_fail(&serve->common, &err);
    parser->status = serve->common.status;
    return false;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct serve serve = {.place = {.address = "127.0.0.1"}};
    struct command *command = &serve.common;
    command_begin(command, self);
    command->asks_index = true;
    serve.has_one_page = self->option_set == OPTIONS_TTU; // closing the window ends it
    command->needs = self->option_set == OPTIONS_TTU ? TRACE_REGISTERS : 0;
    command->session.asks_calls = true;
    command->session.asks_loads = true;
    command->session.shows_text = true;
    enum exit_status status =
        command_run(command, argc, argv, &(struct command_steps){&serve, take, check, answer});
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
