// The registers before a segment. In a trace with many cells, most checkpoints contain only what
// changed since an earlier one: checkpoint n since checkpoint n & (n - 1), which is n without its
// lowest 1. So the registers of a segment are in at most as many checkpoints as n has binary
// digits, and most cells are in few.
#include "idx/index.h"

#include <stdlib.h>

// Cells, ascending; after them their masks, and then their values.
struct cell_list {
    uint64_t *cells;
    size_t count;
};

// Reads the cells that the checkpoint of a segment contains itself.
static enum status read_list(const struct trawl_index *index, uint64_t number,
                             struct cell_list *list, struct error *err)
{
    struct parts parts;
    struct column columns[PART_CHECKPOINT_VALUES + 1];
    enum status status;
    if ((status = index_segment_parts(index, PART_CHECKPOINT_OFFSETS, number,
                                      "a checkpoint lies outside of the file", &parts, err)) ||
        (status = index_open_columns(index, &parts, columns, PART_CHECKPOINT_CELLS,
                                     PART_CHECKPOINT_VALUES, UINT64_MAX, err)))
        return status;
    uint64_t count = columns[PART_CHECKPOINT_CELLS].count;
    if (count > u64_min(index->lane_count, LIMIT_LANES) * REGISTER_CELLS_MAX ||
        !column_may_rise(&columns[PART_CHECKPOINT_CELLS]) ||
        columns[PART_CHECKPOINT_KNOWN].count != count ||
        columns[PART_CHECKPOINT_VALUES].count != count)
        return index_damaged(index, "a checkpoint", err);
    uint64_t *cells = malloc((size_t)(3 * count + 1) * sizeof *cells);
    if (!cells)
        return index_no_memory(index, err);
    for (uint32_t part = PART_CHECKPOINT_CELLS; part <= PART_CHECKPOINT_VALUES; part++) {
        if (!column_read(&columns[part], 0, (size_t)count, cells + (part - 1) * count)) {
            free(cells);
            return index_damaged(index, "a checkpoint", err);
        }
    }
    *list = (struct cell_list){cells, (size_t)count};
    return STATUS_OK;
}

static void copy_cell(struct cell_list *to, size_t room, const struct cell_list *from, size_t at)
{
    for (size_t column = 0; column < 3; column++)
        to->cells[column * room + to->count] = from->cells[column * from->count + at];
    to->count++;
}

// Adds the cells of `older` that are not in `list`. False: no memory.
static bool add_older(struct cell_list *list, const struct cell_list *older)
{
    size_t room = list->count + older->count, next = 0;
    struct cell_list all = {malloc((3 * room + 1) * sizeof *all.cells), 0};
    if (!all.cells)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        for (; next < older->count && older->cells[next] < list->cells[i]; next++)
            copy_cell(&all, room, older, next);
        next += next < older->count && older->cells[next] == list->cells[i];
        copy_cell(&all, room, list, i);
    }
    for (; next < older->count; next++)
        copy_cell(&all, room, older, next);
    for (size_t column = 1; column < 3; column++) // make the three arrays adjacent again
        memmove(all.cells + column * all.count, all.cells + column * room,
                all.count * sizeof *all.cells);
    free(list->cells);
    *list = all;
    return true;
}

// Sets `number` to the checkpoint on which it is based. *is_whole: it is not based on another one.
static enum status find_base(const struct trawl_index *index, uint64_t *number, bool *is_whole,
                             struct error *err)
{
    uint64_t is_sparse = 0;
    if (index->has_sparse_checkpoints &&
        !column_get(&index->sparse_checkpoints, *number, &is_sparse))
        return index_damaged(index, "directory of checkpoints", err);
    *is_whole = !is_sparse;
    if (!is_sparse)
        return STATUS_OK;
    if (is_sparse != 1 || !index_checkpoint_base(*number))
        return index_damaged(index, "directory of checkpoints", err);
    *number = index_checkpoint_base(*number);
    return STATUS_OK;
}

static enum status read_all(const struct trawl_index *index, uint64_t number,
                            struct cell_list *list, struct error *err)
{
    bool is_whole;
    enum status status = read_list(index, number, list, err);
    while (status == STATUS_OK &&
           (status = find_base(index, &number, &is_whole, err)) == STATUS_OK && !is_whole) {
        struct cell_list older = {0};
        status = read_list(index, number, &older, err);
        if (status == STATUS_OK && !add_older(list, &older))
            status = index_no_memory(index, err);
        free(older.cells);
    }
    return status;
}

enum status segment_checkpoint(struct trawl_index *index, struct segment_view *view,
                               struct error *err)
{
    struct cell_list list = {0};
    if (view->has_checkpoint)
        return STATUS_OK;
    enum status status = read_all(index, view->number, &list, err);
    if (status != STATUS_OK) {
        free(list.cells);
        return status;
    }
    view->cells = list.cells;
    view->cells_known = list.cells + list.count;
    view->cell_values = list.cells + 2 * list.count;
    view->cell_count = list.count;
    view->has_checkpoint = true;
    return STATUS_OK;
}
