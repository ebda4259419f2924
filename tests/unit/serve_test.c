// Which requests are answered, and what they contain.
#include "idx/trawl.h"
#include "serve/request.h"
#include "serve/server.h"
#include "test.h"

#include <stdio.h>

static struct guard guard_at(const char *address)
{
    struct guard guard = {.port = 8080, .is_loopback = true};
    struct error err;
    CHECK(guard_open(&guard, &err) == STATUS_OK);
    snprintf(guard.address, sizeof guard.address, "%s", address);
    return guard;
}

static void secrets_differ(void)
{
    struct guard one = guard_at("127.0.0.1"), other = guard_at("127.0.0.1");
    CHECK(strlen(one.secret) == GUARD_SECRET_BYTES - 1);
    CHECK(strspn(one.secret, "0123456789abcdef") == GUARD_SECRET_BYTES - 1);
    CHECK(strcmp(one.secret, other.secret) != 0);
}

static void hosts_have_to_be_ours(void)
{
    struct guard guard = guard_at("127.0.0.1");
    static const struct {
        const char *host;
        bool is_ours;
    } hosts[] = {
        {"127.0.0.1:8080", true},
        {"localhost:8080", true},
        {"LOCALHOST:8080", true},
        {NULL, false},
        {"", false},
        {"127.0.0.1", false},
        {"127.0.0.1:80", false},
        {"127.0.0.1:80800", false},
        {"evil:8080", false},
        {"localhost.evil:8080", false},
    };
    for (size_t i = 0; i < ARRAY_COUNT(hosts); i++) {
        const struct guard_request request = {.host = hosts[i].host, .cookie = guard.secret};
        CHECK((guard_judge(&guard, &request) == GUARD_PASSES) == hosts[i].is_ours);
    }
    guard.is_loopback = false;
    const struct guard_request local = {.host = "localhost:8080", .cookie = guard.secret};
    CHECK(guard_judge(&guard, &local) == GUARD_FOREIGN);
}

static void pages_have_to_be_ours(void)
{
    struct guard guard = guard_at("[::1]");
    static const struct {
        const char *origin, *site;
        bool is_ours;
    } pages[] = {
        {NULL, NULL, true},
        {"http://[::1]:8080", NULL, true},
        {NULL, "same-origin", true},
        {NULL, "none", true},
        {"http://[::1]:8081", NULL, false},
        {"https://[::1]:8080", NULL, false},
        {"null", NULL, false},
        {"", NULL, false},
        {NULL, "cross-site", false},
        {NULL, "same-site", false},
        {"http://[::1]:8080", "cross-site", false},
    };
    for (size_t i = 0; i < ARRAY_COUNT(pages); i++) {
        const struct guard_request request = {.host = "[::1]:8080",
                                              .origin = pages[i].origin,
                                              .fetch_site = pages[i].site,
                                              .cookie = guard.secret};
        CHECK((guard_judge(&guard, &request) == GUARD_PASSES) == pages[i].is_ours);
        struct guard_request link = request; // to the page
        link.is_page = true;
        CHECK(guard_judge(&guard, &link) == (pages[i].is_ours ? GUARD_PASSES : GUARD_UNKNOWN));
    }
}

static void secrets_have_to_be_right(void)
{
    struct guard guard = guard_at("127.0.0.1");
    char wrong[GUARD_SECRET_BYTES], bearer[64];
    memcpy(wrong, guard.secret, sizeof wrong);
    wrong[31] = wrong[31] == '0' ? '1' : '0';
    snprintf(bearer, sizeof bearer, "Bearer %s", guard.secret);
    struct guard_request request = {.host = "127.0.0.1:8080"};
    CHECK(guard_judge(&guard, &request) == GUARD_UNKNOWN);
    request.cookie = wrong;
    CHECK(guard_judge(&guard, &request) == GUARD_UNKNOWN);
    request.cookie = "";
    CHECK(guard_judge(&guard, &request) == GUARD_UNKNOWN);
    request.authorization = bearer;
    CHECK(guard_judge(&guard, &request) == GUARD_PASSES);
    request.authorization = bearer + 1;
    CHECK(guard_judge(&guard, &request) == GUARD_UNKNOWN);
    request.token = guard.secret;
    CHECK(guard_judge(&guard, &request) == GUARD_ENTERS);
    request.fetch_site = "cross-site"; // another page had a link to the address
    CHECK(guard_judge(&guard, &request) == GUARD_ENTERS);
    request.host = "evil:8080";
    CHECK(guard_judge(&guard, &request) == GUARD_FOREIGN);
}

// A request with one parameter.
static const char *only(const void *self, const char *name)
{
    return strcmp(name, "n") == 0 ? self : NULL;
}

static struct request request_of(const char *value)
{
    return (struct request){.path = "/", .self = value, .parameter = only};
}

static void numbers_are_decimal_and_bounded(void)
{
    static const struct {
        const char *text;
        bool is_taken;
        uint64_t value;
    } numbers[] = {
        {"0", true, 0},     {"100", true, 100}, {"007", true, 7},
        {"101", false, 0},  {"", false, 0},     {"-1", false, 0},
        {"1x", false, 0},   {" 1", false, 0},   {"18446744073709551616", false, 0},
        {"0x10", false, 0}, {NULL, true, 55},
    };
    struct error err;
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        uint64_t value = 55;
        const struct request request = request_of(numbers[i].text);
        enum status status = request_u64(&request, "n", 100, &value, &err);
        CHECK((status == STATUS_OK) == numbers[i].is_taken);
        CHECK(status != STATUS_OK || value == numbers[i].value);
        CHECK(status == STATUS_OK || err.status == STATUS_INPUT);
    }
}

static void points_are_events_or_the_start(void)
{
    struct error err;
    uint64_t event;
    const struct request none = request_of(NULL), start = request_of("start");
    const struct request last = request_of("9"), past = request_of("10");
    CHECK(request_point(&none, "n", 10, &event, &err) == STATUS_OK && event == TRAWL_START);
    CHECK(request_point(&start, "n", 10, &event, &err) == STATUS_OK && event == TRAWL_START);
    CHECK(request_point(&last, "n", 10, &event, &err) == STATUS_OK && event == 9);
    CHECK(request_point(&past, "n", 10, &event, &err) == STATUS_INPUT);
    CHECK(request_point(&last, "n", 0, &event, &err) == STATUS_INPUT);
}

static void words_are_known(void)
{
    static const char *const words[] = {"up", "down"};
    struct error err;
    size_t which = 7;
    const struct request down = request_of("down"), none = request_of(NULL),
                         other = request_of("u");
    CHECK(request_word(&none, "n", words, 2, &which, &err) == STATUS_OK && which == 7);
    CHECK(request_word(&down, "n", words, 2, &which, &err) == STATUS_OK && which == 1);
    CHECK(request_word(&other, "n", words, 2, &which, &err) == STATUS_INPUT);
}

const struct test_case serve_tests[] = {
    {"secrets_differ", secrets_differ},
    {"hosts_have_to_be_ours", hosts_have_to_be_ours},
    {"pages_have_to_be_ours", pages_have_to_be_ours},
    {"secrets_have_to_be_right", secrets_have_to_be_right},
    {"numbers_are_decimal_and_bounded", numbers_are_decimal_and_bounded},
    {"points_are_events_or_the_start", points_are_events_or_the_start},
    {"words_are_known", words_are_known},
    {NULL, NULL},
};
