// gdb and gdbserver: a trace as a program that GDB debugs, forwards and backwards (src/gdb).
#include "base/embed.h"
#include "base/words.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/listen.h"
#include "cmd/option_rows.h"
#include "cmd/system.h"
#include "gdb/server.h"
#include "session/tasks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OPTION_LISTEN = OPTION_OWN, OPTION_PUBLIC, OPTION_GDB };

struct gdb_command {
    struct command common;
    struct listen_place place;
    bool listens;
    const char *program; // GDB; NULL: one is chosen
    char *const *words;  // of the command line, behind the name of the command
    int word_count;
};

// The position that was typed, or the start: GDB shows the instruction there as the next one.
static uint64_t begin_at(const struct command *command)
{
    return command->at && command->event != TRAWL_START ? command->event : 0;
}

// --- gdbserver -----------------------------------------------------------------------------------

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

// Opens the socket on which to listen, and finds its port.
static enum status open_socket(struct listen_place *place, int *fd, struct error *err)
{
    union any_address at = {0};
    bool is_v4 = inet_pton(AF_INET, place->address, &at.v4.sin_addr) == 1;
    if (!is_v4 && inet_pton(AF_INET6, place->address, &at.v6.sin6_addr) != 1)
        return error_set(err, STATUS_INPUT, "%s: not an IP address", place->address);
    at.any.sa_family = is_v4 ? AF_INET : AF_INET6;
    *(is_v4 ? &at.v4.sin_port : &at.v6.sin6_port) = htons(place->port);
    socklen_t size = is_v4 ? sizeof at.v4 : sizeof at.v6;
    const int on = 1;
    *fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(*fd, &at.any, size) != 0 || listen(*fd, 1) != 0 ||
        getsockname(*fd, &at.any, &size) != 0) {
        error_set_errno(err, place->address, "listen");
        if (*fd >= 0)
            close(*fd);
        return err->status;
    }
    place->port = ntohs(is_v4 ? at.v4.sin_port : at.v6.sin6_port);
    return STATUS_OK;
}

// Serves one client after the other until interrupted. One that is silent from the start, or does
// not take its answers, is left, and one that has been silent for long if others wait (gdb/link.c),
// so that none can keep them out.
static enum status serve_clients(struct gdb_command *gdb, struct error *err)
{
    struct session *session = &gdb->common.session;
    int listener, client;
    enum status status = open_socket(&gdb->place, &listener, err);
    if (status != STATUS_OK)
        return status;
    bool is_v6 = strchr(gdb->place.address, ':') != NULL;
    printf("%s%s%s:%u\n", is_v6 ? "[" : "", gdb->place.address, is_v6 ? "]" : "", gdb->place.port);
    fflush(stdout);
    if (gdb->place.is_public && !gdb->common.quiet)
        diag_note(&gdb->common.diag, "GDB's protocol asks nobody who they are: whoever reaches "
                                     "this port can read the trace");
    while (status == STATUS_OK && (client = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        struct pollfd first = {.fd = client, .events = POLLIN};
        const struct timeval patience = {.tv_sec = LIMIT_GDB_ACK_S};
        setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        if (poll(&first, 1, LIMIT_GDB_ACK_S * 1000) > 0)
            status = gdb_serve(session, client, client, listener, begin_at(&gdb->common), err);
        close(client);
    }
    close(listener);
    return status;
}

static bool serve(void *self)
{
    struct gdb_command *gdb = self;
    struct error err;
    gdb->common.uses_memory = true;
    signal(SIGPIPE, SIG_IGN); // a client that goes ends its connection, not the server
    if (!gdb->listens)
        signal(SIGINT, SIG_IGN); // Ctrl-C in GDB's terminal is meant for GDB, which sends it on
    struct session *session = &gdb->common.session;
    enum status status =
        session->splits_by_task ? session_name_tasks_of_view(session, &err) : STATUS_OK;
    if (status == STATUS_OK)
        status = gdb->listens ? serve_clients(gdb, &err)
                              : gdb_serve(session, STDIN_FILENO, STDOUT_FILENO, -1,
                                          begin_at(&gdb->common), &err);
    return status == STATUS_OK || command_fail(&gdb->common, &err);
}

// --- gdb -----------------------------------------------------------------------------------------

// "target remote | trawl gdbserver WORD...", without the options of `gdb` alone.
static char *remote_command(const struct gdb_command *gdb)
{
    char own[PATH_MAX];
    struct out out;
    struct error err;
    if (program_own_path(own, &err) != STATUS_OK || out_open_memory(&out, &err) != STATUS_OK)
        return NULL;
    out_text(&out, "target remote | exec ");
    out_shell_word(&out, own);
    out_text(&out, " gdbserver");
    for (int i = 0; i < gdb->word_count; i++) {
        const char *word = gdb->words[i];
        if (strcmp(word, "--gdb") == 0) {
            i++;
            continue;
        }
        if (strncmp(word, "--gdb=", 6) == 0)
            continue;
        out_byte(&out, ' ');
        out_shell_word(&out, word);
    }
    char *text = out_failed(&out) ? NULL : strdup(out_memory_text(&out));
    out_close(&out, &err);
    return text;
}

// The first GDB here that knows the machine.
static const char *find_gdb(const struct index_view *view)
{
    const struct gdb_machine *machine =
        gdb_machine_of(view->arch->gdb, view->index, view->isa, true);
    for (const char *const *program = machine ? machine->programs : NULL; program && *program;
         program++) {
        if (program_is_on_path(*program))
            return *program;
    }
    // Trace files can be of any machine.
    if (!machine && program_is_on_path("gdb-multiarch"))
        return "gdb-multiarch";
    return program_is_on_path("gdb") ? "gdb" : NULL;
}

// Commands for GDB itself, which must look again after the position has changed, and which knows
// where its expressions are: for one with Python, and as far as they go for others.
#ifdef __has_embed

// clang-format off
static const char gdb_commands_python[] = {
#embed "../gdb/commands.py" suffix(, 0)
};

static const char gdb_commands_plain[] = {
#embed "../gdb/commands.gdb" suffix(, 0)
};
// clang-format on

#else

EMBED(gdb_commands_python, "gdb/commands.py");
EMBED(gdb_commands_plain, "gdb/commands.gdb");

#endif

// A file with commands for GDB that lives as long as GDB. -1: it cannot be made.
static int open_commands(const char *text)
{
    const size_t size_bytes = strlen(text);
    int fd = memfd_create("trawl", 0);
    return fd >= 0 && write(fd, text, size_bytes) == (ssize_t)size_bytes ? fd : -1;
}

// Replaces this process with GDB, after the index was built, so that GDB need not wait for it.
static bool start(void *self)
{
    struct gdb_command *gdb = self;
    const struct session *session = &gdb->common.session;
    const char *program = gdb->program ? gdb->program : find_gdb(&session->view);
    struct words words = {0};
    struct error err;
    if (!program)
        return command_fail_with(
            &gdb->common, STATUS_NOT_FOUND,
            "no GDB for this machine is installed (Debian: gdb-multiarch); --gdb names another");
    char *remote = remote_command(gdb);
    int plain = open_commands(gdb_commands_plain), python = open_commands(gdb_commands_python);
    words_add(&words, "%s", program);
    words_add(&words, "-q");
    // The program first, other images as further symbols at their addresses.
    for (size_t i = 0; i < session->names.images.members.count; i++) {
        const struct image_member *member = &session->names.images.members.items[i];
        const char *path = image_path(member->image);
        if (i == 0 && !member->offset) {
            words_add(&words, "%s", path);
            continue;
        }
        words_add(&words, "-ex");
        words_add(&words, "add-symbol-file \"%s\" -o 0x%llx", path,
                  (unsigned long long)member->offset);
    }
    words_add(&words, "-x");
    words_add(&words, "/proc/self/fd/%d", plain);
    words_add(&words, "-ex");
    words_add(&words, "python exec(open('/proc/self/fd/%d').read())", python);
    // Long before an index in memory is built, GDB would give up.
    words_add(&words, "-ex");
    words_add(&words, "set remotetimeout 600");
    // What is watched in frames, GDB has to look at in each; and it must not take the libraries of
    // this machine for those of the program.
    if (index_view_has_snapshots(&session->view)) {
        words_add(&words, "-ex");
        words_add(&words, "set can-use-hw-watchpoints 0");
        words_add(&words, "-ex");
        words_add(&words, "set auto-solib-add off");
    }
    words_add(&words, "-ex");
    words_add(&words, "%s", remote ? remote : "");
    char **line = words_end(&words);
    if (line && remote && plain >= 0 && python >= 0) {
        execvp(program, line);
        error_set_errno(&err, program, "start");
    } else {
        error_set(&err, STATUS_MEMORY, "no memory");
    }
    free(remote);
    words_free(&words);
    return command_fail(&gdb->common, &err);
}

// --- The commands --------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct gdb_command *gdb = self;
    switch (option) {
    case OPTION_LISTEN:
        gdb->listens = true;
        return listen_take(&gdb->place, parser, match->value);
    case OPTION_PUBLIC:
        gdb->place.is_public = true;
        return OPTION_END;
    default:
        gdb->program = match->value;
        return OPTION_END;
    }
}

static bool check(void *self, struct options_parser *parser)
{
    const struct gdb_command *gdb = self;
    return listen_is_allowed(&gdb->place, parser);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct gdb_command gdb = {.place = {.address = "127.0.0.1"}, .words = argv, .word_count = argc};
    command_begin(&gdb.common, self);
    gdb.common.asks_index = true;
    gdb.common.session.asks_loads = true; // for read watchpoints
    return command_run(
        &gdb.common, argc, argv,
        &(struct command_steps){&gdb, take, check, self == &gdb_command ? start : serve});
}

// Unlike elsewhere, a position is what comes next.
#define ROW_AT_BEGINNING                                                                           \
    OPTION_AT, 0, "at", "POS",                                                                     \
        "begin before line:N, time:N, event:N, byte:N, pc:ADDR[#K], start (default) or end"

#define ROW_BY_TASK                                                                                \
    OPTION_BY, 0, "by", "task",                                                                    \
        "threads are the tasks of an operating system, not cores; one that waits is shown where "  \
        "it continues"

static const struct option_spec gdb_options[] = {
    {OPTION_GDB, 0, "gdb", "PROGRAM",
     "the GDB to start (default: gdb-multiarch, or one of the machine)"},
    {ROW_AT_BEGINNING},
    {ROW_BY_TASK},
    {0},
};

static const struct option_spec gdbserver_options[] = {
    {OPTION_LISTEN, 0, "listen", "ADDRESS:PORT",
     "serve there, one client after the other (default: standard input and output)"},
    {OPTION_PUBLIC, 0, "public", NULL,
     "allow an address that other machines can reach; the protocol asks nobody who they are"},
    {ROW_AT_BEGINNING},
    {ROW_BY_TASK},
    {0},
};

static const struct option_spec gdb_run_options[] = {
    {ROW_THREADS},
    {ROW_QUIET},
    {0},
};

#define GDB_NEEDS (TRACE_REGISTERS | TRACE_MEMORY | TRACE_ADDRESSES)

const struct command_spec gdb_command = {
    .name = "gdb",
    .option_set = OPTIONS_TRAWL,
    .needs = GDB_NEEDS,
    .describe_input = trace_inputs_describe,
    .summary = "debug a trace with GDB, forwards and backwards",
    .description =
        "Starts GDB on the image, connected to the trace as if the program were running: "
        "breakpoints, watchpoints, steps, source lines, variables and backtraces work in both "
        "directions (reverse-continue, reverse-step, reverse-finish). 'monitor help' lists what "
        "the trace knows besides; 'trawl-goto POS', 'trawl-line N' and 'trawl-writer EXPRESSION' "
        "are commands of GDB.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", gdb_options},
                                            {"names", query_trace_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", query_index_options},
                                            {NULL, gdb_run_options},
                                            {0}},
    .positionals = query_positional,
    .examples = "trawl gdb --image prog.elf run.tarmac\n"
                "trawl gdb --image prog.elf --at pc:main run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec gdbserver_command = {
    .name = "gdbserver",
    .option_set = OPTIONS_TRAWL,
    .needs = GDB_NEEDS,
    .describe_input = trace_inputs_describe,
    .summary = "serve a trace to GDB, as a program that runs in both directions",
    .description =
        "Speaks GDB's remote protocol on standard input and output, for 'target remote | trawl "
        "gdbserver ...', also through ssh; or on a port of this machine. Nothing is executed and "
        "nothing can be changed: to run is to search the index.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", gdbserver_options},
                                            {"names", query_trace_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", query_index_options},
                                            {NULL, gdb_run_options},
                                            {0}},
    .positionals = query_positional,
    .examples =
        "gdb-multiarch prog.elf -ex 'target remote | trawl gdbserver --image prog.elf run.tarmac'\n"
        "trawl gdbserver --listen :3333 --image prog.elf run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
