#include "analysis/function_changes.h"

#include <stdlib.h>

struct open_function {
    uint64_t pc;
    call_ref next_call;
    struct node_ref resume; // where its caller continues
    bool never_resumes;
};

static void set_head(struct function_changes *changes, const struct node_ref *node, uint64_t pc)
{
    changes->head = (struct function_change){node->event, node->time, pc};
    changes->has_head = true;
}

static bool enter(struct function_changes *changes, const struct call *call, call_ref first_call)
{
    if (!VEC_ROOM(&changes->open, 1))
        return false;
    changes->open.items[changes->open.count++] =
        (struct open_function){call->entry.pc, first_call, call->resume, call->is_open};
    set_head(changes, &call->entry, call->entry.pc);
    return true;
}

bool function_changes_begin(struct function_changes *changes, struct call_list *list,
                            const struct node_ref *root, const struct call_content *calls)
{
    const struct call all = {.entry = *root, .is_open = true};
    *changes = (struct function_changes){.list = list};
    return enter(changes, &all, call_list_first(calls));
}

bool function_changes_next(struct function_changes *changes)
{
    changes->has_head = false;
    while (changes->open.count) {
        struct open_function *top = &changes->open.items[changes->open.count - 1];
        if (top->next_call) {
            struct listed_call listed;
            call_list_read(changes->list, top->next_call, &listed);
            top->next_call = listed.next_sibling;
            return enter(changes, &listed.call, listed.first_child);
        }
        changes->open.count--;
        if (top->never_resumes)
            continue;
        set_head(changes, &top->resume, top[-1].pc);
        return true;
    }
    return true;
}

void function_changes_free(struct function_changes *changes)
{
    free(changes->open.items);
    *changes = (struct function_changes){0};
}
