#include "cmd/contexts.h"

#include "cmd/trace_pass.h"
#include "cmd/unwinding.h"
#include "query/register_set.h"
#include "session/shown.h"

#include <inttypes.h>
#include <stdlib.h>

bool contexts_gather(struct contexts *contexts, struct command *command, bool focus,
                     struct frame_split *split)
{
    *contexts = (struct contexts){0};
    if (!context_tree_init(&contexts->tree))
        return command_no_memory(command);
    contexts->tree.tells_handlers = session_hides_any(&command->session);
    if (split)
        frame_split_tell(split, &contexts->tree);
    if (!command_ensure_open(command)) // the kind of trace may have its own way
        return false;
    const struct pass_request request = session_contexts(&command->session, &contexts->tree);
    if (!command_request(command, &request))
        return false;
    bool is_whole = contexts_add_lanes(contexts, &command->session) &&
                    contexts_hide(contexts, &command->session) &&
                    (!focus || !command->session.filter.function ||
                     contexts_focus(contexts, &command->session));
    return is_whole || command_no_memory(command);
}

struct stacks contexts_stacks(const struct contexts *contexts, struct command *command,
                              uint64_t depth_max)
{
    return (struct stacks){.tree = &contexts->tree,
                           .names = &command->session.names,
                           .labels = contexts->labels,
                           .offset_of_root = !command->no_offsets,
                           .depth_max = depth_max};
}

bool contexts_split_begin(struct command *command, struct options_parser *parser, const char *words)
{
    if (!command->split_by)
        return true;
    if (session_hides_any(&command->session)) {
        options_error(parser, "--hide cannot be combined with %s", words);
        return false;
    }
    if (command_was_given(command, OPTION_INDEX)) {
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

// --- Stacks --------------------------------------------------------------------------------------

// Contexts from complete stacks, lane by lane: begin, count each stack with its ticks, end with the
// outermost frames as the roots of a lane.

static bool begin_stacks(struct contexts *contexts)
{
    if (!contexts->top && !context_tree_init(&contexts->tree))
        return false;
    contexts->top = context_tree_child(&contexts->tree, CONTEXT_NONE, 0);
    return contexts->top != CONTEXT_NONE;
}

static bool add_stack(struct contexts *contexts, const struct image_set *images,
                      const struct unwind_stack *stack, uint64_t ticks)
{
    struct context_tree *tree = &contexts->tree;
    uint32_t node = contexts->top;
    for (size_t i = stack->count; i-- > 0;) {
        uint32_t parent = node;
        struct image_symbol place;
        uint64_t pc = unwind_lookup_pc(&stack->frames[i]);
        node = context_tree_child(tree, parent,
                                  image_set_by_address(images, pc, &place) ? place.address : pc);
        if (node == CONTEXT_NONE)
            return false;
        struct context_node *nodes = tree->nodes.items;
        nodes[node].ticks += ticks;
        nodes[node].count += i == 0;
        nodes[parent].ticks_inside += ticks;
    }
    return true;
}

static bool end_stacks(struct contexts *contexts, const char *lane)
{
    const struct context_node *nodes = contexts->tree.nodes.items;
    const size_t first_root = contexts->roots.count;
    uint32_t first = nodes[contexts->top].first_child;
    if (!first)
        return true;
    for (uint32_t at = first; at; at = nodes[at].next_sibling) {
        if (!VEC_ROOM(&contexts->roots, 1))
            return false;
        contexts->roots.items[contexts->roots.count++] = at;
    }
    if (!VEC_ROOM(&contexts->lanes, 1))
        return false;
    contexts->lanes.items[contexts->lanes.count++] =
        (struct context_lane){lane, NULL, first_root, contexts->roots.count - first_root};
    return true;
}

// --- Samples -------------------------------------------------------------------------------------

// Contexts from stacks that are unwound along the trace, which are right where calls are not: tail
// calls, jumps out of many frames, calls that never return.

struct sampling {
    struct contexts *contexts;
    struct command *command;
    struct unwinding unwinding;
    uint64_t lane;
};

static enum status no_memory_to_sample(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the stacks");
}

static enum status sample_at(struct sampling *sampling, uint64_t in_lane, struct error *err)
{
    struct trawl_event at;
    const struct index_view *view = query_view(sampling->command);
    enum status status = index_view_event_of_lane(view, sampling->lane, in_lane, &at, err);
    if (status != STATUS_OK)
        return status;
    if (!query_wants_event(sampling->command, &at))
        return STATUS_OK;
    status = unwinding_at(&sampling->unwinding, &at, err);
    if (status != STATUS_OK)
        return status;
    const struct image_set *images = &sampling->command->session.names.images;
    return add_stack(sampling->contexts, images, &sampling->unwinding.stack, 1)
               ? STATUS_OK
               : no_memory_to_sample(err);
}

static enum status sample_lane(struct sampling *sampling, uint64_t every, struct error *err)
{
    const struct trawl_lane *lane = &sampling->command->session.view.lanes[sampling->lane];
    enum status status = STATUS_OK;
    if (lane->root == TRAWL_NONE)
        return STATUS_OK;
    for (uint64_t at = lane->root; status == STATUS_OK && at < lane->events;) {
        status = sample_at(sampling, at, err);
        if (every > lane->events - at)
            break;
        at += every;
    }
    return status;
}

// Samples each lane, or the requested one.
static enum status sample_lanes(struct sampling *sampling, uint64_t every, struct error *err)
{
    struct command *command = sampling->command;
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; status == STATUS_OK && lane < command->session.view.info.lanes;
         lane++) {
        if (command->lane != TRAWL_ANY_LANE && command->lane != lane)
            continue;
        sampling->lane = lane;
        if (!begin_stacks(sampling->contexts))
            return no_memory_to_sample(err);
        status = sample_lane(sampling, every, err);
        if (status == STATUS_OK &&
            !end_stacks(sampling->contexts, command->session.view.lanes[lane].name))
            status = no_memory_to_sample(err);
    }
    return status;
}

static enum status sample_trace(struct sampling *sampling, enum unwind_method how, uint64_t every,
                                struct error *err)
{
    struct command *command = sampling->command;
    if (command->session.view.info.lanes == 0)
        return error_set(err, STATUS_INPUT, "%s: has no instructions", command->session.path);
    enum status status = unwinding_open(&sampling->unwinding, command, how, err);
    if (status == STATUS_OK)
        status = sample_lanes(sampling, every, err);
    if (status == STATUS_OK && !contexts_hide(sampling->contexts, &command->session))
        status = no_memory_to_sample(err);
    if (status == STATUS_OK && command->session.filter.function &&
        !contexts_focus(sampling->contexts, &command->session))
        status = no_memory_to_sample(err);
    return status;
}

bool contexts_sample(struct contexts *contexts, struct command *command, enum unwind_method how,
                     uint64_t every)
{
    struct sampling sampling = {.contexts = contexts, .command = command};
    struct error err;
    contexts_free(contexts); // of an earlier try, whose index was damaged
    *contexts = (struct contexts){0};
    enum status result = sample_trace(&sampling, how, every, &err);
    if (result == STATUS_OK)
        unwinding_warn(&sampling.unwinding);
    unwinding_free(&sampling.unwinding);
    return result == STATUS_OK || command_fail(command, &err);
}

// --- Snapshots -----------------------------------------------------------------------------------

// Contexts from snapshots: each is a sample_snapshots, unwound from what was collected in it.

struct snapshots {
    struct contexts *contexts;
    struct command *command;
    struct unwinding unwinding;
    const char *weight_name;      // without $; NULL: each snapshot counts once
    struct trawl_register weight; // a variable of trace state
    uint64_t ticks;
    // The selected snapshots, and those of them without a PC or weight, which are left out.
    uint64_t wanted_count, lost_count, weightless_count;
};

static enum status no_memory_for_snapshots(const struct snapshots *snapshots, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for the stacks",
                     snapshots->command->session.path);
}

static enum status find_weight(struct snapshots *snapshots, struct error *err)
{
    const struct index_view *view = query_view(snapshots->command);
    uint64_t count = trawl_register_count(view->index);
    if (!snapshots->weight_name)
        return STATUS_OK;
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_register *found = &snapshots->weight;
        if (trawl_register(view->index, i, found, NULL) == TRAWL_OK &&
            found->flags & TRAWL_REGISTER_VARIABLE &&
            strcmp(found->name, snapshots->weight_name) == 0)
            return STATUS_OK;
    }
    return error_set(err, STATUS_NOT_FOUND, "%s: has no variable $%.200s",
                     snapshots->command->session.path, snapshots->weight_name);
}

// The weight of a snapshot; *is_known: it is known, and not negative.
static enum status ticks_of(const struct snapshots *snapshots, const struct trawl_event *at,
                            uint64_t *ticks, bool *is_known, struct error *err)
{
    struct register_value value;
    int64_t number;
    *ticks = 1;
    *is_known = true;
    if (!snapshots->weight_name)
        return STATUS_OK;
    enum status status = register_read(query_view(snapshots->command), at->lane, at->event,
                                       &snapshots->weight, &value, err);
    memcpy(&number, value.values, sizeof number);
    *is_known = value.known_bytes == value.size_bytes && number >= 0;
    *ticks = (uint64_t)number;
    return status;
}

static bool is_wanted(struct snapshots *snapshots, const struct trawl_event *at)
{
    struct command *command = snapshots->command;
    struct session *session = &command->session;
    if ((command->lane != TRAWL_ANY_LANE && command->lane != at->lane) ||
        !session_takes_event(session, at))
        return false;
    return !session->filter.function ||
           (at->flags & TRAWL_HAS_INSTRUCTION && session_takes_function(session, at->pc));
}

static enum status add_snapshot(struct snapshots *snapshots, const struct trawl_event *at,
                                struct error *err)
{
    uint64_t ticks;
    bool is_known;
    snapshots->wanted_count++;
    enum status status = ticks_of(snapshots, at, &ticks, &is_known, err);
    if (status != STATUS_OK)
        return status;
    if (!is_known) {
        snapshots->weightless_count++;
        return STATUS_OK;
    }
    status = unwinding_at(&snapshots->unwinding, at, err);
    if (status == STATUS_OK && snapshots->unwinding.stack.count) {
        const struct session *session = &snapshots->command->session;
        if (ticks > UINT64_MAX - snapshots->ticks)
            return error_set(err, STATUS_LIMIT, "%s: the weights of all frames pass 64 bits",
                             session->path);
        snapshots->ticks += ticks;
        return add_stack(snapshots->contexts, &session->names.images, &snapshots->unwinding.stack,
                         ticks)
                   ? STATUS_OK
                   : no_memory_for_snapshots(snapshots, err);
    }
    snapshots->lost_count += status == STATUS_OK;
    return status;
}

static enum status add_snapshots(struct snapshots *snapshots, struct error *err)
{
    const struct index_view *view = query_view(snapshots->command);
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < view->info.events && status == STATUS_OK; i++) {
        struct trawl_event at;
        status = index_view_event(view, i, &at, err);
        if (status == STATUS_OK && is_wanted(snapshots, &at))
            status = add_snapshot(snapshots, &at, err);
    }
    if (status == STATUS_OK && (!end_stacks(snapshots->contexts, "") ||
                                !contexts_hide(snapshots->contexts, &snapshots->command->session)))
        status = no_memory_for_snapshots(snapshots, err);
    return status;
}

static enum status sample_snapshots(struct snapshots *snapshots, enum unwind_method how,
                                    struct error *err)
{
    enum status status = begin_stacks(snapshots->contexts)
                             ? unwinding_open(&snapshots->unwinding, snapshots->command, how, err)
                             : no_memory_for_snapshots(snapshots, err);
    if (status == STATUS_OK)
        status = find_weight(snapshots, err);
    if (status == STATUS_OK)
        status = add_snapshots(snapshots, err);
    if (status != STATUS_OK)
        return status;
    struct diag *diag = &snapshots->command->diag;
    if (snapshots->lost_count)
        diag_warning(diag, "%" PRIu64 " frame%s no PC: left out", snapshots->lost_count,
                     snapshots->lost_count == 1 ? " has" : "s have");
    if (snapshots->weightless_count)
        diag_warning(diag, "$%s has no value from 0 on in %" PRIu64 " frame%s: left out",
                     snapshots->weight_name, snapshots->weightless_count,
                     plural(snapshots->weightless_count));
    unwinding_warn(&snapshots->unwinding);
    if (snapshots->unwinding.stack_count)
        return STATUS_OK;
    struct session *session = &snapshots->command->session;
    if (!snapshots->wanted_count && !filter_is_all(&session->filter))
        return session_shows_no_frame(session, (size_t)session->view.info.events, err);
    return error_set(err, STATUS_NOT_FOUND, "%s: no frame gives a stack", session->path);
}

bool contexts_snapshots(struct contexts *contexts, struct command *command, enum unwind_method how,
                        const char *weight)
{
    struct snapshots snapshots = {.contexts = contexts, .command = command};
    struct error err;
    contexts_free(contexts); // of an earlier try, whose index was damaged
    *contexts = (struct contexts){0};
    if (weight)
        snapshots.weight_name = weight + (*weight == '$');
    enum status result = sample_snapshots(&snapshots, how, &err);
    unwinding_free(&snapshots.unwinding);
    return result == STATUS_OK || command_fail(command, &err);
}
