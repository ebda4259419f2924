// The functions that were called, with count and duration. All calls are counted for this, in the
// background.
#include "browse/index_job.h"
#include "browse/pane.h"

#include "base/hash_index.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 10, CALLS_AT_ONCE = 1024 };

struct function {
    uint64_t pc; // of the entry
    uint64_t calls;
    int64_t self;   // events, without calls
    uint64_t total; // with calls; in a recursion, each call counts
};

struct functions {
    VEC(, struct function) functions; // the longest first
};

struct functions_pane {
    struct pane pane;
    struct list list;
    struct functions shown, counted; // `counted` is the job's while there is one
};

static struct functions_pane *of(struct pane *pane)
{
    return (struct functions_pane *)(void *)pane;
}

// --- Counting ------------------------------------------------------------------------------------

struct counting {
    struct hash_index by_pc;
    struct functions *found;
};

// The function entered at `pc`; NULL: no memory.
static struct function *function_at(struct counting *counting, uint64_t pc)
{
    struct functions *found = counting->found;
    uint64_t hash = hash_key(hash_index_seed(&counting->by_pc), pc);
    uint32_t number;
    HASH_INDEX_FIND(number, &counting->by_pc, hash, found->functions.items[candidate].pc == pc);
    if (number == HASH_INDEX_NONE) {
        number = (uint32_t)found->functions.count;
        if (found->functions.count >= HASH_INDEX_NONE || !VEC_ROOM(&found->functions, 1) ||
            !hash_index_add(&counting->by_pc, hash, number))
            return NULL;
        found->functions.items[found->functions.count++] = (struct function){.pc = pc};
    }
    return &found->functions.items[number];
}

// Adds a block of calls. False: no memory, or the index failed.
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

static void count_all(void *context, const struct index_view *view,
                      const _Atomic bool *is_cancelled)
{
    struct functions *found = context;
    struct counting counting = {.found = found};
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        size_t count = 0;
        for (uint64_t first = 0; first < view->lanes[lane].calls; first += count) {
            if (atomic_load(is_cancelled) ||
                !count_calls(&counting, view->index, lane, first, &count))
                break;
        }
    }
    hash_index_free(&counting.by_pc);
    if (found->functions.count)
        qsort(found->functions.items, found->functions.count, sizeof found->functions.items[0],
              compare);
}

static void show_counted(struct functions_pane *pane)
{
    free(pane->shown.functions.items);
    pane->shown = pane->counted;
    pane->counted = (struct functions){0};
}

static void let_go(struct pane *self)
{
    struct functions_pane *pane = of(self);
    index_job_end(self->job, INDEX_JOB_STOP);
    self->job = NULL;
    free(pane->counted.functions.items);
    pane->counted = (struct functions){0};
}

static void count(struct browser *browser, struct functions_pane *pane)
{
    static const _Atomic bool is_never_cancelled;
    const struct index_view *indexed = browser->source->indexed;
    pane->shown.functions.count = 0;
    pane->list = (struct list){0};
    pane->pane.job = index_job_start(indexed, count_all, &pane->counted);
    bool is_started = pane->pane.job != NULL;
    if (!is_started)
        count_all(&pane->counted, indexed, &is_never_cancelled);
    if (!is_started || index_job_take(&pane->pane.job, INDEX_JOB_PATIENCE_MS))
        show_counted(pane);
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct functions_pane *pane = of(self);
    char name[BROWSE_NAME_BYTES];
    if (index_job_take(&self->job, 0))
        show_counted(pane);
    list_scroll(&pane->list, pane->shown.functions.count, rows);
    for (unsigned r = 0; r < rows && pane->list.top + r < pane->shown.functions.count; r++) {
        size_t number = pane->list.top + r;
        const struct function *function = &pane->shown.functions.items[number];
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
    row_string(row, ROLE_STATUS, "     Calls    Own events     All events  Function ");
    if (self->job)
        row_string(row, ROLE_STATUS, "(counting)");
    else
        row_format(row, ROLE_STATUS, "(%zu)", of(self)->shown.functions.count);
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser;
    list_key(&of(self)->list, key, of(self)->shown.functions.count, self->rows);
}

// Before the first event of the next call of the function, or the one before.
static void go_to_call(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct functions_pane *pane = of(self);
    if (pane->list.selected < pane->shown.functions.count)
        browser_go_to_visit(browser, pane->shown.functions.items[pane->list.selected].pc,
                            key != 'N');
}

static void hide(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct functions_pane *pane = of(self);
    (void)key;
    if (pane->list.selected < pane->shown.functions.count)
        browser_toggle_function(browser, pane->shown.functions.items[pane->list.selected].pc);
}

static const struct key_action functions_keys[] = {
    {LIST_KEYS("function", move)},
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
    count(browser, of(self));
}

static void free_pane(struct pane *self)
{
    let_go(self);
    free(of(self)->shown.functions.items);
}

const struct pane_kind functions_kind = {
    .name = "functions",
    .keys = functions_keys,
    .draw = draw,
    .status = status,
    .let_go = let_go,
    .renew = renew,
    .free = free_pane,
};

struct pane *functions_pane_new(struct browser *browser)
{
    struct pane *pane = pane_new(&functions_kind, sizeof(struct functions_pane), ROWS_AT_FIRST);
    if (pane)
        count(browser, of(pane));
    return pane;
}
