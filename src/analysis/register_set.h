// Which registers to show, and what they hold at a point.
#ifndef TRAWL_ANALYSIS_REGISTER_SET_H
#define TRAWL_ANALYSIS_REGISTER_SET_H

#include "analysis/index_view.h"
#include "trace/tarmac/registers.h"

#define REGISTER_SET_MAX 256
#define REGISTER_BYTES_MAX 256

// Fields are for reading.
struct register_set {
    struct register_entry items[REGISTER_SET_MAX];
    size_t count;
};

// The registers of `text`, parted by commas: names, or "general", "vector", or "all" for these and
// every other view of their bytes. NULL stands for general,vector. `err` has the offset of a name
// that no register has.
enum status register_set_parse(struct register_set *set, const char *text, bool aarch64,
                               struct error *err);

// Lowest byte first; known[i] is 1 where values[i] is.
struct register_value {
    uint32_t size_bytes, known_bytes;
    uint8_t values[REGISTER_BYTES_MAX], known[REGISTER_BYTES_MAX];
};

enum status register_read(const struct index_view *view, uint64_t lane, uint64_t event,
                          const struct register_entry *entry, struct register_value *value,
                          struct error *err);

bool register_values_equal(const struct register_value *a, const struct register_value *b);

#endif
