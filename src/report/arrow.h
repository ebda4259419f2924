// Writes a table as an Arrow file (its IPC format, also called Feather version 2): a schema,
// batches of rows stored by column, and a list of their positions. It is written from front to
// back, so it can go to a pipe.
// https://arrow.apache.org/docs/format/Columnar.html
//
// A text is written once, and cells have its number: names of functions and cores come again and
// again (without, 28.6 million calls took 3.8 GB). The texts follow the last rows, as only then all
// are known; readers of files find them by the list.
//
// Only four kinds of messages are needed, which takes less code than using a library: nanoarrow
// would add a second runtime of FlatBuffers, and Debian 12 has neither it nor Arrow's own library.
#ifndef TRAWL_REPORT_ARROW_H
#define TRAWL_REPORT_ARROW_H

#include "base/error.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "report/out.h"

// --- flatbuffer.c --------------------------------------------------------------------------------

// Writes FlatBuffers from front to back: what a table refers to is written after it.
// https://flatbuffers.dev/internals/

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

// --- arrow.c -------------------------------------------------------------------------------------

enum arrow_type { ARROW_U64, ARROW_F64, ARROW_TEXT };

#define ARROW_COLUMNS_MAX 32

// The different texts of a column.
struct arrow_texts {
    struct hash_index by_text;
    VEC(, int32_t) ends; // where each ends in `text`
    VEC(, char) text;
    uint32_t recent; // the one that was found last
};

// The cells of a column that are not written yet. An empty cell counts as 0.
struct arrow_column {
    enum arrow_type type;
    VEC(, uint64_t) numbers;  // doubles as their bits
    VEC(, uint8_t) has_value; // one bit for each cell
    VEC(, int32_t) ids;       // of texts
    uint64_t count, empty_count;
    struct arrow_texts texts; // of all of the file
};

// The position of a batch in the file.
struct arrow_block {
    uint64_t offset, body_bytes;
    uint32_t head_bytes;
};

// A file, or a part of one: rows that are not written yet, with numbers for texts of its own.
// Fields are private.
struct arrow {
    struct out *out;
    size_t column_count;
    struct arrow_column columns[ARROW_COLUMNS_MAX];
    VEC(, struct arrow_block) blocks;
    VEC(, struct arrow_block) text_blocks;
    struct flatbuffer message;
    uint64_t start; // of the file, as a position in `out`
    bool is_part;
    bool lacks_memory;
};

// Begins a file. `names` is read here, and again in arrow_end.
void arrow_begin(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                 const char *const *names, size_t column_count);
void arrow_begin_part(struct arrow *arrow, const enum arrow_type *types, size_t column_count);

// Sets the next cell of a column. Columns come in order.
void arrow_u64(struct arrow *arrow, size_t column, uint64_t value);
void arrow_f64(struct arrow *arrow, size_t column, double value);
void arrow_text(struct arrow *arrow, size_t column, const char *text); // made inert
void arrow_none(struct arrow *arrow, size_t column);

// Ends a row, and writes a batch if there are enough rows for one; of a part, none.
void arrow_end_row(struct arrow *arrow);

// Writes the rows of a part to the file, which has none of its own that wait. The part is then
// empty.
void arrow_take(struct arrow *arrow, struct arrow *part);

void arrow_end(struct arrow *arrow, const char *const *names);

// Frees everything, and reports missing memory to `out`. Not needed after arrow_end.
void arrow_free(struct arrow *arrow);

#endif
