// Tables of `trawl export --format parquet`: their directory and partition.
#ifndef TRAWL_CMD_EXPORT_PARQUET_H
#define TRAWL_CMD_EXPORT_PARQUET_H

#include "cmd/trace_command.h"

struct export_parquet_options {
    const char *partition; // NULL: by the name of the trace
    bool is_plain;         // its pages are not compressed
};

// Opens the table in command->output to which the report is added (command->open_parquet).
enum status export_parquet_open(struct trace_command *command, const char *table,
                                const struct export_parquet_options *options, struct error *err);

#endif
