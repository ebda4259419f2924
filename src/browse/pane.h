// What panes share, and what they ask of the browser.
#ifndef TRAWL_BROWSE_PANE_H
#define TRAWL_BROWSE_PANE_H

#include "browse/browser_state.h"

// Something that is written and read: bytes of registers or memory.
struct thing {
    bool is_register;
    uint64_t place, size_bytes;
};

// A key of a pane: what it is called in the help, what it means, and what it does. Rows without a
// function only tell; without a meaning they are other keys of the row before.
struct key_action {
    uint32_t key;
    const char *name, *meaning;
    void (*act)(struct browser *browser, struct pane *pane, uint32_t key);
};

struct pane_kind {
    const char *name;
    const struct key_action *keys;      // ended by one without key and name
    const struct key_action *more_keys; // that the reference lacks; NULL: none
    // How many rows of text it wants at a width. NULL: its height.
    unsigned (*wanted)(struct browser *browser, struct pane *pane, unsigned width);
    // Draws the rows of text from `y` on; the cursor where the pane has the focus.
    void (*draw)(struct browser *browser, struct pane *pane, struct screen *screen, unsigned y,
                 unsigned rows);
    void (*status)(struct browser *browser, struct pane *pane, struct row *row);
    // The position moved. NULL: nothing to do.
    void (*moved)(struct browser *browser, struct pane *pane);
    // The index is about to be replaced: ends what reads it in the background. NULL: nothing does.
    void (*let_go)(struct pane *pane);
    // What it has from the index is to be taken again, from another one of the same events. NULL:
    // nothing is.
    void (*renew)(struct browser *browser, struct pane *pane);
    // Whether something is still found out in the background. NULL: nothing is.
    bool (*is_busy)(const struct pane *pane);
    // What its selection is about. NULL: it is about no register or memory.
    bool (*subject)(struct browser *browser, struct pane *pane, struct thing *thing);
    void (*free)(struct pane *pane); // what it has beside itself; NULL: nothing
};

// What each pane begins with.
struct pane {
    const struct pane_kind *kind;
    unsigned height; // rows of text that the user wants
    bool is_locked;
    uint64_t locked; // event; TRAWL_START: before the first
    unsigned rows;   // of text, that it was given
    bool is_shown;
    // What was written in (after, until] is marked, if that is set.
    bool has_marks;
    uint64_t marks_after, marks_until;
};

// --- Of the browser ------------------------------------------------------------------------------

void browser_say(struct browser *browser, const char *format, ...) PRINTF_LIKE(2, 3);
void browser_complain(struct browser *browser, const char *format, ...) PRINTF_LIKE(2, 3);

// What a prompt asks, and who gets the answer.
struct prompt_kind {
    const char *text;
    void (*answer)(struct browser *browser, struct pane *pane, const char *typed);
    bool takes_empty;
    // After each key, where what is typed counts at once. NULL: it does not.
    void (*typing)(struct browser *browser, struct pane *pane, const char *typed);
    // Tab: makes what is typed longer, or something else. NULL: nothing does.
    void (*complete)(struct browser *browser, char typed[PROMPT_BYTES]);
};
void browser_ask(struct browser *browser, struct pane *pane, const struct prompt_kind *kind);

// What each of several keys asks.
struct key_prompt {
    uint32_t key;
    struct prompt_kind kind;
};
void browser_ask_by_key(struct browser *browser, struct pane *pane,
                        const struct key_prompt *prompts, size_t count, uint32_t key);

// Whether the trace can all of that (enum trace_ability). False: said what it lacks.
bool browser_can(struct browser *browser, unsigned abilities);

// The number that was typed as an expression without names, or with those of the position. False:
// said why not.
bool browser_number(struct browser *browser, const char *typed, bool with_names, uint64_t *value);

// The event that a line belongs to, or the last one of a time. False: said that there is none.
bool browser_line_event(struct browser *browser, uint64_t line, uint64_t *event);
bool browser_time_event(struct browser *browser, uint64_t time, uint64_t *event);

// Goes after an event, and tells the panes.
void browser_go(struct browser *browser, uint64_t event);
// Runs what a key does by a table. False: nothing.
bool browser_act(struct browser *browser, const struct key_action *keys, struct pane *pane,
                 uint32_t key);
// Goes to before the next event at an address (without Thumb bit), or the one before. Of the event
// that comes next already it is the one after.
void browser_go_to_visit(struct browser *browser, uint64_t pc, bool is_next);
// Tells the panes that the position moved.
void browser_moved(struct browser *browser);

// Opens a pane below the others, or frees it if there is no room. The pane may be NULL, for
// which no memory is said.
bool browser_add_pane(struct browser *browser, struct pane *pane);
void browser_close_pane(struct browser *browser, struct pane *pane);

// --- Of all panes --------------------------------------------------------------------------------

// A pane of a kind in `size_bytes` that are zero except for what all panes have. NULL: no memory.
struct pane *pane_new(const struct pane_kind *kind, size_t size_bytes, unsigned height);
void pane_free(struct pane *pane);

// The first pane of a kind; NULL: none is open.
struct pane *browser_find_pane(const struct browser *browser, const struct pane_kind *kind);

// Keys that several kinds have: < and > for a row less or more, x to close it.
void pane_change_height(struct browser *browser, struct pane *pane, uint32_t key);
void pane_close(struct browser *browser, struct pane *pane, uint32_t key);

// The event whose end a pane shows, and its line as it is reported.
uint64_t pane_event(const struct browser *browser, const struct pane *pane);
uint64_t pane_line(struct browser *browser, const struct pane *pane);
// Writes that into a status: "Calls at line: 12 (LOCKED)"; of events that are no lines, "event".
void pane_put_place(struct browser *browser, const struct pane *pane, const char *what,
                    struct row *row);

// The other end of what is marked: the state before that, which is shown as "was", or where one
// went back the state after it, which comes "then". False: nothing is marked.
bool pane_other_state(const struct browser *browser, const struct pane *pane, uint64_t *event,
                      const char **word);

// Locks to the event; or to what is shown, or unlocks.
void pane_lock(struct browser *browser, struct pane *pane, uint64_t event);
void pane_toggle_lock(struct browser *browser, struct pane *pane, uint32_t key);

// Answers of prompts: lock to the line or time that was typed, or to what is shown where there is
// none.
void pane_lock_to_line(struct browser *browser, struct pane *pane, const char *typed);
void pane_lock_to_time(struct browser *browser, struct pane *pane, const char *typed);

// What of a state to mark: what was written in (*after, *until]. False: nothing.
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

// What a thing is called.
#define THING_TEXT_BYTES 64
void thing_text(const struct browser *browser, const struct thing *thing,
                char text[THING_TEXT_BYTES]);

// Writes the string that an address points to where a pane is, if it is one: "text".
void pane_put_string(struct browser *browser, struct pane *pane, struct row *row, uint64_t address);

// What the selected line is about. False: nothing that is written.
bool trace_pane_subject(struct browser *browser, struct thing *thing);

// Goes to its next write after an event, or to the last before that; or to the last one, which may
// be there.
enum write_wanted { WRITE_NEXT, WRITE_BEFORE, WRITE_LAST };
void browser_go_to_write(struct browser *browser, const struct thing *thing, uint64_t event,
                         enum write_wanted wanted);

// Keys of panes whose selection is about something: w W its writes, u U its reads, A all its
// values. The pane may be NULL, for the trace.
void pane_find_write(struct browser *browser, struct pane *pane, uint32_t key);
void pane_find_read(struct browser *browser, struct pane *pane, uint32_t key);
void pane_list_values(struct browser *browser, struct pane *pane, uint32_t key);

// Hides the calls of a function, or shows them again.
void browser_toggle_function(struct browser *browser, uint64_t pc);

// The keys of filters (browse/filters.c), and what the status of the trace says of them.
void browser_change_filter(struct browser *browser, struct pane *pane, uint32_t key);
void browser_hide_function(struct browser *browser, struct pane *pane, uint32_t key);
void browser_put_filter(const struct browser *browser, struct row *row);
// Whether what is to be shown alone is still searched for; shows it once it is known.
bool browser_waits_for_filter(const struct browser *browser);
void browser_take_filter(struct browser *browser);
// Ends the search for reads; what it found is not shown any more.
void browser_let_go_of_reads(struct browser *browser);
// The search ends: what it found is not all that is shown any more.
void browser_end_found_filter(struct browser *browser);

// Answers of prompts, and Esc.
void browser_search_down(struct browser *browser, struct pane *pane, const char *typed);
void browser_search_up(struct browser *browser, struct pane *pane, const char *typed);
void browser_search_condition(struct browser *browser, struct pane *pane, const char *typed);
void browser_end_search(struct browser *browser, struct pane *pane, uint32_t key);

// Goes to the next call of a function by its name; Tab completes it.
void browser_go_to_function(struct browser *browser, struct pane *pane, const char *typed);
void browser_complete_function(struct browser *browser, char typed[PROMPT_BYTES]);

// Searches for the instructions that read something, and goes there; or begins a search for them.
// STATUS_NOT_FOUND: the lines of this trace do not tell.
void browser_find_reads(struct browser *browser, const struct thing *thing, bool is_forward);
enum status browser_open_reads(struct browser *browser, const struct thing *thing, bool is_forward,
                               struct search **search, struct error *err);

// --- The kinds -----------------------------------------------------------------------------------

extern const struct key_action trace_pane_keys[];
extern const struct key_action trace_pane_more_keys[]; // that the reference lacks
void trace_pane_draw(struct browser *browser, struct screen *screen, unsigned rows);
void trace_pane_status(struct browser *browser, struct row *row);
// A part of a line as the trace shows it, with names of targets.
void trace_pane_put_text(struct browser *browser, struct row *row, const struct line_look *look,
                         const struct text_part *part);

enum register_pane_kind { PANE_CORE, PANE_SINGLE, PANE_DOUBLE, PANE_NEON, PANE_MVE, PANE_SETS };
struct pane *register_pane_new(struct browser *browser, enum register_pane_kind which);
// Which of them a pane is; PANE_SETS: none.
enum register_pane_kind register_pane_of(const struct pane *pane);

extern const struct pane_kind stack_kind, source_kind, functions_kind, disassembly_kind,
    overview_kind, unwound_kind, named_kind;
struct pane *stack_pane_new(struct browser *browser);
// Where the frames that are active at an event are, the innermost first: at most `capacity`.
// Returns how many. Of all but the first it is the instruction that called.
struct stack_place {
    uint64_t pc;
    bool has_pc;
};
size_t stack_pane_places(struct browser *browser, uint64_t event, struct stack_place *places,
                         size_t capacity);
struct pane *source_pane_new(struct browser *browser);
struct pane *functions_pane_new(struct browser *browser);
struct pane *disassembly_pane_new(struct browser *browser);
struct pane *overview_pane_new(struct browser *browser);
struct pane *unwound_pane_new(struct browser *browser);
struct pane *named_pane_new(struct browser *browser);
// All values of a thing; the one at an event is selected.
struct pane *values_pane_new(struct browser *browser, const struct thing *thing, uint64_t event);

// The answer of a prompt: watches what was typed.
void browser_watch(struct browser *browser, struct pane *pane, const char *typed);

// `text` is an expression, as typed.
struct pane *memory_pane_new(struct browser *browser, const char *text, struct error *err);

// Rows that tables of keys have in common.
#define PANE_KEY_SMALLER '<', "<, >", "Make the pane a row smaller or larger", pane_change_height
#define PANE_KEY_LARGER '>', "", NULL, pane_change_height
#define PANE_KEY_LOCK                                                                              \
    KEY_CTRL_L, "^L", "Stay at what is shown, or follow the position again", pane_toggle_lock

#endif
