// A sweep upwards over the starts, with a stack of open spans. A later start always takes
// precedence over an earlier one, so the stack is in order of precedence, and a span that ends no
// later than one above it can never be the answer again and is removed. The remaining ends ascend
// from top to bottom, so spans also close from the top. Each span is pushed and popped once, and
// each start and each end begins at most one range.
#include "elf/address_index.h"

#include <stdlib.h>

#define NO_ID UINT32_MAX // of a range without an answer

struct open_span {
    uint64_t last; // the last address within, so that a span may reach the end of the address space
    uint32_t id;
};

struct sweep {
    struct address_index *out;
    struct open_span *stack;
    size_t depth;
};

ORDER_BY_2(compare_spans, struct address_span, start, id)

static void emit(struct sweep *sweep, uint64_t start, uint32_t id)
{
    struct address_index *out = sweep->out;
    if (out->count > 0 && out->ids[out->count - 1] == id)
        return;
    out->starts[out->count] = start;
    out->ids[out->count] = id;
    out->count++;
}

// Makes the ranges from `start` to just before the next start, or to the end of the address space,
// which is then `next_last`. `nearest` is the answer where no span is open.
static void cut_ranges(struct sweep *sweep, uint64_t start, uint64_t next_last, uint32_t nearest)
{
    while (sweep->depth > 0) {
        struct open_span top = sweep->stack[sweep->depth - 1];
        emit(sweep, start, top.id);
        if (top.last > next_last)
            return;
        sweep->depth--;
        if (top.last == next_last)
            return;
        start = top.last + 1;
    }
    emit(sweep, start, nearest);
}

bool address_index_build(struct address_index *out, struct address_span *spans, size_t count,
                         enum address_gaps gaps)
{
    *out = (struct address_index){0};
    if (count == 0)
        return true;
    struct sweep sweep = {.out = out};
    out->starts = calloc(count, 2 * sizeof *out->starts);
    out->ids = calloc(count, 2 * sizeof *out->ids);
    sweep.stack = calloc(count, sizeof *sweep.stack);
    bool is_built = out->starts && out->ids && sweep.stack;
    if (is_built) {
        qsort(spans, count, sizeof *spans, compare_spans);
        for (size_t first = 0, end; first < count; first = end) {
            for (end = first + 1; end < count && spans[end].start == spans[first].start;)
                end++;
            for (size_t i = end; i-- > first;) {
                if (spans[i].size > 0) {
                    const struct address_span *span = &spans[i];
                    uint64_t last = span->start + (span->size - 1);
                    if (last < span->start)
                        last = UINT64_MAX;
                    while (sweep.depth > 0 && sweep.stack[sweep.depth - 1].last <= last)
                        sweep.depth--;
                    sweep.stack[sweep.depth++] = (struct open_span){.last = last, .id = span->id};
                }
            }
            uint64_t next_last = end < count ? spans[end].start - 1 : UINT64_MAX;
            cut_ranges(&sweep, spans[first].start, next_last,
                       gaps == ADDRESS_GAPS_TO_NEAREST ? spans[first].id : NO_ID);
        }
    } else {
        address_index_free(out);
    }
    free(sweep.stack);
    return is_built;
}

void address_index_free(struct address_index *index)
{
    free(index->starts);
    free(index->ids);
    *index = (struct address_index){0};
}

bool address_index_find(const struct address_index *index, uint64_t address, uint32_t *id)
{
    size_t low;
    PARTITION_POINT(low, index->count, index->starts[middle] <= address);
    if (low == 0 || index->ids[low - 1] == NO_ID)
        return false;
    *id = index->ids[low - 1];
    return true;
}
