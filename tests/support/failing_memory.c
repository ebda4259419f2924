// To be preloaded (tests/faults/test_memory.py): makes one allocation of a program fail, or all
// from one on, regardless of the caller. Allocations are counted in the order in which they are
// requested, so that in a program without threads the same one fails again.
//
//     FAIL_MEMORY_AT=N     the N-th, from 1; 0: none
//     FAIL_MEMORY_FROM=N   the N-th and all after it
//     FAIL_MEMORY_TELL=FD  where the count is written at the end, after "failed" if one failed
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// For what dlsym itself requests before it has found anything.
static _Alignas(16) unsigned char early[16384];
static size_t early_bytes;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static void (*next_free)(void *);
static bool is_ready, is_finding, has_failed;
static uint64_t asked, fails_at = UINT64_MAX, fails_from = UINT64_MAX;
static int tell = -1;

static uint64_t number_of(const char *variable, uint64_t none)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : none;
}

static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

static void find_next(void)
{
    if (next_malloc || is_finding)
        return;
    is_finding = true;
    find(&next_calloc, "calloc");
    find(&next_realloc, "realloc");
    find(&next_posix_memalign, "posix_memalign");
    find(&next_aligned_alloc, "aligned_alloc");
    find(&next_free, "free");
    find(&next_malloc, "malloc");
    is_finding = false;
}

// Also called for each run of a program that was loaded before (fork_server.c).
void run_begins(void);

void run_begins(void)
{
    fails_at = number_of("FAIL_MEMORY_AT", 0);
    fails_from = number_of("FAIL_MEMORY_FROM", UINT64_MAX);
    tell = (int)number_of("FAIL_MEMORY_TELL", (uint64_t)-1);
    asked = 0;
}

__attribute__((constructor)) static void begin(void)
{
    find_next();
    run_begins();
    is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%s%llu\n", has_failed ? "failed " : "",
                          (unsigned long long)__atomic_load_n(&asked, __ATOMIC_RELAXED));
    if (tell >= 0 && write(tell, text, (size_t)length) < 0)
        _exit(99);
}

static bool fails(void)
{
    if (!is_ready)
        return false;
    uint64_t number = 1 + __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    if (number != fails_at && number < fails_from)
        return false;
    __atomic_store_n(&has_failed, true, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return true;
}

static void *early_alloc(size_t size_bytes)
{
    size_bytes = (size_bytes + 15) & ~(size_t)15;
    if (size_bytes > sizeof early - early_bytes)
        return NULL;
    early_bytes += size_bytes;
    return early + early_bytes - size_bytes;
}

static bool is_early(const void *memory)
{
    return (const unsigned char *)memory >= early &&
           (const unsigned char *)memory < early + sizeof early;
}

void *malloc(size_t size_bytes)
{
    find_next();
    if (!next_malloc)
        return early_alloc(size_bytes);
    return fails() ? NULL : next_malloc(size_bytes);
}

void *calloc(size_t count, size_t size_bytes)
{
    find_next();
    if (!next_malloc)
        return early_alloc(count * size_bytes);
    return fails() ? NULL : next_calloc(count, size_bytes);
}

void *realloc(void *memory, size_t size_bytes)
{
    find_next();
    if (is_early(memory) || !next_malloc)
        return NULL;
    return fails() ? NULL : next_realloc(memory, size_bytes);
}

void *reallocarray(void *memory, size_t count, size_t size_bytes)
{
    size_t total_bytes;
    if (__builtin_mul_overflow(count, size_bytes, &total_bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, total_bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t size_bytes)
{
    find_next();
    return fails() ? ENOMEM : next_posix_memalign(memory, alignment, size_bytes);
}

void *aligned_alloc(size_t alignment, size_t size_bytes)
{
    find_next();
    return fails() ? NULL : next_aligned_alloc(alignment, size_bytes);
}

void free(void *memory)
{
    find_next();
    if (!is_early(memory) && next_free)
        next_free(memory);
}
