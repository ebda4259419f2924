// Which calls --function and --depth let through.
#include "cmd/export.h"

bool export_enter(struct exporter *exporter, uint64_t pc)
{
    struct trace_command *command = exporter->command;
    size_t count = exporter->levels.count;
    if (!VEC_ROOM(&exporter->levels, 1))
        return false;
    struct export_level *level = &exporter->levels.items[exporter->levels.count++];
    const struct export_level *around = count ? &exporter->levels.items[count - 1] : NULL;
    bool is_counted = around && (around->is_inside || !command->session.filter.function);
    level->depth = is_counted ? around->depth + 1 : !command->session.filter.function;
    level->is_inside =
        (around && around->is_inside) ||
        (command->session.filter.function != NULL && session_takes_function(&command->session, pc));
    level->is_shown = (level->is_inside || !command->session.filter.function) &&
                      level->depth <= command->session.filter.depth_max;
    return true;
}
