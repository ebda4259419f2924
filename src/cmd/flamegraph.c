// flamegraph: time by stack, as collapsed stacks or as a picture.
#include "cli/values.h"
#include "cmd/collapsed_stacks.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "cmd/query.h"
#include "cmd/reports.h"
#include "cmd/source_places.h"
#include "cmd/trace_pass.h"
#include "diff/stack_diff.h"
#include "export/callgrind.h"
#include "export/pprof.h"
#include "query/stacks.h"
#include "report/clean.h"
#include "report/flame_svg.h"

#include <stdlib.h>
#include <strings.h>

struct flamegraph_diff {
    const struct command *pristine; // the options, copied for the other
    bool is_picture;
    enum flame_run widths; // of the picture
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

static bool add_lane(struct both *both, const struct side *side, const struct context_lane *lane)
{
    struct command *command = side->command;
    struct stack_diff *stacks = &both->stacks;
    const struct stack_walk walk = stack_diff_walk(stacks);
    uint64_t depth_max = command->session.filter.depth_max;
    if (!command_was_given(command, OPTION_DEPTH))
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
    uint64_t thumb_bit = both->sides[0].command->session.names.options.is_arm;
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

static bool gather(struct side *side, enum exit_status *status)
{
    return command_open_images(side->command, status) &&
           contexts_gather(&side->contexts, side->command, true, NULL, status) &&
           command_has_shown(side->command, side->contexts.roots.count, status);
}

static enum exit_status report_both(struct both *both, const struct flamegraph_diff *wanted)
{
    struct command *command = both->sides[0].command;
    struct error err;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    enum status result = stack_diff_begin(&both->stacks, &err);
    if (result != STATUS_OK || !add_both(both))
        return command_no_memory(command);
    if (!command_output(command, &out, &status))
        return status;
    if (wanted->is_picture)
        result = write_picture_of_both(both, wanted->widths, &out, &err);
    else if (!write_text_of_both(&both->stacks, &out))
        result =
            error_set(&err, STATUS_MEMORY, "%s: no memory for the stacks", command->session.path);
    if (result != STATUS_OK) {
        out_abandon(&out);
        return command_error(command, &err);
    }
    return two_runs_end(command, &out, both->sides[1].command);
}

// Reports on both; the kind of the first is known (command_detect). Returns the status to end
// with.
static enum exit_status flamegraph_diff(struct command *command,
                                        const struct flamegraph_diff *wanted)
{
    struct command other;
    struct both both = {.sides = {{.command = command}, {.command = &other}}};
    enum exit_status status = EXIT_STATUS_FAILED;
    other_run_begin(&other, wanted->pristine);
    if (gather(&both.sides[0], &status) && gather(&both.sides[1], &status) &&
        two_runs_have_functions(command, &other, &status))
        status = report_both(&both, wanted);
    stack_diff_free(&both.stacks);
    contexts_free(&both.sides[0].contexts);
    contexts_free(&both.sides[1].contexts);
    command_end_one(&other);
    return status;
}

// --- One run -------------------------------------------------------------------------------------

enum {
    OPTION_UNWIND = QUERY_OPTION_OWN,
    OPTION_EVERY,
    OPTION_WEIGHT,
    OPTION_FLAME_DIFF,
    OPTION_WIDTHS
};

enum flame_format { FLAME_COLLAPSED, FLAME_SVG, FLAME_CALLGRIND, FLAME_PPROF };

// -------------------------------------------------------------------------------------------------

// Walks over the stacks of a lane.
static bool walk_lane(struct command *command, const struct contexts *contexts,
                      const struct context_lane *lane, const struct stack_walk *walk)
{
    const struct stacks stacks =
        contexts_stacks(contexts, command, command->session.filter.depth_max);
    return stacks_walk(&stacks, contexts_roots_of(contexts, lane), lane->root_count, walk);
}

// --- Profiles for other programs
// ------------------------------------------------------------------

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
                                           trace_frequency_hz(session->trace), session->path);
    callgrind_free(&callgrind);
    return source_places_end(command, &places) && is_whole;
}

static bool write_pprof(struct command *command, const struct contexts *contexts, struct out *out)
{
    struct session *session = &command->session;
    struct pprof pprof;
    pprof_init(&pprof, out, trace_frequency_hz(session->trace), contexts->lanes.count);
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

static bool write_stacks(struct command *command, const struct contexts *contexts,
                         enum flame_format format, struct out *out)
{
    switch (format) {
    case FLAME_CALLGRIND:
        return write_callgrind(command, contexts, out);
    case FLAME_PPROF:
        return write_pprof(command, contexts, out);
    default:
        return collapsed_stacks_write(command, contexts, out);
    }
}

// --- The picture ---------------------------------------------------------------------------------

struct picture {
    VEC(, struct flame_frame) frames;
    uint32_t depth_offset;
    uint64_t thumb_bit; // the bit of PCs that may be the Thumb bit
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
                             .address = visit->pc & ~picture->thumb_bit};
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

// The number of roots of all tasks of the lane that begins at `first`.
static size_t roots_of_lane(const struct contexts *contexts, size_t first)
{
    const struct context_lane *lanes = contexts->lanes.items;
    size_t count = 0;
    for (size_t i = first; i < contexts->lanes.count && lanes[i].name == lanes[first].name; i++)
        count += lanes[i].root_count;
    return count;
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
            if (!add_heading(picture, lane->name, contexts, lane->first_root,
                             roots_of_lane(contexts, i)))
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
    struct picture picture = {.thumb_bit = command->session.names.options.is_arm};
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

// --- The command ---------------------------------------------------------------------------------

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

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
static bool format_of(struct command *command, struct options_parser *parser,
                      enum flame_format *format)
{
    bool is_svg_file = command->session.reading == READING_TRUE && command->output &&
                       ends_with(command->output, ".svg");
    *format = is_svg_file ? FLAME_SVG : FLAME_COLLAPSED;
    if (!command->format && command->session.reading == READING_TRUE && command->output &&
        !is_svg_file && names_other_format(command->output)) {
        options_error(parser,
                      "'--output': '%s': a flame graph is written as svg (FILE.svg, --format svg) "
                      "or collapsed (any other name, --format collapsed)",
                      command->output);
        return false;
    }
    if (!command->format)
        return true;
    *format = strcmp(command->format, "svg") == 0 ? FLAME_SVG : FLAME_COLLAPSED;
    if (*format == FLAME_SVG || strcmp(command->format, "collapsed") == 0)
        return true;
    options_error(parser, "'--format': '%s': expected collapsed or svg", command->format);
    return false;
}

// Opens the output and writes the report. False: reported, end with *status.
static bool write_report(struct command *command, struct contexts *contexts,
                         enum flame_format format, struct out *out, enum exit_status *status)
{
    struct error err;
    enum status result = STATUS_OK;
    if (!command_has_shown(command, contexts->roots.count, status) ||
        !command_output(command, out, status))
        return false;
    if (format == FLAME_SVG)
        result = write_picture(command, contexts, out, &err);
    else if (!write_stacks(command, contexts, format, out))
        result =
            error_set(&err, STATUS_MEMORY, "%s: no memory for the stacks", command->session.path);
    if (result == STATUS_OK)
        return true;
    out_abandon(out);
    *status = diag_error(&command->diag, &err);
    return false;
}

// Splits frames if requested. False: reported.
static bool split_frames(struct command *command, struct contexts *contexts,
                         struct frame_split *split, enum exit_status *status)
{
    if (!command->split_by)
        return true;
    if (contexts_split(contexts, split) && !source_lines_lacked_memory(split->lines)) {
        contexts->labels = split->labels.items;
        return true;
    }
    *status = command_no_memory(command);
    return false;
}

static enum exit_status run_report(struct command *command, enum flame_format format)
{
    struct contexts contexts = {0};
    struct source_lines lines = {0};
    struct frame_split split;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    frame_split_init(&split, command->split_by, &command->session.names, &lines);
    if (command_open_images(command, &status) &&
        contexts_gather(&contexts, command, true, &split, &status) &&
        split_frames(command, &contexts, &split, &status) &&
        write_report(command, &contexts, format, &out, &status))
        status = command_end(command, &out);
    contexts_free(&contexts);
    frame_split_free(&split);
    source_places_end(command, &lines);
    return status;
}

enum exit_status report_collapsed_stacks(struct command *command)
{
    return run_report(command, FLAME_COLLAPSED);
}

enum exit_status report_callgrind(struct command *command)
{
    if (command->split_by) // callgrind needs a line for each cost
        command->split_by |= SPLIT_LINES;
    return run_report(command, FLAME_CALLGRIND);
}

enum exit_status report_pprof(struct command *command)
{
    return run_report(command, FLAME_PPROF);
}

// --- From samples --------------------------------------------------------------------------------

struct flamegraph {
    struct command common;
    enum flame_format format;
    uint64_t every;     // 0: not given
    const char *weight; // NULL: not given
    enum flame_run widths;
    enum unwind_method method;
    struct contexts contexts; // from samples
};

static enum exit_status report_samples(void *self)
{
    struct flamegraph *graph = self;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!query_has_range(&graph->common, &status) ||
        !contexts_sample(&graph->contexts, &graph->common, graph->method,
                         graph->every ? graph->every : 1, &status) ||
        !write_report(&graph->common, &graph->contexts, graph->format, &out, &status))
        return status;
    return query_end(&graph->common, &out, STATUS_OK, NULL);
}

static enum exit_status run_samples(struct flamegraph *graph)
{
    enum exit_status status = EXIT_STATUS_FAILED;
    return query_has_registers(&graph->common, &status)
               ? query_run(&graph->common, report_samples, graph)
               : status;
}

// --- From snapshots ------------------------------------------------------------------------------

static enum exit_status report_snapshots(void *self)
{
    struct flamegraph *graph = self;
    struct command *query = &graph->common;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!query_has_range(query, &status) ||
        !contexts_snapshots(&graph->contexts, query, graph->method, graph->weight, &status) ||
        !write_report(query, &graph->contexts, graph->format, &out, &status))
        return status;
    return query_end(query, &out, STATUS_OK, NULL);
}

// --- Options -------------------------------------------------------------------------------------

static int take_own(void *self, struct options_parser *parser, int option,
                    const struct option_match *match)
{
    struct flamegraph *graph = self;
    switch (option) {
    case OPTION_UNWIND:
        if (!unwind_method_named(match->value, &graph->method))
            return options_bad_value(parser, match, UNWIND_METHODS);
        return OPTION_END;
    case OPTION_WEIGHT:
        graph->weight = match->value;
        return OPTION_END;
    case OPTION_FLAME_DIFF:
        return other_run_take(&graph->common, parser, match);
    case OPTION_WIDTHS:
        if (strcmp(match->value, "first") == 0)
            graph->widths = FLAME_EARLIER;
        else if (strcmp(match->value, "sum") == 0)
            graph->widths = FLAME_BOTH;
        else if (strcmp(match->value, "second") == 0)
            graph->widths = FLAME_LATER;
        else
            return options_bad_value(parser, match, "first, second or sum");
        return OPTION_END;
    default:
        if (!parse_u64_within(match->value, 1, UINT64_MAX, &graph->every))
            return options_bad_value(parser, match, "a number above 0");
        return OPTION_END;
    }
}

// Whether each event is a sample by itself.
static bool is_snapshots(const struct command *command)
{
    return command->session.trace && trace_can(command->session.trace, TRACE_SNAPSHOTS);
}

static bool asks_for_open_calls(const struct command *command)
{
    return command_was_given(command, OPTION_OPEN_FRAMES) ||
           command_was_given(command, OPTION_RETURNED_ONLY);
}

// Whether stacks are unwound along the trace instead of being taken from its calls.
static bool is_sampled(const struct flamegraph *graph)
{
    return !is_snapshots(&graph->common) && graph->method != UNWIND_AS_USUAL &&
           graph->method != UNWIND_BY_CALLS;
}

// Whether the options can be combined, and apply to the trace. False: reported.
static bool is_consistent(const struct flamegraph *graph, struct options_parser *parser)
{
    const struct command *command = &graph->common;
    if (graph->every && !is_sampled(graph))
        options_error(parser, "--every needs --unwind sframe, dwarf, exidx, fp or auto");
    else if (command->split_by && (is_sampled(graph) || is_snapshots(command)))
        options_error(parser, "--lines and --inlines apply to calls: they cannot be combined with "
                              "--unwind");
    else if (command->no_offsets && is_sampled(graph))
        options_error(parser, "--no-offsets applies to calls: it cannot be combined with --unwind");
    else if (asks_for_open_calls(command) && is_sampled(graph))
        options_error(parser,
                      "--returned-only applies to calls: it cannot be combined with --unwind");
    else if (command->session.splits_by_task && is_sampled(graph))
        options_error(parser, "tasks are distinguished by calls: --by, --task and --task-name "
                              "cannot be combined with --unwind");
    else if (other_run_path(&graph->common) && (is_sampled(graph) || is_snapshots(command)))
        options_error(parser, "--diff compares calls: it cannot be combined with --unwind, nor "
                              "used for a trace file");
    else if (other_run_path(&graph->common) && command->split_by)
        options_error(parser, "--diff compares stacks of functions: it cannot be combined with "
                              "--lines and --inlines");
    else if (command_was_given(command, OPTION_WIDTHS) &&
             (!other_run_path(command) || graph->format != FLAME_SVG))
        options_error(parser,
                      "--widths applies to a picture of two runs: --diff OTHER -o FILE.svg");
    else if (is_snapshots(command) && graph->method == UNWIND_BY_CALLS)
        options_error(parser, "a trace file does not show calls");
    else
        return !other_run_path(&graph->common) || two_runs_are_meant(command, parser);
    return false;
}

static enum exit_status run_any(struct flamegraph *graph, struct options_parser *parser)
{
    struct command *command = &graph->common;
    const struct command pristine = *command;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_detect(command, &status))
        return status;
    if (!is_consistent(graph, parser) || !contexts_split_begin(command, parser, SPLIT_OPTIONS))
        return parser->status;
    if (other_run_path(&graph->common)) {
        const struct flamegraph_diff wanted = {&pristine, graph->format == FLAME_SVG,
                                               graph->widths};
        return flamegraph_diff(command, &wanted);
    }
    if (is_snapshots(command))
        return query_run(&graph->common, report_snapshots, graph);
    return is_sampled(graph) ? run_samples(graph) : run_report(command, graph->format);
}

// --- The command ---------------------------------------------------------------------------------

static const struct option_kinds needed_abilities[] = {
    {OPTION_EVERY, TRACE_INSTRUCTIONS, 0},
    {OPTION_WEIGHT, TRACE_SNAPSHOTS, 0},
    {OPTION_LINES, TRACE_INSTRUCTIONS, 0},
    {OPTION_INLINES, TRACE_INSTRUCTIONS, 0},
    {OPTION_NO_OFFSETS, TRACE_ADDRESSES, TRACE_SNAPSHOTS}, // unwound frames have no offsets
    {OPTION_FUNCTION, TRACE_CALLS, 0},
    {OPTION_OPEN_FRAMES, TRACE_CALLS, 0},
    {OPTION_RETURNED_ONLY, TRACE_CALLS, 0},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct flamegraph graph = {0};
    struct command *command = &graph.common;
    const struct command_own own = {&graph, take_own};
    struct options_parser parser;
    command_begin(&graph.common, self);
    command->writes_tables = false;
    command->own_options = needed_abilities;
    command->root_only_lacks_offset = self->manner == MANNER_TTU;
    enum exit_status status = command_options(command, &parser, argc, argv, &own) &&
                                      format_of(command, &parser, &graph.format)
                                  ? run_any(&graph, &parser)
                                  : parser.status;
    contexts_free(&graph.contexts);
    command_free(&graph.common);
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
    {ROW_OPEN_FRAMES},
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
    .manner = MANNER_TRAWL,
    .describe_input = trace_inputs_describe,
    .summary = "time by call stack, as text or as an interactive SVG",
    .description =
        "Adds up time by call stack. Each line is a stack, followed by the time spent in its "
        "innermost function itself, in ticks of the trace; for a GDB trace file, by the number of "
        "frames that have this stack. With -o FILE.svg or --format svg it draws an interactive "
        "picture, which opens in any web browser.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
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
    .manner = MANNER_TTU,
    .groups =
        (const struct option_group[]){
            {"options", ttu_options}, {NULL, ttu_no_offsets_options}, {NULL, ttu_own_options}, {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
