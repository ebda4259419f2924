// To be preloaded (tests/faults/test_faults.py): makes one system call fail, or do only half of
// what was requested. Calls are counted by name, in the order in which they are made.
//
//     FAIL_CALL_NAME=NAME   which: "pwrite", "uring-completion"; none: all are only counted
//     FAIL_CALL_AT=N        the N-th, from 1
//     FAIL_CALL_FROM=N      the N-th and all after it
//     FAIL_CALL_ERRNO=E     with this errno; 0: it does half of it
//     FAIL_CALL_TELL=FD     where the counts are written at the end, a line "NAME COUNT" each
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum call {
    OPEN,
    OPENAT,
    MMAP,
    READ,
    PREAD,
    PREADV2,
    WRITE,
    PWRITE,
    FSYNC,
    FTRUNCATE,
    FALLOCATE,
    RENAMEAT,
    LINKAT,
    UNLINKAT,
    FSTAT,
    FSTATAT,
    FLOCK,
    FCHMOD,
    THREAD,
    URING_INIT,
    URING_REGISTER,
    URING_SUBMIT,
    URING_COMPLETION,
    CALLS,
};

static const char *const names[CALLS] = {
    "open",   "openat",     "mmap",           "read",         "pread",           "preadv2",
    "write",  "pwrite",     "fsync",          "ftruncate",    "fallocate",       "renameat",
    "linkat", "unlinkat",   "fstat",          "fstatat",      "flock",           "fchmod",
    "thread", "uring-init", "uring-register", "uring-submit", "uring-completion"};

static uint64_t asked[CALLS], fails_at, fails_from = UINT64_MAX;
static int chosen = -1, fails_with = EIO, tell = -1;

static uint64_t number_of(const char *variable, uint64_t none)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : none;
}

// Also called for each run of a program that was loaded before (fork_server.c).
void run_begins(void);

__attribute__((constructor)) void run_begins(void)
{
    const char *name = getenv("FAIL_CALL_NAME");
    for (int i = 0; name && i < CALLS; i++)
        if (strcmp(name, names[i]) == 0)
            chosen = i;
    fails_at = number_of("FAIL_CALL_AT", 0);
    fails_from = number_of("FAIL_CALL_FROM", UINT64_MAX);
    fails_with = (int)number_of("FAIL_CALL_ERRNO", EIO);
    tell = (int)number_of("FAIL_CALL_TELL", (uint64_t)-1);
    memset(asked, 0, sizeof asked);
}

// The original function, which the one in this file replaces.
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define NEXT(type, name)                                                                           \
    static __typeof__(type) *next_call;                                                            \
    if (!next_call) {                                                                              \
        void *found = next(name);                                                                  \
        memcpy(&next_call, &found, sizeof found);                                                  \
    }

__attribute__((destructor)) static void end(void)
{
    NEXT(write, "write")
    char text[CALLS * 40];
    int length = 0;
    for (int i = 0; i < CALLS; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %llu\n", names[i],
                           (unsigned long long)asked[i]);
    if (tell >= 0 && next_call(tell, text, (size_t)length) < 0)
        _exit(99);
}

// Whether this call is to fail; sets errno.
static bool fails(enum call call)
{
    uint64_t number = 1 + __atomic_fetch_add(&asked[call], 1, __ATOMIC_RELAXED);
    if ((int)call != chosen || (number != fails_at && number < fails_from))
        return false;
    errno = fails_with;
    return true;
}

// Half of what was requested, but not nothing, which would mean the end of a file.
static size_t half(size_t size_bytes)
{
    return size_bytes > 1 ? size_bytes / 2 : size_bytes;
}

static bool is_short(void)
{
    return fails_with == 0;
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

int open64(const char *path, int flags, ...)
{
    NEXT(open, "open64")
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return fails(OPEN) ? -1 : next_call(path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...)
{
    NEXT(openat, "openat64")
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return fails(OPENAT) ? -1 : next_call(directory, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return open64(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return openat64(directory, path, flags, mode);
}

// Calls of the allocator are tested by tests/faults/test_memory.py.
static bool is_allocator(const void *caller)
{
    Dl_info about;
    return dladdr(caller, &about) && about.dli_fname && strstr(about.dli_fname, "jemalloc");
}

void *mmap64(void *address, size_t size_bytes, int protection, int flags, int fd, off_t offset)
{
    NEXT(mmap, "mmap64")
    if (!is_allocator(__builtin_return_address(0)) && fails(MMAP))
        return MAP_FAILED;
    return next_call(address, size_bytes, protection, flags, fd, offset);
}

void *mmap(void *address, size_t size_bytes, int protection, int flags, int fd, off_t offset)
{
    NEXT(mmap, "mmap")
    if (!is_allocator(__builtin_return_address(0)) && fails(MMAP))
        return MAP_FAILED;
    return next_call(address, size_bytes, protection, flags, fd, offset);
}

ssize_t read(int fd, void *bytes, size_t size_bytes)
{
    NEXT(read, "read")
    bool is_failing = fails(READ);
    if (is_failing && !is_short())
        return -1;
    return next_call(fd, bytes, is_failing ? half(size_bytes) : size_bytes);
}

ssize_t pread64(int fd, void *bytes, size_t size_bytes, off_t offset)
{
    NEXT(pread, "pread64")
    bool is_failing = fails(PREAD);
    if (is_failing && !is_short())
        return -1;
    return next_call(fd, bytes, is_failing ? half(size_bytes) : size_bytes, offset);
}

ssize_t pread(int fd, void *bytes, size_t size_bytes, off_t offset)
{
    return pread64(fd, bytes, size_bytes, offset);
}

ssize_t preadv64v2(int fd, const struct iovec *vectors, int count, off_t offset, int flags)
{
    NEXT(preadv2, "preadv64v2")
    return fails(PREADV2) && !is_short() ? -1 : next_call(fd, vectors, count, offset, flags);
}

ssize_t preadv2(int fd, const struct iovec *vectors, int count, off_t offset, int flags)
{
    return preadv64v2(fd, vectors, count, offset, flags);
}

// Writing messages does not fail, because the failure could not be reported.
ssize_t write(int fd, const void *bytes, size_t size_bytes)
{
    NEXT(write, "write")
    bool is_failing = fd != STDERR_FILENO && fails(WRITE);
    if (is_failing && !is_short())
        return -1;
    return next_call(fd, bytes, is_failing ? half(size_bytes) : size_bytes);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size_bytes, off_t offset)
{
    NEXT(pwrite, "pwrite64")
    bool is_failing = fails(PWRITE);
    if (is_failing && !is_short())
        return -1;
    return next_call(fd, bytes, is_failing ? half(size_bytes) : size_bytes, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size_bytes, off_t offset)
{
    return pwrite64(fd, bytes, size_bytes, offset);
}

int fsync(int fd)
{
    NEXT(fsync, "fsync")
    return fails(FSYNC) ? -1 : next_call(fd);
}

int ftruncate64(int fd, off_t size_bytes)
{
    NEXT(ftruncate, "ftruncate64")
    return fails(FTRUNCATE) ? -1 : next_call(fd, size_bytes);
}

int ftruncate(int fd, off_t size_bytes)
{
    return ftruncate64(fd, size_bytes);
}

int posix_fallocate64(int fd, off_t offset, off_t size_bytes)
{
    NEXT(posix_fallocate, "posix_fallocate64")
    return fails(FALLOCATE) ? fails_with : next_call(fd, offset, size_bytes);
}

int posix_fallocate(int fd, off_t offset, off_t size_bytes)
{
    return posix_fallocate64(fd, offset, size_bytes);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    NEXT(renameat, "renameat")
    return fails(RENAMEAT) ? -1 : next_call(from_directory, from, to_directory, to);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    NEXT(linkat, "linkat")
    return fails(LINKAT) ? -1 : next_call(from_directory, from, to_directory, to, flags);
}

int unlinkat(int directory, const char *path, int flags)
{
    NEXT(unlinkat, "unlinkat")
    return fails(UNLINKAT) ? -1 : next_call(directory, path, flags);
}

int fstat(int fd, struct stat *about)
{
    NEXT(fstat, "fstat")
    return fails(FSTAT) ? -1 : next_call(fd, about);
}

int fstatat(int directory, const char *path, struct stat *about, int flags)
{
    NEXT(fstatat, "fstatat")
    return fails(FSTATAT) ? -1 : next_call(directory, path, about, flags);
}

int flock(int fd, int operation)
{
    NEXT(flock, "flock")
    return fails(FLOCK) ? -1 : next_call(fd, operation);
}

int fchmod(int fd, mode_t mode)
{
    NEXT(fchmod, "fchmod")
    return fails(FCHMOD) ? -1 : next_call(fd, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
    NEXT(pthread_create, "pthread_create")
    return fails(THREAD) ? fails_with : next_call(thread, attributes, run, context);
}

// --- io_uring ------------------------------------------------------------------------------------

int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    NEXT(io_uring_queue_init, "io_uring_queue_init")
    return fails(URING_INIT) ? -fails_with : next_call(entries, ring, flags);
}

int io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors, unsigned count)
{
    NEXT(io_uring_register_buffers, "io_uring_register_buffers")
    return fails(URING_REGISTER) ? -fails_with : next_call(ring, vectors, count);
}

// The entry that will be submitted last.
static struct io_uring_sqe *last_entry(struct io_uring *ring)
{
    return &ring->sq.sqes[(ring->sq.sqe_tail - 1) & *ring->sq.kring_mask];
}

// To make a completion fail, its request is changed to one that the kernel fails: a write to a
// device that is always full.
static void spoil_request(struct io_uring_sqe *entry)
{
    if (entry->opcode != IORING_OP_WRITE && entry->opcode != IORING_OP_WRITE_FIXED)
        return;
    if (!fails(URING_COMPLETION))
        return;
    if (is_short())
        entry->len = (unsigned)half(entry->len);
    else
        entry->fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
}

int io_uring_submit(struct io_uring *ring)
{
    NEXT(io_uring_submit, "io_uring_submit")
    if (fails(URING_SUBMIT))
        return -fails_with;
    if (ring->sq.sqe_tail != ring->sq.sqe_head)
        spoil_request(last_entry(ring));
    return next_call(ring);
}
