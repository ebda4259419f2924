#include "session/call_walk.h"

#include <stdlib.h>

uint64_t call_end_time(const struct call *call)
{
    return u64_max(call->exit.time, call->exit.time + call->exit_ticks);
}

static bool enter(struct call_walk *walk, const struct call *call, call_ref next)
{
    uint64_t around =
        walk->stack.count ? walk->stack.items[walk->stack.count - 1].exit : UINT64_MAX;
    if (!VEC_ROOM(&walk->stack, 1)) {
        walk->lacks_memory = true;
        return false;
    }
    walk->stack.items[walk->stack.count++] = (struct walked_call){
        next, u64_min(call_end_time(call), around), call->how, call->is_open, call->is_clipped};
    if (!walk->sink->enter(walk->sink->self, call->entry.time, call->entry.pc, call->how))
        return false;
    call_sink_place(walk->sink, call->entry.line, call->entry.pc);
    return true;
}

static bool leave(struct call_walk *walk, call_ref *next)
{
    const struct walked_call *left = &walk->stack.items[--walk->stack.count];
    *next = left->next;
    if (!walk->sink->leave(walk->sink->self, left->exit))
        return false;
    const char *word = call_end_word(left->how);
    if (word)
        call_sink_mark(walk->sink, word);
    if (left->is_open)
        call_sink_mark(walk->sink, "open");
    if (left->is_clipped)
        call_sink_mark(walk->sink, "clipped");
    return true;
}

bool call_walk_give(struct call_walk *walk, const struct call *call, call_ref first_child)
{
    struct listed_call listed;
    call_ref place = first_child;
    bool goes_on = enter(walk, call, 0);
    while (goes_on && walk->stack.count) {
        if (!place) {
            goes_on = leave(walk, &place);
            continue;
        }
        call_list_read(walk->list, place, &listed);
        goes_on = enter(walk, &listed.call, listed.next_sibling);
        place = listed.first_child;
    }
    return goes_on;
}

void call_walk_free(struct call_walk *walk)
{
    free(walk->stack.items);
}
