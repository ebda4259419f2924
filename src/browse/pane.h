// What panes share, and what they use of the browser.
#ifndef TRAWL_BROWSE_PANE_H
#define TRAWL_BROWSE_PANE_H

#include "browse/browser_state.h"

// Something that is written and read: bytes of registers or memory.
struct thing {
    bool is_register;
    uint64_t place, size_bytes;
};

// A key of a pane: its name in the help, its meaning, and its function. Rows without a function are
// only shown in the help; rows without a meaning are other keys for the previous row.
struct key_action {
    uint32_t key;
    const char *name, *meaning;
    void (*act)(struct browser *browser, struct pane *pane, uint32_t key);
};

struct pane_kind {
    const char *name;
    const struct key_action *keys;       // ended by a row without key and name
    const struct key_action *extra_keys; // additions to the reference; NULL: none
    // How many rows of text it wants for a width. NULL: its height.
    unsigned (*wanted)(struct browser *browser, struct pane *pane, unsigned width);
    // Draws the rows of text from `y` on, and the cursor if the pane has the focus.
    void (*draw)(struct browser *browser, struct pane *pane, struct screen *screen, unsigned y,
                 unsigned rows);
    void (*status)(struct browser *browser, struct pane *pane, struct row *row);
    // The position moved. NULL: nothing to do.
    void (*moved)(struct browser *browser, struct pane *pane);
    // The index is about to be replaced: ends background work that reads it. NULL: there is none.
    void (*let_go)(struct pane *pane);
    // Reads again what it has from the index, which was replaced by another one of the same events.
    // NULL: nothing.
    void (*renew)(struct browser *browser, struct pane *pane);
    // The register or memory of its selection. NULL: it never has one.
    bool (*subject)(struct browser *browser, struct pane *pane, struct thing *thing);
    void (*free)(struct pane *pane); // frees what it owns besides itself; NULL: nothing
};

// The beginning of each pane.
struct pane {
    const struct pane_kind *kind;
    unsigned height; // rows of text that the user wants
    bool is_locked;
    uint64_t locked; // event; TRAWL_START: before the first
    unsigned rows;   // of text that it got
    bool is_shown;
    struct index_job *job; // background work that is unfinished; NULL: none
    // If set, what was written in (after, until] is marked.
    bool has_marks;
    uint64_t marks_after, marks_until;
};

// --- Of the browser ------------------------------------------------------------------------------

void browser_say(struct browser *browser, const char *format, ...) PRINTF_LIKE(2, 3);
void browser_complain(struct browser *browser, const char *format, ...) PRINTF_LIKE(2, 3);

// A prompt's question, and the function that gets the answer.
struct prompt_kind {
    const char *text;
    void (*answer)(struct browser *browser, struct pane *pane, const char *typed);
    bool takes_empty;
    // Called after each key, if typing has an immediate effect. NULL: it has none.
    void (*typing)(struct browser *browser, struct pane *pane, const char *typed);
    // Tab: completes what is typed. NULL: no completion.
    void (*complete)(struct browser *browser, char typed[PROMPT_BYTES]);
};
void browser_ask(struct browser *browser, struct pane *pane, const struct prompt_kind *kind);

// The prompt of each of several keys.
struct key_prompt {
    uint32_t key;
    struct prompt_kind kind;
};
void browser_ask_by_key(struct browser *browser, struct pane *pane,
                        const struct key_prompt *prompts, size_t count, uint32_t key);

// Whether the trace has all of these abilities (enum trace_ability). False: reported what it lacks.
bool browser_can(struct browser *browser, unsigned abilities);

// The number that was typed as an expression, without names or with those of the position. False:
// reported why not.
bool browser_number(struct browser *browser, const char *typed, bool with_names, uint64_t *value);

// The event of a line, or the last one of a time. False: reported that there is none.
bool browser_line_event(struct browser *browser, uint64_t line, uint64_t *event);
bool browser_time_event(struct browser *browser, uint64_t time, uint64_t *event);

// Goes after an event, and tells the panes.
void browser_go(struct browser *browser, uint64_t event);
// Runs the function of a key in a table. False: none.
bool browser_act(struct browser *browser, const struct key_action *keys, struct pane *pane,
                 uint32_t key);
// Goes to before the next event at an address (without code bit), or the previous one. The event
// that already comes next does not count.
void browser_go_to_visit(struct browser *browser, uint64_t pc, bool is_next);
// Tells the panes that the position moved.
void browser_moved(struct browser *browser);

// Opens a pane below the others, or frees it if there is no room. NULL: reports that there is no
// memory.
bool browser_add_pane(struct browser *browser, struct pane *pane);
void browser_close_pane(struct browser *browser, struct pane *pane);

// --- Of all panes --------------------------------------------------------------------------------

// A pane of a kind with `size_bytes`, zero except for the common part. NULL: no memory.
struct pane *pane_new(const struct pane_kind *kind, size_t size_bytes, unsigned height);
void pane_free(struct pane *pane);

// The first pane of a kind; NULL: none is open.
struct pane *browser_find_pane(const struct browser *browser, const struct pane_kind *kind);

// Keys of several kinds: < and > for one row less or more, x to close the pane.
void pane_change_height(struct browser *browser, struct pane *pane, uint32_t key);
void pane_close(struct browser *browser, struct pane *pane, uint32_t key);

// The event whose end a pane shows, and the line number to report.
uint64_t pane_event(const struct browser *browser, const struct pane *pane);
uint64_t pane_line(struct browser *browser, const struct pane *pane);
// Writes it into a status: "Calls at line: 12 (LOCKED)", or "event" if events are not lines.
void pane_put_place(struct browser *browser, const struct pane *pane, const char *what,
                    struct row *row);

// The other end of the marked steps: the state before them, shown as "was", or, after a step back,
// the state after them, shown as "then". False: nothing is marked.
bool pane_other_state(const struct browser *browser, const struct pane *pane, uint64_t *event,
                      const char **word);

// Locks to the event; or to the shown one, or unlocks.
void pane_lock(struct browser *browser, struct pane *pane, uint64_t event);
void pane_toggle_lock(struct browser *browser, struct pane *pane, uint32_t key);

// Answers of prompts: lock to the line or time that was typed, or to what is shown if nothing was
// typed.
void pane_lock_to_line(struct browser *browser, struct pane *pane, const char *typed);
void pane_lock_to_time(struct browser *browser, struct pane *pane, const char *typed);

// A list of rows in a pane, one of which is selected. Fields are for reading.
struct list {
    size_t selected, top; // `top` is the first visible row
};

// Moves the selection by an arrow, a page, Home or End.
void list_key(struct list *list, uint32_t key, size_t count, unsigned rows);

// Scrolls so that the selection is visible in `rows` rows, which are filled if the list is long
// enough.
void list_scroll(struct list *list, size_t count, unsigned rows);

// Begins row `y` of a screen. For the selection in the focused pane, puts the cursor there and
// highlights the row.
struct row list_row(struct screen *screen, unsigned y, bool is_selected);

// What to mark: writes in (*after, *until]. False: nothing.
bool pane_marks(const struct browser *browser, const struct pane *pane, uint64_t *after,
                uint64_t *until);

// Whether an event is in (after, until], where TRAWL_START comes before all; TRAWL_NONE never
// does.
static inline bool pane_is_marked(uint64_t event, uint64_t after, uint64_t until)
{
    return event != TRAWL_NONE && event + 1 > after + 1 && event <= until && until != TRAWL_START;
}

// --- What the reference lacks --------------------------------------------------------------------

// Goes to the next match, in the direction of the search or against it. False: there is no search.
bool browser_search_again(struct browser *browser, bool is_same_way);
void browser_search_status(struct browser *browser, struct row *row);

// The name of a thing.
#define THING_TEXT_BYTES 64
void thing_text(const struct browser *browser, const struct thing *thing,
                char text[THING_TEXT_BYTES]);

// Writes the string at an address, at the pane's event, if it is one: "text".
void pane_put_string(struct browser *browser, struct pane *pane, struct row *row, uint64_t address);

// The register or memory of the selected line. False: none.
bool trace_pane_subject(struct browser *browser, struct thing *thing);

// Goes to its next write after an event, or to the last one before; or to the last one up to it.
enum write_wanted { WRITE_NEXT, WRITE_BEFORE, WRITE_LAST };
void browser_go_to_write(struct browser *browser, const struct thing *thing, uint64_t event,
                         enum write_wanted wanted);

// Keys of panes whose selection is a register or memory: w W its writes, u U its reads, J K its
// reads and writes, A all its values. NULL: the trace.
void pane_find_write(struct browser *browser, struct pane *pane, uint32_t key);
void pane_find_read(struct browser *browser, struct pane *pane, uint32_t key);
void pane_find_access(struct browser *browser, struct pane *pane, uint32_t key);
void pane_list_values(struct browser *browser, struct pane *pane, uint32_t key);
void pane_show_origin(struct browser *browser, struct pane *pane, uint32_t key);

// Hides the calls of a function, or shows them again.
void browser_toggle_function(struct browser *browser, uint64_t pc);

// The keys of filters (browse/filters.c), and their part of the trace's status.
void browser_change_filter(struct browser *browser, struct pane *pane, uint32_t key);
void browser_hide_function(struct browser *browser, struct pane *pane, uint32_t key);
void browser_put_filter(const struct browser *browser, struct row *row);
// Whether the search for what is to be shown alone is unfinished; shows it when it is known.
bool browser_waits_for_filter(const struct browser *browser);
void browser_take_filter(struct browser *browser);
// Ends the search for reads; its hits are no longer shown.
void browser_let_go_of_reads(struct browser *browser);
// The search ends, and with it the filter that shows only its hits.
void browser_end_found_filter(struct browser *browser);

// Answers of prompts, and Esc.
void browser_search_down(struct browser *browser, struct pane *pane, const char *typed);
void browser_search_up(struct browser *browser, struct pane *pane, const char *typed);
void browser_search_condition(struct browser *browser, struct pane *pane, const char *typed);
void browser_end_search(struct browser *browser, struct pane *pane, uint32_t key);

// Goes to the next call of a function by its name; Tab completes it.
void browser_go_to_function(struct browser *browser, struct pane *pane, const char *typed);
void browser_complete_function(struct browser *browser, char typed[PROMPT_BYTES]);

// Searches for the instructions that read something and goes there, or only begins the search.
// STATUS_NOT_FOUND: lines of this trace do not show reads.
void browser_find_reads(struct browser *browser, const struct thing *thing, bool is_forward);
enum status browser_open_reads(struct browser *browser, const struct thing *thing, bool is_forward,
                               struct search **search, struct error *err);

// --- The kinds -----------------------------------------------------------------------------------

extern const struct key_action trace_pane_keys[];
extern const struct key_action trace_pane_extra_keys[]; // that the reference lacks
void trace_pane_draw(struct browser *browser, struct screen *screen, unsigned rows);
void trace_pane_status(struct browser *browser, struct row *row);
// Writes a part of a line of the trace.
void trace_pane_put_text(struct browser *browser, struct row *row, const struct text_part *part);

bool register_pane_has(const struct browser *browser, enum arch_group_number which);
struct pane *register_pane_new(struct browser *browser, enum arch_group_number which);
// Which of them a pane is; ARCH_GROUPS: none.
enum arch_group_number register_pane_of(const struct pane *pane);

extern const struct pane_kind stack_kind, source_kind, functions_kind, disassembly_kind,
    overview_kind, unwound_kind, named_kind;
struct pane *stack_pane_new(struct browser *browser);
struct pane *source_pane_new(struct browser *browser);
struct pane *functions_pane_new(struct browser *browser);
struct pane *disassembly_pane_new(struct browser *browser);
struct pane *overview_pane_new(struct browser *browser);
struct pane *unwound_pane_new(struct browser *browser);
struct pane *named_pane_new(struct browser *browser);
// All values of a thing; the one at an event is selected.
struct pane *values_pane_new(struct browser *browser, const struct thing *thing, uint64_t event);
// Where the value of a thing after an event comes from. NULL: `err` has the reason.
struct pane *origin_pane_new(struct browser *browser, const struct thing *thing, uint64_t event,
                             struct error *err);

// The answer of a prompt: watches what was typed.
void browser_watch(struct browser *browser, struct pane *pane, const char *typed);

// `text` is an expression, as typed.
struct pane *memory_pane_new(struct browser *browser, const char *text, struct error *err);

// Rows that tables of keys have in common.
#define LIST_KEYS(what, move)                                                                      \
    KEY_UP_ARROW, "Up, Down, PgUp, PgDn", "Select another " what, move                             \
    }                                                                                              \
    , {KEY_DOWN_ARROW, "", NULL, move}, {KEY_PAGE_UP, "", NULL, move},                             \
        {KEY_PAGE_DOWN, "", NULL, move},                                                           \
        {KEY_HOME_KEY, "Home, End", "Select the first or the last", move},                         \
    {                                                                                              \
        KEY_END_KEY, "", NULL, move
#define PANE_KEY_SMALLER '<', "<, >", "Make the pane a row smaller or larger", pane_change_height
#define PANE_KEY_LARGER '>', "", NULL, pane_change_height
#define PANE_KEY_LOCK                                                                              \
    KEY_CTRL_L, "^L", "Stay at what is shown, or follow the position again", pane_toggle_lock

#endif
