#include "report/out.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT_BUFFER_BYTES ((size_t)256 << 10)
#define OUT_TEMPORARY_TRIES 100

static const char decimal_pairs[201] = "00010203040506070809"
                                       "10111213141516171819"
                                       "20212223242526272829"
                                       "30313233343536373839"
                                       "40414243444546474849"
                                       "50515253545556575859"
                                       "60616263646566676869"
                                       "70717273747576777879"
                                       "80818283848586878889"
                                       "90919293949596979899";

// Opening

static enum status out_start(struct out *out, int fd, const char *name, struct error *err)
{
    *out = (struct out){.fd = fd, .capacity_bytes = OUT_BUFFER_BYTES};
    out->buffer = malloc(OUT_BUFFER_BYTES);
    out->name = strdup(name);
    if (out->buffer && out->name)
        return STATUS_OK;
    out_abandon(out);
    return error_set(err, STATUS_MEMORY, "%s: no memory", name);
}

enum status out_open_fd(struct out *out, int fd, const char *name, struct error *err)
{
    return out_start(out, fd, name, err);
}

enum status out_open_memory(struct out *out, struct error *err)
{
    return out_start(out, OUT_MEMORY, "memory", err);
}

// The length of the directory's part of `path`, its slash included.
static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

// A file that a kill leaves nothing of. Not every file system has them, and giving them a name
// goes through /proc.
static int open_unnamed(const char *path, mode_t mode)
{
    char *directory, link[64];
    if (asprintf(&directory, "%.*s.", directory_length(path), path) < 0)
        return -1;
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    free(directory);
    if (fd < 0)
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (access(link, F_OK) == 0)
        return fd;
    close(fd);
    return -1;
}

// Calls `make` with temporary names in the directory of `path` until one is free. The name stays in
// *name.
static int with_temporary_name(const char *path, char **name, int (*make)(const char *name, int),
                               int argument)
{
    for (int i = 0; i < OUT_TEMPORARY_TRIES; i++) {
        if (asprintf(name, "%.*s.trawl-%ld-%d.tmp", directory_length(path), path, (long)getpid(),
                     i) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return -1;
        }
        int result = make(*name, argument);
        if (result >= 0)
            return result;
        free(*name);
        *name = NULL;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int make_file(const char *name, int mode)
{
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);
}

static int link_fd(const char *name, int fd)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

// Drops the stand-in that open_stand_in made.
static void drop_stand_in(struct out *out)
{
    if (out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    out->temporary = NULL;
    out->unnamed = false;
    close(out->fd);
    out->fd = -1;
}

// Opens a file to stand in for the regular file `path` until it is whole. `old` is what stands
// there now, or NULL; its owner and permissions carry over. False, with errno, when it cannot be.
static bool open_stand_in(struct out *out, const char *path, const struct stat *old)
{
    mode_t mode = old ? old->st_mode & 0777 : 0666;
    out->fd = open_unnamed(path, mode);
    out->unnamed = out->fd >= 0;
    if (out->fd < 0)
        out->fd = with_temporary_name(path, &out->temporary, make_file, (int)mode);
    if (out->fd < 0)
        return false;
    if (!old || (fchown(out->fd, old->st_uid, old->st_gid) == 0 && fchmod(out->fd, mode) == 0))
        return true;
    drop_stand_in(out);
    errno = EPERM;
    return false;
}

// Replacing a file needs no right to write it, but a file that its owner protected stays.
static bool may_replace(const char *path, const struct stat *old)
{
    return S_ISREG(old->st_mode) && access(path, W_OK) == 0;
}

static bool open_in_place(struct out *out, const char *path)
{
    out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return out->fd >= 0;
}

static bool open_file(struct out *out, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (!exists && lstat(path, &old) != 0)
        return open_stand_in(out, path, NULL);
    if (!exists || !may_replace(path, &old))
        return open_in_place(out, path);
    // The file that a symbolic link leads to is replaced, not the link.
    char *real = realpath(path, NULL);
    if (!real)
        return false;
    free(out->name);
    out->name = real;
    if (open_stand_in(out, real, &old))
        return true;
    // Somebody else's file or directory, but we may write the file.
    return (errno == EACCES || errno == EPERM) && open_in_place(out, path);
}

enum status out_open(struct out *out, const char *path, struct error *err)
{
    enum status status = out_start(out, -1, path, err);
    if (status != STATUS_OK)
        return status;
    out->owns_fd = true;
    if (open_file(out, path))
        return STATUS_OK;
    status = error_set_errno(err, path, "open for writing");
    out_abandon(out);
    return status;
}

// Writing

static void out_fail(struct out *out, int error_number)
{
    if (!out->error_number)
        out->error_number = error_number;
}

static void write_all(struct out *out, const char *bytes, size_t length)
{
    while (length && !out->error_number) {
        ssize_t written = write(out->fd, bytes, length);
        if (written >= 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (errno == EAGAIN) {
            // Somebody made our standard output non-blocking.
            poll(&(struct pollfd){.fd = out->fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            out_fail(out, errno);
        }
    }
}

void out_flush(struct out *out)
{
    if (out->fd == OUT_MEMORY)
        return;
    write_all(out, out->buffer, out->used_bytes);
    out->flushed_bytes += out->used_bytes;
    out->used_bytes = 0;
}

static void grow_memory(struct out *out, size_t wanted_bytes)
{
    size_t capacity;
    char *grown = NULL;
    if (!__builtin_add_overflow(out->used_bytes + out->capacity_bytes, wanted_bytes, &capacity))
        grown = realloc(out->buffer, capacity);
    if (grown) {
        out->buffer = grown;
        out->capacity_bytes = capacity;
    } else {
        out_fail(out, ENOMEM);
        out->used_bytes = 0;
    }
}

void out_make_room(struct out *out, size_t wanted_bytes)
{
    ASSERT(wanted_bytes <= OUT_ROOM_BYTES_MAX);
    if (out->fd == OUT_MEMORY)
        grow_memory(out, wanted_bytes);
    else
        out_flush(out);
}

void out_bytes(struct out *out, const void *bytes, size_t length)
{
    if (UNLIKELY(out->capacity_bytes - out->used_bytes < length)) {
        if (out->fd == OUT_MEMORY)
            grow_memory(out, length);
        else
            out_flush(out);
        if (out->capacity_bytes - out->used_bytes < length) {
            if (out->fd != OUT_MEMORY)
                write_all(out, bytes, length);
            out->flushed_bytes += length;
            return;
        }
    }
    memcpy(out->buffer + out->used_bytes, bytes, length);
    out->used_bytes += length;
}

void out_pad(struct out *out, size_t count)
{
    while (count) {
        size_t step = count < OUT_ROOM_BYTES_MAX ? count : OUT_ROOM_BYTES_MAX;
        memset(out_room(out, step), ' ', step);
        out_commit(out, step);
        count -= step;
    }
}

// Numbers

static unsigned decimal_digits(uint64_t value)
{
    static const uint64_t powers[20] = {
        0,
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };
    // 1233 / 4096 is just above log10(2): the guess is right or one too small.
    unsigned guess = (64 - (unsigned)__builtin_clzll(value | 1)) * 1233 >> 12;
    return guess + (value >= powers[guess]);
}

unsigned out_u64(struct out *out, uint64_t value)
{
    unsigned digits = decimal_digits(value);
    char *at = out_room(out, digits) + digits;
    while (value >= 100) {
        at -= 2;
        memcpy(at, decimal_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10)
        memcpy(at - 2, decimal_pairs + 2 * value, 2);
    else
        at[-1] = (char)('0' + value);
    out_commit(out, digits);
    return digits;
}

// The eight hexadecimal digits of `value`, the most significant in the lowest byte in memory.
static uint64_t hex_eight(uint32_t value)
{
    uint64_t nibbles = value;
    nibbles = (nibbles << 16 | nibbles) & UINT64_C(0x0000ffff0000ffff);
    nibbles = (nibbles << 8 | nibbles) & UINT64_C(0x00ff00ff00ff00ff);
    nibbles = (nibbles << 4 | nibbles) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t above_nine =
        (nibbles + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    uint64_t digits = nibbles + UINT64_C(0x3030303030303030) + above_nine * ('a' - '9' - 1);
    return htobe64(digits);
}

unsigned out_hex(struct out *out, uint64_t value, unsigned digits_min)
{
    unsigned digits = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
    if (digits < digits_min)
        digits = digits_min;
    ASSERT(digits <= 16);
    value <<= 64 - 4 * digits;
    uint64_t text[2] = {hex_eight((uint32_t)(value >> 32)), hex_eight((uint32_t)value)};
    memcpy(out_room(out, sizeof text), text, sizeof text);
    out_commit(out, digits);
    return digits;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

// factor * part / whole as decimal.
static unsigned out_scaled(struct out *out, uint64_t part, uint64_t whole, unsigned factor,
                           unsigned decimals)
{
    ASSERT(decimals <= 9);
    uint64_t scale = power_of_ten(decimals);
    unsigned __int128 scaled = 0;
    if (whole)
        scaled = ((unsigned __int128)part * factor * scale + whole / 2) / whole;
    unsigned length = out_u64(out, (uint64_t)(scaled / scale));
    if (!decimals)
        return length;
    uint64_t fraction = (uint64_t)(scaled % scale);
    out_byte(out, '.');
    for (unsigned digits = decimal_digits(fraction); digits < decimals; digits++)
        out_byte(out, '0');
    out_u64(out, fraction);
    return length + 1 + decimals;
}

unsigned out_ratio(struct out *out, uint64_t part, uint64_t whole, unsigned decimals)
{
    return out_scaled(out, part, whole, 1, decimals);
}

unsigned out_percent(struct out *out, uint64_t part, uint64_t whole, unsigned decimals)
{
    return out_scaled(out, part, whole, 100, decimals);
}

const char *out_memory_text(struct out *out)
{
    ASSERT(out->fd == OUT_MEMORY);
    *out_room(out, 1) = 0;
    return out->buffer;
}

// Closing

static void out_free(struct out *out)
{
    free(out->buffer);
    free(out->name);
    free(out->temporary);
    *out = (struct out){.fd = -1};
}

static void out_close_fd(struct out *out)
{
    if (out->owns_fd && out->fd >= 0 && close(out->fd) != 0)
        out_fail(out, errno);
}

// Gives a stand-in file its name, or takes it away when something failed. An unnamed file needs its
// descriptor to get a name; a network file system may report a full disk only as it is closed.
static void out_publish(struct out *out)
{
    if (out->unnamed && !out->error_number &&
        with_temporary_name(out->name, &out->temporary, link_fd, out->fd) < 0)
        out_fail(out, errno);
    out_close_fd(out);
    if (!out->temporary)
        return;
    if (!out->error_number && rename(out->temporary, out->name) != 0)
        out_fail(out, errno);
    if (out->error_number)
        unlink(out->temporary);
}

enum status out_close(struct out *out, struct error *err)
{
    enum status status = STATUS_OK;
    out_flush(out);
    out_publish(out);
    if (out->error_number) {
        errno = out->error_number;
        status = error_set_errno(err, out->name, "write");
    }
    out_free(out);
    return status;
}

void out_abandon(struct out *out)
{
    out_fail(out, ECANCELED);
    out_publish(out);
    out_free(out);
}
