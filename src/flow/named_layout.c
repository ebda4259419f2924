#include "flow/named_layout.h"

#include "flow/segment.h"

#include <stdlib.h>
#include <strings.h>

static int compare_names(const void *a, const void *b)
{
    const struct register_run *first = a, *second = b;
    return strcasecmp(first->name, second->name);
}

struct register_run *named_layout_make(const struct register_run *runs, size_t count,
                                       const struct register_names *names, uint8_t isas,
                                       size_t *made)
{
    const size_t named = names->items.count;
    size_t shown = 0;
    struct register_run *all = calloc(count + named, sizeof *all);
    if (!all)
        return NULL;
    while (shown < count && runs[shown].shown)
        shown++;
    memcpy(all, runs, shown * sizeof *all);
    for (size_t i = 0; i < named; i++)
        all[shown + i] = (struct register_run){
            .name = names->items.items[i].name,
            .offset = NAMED_REGISTER_CELL(i) * 8,
            .size_bytes = names->items.items[i].size_bytes,
            .beside = 1,
            .flags = TRAWL_REGISTER_SYSTEM,
            .isas = isas,
            .shown = isas,
            .dwarf = TRAWL_NO_DWARF,
        };
    qsort(all + shown, named, sizeof *all, compare_names);
    memcpy(all + shown + named, runs + shown, (count - shown) * sizeof *all);
    *made = count + named;
    return all;
}
