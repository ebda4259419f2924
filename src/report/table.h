// One description of columns and rows, and what is made of it: text aligned for humans, CSV, JSON,
// an object of JSON a line, Arrow, Parquet.
//
//     static const struct column columns[] = {{"Address", "address", COLUMN_ADDRESS}, ...};
//     table_begin(&table, out, format, columns, ARRAY_COUNT(columns));
//     for (...) { table_address(&table, f->pc); table_u64(&table, f->count); ... }
//     table_end(&table);
//
// Each call gives the next cell; a row is full when every column has one.
#ifndef TRAWL_REPORT_TABLE_H
#define TRAWL_REPORT_TABLE_H

#include "base/vec.h"
#include "report/arrow.h"
#include "report/json.h"
#include "report/out.h"
#include "report/parquet.h"

#define TABLE_COLUMNS_MAX 32

enum table_format {
    TABLE_TEXT,
    TABLE_CSV,
    TABLE_JSON,
    TABLE_JSON_LINES,
    TABLE_ARROW,
    TABLE_PARQUET,
};

enum column_kind {
    COLUMN_U64,
    COLUMN_LINE,         // of the trace; COLUMN_U64 except for table.place_of
    COLUMN_TICKS,        // a time, or how long something took, in ticks of the trace
    COLUMN_ADDRESS,      // 0x8000
    COLUMN_SHARE,        // 12.5% in text, 0.125000 in CSV and JSON
    COLUMN_SECONDS,      // 1.500000000
    COLUMN_CHANGE,       // of ticks: +12, -3; in CSV and JSON without the plus
    COLUMN_CHANGE_SHARE, // +12.5% of what was before; 0.125000 in CSV and JSON
    COLUMN_TEXT,
    COLUMN_BELOW, // the last: lines that are below their row; in CSV and JSON a text
};

struct column {
    const char *title; // heading for humans, to which the table adds the unit of the kind
    const char *key;   // heading in CSV, member name in JSON; never changes once published
    enum column_kind kind;
};

struct table_cell {
    size_t bytes, width;
};

struct table {
    struct out *out;
    enum table_format format;
    const struct column *columns;
    size_t column_count;
    size_t next_column;
    const char *tick_unit; // in headings for humans
    // After each COLUMN_LINE a text stands that the table gets by itself: which place that is.
    // NULL: there is none.
    const char *(*place_of)(void *self, uint64_t line);
    void *place_self;

    struct json json;
    struct json *around; // the document that the table is a value in; NULL: it is a document
    struct arrow *arrow;
    struct parquet_cells *rows; // of TABLE_PARQUET: a part's own, else those of:
    struct parquet *parquet;

    // For people: the rows that the widths are measured on, then one row at a time.
    struct out text;
    VEC(, struct table_cell) cells;
    uint64_t cell_start; // of the cell being written, in `text`
    size_t row_count;
    size_t widths[TABLE_COLUMNS_MAX];
};

// `columns` and `out` must outlive the table. Fails only when there is no memory.
enum status table_begin(struct table *table, struct out *out, enum table_format format,
                        const struct column *columns, size_t column_count, struct error *err);

// The same where it is known how long a tick lasts: `tick_unit` ("ns") is in the headings, instead
// of "ticks".
enum status table_begin_timed(struct table *table, struct out *out, enum table_format format,
                              const struct column *columns, size_t column_count,
                              const char *tick_unit, struct error *err);

// A table of Parquet files, which is split by its column "lane". What goes wrong is reported by
// parquet_end, which comes after table_end; `out`, to which nothing is written, fails then.
enum status table_begin_parquet(struct table *table, struct out *out, struct parquet *parquet,
                                const struct column *columns, size_t column_count,
                                struct error *err);

// Rows that become part of a table of the same columns, for those who make rows in parallel: `out`
// is in memory. Not of text for humans, nor of JSON.
enum status table_begin_part(struct table *table, struct out *out, const struct table *whole,
                             struct error *err);

// Has what a part's rows still need done, in parallel with others.
void table_flush_part(struct table *part);

// Moves the rows of a part to the end of the table. The part is empty then, and can get others.
void table_take(struct table *table, struct table *part);

// Why nothing more can be written: STATUS_IO where out_close of `out` says so.
enum status table_failure(const struct table *table, struct error *err);

// Frees a part.
void table_end_part(struct table *table);

// A table as the next value of a JSON document. table_end lets the document continue.
void table_begin_member(struct table *table, struct json *around, const struct column *columns,
                        size_t column_count);

void table_u64(struct table *table, uint64_t value);
void table_address(struct table *table, uint64_t value);

// part / whole; nothing of nothing is 0.
void table_share(struct table *table, uint64_t part, uint64_t whole);

// How much more there is after than before; as part of what was before, an empty cell where that is
// 0.
void table_change(struct table *table, uint64_t before, uint64_t after);
void table_change_share(struct table *table, uint64_t before, uint64_t after);

// Ticks of a clock of `hz`; an empty cell if that is 0.
void table_seconds(struct table *table, uint64_t ticks, uint64_t hz);

// NULL is an empty cell, null in JSON. The text is copied.
void table_text(struct table *table, const char *text);

// The lines below a row, each with its newline, in COLUMN_BELOW: inert text, which is copied. NULL:
// there are none.
void table_below(struct table *table, const char *lines);

// An empty cell (null in JSON) in a column of any kind.
void table_none(struct table *table);

// Writes what is left and frees everything. Failed writes are reported by out_close of `out`, where
// a lack of memory shows up as well.
void table_end(struct table *table);

// The format of that name ("table", "csv", "json"); false when there is none.
bool table_format_named(const char *name, enum table_format *format);

#endif
