// Which lines of a text match a regular expression: a deterministic automaton over bytes whose
// states are made when they are first reached, in a bounded table.
//
// It says whether a line matches, not where. Patterns that it does not take are left to the C
// library: back references, words, characters beyond ASCII in brackets, what every line has. A
// character that `.` or a bracket stands for is one of UTF-8, as there.
#ifndef TRAWL_ANALYSIS_DFA_H
#define TRAWL_ANALYSIS_DFA_H

#include "base/error.h"

struct dfa;

// STATUS_INPUT: it is none that an automaton takes. On failure *out is NULL.
enum status dfa_open(struct dfa **out, const char *pattern, struct error *err);

// NULL is allowed.
void dfa_close(struct dfa *dfa);

// The text that these two go through begins where a line does, and ends with a newline. Once the
// automaton is full, what they say does not count.
bool dfa_is_full(const struct dfa *dfa);

// A byte of the first line that matches, its newline at the latest. NULL: none does.
const char *dfa_find(struct dfa *dfa, const char *at, const char *end);

// Who decides of lines that need more than the automaton: that end with a carriage return, which
// does not count, or are longer than `plain_bytes`. They may match.
struct dfa_lines {
    size_t plain_bytes;
    const void *self;
    bool (*takes)(const void *self, const char *line, const char *newline);
};

// How many lines match.
uint64_t dfa_count(struct dfa *dfa, const char *at, const char *end, const struct dfa_lines *lines);

#endif
