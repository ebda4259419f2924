#include "base/unpack/seekable.h"

#include "base/fingerprint.h"
#include "base/spool.h"
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
    size_t head; // the span where decompression must begin to reach this one
    const struct access_point *access_point; // NULL: the span is copied
    // Protected by the lock.
    bool is_there;
    bool is_made; // for a head: a thread is making spans that begin with it
};

// A decompression that has stopped after some span of a head, and can be continued by one thread.
struct reader {
    struct unpacker *unpacker; // NULL: none
    size_t head, next;         // the span that it would make next
};

struct seekable {
    struct packed_file *files;
    size_t file_count;
    struct access_points access_points;
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

static bool add_span(struct seekable *seekable, const struct span *span)
{
    if (!VEC_ROOM(&seekable->spans, 1))
        return false;
    seekable->spans.items[seekable->spans.count++] = *span;
    return true;
}

static bool add_copied(struct seekable *seekable, uint32_t file)
{
    uint64_t end = access_point_file_end(&seekable->access_points, file), to;
    bool is_done = true;
    for (uint64_t at = access_point_file_begin(&seekable->access_points, file); at < end && is_done;
         at = to) {
        to = u64_min(end, at + STEP_BYTES);
        is_done = add_span(
            seekable,
            &(struct span){.from = at, .to = to, .file = file, .head = seekable->spans.count});
    }
    return is_done;
}

// Adds the spans of one file, from *next on. *next becomes the first place of the next file.
static bool add_packed(struct seekable *seekable, uint32_t file, size_t *next)
{
    const struct access_points *access_points = &seekable->access_points;
    bool is_done = true;
    for (; is_done && *next < access_points->items.count; (*next)++) {
        const struct access_point *access_point = &access_points->items.items[*next];
        if (access_point->file != file)
            break;
        size_t number = seekable->spans.count;
        bool goes_on = access_point->chunk.level == CHUNK_GOES_ON;
        is_done = add_span(
            seekable,
            &(struct span){.from = access_point->plain_byte,
                           .to = access_point_span_end(access_points, *next),
                           .file = file,
                           .head = goes_on ? seekable->spans.items[number - 1].head : number,
                           .access_point = access_point});
    }
    return is_done;
}

struct seekable *seekable_open(const struct packed_file *files, size_t count,
                               struct access_points *access_points, unsigned threads)
{
    struct seekable *seekable = calloc(1, sizeof *seekable);
    struct packed_file *copy = calloc(count, sizeof *copy);
    if (!seekable || !copy) {
        free(copy);
        free(seekable);
        return NULL;
    }
    memcpy(copy, files, count * sizeof *copy);
    *seekable = (struct seekable){.files = copy,
                                  .file_count = count,
                                  .access_points = *access_points,
                                  .threads = threads,
                                  .fd = -1};
    *access_points = (struct access_points){0};
    pthread_mutex_init(&seekable->lock, NULL);
    pthread_cond_init(&seekable->changed, NULL);
    size_t next = 0;
    bool is_done = true;
    for (uint32_t i = 0; i < count && is_done; i++)
        is_done = copy[i].codec ? add_packed(seekable, i, &next) : add_copied(seekable, i);
    if (is_done)
        return seekable;
    seekable_close(seekable);
    return NULL;
}

uint64_t seekable_text_bytes(const struct seekable *seekable)
{
    return seekable->access_points.text_bytes;
}

// The lock must be held.
static char *map_text(struct seekable *seekable)
{
    uint64_t size_bytes = seekable->access_points.text_bytes;
    if (seekable->text || (seekable->fd = unnamed_open(unnamed_directory())) < 0)
        return seekable->text;
    void *text = MAP_FAILED;
    if (ftruncate(seekable->fd, (off_t)size_bytes) == 0)
        text = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, seekable->fd, 0);
    if (text != MAP_FAILED)
        return seekable->text = text;
    int failed = errno;
    close(seekable->fd);
    seekable->fd = -1;
    errno = failed;
    return NULL;
}

const char *seekable_text(struct seekable *seekable)
{
    pthread_mutex_lock(&seekable->lock);
    const char *text = map_text(seekable);
    pthread_mutex_unlock(&seekable->lock);
    return text;
}

// Allocates blocks on the disk: if the disk is full later, filling a hole would raise a signal.
static enum status allocate(const struct seekable *seekable, uint64_t from, uint64_t to,
                            struct error *err)
{
    int failed = posix_fallocate(seekable->fd, (off_t)from, (off_t)(to - from));
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
    return error_set(err, STATUS_DAMAGED, "the access points of the compressed data are damaged");
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
static enum status make_span(const struct seekable *seekable, struct unpacker *unpacker,
                             const struct span *span, struct error *err)
{
    const char *bytes = seekable->text + span->from;
    size_t size_bytes = (size_t)(span->to - span->from);
    enum status status = STATUS_OK;
    for (uint64_t at = span->from, to; at < span->to && status == STATUS_OK; at = to) {
        to = u64_min(span->to, at + STEP_BYTES);
        status = allocate(seekable, at, to, err);
        if (status == STATUS_OK)
            status = unpack(unpacker, seekable->text + at, (size_t)(to - at), err);
    }
    if (status == STATUS_OK && fingerprint_block(bytes, size_bytes) != span->access_point->hash)
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
static void take_reader(struct seekable *seekable, size_t number, struct reader *reader)
{
    size_t head = seekable->spans.items[number].head;
    *reader = (struct reader){.head = head, .next = head};
    if (seekable->reader.unpacker && seekable->reader.head == head &&
        seekable->reader.next <= number) {
        *reader = seekable->reader;
        seekable->reader = (struct reader){0};
    }
}

// Keeps a reader that can be continued. The lock must be held.
static void keep_reader(struct seekable *seekable, struct reader *reader)
{
    bool goes_on = reader->next < seekable->spans.count &&
                   seekable->spans.items[reader->next].head == reader->head;
    if (!reader->unpacker || !goes_on)
        return;
    struct reader before = seekable->reader;
    seekable->reader = *reader;
    *reader = before;
}

static enum status begin_reader(const struct seekable *seekable, struct reader *reader,
                                struct error *err)
{
    const struct span *head = &seekable->spans.items[reader->head];
    if (!reader->unpacker)
        reader->unpacker = access_point_begin(&seekable->access_points, head->access_point,
                                              &seekable->files[head->file]);
    return reader->unpacker ? STATUS_OK : no_memory(err);
}

static void note_span(struct seekable *seekable, size_t number)
{
    struct span *span = &seekable->spans.items[number];
    pthread_mutex_lock(&seekable->lock);
    span->is_there = true;
    seekable->made_bytes += span->to - span->from;
    pthread_mutex_unlock(&seekable->lock);
}

// Decompresses up to and including a span. No other thread makes spans of the same head.
static enum status make_by(struct seekable *seekable, struct reader *reader, size_t number,
                           struct error *err)
{
    enum status status = begin_reader(seekable, reader, err);
    for (; reader->next <= number && status == STATUS_OK; reader->next++) {
        const struct span *span = &seekable->spans.items[reader->next];
        if (span->is_there) {
            status = pass_over(reader->unpacker, span->to - span->from, err);
            continue;
        }
        status = make_span(seekable, reader->unpacker, span, err);
        if (status == STATUS_OK)
            note_span(seekable, reader->next);
    }
    return status;
}

static enum status copy_span(struct seekable *seekable, size_t number, struct error *err)
{
    const struct span *span = &seekable->spans.items[number];
    enum status status = allocate(seekable, span->from, span->to, err);
    if (status != STATUS_OK)
        return status;
    memcpy(seekable->text + span->from,
           seekable->files[span->file].packed->bytes +
               (span->from - access_point_file_begin(&seekable->access_points, span->file)),
           (size_t)(span->to - span->from));
    note_span(seekable, number);
    return STATUS_OK;
}

// Makes a span. The lock must be held, and is held afterwards.
static enum status make(struct seekable *seekable, size_t number, struct error *err)
{
    struct span *head = &seekable->spans.items[seekable->spans.items[number].head];
    struct reader reader;
    enum status status;
    take_reader(seekable, number, &reader);
    head->is_made = true;
    seekable->makers++;
    pthread_mutex_unlock(&seekable->lock);
    if (head->access_point)
        status = make_by(seekable, &reader, number, err);
    else
        status = copy_span(seekable, number, err);
    pthread_mutex_lock(&seekable->lock);
    if (status == STATUS_OK)
        keep_reader(seekable, &reader);
    end_reader(&reader);
    head->is_made = false;
    seekable->makers--;
    pthread_cond_broadcast(&seekable->changed);
    return status;
}

// --- Wrong places --------------------------------------------------------------------------------

// Copies text into spans that were not made yet. Those that were made are correct by their hash.
static enum status take_missing(struct seekable *seekable, uint64_t from, const char *bytes,
                                size_t size_bytes, size_t *number, struct error *err)
{
    enum status status = STATUS_OK;
    for (uint64_t at = from, end = from + size_bytes; at < end && status == STATUS_OK;) {
        const struct span *span = &seekable->spans.items[*number];
        uint64_t to = u64_min(end, span->to);
        if (!span->is_there) {
            status = allocate(seekable, at, to, err);
            if (status == STATUS_OK)
                memcpy(seekable->text + at, bytes + (at - from), (size_t)(to - at));
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

static enum status read_whole(struct seekable *seekable, uint32_t file, size_t number,
                              struct unpack_stream *unpack_stream, struct error *err)
{
    uint64_t at = access_point_file_begin(&seekable->access_points, file);
    uint64_t end = access_point_file_end(&seekable->access_points, file);
    char *buffer = malloc(BUFFER_BYTES);
    size_t have = BUFFER_BYTES;
    enum status status = buffer ? STATUS_OK : no_memory(err);
    while (status == STATUS_OK && have == BUFFER_BYTES) {
        have = 0;
        status = unpack_stream_read(unpack_stream, buffer, BUFFER_BYTES, &have, err);
        if (status == STATUS_OK && have > end - at)
            status = is_other(&seekable->files[file], err);
        if (status == STATUS_OK)
            status = take_missing(seekable, at, buffer, have, &number, err);
        at += have;
    }
    free(buffer);
    // The file was sound when it was indexed. If its own checks fail now, it has changed since.
    if (status == STATUS_OK && (at != end || unpack_stream_fault(unpack_stream).text))
        return is_other(&seekable->files[file], err);
    return status;
}

// Reads a whole file from its beginning. The lock must be held, and is held afterwards.
static enum status refute(struct seekable *seekable, uint32_t file, struct error *err)
{
    size_t number = 0;
    while (seekable->spans.items[number].file != file)
        number++;
    seekable->is_refuted = true;
    while (seekable->makers)
        pthread_cond_wait(&seekable->changed, &seekable->lock);
    pthread_mutex_unlock(&seekable->lock);
    const struct packed_file *read = &seekable->files[file];
    struct unpack_stream *unpack_stream =
        unpack_stream_open(read->codec, read->packed, seekable->threads);
    enum status status =
        unpack_stream ? read_whole(seekable, file, number, unpack_stream, err) : no_memory(err);
    unpack_stream_close(unpack_stream);
    pthread_mutex_lock(&seekable->lock);
    for (; number < seekable->spans.count && seekable->spans.items[number].file == file; number++) {
        struct span *span = &seekable->spans.items[number];
        seekable->made_bytes += span->to - span->from;
        span->is_there |= status == STATUS_OK;
    }
    seekable->is_refuted = false;
    pthread_cond_broadcast(&seekable->changed);
    return status;
}

// --- Requests ------------------------------------------------------------------------------------

bool seekable_want(struct seekable *seekable, uint64_t from, uint64_t to)
{
    to = u64_min(to, seekable->access_points.text_bytes);
    pthread_mutex_lock(&seekable->lock);
    size_t number; // of the span that contains the byte
    PARTITION_POINT(number, seekable->spans.count, seekable->spans.items[middle].from <= from);
    number = from < to ? number - (number > 0) : seekable->spans.count;
    while (number < seekable->spans.count && seekable->spans.items[number].from < to &&
           seekable->err.status == STATUS_OK) {
        // Makes a span if necessary. The lock must be held, and is released meanwhile.
        const struct span *span = &seekable->spans.items[number];
        const struct span *head = &seekable->spans.items[span->head];
        struct error err;
        while (!span->is_there && seekable->err.status == STATUS_OK &&
               (head->is_made || seekable->is_refuted))
            pthread_cond_wait(&seekable->changed, &seekable->lock);
        if (!span->is_there && seekable->err.status == STATUS_OK) {
            enum status status = map_text(seekable) ? make(seekable, number, &err)
                                                    : error_set_errno(&err, unnamed_directory(),
                                                                      "no room for the trace");
            // Another thread may be reading the file as a whole by now; the caller then tries
            // again.
            if (status == STATUS_DAMAGED && !seekable->is_refuted)
                status = refute(seekable, span->file, &err);
            if (status != STATUS_OK && status != STATUS_DAMAGED &&
                seekable->err.status == STATUS_OK)
                seekable->err = err;
        }
        number += seekable->spans.items[number].is_there;
    }
    bool is_done = seekable->err.status == STATUS_OK;
    pthread_mutex_unlock(&seekable->lock);
    return is_done;
}

enum status seekable_status(struct seekable *seekable, struct error *err)
{
    pthread_mutex_lock(&seekable->lock);
    enum status status = seekable->err.status;
    if (status != STATUS_OK && err)
        *err = seekable->err;
    pthread_mutex_unlock(&seekable->lock);
    return status;
}

uint64_t seekable_made_bytes(struct seekable *seekable)
{
    pthread_mutex_lock(&seekable->lock);
    uint64_t bytes = seekable->made_bytes;
    pthread_mutex_unlock(&seekable->lock);
    return bytes;
}

void seekable_close(struct seekable *seekable)
{
    if (!seekable)
        return;
    end_reader(&seekable->reader);
    if (seekable->text)
        munmap(seekable->text, seekable->access_points.text_bytes);
    if (seekable->fd >= 0)
        close(seekable->fd);
    access_points_free(&seekable->access_points);
    free(seekable->spans.items);
    free(seekable->files);
    pthread_cond_destroy(&seekable->changed);
    pthread_mutex_destroy(&seekable->lock);
    free(seekable);
}
