#include "cmd/flamegraph_diff.h"

#include "cmd/contexts.h"
#include "cmd/other_run.h"
#include "cmd/trace_open.h"
#include "cmd/two_runs.h"
#include "diff/stack_diff.h"
#include "report/clean.h"
#include "report/flame_svg.h"

#include <stdlib.h>

struct side {
    struct trace_command *command;
    struct contexts contexts;
};

struct both {
    struct side sides[2];
    struct stack_diff stacks;
    bool by_lane;
};

// --- Gathering -----------------------------------------------------------------------------------

static bool add_lane(struct both *both, const struct side *side, const struct context_lane *lane)
{
    struct trace_command *command = side->command;
    struct stack_diff *stacks = &both->stacks;
    const struct stack_walk walk = stack_diff_walk(stacks);
    uint64_t depth_max = command->session.filter.depth_max;
    if (!trace_command_was_given(command, OPTION_DEPTH))
        depth_max = LIMIT_COLLAPSED_LEVELS;
    const struct stacks walked = contexts_stacks(&side->contexts, command, depth_max);
    bool has_memory =
        (!both->by_lane || stack_diff_enter(stacks, lane->name)) &&
        (!lane->task || stack_diff_enter(stacks, lane->task)) &&
        stacks_walk(&walked, contexts_roots_of(&side->contexts, lane), lane->root_count, &walk);
    while (has_memory && stacks->open.count > 1)
        stack_diff_leave(stacks);
    return has_memory;
}

static bool add_both(struct both *both)
{
    both->by_lane = contexts_have_lanes(&both->sides[0].contexts) ||
                    contexts_have_lanes(&both->sides[1].contexts);
    for (int number = 0; number < 2; number++) {
        const struct side *side = &both->sides[number];
        both->stacks.side = number;
        for (size_t i = 0; i < side->contexts.lanes.count; i++) {
            if (!add_lane(both, side, &side->contexts.lanes.items[i]))
                return false;
        }
    }
    return stack_diff_end(&both->stacks);
}

// --- Text ----------------------------------------------------------------------------------------

// "a;b;c 12 15", like difffolded.pl.
static bool write_text(const struct stack_diff *stacks, struct out *out)
{
    VEC(, char) path = {0};
    VEC(, size_t) lengths = {0};
    bool has_memory = true;
    for (uint32_t i = stack_diff_next(stacks, 0); i != STACK_DIFF_NONE && has_memory;
         i = stack_diff_next(stacks, i)) {
        const struct stack_node *node = &stacks->nodes.items[i];
        size_t length = strlen(node->name);
        while (lengths.count >= node->depth)
            path.count = lengths.items[--lengths.count];
        has_memory = VEC_ROOM(&path, length + 1) && VEC_ROOM(&lengths, 1);
        if (!has_memory)
            break;
        lengths.items[lengths.count++] = path.count;
        memcpy(path.items + path.count, node->name, length);
        clean_frame_name(path.items + path.count, length);
        path.count += length;
        if (node->self[0] || node->self[1]) {
            out_bytes(out, path.items, path.count);
            out_byte(out, ' ');
            out_u64(out, node->self[0]);
            out_byte(out, ' ');
            out_u64(out, node->self[1]);
            out_byte(out, '\n');
        }
        path.items[path.count++] = ';';
    }
    free(path.items);
    free(lengths.items);
    return has_memory;
}

// --- The picture ---------------------------------------------------------------------------------

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Stacks without time in the runs that give the widths have none, and are only counted.
static enum status write_picture(struct both *both, enum flame_run widths, struct out *out,
                                 struct error *err)
{
    bool has_width_of[2] = {widths != FLAME_LATER, widths != FLAME_EARLIER};
    struct flame_absent absent = {0};
    uint64_t thumb_bit = both->sides[0].command->session.names.options.is_arm;
    const struct stack_diff *stacks = &both->stacks;
    struct trace_command *command = both->sides[0].command;
    struct flame_frame *frames = malloc(stacks->nodes.count * sizeof *frames);
    struct flame_before *before = malloc(stacks->nodes.count * sizeof *before);
    size_t count = 0;
    uint64_t most = 0;
    if (!frames || !before) {
        free(frames);
        free(before);
        return error_set(err, STATUS_MEMORY, "%s: no memory for the picture",
                         command->session.path);
    }
    for (uint32_t i = 0; i != STACK_DIFF_NONE; i = stack_diff_next(stacks, i)) {
        const struct stack_node *node = &stacks->nodes.items[i];
        uint64_t width = 0, self = 0;
        for (int side = 0; side < 2; side++) {
            width += has_width_of[side] ? node->total[side] : 0;
            self += has_width_of[side] ? 0 : node->self[side];
        }
        if (i && !width) {
            absent.stacks += self > 0;
            absent.ticks += self;
            absent.has_calls |= self && node->count[widths == FLAME_LATER];
            continue;
        }
        before[count] = (struct flame_before){node->self[0], node->total[0], node->total[1]};
        frames[count++] = (struct flame_frame){.name = node->is_nameless ? NULL : node->name,
                                               .depth = node->depth,
                                               .self = node->self[1],
                                               .total = width,
                                               .count = node->count[1],
                                               .address = node->pc & ~thumb_bit};
        most = u64_max(most, node->self[1] > node->self[0] ? node->self[1] - node->self[0]
                                                           : node->self[0] - node->self[1]);
    }
    const struct flame_graph graph = {.frames = frames,
                                      .frame_count = count,
                                      .title = "Flame graph of two runs",
                                      .trace_name = last_of(both->sides[1].command->session.path),
                                      .unit = trace_tick_unit(command->session.trace),
                                      .before_name = last_of(command->session.path),
                                      .before = before,
                                      .change_most = most,
                                      .widths = widths,
                                      .absent = absent};
    enum status status = flame_svg_write(out, &graph, err);
    free(frames);
    free(before);
    return status;
}

// --- The report ----------------------------------------------------------------------------------

static bool gather(struct side *side, enum exit_status *status)
{
    return trace_command_open_images(side->command, status) &&
           contexts_gather(&side->contexts, side->command, true, NULL, status) &&
           trace_command_has_shown(side->command, side->contexts.roots.count, status);
}

static enum exit_status write_report(struct both *both, const struct flamegraph_diff *wanted)
{
    struct trace_command *command = both->sides[0].command;
    struct error err;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    enum status result = stack_diff_begin(&both->stacks, &err);
    if (result != STATUS_OK || !add_both(both))
        return trace_command_no_memory(command);
    if (!trace_command_output(command, &out, &status))
        return status;
    if (wanted->is_picture)
        result = write_picture(both, wanted->widths, &out, &err);
    else if (!write_text(&both->stacks, &out))
        result =
            error_set(&err, STATUS_MEMORY, "%s: no memory for the stacks", command->session.path);
    if (result != STATUS_OK) {
        out_abandon(&out);
        return trace_command_error(command, &err);
    }
    return two_runs_end(command, &out, both->sides[1].command);
}

enum exit_status flamegraph_diff(struct trace_command *command,
                                 const struct flamegraph_diff *wanted)
{
    struct trace_command other;
    struct both both = {.sides = {{.command = command}, {.command = &other}}};
    enum exit_status status = EXIT_STATUS_FAILED;
    other_run_begin(&other, wanted->pristine);
    if (gather(&both.sides[0], &status) && gather(&both.sides[1], &status) &&
        two_runs_have_functions(command, &other, &status))
        status = write_report(&both, wanted);
    stack_diff_free(&both.stacks);
    contexts_free(&both.sides[0].contexts);
    contexts_free(&both.sides[1].contexts);
    trace_command_end_one(&other);
    return status;
}
