#include "search/dfa.h"

#include "base/characters.h"

#include <ctype.h>
#include <stdlib.h>

// The state of reading the pattern. A part with a bound is read again for each repetition.
struct pattern_reader {
    struct nfa *nfa;
    const char *at, *end;
    bool is_utf8, has_failed;
    unsigned depth, work;
};

// Part of the automaton from `start` to `end`, which is an NFA_EMPTY whose next is not set yet.
struct fragment {
    uint16_t start, end;
};

static struct fragment read_branches(struct pattern_reader *reader);

// --- Nodes ---------------------------------------------------------------------------------------

static uint16_t add_node(struct pattern_reader *reader, enum nfa_kind kind)
{
    struct nfa *nfa = reader->nfa;
    if (nfa->count == LIMIT_PATTERN_NODES) {
        reader->has_failed = true;
        return 0;
    }
    nfa->nodes[nfa->count] = (struct nfa_node){.kind = (uint8_t)kind};
    return nfa->count++;
}

static struct fragment empty(struct pattern_reader *reader)
{
    uint16_t node = add_node(reader, NFA_EMPTY);
    return (struct fragment){node, node};
}

static void link_to(struct pattern_reader *reader, struct fragment from, uint16_t to)
{
    reader->nfa->nodes[from.end].next = to;
}

static struct fragment join(struct pattern_reader *reader, struct fragment first,
                            struct fragment second)
{
    link_to(reader, first, second.start);
    return (struct fragment){first.start, second.end};
}

static struct fragment single(struct pattern_reader *reader, enum nfa_kind kind)
{
    uint16_t node = add_node(reader, kind);
    struct fragment after = empty(reader);
    reader->nfa->nodes[node].next = after.start;
    return (struct fragment){node, after.end};
}

static struct fragment one_of(struct pattern_reader *reader, const struct byte_set *bytes)
{
    struct fragment fragment = single(reader, NFA_BYTES);
    reader->nfa->nodes[fragment.start].bytes = *bytes;
    return fragment;
}

static struct fragment either(struct pattern_reader *reader, struct fragment first,
                              struct fragment second)
{
    uint16_t split = add_node(reader, NFA_SPLIT);
    struct fragment after = empty(reader);
    reader->nfa->nodes[split].next = first.start;
    reader->nfa->nodes[split].other = second.start;
    link_to(reader, first, after.start);
    link_to(reader, second, after.start);
    return (struct fragment){split, after.end};
}

// Any number of times.
static struct fragment repeated(struct pattern_reader *reader, struct fragment what)
{
    uint16_t split = add_node(reader, NFA_SPLIT);
    struct fragment after = empty(reader);
    reader->nfa->nodes[split].next = what.start;
    reader->nfa->nodes[split].other = after.start;
    link_to(reader, what, split);
    return (struct fragment){split, after.end};
}

// --- Characters ----------------------------------------------------------------------------------

static void add_range(struct byte_set *set, unsigned first, unsigned last)
{
    for (unsigned byte = first; byte <= last; byte++)
        set->bits[byte / 64] |= UINT64_C(1) << (byte % 64);
}

// Characters of UTF-8 beyond ASCII.
static struct fragment beyond_ascii(struct pattern_reader *reader)
{
    static const struct {
        uint8_t length, ranges[4][2];
    } shapes[] = {
        {2, {{0xc2, 0xdf}, {0x80, 0xbf}}},
        {3, {{0xe0, 0xe0}, {0xa0, 0xbf}, {0x80, 0xbf}}},
        {3, {{0xe1, 0xec}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {3, {{0xed, 0xed}, {0x80, 0x9f}, {0x80, 0xbf}}},
        {3, {{0xee, 0xef}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {4, {{0xf0, 0xf0}, {0x90, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {4, {{0xf1, 0xf3}, {0x80, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {4, {{0xf4, 0xf4}, {0x80, 0x8f}, {0x80, 0xbf}, {0x80, 0xbf}}},
    };
    struct fragment all = {0};
    for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
        struct fragment shape = empty(reader);
        for (unsigned n = 0; n < shapes[i].length; n++) {
            struct byte_set bytes = {0};
            add_range(&bytes, shapes[i].ranges[n][0], shapes[i].ranges[n][1]);
            shape = join(reader, shape, one_of(reader, &bytes));
        }
        all = i ? either(reader, all, shape) : shape;
    }
    return all;
}

// All characters except the ASCII ones in the set; newlines do not occur in lines.
static struct fragment all_but(struct pattern_reader *reader, const struct byte_set *set)
{
    struct byte_set bytes;
    for (size_t i = 0; i < ARRAY_COUNT(bytes.bits); i++)
        bytes.bits[i] = i < 2 || !reader->is_utf8 ? ~set->bits[i] : 0;
    bytes.bits[0] &= ~(UINT64_C(1) << '\n');
    struct fragment ascii = one_of(reader, &bytes);
    return reader->is_utf8 ? either(reader, ascii, beyond_ascii(reader)) : ascii;
}

static struct fragment fail(struct pattern_reader *reader)
{
    reader->has_failed = true;
    return (struct fragment){0};
}

// A class without letters of other alphabets, such as "[:digit:]". False: another class.
static bool take_class(struct pattern_reader *reader, struct byte_set *set)
{
    static const char *const names[] = {"[:digit:]", "[:xdigit:]"};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        size_t length = strlen(names[i]);
        if ((size_t)(reader->end - reader->at) < length ||
            memcmp(reader->at, names[i], length) != 0)
            continue;
        add_range(set, '0', '9');
        if (i) {
            add_range(set, 'a', 'f');
            add_range(set, 'A', 'F');
        }
        reader->at += length;
        return true;
    }
    return false;
}

// The contents of brackets, after the opening one.
static struct fragment read_brackets(struct pattern_reader *reader)
{
    struct byte_set set = {0};
    bool is_negated = reader->at < reader->end && *reader->at == '^';
    reader->at += is_negated;
    for (bool is_first = true;; is_first = false) {
        if (reader->at >= reader->end)
            return fail(reader);
        unsigned char first = (unsigned char)*reader->at, last = first;
        if (first == ']' && !is_first)
            break;
        if (first >= 0x80)
            return fail(reader);
        if (first == '[' && reader->at + 1 < reader->end && strchr(":.=", reader->at[1])) {
            if (!take_class(reader, &set))
                return fail(reader);
            continue;
        }
        reader->at++;
        if (reader->end - reader->at >= 2 && reader->at[0] == '-' && reader->at[1] != ']') {
            last = (unsigned char)reader->at[1];
            reader->at += 2;
            if (last >= 0x80 || last < first || last == '[')
                return fail(reader);
        }
        add_range(&set, first, last);
    }
    reader->at++;
    return is_negated ? all_but(reader, &set) : one_of(reader, &set);
}

// A plain character, which has several bytes if it is beyond ASCII.
static struct fragment read_plain(struct pattern_reader *reader)
{
    unsigned char lead = (unsigned char)*reader->at;
    size_t length = !reader->is_utf8 || lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    struct fragment all = empty(reader);
    if (length > (size_t)(reader->end - reader->at) ||
        (reader->is_utf8 && lead >= 0x80 && lead < 0xc2))
        return fail(reader);
    for (size_t i = 0; i < length; i++) {
        struct byte_set bytes = {0};
        unsigned char byte = (unsigned char)*reader->at++;
        add_range(&bytes, byte, byte);
        all = join(reader, all, one_of(reader, &bytes));
    }
    return all;
}

// --- Parts ---------------------------------------------------------------------------------------

// An anchor is supported at the edge of a branch, once, and not in a group: in repeated groups the
// C library finds beginnings of lines in their middle.
static struct fragment read_anchor(struct pattern_reader *reader, const char *begin)
{
    bool is_begin = *reader->at == '^';
    const char *next = ++reader->at;
    bool is_at_edge =
        is_begin ? next - 1 == begin : next == reader->end || *next == ')' || *next == '|';
    if (reader->depth || !is_at_edge || (next < reader->end && strchr("*+?{", *next)))
        return fail(reader);
    return single(reader, is_begin ? NFA_BEGIN : NFA_END);
}

static struct fragment read_group(struct pattern_reader *reader)
{
    struct fragment group;
    if (++reader->depth > LIMIT_PATTERN_DEPTH)
        return fail(reader);
    group = read_branches(reader);
    reader->depth--;
    if (reader->has_failed || reader->at >= reader->end || *reader->at != ')')
        return fail(reader);
    reader->at++;
    return group;
}

// One part, without its repetition. `begin` is the start of its branch.
static struct fragment read_part(struct pattern_reader *reader, const char *begin)
{
    char c = *reader->at;
    const struct byte_set none = {0};
    if (reader->work++ > LIMIT_PATTERN_NODES)
        return fail(reader);
    switch (c) {
    case '(':
        reader->at++;
        return read_group(reader);
    case '[':
        reader->at++;
        return read_brackets(reader);
    case '.':
        reader->at++;
        return all_but(reader, &none);
    case '^':
    case '$':
        return read_anchor(reader, begin);
    case '*':
    case '+':
    case '?':
    case '{':
        return fail(reader);
    case '\\':
        reader->at++;
        // Some escaped letters and digits have special meanings.
        if (reader->at >= reader->end || !ispunct((unsigned char)*reader->at) ||
            strchr("<>`'", *reader->at))
            return fail(reader);
        return read_plain(reader);
    default:
        return read_plain(reader);
    }
}

// "{2}", "{2,}", "{2,5}". False: none of these.
static bool read_bounds(struct pattern_reader *reader, unsigned *least, unsigned *most)
{
    enum { TIMES_NOT_BOUNDED = 1000 };
    char *after;
    if (!is_digit(reader->at[1]))
        return false;
    unsigned long first = strtoul(reader->at + 1, &after, 10), last = first;
    if (*after == ',') {
        last = TIMES_NOT_BOUNDED;
        if (is_digit(*++after))
            last = strtoul(after, &after, 10);
    }
    if (*after != '}' || first > 255 || (last > 255 && last != TIMES_NOT_BOUNDED) || last < first)
        return false;
    reader->at = after + 1;
    *least = (unsigned)first;
    *most = (unsigned)last;
    return true;
}

// Reads the same part again.
static struct fragment read_again(struct pattern_reader *reader, const char *part,
                                  const char *begin)
{
    const char *after = reader->at;
    reader->at = part;
    struct fragment fragment = read_part(reader, begin);
    reader->at = after;
    return fragment;
}

static struct fragment times(struct pattern_reader *reader, const char *part, const char *begin,
                             unsigned least, unsigned most)
{
    struct fragment all = empty(reader);
    for (unsigned i = 0; i < least && !reader->has_failed; i++)
        all = join(reader, all, read_again(reader, part, begin));
    if (most > 255 && !reader->has_failed)
        return join(reader, all, repeated(reader, read_again(reader, part, begin)));
    for (unsigned i = least; i < most && !reader->has_failed; i++)
        all = join(reader, all, either(reader, read_again(reader, part, begin), empty(reader)));
    return all;
}

// A part with its repetition.
static struct fragment read_piece(struct pattern_reader *reader, const char *begin)
{
    const char *part = reader->at;
    struct fragment piece = read_part(reader, begin);
    bool is_bounded = false;
    for (; reader->at < reader->end && !reader->has_failed && strchr("*+?{", *reader->at);) {
        unsigned least = *reader->at == '+', most = *reader->at == '?' ? 1 : 1000;
        if (is_bounded) // two repetitions in a row are left to the C library
            return fail(reader);
        is_bounded = true;
        if (*reader->at != '{')
            reader->at++;
        else if (!read_bounds(reader, &least, &most))
            return fail(reader);
        piece = times(reader, part, begin, least, most);
    }
    return piece;
}

static struct fragment read_branch(struct pattern_reader *reader)
{
    const char *begin = reader->at;
    struct fragment branch = empty(reader);
    while (reader->at < reader->end && !reader->has_failed && !strchr("|)", *reader->at))
        branch = join(reader, branch, read_piece(reader, begin));
    return reader->at == begin ? fail(reader) : branch;
}

static struct fragment read_branches(struct pattern_reader *reader)
{
    struct fragment all = read_branch(reader);
    while (reader->at < reader->end && !reader->has_failed && *reader->at == '|') {
        reader->at++;
        all = either(reader, all, read_branch(reader));
    }
    return all;
}

bool nfa_of_pattern(struct nfa *nfa, const char *pattern, bool is_utf8)
{
    struct pattern_reader reader = {
        .nfa = nfa, .at = pattern, .end = pattern + strlen(pattern), .is_utf8 = is_utf8};
    nfa->count = 0;
    struct fragment all = read_branches(&reader);
    uint16_t match = add_node(&reader, NFA_MATCH);
    nfa->last_end = add_node(&reader, NFA_END);
    if (reader.has_failed || reader.at < reader.end)
        return false;
    nfa->nodes[nfa->last_end].next = match;
    link_to(&reader, all, match);
    nfa->start = all.start;
    return true;
}

// --- Sets of nodes -------------------------------------------------------------------------------

void nfa_add_closure(const struct nfa *nfa, struct node_set *set, uint16_t first, bool is_at_begin,
                     bool is_at_end)
{
    uint16_t stack[LIMIT_PATTERN_NODES];
    struct node_set seen = {0};
    size_t depth = 0;
    stack[depth++] = first;
    seen.bits[first / 64] |= UINT64_C(1) << (first % 64);
    while (depth) {
        uint16_t at = stack[--depth];
        const struct nfa_node *node = &nfa->nodes[at];
        bool passes = node->kind == NFA_EMPTY || node->kind == NFA_SPLIT ||
                      (node->kind == NFA_BEGIN && is_at_begin) ||
                      (node->kind == NFA_END && is_at_end);
        if (node->kind == NFA_BYTES || node->kind == NFA_END || node->kind == NFA_MATCH)
            set->bits[at / 64] |= UINT64_C(1) << (at % 64);
        const uint16_t targets[] = {node->next, node->other};
        for (size_t i = 0; passes && i < (node->kind == NFA_SPLIT ? 2u : 1u); i++) {
            uint16_t target = targets[i];
            uint64_t bit = UINT64_C(1) << (target % 64);
            if (seen.bits[target / 64] & bit)
                continue;
            seen.bits[target / 64] |= bit;
            stack[depth++] = target;
        }
    }
}

bool nfa_has_match(const struct nfa *nfa, const struct node_set *set)
{
    uint16_t match = nfa->nodes[nfa->last_end].next;
    return set->bits[match / 64] >> (match % 64) & 1;
}

struct node_set nfa_step(const struct nfa *nfa, const struct node_set *from, enum nfa_kind kind,
                         uint8_t byte)
{
    struct node_set to = {0};
    for (size_t word = 0; word < NFA_WORDS; word++) {
        for (uint64_t rest = from->bits[word]; rest; rest &= rest - 1) {
            size_t at = word * 64 + (size_t)__builtin_ctzll(rest);
            const struct nfa_node *node = &nfa->nodes[at];
            if (node->kind == kind && (kind == NFA_END || byte_set_has(&node->bytes, byte)))
                nfa_add_closure(nfa, &to, node->next, false, kind == NFA_END);
        }
    }
    return to;
}
