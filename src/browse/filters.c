// The keys that leave out rows: only calls, only reads or writes of something, only what the search
// found, all except some functions.
#include "browse/browser.h"
#include "browse/pane.h"
#include "browse/search.h"

static void show_again(struct browser *browser)
{
    view_show_again(&browser->view);
    browser_moved(browser);
}

// --- What a search found -------------------------------------------------------------------------

// The place from which a search continues, so that the event itself counts.
static uint64_t place_beside(struct browser *browser, uint64_t event, bool is_forward,
                             bool is_of_events)
{
    struct trawl_event about;
    if (is_of_events && !is_forward)
        return event + 1 < browser->timeline->event_count ? event + 1 : SEARCH_START;
    if (is_of_events)
        return event - 1; // of the first: SEARCH_START
    // Where the event begins; SEARCH_START for the first, and after the last.
    event += !is_forward;
    about.position = 0;
    if (event < browser->timeline->event_count)
        browse_event(browser->source, event, &about);
    return about.position ? about.position - is_forward : SEARCH_START;
}

static uint64_t find_event(struct browser *browser, struct search *search, uint64_t event,
                           bool is_forward)
{
    struct trawl_error err;
    uint64_t found;
    bool has_wrapped, is_of_events = event_search_is(search) || name_search_is(search);
    uint64_t from = place_beside(browser, event, is_forward, is_of_events);
    if (search_next(search, from, is_forward, &found, &has_wrapped) != SEARCH_FOUND)
        return UINT64_MAX;
    if (!is_of_events &&
        trawl_event_at_position(browser->source->indexed->index, found, &found, &err) != TRAWL_OK)
        return UINT64_MAX;
    // Past the end, the search continued at the other side.
    return found != TRAWL_START && (is_forward ? found >= event : found <= event) ? found
                                                                                  : UINT64_MAX;
}

static uint64_t find_read(void *self, uint64_t event, bool is_forward)
{
    struct browser *browser = self;
    return find_event(browser, browser->reads, event, is_forward);
}

static uint64_t find_match(void *self, uint64_t event, bool is_forward)
{
    struct browser *browser = self;
    return find_event(browser, browser->search.search, event, is_forward);
}

// --- Reads and writes ----------------------------------------------------------------------------

void browser_let_go_of_reads(struct browser *browser)
{
    struct event_filter *filter = &browser->timeline->filter;
    if (filter->kind == FILTER_TOUCHES)
        filter->kind = FILTER_WRITES;
    search_close(browser->reads);
    browser->reads = NULL;
}

static bool waits_for_reads(const struct browser *browser)
{
    return browser->reads && browser->timeline->filter.kind == FILTER_WRITES;
}

// --- What was found ------------------------------------------------------------------------------

void browser_end_found_filter(struct browser *browser)
{
    struct event_filter *filter = &browser->timeline->filter;
    browser->waits_for_found = false;
    if (filter->kind != FILTER_FOUND)
        return;
    filter->kind = FILTER_NOTHING;
    view_show_again(&browser->view);
}

// Shows what was found, once everything is searched.
static void take_found(struct browser *browser)
{
    struct event_filter *filter = &browser->timeline->filter;
    const struct search_progress progress = search_progress(browser->search.search);
    if (!progress.is_done)
        return;
    browser->waits_for_found = false;
    if (!progress.hits) {
        browser_complain(browser, "Nothing was found");
        return;
    }
    filter->kind = FILTER_FOUND;
    filter->found = (struct found_events){browser, find_match};
    show_again(browser);
}

bool browser_waits_for_filter(const struct browser *browser)
{
    return waits_for_reads(browser) || browser->waits_for_found;
}

void browser_take_filter(struct browser *browser)
{
    struct event_filter *filter = &browser->timeline->filter;
    if (waits_for_reads(browser) && search_progress(browser->reads).is_done) {
        filter->kind = FILTER_TOUCHES;
        filter->found = (struct found_events){browser, find_read};
        show_again(browser);
    }
    if (browser->waits_for_found)
        take_found(browser);
}

// --- Keys ----------------------------------------------------------------------------------------

// Shows only what was found, only what the selected line is about, or only calls; or all again.
void browser_change_filter(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct event_filter *filter = &browser->timeline->filter;
    uint64_t in_lane, shown = browser->view.shown;
    char name[THING_TEXT_BYTES];
    struct thing thing;
    struct error err;
    (void)pane, (void)key;
    filter->indexed = browser->source->indexed;
    if (filter->kind != FILTER_NOTHING || browser->waits_for_found) {
        filter->kind = FILTER_NOTHING;
        browser->waits_for_found = false;
        browser_let_go_of_reads(browser);
        browser_say(browser, "All events");
    } else if (browser->search.search) { // whose match is the selected line
        browser->waits_for_found = true;
        browser_say(browser, "Only what is found");
        take_found(browser);
    } else if (trace_pane_subject(browser, &thing)) {
        // Writes are known at once, reads after the text was searched for them.
        uint64_t lane = timeline_lane_of(browser->timeline, shown, &in_lane);
        thing_text(browser, &thing, name);
        filter->kind = FILTER_WRITES;
        filter->place =
            (struct filter_place){thing.is_register, lane, thing.place, thing.size_bytes};
        if (browser_open_reads(browser, &thing, true, &browser->reads, &err) == STATUS_OK)
            browser_say(browser, "Only what reads or writes %s", name);
        else
            browser_say(browser, "Only what writes %s", name);
    } else {
        filter->kind = FILTER_CALLS;
        browser_say(browser, "Only calls");
    }
    show_again(browser);
}

void browser_put_filter(const struct browser *browser, struct row *row)
{
    static const char *const texts[] = {
        [FILTER_CALLS] = "   [ONLY CALLS]",
        [FILTER_WRITES] = "   [ONLY WRITES]",
        [FILTER_TOUCHES] = "   [ONLY READS AND WRITES]",
        [FILTER_FOUND] = "   [ONLY WHAT WAS FOUND]",
    };
    const struct event_filter *filter = &browser->timeline->filter;
    if (waits_for_reads(browser))
        row_format(row, ROLE_STATUS, "   [ONLY WRITES, READS %u %% SEARCHED]",
                   search_progress(browser->reads).percent);
    else if (filter->kind != FILTER_NOTHING)
        row_string(row, ROLE_STATUS, texts[filter->kind]);
    if (filter->hidden.count)
        row_format(row, ROLE_STATUS, "   [WITHOUT %zu FUNCTION%s]", filter->hidden.count,
                   filter->hidden.count == 1 ? "" : "S");
}

void browser_toggle_function(struct browser *browser, uint64_t pc)
{
    char name[BROWSE_NAME_BYTES];
    bool is_hidden;
    if (!event_filter_toggle(&browser->timeline->filter, pc, &is_hidden)) {
        browser_complain(browser, "No memory to hide another function");
        return;
    }
    browse_address_name(browser->source, pc, name);
    browser_say(browser, "Calls of %s are %s", name, is_hidden ? "hidden" : "shown");
    show_again(browser);
}

void browser_hide_function(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct event_filter *filter = &browser->timeline->filter;
    char name[BROWSE_NAME_BYTES];
    struct trawl_call call = {0};
    struct trawl_error err;
    (void)pane, (void)key;
    // The function of the innermost call around the next event.
    uint64_t at = 0, state = browser->view.state;
    uint64_t lane = timeline_lane_of(browser->timeline, state == TRAWL_START ? 0 : state, &at);
    at += state != TRAWL_START && at + 1 < browser->timeline->lanes[lane].calls.event_count;
    bool is_in_call =
        trawl_call_at(browser->source->indexed->index, lane, at, &call, &err) == TRAWL_OK;
    uint64_t pc = call.pc & ~UINT64_C(1);
    if (is_in_call && !call.is_open) {
        browser_toggle_function(browser, pc);
    } else if (filter->hidden.count) {
        filter->hidden.count = 0;
        browser_say(browser, "The calls of all functions are shown");
        show_again(browser);
    } else if (is_in_call) {
        browse_address_name(browser->source, pc, name);
        browser_complain(browser, "%s does not return, so the rest of the trace is in it", name);
    } else {
        browser_complain(browser, "In no call");
    }
}
