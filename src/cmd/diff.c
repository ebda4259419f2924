// diff: where two runs diverge, and what each has that the other has not.
#include "cmd/diff.h"
#include "cmd/driver.h"

#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"

#include <stdlib.h>

enum {
    OPTION_MAX_REGIONS = OPTION_OWN,
    OPTION_WINDOW,
    OPTION_REGISTERS,
    OPTION_IGNORE,
    OPTION_MEMORY,
    OPTION_TIMES,
};

#define REGIONS_DEFAULT 100
#define CONTEXT_LINES_DEFAULT 3

// --- Lanes ---------------------------------------------------------------------------------------

static enum status add(struct diff *diff, uint64_t a, uint64_t b, struct error *err)
{
    if (!VEC_ROOM(&diff->pairs, 1))
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    diff->pairs.items[diff->pairs.count++] = (struct diff_pair){.lanes = {a, b}};
    return STATUS_OK;
}

static const struct index_view *view_of(struct diff *diff, int side)
{
    return query_view(diff_side(diff, side));
}

// The lanes of one side sorted by name: logs can have tens of thousands.
struct lane_order {
    const struct index_view *view;
    uint64_t *lanes;
};

static int compare_lanes(const void *a_item, const void *b_item, void *context)
{
    const struct index_view *view = context;
    uint64_t a = *(const uint64_t *)a_item, b = *(const uint64_t *)b_item;
    int order = strcmp(view->lanes[a].name, view->lanes[b].name);
    return order ? order : (a > b) - (a < b);
}

static enum status open_order(struct lane_order *order, const struct index_view *view,
                              struct error *err)
{
    uint64_t count = view->info.lanes;
    *order = (struct lane_order){view, malloc((count + 1) * sizeof *order->lanes)};
    if (!order->lanes)
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    for (uint64_t i = 0; i < count; i++)
        order->lanes[i] = i;
    qsort_r(order->lanes, count, sizeof *order->lanes, compare_lanes, (void *)(uintptr_t)view);
    return STATUS_OK;
}

// The first lane of that name, TRAWL_NONE if there is none.
static uint64_t find_lane(const struct lane_order *order, const char *name)
{
    size_t first;
    PARTITION_POINT(first, order->view->info.lanes,
                    strcmp(order->view->lanes[order->lanes[middle]].name, name) < 0);
    bool has = first < order->view->info.lanes &&
               strcmp(order->view->lanes[order->lanes[first]].name, name) == 0;
    return has ? order->lanes[first] : TRAWL_NONE;
}

static enum status pair_by_name(struct diff *diff, const struct lane_order orders[2],
                                struct error *err)
{
    const struct index_view *a = orders[0].view, *b = orders[1].view;
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; lane < a->info.lanes && status == STATUS_OK; lane++)
        status = add(diff, lane, find_lane(&orders[1], a->lanes[lane].name), err);
    for (uint64_t lane = 0; lane < b->info.lanes && status == STATUS_OK; lane++) {
        if (find_lane(&orders[0], b->lanes[lane].name) == TRAWL_NONE)
            status = add(diff, TRAWL_NONE, lane, err);
    }
    return status;
}

static bool have_names_in_common(const struct lane_order orders[2])
{
    const struct index_view *a = orders[0].view;
    for (uint64_t lane = 0; lane < a->info.lanes; lane++) {
        if (find_lane(&orders[1], a->lanes[lane].name) != TRAWL_NONE)
            return true;
    }
    return false;
}

static enum status pair_by_order(struct diff *diff, struct error *err)
{
    uint64_t a = view_of(diff, 0)->info.lanes, b = view_of(diff, 1)->info.lanes;
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; lane < u64_max(a, b) && status == STATUS_OK; lane++)
        status = add(diff, lane < a ? lane : TRAWL_NONE, lane < b ? lane : TRAWL_NONE, err);
    return status;
}

static enum status pair_all(struct diff *diff, struct error *err)
{
    struct lane_order orders[2] = {0};
    enum status status = open_order(&orders[0], view_of(diff, 0), err);
    if (status == STATUS_OK)
        status = open_order(&orders[1], view_of(diff, 1), err);
    if (status == STATUS_OK)
        status = have_names_in_common(orders) ? pair_by_name(diff, orders, err)
                                              : pair_by_order(diff, err);
    free(orders[0].lanes);
    free(orders[1].lanes);
    return status;
}

bool diff_is_equal(const struct diff *diff)
{
    return !diff->changed && !diff->only[0] && !diff->only[1];
}

// --- Comparing -----------------------------------------------------------------------------------

static enum status take_region(void *self, const struct lane_region *region, struct error *err)
{
    struct diff *diff = self;
    diff->region_count++;
    if (diff->regions.count >= diff->regions_max)
        return STATUS_OK;
    if (!VEC_ROOM(&diff->regions, 1))
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    diff->regions.items[diff->regions.count++] = (struct diff_region){*region, diff->pair};
    return STATUS_OK;
}

// Counts a lane that only one of them has.
static enum status count_lone(struct diff *diff, struct diff_pair *pair, int side,
                              struct error *err)
{
    struct lane_keys keys;
    enum status status = STATUS_OK;
    if (diff->rows_of[side])
        lane_keys_of_rows(&keys, diff->rows_of[side], pair->lanes[side]);
    else
        status = lane_keys_open(&keys, query_view(diff_side(diff, side)), &diff->maps[side],
                                pair->lanes[side], false, err);
    const struct key_source source = lane_keys_source(&keys);
    if (status == STATUS_OK)
        status = key_source_count(&source, 0, &pair->only[side], err);
    lane_keys_close(&keys);
    return status;
}

static enum status compare_pair(struct diff *diff, struct diff_pair *pair, int *side,
                                struct error *err)
{
    const struct index_view *const views[2] = {query_view(&diff->common), query_view(&diff->other)};
    struct lane_diff lane_diff = {.effects = diff->effects,
                                  .times = diff->times,
                                  .window = (uint32_t)diff->window,
                                  .ignored = diff->ignored.items,
                                  .ignored_count = diff->ignored.count,
                                  .self = diff,
                                  .region = take_region,
                                  .maps = {diff->maps[0], diff->maps[1]},
                                  .rows = {diff->rows_of[0], diff->rows_of[1]}};
    *side = pair->lanes[0] == TRAWL_NONE;
    if (pair->lanes[!*side] == TRAWL_NONE)
        return count_lone(diff, pair, *side, err);
    enum status status = lane_diff_run(&lane_diff, views, pair->lanes, side, err);
    if (lane_diff.left_out.count > diff->left_out.count)
        diff->left_out = lane_diff.left_out;
    pair->same = lane_diff.same;
    diff->late += lane_diff.late;
    pair->changed = lane_diff.changed;
    pair->regions = lane_diff.regions;
    memcpy(pair->only, lane_diff.only, sizeof pair->only);
    return status;
}

// If there are few lanes, each is read separately.
enum { PAIRS_APART = 4 };

static enum status open_rows(struct diff *diff, int *side, struct error *err)
{
    enum status status = STATUS_OK;
    for (*side = 0; *side < 2 && status == STATUS_OK; ++*side) {
        const struct index_view *view = query_view(diff_side(diff, *side));
        diff->rows_of[*side] = NULL;
        if (diff->pairs.count <= PAIRS_APART || !lane_rows_are_mixed(view))
            continue;
        status = lane_rows_open(&diff->rows[*side], view, &diff->maps[*side], diff->times, err);
        if (status != STATUS_OK)
            return status;
        diff->rows_of[*side] = &diff->rows[*side];
    }
    *side = 0;
    return status;
}

// Has the instructions of two builds compared by their functions and encodings.
static enum status open_builds(struct diff *diff, int *side, struct error *err)
{
    enum status status = STATUS_OK;
    if (!diff->are_builds)
        return STATUS_OK;
    for (*side = 0; *side < 2 && status == STATUS_OK; ++*side) {
        struct names *names = &diff_side(diff, *side)->session.names;
        if (!names->images.members.count && !names->options.ids)
            return error_set(err, STATUS_INPUT,
                             "%s: has no image: instructions of two builds are compared by their "
                             "functions (--image, --other-image)",
                             diff_side(diff, *side)->session.path);
        status = build_keys_open(&diff->builds[*side], names, &diff->seed, err);
        diff->maps[*side] = (struct key_map){&diff->builds[*side], build_keys_of};
        if (status != STATUS_OK)
            return status;
    }
    *side = 0;
    return STATUS_OK;
}

// A damaged index is repaired by its own query.
static bool compare(struct diff *diff)
{
    struct error err;
    int side = 0;
    diff->pairs.count = 0;
    enum status result = open_builds(diff, &side, &err);
    if (result == STATUS_OK)
        result = diff->common.lane != TRAWL_ANY_LANE
                     ? add(diff, diff->common.lane, diff->other.lane, &err)
                     : pair_all(diff, &err);
    if (result == STATUS_OK)
        result = open_rows(diff, &side, &err);
    diff->region_count = diff->same = diff->changed = diff->only[0] = diff->only[1] = 0;
    diff->regions.count = diff->first = diff->left_out.count = 0;
    diff->late = 0;
    for (diff->pair = 0; diff->pair < diff->pairs.count && result == STATUS_OK; diff->pair++) {
        struct diff_pair *pair = &diff->pairs.items[diff->pair];
        result = compare_pair(diff, pair, &side, &err);
        diff->same += pair->same;
        diff->changed += pair->changed;
        diff->only[0] += pair->only[0];
        diff->only[1] += pair->only[1];
    }
    lane_rows_close(&diff->rows[0]);
    lane_rows_close(&diff->rows[1]);
    for (int i = 0; i < 2 && diff->are_builds; i++) {
        diff_side(diff, i)->session.names.lacks_memory |= diff->builds[i].lacks_memory;
        build_keys_close(&diff->builds[i]);
        diff->builds[i] = (struct build_keys){0};
    }
    for (size_t i = 1; i < diff->regions.count; i++) {
        if (diff->regions.items[i].found.events[0] <
            diff->regions.items[diff->first].found.events[0])
            diff->first = i;
    }
    return result == STATUS_OK || command_fail(diff_side(diff, side), &err);
}

// --- The report ----------------------------------------------------------------------------------

// The trace need not be available.
static const struct diff_unit *unit_of(struct command *command)
{
    static const struct diff_unit frames = {"frame", "frames"};
    static const struct diff_unit records = {"entry or exit", "entries and exits"};
    static const struct diff_unit instructions = {"instruction", "instructions"};
    const struct index_view *view = query_view(command);
    if (index_view_has_snapshots(view))
        return &frames;
    return view->info.is_by_lanes ? &records : &instructions;
}

// Whether both traces have the same units. False: reported. The frames of a trace file are in the
// order of tracepoints, which is not that of a core's instructions.
static bool have_something_in_common(struct diff *diff)
{
    const struct diff_unit *of_b = unit_of(&diff->other);
    diff->unit = unit_of(&diff->common);
    return diff->unit == of_b ||
           command_fail_with(&diff->common, STATUS_INPUT,
                             "%s and %s: one has %s and the other %s: they have nothing in common",
                             diff->common.session.path, other_run_path(&diff->common),
                             diff->unit->many, of_b->many);
}

// Compares an effect if both traces show it; otherwise reports which one does not.
static bool want(struct diff *diff, enum event_effect effect, const char *name)
{
    for (int side = 0; side < 2; side++) {
        struct command *command = diff_side(diff, side);
        struct error err;
        bool has;
        if (event_effects_has_any(query_view(command), effect, &has, &err) != STATUS_OK)
            return command_fail(command, &err);
        if (has)
            continue;
        diag_warning(&command->diag, "%s: shows no writes to %s, which are not compared",
                     command->session.path, name);
        return true;
    }
    diff->effects |= effect;
    return true;
}

// Lines around the first difference are shown if available; if they were requested, they must be.
static bool open_context(struct diff *diff, int side)
{
    struct command *command = diff_side(diff, side);
    struct error err;
    if (command->context.is_wanted)
        return command_context(command);
    if (!session_can(&command->session, TRACE_LINES))
        return true;
    command->context.is_wanted = true;
    command->context.count = CONTEXT_LINES_DEFAULT;
    enum status opened = trace_context_open(&command->context, &command->session, &err);
    command->context.is_wanted = false;
    if (opened == STATUS_OK || opened == STATUS_INPUT)
        return true;
    return command_fail(command, &err);
}

// Both are open. Ends A with status 0 or 3; then B is ended.
static bool report(void *self)
{
    struct diff *diff = self;
    struct command *a = &diff->common, *b = &diff->other;
    struct error err;
    diff->failed = 0;
    diff->effects = 0;
    if (have_something_in_common(diff) &&
        (!diff->wants_registers || want(diff, EFFECT_REGISTERS, "registers")) &&
        (!diff->wants_memory || want(diff, EFFECT_MEMORY, "memory")) && compare(diff) &&
        open_context(diff, 0) && open_context(diff, 1) && command_output(a)) {
        enum status result = diff_write(diff, &err);
        if (result == STATUS_OK && !index_view_is_intact(query_view(b)->index)) {
            result = error_set(&err, STATUS_INPUT, "%s: was changed while it was read",
                               other_run_path(a));
            diff->failed = 1;
        }
        command_depends_on(a, b);
        a->uses_memory = b->uses_memory = diff->wants_memory;
        if (result != STATUS_OK)
            command_fail(diff_side(diff, diff->failed), &err);
        else if (command_end(a))
            return true;
    }
    command_abandon(a);
    return false;
}

// A is open: opens B as well.
static bool report_on_a(void *self)
{
    struct diff *diff = self;
    struct command *a = &diff->common, *b = &diff->other;
    other_run_begin(b, &diff->pristine, 0);
    if (command_open_images(b))
        command_report(b, report, diff);
    bool is_done = a->has_ended;
    if (is_done && a->status == EXIT_STATUS_DONE)
        a->status = b->status;
    trace_context_free(&b->context);
    index_view_close(&b->session.view);
    free(b->session.view_path);
    other_run_end(b, a, 0);
    return is_done;
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct diff *diff = self;
    diff->wants_registers |= option == OPTION_REGISTERS || option == OPTION_IGNORE;
    diff->wants_memory |= option == OPTION_MEMORY;
    diff->times |= option == OPTION_TIMES;
    if (option == OPTION_POSITIONAL)
        return other_run_take(&diff->common, parser, match);
    if (option == OPTION_IGNORE) {
        if (!VEC_ROOM(&diff->ignored, 1))
            return options_no_memory(parser);
        diff->ignored.items[diff->ignored.count++] = match->value;
    }
    if (option == OPTION_WINDOW &&
        (!parse_u64(match->value, &diff->window) || diff->window > LIMIT_DIFF_WINDOW))
        return options_bad_value(parser, match, "a number of instructions up to 512");
    if (option == OPTION_MAX_REGIONS && !parse_u64(match->value, &diff->regions_max))
        return options_bad_value(parser, match, "a number of regions");
    return OPTION_END;
}

static bool check(void *self, struct options_parser *parser)
{
    struct diff *diff = self;
    diff->pristine = diff->common;
    diff->are_builds = other_runs_are_builds(&diff->common);
    return !diff->are_builds || (!diff->wants_registers && !diff->wants_memory) ||
           options_refuse(parser, "--registers and --memory compare values, among them addresses, "
                                  "which differ between builds: they cannot be combined with "
                                  "--other-image");
}

static const struct option_need option_needs[] = {
    {OPTION_REGISTERS, TRACE_REGISTERS, 0},
    {OPTION_IGNORE, TRACE_REGISTERS, 0},
    {OPTION_MEMORY, TRACE_MEMORY, 0},
    {OPTION_TIMES, TRACE_TIMES, 0},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct diff diff = {.regions_max = REGIONS_DEFAULT, .seed = hash_seed_new()};
    command_begin(&diff.common, self);
    diff.common.asks_index = true;
    diff.common.own_options = option_needs;
    enum exit_status status = command_run(&diff.common, argc, argv,
                                          &(struct command_steps){&diff, take, check, report_on_a});
    free(diff.pairs.items);
    free(diff.regions.items);
    free(diff.ignored.items);
    if (status == EXIT_STATUS_FAILED)
        return EXIT_STATUS_TROUBLE;
    return status == EXIT_STATUS_DONE && !diff_is_equal(&diff) ? EXIT_STATUS_DIFFERENT : status;
}

static const struct option_spec own_options[] = {
    {OPTION_REGISTERS, 0, "registers", NULL, "also compare what instructions wrote to registers"},
    {OPTION_IGNORE, 0, "ignore", "REGISTER",
     "--registers, but without this one, such as a counter (mcycle); may be given several times"},
    {OPTION_MEMORY, 0, "memory", NULL, "also compare what they stored in memory"},
    {OPTION_WINDOW, 0, "window", "N",
     "with --registers or --memory: what an instruction writes may appear up to N instructions "
     "later in the other trace, as RTL may write back late (default: 0)"},
    {OPTION_TIMES, 0, "times", NULL, "also compare the time since the previous instruction"},
    {OPTION_CONTEXT, 0, "context", "N",
     "show N lines of both traces around the first difference (default: 3, where there are lines)"},
    {OPTION_MAX_REGIONS, 0, "max-regions", "N", "list at most N regions (default: 100)"},
    {OPTION_LANE, 0, "lane", "NAME", "only this core or thread of both, by its name (cpu0)"},
    {ROW_FORMAT},
    {0},
};

// One option cannot name the indexes of two traces.
static const struct option_spec index_use_options[] = {
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, "build both indexes again first"},
    {OPTION_NO_INDEX, 0, "no-index", NULL, "build none: use the indexes as they are"},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL,
     "build indexes for this command alone and leave none"},
    {ROW_HIDDEN_SEGMENT_EVENTS}, // for our tests
    {ROW_LITTLE_ENDIAN},
    {ROW_BIG_ENDIAN},
    {ROW_IMPLICIT_THUMB},
    {ROW_ISA},
    {ROW_STRIP_PREFIX},
    {0},
};

const struct command_spec diff_command = {
    .name = "diff",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_EVENTS,
    .describe_input = trace_inputs_describe,
    .summary = "where two runs diverge, and what only one of them did",
    .description =
        "Compares two traces by what was executed: the addresses of their instructions, core by "
        "core; of XRay logs, entries and exits of functions; and if asked, what instructions wrote "
        "and how long they took. Shows where they first diverge, and then each region that "
        "differs: where it begins in A and in B, how many instructions only A or "
        "only B has, how many instructions of both had different effects, and the functions there. "
        "With --other-image, B ran another build of the program: functions are then matched by "
        "their names, without what compilers append to those of copies and parts, and their "
        "instructions by encodings, in which addresses count as the names of what is there. Code "
        "that only moved is no difference.\n"
        "After an interrupt or other code that only one of them ran, the comparison continues "
        "where the runs come together again.\n"
        "Cores are paired by their names or, where A and B have no name in common, by their "
        "order. 'unaligned' regions are too long and too different for what they have in common to "
        "be looked for in detail.\n"
        "The exit status is 0 if there is no difference, 1 if there is one, 2 if they could not be "
        "compared, and 3 if damaged parts of either were left out of the comparison.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"names", query_trace_options},
                                            {"traces in several files", files_options},
                                            {NULL, other_files_options},
                                            {"how to run", index_use_options},
                                            {NULL, query_run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){{"A", "{input}", NULL, false, false},
                                         {"B", "what to compare it with", NULL, false, false},
                                         {0}},
    .examples = "trawl diff good.tarmac bad.tarmac\n"
                "trawl diff good.0 --then 'good.*' bad.0 --other-then 'bad.*'\n"
                "trawl diff --image old.elf old.tarmac new.tarmac --other-image new.elf\n"
                "trawl diff --image prog.elf --context 5 --format json good.tarmac bad.tarmac\n",
    .alternatives = trace_alternatives,
    .answers = {"There is no difference.", "There is one."},
    .run = run,
};
