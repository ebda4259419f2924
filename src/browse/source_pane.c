// The source of the code at the position, by the line tables of the images; for inlined functions,
// also the places where they were inlined, from inside out.
#include "base/limits.h"
#include "browse/pane.h"

#include "names/source_lines.h"
#include "names/source_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 9 };

struct source_pane {
    struct pane pane;
    struct source_lines lines;
    // The inlined functions at a PC, and which of them is shown.
    bool has_chain;
    uint64_t pc;
    size_t chain_count, level;
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
    char path[PATH_MAX];       // of the current file; "" for none
    struct source_text source; // no text: not found
};

static struct source_pane *of(struct pane *pane)
{
    return (struct source_pane *)(void *)pane;
}

// --- Files ---------------------------------------------------------------------------------------

// Makes the file of a place the current one.
static void find_file(struct browser *browser, struct source_pane *pane,
                      const struct source_location *place)
{
    static const struct source_search nowhere;
    const struct source_search *search = browser->source_search;
    char path[PATH_MAX];
    if (!source_path_join(place->directory, place->path, path) || strcmp(pane->path, path) == 0)
        return;
    source_text_close(&pane->source);
    memcpy(pane->path, path, strlen(path) + 1);
    source_text_open(&pane->source, search ? search : &nowhere, place, &pane->lines,
                     browser->source->names);
}

// The source place of the code at the position, or where the inlined function around it was
// inlined. False: unknown.
static bool find_place(struct browser *browser, struct source_pane *pane,
                       struct source_location *place)
{
    uint64_t pc;
    if (!browse_next_pc(browser->source, pane_event(browser, &pane->pane), &pc)) {
        pane->has_chain = false;
        pane->chain_count = pane->level = 0;
        return false;
    }
    if (!pane->has_chain || pane->pc != pc) {
        pane->has_chain = true;
        pane->pc = pc;
        pane->level = 0;
        pane->chain_count = source_lines_inlines(&pane->lines, browser->source->names, pc,
                                                 pane->chain, ARRAY_COUNT(pane->chain));
    }
    if (!pane->level)
        return source_lines_find(&pane->lines, browser->source->names, pc, place);
    const struct debug_inline *call = &pane->chain[pane->level - 1];
    *place = call->call;
    place->line = call->line;
    return call->file && call->line;
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct source_pane *pane = of(self);
    struct source_location place;
    if (!rows || !find_place(browser, pane, &place))
        return;
    find_file(browser, pane, &place);
    if (!pane->source.text) {
        struct row row = screen_row(screen, y);
        row_format(&row, ROLE_UNKNOWN, "%s:%" PRIu32 " is not found (--source, --source-map)",
                   place.path, place.line);
        return;
    }
    uint32_t first = place.line > rows / 2 ? place.line - rows / 2 : 1;
    for (unsigned r = 0; r < rows && (uint64_t)first + r <= pane->source.line_count; r++) {
        struct row row = screen_row(screen, y + r);
        const char *text;
        size_t length = source_text_line(&pane->source, (uint64_t)first + r, &text);
        bool is_here = first + r == place.line;
        row.flags = is_here ? CELL_HIGHLIGHTED : 0;
        row_format(&row, ROLE_LABEL, "%5" PRIu32 "%s", first + r, is_here ? " > " : "   ");
        row_text(&row, ROLE_TEXT, text, length);
        row_fill(&row, ROLE_TEXT);
    }
}

// "memcpy inlined at lib.c:33 in strdup", starting from the shown function.
static void put_chain(const struct source_pane *pane, struct row *row)
{
    for (size_t i = pane->level; pane->chain_count > 1 && i < pane->chain_count; i++) {
        const struct debug_inline *function = &pane->chain[i];
        row_string(row, ROLE_STATUS, i == pane->level ? "   in " : " in ");
        row_string(row, ROLE_STATUS, function->name ? function->name : "?");
        if (i + 1 < pane->chain_count) {
            row_string(row, ROLE_STATUS, " inlined at ");
            row_string(row, ROLE_STATUS, function->file ? function->file : "?");
            row_format(row, ROLE_STATUS, ":%" PRIu32, function->line);
        }
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    struct source_pane *pane = of(self);
    struct source_location place;
    pane_put_place(browser, self, "Source", row);
    row_string(row, ROLE_STATUS, "   ");
    if (!find_place(browser, pane, &place)) {
        row_string(row, ROLE_STATUS, "not known");
        put_chain(pane, row);
        return;
    }
    find_file(browser, pane, &place);
    row_string(row, ROLE_STATUS, place.file);
    row_format(row, ROLE_STATUS, ":%" PRIu32, place.line);
    if (!pane->source.text)
        row_string(row, ROLE_STATUS, "   (not found)");
    put_chain(pane, row);
}

// --- Keys ----------------------------------------------------------------------------------------

static void change_level(struct browser *browser, struct pane *self, uint32_t key)
{
    struct source_pane *pane = of(self);
    struct source_location place;
    find_place(browser, pane, &place); // which functions are around the place
    if (key == KEY_UP_ARROW && pane->level + 1 < pane->chain_count)
        pane->level++;
    else if (key == KEY_DOWN_ARROW && pane->level)
        pane->level--;
    else
        browser_complain(browser, "%s",
                         // an index stores only lines
                         browser->source->names->index
                             ? "Inlined functions are unknown without an image (--image FILE)"
                         : key == KEY_UP_ARROW ? "This function is not inlined"
                                               : "No function is inlined further in");
}

static const struct key_action source_keys[] = {
    {KEY_UP_ARROW, "Up, Down", "Show where this function was inlined, or what was inlined there",
     change_level},
    {KEY_DOWN_ARROW, "", NULL, change_level},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {PANE_KEY_LOCK},
    {0, "", "", NULL},
    {0},
};

static void renew(struct browser *browser, struct pane *self)
{
    struct source_pane *pane = of(self);
    (void)browser;
    source_lines_free(&pane->lines);
    pane->lines = (struct source_lines){0};
    pane->has_chain = false;
    pane->chain_count = pane->level = 0;
}

static void free_pane(struct pane *self)
{
    struct source_pane *pane = of(self);
    source_lines_free(&pane->lines);
    source_text_close(&pane->source);
}

const struct pane_kind source_kind = {
    .name = "source",
    .keys = source_keys,
    .draw = draw,
    .status = status,
    .renew = renew,
    .free = free_pane,
};

struct pane *source_pane_new(struct browser *browser)
{
    (void)browser;
    return pane_new(&source_kind, sizeof(struct source_pane), ROWS_AT_FIRST);
}
