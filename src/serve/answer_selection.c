// profile, flame, edges: the calls and times in a range of a lane: by function, by stack, and
// around one function.
#include "base/limits.h"
#include "flow/profile.h"
#include "query/stacks.h"
#include "serve/answer.h"
#include "serve/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Takes the contexts of the requested range, if the trace shows calls.
static enum status take(struct asking *asking, struct stretch *stretch, struct selected *selected,
                        struct error *err)
{
    if (!trace_can(asking->context->session.trace, TRACE_CALLS))
        return error_set(err, STATUS_NOT_FOUND, "this trace shows no calls");
    enum status status = stretch_read_for_pass(asking->request, asking->context, stretch, err);
    return status == STATUS_OK
               ? selection_take(asking->selection, stretch, asking->request, selected, err)
               : status;
}

static uint64_t shown_pc(const struct selected *selected, uint64_t pc)
{
    return pc & ~names_code_bits(selected->names);
}

static void put_whole(struct asking *asking, const struct stretch *stretch,
                      const struct selected *selected)
{
    struct request_context *context = asking->context;
    uint64_t ticks = 0;
    if (stretch->axis == STRETCH_EVENTS)
        answer_event(asking->json, "first_event",
                     timeline_event_of(&context->timeline, (size_t)stretch->lane, stretch->from));
    for (size_t i = 0; i < selected->root_count; i++)
        ticks += selected->tree->nodes.items[selected->roots[i]].ticks;
    answer_text_u64(asking->json, "ticks", ticks);
}

// --- By function ---------------------------------------------------------------------------------

static int by_self(const void *a_item, const void *b_item)
{
    const struct profile_row *a = a_item, *b = b_item;
    int order = (a->ticks_self < b->ticks_self) - (a->ticks_self > b->ticks_self);
    return order ? order : (a->pc > b->pc) - (a->pc < b->pc);
}

enum status answer_profile(struct asking *asking, struct error *err)
{
    struct selected selected;
    struct stretch stretch;
    struct profile profile = {0};
    struct json *json = asking->json;
    uint64_t count = LIMIT_SERVE_PROFILE_ROWS;
    enum status status =
        request_u64(asking->request, "count", LIMIT_SERVE_PROFILE_ROWS, &count, err);
    if (status == STATUS_OK)
        status = take(asking, &stretch, &selected, err);
    if (status != STATUS_OK)
        return status;
    status = profile_make(&profile, selected.tree, selected.roots, selected.root_count, UINT64_MAX,
                          false, err);
    if (status == STATUS_OK) {
        put_whole(asking, &stretch, &selected);
        qsort(profile.rows.items, profile.rows.count, sizeof *profile.rows.items, by_self);
        json_key(json, "functions");
        json_begin_array(json);
        for (size_t i = 0; i < profile.rows.count && i < count; i++) {
            const struct profile_row *row = &profile.rows.items[i];
            const char *name = names_of(selected.names, row->pc);
            json_begin_object(json);
            json_member_text(json, "name", *name ? name : NULL);
            json_member_address(json, "pc", shown_pc(&selected, row->pc));
            json_member_u64(json, "calls", row->count);
            answer_text_u64(json, "self", row->ticks_self);
            answer_text_u64(json, "total", row->ticks_total);
            json_end_object(json);
        }
        json_end_array(json);
        json_member_bool(json, "is_cut", profile.rows.count > count);
        profile_free(&profile);
    }
    return selection_give_back(asking->selection, selected.names, status, err);
}

// --- By stack ------------------------------------------------------------------------------------

// Which stacks are shown: those below a path of functions that take enough of the time.
struct flame {
    struct asking *asking;
    const struct selected *selected;
    uint64_t path[LIMIT_SERVE_FLAME_LEVELS]; // of functions, the outermost first
    size_t path_length, matched;             // matched: how far the path was followed
    uint64_t parts; // less than 1 / parts of the whole is left out; 0: nothing
    uint64_t whole; // of the end of the path
    size_t left;    // stacks that may still be written
    bool is_cut;
};

static enum status read_path(struct flame *flame, struct error *err)
{
    const char *text = request_text(flame->asking->request, "under");
    while (text && *text) {
        char *end;
        bool is_address = strncmp(text, "0x", 2) == 0 && text[2] != '\0';
        uint64_t pc = strtoull(text, &end, 16);
        if (!is_address || end == text + 2 || (*end && *end != ',') ||
            flame->path_length == LIMIT_SERVE_FLAME_LEVELS)
            return error_set(err, STATUS_INPUT, "under: expected addresses with commas between");
        flame->path[flame->path_length++] = pc;
        text = *end ? end + 1 : end;
    }
    return STATUS_OK;
}

// Whether a stack is on the path or below its end.
static bool follows(struct flame *flame, const struct stack_visit *visit)
{
    if (visit->depth >= flame->path_length)
        return flame->matched == flame->path_length;
    if (visit->depth > flame->matched)
        return false;
    flame->matched = (size_t)visit->depth;
    if (shown_pc(flame->selected, visit->pc) != flame->path[visit->depth])
        return false;
    flame->matched++;
    if (flame->matched == flame->path_length)
        flame->whole = visit->ticks;
    return true;
}

static bool on_stack(void *self, enum stack_event event, const struct stack_visit *visit)
{
    struct flame *flame = self;
    struct json *json = flame->asking->json;
    if (event == STACK_LEAVE || (event == STACK_OWN && visit->has_below))
        return true;
    if (!follows(flame, visit))
        return true;
    bool is_wide = !flame->parts || visit->ticks >= flame->whole / flame->parts;
    flame->is_cut |= !is_wide || visit->is_cut || !flame->left;
    if (is_wide && flame->left) {
        json_begin_array(json);
        json_u64(json, visit->depth);
        json_text(json, visit->name);
        json_address(json, shown_pc(flame->selected, visit->pc));
        json_u64(json, visit->count);
        json_u64(json, visit->ticks);
        json_u64(json, visit->self_ticks);
        json_end_array(json);
        flame->left--;
    }
    return true;
}

enum status answer_flame(struct asking *asking, struct error *err)
{
    struct selected selected;
    struct stretch stretch;
    struct flame *flame = calloc(1, sizeof *flame);
    if (!flame)
        return error_set(err, STATUS_MEMORY, "no memory for a flame graph");
    *flame = (struct flame){
        .asking = asking, .selected = &selected, .parts = 2000, .left = LIMIT_SERVE_STACKS};
    enum status status = request_u64(asking->request, "parts", UINT32_MAX, &flame->parts, err);
    if (status == STATUS_OK)
        status = read_path(flame, err);
    if (status == STATUS_OK)
        status = take(asking, &stretch, &selected, err);
    if (status == STATUS_OK) {
        put_whole(asking, &stretch, &selected);
        const struct stack_walk walk = {flame, on_stack};
        const struct stacks stacks = {.tree = selected.tree,
                                      .names = selected.names,
                                      .offset_of_root = true,
                                      .depth_max = LIMIT_SERVE_FLAME_LEVELS - 1};
        for (size_t i = 0; i < selected.root_count; i++)
            flame->whole += selected.tree->nodes.items[selected.roots[i]].ticks;
        json_key(asking->json, "stacks");
        json_begin_array(asking->json);
        if (!stacks_walk(&stacks, selected.roots, selected.root_count, &walk))
            status = error_set(err, STATUS_MEMORY, "no memory for the stacks");
        json_end_array(asking->json);
        json_member_bool(asking->json, "is_cut", flame->is_cut);
        status = selection_give_back(asking->selection, selected.names, status, err);
    }
    free(flame);
    return status;
}

// --- Around one function -------------------------------------------------------------------------

// A caller or callee of a function.
struct edge {
    uint64_t pc, calls, ticks;
    uint64_t active;   // of those around the current context
    bool is_outermost; // there is no caller
};

struct edges {
    VEC(, struct edge) items;
};

// NULL: no memory.
static struct edge *edge_of(struct edges *edges, uint64_t pc, bool is_outermost)
{
    for (size_t i = 0; i < edges->items.count; i++) {
        struct edge *edge = &edges->items.items[i];
        if (edge->pc == pc && edge->is_outermost == is_outermost)
            return edge;
    }
    if (!VEC_ROOM(&edges->items, 1))
        return NULL;
    edges->items.items[edges->items.count] = (struct edge){.pc = pc, .is_outermost = is_outermost};
    return &edges->items.items[edges->items.count++];
}

struct around {
    const struct selected *selected;
    uint64_t pc; // of the function
    struct edges callers, callees;
};

static bool is_function(const struct around *around, uint32_t node)
{
    const struct context_node *nodes = around->selected->tree->nodes.items;
    return shown_pc(around->selected, nodes[node].pc) == around->pc;
}

// A context begins (`by` 1) or ends (-1): time counts for an edge unless it is nested in an equal
// edge.
static bool count(struct edges *edges, const struct context_node *node, uint64_t other,
                  bool is_outermost, int by)
{
    struct edge *edge = edge_of(edges, other, is_outermost);
    if (!edge)
        return false;
    if (by > 0) {
        edge->calls += node->count;
        edge->ticks += edge->active ? 0 : node->ticks;
    }
    edge->active += (uint64_t)by;
    return true;
}

static bool visit(struct around *around, uint32_t node, bool is_root, int by)
{
    const struct context_node *nodes = around->selected->tree->nodes.items;
    const struct context_node *about = &nodes[node];
    uint64_t above = is_root ? 0 : nodes[about->parent].pc;
    bool is_whole = true;
    if (is_function(around, node))
        is_whole = count(&around->callers, about, above, is_root, by);
    if (is_whole && !is_root && is_function(around, about->parent))
        is_whole = count(&around->callees, about, about->pc, false, by);
    return is_whole;
}

static bool walk_contexts(struct around *around, uint32_t root)
{
    const struct context_node *nodes = around->selected->tree->nodes.items;
    uint32_t at = root;
    if (!visit(around, root, true, 1))
        return false;
    for (;;) {
        uint32_t next = nodes[at].first_child;
        while (!next) {
            if (!visit(around, at, at == root, -1))
                return false;
            if (at == root)
                return true;
            next = nodes[at].next_sibling;
            at = nodes[at].parent;
        }
        if (!visit(around, next, false, 1))
            return false;
        at = next;
    }
}

static int by_ticks(const void *a_item, const void *b_item)
{
    const struct edge *a = a_item, *b = b_item;
    int order = (a->ticks < b->ticks) - (a->ticks > b->ticks);
    return order ? order : (a->pc > b->pc) - (a->pc < b->pc);
}

static void put_edges(struct asking *asking, const char *key, const struct selected *selected,
                      struct edges *edges)
{
    struct json *json = asking->json;
    if (edges->items.count)
        qsort(edges->items.items, edges->items.count, sizeof *edges->items.items, by_ticks);
    json_key(json, key);
    json_begin_array(json);
    for (size_t i = 0; i < edges->items.count && i < LIMIT_SERVE_PROFILE_ROWS; i++) {
        const struct edge *edge = &edges->items.items[i];
        const char *name = edge->is_outermost ? "" : names_of(selected->names, edge->pc);
        json_begin_object(json);
        json_member_text(json, "name", *name ? name : NULL);
        json_key(json, "pc");
        if (edge->is_outermost)
            json_text(json, NULL);
        else
            json_address(json, shown_pc(selected, edge->pc));
        json_member_u64(json, "calls", edge->calls);
        answer_text_u64(json, "ticks", edge->ticks);
        json_end_object(json);
    }
    json_end_array(json);
}

enum status answer_edges(struct asking *asking, struct error *err)
{
    struct selected selected;
    struct stretch stretch;
    struct around around = {.selected = &selected};
    const char *text = request_text(asking->request, "of");
    char *end;
    around.pc = text ? strtoull(text, &end, 16) : 0;
    if (!text || strncmp(text, "0x", 2) != 0 || end == text + 2 || *end)
        return error_set(err, STATUS_INPUT, "of: expected the address of a function");
    enum status status = take(asking, &stretch, &selected, err);
    if (status != STATUS_OK)
        return status;
    bool is_whole = true;
    for (size_t i = 0; i < selected.root_count && is_whole; i++)
        is_whole = walk_contexts(&around, selected.roots[i]);
    if (is_whole) {
        put_edges(asking, "callers", &selected, &around.callers);
        put_edges(asking, "callees", &selected, &around.callees);
    } else {
        status = error_set(err, STATUS_MEMORY, "no memory for callers and callees");
    }
    free(around.callers.items.items);
    free(around.callees.items.items);
    return selection_give_back(asking->selection, selected.names, status, err);
}
