#include "base/source.h"

#include "base/concat.h"
#include "base/file_stamp.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/spool.h"
#include "base/unpack/partial.h"
#include "base/unpack/unpack_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// The whole text, if it is in memory.
struct source_text {
    const char *bytes; // NULL: it is not in memory, or is empty
    uint64_t size_bytes;
    bool is_at_hand;
};

struct source {
    char *path;
    bool is_mapped; // the bytes of the file are the text
    struct map map; // of the file
    struct source_text text;
    int pipe_fd;
    // For a compressed file.
    const struct codec *codec; // NULL: it is not compressed
    struct packed packed;
    struct unpack_stream *unpack_stream;
    struct concat *concat;   // of several files; NULL: there is only one
    struct partial *partial; // the text by recorded places; NULL: there are none
    bool is_partial_shown;   // somebody has a view of it
    struct source *first;    // whose views are used; NULL: its own
    unsigned threads;
    uint64_t offset;        // of the next chunk
    uint64_t chunk_ends[2]; // as in source_end_chunks_at
    uint64_t fetched_up_to; // by read_ahead
    bool is_in_line;        // the last chunk ended inside a line that was too long
    bool is_ended;          // for text that is not mapped
    // For text that is not mapped: the text read after the end of the last chunk, with a run-in
    // before it.
    char *carry;
    size_t carry_run_in_bytes, carry_bytes, carry_capacity;
    struct spool spool;             // the whole text, if it was requested
    _Atomic uint64_t spooled_bytes; // the part that other threads may read
    bool is_stdin;
    struct fingerprint fingerprint; // of the file, if it was stored
    bool has_fingerprint;
    uint64_t unfinished_bytes;
    bool is_followed;     // the text may grow
    bool ends_when_asked; // as set by source_end_when_asked
    bool is_cut_short;    // an end was requested
};

// Finds out whether a mapped file is compressed.
static enum status find_codec(struct source *source, struct error *err)
{
    source->packed = (struct packed){(const uint8_t *)source->map.data, source->map.size_bytes};
    source->codec = source->map.data ? codec_of(&source->packed) : NULL;
    if (!source->codec)
        return STATUS_OK;
    source->is_mapped = false;
    source->text = (struct source_text){0};
    source->unpack_stream = unpack_stream_open(source->codec, &source->packed, 1);
    if (source->unpack_stream)
        return STATUS_OK;
    map_close(&source->map);
    return error_set(err, STATUS_MEMORY, "%s: no memory", source->path);
}

static enum status open_file(struct source *source, int fd, enum source_manner manner,
                             struct error *err)
{
    source->is_mapped = true;
    enum status status = map_open(&source->map, fd, source->path, err);
    if (status == STATUS_OK && source->map.data)
        madvise((void *)(uintptr_t)source->map.data, source->map.size_bytes, MADV_SEQUENTIAL);
    source->text = (struct source_text){source->map.data, source->map.size_bytes, true};
    return status == STATUS_OK && manner == SOURCE_AS_MEANT ? find_codec(source, err) : status;
}

static enum status open_fd(struct source *source, int fd, enum source_manner manner,
                           struct error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return error_set_errno(err, source->path, "stat");
    if (S_ISDIR(info.st_mode)) {
        close(fd);
        return error_set(err, STATUS_INPUT, "%s: is a directory", source->path);
    }
    if (S_ISREG(info.st_mode))
        return open_file(source, fd, manner, err);
    source->pipe_fd = fd;
    return STATUS_OK;
}

enum status source_open(struct source **out, const char *path, enum source_manner manner,
                        struct error *err)
{
    struct source *source = calloc(1, sizeof *source);
    if (!source || !(source->path = strdup(path))) {
        free(source);
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    source->pipe_fd = -1;
    bool is_stdin = source->is_stdin = manner == SOURCE_AS_MEANT && strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    enum status status =
        fd < 0 ? error_set_errno(err, path, "open") : open_fd(source, fd, manner, err);
    if (status != STATUS_OK) {
        free(source->path);
        free(source);
        return status;
    }
    *out = source;
    return STATUS_OK;
}

enum status source_open_files(struct source **out, const char *const *paths, size_t count,
                              const struct concat_manner *manner, struct error *err)
{
    struct source *source = calloc(1, sizeof *source);
    if (!source || !(source->path = strdup(paths[0]))) {
        free(source);
        return error_set(err, STATUS_MEMORY, "%s: no memory", paths[0]);
    }
    source->pipe_fd = source->map.fd = -1;
    enum status status = concat_open(&source->concat, paths, count, manner, err);
    if (status == STATUS_OK) {
        source->is_followed = manner->follows && concat_is_plain(source->concat);
        *out = source;
        return STATUS_OK;
    }
    free(source->path);
    free(source);
    return status;
}

void source_set_threads(struct source *source, unsigned threads)
{
    source->threads = threads;
    if (source->unpack_stream)
        unpack_stream_set_threads(source->unpack_stream, threads);
    if (source->concat)
        concat_set_threads(source->concat, threads);
}

uint64_t source_size_bytes(const struct source *source)
{
    return source->text.size_bytes;
}

uint64_t source_text_bytes(const struct source *source)
{
    return source->text.is_at_hand ? source->text.size_bytes
           : source->partial       ? partial_text_bytes(source->partial)
           : source->unpack_stream ? unpack_stream_text_bytes(source->unpack_stream)
           : source->concat        ? concat_text_bytes(source->concat)
                                   : 0;
}

int source_fd(const struct source *source)
{
    return source->concat           ? concat_fd(source->concat)
           : source_is_file(source) ? source->map.fd
                                    : -1;
}

bool source_is_mapped(const struct source *source)
{
    return source->text.is_at_hand;
}

bool source_is_file(const struct source *source)
{
    return source->is_mapped || source_is_made(source);
}

bool source_is_made(const struct source *source)
{
    return source->codec || source->concat;
}

const char *source_packed_by(const struct source *source)
{
    return source->codec ? source->codec->name : NULL;
}

const char *source_bytes(const struct source *source)
{
    return source->text.bytes;
}

const char *source_file_bytes(const struct source *source, uint64_t *size_bytes)
{
    *size_bytes = source_is_file(source) ? source->map.size_bytes : 0;
    return *size_bytes ? source->map.data : NULL;
}

// Restarts text that is made while it is read. There is memory, because it was read before.
static void rewind_made(struct source *source)
{
    if (source->concat)
        concat_rewind(source->concat);
    else
        unpack_stream_rewind(source->unpack_stream);
    source->is_ended = false;
    source->carry_run_in_bytes = source->carry_bytes = 0;
}

void source_rewind(struct source *source)
{
    ASSERT(source_is_file(source) || source->text.is_at_hand);
    if (!source->text.is_at_hand)
        rewind_made(source);
    source->offset = source->fetched_up_to = 0;
    source->is_in_line = false;
}

// Where a chunk of [data, data + available) ends: after the first newline at or after the target.
// SIZE_MAX: more bytes are needed. *is_in_line: the line is too long to reach its end.
static size_t chunk_end(const char *data, size_t available, size_t target_bytes, bool is_all,
                        bool *is_in_line)
{
    *is_in_line = false;
    if (available <= target_bytes)
        return is_all ? available : SIZE_MAX;
    size_t from = target_bytes - 1;
    size_t window = (size_t)u64_min(available - from, LIMIT_LINE_BYTES + 1);
    const char *newline = memchr(data + from, '\n', window);
    if (newline)
        return (size_t)(newline - data) + 1;
    if (window <= LIMIT_LINE_BYTES)
        return is_all ? available : SIZE_MAX;
    *is_in_line = true;
    return from + window;
}

// How far ahead of its reader a file is fetched from the disk. By default, the kernel fetches what
// a mapping touches in small steps, and the reader waits for each.
#define READ_AHEAD_BYTES (UINT64_C(64) << 20)

// Starts to fetch the next READ_AHEAD_BYTES, unless they seem to be in memory.
static void read_ahead(struct source *source)
{
    uint64_t from = u64_max(source->offset, source->fetched_up_to);
    uint64_t to = u64_min(source->map.size_bytes, source->offset + READ_AHEAD_BYTES);
    if (from >= to)
        return;
    source->fetched_up_to = to;
    char byte;
    struct iovec iov = {&byte, 1};
    bool is_in_memory =
        preadv2(source->map.fd, &iov, 1, (off_t)from, RWF_NOWAIT) == 1 || errno != EAGAIN;
    if (!is_in_memory)
        posix_fadvise(source->map.fd, (off_t)from, (off_t)(to - from), POSIX_FADV_WILLNEED);
}

static void next_mapped(struct source *source, size_t target_bytes, struct source_chunk *chunk)
{
    uint64_t left = source->text.size_bytes - source->offset;
    *chunk = (struct source_chunk){.data = "", .offset = source->offset};
    chunk->is_last = !source->is_followed;
    chunk->starts_in_line = source->is_in_line;
    if (left == 0)
        return;
    if (source->is_mapped)
        read_ahead(source);
    chunk->data = source->text.bytes + source->offset;
    chunk->run_in_bytes = (size_t)u64_min(source->offset, SOURCE_RUN_IN_BYTES);
    chunk->size_bytes = chunk_end(chunk->data, left, target_bytes, true, &source->is_in_line);
    source->offset += chunk->size_bytes;
    chunk->is_last = chunk->size_bytes == left && !source->is_followed;
}

static bool buffer_reserve(char **bytes, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity)
        return true;
    char *grown = realloc(*bytes, wanted);
    if (!grown)
        return false;
    *bytes = grown;
    *capacity = wanted;
    return true;
}

static enum status fill_made(struct source *source, char *bytes, size_t *have, size_t wanted,
                             struct error *err)
{
    struct error cause;
    if (source->concat) {
        enum status status = concat_read(source->concat, bytes, wanted, have, err);
        source->is_ended = status == STATUS_OK && *have < wanted;
        return status;
    }
    if (unpack_stream_read(source->unpack_stream, bytes, wanted, have, &cause) != STATUS_OK)
        return error_set(err, cause.status, "%s: %s", source->path, cause.text);
    source->is_ended = *have < wanted;
    return STATUS_OK;
}

// Waits until a pipe has more, or has ended. False: an end was requested first.
static bool wait_for_more(struct source *source)
{
    struct pollfd waited[] = {{.fd = source->pipe_fd, .events = POLLIN},
                              {.fd = interrupt_fd(), .events = POLLIN}};
    if (!source->ends_when_asked)
        return true;
    while (poll(waited, ARRAY_COUNT(waited), -1) < 0 && errno == EINTR)
        continue;
    source->is_cut_short = interrupt_is_asked();
    return !source->is_cut_short;
}

// Reads until the buffer has `wanted` bytes, or the text ends.
static enum status fill(struct source *source, char *bytes, size_t *have, size_t wanted,
                        struct error *err)
{
    if (source_is_made(source))
        return *have < wanted && !source->is_ended ? fill_made(source, bytes, have, wanted, err)
                                                   : STATUS_OK;
    while (*have < wanted && !source->is_ended) {
        if (!wait_for_more(source)) {
            source->is_ended = true;
            break;
        }
        ssize_t got = read(source->pipe_fd, bytes + *have, wanted - *have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, source->path, "read");
        source->is_ended = got == 0;
        *have += (size_t)got;
    }
    return STATUS_OK;
}

enum status source_peek(struct source *source, void *bytes, size_t size_bytes, size_t *have,
                        struct error *err)
{
    enum status status = STATUS_OK;
    ASSERT(source->offset == 0);
    if (source->text.is_at_hand) {
        *have = (size_t)u64_min(size_bytes, source->text.size_bytes);
    } else {
        if (!buffer_reserve(&source->carry, &source->carry_capacity, size_bytes))
            return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
        status = fill(source, source->carry, &source->carry_bytes, size_bytes, err);
        *have = (size_t)u64_min(size_bytes, source->carry_bytes);
    }
    if (*have)
        memcpy(bytes, source->text.is_at_hand ? source->text.bytes : source->carry, *have);
    return status;
}

#define READ_BYTES ((size_t)1 << 20)

static enum status read_pipe(struct source *source, struct error *err)
{
    struct spool *spool = &source->spool;
    size_t have = source->carry_bytes; // in this round
    char *at = spool_reserve(spool, READ_BYTES + have);
    if (at && have)
        memcpy(at, source->carry, have);
    while (at) {
        enum status status = fill(source, at, &have, READ_BYTES, err);
        spool->used_bytes += have;
        atomic_store(&source->spooled_bytes, spool->used_bytes);
        if (status != STATUS_OK || source->is_ended)
            return status;
        have = 0;
        at = spool_reserve(spool, READ_BYTES);
    }
    return error_set_errno(err, source->path, "no room for the trace");
}

enum status source_read_all(struct source *source, const char **bytes, uint64_t *size_bytes,
                            struct error *err)
{
    enum status status = STATUS_OK;
    ASSERT(source->offset == 0);
    if (!source->text.is_at_hand) {
        status = read_pipe(source, err);
        source->text = (struct source_text){source->spool.base, source->spool.used_bytes, true};
    }
    *bytes = source->text.bytes;
    *size_bytes = source->text.size_bytes;
    return status;
}

static void keep_restarts(struct source *source)
{
    if (source->unpack_stream)
        unpack_stream_keep_restarts(source->unpack_stream);
    if (source->concat)
        concat_keep_restarts(source->concat);
}

enum status source_lay_out(struct source *source, struct error *err)
{
    const char *bytes;
    uint64_t size_bytes;
    if (source->text.is_at_hand || !source_is_made(source))
        return STATUS_OK;
    source_rewind(source);
    if (source->partial) { // the whole text, by recorded places
        size_bytes = partial_text_bytes(source->partial);
        if (!partial_want(source->partial, 0, size_bytes))
            return partial_status(source->partial, err);
        source->text = (struct source_text){partial_text(source->partial), size_bytes, true};
        return STATUS_OK;
    }
    keep_restarts(source);        // for an index that may be made of it
    source->spool.used_bytes = 0; // discards the result of a failed attempt
    return source_read_all(source, &bytes, &size_bytes, err);
}

// --- Views ---------------------------------------------------------------------------------------

void source_keep_restarts(struct source *source)
{
    if (!source_is_made(source) || source->text.is_at_hand)
        return;
    ASSERT(source->offset == 0);
    source_rewind(source); // the first bytes may have been read already
    keep_restarts(source);
}

const struct restarts *source_restarts(const struct source *source)
{
    const struct restarts *restarts = source->unpack_stream
                                          ? unpack_stream_restarts(source->unpack_stream)
                                      : source->concat ? concat_restarts(source->concat)
                                                       : NULL;
    return restarts && (source->concat || restarts->items.count > 1) ? restarts : NULL;
}

void source_use_restarts(struct source *source, struct restarts *restarts)
{
    const struct packed_file file = {source->path, source->codec, &source->packed};
    if (source->concat && !source->partial)
        source->partial = concat_use_restarts(source->concat, restarts);
    else if (source->codec && !source->partial && restarts_may_be_of(restarts, &file, 1))
        source->partial = partial_open(&file, 1, restarts, source->threads);
    restarts_free(restarts);
}

void source_share_view(struct source *source, struct source *first)
{
    source->first = first;
}

static const struct source *viewed(const struct source *source)
{
    return source->first ? source->first : source;
}

static enum status open_view(struct source *source, struct source_view *view, struct error *err)
{
    *view = (struct source_view){0};
    if (!source->text.is_at_hand && source->partial)
        view->bytes = partial_text(source->partial);
    if (view->bytes) {
        view->size_bytes = partial_text_bytes(source->partial);
        source->is_partial_shown = true;
        return STATUS_OK;
    }
    enum status status = source_lay_out(source, err);
    if (status == STATUS_OK)
        *view = (struct source_view){source->text.bytes, source->text.size_bytes};
    return status;
}

enum status source_view(struct source *source, struct source_view *view, struct error *err)
{
    return open_view(source->first ? source->first : source, view, err);
}

struct source_view source_view_so_far(const struct source *source)
{
    uint64_t size_bytes = atomic_load(&source->spooled_bytes);
    return (struct source_view){size_bytes ? source->spool.base : NULL, size_bytes};
}

bool source_makes_view(const struct source *source)
{
    return viewed(source)->is_partial_shown;
}

bool source_want(const struct source *source, uint64_t from, uint64_t to)
{
    return !source_makes_view(source) || partial_want(viewed(source)->partial, from, to);
}

enum status source_view_status(const struct source *source, struct error *err)
{
    return source_makes_view(source) ? partial_status(viewed(source)->partial, err) : STATUS_OK;
}

uint64_t source_unpacked_bytes(const struct source *source)
{
    const struct partial *partial = viewed(source)->partial;
    return partial ? partial_made_bytes(viewed(source)->partial) : 0;
}

// Reads by recorded places. False: they cannot be used.
static bool read_in_part(const struct source *source, uint64_t position, char *bytes,
                         size_t size_bytes, size_t *have)
{
    struct partial *partial = viewed(source)->partial;
    if (viewed(source)->text.is_at_hand || !partial || !partial_text(partial))
        return false;
    uint64_t text_bytes = partial_text_bytes(partial);
    *have = position < text_bytes ? (size_t)u64_min(size_bytes, text_bytes - position) : 0;
    if (!partial_want(partial, position, position + *have))
        return false;
    memcpy(bytes, partial_text(partial) + position, *have);
    return true;
}

size_t source_read_at(struct source *source, uint64_t position, char *bytes, size_t size_bytes)
{
    struct source_view view;
    size_t have;
    if (source->concat && concat_read_at(source->concat, position, bytes, size_bytes, &have))
        return have;
    if (read_in_part(source, position, bytes, size_bytes, &have))
        return have;
    if (source_view(source, &view, NULL) != STATUS_OK || position >= view.size_bytes)
        return 0;
    have = (size_t)u64_min(size_bytes, view.size_bytes - position);
    if (!source_want(source, position, position + have))
        return 0;
    memcpy(bytes, view.bytes + position, have);
    return have;
}

// Stores the text after the chunk for the next call, and the end of the chunk as its run-in.
static bool keep_rest(struct source *source, const char *bytes, size_t end, size_t have)
{
    source->carry_run_in_bytes = (size_t)u64_min(end, SOURCE_RUN_IN_BYTES);
    source->carry_bytes = have - end;
    size_t total = source->carry_run_in_bytes + source->carry_bytes;
    if (!buffer_reserve(&source->carry, &source->carry_capacity, total + 1))
        return false;
    memcpy(source->carry, bytes + end - source->carry_run_in_bytes, total);
    return true;
}

// How much of the text that was read counts: if reading was cut short, only whole lines.
static size_t whole_lines(const struct source *source, const char *bytes, size_t from, size_t have)
{
    if (!source->is_cut_short)
        return have;
    const char *newline = memrchr(bytes + from, '\n', have - from);
    return newline ? (size_t)(newline - bytes) + 1 : from;
}

static enum status next_piped(struct source *source, size_t target_bytes,
                              struct source_buffer *buffer, struct source_chunk *chunk,
                              struct error *err)
{
    size_t run_in = source->carry_run_in_bytes;
    size_t have = run_in + source->carry_bytes;
    size_t wanted = run_in + u64_max(target_bytes + 4096, source->carry_bytes + 4096), end;
    bool is_in_line;
    if (!buffer_reserve(&buffer->bytes, &buffer->capacity, wanted))
        return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
    if (have)
        memcpy(buffer->bytes, source->carry, have);
    source->is_ended &= !source->is_followed;
    for (;;) {
        enum status status = fill(source, buffer->bytes, &have, wanted, err);
        if (status != STATUS_OK)
            return status;
        have = whole_lines(source, buffer->bytes, run_in, have);
        end = chunk_end(buffer->bytes + run_in, have - run_in, target_bytes, source->is_ended,
                        &is_in_line);
        if (end != SIZE_MAX)
            break;
        wanted += (wanted - run_in) / 4 + 4096;
        if (!buffer_reserve(&buffer->bytes, &buffer->capacity, wanted))
            return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
    }
    *chunk = (struct source_chunk){buffer->bytes + run_in, end,  run_in, source->offset,
                                   source->is_in_line,     false};
    if (!keep_rest(source, buffer->bytes, run_in + end, have))
        return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
    source->is_in_line = is_in_line;
    source->offset += end;
    chunk->is_last = source->is_ended && source->carry_bytes == 0 && !source->is_followed;
    return STATUS_OK;
}

void source_end_when_asked(struct source *source, bool heeds)
{
    source->ends_when_asked = heeds;
}

bool source_is_cut_short(const struct source *source)
{
    return source->is_cut_short;
}

// Ends the text after the last chunk, unless it has ended anyway.
static void cut_short(struct source *source)
{
    bool is_at_hand = source->text.is_at_hand;
    if (is_at_hand ? source->offset == source->text.size_bytes
                   : source->is_ended && !source->carry_bytes)
        return;
    source->is_cut_short = true;
    source->is_ended = true;
    source->carry_bytes = 0;
    if (source->is_mapped)
        map_cut(&source->map, source->offset);
    if (is_at_hand)
        source->text.size_bytes = source->offset;
}

bool source_begin_at(struct source *source, uint64_t position)
{
    const struct source_text *text = &source->text;
    if (!source->is_mapped || position > text->size_bytes ||
        (position && text->bytes[position - 1] != '\n'))
        return false;
    source->offset = position;
    return true;
}

void source_end_chunks_at(struct source *source, uint64_t first, uint64_t second)
{
    source->chunk_ends[0] = first;
    source->chunk_ends[1] = second;
}

// The smallest size of the next chunk, unless the text ends.
static size_t target_of(const struct source *source, size_t step_bytes)
{
    uint64_t target = step_bytes - source->offset % step_bytes; // to the next multiple
    for (size_t i = 0; i < ARRAY_COUNT(source->chunk_ends); i++) {
        if (source->chunk_ends[i] > source->offset)
            target = u64_min(target, source->chunk_ends[i] - source->offset);
    }
    return (size_t)target;
}

enum status source_next(struct source *source, size_t target_bytes, struct source_buffer *buffer,
                        struct source_chunk *chunk, struct error *err)
{
    if (source->ends_when_asked && !source->is_cut_short && interrupt_is_asked())
        cut_short(source);
    target_bytes = target_of(source, target_bytes);
    if (!source->text.is_at_hand)
        return next_piped(source, target_bytes, buffer, chunk, err);
    next_mapped(source, target_bytes, chunk);
    return STATUS_OK;
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

void source_populate(const struct source *source, const struct source_chunk *chunk)
{
    void *start;
    size_t size_bytes;
    if (!source->is_mapped || !inner_pages(chunk, &start, &size_bytes))
        return;
#ifdef MADV_POPULATE_READ
    madvise(start, size_bytes, MADV_POPULATE_READ); // otherwise each page causes a fault
#endif
}

void source_release(const struct source *source, const struct source_chunk *chunk)
{
    void *start;
    size_t size_bytes;
    if (source->is_mapped && inner_pages(chunk, &start, &size_bytes))
        madvise(start, size_bytes, MADV_DONTNEED);
}

struct source_fault source_fault(const struct source *source)
{
    struct unpack_stream_fault fault = {0};
    if (source->concat) {
        const struct concat_fault of_concat = concat_fault(source->concat);
        return (struct source_fault){of_concat.path, of_concat.text, of_concat.packed_byte,
                                     of_concat.plain_byte};
    }
    if (source->unpack_stream)
        fault = unpack_stream_fault(source->unpack_stream);
    return (struct source_fault){source->path, fault.text, fault.packed_byte, fault.plain_byte};
}

// --- Files that grow -----------------------------------------------------------------------------

// Ends a mapped text after `size_bytes`.
static void cut_text(struct source *source, uint64_t size_bytes)
{
    map_cut(&source->map, size_bytes);
    source->text.size_bytes = source->map.size_bytes;
}

void source_end_at_line(struct source *source)
{
    const struct map *map = &source->map;
    if (source->concat)
        source->unfinished_bytes = concat_end_at_line(source->concat);
    if (!source->is_mapped || !map->size_bytes || map->data[map->size_bytes - 1] == '\n')
        return;
    if (source->is_stdin || !file_has_writers(map->fd))
        return;
    const char *newline = memrchr(map->data, '\n', map->size_bytes);
    cut_text(source, newline ? (uint64_t)(newline - map->data) + 1 : 0);
    source->unfinished_bytes = map->file_bytes - map->size_bytes;
}

uint64_t source_unfinished_bytes(const struct source *source)
{
    return source->unfinished_bytes;
}

void source_end_after(struct source *source, uint64_t size_bytes)
{
    ASSERT(source->is_mapped && size_bytes <= source->map.size_bytes);
    cut_text(source, size_bytes);
}

void source_end_after_files(struct source *source, const struct concat_beginning *files,
                            size_t count, uint64_t text_bytes)
{
    concat_end_after(source->concat, files, count);
    if (source->text.is_at_hand) // which begins with the same text
        source->text.size_bytes = u64_min(source->text.size_bytes, text_bytes);
    source_rewind(source);
}

static enum status take_fingerprint(const struct source *source, struct fingerprint *fingerprint,
                                    struct error *err)
{
    const struct map *map = &source->map;
    if (source->concat)
        return concat_fingerprint(source->concat, fingerprint, err);
    *fingerprint = (struct fingerprint){.size_bytes = map->size_bytes, .mtime_ns = map->mtime_ns};
    return fingerprint_sample(&fingerprint->sample, map->fd, map->size_bytes, source->path, err);
}

void source_keep_fingerprint(struct source *source)
{
    struct error err;
    source->has_fingerprint = source_is_file(source) && !source->is_followed &&
                              take_fingerprint(source, &source->fingerprint, &err) == STATUS_OK;
}

enum status source_fingerprint(const struct source *source, struct fingerprint *fingerprint,
                               struct error *err)
{
    *fingerprint = source->fingerprint;
    return source->has_fingerprint ? STATUS_OK : take_fingerprint(source, fingerprint, err);
}

bool source_begins_with(const struct source *source, uint64_t size_bytes, struct hash128 sample)
{
    struct hash128 now;
    struct error err;
    return source_is_file(source) && !source->concat && size_bytes <= source->map.file_bytes &&
           fingerprint_sample(&now, source->map.fd, size_bytes, source->path, &err) == STATUS_OK &&
           hash128_equals(now, sample);
}

static enum map_change change_of(const struct source *source)
{
    return source->concat           ? concat_change(source->concat)
           : source_is_file(source) ? map_change_of(&source->map)
                                    : MAP_SAME;
}

bool source_is_intact(const struct source *source)
{
    enum map_change change = change_of(source);
    if (change != MAP_GROWN)
        return change == MAP_SAME;
    if (source->concat)
        return source->has_fingerprint && concat_begins_the_same(source->concat);
    return source->has_fingerprint &&
           source_begins_with(source, source->fingerprint.size_bytes, source->fingerprint.sample);
}

bool source_seems_intact(const struct source *source)
{
    return change_of(source) != MAP_CHANGED;
}

bool source_has_grown(const struct source *source)
{
    return change_of(source) == MAP_GROWN;
}

bool source_is_replaced(const struct source *source)
{
    if (source->concat)
        return concat_is_replaced(source->concat);
    if (!source_is_file(source))
        return false;
    const struct file_stamp now = file_stamp_at(source->path);
    const struct file_stamp mapped = file_stamp_of(source->map.fd);
    return !file_stamp_is_none(&now) && !file_stamp_is_same_file(&now, &mapped);
}

// --- Following -----------------------------------------------------------------------------------

// Shows the whole lines of the mapped file.
static void show_lines(struct source *source)
{
    const struct map *map = &source->map;
    const char *newline = map->data ? memrchr(map->data + source->offset, '\n',
                                              (size_t)(map->file_bytes - source->offset))
                                    : NULL;
    source->text.bytes = map->data;
    source->text.size_bytes =
        newline ? (uint64_t)(newline - map->data) + 1 : u64_min(source->offset, map->file_bytes);
}

bool source_can_be_followed(const struct source *source)
{
    return source->concat ? source->is_followed : source->is_mapped && !source_is_made(source);
}

void source_follow(struct source *source)
{
    ASSERT(source_can_be_followed(source) && source->offset == 0);
    source->is_followed = true;
    source->has_fingerprint = false;
    source->unfinished_bytes = 0;
    if (source->concat)
        rewind_made(source); // the first bytes may have been read already
    else
        show_lines(source);
}

bool source_settle(struct source *source)
{
    if (!source->concat || !source->carry_bytes)
        return true;
    concat_hold(source->concat);
    return false;
}

bool source_has_unread(struct source *source)
{
    return source->concat ? source->carry_bytes || concat_has_more(source->concat)
                          : source->text.size_bytes > source->offset;
}

uint64_t source_read_bytes(const struct source *source)
{
    return source->offset;
}

static enum status was_changed(struct error *err)
{
    return error_set(err, STATUS_INPUT, "was truncated or rewritten");
}

enum status source_grow(struct source *source, struct error *err)
{
    bool is_intact;
    if (source->concat)
        return concat_grow(source->concat, err);
    enum map_change change = map_change_of(&source->map);
    if (change == MAP_CHANGED || source_is_replaced(source))
        return was_changed(err);
    if (change == MAP_SAME)
        return STATUS_OK;
    enum status status = map_grow(&source->map, source->path, &is_intact, err);
    if (status != STATUS_OK || !is_intact)
        return status == STATUS_OK ? was_changed(err) : status;
    show_lines(source);
    return STATUS_OK;
}

enum status source_add_piece(struct source *source, const char *path, struct error *err)
{
    return concat_add(source->concat, path, err);
}

enum status source_keep_progress(struct source *source, struct error *err)
{
    struct fingerprint now = {.size_bytes =
                                  source->is_followed ? source->offset : source->text.size_bytes,
                              .mtime_ns = source->map.mtime_ns};
    const struct fingerprint *before = &source->fingerprint;
    if (source->concat) {
        enum status status = concat_keep_progress(source->concat, &source->fingerprint, err);
        source->has_fingerprint = status == STATUS_OK;
        return status;
    }
    bool is_same = true;
    enum status status = STATUS_OK;
    if (source->has_fingerprint && before->size_bytes > source->map.file_bytes)
        return was_changed(err);
    if (source->has_fingerprint)
        status = fingerprint_check_sample(&before->sample, source->map.fd, before->size_bytes,
                                          source->path, &is_same, err);
    if (status != STATUS_OK)
        return status;
    if (!is_same)
        return was_changed(err);
    status = fingerprint_sample(&now.sample, source->map.fd, now.size_bytes, source->path, err);
    if (status != STATUS_OK)
        return status;
    source->fingerprint = now;
    source->has_fingerprint = true;
    return STATUS_OK;
}

void source_end_here(struct source *source, bool takes_rest)
{
    source->is_followed = false;
    if (source->concat)
        concat_end_here(source->concat, takes_rest);
    else
        source->text.size_bytes = takes_rest ? source->map.file_bytes : source->offset;
}

bool source_has_no_writers(const struct source *source)
{
    if (source->concat)
        return concat_has_no_writers(source->concat);
    return source->is_mapped && !source->is_stdin && file_has_no_writers(source->map.fd);
}

// --- Several files -------------------------------------------------------------------------------

struct concat *source_concat(const struct source *source)
{
    return source->concat;
}

enum status source_find_files(struct source *source, struct error *err)
{
    if (concat_knows_files(source->concat))
        return STATUS_OK;
    enum status status = concat_find_files(source->concat, err);
    source_rewind(source);
    return status;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    unpack_stream_close(source->unpack_stream);
    partial_close(source->partial);
    concat_close(source->concat);
    if (source_is_file(source) && !source->concat)
        map_close(&source->map);
    if (source->pipe_fd >= 0)
        close(source->pipe_fd);
    spool_free(&source->spool);
    free(source->carry);
    free(source->path);
    free(source);
}
