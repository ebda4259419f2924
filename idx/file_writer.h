// Writes a file from front to back, with several writes in flight. The file appears under its name
// only when it is complete (base/atomic_file.h).
//
// Appending does not report errors: the first failure (a full disk, a limit) is stored, later bytes
// are discarded, and the next function with a result returns the failure, with the file's name.
// After a crash, a kill or a failure, the old file, if there was one, is unchanged, and there is no
// new one.
//
// One thread at a time may use a writer.
#ifndef TRAWL_IDX_FILE_WRITER_H
#define TRAWL_IDX_FILE_WRITER_H

#include "base/base.h"
#include "base/error.h"
#include "base/map.h"

// --- write_ring.c --------------------------------------------------------------------------------

// Several writes to one file in flight at once, by io_uring.
//
// The only file that uses liburing. If built with TRAWL_WITHOUT_URING, or if the kernel or a
// container refuses, no ring opens (ENOSYS, EPERM, ENOMEM), and the caller uses pwrite.

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

// --- file_writer.c -------------------------------------------------------------------------------

struct file_writer;

enum file_writer_io {
    FILE_WRITER_AUTO,  // io_uring if the system allows it, otherwise pwrite
    FILE_WRITER_URING, // or fail
    FILE_WRITER_PWRITE,
};

// The value of TRAWL_IO: uring or pwrite; FILE_WRITER_AUTO if it is not set. STATUS_INPUT: another
// value.
enum status file_writer_choose(enum file_writer_io *io, struct error *err);

struct file_writer_target {
    const char *path; // that file_writer_publish gives it; for an open file, only for messages
    int like; // the file whose access rights it gets (base/atomic_file.h); -1: the replaced one
    int fd;   // an open, empty file to be written instead, which stays open; -1: none
};

#define FILE_WRITER_TARGET(path) (&(const struct file_writer_target){(path), -1, -1})

// Begins a file. STATUS_IO: it cannot be created there.
enum status file_writer_open(struct file_writer **writer, const struct file_writer_target *target,
                             enum file_writer_io io, struct error *err);

// How the file is being written: FILE_WRITER_URING or FILE_WRITER_PWRITE.
enum file_writer_io file_writer_io_in_use(const struct file_writer *writer);

// Appends bytes. The caller may reuse them when this returns.
void file_writer_append(struct file_writer *writer, const void *bytes, size_t size_bytes);

// The number of bytes appended so far, which is the offset of the next. Continues to count after a
// failure.
uint64_t file_writer_position(const struct file_writer *writer);

// Overwrites bytes that were appended at `offset`, for a header that is known only at the end.
// Waits until everything before is written, so it is not suited to many small changes.
void file_writer_patch(struct file_writer *writer, uint64_t offset, const void *bytes,
                       size_t size_bytes);

// True after a failure: the rest may be skipped.
bool file_writer_failed(const struct file_writer *writer);

// Maps everything that was appended so far, for reading. Waits until it is written. The map stays
// valid until map_close, even if the writer continues or ends, but map_is_intact is true only until
// the writer continues.
enum status file_writer_read_back(struct file_writer *writer, struct map *map, struct error *err);

// Waits until everything that was appended is written, so that the process may fork.
void file_writer_settle(struct file_writer *writer);

// In a process that was forked after that: continues in a new file, for `target`, which gets
// everything that was appended so far. The file of the other process does not change. Fails like
// file_writer_open.
enum status file_writer_branch(struct file_writer *writer, const struct file_writer_target *target,
                               struct error *err);

// Waits until everything is written, gives the file its name in place of an older file (unless it
// was opened by the caller), and frees the writer, even on failure. With `sync`, the file and its
// name are on disk before this returns.
enum status file_writer_publish(struct file_writer *writer, bool sync, struct error *err);

// Frees the writer and removes the file. NULL is allowed.
void file_writer_abandon(struct file_writer *writer);

#endif
