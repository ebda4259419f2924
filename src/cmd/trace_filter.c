#include "cmd/trace_filter.h"

#include "cli/suggest.h"

#include <inttypes.h>
#include <stdio.h>

// --- Lanes ---------------------------------------------------------------------------------------

void lane_names_add(struct lane_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->names[i], name) == 0)
            return;
    }
    if (names->count == ARRAY_COUNT(names->names))
        names->has_more = true;
    else
        snprintf(names->names[names->count++], sizeof names->names[0], "%s", name);
}

void lane_names_of_result(struct lane_names *names, const struct trace_command *command)
{
    *names = (struct lane_names){.kind = command->opened->kind->words.lane};
    for (size_t i = 0; i < command->result.lane_count; i++)
        lane_names_add(names, command->result.lanes[i].name);
}

// The first names, where none is near.
static void list_names(const struct lane_names *names, char text[SUGGEST_TEXT_BYTES])
{
    int used = snprintf(text, SUGGEST_TEXT_BYTES, "; there %s", names->count == 1 ? "is" : "are");
    for (size_t i = 0; i < names->count && i < SUGGESTIONS_MAX; i++)
        used += snprintf(text + used, SUGGEST_TEXT_BYTES - (size_t)used, "%s '%s'", i ? "," : "",
                         names->names[i]);
    if (names->count > SUGGESTIONS_MAX)
        snprintf(text + used, SUGGEST_TEXT_BYTES - (size_t)used, " and %s%zu more",
                 names->has_more ? "at least " : "", names->count - SUGGESTIONS_MAX);
}

enum status trace_filter_no_lane(const struct trace_command *command,
                                 const struct lane_names *names, struct error *err)
{
    struct suggestion near;
    char text[SUGGEST_TEXT_BYTES];
    bool is_nameless = names->count == 1 && !*names->names[0];
    suggest_begin(&near, command->lane, strlen(command->lane));
    for (size_t i = 0; i < names->count; i++)
        suggest_offer(&near, names->names[i], strlen(names->names[i]));
    suggest_text(&near, text);
    if (is_nameless)
        snprintf(text, sizeof text, "; the trace names none");
    else if (!*text && names->count)
        list_names(names, text);
    return error_set(err, STATUS_NOT_FOUND, "%s: no %s is called '%.120s'%s", command->trace,
                     names->kind, command->lane, text);
}

// --- Ranges --------------------------------------------------------------------------------------

enum status trace_filter_no_range(const struct trace_command *command,
                                  const struct filter_extent *extent, struct error *err)
{
    const struct call_range *range = &command->range;
    bool by_time = range->first_time > 0 || range->last_time < UINT64_MAX;
    bool by_event = range->first_event > 0 || range->last_event < UINT64_MAX;
    char times[64] = "", events[64] = "";
    if (by_time && extent->has_times)
        snprintf(times, sizeof times, ": times are %" PRIu64 " to %" PRIu64, extent->first_time,
                 extent->last_time);
    if (by_event && extent->has_times)
        snprintf(events, sizeof events, "%s events are 0 to %" PRIu64, *times ? "," : ":",
                 extent->last_event);
    return error_set(err, STATUS_NOT_FOUND, "%s: nothing lies in what %s%s%s ask%s for%s%s",
                     command->trace, by_time ? "--time" : "", by_time && by_event ? " and " : "",
                     by_event ? "--events" : "", by_time && by_event ? "" : "s", times, events);
}

// Of the lanes that are wanted.
static struct filter_extent extent_of(const struct trace_command *command)
{
    struct filter_extent extent = {.first_time = UINT64_MAX};
    for (size_t i = 0; i < command->result.lane_count; i++) {
        const struct lane_result *lane = &command->result.lanes[i];
        if (!lane->has_root || !trace_command_wants_lane(command, lane))
            continue;
        extent.has_times = true;
        extent.first_time = u64_min(extent.first_time, lane->root.time);
        extent.last_time = u64_max(extent.last_time, lane->last.time);
        extent.last_event = u64_max(extent.last_event, lane->last.event);
    }
    return extent;
}

// --- Functions -----------------------------------------------------------------------------------

static enum status no_function(struct trace_command *command, struct error *err)
{
    struct suggestion near;
    char text[SUGGEST_TEXT_BYTES];
    const char *name = command->function;
    bool has_names = names_have_image(&command->names);
    bool has_addresses = trace_can(command->opened, TRACE_ADDRESSES);
    bool is_address = has_addresses && strncmp(name, "0x", 2) == 0;
    suggest_begin(&near, name, strlen(name));
    if (is_address || names_offer(&command->names, &near))
        return error_set(err, STATUS_NOT_FOUND, "%s: nothing of '%.120s' is in what was asked for",
                         command->trace, name);
    suggest_text(&near, text);
    if (!has_names)
        snprintf(text, sizeof text, "; names need an image (--image FILE), %s are written %s",
                 has_addresses ? "addresses" : "ids", has_addresses ? "0x..." : "#12");
    return error_set(err, STATUS_NOT_FOUND, "%s: no function is called '%.120s'%s", command->trace,
                     name, text);
}

enum status trace_filter_no_frame(struct trace_command *command, size_t count, struct error *err)
{
    if (command->function)
        return no_function(command, err);
    return error_set(err, STATUS_NOT_FOUND, "%s: no frame is in what was asked for: it has %zu",
                     command->trace, count);
}

bool trace_filter_allows(struct trace_command *command, bool shows_something,
                         enum exit_status *status)
{
    struct error err;
    bool has_range = !call_range_is_all(&command->range);
    if (shows_something || command->reading == READING_TTU ||
        (!has_range && !command->function && !command->lane))
        return true;
    if (command->function) {
        no_function(command, &err);
    } else if (has_range) {
        const struct filter_extent extent = extent_of(command);
        trace_filter_no_range(command, &extent, &err);
    } else {
        error_set(&err, STATUS_NOT_FOUND, "%s: '%.120s' executes nothing", command->trace,
                  command->lane);
    }
    *status = trace_command_error(command, &err);
    return false;
}
