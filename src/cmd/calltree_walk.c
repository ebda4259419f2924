#include "cmd/calltree_walk.h"

#include "base/ordered.h"
#include "names/names.h"
#include "session/hidden.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

// An open level of the walk.
struct path_level {
    call_ref place;           // the next call to show on this level
    call_ref last;            // the call after which the level ends; 0: the last sibling
    struct call_level around; // the call that contains this level
    uint32_t inlined;         // the number of inlined functions around it
};

VEC(path, struct path_level);

// --- One call ------------------------------------------------------------------------------------

// The state of one thread's walk.
struct walker {
    struct tree_walk *walk;
    struct call_printer printer;
    struct path path;
    bool is_in_forest; // it walks in one forest, while another walker reads on
    bool is_cut;
    struct names_at_hand names;
};

static struct names_at_hand names_of_walk(const struct tree_walk *walk, pthread_mutex_t *lock)
{
    return (struct names_at_hand){
        .names = &walk->printer.command->session.names, .find = names_of, .lock = lock};
}

// Enters the level of `first`. False: no memory.
static bool descend(struct walker *walker, call_ref first, call_ref last,
                    const struct call_level *around, uint32_t inlined)
{
    struct path *path = &walker->path;
    if (!VEC_ROOM(path, 1))
        return false;
    path->items[path->count++] = (struct path_level){first, last, *around, inlined};
    return true;
}

// The name of a call. `inlined`: how many inlined functions it is in, including itself.
static const char *name_of(struct walker *walker, const struct call *call, uint32_t inlined)
{
    return call->how & CALL_INLINED
               ? inlined_calls_name(walker->walk->inlined, call->entry.pc, inlined)
               : name_at_hand(&walker->names, call->entry.pc);
}

// Whether calls inside a call of this level may be shown.
static bool goes_on_below(const struct walker *walker, const struct call_level *level)
{
    uint64_t depth = call_level_depth(level);
    return !level->is_shown || (depth <= walker->walk->levels_max &&
                                depth < walker->printer.command->session.filter.depth_max);
}

// Shows a call if it is selected. Returns whether calls inside it may be shown.
static bool show_call(struct walker *walker, const struct call *call,
                      const struct call_level *level, uint32_t inlined)
{
    struct session *session = &walker->printer.command->session;
    if (level->is_outer)
        call_level_count(session, level, call->how);
    if (!level->is_shown)
        return true;
    uint64_t depth = call_level_depth(level);
    if (depth <= walker->walk->levels_max)
        call_printer_show(&walker->printer, call, depth, name_of(walker, call, inlined));
    else
        walker->is_cut = true;
    return goes_on_below(walker, level);
}

// Shows the next call of the innermost level, or leaves the level at its end. False: no memory.
static bool walk_on(struct walker *walker)
{
    struct path_level *in = &walker->path.items[walker->path.count - 1];
    if (!in->place) {
        walker->path.count--;
        return true;
    }
    struct listed_call listed;
    if (walker->is_in_forest)
        call_list_read_any(walker->walk->list, in->place, &listed);
    else
        call_list_read(walker->walk->list, in->place, &listed);
    in->place = in->place == in->last ? 0 : listed.next_sibling;
    const struct call_level level = call_level_of(&walker->printer.command->session, &in->around,
                                                  listed.call.entry.pc, listed.call.how);
    uint32_t inlined = listed.call.how & CALL_INLINED ? in->inlined + 1 : 0;
    return !show_call(walker, &listed.call, &level, inlined) || !listed.first_child ||
           descend(walker, listed.first_child, 0, &level, inlined);
}

// --- Forests -------------------------------------------------------------------------------------

// A thread gets at least this many bytes of records to write as text.
#define PIECE_BYTES (UINT64_C(32) << 10)

// This many calls outside of forests also make a piece.
#define PIECE_CALLS 1024

// Forests below this level are not used, because their text is long.
#define FOREST_LEVELS 256

// A call or forest whose text is to be written.
struct piece_item {
    const struct call_forest *forest; // NULL: a call
    call_ref place;                   // the call, if `forest` is NULL
    struct call_level around;         // that contains the forest or call
};

// The work of a thread: consecutive items, and their text.
struct text_piece {
    struct walker walker;
    struct out out;
    VEC(, struct piece_item) items;
};

struct forests {
    struct walker *walker; // walks between forests
    struct out *out;       // where the text goes
    struct text_piece *pieces;
    pthread_mutex_t lock;
    bool lacks_memory;
};

// The forest at the current place of the walk; NULL: none.
static const struct call_forest *forest_here(const struct walker *walker)
{
    const struct path_level *in = &walker->path.items[walker->path.count - 1];
    return in->place && !in->last && in->around.below < FOREST_LEVELS
               ? call_list_forest(walker->walk->list, in->place)
               : NULL;
}

// Takes the next forest, call or end of a level into *item; for an end, it has neither place nor
// forest. False: no memory.
static bool pass_next(struct walker *walker, struct piece_item *item)
{
    struct path_level *in = &walker->path.items[walker->path.count - 1];
    struct call_list *list = walker->walk->list;
    *item = (struct piece_item){forest_here(walker), in->place, in->around};
    if (item->forest) {
        in->place = call_list_pass(list, item->forest);
        return true;
    }
    if (!in->place) {
        walker->path.count--;
        return true;
    }
    struct session *session = &walker->printer.command->session;
    struct listed_call listed;
    call_list_read_ends(list, in->place, &listed);
    in->place = listed.next_sibling;
    const struct call_level level =
        call_level_of(session, &item->around, listed.call.entry.pc, listed.call.how);
    return !goes_on_below(walker, &level) || !listed.first_child ||
           descend(walker, listed.first_child, 0, &level, 0);
}

static bool take(void *self, unsigned number)
{
    struct forests *forests = self;
    struct text_piece *piece = &forests->pieces[number];
    struct walker *walker = forests->walker;
    uint64_t bytes = 0;
    piece->items.count = 0;
    while (walker->path.count && bytes < PIECE_BYTES && piece->items.count < PIECE_CALLS) {
        struct piece_item item;
        if (!VEC_ROOM(&piece->items, 1) || !pass_next(walker, &item)) {
            forests->lacks_memory = true;
            return false;
        }
        if (item.forest || item.place)
            piece->items.items[piece->items.count++] = item;
        if (item.forest)
            bytes += item.forest->last - item.forest->first;
    }
    return piece->items.count > 0;
}

// Shows the calls of a forest. False: no memory.
static bool show_forest(struct walker *walker, const struct piece_item *item)
{
    bool has_memory = descend(walker, item->forest->first, item->forest->last, &item->around, 0);
    while (walker->path.count && has_memory)
        has_memory = walk_on(walker);
    walker->path.count = 0;
    return has_memory;
}

static void show_item(struct walker *walker, const struct piece_item *item)
{
    struct listed_call listed;
    call_list_read_any(walker->walk->list, item->place, &listed);
    const struct call_level level = call_level_of(&walker->printer.command->session, &item->around,
                                                  listed.call.entry.pc, listed.call.how);
    show_call(walker, &listed.call, &level, 0);
}

static void make(void *self, unsigned number)
{
    struct text_piece *piece = &((struct forests *)self)->pieces[number];
    struct walker *walker = &piece->walker;
    out_clear(&piece->out);
    for (size_t i = 0; i < piece->items.count; i++) {
        const struct piece_item *item = &piece->items.items[i];
        if (!item->forest)
            show_item(walker, item);
        else if (!show_forest(walker, item))
            piece->out.error_number = ENOMEM;
    }
}

static bool put(void *self, unsigned number)
{
    struct forests *forests = self;
    const struct text_piece *piece = &forests->pieces[number];
    forests->lacks_memory |= out_failed(&piece->out);
    out_bytes(forests->out, piece->out.buffer, piece->out.used_bytes);
    return !forests->lacks_memory && !out_failed(forests->out);
}

// Whether calls can be shown by any thread: only their places decide how they are shown.
static bool is_plain(const struct tree_walk *walk)
{
    const struct trace_command *command = walk->printer.command;
    return command->table_format == TABLE_TEXT && !command->split_by && !walk->inlined &&
           !command->session.filter.function && !session_hides_any(&command->session);
}

// Frees the walkers of threads, after taking their results.
static void end_forests(struct forests *forests, unsigned threads)
{
    struct walker *walker = forests->walker;
    for (unsigned i = 0; forests->pieces && i < threads; i++) {
        struct text_piece *piece = &forests->pieces[i];
        walker->is_cut |= piece->walker.is_cut;
        walker->printer.has_shown |= piece->walker.printer.has_shown;
        free(piece->walker.path.items);
        free(piece->items.items);
        out_abandon(&piece->out);
    }
    free(forests->pieces);
    walker->printer.out = forests->out;
    walker->names.lock = NULL;
    pthread_mutex_destroy(&forests->lock);
}

// Continues the walk with several threads for forests. False: no memory.
static bool walk_forests(struct walker *walker)
{
    static const struct ordered_work work = {take, make, put};
    unsigned threads = walker->printer.command->session.threads;
    struct forests forests = {.walker = walker, .out = walker->printer.out};
    struct error err;
    pthread_mutex_init(&forests.lock, NULL);
    forests.pieces = calloc(threads, sizeof *forests.pieces);
    forests.lacks_memory = !forests.pieces;
    for (unsigned i = 0; i < threads && !forests.lacks_memory; i++) {
        struct text_piece *piece = &forests.pieces[i];
        piece->walker = (struct walker){.walk = walker->walk,
                                        .printer = walker->printer,
                                        .names = names_of_walk(walker->walk, &forests.lock),
                                        .is_in_forest = true};
        piece->walker.printer.out = &piece->out;
        forests.lacks_memory = out_open_memory(&piece->out, &err) != STATUS_OK;
    }
    walker->names.lock = &forests.lock;
    if (!forests.lacks_memory)
        ordered_run(threads, &forests, &work);
    end_forests(&forests, threads);
    return !forests.lacks_memory;
}

// -------------------------------------------------------------------------------------------------

bool tree_walk_calls(struct tree_walk *walk, call_ref first, const struct call_level *around)
{
    struct walker *walker = calloc(1, sizeof *walker);
    if (!walker)
        return false;
    walker->walk = walk;
    walker->names = names_of_walk(walk, NULL);
    walker->printer = walk->printer;
    bool goes_in_forests = is_plain(walk);
    bool is_whole = descend(walker, first, 0, around, 0);
    while (is_whole && walker->path.count && !out_failed(walker->printer.out))
        is_whole = goes_in_forests && forest_here(walker) ? walk_forests(walker) : walk_on(walker);
    walk->printer = walker->printer;
    walk->is_cut |= walker->is_cut;
    free(walker->path.items);
    free(walker);
    return is_whole;
}
