// Finds the segments that touch a set of words, in the directory tree from the top down.
#include "idx/index.h"

#include <stdlib.h>

#define NO_SEGMENT UINT64_MAX

struct touch_search {
    struct trawl_index *index;
    enum touched kind;
    const struct word_set *words;
    uint64_t from;
    bool back;
    bool is_damaged;
};

// Where the column of a node is. NULL: damage.
static const uint8_t *node_bytes(const struct trawl_index *index, enum touched kind, uint64_t row,
                                 uint64_t *size_bytes)
{
    const bool is_inside = kind == TOUCHED_REREAD; // the section; otherwise elsewhere in the file
    const struct part *part = index->reread_columns;
    uint64_t offset;
    if (!column_get(is_inside ? &index->reread[PART_REREAD_OFFSETS - PART_REREAD_LEVELS]
                              : &index->nodes[PART_NODE_OFFSETS],
                    row, &offset) ||
        !column_get(is_inside ? &index->reread[PART_REREAD_BYTES - PART_REREAD_LEVELS]
                              : &index->nodes[PART_NODE_BYTES],
                    row, size_bytes))
        return NULL;
    if (!is_inside)
        return index_bytes(index, offset, *size_bytes);
    return offset <= part->size_bytes && *size_bytes <= part->size_bytes - offset
               ? part->bytes + offset
               : NULL;
}

// The column of a node, opened. NULL: damage.
static const struct column *node_column(struct trawl_index *index, enum touched kind, uint64_t row)
{
    const uint64_t before = kind == TOUCHED_REREAD ? index->nodes[PART_NODE_LEVELS].count : 0;
    struct column *column = &index->node_columns[before + row];
    uint64_t size_bytes;
    if (column->bytes)
        return column;
    const uint8_t *bytes = node_bytes(index, kind, row, &size_bytes);
    if (!bytes || column_open(column, index->simd, bytes, size_bytes, NULL) != STATUS_OK) {
        *column = (struct column){0};
        return NULL;
    }
    column->verified = calloc((size_t)column_verified_words(column) + 1, sizeof(uint64_t));
    return column;
}

// Whether one of the words is covered by these entries of a node.
static bool any_wanted(const struct word_set *words, const uint64_t *entries, size_t count,
                       uint64_t shift)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t first = u64_max(entries[i] << shift, words->first) - words->first;
        uint64_t last = (entries[i] << shift) + (UINT64_C(1) << shift) - 1;
        last = u64_min(last, words->last) - words->first;
        if (first <= last && last < WORD_SET_BITS &&
            words->bits >> first & bits_up_to(last - first))
            return true;
    }
    return false;
}

// Whether a node's column covers one of the words.
static bool holds_any(const struct column *column, const struct word_set *words, uint64_t shift,
                      bool *any)
{
    uint64_t entries[WORD_SET_BITS], place, entry;
    uint64_t low = words->first >> shift, high = words->last >> shift;
    if (!column_find(column, 0, column->count, high, &place, &entry))
        return false;
    *any = place && entry >= low;
    if (!*any || word_set_is_range(words))
        return true;
    uint64_t count = u64_min(place, high - low + 1);
    if (!column_read(column, place - count, (size_t)count, entries))
        return false;
    *any = any_wanted(words, entries, (size_t)count, shift);
    return true;
}

// The first segment below a node that matches; NO_SEGMENT: none.
static uint64_t search_node(struct touch_search *search, unsigned level, uint64_t node)
{
    struct trawl_index *index = search->index;
    uint64_t span = UINT64_C(1) << (4 * level), first = node * span, last = first + span - 1;
    if (search->back ? first > search->from : last < search->from)
        return NO_SEGMENT;
    if (level == 0)
        return node < index->segment_count ? node : NO_SEGMENT;
    // Whether a node of the level may cover one of the words.
    if (node >= index->node_count[search->kind][level])
        return NO_SEGMENT;
    uint64_t row = index->node_first[search->kind][level] + node, shift;
    const struct column *column = node_column(index, search->kind, row);
    const struct column *shifts = search->kind == TOUCHED_REREAD
                                      ? &index->reread[PART_REREAD_SHIFTS - PART_REREAD_LEVELS]
                                      : &index->nodes[PART_NODE_SHIFTS];
    bool any = false;
    if (!column || !column_get(shifts, row, &shift) || shift < MEMORY_WORD_SHIFT || shift > 63 ||
        !holds_any(column, search->words, shift - MEMORY_WORD_SHIFT, &any))
        search->is_damaged = true;
    if (!any)
        return NO_SEGMENT;
    for (unsigned i = 0; i < MEMORY_NODE_CHILDREN && !search->is_damaged; i++) {
        unsigned child = search->back ? MEMORY_NODE_CHILDREN - 1 - i : i;
        uint64_t found = search_node(search, level - 1, node * MEMORY_NODE_CHILDREN + child);
        if (found != NO_SEGMENT)
            return found;
    }
    return NO_SEGMENT;
}

bool index_find_touched(struct trawl_index *index, enum touched kind, const struct word_set *words,
                        uint64_t from, bool back, uint64_t *segment)
{
    struct touch_search search = {index, kind, words, from, back, false};
    unsigned top = 0;
    *segment = NO_SEGMENT;
    while (top < MEMORY_LEVELS_MAX && index->node_count[kind][top + 1])
        top++;
    uint64_t count = top ? index->node_count[kind][top] : 0;
    for (uint64_t i = 0; i < count && *segment == NO_SEGMENT && !search.is_damaged; i++)
        *segment = search_node(&search, top, back ? count - 1 - i : i);
    return !search.is_damaged;
}
