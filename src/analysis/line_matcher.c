#include "analysis/line_matcher.h"

#include "analysis/dfa.h"
#include "base/line_ends.h"

#include <stdlib.h>

struct line_matcher {
    struct pattern pattern;
    struct dfa *dfa; // of the pattern; NULL: it takes none
    const char *limit, *end;
    bool is_new; // nothing was looked for since the beginning
    // Where what is needed was found last, before the limit; NULL: not any more.
    const char *places[NEEDED_MAX];
};

enum status line_matcher_open(struct line_matcher **out, const char *pattern, struct error *err)
{
    struct line_matcher *matcher = calloc(1, sizeof *matcher);
    *out = NULL;
    if (!matcher)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    enum status status = pattern_open(&matcher->pattern, pattern, err);
    if (status == STATUS_OK && !matcher->pattern.is_text &&
        dfa_open(&matcher->dfa, pattern, err) == STATUS_MEMORY)
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

static bool line_matches(const struct line_matcher *matcher, const char *start, const char *end)
{
    struct pattern_match match;
    size_t length = (size_t)u64_min((uint64_t)(end - start), PATTERN_LINE_BYTES);
    if (length && start[length - 1] == '\r')
        length--;
    bool is_plain = matcher->dfa && !dfa_is_full(matcher->dfa) && end < matcher->end &&
                    length == (size_t)(end - start);
    const char *found = is_plain ? dfa_find(matcher->dfa, start, end + 1) : NULL;
    if (is_plain && !dfa_is_full(matcher->dfa))
        return found != NULL;
    return pattern_find(&matcher->pattern, start, 0, length, &match);
}

// The first place at or after `at` where something stands that is needed, in a line that begins
// before the limit. NULL: there is none.
static const char *next_needed(struct line_matcher *matcher, const char *at)
{
    const char *until = line_end_at(matcher->limit - 1, matcher->end), *found = NULL;
    bool is_new = matcher->is_new;
    matcher->is_new = false;
    for (size_t i = 0; i < matcher->pattern.needed_count; i++) {
        const struct needed *needed = &matcher->pattern.needed[i];
        const char **place = &matcher->places[i];
        if (is_new || (*place && *place < at))
            *place = memmem(at, (size_t)(until - at), needed->text, needed->length);
        if (*place && (!found || *place < found))
            found = *place;
    }
    return found;
}

void line_matcher_begin(struct line_matcher *matcher, const char *limit, const char *end)
{
    matcher->limit = limit;
    matcher->end = end;
    matcher->is_new = true;
}

const char *line_matcher_next(struct line_matcher *matcher, const char *at)
{
    while (at < matcher->limit) {
        if (matcher->pattern.needed_count) {
            const char *place = next_needed(matcher, at);
            if (!place)
                return NULL;
            at = line_start_at(at, place);
            bool is_near = (size_t)(place - at) < PATTERN_LINE_BYTES - NEEDED_BYTES;
            if (matcher->pattern.is_text && is_near)
                return at;
        }
        const char *stop = line_end_at(at, matcher->end);
        if (line_matches(matcher, at, stop))
            return at;
        at = stop + 1;
    }
    return NULL;
}
