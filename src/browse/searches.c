// Background searches, and how they move the position.
#include "browse/browser.h"
#include "browse/pane.h"
#include "browse/search.h"
#include "browse/shown_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The place of the line from which a search continues.
static uint64_t search_origin(struct browser *browser)
{
    const struct view *view = &browser->view;
    struct browse_source *source = browser->source;
    uint64_t line = browser->selected == UINT64_MAX ? 0 : browser->selected;
    uint64_t event = view_is_hidden(&browser->view) ? view->state : view->shown;
    if (event == TRAWL_START)
        return SEARCH_START;
    if (browser->selected == UINT64_MAX)
        line = timeline_lines_of(browser->timeline, event) - 1;
    struct text_span text = browse_line(source, event, line);
    return (uint64_t)(text.start - source->lines.text);
}

void browser_go_to_offset(struct browser *browser, uint64_t offset)
{
    struct browse_source *source = browser->source;
    const struct trace_lines *lines = &source->lines;
    struct trawl_error err;
    struct trawl_event about;
    uint64_t event, line = 0;
    if (trawl_event_at_position(source->indexed->index, offset, &event, &err) != TRAWL_OK ||
        event == TRAWL_START) {
        browser_go(browser, TRAWL_START);
        return;
    }
    browse_event(source, event, &about);
    offset = u64_min(offset, lines->size_bytes);
    for (uint64_t at = about.position; (at = trace_lines_next(lines, at)) <= offset; line++) {
        if (at == lines->size_bytes)
            break;
    }
    browser_go(browser, event);
    if (browser->view.shown == event)
        browser->selected = line;
    else
        browser_say(browser, "In what is folded away: + unfolds it");
}

// Whether the places of a search are events, rather than bytes of the text.
static bool finds_events(const struct search *search)
{
    return event_search_is(search) || name_search_is(search);
}

static void find_match(struct browser *browser)
{
    struct search_job *job = &browser->search;
    uint64_t found;
    bool has_wrapped;
    switch (search_next(job->search, job->from, job->is_forward, &found, &has_wrapped)) {
    case SEARCH_FOUND:
        job->is_waiting = false;
        if (finds_events(job->search))
            browser_go(browser, found);
        else
            browser_go_to_offset(browser, found);
        if (has_wrapped)
            browser_say(browser, "The search continued at the %s of the trace",
                        job->is_forward ? "start" : "end");
        break;
    case SEARCH_NOWHERE:
        job->is_waiting = false;
        browser_complain(browser, "Not found: %s", search_text(job->search));
        break;
    default:
        job->is_waiting = true;
    }
}

// Begins a search from the position, replacing the current one.
static void begin_search(struct browser *browser, struct search *search,
                         const struct search_way *way)
{
    browser_end_search(browser, NULL, 0);
    browser->search =
        (struct search_job){.search = search, .is_forward = way->is_forward, .from = way->start};
    find_match(browser);
}

static void start_search(struct browser *browser, const char *pattern, bool is_forward)
{
    bool has_lines = browser->source->rows == ROWS_LINES;
    const struct search_way way = {has_lines ? search_origin(browser) : browser->view.state,
                                   is_forward, browser->threads};
    struct error err;
    struct search *search;
    const struct trace_lines text = browse_lines(browser->source);
    enum status status = STATUS_OK;
    // The reference searches the text alone.
    bool is_as_shown = !browser->is_plain && browser->has_targets;
    if (is_as_shown && !browser->shown && shown_lines_differ(browser->source))
        status = shown_lines_open(&browser->shown, browser->source->session, &err);
    if (status == STATUS_OK)
        status = has_lines ? text_search_open(&search, &text, pattern,
                                              is_as_shown ? browser->shown : NULL, &way, &err)
                           : name_search_open(&search, browser->source, pattern, &way, &err);
    if (status == STATUS_OK)
        begin_search(browser, search, &way);
    else
        browser_complain(browser, "%s: %s", pattern, err.text);
}

void browser_search_down(struct browser *browser, struct pane *pane, const char *typed)
{
    (void)pane;
    start_search(browser, typed, true);
}

void browser_search_up(struct browser *browser, struct pane *pane, const char *typed)
{
    (void)pane;
    start_search(browser, typed, false);
}

void browser_search_condition(struct browser *browser, struct pane *pane, const char *typed)
{
    struct browse_source *source = browser->source;
    uint64_t in_lane, state = browser->view.state;
    const struct search_way way = {state, true, browser->threads};
    struct expression condition;
    struct error err;
    struct search *search;
    (void)pane;
    if (!browser_can(browser, TRACE_REGISTERS))
        return;
    uint64_t lane = timeline_lane_of(browser->timeline, state == TRAWL_START ? 0 : state, &in_lane);
    if (browse_condition(source, state, typed, &condition, &err) == STATUS_OK &&
        event_search_open(&search, source->indexed, &condition, lane, &way, &err) == STATUS_OK)
        begin_search(browser, search, &way);
    else
        browser_complain(browser, "%s", err.text);
}

bool browser_search_again(struct browser *browser, bool is_same_way)
{
    struct search_job *job = &browser->search;
    if (!job->search)
        return false;
    bool is_forward = job->is_forward;
    job->from = finds_events(job->search) ? browser->view.state : search_origin(browser);
    job->is_forward = is_forward == is_same_way;
    find_match(browser);
    job->is_forward = is_forward;
    return true;
}

bool browser_is_busy(const struct browser *browser)
{
    for (size_t i = 0; i < browser->pane_count; i++) {
        const struct pane *pane = browser->panes[i];
        if (pane->job)
            return true;
    }
    return browser_waits_for_filter(browser) ||
           (browser->search.search && (browser->search.is_waiting || !browser->search.is_drawn));
}

void browser_tick(struct browser *browser)
{
    if (browser->search.is_waiting)
        find_match(browser);
    browser_take_filter(browser);
}

void browser_end_search(struct browser *browser, struct pane *pane, uint32_t key)
{
    (void)pane, (void)key;
    browser_end_found_filter(browser);
    search_close(browser->search.search);
    browser->search = (struct search_job){0};
}

void browser_search_status(struct browser *browser, struct row *row)
{
    struct search *search = browser->search.search;
    struct search_progress progress = search_progress(search);
    row_string(row, ROLE_MESSAGE, search_text(search));
    row_format(row, ROLE_MESSAGE, ": %s %" PRIu64 " %s%s", finds_events(search) ? "at" : "in",
               progress.hits, search_kind(search)->unit, plural(progress.hits));
    if (!progress.is_done)
        row_format(row, ROLE_MESSAGE, ", %u %% searched", progress.percent);
    if (progress.has_failed)
        row_string(row, ROLE_ERROR, ", but the index cannot be read everywhere");
    row_string(row, ROLE_HINT, "   n N next, previous  Esc end");
}

// --- Reads ---------------------------------------------------------------------------------------

// Lines that show a read: of memory by a load, of a register by an instruction that names it.
struct read_test {
    const struct browse_source *source;
    struct thing thing;
    uint32_t isa;
};

// The context that previous lines give to the line at `start`, which may continue them.
static struct line_look_context context_before(const struct read_test *test,
                                               const struct trace_lines *lines, uint64_t start)
{
    enum { CONTINUED_LINES = 16 };
    struct line_look_context context = LINE_LOOK_START;
    struct line_look look;
    const char *text = lines->text;
    uint64_t at = start;
    for (unsigned i = 0; i < CONTINUED_LINES && at && (text[at] == ' ' || text[at] == '\t'); i++)
        at = trace_lines_start(lines, at - 1);
    for (uint64_t end; at < start; at = end + 1) {
        end = trace_lines_end(lines, at);
        test->source->trace->kind->text->look(text + at, text + end, &test->source->how, test->isa,
                                              &context, &look);
    }
    return context;
}

static bool overlaps(const struct thing *thing, uint64_t place, uint64_t size_bytes)
{
    return place < thing->place ? thing->place - place < size_bytes
                                : place - thing->place < thing->size_bytes;
}

static bool is_read(const void *self, const struct trace_lines *lines, const char *start,
                    const char *end)
{
    const struct read_test *test = self;
    struct line_look_context context = context_before(test, lines, (uint64_t)(start - lines->text));
    struct line_look look;
    context.text = lines->text;
    test->source->trace->kind->text->look(start, end, &test->source->how, test->isa, &context,
                                          &look);
    if (test->thing.is_register) {
        if (look.subject != LINE_ABOUT_INSTRUCTION)
            return false;
        for (size_t i = 0; i < look.read_count; i++) {
            const struct text_span *name = &look.reads[i];
            struct trawl_register found;
            if (browse_register_named(test->source, name->start, (size_t)(name->end - name->start),
                                      test->isa, &found) &&
                overlaps(&test->thing, found.offset, found.size_bytes))
                return true;
        }
        return false;
    }
    return look.subject == LINE_ABOUT_MEMORY && look.is_load &&
           overlaps(&test->thing, look.place, look.size_bytes);
}

enum status browser_open_reads(struct browser *browser, const struct thing *thing, bool is_forward,
                               struct search **search, struct error *err)
{
    const struct trace_lines text = browse_lines(browser->source);
    const struct search_way way = {search_origin(browser), is_forward, browser->threads};
    struct read_test *test = calloc(1, sizeof *test);
    const struct line_test reads = {test, is_read, free};
    char name[THING_TEXT_BYTES], description[THING_TEXT_BYTES + 16];
    *search = NULL;
    if (!test || !browser->source->trace->kind->text) {
        free(test);
        return error_set(err, STATUS_NOT_FOUND, "Lines of this trace do not show reads");
    }
    thing_text(browser, thing, name);
    snprintf(description, sizeof description, "reads of %s", name);
    *test = (struct read_test){browser->source, *thing,
                               browse_isa(browser->source, browser->view.state)};
    return line_search_open(search, &text, &reads, description, &way, err);
}

void browser_find_reads(struct browser *browser, const struct thing *thing, bool is_forward)
{
    const struct search_way way = {search_origin(browser), is_forward, browser->threads};
    struct search *search;
    struct error err;
    if (browser_open_reads(browser, thing, is_forward, &search, &err) == STATUS_OK)
        begin_search(browser, search, &way);
    else
        browser_complain(browser, "%s", err.text);
}
