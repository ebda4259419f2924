#include "cmd/contexts.h"

#include "base/ordered.h"
#include "cmd/option_rows.h"
#include "report/out.h"

#include <stdlib.h>

// --- Lines ---------------------------------------------------------------------------------------

struct lines {
    struct out *out;
    bool is_raw;           // names are written unchanged
    bool is_cut;           // some stacks are deeper than the levels that are shown
    VEC(, char) prefix;    // "a;b;" for the current stack
    VEC(, size_t) lengths; // of the prefix before each level
};

static bool append_prefix(struct lines *lines, const char *name)
{
    size_t length = strlen(name);
    if (!VEC_ROOM(&lines->prefix, length + 1))
        return false;
    memcpy(lines->prefix.items + lines->prefix.count, name, length);
    if (!lines->is_raw)
        clean_frame_name(lines->prefix.items + lines->prefix.count, length);
    lines->prefix.items[lines->prefix.count + length] = ';';
    lines->prefix.count += length + 1;
    return true;
}

static bool enter(struct lines *lines, const char *name)
{
    if (!VEC_ROOM(&lines->lengths, 1))
        return false;
    lines->lengths.items[lines->lengths.count++] = lines->prefix.count;
    return append_prefix(lines, name);
}

static void leave(struct lines *lines)
{
    lines->prefix.count = lines->lengths.items[--lines->lengths.count];
}

// False: no memory.
static bool put_line(struct lines *lines, const char *name, uint64_t ticks)
{
    size_t above = lines->prefix.count;
    if (!append_prefix(lines, name))
        return false;
    out_bytes(lines->out, lines->prefix.items, lines->prefix.count - 1);
    out_byte(lines->out, ' ');
    out_u64(lines->out, ticks);
    out_byte(lines->out, '\n');
    lines->prefix.count = above;
    return true;
}

// Writes the rest of a walk. False: no memory.
static bool put_walk(struct lines *lines, struct stack_walker *walker)
{
    struct stack_visit visit;
    for (;;) {
        switch (stack_walker_next(walker, &visit)) {
        case STACK_OWN:
            lines->is_cut |= visit.is_cut;
            if (!put_line(lines, visit.name, visit.self_ticks))
                return false;
            break;
        case STACK_ENTER:
            if (!enter(lines, visit.name))
                return false;
            break;
        case STACK_LEAVE:
            leave(lines);
            break;
        case STACK_END:
            return true;
        case STACK_NO_MEMORY:
            return false;
        }
    }
}

static void free_lines(struct lines *lines)
{
    free(lines->prefix.items);
    free(lines->lengths.items);
}

// --- Chunks --------------------------------------------------------------------------------------

// A thread gets about this many contexts.
#define CHUNK_CONTEXTS 256

// Another thread is started only for this many contexts.
#define THREAD_CONTEXTS 1024

enum item_kind {
    ITEM_LINE,
    ITEM_NAME,  // the following items are below it
    ITEM_BELOW, // the stacks below a number of contexts
};

struct chunk_item {
    enum item_kind kind;
    size_t prefix_bytes; // the length of the prefix that stays
    const char *name;
    uint64_t ticks;
    size_t node_count; // the number of nodes, in the nodes of the chunk
    uint64_t depth;    // of the contexts below them
};

// The work of a thread: consecutive items, and their text.
struct chunk {
    struct stack_walker walker;
    struct lines lines; // with the prefix before the first item
    struct out out;
    VEC(, struct chunk_item) items;
    struct stack_nodes nodes;
    bool lacks_memory;
};

struct collapsed {
    struct command *command;
    const struct contexts *contexts;
    struct stacks stacks;
    struct out *out;
    size_t next_lane;
    struct stack_walker walker; // over contexts that are in no chunk yet
    bool is_in_lane;
    struct lines outline; // the stack where the walker is
    struct chunk *chunks;
    pthread_mutex_t lock; // protects the names
    bool lacks_memory;
};

static struct chunk_item *add_item(struct collapsed *collapsed, struct chunk *chunk,
                                   enum item_kind kind, const char *name)
{
    if (!VEC_ROOM(&chunk->items, 1))
        return NULL;
    struct chunk_item *item = &chunk->items.items[chunk->items.count++];
    *item = (struct chunk_item){
        .kind = kind, .prefix_bytes = collapsed->outline.prefix.count, .name = name};
    return item;
}

// False: no memory.
static bool enter_outline(struct collapsed *collapsed, struct chunk *chunk, const char *name)
{
    return add_item(collapsed, chunk, ITEM_NAME, name) && enter(&collapsed->outline, name);
}

// False: no memory.
static bool begin_lane(struct collapsed *collapsed, struct chunk *chunk)
{
    const struct contexts *contexts = collapsed->contexts;
    const struct context_lane *lane = &contexts->lanes.items[collapsed->next_lane++];
    collapsed->is_in_lane = true;
    collapsed->outline.prefix.count = collapsed->outline.lengths.count = 0;
    return (!contexts_have_lanes(contexts) || enter_outline(collapsed, chunk, lane->name)) &&
           (!collapsed->command->shows_tasks || enter_outline(collapsed, chunk, lane->task)) &&
           stack_walker_begin(&collapsed->walker, contexts_roots_of(contexts, lane),
                              lane->root_count);
}

// Leaves the stacks below a context to the chunk, if they are not too many. False: no memory.
static bool pass_below(struct collapsed *collapsed, struct chunk *chunk,
                       const struct stack_visit *visit)
{
    size_t nodes_before = chunk->nodes.count;
    if (visit->size > CHUNK_CONTEXTS)
        return true;
    struct chunk_item *item = add_item(collapsed, chunk, ITEM_BELOW, NULL);
    if (!item || !stack_walker_pass(&collapsed->walker, &chunk->nodes))
        return false;
    item->node_count = chunk->nodes.count - nodes_before;
    item->depth = visit->depth + 1;
    return true;
}

// Adds the next line or stacks of the lane to the chunk, and their number to *contexts. False: no
// memory.
static bool take_next(struct collapsed *collapsed, struct chunk *chunk, uint64_t *contexts)
{
    struct stack_visit visit;
    struct chunk_item *item;
    switch (stack_walker_next(&collapsed->walker, &visit)) {
    case STACK_OWN:
        item = add_item(collapsed, chunk, ITEM_LINE, visit.name);
        if (!item)
            return false;
        item->ticks = visit.self_ticks;
        collapsed->outline.is_cut |= visit.is_cut;
        ++*contexts;
        return true;
    case STACK_ENTER:
        *contexts += visit.size <= CHUNK_CONTEXTS ? visit.size : 0;
        return enter_outline(collapsed, chunk, visit.name) && pass_below(collapsed, chunk, &visit);
    case STACK_LEAVE:
        leave(&collapsed->outline);
        return true;
    case STACK_END:
        collapsed->is_in_lane = false;
        return true;
    case STACK_NO_MEMORY:
        break;
    }
    return false;
}

static bool begin_chunk(struct collapsed *collapsed, struct chunk *chunk)
{
    const struct lines *outline = &collapsed->outline;
    chunk->items.count = chunk->nodes.count = chunk->lines.prefix.count = 0;
    if (!VEC_ROOM(&chunk->lines.prefix, outline->prefix.count))
        return false;
    if (outline->prefix.count)
        memcpy(chunk->lines.prefix.items, outline->prefix.items, outline->prefix.count);
    chunk->lines.prefix.count = outline->prefix.count;
    return true;
}

static bool take(void *self, unsigned number)
{
    struct collapsed *collapsed = self;
    struct chunk *chunk = &collapsed->chunks[number];
    uint64_t contexts = 0;
    bool has_memory = begin_chunk(collapsed, chunk);
    while (has_memory && contexts < CHUNK_CONTEXTS) {
        if (collapsed->is_in_lane)
            has_memory = take_next(collapsed, chunk, &contexts);
        else if (collapsed->next_lane < collapsed->contexts->lanes.count)
            has_memory = begin_lane(collapsed, chunk);
        else
            break;
    }
    collapsed->lacks_memory |= !has_memory;
    return has_memory && chunk->items.count;
}

static void make(void *self, unsigned number)
{
    struct chunk *chunk = &((struct collapsed *)self)->chunks[number];
    struct lines *lines = &chunk->lines;
    const uint32_t *nodes = chunk->nodes.items;
    bool has_memory = true;
    out_clear(&chunk->out);
    for (size_t i = 0; i < chunk->items.count && has_memory; i++) {
        const struct chunk_item *item = &chunk->items.items[i];
        lines->prefix.count = item->prefix_bytes;
        switch (item->kind) {
        case ITEM_LINE:
            has_memory = put_line(lines, item->name, item->ticks);
            break;
        case ITEM_NAME:
            has_memory = append_prefix(lines, item->name);
            break;
        case ITEM_BELOW:
            has_memory =
                stack_walker_begin_below(&chunk->walker, nodes, item->node_count, item->depth) &&
                put_walk(lines, &chunk->walker);
            nodes += item->node_count;
            break;
        }
    }
    chunk->lacks_memory = !has_memory || out_failed(&chunk->out);
}

static bool put(void *self, unsigned number)
{
    const struct collapsed *collapsed = self; // const: another thread may be in take() at the same
                                              // time
    const struct chunk *chunk = &collapsed->chunks[number];
    out_bytes(collapsed->out, chunk->out.buffer, chunk->out.used_bytes);
    return !chunk->lacks_memory && !out_failed(collapsed->out);
}

// --- Writing -------------------------------------------------------------------------------------

// The sizes of all subtrees; *count: the sum over all lanes. NULL: no memory.
static uint32_t *measure(const struct contexts *contexts, uint64_t *count)
{
    uint32_t *sizes = malloc(contexts->tree.nodes.count * sizeof *sizes);
    *count = 0;
    for (size_t i = 0; sizes && i < contexts->roots.count; i++) {
        context_sizes(&contexts->tree, contexts->roots.items[i], sizes);
        *count += sizes[contexts->roots.items[i]];
    }
    return sizes;
}

bool collapsed_stacks_write(struct command *command, const struct contexts *contexts,
                            struct out *out)
{
    bool is_raw = command->session.reading == READING_TTU;
    bool is_limited = !is_raw && !command_was_given(command, OPTION_DEPTH);
    uint64_t depth_max = is_limited ? LIMIT_COLLAPSED_LEVELS : command->session.filter.depth_max;
    struct collapsed collapsed = {.command = command,
                                  .contexts = contexts,
                                  .stacks = contexts_stacks(contexts, command, depth_max),
                                  .out = out,
                                  .outline = {.is_raw = is_raw}};
    uint64_t count;
    uint32_t *sizes = measure(contexts, &count);
    if (!sizes)
        return false;
    collapsed.stacks.sizes = sizes;
    pthread_mutex_init(&collapsed.lock, NULL);
    stack_walker_init(&collapsed.walker, &collapsed.stacks, &collapsed.lock);
    unsigned int threads = (unsigned)u64_min(command->session.threads, 1 + count / THREAD_CONTEXTS);
    static const struct ordered_work work = {take, make, put};
    struct error err;
    collapsed.chunks = calloc(threads, sizeof *collapsed.chunks);
    collapsed.lacks_memory = !collapsed.chunks;
    for (unsigned i = 0; i < threads && !collapsed.lacks_memory; i++) {
        struct chunk *chunk = &collapsed.chunks[i];
        stack_walker_init(&chunk->walker, &collapsed.stacks, &collapsed.lock);
        chunk->lines = (struct lines){.out = &chunk->out, .is_raw = collapsed.outline.is_raw};
        collapsed.lacks_memory = out_open_memory(&chunk->out, &err) != STATUS_OK;
    }
    if (!collapsed.lacks_memory)
        ordered_run(threads, &collapsed, &work);
    // Frees the walkers of threads, after taking their results.
    for (unsigned i = 0; collapsed.chunks && i < threads; i++) {
        struct chunk *chunk = &collapsed.chunks[i];
        collapsed.lacks_memory |= chunk->lacks_memory;
        collapsed.outline.is_cut |= chunk->lines.is_cut;
        stack_walker_free(&chunk->walker);
        free_lines(&chunk->lines);
        free(chunk->items.items);
        free(chunk->nodes.items);
        out_abandon(&chunk->out);
    }
    free(collapsed.chunks);
    if (is_limited && collapsed.outline.is_cut)
        diag_warning(
            &command->diag,
            "%s: what is more than %d levels deep counts for that level; --depth N shows N",
            command->session.path, LIMIT_COLLAPSED_LEVELS);
    stack_walker_free(&collapsed.walker);
    pthread_mutex_destroy(&collapsed.lock);
    free_lines(&collapsed.outline);
    free(sizes);
    return !collapsed.lacks_memory;
}
