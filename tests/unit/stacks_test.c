// Stacks and profile of random trees of calls are compared with sums over all calls.
#include "flow/profile.h"
#include "query/stacks.h"
#include "random.h"
#include "symbols_elf.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEPTH_MAX 6
#define LINES_MAX 4000
#define LINE_BYTES 160
#define TREES 300

// Names that sort before and after a semicolon; some are prefixes of others. Each covers four
// addresses.
static const struct named_range ranges[] = {
    {"a", 0x1000, 16},  {"a b", 0x1010, 16},      {"a!", 0x1020, 16},
    {"a0", 0x1030, 16}, {"a<b>", 0x1040, 16},     {"ab", 0x1050, 16},
    {"b", 0x1060, 16},  {"\xc3\xa4", 0x1070, 16}, {"a:b", 0x1080, 16},
};

struct summed {
    char line[LINE_BYTES];
    uint64_t pc, count, ticks, self_ticks, total_ticks;
};

// The sums over all calls: by stack of names, and by PC.
struct sums {
    struct prng prng;
    struct context_tree tree;
    uint64_t depth_max;
    uint64_t way[DEPTH_MAX + 2]; // PCs from the root to the current call
    struct summed stacks[LINES_MAX], functions[64];
    size_t stack_count, function_count;
};

static uint64_t random_pc(struct prng *prng)
{
    if (prng_percent(prng, 10))
        return 0x10 + prng_below(prng, 2) * 0xf0; // below all symbols, so it has no name
    return 0x1000 + 4 * (uint64_t)prng_below(prng, 36);
}

static void name_of_pc(uint64_t pc, char *text, size_t text_bytes)
{
    if (pc < 0x1000)
        snprintf(text, text_bytes, "0x%llx", (unsigned long long)pc);
    else
        snprintf(text, text_bytes, "%s", ranges[(pc - 0x1000) / 16].name);
}

static void join_names(const uint64_t *pcs, size_t count, char *line)
{
    size_t length = 0;
    line[0] = 0;
    for (size_t i = 0; i < count; i++) {
        if (i)
            line[length++] = ';';
        name_of_pc(pcs[i], line + length, LINE_BYTES - length);
        length += strlen(line + length);
    }
}

static void add_stack(struct sums *sums, size_t depth, uint64_t ticks, uint64_t inside)
{
    char line[LINE_BYTES];
    size_t at = 0;
    join_names(sums->way, depth + 1, line);
    while (at < sums->stack_count && strcmp(sums->stacks[at].line, line) != 0)
        at++;
    if (at == sums->stack_count) {
        ASSERT(sums->stack_count < LINES_MAX);
        sums->stacks[at] = (struct summed){.count = 0};
        strcpy(sums->stacks[sums->stack_count++].line, line);
    }
    sums->stacks[at].count++;
    sums->stacks[at].ticks += ticks;
    sums->stacks[at].self_ticks += depth == sums->depth_max ? ticks : ticks - inside;
}

static void add_function(struct sums *sums, size_t depth, uint64_t ticks, uint64_t inside)
{
    uint64_t pc = sums->way[depth];
    size_t at = 0;
    bool is_inside_itself = false;
    while (at < sums->function_count && sums->functions[at].pc != pc)
        at++;
    if (at == sums->function_count)
        sums->functions[sums->function_count++] = (struct summed){.pc = pc};
    for (size_t i = 0; i < depth; i++)
        is_inside_itself |= sums->way[i] == pc;
    sums->functions[at].count++;
    sums->functions[at].ticks += ticks;
    sums->functions[at].total_ticks += is_inside_itself ? 0 : ticks;
    sums->functions[at].self_ticks += depth == sums->depth_max ? ticks : ticks - inside;
}

static void add_call(struct sums *sums, size_t depth, uint64_t ticks, uint64_t inside)
{
    if (depth > sums->depth_max)
        return;
    add_stack(sums, depth, ticks, inside);
    add_function(sums, depth, ticks, inside);
}

// Makes random calls at `depth` and below, and folds them into `content`. Returns the ticks spent
// in them.
static uint64_t make_calls(struct sums *sums, struct call_content *content, size_t depth)
{
    const struct call_consumer consumer = context_tree_consumer(&sums->tree);
    uint32_t calls = depth < DEPTH_MAX ? prng_below(&sums->prng, 4) : 0;
    uint64_t inside = 0;
    for (uint32_t i = 0; i < calls; i++) {
        struct call_content inner = {{0}};
        struct call call = {.is_open = false};
        call.entry.pc = sums->way[depth] = random_pc(&sums->prng);
        call.entry.time = prng_below(&sums->prng, 100);
        call.exit.time = call.entry.time + prng_below(&sums->prng, 100);
        uint64_t ticks = call.exit.time - call.entry.time;
        uint64_t below = make_calls(sums, &inner, depth + 1);
        sums->way[depth] = call.entry.pc;
        add_call(sums, depth, ticks, below);
        CHECK(consumer.fold(consumer.self, content, &call, &inner));
        inside += ticks;
    }
    return inside;
}

static uint32_t make_root(struct sums *sums)
{
    struct call_content outermost = {{0}};
    const struct node_ref entry = {.pc = random_pc(&sums->prng), .time = 5}, exit = {.time = 500};
    uint64_t inside = make_calls(sums, &outermost, 1);
    sums->way[0] = entry.pc;
    add_call(sums, 0, 495, inside);
    return context_tree_root(&sums->tree, &outermost, &entry, &exit);
}

// The path to the root is not known while the calls below it are made, but it is the same for all.
static void make_tree(struct sums *sums, uint64_t seed, uint32_t *root)
{
    *sums = (struct sums){.prng = {seed}};
    CHECK(context_tree_init(&sums->tree));
    sums->depth_max = prng_percent(&sums->prng, 30) ? prng_below(&sums->prng, 4) : UINT64_MAX;
    struct prng ahead = sums->prng;
    make_root(sums); // first only to find the root's PC, whose calls come first
    uint64_t root_pc = sums->way[0];
    uint64_t depth_max = sums->depth_max;
    context_tree_free(&sums->tree);
    *sums = (struct sums){.prng = ahead, .depth_max = depth_max, .way = {root_pc}};
    CHECK(context_tree_init(&sums->tree));
    *root = make_root(sums);
    CHECK(*root && sums->way[0] == root_pc);
}

// --- The walk ------------------------------------------------------------------------------------

struct listener {
    const struct sums *sums;
    const char *names[DEPTH_MAX + 2];
    size_t depth, next;
    bool is_right;
};

static bool is_expected(const struct listener *listener, const struct stack_visit *visit)
{
    const struct summed *expected = &listener->sums->stacks[listener->next];
    char line[LINE_BYTES] = "";
    for (size_t i = 0; i < listener->depth; i++)
        strcat(strcat(line, listener->names[i]), ";");
    strcat(line, visit->name);
    return listener->next < listener->sums->stack_count && strcmp(line, expected->line) == 0 &&
           visit->count == expected->count && visit->ticks == expected->ticks &&
           visit->self_ticks == expected->self_ticks && visit->depth == listener->depth &&
           visit->is_nameless == (strncmp(visit->name, "0x", 2) == 0);
}

static bool listen(void *self, enum stack_event event, const struct stack_visit *visit)
{
    struct listener *listener = self;
    if (event == STACK_ENTER) {
        listener->names[listener->depth++] = visit->name;
    } else if (event == STACK_LEAVE) {
        listener->depth--;
        listener->is_right &= strcmp(listener->names[listener->depth], visit->name) == 0;
    } else {
        listener->is_right &= is_expected(listener, visit);
        listener->next++;
    }
    return listener->is_right;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(((const struct summed *)a)->line, ((const struct summed *)b)->line);
}

static int compare_pcs(const void *a_item, const void *b_item)
{
    const struct summed *a = a_item, *b = b_item;
    return (a->pc > b->pc) - (a->pc < b->pc);
}

static struct sums sums;

static struct stacks stacks_of(struct names *names, uint64_t depth_max)
{
    return (struct stacks){
        .tree = &sums.tree, .names = names, .offset_of_root = true, .depth_max = depth_max};
}

// Opens the names of an image of `ranges`. Returns its file, to be closed after they are freed.
static int open_names(struct names *names)
{
    char path[SYMBOLS_ELF_PATH_BYTES];
    struct error err;
    const struct name_options options = {.reading = READING_TRUE};
    int fd = symbols_elf_make(ranges, ARRAY_COUNT(ranges), path);
    names_init(names, &options);
    CHECK(fd >= 0 && names_add_image(names, path, &err) == STATUS_OK);
    return fd;
}

static void stacks_come_in_order_of_their_lines(void)
{
    struct names names;
    int fd = open_names(&names);
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        uint32_t root;
        make_tree(&sums, seed, &root);
        qsort(sums.stacks, sums.stack_count, sizeof *sums.stacks, compare_lines);
        struct listener listener = {.sums = &sums, .is_right = true};
        const struct stack_walk walk = {&listener, listen};
        const struct stacks stacks = stacks_of(&names, sums.depth_max);
        CHECK(stacks_walk(&stacks, &root, 1, &walk));
        CHECK(listener.next == sums.stack_count && listener.depth == 0);
        context_tree_free(&sums.tree);
    }
    names_free(&names);
    close(fd);
}

// Receives the rest of a walk.
static bool hear(struct listener *listener, struct stack_walker *walker)
{
    struct stack_visit visit;
    enum stack_event event;
    while ((event = stack_walker_next(walker, &visit)) < STACK_END) {
        if (!listen(listener, event, &visit))
            return false;
    }
    return event == STACK_END;
}

// Some of the stacks are skipped, and walked by another walker.
static bool hear_parts(struct listener *listener, struct stack_walker *walker,
                       struct stack_walker *other, struct prng *prng)
{
    struct stack_nodes nodes = {0};
    struct stack_visit visit;
    enum stack_event event;
    bool is_right = true;
    while (is_right && (event = stack_walker_next(walker, &visit)) < STACK_END) {
        is_right = listen(listener, event, &visit);
        if (!is_right || event != STACK_ENTER || prng_percent(prng, 50))
            continue;
        nodes.count = 0;
        is_right = stack_walker_pass(walker, &nodes) && nodes.count <= visit.size &&
                   stack_walker_begin_below(other, nodes.items, nodes.count, visit.depth + 1) &&
                   hear(listener, other);
    }
    free(nodes.items);
    return is_right && event == STACK_END;
}

static void parts_of_a_walk_have_the_same_stacks(void)
{
    struct names names;
    int fd = open_names(&names);
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        struct prng prng = {seed};
        struct stack_walker walkers[2];
        uint32_t root, count = 0;
        make_tree(&sums, seed, &root);
        qsort(sums.stacks, sums.stack_count, sizeof *sums.stacks, compare_lines);
        struct stacks stacks = stacks_of(&names, sums.depth_max);
        uint32_t *sizes = malloc(sums.tree.nodes.count * sizeof *sizes);
        CHECK(sizes != NULL);
        context_sizes(&sums.tree, root, sizes);
        for (uint32_t at = root; at; at = context_tree_next(&sums.tree, root, at, false))
            count++;
        CHECK(sizes[root] == count);
        stacks.sizes = sizes;
        struct listener listener = {.sums = &sums, .is_right = true};
        for (int i = 0; i < 2; i++)
            stack_walker_init(&walkers[i], &stacks, NULL);
        CHECK(stack_walker_begin(&walkers[0], &root, 1));
        CHECK(hear_parts(&listener, &walkers[0], &walkers[1], &prng));
        CHECK(listener.next == sums.stack_count && listener.depth == 0);
        for (int i = 0; i < 2; i++)
            stack_walker_free(&walkers[i]);
        free(sizes);
        context_tree_free(&sums.tree);
    }
    names_free(&names);
    close(fd);
}

static void profile_adds_up_every_function(void)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        uint32_t root;
        struct profile profile;
        struct error err;
        make_tree(&sums, seed, &root);
        qsort(sums.functions, sums.function_count, sizeof *sums.functions, compare_pcs);
        CHECK(profile_make(&profile, &sums.tree, &root, 1, sums.depth_max, false, &err) ==
              STATUS_OK);
        CHECK(profile.rows.count == sums.function_count);
        for (size_t i = 0; i < profile.rows.count && i < sums.function_count; i++) {
            const struct profile_row *row = &profile.rows.items[i];
            const struct summed *function = &sums.functions[i];
            CHECK(row->pc == function->pc && row->count == function->count);
            CHECK(row->ticks_all == function->ticks);
            CHECK(row->ticks_self == function->self_ticks);
            CHECK(row->ticks_total == function->total_ticks);
        }
        profile_free(&profile);
        context_tree_free(&sums.tree);
    }
}

static bool stop(void *self, enum stack_event event, const struct stack_visit *visit)
{
    (void)event, (void)visit;
    ++*(int *)self;
    return false;
}

static void listener_may_stop_the_walk(void)
{
    struct names names;
    const struct name_options options = {.reading = READING_TRUE};
    uint32_t root;
    int events = 0;
    const struct stack_walk walk = {&events, stop};
    make_tree(&sums, 1, &root);
    names_init(&names, &options);
    const struct stacks stacks = stacks_of(&names, UINT64_MAX);
    CHECK(!stacks_walk(&stacks, &root, 1, &walk));
    CHECK(events == 1);
    names_free(&names);
    context_tree_free(&sums.tree);
}

const struct test_case stacks_tests[] = {
    {"stacks_come_in_order_of_their_lines", stacks_come_in_order_of_their_lines},
    {"parts_of_a_walk_have_the_same_stacks", parts_of_a_walk_have_the_same_stacks},
    {"profile_adds_up_every_function", profile_adds_up_every_function},
    {"listener_may_stop_the_walk", listener_may_stop_the_walk},
    {NULL, NULL},
};
