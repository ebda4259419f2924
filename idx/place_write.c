// What a segment shows of where virtual addresses are: for each page that a core accessed, its
// place (FORMAT.md, Places), whenever that is another one than before in the same address space.
// Nothing if all accesses are where their addresses say, as in a trace without address
// translation.
//
// Which address space it is follows from registers (TTBR0_EL1 and others) that a reader of the
// index knows at every event. Here it is only necessary to tell spaces apart within the segment,
// so that returning to one is not taken for a change: by a number made from what the segment
// writes to these registers.
#include "base/hash_index.h"
#include "idx/segment_format.h"
#include "idx/segment_write.h"

#include <stdlib.h>

// A page as one core in one space sees it.
struct seen_page {
    uint64_t page, space, place;
    uint32_t owner; // place_owner
};

struct place_row {
    uint64_t page, place;
    uint32_t event, owner;
};

// A write to a register that determines the space.
struct space_write {
    uint64_t value;
    uint32_t event, order;
    uint16_t lane, which;
};

struct lane_space {
    uint64_t values[SPACE_REGISTER_ROOM];
    uint64_t number;
    uint8_t regime; // the last one listed
};

// Nearly every access is to one of the pages that were accessed just before: these are found
// without the table.
enum { RECENT_PAGES = 64 };

struct place_build {
    struct seen_page recent[RECENT_PAGES]; // by page; ~0: none
    VEC(, struct seen_page) seen;
    struct hash_index by_page; // of them
    VEC(, struct place_row) rows;
    VEC(, struct space_write) writes;
    VEC(, struct lane_space) lanes;
    VEC(, struct place_crossing) crossings;
};

void place_build_free(struct place_build *build)
{
    if (!build)
        return;
    hash_index_free(&build->by_page);
    free(build->seen.items);
    free(build->rows.items);
    free(build->writes.items);
    free(build->lanes.items);
    free(build->crossings.items);
    free(build);
}

// --- Spaces --------------------------------------------------------------------------------------

ORDER_BY_2(compare_writes, struct space_write, event, order)

static struct lane_space *lane_space_of(struct place_build *build, uint16_t lane)
{
    return VEC_EXTEND(&build->lanes, (size_t)lane + 1) ? &build->lanes.items[lane] : NULL;
}

// Makes the number of a core's space from the values of its registers.
static bool take_write(struct place_build *build, const struct space_write *write)
{
    struct lane_space *space = lane_space_of(build, write->lane);
    if (!space)
        return false;
    space->values[write->which] = write->value ^ UINT64_C(0x9e3779b97f4a7c15);
    space->number = 0;
    for (size_t i = 0; i < SPACE_REGISTER_ROOM; i++)
        space->number = (space->number ^ space->values[i]) * UINT64_C(0xff51afd7ed558ccd) ^
                        space->values[i] >> 29;
    return true;
}

// --- Pages ---------------------------------------------------------------------------------------

// The page as it was seen last; NULL: it was not. *hash is for adding it.
static struct seen_page *find_seen(struct place_build *build, const struct seen_page *wanted,
                                   uint64_t *hash)
{
    uint32_t found;
    *hash = hash_key(hash_index_seed(&build->by_page),
                     wanted->page ^ (uint64_t)wanted->owner << 52 ^
                         wanted->space * UINT64_C(0x9e3779b97f4a7c15));
    HASH_INDEX_FIND(found, &build->by_page, *hash,
                    build->seen.items[candidate].page == wanted->page &&
                        build->seen.items[candidate].owner == wanted->owner &&
                        build->seen.items[candidate].space == wanted->space);
    return found == HASH_INDEX_NONE ? NULL : &build->seen.items[found];
}

// Whether the access goes on in the next page, whose place its line does not show.
static bool crosses_page(const struct segment_access *access)
{
    const uint64_t page_bytes = UINT64_C(1) << PLACE_PAGE_BITS;
    return access->address % page_bytes + access->size_bytes > page_bytes;
}

static uint64_t next_place(struct place_build *build, const struct segment_access *access,
                           uint64_t space)
{
    const struct seen_page wanted = {.page = place_virtual_page(access->address) + 1,
                                     .space = space,
                                     .owner = place_owner(access->lane, access->regime)};
    uint64_t hash;
    const struct seen_page *seen = find_seen(build, &wanted, &hash);
    return seen ? seen->place : PLACE_UNKNOWN;
}

// Adds a row if the page is seen for the first time in its space, or in another place. False: no
// memory.
static bool take_page(struct place_build *build, const struct segment_input *input, size_t number)
{
    const struct segment_access *access = &input->accesses[number];
    const struct lane_space *space = lane_space_of(build, access->lane);
    if (!space)
        return false;
    struct seen_page page = {
        .page = place_virtual_page(access->address),
        .space = space->number,
        .place = (access->address + access->to_place) >> PLACE_PAGE_BITS,
        .owner = place_owner(access->lane, access->regime),
    };
    struct seen_page *recent = &build->recent[(page.page ^ page.owner) % RECENT_PAGES];
    if (LIKELY(recent->page == page.page && recent->space == page.space &&
               recent->place == page.place && recent->owner == page.owner && !crosses_page(access)))
        return true;
    *recent = page;
    uint64_t hash;
    struct seen_page *seen = find_seen(build, &page, &hash);
    if (UNLIKELY(crosses_page(access))) {
        if (!VEC_ROOM(&build->crossings, 1))
            return false;
        build->crossings.items[build->crossings.count++] = (struct place_crossing){
            number, next_place(build, access, space->number), space->number};
    }
    if (seen && seen->place == page.place)
        return true;
    if (!VEC_ROOM(&build->rows, 1))
        return false;
    if (seen) {
        seen->place = page.place;
    } else {
        if (!VEC_ROOM(&build->seen, 1) ||
            !hash_index_add(&build->by_page, hash, (uint32_t)build->seen.count))
            return false;
        build->seen.items[build->seen.count++] = page;
    }
    build->rows.items[build->rows.count++] =
        (struct place_row){page.page, page.place, access->event, page.owner};
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const struct place_row *first = a, *second = b;
    if (first->page != second->page)
        return first->page < second->page ? -1 : 1;
    if (first->event != second->event)
        return first->event < second->event ? -1 : 1;
    if (first->owner != second->owner)
        return first->owner < second->owner ? -1 : 1;
    return (first->place > second->place) - (first->place < second->place);
}

// --- Parts ---------------------------------------------------------------------------------------

static bool add_parts(struct segment_writer *writer, const struct segment_input *input)
{
    const struct place_build *build = writer->places;
    const size_t count = build->rows.count;
    uint64_t *columns;
    writer->column.count = 0;
    if (!VEC_ROOM(&writer->column, 4 * count + input->regime_count))
        return false;
    columns = writer->column.items;
    for (size_t i = 0; i < count; i++) {
        const struct place_row *row = &build->rows.items[i];
        columns[i] = row->page;
        columns[count + i] = row->event;
        columns[2 * count + i] = row->owner;
        columns[3 * count + i] = row->place;
    }
    size_t regimes = 0;
    for (size_t i = 0; i < input->regime_count; i++) {
        const struct segment_regime *regime = &input->regimes[i];
        struct lane_space *lane = lane_space_of(writer->places, regime->lane);
        if (!lane)
            return false;
        if (lane->regime == regime->regime)
            continue;
        lane->regime = regime->regime;
        columns[4 * count + regimes++] =
            (uint64_t)regime->event << PLACE_OWNER_BITS | place_owner(regime->lane, regime->regime);
    }
    return parts_add_column(&writer->parts, PART_PLACE_PAGES, columns, count) &&
           parts_add_column(&writer->parts, PART_PLACE_EVENTS, columns + count, count) &&
           parts_add_column(&writer->parts, PART_PLACE_OWNERS, columns + 2 * count, count) &&
           parts_add_column(&writer->parts, PART_PLACES, columns + 3 * count, count) &&
           (!regimes ||
            parts_add_column(&writer->parts, PART_PLACE_REGIMES, columns + 4 * count, regimes));
}

// Finds the places of pages. False: no memory.
static bool find_places(struct place_build *build, const struct segment_input *input)
{
    size_t next = 0;
    build->seen.count = build->rows.count = build->lanes.count = build->crossings.count = 0;
    hash_index_clear(&build->by_page);
    memset(build->recent, 0xff, sizeof build->recent);
    // Lists the writes to registers that determine the space, by event.
    build->writes.count = 0;
    for (size_t i = 0; i < input->register_count; i++) {
        const struct segment_register *write = &input->registers[i];
        const uint32_t cell = register_cell(write->cell);
        if (LIKELY(cell < REGISTER_CELLS))
            continue;
        for (uint16_t which = 0; which < SPACE_REGISTER_ROOM; which++) {
            if (input->space_cells[which] != cell)
                continue;
            if (!VEC_ROOM(&build->writes, 1))
                return false;
            build->writes.items[build->writes.count++] =
                (struct space_write){write->value, write->event, (uint32_t)i, write->lane, which};
        }
    }
    if (build->writes.count)
        qsort(build->writes.items, build->writes.count, sizeof *build->writes.items,
              compare_writes);
    for (size_t i = 0; i < input->access_count; i++) {
        for (; next < build->writes.count &&
               build->writes.items[next].event <= input->accesses[i].event;
             next++) {
            if (!take_write(build, &build->writes.items[next]))
                return false;
        }
        if (!take_page(build, input, i))
            return false;
    }
    for (size_t i = 0; i < build->crossings.count; i++) { // seen later
        struct place_crossing *crossing = &build->crossings.items[i];
        const struct segment_access *access = &input->accesses[crossing->access];
        if (crossing->place == PLACE_UNKNOWN)
            crossing->place = next_place(build, access, crossing->space);
        if (crossing->place == PLACE_UNKNOWN && !access->to_place)
            crossing->place = (access->address >> PLACE_PAGE_BITS) + 1;
    }
    build->lanes.count = 0; // add_parts uses them anew
    return true;
}

bool place_find(struct segment_writer *writer, const struct segment_input *input)
{
    uint64_t any = 0;
    for (size_t i = 0; i < input->access_count; i++)
        any |= input->accesses[i].to_place;
    writer->has_places = any != 0;
    writer->crossings = NULL;
    writer->crossing_count = 0;
    if (LIKELY(!any))
        return true;
    if (!writer->places && !(writer->places = calloc(1, sizeof *writer->places)))
        return false;
    struct place_build *build = writer->places;
    if (!find_places(build, input))
        return false;
    writer->crossings = build->crossings.items;
    writer->crossing_count = build->crossings.count;
    return true;
}

bool place_write(struct segment_writer *writer, const struct segment_input *input)
{
    struct place_build *build = writer->places;
    if (LIKELY(!writer->has_places))
        return true;
    qsort(build->rows.items, build->rows.count, sizeof *build->rows.items, compare_rows);
    return add_parts(writer, input);
}
