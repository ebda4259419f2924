// Whether a trace is still what its index was made from, down to the last byte.
#include "analysis/trace_check.h"

#include "base/fingerprint.h"
#include "idx/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

struct check {
    const struct index_view *view;
    const char *index_path, *path;
    struct column kept; // hashes of the pieces
    // Pieces that differ: the first that stand side by side, and how many there are.
    uint64_t first, last, count;
};

static enum status find_kept(struct check *check, struct error *err)
{
    struct parts parts;
    bool is_there;
    enum status status =
        index_find_section(check->view->index, SECTION_PIECES, &parts, &is_there, err);
    if (status == STATUS_OK && !is_there)
        return error_set(err, STATUS_NOT_FOUND, "%s: keeps no hashes of a trace",
                         check->index_path);
    if (status == STATUS_OK)
        status = parts_column(&parts, PART_PIECE_HASHES, &check->kept, err);
    uint64_t count = fingerprint_piece_count(check->view->info.file_bytes);
    if (status == STATUS_OK && check->kept.count != count)
        return error_set(err, STATUS_INPUT, "%s: damaged: hashes of the trace", check->index_path);
    return status;
}

static enum status compare_piece(void *self, uint64_t piece, uint64_t hash, struct error *err)
{
    struct check *check = self;
    uint64_t kept;
    if (piece >= check->kept.count) // it grew
        return error_set(err, STATUS_INPUT, "%s: changed while it was read", check->path);
    if (!column_get(&check->kept, piece, &kept))
        return error_set(err, STATUS_INPUT, "%s: damaged: hashes of the trace", check->index_path);
    if (kept == hash)
        return STATUS_OK;
    if (!check->count)
        check->first = check->last = piece;
    else if (check->last + 1 == piece)
        check->last = piece;
    check->count++;
    return STATUS_OK;
}

static enum status tell(const struct check *check, struct error *err)
{
    uint64_t end = (check->last + 1) * FINGERPRINT_PIECE_BYTES;
    bool are_all = check->last - check->first + 1 == check->count;
    if (!check->count)
        return STATUS_OK;
    return error_set(
        err, STATUS_INPUT,
        "%s: is not the trace that %s was made from: bytes %" PRIu64 " to %" PRIu64 " differ%s",
        check->path, check->index_path, check->first * FINGERPRINT_PIECE_BYTES,
        u64_min(end, check->view->info.file_bytes) - 1, are_all ? "" : ", and others after");
}

static enum status check_open(struct check *check, int fd, struct error *err)
{
    struct fingerprint now;
    uint64_t kept_bytes = check->view->info.file_bytes;
    enum status status = fingerprint_take(&now, fd, check->path, err);
    if (status == STATUS_OK && now.size_bytes != kept_bytes)
        return error_set(err, STATUS_INPUT,
                         "%s: has %" PRIu64 " bytes, the trace that %s was made from had %" PRIu64,
                         check->path, now.size_bytes, check->index_path, kept_bytes);
    if (status == STATUS_OK)
        status = find_kept(check, err);
    if (status == STATUS_OK)
        status = fingerprint_each_piece(fd, check->path, compare_piece, check, err);
    return status == STATUS_OK ? tell(check, err) : status;
}

enum status trace_check(const struct index_view *view, const char *index_path, const char *path,
                        struct error *err)
{
    struct check check = {.view = view, .index_path = index_path, .path = path};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set_errno(err, path, "cannot open");
    enum status status = check_open(&check, fd, err);
    close(fd);
    return status;
}
