#include "base/unpack/partial.h"

#include "base/fingerprint.h"
#include "base/unnamed.h"
#include "base/unpack/unpack_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// How much of an uncompressed file is copied at a time, and for how much room is allocated at a
// time: a wrong place may claim far more text than follows it.
#define STEP_BYTES (UINT64_C(4) << 20)

// The size of the buffer for text that is decompressed again on the way, and for reading a whole
// file.
#define BUFFER_BYTES ((size_t)64 << 10)

struct span {
    uint64_t from, to;
    uint32_t file;
    size_t head;                   // the span where decompression must begin to reach this one
    const struct restart *restart; // NULL: the span is copied
    // Protected by the lock.
    bool is_there;
    bool is_made; // for a head: a thread is making spans that begin with it
};

// A decompression that has stopped after some span of a head, and can be continued by one thread.
struct reader {
    struct unpacker *unpacker; // NULL: none
    size_t head, next;         // the span that it would make next
};

struct partial {
    struct packed_file *files;
    size_t file_count;
    struct restarts restarts;
    unsigned threads;
    VEC(, struct span) spans;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    // Protected by the lock.
    char *text; // NULL: not mapped yet
    int fd;
    struct reader reader; // at most one is kept
    unsigned makers;      // threads that are making spans
    bool is_refuted;      // a file is being read as a whole; no thread may make spans
    uint64_t made_bytes;
    struct error err; // STATUS_OK: no failure so far
};

// --- Opening -------------------------------------------------------------------------------------

static bool add_span(struct partial *partial, const struct span *span)
{
    if (!VEC_ROOM(&partial->spans, 1))
        return false;
    partial->spans.items[partial->spans.count++] = *span;
    return true;
}

static bool add_copied(struct partial *partial, uint32_t file)
{
    uint64_t end = restart_file_end(&partial->restarts, file), to;
    bool is_done = true;
    for (uint64_t at = restart_file_begin(&partial->restarts, file); at < end && is_done; at = to) {
        to = u64_min(end, at + STEP_BYTES);
        is_done = add_span(
            partial,
            &(struct span){.from = at, .to = to, .file = file, .head = partial->spans.count});
    }
    return is_done;
}

// Adds the spans of one file, from *next on. *next becomes the first place of the next file.
static bool add_packed(struct partial *partial, uint32_t file, size_t *next)
{
    const struct restarts *restarts = &partial->restarts;
    bool is_done = true;
    for (; is_done && *next < restarts->items.count; (*next)++) {
        const struct restart *restart = &restarts->items.items[*next];
        if (restart->file != file)
            break;
        size_t number = partial->spans.count;
        bool goes_on = restart->piece.level == PIECE_GOES_ON;
        is_done =
            add_span(partial, &(struct span){.from = restart->plain_byte,
                                             .to = restart_span_end(restarts, *next),
                                             .file = file,
                                             .head = goes_on ? partial->spans.items[number - 1].head
                                                             : number,
                                             .restart = restart});
    }
    return is_done;
}

struct partial *partial_open(const struct packed_file *files, size_t count,
                             struct restarts *restarts, unsigned threads)
{
    struct partial *partial = calloc(1, sizeof *partial);
    struct packed_file *copy = calloc(count, sizeof *copy);
    if (!partial || !copy) {
        free(copy);
        free(partial);
        return NULL;
    }
    memcpy(copy, files, count * sizeof *copy);
    *partial = (struct partial){
        .files = copy, .file_count = count, .restarts = *restarts, .threads = threads, .fd = -1};
    *restarts = (struct restarts){0};
    pthread_mutex_init(&partial->lock, NULL);
    pthread_cond_init(&partial->changed, NULL);
    size_t next = 0;
    bool is_done = true;
    for (uint32_t i = 0; i < count && is_done; i++)
        is_done = copy[i].codec ? add_packed(partial, i, &next) : add_copied(partial, i);
    if (is_done)
        return partial;
    partial_close(partial);
    return NULL;
}

uint64_t partial_text_bytes(const struct partial *partial)
{
    return partial->restarts.text_bytes;
}

// The lock must be held.
static char *map_text(struct partial *partial)
{
    uint64_t size_bytes = partial->restarts.text_bytes;
    if (partial->text || (partial->fd = unnamed_open(unnamed_directory())) < 0)
        return partial->text;
    void *text = MAP_FAILED;
    if (ftruncate(partial->fd, (off_t)size_bytes) == 0)
        text = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, partial->fd, 0);
    if (text != MAP_FAILED)
        return partial->text = text;
    int failed = errno;
    close(partial->fd);
    partial->fd = -1;
    errno = failed;
    return NULL;
}

const char *partial_text(struct partial *partial)
{
    pthread_mutex_lock(&partial->lock);
    const char *text = map_text(partial);
    pthread_mutex_unlock(&partial->lock);
    return text;
}

// Allocates blocks on the disk: if the disk is full later, filling a hole would raise a signal.
static enum status allocate(const struct partial *partial, uint64_t from, uint64_t to,
                            struct error *err)
{
    int failed = posix_fallocate(partial->fd, (off_t)from, (off_t)(to - from));
    if (!failed)
        return STATUS_OK;
    errno = failed;
    return error_set_errno(err, unnamed_directory(), "no room for the trace");
}

// --- Spans ---------------------------------------------------------------------------------------

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory to decompress with");
}

static enum status differs(struct error *err)
{
    return error_set(err, STATUS_DAMAGED, "the restart points of the compressed data are damaged");
}

static enum status unpack(struct unpacker *unpacker, char *bytes, size_t wanted, struct error *err)
{
    enum unpack_result result = UNPACK_MORE;
    size_t have = 0;
    while (result == UNPACK_MORE && have < wanted) {
        size_t made;
        result = unpacker->codec->read(unpacker, (uint8_t *)bytes + have, wanted - have, &made);
        have += made;
    }
    if (result == UNPACK_NO_MEMORY)
        return no_memory(err);
    return have == wanted ? STATUS_OK : differs(err);
}

// Decompresses text again that already exists.
static enum status pass_over(struct unpacker *unpacker, uint64_t size_bytes, struct error *err)
{
    char *buffer = malloc(BUFFER_BYTES);
    enum status status = buffer ? STATUS_OK : no_memory(err);
    for (uint64_t left = size_bytes; left && status == STATUS_OK;) {
        size_t step = (size_t)u64_min(left, BUFFER_BYTES);
        status = unpack(unpacker, buffer, step, err);
        left -= step;
    }
    free(buffer);
    return status;
}

// Makes the span that a reader has reached.
static enum status make_span(const struct partial *partial, struct unpacker *unpacker,
                             const struct span *span, struct error *err)
{
    const char *bytes = partial->text + span->from;
    size_t size_bytes = (size_t)(span->to - span->from);
    enum status status = STATUS_OK;
    for (uint64_t at = span->from, to; at < span->to && status == STATUS_OK; at = to) {
        to = u64_min(span->to, at + STEP_BYTES);
        status = allocate(partial, at, to, err);
        if (status == STATUS_OK)
            status = unpack(unpacker, partial->text + at, (size_t)(to - at), err);
    }
    if (status == STATUS_OK && fingerprint_piece(bytes, size_bytes) != span->restart->hash)
        status = differs(err);
    return status;
}

static void end_reader(struct reader *reader)
{
    if (reader->unpacker)
        reader->unpacker->codec->end(reader->unpacker);
    *reader = (struct reader){0};
}

// Takes the kept reader if it is at the span or before it; otherwise a new one. The lock must be
// held.
static void take_reader(struct partial *partial, size_t number, struct reader *reader)
{
    size_t head = partial->spans.items[number].head;
    *reader = (struct reader){.head = head, .next = head};
    if (partial->reader.unpacker && partial->reader.head == head &&
        partial->reader.next <= number) {
        *reader = partial->reader;
        partial->reader = (struct reader){0};
    }
}

// Keeps a reader that can be continued. The lock must be held.
static void keep_reader(struct partial *partial, struct reader *reader)
{
    bool goes_on = reader->next < partial->spans.count &&
                   partial->spans.items[reader->next].head == reader->head;
    if (!reader->unpacker || !goes_on)
        return;
    struct reader before = partial->reader;
    partial->reader = *reader;
    *reader = before;
}

static enum status begin_reader(const struct partial *partial, struct reader *reader,
                                struct error *err)
{
    const struct span *head = &partial->spans.items[reader->head];
    if (!reader->unpacker)
        reader->unpacker =
            restart_begin(&partial->restarts, head->restart, &partial->files[head->file]);
    return reader->unpacker ? STATUS_OK : no_memory(err);
}

static void note_span(struct partial *partial, size_t number)
{
    struct span *span = &partial->spans.items[number];
    pthread_mutex_lock(&partial->lock);
    span->is_there = true;
    partial->made_bytes += span->to - span->from;
    pthread_mutex_unlock(&partial->lock);
}

// Decompresses up to and including a span. No other thread makes spans of the same head.
static enum status make_by(struct partial *partial, struct reader *reader, size_t number,
                           struct error *err)
{
    enum status status = begin_reader(partial, reader, err);
    for (; reader->next <= number && status == STATUS_OK; reader->next++) {
        const struct span *span = &partial->spans.items[reader->next];
        if (span->is_there) {
            status = pass_over(reader->unpacker, span->to - span->from, err);
            continue;
        }
        status = make_span(partial, reader->unpacker, span, err);
        if (status == STATUS_OK)
            note_span(partial, reader->next);
    }
    return status;
}

static enum status copy_span(struct partial *partial, size_t number, struct error *err)
{
    const struct span *span = &partial->spans.items[number];
    enum status status = allocate(partial, span->from, span->to, err);
    if (status != STATUS_OK)
        return status;
    memcpy(partial->text + span->from,
           partial->files[span->file].packed->bytes +
               (span->from - restart_file_begin(&partial->restarts, span->file)),
           (size_t)(span->to - span->from));
    note_span(partial, number);
    return STATUS_OK;
}

// Makes a span. The lock must be held, and is held afterwards.
static enum status make(struct partial *partial, size_t number, struct error *err)
{
    struct span *head = &partial->spans.items[partial->spans.items[number].head];
    struct reader reader;
    enum status status;
    take_reader(partial, number, &reader);
    head->is_made = true;
    partial->makers++;
    pthread_mutex_unlock(&partial->lock);
    if (head->restart)
        status = make_by(partial, &reader, number, err);
    else
        status = copy_span(partial, number, err);
    pthread_mutex_lock(&partial->lock);
    if (status == STATUS_OK)
        keep_reader(partial, &reader);
    end_reader(&reader);
    head->is_made = false;
    partial->makers--;
    pthread_cond_broadcast(&partial->changed);
    return status;
}

// --- Wrong places --------------------------------------------------------------------------------

// Copies text into spans that were not made yet. Those that were made are correct by their hash.
static enum status take_missing(struct partial *partial, uint64_t from, const char *bytes,
                                size_t size_bytes, size_t *number, struct error *err)
{
    enum status status = STATUS_OK;
    for (uint64_t at = from, end = from + size_bytes; at < end && status == STATUS_OK;) {
        const struct span *span = &partial->spans.items[*number];
        uint64_t to = u64_min(end, span->to);
        if (!span->is_there) {
            status = allocate(partial, at, to, err);
            if (status == STATUS_OK)
                memcpy(partial->text + at, bytes + (at - from), (size_t)(to - at));
        }
        *number += to == span->to;
        at = to;
    }
    return status;
}

static enum status is_other(const struct packed_file *file, struct error *err)
{
    return error_set(err, STATUS_IO, "%s: is not the trace that its index was built from",
                     file->path);
}

static enum status read_whole(struct partial *partial, uint32_t file, size_t number,
                              struct unpack_stream *unpack_stream, struct error *err)
{
    uint64_t at = restart_file_begin(&partial->restarts, file);
    uint64_t end = restart_file_end(&partial->restarts, file);
    char *buffer = malloc(BUFFER_BYTES);
    size_t have = BUFFER_BYTES;
    enum status status = buffer ? STATUS_OK : no_memory(err);
    while (status == STATUS_OK && have == BUFFER_BYTES) {
        have = 0;
        status = unpack_stream_read(unpack_stream, buffer, BUFFER_BYTES, &have, err);
        if (status == STATUS_OK && have > end - at)
            status = is_other(&partial->files[file], err);
        if (status == STATUS_OK)
            status = take_missing(partial, at, buffer, have, &number, err);
        at += have;
    }
    free(buffer);
    // The file was sound when it was indexed. If its own checks fail now, it has changed since.
    if (status == STATUS_OK && (at != end || unpack_stream_fault(unpack_stream).text))
        return is_other(&partial->files[file], err);
    return status;
}

// Reads a whole file from its beginning. The lock must be held, and is held afterwards.
static enum status refute(struct partial *partial, uint32_t file, struct error *err)
{
    size_t number = 0;
    while (partial->spans.items[number].file != file)
        number++;
    partial->is_refuted = true;
    while (partial->makers)
        pthread_cond_wait(&partial->changed, &partial->lock);
    pthread_mutex_unlock(&partial->lock);
    const struct packed_file *read = &partial->files[file];
    struct unpack_stream *unpack_stream =
        unpack_stream_open(read->codec, read->packed, partial->threads);
    enum status status =
        unpack_stream ? read_whole(partial, file, number, unpack_stream, err) : no_memory(err);
    unpack_stream_close(unpack_stream);
    pthread_mutex_lock(&partial->lock);
    for (; number < partial->spans.count && partial->spans.items[number].file == file; number++) {
        struct span *span = &partial->spans.items[number];
        partial->made_bytes += span->to - span->from;
        span->is_there |= status == STATUS_OK;
    }
    partial->is_refuted = false;
    pthread_cond_broadcast(&partial->changed);
    return status;
}

// --- Requests ------------------------------------------------------------------------------------

// Makes a span if necessary. The lock must be held, and is released meanwhile.
static void want_span(struct partial *partial, size_t number)
{
    const struct span *span = &partial->spans.items[number];
    const struct span *head = &partial->spans.items[span->head];
    struct error err;
    while (!span->is_there && partial->err.status == STATUS_OK &&
           (head->is_made || partial->is_refuted))
        pthread_cond_wait(&partial->changed, &partial->lock);
    if (span->is_there || partial->err.status != STATUS_OK)
        return;
    enum status status = map_text(partial)
                             ? make(partial, number, &err)
                             : error_set_errno(&err, unnamed_directory(), "no room for the trace");
    // Another thread may be reading the file as a whole by now; the caller then tries again.
    if (status == STATUS_DAMAGED && !partial->is_refuted)
        status = refute(partial, span->file, &err);
    if (status != STATUS_OK && status != STATUS_DAMAGED && partial->err.status == STATUS_OK)
        partial->err = err;
}

bool partial_want(struct partial *partial, uint64_t from, uint64_t to)
{
    to = u64_min(to, partial->restarts.text_bytes);
    pthread_mutex_lock(&partial->lock);
    size_t number; // of the span that contains the byte
    PARTITION_POINT(number, partial->spans.count, partial->spans.items[middle].from <= from);
    number = from < to ? number - (number > 0) : partial->spans.count;
    while (number < partial->spans.count && partial->spans.items[number].from < to &&
           partial->err.status == STATUS_OK) {
        want_span(partial, number);
        number += partial->spans.items[number].is_there;
    }
    bool is_done = partial->err.status == STATUS_OK;
    pthread_mutex_unlock(&partial->lock);
    return is_done;
}

enum status partial_status(struct partial *partial, struct error *err)
{
    pthread_mutex_lock(&partial->lock);
    enum status status = partial->err.status;
    if (status != STATUS_OK && err)
        *err = partial->err;
    pthread_mutex_unlock(&partial->lock);
    return status;
}

uint64_t partial_made_bytes(struct partial *partial)
{
    pthread_mutex_lock(&partial->lock);
    uint64_t bytes = partial->made_bytes;
    pthread_mutex_unlock(&partial->lock);
    return bytes;
}

void partial_close(struct partial *partial)
{
    if (!partial)
        return;
    end_reader(&partial->reader);
    if (partial->text)
        munmap(partial->text, partial->restarts.text_bytes);
    if (partial->fd >= 0)
        close(partial->fd);
    restarts_free(&partial->restarts);
    free(partial->spans.items);
    free(partial->files);
    pthread_cond_destroy(&partial->changed);
    pthread_mutex_destroy(&partial->lock);
    free(partial);
}
