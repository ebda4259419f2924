#include "analysis/trace_text.h"

#include "trace/tarmac/line.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// Where an event's instruction is looked for. Lines before it are few: what the same time brought.
enum { WINDOW_BYTES = 32768 };

static bool is_trace_of(const struct session *session, int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           (uint64_t)about.st_size == session->info.trace_bytes;
}

// The bytes from the event on, none if they cannot be had.
static size_t read_window(const struct session *session, const char *path, uint64_t position,
                          char *window)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    ssize_t got = is_trace_of(session, fd) ? pread(fd, window, WINDOW_BYTES, (off_t)position) : 0;
    close(fd);
    return got > 0 ? (size_t)got : 0;
}

static bool take_text(const struct tarmac_line *line, const char *end, char *text)
{
    const char *start = line->instruction.disassembly;
    size_t length = (size_t)u64_min((uint64_t)(end - start), TRACE_TEXT_BYTES_MAX - 1);
    if (start >= end)
        return false;
    for (size_t i = 0; i < length; i++)
        text[i] = start[i] == '\t'                                     ? ' '
                  : (unsigned char)start[i] < 0x20 || start[i] == 0x7f ? '.'
                                                                       : start[i];
    text[length] = '\0';
    return true;
}

bool trace_text_instruction(const struct session *session, const char *path,
                            const struct trawl_event *about, char text[TRACE_TEXT_BYTES_MAX])
{
    char window[WINDOW_BYTES];
    const struct reading_options options = {
        session->info.options & TRAWL_READ_AS_TTU ? READING_TTU : READING_RIGHT,
        session->info.options & TRAWL_IMPLICIT_THUMB,
    };
    struct tarmac_context context = TARMAC_CONTEXT_START;
    if (about->event == TRAWL_START || !(about->flags & TRAWL_HAS_INSTRUCTION))
        return false;
    size_t length = read_window(session, path, about->position, window);
    for (const char *start = window, *all_end = window + length; start < all_end;) {
        const char *newline = memchr(start, '\n', (size_t)(all_end - start));
        const char *end = tarmac_line_trim(start, newline ? newline : all_end);
        struct tarmac_line line;
        struct text_fault fault;
        bool is_read = tarmac_line_read(start, end, &options, &context, &line, &fault);
        if (is_read && line.kind == LINE_INSTRUCTION &&
            line.instruction.address == (about->pc & ~UINT64_C(1)))
            return take_text(&line, end, text);
        start = newline ? newline + 1 : all_end;
    }
    return false;
}
