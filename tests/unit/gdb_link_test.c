// How long a client of GDB's protocol is served: while nobody else waits for ever, else until it
// has been silent for long, or its turn is over.
#include "gdb/server.h"
#include "test.h"

#include <unistd.h>

struct ends {
    int client[2], rivals[2];
    struct gdb_link link;
};

static struct ends *begin(const char *sent, bool has_rival)
{
    static struct ends ends;
    CHECK(pipe(ends.client) == 0 && pipe(ends.rivals) == 0);
    gdb_link_begin(&ends.link, ends.client[0], -1);
    ends.link.acks = false;
    ends.link.rivals = ends.rivals[0];
    CHECK(write(ends.client[1], sent, strlen(sent)) == (ssize_t)strlen(sent));
    if (has_rival)
        CHECK(write(ends.rivals[1], "x", 1) == 1);
    return &ends;
}

static void end(struct ends *ends)
{
    for (int i = 0; i < 2; i++) {
        close(ends->client[i]);
        close(ends->rivals[i]);
    }
}

static void a_silent_client_stays_until_another_waits(void)
{
    struct ends *ends = begin("$?#3f", false);
    ends->link.idle_s = 0;
    CHECK(gdb_link_receive(&ends->link));
    CHECK(write(ends->rivals[1], "x", 1) == 1);
    CHECK(!gdb_link_receive(&ends->link) && ends->link.has_ended);
    end(ends);
}

static void a_client_that_speaks_is_not_sent_away(void)
{
    struct ends *ends = begin("$?#3f$g#67", true);
    CHECK(gdb_link_receive(&ends->link) && strcmp(ends->link.packet, "?") == 0);
    CHECK(gdb_link_receive(&ends->link) && strcmp(ends->link.packet, "g") == 0);
    end(ends);
}

static void a_client_whose_turn_is_over_gives_way(void)
{
    struct ends *ends = begin("$?#3f", true);
    ends->link.turn_s = 0;
    CHECK(!gdb_link_receive(&ends->link));
    end(ends);
    ends = begin("$?#3f", false);
    ends->link.turn_s = 0;
    CHECK(gdb_link_receive(&ends->link));
    end(ends);
}

const struct test_case gdb_link_tests[] = {
    {"a_silent_client_stays_until_another_waits", a_silent_client_stays_until_another_waits},
    {"a_client_that_speaks_is_not_sent_away", a_client_that_speaks_is_not_sent_away},
    {"a_client_whose_turn_is_over_gives_way", a_client_whose_turn_is_over_gives_way},
    {NULL, NULL},
};
