// A pattern that is looked for in lines: an extended regular expression of POSIX.
#ifndef TRAWL_ANALYSIS_PATTERN_H
#define TRAWL_ANALYSIS_PATTERN_H

#include "base/error.h"

#include <regex.h>

// Of longer lines only the beginning is looked at.
#define PATTERN_LINE_BYTES ((size_t)65536)

enum { NEEDED_BYTES = 128, NEEDED_MAX = 8 };

// Text that is in a line.
struct needed {
    size_t length;
    char text[NEEDED_BYTES];
};

// A pattern, compiled. The C library's matcher locks what it matches by, so that each thread has
// one of its own. Fields are for reading.
struct pattern {
    regex_t regex;
    bool is_compiled;
    bool is_text;                     // it is `needed`, and nothing more
    struct needed needed[NEEDED_MAX]; // one of them is in every line that matches
    size_t needed_count;              // 0: nothing is known
    char *line;                       // room for one
};

struct pattern_match {
    size_t start, end;
};

// STATUS_INPUT: `text` is none. Freed by pattern_free either way.
enum status pattern_open(struct pattern *pattern, const char *text, struct error *err);
void pattern_free(struct pattern *pattern);

// The first match in [at, end) of a line of at most PATTERN_LINE_BYTES. False: there is none.
bool pattern_find(const struct pattern *pattern, const char *line, size_t at, size_t end,
                  struct pattern_match *match);

// The parts of a line that match, at most `capacity`. Returns how many.
size_t pattern_matches(const struct pattern *pattern, const char *line, size_t length,
                       struct pattern_match *matches, size_t capacity);

#endif
