#include "report/out.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "report/packer.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT_BUFFER_BYTES ((size_t)256 << 10)

// Opening

static enum status out_start(struct out *out, int fd, const char *name, struct error *err)
{
    *out =
        (struct out){.fd = fd, .capacity_bytes = OUT_BUFFER_BYTES, .atomic_file = ATOMIC_FILE_NONE};
    out->buffer = malloc(OUT_BUFFER_BYTES);
    out->name = strdup(name);
    if (out->buffer && out->name)
        return STATUS_OK;
    out_abandon(out);
    return error_set(err, STATUS_MEMORY, "%s: no memory", name);
}

enum status out_open_fd(struct out *out, int fd, const char *name, struct error *err)
{
    enum status status = out_start(out, fd, name, err);
    out->is_terminal = status == STATUS_OK && isatty(fd);
    return status;
}

void out_fit(struct out *out)
{
    const char *given = getenv("COLUMNS");
    char *end = NULL;
    unsigned long columns = given ? strtoul(given, &end, 10) : 0;
    struct winsize size;
    if (given && *given >= '1' && *given <= '9' && !*end && columns <= LIMIT_SCREEN_COLUMNS)
        out->columns = (unsigned)columns;
    else if (out->is_terminal && ioctl(out->fd, TIOCGWINSZ, &size) == 0)
        out->columns = size.ws_col;
}

enum status out_open_memory(struct out *out, struct error *err)
{
    return out_start(out, OUT_MEMORY, "memory", err);
}

// What is not a regular file is written in place. So is a file of another user that we may write
// but not replace.
static bool open_file(struct out *out, const char *path)
{
    if (atomic_file_open(&out->atomic_file, path, O_WRONLY, ATOMIC_FILE_KEEP_OWNER, -1)) {
        out->fd = out->atomic_file.fd;
        return true;
    }
    bool may_stand = errno == ENOTSUP || errno == EACCES || errno == EPERM;
    if (!may_stand)
        return false;
    const struct dir_entry *entry = &out->atomic_file.entry;
    struct stat info;
    if (!entry->is_there)
        return false;
    out->fd = dir_entry_open(entry, O_WRONLY);
    out->owns_fd = out->fd >= 0;
    out->is_terminal = out->owns_fd && isatty(out->fd);
    return out->owns_fd &&
           (fstat(out->fd, &info) != 0 || !S_ISREG(info.st_mode) || ftruncate(out->fd, 0) == 0);
}

enum status out_open(struct out *out, const char *path, struct error *err)
{
    enum status status = out_start(out, -1, path, err);
    if (status != STATUS_OK)
        return status;
    if (open_file(out, path))
        return STATUS_OK;
    status = atomic_file_error(&out->atomic_file, path, err);
    out_abandon(out);
    return status;
}

// Writing

static void out_fail(struct out *out, int error_number)
{
    if (!out->error_number)
        out->error_number = error_number;
}

static void write_bytes(void *self, const char *bytes, size_t length)
{
    struct out *out = self;
    while (length && !out->error_number) {
        ssize_t written = write(out->fd, bytes, length);
        if (written >= 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (errno == EAGAIN) {
            // Another process made our standard output non-blocking.
            poll(&(struct pollfd){.fd = out->fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            out_fail(out, errno);
        }
    }
}

static void write_all(struct out *out, const char *bytes, size_t length)
{
    if (out->lacks_memory && *out->lacks_memory)
        out_fail(out, ENOMEM);
    size_t skipped = (size_t)u64_min(length, out->skip_bytes);
    out->skip_bytes -= skipped;
    bytes += skipped;
    length -= skipped;
    if (!out->packer)
        write_bytes(out, bytes, length);
    else if (!out->error_number)
        packer_put(out->packer, bytes, length);
}

enum status out_pack(struct out *out, struct error *err)
{
    if (!packer_is_there())
        return error_set(err, STATUS_INPUT, "%s: this program was built without zlib", out->name);
    out->packer = packer_new(write_bytes, out);
    return out->packer ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", out->name);
}

// The number of bytes at the end that begin an incomplete UTF-8 character.
static size_t unfinished_bytes(const char *text, size_t length)
{
    for (size_t tail = 1; tail <= 3 && tail <= length; tail++) {
        unsigned char byte = (unsigned char)text[length - tail];
        size_t whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        if (byte >= 0xc0 || byte < 0x80)
            return whole > tail ? tail : 0;
    }
    return 0;
}

// Works line by line, and on the parts between tabs.
static void make_inert(char *text, size_t length)
{
    for (char *end = text + length; text < end;) {
        char *from = text;
        while (text < end && *text != '\n' && *text != '\t')
            text++;
        utf8_make_inert(from, (size_t)(text - from));
        text += text < end;
    }
}

void out_flush(struct out *out)
{
    if (out->fd == OUT_MEMORY)
        return;
    if (out->is_terminal) {
        // Writes the buffer, except for a character that is not complete yet.
        size_t left = unfinished_bytes(out->buffer, out->used_bytes),
               ready = out->used_bytes - left;
        make_inert(out->buffer, ready);
        write_all(out, out->buffer, ready);
        memmove(out->buffer, out->buffer + ready, left);
        out->flushed_bytes += ready;
        out->used_bytes = left;
        return;
    }
    write_all(out, out->buffer, out->used_bytes);
    out->flushed_bytes += out->used_bytes;
    out->used_bytes = 0;
}

void out_skip(struct out *out, uint64_t count)
{
    out->skip_bytes = count;
}

uint64_t out_shown_bytes(const struct out *out)
{
    struct stat info;
    bool begins_anew = out->atomic_file.fd >= 0 ||
                       (out->owns_fd && fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode));
    return begins_anew ? 0 : out->flushed_bytes;
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

// Handles bytes for which the buffer has no room.
static NEVER_INLINE void bytes_beyond(struct out *out, const char *bytes, size_t length)
{
    if (out->fd == OUT_MEMORY)
        grow_memory(out, length);
    else
        out_flush(out);
    for (; out->is_terminal && length > OUT_BUFFER_BYTES / 2;
         bytes += OUT_BUFFER_BYTES / 2, length -= OUT_BUFFER_BYTES / 2) {
        memcpy(out->buffer + out->used_bytes, bytes, OUT_BUFFER_BYTES / 2);
        out->used_bytes += OUT_BUFFER_BYTES / 2;
        out_flush(out);
    }
    if (out->capacity_bytes - out->used_bytes >= length) {
        memcpy(out->buffer + out->used_bytes, bytes, length);
        out->used_bytes += length;
        return;
    }
    if (out->fd != OUT_MEMORY)
        write_all(out, bytes, length);
    out->flushed_bytes += length;
}

void out_shell_word(struct out *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789%+,-./:@_";
    if (*word && !word[strspn(word, plain)]) {
        out_text(out, word);
        return;
    }
    out_byte(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            out_text(out, "'\\''");
        else
            out_byte(out, *word);
    }
    out_byte(out, '\'');
}

void out_bytes(struct out *out, const void *bytes, size_t length)
{
    if (UNLIKELY(out->capacity_bytes - out->used_bytes < length)) {
        bytes_beyond(out, bytes, length);
        return;
    }
    memcpy(out->buffer + out->used_bytes, bytes, length);
    out->used_bytes += length;
}

void out_format(struct out *out, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out_text(out, text);
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
    char *room = out_room(out, DECIMAL_ROOM_BYTES);
    unsigned digits = (unsigned)(decimal_put(room, value) - room);
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

// part * factor / whole, rounded half up; 0 if `whole` is 0.
static unsigned __int128 scaled_part(uint64_t part, uint64_t factor, uint64_t whole)
{
    uint64_t product;
    if (!whole)
        return 0;
    bool is_long = __builtin_mul_overflow(part, factor, &product) ||
                   __builtin_add_overflow(product, whole / 2, &product);
    return is_long ? ((unsigned __int128)part * factor + whole / 2) / whole : product / whole;
}

static unsigned out_scaled(struct out *out, uint64_t part, uint64_t whole, unsigned factor,
                           unsigned decimals)
{
    ASSERT(decimals <= 9);
    uint64_t scale = 1, units, fraction;
    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    unsigned __int128 scaled = scaled_part(part, factor * scale, whole);
    if (LIKELY(scaled <= UINT64_MAX)) { // a 128-bit division would be a function call
        units = (uint64_t)scaled / scale;
        fraction = (uint64_t)scaled % scale;
    } else {
        units = (uint64_t)(scaled / scale);
        fraction = (uint64_t)(scaled % scale);
    }
    unsigned length = out_u64(out, units);
    if (!decimals)
        return length;
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
    packer_free(out->packer);
    free(out->buffer);
    free(out->name);
    *out = (struct out){.fd = -1, .atomic_file = ATOMIC_FILE_NONE};
}

// Closes a file of ours. A named file gets its name unless something failed.
static void out_finish(struct out *out)
{
    if (out->owns_fd && close(out->fd) != 0)
        out_fail(out, errno);
    if (out->error_number)
        atomic_file_drop(&out->atomic_file);
    else if (out->atomic_file.fd >= 0 && !atomic_file_publish(&out->atomic_file, false))
        out_fail(out, errno);
    else
        atomic_file_drop(&out->atomic_file); // for a file written in place, frees its dir_entry
}

enum status out_close(struct out *out, struct error *err)
{
    enum status status = STATUS_OK;
    out_flush(out);
    if (out->is_terminal) {
        make_inert(out->buffer, out->used_bytes);
        write_all(out, out->buffer, out->used_bytes);
    }
    if (out->packer && !out->error_number)
        packer_end(out->packer);
    out_finish(out);
    if (out->error_number == ENOMEM) { // of what makes the text; writing does not end so
        status = error_set(err, STATUS_MEMORY, "%s: no memory", out->name);
    } else if (out->error_number) {
        errno = out->error_number;
        status = error_set_errno(err, out->name, "write");
    }
    out_free(out);
    return status;
}

void out_abandon(struct out *out)
{
    out_fail(out, ECANCELED);
    out_finish(out);
    out_free(out);
}

void out_markup(struct out *out, char byte)
{
    switch (byte) {
    case '&':
        out_text(out, "&amp;");
        break;
    case '<':
        out_text(out, "&lt;");
        break;
    case '>':
        out_text(out, "&gt;");
        break;
    default:
        out_byte(out, byte);
    }
}

// --- Text from elsewhere -------------------------------------------------------------------------

size_t out_clean_bytes(struct out *out, const char *text, size_t length)
{
    size_t hidden_bytes = 0;
    if (utf8_is_plain(text, length)) {
        out_bytes(out, text, length);
        return 0;
    }
    for (const char *end = text + length; text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        out_bytes(out, bytes ? text : "?", bytes ? bytes : 1);
        hidden_bytes += bytes ? bytes - utf8_columns(utf8_code(text, bytes)) : 0;
        text += bytes ? bytes : 1;
    }
    return hidden_bytes;
}

size_t out_clean(struct out *out, const char *text)
{
    return out_clean_bytes(out, text, strlen(text));
}

void clean_frame_name(char *name, size_t length)
{
    utf8_make_inert(name, length);
    for (char *at = name; (at = memchr(at, ';', (size_t)(name + length - at)));)
        *at = ':';
}
