// Memory at an address, which may be an expression with registers that is followed.
#include "base/limits.h"
#include "browse/frames.h"
#include "browse/pane.h"

#include "query/memory_space.h"
#include "query/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW_BYTES = 16, ROWS_AT_FIRST = 4, WORDS_AT_ONCE = 64 };

struct memory_pane {
    struct pane pane;
    char text[PROMPT_BYTES]; // as typed
    struct expression expression;
    bool is_following;
    bool has_address; // the expression has a value
    uint64_t start, cursor;
    unsigned word_bytes; // 1: bytes and characters
    bool is_other_order; // words are read in the byte order opposite to the trace's
    bool is_stack;       // one word per row, with what it points to
};

static struct memory_pane *of(struct pane *pane)
{
    return (struct memory_pane *)(void *)pane;
}

// For a stack, a row is a word.
static uint64_t row_bytes(const struct memory_pane *pane)
{
    return pane->is_stack ? pane->word_bytes : ROW_BYTES;
}

static void find_address(struct browser *browser, struct memory_pane *pane)
{
    uint64_t address;
    pane->has_address =
        browse_evaluate(browser->source, &pane->expression, browser->view.state, &address);
    if (!pane->has_address)
        return;
    pane->cursor = address;
    pane->start = address & ~(row_bytes(pane) - 1);
}

static void moved(struct browser *browser, struct pane *self)
{
    if (of(self)->is_following)
        find_address(browser, of(self));
}

// --- Drawing -------------------------------------------------------------------------------------

struct memory_row {
    uint64_t address;
    bool has_address;
    uint8_t bytes[ROW_BYTES], known[ROW_BYTES];
    bool is_marked[ROW_BYTES];
};

static void put_bytes(struct row *out, const struct memory_row *row)
{
    for (unsigned i = 0; i < ROW_BYTES; i++) {
        bool is_inside = i && row->is_marked[i - 1] && row->is_marked[i];
        out->flags = is_inside ? CELL_HIGHLIGHTED : 0;
        row_string(out, ROLE_LABEL, i ? " " : "  ");
        out->flags = row->is_marked[i] ? CELL_HIGHLIGHTED : 0;
        if (row->known[i])
            row_format(out, ROLE_VALUE, "%02x", row->bytes[i]);
        else
            row_string(out, ROLE_UNKNOWN, "??");
    }
    out->flags = 0;
    row_string(out, ROLE_LABEL, "  ");
}

static void put_characters(struct row *out, const struct memory_row *row)
{
    for (unsigned i = 0; i < ROW_BYTES; i++) {
        char character = (char)row->bytes[i];
        bool is_printable = character >= 0x20 && character < 0x7f;
        out->flags = row->is_marked[i] ? CELL_HIGHLIGHTED : 0;
        if (!row->known[i])
            row_string(out, ROLE_UNKNOWN, "?");
        else if (is_printable)
            row_text(out, ROLE_VALUE, &character, 1);
        else
            row_string(out, ROLE_UNPRINTABLE, ".");
    }
    out->flags = 0;
}

static bool is_big_endian(const struct browser *browser, const struct memory_pane *pane)
{
    bool is_big = browser->source->indexed->info.options & TRAWL_BIG_ENDIAN;
    return is_big != pane->is_other_order;
}

// Writes the words of a row; unknown bytes are marked digit by digit.
static void put_words(struct browser *browser, struct row *out, const struct memory_pane *pane,
                      const struct memory_row *row)
{
    bool is_big = is_big_endian(browser, pane);
    for (unsigned first = 0; first < row_bytes(pane); first += pane->word_bytes) {
        row_string(out, ROLE_LABEL, first ? " " : "  ");
        for (unsigned i = 0; i < pane->word_bytes; i++)
            out->flags |= row->is_marked[first + i] ? CELL_HIGHLIGHTED : 0;
        for (unsigned i = 0; i < pane->word_bytes; i++) {
            unsigned at = first + (is_big ? i : pane->word_bytes - 1 - i);
            if (row->known[at])
                row_format(out, ROLE_VALUE, "%02x", row->bytes[at]);
            else
                row_string(out, ROLE_UNKNOWN, "??");
        }
        out->flags = 0;
    }
}

// What a word of the stack points to.
static void put_pointed(struct browser *browser, const struct pane *self, struct row *out,
                        const struct memory_row *row)
{
    const struct memory_pane *pane = (const struct memory_pane *)(const void *)self;
    char name[BROWSE_NAME_BYTES];
    if (memchr(row->known, 0, pane->word_bytes))
        return;
    uint64_t value = point_number(row->bytes, pane->word_bytes, is_big_endian(browser, pane));
    bool is_return;
    bool has_name = frames_value_name(browser->source, browser->timeline, pane_event(browser, self),
                                      value, name, &is_return);
    if (!value || (!is_return && !has_name))
        return;
    row_string(out, ROLE_LABEL, is_return ? "  return to " : "  ");
    row_string(out, ROLE_VALUE, name);
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct memory_pane *pane = of(self);
    for (unsigned r = 0; r < rows; r++) {
        struct row out = screen_row(screen, y + r);
        struct memory_row row = {.address = pane->start + (uint64_t)r * row_bytes(pane)};
        if (pane->has_address) {
            uint64_t after, until, event = pane_event(browser, self);
            // A row that passes the end of the address space continues at its start.
            uint64_t first = u64_min(ROW_BYTES, -row.address ? -row.address : ROW_BYTES);
            browse_memory(browser->source, event, row.address, (size_t)first, row.bytes, row.known);
            if (first < ROW_BYTES)
                browse_memory(browser->source, event, 0, (size_t)(ROW_BYTES - first),
                              row.bytes + first, row.known + first);
            if (pane_marks(browser, self, &after, &until) &&
                pane_is_marked(browse_memory_written(browser->source, until, row.address, first),
                               after, until)) {
                for (unsigned i = 0; i < ROW_BYTES; i++)
                    row.is_marked[i] = pane_is_marked(
                        browse_memory_written(browser->source, until, row.address + i, 1), after,
                        until);
            }
            row_format(&out, ROLE_LABEL, "%08" PRIx64, row.address);
            if (browser->focus == self && pane->cursor - row.address < row_bytes(pane)) {
                unsigned word = (unsigned)(pane->cursor - row.address) / pane->word_bytes;
                unsigned x = out.at + 2 + (2 * pane->word_bytes + 1) * word; // after the address
                screen->has_cursor = true;
                screen->cursor_x = x < screen->width ? x : screen->width - 1;
                screen->cursor_y = y + r;
            }
        } else {
            row_string(&out, ROLE_LABEL, "????????");
        }
        if (pane->word_bytes > 1) {
            put_words(browser, &out, pane, &row);
            if (pane->is_stack)
                put_pointed(browser, self, &out, &row);
        } else {
            put_bytes(&out, &row);
            put_characters(&out, &row);
        }
        row_fill(&out, ROLE_LABEL);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    const struct memory_pane *pane = of(self);
    char name[BROWSE_NAME_BYTES];
    pane_put_place(browser, self, "Memory", row);
    if (pane->has_address && browse_address_name(browser->source, pane->cursor, name)) {
        row_string(row, ROLE_STATUS, "   cursor at ");
        row_string(row, ROLE_STATUS, name);
    }
    struct trawl_index *index = browser->source->indexed->index;
    char space[MEMORY_SPACE_TEXT_BYTES];
    memory_space_text(index, space);
    if (*space)
        row_format(row, ROLE_STATUS, "   %s", space);
    else if (pane->has_address &&
             memory_space_doubt(index, pane_event(browser, self), pane->cursor, 1))
        row_string(row, ROLE_STATUS, "   at a place that is guessed (S: another space)");
    if (pane->is_following) {
        row_string(row, ROLE_STATUS, "   following: ");
        row_string(row, ROLE_STATUS, pane->text);
    }
}

// --- Keys ----------------------------------------------------------------------------------------

static void keep_cursor_in_sight(struct memory_pane *pane)
{
    uint64_t row = pane->cursor & ~(row_bytes(pane) - 1);
    uint64_t size = (uint64_t)(pane->pane.rows ? pane->pane.rows : 1) * row_bytes(pane);
    if (row - pane->start < size)
        return;
    // Scrolls down, unless the row above is nearer.
    bool is_above = pane->start - row < row - pane->start;
    pane->start = is_above ? row : row - size + row_bytes(pane);
}

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    struct memory_pane *pane = of(self);
    (void)browser;
    if (!pane->has_address)
        return;
    uint64_t step = pane->word_bytes;
    pane->cursor += key == KEY_LEFT_ARROW    ? 0 - step
                    : key == KEY_RIGHT_ARROW ? step
                    : key == KEY_UP_ARROW    ? 0 - row_bytes(pane)
                                             : row_bytes(pane);
    keep_cursor_in_sight(pane);
}

static void go_to_write(struct browser *browser, struct pane *self, uint32_t key)
{
    struct memory_pane *pane = of(self);
    uint64_t size = key == KEY_RETURN ? 1 : key - '0';
    uint64_t address = pane->cursor & ~(size - 1);
    if (!pane->has_address)
        return;
    uint64_t written =
        browse_memory_written(browser->source, pane_event(browser, self), address, size);
    if (written == TRAWL_NONE)
        browser_complain(browser, "0x%" PRIx64 " was not written before this", address);
    else
        browser_go(browser, written);
}

static void compare(struct browser *browser, struct pane *self, const char *typed)
{
    uint64_t line, event, shown = pane_event(browser, self);
    if (!browser_number(browser, typed, false, &line) || !browser_line_event(browser, line, &event))
        return;
    bool is_before = event + 1 < shown + 1;
    self->has_marks = true;
    self->marks_after = is_before ? event : shown;
    self->marks_until = is_before ? shown : event;
}

static void ask(struct browser *browser, struct pane *self, uint32_t key)
{
    static const struct prompt_kind by_time = {"Show memory at time: ", pane_lock_to_time, false,
                                               NULL, NULL};
    static const struct prompt_kind by_line = {"Show memory at line number: ", pane_lock_to_line,
                                               false, NULL, NULL};
    static const struct prompt_kind against = {"Diff memory against line number: ", compare, false,
                                               NULL, NULL};
    browser_ask(browser, self, key == 't' ? &by_time : key == 'l' ? &by_line : &against);
}

static void stop_following(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser, (void)key;
    of(self)->is_following = false;
}

// --- What is marked ------------------------------------------------------------------------------

struct written {
    struct browser *browser;
    uint64_t after, until;
};

// The first word at or above an address, and below another, that was stored to. False: there is
// none.
static bool first_word(const struct written *written, uint64_t address, uint64_t end,
                       uint64_t *word)
{
    struct trawl_error err;
    size_t count = 0;
    enum trawl_status status =
        trawl_stored_words(written->browser->source->indexed->index, written->after, written->until,
                           address, word, 1, &count, &err);
    return status == TRAWL_OK && count && *word < end;
}

// The last word below an address.
static bool last_word(const struct written *written, uint64_t end, uint64_t *word)
{
    uint64_t low = 0, high = end, found;
    if (!first_word(written, 0, end, word))
        return false;
    for (low = *word + 8; low < high && low >= 8;) {
        uint64_t middle = (low + (high - low) / 2) & ~UINT64_C(7);
        if (middle < low)
            middle = low;
        if (first_word(written, middle, high, &found)) {
            *word = found;
            low = found + 8;
        } else {
            high = middle;
        }
    }
    return true;
}

static bool is_byte_marked(const struct written *written, uint64_t address)
{
    return pane_is_marked(
        browse_memory_written(written->browser->source, written->until, address, 1), written->after,
        written->until);
}

static bool find_above(const struct written *written, uint64_t cursor, uint64_t *found)
{
    for (uint64_t word = cursor & ~UINT64_C(7);;) {
        if (!first_word(written, word, UINT64_MAX, &word))
            return false;
        for (uint64_t i = 0; i < 8; i++) {
            *found = word + i;
            if (*found > cursor && is_byte_marked(written, *found))
                return true;
        }
        word += 8;
        if (!word)
            return false;
    }
}

static bool find_below(const struct written *written, uint64_t cursor, uint64_t *found)
{
    for (uint64_t end = cursor, word; last_word(written, end, &word); end = word) {
        for (uint64_t i = 8; i-- > 0;) {
            *found = word + i;
            if (*found < cursor && is_byte_marked(written, *found))
                return true;
        }
    }
    return false;
}

static void go_to_marked(struct browser *browser, struct pane *self, uint32_t key)
{
    struct memory_pane *pane = of(self);
    struct written written = {.browser = browser};
    uint64_t found;
    if (!pane->has_address || !pane_marks(browser, self, &written.after, &written.until))
        return;
    bool is_found = key == ']' ? find_above(&written, pane->cursor, &found)
                               : find_below(&written, pane->cursor, &found);
    if (!is_found)
        return;
    pane->cursor = found;
    keep_cursor_in_sight(pane);
}

static const struct key_action memory_keys[] = {
    {KEY_LEFT_ARROW, "Left, Right, Up, Down", "Move the cursor", move},
    {KEY_RIGHT_ARROW, "", NULL, move},
    {KEY_UP_ARROW, "", NULL, move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {0, "", "", NULL},
    {'t', "t", "Show memory at a time, and stay there", ask},
    {'l', "l", "Show memory at a line of the file, and stay there", ask},
    {PANE_KEY_LOCK},
    {'F', "F", "Stop following the expression", stop_following},
    {0, "", "", NULL},
    {'1', "1, 2, 4, 8", "Go to the last write of the aligned bytes at the cursor, so many",
     go_to_write},
    {'2', "", NULL, go_to_write},
    {'4', "", NULL, go_to_write},
    {'8', "", NULL, go_to_write},
    {KEY_RETURN, "Return", "The same as 1", go_to_write},
    {'d', "d", "Mark what was written between a line of the file and what is shown", ask},
    {']', "[, ]", "Go to the marked byte before or after the cursor", go_to_marked},
    {'[', "", NULL, go_to_marked},
    {0, "", "", NULL},
    {'x', "x", "Close the pane", pane_close},
    {0, "", "", NULL},
    {0},
};

static bool find_subject(struct browser *browser, struct pane *self, struct thing *thing)
{
    (void)browser;
    const struct memory_pane *pane = of(self);
    uint64_t size = u64_min(pane->word_bytes - 1, UINT64_MAX - pane->cursor) + 1;
    *thing = (struct thing){false, pane->cursor, size};
    return of(self)->has_address;
}

// Bytes, words of 2, 4 and 8, then the stack.
static void change_words(struct browser *browser, struct pane *self, uint32_t key)
{
    struct memory_pane *pane = of(self);
    const struct browse_source *source = browser->source;
    bool is_stack = !pane->is_stack && pane->word_bytes == 8;
    uint8_t own = trace_arch(source->trace->kind)->isas[source->isa].word_bytes;
    bool is_64 = (own ? own : source->indexed->info.address_bytes) == 8;
    (void)key;
    if (is_stack)
        pane->word_bytes = is_64 ? 8 : 4;
    else
        pane->word_bytes = pane->is_stack ? 1 : pane->word_bytes * 2;
    pane->is_stack = is_stack;
    pane->cursor &= ~(uint64_t)(pane->word_bytes - 1);
    pane->start = pane->cursor & ~(row_bytes(pane) - 1);
}

static void see_space(struct browser *browser, struct pane *self, const char *typed)
{
    struct error err;
    (void)self;
    if (memory_space_set(browser->source->indexed->index, typed, TRAWL_ANY_LANE, &err) != STATUS_OK)
        browser_complain(browser, "%s", err.text);
}

static void ask_space(struct browser *browser, struct pane *self, uint32_t key)
{
    static const struct prompt_kind by_name = {
        "Address space (or physical; nothing: that of the core): ", see_space, true, NULL, NULL};
    (void)key;
    browser_ask(browser, self, &by_name);
}

static void change_order(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)key;
    of(self)->is_other_order = !of(self)->is_other_order;
    browser_say(browser, "Words are read with the %s byte first",
                is_big_endian(browser, of(self)) ? "most significant" : "least significant");
}

static const struct key_action extra_keys[] = {
    {'v', "v", "Show words of 2, 4 or 8 bytes, the stack with what it points to, bytes again",
     change_words},
    {'o', "o", "Read words in the other byte order", change_order},
    {'S', "S", "Show the memory of another address space, or by physical addresses", ask_space},
    {'w', "w, W", "Go to the next write of the byte at the cursor, or the one before",
     pane_find_write},
    {'W', "", NULL, pane_find_write},
    {'u', "u, U", "Go to the next read of it, or the one before; n and N go on", pane_find_read},
    {'U', "", NULL, pane_find_read},
    {'J', "J, K", "Go to the next or previous access to memory, read or write", pane_find_access},
    {'K', "", NULL, pane_find_access},
    {'A', "A", "List all its values", pane_list_values},
    {'Y', "Y", "Show where its value comes from", pane_show_origin},
    {0},
};

// --- Opening -------------------------------------------------------------------------------------

static const struct pane_kind memory_kind = {
    .name = "memory",
    .keys = memory_keys,
    .extra_keys = extra_keys,
    .draw = draw,
    .status = status,
    .moved = moved,
    .subject = find_subject,
};

struct pane *memory_pane_new(struct browser *browser, const char *text, struct error *err)
{
    struct pane *made = pane_new(&memory_kind, sizeof(struct memory_pane), ROWS_AT_FIRST);
    if (!made) {
        error_set(err, STATUS_MEMORY, "no memory for a pane");
        return NULL;
    }
    struct memory_pane *pane = of(made);
    snprintf(pane->text, sizeof pane->text, "%s", text);
    if (browse_parse(browser->source, browser->view.state, true, pane->text, &pane->expression,
                     err) != STATUS_OK) {
        pane_free(made);
        return NULL;
    }
    pane->word_bytes = 1;
    pane->is_following = pane->expression.has_registers || pane->expression.has_memory;
    find_address(browser, pane);
    return made;
}
