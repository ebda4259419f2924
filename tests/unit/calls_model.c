#include "calls_model.h"

// --- Random scripts ------------------------------------------------------------------------------

static struct node_ref next_node(const struct node_ref *node, uint64_t pc, struct prng *prng)
{
    uint64_t skipped = prng_below(prng, 3);
    return (struct node_ref){.event = node->event + 1 + skipped,
                             .time = node->time + prng_below(prng, 5),
                             .line = node->line + 1 + skipped + prng_below(prng, 3),
                             .position = node->position + 100,
                             .pc = pc};
}

struct frame {
    uint64_t sp, return_address;
};

// The kind of the next transfer, before it gets its place in the trace.
static void wild_transfer(struct transfer *transfer, struct prng *prng)
{
    transfer->sp = 0x100 * (uint64_t)prng_below(prng, 6);
    transfer->node.pc = 0x1000 + 4 * (uint64_t)prng_below(prng, 8);
    transfer->may_be_call = prng_percent(prng, 60);
    transfer->return_address = 0x1000 + 4 * (uint64_t)prng_below(prng, 8);
    if (prng_percent(prng, 8))
        transfer->drop_below = 0x100 * (uint64_t)prng_below(prng, 6);
}

static void flat_transfer(struct transfer *transfer, struct prng *prng)
{
    transfer->sp = UINT64_MAX;
    transfer->node.pc = 0x1000 + 4 * (uint64_t)prng_below(prng, 12);
    transfer->may_be_call = prng_percent(prng, 50);
    transfer->return_address = 0x1000 + 4 * (uint64_t)prng_below(prng, 12);
}

static void nested_transfer(struct transfer *transfer, struct frame *frames, size_t *depth,
                            struct prng *prng)
{
    uint64_t sp = 0x10000 - 0x10 * *depth;
    transfer->sp = sp;
    if (*depth > 0 && prng_percent(prng, 10))
        --*depth; // left without a return
    if (*depth > 0 && prng_percent(prng, 45)) {
        const struct frame *frame = &frames[--*depth];
        transfer->sp = frame->sp;
        transfer->node.pc = frame->return_address;
        if (prng_percent(prng, 30))
            transfer->drop_below = frame->sp;
        return;
    }
    transfer->node.pc = 0x1000 + 0x100 * (uint64_t)prng_below(prng, 6);
    transfer->may_be_call = prng_percent(prng, 80);
    transfer->return_address = 0x4000 + 4 * (uint64_t)prng_below(prng, 100);
    if (transfer->may_be_call && *depth < MODEL_TRANSFERS_MAX)
        frames[(*depth)++] = (struct frame){transfer->sp, transfer->return_address};
}

void script_random(struct call_script *script, enum script_kind kind, struct prng *prng)
{
    struct frame frames[MODEL_TRANSFERS_MAX];
    size_t depth = 0;
    *script = (struct call_script){.count = prng_below(prng, MODEL_TRANSFERS_MAX)};
    script->first = script->last = (struct node_ref){0, 100, 1, 0, 0x1000};
    for (size_t i = 0; i < script->count; i++) {
        struct transfer *transfer = &script->transfers[i];
        if (kind == SCRIPT_WILD)
            wild_transfer(transfer, prng);
        else if (kind == SCRIPT_FLAT)
            flat_transfer(transfer, prng);
        else
            nested_transfer(transfer, frames, &depth, prng);
        transfer->previous = next_node(&script->last, 0x2000, prng);
        script->last = next_node(&transfer->previous, transfer->node.pc, prng);
        script->last.event = transfer->previous.event + 1;
        transfer->node = script->last;
    }
    if (prng_percent(prng, 30))
        script->drop_below_at_end = 0x100 * (uint64_t)prng_below(prng, 6);
}

// --- The model -----------------------------------------------------------------------------------

#define NEVER SIZE_MAX

// For each transfer: whether it opened a call, and which transfer ended or dropped that call.
struct opening {
    bool is_opened, is_pending;
    size_t closed_by;
};

struct detection {
    struct opening openings[MODEL_TRANSFERS_MAX];
    bool is_close[MODEL_TRANSFERS_MAX];
};

static size_t find_pending(const struct call_script *script, const struct detection *found,
                           uint64_t sp, uint64_t return_address)
{
    for (size_t i = 0; i < script->count; i++) {
        if (found->openings[i].is_pending && script->transfers[i].sp == sp &&
            script->transfers[i].return_address == return_address)
            return i;
    }
    return NEVER;
}

static void drop_pending(const struct call_script *script, struct detection *found, uint64_t sp,
                         struct call_counts *counts)
{
    for (size_t i = 0; i < script->count; i++) {
        if (found->openings[i].is_pending && script->transfers[i].sp < sp) {
            found->openings[i].is_pending = false;
            counts->dropped++;
        }
    }
}

// Which transfers open calls, and which return from them.
static void detect(const struct call_script *script, struct detection *found,
                   struct call_model *model)
{
    for (size_t i = 0; i < script->count; i++) {
        const struct transfer *transfer = &script->transfers[i];
        struct call_decision *decision = &model->decisions[i];
        model->counts.transfers++;
        drop_pending(script, found, transfer->drop_below, &model->counts);
        size_t call = find_pending(script, found, transfer->sp, transfer->node.pc);
        if (call != NEVER) {
            *decision = (struct call_decision){true, false, script->transfers[call].node.line};
            found->openings[call].is_pending = false;
            found->openings[call].closed_by = i;
            found->is_close[i] = true;
            model->counts.returned++;
        } else if (transfer->may_be_call) {
            decision->is_call = true;
            bool is_new =
                find_pending(script, found, transfer->sp, transfer->return_address) == NEVER;
            found->openings[i] = (struct opening){is_new, is_new, NEVER};
        }
    }
    drop_pending(script, found, script->drop_below_at_end, &model->counts);
    for (size_t i = 0; i < script->count; i++)
        model->counts.unreturned += found->openings[i].is_pending;
}

static bool is_returned(const struct detection *found, size_t at)
{
    return found->openings[at].is_opened && found->openings[at].closed_by != NEVER;
}

// Whether a call that never returned is still on the stack at the end: the depth never fell below
// the depth where it was made.
static bool is_still_open(const struct call_script *script, const struct detection *found,
                          size_t at)
{
    int64_t depth = 0;
    if (!found->openings[at].is_pending)
        return false;
    for (size_t i = at + 1; i < script->count && depth >= 0; i++)
        depth += is_returned(found, i) - found->is_close[i];
    return depth >= 0;
}

// The walk over the depths.
static void walk_depths(const struct call_script *script, const struct detection *found,
                        bool keep_open, struct call_model *model)
{
    size_t current = MODEL_ROOT;
    for (size_t i = 0; i < script->count; i++) {
        const struct transfer *transfer = &script->transfers[i];
        bool stays = keep_open && is_still_open(script, found, i);
        if (stays || is_returned(found, i)) {
            struct model_call *call = &model->calls[model->count];
            call->call = (struct call){.site = transfer->previous,
                                       .entry = transfer->node,
                                       .exit = script->last,
                                       .resume = script->last,
                                       .is_open = stays};
            call->parent = current;
            current = model->count++;
        } else if (found->is_close[i]) {
            struct model_call *call = &model->calls[current];
            call->call.exit = transfer->previous;
            call->call.resume = transfer->node;
            current = call->parent;
        }
    }
}

void model_run(const struct call_script *script, bool keep_open, struct call_model *model)
{
    struct detection found = {0};
    *model = (struct call_model){0};
    detect(script, &found, model);
    walk_depths(script, &found, keep_open, model);
}

// --- The engine on the same script ---------------------------------------------------------------

static bool decisions_equal(const struct call_decision *a, const struct call_decision *b)
{
    return a->is_return == b->is_return && a->is_call == b->is_call &&
           a->returned_line == b->returned_line;
}

static bool counts_equal(const struct call_counts *a, const struct call_counts *b)
{
    return a->transfers == b->transfers && a->returned == b->returned && a->dropped == b->dropped &&
           a->unreturned == b->unreturned;
}

bool script_match(const struct call_script *script, bool keep_open,
                  const struct call_consumer *consumer, const struct call_model *model,
                  struct call_content *outermost, bool *equal)
{
    struct call_matcher *matcher = call_matcher_new(consumer);
    struct call_counts counts;
    bool has_memory = matcher != NULL;
    *equal = true;
    for (size_t i = 0; i < script->count && has_memory; i++) {
        struct transfer transfer = script->transfers[i];
        struct call_decision decision;
        if (i % 2 && transfer.drop_below) { // as if a chunk ended before the transfer
            has_memory = call_matcher_drop(matcher, transfer.drop_below);
            transfer.drop_below = 0;
        }
        has_memory = has_memory && call_matcher_transfer(matcher, &transfer, &decision);
        *equal &= has_memory && decisions_equal(&decision, &model->decisions[i]);
    }
    has_memory = has_memory && call_matcher_drop(matcher, script->drop_below_at_end) &&
                 call_matcher_finish(matcher, &script->last, keep_open, outermost, &counts);
    *equal &= has_memory && counts_equal(&counts, &model->counts);
    call_matcher_free(matcher);
    return has_memory;
}

static bool nodes_equal(const struct node_ref *a, const struct node_ref *b)
{
    return a->event == b->event && a->time == b->time && a->line == b->line && a->pc == b->pc;
}

bool calls_equal(const struct call *a, const struct call *b)
{
    return nodes_equal(&a->site, &b->site) && nodes_equal(&a->entry, &b->entry) &&
           nodes_equal(&a->exit, &b->exit) && nodes_equal(&a->resume, &b->resume) &&
           a->is_open == b->is_open;
}
