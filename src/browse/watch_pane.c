// Watches: registers and memory as REGISTER, ADDR or ADDR:SIZE, as for `trawl state`, and values:
// u8(ADDR) to s64(ADDR), f32(ADDR), f64(ADDR), str(ADDR), and other expressions
// (query/expression.h).
#include "base/limits.h"
#include "browse/pane.h"

#include "query/point.h"
#include "query/position.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_BYTES_MAX = 8 };

enum { STRING_BYTES = 64 };

enum watch_type {
    WATCH_LOCATION, // bytes of a register or memory
    WATCH_VALUE,    // the value of `location.address`, which may be that of memory
    WATCH_FLOAT,    // the number at `location.address`
    WATCH_STRING,
};

struct watch {
    char text[PROMPT_BYTES];
    enum watch_type type;
    struct location location;
    struct expression inner; // of WATCH_VALUE that is memory: its address
    bool has_inner, is_signed;
};

struct watch_pane {
    struct pane pane;
    struct watch *watches[LIMIT_WATCHES];
    unsigned count;
    struct list list;
};

static struct watch_pane *of(struct pane *pane)
{
    return (struct watch_pane *)(void *)pane;
}

// --- Values --------------------------------------------------------------------------------------

struct watched {
    struct thing thing;
    uint8_t values[LIMIT_WATCH_BYTES], known[LIMIT_WATCH_BYTES];
    size_t size; // of the shown part
    bool has_address, is_marked;
};

static bool is_big_endian(const struct browser *browser, const struct location *location)
{
    if (location->kind == LOCATION_REGISTER)
        return location->which.flags & TRAWL_REGISTER_BIG_ENDIAN;
    return browser->source->indexed->info.options & TRAWL_BIG_ENDIAN;
}

static void find_thing(struct browser *browser, const struct watch *watch, uint64_t event,
                       struct watched *watched)
{
    const struct location *location = &watch->location;
    bool is_register = location->kind == LOCATION_REGISTER;
    const struct expression *address = watch->has_inner ? &watch->inner : &location->address;
    *watched = (struct watched){.thing = {is_register, 0, location->size_bytes}};
    watched->size = (size_t)u64_min(location->size_bytes, LIMIT_WATCH_BYTES);
    watched->has_address =
        is_register || ((watch->type != WATCH_VALUE || watch->has_inner) &&
                        browse_evaluate(browser->source, address, event, &watched->thing.place));
    if (is_register)
        watched->thing.place = location->which.offset;
    // Memory is cut off at the end of the address space.
    if (!is_register && watched->has_address)
        watched->thing.size_bytes =
            u64_min(location->size_bytes - 1, UINT64_MAX - watched->thing.place) + 1;
    watched->size = (size_t)u64_min(watched->size, watched->thing.size_bytes);
}

static void read_watch(struct browser *browser, const struct pane *pane, const struct watch *watch,
                       struct watched *watched)
{
    uint64_t after, until, event = pane_event(browser, pane);
    find_thing(browser, watch, event, watched);
    if (!watched->has_address)
        return;
    if (watched->thing.is_register)
        browse_registers(browser->source, event, watched->thing.place, watched->size,
                         watched->values, watched->known);
    else
        browse_memory(browser->source, event, watched->thing.place, watched->size, watched->values,
                      watched->known);
    if (!pane_marks(browser, pane, &after, &until))
        return;
    uint64_t written =
        watched->thing.is_register
            ? browse_register_written_beside(browser->source, event, until, watched->thing.place,
                                             (size_t)watched->thing.size_bytes)
            : browse_memory_written(browser->source, until, watched->thing.place,
                                    watched->thing.size_bytes);
    watched->is_marked = pane_is_marked(written, after, until);
}

static void reverse(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[count - 1 - i];
        bytes[count - 1 - i] = byte;
    }
}

static void put_value(struct browser *browser, struct row *row, const struct watch *watch,
                      struct watched *watched)
{
    char text[VALUE_TEXT_MAX], name[BROWSE_NAME_BYTES];
    bool is_number = watched->size <= NUMBER_BYTES_MAX || watched->thing.is_register;
    row->flags |= watched->is_marked ? CELL_HIGHLIGHTED : 0;
    if (!watched->has_address) {
        row_string(row, ROLE_UNKNOWN, "its address is unknown");
        return;
    }
    if (is_number && is_big_endian(browser, &watch->location)) {
        reverse(watched->values, watched->size);
        reverse(watched->known, watched->size);
    }
    if (is_number)
        value_number(text, watched->values, watched->known, watched->size);
    else
        value_bytes(text, watched->values, watched->known, watched->size);
    row_string(row, ROLE_VALUE, text);
    row_string(row, ROLE_VALUE, watched->thing.size_bytes > watched->size ? "..." : "");
    if (!is_number || watched->size > 8 || memchr(watched->known, 0, watched->size))
        return;
    uint64_t number = 0;
    for (size_t i = watched->size; i-- > 0;)
        number = number << 8 | watched->values[i];
    row->flags = row->flags & (uint8_t)~CELL_HIGHLIGHTED;
    row_format(row, ROLE_LABEL, "  %" PRIu64, number);
    if (number && browse_address_name(browser->source, number, name)) {
        row_string(row, ROLE_LABEL, "  ");
        row_string(row, ROLE_LABEL, name);
    }
}

// --- Values with a type --------------------------------------------------------------------------

static void put_number(struct browser *browser, const struct pane *pane, struct row *row,
                       const struct watch *watch)
{
    char name[BROWSE_NAME_BYTES];
    uint64_t value;
    if (!browse_evaluate(browser->source, &watch->location.address, pane_event(browser, pane),
                         &value)) {
        row_string(row, ROLE_UNKNOWN, "not known");
        return;
    }
    if (watch->is_signed)
        row_format(row, ROLE_VALUE, "%" PRId64, (int64_t)value);
    else
        row_format(row, ROLE_VALUE, "%" PRIu64, value);
    row->flags = row->flags & (uint8_t)~CELL_HIGHLIGHTED;
    row_format(row, ROLE_LABEL, "  0x%" PRIx64, value);
    if (value && browse_address_name(browser->source, value, name)) {
        row_string(row, ROLE_LABEL, "  ");
        row_string(row, ROLE_LABEL, name);
    }
}

static void put_float(struct row *row, struct watched *watched)
{
    uint32_t half;
    float single;
    double whole;
    if (memchr(watched->known, 0, watched->size)) {
        row_string(row, ROLE_UNKNOWN, "not known");
        return;
    }
    uint64_t bits = point_number(watched->values, watched->size, false);
    if (watched->size == sizeof single) {
        half = (uint32_t)bits;
        memcpy(&single, &half, sizeof single);
        row_format(row, ROLE_VALUE, "%.9g", (double)single);
        return;
    }
    memcpy(&whole, &bits, sizeof whole);
    row_format(row, ROLE_VALUE, "%.17g", whole);
}

// Writes a value that has a type, from its bytes.
static void put_typed(struct browser *browser, const struct pane *pane, struct row *row,
                      const struct watch *watch, struct watched *watched)
{
    row->flags |= watched->is_marked ? CELL_HIGHLIGHTED : 0;
    if (watch->type == WATCH_VALUE) {
        put_number(browser, pane, row, watch);
        return;
    }
    if (!watched->has_address) {
        row_string(row, ROLE_UNKNOWN, "its address is unknown");
        return;
    }
    if (is_big_endian(browser, &watch->location)) {
        reverse(watched->values, watched->size);
        reverse(watched->known, watched->size);
    }
    if (watch->type == WATCH_FLOAT)
        put_float(row, watched);
    else {
        uint8_t bytes[STRING_BYTES], known[STRING_BYTES];
        size_t size = (size_t)u64_min(STRING_BYTES, UINT64_MAX - watched->thing.place), length = 0;
        browse_memory(browser->source, pane_event(browser, pane), watched->thing.place, size, bytes,
                      known);
        while (length < size && known[length] && bytes[length])
            length++;
        row_string(row, ROLE_VALUE, "\"");
        row_text(row, ROLE_VALUE, (const char *)bytes, length);
        row_string(row, ROLE_VALUE, length < size && known[length] ? "\"" : "...");
        if (length < size && !known[length])
            row_string(row, ROLE_UNKNOWN, "?");
    }
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct watch_pane *pane = of(self);
    list_scroll(&pane->list, pane->count, rows);
    for (unsigned r = 0; r < rows && pane->list.top + r < pane->count; r++) {
        struct row row = screen_row(screen, y + r);
        const struct watch *watch = pane->watches[pane->list.top + r];
        struct watched watched;
        bool is_selected = browser->focus == self && pane->list.top + r == pane->list.selected;
        read_watch(browser, self, watch, &watched);
        row_string(&row, is_selected ? ROLE_KEY : ROLE_LABEL, watch->text);
        row_string(&row, ROLE_LABEL, " = ");
        if (is_selected) {
            screen->has_cursor = true;
            screen->cursor_x = row.at < screen->width ? row.at : screen->width - 1;
            screen->cursor_y = y + r;
        }
        if (watch->type == WATCH_LOCATION)
            put_value(browser, &row, watch, &watched);
        else
            put_typed(browser, self, &row, watch, &watched);
        row.flags = 0;
        row_fill(&row, ROLE_LABEL);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    pane_put_place(browser, self, "Watched", row);
}

static unsigned wanted_rows(struct browser *browser, struct pane *self, unsigned width)
{
    (void)browser, (void)width;
    return of(self)->count ? of(self)->count : 1;
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser;
    list_key(&of(self)->list, key, of(self)->count, self->rows);
}

static bool find_subject(struct browser *browser, struct pane *self, struct thing *thing)
{
    struct watch_pane *pane = of(self);
    struct watched watched;
    find_thing(browser, pane->watches[pane->list.selected], pane_event(browser, self), &watched);
    *thing = watched.thing;
    return watched.has_address;
}

static void go_to_write(struct browser *browser, struct pane *self, uint32_t key)
{
    struct thing thing;
    (void)key;
    if (find_subject(browser, self, &thing))
        browser_go_to_write(browser, &thing, pane_event(browser, self), WRITE_LAST);
    else
        browser_complain(browser, "Its address is unknown here");
}

static void remove_watch(struct browser *browser, struct pane *self, uint32_t key)
{
    struct watch_pane *pane = of(self);
    (void)key;
    free(pane->watches[pane->list.selected]);
    pane->count--;
    for (size_t i = pane->list.selected; i < pane->count; i++)
        pane->watches[i] = pane->watches[i + 1];
    list_key(&pane->list, 0, pane->count, self->rows);
    if (!pane->count)
        browser_close_pane(browser, self);
}

static const struct key_action watch_keys[] = {
    {KEY_UP_ARROW, "Up, Down", "Select another one", move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {KEY_PAGE_UP, "", NULL, move},
    {KEY_PAGE_DOWN, "", NULL, move},
    {KEY_HOME_KEY, "", NULL, move},
    {KEY_END_KEY, "", NULL, move},
    {KEY_RETURN, "Return", "Go to its last write", go_to_write},
    {'w', "w, W", "Go to its next write, or the one before", pane_find_write},
    {'W', "", NULL, pane_find_write},
    {'u', "u, U", "Go to its next read, or the one before; n and N go on", pane_find_read},
    {'U', "", NULL, pane_find_read},
    {'J', "J, K", "Go to the next or previous access to memory, read or write", pane_find_access},
    {'K', "", NULL, pane_find_access},
    {'A', "A", "List all its values", pane_list_values},
    {'x', "x", "Stop watching it", remove_watch},
    {PANE_KEY_LOCK},
    {0, "", "", NULL},
    {0},
};

// --- Opening -------------------------------------------------------------------------------------

static void free_pane(struct pane *self)
{
    for (unsigned i = 0; i < of(self)->count; i++)
        free(of(self)->watches[i]);
}

static const struct pane_kind watch_kind = {
    .name = "watches",
    .keys = watch_keys,
    .wanted = wanted_rows,
    .draw = draw,
    .status = status,
    .subject = find_subject,
    .free = free_pane,
};

// Parses what was typed as a watch. On failure `err` has the reason.
static enum status parse_watch(struct browser *browser, struct watch *watch, struct error *err)
{
    static const struct {
        const char *before;
        enum watch_type type;
        uint64_t size_bytes;
    } types[] = {{"f32(", WATCH_FLOAT, 4}, {"f64(", WATCH_FLOAT, 8}, {"str(", WATCH_STRING, 1}};
    const struct expression *address = &watch->location.address;
    uint64_t event = browser->view.state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        if (strncmp(watch->text, types[i].before, 4) != 0)
            continue;
        watch->type = types[i].type;
        watch->location = (struct location){.kind = LOCATION_MEMORY};
        watch->location.size_bytes = types[i].size_bytes;
        // The parenthesis belongs to the expression.
        return browse_parse(browser->source, event, true, watch->text + 3, &watch->location.address,
                            err);
    }
    enum status status =
        browse_location(browser->source, event, watch->text, &watch->location, err);
    if (status == STATUS_OK && watch->location.kind == LOCATION_MEMORY &&
        !strchr(watch->text, ':') && address->terms[address->count - 1].op >= EXPRESSION_NOT) {
        // a value, not an address
        watch->type = WATCH_VALUE;
        // If the value of an expression is memory, finds the expression of its address.
        struct expression *whole = &watch->location.address;
        const struct expression_term *last = &whole->terms[whole->count - 1];
        unsigned kind = (unsigned)last->op - EXPRESSION_MEMORY;
        watch->is_signed = last->op >= EXPRESSION_MEMORY + 4 || last->op == EXPRESSION_NEGATE;
        if (last->op >= EXPRESSION_MEMORY && last->op < EXPRESSION_SIGNED) {
            watch->has_inner = true;
            watch->inner = *whole;
            watch->inner.count--;
            watch->location.size_bytes = UINT64_C(1) << (kind & 3);
        }
    }
    return status;
}

void browser_watch(struct browser *browser, struct pane *self, const char *typed)
{
    struct error err;
    struct watch *watch = calloc(1, sizeof *watch);
    (void)self;
    if (!watch) {
        browser_complain(browser, "No memory for another one");
        return;
    }
    snprintf(watch->text, sizeof watch->text, "%s", typed);
    if (parse_watch(browser, watch, &err) != STATUS_OK) {
        browser_complain(browser, "%s", err.text);
        free(watch);
        return;
    }
    struct pane *made = browser_find_pane(browser, &watch_kind);
    if (!made) {
        made = pane_new(&watch_kind, sizeof(struct watch_pane), 0);
        made = browser_add_pane(browser, made) ? made : NULL;
    }
    struct watch_pane *pane = made ? of(made) : NULL;
    if (!pane || pane->count == LIMIT_WATCHES) {
        if (pane)
            browser_complain(browser, "At most %d values can be watched", LIMIT_WATCHES);
        free(watch);
        return;
    }
    pane->watches[pane->count++] = watch;
}
