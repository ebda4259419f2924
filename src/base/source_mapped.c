// A source that is one file, mapped: its bytes are the text. Chunks are parts of the mapping, so
// the text is never copied, any part can be read at any time, and a page that was used can be given
// up without being written anywhere. This is the usual and fastest kind.
//
// A mapping costs a page fault for each page, and by default the kernel fetches what is touched in
// small steps for which the reader waits. So the text is fetched far ahead of the reader, workers
// populate the pages of a chunk with one call before they read it, and release them after it, so
// that a trace of any size takes little memory.
//
// Others may write the file meanwhile. What counts is what it contained when it was opened, up to
// the end of its last line; if it is followed, what its last line end was at the last look
// (base/map.h has what happens if it is truncated).
#include "base/file_stamp.h"
#include "base/source.h"
#include "base/source_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct mapped {
    struct file_source file;
    uint64_t fetched_up_to; // by fetch_ahead
    bool is_stdin;
};

// --- One file ------------------------------------------------------------------------------------

size_t file_source_count(const struct source *source)
{
    (void)source;
    return 1;
}

struct source_file file_source_file(const struct source *source, size_t number)
{
    const struct map *map = file_source_map(source);
    (void)number;
    return (struct source_file){.path = source->path,
                                .packed_by = source->packed_by,
                                .bytes = map->data,
                                .file_bytes = map->size_bytes};
}

int file_source_fd(const struct source *source)
{
    return file_source_map(source)->fd;
}

enum status file_source_fingerprint(struct source *source, struct fingerprint *fingerprint,
                                    struct error *err)
{
    const struct map *map = file_source_map(source);
    *fingerprint = (struct fingerprint){.size_bytes = map->size_bytes, .mtime_ns = map->mtime_ns};
    return fingerprint_sample(&fingerprint->sample, map->fd, map->size_bytes, source->path, err);
}

enum map_change file_source_change(const struct source *source)
{
    return map_change_of(file_source_map(source));
}

static bool has_sample(const struct source *source, uint64_t size_bytes, struct hash128 sample)
{
    const struct map *map = file_source_map(source);
    struct hash128 now;
    struct error err;
    return size_bytes <= map->file_bytes &&
           fingerprint_sample(&now, map->fd, size_bytes, source->path, &err) == STATUS_OK &&
           hash128_equals(now, sample);
}

bool file_source_begins_as_before(const struct source *source)
{
    return has_sample(source, source->fingerprint.size_bytes, source->fingerprint.sample);
}

bool file_source_is_replaced(const struct source *source)
{
    const struct file_stamp now = file_stamp_at(source->path);
    const struct file_stamp mapped = file_stamp_of(file_source_map(source)->fd);
    return !file_stamp_is_none(&now) && !file_stamp_is_same_file(&now, &mapped);
}

// --- Chunks --------------------------------------------------------------------------------------

// How far ahead of its reader a file is fetched from the disk.
#define READ_AHEAD_BYTES (UINT64_C(64) << 20)

// Starts to fetch the next READ_AHEAD_BYTES, unless they seem to be in memory.
static void fetch_ahead(struct source *source)
{
    struct mapped *mapped = (struct mapped *)source;
    const struct map *map = &mapped->file.map;
    uint64_t from = u64_max(source->offset, mapped->fetched_up_to);
    uint64_t to = u64_min(map->size_bytes, source->offset + READ_AHEAD_BYTES);
    if (from >= to)
        return;
    mapped->fetched_up_to = to;
    char byte;
    struct iovec iov = {&byte, 1};
    // Not every musl has preadv2.
    const long got = syscall(SYS_preadv2, map->fd, &iov, 1L, (long)from, 0L, (long)RWF_NOWAIT);
    const bool is_in_memory = got == 1 || errno != EAGAIN;
    if (!is_in_memory)
        posix_fadvise(map->fd, (off_t)from, (off_t)(to - from), POSIX_FADV_WILLNEED);
}

static void rewind_text(struct source *source)
{
    ((struct mapped *)source)->fetched_up_to = 0;
}

// The whole pages inside a chunk. False: there are none.
static bool inner_pages(const struct source_chunk *chunk, void **start, size_t *size_bytes)
{
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)chunk->data + page_bytes - 1) & ~(page_bytes - 1);
    uintptr_t to = ((uintptr_t)chunk->data + chunk->size_bytes) & ~(page_bytes - 1);
    *start = (void *)from;
    *size_bytes = to > from ? to - from : 0;
    return to > from;
}

// A touch maps the page and, by Linux's default, those of the file around it that are in memory.
#define FAULT_AROUND_BYTES ((uintptr_t)64 << 10)

// Maps the pages of a chunk before they are read, when prefetching would pass by what is not
// mapped. MADV_POPULATE_READ, which maps them alike but then looks up each page, takes a sixth
// longer to map and read a file.
static void populate(const struct source_chunk *chunk)
{
    const uintptr_t from = (uintptr_t)chunk->data, to = from + chunk->size_bytes;
    for (uintptr_t at = from; at < to; at = (at | (FAULT_AROUND_BYTES - 1)) + 1)
        (void)*(const volatile char *)at;
}

static void release(const struct source_chunk *chunk)
{
    void *start;
    size_t size_bytes;
    if (inner_pages(chunk, &start, &size_bytes))
        madvise(start, size_bytes, MADV_DONTNEED);
}

// Ends the text after `size_bytes`.
static void cut(struct source *source, uint64_t size_bytes)
{
    struct map *map = &file_source(source)->map;
    map_cut(map, size_bytes);
    source->text.size_bytes = map->size_bytes;
}

// --- A file that others write --------------------------------------------------------------------

static uint64_t end_at_line(struct source *source)
{
    const struct map *map = file_source_map(source);
    bool is_stdin = ((const struct mapped *)source)->is_stdin;
    if (!map->size_bytes || map->data[map->size_bytes - 1] == '\n' || is_stdin ||
        !file_has_writers(map->fd))
        return 0;
    const char *newline = memrchr(map->data, '\n', map->size_bytes);
    cut(source, newline ? (uint64_t)(newline - map->data) + 1 : 0);
    return map->file_bytes - map->size_bytes;
}

static bool has_no_writers(const struct source *source)
{
    return !((const struct mapped *)source)->is_stdin &&
           file_has_no_writers(file_source_map(source)->fd);
}

static bool begins_with(const struct source *source, const struct source_beginning *beginning)
{
    uint64_t size_bytes = beginning->text_bytes;
    return !beginning->files && beginning->file_bytes == size_bytes && size_bytes &&
           size_bytes <= source->text.size_bytes && source->text.bytes[size_bytes - 1] == '\n' &&
           has_sample(source, size_bytes, beginning->sample);
}

static void end_after(struct source *source, const struct source_beginning *beginning)
{
    cut(source, u64_min(beginning->text_bytes, source->text.size_bytes));
}

// --- Following -----------------------------------------------------------------------------------

static bool is_possible(const struct source *source)
{
    (void)source;
    return true;
}

// Shows the whole lines of the file.
static void show_lines(struct source *source)
{
    const struct map *map = file_source_map(source);
    const char *newline = map->data ? memrchr(map->data + source->offset, '\n',
                                              (size_t)(map->file_bytes - source->offset))
                                    : NULL;
    source->text.bytes = map->data;
    source->text.size_bytes =
        newline ? (uint64_t)(newline - map->data) + 1 : u64_min(source->offset, map->file_bytes);
}

static bool settle(struct source *source)
{
    (void)source; // nothing is read ahead
    return true;
}

static bool has_unread(struct source *source)
{
    return source->text.size_bytes > source->offset;
}

static enum status was_changed(struct error *err)
{
    return error_set(err, STATUS_INPUT, "was truncated or rewritten");
}

static enum status grow(struct source *source, struct error *err)
{
    struct map *map = &file_source(source)->map;
    bool is_intact;
    enum map_change change = map_change_of(map);
    if (change == MAP_CHANGED || file_source_is_replaced(source))
        return was_changed(err);
    if (change == MAP_SAME)
        return STATUS_OK;
    enum status status = map_grow(map, source->path, &is_intact, err);
    if (status != STATUS_OK || !is_intact)
        return status == STATUS_OK ? was_changed(err) : status;
    show_lines(source);
    return STATUS_OK;
}

static enum status keep_progress(struct source *source, struct error *err)
{
    const struct map *map = file_source_map(source);
    struct fingerprint now = {.size_bytes =
                                  source->is_followed ? source->offset : source->text.size_bytes,
                              .mtime_ns = map->mtime_ns};
    const struct fingerprint *before = &source->fingerprint;
    bool is_same = true;
    enum status status = STATUS_OK;
    if (source->has_fingerprint && before->size_bytes > map->file_bytes)
        return was_changed(err);
    if (source->has_fingerprint)
        status = fingerprint_check_sample(&before->sample, map->fd, before->size_bytes,
                                          source->path, &is_same, err);
    if (status != STATUS_OK)
        return status;
    if (!is_same)
        return was_changed(err);
    status = fingerprint_sample(&now.sample, map->fd, now.size_bytes, source->path, err);
    if (status != STATUS_OK)
        return status;
    source->fingerprint = now;
    source->has_fingerprint = true;
    return STATUS_OK;
}

static void end_here(struct source *source, bool takes_rest)
{
    source->text.size_bytes = takes_rest ? file_source_map(source)->file_bytes : source->offset;
}

static uint64_t file_read_bytes(const struct source *source, size_t number)
{
    (void)number;
    return source->is_followed ? source->offset : source->text.size_bytes;
}

static void close_mapped(struct source *source)
{
    map_close(&file_source(source)->map);
}

static const struct source_following following = {
    .is_possible = is_possible,
    .begin = show_lines,
    .settle = settle,
    .has_unread = has_unread,
    .grow = grow,
    .keep_progress = keep_progress,
    .end_here = end_here,
};

static const struct source_kind mapped_kind = {
    .is_file = true,
    .rewind = rewind_text,
    .close = close_mapped,
    .will_read = fetch_ahead,
    .populate = populate,
    .release = release,
    .cut = cut,
    .file_count = file_source_count,
    .file = file_source_file,
    .fd = file_source_fd,
    .fingerprint = file_source_fingerprint,
    .change = file_source_change,
    .begins_as_before = file_source_begins_as_before,
    .is_replaced = file_source_is_replaced,
    .has_no_writers = has_no_writers,
    .end_at_line = end_at_line,
    .begins_with = begins_with,
    .end_after = end_after,
    .following = &following,
    .file_read_bytes = file_read_bytes,
};

enum status source_mapped_open(struct source **out, const char *path, struct map *map,
                               bool is_stdin, struct error *err)
{
    struct source *source = source_make(&mapped_kind, sizeof(struct mapped), path, err);
    if (!source) {
        map_close(map);
        return STATUS_MEMORY;
    }
    file_source(source)->map = *map;
    ((struct mapped *)source)->is_stdin = is_stdin;
    source->text = (struct source_text){map->data, map->size_bytes, true};
    *out = source;
    return STATUS_OK;
}
