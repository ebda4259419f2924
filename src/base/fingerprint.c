#include "base/fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#define SAMPLE_BYTES ((uint64_t)FINGERPRINT_PAGES * FINGERPRINT_PAGE_BYTES)

_Static_assert(SAMPLE_BYTES <= FINGERPRINT_BLOCK_BYTES, "a sample fits in the buffer");

// Reads a file with pread instead of a mapping: if the file is truncated, a read is short, and
// there is no signal.
struct reader {
    int fd;
    const char *path;
    uint64_t size_bytes, mtime_ns;
    char *buffer; // of FINGERPRINT_BLOCK_BYTES
    size_t used_bytes;
};

static enum status look(int fd, const char *path, uint64_t *size_bytes, uint64_t *mtime_ns,
                        struct error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return error_set_errno(err, path, "stat");
    if (!S_ISREG(info.st_mode))
        return error_set(err, STATUS_INPUT, "%s: is not a regular file", path);
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
    reader->buffer = malloc(FINGERPRINT_BLOCK_BYTES);
    return reader->buffer ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", path);
}

// Appends a range of the file to the buffer.
static enum status read_range(struct reader *reader, uint64_t offset, uint64_t size_bytes,
                              struct error *err)
{
    while (size_bytes) {
        ssize_t got = pread(reader->fd, reader->buffer + reader->used_bytes, (size_t)size_bytes,
                            (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, reader->path, "read");
        if (got == 0)
            return changed(reader, err);
        reader->used_bytes += (size_t)got;
        offset += (uint64_t)got;
        size_bytes -= (uint64_t)got;
    }
    return STATUS_OK;
}

// Frees the reader. Returns `status`, or an error if the file has changed meanwhile.
static enum status end(struct reader *reader, enum status status, struct error *err)
{
    uint64_t size_bytes, mtime_ns;
    if (status == STATUS_OK)
        status = look(reader->fd, reader->path, &size_bytes, &mtime_ns, err);
    if (status == STATUS_OK && (size_bytes != reader->size_bytes || mtime_ns != reader->mtime_ns))
        status = changed(reader, err);
    free(reader->buffer);
    return status;
}

// The position of sampled page `page`. The last one ends with the file; the others begin at a page
// of the file, so that each needs only one page of the disk.
static uint64_t page_offset(uint64_t size_bytes, uint64_t page)
{
    uint64_t last = size_bytes - FINGERPRINT_PAGE_BYTES;
    if (page == FINGERPRINT_PAGES - 1)
        return last;
    unsigned __int128 offset = (unsigned __int128)last * page / (FINGERPRINT_PAGES - 1);
    return (uint64_t)offset / FINGERPRINT_PAGE_BYTES * FINGERPRINT_PAGE_BYTES;
}

static enum status read_sample(struct reader *reader, struct error *err)
{
    uint64_t size_bytes = reader->size_bytes;
    if (size_bytes <= SAMPLE_BYTES)
        return read_range(reader, 0, size_bytes, err);
    // Fetches all pages from the disk at the same time instead of one by one.
    for (uint64_t page = 0; page < FINGERPRINT_PAGES; page++)
        posix_fadvise(reader->fd, (off_t)page_offset(size_bytes, page), FINGERPRINT_PAGE_BYTES,
                      POSIX_FADV_WILLNEED);
    enum status status = STATUS_OK;
    for (uint64_t page = 0; page < FINGERPRINT_PAGES && status == STATUS_OK; page++)
        status = read_range(reader, page_offset(size_bytes, page), FINGERPRINT_PAGE_BYTES, err);
    return status;
}

static struct hash128 hash_of(const struct reader *reader)
{
    XXH128_hash_t digest = XXH3_128bits(reader->buffer, reader->used_bytes);
    return (struct hash128){digest.low64, digest.high64};
}

enum status fingerprint_sample(struct hash128 *sample, int fd, uint64_t size_bytes,
                               const char *path, struct error *err)
{
    struct reader reader = {.fd = fd, .path = path, .size_bytes = size_bytes};
    reader.buffer = malloc(SAMPLE_BYTES);
    if (!reader.buffer)
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    enum status status = read_sample(&reader, err);
    if (status == STATUS_OK)
        *sample = hash_of(&reader);
    free(reader.buffer);
    return status;
}

enum status fingerprint_check_sample(const struct hash128 *sample, int fd, uint64_t size_bytes,
                                     const char *path, bool *is_same, struct error *err)
{
    struct hash128 now;
    enum status status = fingerprint_sample(&now, fd, size_bytes, path, err);
    *is_same = status == STATUS_OK && hash128_equals(now, *sample);
    return status == STATUS_MEMORY ? status : STATUS_OK;
}

enum status fingerprint_take(struct fingerprint *fingerprint, int fd, const char *path,
                             struct error *err)
{
    struct reader reader;
    enum status status = begin(&reader, fd, path, err);
    if (status == STATUS_OK)
        status = read_sample(&reader, err);
    if (status == STATUS_OK)
        fingerprint->sample = hash_of(&reader);
    fingerprint->size_bytes = reader.size_bytes;
    fingerprint->mtime_ns = reader.mtime_ns;
    return end(&reader, status, err);
}

struct fingerprint fingerprint_join(const struct fingerprint *each, size_t count)
{
    struct fingerprint all = {0};
    for (size_t i = 0; i < count; i++) {
        all.size_bytes += each[i].size_bytes;
        all.mtime_ns = each[i].mtime_ns > all.mtime_ns ? each[i].mtime_ns : all.mtime_ns;
    }
    XXH128_hash_t digest = XXH3_128bits(each, count * sizeof *each);
    all.sample = (struct hash128){digest.low64, digest.high64};
    return all;
}

uint64_t fingerprint_block_count(uint64_t size_bytes)
{
    return size_bytes / FINGERPRINT_BLOCK_BYTES + (size_bytes % FINGERPRINT_BLOCK_BYTES != 0);
}

uint64_t fingerprint_block(const void *bytes, size_t size_bytes)
{
    return XXH3_64bits(bytes, size_bytes);
}

enum status fingerprint_each_block(int fd, const char *path, fingerprint_block_function *take,
                                   void *self, struct error *err)
{
    struct reader reader;
    enum status status = begin(&reader, fd, path, err);
    uint64_t count = status == STATUS_OK ? fingerprint_block_count(reader.size_bytes) : 0;
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        uint64_t offset = i * FINGERPRINT_BLOCK_BYTES;
        reader.used_bytes = 0;
        status = read_range(&reader, offset,
                            u64_min(reader.size_bytes - offset, FINGERPRINT_BLOCK_BYTES), err);
        if (status == STATUS_OK)
            status = take(self, i, fingerprint_block(reader.buffer, reader.used_bytes), err);
    }
    return end(&reader, status, err);
}

enum fingerprint_match fingerprint_compare(const struct fingerprint *kept,
                                           const struct fingerprint *now)
{
    if (kept->size_bytes != now->size_bytes || !hash128_equals(kept->sample, now->sample))
        return FINGERPRINT_OTHER;
    return kept->mtime_ns == now->mtime_ns ? FINGERPRINT_SAME : FINGERPRINT_TOUCHED;
}
