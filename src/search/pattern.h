// A pattern that is looked for in lines: an extended regular expression of POSIX.
#ifndef TRAWL_SEARCH_PATTERN_H
#define TRAWL_SEARCH_PATTERN_H

#include "base/error.h"

#include <regex.h>

// Only this much of a longer line is searched.
#define PATTERN_LINE_BYTES ((size_t)65536)

// Finding all parts of a line that match takes quadratic time, so it is done only where they show.
#define PATTERN_MARKED_BYTES ((size_t)4096)

enum { NEEDED_BYTES = 128, NEEDED_MAX = 8 };

// Text that must be in a line.
struct needed {
    size_t length;
    char text[NEEDED_BYTES];
};

// The same pattern for whether it matches at all, in linear time: the C library tries each place of
// a line as the start of a match, and each may take the whole line, unless it cannot but begin at
// the first one.
struct whole_pattern {
    regex_t regex;
    char *text;
    bool is_compiled;
    size_t text_bytes; // since it was compiled
};

// A pattern, compiled. The C library locks a compiled pattern while matching, so each thread has
// its own. Fields are for reading.
struct pattern {
    regex_t regex;
    bool is_compiled;
    bool is_text;                     // it is exactly needed[0]
    struct needed needed[NEEDED_MAX]; // every line that matches contains one of them
    size_t needed_count;              // 0: unknown
    char *line;                       // buffer for one line
    struct whole_pattern whole;       // text NULL: it cannot be had
};

struct pattern_match {
    size_t start, end;
};

// STATUS_INPUT: `text` is not a valid expression. Freed by pattern_free either way.
enum status pattern_open(struct pattern *pattern, const char *text, struct error *err);
void pattern_free(struct pattern *pattern);

// The first match in [at, end) of a line of at most PATTERN_LINE_BYTES. False: there is none.
bool pattern_find(const struct pattern *pattern, const char *line, size_t at, size_t end,
                  struct pattern_match *match);

// Whether any part of a line matches, of which only PATTERN_LINE_BYTES count.
bool pattern_takes(struct pattern *pattern, const char *line, size_t length);

// The parts of a line that match, at most `capacity`. Returns how many. Unless the pattern is just
// text, only the first PATTERN_MARKED_BYTES are searched.
size_t pattern_matches(const struct pattern *pattern, const char *line, size_t length,
                       struct pattern_match *matches, size_t capacity);

#endif
