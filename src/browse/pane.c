// What panes share: their heights, the event that they show or stay at, what is marked, lists of
// rows, and the register or memory of their selection with the keys for it.
#include "browse/pane.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct pane *pane_new(const struct pane_kind *kind, size_t size_bytes, unsigned height)
{
    struct pane *pane = calloc(1, size_bytes);
    if (!pane)
        return NULL;
    pane->kind = kind;
    pane->height = height;
    return pane;
}

void pane_free(struct pane *pane)
{
    if (pane && pane->kind->free)
        pane->kind->free(pane);
    free(pane);
}

void pane_change_height(struct browser *browser, struct pane *pane, uint32_t key)
{
    browser->layouts++;
    if (key == '<' && pane->height > 1)
        pane->height--;
    else if (key == '>' && pane->height < LIMIT_SCREEN_ROWS)
        pane->height++;
}

void pane_close(struct browser *browser, struct pane *pane, uint32_t key)
{
    (void)key;
    browser_close_pane(browser, pane);
}

uint64_t pane_event(const struct browser *browser, const struct pane *pane)
{
    return pane->is_locked ? pane->locked : browser->view.state;
}

uint64_t pane_line(struct browser *browser, const struct pane *pane)
{
    struct trawl_event about;
    browse_event(browser->source, pane_event(browser, pane), &about);
    return about.event == TRAWL_START ? browser->source->indexed->info.header_lines : about.line;
}

void pane_put_place(struct browser *browser, const struct pane *pane, const char *what,
                    struct row *row)
{
    uint64_t event = pane_event(browser, pane);
    bool has_lines = browser->source->rows == ROWS_LINES;
    row_format(row, ROLE_STATUS, "%s at %s: ", what, has_lines ? "line" : "event");
    if (!has_lines && event == TRAWL_START)
        row_string(row, ROLE_STATUS, "start");
    else
        row_format(row, ROLE_STATUS, "%" PRIu64, has_lines ? pane_line(browser, pane) : event);
    row_string(row, ROLE_STATUS, pane->is_locked ? " (LOCKED)" : "");
}

void pane_lock(struct browser *browser, struct pane *pane, uint64_t event)
{
    (void)browser;
    pane->is_locked = true;
    pane->locked = event;
    pane->has_marks = false;
}

void pane_toggle_lock(struct browser *browser, struct pane *pane, uint32_t key)
{
    (void)key;
    if (pane->is_locked)
        pane->is_locked = pane->has_marks = false;
    else
        pane_lock(browser, pane, browser->view.state);
}

bool pane_marks(const struct browser *browser, const struct pane *pane, uint64_t *after,
                uint64_t *until)
{
    const struct view *view = &browser->view;
    if (!pane->has_marks && (pane->is_locked || !view->has_changes))
        return false;
    *after = pane->has_marks ? pane->marks_after : view->changed_after;
    *until = pane->has_marks ? pane->marks_until : view->changed_until;
    return true;
}

bool pane_other_state(const struct browser *browser, const struct pane *pane, uint64_t *event,
                      const char **word)
{
    uint64_t after, until;
    if (!pane_marks(browser, pane, &after, &until))
        return false;
    bool went_back = pane_event(browser, pane) == after;
    *event = went_back ? until : after;
    *word = went_back ? "then" : "was";
    return true;
}

void pane_lock_to_line(struct browser *browser, struct pane *pane, const char *typed)
{
    uint64_t line, event = pane_event(browser, pane);
    if (!browser_number(browser, typed, false, &line))
        return;
    browser_line_event(browser, line, &event);
    pane_lock(browser, pane, event);
}

void pane_lock_to_time(struct browser *browser, struct pane *pane, const char *typed)
{
    uint64_t time, event = pane_event(browser, pane);
    if (!browser_number(browser, typed, false, &time))
        return;
    browser_time_event(browser, time, &event);
    pane_lock(browser, pane, event);
}

// --- Lists of rows -------------------------------------------------------------------------------

void list_key(struct list *list, uint32_t key, size_t count, unsigned rows)
{
    size_t page = rows > 1 ? rows - 1 : 1, last = count ? count - 1 : 0;
    switch (key) {
    case KEY_UP_ARROW:
        list->selected -= list->selected > 0;
        break;
    case KEY_DOWN_ARROW:
        list->selected++;
        break;
    case KEY_PAGE_UP:
        list->selected -= list->selected < page ? list->selected : page;
        break;
    case KEY_PAGE_DOWN:
        list->selected += page;
        break;
    case KEY_HOME_KEY:
        list->selected = 0;
        break;
    case KEY_END_KEY:
        list->selected = last;
        break;
    default:
        break;
    }
    list->selected = list->selected < last ? list->selected : last;
}

void list_scroll(struct list *list, size_t count, unsigned rows)
{
    size_t last = count ? count - 1 : 0;
    list->selected = list->selected < last ? list->selected : last;
    if (count >= rows && list->top > count - rows)
        list->top = count - rows;
    if (list->selected < list->top)
        list->top = list->selected;
    else if (rows && list->selected >= list->top + rows)
        list->top = list->selected - rows + 1;
}

struct row list_row(struct screen *screen, unsigned y, bool is_selected)
{
    struct row row = screen_row(screen, y);
    if (!is_selected)
        return row;
    row.flags = CELL_HIGHLIGHTED;
    screen->has_cursor = true;
    screen->cursor_x = 0;
    screen->cursor_y = y;
    return row;
}

// --- Registers and memory that are written and read ----------------------------------------------

void thing_text(const struct browser *browser, const struct thing *thing,
                char text[THING_TEXT_BYTES])
{
    struct trawl_index *index = browser->source->indexed->index;
    uint32_t isa = browser->source->isa;
    struct trawl_register found;
    if (!thing->is_register) {
        snprintf(text, THING_TEXT_BYTES, "0x%" PRIx64 ":%" PRIu64, thing->place, thing->size_bytes);
        return;
    }
    snprintf(text, THING_TEXT_BYTES, "a register");
    for (uint64_t i = 0; trawl_register(index, i, &found, NULL) == TRAWL_OK; i++) {
        bool is_it = found.offset == thing->place && found.size_bytes == thing->size_bytes;
        if (is_it && found.isas >> isa & 1) {
            snprintf(text, THING_TEXT_BYTES, "%.*s", THING_TEXT_BYTES - 1, found.name);
            return;
        }
    }
}

void browser_go_to_write(struct browser *browser, const struct thing *thing, uint64_t event,
                         enum write_wanted wanted)
{
    struct trawl_index *index = browser->source->indexed->index;
    struct trawl_error err;
    struct trawl_write write;
    uint64_t found = TRAWL_NONE, in_lane;
    uint64_t lane = timeline_lane_of(browser->timeline, event == TRAWL_START ? 0 : event, &in_lane);
    enum trawl_direction direction = wanted == WRITE_NEXT ? TRAWL_FORWARD : TRAWL_BACKWARD;
    enum trawl_status status;
    if (wanted == WRITE_BEFORE && event != TRAWL_START)
        event--; // of the first: TRAWL_START
    if (thing->is_register)
        status = trawl_register_written(index, lane, event, direction, thing->place,
                                        (size_t)thing->size_bytes, &found, &err);
    else
        status = trawl_memory_written(index, event, direction, thing->place, thing->size_bytes,
                                      &write, &err);
    if (status != TRAWL_OK) {
        browser_complain(browser, wanted == WRITE_NEXT ? "Not written after this"
                                                       : "Not written before this");
        return;
    }
    browser_go(browser, thing->is_register ? found : write.event);
}

// Writes the characters at an address, up to a zero or something that is not a character.
void pane_put_string(struct browser *browser, struct pane *pane, struct row *row, uint64_t address)
{
    enum { STRING_BYTES = 64 };
    uint8_t bytes[STRING_BYTES], known[STRING_BYTES];
    size_t length = 0;
    if (address > UINT64_MAX - STRING_BYTES)
        return;
    browse_memory(browser->source, pane_event(browser, pane), address, STRING_BYTES, bytes, known);
    while (length < STRING_BYTES && known[length] && bytes[length] >= 0x20 && bytes[length] < 0x7f)
        length++;
    bool is_whole = length < STRING_BYTES && known[length] && !bytes[length];
    if (length < 2 || (!is_whole && length < STRING_BYTES))
        return;
    row_string(row, ROLE_STATUS, " \"");
    row_text(row, ROLE_STATUS, (const char *)bytes, length);
    row_string(row, ROLE_STATUS, is_whole ? "\"" : "...");
}

// --- Keys that several panes have ----------------------------------------------------------------

// The register or memory of the selection of a pane, or of the trace. False: reported that there is
// none.
static bool subject_of(struct browser *browser, struct pane *pane, struct thing *thing)
{
    if (pane ? pane->kind->subject(browser, pane, thing) : trace_pane_subject(browser, thing))
        return true;
    if (!browser->message[0])
        browser_complain(browser, pane ? "Its address is unknown here"
                                       : "Select a line of a register or of memory first, by a");
    return false;
}

static uint64_t event_of(const struct browser *browser, const struct pane *pane)
{
    return pane ? pane_event(browser, pane) : browser->view.state;
}

void pane_find_write(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    if (subject_of(browser, pane, &thing))
        browser_go_to_write(browser, &thing, event_of(browser, pane),
                            key == 'w' ? WRITE_NEXT : WRITE_BEFORE);
}

void pane_find_read(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    if (subject_of(browser, pane, &thing))
        browser_find_reads(browser, &thing, key == 'u');
}

void pane_find_access(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    if (!subject_of(browser, pane, &thing))
        return;
    if (thing.is_register || !(browser->source->indexed->info.options & TRAWL_TELLS_LOADS)) {
        browser_complain(browser, "Only accesses to memory of a Tarmac trace are known");
    } else {
        // Goes to the event after `event`, or before it, that reads or writes memory.
        uint64_t event = event_of(browser, pane);
        const bool is_forward = key == 'J';
        struct trawl_memory_access access;
        struct trawl_error err;
        if (!is_forward && event != TRAWL_START)
            event--; // of the first: TRAWL_START
        const enum trawl_status status = trawl_memory_accessed(
            browser->source->indexed->index, event, is_forward ? TRAWL_FORWARD : TRAWL_BACKWARD,
            thing.place, thing.size_bytes, &access, &err);
        if (status == TRAWL_OK)
            browser_go(browser, access.event);
        else
            browser_complain(browser,
                             is_forward ? "Not accessed after this" : "Not accessed before this");
    }
}

void pane_list_values(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    (void)key;
    if (subject_of(browser, pane, &thing))
        browser_add_pane(browser, values_pane_new(browser, &thing, event_of(browser, pane)));
}

void pane_show_origin(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    struct error err;
    (void)key;
    if (!subject_of(browser, pane, &thing))
        return;
    struct pane *made = origin_pane_new(browser, &thing, event_of(browser, pane), &err);
    if (made)
        browser_add_pane(browser, made);
    else
        browser_complain(browser, "%s", err.text);
}
