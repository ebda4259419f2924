// A store that only grows, at stable addresses: in memory up to a limit, and beyond it in an
// unnamed temporary file that the kernel writes out when memory is short.
#ifndef TRAWL_BASE_SPOOL_H
#define TRAWL_BASE_SPOOL_H

#include "base/base.h"
#include "base/error.h"

#include <sys/types.h>

// How much a spool keeps in anonymous memory before it uses a file: this much, or, if the memory of
// the process is limited (memory_limit_bytes), this fraction of it, because there are several
// spools.
#define SPOOL_MEMORY_BYTES (UINT64_C(64) << 20)
#define SPOOL_MEMORY_SHARE 32

struct spool {
    char *base; // of the reserved address range; NULL until first used
    uint64_t used_bytes, backed_bytes, reserved_bytes;
    uint64_t memory_bytes; // of the part without a file; 0: the default
    bool is_small;         // it will hold little: it is in memory, and moves when it grows
    int fd;                // the temporary file, if backed_bytes exceeds memory_bytes
};

// The default size of the part without a file, in whole pages.
uint64_t spool_memory_bytes(void);

// Like fork, for a child that continues to use spools while its parent waits for it: changes of the
// child are private, and take memory. Without memory, the child ends.
pid_t spools_fork(void);

// Makes room for `size_bytes` after the used part and returns the address, or NULL (no memory, or
// no room in the directory of temporary files, $TMPDIR or /tmp; errno has the reason). The caller
// adds what it wrote to used_bytes.
char *spool_reserve(struct spool *spool, uint64_t size_bytes);

// Declares that the bytes from `start` to `end` will not be needed soon: memory that is backed by a
// file is released. It is read again when needed.
void spool_leave(const struct spool *spool, uint64_t start, uint64_t end);

void spool_free(struct spool *spool);

// --- Unnamed files -------------------------------------------------------------------------------

// A temporary file without a name: nothing is left of it when the program ends, for any reason.

// The directory for temporary files: $TMPDIR, or else /tmp.
const char *unnamed_directory(void);

// Opens a new file in `directory` for reading and writing, which no other process can open. -1: not
// possible, for the reason in errno.
int unnamed_open(const char *directory);

// The limit of memory that the process may take for itself: heap, stacks, and writable mappings
// without a file. Pages of mapped files are not counted, because the kernel reclaims them when
// memory is short.

#define MEMORY_UNLIMITED UINT64_MAX

// From now on, the kernel refuses more memory than that. A lower existing limit stays. False: not
// possible.
bool memory_limit_set(uint64_t bytes);

// The limit, or MEMORY_UNLIMITED if there is none.
uint64_t memory_limit_bytes(void);

#endif
