#include "base/spool.h"

#include "base/limits.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

const char *unnamed_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

// For file systems without unnamed files: signals are blocked while the file has a name.
static int open_and_unlink(char *path)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

int unnamed_open(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char *path = NULL;
    if (asprintf(&path, "%s/trawl-XXXXXX", directory) < 0)
        return -1;
    fd = open_and_unlink(path);
    free(path);
    return fd;
}

#define SPOOL_STEP_BYTES (UINT64_C(16) << 20)
#define LARGEST_PAGE_BYTES UINT64_C(65536) // on any machine

// The part of each spool that is backed by a file. A forked process would share it.
struct filed_part {
    char *start;
    uint64_t size_bytes;
    int fd;
};

static pthread_mutex_t filed_lock = PTHREAD_MUTEX_INITIALIZER;
static VEC(, struct filed_part) filed;
static bool is_forked; // this is a forked process, whose spools have no files

// Records that memory from `start` on is backed by a file. False: no memory.
static bool note_filed(char *start, uint64_t size_bytes, int fd)
{
    size_t i = 0;
    pthread_mutex_lock(&filed_lock);
    while (i < filed.count && filed.items[i].start != start)
        i++;
    bool has_room = i < filed.count || VEC_ROOM(&filed, 1);
    if (has_room) {
        filed.items[i] = (struct filed_part){start, size_bytes, fd};
        filed.count += i == filed.count;
    }
    pthread_mutex_unlock(&filed_lock);
    return has_room;
}

pid_t spools_fork(void)
{
    pthread_mutex_lock(&filed_lock);
    pid_t child = fork();
    for (size_t i = 0; child == 0 && i < filed.count; i++) {
        const struct filed_part *part = &filed.items[i];
        if (mmap(part->start, part->size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                 part->fd, 0) == MAP_FAILED)
            _exit(EXIT_FAILURE);
    }
    is_forked |= child == 0;
    pthread_mutex_unlock(&filed_lock);
    return child;
}

uint64_t spool_memory_bytes(void)
{
    uint64_t share = memory_limit_bytes() / SPOOL_MEMORY_SHARE;
    return u64_max(LARGEST_PAGE_BYTES,
                   u64_min(SPOOL_MEMORY_BYTES, share - share % LARGEST_PAGE_BYTES));
}

static atomic_size_t spool_count; // spools with a reserved range

static bool reserve_range(struct spool *spool)
{
    bool is_small = atomic_load(&spool_count) >= LIMIT_LARGE_SPOOLS;
    // Address space is free; if it is limited, a smaller range is reserved.
    for (uint64_t size = is_small ? LIMIT_SMALL_SPOOL_BYTES : LIMIT_SPOOL_BYTES;
         size >= SPOOL_STEP_BYTES; size /= 4) {
        void *base =
            mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            continue;
        atomic_fetch_add(&spool_count, 1);
        spool->base = base;
        spool->reserved_bytes = size;
        spool->fd = -1;
        if (!spool->memory_bytes)
            spool->memory_bytes = spool_memory_bytes();
        return true;
    }
    return false;
}

static bool back_with_file(struct spool *spool, uint64_t bytes)
{
    if (spool->fd < 0 && (spool->fd = unnamed_open(unnamed_directory())) < 0)
        return false;
    uint64_t offset = spool->backed_bytes - spool->memory_bytes;
    // Allocates the blocks now: if the disk is full later, filling a hole would raise a signal.
    int failed = posix_fallocate(spool->fd, (off_t)offset, (off_t)bytes);
    if (failed) {
        errno = failed;
        return false;
    }
    if (mmap(spool->base + spool->backed_bytes, bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, spool->fd, (off_t)offset) == MAP_FAILED)
        return false;
    return note_filed(spool->base + spool->memory_bytes, offset + bytes, spool->fd);
}

char *spool_reserve(struct spool *spool, uint64_t size_bytes)
{
    if (spool->is_small) {
        VEC(, char) bytes = {spool->base, (size_t)spool->used_bytes, (size_t)spool->backed_bytes};
        if (!VEC_ROOM(&bytes, (size_t)size_bytes))
            return NULL;
        spool->base = bytes.items;
        spool->backed_bytes = bytes.capacity;
        return spool->base + spool->used_bytes;
    }
    if (!spool->base && !reserve_range(spool))
        return NULL;
    if (size_bytes > spool->reserved_bytes - spool->used_bytes) {
        errno = ENOMEM;
        return NULL;
    }
    while (spool->backed_bytes - spool->used_bytes < size_bytes) {
        bool is_memory = is_forked || spool->backed_bytes < spool->memory_bytes;
        uint64_t bytes = is_memory && !is_forked ? u64_min(SPOOL_STEP_BYTES, spool->memory_bytes)
                                                 : SPOOL_STEP_BYTES;
        if (spool->reserved_bytes - spool->backed_bytes < bytes) {
            errno = ENOMEM;
            return NULL;
        }
        bool is_backed = is_memory ? mprotect(spool->base + spool->backed_bytes, bytes,
                                              PROT_READ | PROT_WRITE) == 0
                                   : back_with_file(spool, bytes);
        if (is_backed)
            spool->backed_bytes += bytes;
        if (!is_backed)
            return NULL;
    }
    return spool->base + spool->used_bytes;
}

void spool_leave(const struct spool *spool, uint64_t start, uint64_t end)
{
    if (spool->is_small)
        return;
    start = u64_max(start, spool->memory_bytes) + LARGEST_PAGE_BYTES - 1;
    start -= start % LARGEST_PAGE_BYTES;
    end = u64_min(end, spool->backed_bytes);
    end -= end % LARGEST_PAGE_BYTES;
    // The changes of a forked process are in no file.
    if (spool->base && start < end && !is_forked)
        madvise(spool->base + start, end - start, MADV_DONTNEED);
}

void spool_free(struct spool *spool)
{
    if (spool->is_small) {
        free(spool->base);
        spool->base = NULL;
        spool->used_bytes = spool->backed_bytes = 0;
    }
    if (!spool->base)
        return;
    if (spool->fd >= 0) {
        const char *start = spool->base + spool->memory_bytes;
        size_t i = 0;
        pthread_mutex_lock(&filed_lock);
        while (i < filed.count && filed.items[i].start != start)
            i++;
        if (i < filed.count)
            filed.items[i] = filed.items[--filed.count];
        pthread_mutex_unlock(&filed_lock);
    }
    munmap(spool->base, spool->reserved_bytes);
    atomic_fetch_sub(&spool_count, 1);
    if (spool->fd >= 0)
        close(spool->fd);
    *spool = (struct spool){.fd = -1};
}

bool memory_limit_set(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return false;
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= bytes)
        return true;
    limit.rlim_cur = bytes;
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

uint64_t memory_limit_bytes(void)
{
    struct rlimit limit;
    bool is_limited = getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_limited ? limit.rlim_cur : MEMORY_UNLIMITED;
}
