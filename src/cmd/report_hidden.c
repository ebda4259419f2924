#include "cmd/report_hidden.h"

#include <inttypes.h>

void report_hidden(struct diag *diag, const char *path, const struct hidden_names *hidden)
{
    for (size_t i = 0; i < hidden->items.count; i++) {
        if (!hidden->items.items[i].was_met)
            diag_warning(diag, "%s: --hide '%.120s' hides nothing: there is no such function", path,
                         hidden->items.items[i].pattern);
    }
    const char *them = hidden->calls == 1 ? "it" : "them";
    if (hidden->ticks && hidden->calls)
        diag_note(
            diag, "%s: --hide leaves out %" PRIu64 " tick%s: %" PRIu64 " call%s, and those in %s",
            path, hidden->ticks, plural(hidden->ticks), hidden->calls, plural(hidden->calls), them);
    else if (hidden->ticks)
        diag_note(diag, "%s: --hide leaves out %" PRIu64 " tick%s", path, hidden->ticks,
                  plural(hidden->ticks));
    else if (hidden->calls)
        diag_note(diag, "%s: --hide leaves out %" PRIu64 " call%s, and those in %s", path,
                  hidden->calls, plural(hidden->calls), them);
    if (hidden->frames)
        diag_note(diag, "%s: --hide leaves out %" PRIu64 " frame%s", path, hidden->frames,
                  plural(hidden->frames));
}
