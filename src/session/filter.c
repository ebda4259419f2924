#include "session/session.h"

#include "cli/suggest.h"

#include <inttypes.h>
#include <stdio.h>

bool filter_takes_lane(const struct filter *filter, const char *lane)
{
    return !filter->lane || strcmp(filter->lane, lane) == 0;
}

bool filter_is_all(const struct filter *filter)
{
    return !filter->lane && !filter->function && !filter->task && call_range_is_all(&filter->range);
}

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

enum status filter_no_lane(const struct filter *filter, const char *path,
                           const struct lane_names *names, struct error *err)
{
    struct suggestion near;
    char text[SUGGEST_TEXT_BYTES];
    bool is_nameless = names->count == 1 && !*names->names[0];
    suggest_begin(&near, filter->lane, strlen(filter->lane));
    for (size_t i = 0; i < names->count; i++)
        suggest_offer(&near, names->names[i], strlen(names->names[i]));
    suggest_text(&near, text);
    if (is_nameless)
        snprintf(text, sizeof text, "; the trace names none");
    else if (!*text && names->count) {
        // Lists the first names if no name is similar.
        int used =
            snprintf(text, SUGGEST_TEXT_BYTES, "; there %s", names->count == 1 ? "is" : "are");
        for (size_t i = 0; i < names->count && i < SUGGESTIONS_MAX; i++)
            used += snprintf(text + used, SUGGEST_TEXT_BYTES - (size_t)used, "%s '%s'",
                             i ? "," : "", names->names[i]);
        if (names->count > SUGGESTIONS_MAX)
            snprintf(text + used, SUGGEST_TEXT_BYTES - (size_t)used, " and %s%zu more",
                     names->has_more ? "at least " : "", names->count - SUGGESTIONS_MAX);
    }
    return error_set(err, STATUS_NOT_FOUND, "%s: no %s is called '%.120s'%s", path, names->kind,
                     filter->lane, text);
}

// --- Ranges --------------------------------------------------------------------------------------

enum status filter_no_range(const struct filter *filter, const char *path,
                            const struct filter_extent *extent, struct error *err)
{
    const struct call_range *range = &filter->range;
    bool by_time = range->first_time > 0 || range->last_time < UINT64_MAX;
    bool by_event = range->first_event > 0 || range->last_event < UINT64_MAX;
    char times[64] = "", events[64] = "";
    if (by_time && extent->has_times)
        snprintf(times, sizeof times, ": times are %" PRIu64 " to %" PRIu64, extent->first_time,
                 extent->last_time);
    if (by_event && extent->has_times)
        snprintf(events, sizeof events, "%s events are 0 to %" PRIu64, *times ? "," : ":",
                 extent->last_event);
    return error_set(err, STATUS_NOT_FOUND, "%s: the range selects nothing%s%s", path, times,
                     events);
}
