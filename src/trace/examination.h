// A report about a trace as a file: facts, what looks wrong and what to do about it, and the lines
// that are not understood, by their form.
#ifndef TRAWL_TRACE_EXAMINATION_H
#define TRAWL_TRACE_EXAMINATION_H

#include <stdarg.h>

#include "base/vec.h"

// Bytes of a text with a NUL; a longer one is cut.
#define EXAMINED_TEXT_BYTES 200

// A fact or a finding.
struct examined_text {
    const char *about; // what a fact is called; what to do about a finding
    char text[EXAMINED_TEXT_BYTES];
};

VEC(examined_texts, struct examined_text);

// Lines that differ in their numbers only, and why they are not understood.
struct examined_shape {
    char shape[EXAMINED_TEXT_BYTES];
    char reason[EXAMINED_TEXT_BYTES];
    char example[EXAMINED_TEXT_BYTES]; // the first
    uint64_t line, count;
};

// All zero is empty.
struct examination {
    struct examined_texts facts, findings;
    VEC(, struct examined_shape) shapes; // in the order of their first lines
    uint64_t lines_of_other_shapes;
    uint64_t lines_not_understood;
    bool is_no_trace; // nothing can be reported of it
    bool has_no_memory;
};

// Add one. `name` and `advice` stay the caller's. Without memory has_no_memory is set.
void examination_fact(struct examination *examination, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
void examination_finding(struct examination *examination, const char *advice, const char *format,
                         ...) PRINTF_LIKE(3, 4);

// Counts a line that is not understood. `number` is from 1.
void examination_line(struct examination *examination, const char *text, size_t length,
                      uint64_t number, const char *reason);

void examination_free(struct examination *examination);

#endif
