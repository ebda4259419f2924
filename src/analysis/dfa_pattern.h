// An extended regular expression of POSIX as a nondeterministic automaton over bytes, as far as
// analysis/dfa.h takes them.
#ifndef TRAWL_ANALYSIS_DFA_PATTERN_H
#define TRAWL_ANALYSIS_DFA_PATTERN_H

#include "base/error.h"
#include "base/limits.h"

enum nfa_kind {
    NFA_BYTES, // one of some bytes, then `next`
    NFA_SPLIT, // `next` or `other`, without a byte
    NFA_EMPTY, // `next`, without a byte
    NFA_BEGIN, // likewise, where a line begins
    NFA_END,   // likewise, where it ends
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

// False: it is none, or none that can be taken. `is_utf8`: whether text beyond ASCII is.
bool nfa_of_pattern(struct nfa *nfa, const char *pattern, bool is_utf8);

#endif
