// The two consumers of finished calls, the list and the tree of contexts, are compared with the
// simple model.
#include "calls_model.h"
#include "flow/call_list.h"
#include "flow/context_tree.h"
#include "test.h"

#include <stdlib.h>

#define SCRIPTS_PER_KIND 2500

// --- The list ------------------------------------------------------------------------------------

static bool list_is_as_modelled(struct call_list *list, call_ref place, size_t parent,
                                const struct call_model *model, size_t *next)
{
    while (place) {
        struct listed_call listed;
        size_t here = *next;
        call_list_read(list, place, &listed);
        if (here >= model->count || model->calls[here].parent != parent ||
            !calls_equal(&listed.call, &model->calls[here].call))
            return false;
        ++*next;
        if (!list_is_as_modelled(list, listed.first_child, here, model, next))
            return false;
        place = listed.next_sibling;
    }
    return true;
}

static bool script_is_listed(const struct call_script *script, bool keep_open)
{
    static struct call_model model;
    struct call_list list = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    struct call_content outermost;
    bool equal;
    size_t next = 0;
    model_run(script, keep_open, &model);
    bool is_right =
        script_match(script, keep_open, &consumer, &model, &outermost, &equal) && equal &&
        list.count == model.count &&
        list_is_as_modelled(&list, call_list_first(&outermost), MODEL_ROOT, &model, &next) &&
        next == model.count;
    call_list_free(&list);
    return is_right;
}

static void list_holds_every_call_in_its_place(void)
{
    static struct call_script script;
    struct prng prng = {11};
    int wrong = 0;
    for (int i = 0; i < SCRIPTS_PER_KIND * SCRIPT_KINDS; i++) {
        script_random(&script, (enum script_kind)(i % SCRIPT_KINDS), &prng);
        wrong += !script_is_listed(&script, i % 2);
    }
    CHECK(wrong == 0);
}

static void list_keeps_figures_of_any_size(void)
{
    static const uint64_t figures[] = {
        0, 1, 127, 128, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 1};
    struct call_list list = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    struct prng prng = {3};
    for (int i = 0; i < 1000; i++) {
        struct call call = {.is_open = i % 2, .is_clipped = i % 3 == 0};
        struct node_ref *nodes[] = {&call.site, &call.entry, &call.exit, &call.resume};
        for (size_t n = 0; n < ARRAY_COUNT(nodes); n++) {
            nodes[n]->event = figures[prng_below(&prng, ARRAY_COUNT(figures))];
            nodes[n]->time = figures[prng_below(&prng, ARRAY_COUNT(figures))];
            nodes[n]->line = figures[prng_below(&prng, ARRAY_COUNT(figures))];
            nodes[n]->pc = figures[prng_below(&prng, ARRAY_COUNT(figures))];
        }
        struct call_content into = {{0}}, inner = {{0}};
        struct listed_call listed;
        CHECK(consumer.fold(consumer.self, &into, &call, &inner));
        call_list_read(&list, call_list_first(&into), &listed);
        CHECK(calls_equal(&listed.call, &call));
        CHECK(listed.call.is_clipped == call.is_clipped);
        CHECK(listed.first_child == 0 && listed.next_sibling == 0);
    }
    call_list_free(&list);
}

static struct call call_at(uint64_t entry, uint64_t pc, uint64_t exit)
{
    return (struct call){.entry = {.event = entry, .time = 7, .pc = pc}, .exit = {.event = exit}};
}

static void list_of_ends_holds_these(void)
{
    struct call_list list = {.ends_only = true};
    const struct call_consumer consumer = call_list_consumer(&list);
    struct call_content into = {{0}}, inner = {{0}};
    struct listed_call listed;
    const struct call call = call_at(5, UINT64_MAX, UINT64_MAX - 1);
    CHECK(consumer.fold(consumer.self, &into, &call, &inner));
    call_list_read_ends(&list, call_list_first(&into), &listed);
    CHECK(listed.call.entry.event == 5 && listed.call.entry.pc == UINT64_MAX);
    CHECK(listed.call.exit.event == UINT64_MAX - 1);
    call_list_free(&list);
}

// Whether two lists of two calls are the same if the second call differs in its exit and in the
// call around it.
static bool are_found_same(uint64_t exit, bool is_outside)
{
    struct call_list lists[2] = {{.ends_only = true}, {.ends_only = true}};
    for (size_t i = 0; i < 2; i++) {
        const struct call_consumer consumer = call_list_consumer(&lists[i]);
        struct call_content into = {{0}}, inner = {{0}};
        const struct call first = call_at(2, 0x100, 3), second = call_at(1, 0x200, i ? exit : 4);
        CHECK(consumer.fold(consumer.self, i && is_outside ? &into : &inner, &first, &into));
        into = i && is_outside ? into : (struct call_content){{0}};
        CHECK(consumer.fold(consumer.self, &into, &second, &inner));
    }
    bool are_same = call_list_are_same(&lists[0], &lists[1]);
    call_list_free(&lists[0]);
    call_list_free(&lists[1]);
    return are_same;
}

static void lists_that_differ_are_told_apart(void)
{
    CHECK(are_found_same(4, false));
    CHECK(!are_found_same(5, false));
    CHECK(!are_found_same(4, true));
}

// --- The tree ------------------------------------------------------------------------------------

// A context of the model: the calls with the same PC in the same context of their parent.
struct model_context {
    uint64_t pc, count, ticks, ticks_inside;
    size_t parent;
};

struct model_contexts {
    struct model_context items[MODEL_TRANSFERS_MAX + 1]; // 0 is the root
    size_t count;
};

static size_t context_of(struct model_contexts *contexts, size_t parent, uint64_t pc)
{
    for (size_t i = 1; i < contexts->count; i++) {
        if (contexts->items[i].parent == parent && contexts->items[i].pc == pc)
            return i;
    }
    contexts->items[contexts->count] = (struct model_context){.pc = pc, .parent = parent};
    return contexts->count++;
}

static void gather(const struct call_script *script, const struct call_model *model,
                   struct model_contexts *contexts)
{
    static size_t of_call[MODEL_TRANSFERS_MAX];
    contexts->items[0] = (struct model_context){
        script->first.pc, 1, script->last.time - script->first.time, 0, SIZE_MAX};
    contexts->count = 1;
    for (size_t i = 0; i < model->count; i++) {
        const struct model_call *call = &model->calls[i];
        size_t parent = call->parent == MODEL_ROOT ? 0 : of_call[call->parent];
        uint64_t ticks = call->call.exit.time - call->call.entry.time;
        size_t at = of_call[i] = context_of(contexts, parent, call->call.entry.pc);
        contexts->items[at].count++;
        contexts->items[at].ticks += ticks;
        contexts->items[parent].ticks_inside += ticks;
    }
}

// Whether the tree below `at` is that below the context `wanted`: children in any order, each PC
// once.
static bool tree_is_as_gathered(const struct context_tree *tree, uint32_t at,
                                struct model_contexts *contexts, size_t wanted, size_t *seen)
{
    const struct context_node *nodes = tree->nodes.items, *node = &nodes[at];
    const struct model_context *context = &contexts->items[wanted];
    uint32_t children = 0;
    if (node->pc != context->pc || node->count != context->count || node->ticks != context->ticks ||
        node->ticks_inside != context->ticks_inside ||
        context_self_ticks(node) != context->ticks - context->ticks_inside)
        return false;
    ++*seen;
    for (uint32_t child = node->first_child; child; child = nodes[child].next_sibling) {
        size_t known = contexts->count;
        size_t below = context_of(contexts, wanted, nodes[child].pc);
        if (contexts->count != known || nodes[child].parent != at ||
            !tree_is_as_gathered(tree, child, contexts, below, seen))
            return false;
        children++;
    }
    return children == node->child_count;
}

static bool script_is_in_tree(const struct call_script *script, bool keep_open)
{
    static struct call_model model;
    static struct model_contexts contexts;
    struct context_tree tree;
    struct call_content outermost;
    bool equal;
    size_t seen = 0;
    if (!context_tree_init(&tree))
        return false;
    const struct call_consumer consumer = context_tree_consumer(&tree);
    model_run(script, keep_open, &model);
    gather(script, &model, &contexts);
    bool is_right = script_match(script, keep_open, &consumer, &model, &outermost, &equal) && equal;
    uint32_t root = context_tree_root(&tree, &outermost, &script->first, &script->last);
    is_right = is_right && root && tree_is_as_gathered(&tree, root, &contexts, 0, &seen) &&
               seen == contexts.count;
    context_tree_free(&tree);
    return is_right;
}

static void tree_adds_up_every_context(void)
{
    static struct call_script script;
    struct prng prng = {12};
    int wrong = 0;
    for (int i = 0; i < SCRIPTS_PER_KIND * SCRIPT_KINDS; i++) {
        script_random(&script, (enum script_kind)(i % SCRIPT_KINDS), &prng);
        wrong += !script_is_in_tree(&script, i % 2);
    }
    CHECK(wrong == 0);
}

// Nodes that merge are used again: repeating the same contexts takes no more memory.
static void tree_grows_with_contexts_not_calls(void)
{
    struct context_tree tree;
    CHECK(context_tree_init(&tree));
    const struct call_consumer consumer = context_tree_consumer(&tree);
    struct call_content outermost = {{0}};
    for (uint64_t i = 0; i < 20000; i++) {
        struct call_content inside = {{0}}, none = {{0}};
        struct call call = {.entry = {.time = i, .pc = 0x10 + i % 7}, .exit = {.time = i + 1}};
        CHECK(consumer.fold(consumer.self, &inside, &call, &none));
        call.entry.pc = 0x20;
        CHECK(consumer.fold(consumer.self, &outermost, &call, &inside));
    }
    CHECK(tree.nodes.count < 100);
    context_tree_free(&tree);
}

// A call of `pc` that took one tick. False: no memory.
static bool fold_one_tick(struct context_tree *tree, struct call_content *into, uint64_t pc,
                          uint8_t how)
{
    struct call call = {.entry.pc = pc, .exit.time = 1, .how = how};
    return context_tree_consumer(tree).fold(tree, into, &call, &(struct call_content){0});
}

// Functions at addresses that differ only in bits 61 and 62 are not tasks and handlers of each
// other, though no core has such addresses.
static void kinds_of_contexts_are_not_told_by_addresses(void)
{
    static const uint64_t pcs[] = {
        0x1000, 0x2000000000001000, 0x4000000000001000, 0x6000000000001000, 0x8000000000001000,
    };
    enum { PCS = sizeof pcs / sizeof *pcs };
    struct context_tree tree;
    CHECK(context_tree_init(&tree));
    tree.tells_handlers = true;
    struct call_content outermost = {0};
    for (size_t i = 0; i < PCS; i++) {
        CHECK(fold_one_tick(&tree, &outermost, pcs[i], 0));
        CHECK(fold_one_tick(&tree, &outermost, pcs[i], CALL_EXCEPTION));
    }
    CHECK(fold_one_tick(&tree, &outermost, pcs[0], CALL_TASK));
    CHECK(fold_one_tick(&tree, &outermost, pcs[0], CALL_TASK | CALL_EXCEPTION));
    struct node_ref first = {0}, last = {.time = 2 * PCS + 2};
    uint32_t root = context_tree_root(&tree, &outermost, &first, &last);
    CHECK(tree.nodes.items[root].child_count == 2 * PCS + 2);
    uint32_t next = tree.nodes.items[root].first_child, tasks = 0;
    for (uint32_t at; (at = context_tree_take_task(&tree, root, &next)); tasks++)
        CHECK(tree.nodes.items[at].pc == pcs[0] && tree.nodes.items[at].count == 1);
    CHECK(tasks == 2);
    CHECK(tree.nodes.items[root].ticks == 2 * PCS);
    uint32_t handlers = 0;
    for (uint32_t at = tree.nodes.items[root].first_child; at;
         at = tree.nodes.items[at].next_sibling)
        handlers += (tree.nodes.items[at].kind & CONTEXT_HANDLER) != 0;
    CHECK(handlers == PCS);
    context_tree_free(&tree);
}

const struct test_case consumers_tests[] = {
    {"list_holds_every_call_in_its_place", list_holds_every_call_in_its_place},
    {"list_keeps_figures_of_any_size", list_keeps_figures_of_any_size},
    {"list_of_ends_holds_these", list_of_ends_holds_these},
    {"lists_that_differ_are_told_apart", lists_that_differ_are_told_apart},
    {"tree_adds_up_every_context", tree_adds_up_every_context},
    {"tree_grows_with_contexts_not_calls", tree_grows_with_contexts_not_calls},
    {"kinds_of_contexts_are_not_told_by_addresses", kinds_of_contexts_are_not_told_by_addresses},
    {NULL, NULL},
};
