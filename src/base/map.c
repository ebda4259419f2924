#include "base/map.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The signal handler can use only static data: this is the only table in the program that changes.
// A slot is in use if its size is not zero.
static struct {
    atomic_uintptr_t start;
    atomic_size_t size_bytes;
    atomic_bool is_hit;
} guards[LIMIT_MAPPED_FILES];

static atomic_bool is_installed;

static uint64_t mtime_ns_of(const struct stat *info)
{
    return (uint64_t)info->st_mtim.tv_sec * UINT64_C(1000000000) + (uint64_t)info->st_mtim.tv_nsec;
}

static int guard_add(const void *start, size_t size_bytes)
{
    for (int i = 0; i < LIMIT_MAPPED_FILES; i++) {
        size_t expected = 0;
        if (!atomic_compare_exchange_strong(&guards[i].size_bytes, &expected, size_bytes))
            continue;
        atomic_store(&guards[i].is_hit, false);
        atomic_store(&guards[i].start, (uintptr_t)start);
        return i;
    }
    return -1;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t address = (uintptr_t)info->si_addr;
    for (int i = 0; i < LIMIT_MAPPED_FILES; i++) {
        uintptr_t start = atomic_load(&guards[i].start);
        if (!start || address < start || address - start >= atomic_load(&guards[i].size_bytes))
            continue;
        uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
        uintptr_t page = address & ~(page_bytes - 1);
        // Zeros instead. Makes the system call itself: `mmap` is not among the functions that a
        // handler may call, and ThreadSanitizer would treat it as a write to memory that other
        // threads read.
        if ((uintptr_t)syscall(SYS_mmap, page, page_bytes, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
            atomic_store(&guards[i].is_hit, true);
            return;
        }
    }
    signal(number, SIG_DFL); // another kind of fault: the instruction runs again and ends the
                             // program
}

void map_guard_install(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    atomic_store(&is_installed, sigaction(SIGBUS, &action, NULL) == 0);
}

enum status map_open(struct map *map, int fd, const char *path, struct error *err)
{
    struct stat info;
    *map = (struct map){.fd = fd, .guard_slot = -1};
    if (fstat(fd, &info) != 0) {
        enum status status = error_set_errno(err, path, "stat");
        close(fd);
        return status;
    }
    map->size_bytes = map->file_bytes = (uint64_t)info.st_size;
    map->mtime_ns = mtime_ns_of(&info);
    if (map->size_bytes == 0)
        return STATUS_OK;
    void *data = mmap(NULL, map->size_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) {
        enum status status = error_set_errno(err, path, "map");
        close(fd);
        return status;
    }
    map->data = data;
    map->guard_slot = guard_add(data, map->size_bytes);
    if (map->guard_slot >= 0 || !atomic_load(&is_installed))
        return STATUS_OK;
    map_close(map);
    return error_set(err, STATUS_LIMIT, "%s: more than %d files at once", path, LIMIT_MAPPED_FILES);
}

// Reads the whole file. False: not possible, for the reason in errno.
static bool read_whole(int fd, char *bytes, uint64_t size_bytes)
{
    for (uint64_t done = 0; done < size_bytes;) {
        ssize_t got = pread(fd, bytes + done, (size_t)(size_bytes - done), (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got ? errno : ESTALE; // it was truncated
            return false;
        }
        done += (uint64_t)got;
    }
    return true;
}

enum status map_open_copy(struct map *map, int fd, const char *path, struct error *err)
{
    struct stat info;
    *map = (struct map){.fd = fd, .guard_slot = -1};
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        map_close(map);
        return error_set(err, STATUS_INPUT, "%s: is not a regular file", path);
    }
    map->mtime_ns = mtime_ns_of(&info);
    void *data = info.st_size ? mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                              : NULL;
    if (data != MAP_FAILED) {
        map->data = data;
        map->size_bytes = map->file_bytes = (uint64_t)info.st_size;
    }
    if (data != MAP_FAILED && read_whole(fd, data, map->size_bytes))
        return STATUS_OK;
    enum status status = error_set_errno(err, path, "read");
    map_close(map);
    return status;
}

bool map_is_intact(const struct map *map)
{
    struct stat info;
    if (map->guard_slot >= 0 && atomic_load(&guards[map->guard_slot].is_hit))
        return false;
    return fstat(map->fd, &info) == 0 && (uint64_t)info.st_size == map->file_bytes &&
           mtime_ns_of(&info) == map->mtime_ns;
}

// A write sets the file's time first and then its size. So a file with the old size but another
// time may be about to grow: it is checked again for some milliseconds.
#define SETTLING_LOOKS 20
#define SETTLING_NS 1000000

enum map_change map_change_of(const struct map *map)
{
    struct stat info;
    if (map->guard_slot >= 0 && atomic_load(&guards[map->guard_slot].is_hit))
        return MAP_CHANGED;
    for (unsigned i = 0; i < SETTLING_LOOKS; i++) {
        const struct timespec pause = {0, SETTLING_NS};
        if (fstat(map->fd, &info) != 0 || (uint64_t)info.st_size < map->file_bytes)
            return MAP_CHANGED;
        if ((uint64_t)info.st_size > map->file_bytes)
            return MAP_GROWN;
        if (mtime_ns_of(&info) == map->mtime_ns)
            return MAP_SAME;
        nanosleep(&pause, NULL);
    }
    return MAP_CHANGED;
}

enum status map_grow(struct map *map, const char *path, bool *is_intact, struct error *err)
{
    struct map grown;
    int fd = fcntl(map->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return error_set_errno(err, path, "open");
    enum status status = map_open(&grown, fd, path, err);
    if (status != STATUS_OK)
        return status;
    *is_intact = map_change_of(map) != MAP_CHANGED && grown.file_bytes >= map->file_bytes;
    map_close(map);
    *map = grown;
    if (grown.data)
        madvise((void *)(uintptr_t)grown.data, grown.size_bytes, MADV_SEQUENTIAL);
    return STATUS_OK;
}

void map_cut(struct map *map, uint64_t size_bytes)
{
    ASSERT(size_bytes <= map->file_bytes);
    map->size_bytes = size_bytes;
}

uint64_t map_leave(const struct map *map, uint64_t from, uint64_t to)
{
    const uint64_t step_bytes = UINT64_C(4) << 20; // whole pages
    uint64_t end = to / step_bytes * step_bytes;
    if (end <= from)
        return from;
    madvise((void *)(uintptr_t)(map->data + from), (size_t)(end - from), MADV_DONTNEED);
    return end;
}

void map_close(struct map *map)
{
    if (map->guard_slot >= 0) {
        atomic_store(&guards[map->guard_slot].start, 0);
        atomic_store(&guards[map->guard_slot].size_bytes, 0);
    }
    if (map->data)
        munmap((void *)(uintptr_t)map->data, map->file_bytes);
    close(map->fd);
    *map = (struct map){.fd = -1, .guard_slot = -1};
}
