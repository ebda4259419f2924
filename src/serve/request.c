#include "serve/request.h"

#include "idx/trawl.h"

#include <string.h>

bool request_is_abandoned(const struct request *request)
{
    return request->is_abandoned && request->is_abandoned(request->self);
}

const char *request_text(const struct request *request, const char *name)
{
    return request->parameter(request->self, name);
}

static bool parse_u64(const char *text, uint64_t max, uint64_t *value)
{
    uint64_t number = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9' || number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    if (number > max)
        return false;
    *value = number;
    return true;
}

enum status request_u64(const struct request *request, const char *name, uint64_t max,
                        uint64_t *value, struct error *err)
{
    const char *text = request_text(request, name);
    if (!text || parse_u64(text, max, value))
        return STATUS_OK;
    return error_set(err, STATUS_INPUT, "%s: expected a number up to %llu", name,
                     (unsigned long long)max);
}

enum status request_point(const struct request *request, const char *name, uint64_t event_count,
                          uint64_t *event, struct error *err)
{
    const char *text = request_text(request, name);
    *event = TRAWL_START;
    if (!text || strcmp(text, "start") == 0)
        return STATUS_OK;
    if (event_count && parse_u64(text, event_count - 1, event))
        return STATUS_OK;
    return error_set(err, STATUS_INPUT, "%s: expected start or an event below %llu", name,
                     (unsigned long long)event_count);
}

bool request_is_number(const struct request *request, const char *name)
{
    const char *text = request_text(request, name);
    return text && *text && !text[strspn(text, "0123456789")];
}

enum status request_lane(const struct request *request, const char *name,
                         const struct index_view *view, uint64_t first, uint64_t *lane,
                         struct error *err)
{
    static const char prefix[] = "name:";
    const char *text = request_text(request, name);
    if (!text || request_is_number(request, name))
        return request_u64(request, name, view->info.lanes - 1 + first, lane, err);
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        text += sizeof prefix - 1;
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        if (strcmp(view->lanes[i].name, text) == 0) {
            *lane = i + first;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_NOT_FOUND, "%s: '%.100s': there is none of this name", name, text);
}

enum status request_word(const struct request *request, const char *name, const char *const *words,
                         size_t count, size_t *value, struct error *err)
{
    const char *text = request_text(request, name);
    if (!text)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *value = i;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_INPUT, "%s: not known", name);
}
