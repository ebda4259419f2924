#include "compat/ttu/versions.h"

#include "base/limits.h"

#include <stdlib.h>

#define NO_SPACE 0xff // of a free item

static struct ttu_item *at(const struct ttu_items *items, uint32_t number)
{
    return &items->items[number];
}

static uint32_t number_of(const struct ttu_items *items, const struct ttu_item *item)
{
    return (uint32_t)(item - items->items);
}

static bool is_before(const struct ttu_item *a, const struct ttu_item *b)
{
    return ttu_key_is_before(a->space, a->lo, b->space, b->lo);
}

// --- Priorities ----------------------------------------------------------------------------------

// The priority in the current window, or 0.
static uint32_t hot_priority(const struct ttu_items *items, uint8_t space, uint64_t lo)
{
    size_t low;
    PARTITION_POINT(low, items->hot_count,
                    ttu_key_is_before(items->hot[middle].space, items->hot[middle].lo, space, lo));
    bool is_hot =
        low < items->hot_count && items->hot[low].space == space && items->hot[low].lo == lo;
    return is_hot ? items->hot[low].priority : 0;
}

// --- Marks ---------------------------------------------------------------------------------------

// The ancestors of a marked item are marked, too.
static ALWAYS_INLINE void mark_up(struct ttu_items *items, uint32_t number)
{
    for (; number && !at(items, number)->is_marked; number = at(items, number)->parent)
        at(items, number)->is_marked = true;
}

static ALWAYS_INLINE void change(struct ttu_items *items, uint32_t number)
{
    at(items, number)->is_changed = true;
    mark_up(items, number);
}

// --- The tree ------------------------------------------------------------------------------------

// Splits the subtree of `number` into the children of the new item.
static void split(struct ttu_items *items, uint32_t number, uint32_t added)
{
    struct ttu_item *item = at(items, added);
    uint32_t *before = &item->left, *after = &item->right;
    uint32_t before_parent = added, after_parent = added;
    while (number) {
        struct ttu_item *next = at(items, number);
        next->is_marked = true;
        if (is_before(next, item)) {
            *before = number;
            next->parent = before_parent;
            before_parent = number;
            before = &next->right;
            number = next->right;
        } else {
            *after = number;
            next->parent = after_parent;
            after_parent = number;
            after = &next->left;
            number = next->left;
        }
    }
    *before = *after = 0;
}

// Adds an item whose key and priority are set.
static void insert(struct ttu_items *items, uint32_t added)
{
    struct ttu_item *item = at(items, added);
    uint32_t parent = 0, number = items->root;
    uint32_t *link = &items->root;
    unsigned depth = 0;
    while (number && at(items, number)->priority >= item->priority) {
        items->is_too_deep |= ++depth > LIMIT_TTU_TREE_DEPTH;
        parent = number;
        link = is_before(item, at(items, number)) ? &at(items, number)->left
                                                  : &at(items, number)->right;
        number = *link;
    }
    item->is_marked = false;
    item->parent = parent;
    split(items, number, added);
    *link = added;
    mark_up(items, added);
}

// Removes an item from the tree; its fields stay.
static void take_out(struct ttu_items *items, uint32_t number)
{
    const struct ttu_item *item = at(items, number);
    uint32_t parent = item->parent, left = item->left, right = item->right;
    uint32_t *link = &items->root;
    if (parent)
        link = at(items, parent)->left == number ? &at(items, parent)->left
                                                 : &at(items, parent)->right;
    while (left && right) {
        bool is_left = at(items, left)->priority >= at(items, right)->priority;
        uint32_t top = is_left ? left : right;
        struct ttu_item *next = at(items, top);
        *link = top;
        next->parent = parent;
        next->is_marked = true;
        parent = top;
        link = is_left ? &next->right : &next->left;
        *(is_left ? &left : &right) = *link;
    }
    *link = left ? left : right;
    if (*link)
        at(items, *link)->parent = parent;
    mark_up(items, item->parent);
}

static void set_priority(struct ttu_items *items, uint32_t number, uint32_t priority)
{
    struct ttu_item *item = at(items, number);
    if ((!item->parent || at(items, item->parent)->priority >= priority) &&
        (!item->left || at(items, item->left)->priority <= priority) &&
        (!item->right || at(items, item->right)->priority <= priority)) {
        item->priority = priority;
        return;
    }
    take_out(items, number);
    at(items, number)->priority = priority;
    insert(items, number);
}

// --- Items ---------------------------------------------------------------------------------------

static ALWAYS_INLINE uint32_t *recent_of(struct ttu_items *items, uint8_t space, uint64_t lo)
{
    uint64_t hash = (lo ^ (uint64_t)space << 20) * UINT64_C(0x9e3779b97f4a7c15);
    return &items->recent[hash >> (64 - TTU_RECENT_BITS)];
}

// A new item. 0: no memory, which is recorded.
static uint32_t new_item(struct ttu_items *items)
{
    uint32_t number = items->free_items;
    if (number) {
        items->free_items = at(items, number)->left;
    } else {
        char *room = spool_reserve(&items->spool, sizeof *items->items);
        uint64_t next = items->spool.used_bytes / sizeof *items->items;
        if (!room || next > UINT32_MAX) {
            items->lacks_memory = true;
            return 0;
        }
        items->spool.used_bytes += sizeof *items->items;
        items->items = (struct ttu_item *)(void *)items->spool.base;
        number = (uint32_t)next;
    }
    *at(items, number) = (struct ttu_item){.is_changed = true};
    return number;
}

static void set_fields(struct ttu_item *item, const struct ttu_write *write)
{
    item->lo = write->lo;
    item->hi = write->hi;
    item->contents = write->contents;
    item->value = write->value;
    item->line = write->line;
    item->is_known = write->is_known;
}

static bool note_hot(struct ttu_items *items, uint32_t number)
{
    at(items, number)->window = items->window;
    if (!VEC_ROOM(&items->hot_items, 1))
        return !(items->lacks_memory = true);
    items->hot_items.items[items->hot_items.count++] = number;
    return true;
}

static void add_item(struct ttu_items *items, const struct ttu_write *write)
{
    uint32_t number = new_item(items);
    uint32_t hot = hot_priority(items, (uint8_t)write->space, write->lo);
    if (!number || (hot && !note_hot(items, number)))
        return;
    struct ttu_item *item = at(items, number);
    set_fields(item, write);
    item->space = (uint8_t)write->space;
    item->priority = hot ? hot : ttu_cold_priority(item->space, item->lo);
    insert(items, number);
    *recent_of(items, item->space, item->lo) = number;
}

// Cuts off the part of the item before `lo`. Its place in the order, and so its priority, stays.
static void cut_front(struct ttu_items *items, uint32_t number, uint64_t lo)
{
    struct ttu_item *item = at(items, number);
    uint64_t cut = lo - item->lo;
    if (item->is_known) {
        item->contents += cut;
        item->value >>= 8 * cut;
    }
    item->lo = lo;
    change(items, number);
}

static void cut_end(struct ttu_items *items, uint32_t number, uint64_t hi)
{
    at(items, number)->hi = hi;
    change(items, number);
}

// Cuts a range out of the middle of an item.
static void cut_middle(struct ttu_items *items, uint32_t number, uint64_t lo, uint64_t hi)
{
    const struct ttu_item *item = at(items, number);
    uint64_t cut = hi + 1 - item->lo;
    const struct ttu_write rest = {
        .space = (enum ttu_space)item->space,
        .is_known = item->is_known,
        .lo = hi + 1,
        .hi = item->hi,
        .contents = item->contents + (item->is_known ? cut : 0),
        .value = item->is_known ? item->value >> 8 * cut : item->value,
        .line = item->line,
    };
    cut_end(items, number, lo - 1);
    add_item(items, &rest);
}

// Cuts the range out of all items. One of the items inside it is kept for reuse and returned; 0:
// there was none.
static uint32_t cut_out(struct ttu_items *items, enum ttu_space space, uint64_t lo, uint64_t hi)
{
    uint32_t left = 0;
    const struct ttu_item *item = ttu_items_first(items, space, lo);
    while (item && item->lo <= hi) {
        const struct ttu_item *next = ttu_items_next(items, item);
        uint32_t number = number_of(items, item);
        if (item->lo < lo && item->hi > hi)
            cut_middle(items, number, lo, hi);
        else if (item->lo < lo)
            cut_end(items, number, lo - 1);
        else if (item->hi > hi)
            cut_front(items, number, hi + 1);
        else if (!left)
            left = number;
        else {
            take_out(items, number);
            *at(items, number) = (struct ttu_item){.left = items->free_items, .space = NO_SPACE};
            items->free_items = number;
        }
        item = next;
    }
    return left;
}

void ttu_items_write(struct ttu_items *items, const struct ttu_write *write)
{
    uint32_t *recent = recent_of(items, (uint8_t)write->space, write->lo);
    uint32_t number = *recent;
    if (UNLIKELY(items->is_too_deep)) // which would also take too long
        return;
    const struct ttu_item *item = at(items, number);
    bool is_there = item->lo == write->lo && item->hi == write->hi && item->space == write->space;
    if (UNLIKELY(!is_there || !number))
        number = cut_out(items, write->space, write->lo, write->hi);
    if (UNLIKELY(!number)) {
        add_item(items, write);
        return;
    }
    set_fields(at(items, number), write);
    change(items, number);
    *recent = number;
}

const struct ttu_item *ttu_items_first(const struct ttu_items *items, enum ttu_space space,
                                       uint64_t address)
{
    uint32_t found = 0;
    for (uint32_t number = items->root; number;) {
        const struct ttu_item *item = at(items, number);
        if (ttu_key_is_before(item->space, item->hi, (uint8_t)space, address)) {
            number = item->right;
        } else {
            found = number;
            number = item->left;
        }
    }
    return found && at(items, found)->space == space ? at(items, found) : NULL;
}

const struct ttu_item *ttu_items_next(const struct ttu_items *items, const struct ttu_item *item)
{
    uint32_t number = number_of(items, item), next = item->right;
    if (next) {
        while (at(items, next)->left)
            next = at(items, next)->left;
    } else {
        for (next = item->parent; next && at(items, next)->right == number;) {
            number = next;
            next = at(items, next)->parent;
        }
    }
    return next && at(items, next)->space == item->space ? at(items, next) : NULL;
}

// --- Windows -------------------------------------------------------------------------------------

static uint32_t item_at(struct ttu_items *items, uint8_t space, uint64_t lo)
{
    uint32_t number = *recent_of(items, space, lo);
    const struct ttu_item *item = at(items, number);
    if (number && item->lo == lo && item->space == space)
        return number;
    item = ttu_items_first(items, (enum ttu_space)space, lo);
    return item && item->lo == lo ? number_of(items, item) : 0;
}

void ttu_items_begin_window(struct ttu_items *items, const struct ttu_hot_key *hot,
                            size_t hot_count)
{
    uint32_t *spare = items->cooling.items;
    size_t capacity = items->cooling.capacity;
    items->cooling.items = items->hot_items.items;
    items->cooling.count = items->hot_items.count;
    items->cooling.capacity = items->hot_items.capacity;
    items->hot_items.items = spare;
    items->hot_items.count = 0;
    items->hot_items.capacity = capacity;
    items->hot = hot;
    items->hot_count = hot_count;
    items->window++;
    for (size_t i = 0; i < hot_count; i++) // they lie far from each other in memory
        __builtin_prefetch(at(items, *recent_of(items, hot[i].space, hot[i].lo)));
    for (size_t i = 0; i < hot_count; i++) {
        uint32_t number = item_at(items, hot[i].space, hot[i].lo);
        if (number && note_hot(items, number))
            set_priority(items, number, hot[i].priority);
    }
    // Moves items that are no longer hot down.
    for (size_t i = 0; i < items->cooling.count; i++) {
        uint32_t number = items->cooling.items[i];
        const struct ttu_item *item = at(items, number);
        if (item->window == items->window - 1 && item->priority >= TTU_HOT_PRIORITY)
            set_priority(items, number, ttu_cold_priority(item->space, item->lo));
    }
    items->cooling.count = 0;
}

// --- Records -------------------------------------------------------------------------------------

static void record_marked(struct ttu_items *items, uint32_t number, struct ttu_stream *stream,
                          unsigned depth);

// Writes the record of a child if necessary, and adds the child's figures. Returns the offset of
// its record.
static ALWAYS_INLINE uint64_t record_child(struct ttu_items *items, uint32_t number,
                                           struct ttu_stream *stream, unsigned depth,
                                           uint32_t *latest, uint16_t *height)
{
    if (!number)
        return 0;
    struct ttu_item *child = at(items, number);
    if (child->is_marked)
        record_marked(items, number, stream, depth + 1);
    *latest = child->latest > *latest ? child->latest : *latest;
    *height = child->height > *height ? child->height : *height;
    return child->record;
}

static void record_marked(struct ttu_items *items, uint32_t number, struct ttu_stream *stream,
                          unsigned depth)
{
    struct ttu_item *item = at(items, number);
    uint32_t latest = item->line;
    uint16_t height = 0;
    if (UNLIKELY(depth > LIMIT_TTU_TREE_DEPTH)) {
        items->is_too_deep = true;
        return;
    }
    item->is_marked = false;
    uint64_t left = record_child(items, item->left, stream, depth, &latest, &height);
    uint64_t right = record_child(items, item->right, stream, depth, &latest, &height);
    if (!item->is_changed && left == item->record_left && right == item->record_right)
        return;
    item->is_changed = false;
    item->record_left = left;
    item->record_right = right;
    item->latest = latest;
    item->height = (uint16_t)(height + 1);
    uint8_t *out = ttu_stream_add(stream, TTU_ITEM_BYTES);
    item->record = ttu_stream_position(stream) - TTU_ITEM_BYTES;
    out = put_node(out, item->record_left, item->record_right, item->height);
    *out++ = item->space == TTU_MEMORY ? 'm' : 'r';
    *out++ = item->is_known;
    out = put_u64(out, item->lo);
    out = put_u64(out, item->hi);
    out = put_u64(out, item->contents);
    out = put_u32(out, item->line);
    put_u32(out, item->latest);
    items->records++;
}

uint64_t ttu_items_record(struct ttu_items *items, struct ttu_stream *stream)
{
    struct ttu_item *root = at(items, items->root);
    if (root->is_marked)
        record_marked(items, items->root, stream, 1);
    return root->record;
}

// --- The whole -----------------------------------------------------------------------------------

bool ttu_items_begin(struct ttu_items *items, uint64_t cell_offset)
{
    memset(items, 0, sizeof *items);
    const struct ttu_write all = {
        .space = TTU_MEMORY, .lo = 0, .hi = UINT64_MAX, .contents = cell_offset};
    uint32_t none = new_item(items); // item number 0
    if (!items->lacks_memory) {
        at(items, none)->space = NO_SPACE;
        add_item(items, &all);
    }
    return !items->lacks_memory;
}

void ttu_items_free(struct ttu_items *items)
{
    spool_free(&items->spool);
    free(items->hot_items.items);
    free(items->cooling.items);
    items->hot_items.items = items->cooling.items = NULL;
}
