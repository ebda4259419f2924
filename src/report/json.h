// A streaming JSON writer: every call puts its text out at once and nothing is kept but the depth.
// Strings are made valid whatever bytes they hold.
#ifndef TRAWL_REPORT_JSON_H
#define TRAWL_REPORT_JSON_H

#include "report/out.h"

struct json {
    struct out *out;
    unsigned depth;
    unsigned broken_depth; // members down to this depth have a line each, deeper ones share one
    bool has_members;      // the innermost array or object has one already
    bool after_key;
};

void json_begin(struct json *json, struct out *out, unsigned broken_depth);

// Ends the document's last line.
void json_end(struct json *json);

void json_begin_object(struct json *json);
void json_end_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_array(struct json *json);

// The name of an object's next value.
void json_key(struct json *json, const char *key);

// A number of up to 64 bits, all digits.
void json_u64(struct json *json, uint64_t value);

// A string such as "0x8000": JSON has no hexadecimal numbers.
void json_address(struct json *json, uint64_t value);

// part / whole with six digits after the point; 0.000000 when `whole` is 0.
void json_share(struct json *json, uint64_t part, uint64_t whole);

// What is after less what was before; and as part of that, which is not 0.
void json_change(struct json *json, uint64_t before, uint64_t after);
void json_change_share(struct json *json, uint64_t before, uint64_t after);

// Ticks of a clock of `hz`, a number; null if that is 0.
void json_seconds(struct json *json, uint64_t ticks, uint64_t hz);

void json_bool(struct json *json, bool value);

// NULL gives null.
void json_text(struct json *json, const char *text);

// Members of an object: json_key and the value.
void json_member_u64(struct json *json, const char *key, uint64_t value);
void json_member_address(struct json *json, const char *key, uint64_t value);
void json_member_bool(struct json *json, const char *key, bool value);
void json_member_text(struct json *json, const char *key, const char *text);

#endif
