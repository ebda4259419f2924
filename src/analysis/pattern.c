#include "analysis/pattern.h"

#include <stdlib.h>

// Where a part of the pattern ends that is one of several: at the next | outside of all else.
static const char *branch_end(const char *at)
{
    size_t depth = 0;
    for (; *at && (*at != '|' || depth); at++) {
        depth += *at == '(' || *at == '[';
        depth -= depth && (*at == ')' || *at == ']');
        at += *at == '\\' && at[1];
    }
    return at;
}

// The longest run of plain characters of a branch outside of anything that may be repeated or left
// out. False: there is none.
static bool find_needed(struct needed *needed, const char *at, const char *end)
{
    size_t depth = 0;
    const char *start = at;
    needed->length = 0;
    while (at < end) {
        char c = *at;
        depth += c == '(' || c == '[';
        depth -= depth && (c == ')' || c == ']');
        bool is_plain = !depth && !strchr(".[]()*+?{}^$\\", c);
        bool is_optional = is_plain && at + 1 < end && strchr("*?{", at[1]);
        at += c == '\\' && at + 1 < end ? 2 : 1;
        if (!is_plain || is_optional) {
            if (c == '{') // a bound is no text
                at += strcspn(at, "}");
            start = at;
            continue;
        }
        size_t length = (size_t)(at - start);
        if (length > needed->length && length < NEEDED_BYTES) {
            needed->length = length;
            memcpy(needed->text, start, length);
        }
    }
    return needed->length > 0;
}

// Of a pattern that is one of several, each needs something else.
static void find_all_needed(struct pattern *pattern, const char *text)
{
    size_t count = 0;
    for (const char *at = text;; at++) {
        const char *end = branch_end(at);
        if (count == NEEDED_MAX || !find_needed(&pattern->needed[count++], at, end))
            return; // some line may match without any of them
        at = end;
        if (!*at)
            break;
    }
    pattern->needed_count = count;
    pattern->is_text = count == 1 && !strpbrk(text, ".[]()*+?{}|^$\\") &&
                       pattern->needed[0].length == strlen(text);
}

enum status pattern_open(struct pattern *pattern, const char *text, struct error *err)
{
    char why[128];
    *pattern = (struct pattern){0};
    int failure = regcomp(&pattern->regex, text, REG_EXTENDED);
    if (failure == REG_ESPACE)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    if (failure) {
        regerror(failure, &pattern->regex, why, sizeof why);
        return error_set(err, STATUS_INPUT, "%s", why);
    }
    pattern->is_compiled = true;
    pattern->line = malloc(PATTERN_LINE_BYTES + 1);
    if (!pattern->line)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    find_all_needed(pattern, text);
    return STATUS_OK;
}

void pattern_free(struct pattern *pattern)
{
    if (pattern->is_compiled)
        regfree(&pattern->regex);
    free(pattern->line);
}

bool pattern_find(const struct pattern *pattern, const char *line, size_t at, size_t end,
                  struct pattern_match *match)
{
    regmatch_t found;
    if (pattern->is_text) {
        const char *place =
            memmem(line + at, end - at, pattern->needed[0].text, pattern->needed[0].length);
        if (!place)
            return false;
        match->start = (size_t)(place - line);
        match->end = match->start + pattern->needed[0].length;
        return true;
    }
    // The matcher of the C library wants an end, and stops at a zero.
    memcpy(pattern->line, line + at, end - at);
    pattern->line[end - at] = '\0';
    for (char *zero; (zero = memchr(pattern->line, '\0', end - at));)
        *zero = '\1';
    if (regexec(&pattern->regex, pattern->line, 1, &found, at ? REG_NOTBOL : 0) != 0)
        return false;
    *match = (struct pattern_match){at + (size_t)found.rm_so, at + (size_t)found.rm_eo};
    return true;
}

size_t pattern_matches(const struct pattern *pattern, const char *line, size_t length,
                       struct pattern_match *matches, size_t capacity)
{
    size_t count = 0, at = 0;
    length = (size_t)u64_min(length, PATTERN_LINE_BYTES);
    while (count < capacity && at <= length &&
           pattern_find(pattern, line, at, length, &matches[count])) {
        at = matches[count].end;
        if (matches[count].end == matches[count].start)
            at++;
        else
            count++;
    }
    return count;
}
