#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "test.h"

#include <stdlib.h>

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

const struct test_case base_tests[] = {
    {"arena_keeps_what_it_gave", arena_keeps_what_it_gave},
    {"vec_grows_and_refuses_overflow", vec_grows_and_refuses_overflow},
    {"error_text_is_cut_not_overrun", error_text_is_cut_not_overrun},
    {NULL, NULL},
};
