// stack --usage: how far each stack was used, and what of it.
//
// Bounds come from what knows most: the operating system's own for its tasks, the variable that a
// stack is in, or the symbols of a linker script, which often has only the top; then the stack may
// grow down to the variables, and other stacks, below.
#include "check/stack_usage.h"
#include "cmd/command.h"
#include "cmd/contexts.h"
#include "cmd/query.h"
#include "flow/replay.h"
#include "session/tasks.h"
#include "unwind/call_site.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_CALLS = 32, LINKER_BYTES = 256, STACK_BYTES_LEAST = 64 };

struct bounds {
    uint64_t bottom, top;
    bool has_bottom, has_top;
    bool is_beyond;   // the stack was used beyond it
    const char *into; // in another stack, or a variable; NULL: not known
    char by[160];
};

struct usage {
    struct command *command;
    struct stack_usage found;
    const struct os_system *os; // NULL: none is known
    struct bounds *bounds;      // of each stack
    bool has_overflow;
    struct out path;
};

struct usage_cells {
    const char *task, *lane, *bounds, *function, *into, *path;
    uint64_t used, low, stored, time, line, event, whole;
    const uint64_t *bottom, *top, *size, *share, *free, *beyond;
};

#define VALUE(name) FIELD_VALUE(struct usage_cells, name)
#define OF(name) FIELD_OF(struct usage_cells, name)

enum { WITH_OVERFLOW = 1 };

static const struct field fields[] = {
    {"Stack of", "task", COLUMN_TEXT, VALUE(task)},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Bottom", "bottom", COLUMN_ADDRESS, VALUE(bottom)},
    {"Top", "top", COLUMN_ADDRESS, VALUE(top)},
    {"Size", "bytes", COLUMN_U64, VALUE(size)},
    {"Used", "used_bytes", COLUMN_U64, VALUE(used)},
    {"Used", "used_share", COLUMN_SHARE, VALUE(share), OF(whole)},
    {"Free", "free_bytes", COLUMN_U64, VALUE(free)},
    {"Beyond", "beyond_bytes", COLUMN_U64, VALUE(beyond), .when = WITH_OVERFLOW},
    {"Into", "into", COLUMN_TEXT, VALUE(into), .when = WITH_OVERFLOW},
    {"Lowest SP", "lowest_sp", COLUMN_ADDRESS, VALUE(low)},
    {"Saved to", "lowest_saved", COLUMN_ADDRESS, VALUE(stored)},
    {"Event", "event", COLUMN_U64, VALUE(event)},
    {"Time", "time", COLUMN_TICKS, VALUE(time)},
    {"Line", "line", COLUMN_LINE, VALUE(line)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Bounds by", "bounds", COLUMN_TEXT, VALUE(bounds)},
    {"Path", "path", COLUMN_TEXT, VALUE(path)},
};

// --- What the operating system says --------------------------------------------------------------

// What the first line of that key that has a value says of a task.
static enum status ask(struct usage *usage, enum os_key key, uint64_t lane, uint64_t event,
                       uint64_t task, struct os_value *value, struct error *err)
{
    struct session *session = &usage->command->session;
    const struct os_line *line;
    char text[LIMIT_OS_EXPRESSION_BYTES], of_task[24];
    enum status status = STATUS_OK;
    *value = (struct os_value){0};
    snprintf(of_task, sizeof of_task, "0x%" PRIx64, task);
    for (size_t at = 0; status == STATUS_OK && !value->is_known &&
                        (line = os_next(&session->os_table, usage->os, key, NULL, &at));) {
        if (os_bind(text, line->expression, of_task, "0"))
            status = session_os_value(session, lane, event, text, value, err);
    }
    return status;
}

// The address of the task that runs after an event; 0: not known.
static enum status find_running(struct usage *usage, uint64_t lane, uint64_t event, uint64_t *task,
                                struct error *err)
{
    struct session *session = &usage->command->session;
    const struct index_view *view = query_view(usage->command);
    struct os_value value;
    struct trawl_event about;
    struct trawl_task_run run;
    size_t at = 0;
    *task = 0;
    if (os_next(&session->os_table, usage->os, OS_RUNNING, NULL, &at)) {
        enum status status = ask(usage, OS_RUNNING, lane, event, 0, &value, err);
        *task = value.is_known ? value.number : 0;
        return status;
    }
    enum status status = index_view_event(view, event, &about, err);
    if (status == STATUS_OK &&
        trawl_task_run_at(view->index, lane,
                          u64_min(about.in_lane + 1, view->lanes[lane].events - 1), &run,
                          NULL) == TRAWL_OK &&
        run.task < LIMIT_TASKS)
        *task = task_names_find(&session->tasks, lane, run.task)->key;
    return status;
}

static enum status find_about(void *self, uint64_t lane, uint64_t event, struct stack_about *about,
                              struct error *err)
{
    struct usage *usage = self;
    struct os_value bottom, top, name;
    uint64_t task;
    *about = (struct stack_about){0};
    enum status status = find_running(usage, lane, event, &task, err);
    if (status != STATUS_OK || !task)
        return status;
    status = ask(usage, OS_STACK_BOTTOM, lane, event, task, &bottom, err);
    if (status == STATUS_OK)
        status = ask(usage, OS_STACK_TOP, lane, event, task, &top, err);
    if (status == STATUS_OK)
        status = ask(usage, OS_NAME, lane, event, task, &name, err);
    if (status != STATUS_OK || !bottom.is_known || !bottom.number)
        return status;
    about->has_bounds = true;
    about->bottom = bottom.number;
    about->top = top.is_known ? top.number : 0;
    snprintf(about->name, sizeof about->name, "%s", name.text);
    return STATUS_OK;
}

// --- Whose it is ---------------------------------------------------------------------------------

// Whether what an exception interrupted was on the same stack.
static bool interrupted_stack(const struct usage *usage, const struct stack_use *use,
                              const struct trawl_call *exception)
{
    const struct index_view *view = query_view(usage->command);
    struct trawl_register sp;
    struct trawl_event about;
    struct error why;
    uint8_t bytes[8] = {0}, known[8];
    uint64_t value = 0;
    if (!exception->began ||
        trawl_register_with(view->index, view->isa, TRAWL_REGISTER_SP, &sp, NULL) != TRAWL_OK ||
        index_view_event_of_lane(view, use->lane, exception->began - 1, &about, &why) !=
            STATUS_OK ||
        trawl_registers(view->index, use->lane, about.event, sp.offset, (size_t)sp.size_bytes,
                        bytes, known, NULL) != TRAWL_OK)
        return false;
    for (size_t i = 0; i < sp.size_bytes; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value >= use->low && value <= use->high;
}

// Whose stack it is: of the task that runs where it is lowest, unless a handler does that has
// another stack than what it interrupted.
static const char *name_of(struct usage *usage, const struct stack_use *use)
{
    const struct index_view *view = query_view(usage->command);
    struct trawl_event about;
    struct trawl_task_run run;
    struct trawl_call call;
    struct error why;
    uint64_t task = use->is_of_handlers ? TRAWL_NONE : use->task;
    if (*use->about.name)
        return use->about.name;
    if (index_view_event(view, use->event, &about, &why) == STATUS_OK &&
        trawl_task_run_at(view->index, use->lane, about.in_lane, &run, NULL) == TRAWL_OK) {
        bool is_handler = false;
        enum trawl_status found = trawl_call_at(view->index, use->lane, about.in_lane, &call, NULL);
        while (found == TRAWL_OK && !is_handler) {
            is_handler = call.how & TRAWL_CALL_EXCEPTION && !interrupted_stack(usage, use, &call);
            found = call.parent == TRAWL_NONE
                        ? TRAWL_NOT_FOUND
                        : trawl_call(view->index, use->lane, call.parent, &call, NULL);
        }
        task = is_handler ? task : run.task;
    }
    return task < LIMIT_TASKS
               ? task_names_find(&usage->command->session.tasks, use->lane, task)->name
               : TASK_NAME_INTERRUPTS;
}

// --- What symbols say ----------------------------------------------------------------------------

// The variable around an address.
static bool variable_around(const struct usage *usage, uint64_t address, struct image_symbol *found)
{
    return image_set_by_address(&usage->command->session.names.images, address, found) &&
           found->symbol->is_data && found->symbol->size > 1;
}

// By the variable that the stack is in: of an array of stacks by its element. Without types, of a
// variable with several stacks it is not known where each ends.
static enum status by_variable(struct usage *usage, const struct stack_use *use,
                               struct bounds *bounds, struct error *err)
{
    struct image_symbol symbol;
    struct os_value element;
    char text[LIMIT_OS_EXPRESSION_BYTES];
    if (!variable_around(usage, use->high - 1, &symbol))
        return STATUS_OK;
    snprintf(text, sizeof text, "sizeof(%.1000s[0])", symbol.symbol->name);
    enum status status =
        session_os_value(&usage->command->session, use->lane, use->event, text, &element, err);
    if (status != STATUS_OK)
        return status;
    uint64_t bottom = symbol.address, size_bytes = symbol.symbol->size;
    if (element.is_known && element.number >= STACK_BYTES_LEAST) {
        bottom += (use->high - 1 - bottom) / element.number * element.number;
        size_bytes = element.number;
    }
    for (size_t i = 0; i < usage->found.stacks.count; i++) {
        const struct stack_use *other = &usage->found.stacks.items[i];
        if (other != use && other->high > bottom && other->high <= bottom + size_bytes)
            return STATUS_OK;
    }
    bounds->bottom = bottom;
    bounds->top = bottom + size_bytes;
    bounds->has_bottom = bounds->has_top = true;
    snprintf(bounds->by, sizeof bounds->by, "%s", symbol.symbol->display);
    return STATUS_OK;
}

// The names that linker scripts and startup files have for the ends of the first stack.
static const char *const linker_tops[] = {"__StackTop",
                                          "_estack",
                                          "__stack_end__",
                                          "_stack_end",
                                          "__stack_end",
                                          "stack_top",
                                          "_stack_top",
                                          "__stack_top",
                                          "__initial_sp",
                                          "__stack",
                                          "_stack_start",
                                          "__stack_start__",
                                          "CSTACK$$Limit",
                                          "STACK$$Limit",
                                          "Image$$ARM_LIB_STACK$$ZI$$Limit",
                                          "__freertos_irq_stack_top",
                                          "_sp"};
static const char *const linker_bottoms[] = {"__StackLimit",    "_sstack",
                                             "__stack_start__", "_stack_start",
                                             "__stack_start",   "stack_bottom",
                                             "_stack_bottom",   "__stack_bottom",
                                             "__stack_limit",   "_stack_end",
                                             "__stack_end__",   "CSTACK$$Base",
                                             "STACK$$Base",     "Image$$ARM_LIB_STACK$$ZI$$Base"};

// By what a linker script calls the ends. Where it has only the top, the stack can grow down to the
// variables below.
static bool by_linker(const struct usage *usage, const struct stack_use *use, struct bounds *bounds)
{
    const struct image_set *images = &usage->command->session.names.images;
    struct image_symbol symbol;
    const char *top = NULL, *bottom = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(linker_tops); i++) {
        if (!image_set_by_name(images, linker_tops[i], &symbol) || symbol.address < use->high ||
            symbol.address - use->high > LINKER_BYTES || (top && symbol.address >= bounds->top))
            continue;
        top = linker_tops[i];
        bounds->top = symbol.address;
    }
    if (!top)
        return false;
    for (size_t i = 0; i < ARRAY_COUNT(linker_bottoms); i++) {
        if (!image_set_by_name(images, linker_bottoms[i], &symbol) || symbol.address >= use->high ||
            (bottom && symbol.address <= bounds->bottom))
            continue;
        bottom = linker_bottoms[i];
        bounds->bottom = symbol.address;
    }
    for (size_t i = 0; i < images->members.count && !bottom; i++) {
        const struct image_member *member = &images->members.items[i];
        size_t count;
        const struct symbol *symbols = symbols_all(member->symbols, &count);
        for (size_t s = 0; s < count; s++) {
            const uint64_t end =
                (symbols[s].address + member->offset + symbols[s].size) & member->address_mask;
            if (symbols[s].is_data && end < use->high && end > bounds->bottom) {
                bounds->bottom = end;
                bounds->has_bottom = true;
            }
        }
    }
    bounds->has_top = true;
    bounds->has_bottom |= bottom != NULL;
    for (size_t i = 0; i < usage->found.stacks.count; i++) {
        const struct stack_use *other = &usage->found.stacks.items[i];
        if (bounds->has_bottom && other->high < use->high)
            bounds->bottom = u64_max(bounds->bottom, other->high);
    }
    snprintf(bounds->by, sizeof bounds->by, "%s%s%s", top, bottom ? ", " : "",
             bottom ? bottom : "");
    return true;
}

static enum status find_bounds(struct usage *usage, const struct stack_use *use,
                               struct bounds *bounds, struct error *err)
{
    *bounds = (struct bounds){.by = ""};
    if (use->about.has_bounds) {
        bounds->bottom = use->about.bottom;
        bounds->top = u64_max(use->about.top, use->high);
        bounds->has_bottom = bounds->has_top = true;
        snprintf(bounds->by, sizeof bounds->by, "%s", usage->os->name);
        return STATUS_OK;
    }
    enum status status = by_variable(usage, use, bounds, err);
    if (status == STATUS_OK && !bounds->has_top)
        by_linker(usage, use, bounds);
    if (!bounds->has_top)
        bounds->top = use->high;
    return status;
}

// Finds the bounds of all stacks, and which went beyond them, and into what: another stack, or a
// variable.
static enum status find_overflows(struct usage *usage, struct error *err)
{
    const size_t count = usage->found.stacks.count;
    enum status status = STATUS_OK;
    usage->bounds = calloc(count + 1, sizeof *usage->bounds);
    if (!usage->bounds)
        return error_set(err, STATUS_MEMORY, "no memory for the stacks");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = find_bounds(usage, &usage->found.stacks.items[i], &usage->bounds[i], err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct stack_use *use = &usage->found.stacks.items[i];
        const uint64_t lowest = stack_use_lowest(use);
        struct bounds *bounds = &usage->bounds[i];
        struct image_symbol symbol;
        bounds->is_beyond = bounds->has_bottom && lowest < bounds->bottom;
        if (!use->is_moved || (bounds->has_bottom && !bounds->is_beyond))
            continue;
        for (size_t k = 0; k < count && !bounds->into; k++) {
            const struct stack_use *other = &usage->found.stacks.items[k];
            if (k != i && lowest < usage->bounds[k].top &&
                lowest >= (usage->bounds[k].has_bottom ? usage->bounds[k].bottom : other->low))
                bounds->into = name_of(usage, other);
        }
        if (!bounds->into && bounds->is_beyond && variable_around(usage, lowest, &symbol) &&
            symbol.address + symbol.symbol->size <= bounds->bottom)
            bounds->into = symbol.symbol->display;
        usage->has_overflow |= bounds->is_beyond || bounds->into;
    }
    return status;
}

// --- The report ----------------------------------------------------------------------------------

// The functions that are active on the stack where it is lowest, the outermost first.
static enum status find_path(struct usage *usage, const struct stack_use *use, uint64_t in_lane,
                             const char **text, struct error *err)
{
    const struct index_view *view = query_view(usage->command);
    uint64_t pcs[PATH_CALLS];
    size_t count = 0;
    struct trawl_call call, around;
    struct trawl_error from;
    enum status status =
        index_status(trawl_call_at(view->index, use->lane, in_lane, &call, &from), &from, err);
    while (status == STATUS_OK && count < PATH_CALLS) {
        pcs[count++] = call.pc;
        if (call.how & TRAWL_CALL_EXCEPTION && !interrupted_stack(usage, use, &call))
            break;
        status = call_around(view, use->lane, &call, &around, err);
        call = around;
    }
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        return status;
    out_clear(&usage->path);
    out_text(&usage->path, count == PATH_CALLS ? "...;" : "");
    while (count--) {
        char address[NAMES_ADDRESS_BYTES];
        out_text(&usage->path,
                 names_or_address(&usage->command->session.names, pcs[count], address));
        out_text(&usage->path, count ? ";" : "");
    }
    *text = out_memory_text(&usage->path);
    return STATUS_OK;
}

static bool is_shown(struct usage *usage, const struct stack_use *use)
{
    const struct command *command = usage->command;
    const char *wanted = command->session.filter.task;
    return use->is_moved && (command->lane == TRAWL_ANY_LANE || command->lane == use->lane) &&
           (!wanted || fnmatch(wanted, name_of(usage, use), 0) == 0);
}

static enum status put_stack(struct usage *usage, size_t number, struct error *err)
{
    struct command *command = usage->command;
    const struct stack_use *use = &usage->found.stacks.items[number];
    const struct bounds *bounds = &usage->bounds[number];
    const uint64_t lowest = stack_use_lowest(use), whole = bounds->top - bounds->bottom;
    const uint64_t left = bounds->is_beyond ? 0 : lowest - bounds->bottom;
    const uint64_t beyond = bounds->bottom - lowest;
    struct trawl_event about;
    bool has_pc;
    struct usage_cells cells = {
        .task = name_of(usage, use),
        .lane = query_lane_name(command, use->lane),
        .bounds = *bounds->by ? bounds->by : NULL,
        .into = bounds->into,
        .used = bounds->top - lowest,
        .low = use->low,
        .stored = lowest,
        .whole = whole,
        .bottom = bounds->has_bottom ? &bounds->bottom : NULL,
        .top = bounds->has_top ? &bounds->top : NULL,
        .size = bounds->has_bottom ? &whole : NULL,
        .free = bounds->has_bottom ? &left : NULL,
        .beyond = bounds->is_beyond ? &beyond : NULL,
    };
    cells.share = cells.size ? &cells.used : NULL;
    enum status status = index_view_event(query_view(command), use->event, &about, err);
    if (status == STATUS_OK)
        status = index_view_origin(query_view(command), &about, &has_pc, err);
    if (status == STATUS_OK)
        status = find_path(usage, use, about.in_lane, &cells.path, err);
    if (status != STATUS_OK)
        return status;
    cells.event = use->event;
    cells.time = about.time;
    cells.line = about.line;
    cells.function = has_pc ? query_name(command, about.pc) : NULL;
    command_row(command, &cells, &(struct line_place){about.line, about.position});
    if (bounds->is_beyond || bounds->into)
        diag_note(&command->diag,
                  "overflow: the stack of %.60s went below its end%s%.80s (event:%" PRIu64 ")",
                  cells.task, bounds->into ? ", into " : "", bounds->into ? bounds->into : "",
                  use->event);
    return STATUS_OK;
}

bool stack_usage_report(struct command *command)
{
    struct session *session = &command->session;
    struct dataflow flow;
    struct usage usage = {.command = command};
    struct error err, why;
    bool lacks_sp = false;
    enum status status = session_find_os(session, &usage.os, &err);
    if (status == STATUS_OK)
        status = session_name_tasks_of_view(session, &err);
    if (status != STATUS_OK)
        return command_fail(command, &err);
    const bool has_text =
        dataflow_open(&flow, query_view(command), session->trace, &why) == STATUS_OK;
    usage.found = (struct stack_usage){
        .view = query_view(command),
        .flow = has_text ? &flow : NULL,
        .until = command->event == TRAWL_START ? 0 : command->event + 1,
        .find_about = usage.os ? find_about : NULL,
        .self = &usage,
    };
    command->uses_memory = true;
    status = stack_usage_find(&usage.found, &err);
    if (status == STATUS_OK)
        status = find_overflows(&usage, &err);
    if (status == STATUS_OK)
        status = out_open_memory(&usage.path, &err);
    bool is_done = status == STATUS_OK && command_fields(command, fields, ARRAY_COUNT(fields),
                                                         usage.has_overflow ? WITH_OVERFLOW : 0);
    for (size_t i = 0; i < usage.found.stacks.count && status == STATUS_OK && is_done; i++) {
        if (is_shown(&usage, &usage.found.stacks.items[i]))
            status = put_stack(&usage, i, &err);
    }
    if (status == STATUS_OK)
        status = stack_pointer_lacks(query_view(command)->index, &lacks_sp, &err);
    if (status == STATUS_OK && lacks_sp)
        command_say_no_sp(command);
    if (usage.found.is_cut)
        diag_warning(&command->diag, "only the first " TEXT_OF(LIMIT_CHECKED_STACKS) " stacks");
    out_abandon(&usage.path);
    free(usage.bounds);
    stack_usage_free(&usage.found);
    if (has_text)
        dataflow_close(&flow);
    return status == STATUS_OK ? is_done : command_fail(command, &err);
}
