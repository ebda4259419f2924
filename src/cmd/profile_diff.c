#include "cmd/profile_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// A function of either run. Functions are matched by name, those without a name by address.
struct change {
    const char *name;
    uint64_t pc; // in the first run that has it
    uint64_t self[2], total[2], calls[2];
};

VEC(changes, struct change);

static bool add_side(struct changes *changes, const struct profile_side *side, int number)
{
    const struct profile *profile = side->profile;
    if (!VEC_ROOM(changes, profile->rows.count))
        return false;
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = &profile->rows.items[i];
        struct change *change = &changes->items[changes->count++];
        *change = (struct change){.name = names_of(&side->command->session.names, row->pc),
                                  .pc = row->pc};
        change->self[number] = row->ticks_self;
        change->total[number] = row->ticks_total;
        change->calls[number] = row->count;
    }
    return true;
}

static int compare_functions(const void *a_item, const void *b_item)
{
    const struct change *a = a_item, *b = b_item;
    int order = strcmp(a->name, b->name);
    return order || *a->name ? order : (a->pc > b->pc) - (a->pc < b->pc);
}

static void join(struct changes *changes)
{
    size_t count = 0;
    if (changes->count)
        qsort(changes->items, changes->count, sizeof *changes->items, compare_functions);
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *next = &changes->items[i];
        struct change *last = &changes->items[count - (count > 0)];
        if (!count || compare_functions(last, next) != 0) {
            changes->items[count++] = *next;
            continue;
        }
        for (int side = 0; side < 2; side++) {
            last->self[side] += next->self[side];
            last->total[side] += next->total[side];
            last->calls[side] += next->calls[side];
        }
        last->pc = u64_min(last->pc, next->pc);
    }
    changes->count = count;
}

static uint64_t amount(const uint64_t figures[2])
{
    return figures[1] > figures[0] ? figures[1] - figures[0] : figures[0] - figures[1];
}

static uint64_t amount_of(const struct change *change, enum profile_sort sort)
{
    return amount(sort == SORT_TOTAL   ? change->total
                  : sort == SORT_COUNT ? change->calls
                                       : change->self);
}

static int compare_changes(const void *a_item, const void *b_item, void *context)
{
    const struct change *a = a_item, *b = b_item;
    enum profile_sort sort = *(const enum profile_sort *)context;
    int order = 0;
    if (sort == SORT_ADDRESS)
        order = (a->pc > b->pc) - (a->pc < b->pc);
    else if (sort != SORT_NAME)
        order =
            (amount_of(a, sort) < amount_of(b, sort)) - (amount_of(a, sort) > amount_of(b, sort));
    return order ? order : compare_functions(a, b);
}

static const struct column columns[] = {
    {"Self A", "self_a", COLUMN_TICKS},
    {"Self B", "self_b", COLUMN_TICKS},
    {"Change", "self_change", COLUMN_CHANGE},
    {"Change", "self_change_share", COLUMN_CHANGE_SHARE},
    {"Total A", "total_a", COLUMN_TICKS},
    {"Total B", "total_b", COLUMN_TICKS},
    {"Change", "total_change", COLUMN_CHANGE},
    {"Change", "total_change_share", COLUMN_CHANGE_SHARE},
    {"Calls A", "calls_a", COLUMN_U64},
    {"Calls B", "calls_b", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void put_figures(struct table *table, const uint64_t figures[2])
{
    table_u64(table, figures[0]);
    table_u64(table, figures[1]);
    table_change(table, figures[0], figures[1]);
    table_change_share(table, figures[0], figures[1]);
}

static void put_row(struct table *table, const struct change *change, bool has_addresses)
{
    char text[32];
    put_figures(table, change->self);
    put_figures(table, change->total);
    table_u64(table, change->calls[0]);
    table_u64(table, change->calls[1]);
    snprintf(text, sizeof text, has_addresses ? "0x%" PRIx64 : "#%" PRIu64,
             has_addresses ? change->pc & ~UINT64_C(1) : change->pc / 2);
    table_text(table, *change->name ? change->name : text);
}

static bool put_table(const struct profile_diff *wanted, struct trace_command *command,
                      const struct changes *changes, struct out *out, enum exit_status *status)
{
    struct table table;
    uint64_t shown = 0;
    bool has_addresses = session_can(&command->session, TRACE_ADDRESSES);
    if (!trace_command_table(command, &table, out, columns, ARRAY_COUNT(columns), status))
        return false;
    for (size_t i = 0; i < changes->count && shown < wanted->top; i++) {
        if (!session_takes_function(&command->session, changes->items[i].pc))
            continue;
        put_row(&table, &changes->items[i], has_addresses);
        shown++;
    }
    table_end(&table);
    if (trace_command_has_shown(command, shown || !wanted->top, status))
        return true;
    out_abandon(out);
    return false;
}

bool profile_diff_write(const struct profile_diff *wanted, const struct profile_side sides[2],
                        struct out *out, enum exit_status *status)
{
    struct changes changes = {0};
    enum profile_sort sort = wanted->sort;
    bool is_done = add_side(&changes, &sides[0], 0) && add_side(&changes, &sides[1], 1);
    if (is_done) {
        join(&changes);
        if (changes.count)
            qsort_r(changes.items, changes.count, sizeof *changes.items, compare_changes, &sort);
        is_done = put_table(wanted, sides[0].command, &changes, out, status);
    } else {
        *status = trace_command_no_memory(sides[0].command);
        out_abandon(out);
    }
    free(changes.items);
    return is_done;
}
