#include "cmd/source_places.h"

bool source_places_end(struct command *command, struct source_lines *places)
{
    const struct error *fault = source_lines_fault(places);
    bool has_memory = !source_lines_lacked_memory(places);
    if (fault && has_memory)
        diag_warning(&command->diag, "%s: its source lines are left out", fault->text);
    source_lines_free(places);
    return has_memory;
}
