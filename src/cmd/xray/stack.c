// xray stack: which stacks there were, how often and how long.
#include "cmd/xray/command.h"

#include "cmd/xray/sums.h"
#include "report/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_PER_THREAD = XRAY_OPTION_OWN,
    OPTION_AGGREGATE,
    OPTION_ALL,
    OPTION_FORMAT,
    OPTION_TYPE,
};

enum { FORMAT_HUMAN, FORMAT_FLAME };
enum { TYPE_TIME, TYPE_COUNT };

enum { TOP_STACKS = 10, NAME_WIDTH = 60 };

// The tree of a thread, or of several.
struct thread_tree {
    struct xray_stack_tree tree;
    uint32_t tid;
};

struct stack_command {
    struct xray_command common;
    bool per_thread, aggregate, all;
    unsigned format, type;
    VEC(, struct thread_tree) trees;
};

// --- Walking -------------------------------------------------------------------------------------

// Preorder, with the newest child first: the order of llvm-xray.
static uint32_t next_stack(const struct xray_stack_tree *tree, uint32_t at)
{
    if (tree->links[at].newest_child != XRAY_NO_STACK)
        return tree->links[at].newest_child;
    while (at != XRAY_NO_STACK && tree->links[at].older_sibling == XRAY_NO_STACK)
        at = tree->stacks.items[at].parent;
    return at == XRAY_NO_STACK ? at : tree->links[at].older_sibling;
}

// --- For people ----------------------------------------------------------------------------------

struct top_stack {
    const struct xray_stack_tree *tree;
    uint32_t stack;
    uint64_t value;
};

// The highest values; of equal ones the last seen first.
struct top_stacks {
    struct top_stack items[TOP_STACKS + 1];
    size_t count;
};

static void offer(struct top_stacks *top, const struct xray_stack_tree *tree, uint32_t stack,
                  uint64_t value)
{
    size_t at = 0;
    if (top->count == TOP_STACKS && top->items[TOP_STACKS - 1].value > value)
        return;
    while (at < top->count && top->items[at].value > value)
        at++;
    memmove(&top->items[at + 1], &top->items[at], (TOP_STACKS - at) * sizeof *top->items);
    top->items[at] = (struct top_stack){tree, stack, value};
    top->count = (size_t)u64_min(top->count + 1, TOP_STACKS);
}

static void put_level(struct stack_command *command, uint64_t level, uint32_t function,
                      const struct xray_stack_sum *sum)
{
    char figures[64];
    const char *name = xray_name(&command->common.input.names, function);
    size_t length = strlen(name);
    int width = snprintf(figures, sizeof figures, "#%-4" PRIu64 " ", level);
    out_bytes(&command->common.out, figures, (size_t)width);
    size_t shown_bytes = length > NAME_WIDTH ? NAME_WIDTH - 3 : length;
    char shown[NAME_WIDTH];
    memcpy(shown, name, shown_bytes);
    utf8_make_inert(shown, shown_bytes);
    out_bytes(&command->common.out, shown, shown_bytes);
    if (length > NAME_WIDTH)
        out_text(&command->common.out, "...");
    else
        out_pad(&command->common.out, NAME_WIDTH - length);
    width =
        snprintf(figures, sizeof figures, " %12" PRIu64 " %16" PRIu64 "\n", sum->count, sum->ticks);
    out_bytes(&command->common.out, figures, (size_t)width);
}

// Writes the stack from the outermost function to `stack`, by first going upwards. False: no
// memory.
static bool put_stack(struct stack_command *command, const struct top_stack *top)
{
    const struct xray_stack *stacks = top->tree->stacks.items;
    VEC(, uint32_t) lineage = {0};
    bool is_whole = true;
    for (uint32_t at = top->stack; at && is_whole; at = stacks[at].parent) {
        is_whole = VEC_ROOM(&lineage, 1);
        if (is_whole)
            lineage.items[lineage.count++] = at;
    }
    out_text(&command->common.out,
             "lvl   function                                                     "
             "       count              sum\n");
    for (size_t i = lineage.count; i-- > 0 && is_whole;) {
        const struct xray_stack *stack = &stacks[lineage.items[i]];
        put_level(command, lineage.count - 1 - i, stack->function,
                  i ? &stack->inner : &stack->leaves);
    }
    out_byte(&command->common.out, '\n');
    free(lineage.items);
    return is_whole;
}

static bool put_top(struct stack_command *command, const struct top_stacks *top, const char *by,
                    const char *label)
{
    bool is_whole = true;
    out_text(&command->common.out, "Top 10 Stacks by leaf ");
    out_text(&command->common.out, by);
    out_text(&command->common.out, ":\n\n");
    for (size_t i = 0; i < top->count && is_whole; i++) {
        out_text(&command->common.out, label);
        out_u64(&command->common.out, top->items[i].value);
        out_byte(&command->common.out, '\n');
        is_whole = put_stack(command, &top->items[i]);
    }
    out_byte(&command->common.out, '\n');
    return is_whole;
}

static bool put_summary(struct stack_command *command, size_t first, size_t count)
{
    struct top_stacks by_sum = {0}, by_count = {0};
    uint64_t unique = 0;
    for (size_t i = first; i < first + count; i++) {
        const struct xray_stack_tree *tree = &command->trees.items[i].tree;
        for (uint32_t at = next_stack(tree, 0); at != XRAY_NO_STACK; at = next_stack(tree, at)) {
            const struct xray_stack_sum *leaves = &tree->stacks.items[at].leaves;
            if (!leaves->count)
                continue;
            unique++;
            offer(&by_sum, tree, at, leaves->ticks);
            offer(&by_count, tree, at, leaves->count);
        }
    }
    out_text(&command->common.out, "\nUnique Stacks: ");
    out_u64(&command->common.out, unique);
    out_byte(&command->common.out, '\n');
    return put_top(command, &by_sum, "sum", "Sum: ") &&
           put_top(command, &by_count, "count", "Count: ");
}

static bool put_human(struct stack_command *command)
{
    bool is_whole = true;
    if (!command->per_thread)
        return put_summary(command, 0, command->trees.count);
    for (size_t i = 0; i < command->trees.count && is_whole; i++) {
        out_text(&command->common.out, "Thread ");
        out_u64(&command->common.out, command->trees.items[i].tid);
        out_text(&command->common.out, ":\n");
        is_whole = put_summary(command, i, 1);
        out_byte(&command->common.out, '\n');
    }
    return is_whole;
}

// --- For flame graphs ----------------------------------------------------------------------------

struct prefix {
    VEC(, char) text;   // "thread_1;main;"
    VEC(, size_t) ends; // of the text, for each level
};

static bool append(struct prefix *prefix, const char *text)
{
    size_t length = strlen(text);
    if (!VEC_ROOM(&prefix->text, length + 1) || !VEC_ROOM(&prefix->ends, 1))
        return false;
    prefix->ends.items[prefix->ends.count++] = prefix->text.count;
    memcpy(prefix->text.items + prefix->text.count, text, length);
    clean_frame_name(prefix->text.items + prefix->text.count, length);
    prefix->text.count += length;
    prefix->text.items[prefix->text.count++] = ';';
    return true;
}

static bool put_collapsed(struct stack_command *command, const struct thread_tree *thread)
{
    const struct xray_stack_tree *tree = &thread->tree;
    struct prefix prefix = {0};
    char label[32];
    snprintf(label, sizeof label, "thread_%" PRIu32, thread->tid);
    bool is_whole = command->aggregate || append(&prefix, label);
    size_t base = prefix.ends.count;
    uint32_t before = 0;
    for (uint32_t at = next_stack(tree, 0); at != XRAY_NO_STACK && is_whole;
         at = next_stack(tree, at)) {
        // Moves up from the previous place to the parent of the current one.
        for (; before != tree->stacks.items[at].parent; before = tree->stacks.items[before].parent)
            prefix.text.count = prefix.ends.items[--prefix.ends.count];
        const struct xray_stack *stack = &tree->stacks.items[at];
        is_whole = append(&prefix, xray_name(&command->common.input.names, stack->function));
        uint64_t value = stack->leaves.count + stack->inner.count;
        if (command->type == TYPE_TIME) { // in the function itself; callees have their own lines
            value = stack->leaves.ticks + stack->inner.ticks;
            value -= u64_min(value, stack->inside_ticks);
        }
        if (is_whole && value) {
            out_bytes(&command->common.out, prefix.text.items, prefix.text.count - 1);
            out_byte(&command->common.out, ' ');
            out_u64(&command->common.out, value);
            out_byte(&command->common.out, '\n');
        }
        before = at;
    }
    ASSERT(prefix.ends.count >= base);
    free(prefix.text.items);
    free(prefix.ends.items);
    return is_whole;
}

// --- Logs ----------------------------------------------------------------------------------------

// Adds a tree to that of the same thread, or of all threads.
static bool keep_tree(struct stack_command *command, struct xray_stack_tree *tree, uint32_t tid)
{
    for (size_t i = 0; i < command->trees.count; i++) {
        struct thread_tree *kept = &command->trees.items[i];
        if (command->aggregate || (command->common.others.count && kept->tid == tid))
            return xray_stacks_merge(&kept->tree, tree);
    }
    if (!VEC_ROOM(&command->trees, 1))
        return false;
    command->trees.items[command->trees.count++] = (struct thread_tree){*tree, tid};
    *tree = (struct xray_stack_tree){0};
    return true;
}

static bool keep_trees(struct stack_command *command, const struct xray_input *input,
                       struct xray_stack_tree *trees)
{
    struct trace_damage inside = {0};
    struct hidden_names *hidden = &command->common.hidden.names;
    struct xray_exits exits = {0};
    bool is_whole = true;
    for (size_t i = 0; i < input->log.threads.count && is_whole; i++) {
        xray_exits_merge(&exits, &trees[i].exits);
        hidden->ticks += trees[i].hidden_ticks;
        hidden->calls += trees[i].hidden_calls;
        trace_damage_merge(&inside, &trees[i].damage);
        is_whole = keep_tree(command, &trees[i], input->log.threads.items[i].tid);
    }
    xray_command_unmatched(&command->common, input, &exits);
    xray_command_damage(&command->common, input, &inside);
    return is_whole;
}

static bool add_log(struct stack_command *command, struct xray_input *input)
{
    struct xray_command *common = &command->common;
    xray_command_watch(common, input, 1, false);
    size_t count = input->log.threads.count;
    struct xray_stack_tree *trees = calloc(count + 1, sizeof *trees);
    bool has_inside = command->format == FORMAT_FLAME && command->type == TYPE_TIME;
    const struct xray_hider *hider = xray_hidden_hider(&common->hidden, &common->input.names);
    bool is_whole = trees &&
                    xray_stacks_run(&input->log, common->threads, has_inside, hider, trees) &&
                    keep_trees(command, input, trees);
    for (size_t i = 0; i < count && trees; i++)
        xray_stacks_free(&trees[i]);
    free(trees);
    return is_whole ||
           xray_fail_with(common, STATUS_MEMORY, "%s: no memory for the stacks", input->path);
}

// --- The command ---------------------------------------------------------------------------------

static bool report(void *self)
{
    struct stack_command *command = self;
    struct xray_command *common = &command->common;
    if (!xray_command_open(common) || !add_log(command, &common->input))
        return false;
    for (size_t i = 0; i < common->others.count; i++) {
        if (!add_log(command, &common->others.items[i]))
            return false;
    }
    if (!xray_command_output(common))
        return false;
    bool is_whole = true;
    for (size_t i = 0; i < command->trees.count && is_whole; i++)
        is_whole = xray_stacks_link(&command->trees.items[i].tree);
    if (command->format == FORMAT_HUMAN)
        is_whole = is_whole && put_human(command);
    for (size_t i = 0; command->format == FORMAT_FLAME && i < command->trees.count && is_whole; i++)
        is_whole = put_collapsed(command, &command->trees.items[i]);
    return is_whole || xray_fail_with(common, STATUS_MEMORY, "no memory for the stacks");
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    static const char *const formats[] = {"human", "flame", NULL};
    static const char *const types[] = {"time", "count", NULL};
    struct stack_command *command = self;
    switch (option) {
    case OPTION_PER_THREAD:
        command->per_thread = true;
        return OPTION_END;
    case OPTION_AGGREGATE:
        command->aggregate = true;
        return OPTION_END;
    case OPTION_ALL:
        command->all = true;
        return OPTION_END;
    case OPTION_FORMAT:
        return options_choice(parser, match, formats, "human or flame", &command->format);
    default:
        return options_choice(parser, match, types, "time or count", &command->type);
    }
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct stack_command command = {0};
    struct xray_command *common = &command.common;
    struct options_parser parser;
    xray_command_begin(common, self);
    bool is_taken = xray_command_options(common, &parser, argc, argv, &command, take);
    if (is_taken && command.per_thread && command.aggregate)
        is_taken = options_refuse(&parser,
                                  "--per-thread-stacks and --aggregate-threads cannot be combined");
    if (command.all)
        command.format = FORMAT_FLAME;
    if (is_taken)
        xray_command_end(common, report(&command));
    enum exit_status status = is_taken ? common->status : parser.status;
    for (size_t i = 0; i < command.trees.count; i++)
        xray_stacks_free(&command.trees.items[i].tree);
    free(command.trees.items);
    xray_command_free(&command.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_PER_THREAD, 0, "per-thread-stacks", NULL,
     "the stacks with the highest counts and sums of each thread"},
    {OPTION_AGGREGATE, 0, "aggregate-threads", NULL, "add up equal stacks of different threads"},
    {OPTION_ALL, 0, "all-stacks,all", NULL, "all stacks, as collapsed lines: --stack-format flame"},
    {OPTION_FORMAT, 0, "stack-format", "FORMAT",
     "human (default): the ten highest; flame: a line for each stack, for flame graphs"},
    {OPTION_TYPE, 0, "aggregation-type", "TYPE",
     "of flame: time (default): ticks in the function itself; count: calls"},
    {0},
};

const struct command_spec xray_stack_command = {
    .name = "xray stack",
    .option_set = OPTIONS_TRAWL,
    .summary = "which stacks there were, how often and how long",
    .description =
        "Adds up the calls of each stack, and shows the ten stacks whose innermost functions have "
        "the highest sums and the highest counts. Counts are calls. Sums are ticks of the log's "
        "clock, as in llvm-xray: 'trawl info LOG' tells how many make a second.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {NULL, xray_hide_options},
                                            {"the logs", xray_log_options},
                                            {NULL, xray_join_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"LOG", "XRay log; several logs are added up", NULL, false, true}, {0}},
    .examples = "trawl xray stack -m prog xray-log.prog.123\n"
                "trawl xray stack -m prog --stack-format flame xray-log.prog.123 | flamegraph.pl\n",
    .takes_one_dash = true,
    .run = run,
};
