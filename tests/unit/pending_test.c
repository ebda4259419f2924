// The set of pending calls is compared with a simple list.
#include "flow/pending.h"
#include "random.h"
#include "test.h"

#define NAIVE_MAX 3000

struct naive {
    struct pending_call calls[NAIVE_MAX];
    size_t count;
};

static size_t naive_find(const struct naive *naive, uint64_t sp, uint64_t return_address)
{
    for (size_t i = 0; i < naive->count; i++) {
        if (naive->calls[i].sp == sp && naive->calls[i].return_address == return_address)
            return i;
    }
    return SIZE_MAX;
}

static uint64_t random_sp(struct prng *prng, uint32_t spread)
{
    return prng_percent(prng, 5) ? UINT64_MAX : 16 * (uint64_t)prng_below(prng, spread);
}

static bool add_or_remove(struct pending_set *set, struct naive *naive, struct prng *prng,
                          uint32_t spread, uint32_t item)
{
    struct pending_call call = {random_sp(prng, spread), 4 * (uint64_t)prng_below(prng, spread),
                                item};
    size_t at = naive_find(naive, call.sp, call.return_address);
    uint32_t found = pending_find(set, call.sp, call.return_address);
    if (at == SIZE_MAX) {
        if (found != PENDING_NONE || naive->count == NAIVE_MAX || !pending_add(set, &call))
            return false;
        naive->calls[naive->count++] = call;
        return set->heap_count <= 2 * set->count + 64;
    }
    if (found != naive->calls[at].item)
        return false;
    if (prng_percent(prng, 60)) {
        pending_remove(set, call.sp, call.return_address);
        naive->calls[at] = naive->calls[--naive->count];
    }
    return true;
}

static bool pop_all_below(struct pending_set *set, struct naive *naive, uint64_t sp)
{
    uint32_t item;
    while ((item = pending_pop_below(set, sp)) != PENDING_NONE) {
        size_t at = 0;
        while (at < naive->count && naive->calls[at].item != item)
            at++;
        if (at == naive->count || naive->calls[at].sp >= sp)
            return false;
        naive->calls[at] = naive->calls[--naive->count];
    }
    for (size_t i = 0; i < naive->count; i++) {
        if (naive->calls[i].sp < sp)
            return false;
    }
    return true;
}

static bool is_as_naive(uint64_t seed, uint32_t spread, uint32_t pop_percent)
{
    static struct naive naive;
    struct pending_set set = {0};
    struct prng prng = {seed};
    bool is_right = pending_find(&set, 1, 1) == PENDING_NONE;
    naive.count = 0;
    for (uint32_t i = 0; i < 3000 && is_right; i++) {
        is_right = prng_percent(&prng, pop_percent)
                       ? pop_all_below(&set, &naive, random_sp(&prng, spread) / 4)
                       : add_or_remove(&set, &naive, &prng, spread, i);
        is_right = is_right && set.count == naive.count;
    }
    is_right = is_right && pop_all_below(&set, &naive, UINT64_MAX);
    pending_free(&set);
    return is_right;
}

static void pending_calls_are_those_of_a_list(void)
{
    static const uint32_t spreads[] = {4, 20, 200};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        for (size_t i = 0; i < ARRAY_COUNT(spreads); i++) {
            CHECK(is_as_naive(seed, spreads[i], 0));
            CHECK(is_as_naive(seed, spreads[i], 3));
        }
    }
}

// A key that was removed and added again must not be found through its old heap entry.
static void key_that_returns_is_popped_once(void)
{
    struct pending_set set = {0};
    const struct pending_call old = {16, 4, 1}, again = {16, 4, 2};
    CHECK(pending_add(&set, &old));
    pending_remove(&set, 16, 4);
    CHECK(pending_add(&set, &again));
    CHECK(pending_pop_below(&set, 16) == PENDING_NONE);
    CHECK(pending_pop_below(&set, 17) == 2);
    CHECK(pending_pop_below(&set, UINT64_MAX) == PENDING_NONE);
    CHECK(set.count == 0);
    pending_free(&set);
}

const struct test_case pending_tests[] = {
    {"pending_calls_are_those_of_a_list", pending_calls_are_those_of_a_list},
    {"key_that_returns_is_popped_once", key_that_returns_is_popped_once},
    {NULL, NULL},
};
