// Tables as an Arrow file (its IPC format, also called Feather version 2): a schema, batches of
// rows by columns, and a list of their positions. Written from front to back, so that it can go to
// a pipe.
// https://arrow.apache.org/docs/format/Columnar.html
//
// Only three kinds of messages are needed, which is less code than calling a library would take:
// nanoarrow would add a second runtime of FlatBuffers, and Debian 12 has neither it nor Arrow's own
// library.
#ifndef TRAWL_REPORT_ARROW_H
#define TRAWL_REPORT_ARROW_H

#include "base/error.h"
#include "report/flatbuffer.h"
#include "report/out.h"

enum arrow_type { ARROW_U64, ARROW_F64, ARROW_TEXT };

#define ARROW_COLUMNS_MAX 32

// The pending cells of a column. An empty cell counts as 0 and "".
struct arrow_column {
    enum arrow_type type;
    VEC(, uint64_t) numbers;  // doubles by their bits
    VEC(, uint8_t) has_value; // a bit for each
    VEC(, int32_t) ends;      // of texts
    VEC(, char) text;
    uint64_t count, empty_count;
};

// Where a batch is.
struct arrow_block {
    uint64_t offset, body_bytes;
    uint32_t head_bytes;
};

// A file, or part of one: batches without what is before and after. Fields are private.
struct arrow {
    struct out *out;
    size_t column_count;
    struct arrow_column columns[ARROW_COLUMNS_MAX];
    VEC(, struct arrow_block) blocks;
    struct flatbuffer message;
    uint64_t start; // of the file in `out`
    bool lacks_memory;
};

// `names` is read here, and in arrow_end.
void arrow_begin(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                 const char *const *names, size_t column_count);
void arrow_begin_part(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                      size_t column_count);

// The next cell of a column, in the order of the columns.
void arrow_u64(struct arrow *arrow, size_t column, uint64_t value);
void arrow_f64(struct arrow *arrow, size_t column, double value);
void arrow_text(struct arrow *arrow, size_t column, const char *text); // made inert
void arrow_none(struct arrow *arrow, size_t column);

// After each row: writes a batch if there is enough for one.
void arrow_end_row(struct arrow *arrow);

// Writes the current rows as a batch.
void arrow_flush(struct arrow *arrow);

// Moves the batches of a part, which is flushed and in memory, into the file.
void arrow_take(struct arrow *arrow, struct arrow *part);

void arrow_end(struct arrow *arrow, const char *const *names);

// Frees everything and passes a lack of memory on to `out`. Not needed after arrow_end.
void arrow_free(struct arrow *arrow);

#endif
