#include "names/hidden_names.h"

#include <fnmatch.h>
#include <stdlib.h>

bool hidden_names_add(struct hidden_names *hidden, const char *pattern)
{
    if (!VEC_ROOM(&hidden->items, 1))
        return false;
    hidden->items.items[hidden->items.count++] = (struct hidden_name){.pattern = pattern};
    return true;
}

void hidden_names_free(struct hidden_names *hidden)
{
    free(hidden->items.items);
    *hidden = (struct hidden_names){0};
}

bool hidden_name_is(const struct hidden_name *hidden, const char *name)
{
    return strcmp(hidden->pattern, name) == 0 || fnmatch(hidden->pattern, name, 0) == 0;
}

bool hidden_names_have(struct hidden_names *hidden, void *self,
                       bool (*is_meant)(void *self, struct hidden_name *hidden))
{
    bool is_hidden = false;
    for (size_t i = 0; i < hidden->items.count; i++) {
        if (!is_meant(self, &hidden->items.items[i]))
            continue;
        hidden->items.items[i].was_met = true;
        is_hidden = true;
    }
    return is_hidden;
}
