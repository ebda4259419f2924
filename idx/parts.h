// Several runs of bytes after a table of them. Segments, and sections with more than one column,
// have this layout.
//
//     check   4 bytes, of the table that follows
//     count   of parts; varint
//     table   for each part its number and its bytes; two varints, numbers ascending
//     parts   one after the other
//
// A reader skips parts whose number it does not know.
#ifndef TRAWL_IDX_PARTS_H
#define TRAWL_IDX_PARTS_H

#include "base/error.h"
#include "base/vec.h"
#include "idx/column.h"

#define PARTS_MAX 64

struct part {
    uint32_t number;
    uint64_t size_bytes;
    const uint8_t *bytes;
};

struct parts {
    struct part items[PARTS_MAX];
    size_t count;
    uint64_t size_bytes; // of everything, including the table
    enum simd simd;      // used to read columns
};

// Collects parts: each parts_add makes a part of the bytes that were appended to `body` before.
struct parts_writer {
    enum simd simd; // used to pack columns; the bytes are the same for each
    struct bytes body;
    struct part items[PARTS_MAX]; // `bytes` is not set
    size_t count;
    size_t done_bytes; // of the body, in finished parts
};

// Removes what was collected and keeps the memory for reuse.
void parts_writer_reset(struct parts_writer *writer);
void parts_writer_free(struct parts_writer *writer);

// Makes part `number` of the bytes appended since the last call. Numbers must ascend.
void parts_add(struct parts_writer *writer, uint32_t number);

// Appends a column to the body and makes it part `number`. False: no memory.
bool parts_add_column(struct parts_writer *writer, uint32_t number, const uint64_t *values,
                      size_t count);

bool parts_add_column_from(struct parts_writer *writer, uint32_t number,
                           const struct column_source *source, size_t count);

// The same with bytes that are not a column, preceded by a check.
bool parts_add_text(struct parts_writer *writer, uint32_t number, const void *text,
                    size_t size_bytes);

// Appends the table and all parts to `out`. False: no memory.
bool parts_finish(const struct parts_writer *writer, struct bytes *out);

// Opens the output of parts_finish. STATUS_DAMAGED: it is damaged.
enum status parts_open(struct parts *parts, enum simd simd, const uint8_t *bytes,
                       uint64_t available, struct error *err);

// NULL: there is no such part.
const struct part *parts_find(const struct parts *parts, uint32_t number);

// Opens part `number` as a column that fills all of it. STATUS_DAMAGED: the part is missing or
// damaged.
enum status parts_column(const struct parts *parts, uint32_t number, struct column *column,
                         struct error *err);

// Part `number`, as written by parts_add_text.
enum status parts_text(const struct parts *parts, uint32_t number, const char **text,
                       size_t *size_bytes, struct error *err);

// Appends bytes. False: no memory.
bool bytes_append(struct bytes *bytes, const void *data, size_t size_bytes);

#endif
