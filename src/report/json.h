// A streaming JSON writer: each call writes its text at once, and only the nesting is remembered.
// Strings are made valid for any bytes.
#ifndef TRAWL_REPORT_JSON_H
#define TRAWL_REPORT_JSON_H

#include "report/out.h"

struct json {
    struct out *out;
    unsigned depth;
    unsigned broken_depth; // members down to this depth have a line each; deeper ones share one
    bool has_members;      // of the innermost array or object
    bool after_key;
};

void json_begin(struct json *json, struct out *out, unsigned broken_depth);

// Ends the last line of the document.
void json_end(struct json *json);

void json_begin_object(struct json *json);
void json_end_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_array(struct json *json);

// Writes the name of an object's next value.
void json_key(struct json *json, const char *key);

// Writes a number of up to 64 bits with all digits.
void json_u64(struct json *json, uint64_t value);

// Writes a string such as "0x8000": JSON has no hexadecimal numbers.
void json_address(struct json *json, uint64_t value);

// Writes part / whole with six digits after the point; 0.000000 if `whole` is 0.
void json_share(struct json *json, uint64_t part, uint64_t whole);

// Writes the difference of `after` and `before`; json_change_share writes it as a share of
// `before`, which must not be 0.
void json_change(struct json *json, uint64_t before, uint64_t after);
void json_change_share(struct json *json, uint64_t before, uint64_t after);

// Writes ticks of a clock of `hz` as a number of seconds; null if `hz` is 0.
void json_seconds(struct json *json, uint64_t ticks, uint64_t hz);

void json_bool(struct json *json, bool value);

// NULL becomes null.
void json_text(struct json *json, const char *text);

// Write a member of an object: json_key and the value.
void json_member_u64(struct json *json, const char *key, uint64_t value);
void json_member_address(struct json *json, const char *key, uint64_t value);
void json_member_bool(struct json *json, const char *key, bool value);
void json_member_text(struct json *json, const char *key, const char *text);

#endif
