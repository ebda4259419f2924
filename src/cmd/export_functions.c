// The profile of each lane as a table, for adding up many traces.
#include "cmd/export.h"

#include "cmd/contexts.h"
#include "cmd/trace_pass.h"
#include "flow/profile.h"
#include "session/shown.h"

#include <stdlib.h>

enum { BY_TASK = 1 };

struct function_cells {
    const char *task, *lane, *function, *image;
    const uint64_t *id, *address, *image_address;
    uint64_t self, total, calls, hz;
};

#define VALUE(name) FIELD_VALUE(struct function_cells, name)
#define OF(name) FIELD_OF(struct function_cells, name)

// The same for all kinds of traces, so that their tables can be combined.
static const struct field fields[] = {
    {"Task", "task", COLUMN_TEXT, VALUE(task), .when = BY_TASK},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Id", "function_id", COLUMN_U64, VALUE(id)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Image", "image", COLUMN_TEXT, VALUE(image)},
    {"In image", "image_address", COLUMN_ADDRESS, VALUE(image_address)},
    {"Self", "self", COLUMN_TICKS, VALUE(self)},
    {"Total", "total", COLUMN_TICKS, VALUE(total)},
    {"Calls", "calls", COLUMN_U64, VALUE(calls)},
    {"Self", "self_seconds", COLUMN_SECONDS, VALUE(self), OF(hz)},
    {"Total", "total_seconds", COLUMN_SECONDS, VALUE(total), OF(hz)},
};

static void put_row(struct command *command, const struct image_places *images,
                    const struct context_lane *lane, const struct profile_row *row)
{
    const struct trace *trace = command->session.trace;
    const char *name = names_of(&command->session.names, row->pc);
    const uint64_t address = row->pc & ~UINT64_C(1);
    struct function_cells cells = {.task = lane->task,
                                   .lane = *lane->name ? lane->name : NULL,
                                   .function = *name ? name : NULL,
                                   .self = row->ticks_self,
                                   .total = row->ticks_total,
                                   .calls = row->count,
                                   .hz = trace ? trace_frequency_hz(trace) : 0};
    struct image_place place;
    uint64_t id;
    if (trace && !trace_can(trace, TRACE_ADDRESSES)) {
        cells.id = command_function_id(row->pc, &id);
    } else {
        place = image_places_find(images, address);
        cells.address = &address;
        cells.image = place.image;
        cells.image_address = place.image ? &place.address : NULL;
    }
    command_row(command, &cells, NULL);
}

static bool write_table(struct command *command, const struct contexts *contexts,
                        const struct image_places *images)
{
    bool has_rows = false;
    if (!command_fields(command, fields, ARRAY_COUNT(fields), command->shows_tasks ? BY_TASK : 0))
        return false;
    for (size_t i = 0; i < contexts->lanes.count; i++) {
        const struct context_lane *lane = &contexts->lanes.items[i];
        struct profile profile;
        struct error err;
        if (profile_make(&profile, &contexts->tree, contexts->roots.items + lane->first_root,
                         lane->root_count, command->session.filter.depth_max, false,
                         &err) != STATUS_OK)
            return command_fail(command, &err);
        for (size_t row = 0; row < profile.rows.count; row++) {
            if (!session_takes_function(&command->session, profile.rows.items[row].pc))
                continue;
            put_row(command, images, lane, &profile.rows.items[row]);
            has_rows = true;
        }
        profile_free(&profile);
    }
    return command_require_shown(command, has_rows);
}

bool export_functions(struct command *command)
{
    struct contexts contexts = {0};
    struct image_places images = {0};
    bool is_done = contexts_gather(&contexts, command, false, NULL);
    if (is_done)
        is_done = image_places_init(&images, &command->session.names.images)
                      ? write_table(command, &contexts, &images)
                      : command_no_memory(command);
    image_places_free(&images);
    contexts_free(&contexts);
    return is_done;
}
