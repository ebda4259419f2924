// The functions that were called, with how often and how long.
#include "browse/list.h"
#include "browse/pane.h"

#include "base/hash_seed.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 10, CALLS_AT_ONCE = 1024 };

struct function {
    uint64_t pc; // of the entry
    uint64_t calls;
    int64_t self;   // events, without what it calls
    uint64_t total; // with that; of recursion each call counts
};

struct functions_pane {
    struct pane pane;
    struct list list;
    VEC(, struct function) functions; // the longest first
};

static struct functions_pane *of(struct pane *pane)
{
    return (struct functions_pane *)(void *)pane;
}

// --- Counting ------------------------------------------------------------------------------------

struct counting {
    struct hash_seed seed;
    uint32_t *slots; // the number of a function and one; 0: free
    size_t slot_count;
    struct functions_pane *pane;
};

static size_t probe(const struct counting *counting, uint64_t pc)
{
    size_t at = (size_t)hash_key(&counting->seed, pc) & (counting->slot_count - 1);
    while (counting->slots[at] && counting->pane->functions.items[counting->slots[at] - 1].pc != pc)
        at = (at + 1) & (counting->slot_count - 1);
    return at;
}

static bool grow(struct counting *counting)
{
    size_t count = counting->slot_count ? counting->slot_count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(counting->slots);
    counting->slots = slots;
    counting->slot_count = count;
    for (size_t i = 0; i < counting->pane->functions.count; i++)
        slots[probe(counting, counting->pane->functions.items[i].pc)] = (uint32_t)i + 1;
    return true;
}

// The function entered at `pc`; NULL: no memory.
static struct function *function_at(struct counting *counting, uint64_t pc)
{
    struct functions_pane *pane = counting->pane;
    if (2 * (pane->functions.count + 1) > counting->slot_count && !grow(counting))
        return NULL;
    size_t slot = probe(counting, pc);
    if (!counting->slots[slot]) {
        if (!VEC_ROOM(&pane->functions, 1) || pane->functions.count >= UINT32_MAX - 1)
            return NULL;
        pane->functions.items[pane->functions.count++] = (struct function){.pc = pc};
        counting->slots[slot] = (uint32_t)pane->functions.count;
    }
    return &pane->functions.items[counting->slots[slot] - 1];
}

// What a block of calls adds. False: no memory, or the index failed.
static bool count_calls(struct counting *counting, struct trawl_index *index, uint64_t lane,
                        uint64_t first, size_t *count)
{
    uint64_t entry[CALLS_AT_ONCE], exit[CALLS_AT_ONCE], pc[CALLS_AT_ONCE], parent[CALLS_AT_ONCE];
    const struct trawl_call_columns columns = {
        .entry = entry, .exit = exit, .pc = pc, .parent = parent};
    struct trawl_error err;
    if (trawl_calls(index, lane, first, CALLS_AT_ONCE, &columns, count, &err) != TRAWL_OK)
        return false;
    for (size_t i = 0; i < *count; i++) {
        struct function *function = function_at(counting, pc[i] & ~UINT64_C(1));
        uint64_t events = exit[i] - entry[i] + 1;
        struct trawl_call around = {0};
        if (!function)
            return false;
        function->calls++;
        function->total += events;
        function->self += (int64_t)events;
        if (parent[i] == TRAWL_NONE)
            continue;
        if (parent[i] >= first)
            around.pc = pc[parent[i] - first];
        else if (trawl_call(index, lane, parent[i], &around, &err) != TRAWL_OK)
            return false;
        if (!(function = function_at(counting, around.pc & ~UINT64_C(1))))
            return false;
        function->self -= (int64_t)events;
    }
    return *count > 0;
}

static int compare(const void *a, const void *b)
{
    const struct function *first = a, *second = b;
    if (first->self != second->self)
        return first->self < second->self ? 1 : -1;
    return (first->pc > second->pc) - (first->pc < second->pc);
}

static void count_all(struct browser *browser, struct functions_pane *pane)
{
    const struct index_view *indexed = browser->source->indexed;
    struct counting counting = {.seed = hash_seed_new(), .pane = pane};
    for (uint64_t lane = 0; lane < indexed->info.lanes; lane++) {
        size_t count = 0;
        for (uint64_t first = 0; first < indexed->lanes[lane].calls; first += count) {
            if (!count_calls(&counting, indexed->index, lane, first, &count))
                break;
        }
    }
    free(counting.slots);
    if (pane->functions.count)
        qsort(pane->functions.items, pane->functions.count, sizeof pane->functions.items[0],
              compare);
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct functions_pane *pane = of(self);
    char name[BROWSE_NAME_BYTES];
    list_scroll(&pane->list, pane->functions.count, rows);
    for (unsigned r = 0; r < rows && pane->list.top + r < pane->functions.count; r++) {
        size_t number = pane->list.top + r;
        const struct function *function = &pane->functions.items[number];
        struct row row =
            list_row(screen, y + r, browser->focus == self && number == pane->list.selected);
        row_format(&row, ROLE_LABEL, "%10" PRIu64 " %14" PRId64 " %14" PRIu64 "  ", function->calls,
                   function->self, function->total);
        browse_address_name(browser->source, function->pc, name);
        row_string(&row, ROLE_VALUE, name);
        row_fill(&row, ROLE_LABEL);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    (void)browser;
    row_format(row, ROLE_STATUS, "     Calls    Own events     All events  Function (%zu)",
               of(self)->functions.count);
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser;
    list_key(&of(self)->list, key, of(self)->functions.count, self->rows);
}

// Before the first event of the next call of the function, or the one before.
static void go_to_call(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct functions_pane *pane = of(self);
    if (pane->list.selected < pane->functions.count)
        browser_go_to_visit(browser, pane->functions.items[pane->list.selected].pc, key != 'N');
}

static void hide(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct functions_pane *pane = of(self);
    (void)key;
    if (pane->list.selected < pane->functions.count)
        browser_hide_function(browser, pane->functions.items[pane->list.selected].pc);
}

static const struct key_action functions_keys[] = {
    {KEY_UP_ARROW, "Up, Down, PgUp, PgDn", "Select another function", move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {KEY_PAGE_UP, "", NULL, move},
    {KEY_PAGE_DOWN, "", NULL, move},
    {KEY_HOME_KEY, "Home, End", "Select the first or the last", move},
    {KEY_END_KEY, "", NULL, move},
    {KEY_RETURN, "Return, n, N", "Go to its next call, or the one before", go_to_call},
    {'n', "", NULL, go_to_call},
    {'N', "", NULL, go_to_call},
    {'H', "H", "Hide its calls, or show them again", hide},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {0, "", "", NULL},
    {0},
};

static void renew(struct browser *browser, struct pane *self)
{
    of(self)->functions.count = 0;
    of(self)->list = (struct list){0};
    count_all(browser, of(self));
}

static void free_pane(struct pane *self)
{
    free(of(self)->functions.items);
}

const struct pane_kind functions_kind = {
    .name = "functions",
    .keys = functions_keys,
    .draw = draw,
    .status = status,
    .renew = renew,
    .free = free_pane,
};

struct pane *functions_pane_new(struct browser *browser)
{
    struct pane *pane = pane_new(&functions_kind, sizeof(struct functions_pane), ROWS_AT_FIRST);
    if (pane)
        count_all(browser, of(pane));
    return pane;
}
