// Structs of Apache Thrift in its compact protocol, of which the heads of pages and the footer of a
// Parquet file are made. https://github.com/apache/thrift/blob/master/doc/specs/
#ifndef TRAWL_REPORT_THRIFT_H
#define TRAWL_REPORT_THRIFT_H

#include "base/vec.h"

VEC(byte_vec, uint8_t);

// Structs within each other.
#define THRIFT_NESTING 8

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_TEXT = 8, THRIFT_STRUCT = 12 };

// All zero is an empty one; free(bytes.items) gives it back.
struct thrift {
    struct byte_vec bytes;
    int last[THRIFT_NESTING]; // the field that was written last, of each struct that is open
    unsigned depth;
    bool lacks_memory; // nothing in it counts then
};

// A struct that stands by itself or is the next item of a list; the struct that a field is; and
// where either ends.
void thrift_begin(struct thrift *thrift);
void thrift_struct(struct thrift *thrift, int field);
void thrift_end(struct thrift *thrift);

// Fields, whose numbers rise.
void thrift_i8(struct thrift *thrift, int field, int8_t value);
void thrift_i32(struct thrift *thrift, int field, int32_t value);
void thrift_i64(struct thrift *thrift, int field, uint64_t value); // at most INT64_MAX
void thrift_bool(struct thrift *thrift, int field, bool value);
void thrift_text(struct thrift *thrift, int field, const void *text, size_t length);

// Begins a list of so many items, which follow.
void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t count);
void thrift_item_i32(struct thrift *thrift, int32_t value);
void thrift_item_text(struct thrift *thrift, const char *text);

// What another has, which ended.
void thrift_append(struct thrift *thrift, const struct thrift *other);

#endif
