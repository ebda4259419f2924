// Which segments touch a word: the directory tree from the top down, and host calls' regions.
#include "idx/index.h"

#include <stdlib.h>

#define NO_SEGMENT UINT64_MAX

struct touch_search {
    struct trawl_index *index;
    unsigned kind;
    uint64_t word, from;
    bool back;
    bool is_damaged;
};

// The column of a node, opened. NULL: damage.
static const struct column *node_column(struct trawl_index *index, uint64_t row)
{
    struct column *column = &index->node_columns[row];
    uint64_t offset, size_bytes;
    if (column->bytes)
        return column;
    if (!column_get(&index->nodes[PART_NODE_OFFSETS], row, &offset) ||
        !column_get(&index->nodes[PART_NODE_BYTES], row, &size_bytes))
        return NULL;
    const uint8_t *bytes = index_bytes(index, offset, size_bytes);
    if (!bytes || column_open(column, bytes, size_bytes, NULL) != STATUS_OK) {
        *column = (struct column){0};
        return NULL;
    }
    column->verified = calloc((size_t)column_verified_words(column) + 1, sizeof(uint64_t));
    return column;
}

// Whether node `node` of the level may hold the word.
static bool may_hold(struct touch_search *search, unsigned level, uint64_t node)
{
    struct trawl_index *index = search->index;
    if (node >= index->node_count[search->kind][level])
        return false;
    uint64_t row = index->node_first[search->kind][level] + node, shift, place, entry;
    const struct column *column = node_column(index, row);
    if (!column || !column_get(&index->nodes[PART_NODE_SHIFTS], row, &shift) || shift < 3 ||
        shift > 63)
        return search->is_damaged = true, false;
    uint64_t wanted = search->word >> (shift - MEMORY_WORD_SHIFT);
    if (!column_find(column, 0, column->count, wanted, &place, &entry))
        return search->is_damaged = true, false;
    return place && entry == wanted;
}

// The first segment below a node that counts; NO_SEGMENT.
static uint64_t search_node(struct touch_search *search, unsigned level, uint64_t node)
{
    struct trawl_index *index = search->index;
    uint64_t span = UINT64_C(1) << (4 * level), first = node * span, last = first + span - 1;
    if (search->back ? first > search->from : last < search->from)
        return NO_SEGMENT;
    if (level == 0)
        return node < index->segment_count ? node : NO_SEGMENT;
    if (!may_hold(search, level, node))
        return NO_SEGMENT;
    for (unsigned i = 0; i < MEMORY_NODE_CHILDREN && !search->is_damaged; i++) {
        unsigned child = search->back ? MEMORY_NODE_CHILDREN - 1 - i : i;
        uint64_t found = search_node(search, level - 1, node * MEMORY_NODE_CHILDREN + child);
        if (found != NO_SEGMENT)
            return found;
    }
    return NO_SEGMENT;
}

bool index_find_touched(struct trawl_index *index, unsigned kind, uint64_t word, uint64_t from,
                        bool back, uint64_t *segment)
{
    struct touch_search search = {index, kind, word, from, back, false};
    unsigned top = 0;
    *segment = NO_SEGMENT;
    while (top < MEMORY_LEVELS_MAX && index->node_count[kind][top + 1])
        top++;
    uint64_t count = top ? index->node_count[kind][top] : 0;
    for (uint64_t i = 0; i < count && *segment == NO_SEGMENT && !search.is_damaged; i++)
        *segment = search_node(&search, top, back ? count - 1 - i : i);
    return !search.is_damaged;
}

// --- Regions -------------------------------------------------------------------------------------

static int compare_region(const struct region *region, unsigned shift, uint64_t block,
                          uint64_t event)
{
    if (region->shift != shift)
        return region->shift < shift ? -1 : 1;
    if (region->block != block)
        return region->block < block ? -1 : 1;
    return (region->event > event) - (region->event < event);
}

// The place of the first region of the block that is not before `event`.
static size_t region_place(const struct trawl_index *index, unsigned shift, uint64_t block,
                           uint64_t event)
{
    size_t low = 0, high = index->regions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_region(&index->regions.items[middle], shift, block, event) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t index_region_at(const struct trawl_index *index, uint64_t address, uint64_t event,
                         bool back)
{
    uint64_t found = UINT64_MAX;
    if (index->live) // of which none lies behind the point that is asked about
        return back ? live_regions_at(index->live, address) : UINT64_MAX;
    for (uint64_t shifts = index->region_shifts; shifts; shifts &= shifts - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(shifts);
        uint64_t block = address >> shift;
        size_t place = region_place(index, shift, block, back ? event + 1 : event);
        if (back && place-- == 0)
            continue;
        if (place == index->regions.count)
            continue;
        const struct region *region = &index->regions.items[place];
        if (region->shift != shift || region->block != block)
            continue;
        if (found == UINT64_MAX || (back ? region->event > found : region->event < found))
            found = region->event;
    }
    return found;
}
