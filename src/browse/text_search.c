#include "browse/text_search.h"

#include "analysis/dfa.h"

#include <stdlib.h>

#define BLOCK_BYTES (UINT64_C(1) << 20)

struct text_search {
    struct searched_text text;
    char *pattern;         // NULL: lines are tested
    struct line_test test; // else
};

struct text_seeker {
    const struct text_search *search;
    struct pattern pattern;
    struct dfa *dfa; // of the pattern; NULL: it takes none
    // Where what is needed was found, and how much text that was found in: where it stands in
    // nearly every line, the automaton alone is faster.
    uint64_t candidates, looked_at_bytes;
    // Where what is needed was found last, before a limit; NULL: not any more.
    const char *limit, *places[NEEDED_MAX];
};

// --- Lines ---------------------------------------------------------------------------------------

static const char *line_end(const char *at, const char *end)
{
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return newline ? newline : end;
}

static const char *line_start(const char *start, const char *at)
{
    const char *newline = at > start ? memrchr(start, '\n', (size_t)(at - start)) : NULL;
    return newline ? newline + 1 : start;
}

static const char *text_end(const struct text_seeker *seeker)
{
    return seeker->search->text.start + seeker->search->text.size_bytes;
}

static bool line_matches(const struct text_seeker *seeker, const char *start, const char *end)
{
    const struct text_search *search = seeker->search;
    struct pattern_match match;
    size_t length = (size_t)u64_min((uint64_t)(end - start), TEXT_SEARCH_LINE_BYTES);
    if (length && start[length - 1] == '\r')
        length--;
    bool is_plain = seeker->dfa && !dfa_is_full(seeker->dfa) && end < text_end(seeker) &&
                    length == (size_t)(end - start);
    if (is_plain)
        return dfa_find(seeker->dfa, start, end + 1) != NULL;
    if (!search->pattern)
        return search->test.takes(search->test.self, search->text.start, start, start + length);
    return pattern_find(&seeker->pattern, start, 0, length, &match);
}

// The first place at or after `at` where something stands that is needed, in a line that begins
// before the limit. NULL: there is none.
static const char *next_needed(struct text_seeker *seeker, const char *at, const char *limit)
{
    const struct pattern *pattern = &seeker->pattern;
    const char *until = line_end(limit - 1, text_end(seeker)), *found = NULL;
    bool is_new = seeker->limit != limit;
    seeker->limit = limit;
    for (size_t i = 0; i < pattern->needed_count; i++) {
        const struct needed *needed = &pattern->needed[i];
        const char **place = &seeker->places[i];
        if (is_new || (*place && *place < at))
            *place = memmem(at, (size_t)(until - at), needed->text, needed->length);
        if (*place && (!found || *place < found))
            found = *place;
    }
    return found;
}

// The last newline of the lines that begin before `limit`, and what comes after it; `at` where
// there is none.
static const char *whole_lines_end(const struct text_seeker *seeker, const char *at,
                                   const char *limit)
{
    const char *end = text_end(seeker), *stop = line_end(limit - 1, end);
    return stop < end ? stop + 1 : line_start(at, end);
}

// Whether the automaton is faster than to look for what is needed.
static bool goes_by_dfa(const struct text_seeker *seeker)
{
    enum { CANDIDATES_LEAST = 64, BYTES_APART = 512 };
    if (!seeker->dfa || dfa_is_full(seeker->dfa))
        return false;
    return !seeker->pattern.needed_count ||
           (seeker->candidates > CANDIDATES_LEAST &&
            seeker->looked_at_bytes / seeker->candidates < BYTES_APART);
}

// The same by the automaton. False: that is full.
static bool next_by_dfa(struct text_seeker *seeker, const char *at, const char *limit,
                        const char **line)
{
    const char *end = text_end(seeker), *until = whole_lines_end(seeker, at, limit);
    *line = NULL;
    while (at < until) {
        const char *place = dfa_find(seeker->dfa, at, until);
        if (dfa_is_full(seeker->dfa))
            return false;
        if (!place)
            break;
        const char *start = line_start(at, place), *stop = line_end(place, end);
        if (start >= limit)
            return true;
        if (line_matches(seeker, start, stop)) {
            *line = start;
            return true;
        }
        at = stop + 1;
    }
    if (until < limit && until < end && line_matches(seeker, until, end))
        *line = until;
    return true;
}

// The first line at or after `at`, where one begins, that begins before `limit` and matches. NULL:
// none does.
static const char *next_line(struct text_seeker *seeker, const char *at, const char *limit)
{
    const char *end = text_end(seeker), *found;
    if (at < limit && goes_by_dfa(seeker) && next_by_dfa(seeker, at, limit, &found))
        return found;
    while (at < limit) {
        if (seeker->pattern.needed_count) {
            const char *place = next_needed(seeker, at, limit);
            seeker->candidates++;
            seeker->looked_at_bytes += (uint64_t)((place ? place : limit) - at);
            if (!place)
                return NULL;
            at = line_start(at, place);
        }
        const char *stop = line_end(at, end);
        if (line_matches(seeker, at, stop))
            return at;
        at = stop + 1;
    }
    return NULL;
}

// --- Blocks --------------------------------------------------------------------------------------

// The first line that begins in a block, and where lines of it cannot begin any more.
static const char *block_bounds(const struct text_seeker *seeker, uint64_t block,
                                const char **limit)
{
    const char *text = seeker->search->text.start, *end = text_end(seeker);
    const char *start = text + block * BLOCK_BYTES;
    *limit = (uint64_t)(end - start) > BLOCK_BYTES ? start + BLOCK_BYTES : end;
    if (block && start[-1] != '\n') {
        start = line_end(start, end);
        start += start < end;
    }
    return start;
}

// Whether a line matches that the automaton does not decide of.
static bool takes_line(const void *self, const char *line, const char *newline)
{
    const struct text_seeker *seeker = self;
    struct pattern_match match;
    size_t length = (size_t)u64_min((uint64_t)(newline - line), TEXT_SEARCH_LINE_BYTES);
    if (length && line[length - 1] == '\r')
        length--;
    return pattern_find(&seeker->pattern, line, 0, length, &match);
}

// Counts all lines that begin in [at, limit). False: the automaton is full.
static bool count_by_dfa(struct text_seeker *seeker, const char *at, const char *limit,
                         uint64_t *lines)
{
    const struct dfa_lines how = {TEXT_SEARCH_LINE_BYTES, seeker, takes_line};
    const char *end = text_end(seeker), *until = whole_lines_end(seeker, at, limit);
    *lines = dfa_count(seeker->dfa, at, until, &how);
    if (dfa_is_full(seeker->dfa))
        return false;
    *lines += until < limit && until < end && line_matches(seeker, until, end);
    return true;
}

static uint64_t count_lines(void *self, uint64_t block)
{
    struct text_seeker *seeker = self;
    const char *limit, *at = block_bounds(seeker, block, &limit);
    seeker->limit = NULL;
    uint64_t lines = 0, rest;
    while (at < limit) {
        if (goes_by_dfa(seeker) && count_by_dfa(seeker, at, limit, &rest))
            return lines + rest;
        if (!(at = next_line(seeker, at, limit)))
            break;
        lines++;
        at = line_end(at, text_end(seeker)) + 1;
    }
    return lines;
}

// The last line before `limit` that begins at or after `at` and matches.
static const char *last_line(struct text_seeker *seeker, const char *at, const char *limit)
{
    const char *last = NULL;
    while (at < limit && (at = next_line(seeker, at, limit))) {
        last = at;
        at = line_end(at, text_end(seeker)) + 1;
    }
    return last;
}

static bool find_line(void *self, uint64_t block, uint64_t from, bool is_forward, uint64_t *found)
{
    struct text_seeker *seeker = self;
    const char *text = seeker->search->text.start, *limit;
    const char *at = block_bounds(seeker, block, &limit), *line;
    if (from != SEARCH_START && is_forward) {
        const char *after = line_end(text + from, text_end(seeker)) + 1;
        at = after > at ? after : at;
    } else if (from != SEARCH_START) {
        limit = text + from < limit ? text + from : limit;
    }
    seeker->limit = NULL;
    line = is_forward ? next_line(seeker, at, limit) : last_line(seeker, at, limit);
    *found = line ? (uint64_t)(line - text) : 0;
    return line != NULL;
}

// --- Opening -------------------------------------------------------------------------------------

static void close_seeker(void *self)
{
    struct text_seeker *seeker = self;
    pattern_free(&seeker->pattern);
    dfa_close(seeker->dfa);
    free(seeker);
}

static enum status open_seeker(void *what, void **out, struct error *err)
{
    const struct text_search *search = what;
    struct text_seeker *seeker = calloc(1, sizeof *seeker);
    if (!seeker)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    seeker->search = search;
    enum status status =
        search->pattern ? pattern_open(&seeker->pattern, search->pattern, err) : STATUS_OK;
    if (status == STATUS_OK && search->pattern &&
        dfa_open(&seeker->dfa, search->pattern, err) == STATUS_MEMORY)
        status = STATUS_MEMORY;
    if (status == STATUS_OK)
        *out = seeker;
    else
        close_seeker(seeker);
    return status;
}

static void free_search(void *self)
{
    struct text_search *search = self;
    if (search->test.free)
        search->test.free(search->test.self);
    free(search->pattern);
    free(search);
}

static const struct search_kind text_kind = {
    .open = open_seeker,
    .close = close_seeker,
    .count = count_lines,
    .find = find_line,
    .free = free_search,
    .unit = "line",
};

static enum status begin(struct search **out, struct text_search *search, const char *description,
                         const struct search_way *way, struct error *err)
{
    uint64_t size_bytes = search->text.size_bytes;
    const struct search_plan plan = {
        .kind = &text_kind,
        .what = search,
        .text = description,
        .block_count = (size_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES,
        .block_size = BLOCK_BYTES,
        .start = way->start,
        .is_forward = way->is_forward,
        .threads = way->threads,
    };
    return search_open(out, &plan, err);
}

enum status text_search_open(struct search **out, const struct searched_text *text,
                             const char *pattern, const struct search_way *way, struct error *err)
{
    struct text_search *search = calloc(1, sizeof *search);
    *out = NULL;
    if (search)
        search->pattern = strdup(pattern);
    if (!search || !search->pattern) {
        free(search);
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    }
    search->text = *text;
    return begin(out, search, pattern, way, err);
}

enum status line_search_open(struct search **out, const struct searched_text *text,
                             const struct line_test *test, const char *description,
                             const struct search_way *way, struct error *err)
{
    struct text_search *search = calloc(1, sizeof *search);
    *out = NULL;
    if (!search) {
        if (test->free)
            test->free(test->self);
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    }
    search->text = *text;
    search->test = *test;
    return begin(out, search, description, way, err);
}

// --- Matches -------------------------------------------------------------------------------------

size_t text_search_matches(struct search *search, const char *line, size_t length,
                           struct pattern_match *matches, size_t capacity)
{
    const struct text_seeker *seeker = search_seeker(search);
    if (search_kind(search) != &text_kind || !seeker->search->pattern)
        return 0;
    return pattern_matches(&seeker->pattern, line, length, matches, capacity);
}
