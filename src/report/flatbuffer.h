// FlatBuffers, written front to back: what a table refers to is written after it.
// https://flatbuffers.dev/internals/
#ifndef TRAWL_REPORT_FLATBUFFER_H
#define TRAWL_REPORT_FLATBUFFER_H

#include "base/vec.h"

// All zero is an empty one; free(bytes.items) gives it back. Places are offsets in `bytes`, which
// is to begin at a multiple of eight wherever it goes.
struct flatbuffer {
    VEC(, uint8_t) bytes;
    bool lacks_memory; // nothing in it counts then
};

// Where the buffer refers to its root, once it was begun: a place for the functions below.
#define FLATBUFFER_ROOT ((size_t)0)

void flatbuffer_begin(struct flatbuffer *buffer);

// A table that the field at place `from` refers to. Its fields have these sizes in bytes (1, 2, 4
// or 8; 0: left out) and are all zero still. Returns its place.
size_t flatbuffer_table(struct flatbuffer *buffer, size_t from, const uint8_t *sizes, size_t count);

// The place of a field that is there.
size_t flatbuffer_field(const struct flatbuffer *buffer, size_t table, size_t field);

// A vector, likewise, of items that are aligned to eight bytes if they have as many, else to four.
// Returns the place of its first item.
size_t flatbuffer_vector(struct flatbuffer *buffer, size_t from, size_t count, size_t item_bytes);

// A string, likewise, up to its NUL.
void flatbuffer_string(struct flatbuffer *buffer, size_t from, const char *text);

// Writes a number.
void flatbuffer_put(struct flatbuffer *buffer, size_t place, uint64_t value, size_t size_bytes);

// Pads it to a multiple of eight bytes.
void flatbuffer_end(struct flatbuffer *buffer);

#endif
