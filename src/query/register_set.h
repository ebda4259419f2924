// Which registers to show, and their values at a point.
#ifndef TRAWL_QUERY_REGISTER_SET_H
#define TRAWL_QUERY_REGISTER_SET_H

#include "base/limits.h"
#include "trace/index_view.h"

#define REGISTER_NAME_BYTES 64

// How registers are shown, in this order.
enum register_group {
    REGISTER_GROUP_GENERAL,
    REGISTER_GROUP_STACK, // the stack pointer and the state of the processor
    REGISTER_GROUP_VECTOR,
    REGISTER_GROUP_STATUS,
};

struct register_entry {
    char name[REGISTER_NAME_BYTES]; // as requested
    struct trawl_register which;
};

enum register_group register_group(const struct trawl_register *which);

// All zero is empty. Fields are for reading.
struct register_set {
    struct register_entry *items;
    size_t count, capacity;
};

void register_set_free(struct register_set *set);

// Parses a list separated by commas: names in an instruction set, or "general", "vector", "core"
// for both, "system" for status, control and all other registers that the trace names, or "all" for
// all of these and every other view of their bytes. NULL: core. `err` has the offset of an unknown
// name.
enum status register_set_parse(struct register_set *set, const struct index_view *view,
                               const char *text, uint32_t isa, struct error *err);

// Lowest byte first; known[i] is 1 if values[i] is known.
struct register_value {
    uint32_t size_bytes, known_bytes;
    uint8_t values[LIMIT_VALUE_BYTES], known[LIMIT_VALUE_BYTES];
};

// Reads any register of at most LIMIT_VALUE_BYTES, such as those of a set.
enum status register_read(const struct index_view *view, uint64_t lane, uint64_t event,
                          const struct trawl_register *which, struct register_value *value,
                          struct error *err);

bool register_values_equal(const struct register_value *a, const struct register_value *b);

#endif
