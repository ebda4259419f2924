// Several writes to one file in flight at once, by io_uring.
//
// The only file that knows liburing. Built with TRAWL_WITHOUT_URING, or where the kernel or a
// container refuses, no ring opens (ENOSYS, EPERM, ENOMEM), and the caller has pwrite.
#ifndef TRAWL_IDX_WRITE_RING_H
#define TRAWL_IDX_WRITE_RING_H

#include "base/base.h"

struct write_ring;

// The memory that is written from, in buffers of one size, one write at a time from each.
struct write_ring_buffers {
    char *memory;
    unsigned count;
    size_t size_bytes; // of each
};

// A ring that writes to `fd`. The buffers are registered with the kernel where the limit on locked
// memory allows. A ring that opened works: set-up has made one trip through the kernel. Returns
// NULL, with errno, when there is none.
struct write_ring *write_ring_open(int fd, const struct write_ring_buffers *buffers);

// True if the buffers are registered with the kernel.
bool write_ring_is_registered(const struct write_ring *ring);

// Starts to write `size_bytes` bytes of buffer `buffer`, from `from_bytes` in it, to `offset`.
// Returns 0, or an errno, and then nothing was started.
int write_ring_start(struct write_ring *ring, unsigned buffer, size_t from_bytes, size_t size_bytes,
                     uint64_t offset);

// Waits for the end of one write that was started. Sets *buffer, and *result to the number of bytes
// that were written or to a negative errno. Returns 0, or an errno when the ring is lost.
int write_ring_wait(struct write_ring *ring, unsigned *buffer, int *result);

void write_ring_close(struct write_ring *ring);

#endif
