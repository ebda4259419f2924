#include "flow/profile.h"

#include "base/hash_index.h"

#include <stdlib.h>

// Rows found by pc and caller, while the tree is walked.
struct row_index {
    struct profile *profile;
    const struct context_node *nodes;
    bool by_caller;
    struct hash_index by_pc;
    VEC(, uint32_t) active; // per row: how often it is on the path from the root
};

// The row of a context; UINT32_MAX: no memory.
static uint32_t row_of(struct row_index *index, uint32_t root, uint32_t at)
{
    struct profile *profile = index->profile;
    const struct context_node *nodes = index->nodes;
    const uint64_t pc = nodes[at].pc;
    uint64_t caller = PROFILE_NO_CALLER;
    uint32_t row;
    if (index->by_caller) {
        // A part of a function (diff/build_functions.h) has not been called.
        while (at != root && !nodes[at].count && nodes[nodes[at].parent].pc == pc)
            at = nodes[at].parent;
        caller = at == root ? PROFILE_NO_CALLER : nodes[nodes[at].parent].pc;
    }
    uint64_t hash = hash_key(hash_index_seed(&index->by_pc), pc);
    if (index->by_caller)
        hash = hash_key(hash_index_seed(&index->by_pc), hash ^ caller);
    HASH_INDEX_FIND(row, &index->by_pc, hash,
                    profile->rows.items[candidate].pc == pc &&
                        profile->rows.items[candidate].caller == caller);
    if (row != HASH_INDEX_NONE)
        return row;
    row = (uint32_t)profile->rows.count;
    if (!VEC_ROOM(&profile->rows, 1) || !VEC_ROOM(&index->active, 1) ||
        !hash_index_add(&index->by_pc, hash, row))
        return UINT32_MAX;
    profile->rows.items[profile->rows.count++] = (struct profile_row){.pc = pc, .caller = caller};
    index->active.items[index->active.count++] = 0;
    return row;
}

static bool enter(struct row_index *index, uint32_t root, uint32_t number, bool is_deepest)
{
    const struct context_node *node = &index->nodes[number];
    uint32_t at = row_of(index, root, number);
    if (at == UINT32_MAX)
        return false;
    struct profile_row *row = &index->profile->rows.items[at];
    row->count += node->count;
    row->guesses += node->kind & CONTEXT_GUESS ? node->count : 0;
    row->ticks_all += node->ticks;
    row->ticks_self += is_deepest ? node->ticks : context_self_ticks(node);
    if (index->active.items[at]++ == 0)
        row->ticks_total += node->ticks;
    return true;
}

// The function was entered, so it has a row, and this cannot fail.
static void leave(struct row_index *index, uint32_t root, uint32_t at)
{
    index->active.items[row_of(index, root, at)]--;
}

// Moves down to the first child, otherwise to the next sibling of the nearest node that has one.
static bool walk(struct row_index *index, uint32_t root, uint64_t depth_max)
{
    const struct context_node *nodes = index->nodes;
    uint32_t at = root;
    uint64_t depth = 0;
    for (;;) {
        bool is_deepest = depth == depth_max;
        if (!enter(index, root, at, is_deepest))
            return false;
        if (nodes[at].first_child && !is_deepest) {
            at = nodes[at].first_child;
            depth++;
            continue;
        }
        leave(index, root, at);
        while (at != root && !nodes[at].next_sibling) {
            at = nodes[at].parent;
            depth--;
            leave(index, root, at);
        }
        if (at == root)
            return true;
        at = nodes[at].next_sibling;
    }
}

static int compare_rows(const void *a_item, const void *b_item)
{
    const struct profile_row *a = a_item, *b = b_item;
    int order = (a->pc > b->pc) - (a->pc < b->pc);
    return order ? order : (a->caller > b->caller) - (a->caller < b->caller);
}

enum status profile_make(struct profile *profile, const struct context_tree *tree,
                         const uint32_t *roots, size_t root_count, uint64_t depth_max,
                         bool by_caller, struct error *err)
{
    struct row_index index = {
        .profile = profile, .nodes = tree->nodes.items, .by_caller = by_caller};
    bool has_memory = true;
    *profile = (struct profile){0};
    for (size_t i = 0; i < root_count && has_memory; i++)
        has_memory = walk(&index, roots[i], depth_max);
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
