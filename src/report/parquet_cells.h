// Rows of a table that are to become part of a Parquet file, by columns. Texts are kept once, and
// are numbers from there on.
#ifndef TRAWL_REPORT_PARQUET_CELLS_H
#define TRAWL_REPORT_PARQUET_CELLS_H

#include "base/arena.h"
#include "base/hash_seed.h"
#include "base/limits.h"
#include "base/vec.h"

#define PARQUET_RECENT_TEXTS 256

// PARQUET_ADDRESS is a number as PARQUET_U64 is one: neighbours have less to do with each other.
enum parquet_type { PARQUET_U64, PARQUET_ADDRESS, PARQUET_F64, PARQUET_TEXT, PARQUET_TIME };

// The number of no text.
#define PARQUET_NO_TEXT UINT32_MAX

struct parquet_text {
    const char *given; // as it came
    const char *text;  // made inert, which is the same for nearly all
    uint32_t length;
    uint64_t hash; // of what was given
};

// Texts by their numbers, which are given in the order in which they come.
struct parquet_texts {
    struct arena arena;
    struct hash_seed seed;
    VEC(, struct parquet_text) items;
    uint32_t *slots; // a number and 1; 0: free
    size_t slot_count;
    uint32_t recent[PARQUET_RECENT_TEXTS]; // by place in memory: a number and 1
};

// The number of a text. False: no memory, or too many of them.
bool parquet_texts_number(struct parquet_texts *texts, const char *text, uint32_t *number);
void parquet_texts_free(struct parquet_texts *texts);

struct parquet_column {
    enum parquet_type type;
    VEC(, uint64_t) numbers; // doubles by their bits; an empty cell has 0
    VEC(, uint8_t) has;      // of each number, whether there is one
    VEC(, uint32_t) texts;   // their numbers, of PARQUET_TEXT alone
    size_t empty_count;
};

// All zero except for types and column_count is empty. Fields are for reading.
struct parquet_cells {
    size_t column_count;
    struct parquet_column columns[LIMIT_PARQUET_COLUMNS];
    size_t row_count;
    struct parquet_texts texts;
    VEC(, uint32_t) known; // to whoever took cells before: the numbers that texts have there
    bool lacks_memory;     // nothing counts then
};

void parquet_cells_begin(struct parquet_cells *cells, const enum parquet_type *types,
                         size_t column_count);

// Cells of one column, each in its turn.
void parquet_cells_number(struct parquet_cells *cells, size_t column, uint64_t value);
void parquet_cells_f64(struct parquet_cells *cells, size_t column, double value);
void parquet_cells_text(struct parquet_cells *cells, size_t column, const char *text);
void parquet_cells_none(struct parquet_cells *cells, size_t column);
void parquet_cells_end_row(struct parquet_cells *cells);

// Moves all rows of a part, of the same columns, to the end.
void parquet_cells_take(struct parquet_cells *cells, struct parquet_cells *part);

// Takes all rows out; texts keep their numbers.
void parquet_cells_clear(struct parquet_cells *cells);
void parquet_cells_free(struct parquet_cells *cells);

#endif
