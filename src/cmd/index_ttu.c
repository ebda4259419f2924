#include "cmd/driver.h"
#include "cmd/index.h"

#include "cmd/system.h"
#include "cmd/trace_listener.h"
#include "compat/ttu/ttu_index.h"

#include <inttypes.h>
#include <stdlib.h>

// What an index of the Tarmac Trace Utilities contains.
#define ABILITIES                                                                                  \
    (TRACE_CALLS | TRACE_REGISTERS | TRACE_MEMORY | TRACE_INSTRUCTIONS | TRACE_LINES | TRACE_TTU)

struct writing {
    const struct pass_observer *observer; // to which messages are passed on
    struct ttu_index *index;
    bool has_partial; // the last line is ignored: it cannot be read, and has no newline
    uint64_t partial_line, partial_offset;
};

static bool on_fault(void *self, const struct line_fault *fault)
{
    struct writing *writing = self;
    if (fault->is_partial && !fault->is_kept) {
        writing->has_partial = true;
        writing->partial_line = fault->line;
        writing->partial_offset = fault->offset;
    }
    return !writing->observer->fault || writing->observer->fault(writing->observer->self, fault);
}

static void on_note(void *self, const struct line_note_report *note)
{
    const struct writing *writing = self;
    if (writing->observer->note)
        writing->observer->note(writing->observer->self, note);
}

static void on_advanced(void *self, const struct source_chunk *chunk)
{
    const struct writing *writing = self;
    if (writing->observer->advanced)
        writing->observer->advanced(writing->observer->self, chunk);
}

static enum status run_pass(void *self, struct trace *trace, const struct pass_options *options,
                            const struct pass_observer *observer, struct pass_result *result,
                            struct error *err)
{
    struct writing *writing = self;
    const struct pass_observer own = {
        .self = writing, .note = on_note, .fault = on_fault, .advanced = on_advanced};
    writing->observer = observer;
    return trace->kind->run(trace, options, &own, result, err);
}

// Requests their reading, under any name of the program.
static struct pass_request request_of(struct command *command, struct writing *writing)
{
    const struct call_consumer calls = ttu_index_calls(writing->index);
    struct pass_request request = session_calls(&command->session, &calls, NULL);
    request.self = writing;
    request.run = run_pass;
    request.options.how.reading = READING_TTU;
    request.options.tells_cut_line = true;
    request.options.range = CALL_RANGE_ALL;
    request.options.keep_open_calls = false;
    request.options.wants_tasks = request.options.splits_by_task = false;
    request.options.functions = NULL;
    request.options.segments = ttu_index_segments(writing->index);
    return request;
}

static enum status write_index(struct command *command, struct writing *writing, struct error *err)
{
    struct session *session = &command->session;
    const struct pass_request request = request_of(command, writing);
    enum status status = session_run(session, &request, NULL, err);
    if (status == STATUS_OK && !source_is_intact(session->trace->source))
        return error_set(err, STATUS_INPUT, "%s: the trace was changed while it was read",
                         session->path);
    struct error failure;
    if (status == STATUS_IO && ttu_index_failure(writing->index, &failure) != STATUS_OK)
        *err = failure;
    if (status != STATUS_OK)
        return status;
    const struct pass_result *result = &session->result;
    struct ttu_index_end end = {result->lines, result->bytes};
    if (writing->has_partial)
        end = (struct ttu_index_end){writing->partial_line - 1, writing->partial_offset};
    return ttu_index_end(writing->index, &end, err);
}

static bool can_write(struct command *command, struct error *err)
{
    const struct trace *trace = command->session.trace;
    if (!trace_can(trace, ABILITIES))
        error_set(err, STATUS_INPUT, "%s: is %s, which the Tarmac Trace Utilities cannot index",
                  command->session.path, trace->kind->words.a);
    else if (is_same_file(command->output, command->session.path))
        error_set(err, STATUS_INPUT, "%s: the output would replace the trace", command->output);
    else
        return true;
    return false;
}

static bool write_whole(struct command *command)
{
    const struct session *session = &command->session;
    struct writing writing = {0};
    struct error err;
    enum status result = can_write(command, &err) ? STATUS_OK : STATUS_INPUT;
    if (result != STATUS_OK)
        return command_fail(command, &err);

    const struct pass_options how = session_pass_options(session, NULL, NULL);
    const struct ttu_index_options options = {
        .path = command->output,
        .like = source_fd(session->trace->source),
        .big_endian = how.big_endian,
        .implicit_thumb = session->implicit_thumb,
        .sync = session->index.syncs,
        .threads = session->threads,
    };
    result = ttu_index_begin(&writing.index, &options, &err);
    if (result == STATUS_OK)
        result = write_index(command, &writing, &err);
    bool is_done = command_passed(command, result, &err);
    if (is_done && command->verbose) {
        struct ttu_index_sums sums;
        ttu_index_sum_up(writing.index, &sums);
        fprintf(command->diag.out,
                "trawl: index file %s: %" PRIu64 " bytes, %.3f of the trace; %" PRIu64 " event%s, "
                "%" PRIu64 " version%s of memory, %.2f nodes each\n",
                command->output, sums.bytes,
                (double)sums.bytes / ((double)command->session.result.bytes + 1e-9), sums.events,
                plural(sums.events), sums.versions, plural(sums.versions),
                (double)sums.nodes / ((double)sums.versions + 1e-9));
    }
    ttu_index_free(writing.index);
    return is_done;
}

enum exit_status index_ttu(struct command *common, const char *path)
{
    struct command *command = calloc(1, sizeof *command);
    if (!command) {
        command_fail_with(common, STATUS_MEMORY, "%s: no memory", path);
        return common->status;
    }
    command_begin_one(command, common, path, stderr);
    if (command_open_images(command) && command_ensure_open(command) && write_whole(command))
        command_end(command);
    enum exit_status status = command->status;
    command_free_one(command);
    free(command);
    return status;
}
