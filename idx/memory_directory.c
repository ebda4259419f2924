#include "idx/index_write.h"

#include <stdlib.h>

#define CLUSTER_ENTRIES 64

void memory_directory_free(struct memory_directory *directory)
{
    for (size_t i = 0; i < MEMORY_LEVELS_MAX; i++)
        free(directory->levels[i].clusters.items);
    free(directory->nodes.items);
    free(directory->added.items);
    free(directory->merged.items);
    free(directory->entries.items);
    free(directory->bytes.items);
    free(directory->kept.items);
    *directory = (struct memory_directory){0};
}

// --- Clusters ------------------------------------------------------------------------------------

// Adds an entry that is not below the existing ones. There must be room.
static void append(struct memory_clusters *clusters, uint64_t entry)
{
    uint64_t number = entry / CLUSTER_ENTRIES, bit = UINT64_C(1) << entry % CLUSTER_ENTRIES;
    if (clusters->count && clusters->items[clusters->count - 1].number == number)
        clusters->items[clusters->count - 1].entries |= bit;
    else
        clusters->items[clusters->count++] = (struct memory_cluster){number, bit};
}

// Removes the lowest entry of a cluster and returns it.
static uint64_t take_entry(struct memory_cluster *cluster)
{
    unsigned bit = (unsigned)__builtin_ctzll(cluster->entries);
    cluster->entries &= cluster->entries - 1;
    return cluster->number * CLUSTER_ENTRIES + bit;
}

// Changes to blocks 2^more times as large.
static void coarsen(struct memory_clusters *clusters, unsigned more)
{
    struct memory_clusters kept = {.items = clusters->items};
    for (size_t i = 0; i < clusters->count; i++) {
        struct memory_cluster cluster = clusters->items[i];
        while (cluster.entries)
            append(&kept, take_entry(&cluster) >> more);
    }
    clusters->count = kept.count;
}

// --- Nodes ---------------------------------------------------------------------------------------

static bool has_too_many(const struct memory_clusters *clusters)
{
    size_t count = 0; // counted only if it can be too much
    if (clusters->count > MEMORY_NODE_ENTRIES_MAX / CLUSTER_ENTRIES) {
        for (size_t i = 0; i < clusters->count; i++)
            count += (size_t)__builtin_popcountll(clusters->items[i].entries);
    }
    return count > MEMORY_NODE_ENTRIES_MAX;
}

// Adds a child's entries, which are blocks of 2^shift bytes; they may be modified.
static bool merge(struct memory_directory *directory, struct memory_level *level,
                  struct memory_clusters *added, unsigned shift)
{
    struct memory_clusters *merged = &directory->merged;
    if (level->children++ == 0) {
        level->shift = shift;
        level->clusters.count = 0;
    }
    if (level->shift < shift)
        coarsen(&level->clusters, shift - level->shift);
    else if (level->shift > shift)
        coarsen(added, level->shift - shift);
    level->shift = (unsigned)u64_max(level->shift, shift);
    if (!VEC_ROOM(merged, level->clusters.count + added->count))
        return false;
    // It is unpredictable which of the two is next, so no branch depends on it. There must be
    // room.
    const struct memory_clusters *a = &level->clusters;
    size_t from_a = 0, from_b = 0;
    merged->count = 0;
    while (from_a < a->count && from_b < added->count) {
        const struct memory_cluster *next_a = &a->items[from_a], *next_b = &added->items[from_b];
        bool takes_a = next_a->number <= next_b->number, takes_b = next_b->number <= next_a->number;
        merged->items[merged->count++] = (struct memory_cluster){
            takes_a ? next_a->number : next_b->number,
            (takes_a ? next_a->entries : 0) | (takes_b ? next_b->entries : 0)};
        from_a += takes_a;
        from_b += takes_b;
    }
    for (; from_a < a->count; from_a++)
        merged->items[merged->count++] = a->items[from_a];
    for (; from_b < added->count; from_b++)
        merged->items[merged->count++] = added->items[from_b];
    const struct memory_clusters spare = level->clusters;
    level->clusters = *merged;
    *merged = spare;
    for (; has_too_many(&level->clusters) && level->shift < 60; level->shift += 4)
        coarsen(&level->clusters, 4);
    return true;
}

// Lists the entries of a level. False: no memory.
static bool list_entries(struct memory_directory *directory, const struct memory_level *level)
{
    directory->entries.count = 0;
    for (size_t i = 0; i < level->clusters.count; i++) {
        struct memory_cluster cluster = level->clusters.items[i];
        if (!VEC_ROOM(&directory->entries, CLUSTER_ENTRIES))
            return false;
        while (cluster.entries)
            directory->entries.items[directory->entries.count++] = take_entry(&cluster);
    }
    return true;
}

static bool finish_node(struct memory_directory *directory, size_t level_index,
                        struct file_writer *file)
{
    struct memory_level *level = &directory->levels[level_index];
    directory->bytes.count = 0;
    if (!list_entries(directory, level) ||
        !column_write(&directory->bytes, directory->simd, directory->entries.items,
                      directory->entries.count) ||
        !VEC_ROOM(&directory->nodes, 1))
        return false;
    directory->nodes.items[directory->nodes.count++] = (struct memory_node){
        level_index + 1, level->shift, file ? file_writer_position(file) : directory->kept.count,
        directory->bytes.count};
    if (file)
        file_writer_append(file, directory->bytes.items, directory->bytes.count);
    else if (!bytes_append(&directory->kept, directory->bytes.items, directory->bytes.count))
        return false;
    level->children = 0;
    level->nodes++;
    return true;
}

static bool pass_up(struct memory_directory *directory, size_t level, struct file_writer *file)
{
    struct memory_level *below = &directory->levels[level];
    return finish_node(directory, level, file) &&
           (level + 1 == MEMORY_LEVELS_MAX ||
            merge(directory, &directory->levels[level + 1], &below->clusters, below->shift));
}

bool memory_directory_add(struct memory_directory *directory, const uint64_t *words, size_t count,
                          struct file_writer *file)
{
    directory->added.count = 0;
    if (!VEC_ROOM(&directory->added, count))
        return false;
    for (size_t i = 0; i < count; i++)
        append(&directory->added, words[i]);
    if (!merge(directory, &directory->levels[0], &directory->added, MEMORY_WORD_SHIFT))
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
        bool is_top = level->nodes == 0; // the only node of its level: no node above it is needed
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

ORDER_BY_2(compare_nodes, struct memory_node, level, offset)

void memory_directory_order(struct memory_directory *directory)
{
    if (directory->nodes.count)
        qsort(directory->nodes.items, directory->nodes.count, sizeof *directory->nodes.items,
              compare_nodes);
}
