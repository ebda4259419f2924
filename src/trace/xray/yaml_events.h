// Reads a YAML document of a fixed shape, part by part, with libyaml.
//
// Only the current part is in memory. Aliases, a second document and nesting beyond
// LIMIT_YAML_NESTING are refused. Errors describe the problem in one line, and have its line.
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
    const char *text; // of a scalar: UTF-8, followed by a NUL; valid until the next part
    size_t length;
    uint64_t line;
};

// Begins a document; the text must exist as long as it. NULL: no memory.
struct yaml *yaml_open(const void *text, uint64_t size_bytes);

// Frees everything. NULL is allowed.
void yaml_close(struct yaml *yaml);

// Reads the next part. STATUS_INPUT, STATUS_LIMIT or STATUS_MEMORY: failure.
enum status yaml_next(struct yaml *yaml, struct yaml_part *part, struct error *err);

// The line of the part that was read last.
uint64_t yaml_line(const struct yaml *yaml);

// Reads a part that must be of `kind`; `what` describes it for messages.
enum status yaml_expect(struct yaml *yaml, enum yaml_kind kind, const char *what,
                        struct yaml_part *part, struct error *err);

// Reads the next key of a map, which must be one of `keys` (ends with NULL) and not in the set
// `seen`, and adds it to that. *key is its index in `keys`, or -1 at the end of the map.
enum status yaml_key(struct yaml *yaml, const char *const *keys, uint32_t *seen, int *key,
                     struct error *err);

// Reads a number up to `max`, decimal or hexadecimal; `what` is its key.
enum status yaml_u64(struct yaml *yaml, const char *what, uint64_t max, uint64_t *value,
                     struct error *err);

// The same for a part that was already read.
enum status yaml_part_u64(const struct yaml *yaml, const struct yaml_part *part, const char *what,
                          uint64_t max, uint64_t *value, struct error *err);

// Reads true or false.
enum status yaml_bool(struct yaml *yaml, const char *what, bool *value, struct error *err);

// Reads one of `words` (ends with NULL); *choice is its index.
enum status yaml_word(struct yaml *yaml, const char *what, const char *const *words,
                      unsigned *choice, struct error *err);

// Fails at the part that was read last: "no 'tsc'".
enum status yaml_fault(const struct yaml *yaml, struct error *err, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Fails if a map lacks one of the keys in the set `required`.
enum status yaml_require(const struct yaml *yaml, const char *const *keys, uint32_t seen,
                         uint32_t required, struct error *err);

#endif
