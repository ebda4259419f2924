// Functions by their names, which the prompt completes from those that the trace calls.
#include "browse/pane.h"

#include <inttypes.h>

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
        browser_complain(browser, "No called function begins with that");
        return;
    }
    const char *chosen = completion.common;
    if (browser->is_completing || strcmp(chosen, before) == 0)
        chosen = completion.next[0] ? completion.next : completion.first;
    memcpy(typed, chosen, strlen(chosen) + 1);
}

// A function that has an id: to its next entry.
static void go_to_named(struct browser *browser, const char *name)
{
    uint64_t pc, event = browser->view.state;
    bool has_wrapped = false;
    if (!names_find_id(browser->source->names, name, &pc)) {
        browser_complain(browser, "No function is called %s", name);
        return;
    }
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
    struct trawl_error err;
    (void)pane;
    if (browser->source->trace->kind->ids) {
        go_to_named(browser, typed);
        return;
    }
    if (!browser_number(browser, typed, true, &pc))
        return;
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
    if (has_wrapped)
        browser_say(browser, "The search continued at the start of the trace");
}
