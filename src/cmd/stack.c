// stack: the calls that are active at a point of the trace.
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/unwinding.h"
#include "flow/replay.h"
#include "query/exception_text.h"
#include "session/shown.h"
#include "session/tasks.h"
#include "unwind/call_site.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPTION_UNWIND = OPTION_OWN, OPTION_USAGE };

enum { CALL_BYTES = 4 }; // except for some of T32, where calls are better

struct stack_command {
    struct command common;
    enum unwind_method method;
    bool shows_usage;
};

enum { BY_TASK = 1, OF_CALLS = 2, OF_SNAPSHOT = 4, WITH_PLACES = 8, WITH_EXCEPTIONS = 16 };

struct frame_cells {
    const char *task, *function, *lane, *source, *place, *exception;
    uint64_t number;
    const uint64_t *pc, *sp, *entry, *event, *time, *line, *depth;
};

#define VALUE(name) FIELD_VALUE(struct frame_cells, name)

// For a snapshot, as in GDB, a PC is where a function continues. Places are source lines.
static const struct field fields[] = {
    {"Task", "task", COLUMN_TEXT, VALUE(task), .when = OF_CALLS | BY_TASK},
    {"Frame", "frame", COLUMN_U64, VALUE(number)},
    {"PC", "pc", COLUMN_ADDRESS, VALUE(pc)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"SP", "sp", COLUMN_ADDRESS, VALUE(sp), .when = OF_SNAPSHOT},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane), .when = OF_CALLS},
    {"Entry", "entry", COLUMN_ADDRESS, VALUE(entry), .when = OF_CALLS},
    {"Event", "event", COLUMN_U64, VALUE(event), .when = OF_CALLS},
    {"Time", "time", COLUMN_TICKS, VALUE(time), .when = OF_CALLS},
    {"Line", "line", COLUMN_LINE, VALUE(line), .when = OF_CALLS},
    {"Depth", "depth", COLUMN_U64, VALUE(depth), .when = OF_CALLS},
    {"Source", "source", COLUMN_TEXT, VALUE(source)},
    {"Exception", "exception", COLUMN_TEXT, VALUE(exception), .when = OF_CALLS | WITH_EXCEPTIONS},
    {"Place", "place", COLUMN_TEXT, VALUE(place), .when = WITH_PLACES},
};

// A range of frame numbers, both ends included.
struct stretch {
    uint64_t first, last;
};

// The frames of a stack that --hide leaves out: hidden ones, and those inside them, up to a handler
// that interrupted them. They are found in an additional pass over the stack.
struct hidden_frames {
    VEC(, struct stretch) stretches;
    uint64_t first; // the first frame that would be hidden together with the next one
    size_t next;    // stretch
    bool is_noting, lacks_memory;
};

// An exception around the point, with what it was taken for.
struct stack_exception {
    uint64_t call;
    char text[EXCEPTION_TEXT_BYTES];
};

enum { EXCEPTIONS_SHOWN = 16 };

struct frames {
    struct command *query;
    struct stack_exception exceptions[EXCEPTIONS_SHOWN]; // the innermost ones
    size_t exception_count;
    bool has_site; // of the outermost call: where it was called is known
    uint64_t lane;
    uint64_t count;
    const char *task;           // of the stack; NULL: not shown
    bool is_of_task;            // not of what the lane executes
    bool is_waiting;            // of one that does not run at the point
    bool is_folding;            // the frames so far were the scheduler's
    const struct os_system *os; // NULL: none is known
    bool is_by_calls; // some stack came from calls, so calls that cannot be distinguished matter
    uint64_t outermost_pc; // of the entry of the last frame that came from calls
    struct hidden_frames hidden;
    struct source_lines lines;
};

static enum status event_of(const struct frames *frames, uint64_t in_lane,
                            struct trawl_event *about, struct error *err)
{
    return index_view_event_of_lane(query_view(frames->query), frames->lane, in_lane, about, err);
}

// Records whether the next frame is hidden.
static void note_frame(struct frames *frames, uint64_t pc, bool is_handler)
{
    struct hidden_frames *hidden = &frames->hidden;
    uint64_t number = frames->count++, first = hidden->first;
    hidden->first = is_handler ? number + 1 : first;
    if (!session_hides(&frames->query->session, pc))
        return;
    size_t count = hidden->stretches.count;
    if (count && hidden->stretches.items[count - 1].first == first) {
        hidden->stretches.items[count - 1].last = number;
        return;
    }
    hidden->lacks_memory |= !VEC_ROOM(&hidden->stretches, 1);
    if (!hidden->lacks_memory)
        hidden->stretches.items[hidden->stretches.count++] = (struct stretch){first, number};
}

static void begin_noting(struct frames *frames)
{
    struct hidden_frames *hidden = &frames->hidden;
    hidden->stretches.count = 0;
    hidden->first = 0;
    hidden->is_noting = true;
}

// Ends the additional pass; the stack is shown from the frame of that number.
static enum status end_noting(struct frames *frames, uint64_t number, struct error *err)
{
    frames->hidden.is_noting = false;
    frames->hidden.next = 0;
    frames->count = number;
    return frames->hidden.lacks_memory ? error_set(err, STATUS_MEMORY, "no memory for the stack")
                                       : STATUS_OK;
}

// Whether the next frame is left out; if so, counts it.
static bool leaves_out(struct frames *frames)
{
    struct hidden_frames *hidden = &frames->hidden;
    if (hidden->next == hidden->stretches.count)
        return false;
    const struct stretch *stretch = &hidden->stretches.items[hidden->next];
    if (frames->count < stretch->first)
        return false;
    hidden->next += frames->count == stretch->last;
    frames->query->session.hidden.frames++;
    frames->count++;
    return true;
}

// Writes a frame at `pc` (NULL: unknown), which is the entry's if the call is known (NULL: it is
// not).
static void put_row(struct frames *frames, struct frame_cells *cells, const uint64_t *pc,
                    const struct trawl_event *entry)
{
    struct command *command = frames->query;
    const uint64_t entry_pc = entry ? entry->pc & ~UINT64_C(1) : 0;
    char place[SOURCE_PLACE_BYTES];
    bool has_place = pc && command->split_by & SPLIT_LINES &&
                     source_lines_text(&frames->lines, &command->session.names, *pc, place);
    cells->task = frames->task;
    cells->number = frames->count++;
    cells->lane = query_lane_name(command, frames->lane);
    cells->place = has_place ? place : NULL;
    if (entry) {
        cells->entry = &entry_pc;
        cells->event = &entry->event;
        cells->time = &entry->time;
        cells->line = &entry->line;
    }
    command_row(command, cells,
                entry ? &(struct line_place){entry->line, entry->position}
                      : &(struct line_place){0, UINT64_MAX}); // no line
}

// What the exception with the number of this call was taken for; NULL: not known.
static const char *exception_of(const struct frames *frames, uint64_t call)
{
    for (size_t i = 0; i < frames->exception_count; i++) {
        if (frames->exceptions[i].call == call)
            return frames->exceptions[i].text;
    }
    return NULL;
}

// Whether a function only switches tasks: what a task that waits did last is below it.
static bool is_scheduler(const struct frames *frames, uint64_t pc)
{
    struct session *session = &frames->query->session;
    const char *name = names_of(&session->names, pc);
    const size_t length = strcspn(name, "."); // without what compilers append
    const struct os_line *line;
    size_t at = 0;
    while (frames->os && (line = os_next(&session->os_table, frames->os, OS_FOLD, NULL, &at))) {
        if (strlen(line->word) == length && memcmp(line->word, name, length) == 0)
            return true;
    }
    return false;
}

// Finds what the exceptions around an event were taken for. What cannot be read is not shown.
static void find_exceptions(struct frames *frames, uint64_t in_lane)
{
    const struct index_view *view = query_view(frames->query);
    struct trawl_call call;
    enum trawl_status found = trawl_call_at(view->index, frames->lane, in_lane, &call, NULL);
    while (found == TRAWL_OK && frames->exception_count < EXCEPTIONS_SHOWN) {
        struct stack_exception *exception = &frames->exceptions[frames->exception_count];
        exception->call = call.call;
        frames->exception_count += exception_text(view, &frames->query->session.names, frames->lane,
                                                  &call, exception->text);
        if (call.parent == TRAWL_NONE)
            return;
        found = trawl_call(view->index, frames->lane, call.parent, &call, NULL);
    }
}

// Writes the frame that began with `entry` in the way of `call`, and is at `now`.
static void put_frame(struct frames *frames, const struct trawl_event *now,
                      const struct trawl_event *entry, const struct trawl_call *call)
{
    const uint64_t depth = call->depth;
    const uint32_t how = call->how;
    const uint64_t pc = now->pc & ~UINT64_C(1);
    bool has_pc = now->flags & TRAWL_HAS_INSTRUCTION;
    frames->outermost_pc = entry->pc;
    if (frames->is_folding && is_scheduler(frames, entry->pc))
        return;
    frames->is_folding = false;
    if (frames->hidden.is_noting) {
        note_frame(frames, entry->pc, how & TRAWL_CALL_EXCEPTION);
        return;
    }
    if (leaves_out(frames))
        return;
    put_row(
        frames,
        &(struct frame_cells){.pc = has_pc ? &pc : NULL,
                              .function = query_name(frames->query, has_pc ? now->pc : entry->pc),
                              .depth = &depth,
                              .source = how & TRAWL_CALL_GUESSED ? "guess" : "calls",
                              .exception = exception_of(frames, call->call)},
        has_pc ? &now->pc : NULL, entry);
}

static enum status running_task(const struct frames *frames, uint64_t in_lane, uint64_t *task,
                                struct error *err)
{
    struct trawl_error from;
    struct trawl_task_run run;
    enum status status = index_status(
        trawl_task_run_at(query_view(frames->query)->index, frames->lane, in_lane, &run, &from),
        &from, err);
    *task = status == STATUS_OK ? run.task : 0;
    return status;
}

// Writes the frames of calls, from the innermost outward. `now` becomes the event that called the
// outermost, and *outermost that call, if there is one. *replaces_root: it took the place of the
// function in which the lane begins.
static enum status put_calls(struct frames *frames, struct trawl_event *now, bool *replaces_root,
                             struct trawl_call *outermost, struct error *err)
{
    const struct index_view *view = query_view(frames->query);
    struct trawl_error from;
    struct trawl_call call, around, first;
    enum status status = index_status(
        trawl_call_at(view->index, frames->lane, now->in_lane, &call, &from), &from, err);
    while (status == STATUS_OK) {
        struct trawl_event entry;
        status = event_of(frames, call.began, &entry, err);
        if (status != STATUS_OK)
            return status;
        entry.pc = call.pc;
        put_frame(frames, now, &entry, &call);
        enum status outside = call_around(view, frames->lane, &call, &around, err);
        if (outside != STATUS_OK && outside != STATUS_NOT_FOUND)
            return outside;
        status = call_first_in_place(view, frames->lane, &call,
                                     outside == STATUS_OK ? &around : NULL, &first, err);
        if (status == STATUS_OK)
            status = call_site(view, frames->lane, &first, outside == STATUS_OK ? &around : NULL,
                               now, err);
        frames->has_site = status == STATUS_OK && now->flags & TRAWL_HAS_INSTRUCTION;
        *replaces_root =
            status == STATUS_NOT_FOUND && outside == STATUS_NOT_FOUND && call_replaces_root(&first);
        *outermost = call;
        if (status == STATUS_OK)
            status = outside;
        call = around;
    }
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// The lane begins in the outermost frame of its first task, and of those that this one forked. For
// another task, all of whose functions have returned, only its current place is known.
static enum status put_calls_once(struct frames *frames, struct trawl_event now, struct error *err)
{
    struct trawl_event root;
    uint64_t first = query_view(frames->query)->lanes[frames->lane].root, task, began_in;
    frames->is_folding = frames->is_waiting;
    if (now.event == TRAWL_START || first == TRAWL_NONE || now.in_lane < first)
        return STATUS_OK;
    enum status status = call_find_place(query_view(frames->query), frames->lane, &now, err);
    if (status == STATUS_OK)
        status = running_task(frames, now.in_lane, &task, err);
    if (status != STATUS_OK)
        return status;
    bool replaces_root = false, is_of_first = task == 0;
    struct trawl_call outermost = {.how = TRAWL_CALL_TASK};
    const struct trawl_call none = {.call = TRAWL_NONE};
    status = put_calls(frames, &now, &replaces_root, &outermost, err);
    if (status == STATUS_OK && task && !(outermost.how & TRAWL_CALL_TASK)) {
        status = running_task(frames, outermost.began, &began_in, err);
        is_of_first = began_in == 0;
    }
    // A function that the task had entered before the trace began made the outermost call, too.
    const bool was_called = frames->count && !(outermost.how & TRAWL_CALL_TASK) && frames->has_site;
    if (status != STATUS_OK || (!is_of_first && frames->count && !was_called) || replaces_root)
        return status;
    if (!is_of_first) {
        put_frame(frames, &now, &now, &none);
        return STATUS_OK;
    }
    status = event_of(frames, first, &root, err);
    if (status == STATUS_OK)
        put_frame(frames, &now, &root, &none);
    return status;
}

// Moves to where the innermost function continues, as its registers have it and all other views of
// the point: the next instruction of the lane. Where none is known, because the trace ends or (of a
// task) another one runs next, this is the last one.
static enum status go_on(const struct frames *frames, struct trawl_event *now, struct error *err)
{
    struct trawl_event next;
    uint64_t task = 0, next_task = 0;
    enum status status =
        point_next_instruction(query_view(frames->query), frames->lane, now->event, &next, err);
    if (status == STATUS_OK && frames->is_of_task) {
        status = running_task(frames, now->in_lane, &task, err);
        if (status == STATUS_OK)
            status = running_task(frames, next.in_lane, &next_task, err);
    }
    if (status == STATUS_OK && task == next_task) {
        *now = next;
        return STATUS_OK;
    }
    if (status == STATUS_NOT_FOUND)
        status = STATUS_OK;
    while (status == STATUS_OK && !(now->flags & TRAWL_HAS_INSTRUCTION) && now->in_lane)
        status = event_of(frames, now->in_lane - 1, now, err);
    return status;
}

static enum status put_frames_of_calls(struct frames *frames, struct trawl_event now,
                                       struct error *err)
{
    uint64_t number = frames->count;
    enum status status = now.event == TRAWL_START ? STATUS_OK : go_on(frames, &now, err);
    if (status != STATUS_OK)
        return status;
    frames->is_by_calls = true;
    if (!session_hides_any(&frames->query->session))
        return put_calls_once(frames, now, err);
    begin_noting(frames);
    status = put_calls_once(frames, now, err);
    if (status == STATUS_OK)
        status = end_noting(frames, number, err);
    return status == STATUS_OK ? put_calls_once(frames, now, err) : status;
}

static enum status put_all_calls(struct frames *frames, struct trawl_event now, struct error *err)
{
    uint64_t number = frames->count;
    enum status status = put_frames_of_calls(frames, now, err);
    if (status == STATUS_OK && frames->count > number) {
        // Says if the outermost frame was not entered in the trace, so that there is nothing to
        // know its callers from: its task was running, or waiting, when the trace began.
        struct command *command = frames->query;
        const uint64_t pc = frames->outermost_pc & ~UINT64_C(1);
        uint64_t start;
        if (frames->count && names_start_of(&command->session.names, pc, &start) && start != pc) {
            diag_warning(&command->diag,
                         "doubtful from frame %" PRIu64
                         " on: %s was entered before the trace began, or "
                         "where lines are missing: nothing shows its callers",
                         frames->count, names_of(&command->session.names, start));
        }
    }
    return status;
}

// --- Of tasks ------------------------------------------------------------------------------------

// The last event that each task of the lane executed up to an event; TRAWL_NONE: it had not run by
// then.
static enum status find_last_events(const struct frames *frames, uint64_t in_lane, uint64_t *last,
                                    size_t count, struct error *err)
{
    struct trawl_index *index = query_view(frames->query)->index;
    struct trawl_error from;
    struct trawl_task_run run;
    enum status status =
        index_status(trawl_task_run_at(index, frames->lane, in_lane, &run, &from), &from, err);
    size_t left = count;
    while (status == STATUS_OK) {
        if (run.task < count && last[run.task] == TRAWL_NONE) {
            last[run.task] = u64_min(run.last, in_lane);
            left--;
        }
        if (!left || !run.run)
            break;
        status =
            index_status(trawl_task_run(index, frames->lane, run.run - 1, &run, &from), &from, err);
    }
    return status;
}

static enum status put_task(struct frames *frames, const struct task_name *task, uint64_t last,
                            struct error *err)
{
    struct trawl_event now;
    frames->task = frames->query->shows_tasks ? task->name : NULL;
    frames->count = 0;
    frames->is_of_task = true;
    enum status status = event_of(frames, last, &now, err);
    return status == STATUS_OK ? put_all_calls(frames, now, err) : status;
}

// Writes the stack of each selected task at the last event that it executed.
static enum status put_tasks(struct frames *frames, const struct trawl_event *now,
                             struct error *err)
{
    struct session *session = &frames->query->session;
    const struct task_name *tasks = session->tasks.items.items;
    size_t first = 0, count = 0, shown = 0;
    while (first < session->tasks.items.count && tasks[first].lane != frames->lane)
        first++;
    while (first + count < session->tasks.items.count && tasks[first + count].lane == frames->lane)
        count++;
    enum status status = session_find_os(session, &frames->os, err);
    if (status != STATUS_OK)
        return status;
    uint64_t *last = malloc((count + 1) * sizeof *last);
    if (!last)
        return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    for (size_t i = 0; i < count; i++)
        last[i] = TRAWL_NONE;
    status = now->event == TRAWL_START ? STATUS_OK
                                       : find_last_events(frames, now->in_lane, last, count, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (last[i] == TRAWL_NONE || !session_takes_task(session, &tasks[first + i]))
            continue;
        frames->is_waiting = last[i] != now->in_lane;
        status = put_task(frames, &tasks[first + i], last[i], err);
        shown++;
    }
    free(last);
    if (status == STATUS_OK && !shown && session->filter.task)
        status = error_set(err, STATUS_NOT_FOUND, "%s: '%.120s' has not run by then", session->path,
                           session->filter.task);
    return status;
}

// --- Unwound ------------------------------------------------------------------------------------

// The entry event of a frame and its depth, according to calls. False: calls do not show them.
static bool entry_of(const struct frames *frames, const struct unwind_frame *frame,
                     struct unwind_trace *trace, struct trawl_event *entry, uint64_t *depth,
                     uint64_t *pc, const char **exception)
{
    struct trawl_call call;
    *exception = NULL;
    uint64_t first = query_view(frames->query)->lanes[frames->lane].root;
    switch (unwind_trace_activation(trace, frame, &call, pc)) {
    case UNWIND_ACTIVATION_OF_CALL:
        *depth = call.depth;
        // A vector that branched to its handler has no frame of its own here.
        *exception = exception_of(frames, call.call);
        if (!*exception && call.how & TRAWL_CALL_TAIL_ENTRY)
            *exception = exception_of(frames, call.parent);
        return event_of(frames, call.began, entry, NULL) == STATUS_OK;
    case UNWIND_ACTIVATION_OF_ROOT:
        *depth = 0;
        return event_of(frames, first, entry, NULL) == STATUS_OK;
    default:
        return false;
    }
}

// Shows a caller at its call, like put_frame; of a snapshot, where it continues.
static void put_unwound(struct frames *frames, struct unwind_trace *trace,
                        const struct unwind_frame *frame)
{
    struct trawl_event entry;
    uint64_t depth, pc = frame->is_return_address ? frame->pc - CALL_BYTES : frame->pc;
    struct frame_cells cells = {.source = unwind_source_name(frame->source)};
    bool has_entry = trace && entry_of(frames, frame, trace, &entry, &depth, &pc, &cells.exception);
    if (leaves_out(frames))
        return;
    if (trace) {
        cells.pc = &pc;
        cells.function = query_name(frames->query, pc);
        cells.depth = has_entry ? &depth : NULL;
    } else {
        pc = unwind_lookup_pc(frame);
        const char *name = names_of_root(&frames->query->session.names, pc);
        cells.pc = &frame->pc;
        cells.function = *name ? name : NULL;
        cells.sp = frame->sp ? &frame->sp : NULL; // 0: unknown
    }
    put_row(frames, &cells, &pc, has_entry ? &entry : NULL);
}

// Whether all callers came from calls: calls alone give more details.
static bool is_by_calls(const struct unwind_stack *stack)
{
    for (size_t i = 1; i < stack->count; i++) {
        if (stack->frames[i].source != UNWIND_CALLS)
            return false;
    }
    return stack->end == UNWIND_NO_REGISTER;
}

static enum status put_unwound_stack(struct frames *frames, struct unwinding *unwinding,
                                     enum unwind_method method, const struct trawl_event *now,
                                     struct error *err)
{
    bool has_calls = session_can(&frames->query->session, TRACE_CALLS);
    bool is_free = has_calls && method == UNWIND_BY_AUTO;
    if (is_free && !unwinding_has_rules(unwinding))
        return put_all_calls(frames, *now, err);
    enum status status = unwinding_at(unwinding, now, err);
    if (status == STATUS_OK && !unwinding->stack.count)
        status = error_set(err, STATUS_NOT_FOUND, "%s: frame %" PRIu64 " has no PC",
                           frames->query->session.path, now->event);
    if (status != STATUS_OK)
        return status;
    if (is_free && is_by_calls(&unwinding->stack))
        return put_all_calls(frames, *now, err);
    const struct unwind_stack *stack = &unwinding->stack;
    frames->query->uses_memory = true;
    begin_noting(frames);
    for (size_t i = 0; i < stack->count; i++) {
        uint64_t pc = unwind_lookup_pc(&stack->frames[i]), start;
        bool is_known = names_start_of(&frames->query->session.names, pc, &start);
        note_frame(frames, is_known ? start : pc, stack->frames[i].is_signal);
    }
    if (end_noting(frames, 0, err) != STATUS_OK)
        return err->status;
    if (has_calls)
        unwind_trace_begin(&unwinding->trace, now);
    for (size_t i = 0; i < stack->count; i++) {
        put_unwound(frames, has_calls ? &unwinding->trace : NULL, &stack->frames[i]);
    }
    if (stack->end != UNWIND_OUTERMOST)
        diag_warning(&frames->query->diag, "unwinding ends early: %s 0x%" PRIx64,
                     unwind_end_text(stack->end),
                     names_address(&frames->query->session.names, stack->end_address));
    if (stack->doubt != UNWIND_NO_DOUBT)
        diag_warning(&frames->query->diag,
                     "doubtful from frame %zu on: the trace shows other calls (--unwind calls)",
                     stack->doubt);
    return STATUS_OK;
}

static enum status put_stack(struct stack_command *command, struct frames *frames,
                             struct error *err)
{
    struct command *query = &command->common;
    struct unwinding unwinding;
    struct trawl_event now;
    enum status status = query_lane(query, query->event, &frames->lane, &now, err);
    if (status != STATUS_OK)
        return status;
    if (query->session.splits_by_task)
        return put_tasks(frames, &now, err);
    bool has_calls = session_can(&query->session, TRACE_CALLS);
    bool is_calls = command->method == UNWIND_BY_CALLS || now.event == TRAWL_START;
    if (has_calls && is_calls)
        return put_all_calls(frames, now, err);
    status = unwinding_open(&unwinding, query, command->method, err);
    if (status == STATUS_OK)
        status = put_unwound_stack(frames, &unwinding, command->method, &now, err);
    unwinding_free(&unwinding);
    return status;
}

// --- The command ---------------------------------------------------------------------------------

static bool report(void *self)
{
    struct stack_command *command = self;
    struct command *query = &command->common;
    struct session *session = &query->session;
    struct frames frames = {.query = query};
    struct error err;
    bool lacks_sp = false;
    unsigned bits = (session_can(session, TRACE_CALLS) ? OF_CALLS : OF_SNAPSHOT) |
                    (query->shows_tasks ? BY_TASK : 0) |
                    (query->split_by & SPLIT_LINES ? WITH_PLACES : 0);
    if (!query->asks_index)
        return lane_stacks_report(query);
    if (command->shows_usage)
        return stack_usage_report(query);
    if (session->splits_by_task && session_name_tasks_of_view(session, &err) != STATUS_OK)
        return command_fail(query, &err);
    if (bits & OF_CALLS && !session->splits_by_task) {
        struct trawl_event now;
        if (query->event != TRAWL_START &&
            query_lane(query, query->event, &frames.lane, &now, &err) == STATUS_OK &&
            now.event != TRAWL_START)
            find_exceptions(&frames,
                            u64_min(now.in_lane + 1, session->view.lanes[frames.lane].events - 1));
        bits |= frames.exception_count ? WITH_EXCEPTIONS : 0;
    }
    if (!command_fields(query, fields, ARRAY_COUNT(fields), bits))
        return false;
    session->hidden.frames = 0; // of an earlier try
    enum status status = put_stack(command, &frames, &err);
    if (status == STATUS_OK && frames.is_by_calls)
        status = stack_pointer_lacks(query_view(query)->index, &lacks_sp, &err);
    if (status == STATUS_OK && lacks_sp)
        command_say_no_sp(query);
    free(frames.hidden.stretches.items);
    if (!source_places_end(query, &frames.lines) && status == STATUS_OK)
        status = error_set(&err, STATUS_MEMORY, "no memory for source lines");
    return status == STATUS_OK || command_fail(query, &err);
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct stack_command *command = self;
    if (option == OPTION_USAGE) {
        command->shows_usage = true;
        return OPTION_END;
    }
    return unwind_method_named(match->value, &command->method)
               ? OPTION_END
               : options_bad_value(parser, match, UNWIND_METHODS);
}

// Which way to the stack the kind of trace has, and whether it is the one that was asked for.
static bool check(void *self, struct options_parser *parser)
{
    struct stack_command *command = self;
    struct command *query = &command->common;
    enum unwind_method method = command->method;
    bool is_unwound = method != UNWIND_BY_CALLS && method != UNWIND_BY_AUTO;
    const char *other = method != UNWIND_BY_AUTO && method != UNWIND_AS_USUAL ? "--unwind"
                        : query->split_by & SPLIT_LINES                       ? "--lines"
                        : session_hides_any(&query->session)                  ? "--hide"
                                                                              : NULL;
    if (command->shows_usage && other) {
        options_error(parser, "'--usage' and '%s' cannot be combined", other);
        return false;
    }
    bool is_right = command_detect(query);
    const struct trace *trace = query->session.trace;
    query->asks_index = !trace || !trace->kind->direct;
    if (is_right && !query->asks_index && is_unwound && method != UNWIND_AS_USUAL) {
        char text[80];
        snprintf(text, sizeof text, "%s has no registers to unwind from", trace->kind->words.a);
        is_right = command_refuse(query, text);
    } else if (is_right && query->asks_index && query->session.splits_by_task && is_unwound) {
        is_right = command_refuse(
            query, "stacks of tasks come from the calls of the trace: use --unwind calls");
    } else if (is_right && query->asks_index && method == UNWIND_BY_CALLS &&
               !session_can(&query->session, TRACE_CALLS)) {
        is_right = command_refuse(query, "a trace file does not show calls");
    }
    parser->status = query->status;
    return is_right;
}

// Names of frames are shown without offsets, because the PC is next to them.
static const struct option_need option_needs[] = {
    {OPTION_NO_OFFSETS, TRACE_ADDRESSES, TRACE_SNAPSHOTS},
    {OPTION_LINES, TRACE_ADDRESSES, 0},
    {OPTION_USAGE, TRACE_REGISTERS, TRACE_SNAPSHOTS},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct stack_command command = {.method = UNWIND_BY_AUTO};
    command_begin(&command.common, self);
    command.common.session.asks_calls = true;
    command.common.own_options = option_needs;
    return command_run(&command.common, argc, argv,
                       &(struct command_steps){&command, take, check, report});
}

static const struct option_spec own_options[] = {
    {OPTION_AT, 0, "at", "POS",
     "line:N, time:N, event:N, byte:N, pc:ADDR[#K], start or end (default)"},
    {OPTION_LANE, 0, "lane", "NAME",
     "the stack of this core, by its name in the trace (default: the core of POS)"},
    {ROW_PHYSICAL},
    {ROW_SPACE},
    {OPTION_UNWIND, 0, "unwind", "METHOD",
     "by the registers and memory at POS and the unwind tables of images: sframe, dwarf (call "
     "frame information) or exidx (exception tables of 32-bit Arm); fp: by frame pointers; "
     "calls: by the calls of the trace. The method named is tried first; where it knows "
     "nothing about a frame, those listed after it here are tried. auto (default): all, or calls "
     "if no image has such tables"},
    {OPTION_LINES, 0, "lines", NULL, "also show the source line of each frame"},
    {OPTION_USAGE, 0, "usage", NULL,
     "instead, how far each stack was used up to POS: its lowest stack pointer, where that was, "
     "and its bounds, as far as an operating system (--os) or symbols tell them"},
    {OPTION_HIDE, 0, "hide", "FUNCTION",
     "leave out frames of this function, and those inside of it up to a handler that interrupted "
     "it: its name, a pattern (*), or its address; may be given several times"},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_WIDE},
    {ROW_DEDUCE},
    {0},
};

const struct command_spec stack_command = {
    .name = "stack",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_EVENTS,
    .describe_input = trace_inputs_describe,
    .summary = "the call stack at a point",
    .description =
        "Lists the calls that are active after the event at POS, innermost first: the PC of each "
        "(its next instruction, or its call of the next function) and where it was entered. "
        "Source tells how a frame is known: from the calls that the trace shows, or by unwinding "
        "from registers, SFrame, DWARF, exception tables (exidx), the link register or the frame "
        "pointer. At the end of the trace, where no instruction comes next, the innermost frame is "
        "at the last one. "
        "Entry, Event, Time, Line and Depth are those of the frame's call, if the calls of the "
        "trace show it.\n"
        "With --by task: the stack of each task that has run by then, at its last event. The "
        "innermost frame of an interrupted task is the handler that interrupted it.\n"
        "For an XRay log, which is read as a whole: the calls of each thread, or of the thread of "
        "POS or --lane, with the ticks since each was entered; events are counted in each thread.\n"
        "For a GDB trace file of x86-64 or AArch64: unwound from what frame N (event:N) "
        "collected. Where the collected memory ends the stack ends too, and a message says so. As "
        "in GDB, the PC of a caller is where it will continue, and main is the outermost frame. "
        "Without unwind tables, a frame in a prologue or epilogue may lack its caller, as "
        "the frame pointer is still the caller's.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {NULL, task_options},
                                            {"names", query_trace_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", query_index_options},
                                            {NULL, query_run_options},
                                            {0}},
    .positionals = query_positional,
    .examples = "trawl stack --image prog.elf run.tarmac --at line:51042\n"
                "trawl stack --image prog.elf hung.tarmac\n"
                "trawl stack --image prog trace.tf --at event:17\n",
    .alternatives = trace_alternatives,
    .run = run,
};
