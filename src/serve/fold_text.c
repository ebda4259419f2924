#include "serve/fold_text.h"

#include "base/characters.h"

static bool take_number(const char **text, uint64_t *number)
{
    const char *at = *text;
    *number = 0;
    for (; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    bool is_there = at != *text;
    *text = at;
    return is_there;
}

static bool take_character(const char **text, char wanted)
{
    bool is_there = **text == wanted;
    *text += is_there;
    return is_there;
}

enum outcome { IS_TAKEN, IS_WRONG, IS_TOO_MUCH };

static enum outcome take_lane(struct timeline *timeline, const char **text)
{
    uint64_t lane;
    if (!take_number(text, &lane) || !take_character(text, ':') || lane >= timeline->lane_count)
        return IS_WRONG;
    struct folds *folds = &timeline->lanes[lane].folds;
    if (folds->ranges.count)
        return IS_WRONG;
    do {
        struct fold_range range = {.limit = FOLD_NOTHING};
        size_t count = folds->ranges.count;
        uint64_t first_min = count ? folds->ranges.items[count - 1].first + 1 : 0;
        // FIRST.LIMIT or FIRST.LIMIT.REPEATS. Ranges ascend.
        bool is_range = take_number(text, &range.first) && take_character(text, '.') &&
                        (take_character(text, '*') || take_number(text, &range.limit)) &&
                        (!take_character(text, '.') || take_number(text, &range.repeats));
        if (!is_range || range.first < first_min || (!count && range.first) ||
            range.first > timeline->lanes[lane].calls.event_count)
            return IS_WRONG;
        if (!VEC_ROOM(&folds->ranges, 1))
            return IS_TOO_MUCH;
        folds->ranges.items[folds->ranges.count++] = range;
    } while (take_character(text, ','));
    return IS_TAKEN;
}

static void unfold_all(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->lane_count; i++)
        timeline->lanes[i].folds.ranges.count = 0;
}

enum status fold_text_read(struct timeline *timeline, const char *text, struct error *err)
{
    enum outcome outcome = IS_TAKEN;
    unfold_all(timeline);
    if (!text || !*text)
        return STATUS_OK;
    do {
        outcome = take_lane(timeline, &text);
    } while (outcome == IS_TAKEN && take_character(&text, ';'));
    if (outcome == IS_TAKEN && !*text)
        return STATUS_OK;
    unfold_all(timeline);
    return outcome == IS_TOO_MUCH
               ? error_set(err, STATUS_MEMORY, "no memory for folds")
               : error_set(err, STATUS_INPUT, "folds: expected LANE:FIRST.LIMIT,...;...");
}

void fold_text_write(const struct timeline *timeline, struct out *out)
{
    bool is_first = true;
    for (size_t i = 0; i < timeline->lane_count; i++) {
        const struct folds *folds = &timeline->lanes[i].folds;
        if (folds_are_none(folds))
            continue;
        if (!is_first)
            out_byte(out, ';');
        is_first = false;
        out_u64(out, i);
        for (size_t k = 0; k < folds->ranges.count; k++) {
            out_byte(out, k ? ',' : ':');
            const struct fold_range *range = &folds->ranges.items[k];
            out_u64(out, range->first);
            out_byte(out, '.');
            if (range->limit == FOLD_NOTHING)
                out_byte(out, '*');
            else
                out_u64(out, range->limit);
            if (range->repeats) {
                out_byte(out, '.');
                out_u64(out, range->repeats);
            }
        }
    }
}
