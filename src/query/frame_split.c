#include "query/frame_split.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 4096 };

void place_merge_free(struct place_merge *merge)
{
    arena_free(&merge->arena);
    free(merge->said.items);
    free(merge->table.entries);
    free(merge->places.items);
    hash_index_free(&merge->by_text);
    *merge = (struct place_merge){0};
}

// --- The text of a place -------------------------------------------------------------------------

static bool say(struct place_merge *merge, const void *bytes, size_t size_bytes)
{
    if (!VEC_ROOM(&merge->said, size_bytes))
        return false;
    memcpy(merge->said.items + merge->said.count, bytes, size_bytes);
    merge->said.count += size_bytes;
    return true;
}

static bool say_text(struct place_merge *merge, const char *text)
{
    const uint8_t has_text = text != NULL;
    return say(merge, &has_text, 1) && (!text || say(merge, text, strlen(text) + 1));
}

static bool say_inlined(struct place_merge *merge, uint64_t pc)
{
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
    size_t count = source_lines_inlines(merge->lines, merge->names, pc, chain, ARRAY_COUNT(chain));
    bool has_memory = say(merge, &count, sizeof count);
    for (size_t i = 0; i < count && has_memory; i++) {
        has_memory = say_text(merge, chain[i].name);
        if (has_memory && merge->by_lines)
            has_memory =
                say_text(merge, chain[i].file) && say(merge, &chain[i].line, sizeof chain[i].line);
    }
    return has_memory;
}

static bool say_line(struct place_merge *merge, uint64_t pc)
{
    struct source_location place;
    if (!source_lines_find(merge->lines, merge->names, pc, &place))
        return say_text(merge, NULL);
    return say_text(merge, place.path) && say(merge, &place.line, sizeof place.line);
}

// --- Places --------------------------------------------------------------------------------------

// Finds the first place with the same description. False: no memory.
static bool find_first(struct place_merge *merge, uint64_t pc, uint64_t *first)
{
    uint64_t start = 0;
    const uint8_t has_symbol = names_start_of(merge->names, pc, &start);
    merge->said.count = 0;
    start &= ~UINT64_C(1);
    if (!say(merge, &has_symbol, 1) || !say(merge, &start, sizeof start) ||
        (merge->by_inlines && !say_inlined(merge, pc)) || (merge->by_lines && !say_line(merge, pc)))
        return false;
    size_t size_bytes = merge->said.count;
    uint64_t hash = size_bytes;
    for (size_t i = 0; i < size_bytes; i++)
        hash = hash_keys(hash_index_seed(&merge->by_text), hash, merge->said.items[i]);
    const struct merged_place *places = merge->places.items;
    uint32_t number;
    HASH_INDEX_FIND(number, &merge->by_text, hash,
                    places[candidate].size_bytes == size_bytes &&
                        memcmp(places[candidate].bytes, merge->said.items, size_bytes) == 0);
    if (number == HASH_INDEX_NONE) {
        uint8_t *copy = arena_alloc(&merge->arena, size_bytes);
        number = (uint32_t)merge->places.count;
        if (!copy || merge->places.count >= HASH_INDEX_NONE || !VEC_ROOM(&merge->places, 1) ||
            !hash_index_add(&merge->by_text, hash, number))
            return false;
        memcpy(copy, merge->said.items, size_bytes);
        merge->places.items[merge->places.count++] = (struct merged_place){copy, size_bytes, pc};
    }
    *first = merge->places.items[number].first;
    return true;
}

// --- Instructions --------------------------------------------------------------------------------

// Slots are chosen by address, because code is contiguous; if that slot is taken, by a seeded hash,
// so that no trace can be made to need long probes.
static struct place_entry *slot_of_pc(const struct place_merge *merge, uint64_t pc)
{
    size_t mask = merge->table.slot_count - 1, at = place_table_slot(&merge->table, pc);
    if (merge->table.entries[at].is_there && merge->table.entries[at].pc != pc)
        at = (size_t)hash_key(&merge->seed, pc) & mask;
    while (merge->table.entries[at].is_there && merge->table.entries[at].pc != pc)
        at = (at + 1) & mask;
    return &merge->table.entries[at];
}

static bool grow_pcs(struct place_merge *merge)
{
    struct place_merge grown = *merge;
    grown.table.slot_count = merge->table.slot_count ? 2 * merge->table.slot_count : SLOTS_FIRST;
    grown.table.entries = calloc(grown.table.slot_count, sizeof *grown.table.entries);
    if (!grown.table.entries)
        return false;
    for (size_t i = 0; i < merge->table.slot_count; i++) {
        if (merge->table.entries[i].is_there)
            *slot_of_pc(&grown, merge->table.entries[i].pc) = merge->table.entries[i];
    }
    free(merge->table.entries);
    *merge = grown;
    return true;
}

static uint64_t look_up(void *self, uint64_t pc)
{
    struct place_merge *merge = self;
    uint64_t first = pc;
    if (4 * (merge->pc_count + 1) > merge->table.slot_count && !grow_pcs(merge)) {
        merge->lacks_memory = true;
        return pc;
    }
    struct place_entry *slot = slot_of_pc(merge, pc);
    if (!slot->is_there && find_first(merge, pc, &first)) {
        *slot = (struct place_entry){pc, first, pc, true};
        merge->pc_count++;
        struct place_entry *of_first = slot_of_pc(merge, first);
        of_first->lowest = u64_min(of_first->lowest, pc);
    }
    merge->lacks_memory |= !slot->is_there;
    return slot->is_there ? slot->first : pc;
}

uint64_t place_merge_lowest(const struct place_merge *merge, uint64_t first)
{
    const struct place_entry *slot = merge->table.slot_count ? slot_of_pc(merge, first) : NULL;
    return slot && slot->is_there ? slot->lowest : first;
}

void place_merge_init(struct place_merge *merge, bool by_lines, bool by_inlines,
                      const struct names *names, struct source_lines *lines)
{
    *merge = (struct place_merge){.by_lines = by_lines,
                                  .by_inlines = by_inlines,
                                  .names = names,
                                  .lines = lines,
                                  .table = {.look_up = look_up, .self = merge},
                                  .seed = hash_seed_new()};
}

void frame_split_init(struct frame_split *split, unsigned by, struct names *names,
                      struct source_lines *lines)
{
    *split = (struct frame_split){.by = by, .names = names, .lines = lines};
    place_merge_init(&split->merge, by & SPLIT_LINES, by & SPLIT_INLINES, names, lines);
}

void frame_split_free(struct frame_split *split)
{
    free(split->labels.items);
    free(split->chains.items);
    free(split->places.items);
    hash_index_free(&split->by_pc);
    hash_index_free(&split->by_name);
    arena_free(&split->arena);
    place_merge_free(&split->merge);
    *split = (struct frame_split){0};
}

void frame_split_tell(struct frame_split *split, struct context_tree *tree)
{
    tree->tells_places = split->by != 0;
    tree->places = split->by & SPLIT_INSTRUCTIONS ? NULL : &split->merge.table;
}

// --- Labels --------------------------------------------------------------------------------------

static bool is_same_path(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

// Adds the number of a label to the current chain. False: no memory.
static bool add_label(struct frame_split *split, const struct frame_label *label)
{
    if (!label->name || !label->function || !VEC_ROOM(&split->labels, 1) ||
        !VEC_ROOM(&split->chains, 1) || split->labels.count >= UINT32_MAX - 1)
        return false;
    uint64_t hash = hash_text(hash_index_seed(&split->by_name), 0, label->name);
    struct frame_label *labels = split->labels.items;
    uint32_t number;
    HASH_INDEX_FIND(number, &split->by_name, hash,
                    strcmp(labels[candidate].name, label->name) == 0 &&
                        is_same_path(labels[candidate].path, label->path));
    if (number == HASH_INDEX_NONE) {
        number = (uint32_t)split->labels.count;
        if (!hash_index_add(&split->by_name, hash, number))
            return false;
        labels[split->labels.count++] = *label;
    }
    labels[number].pc = u64_min(labels[number].pc, label->pc);
    split->chains.items[split->chains.count++] = number;
    return true;
}

static const char *name_of(struct frame_split *split, uint64_t pc)
{
    char text[24];
    const char *name = names_of(split->names, pc);
    if (*name)
        return name;
    int length = snprintf(text, sizeof text, "0x%llx", (unsigned long long)pc);
    return arena_copy_string(&split->arena, text, (size_t)length);
}

// "main main.c:12 0x8004", the parts that are requested and known. NULL: no memory.
static const char *text_of(struct frame_split *split, const struct frame_label *label)
{
    const char *slash = label->path ? strrchr(label->path, '/') : NULL;
    const char *file = slash ? slash + 1 : label->path;
    size_t size = strlen(label->function) + (file ? strlen(file) : 0) + 48;
    char *text = arena_alloc(&split->arena, size);
    if (!text)
        return NULL;
    int length = snprintf(text, size, "%s", label->function);
    if (file && label->line)
        length += snprintf(text + length, size - (size_t)length, " %s:%u", file, label->line);
    if (split->by & SPLIT_INSTRUCTIONS)
        snprintf(text + length, size - (size_t)length, " 0x%llx", (unsigned long long)label->pc);
    return text;
}

// Adds the label of a function at a place, which is at `path` and `line`.
static bool add_place_label(struct frame_split *split, const char *function, const char *path,
                            uint32_t line, uint64_t pc)
{
    struct frame_label label = {.function = function, .pc = pc};
    if (!function)
        return false;
    if (split->by & SPLIT_LINES && line) {
        label.path = path;
        label.line = line;
    }
    label.name = text_of(split, &label);
    return add_label(split, &label);
}

// --- Places --------------------------------------------------------------------------------------

static bool is_inside(struct frame_split *split, uint64_t function, uint64_t pc)
{
    uint64_t of_function, of_place;
    return names_start_of(split->names, function, &of_function) &&
           names_start_of(split->names, pc, &of_place) &&
           ((of_function ^ of_place) & ~UINT64_C(1)) == 0;
}

// Adds the labels at a place of a function: of the function itself, where it has inlined another,
// then of the inlined ones, from outside in. False: no memory.
static bool add_chain(struct frame_split *split, uint64_t function, uint64_t pc)
{
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
    struct source_location place = {0};
    size_t depth = split->by & SPLIT_INLINES ? source_lines_inlines(split->lines, split->names, pc,
                                                                    chain, ARRAY_COUNT(chain))
                                             : 0;
    if (split->by & SPLIT_LINES && !source_lines_find(split->lines, split->names, pc, &place))
        place = (struct source_location){0};
    const char *name = name_of(split, function);
    uint64_t lowest = place_merge_lowest(&split->merge, pc);
    for (size_t i = depth ? depth - 1 : 0;; i--) {
        const char *path = i ? chain[i - 1].file : place.path;
        uint32_t line = i ? chain[i - 1].line : place.line;
        bool is_outermost = i + 1 >= depth;
        if ((is_outermost || chain[i].name) &&
            !add_place_label(split, is_outermost ? name : chain[i].name, path, line, lowest))
            return false;
        if (!i)
            return true;
    }
}

// NULL: no memory.
static const struct frame_place *place_of(struct frame_split *split, uint64_t function, uint64_t pc)
{
    uint64_t hash = hash_keys(hash_index_seed(&split->by_pc), function, pc);
    const struct frame_place *places = split->places.items;
    uint32_t number;
    HASH_INDEX_FIND(number, &split->by_pc, hash,
                    places[candidate].function == function && places[candidate].pc == pc);
    if (number != HASH_INDEX_NONE)
        return &places[number];
    size_t first = split->chains.count;
    number = (uint32_t)split->places.count;
    if (!add_chain(split, function, pc) || split->chains.count > UINT32_MAX ||
        split->places.count >= UINT32_MAX - 1 || !VEC_ROOM(&split->places, 1) ||
        !hash_index_add(&split->by_pc, hash, number))
        return NULL;
    split->places.items[split->places.count++] =
        (struct frame_place){function, pc, (uint32_t)first, (uint32_t)(split->chains.count - first),
                             is_inside(split, function, pc)};
    return &split->places.items[number];
}

// --- Trees ---------------------------------------------------------------------------------------

struct making {
    struct frame_split *split;
    const struct context_tree *from;
    struct context_tree *into;
    // By context of `from`. For a function: the new context of it, or, if it is split, the one that
    // its parts are below. For a place: its innermost frame.
    uint32_t *made;
    uint32_t top;
};

static bool is_whole_split(const struct making *making)
{
    return making->split->by & (SPLIT_LINES | SPLIT_INSTRUCTIONS);
}

// Makes the function as a whole, below `parent`. CONTEXT_NONE: no memory.
static uint32_t make_whole(struct making *making, uint32_t parent, uint64_t pc)
{
    struct frame_split *split = making->split;
    const char *name = name_of(split, pc);
    const struct frame_label label = {.name = name, .function = name, .pc = pc & ~UINT64_C(1)};
    return add_label(split, &label) ? context_tree_place(making->into, parent,
                                                         split->chains.items[--split->chains.count])
                                    : CONTEXT_NONE;
}

// The ticks that instructions do not account for: 0, unless lines are missing.
static uint64_t rest_of(const struct context_tree *from, const struct context_node *function)
{
    uint64_t own = context_self_ticks(function), counted = 0;
    for (uint32_t at = function->first_child; at; at = from->nodes.items[at].next_sibling) {
        if (from->nodes.items[at].kind & CONTEXT_PLACE)
            counted += from->nodes.items[at].ticks;
    }
    return own > counted ? own - counted : 0;
}

static bool make_function(struct making *making, uint32_t at, uint32_t parent)
{
    const struct context_node *function = &making->from->nodes.items[at];
    uint64_t rest = rest_of(making->from, function);
    if (UNLIKELY(function->kind &
                 CONTEXT_GUESS)) { // its places get a frame around them that says so
        const struct frame_label guess = {.name = "(guess)", .function = "(guess)"};
        if (!add_label(making->split, &guess) ||
            !(parent =
                  context_tree_place(making->into, parent,
                                     making->split->chains.items[--making->split->chains.count])))
            return false;
    }
    making->made[at] = parent;
    uint32_t child = function->first_child;
    if (is_whole_split(making) && !rest && child &&
        making->from->nodes.items[child].kind & CONTEXT_PLACE)
        return true;
    uint32_t made = make_whole(making, parent, function->pc);
    if (!made)
        return false;
    making->into->nodes.items[made].ticks += rest;
    if (!is_whole_split(making)) {
        making->into->nodes.items[made].count += function->count;
        making->made[at] = made;
    }
    return true;
}

// Calls of a split function are counted where it began.
static uint64_t calls_at(const struct making *making, const struct context_node *function,
                         const struct context_node *place)
{
    uint64_t entry = function->pc & ~UINT64_C(1);
    if (making->from->places)
        entry = place_table_first(making->from->places, entry);
    return is_whole_split(making) && place->pc == entry ? function->count : 0;
}

static bool make_place(struct making *making, uint32_t at)
{
    const struct context_node *place = &making->from->nodes.items[at];
    const struct context_node *function = &making->from->nodes.items[place->parent];
    const struct frame_place *found = place_of(making->split, function->pc, place->pc);
    uint32_t made = making->made[place->parent], outer = made;
    if (!found)
        return false;
    for (uint32_t i = is_whole_split(making) ? 0 : 1; i < found->count; i++) {
        uint32_t label = making->split->chains.items[found->first + i];
        if (!(made = context_tree_place(making->into, made, label)))
            return false;
        if (i == 0)
            making->into->nodes.items[made].count += calls_at(making, function, place);
    }
    making->into->nodes.items[made].ticks += place->ticks;
    if (!found->is_inside && place->first_child) // not really called from there
        made = is_whole_split(making) ? make_whole(making, outer, function->pc) : outer;
    making->made[at] = made;
    return made != CONTEXT_NONE;
}

static bool make_tree(struct making *making, uint32_t root)
{
    const struct context_tree *from = making->from;
    bool is_whole = true;
    for (uint32_t at = root; at && is_whole; at = context_tree_next(from, root, at, false)) {
        bool is_place = from->nodes.items[at].kind & CONTEXT_PLACE && at != root;
        uint32_t parent = at == root ? making->top : making->made[from->nodes.items[at].parent];
        is_whole = is_place ? make_place(making, at) : make_function(making, at, parent);
    }
    return is_whole;
}

uint32_t frame_split_roots(struct frame_split *split, const struct context_tree *from,
                           const uint32_t *roots, size_t root_count, struct context_tree *into)
{
    struct making making = {.split = split, .from = from, .into = into};
    making.made = calloc(from->nodes.count, sizeof *making.made);
    making.top = making.made ? context_tree_child(into, CONTEXT_NONE, 0) : CONTEXT_NONE;
    bool is_whole = making.top != CONTEXT_NONE;
    for (size_t i = 0; i < root_count && is_whole; i++)
        is_whole = make_tree(&making, roots[i]);
    free(making.made);
    return is_whole && !split->merge.lacks_memory ? making.top : CONTEXT_NONE;
}

// Contexts were made after their parents.
void frame_split_sum(struct context_tree *into)
{
    struct context_node *nodes = into->nodes.items;
    for (size_t i = into->nodes.count - 1; i > 0; i--) {
        struct context_node *parent = &nodes[nodes[i].parent];
        if (!nodes[i].parent)
            continue;
        parent->ticks += nodes[i].ticks;
        parent->ticks_inside += nodes[i].ticks;
    }
}
