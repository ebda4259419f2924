// farm merge: joins the parts made by the tasks of a plan.
#include "cli/diag.h"
#include "cmd/farm/commands.h"
#include "session/index_file.h"
#include "session/merging.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MERGE_TRACE = 1 };

struct merge_run {
    const char *directory;
    uint64_t number; // of a trace; 0: all
    struct farm_plan plan;
    struct diag diag;
};

static enum status join_parts(struct merge_run *run, size_t number, char **parts, struct error *err)
{
    const struct farm_trace *trace = &run->plan.traces.items[number - 1];
    struct merging_options how = {.parts = (const char *const *)parts,
                                  .part_count = trace->shards,
                                  .path = trace->index,
                                  .sync = true};
    enum status status = file_writer_choose(&how.io, err);
    for (uint32_t i = 0; i < trace->shards && status == STATUS_OK; i++) {
        if (!(parts[i] = farm_plan_part(&run->plan, number, i + 1)))
            status = error_set(err, STATUS_MEMORY, "no memory for the parts");
    }
    return status == STATUS_OK ? merging_run(&how, err) : status;
}

static enum status take_fingerprint(const char *path, struct fingerprint *print, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_set(err, STATUS_INPUT, "%s: %s", path, strerror(errno));
    enum status status = fingerprint_take(print, fd, path, err);
    close(fd);
    return status;
}

// Checks that an index fits: it may be older than the last change of the trace. So may all of its
// parts, if no task ran since.
static enum status check_fit(const struct farm_trace *trace, struct error *err)
{
    struct fingerprint print;
    struct index_file file;
    char text[sizeof err->text];
    enum status status = take_fingerprint(trace->path, &print, err);
    if (status != STATUS_OK)
        return status;
    const struct index_wanted wanted = {.trace = trace->path, .fingerprint = &print};
    status = index_file_find(&file, trace->index, &wanted, err);
    if (status == STATUS_OK && file.fit != INDEX_FITS) {
        index_file_describe(&file, trace->path, text, sizeof text);
        status = error_set(err, STATUS_INPUT, "%s: run its tasks again", text);
    }
    index_file_free(&file);
    return status;
}

static enum status merge_trace(struct merge_run *run, size_t number, struct error *err)
{
    const struct farm_trace *trace = &run->plan.traces.items[number - 1];
    if (!trace->shards) { // a single task made the index
        if (access(trace->index, F_OK) == 0)
            return check_fit(trace, err);
        return error_set(err, STATUS_INPUT, "%s: %s: run the task of %s first", trace->index,
                         strerror(errno), trace->path);
    }
    char **parts = calloc(trace->shards, sizeof *parts);
    if (!parts)
        return error_set(err, STATUS_MEMORY, "no memory for the parts");
    enum status status = join_parts(run, number, parts, err);
    for (uint32_t i = 0; i < trace->shards; i++)
        free(parts[i]);
    free(parts);
    return status == STATUS_OK ? check_fit(trace, err) : status;
}

static enum exit_status merge(struct merge_run *run)
{
    struct error err;
    enum exit_status result = EXIT_STATUS_DONE;
    enum status status = farm_plan_read(&run->plan, run->directory, &err);
    if (status == STATUS_OK && run->number > run->plan.traces.count)
        status = error_set(&err, STATUS_NOT_FOUND, "trace %" PRIu64 ": the plan has only %zu",
                           run->number, run->plan.traces.count);
    if (status != STATUS_OK)
        return diag_error(&run->diag, &err);
    for (size_t i = 1; i <= run->plan.traces.count; i++) {
        if ((!run->number || run->number == i) && merge_trace(run, i, &err) != STATUS_OK)
            result = diag_error(&run->diag, &err);
    }
    return result;
}

static bool take_options(struct merge_run *run, struct options_parser *parser)
{
    struct option_match match;
    char *end;
    for (int id; (id = options_next(parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP)
            return false;
        if (id == OPTION_POSITIONAL) {
            run->directory = match.value;
            continue;
        }
        run->number = strtoull(match.value, &end, 10);
        if (*match.value < '0' || *match.value > '9' || *end || !run->number) {
            options_bad_value(parser, &match, "a number from 1");
            return false;
        }
    }
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct merge_run run = {0};
    struct options_parser parser;
    diag_begin(&run.diag, stderr, NULL);
    options_begin(&parser, self, argc, argv);
    enum exit_status status = take_options(&run, &parser) ? merge(&run) : parser.status;
    farm_plan_free(&run.plan);
    return status;
}

static const struct option_spec own_options[] = {
    {MERGE_TRACE, 0, "trace", "N", "only trace N of the plan, from 1 (default: all)"},
    {0},
};

const struct command_spec farm_merge_command = {
    .name = "farm merge",
    .option_set = OPTIONS_TRAWL,
    .summary = "make the indexes, when all tasks of a plan are done",
    .description =
        "Joins the parts that the tasks of the plan in DIR built to the index of each trace, as "
        "'trawl merge' does. Missing parts, and parts of a trace that has changed since, are "
        "listed; the indexes of the other traces are still built. Afterwards you can remove DIR.",
    .groups = (const struct option_group[]){{"options", own_options}, {0}},
    .positionals =
        (const struct positional_spec[]){{"DIR", "directory of the plan", NULL, false, false}, {0}},
    .examples = "trawl farm merge /shared/farm\n",
    .run = run,
};
