// A YAML document of a fixed shape, part by part, by libyaml.
//
// Nothing is built in memory but the current part. Aliases, a second document and nesting beyond
// LIMIT_YAML_NESTING are refused. Errors name what is wrong in one line, and the line where.
#ifndef TRAWL_TRACE_XRAY_YAML_EVENTS_H
#define TRAWL_TRACE_XRAY_YAML_EVENTS_H

#include "base/error.h"

struct yaml;

enum yaml_kind {
    YAML_SCALAR,
    YAML_LIST,
    YAML_MAP,
    YAML_END,     // of a list or map
    YAML_NOTHING, // after the last part
};

struct yaml_part {
    enum yaml_kind kind;
    const char *text; // of a scalar: UTF-8, with a NUL after it; valid until the next part
    size_t length;
    uint64_t line;
};

// Begins with the text, which must stay as long as the document. NULL: no memory.
struct yaml *yaml_open(const void *text, uint64_t size_bytes);

// Gives everything back. NULL is allowed.
void yaml_close(struct yaml *yaml);

// The next part. STATUS_INPUT, STATUS_LIMIT or STATUS_MEMORY if there is none to be had.
enum status yaml_next(struct yaml *yaml, struct yaml_part *part, struct error *err);

// Where the part that was taken last is.
uint64_t yaml_line(const struct yaml *yaml);

// Takes a part that must be of `kind`; `what` is what should be there, for humans.
enum status yaml_expect(struct yaml *yaml, enum yaml_kind kind, const char *what,
                        struct yaml_part *part, struct error *err);

// Takes the next key of a map, which must be one of `keys` (ends with NULL) and not in the set
// `seen`, and adds it to that. *key is its place in `keys`, or -1 at the end of the map.
enum status yaml_key(struct yaml *yaml, const char *const *keys, uint32_t *seen, int *key,
                     struct error *err);

// Takes a number up to `max`, decimal or hexadecimal; `what` is its key.
enum status yaml_u64(struct yaml *yaml, const char *what, uint64_t max, uint64_t *value,
                     struct error *err);

// The same of a part that was taken already.
enum status yaml_part_u64(const struct yaml *yaml, const struct yaml_part *part, const char *what,
                          uint64_t max, uint64_t *value, struct error *err);

// Takes true or false.
enum status yaml_bool(struct yaml *yaml, const char *what, bool *value, struct error *err);

// Takes one of `words` (ends with NULL); *choice is its place.
enum status yaml_word(struct yaml *yaml, const char *what, const char *const *words,
                      unsigned *choice, struct error *err);

// Fails at the part that was taken last: "no 'tsc'".
enum status yaml_fault(const struct yaml *yaml, struct error *err, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Refuses a map that lacks one of the keys in the set `required`.
enum status yaml_require(const struct yaml *yaml, const char *const *keys, uint32_t seen,
                         uint32_t required, struct error *err);

#endif
