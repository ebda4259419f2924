// pane: a pane of the browsing core as rows of text, for panes without their own answers.
#include "base/limits.h"
#include "browse/pane.h"
#include "serve/answer.h"

#include <time.h>

enum pane_word { WORD_CORE, WORD_STACK, WORD_NAMED, WORD_SOURCE, WORD_DISASSEMBLY, WORD_UNWOUND };

static struct pane *pane_of(struct browser *browser, enum pane_word word)
{
    switch (word) {
    case WORD_CORE:
        return register_pane_new(browser, PANE_CORE);
    case WORD_STACK:
        return stack_pane_new(browser);
    case WORD_NAMED:
        return named_pane_new(browser);
    case WORD_SOURCE:
        return source_pane_new(browser);
    case WORD_DISASSEMBLY:
        return disassembly_pane_new(browser);
    default:
        return unwound_pane_new(browser);
    }
}

// Checks that the trace has what the pane needs.
static enum status check(struct asking *asking, enum pane_word word, struct error *err)
{
    static const unsigned needs[] = {[WORD_CORE] = TRACE_ARM,
                                     [WORD_STACK] = TRACE_CALLS,
                                     [WORD_NAMED] = TRACE_REGISTERS,
                                     [WORD_SOURCE] = TRACE_ADDRESSES,
                                     [WORD_DISASSEMBLY] = TRACE_INSTRUCTIONS,
                                     [WORD_UNWOUND] = TRACE_REGISTERS | TRACE_MEMORY};
    return trace_can(asking->desk->session.trace, needs[word])
               ? STATUS_OK
               : error_set(err, STATUS_NOT_FOUND, "pane: this trace has nothing of the kind");
}

// Draws a pane; some look things up in the background and show them when they are drawn again.
// False: no memory.
static bool draw(struct desk *desk, struct pane *pane, unsigned rows)
{
    enum { WAIT_MS = 3000, LOOK_MS = 5 };
    const struct timespec pause = {0, LOOK_MS * 1000000};
    const struct pane_kind *kind = pane->kind;
    kind->draw(&desk->browser, pane, &desk->screen, 0, rows);
    for (int i = 0; i < WAIT_MS / LOOK_MS && kind->is_busy && kind->is_busy(pane); i++) {
        nanosleep(&pause, NULL);
        if (!screen_clear(&desk->screen, desk->screen.width, rows))
            return false;
        kind->draw(&desk->browser, pane, &desk->screen, 0, rows);
    }
    return true;
}

enum { ROWS_DEFAULT = 30, COLUMNS_DEFAULT = 100 };

enum status answer_pane(struct asking *asking, struct error *err)
{
    static const char *const words[] = {[WORD_CORE] = "core",
                                        [WORD_STACK] = "stack",
                                        [WORD_NAMED] = "named",
                                        [WORD_SOURCE] = "source",
                                        [WORD_DISASSEMBLY] = "disassembly",
                                        [WORD_UNWOUND] = "unwound"};
    struct desk *desk = asking->desk;
    uint64_t event, rows = ROWS_DEFAULT, columns = COLUMNS_DEFAULT;
    size_t word = WORD_CORE;
    enum status status =
        request_word(asking->request, "what", words, ARRAY_COUNT(words), &word, err);
    if (status == STATUS_OK)
        status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "rows", LIMIT_SERVE_ROWS, &rows, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "columns", LIMIT_SCREEN_COLUMNS, &columns, err);
    if (status == STATUS_OK)
        status = check(asking, (enum pane_word)word, err);
    if (status != STATUS_OK)
        return status;
    browser_begin_at(&desk->browser, event);
    struct pane *pane = pane_of(&desk->browser, (enum pane_word)word);
    if (!pane || !screen_clear(&desk->screen, (unsigned)columns, (unsigned)rows)) {
        pane_free(pane);
        return error_set(err, STATUS_MEMORY, "no memory for a pane");
    }
    pane->rows = (unsigned)rows;
    pane->is_shown = true;
    if (pane->kind->moved)
        pane->kind->moved(&desk->browser, pane);
    bool is_whole = draw(desk, pane, (unsigned)rows);
    pane_free(pane);
    if (!is_whole)
        return error_set(err, STATUS_MEMORY, "no memory for a pane");
    json_key(asking->json, "text");
    answer_rows(asking, 0, (unsigned)rows);
    return STATUS_OK;
}
