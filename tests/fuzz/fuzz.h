// Shared by the fuzz targets. Each is a libFuzzer program, which a failed claim ends.
#ifndef TRAWL_TESTS_FUZZ_H
#define TRAWL_TESTS_FUZZ_H

#include "base/base.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CLAIM(condition) ASSERT(condition)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

// The path of an unnamed file in memory, valid until the next call.
static inline const char *fuzz_file(const void *bytes, size_t size_bytes)
{
    static int fd = -1;
    static char path[32] = "/proc/self/fd/";
    if (fd >= 0)
        close(fd);
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    CLAIM(fd >= 0 && fd < 1000 && write(fd, bytes, size_bytes) == (ssize_t)size_bytes);
    char *digit = path + strlen("/proc/self/fd/");
    if (fd >= 100)
        *digit++ = (char)('0' + fd / 100);
    if (fd >= 10)
        *digit++ = (char)('0' + fd / 10 % 10);
    *digit++ = (char)('0' + fd % 10);
    *digit = '\0';
    return path;
}

// A copy with nothing readable after it; to be freed.
static inline char *fuzz_copy(const void *bytes, size_t size_bytes)
{
    char *copy = malloc(size_bytes);
    CLAIM(copy || size_bytes == 0);
    if (size_bytes)
        memcpy(copy, bytes, size_bytes);
    return copy;
}

// A hash that depends on all bits of both.
static inline uint64_t fuzz_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + 1;
}

static inline uint64_t fuzz_mix_bytes(uint64_t hash, const void *bytes, size_t size_bytes)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size_bytes; i++)
        hash = fuzz_mix(hash, at[i]);
    return fuzz_mix(hash, size_bytes);
}

#endif
