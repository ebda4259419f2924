#include "flow/profile.h"

#include "base/hash_index.h"

#include <stdlib.h>

// Rows found by pc, while the tree is walked.
struct row_index {
    struct profile *profile;
    struct hash_index by_pc;
    VEC(, uint32_t) active; // per row: how often it is on the path from the root
};

// The row of a function; UINT32_MAX: no memory.
static uint32_t row_of(struct row_index *index, uint64_t pc)
{
    struct profile *profile = index->profile;
    uint64_t hash = hash_key(hash_index_seed(&index->by_pc), pc);
    uint32_t row;
    HASH_INDEX_FIND(row, &index->by_pc, hash, profile->rows.items[candidate].pc == pc);
    if (row != HASH_INDEX_NONE)
        return row;
    row = (uint32_t)profile->rows.count;
    if (!VEC_ROOM(&profile->rows, 1) || !VEC_ROOM(&index->active, 1) ||
        !hash_index_add(&index->by_pc, hash, row))
        return UINT32_MAX;
    profile->rows.items[profile->rows.count++] = (struct profile_row){.pc = pc};
    index->active.items[index->active.count++] = 0;
    return row;
}

static bool enter(struct row_index *index, const struct context_node *node, bool is_deepest)
{
    uint32_t at = row_of(index, node->pc);
    if (at == UINT32_MAX)
        return false;
    struct profile_row *row = &index->profile->rows.items[at];
    row->count += node->count;
    row->ticks_all += node->ticks;
    row->ticks_self += is_deepest ? node->ticks : context_self_ticks(node);
    if (index->active.items[at]++ == 0)
        row->ticks_total += node->ticks;
    return true;
}

// The function was entered, so it has a row, and this cannot fail.
static void leave(struct row_index *index, const struct context_node *node)
{
    index->active.items[row_of(index, node->pc)]--;
}

// Moves down to the first child, otherwise to the next sibling of the nearest node that has one.
static bool walk(struct row_index *index, const struct context_tree *tree, uint32_t root,
                 uint64_t depth_max)
{
    const struct context_node *nodes = tree->nodes.items;
    uint32_t at = root;
    uint64_t depth = 0;
    for (;;) {
        bool is_deepest = depth == depth_max;
        if (!enter(index, &nodes[at], is_deepest))
            return false;
        if (nodes[at].first_child && !is_deepest) {
            at = nodes[at].first_child;
            depth++;
            continue;
        }
        leave(index, &nodes[at]);
        while (at != root && !nodes[at].next_sibling) {
            at = nodes[at].parent;
            depth--;
            leave(index, &nodes[at]);
        }
        if (at == root)
            return true;
        at = nodes[at].next_sibling;
    }
}

static int compare_rows(const void *a_item, const void *b_item)
{
    const struct profile_row *a = a_item, *b = b_item;
    return (a->pc > b->pc) - (a->pc < b->pc);
}

enum status profile_make(struct profile *profile, const struct context_tree *tree,
                         const uint32_t *roots, size_t root_count, uint64_t depth_max,
                         struct error *err)
{
    struct row_index index = {.profile = profile};
    bool has_memory = true;
    *profile = (struct profile){0};
    for (size_t i = 0; i < root_count && has_memory; i++)
        has_memory = walk(&index, tree, roots[i], depth_max);
    hash_index_free(&index.by_pc);
    free(index.active.items);
    if (!has_memory)
        return error_set(err, STATUS_MEMORY, "no memory for the profile");
    if (profile->rows.count)
        qsort(profile->rows.items, profile->rows.count, sizeof *profile->rows.items, compare_rows);
    return STATUS_OK;
}

void profile_free(struct profile *profile)
{
    free(profile->rows.items);
    *profile = (struct profile){0};
}
