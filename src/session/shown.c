#include "session/shown.h"

#include "cli/suggest.h"

#include <stdio.h>

// The extent of the lanes that the filter selects.
static struct filter_extent extent_of(const struct session *session)
{
    struct filter_extent extent = {.first_time = UINT64_MAX};
    for (size_t i = 0; i < session->result.lane_count; i++) {
        const struct lane_result *lane = &session->result.lanes[i];
        if (!lane->has_root || !lane->nodes || !filter_takes_lane(&session->filter, lane->name))
            continue;
        extent.has_times = true;
        extent.first_time = u64_min(extent.first_time, lane->root.time);
        extent.last_time = u64_max(extent.last_time, lane->last.time);
        extent.last_event = u64_max(extent.last_event, lane->last.event);
    }
    return extent;
}

static enum status no_function(struct session *session, struct error *err)
{
    struct suggestion near;
    char text[SUGGEST_TEXT_BYTES];
    const char *name = session->filter.function;
    bool has_addresses = trace_can(session->trace, TRACE_ADDRESSES);
    bool is_address = session_knows_address(session, name, &session->filter.function_address);
    enum status status = names_check(&session->names, err);
    if (status != STATUS_OK)
        return status; // a function may have this name
    suggest_begin(&near, name, strlen(name));
    if (is_address || names_offer(&session->names, &near))
        return error_set(err, STATUS_NOT_FOUND, "%s: '%.120s' is not executed in the selected part",
                         session->path, name);
    suggest_text(&near, text);
    if (!names_have_image(&session->names))
        snprintf(text, sizeof text, "; names need an image (--image FILE), %s are written %s",
                 has_addresses ? "addresses" : "ids", has_addresses ? "0x..." : "#12");
    return error_set(err, STATUS_NOT_FOUND, "%s: no function is called '%.120s'%s", session->path,
                     name, text);
}

enum status session_shows_no_frame(struct session *session, size_t count, struct error *err)
{
    if (session->filter.function)
        return no_function(session, err);
    return error_set(err, STATUS_NOT_FOUND, "%s: no frame is selected: it has %zu", session->path,
                     count);
}

enum status session_shows_nothing(struct session *session, struct error *err)
{
    const struct filter *filter = &session->filter;
    if (session->hidden.calls)
        return error_set(err, STATUS_NOT_FOUND, "%s: --hide leaves out everything", session->path);
    if (session->reading == READING_TTU || filter_is_all(filter))
        return STATUS_OK;
    if (filter->function)
        return no_function(session, err);
    if (!call_range_is_all(&filter->range)) {
        const struct filter_extent extent = extent_of(session);
        return filter_no_range(filter, session->path, &extent, err);
    }
    return error_set(err, STATUS_NOT_FOUND, "%s: '%.120s' executes nothing", session->path,
                     filter->lane ? filter->lane : filter->task);
}

// --- --hide --------------------------------------------------------------------------------------

bool session_hides_any(const struct session *session)
{
    return session->hidden.items.count > 0;
}

struct question {
    struct session *session;
    uint64_t pc;
};

static bool is_meant(void *self, struct hidden_name *hidden)
{
    const struct question *question = self;
    struct names *names = &question->session->names;
    return hidden_name_is(hidden, names_of(names, question->pc)) ||
           hidden_name_is(hidden, names_of_root(names, question->pc)) ||
           names_is_called(names, question->pc, hidden->pattern) ||
           (session_knows_address(question->session, hidden->pattern, &hidden->address) &&
            ((question->pc ^ hidden->address.value) & ~UINT64_C(1)) == 0);
}

bool session_is_called(struct session *session, struct hidden_names *names, uint64_t pc)
{
    struct question question = {session, pc};
    return hidden_names_have(names, &question, is_meant);
}

bool session_hides(struct session *session, uint64_t pc)
{
    struct hidden_answer *recent = &session->hidden_recent[pc / 2 % SESSION_HIDDEN_RECENT];
    if (!session_hides_any(session))
        return false;
    if (!recent->is_known || recent->pc != pc) {
        *recent =
            (struct hidden_answer){pc, true, session_is_called(session, &session->hidden, pc)};
    }
    return recent->is_hidden;
}
