// Registers as the trace names them: general, of the system, vectors and predicates, or all.
#include "base/characters.h"
#include "base/limits.h"
#include "browse/frames.h"
#include "browse/pane.h"

#include "query/register_set.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 6, GAP = 2 };

static const struct group {
    const char *name, *registers;
} groups[] = {
    {"general", "general"}, {"system", "system"},
    {"vector", "vector"},   {"predicates", "p0,p1,p2,p3,p4,p5,p6,p7,p8,p9,p10,p11,p12,p13,p14,p15"},
    {"all", "all"},
};

struct named_pane {
    struct pane pane;
    struct register_set set;
    unsigned group;
    unsigned lane_shift; // lanes of vectors have 1 << lane_shift bytes
    bool has_before;     // previous values are shown, too
    size_t selected;
    unsigned top; // row
    struct error err;
};

static struct named_pane *of(struct pane *pane)
{
    return (struct named_pane *)(void *)pane;
}

// Takes the registers of a group, which may be empty.
static void take_group(struct browser *browser, struct named_pane *pane, unsigned group)
{
    register_set_free(&pane->set);
    pane->group = group;
    pane->selected = 0;
    pane->top = 0;
    pane->err = (struct error){0};
    if (register_set_parse(&pane->set, browser->source->indexed, groups[group].registers,
                           browser->source->isa, &pane->err) != STATUS_OK)
        register_set_free(&pane->set);
}

// --- The layout ----------------------------------------------------------------------------------

// "NAME=0x" and two digits per byte; " was 0x" and as many.
static unsigned width_of(const struct register_entry *entry, bool has_before)
{
    unsigned digits = (unsigned)(2 * entry->which.size_bytes);
    return (unsigned)strlen(entry->name) + 3 + digits + (has_before ? 8 + digits : 0);
}

// How registers are placed one after the other, in rows as wide as the screen.
struct layout {
    unsigned width, row, column;
    bool has_before;
};

static void place_next(struct layout *layout, const struct register_entry *entry)
{
    if (layout->column && layout->column + width_of(entry, layout->has_before) > layout->width) {
        layout->row++;
        layout->column = 0;
    }
}

static void step_over(struct layout *layout, const struct register_entry *entry)
{
    layout->column += width_of(entry, layout->has_before) + GAP;
}

static unsigned row_of(const struct named_pane *pane, size_t number, unsigned width)
{
    struct layout layout = {.width = width, .has_before = pane->has_before};
    for (size_t i = 0; i < pane->set.count && i <= number; i++) {
        place_next(&layout, &pane->set.items[i]);
        if (i < number)
            step_over(&layout, &pane->set.items[i]);
    }
    return layout.row;
}

// --- Drawing -------------------------------------------------------------------------------------

// Lowest byte first, as it is in the register space.
static void read_value_at(struct browser *browser, struct pane *self, uint64_t event,
                          const struct register_entry *entry, struct register_value *value)
{
    value->size_bytes = (uint32_t)u64_min(entry->which.size_bytes, LIMIT_VALUE_BYTES);
    value->known_bytes = 0;
    browse_registers_beside(browser->source, pane_event(browser, self), event, entry->which.offset,
                            value->size_bytes, value->values, value->known);
    for (uint32_t i = 0; i < value->size_bytes; i++)
        value->known_bytes += value->known[i];
    if (!(entry->which.flags & TRAWL_REGISTER_BIG_ENDIAN))
        return;
    for (uint32_t i = 0; i < value->size_bytes / 2; i++) {
        uint32_t other = value->size_bytes - 1 - i;
        uint8_t byte = value->values[i], known = value->known[i];
        value->values[i] = value->values[other], value->values[other] = byte;
        value->known[i] = value->known[other], value->known[other] = known;
    }
}

static bool is_changed(struct browser *browser, const struct pane *self,
                       const struct register_entry *entry)
{
    uint64_t after, until;
    return pane_marks(browser, self, &after, &until) &&
           pane_is_marked(browse_register_written_beside(browser->source, pane_event(browser, self),
                                                         until, entry->which.offset,
                                                         (size_t)entry->which.size_bytes),
                          after, until);
}

// Writes the previous value of a marked register, or, after a step back, its next value.
static void put_other(struct browser *browser, struct pane *self, struct row *row, enum role role,
                      const struct register_entry *entry)
{
    char text[VALUE_TEXT_MAX];
    struct register_value value;
    const char *word;
    uint64_t event;
    if (!pane_other_state(browser, self, &event, &word))
        return;
    read_value_at(browser, self, event, entry, &value);
    value_number(text, value.values, value.known, value.size_bytes);
    row_format(row, role, " %s %s", word, text);
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct named_pane *pane = of(self);
    struct layout layout = {.width = screen->width, .has_before = pane->has_before};
    unsigned selected = row_of(pane, pane->selected, screen->width);
    if (selected < pane->top)
        pane->top = selected;
    else if (rows && selected >= pane->top + rows)
        pane->top = selected - rows + 1;
    for (size_t i = 0; i < pane->set.count; i++) {
        const struct register_entry *entry = &pane->set.items[i];
        place_next(&layout, entry);
        if (layout.row >= pane->top + rows)
            return;
        if (layout.row >= pane->top) {
            unsigned at = y + layout.row - pane->top;
            struct row row = screen_row(screen, at);
            row.at = layout.column < row.width ? layout.column : row.width;
            if (browser->focus == self && i == pane->selected) {
                screen->has_cursor = true;
                screen->cursor_y = at;
                screen->cursor_x = row.at;
            }
            char text[VALUE_TEXT_MAX];
            struct register_value value;
            bool is_marked = is_changed(browser, self, entry);
            read_value_at(browser, self, pane_event(browser, self), entry, &value);
            row_string(&row, ROLE_LABEL, entry->name);
            row_string(&row, ROLE_LABEL, "=");
            value_number(text, value.values, value.known, value.size_bytes);
            row.flags |= is_marked ? CELL_HIGHLIGHTED : 0;
            row_string(&row, value.known_bytes ? ROLE_VALUE : ROLE_UNKNOWN, text);
            row.flags = 0;
            if (is_marked && of(self)->has_before)
                put_other(browser, self, &row, ROLE_LABEL, entry);
        }
        step_over(&layout, entry);
    }
}

// --- Lanes ---------------------------------------------------------------------------------------

// The predicates of the Scalable Vector Extension: a bit for each byte of a vector.
static bool is_predicate(const struct register_entry *entry)
{
    const char *name = entry->name;
    bool has_number = name[0] == 'p' && is_digit(name[1]);
    return entry->which.flags & TRAWL_REGISTER_VECTOR && (has_number || strcmp(name, "ffr") == 0);
}

// The number of bytes up to the last known one, in whole lanes: vectors may be shorter than the
// longest possible ones.
static uint32_t known_length(const struct register_value *value, uint32_t lane_bytes)
{
    uint32_t length = value->size_bytes;
    while (length && !value->known[length - 1])
        length--;
    return (length + lane_bytes - 1) / lane_bytes * lane_bytes;
}

// The highest lane first, like values.
static void put_lanes(const struct named_pane *pane, struct row *row,
                      const struct register_entry *entry, const struct register_value *value)
{
    uint32_t lane_bytes = 1u << pane->lane_shift;
    bool is_vector = entry->which.flags & TRAWL_REGISTER_VECTOR && entry->which.size_bytes >= 8;
    if (!is_predicate(entry) && !is_vector)
        return;
    row_format(row, ROLE_STATUS, "   %s by %u:", entry->name, lane_bytes);
    if (is_predicate(entry)) {
        row_string(row, ROLE_STATUS, " ");
        // The lowest bit of a lane in a predicate tells whether the lane is active.
        for (uint32_t bit = 8 * known_length(value, 1); bit >= lane_bytes;) {
            bit -= lane_bytes;
            bool is_set = value->values[bit / 8] >> bit % 8 & 1;
            row_string(row, ROLE_STATUS, !value->known[bit / 8] ? "?" : is_set ? "1" : "0");
        }
        return;
    }
    for (uint32_t i = known_length(value, lane_bytes); i > 0; i--) {
        row_string(row, ROLE_STATUS, i % lane_bytes == 0 ? " " : "");
        if (value->known[i - 1])
            row_format(row, ROLE_STATUS, "%02x", value->values[i - 1]);
        else
            row_string(row, ROLE_STATUS, "??");
    }
}

static void change_lanes(struct browser *browser, struct pane *self, uint32_t key)
{
    enum { SHIFTS = 4 }; // lanes of 1, 2, 4 and 8 bytes
    (void)browser, (void)key;
    of(self)->lane_shift = (of(self)->lane_shift + 1) % SHIFTS;
}

// --- Status --------------------------------------------------------------------------------------

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    struct named_pane *pane = of(self);
    row_format(row, ROLE_STATUS, "Registers (%s)", groups[pane->group].name);
    pane_put_place(browser, self, "", row);
    if (!pane->set.count)
        row_string(row, ROLE_STATUS, "   the trace has none");
    else if (browser->focus == self) {
        // The meaning of the value as an address, if it has one.
        const struct register_entry *entry = &pane->set.items[pane->selected];
        char name[BROWSE_NAME_BYTES];
        struct register_value value;
        uint64_t number = 0;
        if (is_changed(browser, self, entry) && !pane->has_before) {
            row_format(row, ROLE_STATUS, "   %s", entry->name);
            put_other(browser, self, row, ROLE_STATUS, entry);
        }
        read_value_at(browser, self, pane_event(browser, self), entry, &value);
        put_lanes(pane, row, entry, &value);
        if (value.known_bytes >= value.size_bytes && value.size_bytes <= sizeof number &&
            !is_predicate(entry)) {
            for (uint32_t i = value.size_bytes; i-- > 0;)
                number = number << 8 | value.values[i];
            row_format(row, ROLE_STATUS, "   %s = %" PRId64, entry->name, (int64_t)number);
            if (frames_value_name(browser->source, browser->timeline, pane_event(browser, self),
                                  number, name, NULL)) {
                row_string(row, ROLE_STATUS, " = ");
                row_string(row, ROLE_STATUS, name);
            }
            pane_put_string(browser, self, row, number);
        }
    }
}

static unsigned wanted(struct browser *browser, struct pane *self, unsigned width)
{
    const struct named_pane *pane = of(self);
    unsigned rows = pane->set.count ? row_of(pane, pane->set.count - 1, width) + 1 : 1;
    (void)browser;
    return rows < self->height ? rows : self->height;
}

// --- Keys ----------------------------------------------------------------------------------------

static void move_to(struct named_pane *pane, size_t number)
{
    if (number < pane->set.count)
        pane->selected = number;
}

// Moves to the register in the row above or below that is at or before the same column.
static void move_by_row(struct named_pane *pane, unsigned width, bool is_down)
{
    unsigned row = row_of(pane, pane->selected, width), wanted = is_down ? row + 1 : row - 1;
    size_t first = pane->selected, at = pane->selected;
    if (!is_down && !row)
        return;
    while (first && row_of(pane, first - 1, width) == row)
        first--;
    size_t offset = pane->selected - first;
    while (at < pane->set.count && at != SIZE_MAX && row_of(pane, at, width) != wanted)
        at += is_down ? 1 : (size_t)-1;
    while (at && at < pane->set.count && row_of(pane, at - 1, width) == wanted)
        at--;
    while (offset-- && at + 1 < pane->set.count && row_of(pane, at + 1, width) == wanted)
        at++;
    move_to(pane, at);
}

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    struct named_pane *pane = of(self);
    if (key == KEY_LEFT_ARROW)
        move_to(pane, pane->selected - 1);
    else if (key == KEY_RIGHT_ARROW)
        move_to(pane, pane->selected + 1);
    else
        move_by_row(pane, browser->width, key == KEY_DOWN_ARROW);
}

static void change_group(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)key;
    take_group(browser, of(self), (of(self)->group + 1) % ARRAY_COUNT(groups));
}

static void toggle_before(struct browser *browser, struct pane *self, uint32_t key)
{
    struct named_pane *pane = of(self);
    (void)key;
    pane->has_before = !pane->has_before;
    browser->layouts++;
}

static bool subject(struct browser *browser, struct pane *self, struct thing *thing)
{
    const struct named_pane *pane = of(self);
    (void)browser;
    if (pane->selected >= pane->set.count)
        return false;
    const struct trawl_register *which = &pane->set.items[pane->selected].which;
    *thing = (struct thing){true, which->offset, which->size_bytes};
    return true;
}

static void go_to_last_write(struct browser *browser, struct pane *self, uint32_t key)
{
    struct thing thing;
    (void)key;
    if (subject(browser, self, &thing))
        browser_go_to_write(browser, &thing, pane_event(browser, self), WRITE_LAST);
}

static const struct key_action named_keys[] = {
    {KEY_UP_ARROW, "Arrows", "Select another register", move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {KEY_LEFT_ARROW, "", NULL, move},
    {KEY_RIGHT_ARROW, "", NULL, move},
    {'n', "n", "Other registers: general, of the system, vectors, predicates, all", change_group},
    {'v', "v", "Lanes of the selected vector or predicate: of 1, 2, 4, 8 bytes", change_lanes},
    {'b', "b", "Show or hide previous values next to registers that changed", toggle_before},
    {KEY_RETURN, "Return", "Go to the last write of the register", go_to_last_write},
    {'w', "w, W", "Go to its next or previous write", pane_find_write},
    {'W', "", NULL, pane_find_write},
    {'u', "u, U", "Go to its next or previous read", pane_find_read},
    {'U', "", NULL, pane_find_read},
    {'J', "J, K", "Go to the next or previous access to memory, read or write", pane_find_access},
    {'K', "", NULL, pane_find_access},
    {'A', "A", "List all its values", pane_list_values},
    {'Y', "Y", "Show where its value comes from", pane_show_origin},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {PANE_KEY_LOCK},
    {0, "", "", NULL},
    {0},
};

static void renew(struct browser *browser, struct pane *self)
{
    take_group(browser, of(self), of(self)->group);
}

static void free_pane(struct pane *self)
{
    register_set_free(&of(self)->set);
}

const struct pane_kind named_kind = {
    .name = "registers",
    .keys = named_keys,
    .wanted = wanted,
    .draw = draw,
    .status = status,
    .renew = renew,
    .subject = subject,
    .free = free_pane,
};

struct pane *named_pane_new(struct browser *browser)
{
    struct pane *pane = pane_new(&named_kind, sizeof(struct named_pane), ROWS_AT_FIRST);
    if (pane)
        take_group(browser, of(pane), 0);
    return pane;
}
