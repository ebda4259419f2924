#include "query/branch_counts.h"

#include "base/limits.h"

#include <stdlib.h>

bool branch_counts_add(struct branch_counts *branches, const struct trace *trace,
                       const struct reading_options *how, const struct pc_counts *counts)
{
    struct pc_count *sorted = pc_counts_sorted(counts);
    bool has_memory = sorted != NULL;
    for (size_t i = 0; has_memory && i < counts->count; i++) {
        const struct pc_count *count = &sorted[i];
        struct line_look look;
        if (!instruction_look(trace, how, count->position, &look) || !look.branch.is_conditional ||
            look.branch.kind == BRANCH_NONE || look.branch.kind == BRANCH_EXCEPTION)
            continue;
        has_memory = VEC_ROOM(&branches->rows, 1);
        if (has_memory)
            branches->rows.items[branches->rows.count++] =
                (struct branch_count){count->pc, pc_count_gone(count, look.code_bytes),
                                      pc_count_passed(count, look.code_bytes)};
    }
    free(sorted);
    return has_memory;
}

ORDER_BY(by_pc, struct branch_count, pc)

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

// --- The text of an instruction ------------------------------------------------------------------

bool instruction_look(const struct trace *trace, const struct reading_options *how,
                      uint64_t position, struct line_look *look)
{
    const char *bytes = source_bytes(trace->source);
    uint64_t size = source_size_bytes(trace->source);
    struct line_look_context context = LINE_LOOK_START;
    if (!bytes || position >= size || !trace->kind->text)
        return false;
    const char *start = bytes + position;
    uint64_t length = u64_min(size - position, LIMIT_LINE_BYTES);
    const char *end = memchr(start, '\n', length);
    end = end ? end : start + length;
    while (end > start && end[-1] == '\r')
        end--;
    trace->kind->text->look(start, end, how, false, &context, look);
    return look->subject == LINE_ABOUT_INSTRUCTION && look->part_count;
}
