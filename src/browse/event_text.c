#include "browse/event_text.h"

#include "base/limits.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { INDENTATION_MAX = 40, TIME_BYTES = 40 };

// Adds a part, truncated if there is no room.
PRINTF_LIKE(3, 4)
static void put(struct event_text *text, enum text_class text_class, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof text->bytes - text->length;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (length <= 0 || text->part_count == ARRAY_COUNT(text->parts))
        return;
    const char *start = text->bytes + text->length;
    text->length += u64_min((uint64_t)length, room - 1);
    text->parts[text->part_count++] =
        (struct text_part){start, text->bytes + text->length, text_class};
}

bool browse_time_text(const struct browse_source *source, uint64_t time, char *text, size_t size)
{
    uint64_t hz = source->indexed->info.ticks_per_second;
    if (!trace_can(source->trace, TRACE_TIMES))
        return false;
    if (!hz) {
        snprintf(text, size, "%" PRIu64, time);
        return true;
    }
    uint64_t ticks = time >= source->first_time ? time - source->first_time : 0;
    uint64_t ns = (uint64_t)((unsigned __int128)(ticks % hz) * NS_PER_S / hz);
    snprintf(text, size, "%" PRIu64 ".%09" PRIu64, ticks / hz, ns);
    return true;
}

void duration_text(uint64_t ticks, uint64_t hz, const char *unit, char text[DURATION_BYTES])
{
    static const char *const units[] = {"ns", "us", "ms"};
    if (!hz) {
        snprintf(text, DURATION_BYTES, "%" PRIu64 " %s", ticks, unit);
        return;
    }
    unsigned __int128 wide = (unsigned __int128)ticks * NS_PER_S / hz;
    uint64_t ns = wide > UINT64_MAX ? UINT64_MAX : (uint64_t)wide, scale = 1;
    size_t at = 0;
    for (; at < ARRAY_COUNT(units) && ns / scale >= 1000; at++)
        scale *= 1000;
    const char *name = at < ARRAY_COUNT(units) ? units[at] : "s";
    if (scale == 1)
        snprintf(text, DURATION_BYTES, "%" PRIu64 " %s", ns, name);
    else
        snprintf(text, DURATION_BYTES, "%" PRIu64 ".%03" PRIu64 " %s", ns / scale,
                 ns % scale / (scale / 1000), name);
}

// --- Entries and exits ---------------------------------------------------------------------------

// The call that an event enters or exits; it ends with the event before its exit. False: none.
static bool call_of(struct browse_source *source, const struct trawl_event *about, bool is_exit,
                    struct trawl_call *call)
{
    struct trawl_index *index = source->indexed->index;
    uint64_t at = about->in_lane - is_exit;
    struct trawl_error err;
    if (is_exit && !about->in_lane)
        return false;
    enum trawl_status status = trawl_call_at(index, about->lane, at, call, &err);
    // An exit may end several calls; the one of its function is meant.
    for (unsigned i = 0; i < LIMIT_ROW_PARENTS && status == TRAWL_OK; i++) {
        if ((is_exit ? call->exit : call->entry) == at && (call->pc | 1) == (about->pc | 1))
            return !is_exit || !call->is_open;
        if (call->parent == TRAWL_NONE)
            return false;
        status = trawl_call(index, about->lane, call->parent, call, &err);
    }
    return false;
}

static void put_call(struct browse_source *source, struct event_text *text,
                     const struct trawl_event *about)
{
    enum { TAIL_EXIT = 2 << 8 };
    bool is_exit = browse_is_exit(about);
    char name[BROWSE_NAME_BYTES], time[TIME_BYTES];
    struct trawl_call call, around;
    struct trawl_event other;
    struct trawl_error failure;
    struct error err;
    bool has_call = call_of(source, about, is_exit, &call);
    // The number of calls around the row; for an entry, without the one that it begins.
    uint64_t depth = 0;
    if (trawl_call_at(source->indexed->index, about->lane, about->in_lane, &around, &failure) ==
        TRAWL_OK)
        depth = u64_min(around.depth - (around.entry == about->in_lane), INDENTATION_MAX);
    if (browse_time_text(source, about->time, time, sizeof time))
        put(text, TEXT_TIME, "%15s  ", time);
    put(text, TEXT_EVENT, "%*s%s ", (int)depth, "", is_exit ? "<-" : "->");
    browse_address_name(source, about->pc, name);
    put(text, is_exit ? TEXT_PLAIN : TEXT_DISASSEMBLY, "%s", name);
    if (has_call && call.is_open) {
        put(text, TEXT_FAILED, "  never returned");
    } else if (!has_call) {
        put(text, TEXT_FAILED, is_exit ? "  not entered" : "  not left");
    } else if (index_view_event_of_lane(source->indexed, about->lane,
                                        is_exit ? call.entry : call.exit + 1, &other,
                                        &err) == STATUS_OK) {
        uint64_t begin = is_exit ? other.time : about->time;
        uint64_t end = is_exit ? about->time : other.time;
        char duration[DURATION_BYTES];
        duration_text(end > begin ? end - begin : 0, source->indexed->info.ticks_per_second,
                      "ticks", duration);
        put(text, TEXT_ENCODING, "  %s", duration);
    }
    if ((about->flags & TRAWL_XRAY_KIND) == TAIL_EXIT)
        put(text, TEXT_MODE, "  tail call");
}

// --- Snapshots -----------------------------------------------------------------------------------

static void put_snapshot(struct browse_source *source, struct event_text *text,
                         const struct trawl_event *about)
{
    char name[BROWSE_NAME_BYTES];
    uint64_t sizes[LIMIT_ROW_ACCESSES], bytes = 0;
    const struct trawl_access_columns columns = {.size_bytes = sizes};
    struct trawl_access_cursor place = {.event = about->event};
    struct trawl_error err;
    size_t count = 0;
    // How much memory was collected, as far as it is counted.
    if (trawl_accesses(source->indexed->index, &place, about->event + 1, LIMIT_ROW_ACCESSES,
                       &columns, &count, &err) != TRAWL_OK)
        count = 0;
    for (size_t i = 0; i < count; i++)
        bytes += sizes[i];
    put(text, TEXT_EVENT, "%8" PRIu64 "  ", about->event);
    put(text, TEXT_MODE, "%-8s  ", source->indexed->lanes[about->lane].name);
    if (!(about->flags & TRAWL_HAS_INSTRUCTION)) {
        put(text, TEXT_FAILED, "at no place that is known");
    } else {
        put(text, TEXT_ADDRESS, "0x%" PRIx64,
            names_address(source->names, about->pc) & ~UINT64_C(1));
        if (browse_address_name(source, about->pc & ~UINT64_C(1), name))
            put(text, TEXT_DISASSEMBLY, "  %s", name);
    }
    if (bytes)
        put(text, TEXT_PLAIN, "  %s%" PRIu64 " bytes of memory",
            count < LIMIT_ROW_ACCESSES ? "" : "more than ", bytes);
    if (about->flags & TRAWL_FRAME_DAMAGED)
        put(text, TEXT_FAILED, "  damaged");
    if (about->flags & TRAWL_FRAME_RECOVERED)
        put(text, TEXT_FAILED, "  recovered");
}

const struct event_text *browse_event_text(struct browse_source *source, uint64_t event)
{
    struct event_text *text = &source->text;
    struct trawl_event about;
    if (text->is_made && text->event == event)
        return text;
    text->is_made = true;
    text->event = event;
    text->length = text->part_count = 0;
    browse_event(source, event, &about);
    if (source->rows == ROWS_SNAPSHOTS)
        put_snapshot(source, text, &about);
    else
        put_call(source, text, &about);
    return text;
}

struct text_span browse_row_text(struct browse_source *source, uint64_t event, uint64_t line)
{
    if (source->rows == ROWS_LINES)
        return browse_line(source, event, line);
    const struct event_text *text = browse_event_text(source, event);
    return (struct text_span){text->bytes, text->bytes + text->length};
}
