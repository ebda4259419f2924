// flamegraph: time by stack, as collapsed stacks or as a picture.
#include "cli/values.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "diff/lane_diff.h"
#include "export/call_writers.h"
#include "export/profile_writers.h"
#include "query/stacks.h"
#include "report/flame_svg.h"
#include "report/out.h"

#include <stdlib.h>
#include <strings.h>

enum { OPTION_UNWIND = OPTION_OWN, OPTION_EVERY, OPTION_WEIGHT, OPTION_FLAME_DIFF, OPTION_WIDTHS };

enum flame_format { FLAME_COLLAPSED, FLAME_SVG, FLAME_CALLGRIND, FLAME_PPROF, FLAME_SPEEDSCOPE };

struct flamegraph {
    struct command common;
    struct command pristine; // copied for the other
    enum flame_format format;
    uint64_t every;     // 0: not given
    const char *weight; // NULL: not given
    unsigned widths;    // enum flame_run, of a picture of two runs
    enum unwind_method method;
    struct contexts contexts; // from samples
};

// --- Two runs (--diff) ---------------------------------------------------------------------------

struct side {
    struct command *command;
    struct contexts contexts;
};

struct both {
    struct side sides[2];
    struct stack_diff stacks;
    bool by_lane;
};

static bool add_both(struct both *both)
{
    both->by_lane = contexts_have_lanes(&both->sides[0].contexts) ||
                    contexts_have_lanes(&both->sides[1].contexts);
    for (int number = 0; number < 2; number++) {
        const struct side *side = &both->sides[number];
        both->stacks.side = number;
        for (size_t i = 0; i < side->contexts.lanes.count; i++) {
            const struct context_lane *lane = &side->contexts.lanes.items[i];
            struct command *command = side->command;
            struct stack_diff *stacks = &both->stacks;
            const struct stack_walk walk = stack_diff_walk(stacks);
            uint64_t depth_max = command->session.filter.depth_max;
            if (!command_was_given(command, OPTION_DEPTH))
                depth_max = LIMIT_COLLAPSED_LEVELS;
            const struct stacks walked = contexts_stacks(&side->contexts, command, depth_max);
            bool has_memory = (!both->by_lane || stack_diff_enter(stacks, lane->name)) &&
                              (!lane->task || stack_diff_enter(stacks, lane->task)) &&
                              stacks_walk(&walked, contexts_roots_of(&side->contexts, lane),
                                          lane->root_count, &walk);
            while (has_memory && stacks->open.count > 1)
                stack_diff_leave(stacks);
            if (!has_memory)
                return false;
        }
    }
    return stack_diff_end(&both->stacks);
}

// "a;b;c 12 15", like difffolded.pl.
static bool write_text_of_both(const struct stack_diff *stacks, struct out *out)
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

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Stacks without time in the runs that give the widths have none, and are only counted.
static enum status write_picture_of_both(struct both *both, enum flame_run widths, struct out *out,
                                         struct error *err)
{
    bool has_width_of[2] = {widths != FLAME_LATER, widths != FLAME_EARLIER};
    struct flame_absent absent = {0};
    uint64_t code_bits = names_code_bits(&both->sides[0].command->session.names);
    const struct stack_diff *stacks = &both->stacks;
    struct command *command = both->sides[0].command;
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
                                               .address = node->pc & ~code_bits};
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

static bool gather(struct side *side)
{
    return command_open_images(side->command) &&
           contexts_gather(&side->contexts, side->command, true, NULL) &&
           command_require_shown(side->command, side->contexts.roots.count);
}

static bool report_both(struct flamegraph *graph)
{
    struct command *command = &graph->common, other;
    struct both both = {.sides = {{.command = command}, {.command = &other}}};
    struct error err;
    other_run_begin(&other, &graph->pristine, 0);
    bool is_done =
        gather(&both.sides[0]) && gather(&both.sides[1]) && runs_have_functions(command, &other);
    if (is_done && stack_diff_begin(&both.stacks, &err) == STATUS_OK) {
        both.stacks.are_builds = other_runs_are_builds(command);
        is_done = add_both(&both) || command_no_memory(command);
    } else if (is_done) {
        is_done = command_no_memory(command);
    }
    is_done = is_done && command_output(command);
    if (is_done && graph->format == FLAME_SVG)
        is_done = write_picture_of_both(&both, graph->widths, &command->out, &err) == STATUS_OK ||
                  command_fail(command, &err);
    else if (is_done && !write_text_of_both(&both.stacks, &command->out))
        is_done = command_fail_with(command, STATUS_MEMORY, "%s: no memory for the stacks",
                                    command->session.path);
    is_done = is_done && runs_end(command, &other, 1);
    stack_diff_free(&both.stacks);
    contexts_free(&both.sides[0].contexts);
    contexts_free(&both.sides[1].contexts);
    other_run_end(&other, command, 0);
    return is_done;
}

// --- One run -------------------------------------------------------------------------------------

// Walks over the stacks of a lane.
static bool walk_lane(struct command *command, const struct contexts *contexts,
                      const struct context_lane *lane, const struct stack_walk *walk)
{
    const struct stacks stacks =
        contexts_stacks(contexts, command, command->session.filter.depth_max);
    return stacks_walk(&stacks, contexts_roots_of(contexts, lane), lane->root_count, walk);
}

// --- Profiles for other programs -----------------------------------------------------------------

static bool write_callgrind(struct command *command, const struct contexts *contexts,
                            struct out *out)
{
    const struct session *session = &command->session;
    struct callgrind callgrind;
    callgrind_init(&callgrind, contexts->labels, command->split_by & SPLIT_INSTRUCTIONS);
    const struct stack_walk walk = callgrind_walk(&callgrind);
    bool is_whole = true;
    for (size_t i = 0; i < contexts->lanes.count && is_whole; i++)
        is_whole = walk_lane(command, contexts, &contexts->lanes.items[i], &walk);
    struct source_lines places = {0};
    is_whole = is_whole && callgrind_write(&callgrind, out, &command->session.names, &places,
                                           trace_frequency_hz(session->trace),
                                           trace_can(session->trace, TRACE_COUNTS), session->path);
    callgrind_free(&callgrind);
    return source_places_end(command, &places) && is_whole;
}

static bool write_pprof(struct command *command, const struct contexts *contexts, struct out *out)
{
    struct session *session = &command->session;
    struct pprof pprof;
    pprof_init(&pprof, out, trace_frequency_hz(session->trace), trace_tick_unit(session->trace),
               contexts->lanes.count);
    pprof.labels = contexts->labels;
    const struct stack_walk walk = pprof_walk(&pprof);
    bool is_whole = true;
    for (size_t i = 0; i < contexts->lanes.count && is_whole; i++) {
        const struct context_lane *lane = &contexts->lanes.items[i];
        is_whole = pprof_begin_lane(&pprof, &(struct pprof_lane){lane->name, lane->task}) &&
                   walk_lane(command, contexts, lane, &walk);
    }
    struct source_lines places = {0};
    is_whole = is_whole && pprof_write(&pprof, &session->names, &places);
    pprof_free(&pprof);
    return (source_places_end(command, &places) && is_whole) || out_failed(out);
}

static bool write_speedscope(struct command *command, const struct contexts *contexts,
                             struct out *out)
{
    struct session *session = &command->session;
    struct source_lines places = {0};
    struct speedscope speedscope;
    speedscope_init(&speedscope, out, &session->names, &places, session->path);
    const struct stack_walk walk = speedscope_walk(&speedscope);
    bool is_whole = speedscope_begin_sums(&speedscope, trace_frequency_hz(session->trace));
    for (size_t i = 0; i < contexts->lanes.count && is_whole; i++) {
        const struct context_lane *lane = &contexts->lanes.items[i];
        is_whole = speedscope_begin_lane(&speedscope, lane->name) &&
                   walk_lane(command, contexts, lane, &walk);
    }
    speedscope_end(&speedscope);
    return (source_places_end(command, &places) && is_whole) || out_failed(out);
}

// --- The picture ---------------------------------------------------------------------------------

struct picture {
    VEC(, struct flame_frame) frames;
    uint32_t depth_offset;
    uint64_t code_bits; // of PCs, that are no part of an address
};

static bool add_frame(struct picture *picture, const struct stack_visit *visit)
{
    uint64_t depth = visit->depth + picture->depth_offset;
    if (!VEC_ROOM(&picture->frames, 1) || depth >= UINT32_MAX)
        return false;
    picture->frames.items[picture->frames.count++] =
        (struct flame_frame){.name = visit->is_nameless ? NULL : visit->name,
                             .depth = (uint32_t)depth,
                             .self = visit->self_ticks,
                             .total = visit->ticks,
                             .count = visit->count,
                             .address = visit->pc & ~picture->code_bits};
    return true;
}

// Adds frames in preorder: a frame that has frames below it is added when it is entered.
static bool picture_event(void *self, enum stack_event event, const struct stack_visit *visit)
{
    bool is_frame = event == STACK_ENTER || (event == STACK_OWN && !visit->has_below);
    return !is_frame || add_frame(self, visit);
}

// Adds a frame as the parent of those that follow; its time is the sum of these trees.
static bool add_heading(struct picture *picture, const char *name, const struct contexts *contexts,
                        size_t first_root, size_t root_count)
{
    struct stack_visit heading = {.name = name};
    for (size_t i = first_root; i < first_root + root_count; i++)
        heading.ticks += contexts->tree.nodes.items[contexts->roots.items[i]].ticks;
    if (!add_frame(picture, &heading))
        return false;
    picture->depth_offset++;
    return true;
}

// A picture needs a single frame at its bottom, so this adds one if there are several roots.
static bool gather_frames(struct command *command, const struct contexts *contexts,
                          struct picture *picture)
{
    const struct stack_walk walk = {picture, picture_event};
    bool by_lane = contexts_have_lanes(contexts);
    if ((by_lane || contexts->roots.count > 1) &&
        !add_heading(picture, "all", contexts, 0, contexts->roots.count))
        return false;
    uint32_t all_depth = picture->depth_offset, lane_depth = all_depth;
    for (size_t i = 0; i < contexts->lanes.count; i++) {
        const struct context_lane *lane = &contexts->lanes.items[i];
        picture->depth_offset = lane_depth;
        if (by_lane && (i == 0 || lane->name != lane[-1].name)) {
            picture->depth_offset = all_depth;
            size_t root_count = 0; // of all tasks of the lane
            for (size_t j = i; j < contexts->lanes.count; j++)
                root_count += contexts->lanes.items[j].name == lane->name
                                  ? contexts->lanes.items[j].root_count
                                  : 0;
            if (!add_heading(picture, lane->name, contexts, lane->first_root, root_count))
                return false;
            lane_depth = picture->depth_offset;
        }
        if ((command->shows_tasks && lane->root_count &&
             !add_heading(picture, lane->task, contexts, lane->first_root, lane->root_count)) ||
            !walk_lane(command, contexts, lane, &walk))
            return false;
    }
    return true;
}

static enum status write_picture(struct command *command, const struct contexts *contexts,
                                 struct out *out, struct error *err)
{
    struct picture picture = {.code_bits = names_code_bits(&command->session.names)};
    enum status status = STATUS_OK;
    const char *slash = strrchr(command->session.path, '/');
    if (!gather_frames(command, contexts, &picture)) {
        status =
            error_set(err, STATUS_MEMORY, "%s: no memory for the picture", command->session.path);
    } else if (picture.frames.count) {
        const struct flame_graph graph = {.frames = picture.frames.items,
                                          .frame_count = picture.frames.count,
                                          .title = "Flame graph",
                                          .trace_name = slash ? slash + 1 : command->session.path,
                                          .unit = trace_tick_unit(command->session.trace)};
        status = flame_svg_write(out, &graph, err);
    }
    free(picture.frames.items);
    return status;
}

// --- The report ----------------------------------------------------------------------------------

// Whether the name is that of a picture or a document that cannot be written.
static bool names_other_format(const char *path)
{
    static const char *const ends[] = {".png",  ".jpg", ".jpeg", ".gif", ".webp", ".bmp",  ".tiff",
                                       ".avif", ".pdf", ".ps",   ".eps", ".html", ".htm",  ".json",
                                       ".csv",  ".xml", ".svgz", ".dot", ".pb",   ".pprof"};
    for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
        size_t length = strlen(path), end_length = strlen(ends[i]);
        if (length > end_length && strcasecmp(path + length - end_length, ends[i]) == 0)
            return true;
    }
    return false;
}

// Chooses the format by --format or by the name of the output. False: misuse, reported.
static bool find_format(struct flamegraph *graph, struct options_parser *parser)
{
    const struct command *command = &graph->common;
    bool names_file = command->session.reading == READING_TRUE && command->output;
    size_t length = names_file ? strlen(command->output) : 0;
    bool is_svg_file = length >= 4 && strcmp(command->output + length - 4, ".svg") == 0;
    graph->format = is_svg_file ? FLAME_SVG : FLAME_COLLAPSED;
    if (!command->format && names_file && !is_svg_file && names_other_format(command->output)) {
        options_error(parser,
                      "'--output': '%s': a flame graph is written as svg (FILE.svg, --format svg) "
                      "or collapsed (any other name, --format collapsed)",
                      command->output);
        return false;
    }
    if (!command->format)
        return true;
    graph->format = strcmp(command->format, "svg") == 0 ? FLAME_SVG : FLAME_COLLAPSED;
    if (graph->format == FLAME_SVG || strcmp(command->format, "collapsed") == 0)
        return true;
    options_error(parser, "'--format': '%s': expected collapsed or svg", command->format);
    return false;
}

static bool write_report(struct command *command, const struct contexts *contexts,
                         enum flame_format format)
{
    struct error err;
    if (!command_require_shown(command, contexts->roots.count) || !command_output(command))
        return false;
    struct out *out = &command->out;
    if (format == FLAME_SVG)
        return write_picture(command, contexts, out, &err) == STATUS_OK ||
               command_fail(command, &err);
    bool is_whole = format == FLAME_CALLGRIND    ? write_callgrind(command, contexts, out)
                    : format == FLAME_PPROF      ? write_pprof(command, contexts, out)
                    : format == FLAME_SPEEDSCOPE ? write_speedscope(command, contexts, out)
                                                 : collapsed_stacks_write(command, contexts, out);
    return is_whole || command_fail_with(command, STATUS_MEMORY, "%s: no memory for the stacks",
                                         command->session.path);
}

static bool report_calls(struct command *command, enum flame_format format)
{
    struct contexts contexts = {0};
    struct source_lines lines = {0};
    struct frame_split split;
    frame_split_init(&split, command->split_by, &command->session.names, &lines);
    bool is_done = contexts_gather(&contexts, command, true, &split);
    if (is_done && command->split_by) {
        is_done = (contexts_split(&contexts, &split) && !source_lines_lacked_memory(&lines)) ||
                  command_no_memory(command);
        contexts.labels = is_done ? split.labels.items : NULL;
    }
    is_done = is_done && write_report(command, &contexts, format) && command_end(command);
    contexts_free(&contexts);
    frame_split_free(&split);
    source_places_end(command, &lines);
    return is_done;
}

bool report_collapsed_stacks(struct command *command)
{
    return report_calls(command, FLAME_COLLAPSED);
}

bool report_callgrind(struct command *command)
{
    if (command->split_by) // callgrind needs a line for each cost
        command->split_by |= SPLIT_LINES;
    return report_calls(command, FLAME_CALLGRIND);
}

bool report_pprof(struct command *command)
{
    return report_calls(command, FLAME_PPROF);
}

bool report_speedscope(struct command *command)
{
    return report_calls(command, FLAME_SPEEDSCOPE);
}

// Whether each event is a sample by itself.
static bool is_snapshots(const struct command *command)
{
    return command->session.trace && trace_can(command->session.trace, TRACE_SNAPSHOTS);
}

static bool report(void *self)
{
    struct flamegraph *graph = self;
    struct command *command = &graph->common;
    if (!command->asks_index)
        return other_run_path(command) ? report_both(graph) : report_calls(command, graph->format);
    if (!query_has_range(command))
        return false;
    bool is_gathered =
        is_snapshots(command)
            ? contexts_snapshots(&graph->contexts, command, graph->method, graph->weight)
            : contexts_sample(&graph->contexts, command, graph->method,
                              graph->every ? graph->every : 1);
    return is_gathered && write_report(command, &graph->contexts, graph->format);
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    static const char *const widths[] = {"second", "first", "sum", NULL}; // enum flame_run
    struct flamegraph *graph = self;
    switch (option) {
    case OPTION_UNWIND:
        return unwind_method_named(match->value, &graph->method)
                   ? OPTION_END
                   : options_bad_value(parser, match, UNWIND_METHODS);
    case OPTION_WEIGHT:
        graph->weight = match->value;
        return OPTION_END;
    case OPTION_FLAME_DIFF:
        return other_run_take(&graph->common, parser, match);
    case OPTION_WIDTHS:
        return options_choice(parser, match, widths, "first, second or sum", &graph->widths);
    default:
        return parse_u64_within(match->value, 1, UINT64_MAX, &graph->every)
                   ? OPTION_END
                   : options_bad_value(parser, match, "a number above 0");
    }
}

// Whether the options go with each other and with the trace.
static bool check(void *self, struct options_parser *parser)
{
    struct flamegraph *graph = self;
    struct command *command = &graph->common;
    if (!find_format(graph, parser))
        return false;
    graph->pristine = *command;
    if (!command_detect(command)) {
        parser->status = command->status;
        return false;
    }
    // Whether stacks are unwound along the trace instead of being taken from its calls.
    bool has_snapshots = is_snapshots(command);
    bool is_sampled =
        !has_snapshots && graph->method != UNWIND_AS_USUAL && graph->method != UNWIND_BY_CALLS;
    bool is_of_two = other_run_path(command);
    const char *why = NULL;
    if (graph->every && !is_sampled)
        why = "--every needs --unwind sframe, dwarf, exidx, fp or auto";
    else if (command->split_by && (is_sampled || has_snapshots))
        why = "--lines and --inlines apply to calls: they cannot be combined with --unwind";
    else if (command->no_offsets && is_sampled)
        why = "--no-offsets applies to calls: it cannot be combined with --unwind";
    else if (is_sampled && (command_was_given(command, OPTION_OPEN_FRAMES) ||
                            command_was_given(command, OPTION_RETURNED_ONLY)))
        why = "--returned-only applies to calls: it cannot be combined with --unwind";
    else if (command->session.splits_by_task && is_sampled)
        why = "tasks are distinguished by calls: --by, --task and --task-name cannot be combined "
              "with --unwind";
    else if (is_of_two && (is_sampled || has_snapshots))
        why = "--diff compares calls: it cannot be combined with --unwind, nor used for a trace "
              "file";
    else if (is_of_two && command->split_by)
        why = "--diff compares stacks of functions: it cannot be combined with --lines and "
              "--inlines";
    else if (command_was_given(command, OPTION_WIDTHS) &&
             (!is_of_two || graph->format != FLAME_SVG))
        why = "--widths applies to a picture of two runs: --diff OTHER -o FILE.svg";
    else if (has_snapshots && graph->method == UNWIND_BY_CALLS)
        why = "a trace file does not show calls";
    if (why)
        return options_refuse(parser, why);
    command->asks_index = has_snapshots || is_sampled;
    command->needs |= is_sampled ? TRACE_REGISTERS : 0;
    return (!is_of_two || runs_are_meant(command, parser)) &&
           contexts_split_begin(command, parser, SPLIT_OPTIONS);
}

static const struct option_need option_needs[] = {
    {OPTION_EVERY, TRACE_INSTRUCTIONS, 0},
    {OPTION_WEIGHT, TRACE_SNAPSHOTS, 0},
    {OPTION_LINES, TRACE_INSTRUCTIONS, 0},
    {OPTION_INLINES, TRACE_INSTRUCTIONS, 0},
    {OPTION_NO_OFFSETS, TRACE_ADDRESSES, TRACE_SNAPSHOTS}, // unwound frames have no offsets
    {OPTION_FUNCTION, TRACE_CONTEXTS, 0},
    {OPTION_OPEN_FRAMES, TRACE_CALLS, 0},
    {OPTION_RETURNED_ONLY, TRACE_CALLS, 0},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct flamegraph graph = {0};
    struct command *command = &graph.common;
    command_begin(command, self);
    command->writes_tables = false;
    command->own_options = option_needs;
    command->root_only_lacks_offset = self->option_set == OPTIONS_TTU;
    enum exit_status status =
        command_run(command, argc, argv, &(struct command_steps){&graph, take, check, report});
    contexts_free(&graph.contexts);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "collapsed: a line for each stack (default), of " TEXT_OF(
         LIMIT_COLLAPSED_LEVELS) " levels unless --depth is given; svg: an interactive picture "
                                 "(default for -o "
                                 "FILE.svg)"},
    {ROW_LINES},
    {ROW_INLINES},
    {ROW_RETURNED_ONLY},
    {OPTION_UNWIND, 0, "unwind", "METHOD",
     "calls (default), or count stacks that are unwound along the trace: auto, sframe, dwarf, "
     "exidx or fp, as for 'trawl stack'. For a GDB trace file: auto (default), sframe, dwarf or "
     "fp"},
    {OPTION_EVERY, 0, "every", "N", "with --unwind: a stack every N events (default 1)"},
    {OPTION_FLAME_DIFF, 0, "diff", "OTHER",
     "compare with the stacks of another trace: collapsed stacks have both counts; a picture shows "
     "OTHER, in red where its self time is longer and in blue where it is shorter"},
    {OPTION_WIDTHS, 0, "widths", "RUN",
     "with --diff, a picture's widths are the times of: second (OTHER, default), first, or their "
     "sum, "
     "which also shows what is only in one of them"},
    {OPTION_WEIGHT, 0, "weight", "VARIABLE",
     "for a GDB trace file: each frame counts this variable instead of 1"},
    {0},
};

static const struct option_spec ttu_own_options[] = {
    {OPTION_OUTPUT, 'o', "output", "OUTFILE", "write output to OUTFILE (default: standard output)"},
    {0},
};

const struct command_spec flamegraph_command = {
    .name = "flamegraph",
    .option_set = OPTIONS_TRAWL,
    .describe_input = trace_inputs_describe,
    .summary = "time by call stack, as text or as an interactive SVG",
    .description =
        "Adds up time by call stack. Each line is a stack, followed by the time spent in its "
        "innermost function itself, in ticks of the trace; for a GDB trace file, by the number of "
        "frames that have this stack. With -o FILE.svg or --format svg it draws an interactive "
        "picture, which opens in any web browser.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {NULL, open_frames_options},
                                            {"the index", index_options},
                                            {"traces in several files", files_options},
                                            {NULL, other_files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples = "trawl flamegraph --image prog.elf -o run.svg run.tarmac\n"
                "trawl flamegraph --image prog.elf -o diff.svg good.tarmac --diff bad.tarmac\n"
                "trawl flamegraph --image prog -o run.svg trace.tf --weight trace_timestamp\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_flamegraph_command = {
    .name = "tarmac-flamegraph",
    .option_set = OPTIONS_TTU,
    .groups =
        (const struct option_group[]){
            {"options", ttu_options}, {NULL, ttu_no_offsets_options}, {NULL, ttu_own_options}, {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
