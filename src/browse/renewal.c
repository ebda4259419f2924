#include "browse/renewal.h"

#include "browse/pane.h"
#include "session/question.h"

#include <stdio.h>

static bool looks_at(const struct browser *browser, const struct browse_source *source)
{
    return browser && browser->source == source;
}

// Ends all background work that reads the index.
static void let_go(struct browser *browser)
{
    browser_end_search(browser, NULL, 0);
    browser_let_go_of_reads(browser);
    view_let_go(&browser->view);
    for (size_t i = 0; i < browser->pane_count; i++) {
        struct pane *pane = browser->panes[i];
        if (pane->kind->let_go)
            pane->kind->let_go(pane);
    }
}

static enum status take_up(struct browser *browser, struct error *err)
{
    uint64_t selected = browser->selected;
    enum status status = timeline_renew(browser->timeline, err);
    if (status != STATUS_OK)
        return status;
    view_take_up(&browser->view);
    for (size_t i = 0; i < browser->pane_count; i++) {
        struct pane *pane = browser->panes[i];
        if (pane->kind->renew)
            pane->kind->renew(browser, pane);
    }
    browser_moved(browser);
    browser->selected = selected;
    return STATUS_OK;
}

static enum status replace(struct browse_source *source, struct index_view *fresh,
                           struct browser *const *browsers, size_t count, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (looks_at(browsers[i], source))
            let_go(browsers[i]);
    }
    session_take_view(source->session, fresh);
    browse_source_renew(source);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (looks_at(browsers[i], source))
            status = take_up(browsers[i], err);
    }
    return status;
}

struct renewal renew_index(struct browse_source *source, struct browser *const *browsers,
                           size_t count)
{
    struct renewal told = {0};
    struct index_view fresh;
    struct error err;
    switch (session_look_for_index(source->session, &fresh, &err)) {
    case INDEX_STAYS:
        return told;
    case INDEX_IS_UNFIT:
        if (!index_view_is_intact(source->indexed->index)) {
            browse_source_lose(source);
            return told;
        }
        snprintf(told.text, sizeof told.text, "The previous index stays in use: %s", err.text);
        told.is_fault = true;
        break;
    default:
        told.is_fault = replace(source, &fresh, browsers, count, &err) != STATUS_OK;
        snprintf(told.text, sizeof told.text, "%s",
                 told.is_fault ? err.text : "The index was replaced: the new one is used now");
    }
    told.is_told = true;
    return told;
}

// --- An index that grows -------------------------------------------------------------------------

static bool is_searching(const struct browser *browser)
{
    return browser->search.search || browser->reads;
}

// Whether current work would be cut short by another index.
static bool is_at_work(const struct browser *browser)
{
    return browser->prompt || browser->has_help;
}

struct renewal renew_grown(struct browse_source *source, struct browser *const *browsers,
                           size_t count)
{
    struct renewal told = {0};
    struct growth *growth = source->growth;
    struct index_view fresh;
    struct error err;
    bool has_search = false;
    for (size_t i = 0; i < count; i++) {
        if (!looks_at(browsers[i], source))
            continue;
        if (is_at_work(browsers[i]))
            return told;
        has_search |= is_searching(browsers[i]);
    }
    switch (growth->look(growth->self, has_search, &fresh)) {
    case GROWTH_NONE:
        return told;
    case GROWTH_FAILED:
        browsers[0]->is_done = true;
        return told;
    case GROWTH_WHOLE:
        source->growth = NULL;
        told.is_told = has_search;
        break;
    case GROWTH_MORE:
        break;
    }
    snprintf(told.text, sizeof told.text, "The index is complete: search again to find more");
    told.is_fault = replace(source, &fresh, browsers, count, &err) != STATUS_OK;
    if (told.is_fault)
        snprintf(told.text, sizeof told.text, "%s", err.text);
    told.is_told |= told.is_fault;
    return told;
}
