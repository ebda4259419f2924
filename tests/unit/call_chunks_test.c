// Calls that are matched piece by piece and joined are those of the whole trace, for any division
// into pieces: of programs with tasks, exceptions, long jumps, loops and switches, and of programs
// some of whose transfers are wrong.
#include "arch/arm/arm.h"
#include "arch/riscv/riscv.h"
#include "calls_model.h"
#include "flow/call_list.h"
#include "flow/calls.h"
#include "flow/context_tree.h"
#include "flow/shadow_chunk.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

#define FUNCTIONS 7
#define FUNCTION_BYTES 0x400
#define FIRST_FUNCTION 0x100000
#define VECTORS 0x80000
#define TASKS 3
#define STACKS 0x900000
#define HANDLER_STACK 0x400000
#define DEPTH_MAX 20
#define STEPS 300
#define TRANSFERS_MAX (STEPS + 4)
#define SCRIPTS 1000

// --- A program -----------------------------------------------------------------------------------

struct frame {
    uint64_t entry, back; // `back`: where it returns to
    uint64_t sp_at_entry, sp;
    bool is_exception;
};

struct task {
    struct frame frames[DEPTH_MAX];
    size_t depth;
    uint64_t pc;
};

struct program {
    struct prng prng;
    const struct exception_rules *rules;
    struct task tasks[TASKS];
    size_t current;
    uint64_t event, pc;
    uint64_t drop_below; // the SP from which SP was raised since the previous transfer
    unsigned noise;      // this many transfers in a thousand are wrong
    bool has_handler_stack;
    struct transfer transfers[TRANSFERS_MAX];
    size_t count;
};

static struct task *task_of(struct program *program)
{
    return &program->tasks[program->current];
}

static struct frame *top_of(struct program *program)
{
    return &task_of(program)->frames[task_of(program)->depth - 1];
}

static uint64_t somewhere_in(struct program *program, uint64_t entry)
{
    return entry + 4 * (uint64_t)prng_below(&program->prng, FUNCTION_BYTES / 4 - 16);
}

static uint64_t some_entry(struct program *program)
{
    return FIRST_FUNCTION + FUNCTION_BYTES * (uint64_t)prng_below(&program->prng, FUNCTIONS);
}

// Makes a part of a transfer wrong.
static void spoil(struct program *program, struct transfer *transfer)
{
    switch (prng_below(&program->prng, 10)) {
    case 0:
        transfer->is_gap = true;
        break;
    case 1:
        transfer->is_exception = true;
        break;
    case 2:
        transfer->from.kind = (enum branch_kind)prng_below(&program->prng, BRANCH_LEAVES + 1);
        break;
    case 3:
        transfer->sp_there = ADDRESS_UNKNOWN;
        break;
    case 4:
        transfer->sp_there += 16 * prng_below(&program->prng, 5);
        break;
    case 5:
        transfer->link = transfer->from.next;
        break;
    case 6:
        transfer->from.target = somewhere_in(program, some_entry(program));
        break;
    case 7:
        transfer->is_link_new = true;
        transfer->opens_frame = true;
        break;
    case 8:
        transfer->drop_below += 0x100;
        transfer->may_be_call = true;
        break;
    case 9:
        transfer->changes_mode = true;
        break;
    }
}

static struct node_ref node_at(uint64_t event, uint64_t pc)
{
    return (struct node_ref){.event = event, .time = 3 * event, .line = event + 1, .pc = pc};
}

// Sends control to `to`, after its effect on the stacks.
static void go(struct program *program, enum branch_kind kind, uint64_t to, uint64_t sp_left,
               bool is_exception)
{
    bool has_target = kind == BRANCH_JUMP || kind == BRANCH_CALL, is_call = kind == BRANCH_CALL;
    if (program->count == TRANSFERS_MAX)
        return;
    struct transfer *transfer = &program->transfers[program->count++];
    *transfer = (struct transfer){
        .previous = node_at(program->event, program->pc),
        .sp = top_of(program)->sp,
        .return_address = program->pc + 4,
        .may_be_call = is_call,
        .drop_below = program->drop_below,
        .is_exception = is_exception,
        .from = {kind, false, false, program->pc, program->pc + 4,
                 has_target ? to : ADDRESS_UNKNOWN},
        .sp_there = top_of(program)->sp,
        .sp_left = sp_left,
        .sp_user = is_exception ? sp_left : ADDRESS_UNKNOWN,
        .resume = is_exception ? program->pc + 4 : ADDRESS_UNKNOWN,
        .link = is_call ? program->pc + 4 : ADDRESS_UNKNOWN,
        .is_link_new = is_call,
    };
    program->event += 1 + prng_below(&program->prng, 3);
    transfer->node = node_at(program->event, to);
    program->event += prng_below(&program->prng, 3);
    program->pc = to;
    program->drop_below = 0;
    if (is_exception && program->rules->are_silent && prng_below(&program->prng, 4)) {
        static const enum branch_kind kinds[] = {BRANCH_NONE, BRANCH_CALL, BRANCH_RETURN,
                                                 BRANCH_INDIRECT};
        transfer->is_exception = false;
        transfer->resume = ADDRESS_UNKNOWN;
        transfer->from.kind = kinds[prng_below(&program->prng, ARRAY_COUNT(kinds))];
    }
    if (prng_below(&program->prng, 1000) < program->noise)
        spoil(program, transfer);
}

static void call(struct program *program)
{
    struct task *task = task_of(program);
    uint64_t sp = top_of(program)->sp, entry = some_entry(program);
    if (task->depth == DEPTH_MAX)
        return;
    task->frames[task->depth++] = (struct frame){entry, program->pc + 4, sp, sp, false};
    go(program, BRANCH_CALL, entry, sp, false);
    if (prng_percent(&program->prng, 70)) {
        top_of(program)->sp -= 16 + 16 * prng_below(&program->prng, 3);
        program->drop_below = sp; // SP was written: its previous value
    }
}

static void return_from(struct program *program)
{
    struct task *task = task_of(program);
    const struct frame frame = *top_of(program);
    if (task->depth == 1)
        return;
    task->depth--;
    program->drop_below = u64_max(program->drop_below, frame.sp);
    go(program, frame.is_exception ? BRANCH_LEAVES : BRANCH_RETURN, frame.back, frame.sp_at_entry,
       false);
}

static void take_exception(struct program *program)
{
    struct task *task = task_of(program);
    uint64_t sp = top_of(program)->sp;
    uint64_t vector = VECTORS + 0x80 * (uint64_t)prng_below(&program->prng, 2);
    if (task->depth == DEPTH_MAX)
        return;
    uint64_t there = program->has_handler_stack && sp >= STACKS ? HANDLER_STACK : sp;
    task->frames[task->depth++] = (struct frame){vector, program->pc + 4, there, there, true};
    go(program, BRANCH_NONE, vector, sp, true);
}

// Another task runs, from where it stopped, and its SP is loaded.
static void switch_task(struct program *program)
{
    size_t next = prng_below(&program->prng, TASKS);
    uint64_t sp = top_of(program)->sp;
    if (next == program->current)
        return;
    task_of(program)->pc = program->pc + 4;
    program->current = next;
    go(program, prng_below(&program->prng, 2) ? BRANCH_RETURN : BRANCH_INDIRECT,
       task_of(program)->pc, sp, false);
}

static void jump_out(struct program *program)
{
    struct task *task = task_of(program);
    size_t inner = 1 + prng_below(&program->prng, (uint32_t)task->depth);
    if (inner >= task->depth)
        return;
    uint64_t to = task->frames[inner].back - 4;
    task->depth = inner;
    go(program, BRANCH_INDIRECT, to, top_of(program)->sp, false);
}

static void branch(struct program *program)
{
    uint32_t what = prng_below(&program->prng, 10);
    struct frame *top = top_of(program);
    if (what < 1) { // into another function, with any stack
        go(program, BRANCH_JUMP, somewhere_in(program, some_entry(program)), top->sp, false);
    } else if (what < 7) {
        go(program, BRANCH_JUMP, somewhere_in(program, top->entry), top->sp, false);
    } else if (what < 9) {
        go(program, BRANCH_INDIRECT, somewhere_in(program, top->entry), top->sp, false);
    } else { // a tail call
        top->entry = some_entry(program);
        top->sp = top->sp_at_entry;
        go(program, what % 2 ? BRANCH_INDIRECT : BRANCH_JUMP, top->entry, top->sp, false);
    }
}

static void step(struct program *program, unsigned odd)
{
    uint32_t what = prng_below(&program->prng, 100);
    if (!top_of(program)->is_exception)
        program->pc = somewhere_in(program, top_of(program)->entry);
    if (what < odd) {
        switch (prng_below(&program->prng, 3)) {
        case 0:
            take_exception(program);
            break;
        case 1:
            switch_task(program);
            break;
        default:
            jump_out(program);
        }
    } else if (what < 35) {
        call(program);
    } else if (what < 65) {
        return_from(program);
    } else {
        branch(program);
    }
}

static void run_program(struct program *program, uint64_t seed)
{
    *program =
        (struct program){.prng = {seed}, .rules = seed & 1 ? &riscv_exceptions : &arm_exceptions};
    unsigned odd = prng_below(&program->prng, 2) ? prng_below(&program->prng, 10) : 0;
    uint64_t stack_bytes = prng_below(&program->prng, 2) ? 0x4000 : 0x20000; // near others, or not
    program->has_handler_stack = prng_below(&program->prng, 2);
    program->noise = prng_below(&program->prng, 3) ? 0 : prng_below(&program->prng, 60);
    for (size_t i = 0; i < TASKS; i++) {
        uint64_t sp = STACKS + stack_bytes * (uint64_t)i;
        uint64_t entry = FIRST_FUNCTION + FUNCTION_BYTES * (uint64_t)i;
        program->tasks[i] =
            (struct task){.frames = {{entry, 0, sp, sp, false}}, .depth = 1, .pc = entry + 8};
    }
    while (program->count < STEPS)
        step(program, odd);
}

// --- In pieces and as a whole --------------------------------------------------------------------

struct outcome {
    struct call_content outermost;
    struct call_counts counts;
    struct task_log tasks;
};

static bool is_same_outcome(const struct outcome *a, const struct outcome *b)
{
    bool are_same = memcmp(&a->counts, &b->counts, sizeof a->counts) == 0 &&
                    a->tasks.tasks.count == b->tasks.tasks.count &&
                    a->tasks.switch_count == b->tasks.switch_count;
    for (size_t i = 0; are_same && i < a->tasks.tasks.count; i++) {
        const struct lane_task *a_task = &a->tasks.tasks.items[i],
                               *b_task = &b->tasks.tasks.items[i];
        are_same = a_task->stack == b_task->stack && a_task->stack_low == b_task->stack_low &&
                   a_task->entry == b_task->entry;
    }
    return are_same;
}

static void outcome_free(struct outcome *outcome)
{
    task_log_free(&outcome->tasks);
}

static struct node_ref end_of(const struct program *program)
{
    return node_at(program->event + 1, program->pc);
}

// How transfers are matched: by the machine's stack, or like the reference.
struct way {
    bool (*whole)(const struct program *program, const struct call_consumer *consumer,
                  struct outcome *outcome);
    bool (*pieces)(const struct program *program, const struct call_consumer *consumer,
                   struct prng *prng, struct outcome *outcome);
};

static bool match_by_shadow(const struct program *program, const struct call_consumer *consumer,
                            struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    struct shadow_stack *shadow =
        shadow_stack_new(consumer, NULL, program->rules, false, &outcome->tasks);
    const struct node_ref last = end_of(program);
    bool is_done = shadow != NULL;
    for (size_t i = 0; i < program->count && is_done; i++)
        is_done = shadow_stack_transfer(shadow, &program->transfers[i]);
    is_done = is_done && shadow_stack_finish(shadow, &last, &outcome->outermost, &outcome->counts);
    shadow_stack_free(shadow);
    return is_done;
}

// The number of transfers of the next piece, from `at` on.
static size_t piece_at(const struct program *program, struct prng *prng, size_t at)
{
    uint32_t longest = prng_percent(prng, 20) ? 2 * STEPS : 20;
    return (size_t)u64_min(1 + prng_below(prng, longest), program->count - at);
}

static bool join_by_shadow(const struct program *program, const struct call_consumer *consumer,
                           struct prng *prng, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    struct shadow_stack *shadow =
        shadow_stack_new(consumer, NULL, program->rules, false, &outcome->tasks);
    struct shadow_chunk *piece = shadow_chunk_new();
    void *store = consumer->stores->make(consumer->self);
    const struct chunk_options options = {
        .exceptions = program->rules, .stores = consumer->stores, .store = store};
    const struct node_ref last = end_of(program);
    bool is_done = shadow && piece && store;
    for (size_t at = 0, count; at < program->count && is_done; at += count) {
        count = piece_at(program, prng, at);
        consumer->stores->clear(store);
        is_done = shadow_chunk_match(piece, &options, program->transfers + at, count) &&
                  shadow_stack_join(shadow, piece);
    }
    is_done = is_done && shadow_stack_finish(shadow, &last, &outcome->outermost, &outcome->counts);
    consumer->stores->discard(store);
    shadow_chunk_free(piece);
    shadow_stack_free(shadow);
    return is_done;
}

static bool match_by_reference(const struct program *program, const struct call_consumer *consumer,
                               struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    struct call_matcher *matcher = call_matcher_new(consumer);
    struct call_decision decision;
    const struct node_ref last = end_of(program);
    bool is_done = matcher != NULL;
    for (size_t i = 0; i < program->count && is_done; i++)
        is_done = program->transfers[i].is_gap ||
                  call_matcher_transfer(matcher, &program->transfers[i], &decision);
    is_done =
        is_done && call_matcher_finish(matcher, &last, true, &outcome->outermost, &outcome->counts);
    call_matcher_free(matcher);
    return is_done;
}

static bool join_by_reference(const struct program *program, const struct call_consumer *consumer,
                              struct prng *prng, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    struct call_matcher *matcher = call_matcher_new(consumer);
    struct calls_chunk *piece = calls_chunk_new();
    void *store = consumer->stores->make(consumer->self);
    const struct node_ref last = end_of(program);
    bool is_done = matcher && piece && store;
    for (size_t at = 0, count; at < program->count && is_done; at += count) {
        count = piece_at(program, prng, at);
        consumer->stores->clear(store);
        is_done =
            calls_chunk_match(piece, consumer->stores, store, program->transfers + at, count) &&
            call_matcher_join(matcher, piece);
    }
    is_done =
        is_done && call_matcher_finish(matcher, &last, true, &outcome->outermost, &outcome->counts);
    consumer->stores->discard(store);
    calls_chunk_free(piece);
    call_matcher_free(matcher);
    return is_done;
}

static const struct way by_shadow = {match_by_shadow, join_by_shadow},
                        by_reference = {match_by_reference, join_by_reference};

static bool are_calls_same(struct call_list *a, call_ref a_place, struct call_list *b,
                           call_ref b_place)
{
    while (a_place && b_place) {
        struct listed_call a_call, b_call;
        call_list_read(a, a_place, &a_call);
        call_list_read(b, b_place, &b_call);
        if (!calls_equal(&a_call.call, &b_call.call) || a_call.call.how != b_call.call.how ||
            a_call.call.began != b_call.call.began ||
            !are_calls_same(a, a_call.first_child, b, b_call.first_child))
            return false;
        a_place = a_call.next_sibling;
        b_place = b_call.next_sibling;
    }
    return a_place == b_place;
}

static bool lists_are_same(const struct way *way, const struct program *program, struct prng *prng)
{
    struct call_list whole = {0}, joined = {0};
    const struct call_consumer of_whole = call_list_consumer(&whole),
                               of_joined = call_list_consumer(&joined);
    struct outcome expected, found;
    bool are_same = way->whole(program, &of_whole, &expected) &&
                    way->pieces(program, &of_joined, prng, &found) &&
                    is_same_outcome(&expected, &found) && whole.count == joined.count &&
                    are_calls_same(&whole, call_list_first(&expected.outermost), &joined,
                                   call_list_first(&found.outermost));
    outcome_free(&expected);
    outcome_free(&found);
    call_list_free(&whole);
    call_list_free(&joined);
    return are_same;
}

static size_t count_wrong_lists(const struct way *way)
{
    static struct program program;
    struct prng prng = {5};
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++) {
        run_program(&program, seed);
        for (int cuts = 0; cuts < 4; cuts++)
            wrong += !lists_are_same(way, &program, &prng);
    }
    return wrong;
}

static void pieces_have_the_calls_of_the_whole(void)
{
    CHECK(count_wrong_lists(&by_shadow) == 0);
}

static void pieces_leave_pending_what_the_whole_does(void)
{
    CHECK(count_wrong_lists(&by_reference) == 0);
}

// --- Contexts ------------------------------------------------------------------------------------

static uint32_t find_child(const struct context_tree *tree, uint32_t parent,
                           const struct context_node *like)
{
    uint32_t at = tree->nodes.items[parent].first_child;
    while (at && (tree->nodes.items[at].pc != like->pc || tree->nodes.items[at].kind != like->kind))
        at = tree->nodes.items[at].next_sibling;
    return at;
}

static bool are_contexts_same(const struct context_tree *a, uint32_t a_at,
                              const struct context_tree *b, uint32_t b_at)
{
    const struct context_node *a_node = &a->nodes.items[a_at], *b_node = &b->nodes.items[b_at];
    if (a_node->count != b_node->count || a_node->ticks != b_node->ticks ||
        a_node->ticks_inside != b_node->ticks_inside || a_node->child_count != b_node->child_count)
        return false;
    for (uint32_t at = a_node->first_child; at; at = a->nodes.items[at].next_sibling) {
        uint32_t there = find_child(b, b_at, &a->nodes.items[at]);
        if (!there || !are_contexts_same(a, at, b, there))
            return false;
    }
    return true;
}

static bool trees_are_same(const struct way *way, const struct program *program, struct prng *prng)
{
    struct context_tree whole, joined;
    if (!context_tree_init(&whole) || !context_tree_init(&joined))
        abort();
    const struct call_consumer of_whole = context_tree_consumer(&whole),
                               of_joined = context_tree_consumer(&joined);
    struct outcome expected, found;
    bool are_same =
        way->whole(program, &of_whole, &expected) && way->pieces(program, &of_joined, prng, &found);
    const struct node_ref first = node_at(0, FIRST_FUNCTION), last = end_of(program);
    uint32_t a = context_tree_root(&whole, &expected.outermost, &first, &last);
    uint32_t b = context_tree_root(&joined, &found.outermost, &first, &last);
    are_same = are_same && a && b && are_contexts_same(&whole, a, &joined, b);
    outcome_free(&expected);
    outcome_free(&found);
    context_tree_free(&whole);
    context_tree_free(&joined);
    return are_same;
}

static void pieces_have_the_contexts_of_the_whole(void)
{
    static struct program program;
    struct prng prng = {6};
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= SCRIPTS / 4; seed++) {
        run_program(&program, seed); // handlers and tasks have their own contexts elsewhere
        if (program.noise)
            continue;
        wrong += !trees_are_same(&by_shadow, &program, &prng);
        wrong += !trees_are_same(&by_reference, &program, &prng);
    }
    CHECK(wrong == 0);
}

const struct test_case call_chunks_tests[] = {
    {"pieces_have_the_calls_of_the_whole", pieces_have_the_calls_of_the_whole},
    {"pieces_leave_pending_what_the_whole_does", pieces_leave_pending_what_the_whole_does},
    {"pieces_have_the_contexts_of_the_whole", pieces_have_the_contexts_of_the_whole},
    {NULL, NULL},
};
