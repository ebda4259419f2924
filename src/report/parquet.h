// Writes a table as Parquet files, one for each lane, which form a partition of a table of many
// traces: DIR/trace=NAME/lane=NAME/part-0.parquet. https://parquet.apache.org/docs/file-format/
//
// The code needed for the format is smaller than the dependencies of a library: Arrow's is in C++,
// and there is none in C.
#ifndef TRAWL_REPORT_PARQUET_H
#define TRAWL_REPORT_PARQUET_H

#include "report/parquet_chunk.h"
#include "report/partition.h"

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
