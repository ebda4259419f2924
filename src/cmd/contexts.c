#include "cmd/contexts.h"

static bool no_memory(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    error_set(&err, STATUS_MEMORY, "%s: no memory", command->trace);
    *status = diag_error(&command->diag, &err);
    return false;
}

static bool find_roots(struct contexts *contexts, struct trace_command *command)
{
    for (size_t i = 0; i < command->result.lane_count; i++) {
        const struct lane_result *lane = &command->result.lanes[i];
        struct node_ref entry, exit;
        if (!trace_command_wants_lane(command, lane) ||
            (!lane->has_root && command->result.lane_count > 1))
            continue;
        trace_command_root(command, lane, &entry, &exit);
        uint32_t root = context_tree_root(&contexts->tree, &lane->calls, &entry, &exit);
        if (!root)
            return false;
        contexts->lane_names[contexts->root_count] = lane->name;
        contexts->roots[contexts->root_count++] = root;
    }
    return true;
}

bool contexts_gather(struct contexts *contexts, struct trace_command *command,
                     enum exit_status *status)
{
    *contexts = (struct contexts){0};
    if (!context_tree_init(&contexts->tree, command->time))
        return no_memory(command, status);
    const struct call_consumer consumer = context_tree_consumer(&contexts->tree);
    if (!trace_command_open_images(command, status) ||
        !trace_command_pass(command, &consumer, NULL, status))
        return false;
    return find_roots(contexts, command) || no_memory(command, status);
}

void contexts_free(struct contexts *contexts)
{
    context_tree_free(&contexts->tree);
}
