#include "idx/index_format.h"
#include "idx/register_layout.h"

#include <stdlib.h>

static bool add_names(struct parts_writer *parts, const struct register_run *runs, size_t count)
{
    struct bytes names = {0};
    bool is_done = true;
    for (size_t i = 0; i < count && is_done; i++)
        is_done = bytes_append(&names, runs[i].name, strlen(runs[i].name) + 1);
    is_done = is_done && parts_add_text(parts, PART_LAYOUT_NAMES, names.items, names.count);
    free(names.items);
    return is_done;
}

static uint64_t field(const struct register_run *run, enum layout_part part)
{
    switch (part) {
    case PART_LAYOUT_COUNTS:
        return run->count;
    case PART_LAYOUT_OFFSETS:
        return run->offset;
    case PART_LAYOUT_BYTES:
        return run->size_bytes;
    case PART_LAYOUT_BESIDE:
        return run->beside ? run->beside : 1;
    case PART_LAYOUT_STRIDES:
        return run->stride_bytes;
    case PART_LAYOUT_FLAGS:
        return run->flags;
    case PART_LAYOUT_STATES:
        return run->isas | (uint64_t)run->shown << 4;
    default:
        return run->dwarf == TRAWL_NO_DWARF ? 0 : (uint64_t)run->dwarf + 1;
    }
}

bool register_layout_write(struct parts_writer *parts, const struct register_run *runs,
                           size_t count, const struct register_figures *figures)
{
    const uint64_t rows[LAYOUT_FIGURES] = {
        [LAYOUT_ANY_CASE] = figures->any_case,
        [LAYOUT_ADDRESS_BYTES] = figures->address_bytes,
        [LAYOUT_MACHINE] = figures->machine,
    };
    uint64_t *column = calloc(count + 1, sizeof *column);
    bool is_done = column && add_names(parts, runs, count) &&
                   parts_add_column(parts, PART_LAYOUT_FIGURES, rows, LAYOUT_FIGURES);
    for (uint32_t part = PART_LAYOUT_COUNTS; part <= PART_LAYOUT_DWARF && is_done; part++) {
        for (size_t i = 0; i < count; i++)
            column[i] = field(&runs[i], part);
        is_done = parts_add_column(parts, part, column, count);
    }
    free(column);
    return is_done;
}
