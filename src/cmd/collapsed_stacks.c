#include "cmd/reports.h"

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

// --- Pieces --------------------------------------------------------------------------------------

// A thread gets about this many contexts.
#define PIECE_CONTEXTS 256

// Another thread is started only for this many contexts.
#define THREAD_CONTEXTS 1024

enum item_kind {
    ITEM_LINE,
    ITEM_NAME,  // the following items are below it
    ITEM_BELOW, // the stacks below a number of contexts
};

struct piece_item {
    enum item_kind kind;
    size_t prefix_bytes; // the length of the prefix that stays
    const char *name;
    uint64_t ticks;
    size_t node_count; // the number of nodes, in the nodes of the piece
    uint64_t depth;    // of the contexts below them
};

// The work of a thread: consecutive items, and their text.
struct piece {
    struct stack_walker walker;
    struct lines lines; // with the prefix before the first item
    struct out out;
    VEC(, struct piece_item) items;
    struct stack_nodes nodes;
    bool lacks_memory;
};

struct collapsed {
    struct command *command;
    const struct contexts *contexts;
    struct stacks stacks;
    struct out *out;
    size_t next_lane;
    struct stack_walker walker; // over contexts that are in no piece yet
    bool is_in_lane;
    struct lines outline; // the stack where the walker is
    struct piece *pieces;
    pthread_mutex_t lock; // protects the names
    bool lacks_memory;
};

static struct piece_item *add_item(struct collapsed *collapsed, struct piece *piece,
                                   enum item_kind kind, const char *name)
{
    if (!VEC_ROOM(&piece->items, 1))
        return NULL;
    struct piece_item *item = &piece->items.items[piece->items.count++];
    *item = (struct piece_item){
        .kind = kind, .prefix_bytes = collapsed->outline.prefix.count, .name = name};
    return item;
}

// False: no memory.
static bool enter_outline(struct collapsed *collapsed, struct piece *piece, const char *name)
{
    return add_item(collapsed, piece, ITEM_NAME, name) && enter(&collapsed->outline, name);
}

// False: no memory.
static bool begin_lane(struct collapsed *collapsed, struct piece *piece)
{
    const struct contexts *contexts = collapsed->contexts;
    const struct context_lane *lane = &contexts->lanes.items[collapsed->next_lane++];
    collapsed->is_in_lane = true;
    collapsed->outline.prefix.count = collapsed->outline.lengths.count = 0;
    return (!contexts_have_lanes(contexts) || enter_outline(collapsed, piece, lane->name)) &&
           (!collapsed->command->shows_tasks || enter_outline(collapsed, piece, lane->task)) &&
           stack_walker_begin(&collapsed->walker, contexts_roots_of(contexts, lane),
                              lane->root_count);
}

// Leaves the stacks below a context to the piece, if they are not too many. False: no memory.
static bool pass_below(struct collapsed *collapsed, struct piece *piece,
                       const struct stack_visit *visit)
{
    size_t nodes_before = piece->nodes.count;
    if (visit->size > PIECE_CONTEXTS)
        return true;
    struct piece_item *item = add_item(collapsed, piece, ITEM_BELOW, NULL);
    if (!item || !stack_walker_pass(&collapsed->walker, &piece->nodes))
        return false;
    item->node_count = piece->nodes.count - nodes_before;
    item->depth = visit->depth + 1;
    return true;
}

// Adds the next line or stacks of the lane to the piece, and their number to *contexts. False: no
// memory.
static bool take_next(struct collapsed *collapsed, struct piece *piece, uint64_t *contexts)
{
    struct stack_visit visit;
    struct piece_item *item;
    switch (stack_walker_next(&collapsed->walker, &visit)) {
    case STACK_OWN:
        item = add_item(collapsed, piece, ITEM_LINE, visit.name);
        if (!item)
            return false;
        item->ticks = visit.self_ticks;
        collapsed->outline.is_cut |= visit.is_cut;
        ++*contexts;
        return true;
    case STACK_ENTER:
        *contexts += visit.size <= PIECE_CONTEXTS ? visit.size : 0;
        return enter_outline(collapsed, piece, visit.name) && pass_below(collapsed, piece, &visit);
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

static bool begin_piece(struct collapsed *collapsed, struct piece *piece)
{
    const struct lines *outline = &collapsed->outline;
    piece->items.count = piece->nodes.count = piece->lines.prefix.count = 0;
    if (!VEC_ROOM(&piece->lines.prefix, outline->prefix.count))
        return false;
    if (outline->prefix.count)
        memcpy(piece->lines.prefix.items, outline->prefix.items, outline->prefix.count);
    piece->lines.prefix.count = outline->prefix.count;
    return true;
}

static bool take(void *self, unsigned number)
{
    struct collapsed *collapsed = self;
    struct piece *piece = &collapsed->pieces[number];
    uint64_t contexts = 0;
    bool has_memory = begin_piece(collapsed, piece);
    while (has_memory && contexts < PIECE_CONTEXTS) {
        if (collapsed->is_in_lane)
            has_memory = take_next(collapsed, piece, &contexts);
        else if (collapsed->next_lane < collapsed->contexts->lanes.count)
            has_memory = begin_lane(collapsed, piece);
        else
            break;
    }
    collapsed->lacks_memory |= !has_memory;
    return has_memory && piece->items.count;
}

static void make(void *self, unsigned number)
{
    struct piece *piece = &((struct collapsed *)self)->pieces[number];
    struct lines *lines = &piece->lines;
    const uint32_t *nodes = piece->nodes.items;
    bool has_memory = true;
    out_clear(&piece->out);
    for (size_t i = 0; i < piece->items.count && has_memory; i++) {
        const struct piece_item *item = &piece->items.items[i];
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
                stack_walker_begin_below(&piece->walker, nodes, item->node_count, item->depth) &&
                put_walk(lines, &piece->walker);
            nodes += item->node_count;
            break;
        }
    }
    piece->lacks_memory = !has_memory || out_failed(&piece->out);
}

static bool put(void *self, unsigned number)
{
    const struct collapsed *collapsed = self; // const: another thread may be in take() at the same
                                              // time
    const struct piece *piece = &collapsed->pieces[number];
    out_bytes(collapsed->out, piece->out.buffer, piece->out.used_bytes);
    return !piece->lacks_memory && !out_failed(collapsed->out);
}

// -------------------------------------------------------------------------------------------------

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

// Frees the walkers of threads, after taking their results.
static void end_pieces(struct collapsed *collapsed, unsigned threads)
{
    for (unsigned i = 0; collapsed->pieces && i < threads; i++) {
        struct piece *piece = &collapsed->pieces[i];
        collapsed->lacks_memory |= piece->lacks_memory;
        collapsed->outline.is_cut |= piece->lines.is_cut;
        stack_walker_free(&piece->walker);
        free_lines(&piece->lines);
        free(piece->items.items);
        free(piece->nodes.items);
        out_abandon(&piece->out);
    }
    free(collapsed->pieces);
}

static void write_by_threads(struct collapsed *collapsed, unsigned threads)
{
    static const struct ordered_work work = {take, make, put};
    struct error err;
    collapsed->pieces = calloc(threads, sizeof *collapsed->pieces);
    collapsed->lacks_memory = !collapsed->pieces;
    for (unsigned i = 0; i < threads && !collapsed->lacks_memory; i++) {
        struct piece *piece = &collapsed->pieces[i];
        stack_walker_init(&piece->walker, &collapsed->stacks, &collapsed->lock);
        piece->lines = (struct lines){.out = &piece->out, .is_raw = collapsed->outline.is_raw};
        collapsed->lacks_memory = out_open_memory(&piece->out, &err) != STATUS_OK;
    }
    if (!collapsed->lacks_memory)
        ordered_run(threads, collapsed, &work);
    end_pieces(collapsed, threads);
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
    write_by_threads(&collapsed,
                     (unsigned)u64_min(command->session.threads, 1 + count / THREAD_CONTEXTS));
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
