#include "search/pattern.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- What a pattern costs ------------------------------------------------------------------------

// What a pattern comes to once its repetitions are written out, which is how the C library compiles
// it: without a limit, in memory and time that a few bytes of pattern can make endless, and with a
// stack that many groups in each other overflow.

// A set of characters: the C library looks up each of them.
#define SET_PARTS 4

// What is matched or left out, or matches nothing, is worse than a part: for each such choice it
// keeps which others can follow without a byte.
#define CHOICE_PARTS 32

// It does so again for each set of anchors on the way, so that those that are passed one after the
// other, or passed by, multiply.
#define ANCHOR_PARTS 8192

// Where what may match nothing is repeated without an end, it works out the same choices again and
// again: fewer parts are allowed. Where two ways on are both without a byte, it takes both each
// time, so that these multiply: at most so many.
#define EMPTY_LOOP_SHARE 8
#define EMPTY_LOOP_FORKS 12

struct weight {
    uint64_t parts, anchors, forks;
};

// The whole, or a group in it.
struct level {
    struct weight before; // without the last part, which what follows may repeat
    struct weight last;
    unsigned repetitions; // of the last one, one of the other
    bool is_empty;        // it may match nothing
    bool ends_anchored;   // it may end with an anchor
    bool is_after_anchor; // it may begin after an anchor, without a byte between them

    bool is_branch_empty;     // what is before it, of its alternative, may match nothing
    bool is_group_empty;      // an alternative before may
    bool is_group_anchored;   // such a one may end with an anchor
    bool begins_after_anchor; // the group may begin after one
};

struct cost {
    struct level levels[LIMIT_PATTERN_LEVELS];
    size_t depth;
    bool has_empty_loop;
    char reference; // the digit of a back-reference, or 0
    bool is_balanced;
};

static uint64_t bounded(uint64_t parts)
{
    return u64_min(parts, LIMIT_PATTERN_PARTS + 1);
}

// The whole up to the last part.
static struct weight all_of(const struct level *level)
{
    const struct weight *before = &level->before, *last = &level->last;
    bool multiplies = level->is_empty && level->is_after_anchor;
    uint64_t more = multiplies ? bounded(last->anchors * ANCHOR_PARTS) : 0;
    return (struct weight){.parts = bounded(before->parts + last->parts + more),
                           .anchors = bounded(before->anchors + last->anchors),
                           .forks = bounded(before->forks + last->forks)};
}

// Whether an anchor may be right before what follows the last part.
static bool is_anchored(const struct level *level)
{
    return level->ends_anchored ||
           (level->is_empty && (level->is_after_anchor || level->last.anchors > 0));
}

static struct level begin_level(bool begins_after_anchor)
{
    return (struct level){.is_empty = true,
                          .is_after_anchor = begins_after_anchor,
                          .is_branch_empty = true,
                          .begins_after_anchor = begins_after_anchor};
}

static void add(struct level *level, struct weight part, bool is_empty)
{
    bool is_after_anchor = is_anchored(level);
    level->before = all_of(level);
    level->is_branch_empty &= level->is_empty;
    level->last = part;
    level->repetitions = 0;
    level->is_empty = is_empty;
    level->ends_anchored = false;
    level->is_after_anchor = is_after_anchor;
}

static void end_branch(struct level *level)
{
    add(level, (struct weight){0}, true);
    level->last.forks = level->is_group_empty && level->is_branch_empty;
    level->is_group_empty |= level->is_branch_empty;
    level->is_group_anchored |= level->is_after_anchor;
}

static void end_group(struct cost *cost)
{
    struct level *group = &cost->levels[cost->depth];
    cost->is_balanced &= cost->depth > 0;
    if (!cost->depth)
        return;
    end_branch(group);
    struct weight weight = all_of(group);
    weight.parts = bounded(weight.parts + (group->is_group_empty ? CHOICE_PARTS : 1));
    cost->depth--;
    add(&cost->levels[cost->depth], weight, group->is_group_empty);
    cost->levels[cost->depth].ends_anchored = group->is_group_anchored;
}

// That many copies of the last part are written out, some of which may be left out.
static bool repeat(struct level *level, uint64_t copies, bool is_choice, bool is_empty)
{
    struct weight *last = &level->last;
    last->forks += is_choice && level->is_empty;
    level->is_empty |= is_empty;
    uint64_t more = level->is_empty ? bounded(last->anchors * (copies - 1)) * ANCHOR_PARTS : 0;
    *last = (struct weight){.parts = bounded(last->parts * copies + CHOICE_PARTS + more),
                            .anchors = bounded(last->anchors * copies),
                            .forks = bounded(last->forks * copies)};
    return ++level->repetitions < LIMIT_PATTERN_LEVELS;
}

static bool repeat_endlessly(struct cost *cost, uint64_t copies, bool is_empty)
{
    struct level *level = &cost->levels[cost->depth];
    cost->has_empty_loop |= level->is_empty;
    return repeat(level, copies, true, is_empty);
}

// Repeats by a bound; `*at` is after its '{'. "{2,}" is two or more times. With "{2,5}",
// repetitions are optional.
static bool repeat_bound(struct cost *cost, const char **at)
{
    struct level *level = &cost->levels[cost->depth];
    char *end;
    uint64_t least = strtoul(*at, &end, 10), most = least;
    bool is_endless = *end == ',' && end[1] == '}', is_range = *end == ',' && !is_endless;
    if (is_range)
        most = strtoul(end + 1, &end, 10);
    const char *close = strchr(*at, '}');
    *at = close ? close + 1 : *at;
    level->last.parts += is_range ? CHOICE_PARTS : 0;
    uint64_t copies = bounded(u64_max(u64_max(least, most), 1) + 1);
    return is_endless ? repeat_endlessly(cost, copies, !least)
                      : repeat(level, copies, is_range, !least);
}

// Where a set of characters ends that begins before `at`.
static const char *set_end(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        const char end[] = {at[1], ']', '\0'}; // of "[:alpha:]", "[.hyphen.]", "[=e=]"
        bool is_class = *at == '[' && at[1] && strchr(":.=", at[1]);
        const char *close = is_class ? strstr(at + 2, end) : at;
        if (!close)
            return at + strlen(at);
        at = close + (is_class ? 2 : 1);
    }
    return at + (*at == ']');
}

// Takes what `at` points to, and goes past it.
static bool take(struct cost *cost, const char **at)
{
    struct level *level = &cost->levels[cost->depth];
    switch (*(*at)++) {
    case '(':
        if (cost->depth + 1 == LIMIT_PATTERN_LEVELS)
            return false;
        cost->levels[cost->depth + 1] = begin_level(is_anchored(level));
        cost->depth++;
        return true;
    case ')':
        end_group(cost);
        return true;
    case '*':
        return repeat_endlessly(cost, 1, true);
    case '?':
        return repeat(level, 1, true, true);
    case '+': // as "aa*"
        return repeat_endlessly(cost, 2, false);
    case '{':
        return repeat_bound(cost, at);
    case '|':
        end_branch(level);
        level->last.parts = CHOICE_PARTS;
        level->is_branch_empty = true;
        level->is_after_anchor = level->begins_after_anchor;
        return true;
    case '^':
    case '$':
        add(level, (struct weight){1, 1, 0}, true);
        return true;
    case '\\':
        if (**at >= '1' && **at <= '9') {
            cost->reference = **at;
            return false;
        }
        if (**at) { // an anchor, or a character or set of them
            bool is_anchor = strchr("bB<>`'", **at), is_set = strchr("wWsS", **at);
            add(level, (struct weight){is_set ? SET_PARTS : 1, is_anchor, 0}, is_anchor);
            ++*at;
        } else {
            add(level, (struct weight){1, 0, 0}, false);
        }
        return true;
    case '[':
        *at = set_end(*at);
        add(level, (struct weight){SET_PARTS, 0, 0}, false);
        return true;
    default:
        if (((unsigned char)(*at)[-1] & 0xc0) == 0x80) { // the character in UTF-8 goes on
            level->last.parts = bounded(level->last.parts + 1);
            return true;
        }
    }
    add(level, (struct weight){1, 0, 0}, false);
    return true;
}

// STATUS_INPUT: an extended regular expression counts for more than LIMIT_PATTERN_PARTS parts, or
// is in more than LIMIT_PATTERN_LEVELS groups or repetitions of each other; or it has a
// back-reference, which POSIX does not know there, and which takes time without limit.
// *is_balanced: no ) is a character because no ( is open.
static enum status pattern_check(const char *text, bool *is_balanced, struct error *err)
{
    struct cost cost = {.is_balanced = true};
    bool is_fine = true;
    cost.levels[0] = begin_level(false);
    while (*text && is_fine) {
        is_fine = take(&cost, &text);
        const struct weight all = all_of(&cost.levels[cost.depth]);
        is_fine &=
            all.parts <= LIMIT_PATTERN_PARTS / (cost.has_empty_loop ? EMPTY_LOOP_SHARE : 1) &&
            (!cost.has_empty_loop || all.forks <= EMPTY_LOOP_FORKS);
    }
    *is_balanced = cost.is_balanced;
    if (cost.reference)
        return error_set(err, STATUS_INPUT,
                         "extended regular expressions have no back-references such as \\%c",
                         cost.reference);
    return is_fine ? STATUS_OK
                   : error_set(err, STATUS_INPUT, "the regular expression is too large");
}

// --- Patterns ------------------------------------------------------------------------------------

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
    size_t length = strlen(text);
    add_needed(pattern, text, text + length, 0);
    pattern->is_text = pattern->needed_count == 1 && !strpbrk(text, ".[]()*+?{}|^$\\") &&
                       pattern->needed[0].length == length;
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
