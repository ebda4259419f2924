#include "base/fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#define SAMPLE_BYTES ((uint64_t)FINGERPRINT_PAGES * FINGERPRINT_PAGE_BYTES)

// Reads a file with pread instead of a mapping: if the file is truncated, a read is short, and
// there is no signal.
struct reader {
    int fd;
    const char *path;
    uint64_t size_bytes, mtime_ns;
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
    return look(fd, path, &reader->size_bytes, &reader->mtime_ns, err);
}

static enum status read_range(const struct reader *reader, char *bytes, uint64_t offset,
                              uint64_t size_bytes, struct error *err)
{
    while (size_bytes) {
        ssize_t got = pread(reader->fd, bytes, (size_t)size_bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, reader->path, "read");
        if (got == 0)
            return changed(reader, err);
        bytes += got;
        offset += (uint64_t)got;
        size_bytes -= (uint64_t)got;
    }
    return STATUS_OK;
}

// Returns `status`, or an error if the file has changed meanwhile.
static enum status end(const struct reader *reader, enum status status, struct error *err)
{
    uint64_t size_bytes, mtime_ns;
    if (status == STATUS_OK)
        status = look(reader->fd, reader->path, &size_bytes, &mtime_ns, err);
    if (status == STATUS_OK && (size_bytes != reader->size_bytes || mtime_ns != reader->mtime_ns))
        status = changed(reader, err);
    return status;
}

// The position of sampled page `page`. The last one ends with the file; the others begin at a page
// of the file, so that each needs only one page of the disk.
static uint64_t page_offset(uint64_t size_bytes, uint64_t page)
{
    if (size_bytes <= SAMPLE_BYTES)
        return u64_min(page * FINGERPRINT_PAGE_BYTES, size_bytes);
    uint64_t last = size_bytes - FINGERPRINT_PAGE_BYTES;
    if (page == FINGERPRINT_PAGES - 1)
        return last;
    unsigned __int128 offset = (unsigned __int128)last * page / (FINGERPRINT_PAGES - 1);
    return (uint64_t)offset / FINGERPRINT_PAGE_BYTES * FINGERPRINT_PAGE_BYTES;
}

// Hashes one page after the other: all of them in one piece would be memory that the kernel has to
// clear, a fifteenth of the page faults of an index of 1 MB.
static enum status take_sample(const struct reader *reader, struct hash128 *sample,
                               struct error *err)
{
    const uint64_t size_bytes = reader->size_bytes;
    char bytes[FINGERPRINT_PAGE_BYTES];
    XXH3_state_t *hash = XXH3_createState();
    enum status status = STATUS_OK;
    if (!hash)
        return error_set(err, STATUS_MEMORY, "%s: no memory", reader->path);
    XXH3_128bits_reset(hash);
    // Fetches all pages from the disk at the same time instead of one by one.
    for (uint64_t page = 0; page < FINGERPRINT_PAGES && size_bytes > SAMPLE_BYTES; page++)
        posix_fadvise(reader->fd, (off_t)page_offset(size_bytes, page), FINGERPRINT_PAGE_BYTES,
                      POSIX_FADV_WILLNEED);
    for (uint64_t page = 0; page < FINGERPRINT_PAGES && status == STATUS_OK; page++) {
        const uint64_t offset = page_offset(size_bytes, page);
        const uint64_t length = u64_min(size_bytes - offset, FINGERPRINT_PAGE_BYTES);
        status = read_range(reader, bytes, offset, length, err);
        if (status == STATUS_OK)
            XXH3_128bits_update(hash, bytes, (size_t)length);
    }
    const XXH128_hash_t digest = XXH3_128bits_digest(hash);
    XXH3_freeState(hash);
    *sample = (struct hash128){digest.low64, digest.high64};
    return status;
}

enum status fingerprint_sample(struct hash128 *sample, int fd, uint64_t size_bytes,
                               const char *path, struct error *err)
{
    const struct reader reader = {.fd = fd, .path = path, .size_bytes = size_bytes};
    return take_sample(&reader, sample, err);
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
        status = take_sample(&reader, &fingerprint->sample, err);
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
    struct reader reader = {0};
    char *bytes = malloc(FINGERPRINT_BLOCK_BYTES);
    enum status status = bytes ? begin(&reader, fd, path, err)
                               : error_set(err, STATUS_MEMORY, "%s: no memory", path);
    uint64_t count = status == STATUS_OK ? fingerprint_block_count(reader.size_bytes) : 0;
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        const uint64_t offset = i * FINGERPRINT_BLOCK_BYTES;
        const uint64_t length = u64_min(reader.size_bytes - offset, FINGERPRINT_BLOCK_BYTES);
        status = read_range(&reader, bytes, offset, length, err);
        if (status == STATUS_OK)
            status = take(self, i, fingerprint_block(bytes, (size_t)length), err);
    }
    free(bytes);
    return end(&reader, status, err);
}

enum fingerprint_match fingerprint_compare(const struct fingerprint *kept,
                                           const struct fingerprint *now)
{
    if (kept->size_bytes != now->size_bytes || !hash128_equals(kept->sample, now->sample))
        return FINGERPRINT_OTHER;
    return kept->mtime_ns == now->mtime_ns ? FINGERPRINT_SAME : FINGERPRINT_TOUCHED;
}
