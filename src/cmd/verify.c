// verify: checks every byte of an index, and that the index belongs to its trace.
#include "base/fingerprint.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "idx/file_role.h"
#include "idx/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct check {
    const struct index_view *view;
    const char *index_path, *path;
    struct column kept;                  // hashes of the blocks
    uint64_t block_count, blocks_before; // of all files, and of those before this one
    uint64_t file_bytes;
    // Blocks of the file that differ: the first run of them, and how many there are in total.
    uint64_t first, last, count;
};

static enum status find_kept(struct check *check, struct error *err)
{
    struct parts parts;
    bool is_there;
    enum status status =
        index_find_section(check->view->index, SECTION_BLOCKS, &parts, &is_there, err);
    if (status == STATUS_OK && !is_there)
        return error_set(err, STATUS_NOT_FOUND, "%s: keeps no hashes of a trace",
                         check->index_path);
    if (status == STATUS_OK)
        status = parts_column(&parts, PART_BLOCK_HASHES, &check->kept, err);
    if (status == STATUS_OK && check->kept.count != check->block_count)
        return error_set(err, STATUS_INPUT, "%s: damaged: hashes of the trace", check->index_path);
    return status;
}

static enum status compare_block(void *self, uint64_t block, uint64_t hash, struct error *err)
{
    struct check *check = self;
    uint64_t kept;
    if (block >= fingerprint_block_count(check->file_bytes)) // the file grew
        return error_set(err, STATUS_INPUT, "%s: changed while it was read", check->path);
    if (!column_get(&check->kept, check->blocks_before + block, &kept))
        return error_set(err, STATUS_INPUT, "%s: damaged: hashes of the trace", check->index_path);
    if (kept == hash)
        return STATUS_OK;
    if (!check->count)
        check->first = check->last = block;
    else if (check->last + 1 == block)
        check->last = block;
    check->count++;
    return STATUS_OK;
}

struct checked_file {
    int fd;
    struct fingerprint now;
};

static enum status open_file(struct check *check, const char *path, struct checked_file *file,
                             struct error *err)
{
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return error_set_errno(err, path, "cannot open");
    enum status status = fingerprint_take(&file->now, file->fd, path, err);
    check->block_count += fingerprint_block_count(file->now.size_bytes);
    check->file_bytes += file->now.size_bytes;
    return status;
}

static enum status check_size(struct check *check, const char *path, size_t count,
                              struct error *err)
{
    uint64_t kept_bytes = check->view->info.file_bytes;
    if (check->file_bytes == kept_bytes)
        return STATUS_OK;
    return error_set(err, STATUS_INPUT,
                     "%s: has %" PRIu64 " bytes%s, the trace that %s was made from had %" PRIu64,
                     path, check->file_bytes, count > 1 ? " with its other files" : "",
                     check->index_path, kept_bytes);
}

static enum status check_file(struct check *check, const char *path,
                              const struct checked_file *file, struct error *err)
{
    check->path = path;
    check->file_bytes = file->now.size_bytes;
    check->count = 0;
    enum status status = fingerprint_each_block(file->fd, path, compare_block, check, err);
    check->blocks_before += fingerprint_block_count(file->now.size_bytes);
    if (status != STATUS_OK)
        return status;
    uint64_t end = (check->last + 1) * FINGERPRINT_BLOCK_BYTES;
    bool are_all = check->last - check->first + 1 == check->count;
    if (!check->count)
        return STATUS_OK;
    return error_set(err, STATUS_INPUT,
                     "%s: is not the trace that %s was made from: bytes %" PRIu64 " to %" PRIu64
                     " differ%s",
                     check->path, check->index_path, check->first * FINGERPRINT_BLOCK_BYTES,
                     u64_min(end, check->file_bytes) - 1, are_all ? "" : ", and others after");
}

// Reads the whole trace, which is the files at `paths`, and compares its blocks with the hashes in
// the index: comparing only its fingerprint misses changes between the sampled pages. STATUS_INPUT:
// it differs; the message says in which bytes. `index_path` is for messages.
static enum status trace_check(const struct index_view *view, const char *index_path,
                               const char *const *paths, size_t count, struct error *err)
{
    struct check check = {.view = view, .index_path = index_path, .path = paths[0]};
    struct checked_file *files = calloc(count, sizeof *files);
    size_t opened = 0;
    enum status status =
        files ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", paths[0]);
    while (opened < count && status == STATUS_OK) {
        status = open_file(&check, paths[opened], &files[opened], err);
        opened++;
    }
    if (status == STATUS_OK)
        status = check_size(&check, paths[0], count, err);
    if (status == STATUS_OK)
        status = find_kept(&check, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = check_file(&check, paths[i], &files[i], err);
    for (size_t i = 0; i < opened; i++) {
        if (files[i].fd >= 0)
            close(files[i].fd);
    }
    free(files);
    return status;
}

static enum status check_trace(const struct session *session, struct error *err)
{
    size_t count;
    const char **paths = session_paths(session, &count);
    enum status status = paths ? trace_check(&session->view, session->view_path, paths, count, err)
                               : error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    free(paths);
    return status;
}

static bool report(void *self)
{
    struct command *command = self;
    const struct session *session = &command->session;
    struct error err;
    struct trawl_error from;
    bool is_alone = session->index.is_path_itself;
    enum status status = index_status(trawl_verify(session->view.index, &from), &from, &err);
    if (status == STATUS_OK && !is_alone)
        status = check_trace(session, &err);
    if (status != STATUS_OK)
        return command_fail(command, &err);
    printf("%s: no damage, %" PRIu64 " bytes%s%s\n", session->view_path,
           session->view.info.index_bytes, is_alone ? "" : "; the index of ",
           is_alone ? "" : session->path);
    return command_done(command);
}

// An index, or the trace of one.
static bool check(void *self, struct options_parser *parser)
{
    struct command *command = self;
    struct session *session = &command->session;
    enum file_role role = file_role_at(session->path);
    struct error err;
    session->index.is_path_itself = role == ROLE_INDEX;
    if (role != ROLE_INDEX && role != ROLE_OTHER) {
        file_role_refuse(session->path, role, ROLE_INDEX, &err);
        parser->status = diag_error(&command->diag, &err);
        return false;
    }
    if (role == ROLE_INDEX && session->index.path) {
        options_error(parser, "--index applies to a trace, but '%s' is an index: leave --index out",
                      session->path);
        return false;
    }
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct command command;
    command_begin(&command, self);
    command.session.index.is_verified = true;
    command.takes_index = command.asks_index = true;
    return command_run(&command, argc, argv,
                       &(struct command_steps){&command, NULL, check, report});
}

static const struct option_spec own_options[] = {
    {OPTION_INDEX, 0, "index", "FILE", "the index (default: TRACE.index)"},
    {ROW_STRIP_PREFIX},
    {0},
};

const struct command_spec verify_command = {
    .name = "verify",
    .option_set = OPTIONS_TRAWL,
    .summary = "check every byte of an index",
    .description = "Reads the whole index and checks it against its checksums. If the trace "
                   "exists, reads that too and checks that the index was built from it. The exit "
                   "status is 0 if no fault is found, otherwise 1.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"the trace in several files", files_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "trace whose index to check, or an index", NULL, false, false}, {0}},
    .examples = "trawl verify run.tarmac\n"
                "trawl verify run.tarmac.index\n",
    .run = run,
};
