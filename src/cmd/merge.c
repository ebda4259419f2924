// merge: joins the parts made by 'index --shard' to one index.
#include "session/merging.h"

#include "base/vec.h"
#include "cli/diag.h"
#include "cli/options.h"
#include "cmd/commands.h"

#include <stdlib.h>

enum {
    MERGE_OUTPUT = 1,
    MERGE_NO_SYNC,
};

struct merge {
    VEC(, const char *) parts;
    struct merging_options how;
};

// False: nothing to run, end with parser->status.
static bool take_options(struct merge *merge, struct options_parser *parser)
{
    struct option_match match;
    for (int id; (id = options_next(parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP)
            return false;
        if (id == MERGE_OUTPUT) {
            merge->how.path = match.value;
        } else if (id == MERGE_NO_SYNC) {
            merge->how.sync = false;
        } else if (!VEC_ROOM(&merge->parts, 1)) {
            options_no_memory(parser);
            return false;
        } else {
            merge->parts.items[merge->parts.count++] = match.value;
        }
    }
    if (!merge->how.path)
        options_error(parser, "-o FILE is needed: the index to write");
    return merge->how.path != NULL;
}

static enum exit_status merge_parts(struct merge *merge)
{
    struct diag diag;
    struct error err;
    diag_begin(&diag, stderr, NULL);
    merge->how.parts = merge->parts.items;
    merge->how.part_count = merge->parts.count;
    enum status status = file_writer_choose(&merge->how.io, &err);
    if (status == STATUS_OK)
        status = merging_run(&merge->how, &err);
    return status == STATUS_OK ? EXIT_STATUS_DONE : diag_error(&diag, &err);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct merge merge = {.how = {.sync = true}};
    struct options_parser parser;
    options_begin(&parser, self, argc, argv);
    enum exit_status status = take_options(&merge, &parser) ? merge_parts(&merge) : parser.status;
    free(merge.parts.items);
    return status;
}

static const struct option_spec own_options[] = {
    {MERGE_OUTPUT, 'o', "output", "FILE", "the index to write, usually TRACE.index"},
    {MERGE_NO_SYNC, 0, "no-sync", NULL, "do not wait until the index is on the disk"},
    {0},
};

const struct command_spec merge_command = {
    .name = "merge",
    .option_set = OPTIONS_TRAWL,
    .summary = "join the parts of an index that several machines built",
    .description = "Joins the parts of an index, which 'trawl index --shard' built from the pieces "
                   "of one trace, possibly on different machines. The result is byte-identical to "
                   "an index built from the whole trace. Give every part once, in any order. "
                   "Neither the trace nor its images are read.",
    .groups = (const struct option_group[]){{"options", own_options}, {0}},
    .positionals =
        (const struct positional_spec[]){
            {"PART", "part of an index: FILE of 'trawl index --shard K/N --index FILE'", NULL,
             false, true},
            {0}},
    .examples =
        "for k in 1 2 3 4; do trawl index --shard $k/4 --index run.part$k run.tarmac; done\n"
        "trawl merge run.part* -o run.tarmac.index\n",
    .run = run,
};
