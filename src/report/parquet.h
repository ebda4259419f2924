// Writes a table as Parquet files, one for each lane, which form a partition of a table of many
// traces: DIR/trace=NAME/lane=NAME/part-0.parquet. https://parquet.apache.org/docs/file-format/
//
// The code needed for the format is smaller than the dependencies of a library: Arrow's is in C++,
// and there is none in C.
//
// Against CSV, tables take an eighth to two thirds more processor time and some 130 MB, because
// rows wait until their lane has enough for a row group; the files take a tenth to a thirtieth of
// the space, and less than those that pyarrow makes of the same table (bench/RESULTS.md, Formats of
// exports).
#ifndef TRAWL_REPORT_PARQUET_H
#define TRAWL_REPORT_PARQUET_H

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/limits.h"
#include "base/vec.h"
#include "report/packer.h"
#include "report/thrift.h"

// --- partition.c ---------------------------------------------------------------------------------

// Directories named KEY=NAME, as in Hive, which all readers of tables in many files understand.

#define PARTITION_NAME_BYTES 256 // including the NUL

// Writes KEY=NAME so that it is a valid name of one file for any NAME, and different for each:
// letters, digits and - + , @ . _ stay; other ASCII characters become %XX, which readers decode. A
// name that is not clean text, or too long, is cleaned or cut, and ends in ~ and a hash. Without a
// name (NULL or "") the result is KEY=-. `key` must be short and need no escapes.
void partition_name(char text[PARTITION_NAME_BYTES], const char *key, const char *name);

// A partition that is being written: a directory of files "KEY=NAME/part-0.parquet", which replaces
// an older one when it is complete. Several can be written in one directory at the same time, by
// processes on any machine.
struct partition {
    const char *directory; // that contains the partition
    char name[PARTITION_NAME_BYTES];
    const char *table, *owner; // that all of its files must belong to; owner "": any
    int around, inside;        // open directories; -1: none
    void *listing;             // of `inside`, so that removing it needs no memory
    bool made_around;          // the directory around it was made by us
    char temporary[40];        // the name until it is complete
};

// The keys of Parquet metadata at the end of files by which partition_open finds out what an
// existing file belongs to.
#define PARTITION_TABLE_KEY "trawl.table"
#define PARTITION_OWNER_KEY "trawl.trace"

// Makes `directory` if it does not exist, and in it a partition that will be named `name` (from
// partition_name). STATUS_INPUT: what has that name was not written by trawl, or belongs to another
// table, or to another owner (unless one of the two has no owner). The texts belong to the caller,
// and must stay valid.
enum status partition_open(struct partition *partition, const char *directory, const char *name,
                           const char *table, const char *owner, struct error *err);

// Appends to the file of a part, in the directory of that name, which is made if `is_new`. No file
// stays open.
enum status partition_append(struct partition *partition, const char *part, bool is_new,
                             const void *bytes, size_t length, struct error *err);

// Gives the file of a part its name: nothing more will be written to it.
enum status partition_finish(struct partition *partition, const char *part, struct error *err);

// Gives the partition its name in one step, and removes an older one. If the file system cannot
// exchange two directories, neither has the name for a moment. Frees the partition in any case.
enum status partition_publish(struct partition *partition, struct error *err);

// Removes the partition, and the directory around it if partition_open made that and it is empty.
// Does nothing after partition_publish.
void partition_abandon(struct partition *partition);

// --- parquet_cells.c -----------------------------------------------------------------------------

// Rows of a table that will become part of a Parquet file, stored by column. Each different text is
// stored once, and cells refer to it by number.

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

// --- parquet_chunk.c -----------------------------------------------------------------------------

// One column of a row group: its pages so far, its dictionary, and its description in the footer.

enum parquet_codec { PARQUET_PLAIN_PAGES = 0, PARQUET_ZSTD = 6 }; // numbers of the format

// Working memory of a thread that makes pages.
struct parquet_scratch {
    struct zstd_pack *pack; // NULL: pages are not compressed
    struct byte_vec body, packed;
    struct thrift head;
    VEC(, uint64_t) values;
    VEC(, uint32_t) places;
    VEC(, uint8_t) has;
    uint32_t *slots; // of a dictionary: an entry + 1; 0: free
    size_t slot_count;
};

bool parquet_scratch_init(struct parquet_scratch *scratch,
                          enum parquet_codec codec); // false: no memory
void parquet_scratch_free(struct parquet_scratch *scratch);

// All zero except for the type is empty.
struct parquet_chunk {
    enum parquet_type type;
    struct byte_vec pages;
    VEC(, uint32_t) dictionary; // the numbers of its texts
    uint64_t unpacked_bytes;    // of the pages, including their heads
    uint64_t row_count, empty_count;
    uint64_t least, most; // of the cells with a value
};

// Appends rows of a column as further pages: those given by `order` from index `first` on, or, if
// it is NULL, the rows from `first` on. False: no memory.
bool parquet_chunk_add(struct parquet_chunk *chunk, struct parquet_scratch *scratch,
                       const struct parquet_column *column, const uint32_t *order, size_t first,
                       size_t count);

// Appends the column to `file`, whose first byte is at `offset` of the whole file, and its
// description to the list of columns of a row group in `about`. Adds to *unpacked_bytes. False: no
// memory, or the texts are too long for a dictionary.
bool parquet_chunk_end(const struct parquet_chunk *chunk, struct parquet_scratch *scratch,
                       const struct parquet_texts *texts, const char *name, struct byte_vec *file,
                       uint64_t offset, struct thrift *about, uint64_t *unpacked_bytes);

void parquet_chunk_free(struct parquet_chunk *chunk);

// --- parquet_encode.c ----------------------------------------------------------------------------

// Encodes values for pages of a Parquet file.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/

// Each appends to `bytes`. False: no memory.

// Which of `count` cells have a value: each byte of `has` is 0 or 1. NULL: all have one.
bool parquet_put_levels(struct byte_vec *bytes, const uint8_t *has, size_t count);

// Numbers as differences from the previous one (DELTA_BINARY_PACKED); at least one.
bool parquet_put_deltas(struct byte_vec *bytes, const uint64_t *values, size_t count);

// Numbers unchanged (PLAIN).
bool parquet_put_plain(struct byte_vec *bytes, const uint64_t *values, size_t count);

// Indexes of entries of a dictionary, below 2^width, as runs or packed (RLE_DICTIONARY).
bool parquet_put_places(struct byte_vec *bytes, const uint32_t *places, size_t count,
                        unsigned width);

// An entry of a dictionary (PLAIN).
bool parquet_put_entry(struct byte_vec *bytes, const char *text, uint32_t length);

// --- parquet.c -----------------------------------------------------------------------------------

struct parquet;

struct parquet_options {
    const char *directory;
    const char *name;  // of the partition of the trace
    const char *table; // which table it is
    const char *owner; // trace that the partition belongs to; "": any (partition_open)
    const char *run;   // a column with the same value in all rows; NULL: empty
    bool has_time;
    uint64_t time_us; // of the run, since 1970: another such column
    enum parquet_codec codec;
    unsigned threads;
    uint64_t memory_bytes; // the memory limit of the process, which makes row groups smaller; 0:
                           // none
};

struct parquet_schema {
    const enum parquet_type *types;
    const char *const *names;
    size_t column_count;
    size_t lane_column; // a text, which becomes a directory instead of a column of the files
};

// Copies the texts. NULL: `err` has the reason.
struct parquet *parquet_new(const struct parquet_options *options, struct error *err);

// To be called before the first row. The names of columns belong to the caller, and must stay
// valid. False: no memory.
bool parquet_begin(struct parquet *parquet, const struct parquet_schema *schema);

// The current rows. The caller either adds cells there and calls parquet_end_row after each row, or
// passes cells of the same columns to parquet_take.
struct parquet_cells *parquet_rows(struct parquet *parquet);
void parquet_end_row(struct parquet *parquet);
void parquet_take(struct parquet *parquet, struct parquet_cells *part);

// Whether something failed, which parquet_end will report.
bool parquet_failed(const struct parquet *parquet);

// The failure so far; STATUS_OK: none.
enum status parquet_failure(const struct parquet *parquet, struct error *err);

// Writes the remaining rows and gives the partition its name. Frees everything.
enum status parquet_end(struct parquet *parquet, struct error *err);

// Frees everything and removes all files. NULL is allowed.
void parquet_abandon(struct parquet *parquet);

#endif
