#include "query/trace_text.h"

#include "base/limits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// How far an event's instruction is searched for. Few lines come before it: those of the same time.
enum { WINDOW_BYTES = 32768 };

// The bytes from the event on; none if they are not available.
static size_t read_window(const struct trace *trace, uint64_t trace_bytes, uint64_t position,
                          char *window)
{
    const char *path = trace->path;
    if (source_is_synthesized(trace->source)) { // for example decompressed, from the open file
        size_t made = source_read_at(trace->source, position, window, WINDOW_BYTES);
        bool is_same = source_text_bytes(trace->source) == trace_bytes;
        return is_same && source_is_intact(trace->source) ? made : 0;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    struct stat about;
    bool is_right =
        fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size >= trace_bytes;
    ssize_t got = is_right ? pread(fd, window, WINDOW_BYTES, (off_t)position) : 0;
    close(fd);
    return got > 0 ? (size_t)got : 0;
}

void trace_text_copy(char text[LIMIT_TRACE_TEXT_BYTES], struct text_span span)
{
    size_t length = (size_t)u64_min((uint64_t)(span.end - span.start), LIMIT_TRACE_TEXT_BYTES - 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)span.start[i];
        text[i] = c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '.' : (char)c;
    }
    text[length] = '\0';
}

struct reading_options trace_text_reading(const struct index_view *view, const struct trace *trace)
{
    return (struct reading_options){
        .reading = view->info.options & TRAWL_READ_AS_TTU ? READING_TTU : READING_TRUE,
        .implicit_state = view->info.options & TRAWL_IMPLICIT_THUMB,
        .prefix = trace ? trace->options.prefix : NULL,
        .dialect = trace ? trace->dialect : 0,
        .first_world = trace ? trace->first_world : 0,
    };
}

enum trace_text trace_text_instruction(const struct index_view *view, const struct trace *trace,
                                       const struct trawl_event *about,
                                       char text[LIMIT_TRACE_TEXT_BYTES])
{
    char window[WINDOW_BYTES];
    const struct reading_options how = trace_text_reading(view, trace);
    if (!trace || !trace->kind->text || about->event == TRAWL_START ||
        !(about->flags & TRAWL_HAS_INSTRUCTION))
        return TRACE_TEXT_NONE;
    size_t length = read_window(trace, view->info.trace_bytes, about->position, window);
    if (!length)
        return TRACE_TEXT_LOST;
    struct text_span found;
    if (!trace->kind->text->instruction(window, length, &how, about->pc & ~UINT64_C(1), &found))
        return TRACE_TEXT_NONE;
    trace_text_copy(text, found);
    return TRACE_TEXT_FOUND;
}

enum trace_text trace_text_exception(const struct trace *trace, const struct exception_place *place,
                                     char text[LIMIT_TRACE_TEXT_BYTES])
{
    char window[WINDOW_BYTES];
    struct text_span found;
    if (!trace || !trace->kind->text)
        return TRACE_TEXT_NONE;
    size_t length = read_window(trace, place->trace_bytes, place->position, window);
    if (!length)
        return TRACE_TEXT_LOST;
    if (!trace->kind->text->exception(window, length, &place->how, place->lane, &found))
        return TRACE_TEXT_NONE;
    trace_text_copy(text, found);
    return TRACE_TEXT_FOUND;
}

enum trace_text trace_text_exception_at(const struct index_view *view, const struct trace *trace,
                                        const struct trawl_event *about,
                                        char text[LIMIT_TRACE_TEXT_BYTES])
{
    if (about->event == TRAWL_START || !(about->flags & TRAWL_EXCEPTION))
        return TRACE_TEXT_NONE;
    const struct exception_place place = {about->position, view->info.trace_bytes,
                                          trace_text_reading(view, trace),
                                          view->lanes[about->lane].name};
    return trace_text_exception(trace, &place, text);
}
