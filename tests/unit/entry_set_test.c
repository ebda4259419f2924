// Sets of entries are compared with a sorted array.
#include "flow/entry_set.h"
#include "random.h"
#include "test.h"

#define ENTRIES_MAX 300

struct plain_set {
    uint64_t items[ENTRIES_MAX];
    size_t count;
};

static void plain_add(struct plain_set *plain, uint64_t pc)
{
    size_t at = plain->count;
    for (size_t i = 0; i < plain->count; i++) {
        if (plain->items[i] == pc)
            return;
    }
    for (; at && plain->items[at - 1] > pc; at--)
        plain->items[at] = plain->items[at - 1];
    plain->items[at] = pc;
    plain->count++;
}

static bool agrees(struct entry_set *set, const struct plain_set *plain, uint64_t pc)
{
    uint64_t next = ENTRY_SET_NONE, last = ENTRY_SET_NONE;
    for (size_t i = 0; i < plain->count; i++) {
        if (plain->items[i] <= pc)
            last = plain->items[i];
        else if (next == ENTRY_SET_NONE)
            next = plain->items[i];
    }
    return entry_set_has(set, pc) == (last == pc) && entry_set_next(set, pc) == next &&
           entry_set_next(set, pc) == next && entry_set_last(set, pc) == last;
}

static void entries_are_those_of_a_sorted_array(void)
{
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct prng prng = {seed};
        struct entry_set set = {0};
        struct plain_set plain = {0};
        uint32_t spread = 1u << prng_below(&prng, 16);
        for (size_t i = 0; i < ENTRIES_MAX; i++) {
            uint64_t pc = 0x1000 + 2 * (uint64_t)prng_below(&prng, spread);
            CHECK(entry_set_add(&set, pc));
            plain_add(&plain, pc);
            wrong += !agrees(&set, &plain, 0x0ffc + 2 * (uint64_t)prng_below(&prng, spread + 8));
        }
        entry_set_free(&set);
    }
    CHECK(wrong == 0);
}

const struct test_case entry_set_tests[] = {
    {"entries_are_those_of_a_sorted_array", entries_are_those_of_a_sorted_array},
    {NULL, NULL},
};
