#include "analysis/pattern_cost.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

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

static void begin_branch(struct level *level)
{
    end_branch(level);
    level->last.parts = CHOICE_PARTS;
    level->is_branch_empty = true;
    level->is_after_anchor = level->begins_after_anchor;
}

static bool begin_group(struct cost *cost)
{
    if (cost->depth + 1 == LIMIT_PATTERN_LEVELS)
        return false;
    bool is_after_anchor = is_anchored(&cost->levels[cost->depth]);
    cost->levels[++cost->depth] = begin_level(is_after_anchor);
    return true;
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

// What is after a backslash: an anchor, or a character or set of them.
static void add_escaped(struct level *level, char c)
{
    bool is_anchor = c && strchr("bB<>`'", c), is_set = c && strchr("wWsS", c);
    add(level, (struct weight){is_set ? SET_PARTS : 1, is_anchor, 0}, is_anchor);
}

// Takes what `at` points to, and goes past it.
static bool take(struct cost *cost, const char **at)
{
    struct level *level = &cost->levels[cost->depth];
    switch (*(*at)++) {
    case '(':
        return begin_group(cost);
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
        begin_branch(level);
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
        add_escaped(level, **at);
        *at += **at != '\0';
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

enum status pattern_check(const char *text, bool *is_balanced, struct error *err)
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
