// Which lines of a text match a regular expression: a deterministic automaton over bytes whose
// states are made when they are first reached, in a bounded table.
//
// It tells whether a line matches, not where. Patterns that it does not support are left to the C
// library: back references, words, characters beyond ASCII in brackets, and patterns that every
// line matches. As there, `.` or a bracket stands for a character of UTF-8.
#ifndef TRAWL_SEARCH_DFA_H
#define TRAWL_SEARCH_DFA_H

#include "base/error.h"

struct dfa;

// STATUS_INPUT: the pattern is not supported. On failure *out is NULL.
enum status dfa_open(struct dfa **out, const char *pattern, struct error *err);

// NULL is allowed.
void dfa_close(struct dfa *dfa);

// The text of these two functions begins at the start of a line and ends with a newline. Once the
// automaton is full, their results are invalid.
bool dfa_is_full(const struct dfa *dfa);

// Whether a line without its newline matches; also once the automaton is full, without a table, and
// so slower by far.
bool dfa_takes(const struct dfa *dfa, const char *line, size_t length);

// A byte of the first line that matches, at the latest its newline. NULL: none matches.
const char *dfa_find(struct dfa *dfa, const char *at, const char *end);

// Decides about lines that may match but that the automaton cannot decide: those that end with a
// carriage return, which does not count, or are longer than `plain_bytes`.
struct dfa_lines {
    size_t plain_bytes;
    void *self;
    bool (*takes)(void *self, const char *line, const char *newline);
};

// How many lines match.
uint64_t dfa_count(struct dfa *dfa, const char *at, const char *end, const struct dfa_lines *lines);

#endif
