// The instructions of the function at the position, as disassembled in the text of the trace, with
// the number of executions. To know which were never executed, the whole trace must be read, which
// is done in the background.
#include "base/limits.h"
#include "browse/index_job.h"
#include "browse/pane.h"
#include "browse/shown_line.h"

#include <inttypes.h>
#include <stdlib.h>

// CODE_BYTES: how much of a function without a known end is examined.
enum { ROWS_AT_FIRST = 12, CODE_BYTES = 512 };

struct instruction {
    uint64_t address, visit; // an event that executed it
    unsigned visits;         // up to LIMIT_PANE_VISITS
};

// What was executed of a range of addresses.
struct executed {
    uint64_t start, end, step;
    VEC(, struct instruction) instructions; // ascending
};

struct disassembly_pane {
    struct pane pane;
    uint64_t start, end; // of the current function
    uint64_t pc;         // of the next instruction
    bool has_pc;
    struct executed shown, found; // `found` is the job's while there is one
    struct list list;
};

static struct disassembly_pane *of(struct pane *pane)
{
    return (struct disassembly_pane *)(void *)pane;
}

// --- The function --------------------------------------------------------------------------------

// The range of the function around an address: of its symbol, otherwise near the address.
static void find_function(struct browser *browser, uint64_t pc, uint64_t *start, uint64_t *end)
{
    struct image_symbol place;
    *start = pc - pc % CODE_BYTES;
    *end = *start + CODE_BYTES;
    if (!image_set_by_address(&browser->source->names->images, pc, &place) || place.address > pc)
        return;
    uint64_t size = place.symbol->size;
    if (pc - place.address < LIMIT_PANE_CODE_BYTES) {
        *start = place.address;
        *end = place.address +
               (size ? u64_min(size, LIMIT_PANE_CODE_BYTES) : pc - *start + CODE_BYTES);
    }
    if (*end <= pc || *end < *start)
        *end = pc + CODE_BYTES;
}

static bool find_visit(struct trawl_index *index, uint64_t address, uint64_t after, uint64_t *visit)
{
    struct trawl_error err;
    return trawl_visit(index, TRAWL_ANY_LANE, address, after, TRAWL_FORWARD, visit, &err) ==
           TRAWL_OK;
}

// Looks each address up. Without memory, what was found stays.
static void find_executed(void *context, const struct index_view *view,
                          const _Atomic bool *is_cancelled)
{
    struct executed *found = context;
    for (uint64_t address = found->start; address < found->end; address += found->step) {
        uint64_t visit, next;
        if (atomic_load(is_cancelled))
            return;
        if (!find_visit(view->index, address, TRAWL_START, &visit))
            continue;
        if (!VEC_ROOM(&found->instructions, 1))
            return;
        unsigned visits = 1;
        for (next = visit; visits < LIMIT_PANE_VISITS; visits++) {
            if (!find_visit(view->index, address, next, &next))
                break;
        }
        found->instructions.items[found->instructions.count++] =
            (struct instruction){address, visit, visits};
    }
}

static void select_pc(struct disassembly_pane *pane)
{
    for (size_t i = 0; i < pane->shown.instructions.count; i++) {
        if (pane->shown.instructions.items[i].address == pane->pc)
            pane->list.selected = i;
    }
}

static void show_found(struct disassembly_pane *pane)
{
    free(pane->shown.instructions.items);
    pane->shown = pane->found;
    pane->found = (struct executed){0};
    select_pc(pane);
}

static void let_go(struct pane *self)
{
    struct disassembly_pane *pane = of(self);
    index_job_end(self->job, INDEX_JOB_STOP);
    self->job = NULL;
    free(pane->found.instructions.items);
    pane->found = (struct executed){0};
}

static void load(struct browser *browser, struct disassembly_pane *pane)
{
    static const _Atomic bool is_never_cancelled;
    const struct index_view *indexed = browser->source->indexed;
    let_go(&pane->pane);
    find_function(browser, pane->pc, &pane->start, &pane->end);
    pane->shown.instructions.count = 0;
    pane->list = (struct list){0};
    pane->found.start = pane->start;
    pane->found.end = pane->end;
    pane->found.step = arch_least_bytes(indexed->arch, browser->source->isa);
    pane->pane.job = index_job_start(indexed, find_executed, &pane->found);
    bool is_started = pane->pane.job != NULL;
    if (!is_started)
        find_executed(&pane->found, indexed, &is_never_cancelled);
    if (!is_started || index_job_take(&pane->pane.job, INDEX_JOB_PATIENCE_MS))
        show_found(pane);
}

static void moved(struct browser *browser, struct pane *self)
{
    struct disassembly_pane *pane = of(self);
    uint64_t pc;
    pane->has_pc = browse_next_pc(browser->source, pane_event(browser, self), &pc);
    if (!pane->has_pc)
        return;
    pane->pc = pc & ~UINT64_C(1);
    if (pane->pc < pane->start || pane->pc >= pane->end)
        load(browser, pane);
    select_pc(pane);
}

// Searches again in the new index.
static void renew(struct browser *browser, struct pane *self)
{
    if (of(self)->has_pc)
        load(browser, of(self));
}

// --- Drawing -------------------------------------------------------------------------------------

// The encoding and the disassembly of the line that shows an instruction.
static void put_text(struct browser *browser, struct row *row, const struct instruction *shown)
{
    struct browse_source *source = browser->source;
    struct line_look_context context = LINE_LOOK_START;
    uint64_t lines = timeline_lines_of(browser->timeline, shown->visit);
    struct line_look look;
    char room[SHOWN_LINE_BYTES];
    for (uint64_t line = 0; line < lines && source->trace->kind->text; line++) {
        struct text_span text = browse_line(source, shown->visit, line);
        source->trace->kind->text->look(text.start, text.end, &source->how, source->isa, &context,
                                        &look);
        if (look.subject != LINE_ABOUT_INSTRUCTION)
            continue;
        if (browser->has_targets)
            shown_line_name(source, &look, &text, room);
        for (size_t i = 0; i < look.part_count; i++) {
            const struct text_part *part = &look.parts[i];
            if (part->text_class != TEXT_ENCODING && i + 1 < look.part_count)
                continue; // the disassembly is the last part
            trace_pane_put_text(browser, row, part);
            row_string(row, ROLE_TEXT, "  ");
        }
        return;
    }
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct disassembly_pane *pane = of(self);
    char name[BROWSE_NAME_BYTES];
    if (index_job_take(&self->job, 0))
        show_found(pane);
    size_t count = pane->shown.instructions.count;
    list_scroll(&pane->list, count, rows);
    for (unsigned r = 0; r < rows && pane->list.top + r < count; r++) {
        size_t number = pane->list.top + r;
        const struct instruction *shown = &pane->shown.instructions.items[number];
        struct row row =
            list_row(screen, y + r, browser->focus == self && number == pane->list.selected);
        row_string(&row, ROLE_KEY, pane->has_pc && shown->address == pane->pc ? "> " : "  ");
        row_format(&row, ROLE_LABEL, "%5u%s  ", shown->visits,
                   shown->visits == LIMIT_PANE_VISITS ? "+" : " ");
        row_format(&row, ROLE_ADDRESS, "%08" PRIx64 "  ",
                   names_address(browser->source->names, shown->address));
        put_text(browser, &row, shown);
        if (browse_address_name(browser->source, shown->address, name))
            row_string(&row, ROLE_LABEL, name);
        row_fill(&row, ROLE_TEXT);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    const struct disassembly_pane *pane = of(self);
    char name[BROWSE_NAME_BYTES];
    pane_put_place(browser, self, "Instructions", row);
    if (!pane->start && !pane->end)
        return;
    browse_address_name(browser->source, pane->start, name);
    row_string(row, ROLE_STATUS, "   ");
    row_string(row, ROLE_STATUS, name);
    if (self->job)
        row_string(row, ROLE_STATUS, ": searching for executed instructions");
    else
        row_format(row, ROLE_STATUS, ": %zu were executed", pane->shown.instructions.count);
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser;
    list_key(&of(self)->list, key, of(self)->shown.instructions.count, self->rows);
}

static void go_to_visit(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct disassembly_pane *pane = of(self);
    if (pane->list.selected < pane->shown.instructions.count)
        browser_go_to_visit(browser, pane->shown.instructions.items[pane->list.selected].address,
                            key != 'N');
}

static const struct key_action disassembly_keys[] = {
    {LIST_KEYS("instruction", move)},
    {KEY_RETURN, "Return, n, N", "Go to its next visit, or the one before", go_to_visit},
    {'n', "", NULL, go_to_visit},
    {'N', "", NULL, go_to_visit},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {PANE_KEY_LOCK},
    {0, "", "", NULL},
    {0},
};

static void free_pane(struct pane *self)
{
    let_go(self);
    free(of(self)->shown.instructions.items);
}

const struct pane_kind disassembly_kind = {
    .name = "instructions",
    .keys = disassembly_keys,
    .draw = draw,
    .status = status,
    .moved = moved,
    .let_go = let_go,
    .renew = renew,
    .free = free_pane,
};

struct pane *disassembly_pane_new(struct browser *browser)
{
    struct pane *made = pane_new(&disassembly_kind, sizeof(struct disassembly_pane), ROWS_AT_FIRST);
    if (made)
        moved(browser, made);
    return made;
}
