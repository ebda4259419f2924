// A table as Parquet files, one for each lane, which are a partition of a table of many traces:
// DIR/trace=NAME/lane=NAME/part-0.parquet. https://parquet.apache.org/docs/file-format/
//
// What of the format is needed is less than a library for it would bring along (Arrow's, in C++);
// there is none in C.
#ifndef TRAWL_REPORT_PARQUET_H
#define TRAWL_REPORT_PARQUET_H

#include "report/parquet_chunk.h"
#include "report/partition.h"

struct parquet;

struct parquet_options {
    const char *directory;
    const char *name;  // of the trace's partition
    const char *table; // which one it is
    const char *owner; // whose partition it is; "": anybody's (partition_open)
    const char *run;   // a column of its own, the same in all rows; NULL: empty
    bool has_time;
    uint64_t time_us; // of the run, since 1970: another one
    enum parquet_codec codec;
    unsigned threads;
    uint64_t memory_bytes; // that the process is to keep to, so that row groups are smaller; 0: any
};

struct parquet_schema {
    const enum parquet_type *types;
    const char *const *names;
    size_t column_count;
    size_t lane_column; // a text, which is no column of the files
};

// The texts are copied. NULL: reported in `err`.
struct parquet *parquet_new(const struct parquet_options *options, struct error *err);

// Before the first row. The names of columns are the caller's, and stay. False: no memory.
bool parquet_begin(struct parquet *parquet, const struct parquet_schema *schema);

// The current rows: those of the caller's go there, followed each by parquet_end_row; or to cells
// of the same columns, which are taken then.
struct parquet_cells *parquet_rows(struct parquet *parquet);
void parquet_end_row(struct parquet *parquet);
void parquet_take(struct parquet *parquet, struct parquet_cells *part);

// Whether something failed already, which parquet_end will tell.
bool parquet_failed(const struct parquet *parquet);

// The same, told already.
enum status parquet_failure(const struct parquet *parquet, struct error *err);

// Writes what is left and gives the partition its name. Frees everything.
enum status parquet_end(struct parquet *parquet, struct error *err);

// Frees everything and leaves nothing. NULL is allowed.
void parquet_abandon(struct parquet *parquet);

#endif
