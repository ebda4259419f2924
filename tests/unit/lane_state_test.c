// The step over a whole chunk is compared with the walk over its marks: both must give the same
// state.
#include "trace/lines/lane_state.h"
#include "trace/lines/marks_add.h"
#include "trace/tarmac/tarmac.h"

#include "random.h"
#include "test.h"
#include "trace/lines/scan.h"

#define CASES 40000
#define LINES_MAX 24

static const struct scan_options keep_nothing = {.language = &tarmac_language, .keep_nodes = false};

// --- Random lines, as from the reader
// -------------------------------------------------------------

struct line_maker {
    struct prng prng;
    uint64_t time, pc;
    uint32_t time_spread; // 0: time does not advance
    enum isa_state isa;
    char value[40];
};

static uint64_t random_time(struct line_maker *maker)
{
    if (maker->time_spread && prng_percent(&maker->prng, 50))
        maker->time += prng_below(&maker->prng, maker->time_spread);
    if (maker->time_spread && prng_percent(&maker->prng, 10)) // the clock goes back
        maker->time -= u64_min(maker->time, prng_below(&maker->prng, 4 * maker->time_spread));
    return maker->time;
}

static void make_instruction(struct line_maker *maker, struct trace_line *line)
{
    if (prng_percent(&maker->prng, 10))
        maker->isa = (enum isa_state)prng_below(&maker->prng, 3);
    if (prng_percent(&maker->prng, 25))
        maker->pc = 0x1000 + 2 * (uint64_t)prng_below(&maker->prng, 32);
    uint32_t size_bytes = maker->isa == ISA_THUMB ? 2 : 4;
    line->kind = LINE_INSTRUCTION;
    line->instruction = (struct line_instruction){
        .address = maker->pc, .size_bytes = size_bytes, .isa = maker->isa, .executed = true};
    line->instruction.summary = mark_summary_of(&line->instruction);
    maker->pc += size_bytes;
}

// A register with tracked bytes, and a value that updates all, some or none of them.
static void make_register(struct line_maker *maker, struct trace_line *line)
{
    static const char *const names[] = {"r13", "r14", "x13", "w14", "x14", "x30",
                                        "w30", "xsp", "wsp", "x12", "e13", "x29"};
    const char *name = names[prng_below(&maker->prng, ARRAY_COUNT(names))];
    line->kind = LINE_REGISTER;
    line->reg = (struct line_register){.name = register_find(name, strlen(name), READING_TTU)};
    bool is_surplus = prng_percent(&maker->prng, 5); // more digits than the register has
    size_t digits = line->reg.name.size_bytes * (is_surplus ? 4 : 2);
    uint32_t hyphens = prng_percent(&maker->prng, 30) ? 50 : 0;
    for (size_t i = 0; i < digits; i += 2) {
        bool is_kept = prng_percent(&maker->prng, hyphens);
        maker->value[i] = is_kept ? '-' : '0';
        maker->value[i + 1] = is_kept ? '-' : "01234567"[prng_below(&maker->prng, 8)];
    }
    line->reg.value_start = maker->value;
    line->reg.value_end = maker->value + digits;
    line->reg.size_bytes = line->reg.name.size_bytes;
    line->reg.is_plain = !hyphens;
}

static void make_line(struct line_maker *maker, struct trace_line *line)
{
    static const enum line_kind others[] = {LINE_TEXT, LINE_MEMORY, LINE_EXCEPTION, LINE_NOTHING};
    *line = (struct trace_line){.time = random_time(maker)};
    uint32_t kind = prng_below(&maker->prng, 10);
    if (kind < 4)
        make_instruction(maker, line);
    else if (kind < 8)
        make_register(maker, line);
    else
        line->kind = others[prng_below(&maker->prng, ARRAY_COUNT(others))];
}

static void make_marks(struct line_maker *maker, struct marks *marks)
{
    uint32_t count = prng_below(&maker->prng, LINES_MAX);
    uint32_t gap_percent = prng_percent(&maker->prng, 30) ? 15 : 0;
    marks_reset(marks);
    for (uint32_t i = 0; i < count; i++) {
        struct trace_line line;
        make_line(maker, &line);
        CHECK(prng_percent(&maker->prng, gap_percent)
                  ? marks_add_gap(marks, i, 10 * i)
                  : marks_add_line(marks, &line, i, 10 * i, true));
    }
}

// --- States --------------------------------------------------------------------------------------

static bool nodes_equal(const struct node_ref *a, const struct node_ref *b)
{
    return a->time == b->time && a->line == b->line && a->position == b->position && a->pc == b->pc;
}

// Everything except the numbers of nodes, which only a scan counts.
static bool states_equal(const struct lane_state *a, const struct lane_state *b)
{
    return a->time == b->time && a->has_node == b->has_node &&
           a->has_instruction == b->has_instruction && a->has_root == b->has_root &&
           a->has_flow == b->has_flow && a->mode == b->mode && a->lr_age == b->lr_age &&
           (!a->has_flow || a->next_pc == b->next_pc) && nodes_equal(&a->node, &b->node) &&
           nodes_equal(&a->previous, &b->previous) &&
           memcmp(&a->now, &b->now, sizeof a->now) == 0 &&
           memcmp(&a->before, &b->before, sizeof a->before) == 0;
}

// The initial state is what `chunks` other random chunks left; 0: the start state.
static void carry_in(struct line_maker *maker, struct lane_state *state, struct marks *marks,
                     struct scan_result *result, uint32_t chunks)
{
    *state = LANE_STATE_START;
    for (uint32_t i = 0; i < chunks; i++) {
        const struct chunk_base base = {100 * i, 1000 * i};
        make_marks(maker, marks);
        CHECK(scan_marks(state, marks, NULL, &base, &keep_nothing, result));
    }
}

static bool resolves_like_scan(uint64_t seed, struct marks *marks, struct scan_result *result)
{
    static const uint32_t spreads[] = {0, 2, 20};
    struct line_maker maker = {.prng = {seed}, .pc = 0x1000};
    static const struct scan_options drops = {.language = &tarmac_language,
                                              .drop_transfers = true}; // has no effect
    struct lane_state scanned, resolved, dropped;
    struct marks_summary summary;
    const struct chunk_base base = {1000, 100000};
    maker.isa = (enum isa_state)prng_below(&maker.prng, 3);
    maker.time_spread = spreads[prng_below(&maker.prng, 3)];
    carry_in(&maker, &scanned, marks, result, prng_below(&maker.prng, 3));
    make_marks(&maker, marks);
    marks_summarize(marks, &summary);
    resolved = dropped = scanned;
    if (!lane_state_can_resolve(&resolved, marks))
        return false;
    lane_state_resolve(&resolved, marks, &summary, &base);
    return scan_marks(&scanned, marks, NULL, &base, &keep_nothing, result) &&
           scan_marks(&dropped, marks, NULL, &base, &drops, result) &&
           states_equal(&scanned, &resolved) && states_equal(&scanned, &dropped);
}

static void resolving_is_scanning(void)
{
    struct marks marks = {0};
    struct scan_result result = {0};
    int wrong = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        wrong += !resolves_like_scan(seed, &marks, &result);
    CHECK(wrong == 0);
    marks_free(&marks);
    scan_result_free(&result);
}

static void endless_time_is_left_to_the_scan(void)
{
    struct marks marks = {0};
    struct lane_state state = LANE_STATE_START;
    const struct trace_line endless = {.kind = LINE_TEXT, .time = NO_TIME};
    const struct trace_line usual = {.kind = LINE_TEXT, .time = 5};
    marks_reset(&marks);
    CHECK(lane_state_can_resolve(&state, &marks));
    CHECK(marks_add_line(&marks, &usual, 0, 0, true));
    CHECK(lane_state_can_resolve(&state, &marks));
    state.has_node = true; // with the time NO_TIME
    CHECK(!lane_state_can_resolve(&state, &marks));
    state = LANE_STATE_START;
    CHECK(marks_add_line(&marks, &endless, 1, 10, true));
    CHECK(!lane_state_can_resolve(&state, &marks));
    marks_free(&marks);
}

const struct test_case lane_state_tests[] = {
    {"resolving_is_scanning", resolving_is_scanning},
    {"endless_time_is_left_to_the_scan", endless_time_is_left_to_the_scan},
    {NULL, NULL},
};
