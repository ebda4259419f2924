// A store that only grows, at stable addresses: in memory up to a bound, from there in an unnamed
// temporary file that the kernel writes out when memory is short.
#ifndef TRAWL_BASE_SPOOL_H
#define TRAWL_BASE_SPOOL_H

#include "base/error.h"

#include <sys/types.h>

// What a spool keeps in anonymous memory before it turns to a file: so much, or where the memory
// of the process is limited (base/memory_limit.h) one part in so many of that, as there are
// several.
#define SPOOL_MEMORY_BYTES (UINT64_C(64) << 20)
#define SPOOL_MEMORY_SHARE 32

struct spool {
    char *base; // of the reserved address range; NULL until first used
    uint64_t used_bytes, backed_bytes, reserved_bytes;
    uint64_t memory_bytes; // bound of the part without a file; 0: as usual
    bool is_small;         // what it will hold is little: it is in memory, and moves when it grows
    int fd;                // of the temporary file, once backed_bytes exceeds it
};

// What a spool keeps in memory where its owner does not say: in whole pages.
uint64_t spool_memory_bytes(void);

// As fork, for a child that continues with what is in spools while its parent waits for it: what it
// changes there is its own, and it takes memory for what it adds. Where that cannot be had, it
// ends.
pid_t spools_fork(void);

// Makes room for `size_bytes` after what is used and returns where, or NULL (no memory, or no room
// where temporary files go: $TMPDIR, else /tmp; errno says which). The caller adds to used_bytes
// what it wrote.
char *spool_reserve(struct spool *spool, uint64_t size_bytes);

// Says that the bytes from `start` to `end` will not be used soon: memory that a file stands for is
// given back. It is read again when it is used.
void spool_leave(const struct spool *spool, uint64_t start, uint64_t end);

void spool_free(struct spool *spool);

#endif
