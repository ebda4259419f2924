// The shadow stack is compared with the true stack of a machine that runs a random program with
// calls, returns, branches, exceptions and jumps out of frames.
#include "arch/arm/arm.h"
#include "arch/riscv/riscv.h"
#include "flow/shadow_stack.h"
#include "random.h"
#include "test.h"

#define FUNCTIONS 6
#define FUNCTION_BYTES 0x1000
#define FIRST_FUNCTION 0x100000
#define VECTORS 0x80000
#define STACK_TOP 0x900000

#define STEPS 120
#define DEPTH_MAX 24
#define EVENTS_MAX (4 * STEPS)
#define SCRIPTS 3000

// --- The machine ---------------------------------------------------------------------------------

struct true_frame {
    uint64_t entry, return_address;
    uint64_t sp_at_entry, sp; // `sp` is the current one; for a frame that called another one, the
                              // one at the call
    bool is_exception;
    // Of an exception that came before the first instruction of a function: that, and where it
    // returns to; 0: none. Nothing shows this before the exception returns.
    uint64_t called, called_from;
};

struct machine {
    struct prng prng;
    bool is_silent; // the trace does not show exceptions, which all go to one place
    struct shadow_stack *shadow;
    struct true_frame frames[DEPTH_MAX];
    size_t depth; // the root, which is not a call, is frame 0
    uint64_t pc, event;
    // The truth after each event: the depth, and the entries of the frames from the root.
    uint64_t stacks[EVENTS_MAX][DEPTH_MAX];
    size_t depths[EVENTS_MAX];
};

static struct true_frame *top_of(struct machine *machine)
{
    return &machine->frames[machine->depth - 1];
}

static uint64_t somewhere_in(struct machine *machine, uint64_t entry)
{
    return entry + 4 + 4 * (uint64_t)prng_below(&machine->prng, FUNCTION_BYTES / 4 - 16);
}

static void keep_stack(struct machine *machine, uint64_t event)
{
    machine->depths[event] = machine->depth;
    for (size_t i = 0; i < machine->depth; i++)
        machine->stacks[event][i] = machine->frames[i].entry;
}

static struct node_ref node_at(uint64_t event, uint64_t pc)
{
    return (struct node_ref){.event = event, .time = event, .line = event + 1, .pc = pc};
}

// Sends control to `to` with an instruction of this kind and target, after its effect on the stack.
static void go_by(struct machine *machine, enum branch_kind kind, uint64_t target, uint64_t to,
                  uint64_t sp_left, bool is_exception)
{
    struct transfer transfer = {
        .previous = node_at(machine->event, machine->pc),
        .is_exception = is_exception,
        .from = {kind, false, false, machine->pc, machine->pc + 4, target},
        .sp_there = top_of(machine)->sp,
        .sp_left = sp_left,
        .sp_user = ADDRESS_UNKNOWN,
        .resume = ADDRESS_UNKNOWN,
        .link = kind == BRANCH_CALL ? machine->pc + 4 : ADDRESS_UNKNOWN,
    };
    machine->event++;
    transfer.node = node_at(machine->event, to);
    keep_stack(machine, machine->event);
    CHECK(shadow_stack_transfer(machine->shadow, &transfer));
    // Some consecutive instructions; those of a function use stack space.
    machine->pc = to;
    for (uint32_t i = prng_below(&machine->prng, 3); i; i--)
        keep_stack(machine, ++machine->event);
    if (to == top_of(machine)->entry)
        top_of(machine)->sp =
            top_of(machine)->sp_at_entry - 0x10 - 0x10 * prng_below(&machine->prng, 4);
}

static void go(struct machine *machine, enum branch_kind kind, uint64_t to, uint64_t sp_left,
               bool is_exception)
{
    bool has_target = kind == BRANCH_JUMP || kind == BRANCH_CALL;
    go_by(machine, kind, has_target ? to : ADDRESS_UNKNOWN, to, sp_left, is_exception);
}

static void call(struct machine *machine, uint64_t entry)
{
    uint64_t sp = top_of(machine)->sp;
    if (machine->depth == DEPTH_MAX)
        return;
    machine->frames[machine->depth++] = (struct true_frame){
        .entry = entry, .return_address = machine->pc + 4, .sp_at_entry = sp, .sp = sp};
    go(machine, BRANCH_CALL, entry, sp, false);
}

static void return_from(struct machine *machine)
{
    const struct true_frame frame = *top_of(machine);
    if (machine->depth == 1)
        return;
    machine->depth--;
    if (frame.called)
        machine->frames[machine->depth++] = (struct true_frame){.entry = frame.called,
                                                                .return_address = frame.called_from,
                                                                .sp_at_entry = frame.sp_at_entry,
                                                                .sp = frame.sp_at_entry};
    if (!frame.is_exception && machine->pc == frame.return_address)
        machine->pc += 4; // an instruction does not return to itself
    go(machine, frame.is_exception ? BRANCH_LEAVES : BRANCH_RETURN, frame.return_address,
       frame.sp_at_entry, false);
}

static void tail_call(struct machine *machine, uint64_t entry)
{
    struct true_frame *top = top_of(machine);
    if (machine->depth == 1 || top->is_exception || top->entry == entry)
        return;
    top->entry = entry;
    top->sp = top->sp_at_entry;
    go(machine, BRANCH_JUMP, entry, top->sp, false);
}

static void take_exception(struct machine *machine)
{
    uint64_t sp = top_of(machine)->sp;
    uint64_t vector = VECTORS + 0x80 * (uint64_t)prng_below(&machine->prng, 4);
    if (machine->depth == DEPTH_MAX)
        return;
    machine->frames[machine->depth++] = (struct true_frame){.entry = vector,
                                                            .return_address = machine->pc + 4,
                                                            .sp_at_entry = sp,
                                                            .sp = sp,
                                                            .is_exception = true};
    go(machine, BRANCH_NONE, vector, sp, true);
}

// An exception that only a break in the flow shows: between two instructions, or before the first
// one that a call or a return leads to.
static void take_silent_exception(struct machine *machine, uint64_t entry)
{
    struct true_frame handler = {.entry = VECTORS,
                                 .return_address = machine->pc + 4,
                                 .sp_at_entry = top_of(machine)->sp,
                                 .is_exception = true};
    const uint32_t what = machine->event ? prng_below(&machine->prng, 4) : 0;
    enum branch_kind kind = BRANCH_NONE;
    uint64_t target = ADDRESS_UNKNOWN;
    if (machine->depth + 2 > DEPTH_MAX || top_of(machine)->is_exception)
        return;
    if (what == 1 || what == 2) { // a call by a pointer looks like one of the handler
        kind = BRANCH_CALL;
        target = what == 2 ? entry : ADDRESS_UNKNOWN;
        handler.called = handler.return_address = entry;
        handler.called_from = machine->pc + 4;
    } else if (what == 3 && machine->depth > 1 &&
               !machine->frames[machine->depth - 2].is_exception &&
               top_of(machine)->return_address != machine->pc + 4) { // it is no call, too
        kind = BRANCH_RETURN;
        handler.return_address = top_of(machine)->return_address;
        handler.sp_at_entry = top_of(machine)->sp_at_entry;
        machine->depth--;
    }
    handler.sp = handler.sp_at_entry;
    machine->frames[machine->depth++] = handler;
    go_by(machine, kind, target, VECTORS, handler.sp, false);
}

// Jumps to a frame farther out, past frames that never return.
static void jump_out(struct machine *machine)
{
    size_t inner = machine->depth - 1, count = 1 + prng_below(&machine->prng, 3);
    for (; count && inner > 1 && !machine->frames[inner].is_exception; count--)
        inner--;
    bool is_own = machine->frames[inner].entry == top_of(machine)->entry; // as in a branch table
    if (inner < 2 || machine->frames[inner].is_exception || inner + 1 >= machine->depth || is_own)
        return;
    machine->depth = inner + 1;
    uint64_t to = machine->frames[inner + 1].return_address - 4; // unlikely to be a return address
    go(machine, BRANCH_INDIRECT, to, top_of(machine)->sp, false);
}

static void step(struct machine *machine)
{
    uint32_t what = prng_below(&machine->prng, 100);
    uint64_t entry =
        FIRST_FUNCTION + FUNCTION_BYTES * (uint64_t)prng_below(&machine->prng, FUNCTIONS);
    if (!top_of(machine)->is_exception)
        machine->pc = somewhere_in(machine, top_of(machine)->entry);
    if (what < 30)
        call(machine, entry);
    else if (what < 62)
        return_from(machine);
    else if (what < 72)
        tail_call(machine, entry);
    else if (what < 80 && machine->is_silent)
        take_silent_exception(machine, entry);
    else if (what < 80)
        take_exception(machine);
    else if (what < 86)
        jump_out(machine);
    else if (!top_of(machine)->is_exception)
        go(machine, BRANCH_JUMP, somewhere_in(machine, top_of(machine)->entry), 0, false);
}

// --- Results -------------------------------------------------------------------------------------

struct calls {
    struct call items[2 * STEPS + 2 * FUNCTIONS];
    size_t count;
};

static bool keep_call(void *self, struct call_content *into, const struct call *ended,
                      const struct call_content *inner)
{
    struct calls *calls = self;
    (void)into;
    (void)inner;
    calls->items[calls->count++] = *ended;
    return true;
}

static bool merge_nothing(void *self, struct call_content *into, const struct call_content *from)
{
    (void)self;
    (void)into;
    (void)from;
    return true;
}

// The innermost of `calls` around an event that begins after `after`; NULL: there is none.
static const struct call *next_around(const struct calls *calls, uint64_t event, uint64_t after)
{
    const struct call *found = NULL;
    for (size_t i = 0; i < calls->count; i++) {
        const struct call *item = &calls->items[i];
        if (item->entry.event > after && item->entry.event <= event && item->exit.event >= event &&
            (!found || item->entry.event < found->entry.event))
            found = item;
    }
    return found;
}

static bool stack_is_true(const struct machine *machine, const struct calls *calls, uint64_t event)
{
    uint64_t after = 0;
    for (size_t i = 1; i < machine->depths[event]; i++) {
        const struct call *item = next_around(calls, event, after);
        if (!item || item->entry.pc != machine->stacks[event][i])
            return false;
        after = item->entry.event;
    }
    return !next_around(calls, event, after);
}

// Functions are known from images, or from a call of each.
static size_t count_wrong_stacks(uint64_t seed, const struct function_map *functions,
                                 bool is_silent)
{
    static struct machine machine;
    struct calls calls = {.count = 0};
    const struct call_consumer consumer = {
        .self = &calls, .fold = keep_call, .merge = merge_nothing};
    struct call_content outermost;
    struct call_counts counts;
    size_t wrong = 0;
    machine = (struct machine){
        .prng = {seed},
        .is_silent = is_silent,
        .shadow = shadow_stack_new(&consumer, functions,
                                   is_silent ? &riscv_exceptions : &arm_exceptions, false, NULL),
        .depth = 1,
        .frames = {{.entry = 0x1000, .sp = STACK_TOP}}};
    CHECK(machine.shadow);
    keep_stack(&machine, 0);
    for (uint64_t i = 0; i < FUNCTIONS && !functions;
         i++) { // so that branches are known to go to functions
        machine.pc = 0x1000 + 0x10 * i;
        call(&machine, FIRST_FUNCTION + FUNCTION_BYTES * i);
        machine.pc = somewhere_in(&machine, top_of(&machine)->entry);
        return_from(&machine);
    }
    if (is_silent) { // the first one shows where the handler is
        take_silent_exception(&machine, FIRST_FUNCTION);
        return_from(&machine);
    }
    for (int i = 0; i < STEPS; i++)
        step(&machine);
    const struct node_ref last = node_at(machine.event, machine.pc);
    CHECK(shadow_stack_finish(machine.shadow, &last, &outermost, &counts));
    shadow_stack_free(machine.shadow);
    for (uint64_t event = 0; event <= machine.event; event++)
        wrong += !stack_is_true(&machine, &calls, event);
    return wrong;
}

static void stacks_are_those_of_the_machine(void)
{
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++)
        wrong += count_wrong_stacks(seed, NULL, false);
    CHECK(wrong == 0);
}

static void exceptions_that_nothing_shows_are_found(void)
{
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++)
        wrong += count_wrong_stacks(seed, NULL, true);
    CHECK(wrong == 0);
}

static void functions_that_are_known_need_no_calls(void)
{
    size_t wrong = 0;
    struct function_span spans[FUNCTIONS];
    struct function_map map;
    for (uint64_t i = 0; i < FUNCTIONS; i++)
        spans[i] = (struct function_span){.start = FIRST_FUNCTION + FUNCTION_BYTES * i,
                                          .size = FUNCTION_BYTES};
    CHECK(function_map_build(&map, spans, FUNCTIONS));
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++)
        wrong += count_wrong_stacks(seed, &map, false);
    function_map_free(&map);
    CHECK(wrong == 0);
}

// --- Depth ---------------------------------------------------------------------------------------

#define DEEP_CALLS 1000000

// Counts calls that end where they should.
static bool count_nested(void *self, struct call_content *into, const struct call *ended,
                         const struct call_content *inner)
{
    uint64_t *right = self;
    (void)into;
    (void)inner;
    *right += ended->entry.event + ended->exit.event == 2 * DEEP_CALLS && !ended->is_open;
    return true;
}

static bool go_deep(struct shadow_stack *shadow, uint64_t event, bool is_call)
{
    uint64_t depth = is_call ? event - 1 : 2 * DEEP_CALLS - event;
    uint64_t from = is_call ? 0x1004 : 0x100c, to = is_call ? 0x1000 : 0x1008;
    uint64_t sp = (UINT64_C(1) << 40) - 16 * depth;
    const struct transfer transfer = {
        .previous = node_at(event - 1, from),
        .node = node_at(event, to),
        .from = {is_call ? BRANCH_CALL : BRANCH_RETURN, false, false, from, from + 4,
                 is_call ? to : ADDRESS_UNKNOWN},
        .sp_there = sp,
        .sp_left = sp,
        .link = ADDRESS_UNKNOWN,
    };
    return shadow_stack_transfer(shadow, &transfer);
}

static void a_million_open_calls_return(void)
{
    uint64_t right = 0;
    const struct call_consumer consumer = {
        .self = &right, .fold = count_nested, .merge = merge_nothing};
    struct call_content outermost;
    struct call_counts counts;
    struct shadow_stack *shadow = shadow_stack_new(&consumer, NULL, &arm_exceptions, false, NULL);
    bool is_done = shadow != NULL;
    for (uint64_t event = 1; event <= 2 * DEEP_CALLS && is_done; event++)
        is_done = go_deep(shadow, event, event <= DEEP_CALLS);
    const struct node_ref last = node_at(2 * DEEP_CALLS, 0x1008);
    CHECK(is_done && shadow_stack_finish(shadow, &last, &outermost, &counts));
    CHECK(right == DEEP_CALLS && counts.returned == DEEP_CALLS && counts.unreturned == 0);
    shadow_stack_free(shadow);
}

// --- Functions known without images --------------------------------------------------------------

// An instruction at `from` that sends control to `to`.
struct sent {
    enum branch_kind kind;
    uint64_t from, to, sp;
    bool is_exception; // an exception occurs instead
};

struct counted {
    uint64_t entry, calls;
};

static bool count_calls(void *self, struct call_content *into, const struct call *ended,
                        const struct call_content *inner)
{
    struct counted *counted = self;
    (void)into;
    (void)inner;
    counted->calls += ended->entry.pc == counted->entry;
    return true;
}

// How many calls of a function the shadow stack finds.
static uint64_t calls_of(uint64_t entry, const struct sent *sent, size_t count)
{
    struct counted counted = {.entry = entry};
    const struct call_consumer consumer = {
        .self = &counted, .fold = count_calls, .merge = merge_nothing};
    struct call_content outermost;
    struct call_counts counts;
    struct shadow_stack *shadow = shadow_stack_new(&consumer, NULL, &arm_exceptions, false, NULL);
    CHECK(shadow);
    for (size_t i = 0; i < count; i++) {
        bool has_target = sent[i].kind == BRANCH_JUMP || sent[i].kind == BRANCH_CALL;
        const struct transfer transfer = {
            .previous = node_at(2 * i, sent[i].from),
            .node = node_at(2 * i + 1, sent[i].to),
            .is_exception = sent[i].is_exception,
            .from = {sent[i].kind, false, false, sent[i].from, sent[i].from + 4,
                     has_target ? sent[i].to : ADDRESS_UNKNOWN},
            .sp_there = sent[i].sp,
            .sp_left = sent[i].sp,
            .sp_user = ADDRESS_UNKNOWN,
            .resume = ADDRESS_UNKNOWN,
            .link = sent[i].kind == BRANCH_CALL ? sent[i].from + 4 : ADDRESS_UNKNOWN,
        };
        CHECK(shadow_stack_transfer(shadow, &transfer));
    }
    const struct node_ref last = node_at(2 * count, sent[count - 1].to);
    CHECK(shadow_stack_finish(shadow, &last, &outermost, &counts));
    shadow_stack_free(shadow);
    return counted.calls;
}

static void a_pointer_leads_to_the_start_of_a_function(void)
{
    const struct sent sent[] = {
        {BRANCH_CALL, 0x1004, 0x3000, 0x8000, false},
        {BRANCH_RETURN, 0x3004, 0x1008, 0x8000, false},
        {BRANCH_CALL, 0x1008, 0x2000, 0x8000, false},
        {BRANCH_INDIRECT, 0x2004, 0x4000, 0x8000, false}, // after 0x3000
        {BRANCH_RETURN, 0x4004, 0x100c, 0x8000, false},
        {BRANCH_CALL, 0x100c, 0x3000, 0x8000, false},
        {BRANCH_JUMP, 0x3004, 0x5000, 0x8000, false}, // after 0x4000
        {BRANCH_RETURN, 0x5004, 0x1010, 0x8000, false},
    };
    CHECK(calls_of(0x4000, sent, ARRAY_COUNT(sent)) == 1);
    CHECK(calls_of(0x5000, sent, ARRAY_COUNT(sent)) == 1);
}

static void a_handler_branches_on_with_its_stack(void)
{
    const struct sent sent[] = {
        {BRANCH_NONE, 0x1004, VECTORS, 0x8000, true},
        {BRANCH_JUMP, VECTORS, 0x2000, 0x8000, false},
        {BRANCH_LEAVES, 0x2004, 0x1008, 0x8000, false},
        {BRANCH_NONE, 0x100c, VECTORS + 0x80, 0x8000, true},
        {BRANCH_JUMP, VECTORS + 0x80, 0x2100, 0x8000, false},
        {BRANCH_LEAVES, 0x2104, 0x1010, 0x8000, false},
        {BRANCH_NONE, 0x1014, VECTORS, 0x8000, true},
        {BRANCH_JUMP, VECTORS, 0x2000, 0x8000, false},
        {BRANCH_JUMP, 0x2004, 0x2040, 0x7ff0, false}, // in the same handler
        {BRANCH_JUMP, 0x2044, 0x2200, 0x7ff0, false}, // after the other handler
        {BRANCH_LEAVES, 0x2204, 0x1018, 0x8000, false},
    };
    CHECK(calls_of(0x2040, sent, ARRAY_COUNT(sent)) == 0);
    CHECK(calls_of(0x2200, sent, ARRAY_COUNT(sent)) == 1);
}

static void nothing_returns_to_a_vector(void)
{
    const struct sent sent[] = {
        {BRANCH_NONE, 0x1004, VECTORS, 0x8000, true},
        {BRANCH_JUMP, VECTORS, 0x2000, 0x8000, false},
        {BRANCH_LEAVES, 0x2004, VECTORS + 0x80, 0x8000, false}, // to a vector: an interrupt
                                                                // occurred
        {BRANCH_JUMP, VECTORS + 0x80, 0x2100, 0x8000, false},
        {BRANCH_LEAVES, 0x2104, 0x1008, 0x8000, false},
        {BRANCH_NONE, 0x1010, VECTORS, 0x8000, true},
        {BRANCH_LEAVES, VECTORS + 8, VECTORS + 0x840, 0x8000, false}, // not to a vector
    };
    CHECK(calls_of(VECTORS, sent, ARRAY_COUNT(sent)) == 2);
    CHECK(calls_of(VECTORS + 0x80, sent, ARRAY_COUNT(sent)) == 1);
    CHECK(calls_of(0x2100, sent, ARRAY_COUNT(sent)) == 1);
    CHECK(calls_of(VECTORS + 0x840, sent, ARRAY_COUNT(sent)) == 0);
}

const struct test_case shadow_stack_tests[] = {
    {"nothing_returns_to_a_vector", nothing_returns_to_a_vector},
    {"a_pointer_leads_to_the_start_of_a_function", a_pointer_leads_to_the_start_of_a_function},
    {"a_handler_branches_on_with_its_stack", a_handler_branches_on_with_its_stack},
    {"a_million_open_calls_return", a_million_open_calls_return},
    {"stacks_are_those_of_the_machine", stacks_are_those_of_the_machine},
    {"exceptions_that_nothing_shows_are_found", exceptions_that_nothing_shows_are_found},
    {"functions_that_are_known_need_no_calls", functions_that_are_known_need_no_calls},
    {NULL, NULL},
};
