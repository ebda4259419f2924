#include "session/space_count.h"

#include "base/limits.h"
#include "idx/segment_format.h"

#include <stdlib.h>

void space_cells_take(struct space_cells *cells, uint32_t number, const char *name)
{
    const int which = index_space_register(name);
    if (which >= 0)
        atomic_store(&cells->cells[which], (uint16_t)NAMED_REGISTER_CELL(number));
}

void space_cells_list(const struct space_cells *cells, uint16_t list[SPACE_REGISTER_ROOM])
{
    for (size_t i = 0; i < SPACE_REGISTER_ROOM; i++)
        list[i] = atomic_load(&cells->cells[i]);
}

void space_cells_forget(struct space_cells *cells)
{
    for (size_t i = 0; i < SPACE_REGISTER_ROOM; i++)
        atomic_store(&cells->cells[i], 0);
}

void space_count_free(struct space_count *count)
{
    free(count->lanes.items);
    free(count->spaces.items);
    space_cells_forget(&count->cells);
    *count = (struct space_count){0};
}

static int compare_registers(const void *a, const void *b)
{
    const struct segment_register *const *first = a, *const *second = b;
    if ((*first)->event != (*second)->event)
        return (*first)->event < (*second)->event ? -1 : 1;
    return (*first > *second) - (*first < *second);
}

static bool take_register(struct space_count *count, const struct segment_register *write)
{
    if (!VEC_EXTEND(&count->lanes, (size_t)write->lane + 1))
        return false;
    struct lane_registers *lane = &count->lanes.items[write->lane];
    for (size_t i = 0; i < SPACE_REGISTER_ROOM; i++) {
        if (atomic_load(&count->cells.cells[i]) != register_cell(write->cell))
            continue;
        lane->values[i] = write->value;
        lane->is_known[i] = !(write->cell & REGISTER_VALUE_UNKNOWN);
    }
    return true;
}

static bool take_access(struct space_count *count, const struct segment_access *access)
{
    if (!VEC_EXTEND(&count->lanes, (size_t)access->lane + 1))
        return false;
    const struct lane_registers *lane = &count->lanes.items[access->lane];
    uint64_t values[SPACE_REGISTER_ROOM];
    for (size_t i = 0; i < SPACE_REGISTER_ROOM; i++)
        values[i] = lane->is_known[i] ? lane->values[i] : INDEX_SPACE_UNKNOWN;
    const struct index_space space =
        index_space_of(values, access->regime, index_is_upper(place_virtual_page(access->address)));
    for (size_t i = count->spaces.count; i-- > 0;) {
        struct counted_space *known = &count->spaces.items[i];
        if (known->space.regime == space.regime && index_is_same_space(&known->space, &space)) {
            known->accesses++;
            return true;
        }
    }
    if (count->spaces.count == LIMIT_SPACES)
        return true;
    if (!VEC_ROOM(&count->spaces, 1))
        return false;
    count->spaces.items[count->spaces.count++] = (struct counted_space){space, 1};
    return true;
}

bool space_count_take(struct space_count *count, const struct segment *segment, bool has_places)
{
    VEC(, const struct segment_register *) writes = {0};
    bool has_memory = true;
    size_t next = 0;
    count->has_places |= has_places;
    for (size_t i = 0; i < segment->registers.count && has_memory; i++) {
        const struct segment_register *write = &segment->registers.items[i];
        bool is_wanted = false;
        for (size_t k = 0; k < SPACE_REGISTER_ROOM && register_cell(write->cell) >= REGISTER_CELLS;
             k++)
            is_wanted |= atomic_load(&count->cells.cells[k]) == register_cell(write->cell);
        if (is_wanted && (has_memory = VEC_ROOM(&writes, 1)))
            writes.items[writes.count++] = write;
    }
    if (writes.count)
        qsort(writes.items, writes.count, sizeof *writes.items, compare_registers);
    for (size_t i = 0; has_places && i < segment->accesses.count && has_memory; i++) {
        const struct segment_access *access = &segment->accesses.items[i];
        for (; next < writes.count && writes.items[next]->event <= access->event && has_memory;
             next++)
            has_memory = take_register(count, writes.items[next]);
        has_memory = has_memory && take_access(count, access);
    }
    for (; next < writes.count && has_memory; next++)
        has_memory = take_register(count, writes.items[next]);
    free(writes.items);
    return has_memory;
}
