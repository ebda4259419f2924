// Parts of a request, as any bytes: no request is accepted without the secret, or with it under
// another name or from another page; numbers are read as by the C library; accepted folds can be
// written and read again unchanged.
//
// Input: lines with Host, Origin, Sec-Fetch-Site, the cookie, Authorization, the secret in the
// address, a number, and folds; an empty one is not sent.
#include "fuzz.h"

#include "serve/fold_text.h"
#include "serve/request.h"
#include "serve/server.h"

#include <errno.h>
#include <strings.h>

enum { FIELDS = 8, LANES = 3, LANE_EVENTS = 1000 };

static void check_guard(char *const fields[FIELDS])
{
    static const char *const names[] = {"127.0.0.1:8080", "localhost:8080"};
    struct guard guard = {.address = "127.0.0.1", .port = 8080, .is_loopback = true};
    struct error err;
    CLAIM(guard_open(&guard, &err) == STATUS_OK);
    struct guard_request request = {.host = fields[0],
                                    .origin = fields[1],
                                    .fetch_site = fields[2],
                                    .cookie = fields[3],
                                    .authorization = fields[4],
                                    .token = fields[5]};
    enum guard_verdict verdict = guard_judge(&guard, &request);
    CLAIM(verdict == GUARD_FOREIGN || verdict == GUARD_UNKNOWN);
    request.cookie = guard.secret;
    bool is_ours =
        fields[0] && (strcasecmp(fields[0], names[0]) == 0 || strcasecmp(fields[0], names[1]) == 0);
    bool is_page =
        (!fields[1] || (strncasecmp(fields[1], "http://", 7) == 0 && fields[0] &&
                        strcasecmp(fields[1] + 7, fields[0]) == 0)) &&
        (!fields[2] || strcmp(fields[2], "same-origin") == 0 || strcmp(fields[2], "none") == 0);
    CLAIM((guard_judge(&guard, &request) == GUARD_PASSES) == (is_ours && is_page));
}

static const char *the_number(const void *self, const char *name)
{
    (void)name;
    return self;
}

static void check_number(const char *text)
{
    const struct request request = {.path = "/", .self = text, .parameter = the_number};
    struct error err;
    uint64_t value = 7;
    enum status status = request_u64(&request, "n", UINT64_MAX, &value, &err);
    if (!text) {
        CLAIM(status == STATUS_OK && value == 7);
        return;
    }
    errno = 0;
    uint64_t expected = strtoull(text, NULL, 10);
    bool is_number = strspn(text, "0123456789") == strlen(text) && *text && errno == 0;
    CLAIM((status == STATUS_OK) == is_number);
    CLAIM(value == (is_number ? expected : 7));
}

static void check_ranges(const struct folds *folds)
{
    for (size_t i = 0; i < folds->ranges.count; i++) {
        const struct fold_range *range = &folds->ranges.items[i];
        CLAIM(i ? range->first > range[-1].first : range->first == 0);
        CLAIM(range->first <= LANE_EVENTS);
    }
}

static void check_folds(const char *text)
{
    struct timeline_lane lanes[LANES] = {0};
    struct timeline timeline = {.lanes = lanes, .lane_count = LANES};
    struct out first, second;
    struct error err;
    for (size_t i = 0; i < LANES; i++)
        lanes[i].calls.event_count = LANE_EVENTS;
    CLAIM(out_open_memory(&first, &err) == STATUS_OK &&
          out_open_memory(&second, &err) == STATUS_OK);
    bool is_taken = fold_text_read(&timeline, text, &err) == STATUS_OK;
    for (size_t i = 0; i < LANES; i++) {
        check_ranges(&lanes[i].folds);
        CLAIM(is_taken || !lanes[i].folds.ranges.count);
    }
    fold_text_write(&timeline, &first);
    CLAIM(fold_text_read(&timeline, out_memory_text(&first), &err) == STATUS_OK);
    fold_text_write(&timeline, &second);
    CLAIM(strcmp(out_memory_text(&first), out_memory_text(&second)) == 0);
    for (size_t i = 0; i < LANES; i++)
        folds_free(&lanes[i].folds);
    out_abandon(&first);
    out_abandon(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    char *fields[FIELDS] = {0}, *text = malloc(size_bytes + 1), *at = text;
    CLAIM(text);
    memcpy(text, data, size_bytes);
    text[size_bytes] = '\0';
    for (size_t i = 0; i < FIELDS && at; i++) {
        char *line = strsep(&at, "\n");
        fields[i] = *line ? line : NULL;
    }
    check_guard(fields);
    check_number(fields[6]);
    check_folds(fields[7]);
    free(text);
    return 0;
}
