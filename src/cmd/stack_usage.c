// stack --usage: how far each stack was used, and what of it.
#include "cmd/command.h"
#include "cmd/contexts.h"
#include "cmd/query.h"
#include "cmd/stack_bounds.h"
#include "flow/replay.h"
#include "unwind/call_site.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_CALLS = 32 };

struct usage {
    struct command *command;
    struct bounded_stacks stacks;
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
        if (call.how & TRAWL_CALL_EXCEPTION &&
            !bounded_stacks_interrupted(&usage->stacks, use, &call))
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
           (!wanted || fnmatch(wanted, bounded_stacks_owner(&usage->stacks, use), 0) == 0);
}

static enum status put_stack(struct usage *usage, size_t number, struct error *err)
{
    struct command *command = usage->command;
    const struct stack_use *use = &usage->stacks.found.stacks.items[number];
    const struct stack_bounds *bounds = &usage->stacks.bounds[number];
    const uint64_t lowest = stack_use_lowest(use), whole = bounds->top - bounds->bottom;
    const uint64_t left = bounds->is_beyond ? 0 : lowest - bounds->bottom;
    const uint64_t beyond = bounds->bottom - lowest;
    struct trawl_event about;
    bool has_pc;
    struct usage_cells cells = {
        .task = bounded_stacks_owner(&usage->stacks, use),
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
    const bool has_text =
        dataflow_open(&flow, query_view(command), session->trace, &why) == STATUS_OK;
    usage.stacks = (struct bounded_stacks){
        .command = command,
        .flow = has_text ? &flow : NULL,
        .until = command->event == TRAWL_START ? 0 : command->event + 1,
    };
    command->uses_memory = true;
    enum status status = bounded_stacks_find(&usage.stacks, &err);
    if (status == STATUS_OK)
        status = out_open_memory(&usage.path, &err);
    bool is_done =
        status == STATUS_OK && command_fields(command, fields, ARRAY_COUNT(fields),
                                              usage.stacks.has_overflow ? WITH_OVERFLOW : 0);
    for (size_t i = 0; i < usage.stacks.found.stacks.count && status == STATUS_OK && is_done; i++) {
        if (is_shown(&usage, &usage.stacks.found.stacks.items[i]))
            status = put_stack(&usage, i, &err);
    }
    if (status == STATUS_OK)
        status = stack_pointer_lacks(query_view(command)->index, &lacks_sp, &err);
    if (status == STATUS_OK && lacks_sp)
        command_say_no_sp(command);
    if (usage.stacks.found.is_cut)
        diag_warning(&command->diag, "only the first " TEXT_OF(LIMIT_CHECKED_STACKS) " stacks");
    out_abandon(&usage.path);
    bounded_stacks_free(&usage.stacks);
    if (has_text)
        dataflow_close(&flow);
    return status == STATUS_OK ? is_done : command_fail(command, &err);
}
