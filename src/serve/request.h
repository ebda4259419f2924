// A request: a path, and parameters by name. Everything in it is hostile.
#ifndef TRAWL_SERVE_REQUEST_H
#define TRAWL_SERVE_REQUEST_H

#include "trace/index_view.h"

struct request {
    const char *path; // "/api/v1/rows"
    const void *self;
    const char *(*parameter)(const void *self, const char *name); // NULL: not given
    bool (*is_abandoned)(const void *self);                       // NULL: never
};

// Whether nobody waits for the answer any more; long work must check this regularly.
bool request_is_abandoned(const struct request *request);

// The text of a parameter. NULL: not given.
const char *request_text(const struct request *request, const char *name);

// A decimal number up to `max`; *value is unchanged if it is not given. STATUS_INPUT: invalid.
enum status request_u64(const struct request *request, const char *name, uint64_t max,
                        uint64_t *value, struct error *err);

// A point: the number of an event below `event_count`, or "start", which is TRAWL_START and the
// default.
enum status request_point(const struct request *request, const char *name, uint64_t event_count,
                          uint64_t *event, struct error *err);

// Whether a parameter is given, and is a number.
bool request_is_number(const struct request *request, const char *name);

// A lane: its name in the trace, or its number from `first` on, as clients of before 2.0 give it;
// name:NAME if the name looks like a number. *lane, from `first` on, is unchanged if it is not
// given.
enum status request_lane(const struct request *request, const char *name,
                         const struct index_view *view, uint64_t first, uint64_t *lane,
                         struct error *err);

// Which of `count` words a parameter is; *value is unchanged if it is not given.
enum status request_word(const struct request *request, const char *name, const char *const *words,
                         size_t count, size_t *value, struct error *err);

#endif
