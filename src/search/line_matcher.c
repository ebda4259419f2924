#include "search/line_matcher.h"

#include "base/line_ends.h"
#include "search/dfa.h"
#include "simd/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>

struct line_matcher {
    struct pattern pattern;
    struct dfa *dfa; // of the pattern; NULL: it is not supported
    const char *limit, *end;
    // How often needed text was found, and in how many bytes: if nearly every line has it, the
    // automaton alone is faster.
    uint64_t candidates, looked_at_bytes;
    bool is_new;               // no search since line_matcher_begin
    const _Atomic bool *stops; // NULL: it goes on
    const struct kernels *kernels;
    bool has_needles; // made from the first text
    struct text_needle needles[NEEDED_MAX];
    // Where each needed text was found last, before the limit; NULL: not found any more.
    const char *places[NEEDED_MAX];
};

enum status line_matcher_open(struct line_matcher **out, const char *pattern, enum simd simd,
                              struct error *err)
{
    struct line_matcher *matcher = calloc(1, sizeof *matcher);
    *out = NULL;
    if (!matcher)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    matcher->kernels = kernels_of(simd);
    enum status status = pattern_open(&matcher->pattern, pattern, err);
    if (status == STATUS_OK && dfa_open(&matcher->dfa, pattern, err) == STATUS_MEMORY)
        status = STATUS_MEMORY;
    if (status == STATUS_OK)
        *out = matcher;
    else
        line_matcher_close(matcher);
    return status;
}

void line_matcher_close(struct line_matcher *matcher)
{
    if (!matcher)
        return;
    dfa_close(matcher->dfa);
    pattern_free(&matcher->pattern);
    free(matcher);
}

void line_matcher_stop_at(struct line_matcher *matcher, const _Atomic bool *stops)
{
    matcher->stops = stops;
}

// --- Lines ---------------------------------------------------------------------------------------

// The length of the part of a line that is searched.
static size_t length_of(const char *start, const char *newline)
{
    size_t length = (size_t)u64_min((uint64_t)(newline - start), PATTERN_LINE_BYTES);
    return length && start[length - 1] == '\r' ? length - 1 : length;
}

static bool is_stopped(const struct line_matcher *matcher)
{
    return matcher->stops && atomic_load(matcher->stops);
}

// Without the automaton's table. The C library learns more about a pattern than its own states, so
// that one for which the table is too small is not left to it.
static bool takes_line(void *self, const char *start, const char *newline)
{
    struct line_matcher *matcher = self;
    size_t length = length_of(start, newline);
    if (is_stopped(matcher))
        return false;
    return matcher->dfa && dfa_is_full(matcher->dfa)
               ? dfa_takes(matcher->dfa, start, length)
               : pattern_takes(&matcher->pattern, start, length);
}

bool line_matcher_takes(struct line_matcher *matcher, const char *start, const char *newline)
{
    bool is_plain = matcher->dfa && !dfa_is_full(matcher->dfa) &&
                    length_of(start, newline) == (size_t)(newline - start);
    const char *found = is_plain ? dfa_find(matcher->dfa, start, newline + 1) : NULL;
    if (is_plain && !dfa_is_full(matcher->dfa))
        return found != NULL;
    return takes_line(matcher, start, newline);
}

static bool line_matches(struct line_matcher *matcher, const char *start, const char *newline)
{
    return newline < matcher->end ? line_matcher_takes(matcher, start, newline)
                                  : takes_line(matcher, start, newline);
}

// --- By what is needed ---------------------------------------------------------------------------

// Chooses the bytes of the needed text to search for, by their frequency in a sample of the text:
// the rarest one, and the one that occurs least often at its distance from that.
static struct text_needle make_needle(const struct needed *needed, const char *sample,
                                      size_t sample_bytes)
{
    struct text_needle needle = {needed->text, needed->length, 0, 0};
    uint32_t counts[256] = {0}, beside[NEEDED_BYTES] = {0};
    for (size_t i = 0; i < sample_bytes; i++)
        counts[(uint8_t)sample[i]]++;
    for (size_t i = 1; i < needed->length; i++) {
        if (counts[(uint8_t)needed->text[i]] < counts[(uint8_t)needed->text[needle.first]])
            needle.first = i;
    }
    for (size_t at = 0; at + needed->length <= sample_bytes; at++) {
        for (size_t i = 0;
             sample[at + needle.first] == needed->text[needle.first] && i < needed->length; i++)
            beside[i] += sample[at + i] == needed->text[i];
    }
    for (size_t i = 1; i < needed->length; i++)
        needle.second = beside[i] < beside[needle.second] ? i : needle.second;
    return needle;
}

static void make_needles(struct line_matcher *matcher, const char *at)
{
    enum { SAMPLE_BYTES = 4096 };
    size_t sample_bytes = (size_t)u64_min((uint64_t)(matcher->end - at), SAMPLE_BYTES);
    for (size_t i = 0; i < matcher->pattern.needed_count; i++)
        matcher->needles[i] = make_needle(&matcher->pattern.needed[i], at, sample_bytes);
    matcher->has_needles = true;
}

// The first place at or after `at` with any needed text, in a line that begins before the limit.
// NULL: there is none.
static const char *next_needed(struct line_matcher *matcher, const char *at)
{
    const char *until = line_end_at(matcher->limit - 1, matcher->end), *found = NULL;
    bool is_new = matcher->is_new;
    if (!matcher->has_needles)
        make_needles(matcher, at);
    matcher->is_new = false;
    for (size_t i = 0; i < matcher->pattern.needed_count; i++) {
        const char **place = &matcher->places[i];
        if (is_new || (*place && *place < at))
            *place = matcher->kernels->find(at, until, &matcher->needles[i]);
        if (*place && (!found || *place < found))
            found = *place;
    }
    matcher->candidates++;
    matcher->looked_at_bytes += (uint64_t)((found ? found : matcher->limit) - at);
    return found;
}

// --- By the automaton ----------------------------------------------------------------------------

// Whether the automaton is faster than searching for needed text.
static bool goes_by_dfa(const struct line_matcher *matcher)
{
    enum { CANDIDATES_LEAST = 64, BYTES_APART = 256 };
    if (!matcher->dfa || dfa_is_full(matcher->dfa))
        return false;
    return !matcher->pattern.needed_count ||
           (matcher->candidates > CANDIDATES_LEAST &&
            matcher->looked_at_bytes / matcher->candidates < BYTES_APART);
}

// The place after the last newline of the lines that begin before the limit; `at` if there is none.
static const char *whole_lines_end(const struct line_matcher *matcher, const char *at)
{
    const char *stop = line_end_at(matcher->limit - 1, matcher->end);
    return stop < matcher->end ? stop + 1 : line_start_at(at, matcher->end);
}

// Whether a last line without a newline, at `until`, begins before the limit and matches.
static bool rest_matches(struct line_matcher *matcher, const char *until)
{
    return until < matcher->limit && until < matcher->end &&
           line_matches(matcher, until, matcher->end);
}

// The next line, or NULL. False: the automaton is full.
static bool next_by_dfa(struct line_matcher *matcher, const char *at, const char **line)
{
    const char *until = whole_lines_end(matcher, at);
    *line = NULL;
    while (at < until) {
        const char *place = dfa_find(matcher->dfa, at, until);
        if (dfa_is_full(matcher->dfa))
            return false;
        if (!place)
            break;
        const char *start = line_start_at(at, place), *stop = line_end_at(place, matcher->end);
        if (start >= matcher->limit)
            return true;
        if (line_matches(matcher, start, stop)) {
            *line = start;
            return true;
        }
        at = stop + 1;
    }
    if (rest_matches(matcher, until))
        *line = until;
    return true;
}

// How many lines match from `at` on. False: the automaton is full.
static bool count_by_dfa(struct line_matcher *matcher, const char *at, uint64_t *lines)
{
    const struct dfa_lines how = {PATTERN_LINE_BYTES, matcher, takes_line};
    const char *until = whole_lines_end(matcher, at);
    *lines = dfa_count(matcher->dfa, at, until, &how);
    if (dfa_is_full(matcher->dfa))
        return false;
    *lines += rest_matches(matcher, until);
    return true;
}

// --- Matching ------------------------------------------------------------------------------------

// Whether text found at `place` is certainly in the part of its line that is searched.
static bool is_looked_at(const struct line_matcher *matcher, const char *line, const char *place)
{
    return (size_t)(place - line) < PATTERN_LINE_BYTES - NEEDED_BYTES &&
           place[matcher->pattern.needed[0].length - 1] != '\r';
}

void line_matcher_begin(struct line_matcher *matcher, const char *limit, const char *end)
{
    matcher->limit = limit;
    matcher->end = end;
    matcher->is_new = true;
}

const char *line_matcher_next(struct line_matcher *matcher, const char *at)
{
    const char *found;
    if (at < matcher->limit && goes_by_dfa(matcher) && next_by_dfa(matcher, at, &found))
        return found;
    while (at < matcher->limit && !is_stopped(matcher)) {
        if (matcher->pattern.needed_count) {
            const char *place = next_needed(matcher, at);
            if (!place)
                return NULL;
            at = line_start_at(at, place);
            if (matcher->pattern.is_text && is_looked_at(matcher, at, place))
                return at;
        }
        const char *stop = line_end_at(at, matcher->end);
        if (line_matches(matcher, at, stop))
            return at;
        at = stop + 1;
    }
    return NULL;
}

// How many lines contain the text that is the whole pattern.
static uint64_t count_text(struct line_matcher *matcher, const char *at)
{
    const char *until = line_end_at(matcher->limit - 1, matcher->end), *place;
    uint64_t lines = 0;
    if (!matcher->has_needles)
        make_needles(matcher, at);
    while (at < matcher->limit &&
           (place = matcher->kernels->find(at, until, &matcher->needles[0]))) {
        const char *stop = line_end_at(place, matcher->end), *start = at; // or of a later line
        if (!is_looked_at(matcher, start, place))
            start = line_start_at(at, place);
        lines += is_looked_at(matcher, start, place) || line_matches(matcher, start, stop);
        at = stop + 1;
    }
    return lines;
}

uint64_t line_matcher_count(struct line_matcher *matcher, const char *at)
{
    uint64_t lines = 0, rest;
    if (matcher->pattern.is_text && at < matcher->limit)
        return count_text(matcher, at);
    while (at < matcher->limit) {
        if (goes_by_dfa(matcher) && count_by_dfa(matcher, at, &rest))
            return lines + rest;
        if (!(at = line_matcher_next(matcher, at)))
            break;
        lines++;
        at = line_end_at(at, matcher->end) + 1;
    }
    return lines;
}

const struct pattern *line_matcher_pattern(const struct line_matcher *matcher)
{
    return &matcher->pattern;
}
