// A table with one description of its columns, written as text aligned for humans, CSV, JSON, JSON
// lines, Arrow or Parquet.
//
//     static const struct table_column columns[] = {{"Address", "address", COLUMN_ADDRESS}, ...};
//     table_begin(&table, out, format, columns, ARRAY_COUNT(columns));
//     for (...) { table_address(&table, f->pc); table_u64(&table, f->count); ... }
//     table_end(&table);
//
// Each call writes the next cell; a row is complete when every column has a cell.
#ifndef TRAWL_REPORT_TABLE_H
#define TRAWL_REPORT_TABLE_H

#include "base/vec.h"
#include "report/arrow.h"
#include "report/json.h"
#include "report/out.h"
#include "report/parquet.h"

#include <stddef.h>

// --- table.c -------------------------------------------------------------------------------------

#define TABLE_COLUMNS_MAX 32

enum table_format {
    TABLE_TEXT,
    TABLE_CSV,
    TABLE_TSV, // a tab between cells, - for an empty one
    TABLE_JSON,
    TABLE_JSON_LINES,
    TABLE_ARROW,
    TABLE_PARQUET,
};

enum column_kind {
    COLUMN_U64,
    COLUMN_LINE,         // of the trace; like COLUMN_U64 except for table.place_of
    COLUMN_TICKS,        // a time or a duration, in ticks of the trace
    COLUMN_ADDRESS,      // 0x8000
    COLUMN_SHARE,        // 12.5% in text, 0.125000 in CSV and JSON
    COLUMN_SECONDS,      // 1.500000000
    COLUMN_CHANGE,       // of ticks: +12, -3; in CSV and JSON without the plus
    COLUMN_CHANGE_SHARE, // +12.5%, as a share of the earlier value; 0.125000 in CSV and JSON
    COLUMN_TEXT,         // a name or a description, which may be cut to fit a terminal
    COLUMN_WHOLE,        // a text that would read as another if it was cut: a value, an instruction
    COLUMN_BELOW,        // only as the last: lines below their row; in CSV and JSON a text
};

struct table_column {
    const char *title; // heading for humans; the table adds the unit of the kind
    const char *key;   // heading in CSV and member name in JSON; never changes once published
    enum column_kind kind;
};

struct table_cell {
    size_t bytes, width;
};

struct table {
    struct out *out;
    enum table_format format;
    char separator; // of cells that are text; 0: they are not
    const struct table_column *columns;
    size_t column_count;
    size_t next_column;
    const char *tick_unit; // in headings for humans
    // After each COLUMN_LINE, the table writes a text that describes that place of the source.
    // NULL: not wanted.
    const char *(*place_of)(void *self, uint64_t line);
    void *place_self;
    bool has_programs; // PCs may say of which program they are: addresses are shown without that
    // If the rows are not of the whole source: the bytes that they cover, and all. For humans, a
    // line after the rows says so; in other formats, the last two columns before COLUMN_BELOW,
    // which the table fills. 0: they are of all.
    uint64_t covered_bytes, of_bytes;

    struct json json;
    struct json *around; // the document in which the table is a value; NULL: the table is a
                         // document
    struct arrow *arrow;
    bool is_kept;               // by the caller, in memory
    struct parquet_cells *rows; // for TABLE_PARQUET: those of the part or of `parquet`
    struct parquet *parquet;

    // For humans: the rows by which the widths are determined, then one row at a time.
    struct out text;
    VEC(, struct table_cell) cells;
    uint64_t cell_start; // of the current cell, as a position in `text`
    size_t row_count;
    size_t widths[TABLE_COLUMNS_MAX];
    size_t spare_columns; // of out->columns, beyond the widths
    bool is_fitted;
};

// `columns` and `out` must outlive the table. Fails only if there is no memory.
enum status table_begin(struct table *table, struct out *out, enum table_format format,
                        const struct table_column *columns, size_t column_count, struct error *err);

// The same if the duration of a tick is known: headings have `tick_unit` ("ns") instead of "ticks".
enum status table_begin_timed(struct table *table, struct out *out, enum table_format format,
                              const struct table_column *columns, size_t column_count,
                              const char *tick_unit, struct error *err);

// The same with rows that stay in memory: in `into`, which the caller frees (arrow_free), also on
// failure.
enum status table_begin_kept(struct table *table, struct out *out, struct arrow *into,
                             const struct table_column *columns, size_t column_count,
                             struct error *err);

// Begins a table of Parquet files, which is split by its column "lane". parquet_end, to be called
// after table_end, reports what went wrong; `out`, to which nothing is written, then fails, too.
enum status table_begin_parquet(struct table *table, struct out *out, struct parquet *parquet,
                                const struct table_column *columns, size_t column_count,
                                struct error *err);

// Begins rows that will become part of a table with the same columns, for callers that make rows in
// parallel. `out` must be in memory. Not for text for humans, nor for JSON.
enum status table_begin_part(struct table *table, struct out *out, const struct table *whole,
                             struct error *err);

// Does the remaining work on the rows of a part, in parallel with others.
void table_flush_part(struct table *part);

// Moves the rows of a part to the end of the table. The part is then empty and can be filled again.
void table_take(struct table *table, struct table *part);

// Why nothing more can be written. STATUS_IO: out_close of `out` has the reason.
enum status table_failure(const struct table *table, struct error *err);

void table_end_part(struct table *table);

// Begins a table as the next value of a JSON document, which continues after table_end.
void table_begin_member(struct table *table, struct json *around,
                        const struct table_column *columns, size_t column_count);

void table_u64(struct table *table, uint64_t value);
void table_address(struct table *table, uint64_t value);

// Writes part / whole; 0 if both are 0.
void table_share(struct table *table, uint64_t part, uint64_t whole);

// Write how much `after` exceeds `before`: in ticks, or as a share of `before`, with an empty cell
// if that is 0.
void table_change(struct table *table, uint64_t before, uint64_t after);
void table_change_share(struct table *table, uint64_t before, uint64_t after);

// Writes ticks of a clock of `hz` as seconds; an empty cell if `hz` is 0.
void table_seconds(struct table *table, uint64_t ticks, uint64_t hz);

// In a COLUMN_TEXT or COLUMN_WHOLE. NULL: an empty cell, null in JSON. The text is copied.
void table_text(struct table *table, const char *text);

// Writes the lines below a row in COLUMN_BELOW: inert text, each line with its newline, which is
// copied. NULL: none.
void table_below(struct table *table, const char *lines);

// Writes an empty cell (null in JSON) in a column of any kind.
void table_none(struct table *table);

// Writes the rest and frees everything. out_close of `out` reports failed writes and missing
// memory.
void table_end(struct table *table);

// Finds the format of that name ("table", "csv", "json"), or also "tsv". False: there is none.
bool table_format_named(const char *name, enum table_format *format);
bool table_format_named_with_tsv(const char *name, enum table_format *format);

// --- Cells of CSV --------------------------------------------------------------------------------

// Comma-separated values, quoted as in RFC 4180, with bare newlines as line ends.

// Writes one field, made inert (base/utf8.h) and quoted if necessary; NULL: an empty one. The
// caller writes commas and line ends.
void csv_field(struct out *out, const char *text);

// The same for several lines: newlines are kept, because a field may contain them.
void csv_lines(struct out *out, const char *lines);

// Writes the part of a field between its quotes.
void csv_quoted(struct out *out, const char *text);

// --- fields.c ------------------------------------------------------------------------------------

// A report as a table of columns, each of which says where its value is in a row.
//
//     struct visit_row { uint64_t event; const uint64_t *pc; const char *function; };
//     #define VALUE(member) FIELD_VALUE(struct visit_row, member)
//     static const struct field fields[] = {
//         {"Event", "event", COLUMN_U64, VALUE(event)},
//         {"PC", "pc", COLUMN_ADDRESS, VALUE(pc)},
//         {"Function", "function", COLUMN_TEXT, VALUE(function)},
//     };
//
// A report fills a row with what it knows and writes it with fields_put; text, CSV, JSON, Arrow and
// Parquet follow from the table. So a new column is one line here, and its value one in the row.
// (We had an array of columns and beside it a function that wrote the cells in the same order, and
// such a pair for each variant of a report: a column was added in four places that had to agree.)
// Columns that only some reports have name in `when` what they need. A getter is a place in the
// row, and not a function as in perf's hists or uftrace's fields, because nearly all of ours would
// be `return row->member`; what has to be computed is computed where the row is made.

// A value that may be missing is a pointer, which is then NULL: its cell stays empty.
enum member_type {
    MEMBER_NONE,
    MEMBER_U64,
    MEMBER_U32,
    MEMBER_TEXT,
    MEMBER_OPTIONAL_U64,
};

// uint64_t and size_t may be different types of 64 bits.
#define MEMBER_LONG (sizeof(unsigned long) == sizeof(uint64_t) ? MEMBER_U64 : MEMBER_U32)

struct member {
    uint16_t offset; // in the row
    uint8_t type;    // enum member_type
};

#define MEMBER_OF(row, name)                                                                         \
    {                                                                                                \
        offsetof(row, name), _Generic(((row *)0)->name,                                            \
                                      unsigned: MEMBER_U32,                                        \
                                      unsigned long: MEMBER_LONG,                                  \
                                      unsigned long long: MEMBER_U64,                              \
                                      const char *: MEMBER_TEXT,                                   \
                                      const uint64_t *: MEMBER_OPTIONAL_U64) \
    }
#define FIELD_VALUE(row, name) .value = MEMBER_OF(row, name)
#define FIELD_OF(row, name) .of = MEMBER_OF(row, name)

struct field {
    const char *title, *key; // as in struct table_column
    enum column_kind kind;
    struct member value;
    // The whole of COLUMN_SHARE, the ticks a second of COLUMN_SECONDS, the earlier value of
    // COLUMN_CHANGE and COLUMN_CHANGE_SHARE.
    struct member of;
    unsigned when; // bits that a report must all have to show the column
};

// The columns of a report that has those bits. `shown` and `columns` have room for all; returns how
// many there are.
size_t fields_choose(const struct field *fields, size_t count, unsigned bits,
                     const struct field **shown, struct table_column *columns);

// Writes the cells of a row, for columns that were chosen.
void fields_put(struct table *table, const struct field *const *shown, size_t count,
                const void *row);

#endif
