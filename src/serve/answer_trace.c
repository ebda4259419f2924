// trace, functions, notes, note: what is known about the served trace as a whole: its description,
// the functions that it calls, and what people have noted.
#include "base/letters.h"
#include "base/limits.h"
#include "base/version.h"
#include "flow/replay.h"
#include "query/doubt_text.h"
#include "serve/answer.h"
#include "serve/notes.h"

#include <stdio.h>

// --- Its description -----------------------------------------------------------------------------

static void put_time(struct request_context *context, struct json *json, const char *key,
                     uint64_t lane, uint64_t in_lane)
{
    struct trawl_event about;
    struct error err;
    if (index_view_event_of_lane(&context->session.view, lane, in_lane, &about, &err) == STATUS_OK)
        answer_text_u64(json, key, about.time);
}

// What makes the answers doubtful: of the images, and of the trace.
static void put_doubts(const struct request_context *context, struct json *json)
{
    const struct text_list *of_images = &context->session.image_doubts;
    struct doubts doubts;
    struct error err;
    if (replay_doubts(context->session.view.index, &doubts, &err) != STATUS_OK)
        doubts = (struct doubts){0};
    json_key(json, "doubts");
    json_begin_array(json);
    for (size_t i = 0; i < of_images->count; i++)
        json_text(json, of_images->items[i]);
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++) {
        char what[DOUBT_TEXT_BYTES], text[2 * DOUBT_TEXT_BYTES];
        const char *effect, *advice;
        if (!doubts.of[kind].count)
            continue;
        doubt_describe(context->session.trace, kind, &doubts.of[kind], what, &effect, &advice);
        snprintf(text, sizeof text, "%s: %s", what, effect);
        json_text(json, text);
    }
    json_end_array(json);
}

enum status answer_trace(struct asking *asking, struct error *err)
{
    static const struct {
        const char *name;
        unsigned ability;
    } abilities[] = {
        {"calls", TRACE_CALLS},
        {"registers", TRACE_REGISTERS},
        {"memory", TRACE_MEMORY},
        {"times", TRACE_TIMES},
        {"lines", TRACE_LINES},
        {"addresses", TRACE_ADDRESSES},
        {"instructions", TRACE_INSTRUCTIONS},
    };
    static const char *const rows[] = {
        [ROWS_LINES] = "lines", [ROWS_CALLS] = "calls", [ROWS_SNAPSHOTS] = "snapshots"};
    struct request_context *context = asking->context;
    const struct index_view *view = &context->session.view;
    struct json *json = asking->json;
    (void)err;
    json_member_text(json, "file", context->session.path);
    json_member_text(json, "kind", view->info.kind);
    json_member_text(json, "version", TRAWL_VERSION);
    json_member_text(json, "rows", rows[context->source.rows]);
    json_member_u64(json, "events", view->info.events);
    json_member_u64(json, "lines", view->info.lines);
    json_member_u64(json, "ticks_per_second", view->info.ticks_per_second);
    json_member_text(json, "lane_word", context->session.trace->kind->words.heading);
    json_member_u64(json, "traces", asking->trace_count);
    json_key(json, "can");
    json_begin_object(json);
    for (size_t i = 0; i < ARRAY_COUNT(abilities); i++) {
        json_key(json, abilities[i].name);
        json_bool(json, trace_can(context->session.trace, abilities[i].ability));
    }
    json_end_object(json);
    json_key(json, "lanes");
    json_begin_array(json);
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        const struct trawl_lane *lane = &view->lanes[i];
        json_begin_object(json);
        json_member_text(json, "name", lane->name);
        json_member_u64(json, "events", lane->events);
        json_member_u64(json, "calls", lane->calls);
        if (lane->events) {
            put_time(context, json, "first_time", i, 0);
            put_time(context, json, "last_time", i, lane->events - 1);
        }
        json_end_object(json);
    }
    json_end_array(json);
    put_doubts(context, json);
    return STATUS_OK;
}

// --- Its functions -------------------------------------------------------------------------------

enum { AT_ONCE = 256, FUNCTIONS_DEFAULT = 200 };

// The best of the functions whose names have some letters, with their places in the name.
enum { BEST_MOST = 50 };

struct found_function {
    uint64_t pc, calls;
    struct letters_match match;
};

static void put_found(struct asking *asking, const struct found_function *found)
{
    struct json *json = asking->json;
    char name[BROWSE_NAME_BYTES];
    browse_address_name(&asking->context->source, found->pc, name);
    json_begin_object(json);
    json_member_text(json, "name", name);
    json_member_address(json, "pc", found->pc);
    json_member_u64(json, "calls", found->calls);
    json_key(json, "at");
    json_begin_array(json);
    for (size_t i = 0; i < found->match.count; i++)
        json_u64(json, found->match.at[i]);
    json_end_array(json);
    json_end_object(json);
}

static enum status put_best(struct asking *asking, const char *letters, uint64_t capacity,
                            struct error *err)
{
    struct trawl_index *index = asking->context->session.view.index;
    struct found_function best[BEST_MOST + 1];
    uint64_t pcs[AT_ONCE], calls[AT_ONCE], pc = 0;
    char name[BROWSE_NAME_BYTES];
    struct trawl_error why;
    size_t count, kept = 0;
    do {
        enum trawl_status found =
            trawl_functions(index, TRAWL_ANY_LANE, pc, pcs, calls, AT_ONCE, &count, &why);
        if (found != TRAWL_OK)
            return index_status(found, &why, err);
        for (size_t i = 0; i < count; i++) {
            struct found_function next = {.pc = pcs[i] & ~UINT64_C(1), .calls = calls[i]};
            browse_address_name(&asking->context->source, next.pc, name);
            if (!letters_find(letters, name, &next.match))
                continue;
            size_t at = kept; // of two that are as good, the one with the lower address is first
            for (; at && best[at - 1].match.score < next.match.score; at--)
                best[at] = best[at - 1];
            best[at] = next;
            kept = (size_t)u64_min(kept + 1, capacity);
        }
        pc = count ? pcs[count - 1] + 1 : 0;
    } while (count == AT_ONCE && pc);
    json_key(asking->json, "functions");
    json_begin_array(asking->json);
    for (size_t i = 0; i < kept; i++)
        put_found(asking, &best[i]);
    json_end_array(asking->json);
    return STATUS_OK;
}

// Functions whose names contain `like`, in the order of addresses, from the address `from` on.
// `next` is where to continue; it is absent after the last.
enum status answer_functions(struct asking *asking, struct error *err)
{
    struct trawl_index *index = asking->context->session.view.index;
    struct json *json = asking->json;
    const char *wanted = request_text(asking->request, "like");
    const char *letters = request_text(asking->request, "letters");
    uint64_t pcs[AT_ONCE], calls[AT_ONCE], pc = 0, left = FUNCTIONS_DEFAULT;
    char name[BROWSE_NAME_BYTES];
    struct trawl_error why;
    bool goes_on = true;
    enum status status = request_u64(asking->request, "from", UINT64_MAX, &pc, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "count", LIMIT_SERVE_FUNCTIONS, &left, err);
    if (status != STATUS_OK)
        return status;
    if (letters && *letters)
        return put_best(asking, letters, u64_min(left, BEST_MOST), err);
    json_key(json, "functions");
    json_begin_array(json);
    while (goes_on && left) {
        size_t count;
        enum trawl_status found =
            trawl_functions(index, TRAWL_ANY_LANE, pc, pcs, calls, AT_ONCE, &count, &why);
        if (found != TRAWL_OK)
            return index_status(found, &why, err);
        goes_on = count == AT_ONCE;
        for (size_t i = 0; i < count && left; i++) {
            browse_address_name(&asking->context->source, pcs[i] & ~UINT64_C(1), name);
            pc = pcs[i] + 1;
            goes_on = count == AT_ONCE || i + 1 < count;
            if (wanted && !strstr(name, wanted))
                continue;
            json_begin_object(json);
            json_member_text(json, "name", name);
            json_member_address(json, "pc", pcs[i] & ~UINT64_C(1));
            json_member_u64(json, "calls", calls[i]);
            json_end_object(json);
            left--;
        }
    }
    json_end_array(json);
    if (goes_on && pc)
        answer_text_u64(json, "next", pc);
    return STATUS_OK;
}

// --- Its notes -----------------------------------------------------------------------------------

enum status answer_notes(struct asking *asking, struct error *err)
{
    (void)err;
    notes_put(asking->notes, asking->json);
    return STATUS_OK;
}

enum status answer_note(struct asking *asking, struct error *err)
{
    const char *text = request_text(asking->request, "text");
    uint64_t event;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK && !text)
        status = error_set(err, STATUS_INPUT, "text: expected a note; an empty one removes it");
    if (status == STATUS_OK)
        status = notes_set(asking->notes, event, text, err);
    if (status == STATUS_OK)
        notes_put(asking->notes, asking->json);
    return status;
}
