// Writes FlatBuffers from front to back: what a table refers to is written after it.
// https://flatbuffers.dev/internals/
#ifndef TRAWL_REPORT_FLATBUFFER_H
#define TRAWL_REPORT_FLATBUFFER_H

#include "base/vec.h"

// All zero is empty; free(bytes.items) frees it. Places are offsets in `bytes`, which must be
// copied to an address or position that is a multiple of eight.
struct flatbuffer {
    VEC(, uint8_t) bytes;
    bool lacks_memory; // its contents are then invalid
};

// The place of the reference to the root, after flatbuffer_begin.
#define FLATBUFFER_ROOT ((size_t)0)

void flatbuffer_begin(struct flatbuffer *buffer);

// Writes a table, to which the field at place `from` refers. Its fields have these sizes in bytes
// (1, 2, 4 or 8; 0: left out) and are zero until they are written. Returns its place.
size_t flatbuffer_table(struct flatbuffer *buffer, size_t from, const uint8_t *sizes, size_t count);

// The place of a field that was not left out.
size_t flatbuffer_field(const struct flatbuffer *buffer, size_t table, size_t field);

// Writes a vector likewise. Its items are aligned to eight bytes if they have at least eight,
// otherwise to four. Returns the place of its first item.
size_t flatbuffer_vector(struct flatbuffer *buffer, size_t from, size_t count, size_t item_bytes);

// Writes a string likewise, up to its NUL.
void flatbuffer_string(struct flatbuffer *buffer, size_t from, const char *text);

// Writes a number.
void flatbuffer_put(struct flatbuffer *buffer, size_t place, uint64_t value, size_t size_bytes);

// Pads the buffer to a multiple of eight bytes.
void flatbuffer_end(struct flatbuffer *buffer);

#endif
