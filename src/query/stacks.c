#include "query/stacks.h"

#include <stdlib.h>

// An entry of the level being built: a context's own line, or the lines below it, which sort
// differently: "a" before "a + 1" before "a;b".
struct stack_entry {
    const char *name;
    uint64_t start; // of what it sorts by, as a number: the first byte is the highest
    uint32_t node;
    bool is_below;
};

struct stack_level {
    size_t above_first;       // the first entry that it is below, of one name
    size_t first, next, end;  // entries of this level; the next to visit
    bool is_listed;           // the entries are there
    struct stack_visit above; // whose children these are
};

// --- Names ---------------------------------------------------------------------------------------

// A name, or the PC where there is none. NULL: no memory.
static const char *name_or_pc(struct names *names, const char *name, uint64_t pc)
{
    char text[2 + 16], *at = text + sizeof text;
    if (*name)
        return name;
    do
        *--at = "0123456789abcdef"[pc & 15];
    while (pc >>= 4);
    *--at = 'x';
    *--at = '0';
    return arena_copy_string(&names->arena, at, (size_t)(text + sizeof text - at));
}

static const char *find_name(struct names *names, uint64_t pc)
{
    return name_or_pc(names, names_of(names, pc), pc);
}

static const char *find_name_of_root(struct names *names, uint64_t pc)
{
    return name_or_pc(names, names_of_root(names, pc), pc);
}

static const char *find_name_of_guess(struct names *names, uint64_t pc)
{
    static const char mark[] = " (guess)";
    const char *name = find_name(names, pc);
    const size_t length = name ? strlen(name) : 0;
    char *text = name ? arena_alloc(&names->arena, length + sizeof mark) : NULL;
    if (text) {
        memcpy(text, name, length);
        memcpy(text + length, mark, sizeof mark);
    }
    return text;
}

// NULL: no memory.
static const char *name_of(struct stack_walker *walker, uint32_t node, uint64_t depth)
{
    const struct context_node *context = &walker->stacks.tree->nodes.items[node];
    uint64_t pc = context->pc;
    if (walker->stacks.labels)
        return walker->stacks.labels[pc].name;
    if (UNLIKELY(context->kind & CONTEXT_GUESS))
        return name_asked_for(&walker->names, find_name_of_guess, pc);
    return depth == 0 && !walker->stacks.offset_of_root
               ? name_asked_for(&walker->names, find_name_of_root, pc)
               : name_at_hand(&walker->names, pc);
}

// --- Levels --------------------------------------------------------------------------------------

// The first eight bytes of what an entry sorts by: the name, then a semicolon if it stands for the
// lines below.
static uint64_t start_of(const char *name, bool is_below)
{
    uint64_t start = 0;
    unsigned shift = 64;
    for (; shift && *name; name++)
        start |= (uint64_t)(uint8_t)*name << (shift -= 8);
    return shift && is_below ? start | (uint64_t)';' << (shift - 8) : start;
}

static int compare_entries(const void *a_item, const void *b_item)
{
    const struct stack_entry *a = a_item, *b = b_item;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->node == b->node) // its line is before those below it
        return a->is_below - b->is_below;
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

// Most levels have a few.
#define FEW_ENTRIES 8

static void sort_entries(struct stack_entry *entries, size_t count)
{
    if (count > FEW_ENTRIES) {
        qsort(entries, count, sizeof *entries, compare_entries);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const struct stack_entry entry = entries[i];
        size_t at = i;
        for (; at && compare_entries(&entries[at - 1], &entry) > 0; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

static bool add_entry(struct stack_walker *walker, uint32_t node, uint64_t depth)
{
    if (!VEC_ROOM(&walker->entries, 2))
        return false;
    struct stack_entry *entry = &walker->entries.items[walker->entries.count];
    const char *name = name_of(walker, node, depth);
    if (!name)
        return false;
    entry[0] = (struct stack_entry){name, start_of(name, false), node, false};
    walker->entries.count++;
    if (walker->stacks.tree->nodes.items[node].first_child && depth < walker->stacks.depth_max) {
        entry[1] = (struct stack_entry){name, start_of(name, true), node, true};
        walker->entries.count++;
    }
    return true;
}

// Opens a level below entries, which are still to be listed. False: no memory.
static bool open_level(struct stack_walker *walker, size_t above_first,
                       const struct stack_visit *above)
{
    if (!VEC_ROOM(&walker->levels, 1))
        return false;
    size_t first = walker->entries.count;
    walker->levels.items[walker->levels.count++] =
        (struct stack_level){above_first, first, first, first, false, *above};
    return true;
}

// The entries that were added are those of the innermost level.
static void end_level(struct stack_walker *walker)
{
    struct stack_level *level = &walker->levels.items[walker->levels.count - 1];
    level->end = walker->entries.count;
    level->is_listed = true;
    if (level->end > level->first)
        sort_entries(walker->entries.items + level->first, level->end - level->first);
}

// False: no memory.
static bool add_children(struct stack_walker *walker, uint32_t node, uint64_t depth)
{
    const struct context_node *nodes = walker->stacks.tree->nodes.items;
    for (uint32_t at = nodes[node].first_child; at; at = nodes[at].next_sibling) {
        if (!add_entry(walker, at, depth))
            return false;
    }
    return true;
}

// Lists the entries of the innermost level. False: no memory.
static bool list_level(struct stack_walker *walker)
{
    const struct stack_level *level = &walker->levels.items[walker->levels.count - 1];
    for (size_t i = level->above_first; i < level[-1].next; i++) {
        if (!add_children(walker, walker->entries.items[i].node, level->above.depth + 1))
            return false;
    }
    end_level(walker);
    return true;
}

// --- The walk ------------------------------------------------------------------------------------

void stack_walker_init(struct stack_walker *walker, const struct stacks *stacks,
                       pthread_mutex_t *lock)
{
    *walker = (struct stack_walker){
        .stacks = *stacks, .names = {.names = stacks->names, .find = find_name, .lock = lock}};
}

void stack_walker_free(struct stack_walker *walker)
{
    free(walker->entries.items);
    free(walker->levels.items);
}

// Begins the outermost level. False: no memory.
static bool begin(struct stack_walker *walker, uint64_t depth)
{
    walker->depth = depth;
    walker->entries.count = walker->levels.count = 0;
    return open_level(walker, 0, &(struct stack_visit){0});
}

bool stack_walker_begin(struct stack_walker *walker, const uint32_t *roots, size_t root_count)
{
    if (!begin(walker, 0))
        return false;
    for (size_t i = 0; i < root_count; i++) {
        if (!add_entry(walker, roots[i], 0))
            return false;
    }
    end_level(walker);
    return true;
}

bool stack_walker_begin_below(struct stack_walker *walker, const uint32_t *nodes, size_t count,
                              uint64_t depth)
{
    if (!begin(walker, depth))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!add_children(walker, nodes[i], depth))
            return false;
    }
    end_level(walker);
    return true;
}

enum stack_event stack_walker_next(struct stack_walker *walker, struct stack_visit *visit)
{
    struct stack_level *level = &walker->levels.items[walker->levels.count - 1];
    if (!level->is_listed && !list_level(walker))
        return STACK_NO_MEMORY;
    if (level->next < level->end) {
        // The next entries of the innermost level that share name and kind, as one visit.
        const struct stack_entry *entries = walker->entries.items;
        size_t first = level->next;
        bool is_below = entries[first].is_below;
        *visit = (struct stack_visit){.name = entries[first].name,
                                      .depth = walker->depth + walker->levels.count - 1};
        visit->is_nameless = visit->name[0] == '0' && visit->name[1] == 'x';
        while (level->next < level->end && entries[level->next].is_below == is_below &&
               strcmp(entries[level->next].name, visit->name) == 0) {
            uint32_t node = entries[level->next++].node;
            const struct context_node *context = &walker->stacks.tree->nodes.items[node];
            visit->pc = context->pc;
            visit->is_guess = context->kind & CONTEXT_GUESS;
            if (walker->stacks.labels) {
                visit->label_number = (uint32_t)context->pc;
                visit->label = &walker->stacks.labels[context->pc];
                visit->pc = visit->label->pc;
            }
            visit->has_below |= context->first_child && visit->depth < walker->stacks.depth_max;
            visit->is_cut |= context->first_child && visit->depth >= walker->stacks.depth_max;
            visit->size += walker->stacks.sizes ? walker->stacks.sizes[node] : 0;
            visit->count += context->count;
            visit->ticks += context->ticks;
            visit->self_ticks += visit->depth == walker->stacks.depth_max
                                     ? context->ticks
                                     : context_self_ticks(context);
        }
        if (!is_below)
            return STACK_OWN;
        return open_level(walker, first, visit) ? STACK_ENTER : STACK_NO_MEMORY;
    }
    if (walker->levels.count == 1)
        return STACK_END;
    *visit = level->above;
    walker->entries.count = level->first;
    walker->levels.count--;
    return STACK_LEAVE;
}

bool stack_walker_pass(struct stack_walker *walker, struct stack_nodes *nodes)
{
    struct stack_level *level = &walker->levels.items[walker->levels.count - 1];
    if (!VEC_ROOM(nodes, level[-1].next - level->above_first))
        return false;
    for (size_t i = level->above_first; i < level[-1].next; i++)
        nodes->items[nodes->count++] = walker->entries.items[i].node;
    level->is_listed = true;
    return true;
}

bool stacks_walk(const struct stacks *stacks, const uint32_t *roots, size_t root_count,
                 const struct stack_walk *walk)
{
    struct stack_walker walker;
    struct stack_visit visit;
    stack_walker_init(&walker, stacks, NULL);
    bool goes_on = stack_walker_begin(&walker, roots, root_count);
    enum stack_event event = STACK_NO_MEMORY;
    while (goes_on && (event = stack_walker_next(&walker, &visit)) < STACK_END)
        goes_on = walk->event(walk->self, event, &visit);
    stack_walker_free(&walker);
    return goes_on && event == STACK_END;
}

void context_sizes(const struct context_tree *tree, uint32_t root, uint32_t *sizes)
{
    const struct context_node *nodes = tree->nodes.items;
    for (uint32_t at = root; at;) {
        sizes[at] = 1;
        if (nodes[at].first_child) {
            at = nodes[at].first_child;
            continue;
        }
        for (; at != root && !nodes[at].next_sibling; at = nodes[at].parent)
            sizes[nodes[at].parent] += sizes[at];
        if (at == root)
            return;
        sizes[nodes[at].parent] += sizes[at];
        at = nodes[at].next_sibling;
    }
}
