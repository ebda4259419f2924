#include "search/dfa.h"

#include <stdlib.h>

// States are rows of `next`, with one entry for each byte: the offset of the row of the next state,
// so that a step is one addition and one load. The first two states never lead elsewhere, so that a
// loop needs to check for them only now and then.
enum { STATE_UNKNOWN, STATE_MATCHES, STATE_FIRST };
enum {
    ROW = 256,
    ROW_UNKNOWN = STATE_UNKNOWN * ROW,
    ROW_MATCHES = STATE_MATCHES * ROW,
    ROW_FIRST = STATE_FIRST * ROW
};

enum { STEPS = 16, STREAMS = 6, HASH_SLOTS = 4096 };

struct dfa {
    struct nfa nfa;
    uint32_t begin; // the row where a line begins
    size_t state_count;
    uint32_t *next;         // LIMIT_DFA_STATES rows
    struct node_set *nodes; // of each state
    uint16_t slots[HASH_SLOTS];
    bool is_full; // no room for another state
};

// --- Sets of nodes -------------------------------------------------------------------------------

// Whether the line matches if it ends here.
static bool matches_at_end(const struct nfa *nfa, const struct node_set *set)
{
    struct node_set after = nfa_step(nfa, set, NFA_END, 0);
    return nfa_has_match(nfa, &after);
}

// --- States --------------------------------------------------------------------------------------

static uint64_t hash_of(const struct node_set *set)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < NFA_WORDS; i++)
        hash = (hash ^ set->bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

// The state of a set. STATE_UNKNOWN: there is no room left.
static uint16_t state_of(struct dfa *dfa, const struct node_set *set)
{
    size_t slot = hash_of(set) % HASH_SLOTS;
    if (nfa_has_match(&dfa->nfa, set))
        return STATE_MATCHES;
    for (; dfa->slots[slot]; slot = (slot + 1) % HASH_SLOTS) {
        if (memcmp(&dfa->nodes[dfa->slots[slot]], set, sizeof *set) == 0)
            return dfa->slots[slot];
    }
    if (dfa->state_count == LIMIT_DFA_STATES) {
        dfa->is_full = true;
        return STATE_UNKNOWN;
    }
    uint16_t state = (uint16_t)dfa->state_count++;
    dfa->slots[slot] = state;
    dfa->nodes[state] = *set;
    memset(dfa->next + (size_t)state * ROW, 0, ROW * sizeof *dfa->next);
    return state;
}

static struct node_set begin_set(const struct dfa *dfa)
{
    struct node_set set = {0};
    nfa_add_closure(&dfa->nfa, &set, dfa->nfa.start, true, false);
    return set;
}

// The nodes that a byte leads to from a set of nodes; a match may begin anywhere.
static struct node_set set_after(const struct dfa *dfa, const struct node_set *set, uint8_t byte)
{
    const struct nfa *nfa = &dfa->nfa;
    if (byte == '\n')
        return begin_set(dfa);
    struct node_set after = nfa_step(nfa, set, NFA_BYTES, byte);
    nfa_add_closure(nfa, &after, nfa->start, false, false);
    // A carriage return before the newline does not belong to the line.
    if (byte == '\r' && matches_at_end(nfa, set))
        nfa_add_closure(nfa, &after, nfa->last_end, false, false);
    return after;
}

// Makes a step that was not known yet. ROW_UNKNOWN: there is no room.
static uint32_t make_step(struct dfa *dfa, uint32_t row, uint8_t byte)
{
    struct node_set from = dfa->nodes[row / ROW];
    uint16_t state = STATE_MATCHES;
    if (byte != '\n' || !matches_at_end(&dfa->nfa, &from)) {
        struct node_set set = set_after(dfa, &from, byte);
        state = state_of(dfa, &set);
    }
    return dfa->next[row + byte] = (uint32_t)state * ROW;
}

// --- Looking -------------------------------------------------------------------------------------

// Makes several steps at a time, as long as none of them finds a match or an unknown step.
static const char *run(const uint32_t *next, uint32_t *row, const char *at, const char *end)
{
    enum { AT_ONCE = 8 };
    uint32_t now = *row;
    for (; end - at >= AT_ONCE; at += AT_ONCE) {
        uint32_t then = now;
        for (size_t i = 0; i < AT_ONCE; i++)
            then = next[then + (uint8_t)at[i]];
        if (then < ROW_FIRST)
            break;
        now = then;
    }
    *row = now;
    return at;
}

// Steps until the line matches. Returns the place after the byte that decided it. NULL: no match up
// to `end`, and *row is the state there; or there is no room.
static const char *walk(struct dfa *dfa, uint32_t *row, const char *at, const char *end)
{
    uint32_t now = *row;
    for (; at < end; at++) {
        at = run(dfa->next, &now, at, end);
        if (at == end)
            break;
        uint8_t byte = (uint8_t)*at;
        uint32_t next = dfa->next[now + byte];
        now = next == ROW_UNKNOWN ? make_step(dfa, now, byte) : next;
        if (now < ROW_FIRST)
            return now == ROW_MATCHES ? at + 1 : NULL;
    }
    *row = now;
    return NULL;
}

const char *dfa_find(struct dfa *dfa, const char *at, const char *end)
{
    uint32_t row = dfa->begin;
    const char *found = walk(dfa, &row, at, end);
    return found ? found - 1 : NULL;
}

// A part of the text that consists of whole lines.
struct stream {
    const char *start, *at, *end;
    uint32_t row;
};

// Whether the line around `place` counts, in a part of the text that begins at `start`.
static bool is_taken(const struct dfa_lines *lines, const char *start, const char *place,
                     const char *newline)
{
    bool has_return = newline > start && newline[-1] == '\r';
    if (!has_return && (size_t)(newline - start) < lines->plain_bytes)
        return true;
    const char *before = place > start ? memrchr(start, '\n', (size_t)(place - start)) : NULL;
    const char *line = before ? before + 1 : start;
    if (!has_return && (size_t)(newline - line) < lines->plain_bytes)
        return true;
    return lines->takes(lines->self, line, newline);
}

// Counts the line around `place`, which matches, and moves to the next one.
static uint64_t take_line(const struct dfa *dfa, const struct dfa_lines *lines,
                          struct stream *stream, const char *place)
{
    const char *newline = memchr(place, '\n', (size_t)(stream->end - place));
    newline = newline ? newline : stream->end;
    stream->at = newline < stream->end ? newline + 1 : newline;
    stream->row = dfa->begin;
    return is_taken(lines, stream->start, place, newline);
}

// Steps one stream up to `until`, continuing with the next line after each match. Returns the
// number of matches.
static uint64_t advance(struct dfa *dfa, const struct dfa_lines *lines, struct stream *stream,
                        const char *until)
{
    uint64_t count = 0;
    while (stream->at < until && !dfa->is_full) {
        const char *found = walk(dfa, &stream->row, stream->at, until);
        if (found)
            count += take_line(dfa, lines, stream, found - 1);
        else
            stream->at = until;
    }
    return count;
}

// A stream met a match or an unknown step: repeats its last steps byte by byte.
static uint64_t look_back(struct dfa *dfa, const struct dfa_lines *lines,
                          struct stream streams[STREAMS], const uint32_t before[STREAMS])
{
    uint64_t count = 0;
    for (size_t i = 0; i < STREAMS; i++) {
        const char *until = streams[i].at;
        if (streams[i].row >= ROW_FIRST)
            continue;
        streams[i].at -= STEPS;
        streams[i].row = before[i];
        count += advance(dfa, lines, &streams[i], until);
    }
    return count;
}

static uint32_t least_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t least = a < b ? a : b;
    return least < c ? least : c;
}

// Steps all streams together, because none waits for another, until one reaches its end.
static uint64_t run_streams(struct dfa *dfa, const struct dfa_lines *lines,
                            struct stream streams[STREAMS])
{
    const uint32_t *next = dfa->next;
    uint64_t count = 0;
    while (!dfa->is_full) {
        struct stream *p = streams;
        uint32_t s0 = p[0].row, s1 = p[1].row, s2 = p[2].row;
        uint32_t s3 = p[3].row, s4 = p[4].row, s5 = p[5].row;
        const char *a0 = p[0].at, *a1 = p[1].at, *a2 = p[2].at;
        const char *a3 = p[3].at, *a4 = p[4].at, *a5 = p[5].at;
        uint64_t rounds = UINT64_MAX;
        for (size_t i = 0; i < STREAMS; i++)
            rounds = u64_min(rounds, (uint64_t)(p[i].end - p[i].at) / STEPS);
        if (!rounds)
            break;
        uint32_t before[STREAMS], least;
        do {
            before[0] = s0, before[1] = s1, before[2] = s2;
            before[3] = s3, before[4] = s4, before[5] = s5;
            for (size_t i = 0; i < STEPS; i++) {
                s0 = next[s0 + (uint8_t)a0[i]];
                s1 = next[s1 + (uint8_t)a1[i]];
                s2 = next[s2 + (uint8_t)a2[i]];
                s3 = next[s3 + (uint8_t)a3[i]];
                s4 = next[s4 + (uint8_t)a4[i]];
                s5 = next[s5 + (uint8_t)a5[i]];
            }
            a0 += STEPS, a1 += STEPS, a2 += STEPS, a3 += STEPS, a4 += STEPS, a5 += STEPS;
            least = least_of(least_of(s0, s1, s2), s3, least_of(s4, s5, s5));
        } while (--rounds && least >= ROW_FIRST);
        p[0].row = s0, p[1].row = s1, p[2].row = s2, p[3].row = s3, p[4].row = s4, p[5].row = s5;
        p[0].at = a0, p[1].at = a1, p[2].at = a2, p[3].at = a3, p[4].at = a4, p[5].at = a5;
        count += look_back(dfa, lines, streams, before);
    }
    return count;
}

// The first line that begins at or after `at`.
static const char *next_begin(const char *at, const char *end)
{
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return newline ? newline + 1 : end;
}

// Cuts the text into parts of whole lines. False: a long line makes one of them too short to be
// worth it.
static bool cut(const struct dfa *dfa, const char *at, const char *end,
                struct stream streams[STREAMS])
{
    enum { SHORTEST = 16 }; // part of the text
    size_t size = (size_t)(end - at);
    bool is_even = true;
    for (size_t i = 0; i < STREAMS; i++) {
        const char *from = i ? streams[i - 1].end : at;
        const char *until = next_begin(at + size / STREAMS * (i + 1) - 1, end);
        until = i + 1 == STREAMS ? end : until < from ? from : until;
        streams[i] = (struct stream){from, from, until, dfa->begin};
        is_even &= (size_t)(until - from) >= size / SHORTEST;
    }
    return is_even;
}

// Whether, judging by its beginning, most of the text comes after a match in its line: skipping
// that is faster than stepping through it in several streams.
static bool matches_early(struct dfa *dfa, const char *at, const char *end)
{
    enum { SAMPLE_BYTES = 2048, SHARE = 3 };
    const char *until = end - at > SAMPLE_BYTES ? at + SAMPLE_BYTES : end, *line = at;
    size_t stepped = 0;
    while (line < until && !dfa->is_full) {
        uint32_t row = dfa->begin;
        const char *found = walk(dfa, &row, line, until);
        stepped += (size_t)((found ? found : until) - line);
        line = found ? next_begin(found - 1, until) : until;
    }
    return stepped * SHARE < (size_t)(until - at);
}

uint64_t dfa_count(struct dfa *dfa, const char *at, const char *end, const struct dfa_lines *lines)
{
    enum { SINGLE_BYTES = 4096 };
    struct stream streams[STREAMS];
    if (end - at < SINGLE_BYTES || matches_early(dfa, at, end) || !cut(dfa, at, end, streams)) {
        struct stream all = {at, at, end, dfa->begin};
        return advance(dfa, lines, &all, end);
    }
    uint64_t count = run_streams(dfa, lines, streams);
    // The rest of each stream, after its current line.
    for (size_t i = 0; i < STREAMS; i++) {
        const char *line = streams[i].at;
        if (line > streams[i].start && line[-1] != '\n')
            line = next_begin(line, streams[i].end);
        count += advance(dfa, lines, &streams[i], line);
        if (!dfa->is_full)
            count += dfa_count(dfa, streams[i].at, streams[i].end, lines);
    }
    return count;
}

bool dfa_takes(const struct dfa *dfa, const char *line, size_t length)
{
    struct node_set set = begin_set(dfa);
    for (size_t i = 0; i < length && !nfa_has_match(&dfa->nfa, &set); i++)
        set = set_after(dfa, &set, (uint8_t)line[i]);
    return nfa_has_match(&dfa->nfa, &set) || matches_at_end(&dfa->nfa, &set);
}

// --- Opening -------------------------------------------------------------------------------------

bool dfa_is_full(const struct dfa *dfa)
{
    return dfa->is_full;
}

void dfa_close(struct dfa *dfa)
{
    if (!dfa)
        return;
    free(dfa->next);
    free(dfa->nodes);
    free(dfa);
}

// False: the pattern is not supported, or every line matches.
static bool begin(struct dfa *dfa, const char *pattern)
{
    if (!nfa_of_pattern(&dfa->nfa, pattern, MB_CUR_MAX > 1))
        return false;
    dfa->state_count = STATE_FIRST;
    for (size_t i = 0; i < ROW; i++)
        dfa->next[ROW_MATCHES + i] = ROW_MATCHES;
    const struct node_set set = begin_set(dfa);
    dfa->begin = (uint32_t)state_of(dfa, &set) * ROW;
    return dfa->begin >= ROW_FIRST && !matches_at_end(&dfa->nfa, &set);
}

enum status dfa_open(struct dfa **out, const char *pattern, struct error *err)
{
    struct dfa *dfa = calloc(1, sizeof *dfa);
    *out = NULL;
    if (dfa) {
        dfa->next = calloc(LIMIT_DFA_STATES * (size_t)ROW, sizeof *dfa->next);
        dfa->nodes = calloc(LIMIT_DFA_STATES, sizeof *dfa->nodes);
    }
    if (!dfa || !dfa->next || !dfa->nodes) {
        dfa_close(dfa);
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    }
    if (!begin(dfa, pattern)) {
        dfa_close(dfa);
        return error_set(err, STATUS_INPUT, "no pattern for an automaton");
    }
    *out = dfa;
    return STATUS_OK;
}
