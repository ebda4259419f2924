// mcp: traces for agents (src/mcp).
#include "base/vec.h"
#include "base/version.h"
#include "cli/diag.h"
#include "cli/options.h"
#include "cmd/commands.h"
#include "cmd/system.h"
#include "mcp/server.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPTION_MCP_IMAGE = 1, OPTION_MCP_MEMORY_INDEX };

struct mcp {
    VEC(, const char *) traces;
    VEC(, const char *) images;
    bool is_memory_index;
};

static bool take(struct mcp *mcp, int option, const char *value)
{
    if (option == OPTION_MCP_IMAGE) {
        if (!VEC_ROOM(&mcp->images, 1))
            return false;
        mcp->images.items[mcp->images.count++] = value;
        return true;
    }
    if (option == OPTION_MCP_MEMORY_INDEX) {
        mcp->is_memory_index = true;
        return true;
    }
    if (!VEC_ROOM(&mcp->traces, 1))
        return false;
    mcp->traces.items[mcp->traces.count++] = value;
    return true;
}

static enum exit_status serve(const struct mcp *mcp)
{
    char own[PATH_MAX];
    struct diag diag;
    struct error err;
    diag_begin(&diag, stderr, NULL);
    if (program_own_path(own, &err) != STATUS_OK)
        return diag_error(&diag, &err);
    for (size_t i = 0; i < mcp->traces.count; i++) {
        // A typing error should not wait for the first question.
        if (access(mcp->traces.items[i], R_OK) != 0) {
            error_set_errno(&err, mcp->traces.items[i], "open");
            return diag_error(&diag, &err);
        }
    }
    const struct mcp_plan plan = {.program = own,
                                  .version = TRAWL_VERSION,
                                  .traces = mcp->traces.items,
                                  .trace_count = mcp->traces.count,
                                  .images = mcp->images.items,
                                  .image_count = mcp->images.count,
                                  .is_memory_index = mcp->is_memory_index,
                                  .in = STDIN_FILENO,
                                  .out = STDOUT_FILENO};
    signal(SIGPIPE, SIG_IGN); // who asks may go
    unsetenv("COLUMNS");      // it is not who reads the tables
    return mcp_serve(&plan, &err) == STATUS_OK ? EXIT_STATUS_DONE : diag_error(&diag, &err);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct mcp mcp = {0};
    struct options_parser parser;
    struct option_match match;
    enum exit_status status = EXIT_STATUS_DONE;
    int option = OPTION_STOP;
    options_begin(&parser, self, argc, argv);
    while (status == EXIT_STATUS_DONE && (option = options_next(&parser, &match)) != OPTION_END) {
        if (option != OPTION_STOP && !take(&mcp, option, match.value))
            option = options_no_memory(&parser);
        if (option == OPTION_STOP)
            break;
    }
    status = option == OPTION_END ? serve(&mcp) : parser.status;
    free(mcp.traces.items);
    free(mcp.images.items);
    return status;
}

static const struct option_spec options[] = {
    {OPTION_MCP_IMAGE, 0, "image", "FILE[@OFFSET]",
     "ELF file with the symbols of the program, moved by OFFSET; may be given several times"},
    {OPTION_MCP_MEMORY_INDEX, 0, "memory-index", NULL,
     "write nothing: each question builds what it needs in memory, which takes time"},
    {0},
};

const struct command_spec mcp_command = {
    .name = "mcp",
    .option_set = OPTIONS_TRAWL,
    .summary = "answer the questions of an agent about traces",
    .description =
        "A server of the Model Context Protocol on standard input and output, which agents start "
        "themselves. Its tools are read-only: overview, profile, stack, state, who_wrote, "
        "who_read, origin, reaches, check, calls, visits, call_times, find, show, search, "
        "annotate and, with several traces, diff. Each answer has at most 4 KB and says what it "
        "leaves out. Nothing is written but the index next to a trace, as by other commands, and "
        "nothing is sent anywhere.",
    .groups = (const struct option_group[]){{"options", options}, {0}},
    .positionals =
        (const struct positional_spec[]){{"TRACE", "trace, or log, to answer questions about",
                                          "trace file name is missing", false, true},
                                         {0}},
    .examples = "trawl mcp --image prog.elf run.tarmac\n"
                "trawl mcp good.tarmac bad.tarmac\n",
    .run = run,
};
