#include "base/unpack/partial.h"

#include "base/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct partial {
    const struct codec *codec;
    const struct packed *packed;
    struct restarts restarts;
    pthread_mutex_t lock;
    // Below the lock.
    char *text; // NULL: not yet mapped
    int fd;
    bool *is_there; // of each span
    uint64_t unpacked_bytes;
};

struct partial *partial_open(const struct codec *codec, const struct packed *packed,
                             struct restarts *restarts)
{
    struct partial *partial = calloc(1, sizeof *partial);
    bool *is_there = calloc(restarts->items.count, sizeof *is_there);
    if (!partial || !is_there) {
        free(is_there);
        free(partial);
        return NULL;
    }
    *partial = (struct partial){
        .codec = codec, .packed = packed, .restarts = *restarts, .fd = -1, .is_there = is_there};
    pthread_mutex_init(&partial->lock, NULL);
    *restarts = (struct restarts){0};
    return partial;
}

uint64_t partial_text_bytes(const struct partial *partial)
{
    return partial->restarts.text_bytes;
}

// Called with the lock held.
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
    close(partial->fd);
    partial->fd = -1;
    return NULL;
}

const char *partial_text(struct partial *partial)
{
    pthread_mutex_lock(&partial->lock);
    const char *text = map_text(partial);
    pthread_mutex_unlock(&partial->lock);
    return text;
}

// Room on the disk: a hole could not be filled where there is none, and that would be a signal.
static enum status allocate(struct partial *partial, uint64_t from, uint64_t to, struct error *err)
{
    int failed =
        map_text(partial) ? posix_fallocate(partial->fd, (off_t)from, (off_t)(to - from)) : errno;
    if (!failed)
        return STATUS_OK;
    errno = failed;
    return error_set_errno(err, unnamed_directory(), "no room for the trace");
}

// The span that has the byte.
static size_t span_at(const struct restarts *restarts, uint64_t plain_byte)
{
    size_t low = 0, high = restarts->items.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (restarts->items.items[middle].plain_byte <= plain_byte)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum status fill_span(struct partial *partial, size_t number, struct error *err)
{
    uint64_t from = partial->restarts.items.items[number].plain_byte;
    uint64_t to = restart_span_end(&partial->restarts, number);
    enum status status = allocate(partial, from, to, err);
    if (status == STATUS_OK)
        status = restart_read(&partial->restarts, number, partial->codec, partial->packed,
                              partial->text + from, err);
    partial->is_there[number] = status == STATUS_OK;
    partial->unpacked_bytes += to - from;
    return status;
}

enum status partial_want(struct partial *partial, uint64_t from, uint64_t to, struct error *err)
{
    enum status status = STATUS_OK;
    to = u64_min(to, partial->restarts.text_bytes);
    if (from >= to)
        return STATUS_OK;
    pthread_mutex_lock(&partial->lock);
    size_t last = span_at(&partial->restarts, to - 1);
    for (size_t i = span_at(&partial->restarts, from); i <= last && status == STATUS_OK; i++)
        status = partial->is_there[i] ? STATUS_OK : fill_span(partial, i, err);
    pthread_mutex_unlock(&partial->lock);
    return status;
}

char *partial_take_over(struct partial *partial)
{
    struct error err;
    pthread_mutex_lock(&partial->lock);
    enum status status = allocate(partial, 0, partial->restarts.text_bytes, &err);
    for (size_t i = 0; i < partial->restarts.items.count && status == STATUS_OK; i++)
        partial->is_there[i] = true;
    if (status == STATUS_OK)
        partial->unpacked_bytes += partial->restarts.text_bytes;
    pthread_mutex_unlock(&partial->lock);
    return status == STATUS_OK ? partial->text : NULL;
}

uint64_t partial_unpacked_bytes(struct partial *partial)
{
    pthread_mutex_lock(&partial->lock);
    uint64_t bytes = partial->unpacked_bytes;
    pthread_mutex_unlock(&partial->lock);
    return bytes;
}

void partial_close(struct partial *partial)
{
    if (!partial)
        return;
    if (partial->text)
        munmap(partial->text, partial->restarts.text_bytes);
    if (partial->fd >= 0)
        close(partial->fd);
    restarts_free(&partial->restarts);
    free(partial->is_there);
    pthread_mutex_destroy(&partial->lock);
    free(partial);
}
