#include "compat/ttu/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum status ttu_file_open(struct ttu_file *file, const char *path, int like, struct error *err)
{
    *file = (struct ttu_file){.file = ATOMIC_FILE_NONE};
    pthread_mutex_init(&file->lock, NULL);
    if (atomic_file_open(&file->file, path, O_WRONLY, ATOMIC_FILE_MAY_TAKE_OVER, like))
        return STATUS_OK;
    enum status status = atomic_file_error(&file->file, path, err);
    ttu_file_free(file);
    return status;
}

void ttu_file_free(struct ttu_file *file)
{
    atomic_file_drop(&file->file);
    while (file->waiting_count)
        free(file->waiting[--file->waiting_count].bytes);
    while (file->spare_count)
        free(file->spare[--file->spare_count]);
    pthread_mutex_destroy(&file->lock);
}

void ttu_file_patch(struct ttu_file *file, uint64_t offset, const void *bytes, size_t size_bytes)
{
    const uint8_t *at = bytes;
    while (size_bytes && !ttu_file_failed(file)) {
        ssize_t written = pwrite(file->file.fd, at, size_bytes, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            int expected = 0;
            atomic_compare_exchange_strong(&file->failure, &expected, written < 0 ? errno : ENOSPC);
            return;
        }
        at += written;
        offset += (uint64_t)written;
        size_bytes -= (size_t)written;
    }
}

static void write_block(struct ttu_file *file, const struct ttu_block *block)
{
    ttu_file_patch(file, block->offset, block->bytes, block->used);
}

void ttu_file_write_waiting(struct ttu_file *file)
{
    for (;;) {
        pthread_mutex_lock(&file->lock);
        bool has_block = file->waiting_count > 0;
        const struct ttu_block block =
            has_block ? file->waiting[--file->waiting_count] : (struct ttu_block){0};
        pthread_mutex_unlock(&file->lock);
        if (!has_block)
            return;
        write_block(file, &block);
        pthread_mutex_lock(&file->lock);
        bool is_kept = file->spare_count < TTU_BLOCKS_WAITING;
        if (is_kept)
            file->spare[file->spare_count++] = block.bytes;
        pthread_mutex_unlock(&file->lock);
        if (!is_kept)
            free(block.bytes);
    }
}

enum status ttu_file_publish(struct ttu_file *file, const char *path, int like, bool sync,
                             struct error *err)
{
    ttu_file_write_waiting(file);
    errno = atomic_load(&file->failure);
    if (errno)
        return error_set_errno(err, path, "write");
    // For a trace whose time is in the future.
    struct stat trace, own;
    if (like >= 0 && fstat(like, &trace) == 0 && S_ISREG(trace.st_mode) &&
        fstat(file->file.fd, &own) == 0 && own.st_mtim.tv_sec < trace.st_mtim.tv_sec) {
        const struct timespec times[2] = {trace.st_mtim, trace.st_mtim};
        (void)!futimens(file->file.fd, times); // otherwise readers rebuild it
    }
    return atomic_file_publish(&file->file, sync) ? STATUS_OK : error_set_errno(err, path, "write");
}

// --- Streams -------------------------------------------------------------------------------------

bool ttu_stream_begin(struct ttu_stream *stream, struct ttu_file *file, uint64_t offset)
{
    *stream = (struct ttu_stream){.file = file,
                                  .block = {.bytes = malloc(TTU_BLOCK_BYTES), .offset = offset}};
    return stream->block.bytes != NULL;
}

// Queues the stream's block and returns an empty one. NULL: the queue is full, or there is no
// memory.
static uint8_t *exchange(struct ttu_stream *stream)
{
    struct ttu_file *file = stream->file;
    uint8_t *empty = NULL;
    pthread_mutex_lock(&file->lock);
    if (file->waiting_count < TTU_BLOCKS_WAITING)
        empty = file->spare_count ? file->spare[--file->spare_count] : malloc(TTU_BLOCK_BYTES);
    if (empty)
        file->waiting[file->waiting_count++] = stream->block;
    pthread_mutex_unlock(&file->lock);
    return empty;
}

void ttu_stream_turn(struct ttu_stream *stream)
{
    uint8_t *empty = stream->defers ? exchange(stream) : NULL;
    if (empty)
        stream->block.bytes = empty;
    else
        write_block(stream->file, &stream->block);
    stream->block.offset += stream->block.used;
    stream->block.used = 0;
}

void ttu_stream_end(struct ttu_stream *stream)
{
    write_block(stream->file, &stream->block);
    stream->block.offset += stream->block.used;
    stream->block.used = 0;
}

void ttu_stream_free(struct ttu_stream *stream)
{
    free(stream->block.bytes);
    *stream = (struct ttu_stream){0};
}

bool ttu_contents_begin(struct ttu_contents *contents)
{
    contents->recent = calloc((size_t)1 << TTU_CONTENTS_BITS, sizeof *contents->recent);
    return contents->recent != NULL;
}

void ttu_contents_free(struct ttu_contents *contents)
{
    free(contents->recent);
    contents->recent = NULL;
}
