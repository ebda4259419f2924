#include "base/spool.h"

#include "base/limits.h"
#include "base/memory_limit.h"
#include "base/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPOOL_STEP_BYTES (UINT64_C(16) << 20)
#define LARGEST_PAGE_BYTES UINT64_C(65536) // of any machine

static atomic_bool keep_to_memory;

void spools_keep_to_memory(void)
{
    atomic_store(&keep_to_memory, true);
}

// In whole pages.
static uint64_t usual_memory_bytes(void)
{
    if (atomic_load(&keep_to_memory))
        return LIMIT_SPOOL_BYTES;
    uint64_t share = memory_limit_bytes() / SPOOL_MEMORY_SHARE;
    return u64_max(LARGEST_PAGE_BYTES,
                   u64_min(SPOOL_MEMORY_BYTES, share - share % LARGEST_PAGE_BYTES));
}

static bool reserve_range(struct spool *spool)
{
    // Address space costs nothing; a smaller range is taken where its size is limited.
    for (uint64_t size = LIMIT_SPOOL_BYTES; size >= SPOOL_STEP_BYTES; size /= 4) {
        void *base =
            mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            continue;
        spool->base = base;
        spool->reserved_bytes = size;
        spool->fd = -1;
        if (!spool->memory_bytes)
            spool->memory_bytes = usual_memory_bytes();
        return true;
    }
    return false;
}

static bool back_with_file(struct spool *spool, uint64_t bytes)
{
    if (spool->fd < 0 && (spool->fd = unnamed_open(unnamed_directory())) < 0)
        return false;
    uint64_t offset = spool->backed_bytes - spool->memory_bytes;
    // Allocated now: a hole could not be filled on a full disk, and that would be a signal.
    int failed = posix_fallocate(spool->fd, (off_t)offset, (off_t)bytes);
    if (failed) {
        errno = failed;
        return false;
    }
    return mmap(spool->base + spool->backed_bytes, bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, spool->fd, (off_t)offset) != MAP_FAILED;
}

static bool back_one_step(struct spool *spool)
{
    bool is_memory = spool->backed_bytes < spool->memory_bytes;
    uint64_t bytes = is_memory ? u64_min(SPOOL_STEP_BYTES, spool->memory_bytes) : SPOOL_STEP_BYTES;
    if (spool->reserved_bytes - spool->backed_bytes < bytes) {
        errno = ENOMEM;
        return false;
    }
    bool is_backed =
        is_memory ? mprotect(spool->base + spool->backed_bytes, bytes, PROT_READ | PROT_WRITE) == 0
                  : back_with_file(spool, bytes);
    if (is_backed)
        spool->backed_bytes += bytes;
    return is_backed;
}

char *spool_reserve(struct spool *spool, uint64_t size_bytes)
{
    if (!spool->base && !reserve_range(spool))
        return NULL;
    if (size_bytes > spool->reserved_bytes - spool->used_bytes) {
        errno = ENOMEM;
        return NULL;
    }
    while (spool->backed_bytes - spool->used_bytes < size_bytes) {
        if (!back_one_step(spool))
            return NULL;
    }
    return spool->base + spool->used_bytes;
}

void spool_leave(const struct spool *spool, uint64_t start, uint64_t end)
{
    start = u64_max(start, spool->memory_bytes) + LARGEST_PAGE_BYTES - 1;
    start -= start % LARGEST_PAGE_BYTES;
    end = u64_min(end, spool->backed_bytes);
    end -= end % LARGEST_PAGE_BYTES;
    if (spool->base && start < end)
        madvise(spool->base + start, end - start, MADV_DONTNEED);
}

void spool_free(struct spool *spool)
{
    if (!spool->base)
        return;
    munmap(spool->base, spool->reserved_bytes);
    if (spool->fd >= 0)
        close(spool->fd);
    *spool = (struct spool){.fd = -1};
}
