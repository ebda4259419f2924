// calltree: every call with its place in the trace, indented by depth.
#include "base/ordered.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/option_rows.h"
#include "cmd/reports.h"
#include "cmd/source_places.h"
#include "cmd/trace_pass.h"
#include "export/image_places.h"
#include "flow/call_consumer.h"
#include "flow/call_list.h"
#include "names/names.h"
#include "query/inlined_calls.h"
#include "report/clean.h"
#include "report/table.h"
#include "session/call_stream.h"
#include "session/hidden.h"
#include "session/tasks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct call_printer {
    struct command *command;
    struct source_lines *lines;
    const struct image_places *images; // NULL: not requested
    struct out *out;
    struct table table;
    const char *lane;
    const char *task; // of the calls; NULL: not shown
    bool has_shown;
};

enum { CALLTREE_COLUMNS = 18 };

struct tree_walk {
    struct call_printer printer;
    struct call_list *list;
    struct inlined_calls *inlined; // NULL: not requested
    uint64_t levels_max;           // of indented text
    bool is_cut;                   // there are deeper calls than that
};

// --- Printing a call -----------------------------------------------------------------------------

// A call and how the report shows it.
struct shown_call {
    const struct call *call;
    uint64_t depth; // 0: the root
    const char *name;
};

// The source place of a node, if requested and known.
static bool find_place(struct call_printer *printer, const struct node_ref *node,
                       char text[SOURCE_PLACE_BYTES])
{
    return printer->command->split_by & SPLIT_LINES &&
           source_lines_text(printer->lines, &printer->command->session.names, node->pc, text);
}

static void put_place(struct call_printer *printer, const struct node_ref *node)
{
    struct out *out = printer->out;
    char text[SOURCE_PLACE_BYTES];
    out_text(out, "t:");
    out_u64(out, node->time);
    out_text(out, " l:");
    out_u64(out, node->line);
    out_text(out, " pc:0x");
    out_hex(out, node->pc, 1);
    if (find_place(printer, node, text)) {
        out_byte(out, ' ');
        out_clean(out, text);
    }
}

static void put_marks(struct out *out, const struct shown_call *shown)
{
    if (shown->call->is_open)
        out_text(out, " (open)");
    if (shown->call->is_clipped)
        out_text(out, " (clipped)");
    if (shown->call->has_no_entry)
        out_text(out, " (no entry)");
    if (shown->call->how & CALL_INLINED)
        out_text(out, " (inlined)");
}

static void print_text(struct call_printer *printer, const struct shown_call *shown)
{
    struct out *out = printer->out;
    const struct call *call = shown->call;
    if (shown->depth) {
        out_pad(out, 4 * shown->depth - 2);
        out_text(out, "- ");
        put_place(printer, &call->site);
        out_text(out, " - ");
        put_place(printer, &call->resume);
        put_marks(out, shown);
        out_byte(out, '\n');
    }
    out_pad(out, 4 * shown->depth);
    out_text(out, "o ");
    put_place(printer, &call->entry);
    out_text(out, " - ");
    put_place(printer, &call->exit);
    out_text(out, " : ");
    command_put(printer->command, out, shown->name);
    put_marks(out, shown);
    out_byte(out, '\n');
}

static void put_byte_place(struct out *out, const struct node_ref *node)
{
    out_text(out, "t:");
    out_u64(out, node->time);
    out_text(out, " byte:");
    out_u64(out, node->line);
}

// Function records have no place between two of them, so there is no call site to show.
static void print_byte_text(struct call_printer *printer, const struct shown_call *shown)
{
    struct out *out = printer->out;
    out_pad(out, 2 * shown->depth);
    out_text(out, "o ");
    put_byte_place(out, &shown->call->entry);
    out_text(out, " - ");
    put_byte_place(out, &shown->call->exit);
    out_text(out, " : ");
    command_put(printer->command, out, shown->name);
    put_marks(out, shown);
    out_byte(out, '\n');
}

// --- Tables --------------------------------------------------------------------------------------

// Some are left out: the first if tasks are not distinguished, the last two without --lines, and
// the two before them except in tables of many files.
static const struct column columns[] = {
    {"Task", "task", COLUMN_TEXT},
    {"Core", "lane", COLUMN_TEXT},
    {"Depth", "depth", COLUMN_U64},
    {"Entry", "entry_time", COLUMN_TICKS},
    {"Entry line", "entry_line", COLUMN_U64},
    {"Entry", "entry_pc", COLUMN_ADDRESS},
    {"Exit", "exit_time", COLUMN_TICKS},
    {"Exit line", "exit_line", COLUMN_U64},
    {"Exit", "exit_pc", COLUMN_ADDRESS},
    {"Site", "site_pc", COLUMN_ADDRESS},
    {"Resume", "resume_pc", COLUMN_ADDRESS},
    {"Kind", "kind", COLUMN_TEXT},
    {"State", "state", COLUMN_TEXT},
    {"Function", "function", COLUMN_TEXT},
    {"Image", "image", COLUMN_TEXT},
    {"In image", "image_address", COLUMN_ADDRESS},
    {"Called at", "site_place", COLUMN_TEXT},
    {"Begins at", "entry_place", COLUMN_TEXT},
};

enum { PLACE_COLUMNS = 2, IMAGE_COLUMNS = 2, COLUMN_COUNT = ARRAY_COUNT(columns) };

static void table_place(struct table *table, const struct node_ref *node)
{
    table_u64(table, node->time);
    table_u64(table, node->line);
    table_address(table, node->pc);
}

static const char *state_of(const struct call *call)
{
    if (call->has_no_entry)
        return "no entry";
    if (call->is_open)
        return call->is_clipped ? "open, clipped" : "open";
    if (call->is_clipped)
        return "clipped";
    const char *word = call_end_word(call->how);
    return word ? word : "returned";
}

static const char *kind_of(const struct call *call)
{
    if (call->how & CALL_INLINED)
        return "inlined";
    if (call->how & CALL_TASK)
        return call->how & CALL_RESUMED ? "task, resumed" : "task";
    if (call->how & CALL_EXCEPTION)
        return call->how & CALL_RESUMED ? "exception, resumed" : "exception";
    if (call->how & CALL_RESUMED)
        return "resumed";
    return call->how & CALL_TAIL_ENTRY ? "tail call" : "call";
}

// The cells with line numbers.
static void table_lines(struct call_printer *printer, const struct shown_call *shown)
{
    char text[SOURCE_PLACE_BYTES];
    const struct call *call = shown->call;
    bool has_site = shown->depth || call->how & CALL_TASK;
    if (!(printer->command->split_by & SPLIT_LINES))
        return;
    table_text(&printer->table, has_site && find_place(printer, &call->site, text) ? text : NULL);
    table_text(&printer->table, find_place(printer, &call->entry, text) ? text : NULL);
}

// The place of a function in its image, which is the same in many runs.
static void table_image(struct call_printer *printer, const struct shown_call *shown)
{
    if (!printer->images)
        return;
    const struct image_place place =
        image_places_find(printer->images, shown->call->entry.pc & ~UINT64_C(1));
    table_text(&printer->table, place.image);
    if (place.image)
        table_address(&printer->table, place.address);
    else
        table_none(&printer->table);
}

static void print_row(struct call_printer *printer, const struct shown_call *shown)
{
    struct table *table = &printer->table;
    const struct call *call = shown->call;
    if (printer->task)
        table_text(table, printer->task);
    table_text(table, *printer->lane ? printer->lane : NULL);
    table_u64(table, shown->depth);
    table_place(table, &call->entry);
    table_place(table, &call->exit);
    if (shown->depth || call->how & CALL_TASK) {
        table_address(table, call->site.pc);
        table_address(table, call->resume.pc);
    } else {
        table_none(table);
        table_none(table);
    }
    if (shown->depth || call->how & CALL_TASK)
        table_text(table, kind_of(call));
    else
        table_text(table, NULL);
    table_text(table, state_of(call));
    table_text(table, *shown->name ? shown->name : NULL);
    table_image(printer, shown);
    table_lines(printer, shown);
}

static const struct column byte_columns[] = {
    {"Core", "lane", COLUMN_TEXT},         {"Depth", "depth", COLUMN_U64},
    {"Entry", "entry_time", COLUMN_TICKS}, {"Entry byte", "entry_position", COLUMN_U64},
    {"Exit", "exit_time", COLUMN_TICKS},   {"Exit byte", "exit_position", COLUMN_U64},
    {"Duration", "ticks", COLUMN_TICKS},   {"Duration", "seconds", COLUMN_SECONDS},
    {"State", "state", COLUMN_TEXT},       {"Id", "function_id", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void print_byte_row(struct call_printer *printer, const struct shown_call *shown)
{
    struct table *table = &printer->table;
    const struct call *call = shown->call;
    uint64_t ticks = call->exit.time - call->entry.time;
    table_text(table, printer->lane);
    table_u64(table, shown->depth);
    table_u64(table, call->entry.time);
    table_u64(table, call->entry.line);
    table_u64(table, call->exit.time);
    table_u64(table, call->exit.line);
    table_u64(table, ticks);
    table_seconds(table, ticks, trace_frequency_hz(printer->command->session.trace));
    table_text(table, state_of(call));
    command_function_id(table, call->entry.pc);
    table_text(table, shown->name);
}

_Static_assert(ARRAY_COUNT(columns) == CALLTREE_COLUMNS, "there is room for all columns");

// The columns of a table of calls; returns how many there are.
static size_t call_printer_columns(const struct command *command, bool has_images,
                                   struct column shown[CALLTREE_COLUMNS])
{
    size_t count = 0;
    if (!trace_can(command->session.trace, TRACE_LINES)) {
        memcpy(shown, byte_columns, sizeof byte_columns);
        return ARRAY_COUNT(byte_columns);
    }
    for (size_t i = command->shows_tasks ? 0 : 1; i < COLUMN_COUNT; i++) {
        bool is_place = i >= COLUMN_COUNT - PLACE_COLUMNS;
        bool is_image = !is_place && i >= COLUMN_COUNT - PLACE_COLUMNS - IMAGE_COLUMNS;
        if ((!is_place || command->split_by & SPLIT_LINES) && (!is_image || has_images))
            shown[count++] = columns[i];
    }
    return count;
}

// -------------------------------------------------------------------------------------------------

// `depth` 0: the root.
static void call_printer_show(struct call_printer *printer, const struct call *call, uint64_t depth,
                              const char *name)
{
    const struct shown_call shown = {call, depth, name};
    bool has_lines = trace_can(printer->command->session.trace, TRACE_LINES);
    printer->has_shown = true;
    if (printer->command->table_format == TABLE_TEXT)
        (has_lines ? print_text : print_byte_text)(printer, &shown);
    else
        (has_lines ? print_row : print_byte_row)(printer, &shown);
}

// --- The walk ------------------------------------------------------------------------------------

// An open level of the walk.
struct path_level {
    call_ref place;           // the next call to show on this level
    call_ref last;            // the call after which the level ends; 0: the last sibling
    struct call_level around; // the call that contains this level
    uint32_t inlined;         // the number of inlined functions around it
};

VEC(path, struct path_level);

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
    const struct command *command = walk->printer.command;
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

// Shows `first` and its following siblings, each with the calls inside it. False: no memory.
static bool tree_walk_calls(struct tree_walk *walk, call_ref first, const struct call_level *around)
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

// --- The command ---------------------------------------------------------------------------------

static void put_heading(struct tree_walk *walk, const char *name)
{
    if (walk->printer.command->table_format != TABLE_TEXT || !*name)
        return;
    command_put(walk->printer.command, walk->printer.out, name);
    out_text(walk->printer.out, ":\n");
}

// Prints the calls of a lane, or of its first task.
static bool print_root(struct tree_walk *walk, const struct call *root,
                       const struct call_content *calls)
{
    struct command *command = walk->printer.command;
    struct session *session = &command->session;
    bool is_ttu = session->reading == READING_TTU;
    const char *name = command->no_offsets && is_ttu
                           ? names_of_root(&session->names, root->entry.pc)
                           : names_of(&session->names, root->entry.pc);
    const struct call_level outside = call_level_outside(session, 0);
    const struct call_level level = call_level_of(session, &outside, root->entry.pc, root->how);
    call_level_count(session, &level, root->how);
    if (level.is_shown)
        call_printer_show(&walk->printer, root, 0, name);
    if (session->filter.depth_max == 0 && level.is_shown)
        return true;
    return tree_walk_calls(walk, call_list_first(calls), &level);
}

// The calls of a task are below its outermost function, except for the first task, in which the
// lane begins.
static bool print_tasks(struct tree_walk *walk, size_t number, const struct call *root)
{
    struct session *session = &walk->printer.command->session;
    const struct task_log *log = &session->result.lanes[number].tasks;
    bool is_whole = true;
    for (size_t i = 0; i < log->tasks.count && is_whole; i++) {
        const struct task_name *task = task_names_find(&session->tasks, number, i);
        const struct call_content *calls = &log->tasks.items[i].calls;
        if (!session_takes_task(session, task) || (i && !call_list_first(calls)))
            continue;
        if (walk->printer.command->shows_tasks) {
            walk->printer.task = task->name;
            put_heading(walk, task->name);
        }
        const struct call_level outside = call_level_outside(session, 0);
        is_whole = i == 0 ? print_root(walk, root, calls)
                          : tree_walk_calls(walk, call_list_first(calls), &outside);
    }
    return is_whole;
}

static bool print_lane(struct tree_walk *walk, size_t number)
{
    const struct session *session = &walk->printer.command->session;
    const struct lane_result *lane = &session->result.lanes[number];
    struct call root;
    if (!session_root(session, lane, &root))
        return true;
    walk->printer.lane = lane->name;
    put_heading(walk, lane->name);
    return session->splits_by_task ? print_tasks(walk, number, &root)
                                   : print_root(walk, &root, &lane->calls);
}

// The deepest level to show. The size of indented text grows with the square of the depth of calls,
// so it is limited unless more levels are requested.
static uint64_t levels_of(const struct command *command)
{
    bool is_limited = command->table_format == TABLE_TEXT &&
                      command->session.reading == READING_TRUE &&
                      !command_was_given(command, OPTION_DEPTH);
    return is_limited ? LIMIT_INDENTED_LEVELS : UINT64_MAX;
}

static enum exit_status report(struct command *command, struct call_list *list,
                               struct inlined_calls *inlined, struct source_lines *lines)
{
    struct out out;
    struct error err;
    struct tree_walk walk = {
        .printer = {.command = command, .lines = lines, .out = &out},
        .inlined = inlined,
        .list = list,
        .levels_max = levels_of(command),
    };
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_output(command, &out, &status))
        return status;
    struct image_places images = {0};
    struct column shown[CALLTREE_COLUMNS];
    bool is_table = command->table_format != TABLE_TEXT;
    bool has_images = command->table_format == TABLE_PARQUET;
    size_t count = call_printer_columns(command, has_images, shown);
    if (is_table && !command_table(command, &walk.printer.table, &out, shown, count, &status))
        return status;
    bool is_whole = !has_images || image_places_init(&images, &command->session.names.images);
    walk.printer.images = has_images ? &images : NULL;
    for (size_t i = 0; i < command->session.result.lane_count && is_whole; i++)
        is_whole = print_lane(&walk, i);
    image_places_free(&images);
    if (is_table)
        table_end(&walk.printer.table);
    is_whole &= source_places_end(command, lines);
    if (walk.is_cut)
        diag_warning(&command->diag,
                     "%s: calls more than %d levels deep are left out; --depth N shows N levels, "
                     "--format csv all",
                     command->session.path, LIMIT_INDENTED_LEVELS);
    if (is_whole && command_has_shown(command, walk.printer.has_shown, &status))
        return command_end(command, &out);
    out_abandon(&out);
    if (is_whole)
        return status;
    error_set(&err, STATUS_MEMORY, "%s: no memory for the call tree", command->session.path);
    return diag_error(&command->diag, &err);
}

// Ends open inlined functions. False: no memory.
static bool end_inlined(const struct session *session, struct inlined_calls *inlined)
{
    bool has_memory = true;
    for (size_t i = 0; i < session->result.lane_count && has_memory; i++) {
        struct lane_result *lane = &session->result.lanes[i];
        const struct node_ref *last = lane->clip.has_last ? &lane->clip.last : &lane->last;
        has_memory = inlined_calls_end(inlined, &lane->calls, last);
        for (size_t task = 0; task < lane->tasks.tasks.count && has_memory; task++)
            has_memory = inlined_calls_end(inlined, &lane->tasks.tasks.items[task].calls, last);
    }
    return has_memory;
}

static enum exit_status report_with_inlined(struct command *command, struct call_list *list,
                                            struct source_lines *lines)
{
    struct inlined_calls inlined;
    const struct call_consumer of_list = call_list_consumer(list);
    enum exit_status status = EXIT_STATUS_FAILED;
    bool has_memory = inlined_calls_init(&inlined, &of_list, &command->session.names, lines);
    const struct call_consumer consumer = inlined_calls_consumer(&inlined);
    if (has_memory && command_pass(command, &consumer, NULL, &status)) {
        has_memory = end_inlined(&command->session, &inlined);
        if (has_memory)
            status = report(command, list, &inlined, lines);
    }
    inlined_calls_free(&inlined);
    return has_memory ? status : command_no_memory(command);
}

enum exit_status report_call_tree(struct command *command)
{
    struct call_list list = {0};
    struct source_lines lines = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    enum exit_status status = EXIT_STATUS_FAILED;
    if (command_open_images(command, &status)) {
        if (command->split_by & SPLIT_INLINES)
            status = report_with_inlined(command, &list, &lines);
        else if (command_pass(command, &consumer, NULL, &status))
            status = report(command, &list, NULL, &lines);
    }
    source_lines_free(&lines);
    call_list_free(&list);
    return status;
}

static const struct option_kinds needed_abilities[] = {
    {OPTION_LINES, TRACE_ADDRESSES, 0},
    {OPTION_INLINES, TRACE_INSTRUCTIONS, 0},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct command command;
    struct options_parser parser;
    command_begin(&command, self);
    command.own_options = needed_abilities;
    command.root_only_lacks_offset = self->manner == MANNER_TTU;
    bool is_taken = command_options(&command, &parser, argc, argv, NULL) &&
                    (!(command.split_by & SPLIT_INLINES) ||
                     contexts_split_begin(&command, &parser, "--inlines"));
    enum exit_status status = is_taken ? report_call_tree(&command) : parser.status;
    command_free(&command);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "table: indented text (default), of " TEXT_OF(
         LIMIT_INDENTED_LEVELS) " levels unless --depth is given; csv or json"},
    {OPTION_LINES, 0, "lines", NULL, "also show the source lines of calls"},
    {OPTION_INLINES, 0, "inlines", NULL,
     "show inlined functions as calls, with the calls that they make"},
    {ROW_RETURNED_ONLY},
    {ROW_OPEN_FRAMES},
    {0},
};

const struct command_spec calltree_command = {
    .name = "calltree",
    .manner = MANNER_TRAWL,
    .needs = TRACE_CALLS,
    .describe_input = trace_inputs_describe,
    .summary = "which function called which, with entry and exit of each call",
    .description =
        "Prints every call as an indented tree. A line that begins with 'o' is a function, from "
        "its entry to its exit; the line with '-' above it gives the call site and where the "
        "caller continued. Both ends have a time (t, in ticks of the trace), a line (l) or a byte "
        "offset (byte), and a PC. For a function that is clipped to a range, times and lines are "
        "those at the ends of the range.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {"the index", index_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples = "trawl calltree --image prog.elf --depth 3 run.tarmac\n"
                "trawl calltree hung.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_calltree_command = {
    .name = "tarmac-calltree",
    .manner = MANNER_TTU,
    .groups = (const struct option_group[]){{"options", ttu_options},
                                            {NULL, ttu_no_offsets_options},
                                            {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
