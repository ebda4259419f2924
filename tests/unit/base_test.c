#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/ordered.h"
#include "base/stable_table.h"
#include "base/vec.h"
#include "test.h"

#include <stdlib.h>
#include <sys/resource.h>

static void arena_keeps_what_it_gave(void)
{
    struct arena arena = {0};
    char *first = arena_copy_string(&arena, "trace", 5);
    for (int i = 0; i < 10000; i++)
        CHECK(arena_alloc(&arena, 100) != NULL);
    CHECK_STR(first, "trace");
    CHECK(arena_alloc(&arena, SIZE_MAX) == NULL);
    arena_free(&arena);
}

static void vec_grows_and_refuses_overflow(void)
{
    VEC(, uint64_t) numbers = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        CHECK(VEC_ROOM(&numbers, 1));
        numbers.items[numbers.count++] = i;
    }
    CHECK(numbers.items[999] == 999);
    CHECK(!vec_reserve((void **)&numbers.items, &numbers.capacity, SIZE_MAX / 2, 8));
    free(numbers.items);
}

static void vec_extends_with_zeros(void)
{
    VEC(, uint64_t) numbers = {0};
    CHECK(VEC_EXTEND(&numbers, 0));
    CHECK(numbers.items == NULL);
    CHECK(VEC_EXTEND(&numbers, 3));
    for (size_t i = 0; i < numbers.capacity; i++)
        numbers.items[i] = 7;
    CHECK(VEC_EXTEND(&numbers, 2)); // it has more already
    CHECK(numbers.count == 3);
    CHECK(VEC_EXTEND(&numbers, numbers.capacity));
    CHECK(numbers.count == numbers.capacity);
    for (size_t i = 0; i < numbers.count; i++)
        CHECK(numbers.items[i] == (i < 3 ? 7 : 0));
    CHECK(!VEC_EXTEND(&numbers, SIZE_MAX / 2));
    CHECK(numbers.count == numbers.capacity);
    free(numbers.items);
}

static void error_text_is_cut_not_overrun(void)
{
    struct error err;
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    CHECK(error_set_at(&err, STATUS_INPUT, 7, "%s", long_text) == STATUS_INPUT);
    CHECK(strlen(err.text) == sizeof err.text - 1);
    CHECK(err.offset == 7);
}

static void error_text_keeps_its_reason(void)
{
    struct error err;
    char name[2000];
    for (size_t shift = 0; shift < 4; shift++) {
        memset(name, 'x', sizeof name);
        for (size_t i = shift; i + 2 < sizeof name; i += 2)
            memcpy(name + i, "\xc3\xa4", 2);
        name[sizeof name - 1] = 0;
        error_set(&err, STATUS_IO, "%s: open: %s", name, "no such thing");
        const char *gap = strstr(err.text, "...");
        CHECK(gap && strlen(err.text) < sizeof err.text && strlen(err.text) > sizeof err.text - 8);
        CHECK(strcmp(err.text + strlen(err.text) - 21, ": open: no such thing") == 0);
        // Characters are not split.
        CHECK(gap && (gap[-1] == 'x' || (gap[-1] & 0xff) == 0xa4) && (gap[3] & 0xc0) != 0x80);
    }
}

// Items are numbers; each worker has one at a time.
struct ordered_numbers {
    uint64_t taken, put, last, hand[5];
    uint64_t fails_at; // after this many were put
    bool in_order;
};

static bool take_number(void *self, unsigned worker)
{
    struct ordered_numbers *numbers = self;
    numbers->hand[worker] = numbers->taken;
    return numbers->taken < numbers->last && numbers->taken++ < UINT64_MAX;
}

static void square_number(void *self, unsigned worker)
{
    struct ordered_numbers *numbers = self;
    numbers->hand[worker] *= numbers->hand[worker];
}

static bool put_number(void *self, unsigned worker)
{
    struct ordered_numbers *numbers = self;
    numbers->in_order = numbers->in_order && numbers->hand[worker] == numbers->put * numbers->put;
    return numbers->put++ != numbers->fails_at;
}

static void ordered_work_is_put_in_order(void)
{
    static const struct ordered_work work = {take_number, square_number, put_number};
    for (unsigned threads = 1; threads <= 5; threads++) {
        struct ordered_numbers all = {.last = 2000, .fails_at = UINT64_MAX, .in_order = true};
        CHECK(ordered_run(threads, &all, &work));
        CHECK(all.in_order && all.put == 2000);
        struct ordered_numbers some = {.last = 2000, .fails_at = 700, .in_order = true};
        CHECK(!ordered_run(threads, &some, &work));
        CHECK(some.in_order && some.put == 701);
        struct ordered_numbers none = {.in_order = true};
        CHECK(ordered_run(threads, &none, &work) && none.put == 0);
    }
}

// Keys that would all go to slot 0 with a known constant.
static void chosen_keys_spread(void)
{
    enum { KEYS = 4096 };
    static unsigned loads[2][KEYS];
    struct hash_seed seeds[2] = {hash_seed_new(), hash_seed_new()};
    CHECK(seeds[0].mask != seeds[1].mask && seeds[0].factor != seeds[1].factor);
    for (unsigned s = 0; s < 2; s++) {
        unsigned most = 0;
        for (uint64_t i = 0; i < KEYS; i++) {
            uint64_t key = i * UINT64_C(0xf1de83e19937733d); // inverse of the constant
            unsigned *load = &loads[s][hash_key(&seeds[s], key) % KEYS];
            most = ++*load > most ? *load : most;
        }
        CHECK(most < 32);
    }
    CHECK(hash_keys(&seeds[0], 1, 2) != hash_keys(&seeds[0], 2, 1));
}

static void hashset_tells_new_from_old(void)
{
    struct hashset set = {0};
    bool is_new;
    for (uint64_t i = 0; i < 3000; i++) {
        CHECK(hashset_add(&set, i % 1000 << 40, &is_new));
        CHECK(is_new == (i < 1000));
    }
    CHECK(set.count == 1000);
    hashset_free(&set);
}

static void stable_tables_grow_in_place(void)
{
    enum { MANY = 1 << 20 };
    struct stable_table table;
    CHECK(stable_table_begin(&table, sizeof(uint64_t), MANY));
    uint64_t *items = table.items;
    for (size_t i = 0; i < MANY; i += 1 + i / 8) {
        CHECK(stable_table_room(&table, i + 1));
        CHECK(table.items == items && items[i] == 0);
        items[i] = i + 1;
    }
    CHECK(items[0] == 1 && items[1] == 2);
    CHECK(stable_table_room(&table, MANY));
    items[MANY - 1] = 1;
    CHECK(!stable_table_room(&table, MANY + 1));
    stable_table_free(&table);
    stable_table_free(&table);
    CHECK(!stable_table_begin(&table, SIZE_MAX / 2, 3));
    stable_table_free(&table);
}

// Sanitizers use additional memory for each reserved range.
#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(thread_sanitizer) || __has_feature(address_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

// Reserved memory does not count towards the limit; used memory does.
static void stable_tables_take_what_is_used(void)
{
    const size_t large = (size_t)1 << 32;
    struct rlimit before, limit;
    struct stable_table table;
    if (HAS_SANITIZER) {
        test_skip("sanitizers take memory for what is set aside");
        return;
    }
    CHECK(getrlimit(RLIMIT_DATA, &before) == 0);
    limit = before;
    limit.rlim_cur = (rlim_t)1 << 28;
    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
    CHECK(stable_table_begin(&table, 1, large));
    CHECK(stable_table_room(&table, 1));
    CHECK(!stable_table_room(&table, large / 2));
    CHECK(stable_table_room(&table, 10000));
    ((char *)table.items)[9999] = 1;
    stable_table_free(&table);
    CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
}

const struct test_case base_tests[] = {
    {"arena_keeps_what_it_gave", arena_keeps_what_it_gave},
    {"stable_tables_grow_in_place", stable_tables_grow_in_place},
    {"stable_tables_take_what_is_used", stable_tables_take_what_is_used},
    {"vec_grows_and_refuses_overflow", vec_grows_and_refuses_overflow},
    {"vec_extends_with_zeros", vec_extends_with_zeros},
    {"error_text_is_cut_not_overrun", error_text_is_cut_not_overrun},
    {"error_text_keeps_its_reason", error_text_keeps_its_reason},
    {THREADED "ordered_work_is_put_in_order", ordered_work_is_put_in_order},
    {"chosen_keys_spread", chosen_keys_spread},
    {"hashset_tells_new_from_old", hashset_tells_new_from_old},
    {NULL, NULL},
};
