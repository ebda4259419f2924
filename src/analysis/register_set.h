// Which registers to show, and their values at a point.
#ifndef TRAWL_ANALYSIS_REGISTER_SET_H
#define TRAWL_ANALYSIS_REGISTER_SET_H

#include "analysis/index_view.h"
#include "base/limits.h"

#define REGISTER_NAME_BYTES 64

// How registers are shown, in this order.
enum register_group {
    REGISTER_GROUP_GENERAL,
    REGISTER_GROUP_STACK, // the stack pointer and the state of the processor
    REGISTER_GROUP_VECTOR,
    REGISTER_GROUP_STATUS,
};

struct register_entry {
    char name[REGISTER_NAME_BYTES]; // as it was asked for
    struct trawl_register which;
};

enum register_group register_group(const struct trawl_register *which);

// All zero is empty. Fields are for reading.
struct register_set {
    struct register_entry *items;
    size_t count, capacity;
};

void register_set_free(struct register_set *set);

// The registers of `text`, parted by commas: names in an instruction set, or "general", "vector",
// "core" for these, "system" for status, control and all that the trace names beside those, or
// "all" for each of them and every other view of their bytes. NULL stands for core. `err` has the
// offset of a name that no register has.
enum status register_set_parse(struct register_set *set, const struct index_view *view,
                               const char *text, uint32_t isa, struct error *err);

// Lowest byte first; known[i] is 1 where values[i] is.
struct register_value {
    uint32_t size_bytes, known_bytes;
    uint8_t values[LIMIT_VALUE_BYTES], known[LIMIT_VALUE_BYTES];
};

// Of a register of a set, or any other that has at most LIMIT_VALUE_BYTES.
enum status register_read(const struct index_view *view, uint64_t lane, uint64_t event,
                          const struct trawl_register *which, struct register_value *value,
                          struct error *err);

bool register_values_equal(const struct register_value *a, const struct register_value *b);

#endif
