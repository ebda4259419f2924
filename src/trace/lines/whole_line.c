#include "trace/lines/whole_line.h"

#include <stdlib.h>

// Lines that are learned in a chunk: whether one of the patterns fits already takes time.
#define LEARNED_MAX 512

bool whole_line_add(struct whole_line_draft *draft, const struct line_template *record,
                    const char *start, const char *next)
{
    if (!record->is_continuation)
        *draft = (struct whole_line_draft){.start = start, .next = start};
    const bool can_follow = draft->next == start && draft->count < WHOLE_LINE_RECORDS &&
                            record->line_bytes && record->doubt == TEMPLATE_IS_SURE &&
                            (draft->count ? !record->time.count && record->is_continuation
                                          : record->model.kind == LINE_INSTRUCTION);
    if (!can_follow)
        draft->count = WHOLE_LINE_RECORDS + 1;
    else
        draft->records[draft->count++] = record;
    draft->next = next;
    return can_follow && record->ends_line && next - draft->start <= TEXT_COLUMNS;
}

// Copies the columns of a record. One before it has compared the beginning of this one, which is
// more particular wherever both are.
static bool copy_columns(struct text_pattern *to, size_t column, const struct line_template *record)
{
    const struct text_pattern *from = &record->columns;
    for (size_t i = 0; i < record->compared_bytes; i++) {
        const size_t at = column + i;
        if (at >= TEXT_COLUMNS)
            return false;
        if (to->range[at] < from->range[i] && from->range[i] < UINT8_MAX)
            return false;
        if (to->range[at] <= from->range[i])
            continue;
        text_pattern_set(to, at, from->low[i], from->range[i], from->no_letters[i] == 0);
    }
    return true;
}

static bool make_whole(struct whole_line *whole, const struct whole_line_draft *draft)
{
    whole->line_bytes = (uint8_t)(draft->next - draft->start);
    whole->count = (uint8_t)draft->count;
    whole->is_brief = true;
    text_pattern_init(&whole->columns, whole->line_bytes);
    size_t column = 0;
    for (size_t i = 0; i < draft->count; i++) {
        const struct line_template *record = draft->records[i];
        if (!copy_columns(&whole->columns, column, record))
            return false;
        whole->records[i] = *record;
        whole->starts[i] = (uint8_t)column;
        whole->is_brief &= !i || record->is_only_time;
        column += record->line_bytes;
    }
    return column == whole->line_bytes;
}

// The number of a pattern that the line fits; 0: none.
static size_t fitting(const struct whole_lines *lines, const char *start)
{
    for (size_t i = 1; i <= lines->count; i++) {
        if (text_fits_pattern(&lines->items[i].columns, start))
            return i;
    }
    return 0;
}

struct whole_lines *whole_lines_new(void)
{
    struct whole_lines *lines = aligned_alloc(_Alignof(struct whole_lines), sizeof *lines);
    if (lines) { // not all of it: most is never used
        memset(lines->ways, 0, sizeof lines->ways);
        lines->count = lines->learned = 0;
    }
    return lines;
}

void whole_lines_learn(struct whole_lines *lines, const struct whole_line_draft *draft,
                       uint64_t slot)
{
    if (lines->learned++ >= LEARNED_MAX)
        return;
    size_t number = fitting(lines, draft->start);
    if (!number) {
        if (lines->count == WHOLE_LINES_KEPT || !make_whole(&lines->items[lines->count + 1], draft))
            return;
        number = ++lines->count;
    }
    uint8_t *ways = lines->ways[slot];
    memmove(ways + 1, ways, WHOLE_LINE_WAYS - 1);
    ways[0] = (uint8_t)number;
}
