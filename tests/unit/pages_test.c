// Which pages are open: according to their messages, and when a page sends none.
#include "test.h"

#include "serve/server.h"

#define SECOND UINT64_C(1000000000)

static void a_server_that_no_page_was_opened_of_is_not_left(void)
{
    struct pages pages = {0};
    CHECK(!pages_are_left(&pages, 1000 * SECOND));
    pages_tell(&pages, 1, PAGE_CLOSES, 1001 * SECOND);
    CHECK(!pages_are_left(&pages, 2000 * SECOND));
}

static void it_is_left_some_seconds_after_the_last_page_is_closed(void)
{
    struct pages pages = {0};
    pages_tell(&pages, 1, PAGE_BEATS, 10 * SECOND);
    pages_tell(&pages, 2, PAGE_BEATS, 11 * SECOND);
    pages_tell(&pages, 1, PAGE_CLOSES, 12 * SECOND);
    CHECK(!pages_are_left(&pages, 20 * SECOND));
    pages_tell(&pages, 2, PAGE_CLOSES, 21 * SECOND);
    CHECK(!pages_are_left(&pages, 22 * SECOND));
    CHECK(pages_are_left(&pages, 25 * SECOND));
    pages_tell(&pages, 3, PAGE_BEATS, 26 * SECOND); // loaded again
    CHECK(!pages_are_left(&pages, 40 * SECOND));
}

static void a_page_that_is_not_heard_of_is_lost_but_not_while_it_sleeps(void)
{
    struct pages pages = {0};
    pages_tell(&pages, 1, PAGE_BEATS, 10 * SECOND);
    pages_tell(&pages, 1, PAGE_BEATS, 100 * SECOND);
    CHECK(!pages_are_left(&pages, 240 * SECOND));
    CHECK(pages_are_left(&pages, 300 * SECOND));
    pages_tell(&pages, 1, PAGE_SLEEPS, 300 * SECOND);
    CHECK(!pages_are_left(&pages, 4000 * SECOND));
    CHECK(pages_are_left(&pages, 100000 * SECOND));
}

static void more_pages_than_there_is_room_for_are_not_counted(void)
{
    struct pages pages = {0};
    for (uint64_t id = 0; id < 2 * LIMIT_SERVE_PAGES; id++)
        pages_tell(&pages, id, PAGE_BEATS, SECOND);
    CHECK(pages.count == LIMIT_SERVE_PAGES);
    for (uint64_t id = 0; id < 2 * LIMIT_SERVE_PAGES; id++)
        pages_tell(&pages, id, PAGE_CLOSES, SECOND);
    CHECK(!pages.count && pages_are_left(&pages, 9 * SECOND));
}

const struct test_case pages_tests[] = {
    {"a_server_that_no_page_was_opened_of_is_not_left",
     a_server_that_no_page_was_opened_of_is_not_left},
    {"it_is_left_some_seconds_after_the_last_page_is_closed",
     it_is_left_some_seconds_after_the_last_page_is_closed},
    {"a_page_that_is_not_heard_of_is_lost_but_not_while_it_sleeps",
     a_page_that_is_not_heard_of_is_lost_but_not_while_it_sleeps},
    {"more_pages_than_there_is_room_for_are_not_counted",
     more_pages_than_there_is_room_for_are_not_counted},
    {0},
};
