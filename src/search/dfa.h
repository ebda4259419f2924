// Which lines of a text match a regular expression: a deterministic automaton over bytes whose
// states are made when they are first reached, in a bounded table.
//
// It tells whether a line matches, not where. Patterns that it does not support are left to the C
// library: back references, words, characters beyond ASCII in brackets, and patterns that every
// line matches. As there, `.` or a bracket stands for a character of UTF-8.
#ifndef TRAWL_SEARCH_DFA_H
#define TRAWL_SEARCH_DFA_H

#include "base/error.h"
#include "base/limits.h"

// --- dfa.c ---------------------------------------------------------------------------------------

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

// --- dfa_pattern.c -------------------------------------------------------------------------------

// An extended regular expression of POSIX as a nondeterministic automaton over bytes, as far as
// dfa.c supports them.

enum nfa_kind {
    NFA_BYTES, // one of some bytes, then `next`
    NFA_SPLIT, // `next` or `other`, without a byte
    NFA_EMPTY, // `next`, without a byte
    NFA_BEGIN, // likewise, at the beginning of a line
    NFA_END,   // likewise, at its end
    NFA_MATCH,
};

struct byte_set {
    uint64_t bits[4];
};

struct nfa_node {
    uint8_t kind;
    uint16_t next, other;
    struct byte_set bytes; // NFA_BYTES
};

struct nfa {
    struct nfa_node nodes[LIMIT_PATTERN_NODES];
    uint16_t count, start;
    uint16_t last_end; // an NFA_END before the match
};

static inline bool byte_set_has(const struct byte_set *set, uint8_t byte)
{
    return set->bits[byte / 64] >> (byte % 64) & 1;
}

// False: it is invalid or not supported. `is_utf8`: whether text beyond ASCII is UTF-8.
bool nfa_of_pattern(struct nfa *nfa, const char *pattern, bool is_utf8);

enum { NFA_WORDS = LIMIT_PATTERN_NODES / 64 };

// A set of nodes of the pattern.
struct node_set {
    uint64_t bits[NFA_WORDS];
};

// Adds a node and all nodes that it reaches without a byte. Only bytes, ends and the match are
// kept.
void nfa_add_closure(const struct nfa *nfa, struct node_set *set, uint16_t first, bool is_at_begin,
                     bool is_at_end);

bool nfa_has_match(const struct nfa *nfa, const struct node_set *set);

// The nodes that nodes of a kind lead to, by a byte or at the end of the line.
struct node_set nfa_step(const struct nfa *nfa, const struct node_set *from, enum nfa_kind kind,
                         uint8_t byte);

#endif
