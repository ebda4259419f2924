// Writes structs of Apache Thrift in its compact protocol, of which page heads and the footer of a
// Parquet file consist. https://github.com/apache/thrift/blob/master/doc/specs/
#ifndef TRAWL_REPORT_THRIFT_H
#define TRAWL_REPORT_THRIFT_H

#include "base/vec.h"

VEC(byte_vec, uint8_t);

// The most nested structs.
#define THRIFT_NESTING 8

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_TEXT = 8, THRIFT_STRUCT = 12 };

// All zero is empty; free(bytes.items) frees it.
struct thrift {
    struct byte_vec bytes;
    int last[THRIFT_NESTING]; // the number of the last field of each open struct
    unsigned depth;
    bool lacks_memory; // its contents are then invalid
};

// Begin a struct that is not a field, or is the next item of a list; begin a struct that is a
// field; end either.
void thrift_begin(struct thrift *thrift);
void thrift_struct(struct thrift *thrift, int field);
void thrift_end(struct thrift *thrift);

// Write a field; field numbers must ascend.
void thrift_i8(struct thrift *thrift, int field, int8_t value);
void thrift_i32(struct thrift *thrift, int field, int32_t value);
void thrift_i64(struct thrift *thrift, int field, uint64_t value); // at most INT64_MAX
void thrift_bool(struct thrift *thrift, int field, bool value);
void thrift_text(struct thrift *thrift, int field, const void *text, size_t length);

// Begins a list of `count` items, which follow.
void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t count);
void thrift_item_i32(struct thrift *thrift, int32_t value);
void thrift_item_text(struct thrift *thrift, const char *text);

// Appends another one, whose structs are all ended.
void thrift_append(struct thrift *thrift, const struct thrift *other);

#endif
