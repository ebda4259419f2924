#include "cmd/stack_bounds.h"

#include "cmd/query.h"
#include "session/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKER_BYTES = 256, STACK_BYTES_LEAST = 64 };

// --- What the operating system says --------------------------------------------------------------

// What the first line of that key that has a value says of a task.
static enum status ask(struct bounded_stacks *stacks, enum os_key key, uint64_t lane,
                       uint64_t event, uint64_t task, struct os_value *value, struct error *err)
{
    struct session *session = &stacks->command->session;
    const struct os_line *line;
    char text[LIMIT_OS_EXPRESSION_BYTES], of_task[24];
    enum status status = STATUS_OK;
    *value = (struct os_value){0};
    snprintf(of_task, sizeof of_task, "0x%" PRIx64, task);
    for (size_t at = 0; status == STATUS_OK && !value->is_known &&
                        (line = os_next(&session->os_table, stacks->os, key, NULL, &at));) {
        if (os_bind(text, line->expression, of_task, "0"))
            status = session_os_value(session, lane, event, text, value, err);
    }
    return status;
}

// The address of the task that runs after an event; 0: not known.
static enum status find_running(struct bounded_stacks *stacks, uint64_t lane, uint64_t event,
                                uint64_t *task, struct error *err)
{
    struct session *session = &stacks->command->session;
    const struct index_view *view = query_view(stacks->command);
    struct os_value value;
    struct trawl_event about;
    struct trawl_task_run run;
    size_t at = 0;
    *task = 0;
    if (os_next(&session->os_table, stacks->os, OS_RUNNING, NULL, &at)) {
        enum status status = ask(stacks, OS_RUNNING, lane, event, 0, &value, err);
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
    struct bounded_stacks *stacks = self;
    struct os_value bottom, top, name;
    uint64_t task;
    *about = (struct stack_about){0};
    enum status status = find_running(stacks, lane, event, &task, err);
    if (status != STATUS_OK || !task)
        return status;
    status = ask(stacks, OS_STACK_BOTTOM, lane, event, task, &bottom, err);
    if (status == STATUS_OK)
        status = ask(stacks, OS_STACK_TOP, lane, event, task, &top, err);
    if (status == STATUS_OK)
        status = ask(stacks, OS_NAME, lane, event, task, &name, err);
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
bool bounded_stacks_interrupted(const struct bounded_stacks *stacks, const struct stack_use *use,
                                const struct trawl_call *exception)
{
    const struct index_view *view = query_view(stacks->command);
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
const char *bounded_stacks_owner(struct bounded_stacks *stacks, const struct stack_use *use)
{
    const struct index_view *view = query_view(stacks->command);
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
            is_handler =
                call.how & TRAWL_CALL_EXCEPTION && !bounded_stacks_interrupted(stacks, use, &call);
            found = call.parent == TRAWL_NONE
                        ? TRAWL_NOT_FOUND
                        : trawl_call(view->index, use->lane, call.parent, &call, NULL);
        }
        task = is_handler ? task : run.task;
    }
    return task < LIMIT_TASKS
               ? task_names_find(&stacks->command->session.tasks, use->lane, task)->name
               : TASK_NAME_INTERRUPTS;
}

// --- What symbols say ----------------------------------------------------------------------------

// The variable around an address.
bool bounded_stacks_variable(const struct bounded_stacks *stacks, uint64_t address,
                             struct image_symbol *found)
{
    return image_set_by_address(&stacks->command->session.names.images, address, found) &&
           found->symbol->is_data && found->symbol->size > 1;
}

static bool is_apart(void *self, uint64_t sp, uint64_t other)
{
    struct image_symbol variable;
    return bounded_stacks_variable(self, sp - 1, &variable) &&
           other - 1 - variable.address >= variable.symbol->size;
}

// By the variable that the stack is in: of an array of stacks by its element. Without types, of a
// variable with several stacks it is not known where each ends.
static enum status by_variable(struct bounded_stacks *stacks, const struct stack_use *use,
                               struct stack_bounds *bounds, struct error *err)
{
    struct image_symbol symbol;
    struct os_value element;
    char text[LIMIT_OS_EXPRESSION_BYTES];
    if (!bounded_stacks_variable(stacks, use->high - 1, &symbol))
        return STATUS_OK;
    snprintf(text, sizeof text, "sizeof(%.1000s[0])", symbol.symbol->name);
    enum status status =
        session_os_value(&stacks->command->session, use->lane, use->event, text, &element, err);
    if (status != STATUS_OK)
        return status;
    uint64_t bottom = symbol.address, size_bytes = symbol.symbol->size;
    if (element.is_known && element.number >= STACK_BYTES_LEAST) {
        bottom += (use->high - 1 - bottom) / element.number * element.number;
        size_bytes = element.number;
    }
    for (size_t i = 0; i < stacks->found.stacks.count; i++) {
        const struct stack_use *other = &stacks->found.stacks.items[i];
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
static bool by_linker(const struct bounded_stacks *stacks, const struct stack_use *use,
                      struct stack_bounds *bounds)
{
    const struct image_set *images = &stacks->command->session.names.images;
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
    for (size_t i = 0; i < stacks->found.stacks.count; i++) {
        const struct stack_use *other = &stacks->found.stacks.items[i];
        if (!bounds->has_bottom || other->high >= use->high || other->high <= bounds->bottom)
            continue;
        bounds->bottom = other->high;
        bounds->is_by_neighbor = true;
    }
    snprintf(bounds->by, sizeof bounds->by, "%s%s%s", top, bottom ? ", " : "",
             bottom ? bottom : "");
    return true;
}

static enum status find_bounds(struct bounded_stacks *stacks, const struct stack_use *use,
                               struct stack_bounds *bounds, struct error *err)
{
    *bounds = (struct stack_bounds){.by = ""};
    if (use->about.has_bounds) {
        bounds->bottom = use->about.bottom;
        bounds->top = u64_max(use->about.top, use->high);
        bounds->has_bottom = bounds->has_top = true;
        snprintf(bounds->by, sizeof bounds->by, "%s", stacks->os->name);
        return STATUS_OK;
    }
    enum status status = by_variable(stacks, use, bounds, err);
    if (status == STATUS_OK && !bounds->has_top)
        by_linker(stacks, use, bounds);
    if (!bounds->has_top)
        bounds->top = use->high;
    return status;
}

// Finds the bounds of all stacks, and which went beyond them, and into what: another stack, or a
// variable.
static enum status find_overflows(struct bounded_stacks *stacks, struct error *err)
{
    const size_t count = stacks->found.stacks.count;
    enum status status = STATUS_OK;
    stacks->bounds = calloc(count + 1, sizeof *stacks->bounds);
    if (!stacks->bounds)
        return error_set(err, STATUS_MEMORY, "no memory for the stacks");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = find_bounds(stacks, &stacks->found.stacks.items[i], &stacks->bounds[i], err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct stack_use *use = &stacks->found.stacks.items[i];
        const uint64_t lowest = stack_use_lowest(use);
        struct stack_bounds *bounds = &stacks->bounds[i];
        struct image_symbol symbol;
        bounds->is_beyond = bounds->has_bottom && lowest < bounds->bottom;
        if (!use->is_moved || (bounds->has_bottom && !bounds->is_beyond))
            continue;
        for (size_t k = 0; k < count && !bounds->into; k++) {
            const struct stack_use *other = &stacks->found.stacks.items[k];
            if (k != i && lowest < stacks->bounds[k].top &&
                lowest >= (stacks->bounds[k].has_bottom ? stacks->bounds[k].bottom : other->low))
                bounds->into = bounded_stacks_owner(stacks, other);
        }
        if (!bounds->into && bounds->is_beyond &&
            bounded_stacks_variable(stacks, lowest, &symbol) &&
            symbol.address + symbol.symbol->size <= bounds->bottom)
            bounds->into = symbol.symbol->display;
        stacks->has_overflow |= bounds->is_beyond || bounds->into;
    }
    return status;
}

enum status bounded_stacks_find(struct bounded_stacks *stacks, struct error *err)
{
    struct session *session = &stacks->command->session;
    enum status status = session_find_os(session, &stacks->os, err);
    if (status == STATUS_OK)
        status = session_name_tasks_of_view(session, err);
    if (status != STATUS_OK)
        return status;
    stacks->found = (struct stack_usage){
        .view = query_view(stacks->command),
        .flow = stacks->flow,
        .until = stacks->until,
        .find_about = stacks->os ? find_about : NULL,
        .is_apart = is_apart,
        .self = stacks,
    };
    status = stack_usage_find(&stacks->found, err);
    return status == STATUS_OK ? find_overflows(stacks, err) : status;
}

void bounded_stacks_free(struct bounded_stacks *stacks)
{
    free(stacks->bounds);
    stack_usage_free(&stacks->found);
}
