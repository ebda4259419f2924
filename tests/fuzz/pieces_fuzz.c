// Transfers of control that no program needs to make: if pieces of them are matched separately and
// then joined, the calls are those of the whole, in either reading, for any division into pieces.
//
// Input: two bytes of choices, then eight bytes for each transfer.
#include "arch/arm/arm.h"
#include "fuzz.h"

#include "flow/call_list.h"
#include "flow/calls.h"
#include "flow/shadow_chunk.h"

enum { TRANSFERS_MAX = 400, TRANSFER_BYTES = 8 };

struct run {
    struct transfer transfers[TRANSFERS_MAX];
    size_t count;
    uint64_t event;
    const uint8_t *choices;
};

// --- Transfers -----------------------------------------------------------------------------------

// Addresses in a few neighbouring functions, of vectors, and ones that may be invalid.
static uint64_t address_of(uint8_t byte)
{
    if (byte >= 0xf0)
        return byte == 0xff ? ADDRESS_UNKNOWN : 0x80000 + 0x80 * (uint64_t)(byte & 3);
    return 0x1000 + 0x100 * (uint64_t)(byte >> 4) + 4 * (uint64_t)(byte & 15);
}

// Stacks of several tasks, near each other or far apart.
static uint64_t stack_of(uint8_t byte)
{
    if (byte == 0xff)
        return ADDRESS_UNKNOWN;
    return 0x900000 + (byte & 0x80 ? 0x100000 : 0) + 0x4000 * (uint64_t)(byte >> 5 & 3) -
           16 * (uint64_t)(byte & 31);
}

static struct node_ref node_at(uint64_t event, uint64_t pc)
{
    return (struct node_ref){
        .event = event, .time = 3 * event, .line = event + 1, .position = 20 * event, .pc = pc};
}

static void add_transfer(struct run *run, const uint8_t bytes[TRANSFER_BYTES])
{
    static const uint8_t gaps[] = {0, 1, 2, 60};
    uint64_t from = address_of(bytes[0]), to = address_of(bytes[1]);
    uint8_t flags = bytes[6], more = bytes[7];
    from = from == ADDRESS_UNKNOWN ? 0x7000 : from;
    to = to == ADDRESS_UNKNOWN ? 0x7004 : to;
    struct transfer *transfer = &run->transfers[run->count++];
    *transfer = (struct transfer){
        .previous = node_at(run->event, from),
        .sp = stack_of(bytes[2]),
        .return_address = from + 4,
        .drop_below = flags & 1 ? stack_of(bytes[3]) : 0,
        .may_be_call = flags & 2,
        .is_exception = flags & 4,
        .is_gap = (flags & 0x18) == 0x18,
        .changes_mode = flags & 0x20,
        .changes_world = (flags & 0x22) == 0x22,
        .opens_frame = flags & 0x40,
        .is_overtaken = (more & 0xc0) == 0xc0,
        .from = {(enum branch_kind)(bytes[4] % (BRANCH_LEAVES + 1)), more & 1, flags & 0x40, from,
                 from + 4, address_of(bytes[5])},
        .sp_there = stack_of(bytes[3]),
        .sp_left = flags & 0x80 ? ADDRESS_UNKNOWN : stack_of(bytes[2]),
        .sp_user = more & 2 ? stack_of(bytes[2]) : ADDRESS_UNKNOWN,
        .resume = more & 4 ? from + 4 : ADDRESS_UNKNOWN,
        .link = more & 8 ? address_of(bytes[5]) : from + 4,
        .is_link_new = flags & 2,
    };
    run->event += 1 + gaps[more >> 4 & 3];
    transfer->node = node_at(run->event, to);
    run->event += bytes[4] >> 6;
}

// --- In pieces and as a whole --------------------------------------------------------------------

struct outcome {
    struct call_list list;
    struct call_content outermost;
    struct call_counts counts;
    struct task_log tasks;
};

static size_t piece_at(const struct run *run, size_t at)
{
    size_t longest = run->choices[1] & 0x80 ? TRANSFERS_MAX : 8;
    uint64_t choice = fuzz_mix(run->choices[1], at);
    return (size_t)u64_min(1 + choice % longest, run->count - at);
}

static void match_shadow(const struct run *run, bool is_whole, struct outcome *outcome)
{
    const struct call_consumer consumer = call_list_consumer(&outcome->list);
    struct shadow_stack *shadow =
        shadow_stack_new(&consumer, NULL, &arm_exceptions, run->choices[0] & 1, &outcome->tasks);
    struct shadow_chunk *piece = shadow_chunk_new();
    void *store = consumer.stores->make(consumer.self);
    const struct chunk_options options = {.exceptions = &arm_exceptions,
                                          .returned_only = run->choices[0] & 1,
                                          .stores = consumer.stores,
                                          .store = store};
    const struct node_ref last = node_at(run->event + 1, 0x1000);
    CLAIM(shadow && piece && store);
    for (size_t at = 0, count; at < run->count; at += count) {
        count = is_whole ? 1 : piece_at(run, at);
        consumer.stores->clear(store);
        if (is_whole)
            CLAIM(shadow_stack_transfer(shadow, &run->transfers[at]));
        else
            CLAIM(shadow_chunk_match(piece, &options, run->transfers + at, count) &&
                  shadow_stack_join(shadow, piece));
    }
    CLAIM(shadow_stack_finish(shadow, &last, &outcome->outermost, &outcome->counts));
    consumer.stores->discard(store);
    shadow_chunk_free(piece);
    shadow_stack_free(shadow);
}

static void match_reference(const struct run *run, bool is_whole, struct outcome *outcome)
{
    const struct call_consumer consumer = call_list_consumer(&outcome->list);
    struct call_matcher *matcher = call_matcher_new(&consumer);
    struct calls_chunk *piece = calls_chunk_new();
    void *store = consumer.stores->make(consumer.self);
    struct call_decision decision;
    const struct node_ref last = node_at(run->event + 1, 0x1000);
    CLAIM(matcher && piece && store);
    for (size_t at = 0, count; at < run->count; at += count) {
        const struct transfer *transfers = run->transfers + at;
        count = is_whole ? 1 : piece_at(run, at);
        consumer.stores->clear(store);
        if (is_whole)
            CLAIM(transfers->is_gap || call_matcher_transfer(matcher, transfers, &decision));
        else
            CLAIM(calls_chunk_match(piece, consumer.stores, store, transfers, count) &&
                  call_matcher_join(matcher, piece));
    }
    CLAIM(call_matcher_finish(matcher, &last, run->choices[0] & 2, &outcome->outermost,
                              &outcome->counts));
    consumer.stores->discard(store);
    calls_chunk_free(piece);
    call_matcher_free(matcher);
}

// --- Results -------------------------------------------------------------------------------------

static uint64_t mix_node(uint64_t hash, const struct node_ref *node)
{
    return fuzz_mix(fuzz_mix(hash, node->event), node->pc);
}

static uint64_t mix_calls(uint64_t hash, struct call_list *list, call_ref place)
{
    struct listed_call listed;
    for (; place; place = listed.next_sibling) {
        call_list_read(list, place, &listed);
        const struct call *call = &listed.call;
        hash = mix_node(mix_node(hash, &call->site), &call->entry);
        hash = mix_node(mix_node(hash, &call->exit), &call->resume);
        hash = fuzz_mix(fuzz_mix(fuzz_mix(hash, call->began), call->how), call->is_open);
        hash = mix_calls(fuzz_mix(hash, 1), list, listed.first_child);
    }
    return fuzz_mix(hash, 2);
}

static uint64_t print_of(struct outcome *outcome)
{
    uint64_t hash = fuzz_mix_bytes(outcome->list.count, &outcome->counts, sizeof outcome->counts);
    for (size_t i = 0; i < outcome->tasks.tasks.count; i++) {
        const struct lane_task *task = &outcome->tasks.tasks.items[i];
        hash = fuzz_mix(fuzz_mix(fuzz_mix(hash, task->stack), task->stack_low), task->entry);
    }
    hash = fuzz_mix(hash, outcome->tasks.switch_count);
    return mix_calls(hash, &outcome->list, call_list_first(&outcome->outermost));
}

static void check(const struct run *run,
                  void (*match)(const struct run *, bool is_whole, struct outcome *))
{
    uint64_t prints[2];
    for (int i = 0; i < 2; i++) {
        struct outcome outcome = {0};
        match(run, i == 0, &outcome);
        prints[i] = print_of(&outcome);
        task_log_free(&outcome.tasks);
        call_list_free(&outcome.list);
    }
    CLAIM(prints[0] == prints[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static struct run run;
    if (size_bytes < 2 + TRANSFER_BYTES)
        return 0;
    run = (struct run){.choices = data};
    for (size_t at = 2; at + TRANSFER_BYTES <= size_bytes && run.count < TRANSFERS_MAX;
         at += TRANSFER_BYTES)
        add_transfer(&run, data + at);
    check(&run, match_shadow);
    check(&run, match_reference);
    return 0;
}
