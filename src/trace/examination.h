// A report about the file of a trace: facts, problems and what to do about them, and the lines that
// were not understood, grouped by their form.
#ifndef TRAWL_TRACE_EXAMINATION_H
#define TRAWL_TRACE_EXAMINATION_H

#include "base/source.h"
#include "base/vec.h"
#include "cli/progress.h"

#include <stdarg.h>

// --- examination.c -------------------------------------------------------------------------------

// The size of a text, including its NUL; longer texts are cut.
#define EXAMINED_TEXT_BYTES 200

// A fact or a finding.
struct examined_text {
    const char *about; // the name of a fact; advice for a finding
    char text[EXAMINED_TEXT_BYTES];
};

VEC(examined_texts, struct examined_text);

// Lines that differ only in their numbers, and the reason why they were not understood.
struct examined_shape {
    char shape[EXAMINED_TEXT_BYTES];
    char reason[EXAMINED_TEXT_BYTES];
    char example[EXAMINED_TEXT_BYTES]; // the first such line
    uint64_t line, count;
};

// All zero: empty.
struct examination {
    struct examined_texts facts, findings;
    VEC(, struct examined_shape) shapes; // in the order of their first lines
    uint64_t lines_of_other_shapes;
    uint64_t lines, blank_lines, lines_not_understood;
    bool ends_in_line; // the last line has no end
    bool is_no_trace;  // it cannot be reported on
    bool has_no_memory;
};

// Add a fact or a finding. `name` and `advice` are not copied. If there is no memory, has_no_memory
// is set.
void examination_fact(struct examination *examination, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
void examination_finding(struct examination *examination, const char *advice, const char *format,
                         ...) PRINTF_LIKE(3, 4);

// Gives each line, without its end, to `take`, and counts it; a line that is too long is one that
// was not understood instead. `progress` may be NULL.
enum status examination_read(struct examination *examination, struct source *source,
                             struct progress *progress,
                             void (*take)(void *self, const char *start, const char *end),
                             void *self, struct error *err);

// The line that was read last was not understood.
void examination_line(struct examination *examination, const char *text, size_t length,
                      const char *reason);

// Adds the facts on lines that every kind of text has, and what is odd about them.
void examination_line_facts(struct examination *examination);
void examination_line_findings(struct examination *examination);

void examination_free(struct examination *examination);

// --- anonymize.c ---------------------------------------------------------------------------------

// Makes a line of a trace fit for a bug report: keeps its form and hides its contents.

// Replaces each digit of a number, decimal or hexadecimal, by 0, and each letter of words with
// unknown meaning by x. Words that show how the line is written are kept: units, cores, the record,
// names of registers and modes, short words in capitals. Everything after the mnemonic of an
// instruction is removed. Otherwise the length of the text does not change.
void anonymize_line(char *text);

#endif
