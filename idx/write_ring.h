// Several writes to one file in flight at once, by io_uring.
//
// The only file that uses liburing. If built with TRAWL_WITHOUT_URING, or if the kernel or a
// container refuses, no ring opens (ENOSYS, EPERM, ENOMEM), and the caller uses pwrite.
#ifndef TRAWL_IDX_WRITE_RING_H
#define TRAWL_IDX_WRITE_RING_H

#include "base/base.h"

struct write_ring;

// The memory that is written, as buffers of one size. Each has at most one write in flight.
struct write_ring_buffers {
    char *memory;
    unsigned count;
    size_t size_bytes; // of each
};

// Opens a ring that writes to `fd`. The buffers are registered with the kernel if the limit on
// locked memory allows it. A ring that opened works: set-up has made one round trip through the
// kernel. Returns NULL, with errno, on failure.
struct write_ring *write_ring_open(int fd, const struct write_ring_buffers *buffers);

// True if the buffers are registered with the kernel.
bool write_ring_is_registered(const struct write_ring *ring);

// Starts writing `size_bytes` bytes of buffer `buffer`, from `from_bytes` in it, to `offset` in the
// file. Returns 0, or an errno if nothing was started: ECANCELED if a write was canceled before, so
// that all others have to be done by pwrite.
int write_ring_start(struct write_ring *ring, unsigned buffer, size_t from_bytes, size_t size_bytes,
                     uint64_t offset);

// Waits for the end of one write. Sets *buffer, and *result to the number of bytes that were
// written or to a negative errno. Returns 0, or an errno if the ring is unusable. If no write ends
// for a second, cancels those that the kernel has not begun: it may be unable to.
int write_ring_wait(struct write_ring *ring, unsigned *buffer, int *result);

void write_ring_close(struct write_ring *ring);

#endif
