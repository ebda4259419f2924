#include "idx/memory_directory.h"

#include <stdlib.h>

void memory_directory_free(struct memory_directory *directory)
{
    for (size_t i = 0; i < MEMORY_LEVELS_MAX; i++)
        free(directory->levels[i].entries.items);
    free(directory->nodes.items);
    free(directory->merged.items);
    free(directory->bytes.items);
    *directory = (struct memory_directory){0};
}

static void append(uint64_t *entries, size_t *count, uint64_t entry)
{
    if (!*count || entries[*count - 1] != entry)
        entries[(*count)++] = entry;
}

// Goes over to larger blocks.
static void coarsen(struct memory_level *level, unsigned shift)
{
    size_t kept = 0;
    for (size_t i = 0; i < level->entries.count; i++)
        append(level->entries.items, &kept, level->entries.items[i] >> (shift - level->shift));
    level->entries.count = kept;
    level->shift = shift;
}

// Adds a child's entries, which are of blocks of 2^shift bytes.
static bool merge(struct memory_directory *directory, struct memory_level *level,
                  const uint64_t *entries, size_t count, unsigned shift)
{
    if (level->children++ == 0) {
        level->shift = shift;
        level->entries.count = 0;
    }
    if (level->shift < shift)
        coarsen(level, shift);
    if (!VEC_ROOM(&directory->merged, level->entries.count + count))
        return false;
    uint64_t *merged = directory->merged.items;
    size_t here = 0, there = 0, kept = 0;
    unsigned more = level->shift - shift;
    while (here < level->entries.count || there < count) {
        bool take_here = there == count || (here < level->entries.count &&
                                            level->entries.items[here] <= entries[there] >> more);
        append(merged, &kept, take_here ? level->entries.items[here++] : entries[there++] >> more);
    }
    directory->merged.items = level->entries.items;
    size_t capacity = directory->merged.capacity;
    directory->merged.capacity = level->entries.capacity;
    level->entries.items = merged;
    level->entries.capacity = capacity;
    level->entries.count = kept;
    while (level->entries.count > MEMORY_NODE_ENTRIES_MAX && level->shift < 60)
        coarsen(level, level->shift + 4);
    return true;
}

static bool finish_node(struct memory_directory *directory, size_t level_index,
                        struct file_writer *file)
{
    struct memory_level *level = &directory->levels[level_index];
    directory->bytes.count = 0;
    if (!column_write(&directory->bytes, directory->simd, level->entries.items,
                      level->entries.count) ||
        !VEC_ROOM(&directory->nodes, 1))
        return false;
    directory->nodes.items[directory->nodes.count++] = (struct memory_node){
        level_index + 1, level->shift, file_writer_position(file), directory->bytes.count};
    file_writer_append(file, directory->bytes.items, directory->bytes.count);
    level->children = 0;
    level->nodes++;
    return true;
}

static bool pass_up(struct memory_directory *directory, size_t level, struct file_writer *file)
{
    const struct memory_level *below = &directory->levels[level];
    return finish_node(directory, level, file) &&
           (level + 1 == MEMORY_LEVELS_MAX ||
            merge(directory, &directory->levels[level + 1], below->entries.items,
                  below->entries.count, below->shift));
}

bool memory_directory_add(struct memory_directory *directory, const uint64_t *words, size_t count,
                          struct file_writer *file)
{
    if (!merge(directory, &directory->levels[0], words, count, MEMORY_WORD_SHIFT))
        return false;
    for (size_t i = 0; i < MEMORY_LEVELS_MAX; i++) {
        if (directory->levels[i].children < MEMORY_NODE_CHILDREN)
            return true;
        if (!pass_up(directory, i, file))
            return false;
    }
    return true;
}

bool memory_directory_end(struct memory_directory *directory, struct file_writer *file)
{
    for (size_t i = 0; i < MEMORY_LEVELS_MAX; i++) {
        struct memory_level *level = &directory->levels[i];
        bool is_top = level->nodes == 0; // the only node of its level: nothing needs to be above
        if (!level->children && is_top)
            return true;
        if (level->children &&
            !(is_top ? finish_node(directory, i, file) : pass_up(directory, i, file)))
            return false;
        if (is_top)
            return true;
    }
    return true;
}

static int compare_nodes(const void *a, const void *b)
{
    const struct memory_node *first = a, *second = b;
    if (first->level != second->level)
        return first->level < second->level ? -1 : 1;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

void memory_directory_order(struct memory_directory *directory)
{
    if (directory->nodes.count)
        qsort(directory->nodes.items, directory->nodes.count, sizeof *directory->nodes.items,
              compare_nodes);
}
