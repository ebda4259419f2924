// Rows of a table that will become part of a Parquet file, stored by column. Each different text is
// stored once, and cells refer to it by number.
#ifndef TRAWL_REPORT_PARQUET_CELLS_H
#define TRAWL_REPORT_PARQUET_CELLS_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/limits.h"
#include "base/vec.h"

#define PARQUET_RECENT_TEXTS 256

// PARQUET_ADDRESS is a number like PARQUET_U64, but neighbouring values are less related.
enum parquet_type { PARQUET_U64, PARQUET_ADDRESS, PARQUET_F64, PARQUET_TEXT, PARQUET_TIME };

// Instead of the number of a text: there is none.
#define PARQUET_NO_TEXT UINT32_MAX

struct parquet_text {
    const char *given; // the original
    const char *text;  // made inert; nearly always the same as `given`
    uint32_t length;
};

// Texts by their numbers, which are assigned in the order of first use.
struct parquet_texts {
    struct arena arena;
    VEC(, struct parquet_text) items;
    struct hash_index by_text;
    uint32_t recent[PARQUET_RECENT_TEXTS]; // by address in memory: a number + 1
};

// The number of a text. False: no memory, or too many of them.
bool parquet_texts_number(struct parquet_texts *texts, const char *text, uint32_t *number);
void parquet_texts_free(struct parquet_texts *texts);

struct parquet_column {
    enum parquet_type type;
    VEC(, uint64_t) numbers; // doubles as their bits; 0 in an empty cell
    VEC(, uint8_t) has;      // for each number, whether the cell has a value
    VEC(, uint32_t) texts;   // their numbers; only for PARQUET_TEXT
    size_t empty_count;
};

// Empty if all is zero except for types and column_count. Fields are for reading.
struct parquet_cells {
    size_t column_count;
    struct parquet_column columns[LIMIT_PARQUET_COLUMNS];
    size_t row_count;
    struct parquet_texts texts;
    VEC(, uint32_t) known; // the numbers that the texts have in the cells that took these before
    bool lacks_memory;     // the contents are then invalid
};

void parquet_cells_begin(struct parquet_cells *cells, const enum parquet_type *types,
                         size_t column_count);

// Add a cell to one column; each column is in its turn.
void parquet_cells_number(struct parquet_cells *cells, size_t column, uint64_t value);
void parquet_cells_f64(struct parquet_cells *cells, size_t column, double value);
void parquet_cells_text(struct parquet_cells *cells, size_t column, const char *text);
void parquet_cells_none(struct parquet_cells *cells, size_t column);
void parquet_cells_end_row(struct parquet_cells *cells);

// Moves all rows of a part with the same columns to the end.
void parquet_cells_take(struct parquet_cells *cells, struct parquet_cells *part);

// Removes all rows; texts keep their numbers.
void parquet_cells_clear(struct parquet_cells *cells);
void parquet_cells_free(struct parquet_cells *cells);

#endif
