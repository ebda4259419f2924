// pane: a pane of the browsing core as rows of text, for panes without their own answers.
#include "base/limits.h"
#include "browse/pane.h"
#include "serve/answer.h"

#include <time.h>

static struct pane *core_pane_new(struct browser *browser)
{
    return register_pane_has(browser, ARCH_GROUP_CORE) ? register_pane_new(browser, ARCH_GROUP_CORE)
                                                       : named_pane_new(browser);
}

static const struct {
    const char *word;
    unsigned needs; // what the trace must have (enum trace_ability)
    struct pane *(*open)(struct browser *browser);
} panes[] = {
    {"core", TRACE_REGISTERS, core_pane_new},
    {"stack", TRACE_CALLS, stack_pane_new},
    {"named", TRACE_REGISTERS, named_pane_new},
    {"source", TRACE_ADDRESSES, source_pane_new},
    {"disassembly", TRACE_INSTRUCTIONS, disassembly_pane_new},
    {"unwound", TRACE_REGISTERS | TRACE_MEMORY, unwound_pane_new},
};

// Draws a pane; some look things up in the background and show them when they are drawn again.
// False: no memory.
static bool draw(struct request_context *context, struct pane *pane, unsigned rows)
{
    enum { WAIT_MS = 3000, LOOK_MS = 5 };
    const struct timespec pause = {0, LOOK_MS * 1000000};
    const struct pane_kind *kind = pane->kind;
    kind->draw(&context->browser, pane, &context->screen, 0, rows);
    for (int i = 0; i < WAIT_MS / LOOK_MS && pane->job; i++) {
        nanosleep(&pause, NULL);
        if (!screen_clear(&context->screen, context->screen.width, rows))
            return false;
        kind->draw(&context->browser, pane, &context->screen, 0, rows);
    }
    return true;
}

enum { ROWS_DEFAULT = 30, COLUMNS_DEFAULT = 100 };

enum status answer_pane(struct asking *asking, struct error *err)
{
    const char *words[ARRAY_COUNT(panes)];
    struct request_context *context = asking->context;
    uint64_t event, rows = ROWS_DEFAULT, columns = COLUMNS_DEFAULT;
    size_t word = 0;
    for (size_t i = 0; i < ARRAY_COUNT(panes); i++)
        words[i] = panes[i].word;
    enum status status =
        request_word(asking->request, "what", words, ARRAY_COUNT(words), &word, err);
    if (status == STATUS_OK)
        status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "rows", LIMIT_SERVE_ROWS, &rows, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "columns", LIMIT_SCREEN_COLUMNS, &columns, err);
    if (status == STATUS_OK && !trace_can(context->session.trace, panes[word].needs))
        status = error_set(err, STATUS_NOT_FOUND, "pane: this trace has nothing of the kind");
    if (status != STATUS_OK)
        return status;
    browser_begin_at(&context->browser, event);
    struct pane *pane = panes[word].open(&context->browser);
    if (!pane || !screen_clear(&context->screen, (unsigned)columns, (unsigned)rows)) {
        pane_free(pane);
        return error_set(err, STATUS_MEMORY, "no memory for a pane");
    }
    pane->rows = (unsigned)rows;
    pane->is_shown = true;
    if (pane->kind->moved)
        pane->kind->moved(&context->browser, pane);
    bool is_whole = draw(context, pane, (unsigned)rows);
    pane_free(pane);
    if (!is_whole)
        return error_set(err, STATUS_MEMORY, "no memory for a pane");
    json_key(asking->json, "text");
    answer_rows(asking, 0, (unsigned)rows);
    return STATUS_OK;
}
