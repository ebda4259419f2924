#include "idx/file_writer.h"

#include <errno.h>
#include <stdlib.h>

#ifdef TRAWL_WITHOUT_URING

struct write_ring *write_ring_open(int fd, const struct write_ring_buffers *buffers)
{
    (void)fd;
    (void)buffers;
    errno = ENOSYS;
    return NULL;
}

bool write_ring_is_registered(const struct write_ring *ring)
{
    (void)ring;
    return false;
}

int write_ring_start(struct write_ring *ring, unsigned buffer, size_t from_bytes, size_t size_bytes,
                     uint64_t offset)
{
    (void)ring;
    (void)buffer;
    (void)from_bytes;
    (void)size_bytes;
    (void)offset;
    return ENOSYS;
}

int write_ring_wait(struct write_ring *ring, unsigned *buffer, int *result)
{
    (void)ring;
    (void)buffer;
    (void)result;
    return ENOSYS;
}

void write_ring_close(struct write_ring *ring)
{
    (void)ring;
}

#else

#include <liburing.h>
#include <unistd.h>

#define SUBMIT_TRIES 1000
#define SUBMIT_PAUSE_US 1000

// Writes that the kernel cannot do at once are left to threads that count as this process's. If it
// may have no more, the kernel cancels the writes after some time, each time again, or lets them
// wait for ever. A disk rarely takes so long.
#define PATIENCE_S 1

// As user_data, which is else the number of a buffer: a request to cancel.
#define CANCELLATION UINT64_MAX

struct write_ring {
    struct io_uring uring;
    struct write_ring_buffers buffers;
    int fd;
    bool is_registered;
    bool is_stuck; // writes were canceled
};

// Waits for the end of a request, at most PATIENCE_S. Returns 0 or an errno, ETIME.
static int wait_briefly(struct io_uring *uring, struct io_uring_cqe **done)
{
    struct __kernel_timespec patience = {.tv_sec = PATIENCE_S};
    int failed;
    do {
        failed = -io_uring_wait_cqe_timeout(uring, done, &patience);
    } while (failed == EINTR);
    return failed;
}

// Sandboxes may allow some of the system calls, but not all that are needed.
static int check_trip(struct io_uring *uring)
{
    struct io_uring_cqe *done;
    struct io_uring_sqe *nop = io_uring_get_sqe(uring);
    int failed;
    if (!nop)
        return ENOSYS;
    io_uring_prep_nop(nop);
    do {
        failed = io_uring_submit(uring);
    } while (failed == -EINTR);
    if (failed < 0)
        return -failed;
    failed = wait_briefly(uring, &done);
    if (failed)
        return failed;
    io_uring_cqe_seen(uring, done);
    return 0;
}

struct write_ring *write_ring_open(int fd, const struct write_ring_buffers *buffers)
{
    struct write_ring *ring = calloc(1, sizeof *ring);
    if (!ring)
        return NULL;
    ring->fd = fd;
    ring->buffers = *buffers;
    int failed = -io_uring_queue_init(buffers->count, &ring->uring, 0);
    if (failed) {
        free(ring);
        errno = failed;
        return NULL;
    }
    // The first releases of io_uring have no plain writes.
    struct io_uring_probe *probe = io_uring_get_probe_ring(&ring->uring);
    bool can_write = probe && io_uring_opcode_supported(probe, IORING_OP_WRITE);
    io_uring_free_probe(probe);
    failed = can_write ? check_trip(&ring->uring) : ENOSYS;
    if (failed) {
        write_ring_close(ring);
        errno = failed;
        return NULL;
    }
    struct iovec vectors[64];
    ASSERT(ring->buffers.count <= ARRAY_COUNT(vectors));
    for (unsigned i = 0; i < ring->buffers.count; i++) {
        vectors[i].iov_base = ring->buffers.memory + i * ring->buffers.size_bytes;
        vectors[i].iov_len = ring->buffers.size_bytes;
    }
    ring->is_registered =
        io_uring_register_buffers(&ring->uring, vectors, ring->buffers.count) == 0;
    return ring;
}

bool write_ring_is_registered(const struct write_ring *ring)
{
    return ring->is_registered;
}

// The kernel refuses temporarily if it has no memory for a request.
static int submit(struct io_uring *uring)
{
    int submitted = io_uring_submit(uring);
    for (int i = 0; i < SUBMIT_TRIES && submitted < 0; i++) {
        if (submitted != -EINTR && submitted != -EAGAIN)
            break;
        usleep(SUBMIT_PAUSE_US);
        submitted = io_uring_submit(uring);
    }
    return submitted < 0 ? -submitted : 0;
}

int write_ring_start(struct write_ring *ring, unsigned buffer, size_t from_bytes, size_t size_bytes,
                     uint64_t offset)
{
    const char *from = ring->buffers.memory + buffer * ring->buffers.size_bytes + from_bytes;
    if (ring->is_stuck)
        return ECANCELED;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
    ASSERT(sqe && from_bytes + size_bytes <= ring->buffers.size_bytes);
    if (ring->is_registered)
        io_uring_prep_write_fixed(sqe, ring->fd, from, (unsigned)size_bytes, offset, (int)buffer);
    else
        io_uring_prep_write(sqe, ring->fd, from, (unsigned)size_bytes, offset);
    sqe->user_data = buffer;
    return submit(&ring->uring);
}

// Cancels all writes that no thread of the kernel has begun. Those that have begun end by
// themselves, as pwrite does.
static int cancel_all(struct write_ring *ring)
{
    ring->is_stuck = true;
    for (unsigned i = 0; i < ring->buffers.count; i++) {
        struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
        if (!sqe)
            break;
        io_uring_prep_cancel64(sqe, i, 0);
        sqe->user_data = CANCELLATION;
    }
    return submit(&ring->uring);
}

int write_ring_wait(struct write_ring *ring, unsigned *buffer, int *result)
{
    struct io_uring_cqe *done;
    for (;;) {
        int failed = wait_briefly(&ring->uring, &done);
        if (failed == ETIME)
            failed = cancel_all(ring);
        else if (!failed && done->user_data == CANCELLATION)
            io_uring_cqe_seen(&ring->uring, done);
        else if (!failed)
            break;
        if (failed)
            return failed;
    }
    *buffer = (unsigned)done->user_data;
    *result = done->res;
    ring->is_stuck |= done->res == -ECANCELED;
    io_uring_cqe_seen(&ring->uring, done);
    return 0;
}

void write_ring_close(struct write_ring *ring)
{
    if (!ring)
        return;
    io_uring_queue_exit(&ring->uring);
    free(ring);
}

#endif
