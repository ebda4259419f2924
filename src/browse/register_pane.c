// Registers: core, floating point, vector.
#include "base/limits.h"
#include "browse/frames.h"
#include "browse/pane.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REGISTER_BYTES = 16, FRACTION_BYTES = 32 };

// The questions for where to stay, of a set.
struct set_prompts {
    struct prompt_kind time, line;
    char texts[2][64];
};

struct shown_register {
    char name[8];
    enum arch_look look;
};

struct register_pane {
    struct pane pane;
    enum arch_group_number which;
    const struct arch_group *group;
    struct set_prompts prompts;
    struct shown_register registers[LIMIT_PANE_REGISTERS];
    unsigned count, wanted; // wanted: the number that should be visible
    unsigned selected, top; // register; row
    unsigned layouts;       // of the browser when the top was last set
    bool has_symbol;
};

static struct register_pane *of(struct pane *pane)
{
    return (struct register_pane *)(void *)pane;
}

// --- Values --------------------------------------------------------------------------------------

// The bytes of a register in the register space.
struct place {
    uint64_t offset;
    uint32_t size_bytes;
};

struct value {
    struct place place;
    uint8_t bytes[REGISTER_BYTES], known[REGISTER_BYTES];
    bool is_marked[REGISTER_BYTES];
    bool is_known; // all of it
};

static struct place place_of(const struct browser *browser, const char *name, uint32_t isa)
{
    struct trawl_register found = {0};
    struct place place = {0};
    if (browse_register_named(browser->source, name, strlen(name), isa, &found)) {
        place.offset = found.offset;
        place.size_bytes = (uint32_t)u64_min(found.size_bytes, REGISTER_BYTES);
    }
    return place;
}

static void read_value(struct browser *browser, const struct pane *pane,
                       const struct shown_register *shown, uint32_t isa, struct value *value)
{
    const struct place place = place_of(browser, shown->name, isa);
    uint64_t after, until, event = pane_event(browser, pane);
    *value = (struct value){.place = place};
    browse_registers(browser->source, event, place.offset, place.size_bytes, value->bytes,
                     value->known);
    value->is_known = !memchr(value->known, 0, place.size_bytes);
    if (!pane_marks(browser, pane, &after, &until))
        return;
    uint64_t written = browse_register_written_beside(browser->source, event, until, place.offset,
                                                      place.size_bytes);
    if (!pane_is_marked(written, after, until))
        return;
    for (uint32_t i = 0; i < place.size_bytes; i++) {
        written =
            browse_register_written_beside(browser->source, event, until, place.offset + i, 1);
        value->is_marked[i] = pane_is_marked(written, after, until);
    }
}

static uint64_t number_of(const struct value *value)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < value->place.size_bytes && i < 8; i++)
        number |= (uint64_t)value->bytes[i] << (8 * i);
    return number;
}

// Formats the number as floating point: a sign or a space, nine or seventeen digits.
static void fraction_text(const struct value *value, char text[FRACTION_BYTES])
{
    bool is_single = value->place.size_bytes == 4;
    int width = is_single ? 15 : 24;
    uint64_t bits = number_of(value);
    uint32_t low = (uint32_t)bits;
    float single;
    double number;
    char digits[FRACTION_BYTES];
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &bits, sizeof number);
    number = is_single ? (double)single : number;
    bool is_negative = is_single ? low >> 31 : bits >> 63;
    if (!value->is_known) {
        memset(text, '?', (size_t)width);
        text[width] = '\0';
        return;
    }
    if (isnan(number))
        snprintf(digits, sizeof digits, "NaN");
    else if (isinf(number))
        snprintf(digits, sizeof digits, "Inf");
    else
        snprintf(digits, sizeof digits, "%.*e", is_single ? 8 : 16, fabs(number));
    snprintf(text, FRACTION_BYTES, "%c%-*s", is_negative ? '-' : ' ', width - 1, digits);
}

static unsigned item_width(const struct browser *browser, const struct shown_register *shown)
{
    static const unsigned behind[] = {[ARCH_PLAIN] = 0, [ARCH_FLAGS] = 7, [ARCH_MASK] = 24};
    unsigned size = place_of(browser, shown->name, false).size_bytes;
    unsigned width = (unsigned)strlen(shown->name) + 1 + 2 * size;
    if (shown->look == ARCH_FLOAT)
        return width + (size == 4 ? 18 : 27);
    return width + behind[shown->look];
}

// --- Rows ----------------------------------------------------------------------------------------

// How many registers fit into the row that begins with `first`, at least one.
static unsigned row_length(const struct browser *browser, const struct register_pane *pane,
                           unsigned first, unsigned width)
{
    unsigned used = item_width(browser, &pane->registers[first]), count = 1;
    while (first + count < pane->count) {
        used += 1 + item_width(browser, &pane->registers[first + count]);
        if (used > width)
            break;
        count++;
    }
    return count;
}

// The row of register `number`, and the first register of the row.
static unsigned row_of(const struct browser *browser, const struct register_pane *pane,
                       unsigned number, unsigned *first)
{
    unsigned row = 0, start = 0, length;
    while (start + (length = row_length(browser, pane, start, browser->width)) <= number) {
        start += length;
        row++;
    }
    *first = start;
    return row;
}

static unsigned wanted_rows(struct browser *browser, struct pane *self, unsigned width)
{
    const struct register_pane *pane = of(self);
    unsigned first;
    (void)width;
    return row_of(browser, pane, pane->wanted - 1, &first) + 1;
}

static void keep_selected_in_sight(struct browser *browser, struct register_pane *pane)
{
    unsigned first, row = row_of(browser, pane, pane->selected, &first);
    if (row < pane->top)
        pane->top = row;
    else if (pane->pane.rows && row >= pane->top + pane->pane.rows)
        pane->top = row - pane->pane.rows + 1;
}

// --- Drawing -------------------------------------------------------------------------------------

static void put_byte(struct row *row, enum role role, enum role unknown, uint8_t byte,
                     bool is_known)
{
    if (is_known)
        row_format(row, role, "%02x", byte);
    else
        row_string(row, unknown, "??");
}

static void put_register(struct row *row, const struct shown_register *shown,
                         const struct value *value, unsigned *digits_at)
{
    row_string(row, ROLE_LABEL, shown->name);
    row_string(row, ROLE_LABEL, "=");
    *digits_at = row->at;
    for (uint32_t i = value->place.size_bytes; i-- > 0;) {
        row->flags = value->is_marked[i] ? CELL_HIGHLIGHTED : 0;
        put_byte(row, ROLE_VALUE, ROLE_UNKNOWN, value->bytes[i], value->known[i]);
    }
    row->flags = 0;
    char text[FRACTION_BYTES];
    const char *before = " [";
    switch (shown->look) {
    case ARCH_PLAIN:
        return;
    case ARCH_FLAGS:
        for (unsigned i = 0; i < 4; i++) { // a capital letter for each flag that is set
            bool is_set = value->bytes[3] >> (7 - i) & 1;
            text[i] = !value->known[3] ? '?' : is_set ? "NZCV"[i] : "nzcv"[i];
        }
        text[4] = '\0';
        break;
    case ARCH_FLOAT:
        fraction_text(value, text);
        break;
    case ARCH_MASK:
        before = " [mask:";
        // "Then" or "else" for each instruction of a predicated block.
        bool is_in_block = value->known[2] && value->bytes[2];
        for (unsigned i = 0; i < 16; i++) {
            unsigned bit = 15 - i;
            bool is_set = value->bytes[bit / 8] >> (bit % 8) & 1;
            text[i] = !is_in_block ? '-' : !value->known[bit / 8] ? '?' : is_set ? 'T' : 'e';
        }
        text[16] = '\0';
        break;
    }
    row_string(row, ROLE_LABEL, before);
    for (const char *at = text; *at; at++)
        row_text(row, *at == '?' ? ROLE_UNKNOWN : ROLE_VALUE, at, 1);
    row_string(row, ROLE_LABEL, "]");
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct register_pane *pane = of(self);
    uint32_t isa = browse_isa(browser->source, pane_event(browser, self));
    if (browser->is_plain) {
        // As in the reference, all panes scroll to their top when rows are distributed again, and
        // the selected register becomes visible with the next key that moves it.
        pane->top = pane->layouts == browser->layouts ? pane->top : 0;
        pane->layouts = browser->layouts;
    } else { // keeps the pane filled, if there are enough registers
        unsigned first, count = row_of(browser, pane, pane->count - 1, &first) + 1;
        unsigned top_max = count > self->rows ? count - self->rows : 0;
        pane->top = pane->top < top_max ? pane->top : top_max;
        keep_selected_in_sight(browser, pane);
    }
    for (unsigned number = 0, r = 0; number < pane->count && r < pane->top + rows; r++) {
        unsigned length = row_length(browser, pane, number, browser->width);
        struct row row = r < pane->top ? (struct row){0} : screen_row(screen, y + r - pane->top);
        for (unsigned i = 0; i < length && r >= pane->top; i++) {
            const struct shown_register *shown = &pane->registers[number + i];
            struct value value;
            unsigned digits_at;
            read_value(browser, self, shown, isa, &value);
            if (i)
                row_string(&row, ROLE_LABEL, " ");
            put_register(&row, shown, &value, &digits_at);
            if (browser->focus == self && number + i == pane->selected) {
                screen->has_cursor = true;
                screen->cursor_x = digits_at < screen->width ? digits_at : screen->width - 1;
                screen->cursor_y = y + r - pane->top;
            }
        }
        row_fill(&row, ROLE_LABEL);
        number += length;
    }
}

// Writes the previous value of the selected register, if it is marked, or its next value.
static void put_before(struct browser *browser, struct pane *self, struct row *row,
                       const struct shown_register *shown, uint32_t isa)
{
    struct value value, before;
    uint64_t other;
    const char *word;
    read_value(browser, self, shown, isa, &value);
    if (!pane_other_state(browser, self, &other, &word) ||
        !memchr(value.is_marked, true, value.place.size_bytes))
        return;
    before = (struct value){.place = value.place};
    browse_registers_beside(browser->source, pane_event(browser, self), other, before.place.offset,
                            before.place.size_bytes, before.bytes, before.known);
    row_format(row, ROLE_STATUS, "   %s %s ", shown->name, word);
    for (uint32_t i = before.place.size_bytes; i-- > 0;)
        put_byte(row, ROLE_STATUS, ROLE_STATUS, before.bytes[i], before.known[i]);
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    const struct register_pane *pane = of(self);
    const struct shown_register *shown = &pane->registers[pane->selected];
    char name[BROWSE_NAME_BYTES];
    struct value value;
    row_string(row, ROLE_STATUS, pane->group->status);
    row_format(row, ROLE_STATUS, "%" PRIu64 "%s", pane_line(browser, self),
               self->is_locked ? " (LOCKED)" : "");
    uint32_t isa = browse_isa(browser->source, pane_event(browser, self));
    if (!browser->is_plain && browser->focus == self)
        put_before(browser, self, row, shown, isa);
    if (!pane->has_symbol || (browser->is_plain && !browse_has_image(browser->source)))
        return;
    read_value(browser, self, shown, isa, &value);
    if (!value.is_known || value.place.size_bytes > 8)
        return;
    bool has_name = frames_value_name(browser->source, browser->timeline, pane_event(browser, self),
                                      number_of(&value), name, NULL);
    if (browser->is_plain && !has_name)
        return;
    row_format(row, ROLE_STATUS, "   %s = ", shown->name);
    row_string(row, ROLE_STATUS, name);
    if (!browser->is_plain)
        pane_put_string(browser, self, row, number_of(&value));
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    struct register_pane *pane = of(self);
    unsigned first, above;
    unsigned row = row_of(browser, pane, pane->selected, &first);
    unsigned length = row_length(browser, pane, first, browser->width);
    switch (key) {
    case KEY_LEFT_ARROW:
        pane->selected = (pane->selected ? pane->selected : pane->count) - 1;
        break;
    case KEY_RIGHT_ARROW:
        pane->selected = (pane->selected + 1) % pane->count;
        break;
    case KEY_DOWN_ARROW:
        pane->selected += length;
        break;
    default:
        if (row)
            row_of(browser, pane, first - 1, &above);
        length = row ? first - above : pane->selected;
        pane->selected -= length < pane->selected ? length : pane->selected;
    }
    pane->selected = pane->selected < pane->count ? pane->selected : pane->count - 1;
    keep_selected_in_sight(browser, pane);
}

// Changes the height by one row: by the number of registers that this takes.
static void change_height(struct browser *browser, struct pane *self, uint32_t key)
{
    struct register_pane *pane = of(self);
    unsigned first, row = row_of(browser, pane, pane->wanted - 1, &first);
    browser->layouts++;
    if (key == '<' && row)
        pane->wanted = first;
    else if (key == '>' && first + row_length(browser, pane, first, browser->width) < pane->count)
        pane->wanted = first + row_length(browser, pane, first, browser->width) + 1;
}

static void ask(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct set_prompts *prompts = &of(self)->prompts;
    browser_ask(browser, self, key == 't' ? &prompts->time : &prompts->line);
}

static void go_to_write(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct register_pane *pane = of(self);
    uint64_t event = pane_event(browser, self);
    struct place place =
        place_of(browser, pane->registers[pane->selected].name, browse_isa(browser->source, event));
    uint64_t written =
        browse_register_written(browser->source, event, place.offset, place.size_bytes);
    (void)key;
    if (written == TRAWL_NONE)
        browser_complain(browser, "%s was not written before this",
                         pane->registers[pane->selected].name);
    else
        browser_go(browser, written);
}

static void toggle_symbol(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser, (void)key;
    of(self)->has_symbol = !of(self)->has_symbol;
}

static const struct key_action register_keys[] = {
    {KEY_LEFT_ARROW, "Left, Right, Up, Down", "Select another register", move},
    {KEY_RIGHT_ARROW, "", NULL, move},
    {KEY_UP_ARROW, "", NULL, move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {'<', "<, >", "Make the pane a row smaller or larger", change_height},
    {'>', "", NULL, change_height},
    {0, "", "", NULL},
    {'t', "t", "Show the registers at a time, and stay there", ask},
    {'l', "l", "Show the registers at a line of the file, and stay there", ask},
    {PANE_KEY_LOCK},
    {0, "", "", NULL},
    {KEY_RETURN, "Return", "Go to the last write of the selected register", go_to_write},
    {'a', "a", "Show the symbol that the selected register points to", toggle_symbol},
    {0, "", "", NULL},
    {0},
};

static bool find_subject(struct browser *browser, struct pane *self, struct thing *thing)
{
    struct place place = place_of(browser, of(self)->registers[of(self)->selected].name,
                                  browse_isa(browser->source, pane_event(browser, self)));
    *thing = (struct thing){true, place.offset, place.size_bytes};
    return place.size_bytes > 0;
}

static const struct key_action extra_keys[] = {
    {'w', "w, W", "Go to the next write of the selected register, or the one before",
     pane_find_write},
    {'W', "", NULL, pane_find_write},
    {'u', "u, U", "Go to the next read of it, or the one before; n and N go on", pane_find_read},
    {'U', "", NULL, pane_find_read},
    {'A', "A", "List all its values", pane_list_values},
    {'Y', "Y", "Show where its value comes from", pane_show_origin},
    {0},
};

// --- Opening -------------------------------------------------------------------------------------

static const struct pane_kind register_kind = {
    .name = "registers",
    .keys = register_keys,
    .extra_keys = extra_keys,
    .wanted = wanted_rows,
    .draw = draw,
    .status = status,
    .subject = find_subject,
};

enum arch_group_number register_pane_of(const struct pane *pane)
{
    if (pane->kind != &register_kind)
        return ARCH_GROUPS;
    return ((const struct register_pane *)(const void *)pane)->which;
}

static void add_register(struct register_pane *pane, const char *prefix, int number,
                         enum arch_look look)
{
    struct shown_register *shown = &pane->registers[pane->count++];
    if (number < 0)
        snprintf(shown->name, sizeof shown->name, "%s", prefix);
    else
        snprintf(shown->name, sizeof shown->name, "%s%d", prefix, number);
    shown->look = look;
}

static const struct arch_group *group_of(const struct browser *browser,
                                         enum arch_group_number which)
{
    const struct arch *arch = trace_arch(browser->source->trace->kind);
    return arch->groups && arch->groups[which].what ? &arch->groups[which] : NULL;
}

bool register_pane_has(const struct browser *browser, enum arch_group_number which)
{
    return group_of(browser, which) != NULL;
}

struct pane *register_pane_new(struct browser *browser, enum arch_group_number which)
{
    const struct arch_group *group = group_of(browser, which);
    struct pane *made = group ? pane_new(&register_kind, sizeof(struct register_pane), 0) : NULL;
    struct register_pane *pane = made ? of(made) : NULL;
    if (!pane)
        return NULL;
    struct set_prompts *prompts = &pane->prompts;
    snprintf(prompts->texts[0], sizeof prompts->texts[0],
             "Show %s registers at time: ", group->what);
    snprintf(prompts->texts[1], sizeof prompts->texts[1],
             "Show %s registers at line number: ", group->what);
    prompts->time = (struct prompt_kind){prompts->texts[0], pane_lock_to_time, false, NULL, NULL};
    prompts->line = (struct prompt_kind){prompts->texts[1], pane_lock_to_line, false, NULL, NULL};
    pane->which = which;
    pane->group = group;
    const bool is_64 = browser->source->isa == ARCH_ISA_64;
    for (const struct arch_names *names = group->registers[is_64]; names->name; names++) {
        for (int i = 0; i < names->count; i++)
            add_register(pane, names->name, i, names->look);
        if (!names->count)
            add_register(pane, names->name, -1, names->look);
    }
    pane->wanted = group->wanted ? group->wanted : pane->count;
    return made;
}
