#include "analysis/pattern_cost.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

// What is matched or left out is worse than a part: the C library keeps for each such choice which
// others can follow it without a byte.
#define CHOICE_PARTS 32

// The whole, or a group in it: how many parts it is, the last of them apart, which what follows may
// repeat.
struct level {
    uint64_t before, last;
    unsigned repetitions; // of the last one, one of the other
};

struct cost {
    struct level levels[LIMIT_PATTERN_LEVELS];
    size_t depth;
};

static uint64_t bounded(uint64_t parts)
{
    return u64_min(parts, LIMIT_PATTERN_PARTS + 1);
}

static void add_part(struct level *level, uint64_t parts)
{
    *level = (struct level){bounded(level->before + level->last), parts, 0};
}

static bool begin_group(struct cost *cost)
{
    if (cost->depth + 1 == LIMIT_PATTERN_LEVELS)
        return false;
    cost->levels[++cost->depth] = (struct level){0};
    return true;
}

static void end_group(struct cost *cost)
{
    const struct level *group = &cost->levels[cost->depth];
    if (cost->depth)
        add_part(&cost->levels[--cost->depth], bounded(group->before + group->last + 1));
}

static bool repeat(struct level *level, uint64_t times)
{
    level->last = bounded(level->last * times + CHOICE_PARTS);
    return ++level->repetitions < LIMIT_PATTERN_LEVELS;
}

// Repeats by a bound; `*at` is after its '{'. "{2,}" is two or more times. With "{2,5}",
// repetitions are optional.
static bool repeat_bound(struct level *level, const char **at)
{
    char *end;
    uint64_t least = strtoul(*at, &end, 10), most = least;
    bool is_range = *end == ',' && end[1] != '}';
    if (is_range)
        most = strtoul(end + 1, &end, 10);
    const char *close = strchr(*at, '}');
    *at = close ? close + 1 : *at;
    level->last = bounded(level->last + (is_range ? CHOICE_PARTS : 0));
    return repeat(level, bounded(u64_max(u64_max(least, most), 1) + 1));
}

// Where a set of characters ends that begins before `at`. A class in it is taken for its end, so
// that what follows counts for more than it is.
static const char *set_end(const char *at)
{
    at += *at == '^';
    const char *close = *at ? strchr(at + 1, ']') : NULL;
    return close ? close + 1 : at + strlen(at);
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
    case '?':
        return repeat(level, 1);
    case '+': // as "aa*"
        return repeat(level, 2);
    case '{':
        return repeat_bound(level, at);
    case '|':
        add_part(level, CHOICE_PARTS);
        return true;
    case '[':
        *at = set_end(*at);
        break;
    case '\\':
        *at += **at != '\0';
        break;
    }
    add_part(level, 1);
    return true;
}

bool pattern_may_be_compiled(const char *text)
{
    struct cost cost = {.depth = 0};
    cost.levels[0] = (struct level){0};
    while (*text) {
        if (!take(&cost, &text))
            return false;
        const struct level *level = &cost.levels[cost.depth];
        if (level->before + level->last > LIMIT_PATTERN_PARTS)
            return false;
    }
    return true;
}
