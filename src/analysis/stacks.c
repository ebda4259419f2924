#include "analysis/stacks.h"

#include <stdio.h>
#include <stdlib.h>

// An entry of the level being built: a context's own line, or the lines below it, which sort
// differently: "a" before "a + 1" before "a;b".
struct entry {
    const char *name;
    uint32_t node;
    bool is_below;
};

struct level {
    size_t first, count, next; // entries of this level; the next to visit
    struct stack_visit above;  // whose children these are
};

struct walker {
    const struct context_tree *tree;
    struct names *names;
    const struct stack_walk *walk;
    bool offset_of_root;
    uint64_t depth_max;
    VEC(, struct entry) entries;
    VEC(, struct level) levels;
};

// NULL: no memory.
static const char *name_of(struct walker *walker, uint32_t node, uint64_t depth)
{
    uint64_t pc = walker->tree->nodes.items[node].pc;
    if (walker->walk->labels)
        return walker->walk->labels[pc].name;
    const char *name = depth == 0 && !walker->offset_of_root ? names_of_root(walker->names, pc)
                                                             : names_of(walker->names, pc);
    if (*name)
        return name;
    char text[24];
    int length = snprintf(text, sizeof text, "0x%llx", (unsigned long long)pc);
    return arena_copy_string(&walker->names->arena, text, (size_t)length);
}

// Compares the texts that entries sort by: the name, then a semicolon if it stands for the lines
// below.
static int compare_entries(const void *a_item, const void *b_item)
{
    const struct entry *a = a_item, *b = b_item;
    size_t a_length = strlen(a->name), b_length = strlen(b->name);
    size_t common = a_length < b_length ? a_length : b_length;
    int order = memcmp(a->name, b->name, common);
    if (order)
        return order;
    uint8_t a_next = a_length > common ? (uint8_t)a->name[common] : a->is_below ? ';' : 0;
    uint8_t b_next = b_length > common ? (uint8_t)b->name[common] : b->is_below ? ';' : 0;
    if (a_next != b_next)
        return a_next < b_next ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool add_entry(struct walker *walker, uint32_t node, uint64_t depth)
{
    if (!VEC_ROOM(&walker->entries, 2))
        return false;
    struct entry *entry = &walker->entries.items[walker->entries.count];
    entry[0] = (struct entry){name_of(walker, node, depth), node, false};
    if (!entry[0].name)
        return false;
    walker->entries.count++;
    if (walker->tree->nodes.items[node].first_child && depth < walker->depth_max) {
        entry[1] = (struct entry){entry[0].name, node, true};
        walker->entries.count++;
    }
    return true;
}

// Opens a level whose entries were added from `first` on.
static bool open_level(struct walker *walker, size_t first, const struct stack_visit *above)
{
    if (!VEC_ROOM(&walker->levels, 1))
        return false;
    size_t count = walker->entries.count - first;
    if (count)
        qsort(walker->entries.items + first, count, sizeof *walker->entries.items, compare_entries);
    walker->levels.items[walker->levels.count++] = (struct level){first, count, first, *above};
    return true;
}

static void add_figures(struct walker *walker, struct stack_visit *visit, uint32_t node)
{
    const struct context_node *context = &walker->tree->nodes.items[node];
    visit->pc = context->pc;
    if (walker->walk->labels) {
        visit->label_number = (uint32_t)context->pc;
        visit->label = &walker->walk->labels[context->pc];
        visit->pc = visit->label->pc;
    }
    visit->has_below |= context->first_child && visit->depth < walker->depth_max;
    visit->is_cut |= context->first_child && visit->depth >= walker->depth_max;
    visit->count += context->count;
    visit->ticks += context->ticks;
    visit->self_ticks +=
        visit->depth == walker->depth_max ? context->ticks : context_self_ticks(context);
}

// The next entries of the innermost level that share name and kind, as one visit.
static bool visit_next(struct walker *walker)
{
    struct level *level = &walker->levels.items[walker->levels.count - 1];
    const struct entry *entries = walker->entries.items;
    size_t first = level->next, end = level->first + level->count;
    struct stack_visit visit = {.name = entries[first].name, .depth = walker->levels.count - 1};
    visit.is_nameless = visit.name[0] == '0' && visit.name[1] == 'x';
    bool is_below = entries[first].is_below;
    while (level->next < end && entries[level->next].is_below == is_below &&
           strcmp(entries[level->next].name, visit.name) == 0)
        add_figures(walker, &visit, entries[level->next++].node);
    if (!is_below)
        return walker->walk->event(walker->walk->self, STACK_OWN, &visit);
    if (!walker->walk->event(walker->walk->self, STACK_ENTER, &visit))
        return false;
    size_t last = level->next, children = walker->entries.count;
    for (size_t i = first; i < last; i++) {
        const struct context_node *nodes = walker->tree->nodes.items;
        for (uint32_t at = nodes[walker->entries.items[i].node].first_child; at;
             at = nodes[at].next_sibling) {
            if (!add_entry(walker, at, visit.depth + 1))
                return false;
        }
    }
    return open_level(walker, children, &visit);
}

static bool walk_levels(struct walker *walker)
{
    while (walker->levels.count) {
        struct level *level = &walker->levels.items[walker->levels.count - 1];
        if (level->next < level->first + level->count) {
            if (!visit_next(walker))
                return false;
            continue;
        }
        walker->entries.count = level->first;
        walker->levels.count--;
        if (walker->levels.count &&
            !walker->walk->event(walker->walk->self, STACK_LEAVE, &level->above))
            return false;
    }
    return true;
}

bool stacks_walk(const struct context_tree *tree, const uint32_t *roots, size_t root_count,
                 struct names *names, bool offset_of_root, uint64_t depth_max,
                 const struct stack_walk *walk)
{
    struct walker walker = {tree, names, walk, offset_of_root, depth_max, {0}, {0}};
    bool is_whole = true;
    for (size_t i = 0; i < root_count && is_whole; i++)
        is_whole = add_entry(&walker, roots[i], 0);
    is_whole = is_whole && open_level(&walker, 0, &(struct stack_visit){0}) && walk_levels(&walker);
    free(walker.entries.items);
    free(walker.levels.items);
    return is_whole;
}
