#include "compat/ttu/ttu_index.h"

#include "base/hash_index.h"
#include "compat/ttu/file.h"
#include "flow/node.h"

#include <stdlib.h>

// The visits of one PC, which are contiguous.
struct visited {
    uint64_t pc;    // without Thumb bit
    uint64_t count; // later the place of the next one
};

struct visit_tree {
    struct ttu_stream *stream;
    const struct ttu_event_log *log;
    uint64_t header_lines;
    VEC(, struct visited) pcs;
    struct hash_index by_pc;
    struct spool lines; // of all visits, in order
    uint64_t base;      // offset of the first node
    uint64_t next;      // node to write
    size_t pc;          // number of its PC
};

// --- Which PCs there are -------------------------------------------------------------------------

static uint32_t number_of(const struct visit_tree *tree, uint64_t pc)
{
    uint32_t number;
    HASH_INDEX_FIND(number, &tree->by_pc, hash_key(&tree->by_pc.seed, pc),
                    tree->pcs.items[candidate].pc == pc);
    return number;
}

static bool add_pc(struct visit_tree *tree, uint64_t pc, uint32_t number)
{
    return hash_index_add(&tree->by_pc, hash_key(hash_index_seed(&tree->by_pc), pc), number);
}

static bool count_visit(struct visit_tree *tree, uint64_t pc)
{
    uint32_t number = number_of(tree, pc);
    if (UNLIKELY(number == HASH_INDEX_NONE)) {
        number = (uint32_t)tree->pcs.count;
        if (tree->pcs.count >= HASH_INDEX_NONE || !VEC_ROOM(&tree->pcs, 1) ||
            !add_pc(tree, pc, number))
            return false;
        tree->pcs.items[tree->pcs.count++] = (struct visited){pc, 0};
    }
    tree->pcs.items[number].count++;
    return true;
}

ORDER_BY(compare_pcs, struct visited, pc)

// Counts the visits of each PC, and sorts the PCs. False: no memory.
static bool count_visits(struct visit_tree *tree)
{
    struct ttu_event_reader reader;
    ttu_event_reader_begin(&reader, tree->log, false);
    while (ttu_event_reader_next(&reader)) {
        if (reader.number == 1)
            tree->header_lines = reader.event.line - 1;
        if (reader.event.has_instruction && !count_visit(tree, reader.event.pc & ~UINT64_C(1)))
            return false;
        if (UNLIKELY(reader.event.has_exception) && !count_visit(tree, WATCH_EXCEPTIONS))
            return false;
    }
    if (tree->pcs.count)
        qsort(tree->pcs.items, tree->pcs.count, sizeof *tree->pcs.items, compare_pcs);
    hash_index_clear(&tree->by_pc);
    for (uint32_t i = 0; i < tree->pcs.count; i++) {
        if (!add_pc(tree, tree->pcs.items[i].pc, i))
            return false;
    }
    return true;
}

// --- Where their lines are -----------------------------------------------------------------------

static void place_visit(struct visit_tree *tree, uint64_t pc, uint32_t line)
{
    struct visited *visited = &tree->pcs.items[number_of(tree, pc)];
    ((uint32_t *)(void *)tree->lines.base)[visited->count++] = line;
}

// Groups the lines by PC: afterwards, `count` of each PC is where the lines of the next begin.
static bool place_visits(struct visit_tree *tree)
{
    uint64_t first = 0;
    struct ttu_event_reader reader;
    if (!spool_reserve(&tree->lines, tree->log->visit_count * sizeof(uint32_t)))
        return false;
    for (size_t i = 0; i < tree->pcs.count; i++) {
        uint64_t count = tree->pcs.items[i].count;
        tree->pcs.items[i].count = first;
        first += count;
    }
    ttu_event_reader_begin(&reader, tree->log, false);
    while (ttu_event_reader_next(&reader)) {
        uint32_t line = (uint32_t)(reader.event.line - tree->header_lines);
        if (reader.event.has_instruction)
            place_visit(tree, reader.event.pc & ~UINT64_C(1), line);
        if (UNLIKELY(reader.event.has_exception))
            place_visit(tree, WATCH_EXCEPTIONS, line);
    }
    return true;
}

// --- Nodes ---------------------------------------------------------------------------------------

// The root of nodes [from, to).
static uint64_t root_of(const struct visit_tree *tree, uint64_t from, uint64_t to)
{
    return from < to ? tree->base + TTU_VISIT_BYTES * (from + (to - from) / 2) : 0;
}

// Writes nodes [from, to), in order.
static void put_subtree(struct visit_tree *tree, uint64_t from, uint64_t to)
{
    uint64_t middle = from + (to - from) / 2;
    if (from == to)
        return;
    put_subtree(tree, from, middle);
    uint32_t height = 64 - (uint32_t)__builtin_clzll(to - from);
    uint64_t left = root_of(tree, from, middle);
    uint64_t right = root_of(tree, middle + 1, to);
    while (tree->next == tree->pcs.items[tree->pc].count)
        tree->pc++;
    uint8_t *out = ttu_stream_add(tree->stream, TTU_VISIT_BYTES);
    out = put_node(out, left, right, height);
    out = put_u64(out, tree->pcs.items[tree->pc].pc);
    out = put_u32(out, ((const uint32_t *)(const void *)tree->lines.base)[tree->next++]);
    *out = 0;
    put_subtree(tree, middle + 1, to);
}

bool ttu_visit_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          uint64_t *root)
{
    struct visit_tree tree = {.stream = stream, .log = log};
    tree.base = ttu_stream_position(stream);
    *root = root_of(&tree, 0, log->visit_count);
    bool has_memory = count_visits(&tree) && place_visits(&tree);
    if (has_memory) {
        put_subtree(&tree, 0, log->visit_count);
        ttu_stream_end(stream);
    }
    spool_free(&tree.lines);
    free(tree.pcs.items);
    hash_index_free(&tree.by_pc);
    return has_memory;
}
