// search: the next hits of a search, and its progress. Repeating the request gives more.
#include "base/limits.h"
#include "browse/shown_line.h"
#include "serve/answer.h"
#include "serve/searches.h"

#include <stdio.h>
#include <stdlib.h>

enum { HITS_DEFAULT = 1, TEXT_BYTES = 400 };

// The place to search from: `place`, as in an earlier hit, or where the event `at` begins.
static enum status find_from(struct asking *asking, bool are_events, uint64_t *from,
                             struct error *err)
{
    struct trawl_event about;
    uint64_t event;
    *from = SEARCH_START;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK && event != TRAWL_START) {
        browse_event(&asking->context->source, event, &about);
        *from = are_events ? event : about.position;
    }
    if (status == STATUS_OK)
        status = request_u64(asking->request, "place", UINT64_MAX - 1, from, err);
    return status;
}

// The line that begins at `place`, as it is shown, up to the length that answers have.
static void put_line(struct asking *asking, uint64_t place)
{
    struct browse_source *source = &asking->context->source;
    const struct trace_lines lines = browse_lines(source);
    uint64_t end = u64_min(place + SHOWN_LINE_BYTES, lines.size_bytes), at = place;
    struct line_look_context context = LINE_LOOK_START;
    struct line_look look;
    char room[SHOWN_LINE_BYTES], text[TEXT_BYTES + 1];
    if (at < end && trace_lines_want(&lines, at, end)) {
        while (at < end && lines.text[at] != '\r' && lines.text[at] != '\n')
            at++;
    }
    struct text_span line = {lines.text + place, lines.text + at};
    if (shown_lines_differ(source)) {
        source->trace->kind->text->look(line.start, line.end, &source->how, source->isa, &context,
                                        &look);
        shown_line_name(source, &look, &line, room);
    }
    snprintf(text, sizeof text, "%.*s", (int)(line.end - line.start), line.start);
    json_member_text(asking->json, "text", text);
}

static enum status put_hit(struct asking *asking, const struct search_answer *answer,
                           uint64_t place, struct error *err)
{
    struct trawl_error why;
    uint64_t event = place;
    if (!answer->are_events) {
        enum trawl_status status =
            trawl_event_at_position(asking->context->session.view.index, place, &event, &why);
        if (status != TRAWL_OK)
            return index_status(status, &why, err);
    }
    json_begin_object(asking->json);
    answer_event(asking->json, "event", event);
    answer_line(asking, "line", event);
    json_member_u64(asking->json, "place", place);
    if (!answer->are_events)
        put_line(asking, place);
    json_end_object(asking->json);
    return STATUS_OK;
}

enum status answer_search(struct asking *asking, struct error *err)
{
    static const char *const ways[] = {"forward", "backward"};
    static const char *const kinds[] = {"text", "condition"};
    static const char *const outcomes[] = {
        [SEARCH_FOUND] = "found", [SEARCH_UNDER_WAY] = "under way", [SEARCH_NOWHERE] = "nowhere"};
    struct json *json = asking->json;
    const struct request *request = asking->request;
    struct request_context *context = asking->context;
    struct search_wish wish = {.text = request_text(request, "what")};
    struct search_answer answer = {0};
    uint64_t from, count = HITS_DEFAULT, stops = 0;
    size_t way = 0, kind = 0;
    if (!wish.text || !*wish.text)
        return error_set(err, STATUS_INPUT, "what: expected a regular expression or a condition");
    enum status status = request_word(request, "way", ways, ARRAY_COUNT(ways), &way, err);
    if (status == STATUS_OK)
        status = request_word(request, "kind", kinds, ARRAY_COUNT(kinds), &kind, err);
    if (status == STATUS_OK)
        status = request_lane(request, "lane", &context->session.view, 0, &wish.lane, err);
    if (status == STATUS_OK)
        status = request_u64(request, "count", LIMIT_SERVE_HITS, &count, err);
    if (status == STATUS_OK)
        status = request_u64(request, "stop", 1, &stops, err);
    wish.is_condition = kind == 1;
    if (status == STATUS_OK)
        status =
            find_from(asking, wish.is_condition || context->source.rows != ROWS_LINES, &from, err);
    if (status == STATUS_OK && stops) {
        searches_stop(asking->searches, &wish);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = searches_ask(asking->searches, &wish, from, way == 0, (size_t)count, &answer, err);
    if (status == STATUS_OK) {
        json_member_text(json, "outcome", outcomes[answer.outcome]);
        json_member_bool(json, "has_wrapped", answer.has_wrapped);
        json_member_u64(json, "hits_found", answer.progress.hits);
        json_member_u64(json, "percent", answer.progress.percent);
        json_member_bool(json, "is_done", answer.progress.is_done);
        json_member_bool(json, "has_failed", answer.progress.has_failed);
        json_key(json, "hits");
        json_begin_array(json);
        for (size_t i = 0; i < answer.count && status == STATUS_OK; i++)
            status = put_hit(asking, &answer, answer.places[i], err);
        json_end_array(json);
    }
    free(answer.places);
    return status;
}
