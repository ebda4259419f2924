#include "analysis/branch_counts.h"

#include "analysis/instruction_look.h"

#include <stdlib.h>

static bool is_wanted(const struct branch *branch)
{
    return branch->is_conditional && branch->kind != BRANCH_NONE &&
           branch->kind != BRANCH_EXCEPTION;
}

static bool add(struct branch_counts *branches, const struct pc_count *count,
                const struct line_look *look)
{
    if (!VEC_ROOM(&branches->rows, 1))
        return false;
    branches->rows.items[branches->rows.count++] =
        (struct branch_count){count->pc, pc_count_gone(count, look->code_bytes),
                              pc_count_passed(count, look->code_bytes)};
    return true;
}

bool branch_counts_add(struct branch_counts *branches, const struct trace *trace,
                       const struct reading_options *how, const struct pc_counts *counts)
{
    struct pc_count *sorted = pc_counts_sorted(counts);
    bool has_memory = sorted != NULL;
    for (size_t i = 0; has_memory && i < counts->count; i++) {
        struct line_look look;
        if (instruction_look(trace, how, sorted[i].position, &look) && is_wanted(&look.branch))
            has_memory = add(branches, &sorted[i], &look);
    }
    free(sorted);
    return has_memory;
}

static int by_pc(const void *a_item, const void *b_item)
{
    const struct branch_count *a = a_item, *b = b_item;
    return (a->pc > b->pc) - (a->pc < b->pc);
}

void branch_counts_join(struct branch_counts *branches)
{
    struct branch_count *rows = branches->rows.items;
    size_t kept = 0;
    if (branches->rows.count)
        qsort(rows, branches->rows.count, sizeof *rows, by_pc);
    for (size_t i = 0; i < branches->rows.count; i++) {
        if (kept && rows[kept - 1].pc == rows[i].pc) {
            rows[kept - 1].taken += rows[i].taken;
            rows[kept - 1].not_taken += rows[i].not_taken;
        } else {
            rows[kept++] = rows[i];
        }
    }
    branches->rows.count = kept;
}

void branch_counts_free(struct branch_counts *branches)
{
    free(branches->rows.items);
    *branches = (struct branch_counts){0};
}
