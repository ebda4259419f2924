#include "base/fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

// Of a second-level cache, so that the hash reads from there what the copy just put there.
#define READ_BYTES ((size_t)256 << 10)

_Static_assert(READ_BYTES >= FINGERPRINT_PAGE_BYTES, "a page is read at once");

// A file that is read with pread, not mapped: when it is cut, a read is short, and no signal comes.
struct reader {
    int fd;
    const char *path;
    uint64_t size_bytes, mtime_ns;
    XXH3_state_t *state;
    char *buffer;
};

static enum status look(int fd, const char *path, uint64_t *size_bytes, uint64_t *mtime_ns,
                        struct error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return error_set_errno(err, path, "stat");
    if (!S_ISREG(info.st_mode))
        return error_set(err, STATUS_INPUT, "%s: is no regular file", path);
    *size_bytes = (uint64_t)info.st_size;
    *mtime_ns =
        (uint64_t)info.st_mtim.tv_sec * UINT64_C(1000000000) + (uint64_t)info.st_mtim.tv_nsec;
    return STATUS_OK;
}

static enum status changed(const struct reader *reader, struct error *err)
{
    return error_set(err, STATUS_INPUT, "%s: changed while it was read", reader->path);
}

static enum status begin(struct reader *reader, int fd, const char *path, struct error *err)
{
    *reader = (struct reader){.fd = fd, .path = path};
    enum status status = look(fd, path, &reader->size_bytes, &reader->mtime_ns, err);
    if (status != STATUS_OK)
        return status;
    reader->buffer = malloc(READ_BYTES);
    reader->state = XXH3_createState();
    if (reader->buffer && reader->state && XXH3_128bits_reset(reader->state) == XXH_OK)
        return STATUS_OK;
    return error_set(err, STATUS_MEMORY, "%s: no memory", path);
}

static enum status hash_range(struct reader *reader, uint64_t offset, uint64_t size_bytes,
                              struct error *err)
{
    while (size_bytes) {
        ssize_t got = pread(reader->fd, reader->buffer, (size_t)u64_min(size_bytes, READ_BYTES),
                            (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, reader->path, "read");
        if (got == 0)
            return changed(reader, err);
        XXH3_128bits_update(reader->state, reader->buffer, (size_t)got);
        offset += (uint64_t)got;
        size_bytes -= (uint64_t)got;
    }
    return STATUS_OK;
}

// Frees the reader, after `status` of the reading. The hash counts only for a file that did not
// change.
static enum status end(struct reader *reader, enum status status, struct hash128 *hash,
                       struct error *err)
{
    uint64_t size_bytes, mtime_ns;
    if (status == STATUS_OK)
        status = look(reader->fd, reader->path, &size_bytes, &mtime_ns, err);
    if (status == STATUS_OK) {
        XXH128_hash_t digest = XXH3_128bits_digest(reader->state);
        *hash = (struct hash128){digest.low64, digest.high64};
        if (size_bytes != reader->size_bytes || mtime_ns != reader->mtime_ns)
            status = changed(reader, err);
    }
    XXH3_freeState(reader->state);
    free(reader->buffer);
    return status;
}

// Where sampled page number `page` starts. The last one ends with the file; those between start at
// a page of the file, so that each costs one page of the disk.
static uint64_t page_offset(uint64_t size_bytes, uint64_t page)
{
    uint64_t last = size_bytes - FINGERPRINT_PAGE_BYTES;
    if (page == FINGERPRINT_PAGES - 1)
        return last;
    unsigned __int128 offset = (unsigned __int128)last * page / (FINGERPRINT_PAGES - 1);
    return (uint64_t)offset / FINGERPRINT_PAGE_BYTES * FINGERPRINT_PAGE_BYTES;
}

static enum status hash_sample(struct reader *reader, struct error *err)
{
    uint64_t size_bytes = reader->size_bytes;
    if (size_bytes <= (uint64_t)FINGERPRINT_PAGES * FINGERPRINT_PAGE_BYTES)
        return hash_range(reader, 0, size_bytes, err);
    // All at once from a cold disk, instead of one after the other.
    for (uint64_t page = 0; page < FINGERPRINT_PAGES; page++)
        posix_fadvise(reader->fd, (off_t)page_offset(size_bytes, page), FINGERPRINT_PAGE_BYTES,
                      POSIX_FADV_WILLNEED);
    enum status status = STATUS_OK;
    for (uint64_t page = 0; page < FINGERPRINT_PAGES && status == STATUS_OK; page++)
        status = hash_range(reader, page_offset(size_bytes, page), FINGERPRINT_PAGE_BYTES, err);
    return status;
}

enum status fingerprint_take(struct fingerprint *fingerprint, int fd, const char *path,
                             struct error *err)
{
    struct reader reader;
    enum status status = begin(&reader, fd, path, err);
    if (status == STATUS_OK)
        status = hash_sample(&reader, err);
    fingerprint->size_bytes = reader.size_bytes;
    fingerprint->mtime_ns = reader.mtime_ns;
    return end(&reader, status, &fingerprint->sample, err);
}

enum status fingerprint_hash_all(struct hash128 *hash, int fd, const char *path, struct error *err)
{
    struct reader reader;
    enum status status = begin(&reader, fd, path, err);
    if (status == STATUS_OK)
        status = hash_range(&reader, 0, reader.size_bytes, err);
    return end(&reader, status, hash, err);
}

enum fingerprint_match fingerprint_compare(const struct fingerprint *kept,
                                           const struct fingerprint *now)
{
    if (kept->size_bytes != now->size_bytes || !hash128_equals(kept->sample, now->sample))
        return FINGERPRINT_OTHER;
    return kept->mtime_ns == now->mtime_ns ? FINGERPRINT_SAME : FINGERPRINT_TOUCHED;
}
