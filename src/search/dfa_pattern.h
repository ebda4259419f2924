// An extended regular expression of POSIX as a nondeterministic automaton over bytes, as far as
// search/dfa.h supports them.
#ifndef TRAWL_SEARCH_DFA_PATTERN_H
#define TRAWL_SEARCH_DFA_PATTERN_H

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
