// An extended regular expression of POSIX as a nondeterministic automaton over bytes, as far as
// analysis/dfa.h supports them.
#ifndef TRAWL_ANALYSIS_DFA_PATTERN_H
#define TRAWL_ANALYSIS_DFA_PATTERN_H

#include "base/error.h"
#include "base/limits.h"

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

#endif
