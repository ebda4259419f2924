// Functions by their names, which the prompt completes from those that the trace calls; or by some
// of their letters (base/letters.h).
#include "base/letters.h"
#include "browse/pane.h"

#include <inttypes.h>
#include <stdio.h>

enum { FUNCTIONS_AT_ONCE = 256 };

// The common beginning of the names that begin with some text.
struct completion {
    const char *base; // what all begin with
    size_t base_length;
    const char *after; // the text that is there
    char next[PROMPT_BYTES], first[PROMPT_BYTES], common[PROMPT_BYTES];
    size_t count;
};

static void keep_least(char least[PROMPT_BYTES], const char *name)
{
    if (!least[0] || strcmp(name, least) < 0)
        memcpy(least, name, strlen(name) + 1);
}

static void consider(struct completion *completion, const char *name)
{
    size_t length = 0;
    if (strncmp(name, completion->base, completion->base_length) != 0 ||
        strlen(name) >= PROMPT_BYTES)
        return;
    if (!completion->count++)
        memcpy(completion->common, name, strlen(name) + 1);
    while (completion->common[length] && completion->common[length] == name[length])
        length++;
    completion->common[length] = '\0';
    keep_least(completion->first, name);
    if (strcmp(name, completion->after) > 0)
        keep_least(completion->next, name);
}

// The called function that has these letters best. False: none has them.
static bool find_by_letters(struct browser *browser, const char *letters, uint64_t *pc,
                            char best[BROWSE_NAME_BYTES])
{
    struct trawl_index *index = browser->source->indexed->index;
    uint64_t pcs[FUNCTIONS_AT_ONCE], calls[FUNCTIONS_AT_ONCE], from = 0;
    char name[BROWSE_NAME_BYTES];
    struct letters_match match;
    struct trawl_error err;
    bool is_found = false;
    int score = 0;
    size_t count;
    do {
        if (trawl_functions(index, TRAWL_ANY_LANE, from, pcs, calls, FUNCTIONS_AT_ONCE, &count,
                            &err) != TRAWL_OK)
            return false;
        for (size_t i = 0; i < count; i++) {
            if (!browse_address_name(browser->source, pcs[i], name) ||
                !letters_find(letters, name, &match) || (is_found && match.score <= score))
                continue;
            is_found = true;
            score = match.score;
            *pc = pcs[i];
            memcpy(best, name, strlen(name) + 1);
        }
        from = count ? pcs[count - 1] + 1 : 0;
    } while (count == FUNCTIONS_AT_ONCE && from);
    return is_found;
}

// Completes to the common beginning of all matching names; if that is already typed, to one name
// after the other.
void browser_complete_function(struct browser *browser, char typed[PROMPT_BYTES])
{
    struct trawl_index *index = browser->source->indexed->index;
    uint64_t pcs[FUNCTIONS_AT_ONCE], calls[FUNCTIONS_AT_ONCE], pc = 0;
    char before[PROMPT_BYTES], name[BROWSE_NAME_BYTES];
    struct trawl_error err;
    size_t count;
    memcpy(before, typed, strlen(typed) + 1);
    if (!browser->is_completing)
        browser->completed_length = strlen(typed);
    struct completion completion = {
        .base = before, .base_length = browser->completed_length, .after = before};
    do {
        if (trawl_functions(index, TRAWL_ANY_LANE, pc, pcs, calls, FUNCTIONS_AT_ONCE, &count,
                            &err) != TRAWL_OK)
            break;
        for (size_t i = 0; i < count; i++) {
            browse_address_name(browser->source, pcs[i], name);
            consider(&completion, name);
        }
        pc = count ? pcs[count - 1] + 1 : 0;
    } while (count == FUNCTIONS_AT_ONCE && pc);
    if (!completion.count) {
        if (find_by_letters(browser, typed, &pc, name) && strlen(name) < PROMPT_BYTES)
            memcpy(typed, name, strlen(name) + 1);
        else
            browser_complain(browser, "No called function has these letters");
        return;
    }
    const char *chosen = completion.common;
    if (browser->is_completing || strcmp(chosen, before) == 0)
        chosen = completion.next[0] ? completion.next : completion.first;
    memcpy(typed, chosen, strlen(chosen) + 1);
}

// A function that has an id: to its next entry.
static void go_to_id(struct browser *browser, uint64_t pc, const char *name)
{
    uint64_t event = browser->view.state;
    bool has_wrapped = false;
    bool is_found = browse_next_row_of(browser->source, TRAWL_ANY_LANE, pc, true, &event);
    if (!is_found) {
        event = TRAWL_START;
        has_wrapped = is_found =
            browse_next_row_of(browser->source, TRAWL_ANY_LANE, pc, true, &event);
    }
    if (!is_found)
        browser_complain(browser, "%s is not entered in this trace", name);
    else
        browser_go(browser, event);
    if (has_wrapped)
        browser_say(browser, "The search continued at the start of the trace");
}

void browser_go_to_function(struct browser *browser, struct pane *pane, const char *typed)
{
    struct trawl_index *index = browser->source->indexed->index;
    uint64_t pc, visit, state = browser->view.state;
    bool has_wrapped = false, is_last = state + 1 >= browser->timeline->event_count;
    bool has_ids = browser->source->trace->kind->ids;
    char name[BROWSE_NAME_BYTES];
    struct expression expression;
    struct trawl_error err;
    (void)pane;
    bool is_known = has_ids ? names_find_id(browser->source->names, typed, &pc)
                            : browse_parse(browser->source, state, true, typed, &expression,
                                           NULL) == STATUS_OK &&
                                  browse_evaluate(browser->source, &expression, state, &pc);
    snprintf(name, sizeof name, "%s", typed);
    if (!is_known && !find_by_letters(browser, typed, &pc, name)) {
        browser_complain(browser, "No called function has these letters: %s", typed);
        return;
    }
    if (has_ids) {
        go_to_id(browser, pc, name);
        return;
    }
    pc &= ~UINT64_C(1);
    // The event that comes next is not the next visit.
    enum trawl_status status = TRAWL_NOT_FOUND;
    if (!is_last)
        status = trawl_visit(index, TRAWL_ANY_LANE, pc, state + 1, TRAWL_FORWARD, &visit, &err);
    if (status == TRAWL_NOT_FOUND) {
        status = trawl_visit(index, TRAWL_ANY_LANE, pc, TRAWL_START, TRAWL_FORWARD, &visit, &err);
        has_wrapped = true;
    }
    if (status != TRAWL_OK) {
        browser_complain(browser, "0x%" PRIx64 " is not executed in this trace", pc);
        return;
    }
    browser_go(browser, visit - 1); // of the first event: TRAWL_START
    if (!is_known)
        browser_say(browser, "%s: %s%s", typed, name,
                    has_wrapped ? ", from the start of the trace" : "");
    else if (has_wrapped)
        browser_say(browser, "The search continued at the start of the trace");
}
