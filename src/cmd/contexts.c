#include "cmd/contexts.h"

#include "cmd/trace_pass.h"
#include "session/hidden.h"

static bool no_memory(struct trace_command *command, enum exit_status *status)
{
    *status = trace_command_no_memory(command);
    return false;
}

bool contexts_gather(struct contexts *contexts, struct trace_command *command, bool focus,
                     enum exit_status *status)
{
    *contexts = (struct contexts){0};
    if (!context_tree_init(&contexts->tree))
        return no_memory(command, status);
    contexts->tree.tells_handlers = session_hides_any(&command->session);
    if (!trace_command_contexts(command, &contexts->tree, status))
        return false;
    bool is_whole = contexts_add_lanes(contexts, &command->session) &&
                    contexts_hide(contexts, &command->session) &&
                    (!focus || !command->session.filter.function ||
                     contexts_focus(contexts, &command->session));
    return is_whole || no_memory(command, status);
}
