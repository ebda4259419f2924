// Several runs of bytes after a table of them: how a segment, and every section that has more than
// one column, is laid out.
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
#include "idx/bytes.h"
#include "idx/column.h"

#define PARTS_MAX 32

struct part {
    uint32_t number;
    uint64_t size_bytes;
    const uint8_t *bytes;
};

struct parts {
    struct part items[PARTS_MAX];
    size_t count;
    uint64_t size_bytes; // of all, the table included
    enum simd simd;      // what columns are read with
};

// Collects parts: what is appended to `body` becomes one at each parts_add.
struct parts_writer {
    enum simd simd; // how columns are packed; the bytes are the same
    struct bytes body;
    struct part items[PARTS_MAX]; // without bytes
    size_t count;
    size_t done_bytes; // of the body, that are parts
};

// Forgets what was collected and keeps the memory.
void parts_writer_reset(struct parts_writer *writer);
void parts_writer_free(struct parts_writer *writer);

// Makes the bytes appended since the last call part `number`, which is higher than those before.
void parts_add(struct parts_writer *writer, uint32_t number);

// Appends a column to the body and makes it part `number`. False: no memory.
bool parts_add_column(struct parts_writer *writer, uint32_t number, const uint64_t *values,
                      size_t count);

bool parts_add_column_from(struct parts_writer *writer, uint32_t number,
                           const struct column_source *source, size_t count);

// The same with bytes that are no column, and a check before them.
bool parts_add_text(struct parts_writer *writer, uint32_t number, const void *text,
                    size_t size_bytes);

// Appends the table and all parts to `out`. False: no memory.
bool parts_finish(const struct parts_writer *writer, struct bytes *out);

// Opens what parts_finish wrote. STATUS_DAMAGED: it is damaged.
enum status parts_open(struct parts *parts, enum simd simd, const uint8_t *bytes,
                       uint64_t available, struct error *err);

// NULL: there is no such part.
const struct part *parts_find(const struct parts *parts, uint32_t number);

// Opens part `number` as a column that takes all of it. STATUS_DAMAGED: there is none, or it is
// damaged.
enum status parts_column(const struct parts *parts, uint32_t number, struct column *column,
                         struct error *err);

// Part `number` as parts_add_text wrote it.
enum status parts_text(const struct parts *parts, uint32_t number, const char **text,
                       size_t *size_bytes, struct error *err);

// Appends bytes. False: no memory.
bool bytes_append(struct bytes *bytes, const void *data, size_t size_bytes);

#endif
