// Writes a table as an Arrow file (its IPC format, also called Feather version 2): a schema,
// batches of rows stored by column, and a list of their positions. It is written from front to
// back, so it can go to a pipe.
// https://arrow.apache.org/docs/format/Columnar.html
//
// Only three kinds of messages are needed, which takes less code than using a library: nanoarrow
// would add a second runtime of FlatBuffers, and Debian 12 has neither it nor Arrow's own library.
#ifndef TRAWL_REPORT_ARROW_H
#define TRAWL_REPORT_ARROW_H

#include "base/error.h"
#include "report/flatbuffer.h"
#include "report/out.h"

enum arrow_type { ARROW_U64, ARROW_F64, ARROW_TEXT };

#define ARROW_COLUMNS_MAX 32

// The cells of a column that are not written yet. An empty cell counts as 0 or "".
struct arrow_column {
    enum arrow_type type;
    VEC(, uint64_t) numbers;  // doubles as their bits
    VEC(, uint8_t) has_value; // one bit for each cell
    VEC(, int32_t) ends;      // where each text ends in `text`
    VEC(, char) text;
    uint64_t count, empty_count;
};

// The position of a batch in the file.
struct arrow_block {
    uint64_t offset, body_bytes;
    uint32_t head_bytes;
};

// A file, or a part of one: batches without the schema before them and the list after them. Fields
// are private.
struct arrow {
    struct out *out;
    size_t column_count;
    struct arrow_column columns[ARROW_COLUMNS_MAX];
    VEC(, struct arrow_block) blocks;
    struct flatbuffer message;
    uint64_t start; // of the file, as a position in `out`
    bool lacks_memory;
};

// Begins a file. `names` is read here, and again in arrow_end.
void arrow_begin(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                 const char *const *names, size_t column_count);
void arrow_begin_part(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                      size_t column_count);

// Sets the next cell of a column. Columns come in order.
void arrow_u64(struct arrow *arrow, size_t column, uint64_t value);
void arrow_f64(struct arrow *arrow, size_t column, double value);
void arrow_text(struct arrow *arrow, size_t column, const char *text); // made inert
void arrow_none(struct arrow *arrow, size_t column);

// Ends a row, and writes a batch if there are enough rows for one.
void arrow_end_row(struct arrow *arrow);

// Writes the current rows as a batch.
void arrow_flush(struct arrow *arrow);

// Moves the batches of a part into the file. The part must be flushed and in memory.
void arrow_take(struct arrow *arrow, struct arrow *part);

void arrow_end(struct arrow *arrow, const char *const *names);

// Frees everything, and reports missing memory to `out`. Not needed after arrow_end.
void arrow_free(struct arrow *arrow);

#endif
