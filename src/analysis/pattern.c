#include "analysis/pattern.h"

#include "analysis/pattern_cost.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

// The end of an alternative of the pattern: the next | outside of groups and brackets.
static const char *branch_end(const char *at, const char *end)
{
    size_t depth = 0;
    for (; at < end && (*at != '|' || depth); at++) {
        depth += *at == '(' || *at == '[';
        depth -= depth && (*at == ')' || *at == ']');
        at += *at == '\\' && at + 1 < end;
    }
    return at < end ? at : end;
}

// Whether the repetition at `at` allows the part before it to be absent, as "+?" does.
static bool may_be_left_out(const char *at, const char *end)
{
    while (at < end && *at == '+')
        at++;
    return at < end && strchr("*?{", *at);
}

// The longest run of plain characters of a branch outside of parts that can be repeated or absent.
// False: there is none.
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
        bool is_optional = is_plain && may_be_left_out(at + 1, end);
        at += c == '\\' && at + 1 < end ? 2 : 1;
        if (!is_plain || is_optional) {
            if (c == '{') // a bound is not text
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

// The end of a group that begins before `at`. NULL: not easy to tell.
static const char *group_end(const char *at, const char *end)
{
    size_t depth = 0;
    for (; at < end && !strchr("[\\", *at); at++) {
        if (*at == ')' && !depth--)
            return at;
        depth += *at == '(';
    }
    return NULL;
}

// The most nested groups that are examined.
enum { GROUPS_DEEP = 8 };

static bool add_needed(struct pattern *pattern, const char *at, const char *end, unsigned depth);

// Adds text that a branch needs: its own, or that of one of its groups.
static bool add_needed_of_branch(struct pattern *pattern, const char *at, const char *end,
                                 unsigned depth)
{
    if (pattern->needed_count == NEEDED_MAX)
        return false;
    if (find_needed(&pattern->needed[pattern->needed_count], at, end)) {
        pattern->needed_count++;
        return true;
    }
    for (; at < end && !strchr("[\\", *at); at++) {
        const char *close = *at == '(' ? group_end(at + 1, end) : at;
        if (!close)
            return false;
        if (close > at && !may_be_left_out(close + 1, end) && depth < GROUPS_DEEP &&
            add_needed(pattern, at + 1, close, depth + 1))
            return true;
        at = close;
    }
    return false;
}

// Each alternative of a pattern needs different text.
static bool add_needed(struct pattern *pattern, const char *at, const char *end, unsigned depth)
{
    size_t before = pattern->needed_count;
    for (;; at++) {
        const char *stop = branch_end(at, end);
        if (!add_needed_of_branch(pattern, at, stop, depth)) {
            pattern->needed_count = before;
            return false; // a line may match without any of them
        }
        at = stop;
        if (at == end)
            return true;
    }
}

static void find_all_needed(struct pattern *pattern, const char *text)
{
    size_t length = strlen(text);
    add_needed(pattern, text, text + length, 0);
    pattern->is_text = pattern->needed_count == 1 && !strpbrk(text, ".[]()*+?{}|^$\\") &&
                       pattern->needed[0].length == length;
}

enum status pattern_open(struct pattern *pattern, const char *text, struct error *err)
{
    char why[128];
    *pattern = (struct pattern){0};
    bool is_balanced;
    if (pattern_check(text, &is_balanced, err) != STATUS_OK)
        return STATUS_INPUT;
    int failure = regcomp(&pattern->regex, text, REG_EXTENDED);
    if (failure == REG_ESPACE)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    if (failure) {
        regerror(failure, &pattern->regex, why, sizeof why);
        return error_set(err, STATUS_INPUT, "%s", why);
    }
    pattern->is_compiled = true;
    pattern->line = malloc(PATTERN_LINE_BYTES + 1);
    bool has_whole = true;
#ifdef __GLIBC__ // other libraries have no \`, and take linear time
    if (is_balanced)
        has_whole = asprintf(&pattern->whole.text, "\\`.*(%s)", text) >= 0;
    if (!has_whole)
        pattern->whole.text = NULL;
#endif
    if (!pattern->line || !has_whole)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    find_all_needed(pattern, text);
    return STATUS_OK;
}

void pattern_free(struct pattern *pattern)
{
    if (pattern->is_compiled)
        regfree(&pattern->regex);
    if (pattern->whole.is_compiled)
        regfree(&pattern->whole.regex);
    free(pattern->whole.text);
    free(pattern->line);
}

// The matcher of the C library needs a terminator, and stops at a zero.
static void copy_line(const struct pattern *pattern, const char *line, size_t length)
{
    memcpy(pattern->line, line, length);
    pattern->line[length] = '\0';
    for (char *zero; (zero = memchr(pattern->line, '\0', length));)
        *zero = '\1';
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
    copy_line(pattern, line + at, end - at);
    if (regexec(&pattern->regex, pattern->line, 1, &found, at ? REG_NOTBOL : 0) != 0)
        return false;
    *match = (struct pattern_match){at + (size_t)found.rm_so, at + (size_t)found.rm_eo};
    return true;
}

// Whether .* matches all of it.
static bool is_well_formed(const char *line, size_t length)
{
    unsigned bytes = 1;
    if (MB_CUR_MAX == 1)
        return true;
    for (size_t at = 0; at < length && bytes; at += bytes)
        bytes = (unsigned char)line[at] < 0x80 ? 1 : utf8_character(line + at, length - at);
    return bytes;
}

// Compiles it at first, and again when it has learned too much.
static bool has_whole(struct whole_pattern *whole, size_t length)
{
    whole->text_bytes += length;
    if (whole->is_compiled && whole->text_bytes > LIMIT_PATTERN_TEXT_BYTES) {
        regfree(&whole->regex);
        whole->is_compiled = false;
    }
    if (!whole->is_compiled && whole->text) {
        whole->is_compiled = regcomp(&whole->regex, whole->text, REG_EXTENDED | REG_NOSUB) == 0;
        whole->text_bytes = length;
    }
    return whole->is_compiled;
}

bool pattern_takes(struct pattern *pattern, const char *line, size_t length)
{
    struct pattern_match match;
    length = (size_t)u64_min(length, PATTERN_LINE_BYTES);
    if (pattern->is_text || !is_well_formed(line, length) || !has_whole(&pattern->whole, length))
        return pattern_find(pattern, line, 0, length, &match);
    copy_line(pattern, line, length);
    return regexec(&pattern->whole.regex, pattern->line, 0, NULL, 0) == 0;
}

size_t pattern_matches(const struct pattern *pattern, const char *line, size_t length,
                       struct pattern_match *matches, size_t capacity)
{
    size_t count = 0, at = 0;
    length = (size_t)u64_min(length, pattern->is_text ? PATTERN_LINE_BYTES : PATTERN_MARKED_BYTES);
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
