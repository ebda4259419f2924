// Reads one line, for tests of the result.
#ifndef TRAWL_TESTS_UNIT_READ_LINE_H
#define TRAWL_TESTS_UNIT_READ_LINE_H

#include "trace/tarmac/line_read.h"

struct line_read {
    bool is_read;
    struct trace_line line;
    struct text_fault fault;
    struct line_context context; // after the line
};

#define TTU_OPTIONS ((struct reading_options){.reading = READING_TTU})
#define RIGHT_OPTIONS ((struct reading_options){.reading = READING_TRUE})

static inline struct line_read read_line(const char *text, struct reading_options options)
{
    struct line_read read = {.context = LINE_CONTEXT_START};
    read.is_read = tarmac_line_read(text, text + strlen(text), &options, &read.context, &read.line,
                                    &read.fault);
    return read;
}

static inline bool span_text_is(struct text_span span, const char *text)
{
    return (size_t)(span.end - span.start) == strlen(text) &&
           memcmp(span.start, text, strlen(text)) == 0;
}

static inline bool token_text_is(const struct token *token, const char *text)
{
    return span_text_is((struct text_span){token->start, token->end}, text);
}

#endif
