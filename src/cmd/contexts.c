#include "cmd/contexts.h"

#include "cmd/trace_pass.h"
#include "session/hidden.h"

#include <stdlib.h>

static bool no_memory(struct trace_command *command, enum exit_status *status)
{
    *status = trace_command_no_memory(command);
    return false;
}

bool contexts_gather(struct contexts *contexts, struct trace_command *command, bool focus,
                     struct frame_split *split, enum exit_status *status)
{
    *contexts = (struct contexts){0};
    if (!context_tree_init(&contexts->tree))
        return no_memory(command, status);
    contexts->tree.tells_handlers = session_hides_any(&command->session);
    if (split)
        frame_split_tell(split, &contexts->tree);
    if (!trace_command_contexts(command, &contexts->tree, status))
        return false;
    bool is_whole = contexts_add_lanes(contexts, &command->session) &&
                    contexts_hide(contexts, &command->session) &&
                    (!focus || !command->session.filter.function ||
                     contexts_focus(contexts, &command->session));
    return is_whole || no_memory(command, status);
}

struct stacks contexts_stacks(const struct contexts *contexts, struct trace_command *command,
                              uint64_t depth_max)
{
    return (struct stacks){.tree = &contexts->tree,
                           .names = &command->session.names,
                           .labels = contexts->labels,
                           .offset_of_root = !command->no_offsets,
                           .depth_max = depth_max};
}

bool contexts_split_begin(struct trace_command *command, struct options_parser *parser,
                          const char *words)
{
    if (!command->split_by)
        return true;
    if (session_hides_any(&command->session)) {
        options_error(parser, "--hide cannot be combined with %s", words);
        return false;
    }
    if (trace_command_was_given(command, OPTION_INDEX)) {
        options_error(parser, "--index cannot be combined with %s: the trace is read", words);
        return false;
    }
    command->session.index.in_memory = true;
    return true;
}

// Makes the contexts below a nameless node the roots of a lane.
static bool take_roots(struct context_lane *lane, const struct context_tree *tree, uint32_t top,
                       struct context_roots *roots)
{
    lane->first_root = roots->count;
    for (uint32_t at = tree->nodes.items[top].first_child; at;
         at = tree->nodes.items[at].next_sibling) {
        if (!VEC_ROOM(roots, 1))
            return false;
        roots->items[roots->count++] = at;
    }
    lane->root_count = roots->count - lane->first_root;
    return true;
}

bool contexts_split(struct contexts *contexts, struct frame_split *split)
{
    struct context_tree into;
    struct context_roots roots = {0};
    bool is_whole = context_tree_init(&into);
    for (size_t i = 0; i < contexts->lanes.count && is_whole; i++) {
        struct context_lane *lane = &contexts->lanes.items[i];
        uint32_t top =
            frame_split_roots(split, &contexts->tree, contexts->roots.items + lane->first_root,
                              lane->root_count, &into);
        is_whole = top && take_roots(lane, &into, top, &roots);
    }
    if (is_whole)
        frame_split_sum(&into);
    context_tree_free(&contexts->tree);
    free(contexts->roots.items);
    contexts->tree = into;
    contexts->roots = roots;
    return is_whole;
}
