// Alignments of random sequences: reported equal parts are equal, everything is reported exactly
// once, and only what was inserted is reported as different.
#include "diff/lane_diff.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

enum { KEYS_MAX = 80000 };

// A sequence that is read in chunks of any size.
struct sequence {
    uint64_t keys[KEYS_MAX];
    size_t count, chunk;
};

static enum status read_keys(void *self, uint64_t at, const uint64_t **keys, size_t *count,
                             struct error *err)
{
    const struct sequence *sequence = self;
    (void)err;
    *count = 0;
    *keys = sequence->keys;
    if (at >= sequence->count)
        return STATUS_OK;
    size_t left_of_chunk = sequence->chunk - at % sequence->chunk;
    *keys += at;
    *count = (size_t)u64_min(sequence->count - at, left_of_chunk);
    return STATUS_OK;
}

struct outcome {
    const struct sequence *sequences[2];
    uint64_t at[2], same, only[2], stretches, first[2], digest;
    bool is_right, is_rough;
};

static void note(struct outcome *outcome, uint64_t value)
{
    outcome->digest = (outcome->digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static enum status take_same(void *self, const uint64_t at[2], uint64_t count, struct error *err)
{
    struct outcome *outcome = self;
    (void)err;
    for (int side = 0; side < 2; side++) {
        outcome->is_right &=
            at[side] == outcome->at[side] && at[side] + count <= outcome->sequences[side]->count;
        outcome->at[side] += count;
    }
    outcome->is_right &= count > 0;
    for (uint64_t i = 0; i < count && outcome->is_right; i++)
        outcome->is_right &=
            outcome->sequences[0]->keys[at[0] + i] == outcome->sequences[1]->keys[at[1] + i];
    outcome->same += count;
    return STATUS_OK;
}

static enum status take_apart(void *self, const uint64_t at[2], const uint64_t counts[2],
                              bool is_rough, struct error *err)
{
    struct outcome *outcome = self;
    (void)err;
    for (int side = 0; side < 2; side++) {
        outcome->is_right &= at[side] == outcome->at[side];
        if (!outcome->stretches)
            outcome->first[side] = at[side];
        outcome->at[side] += counts[side];
        outcome->only[side] += counts[side];
        note(outcome, at[side]);
        note(outcome, counts[side]);
    }
    outcome->is_right &= counts[0] || counts[1];
    outcome->is_rough |= is_rough;
    outcome->stretches++;
    return STATUS_OK;
}

static struct outcome align(struct sequence *a, struct sequence *b)
{
    struct outcome outcome = {.sequences = {a, b}, .is_right = true};
    const struct key_source sources[2] = {{a, read_keys}, {b, read_keys}};
    const struct alignment_sink sink = {&outcome, take_same, take_apart};
    CHECK(alignment_run(sources, &sink, NULL) == STATUS_OK);
    CHECK(outcome.is_right);
    CHECK(outcome.at[0] == a->count && outcome.at[1] == b->count);
    return outcome;
}

static uint64_t common_prefix(const struct sequence *a, const struct sequence *b)
{
    uint64_t i = 0;
    while (i < a->count && i < b->count && a->keys[i] == b->keys[i])
        i++;
    return i;
}

static void fill(struct prng *prng, struct sequence *sequence, size_t count, uint32_t kinds)
{
    sequence->count = count;
    for (size_t i = 0; i < count; i++)
        sequence->keys[i] = prng_below(prng, kinds);
}

// Functions that are loops, called in random order, as in programs.
static void run_program(struct prng *prng, struct sequence *sequence, size_t count)
{
    for (sequence->count = 0; sequence->count < count;) {
        uint32_t function = prng_below(prng, 40), rounds = 1 + prng_below(prng, 30);
        for (uint32_t round = 0; round < rounds; round++) {
            for (uint32_t i = 0; i < 3 + function % 9 && sequence->count < count; i++)
                sequence->keys[sequence->count++] = function * 100 + i;
        }
    }
}

static void insert(struct sequence *sequence, size_t at, size_t count, uint64_t first_key)
{
    memmove(sequence->keys + at + count, sequence->keys + at,
            (sequence->count - at) * sizeof *sequence->keys);
    for (size_t i = 0; i < count; i++)
        sequence->keys[at + i] = first_key + i;
    sequence->count += count;
}

struct pair {
    struct prng prng;
    struct sequence a, b;
};

static struct pair *new_pair(void)
{
    struct pair *pair = calloc(1, sizeof *pair);
    if (!pair)
        abort();
    pair->a.chunk = pair->b.chunk = 1000;
    pair->prng.state = 77;
    return pair;
}

static void test_same(void)
{
    struct pair *pair = new_pair();
    run_program(&pair->prng, &pair->a, 50000);
    memcpy(&pair->b, &pair->a, sizeof pair->a);
    struct outcome outcome = align(&pair->a, &pair->b);
    CHECK(outcome.same == 50000 && !outcome.stretches);
    pair->a.count = pair->b.count = 0;
    outcome = align(&pair->a, &pair->b);
    CHECK(!outcome.same && !outcome.stretches);
    pair->b.count = 7;
    outcome = align(&pair->a, &pair->b);
    CHECK(outcome.only[0] == 0 && outcome.only[1] == 7);
    free(pair);
}

// Handlers of any length that nothing else calls.
static void test_insertions(void)
{
    static const size_t lengths[] = {1, 2, 114, 255, 256, 257, 600, 5000, 12000};
    struct pair *pair = new_pair();
    for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
        for (int inserted = 0; inserted < 2; inserted++) {
            run_program(&pair->prng, &pair->a, 30000);
            memcpy(&pair->b, &pair->a, sizeof pair->a);
            struct sequence *longer = inserted ? &pair->b : &pair->a;
            insert(longer, 25000, lengths[i], 100000);
            insert(longer, 9000, lengths[i], 100000);
            insert(longer, 3, lengths[i], 100000);
            struct outcome outcome = align(&pair->a, &pair->b);
            CHECK(outcome.only[inserted] == 3 * lengths[i] && !outcome.only[!inserted]);
            CHECK(outcome.stretches == 3 && outcome.first[0] == 3 && outcome.first[1] == 3);
            CHECK(!outcome.is_rough);
        }
    }
    free(pair);
}

// Handlers that call a function which the interrupted code also calls soon afterwards: realigning
// there would miss the code before it.
static void test_shared_functions(void)
{
    static const size_t lengths[] = {90, 200, 1000, 6000};
    struct pair *pair = new_pair();
    for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
        fill(&pair->prng, &pair->a, 30000, 1000000);
        memcpy(&pair->b, &pair->a, sizeof pair->a);
        insert(&pair->b, 9000, lengths[i], 2000000);
        memcpy(pair->b.keys + 9010, pair->a.keys + 9040, 30 * sizeof *pair->a.keys);
        struct outcome outcome = align(&pair->a, &pair->b);
        CHECK(!outcome.only[0] && outcome.only[1] == lengths[i]);
    }
    free(pair);
}

// A loop with more iterations, for longer than the first window.
static void test_waiting(void)
{
    struct pair *pair = new_pair();
    run_program(&pair->prng, &pair->a, 3000);
    memcpy(&pair->b, &pair->a, sizeof pair->a);
    insert(&pair->a, 1500, 20000, 0);
    insert(&pair->b, 1500, 45000, 0);
    for (size_t i = 0; i < 45000; i++)
        pair->b.keys[1500 + i] = 7000 + i % 5;
    memcpy(pair->a.keys + 1500, pair->b.keys + 1500, 20000 * sizeof *pair->a.keys);
    struct outcome outcome = align(&pair->a, &pair->b);
    CHECK(outcome.only[0] == 0 && outcome.only[1] == 25000 && outcome.stretches == 1);
    free(pair);
}

static void test_random(void)
{
    struct pair *pair = new_pair();
    for (int i = 0; i < 300; i++) {
        uint32_t kinds = 1 + prng_below(&pair->prng, i % 3 ? 6 : 1000);
        fill(&pair->prng, &pair->a, prng_below(&pair->prng, 3000), kinds);
        fill(&pair->prng, &pair->b, prng_below(&pair->prng, 3000), kinds);
        pair->a.chunk = 1 + prng_below(&pair->prng, 100);
        struct outcome outcome = align(&pair->a, &pair->b);
        CHECK(!outcome.stretches || outcome.first[0] == common_prefix(&pair->a, &pair->b));
    }
    free(pair);
}

// Single different keys, however close together.
static void test_replaced(void)
{
    struct pair *pair = new_pair();
    for (size_t every = 5; every < 200; every += 13) {
        uint64_t changed = 0;
        run_program(&pair->prng, &pair->a, 20000);
        memcpy(&pair->b, &pair->a, sizeof pair->a);
        for (size_t at = every; at < pair->b.count; at += every, changed++)
            pair->b.keys[at] = 1000000 + at;
        struct outcome outcome = align(&pair->a, &pair->b);
        CHECK(outcome.only[0] == changed && outcome.only[1] == changed);
    }
    free(pair);
}

static void test_nothing_in_common(void)
{
    struct pair *pair = new_pair();
    fill(&pair->prng, &pair->a, 50000, 1);
    fill(&pair->prng, &pair->b, 40000, 1);
    struct outcome outcome = align(&pair->a, &pair->b);
    CHECK(outcome.same == 40000 && outcome.only[0] == 10000 && !outcome.only[1]);
    for (size_t i = 0; i < pair->b.count; i++)
        pair->b.keys[i] = 1;
    outcome = align(&pair->a, &pair->b);
    CHECK(!outcome.same && outcome.stretches == 1 && outcome.is_rough);
    free(pair);
}

static void test_chunks(void)
{
    struct pair *pair = new_pair();
    run_program(&pair->prng, &pair->a, 30000);
    memcpy(&pair->b, &pair->a, sizeof pair->a);
    insert(&pair->b, 20000, 9000, 100000);
    memmove(pair->b.keys + 100, pair->b.keys + 400, 20000 * sizeof *pair->b.keys);
    struct outcome whole = align(&pair->a, &pair->b);
    for (size_t chunk = 1; chunk < 5000; chunk = chunk * 3 + 1) {
        pair->a.chunk = chunk;
        pair->b.chunk = 2 * chunk + 1;
        struct outcome outcome = align(&pair->a, &pair->b);
        CHECK(outcome.digest == whole.digest && outcome.same == whole.same);
    }
    free(pair);
}

const struct test_case alignment_tests[] = {
    {"alignment: sequences that are the same", test_same},
    {"alignment: what was inserted, and nothing else", test_insertions},
    {"alignment: functions that an interrupt calls, too", test_shared_functions},
    {"alignment: a loop that takes longer", test_waiting},
    {"alignment: random sequences", test_random},
    {"alignment: keys that differ here and there", test_replaced},
    {"alignment: nothing in common", test_nothing_in_common},
    {"alignment: the same however sequences are read", test_chunks},
    {0},
};
