#include "query/place_profile.h"

#include "base/limits.h"

#include <stdlib.h>

struct maker {
    struct place_profile *profile;
    struct names *names;
    struct source_lines *lines;
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
};

static bool add(struct maker *maker, struct place_row row)
{
    if (!VEC_ROOM(&maker->profile->rows, 1))
        return false;
    maker->profile->rows.items[maker->profile->rows.count++] = row;
    return true;
}

static struct place_row row_of(const struct pc_count *count)
{
    return (struct place_row){.ticks = count->ticks,
                              .ticks_with = count->ticks,
                              .visits = count->executed,
                              .executed = count->executed,
                              .address = count->pc};
}

static bool add_line(struct maker *maker, const struct pc_count *count)
{
    struct place_row row = row_of(count);
    struct source_location place;
    if (source_lines_find(maker->lines, maker->names, count->pc, &place) && place.line) {
        row.name = place.path;
        row.line = place.line;
    }
    return add(maker, row);
}

static bool is_in(const struct debug_inline *chain, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (chain[i].name && strcmp(chain[i].name, name) == 0)
            return true;
    }
    return false;
}

// Counts an instruction for the functions it is in, each once: as own time for the innermost, and
// as time with inlined functions for those around it. The outermost has the name of its symbol.
static bool add_chain(struct maker *maker, const struct pc_count *count)
{
    size_t depth = source_lines_inlines(maker->lines, maker->names, count->pc, maker->chain,
                                        ARRAY_COUNT(maker->chain));
    uint64_t start; // of the function by its symbol, as in other reports
    const char *symbol =
        names_start_of(maker->names, count->pc, &start) ? names_of_root(maker->names, start) : "";
    symbol = *symbol ? symbol : NULL;
    size_t kept = 0;
    for (size_t i = 0; i + 1 < depth; i++) {
        if (maker->chain[i].name)
            maker->chain[kept++].name = maker->chain[i].name;
    }
    const char *outermost = symbol ? symbol : depth ? maker->chain[depth - 1].name : NULL;
    for (size_t i = 0; i < kept; i++) {
        struct place_row row = row_of(count);
        row.name = maker->chain[i].name;
        row.ticks = row.ticks_inlined = i == 0 ? count->ticks : 0;
        row.visits = row.executed = i == 0 ? count->executed : 0;
        if (!is_in(maker->chain, i, row.name) && !add(maker, row))
            return false;
    }
    struct place_row row = row_of(count);
    row.name = outermost;
    if (kept) {
        row.ticks = row.visits = row.executed = 0;
        if (!outermost || is_in(maker->chain, kept, outermost))
            return true;
    }
    return add(maker, row);
}

static int by_place(const void *a_item, const void *b_item)
{
    const struct place_row *a = a_item, *b = b_item;
    int order =
        !a->name || !b->name ? (a->name != NULL) - (b->name != NULL) : strcmp(a->name, b->name);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static void join(struct place_row *row, const struct place_row *more)
{
    row->ticks += more->ticks;
    row->ticks_with += more->ticks_with;
    row->ticks_inlined += more->ticks_inlined;
    row->visits = u64_max(row->visits, more->visits);
    row->executed += more->executed;
    row->address = u64_min(row->address, more->address);
}

bool place_profile_make(struct place_profile *profile, enum place_kind kind,
                        const struct pc_count *counts, size_t count, struct names *names,
                        struct source_lines *lines)
{
    struct maker maker = {.profile = profile, .names = names, .lines = lines};
    *profile = (struct place_profile){0};
    for (size_t i = 0; i < count; i++) {
        profile->ticks += counts[i].ticks;
        if (!(kind == PLACE_LINE ? add_line(&maker, &counts[i]) : add_chain(&maker, &counts[i])))
            return false;
    }
    struct place_row *rows = profile->rows.items;
    size_t kept = 0;
    if (profile->rows.count)
        qsort(rows, profile->rows.count, sizeof *rows, by_place);
    for (size_t i = 0; i < profile->rows.count; i++) {
        if (kept && by_place(&rows[kept - 1], &rows[i]) == 0)
            join(&rows[kept - 1], &rows[i]);
        else
            rows[kept++] = rows[i];
    }
    profile->rows.count = kept;
    return true;
}

void place_profile_free(struct place_profile *profile)
{
    free(profile->rows.items);
    *profile = (struct place_profile){0};
}
