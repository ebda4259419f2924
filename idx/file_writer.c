#include "idx/file_writer.h"

#include "base/atomic_file.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// All buffers take half of the usual limit on a user's locked memory, so that two writers of one
// user can register theirs.
#define BUFFER_COUNT 8
#define BUFFER_BYTES ((size_t)512 << 10)
#define ALL_BUFFERS ((UINT32_C(1) << BUFFER_COUNT) - 1)

// How much is written without a ring. So much only goes to memory, which pwrite does as fast; a
// ring is set up, has all buffers in memory at once, and lets threads of the kernel do the work: 2
// to 4 ms of the processor, a fortieth of an index of 60 MB.
#define RING_FROM_BYTES ((uint64_t)32 << 20)

struct buffer {
    char *bytes;
    uint64_t offset;      // in the file
    size_t size_bytes;    // to write
    size_t capacity;      // up to the next multiple of BUFFER_BYTES in the file
    size_t written_bytes; // of these
    unsigned refusals;
};

struct file_writer {
    struct atomic_file file;
    char *path;              // as given by the caller, for messages
    struct write_ring *ring; // NULL: pwrite
    bool wants_ring;         // from RING_FROM_BYTES on
    int error_number;        // errno of the first failure, 0 if there was none
    uint64_t position;
    char *memory;
    struct buffer buffers[BUFFER_COUNT];
    bool is_unnamed;        // it never gets a name: the code that opened the file reads it
    uint32_t free_buffers;  // one bit each; pwrite never needs more than the first
    struct buffer *filling; // the buffer with bytes whose writing has not begun; or NULL
};

static void fail(struct file_writer *writer, int error_number)
{
    if (!writer->error_number)
        writer->error_number = error_number;
}

// --- Writes --------------------------------------------------------------------------------------

static unsigned index_of(const struct file_writer *writer, const struct buffer *buffer)
{
    return (unsigned)(buffer - writer->buffers);
}

static void release(struct file_writer *writer, const struct buffer *buffer)
{
    writer->free_buffers |= UINT32_C(1) << index_of(writer, buffer);
}

// A write beyond the limit on the size of files raises a signal that ends the program. A library
// must not change the handling of signals, so it does not attempt such a write.
static bool fits_limit(uint64_t end)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           end <= limit.rlim_cur;
}

// Processes the result of a write: a number of bytes or a negative errno. True if nothing is left
// to write, or writing was given up.
static bool take_result(struct file_writer *writer, struct buffer *buffer, int64_t result)
{
    if (result > 0) {
        buffer->written_bytes += (size_t)result;
        buffer->refusals = 0;
    } else if ((result != -EINTR && result != -EAGAIN && result != -ECANCELED) ||
               ++buffer->refusals > LIMIT_WRITE_REFUSALS) {
        // The other results may go away. The end of a thread cancels the writes that it started,
        // and so does a kernel that has no threads for them.
        fail(writer, result ? (int)-result : EIO);
    }
    return writer->error_number || buffer->written_bytes == buffer->size_bytes;
}

// Writes the rest of the buffer, or starts to.
static void start_write(struct file_writer *writer, struct buffer *buffer)
{
    if (!fits_limit(buffer->offset + buffer->size_bytes))
        fail(writer, EFBIG);
    if (!writer->error_number && writer->ring) {
        int failed = write_ring_start(writer->ring, index_of(writer, buffer), buffer->written_bytes,
                                      buffer->size_bytes - buffer->written_bytes,
                                      buffer->offset + buffer->written_bytes);
        if (!failed)
            return;
        if (failed != ECANCELED) // of a ring that no longer writes
            fail(writer, failed);
    }
    for (bool is_done = false; !writer->error_number && !is_done;) {
        ssize_t written = pwrite(writer->file.fd, buffer->bytes + buffer->written_bytes,
                                 buffer->size_bytes - buffer->written_bytes,
                                 (off_t)(buffer->offset + buffer->written_bytes));
        is_done = take_result(writer, buffer, written < 0 ? -errno : written);
    }
    release(writer, buffer);
}

// Waits for the end of one write that was started.
static void finish_write(struct file_writer *writer)
{
    unsigned index;
    int result;
    int failed = write_ring_wait(writer->ring, &index, &result);
    if (failed) {
        // The results of the writes in flight will never arrive. They write to a file that never
        // gets a name.
        fail(writer, failed);
        writer->free_buffers = ALL_BUFFERS;
        return;
    }
    struct buffer *buffer = &writer->buffers[index];
    if (take_result(writer, buffer, result))
        release(writer, buffer);
    else
        start_write(writer, buffer);
}

// --- Buffers -------------------------------------------------------------------------------------

static bool open_ring(struct file_writer *writer)
{
    const struct write_ring_buffers buffers = {writer->memory, BUFFER_COUNT, BUFFER_BYTES};
    writer->wants_ring = false;
    writer->ring = write_ring_open(writer->file.fd, &buffers);
    return writer->ring;
}

// A free buffer for bytes at `offset`, or NULL after a failure.
static struct buffer *take_buffer(struct file_writer *writer, uint64_t offset)
{
    while (!writer->free_buffers)
        finish_write(writer);
    if (writer->error_number)
        return NULL;
    unsigned index = (unsigned)__builtin_ctz(writer->free_buffers);
    writer->free_buffers &= writer->free_buffers - 1;
    struct buffer *buffer = &writer->buffers[index];
    *buffer = (struct buffer){
        .bytes = buffer->bytes,
        .offset = offset,
        .capacity = BUFFER_BYTES - offset % BUFFER_BYTES,
    };
    return buffer;
}

static void start_filled(struct file_writer *writer)
{
    struct buffer *buffer = writer->filling;
    writer->filling = NULL;
    if (buffer)
        start_write(writer, buffer);
}

// Waits until everything that was passed on is written.
void file_writer_settle(struct file_writer *writer)
{
    start_filled(writer);
    while (writer->free_buffers != ALL_BUFFERS)
        finish_write(writer);
}

// Passes on bytes for `offset`, which is after those in the buffer that is being filled.
static void write_at(struct file_writer *writer, uint64_t offset, const char *bytes,
                     size_t size_bytes)
{
    while (size_bytes) {
        if (!writer->filling)
            writer->filling = take_buffer(writer, offset);
        struct buffer *buffer = writer->filling;
        if (!buffer)
            return;
        size_t step = (size_t)u64_min(size_bytes, buffer->capacity - buffer->size_bytes);
        memcpy(buffer->bytes + buffer->size_bytes, bytes, step);
        buffer->size_bytes += step;
        offset += step;
        bytes += step;
        size_bytes -= step;
        if (buffer->size_bytes < buffer->capacity)
            continue;
        if (writer->wants_ring && offset >= RING_FROM_BYTES)
            open_ring(writer);
        start_filled(writer);
    }
}

void file_writer_append(struct file_writer *writer, const void *bytes, size_t size_bytes)
{
    if (size_bytes > INT64_MAX - writer->position)
        fail(writer, EFBIG);
    write_at(writer, writer->position, bytes, size_bytes);
    writer->position += size_bytes;
}

void file_writer_patch(struct file_writer *writer, uint64_t offset, const void *bytes,
                       size_t size_bytes)
{
    ASSERT(offset <= writer->position && size_bytes <= writer->position - offset);
    file_writer_settle(writer);
    write_at(writer, offset, bytes, size_bytes);
    file_writer_settle(writer);
}

uint64_t file_writer_position(const struct file_writer *writer)
{
    return writer->position;
}

bool file_writer_failed(const struct file_writer *writer)
{
    return writer->error_number != 0;
}

// --- Opening -------------------------------------------------------------------------------------

static bool make_buffers(struct file_writer *writer)
{
    char *memory = mmap(NULL, BUFFER_COUNT * BUFFER_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    writer->memory = memory;
    for (unsigned i = 0; i < BUFFER_COUNT; i++)
        writer->buffers[i].bytes = memory + i * BUFFER_BYTES;
    return true;
}

enum status file_writer_choose(enum file_writer_io *io, struct error *err)
{
    const char *name = getenv("TRAWL_IO");
    *io = FILE_WRITER_AUTO;
    if (!name || !*name)
        return STATUS_OK;
    *io = strcmp(name, "uring") == 0 ? FILE_WRITER_URING : FILE_WRITER_PWRITE;
    if (*io == FILE_WRITER_URING || strcmp(name, "pwrite") == 0)
        return STATUS_OK;
    return error_set(err, STATUS_INPUT, "TRAWL_IO: '%.200s': expected uring or pwrite", name);
}

// A file that is already open needs no place of its own.
static bool open_file(struct file_writer *writer, const struct file_writer_target *target)
{
    if (target->fd < 0)
        return atomic_file_open(&writer->file, target->path, O_RDWR, ATOMIC_FILE_MAY_TAKE_OVER,
                                target->like);
    writer->is_unnamed = true;
    writer->file.fd = fcntl(target->fd, F_DUPFD_CLOEXEC, 0);
    return writer->file.fd >= 0;
}

enum status file_writer_open(struct file_writer **out, const struct file_writer_target *target,
                             enum file_writer_io io, struct error *err)
{
    struct file_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return error_set(err, STATUS_MEMORY, "%s: no memory", target->path);
    writer->file = (struct atomic_file)ATOMIC_FILE_NONE;
    writer->free_buffers = ALL_BUFFERS;
    writer->wants_ring = io == FILE_WRITER_AUTO;
    writer->path = strdup(target->path);
    enum status status = STATUS_OK;
    if (!writer->path)
        status = error_set(err, STATUS_MEMORY, "%s: no memory", target->path);
    else if (!open_file(writer, target))
        status = atomic_file_error(&writer->file, target->path, err);
    else if (!make_buffers(writer) || (io == FILE_WRITER_URING && !open_ring(writer)))
        status = error_set_errno(err, target->path, "set up writing");
    if (status == STATUS_OK)
        *out = writer;
    else
        file_writer_abandon(writer);
    return status;
}

enum file_writer_io file_writer_io_in_use(const struct file_writer *writer)
{
    return writer->ring ? FILE_WRITER_URING : FILE_WRITER_PWRITE;
}

// --- Reading back, and the end -------------------------------------------------------------------

static enum status result(struct file_writer *writer, struct error *err)
{
    if (!writer->error_number)
        return STATUS_OK;
    errno = writer->error_number;
    return error_set_errno(err, writer->path, "write");
}

enum status file_writer_read_back(struct file_writer *writer, struct map *map, struct error *err)
{
    file_writer_settle(writer);
    if (writer->error_number)
        return result(writer, err);
    int fd = fcntl(writer->file.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return error_set_errno(err, writer->path, "read back");
    return map_open(map, fd, writer->path, err);
}

// --- Branches -----------------------------------------------------------------------------------

// Copies if the kernel cannot do so itself.
static bool copy_by_hand(int from, int to, uint64_t offset, uint64_t end, char *bytes)
{
    while (offset < end) {
        ssize_t got =
            pread(from, bytes, (size_t)u64_min(end - offset, BUFFER_BYTES), (off_t)offset);
        ssize_t put = got > 0 ? pwrite(to, bytes, (size_t)got, (off_t)offset) : got;
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            errno = put ? errno : EIO;
            return false;
        }
        offset += (uint64_t)put;
    }
    return true;
}

static bool copy_file(int from, int to, uint64_t size_bytes, char *bytes)
{
    off_t in = 0, out = 0;
    while ((uint64_t)in < size_bytes) {
        ssize_t copied =
            copy_file_range(from, &in, to, &out, (size_t)(size_bytes - (uint64_t)in), 0);
        if (copied <= 0)
            return copy_by_hand(from, to, (uint64_t)in, size_bytes, bytes);
    }
    return true;
}

enum status file_writer_branch(struct file_writer *writer, const struct file_writer_target *target,
                               struct error *err)
{
    int from = writer->file.fd;
    writer->ring = NULL; // the other process uses it
    writer->wants_ring = false;
    writer->free_buffers = ALL_BUFFERS;
    writer->file = (struct atomic_file)ATOMIC_FILE_NONE;
    if (!open_file(writer, target))
        return atomic_file_error(&writer->file, target->path, err);
    if (!fits_limit(writer->position))
        fail(writer, EFBIG);
    else if (!copy_file(from, writer->file.fd, writer->position, writer->buffers[0].bytes))
        fail(writer, errno);
    close(from);
    return result(writer, err);
}

// Frees everything but the file. No write may be in flight any more, unless the file is dropped.
static void free_writer(struct file_writer *writer)
{
    write_ring_close(writer->ring);
    if (writer->memory)
        munmap(writer->memory, BUFFER_COUNT * BUFFER_BYTES);
    free(writer->path);
    free(writer);
}

enum status file_writer_publish(struct file_writer *writer, bool sync, struct error *err)
{
    file_writer_settle(writer);
    if (writer->error_number || writer->is_unnamed)
        atomic_file_drop(&writer->file);
    else if (!atomic_file_publish(&writer->file, sync))
        fail(writer, errno);
    enum status status = result(writer, err);
    free_writer(writer);
    return status;
}

void file_writer_abandon(struct file_writer *writer)
{
    if (!writer)
        return;
    fail(writer, ECANCELED);
    file_writer_settle(writer);
    atomic_file_drop(&writer->file);
    free_writer(writer);
}
