// calltree: every call with its place in the trace, indented by depth.
#include "base/ordered.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/query.h"
#include "export/image_places.h"
#include "flow/call_consumer.h"
#include "flow/call_list.h"
#include "flow/function_id.h"
#include "names/names.h"
#include "query/call_values.h"
#include "query/frame_split.h"
#include "report/out.h"
#include "report/table.h"
#include "session/call_stream.h"
#include "session/shown.h"
#include "session/tasks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct call_printer {
    struct command *command;
    struct source_lines *lines;
    const struct image_places *images; // NULL: not requested
    struct out *out;
    const char *lane;
    const char *task; // of the calls; NULL: not shown
    bool has_shown;
    // For a table with numbers of calls, in the order of rows:
    bool has_numbers;
    uint64_t next_call;
    uint64_t parent;                  // of the call that is shown next; NO_CALL: none
    uint64_t busy, self;              // of that call
    struct long_rows *only;           // NULL: all are shown
    struct call_arguments *arguments; // what a log has of them; NULL: nothing
    struct value_texts *values;       // from the index; NULL: not requested
    uint64_t view_lane;               // of the calls, in it
};

#define NO_CALL UINT64_MAX

// Arguments and result of the call that is shown.
struct value_texts {
    struct out arguments, result;
};

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

// --- Arguments -----------------------------------------------------------------------------------

// Arguments that an XRay log has of calls, in the order of entries. The log is read for them first:
// calls as they are listed have none.

struct argued_call {
    uint64_t time, pc;
    uint64_t values[CALL_VALUES_ARGUMENTS];
    unsigned count;
};

struct argued_lane {
    char *name;
    size_t first, end; // of its calls
};

struct call_arguments {
    VEC(, struct argued_call) calls;
    VEC(, struct argued_lane) lanes;
    uint64_t time, pc; // of the last entry
    bool is_new;       // whose arguments have not begun
    bool is_in_call;   // nothing has happened since that entry
    size_t next, end;  // of the lane that is shown
    bool lacks_memory;
};

static bool arguments_begin(void *self, uint64_t start, uint64_t hz)
{
    (void)self, (void)start, (void)hz;
    return true;
}

static bool arguments_lane(void *self, const struct call_lane *lane)
{
    struct call_arguments *arguments = self;
    char *name = strdup(lane->name ? lane->name : "");
    arguments->lacks_memory = !name || !VEC_ROOM(&arguments->lanes, 1);
    if (arguments->lacks_memory)
        return free(name), false;
    arguments->lanes.items[arguments->lanes.count++] =
        (struct argued_lane){name, arguments->calls.count, arguments->calls.count};
    return true;
}

static bool arguments_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct call_arguments *arguments = self;
    (void)how;
    arguments->time = time;
    arguments->pc = pc;
    arguments->is_new = arguments->is_in_call = true;
    return !arguments->lacks_memory;
}

static bool arguments_leave(void *self, uint64_t time)
{
    struct call_arguments *arguments = self;
    (void)time;
    arguments->is_in_call = false;
    return !arguments->lacks_memory;
}

static void arguments_value(void *self, uint64_t value)
{
    struct call_arguments *arguments = self;
    if (!arguments->is_in_call)
        return;
    if (arguments->is_new && !VEC_ROOM(&arguments->calls, 1)) {
        arguments->lacks_memory = true;
        return;
    }
    if (arguments->is_new)
        arguments->calls.items[arguments->calls.count++] =
            (struct argued_call){.time = arguments->time, .pc = arguments->pc};
    arguments->is_new = false;
    arguments->lanes.items[arguments->lanes.count - 1].end = arguments->calls.count;
    struct argued_call *call = &arguments->calls.items[arguments->calls.count - 1];
    if (call->count < CALL_VALUES_ARGUMENTS)
        call->values[call->count++] = value;
}

// Those of a call of the lane, which come in the order of entries. NULL: it has none.
static const struct argued_call *arguments_next(struct call_arguments *arguments,
                                                const struct node_ref *entry)
{
    if (!arguments || arguments->next == arguments->end)
        return NULL;
    const struct argued_call *call = &arguments->calls.items[arguments->next];
    if (call->time != entry->time || call->pc != entry->pc)
        return NULL;
    arguments->next++;
    return call;
}

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
    out_hex(out, names_address(&printer->command->session.names, node->pc), 1);
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
    if (shown->call->how & CALL_GUESSED)
        out_text(out, " (guess)");
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

// --- Tables --------------------------------------------------------------------------------------

enum {
    BY_TASK = 1,
    OF_LINES = 2,
    OF_BYTES = 4,
    WITH_IMAGES = 8,
    WITH_PLACES = 16,
    WITH_NUMBERS = 32,
    WITH_ARGUMENTS = 64,
    WITH_VALUES = 128
};

struct call_cells {
    const char *task, *lane, *kind, *state, *name, *image, *site_place, *entry_place;
    uint64_t depth, entry_time, entry_line, entry_pc, exit_time, exit_line, exit_pc, ticks, hz;
    const uint64_t *site, *resume, *id, *image_address;
    uint64_t call, entry_event, exit_event, began_event, busy, self, interrupt, guess;
    const uint64_t *parent, *argument[CALL_VALUES_ARGUMENTS];
    const char *arguments, *result;
};

#define VALUE(name) FIELD_VALUE(struct call_cells, name)
#define OF(name) FIELD_OF(struct call_cells, name)

static const struct field fields[] = {
    {"Task", "task", COLUMN_TEXT, VALUE(task), .when = OF_LINES | BY_TASK},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Depth", "depth", COLUMN_U64, VALUE(depth)},
    {"Entry", "entry_time", COLUMN_TICKS, VALUE(entry_time)},
    {"Entry line", "entry_line", COLUMN_U64, VALUE(entry_line), .when = OF_LINES},
    {"Entry byte", "entry_position", COLUMN_U64, VALUE(entry_line), .when = OF_BYTES},
    {"Entry", "entry_pc", COLUMN_ADDRESS, VALUE(entry_pc), .when = OF_LINES},
    {"Exit", "exit_time", COLUMN_TICKS, VALUE(exit_time)},
    {"Exit line", "exit_line", COLUMN_U64, VALUE(exit_line), .when = OF_LINES},
    {"Exit byte", "exit_position", COLUMN_U64, VALUE(exit_line), .when = OF_BYTES},
    {"Exit", "exit_pc", COLUMN_ADDRESS, VALUE(exit_pc), .when = OF_LINES},
    {"Duration", "ticks", COLUMN_TICKS, VALUE(ticks), .when = OF_BYTES},
    {"Duration", "seconds", COLUMN_SECONDS, VALUE(ticks), OF(hz), .when = OF_BYTES},
    {"Site", "site_pc", COLUMN_ADDRESS, VALUE(site), .when = OF_LINES},
    {"Resume", "resume_pc", COLUMN_ADDRESS, VALUE(resume), .when = OF_LINES},
    {"Kind", "kind", COLUMN_TEXT, VALUE(kind), .when = OF_LINES},
    {"State", "state", COLUMN_TEXT, VALUE(state)},
    {"Id", "function_id", COLUMN_U64, VALUE(id), .when = OF_BYTES},
    {"Function", "function", COLUMN_TEXT, VALUE(name)},
    {"Image", "image", COLUMN_TEXT, VALUE(image), .when = OF_LINES | WITH_IMAGES},
    {"In image", "image_address", COLUMN_ADDRESS, VALUE(image_address),
     .when = OF_LINES | WITH_IMAGES},
    {"Called at", "site_place", COLUMN_TEXT, VALUE(site_place), .when = OF_LINES | WITH_PLACES},
    {"Begins at", "entry_place", COLUMN_TEXT, VALUE(entry_place), .when = OF_LINES | WITH_PLACES},
    {"Call", "call", COLUMN_U64, VALUE(call), .when = WITH_NUMBERS},
    {"Parent", "parent", COLUMN_U64, VALUE(parent), .when = WITH_NUMBERS},
    {"Entry event", "entry_event", COLUMN_U64, VALUE(entry_event), .when = WITH_NUMBERS},
    {"Exit event", "exit_event", COLUMN_U64, VALUE(exit_event), .when = WITH_NUMBERS},
    {"Began", "began_event", COLUMN_U64, VALUE(began_event), .when = OF_LINES | WITH_NUMBERS},
    {"Time", "time", COLUMN_TICKS, VALUE(busy), .when = OF_LINES | WITH_NUMBERS},
    {"Self", "self", COLUMN_TICKS, VALUE(self), .when = WITH_NUMBERS},
    {"Interrupt", "interrupt", COLUMN_U64, VALUE(interrupt), .when = OF_LINES | WITH_NUMBERS},
    {"Guess", "guess", COLUMN_U64, VALUE(guess), .when = OF_LINES | WITH_NUMBERS},
    {"Argument 1", "argument_1", COLUMN_ADDRESS, VALUE(argument[0]), .when = WITH_ARGUMENTS},
    {"Argument 2", "argument_2", COLUMN_ADDRESS, VALUE(argument[1]), .when = WITH_ARGUMENTS},
    {"Argument 3", "argument_3", COLUMN_ADDRESS, VALUE(argument[2]), .when = WITH_ARGUMENTS},
    {"Argument 4", "argument_4", COLUMN_ADDRESS, VALUE(argument[3]), .when = WITH_ARGUMENTS},
    {"Arguments", "arguments", COLUMN_WHOLE, VALUE(arguments), .when = WITH_VALUES},
    {"Result", "result", COLUMN_WHOLE, VALUE(result), .when = WITH_VALUES},
};

static bool has_returned(const struct call *call)
{
    return !call->has_no_entry && !call->is_open && !call->is_clipped && !call_end_word(call->how);
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
    if (call->how & CALL_EXCEPTION)
        return call->how & CALL_RESUMED ? "exception, resumed" : "exception";
    if (call->how & CALL_TASK)
        return call->how & CALL_RESUMED ? "task, resumed" : "task";
    if (call->how & CALL_RESUMED)
        return "resumed";
    if (call->how & CALL_GUESSED)
        return "guess";
    return call->how & CALL_TAIL_ENTRY ? "tail call" : "call";
}

// What a call was given when it was entered, even if that was before this part of it; and what it
// returned, if it does so in this part.
static void put_values(struct call_printer *printer, const struct call *call,
                       struct call_cells *cells)
{
    struct value_texts *values = printer->values;
    struct names *names = &printer->command->session.names;
    const struct index_view *view = query_view(printer->command);
    const struct call_place place = {.pc = call->entry.pc,
                                     .lane = printer->view_lane,
                                     .began = call->began,
                                     .exit = has_returned(call) ? call->exit.event : TRAWL_NONE};
    if (call->has_no_entry || call->how & CALL_INLINED || printer->view_lane == TRAWL_NONE)
        return;
    out_clear(&values->arguments);
    out_clear(&values->result);
    call_values_put(view, names, &place, &values->arguments, &values->result);
    const char *arguments = out_memory_text(&values->arguments);
    const char *result = out_memory_text(&values->result);
    cells->arguments = arguments && *arguments ? arguments : NULL;
    cells->result = result && *result ? result : NULL;
}

static void print_row(struct call_printer *printer, const struct shown_call *shown)
{
    struct command *command = printer->command;
    const struct call *call = shown->call;
    const bool has_lines = trace_can(command->session.trace, TRACE_LINES);
    const bool has_site = shown->depth || call->how & CALL_TASK;
    char site[SOURCE_PLACE_BYTES], entry[SOURCE_PLACE_BYTES];
    struct image_place place = {0};
    struct call_cells cells = {.task = printer->task,
                               .lane = *printer->lane || !has_lines ? printer->lane : NULL,
                               .depth = shown->depth,
                               .entry_time = call->entry.time,
                               .entry_line = call->entry.line,
                               .entry_pc = call->entry.pc,
                               .exit_time = call->exit.time,
                               .exit_line = call->exit.line,
                               .exit_pc = call->exit.pc,
                               .ticks = call->exit.time - call->entry.time,
                               .state = state_of(call),
                               .name = *shown->name || !has_lines ? shown->name : NULL};
    uint64_t id;
    if (!has_lines) {
        cells.hz = trace_frequency_hz(command->session.trace);
        cells.id = command_function_id(call->entry.pc, &id);
    }
    if (has_site) {
        cells.site = &call->site.pc;
        cells.resume = &call->resume.pc;
        cells.kind = kind_of(call);
    }
    if (printer->images) { // the place of a function in its image, which is the same in many runs
        place = image_places_find(printer->images, call->entry.pc & ~UINT64_C(1));
        cells.image = place.image;
        cells.image_address = place.image ? &place.address : NULL;
    }
    if (command->split_by & SPLIT_LINES) {
        cells.site_place = has_site && find_place(printer, &call->site, site) ? site : NULL;
        cells.entry_place = find_place(printer, &call->entry, entry) ? entry : NULL;
    }
    if (printer->has_numbers) {
        cells.call = printer->next_call++;
        cells.parent = printer->parent == NO_CALL ? NULL : &printer->parent;
        cells.entry_event = call->entry.event;
        cells.exit_event = call->exit.event;
        cells.began_event = call->began;
        cells.busy = printer->busy;
        cells.self = printer->self;
        cells.interrupt = call->how & CALL_INTERRUPT ? 1 : 0;
        cells.guess = call->how & CALL_GUESSED ? 1 : 0;
    }
    const struct argued_call *argued = arguments_next(printer->arguments, &call->entry);
    for (unsigned i = 0; argued && i < argued->count; i++)
        cells.argument[i] = &argued->values[i];
    if (printer->values)
        put_values(printer, call, &cells);
    struct long_rows *only = printer->only;
    // A thread is around its calls, and none itself.
    const bool is_thread = !has_lines && call->entry.pc == FUNCTION_PC_OUTSIDE;
    if (only && is_thread && printer->busy < only->least)
        return;
    if (only && !is_thread) {
        if (!call_is_long(&only->lengths, printer->busy)) {
            only->dropped++;
            only->longest = u64_max(only->longest, printer->busy);
            return;
        }
        only->kept++;
    }
    command_row(command, &cells, NULL);
}

// --- A call in the tree --------------------------------------------------------------------------

// `depth` 0: the root.
static void call_printer_show(struct call_printer *printer, const struct call *call, uint64_t depth,
                              const char *name)
{
    const struct shown_call shown = {call, depth, name};
    printer->has_shown = true;
    if (printer->command->table_format != TABLE_TEXT)
        print_row(printer, &shown);
    else if (trace_can(printer->command->session.trace, TRACE_LINES))
        print_text(printer, &shown);
    else {
        // Function records have no place between two of them, so there is no call site to show.
        struct out *out = printer->out;
        out_pad(out, 2 * shown.depth);
        out_text(out, "o ");
        put_byte_place(out, &shown.call->entry);
        out_text(out, " - ");
        put_byte_place(out, &shown.call->exit);
        out_text(out, " : ");
        command_put(printer->command, out, shown.name);
        put_marks(out, &shown);
        out_byte(out, '\n');
    }
}

// --- The walk ------------------------------------------------------------------------------------

// An open level of the walk.
struct path_level {
    call_ref place;           // the next call to show on this level
    call_ref last;            // the call after which the level ends; 0: the last sibling
    struct call_level around; // the call that contains this level
    uint32_t inlined;         // the number of inlined functions around it
    uint64_t parent;          // the number of the call that is shown around it; NO_CALL: none
    uint64_t exit;            // when that which contains it ended
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
    path->items[path->count++] =
        (struct path_level){first, last, *around, inlined, NO_CALL, UINT64_MAX};
    return true;
}

// When control has left a call for good, as the time of its last instruction counts for it, too;
// not after `around`.
static uint64_t end_of(const struct call *call, uint64_t around)
{
    return u64_min(u64_max(call->exit.time, call->exit.time + call->exit_ticks), around);
}

// What a call and the calls in it took, and the call alone; and which call is around it.
static void measure_call(struct call_printer *printer, struct call_list *list,
                         const struct call *call, call_ref first_child, uint64_t parent,
                         uint64_t around)
{
    const uint64_t end = end_of(call, around);
    uint64_t inside = 0;
    if (!printer->has_numbers)
        return;
    for (call_ref place = first_child; place;) {
        struct listed_call child;
        call_list_read_any(list, place, &child);
        const uint64_t left = end_of(&child.call, end);
        inside += left - u64_min(child.call.entry.time, left);
        place = child.next_sibling;
    }
    printer->parent = parent;
    printer->busy = end - u64_min(call->entry.time, end);
    printer->self = printer->busy - u64_min(inside, printer->busy);
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
        call_printer_show(&walker->printer, call, depth,
                          call->how & CALL_INLINED
                              ? inlined_calls_name(walker->walk->inlined, call->entry.pc, inlined)
                              : name_at_hand(&walker->names, call->entry.pc));
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
    const uint64_t number = walker->printer.next_call, end = end_of(&listed.call, in->exit);
    const uint64_t parent = in->parent;
    measure_call(&walker->printer, walker->walk->list, &listed.call, listed.first_child, parent,
                 in->exit);
    if (!show_call(walker, &listed.call, &level, inlined) || !listed.first_child)
        return true;
    if (!descend(walker, listed.first_child, 0, &level, inlined))
        return false;
    in = &walker->path.items[walker->path.count - 1];
    in->parent = walker->printer.next_call > number ? number : parent;
    in->exit = end;
    return true;
}

// --- Forests -------------------------------------------------------------------------------------

// A thread gets at least this many bytes of records to write as text.
#define CHUNK_BYTES (UINT64_C(32) << 10)

// This many calls outside of forests also make a chunk.
#define CHUNK_CALLS 1024

// Forests below this level are not used, because their text is long.
#define FOREST_LEVELS 256

// A call or forest whose text is to be written.
struct chunk_item {
    const struct call_forest *forest; // NULL: a call
    call_ref place;                   // the call, if `forest` is NULL
    struct call_level around;         // that contains the forest or call
};

// The work of a thread: consecutive items, and their text.
struct text_chunk {
    struct walker walker;
    struct out out;
    VEC(, struct chunk_item) items;
};

struct forests {
    struct walker *walker; // walks between forests
    struct out *out;       // where the text goes
    struct text_chunk *chunks;
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
static bool pass_next(struct walker *walker, struct chunk_item *item)
{
    struct path_level *in = &walker->path.items[walker->path.count - 1];
    struct call_list *list = walker->walk->list;
    *item = (struct chunk_item){forest_here(walker), in->place, in->around};
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
    struct text_chunk *chunk = &forests->chunks[number];
    struct walker *walker = forests->walker;
    uint64_t bytes = 0;
    chunk->items.count = 0;
    while (walker->path.count && bytes < CHUNK_BYTES && chunk->items.count < CHUNK_CALLS) {
        struct chunk_item item;
        if (!VEC_ROOM(&chunk->items, 1) || !pass_next(walker, &item)) {
            forests->lacks_memory = true;
            return false;
        }
        if (item.forest || item.place)
            chunk->items.items[chunk->items.count++] = item;
        if (item.forest)
            bytes += item.forest->last - item.forest->first;
    }
    return chunk->items.count > 0;
}

static void make(void *self, unsigned number)
{
    struct text_chunk *chunk = &((struct forests *)self)->chunks[number];
    struct walker *walker = &chunk->walker;
    out_clear(&chunk->out);
    for (size_t i = 0; i < chunk->items.count; i++) {
        const struct chunk_item *item = &chunk->items.items[i];
        if (!item->forest) {
            struct listed_call listed;
            call_list_read_any(walker->walk->list, item->place, &listed);
            const struct call_level level =
                call_level_of(&walker->printer.command->session, &item->around,
                              listed.call.entry.pc, listed.call.how);
            show_call(walker, &listed.call, &level, 0);
        } else {
            bool has_memory =
                descend(walker, item->forest->first, item->forest->last, &item->around, 0);
            while (walker->path.count && has_memory)
                has_memory = walk_on(walker);
            walker->path.count = 0;
            if (!has_memory)
                chunk->out.error_number = ENOMEM;
        }
    }
}

static bool put(void *self, unsigned number)
{
    struct forests *forests = self;
    const struct text_chunk *chunk = &forests->chunks[number];
    forests->lacks_memory |= out_failed(&chunk->out);
    out_bytes(forests->out, chunk->out.buffer, chunk->out.used_bytes);
    return !forests->lacks_memory && !out_failed(forests->out);
}

// Frees the walkers of threads, after taking their results.
static void end_forests(struct forests *forests, unsigned threads)
{
    struct walker *walker = forests->walker;
    for (unsigned i = 0; forests->chunks && i < threads; i++) {
        struct text_chunk *chunk = &forests->chunks[i];
        walker->is_cut |= chunk->walker.is_cut;
        walker->printer.has_shown |= chunk->walker.printer.has_shown;
        free(chunk->walker.path.items);
        free(chunk->items.items);
        out_abandon(&chunk->out);
    }
    free(forests->chunks);
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
    forests.chunks = calloc(threads, sizeof *forests.chunks);
    forests.lacks_memory = !forests.chunks;
    for (unsigned i = 0; i < threads && !forests.lacks_memory; i++) {
        struct text_chunk *chunk = &forests.chunks[i];
        chunk->walker = (struct walker){.walk = walker->walk,
                                        .printer = walker->printer,
                                        .names = names_of_walk(walker->walk, &forests.lock),
                                        .is_in_forest = true};
        chunk->walker.printer.out = &chunk->out;
        forests.lacks_memory = out_open_memory(&chunk->out, &err) != STATUS_OK;
    }
    walker->names.lock = &forests.lock;
    if (!forests.lacks_memory)
        ordered_run(threads, &forests, &work);
    end_forests(&forests, threads);
    return !forests.lacks_memory;
}

// --- The report ----------------------------------------------------------------------------------

// Shows `first` and its following siblings, each with the calls inside it. False: no memory.
static bool tree_walk_calls(struct tree_walk *walk, call_ref first, const struct call_level *around,
                            uint64_t parent)
{
    struct walker *walker = calloc(1, sizeof *walker);
    if (!walker)
        return false;
    walker->walk = walk;
    walker->names = names_of_walk(walk, NULL);
    walker->printer = walk->printer;
    // Calls can be shown by any thread if only their places decide how they are shown.
    const struct command *command = walk->printer.command;
    bool goes_in_forests = command->table_format == TABLE_TEXT && !command->split_by &&
                           !walk->inlined && !command->session.filter.function &&
                           !session_hides_any(&command->session);
    bool is_whole = descend(walker, first, 0, around, 0);
    if (is_whole)
        walker->path.items[0].parent = parent;
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
    const uint64_t number = walk->printer.next_call;
    measure_call(&walk->printer, walk->list, root, call_list_first(calls), NO_CALL, UINT64_MAX);
    if (level.is_shown)
        call_printer_show(&walk->printer, root, 0, name);
    if (session->filter.depth_max == 0 && level.is_shown)
        return true;
    return tree_walk_calls(walk, call_list_first(calls), &level, level.is_shown ? number : NO_CALL);
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
                          : tree_walk_calls(walk, call_list_first(calls), &outside, NO_CALL);
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
    walk->printer.view_lane =
        walk->printer.values ? index_view_lane_named(&session->view, lane->name) : TRAWL_NONE;
    struct call_arguments *arguments = walk->printer.arguments;
    if (arguments)
        arguments->next = arguments->end = 0;
    for (size_t i = 0; arguments && i < arguments->lanes.count; i++) {
        if (strcmp(arguments->lanes.items[i].name, lane->name) != 0)
            continue;
        arguments->next = arguments->lanes.items[i].first;
        arguments->end = arguments->lanes.items[i].end;
    }
    put_heading(walk, lane->name);
    return session->splits_by_task ? print_tasks(walk, number, &root)
                                   : print_root(walk, &root, &lane->calls);
}

static bool report_calls(struct command *command, struct call_list *list,
                         struct inlined_calls *inlined, struct source_lines *lines,
                         const struct call_table *table, struct call_arguments *arguments,
                         struct value_texts *values)
{
    // The size of indented text grows with the square of the depth of calls, so it is limited
    // unless more levels are requested.
    bool is_table = command->table_format != TABLE_TEXT;
    bool is_limited = !is_table && command->session.reading == READING_TRUE &&
                      !command_was_given(command, OPTION_DEPTH);
    bool has_images = command->table_format == TABLE_PARQUET;
    struct image_places images = {0};
    struct tree_walk walk = {
        .printer = {.command = command,
                    .lines = lines,
                    .out = &command->out,
                    .has_numbers = table,
                    .arguments = arguments,
                    .values = values,
                    .only = table ? table->only : NULL},
        .inlined = inlined,
        .list = list,
        .levels_max = is_limited ? LIMIT_INDENTED_LEVELS : UINT64_MAX,
    };
    unsigned bits = (trace_can(command->session.trace, TRACE_LINES) ? OF_LINES : OF_BYTES) |
                    (command->shows_tasks ? BY_TASK : 0) | (has_images ? WITH_IMAGES : 0) |
                    (command->split_by & SPLIT_LINES ? WITH_PLACES : 0) |
                    (table ? WITH_NUMBERS : 0) | (arguments ? WITH_ARGUMENTS : 0) |
                    (values ? WITH_VALUES : 0);
    if (is_table ? !command_fields(command, fields, ARRAY_COUNT(fields), bits)
                 : !command_output(command))
        return false;
    bool is_whole = !has_images || image_places_init(&images, &command->session.names.images);
    walk.printer.images = has_images ? &images : NULL;
    for (size_t i = 0; i < command->session.result.lane_count && is_whole; i++)
        is_whole = print_lane(&walk, i);
    image_places_free(&images);
    is_whole &= source_places_end(command, lines);
    if (walk.is_cut)
        diag_warning(&command->diag,
                     "%s: calls more than %d levels deep are left out; --depth N shows N levels, "
                     "--format csv all",
                     command->session.path, LIMIT_INDENTED_LEVELS);
    if (!is_whole)
        return command_fail_with(command, STATUS_MEMORY, "%s: no memory for the call tree",
                                 command->session.path);
    return command_require_shown(command, walk.printer.has_shown);
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

// Finds the arguments of a log's calls.
static bool find_arguments(struct command *command, struct call_arguments *arguments)
{
    const struct call_sink sink = {.self = arguments,
                                   .begin = arguments_begin,
                                   .lane = arguments_lane,
                                   .enter = arguments_enter,
                                   .leave = arguments_leave,
                                   .argument = arguments_value};
    bool is_done = command_stream(command, &sink);
    pass_result_free(&command->session.result);
    command->session.needs_trace = false;
    return is_done && (!arguments->lacks_memory || command_no_memory(command));
}

// Opens the index, and room for texts.
static bool open_values(struct command *command, struct value_texts *values)
{
    struct error err;
    if (!command_view(command))
        return false;
    return (out_open_memory(&values->arguments, &err) == STATUS_OK &&
            out_open_memory(&values->result, &err) == STATUS_OK) ||
           command_fail(command, &err);
}

bool report_call_tree(struct command *command, const struct call_table *table)
{
    struct call_arguments arguments = {0};
    struct value_texts values = {0};
    struct call_list list = {0};
    struct source_lines lines = {0};
    struct inlined_calls inlined = {0};
    const struct call_consumer of_list = call_list_consumer(&list);
    const bool is_inlined = command->split_by & SPLIT_INLINES;
    const bool has_values = table && table->has_values;
    if (table && !command_ensure_open(command))
        return false;
    // A pipe cannot be read again for them.
    const bool has_arguments = table && command->session.trace &&
                               command->session.trace->kind->direct &&
                               source_is_file(command->session.trace->source);
    bool is_done = (!has_arguments || find_arguments(command, &arguments)) &&
                   (!has_values || open_values(command, &values));
    is_done = is_done && (!is_inlined ||
                          inlined_calls_init(&inlined, &of_list, &command->session.names, &lines) ||
                          command_no_memory(command));
    const struct call_consumer consumer = is_inlined ? inlined_calls_consumer(&inlined) : of_list;
    is_done = is_done && command_pass(command, &consumer, NULL);
    if (is_done && is_inlined)
        is_done = end_inlined(&command->session, &inlined) || command_no_memory(command);
    is_done =
        is_done && report_calls(command, &list, is_inlined ? &inlined : NULL, &lines, table,
                                has_arguments ? &arguments : NULL, has_values ? &values : NULL);
    if (is_done && has_values && (out_failed(&values.arguments) || out_failed(&values.result)))
        is_done = command_no_memory(command);
    for (size_t i = 0; i < arguments.lanes.count; i++)
        free(arguments.lanes.items[i].name);
    free(arguments.lanes.items);
    free(arguments.calls.items);
    out_abandon(&values.arguments);
    out_abandon(&values.result);
    inlined_calls_free(&inlined);
    source_lines_free(&lines);
    call_list_free(&list);
    return is_done;
}

static bool report(void *self)
{
    return report_call_tree(self, NULL);
}

static bool check(void *self, struct options_parser *parser)
{
    struct command *command = self;
    return !(command->split_by & SPLIT_INLINES) ||
           contexts_split_begin(command, parser, "--inlines");
}

static const struct option_need option_needs[] = {
    {OPTION_LINES, TRACE_ADDRESSES, 0},
    {OPTION_INLINES, TRACE_INSTRUCTIONS, 0},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct command command;
    command_begin(&command, self);
    command.own_options = option_needs;
    command.root_only_lacks_offset = self->option_set == OPTIONS_TTU;
    return command_run(&command, argc, argv,
                       &(struct command_steps){&command, NULL, check, report});
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "table: indented text (default), of " TEXT_OF(
         LIMIT_INDENTED_LEVELS) " levels unless --depth is given; csv or json"},
    {OPTION_LINES, 0, "lines", NULL, "also show the source lines of calls"},
    {OPTION_INLINES, 0, "inlines", NULL,
     "show inlined functions as calls, with the calls that they make"},
    {ROW_RETURNED_ONLY},
    {0},
};

const struct command_spec calltree_command = {
    .name = "calltree",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_CALLS,
    .describe_input = trace_inputs_describe,
    .summary = "which function called which, with entry and exit of each call",
    .description =
        "Prints every call as an indented tree. A line that begins with 'o' is a function, from "
        "its entry to its exit; the line with '-' above it gives the call site and where the "
        "caller continued. Both ends have a time (t, in ticks of the trace), a line (l) or a byte "
        "offset (byte), and a PC. For a function that is clipped to a range, times and lines are "
        "those at the ends of the range.\n"
        "'trawl calls' is a table of calls, with their own and waiting times, arguments and "
        "results; "
        "'trawl callinfo' shows every visit of an address.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {NULL, open_frames_options},
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
    .option_set = OPTIONS_TTU,
    .groups = (const struct option_group[]){{"options", ttu_options},
                                            {NULL, ttu_no_offsets_options},
                                            {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
