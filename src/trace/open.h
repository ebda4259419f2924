// Opens a trace of any kind; the table of kinds says which kind it is.
#ifndef TRAWL_TRACE_OPEN_H
#define TRAWL_TRACE_OPEN_H

#include "trace/trace.h"

#include <limits.h>

// Opens the file, or standard input for "-", and recognizes its kind. STATUS_INPUT: a directory.
// Under READING_TTU every file is a Tarmac trace, and "-" is the name of a file. Close with
// trace_close.
enum status trace_open(struct trace **trace, const char *path, enum reading reading,
                       struct error *err);

// Several files that are read as one text (source_open_files).
struct open_files {
    const char *const *paths;
    const char *const *cores; // of each file, for merging by time; NULL: they are pieces of a trace
    size_t count;
    bool is_several;                  // there may be more files, even if there is only one
    bool follows;                     // the files are read as they grow
    const struct line_prefix *prefix; // of their lines, valid as long as the trace; NULL: none
};

// The same for several files; the trace gets the name of the first.
enum status trace_open_files(struct trace **trace, const struct open_files *files,
                             enum reading reading, struct error *err);

// Whether a trace is a directory: one in the Common Trace Format, whose stream is then in the file
// `stream`.
bool trace_is_directory(const char *path, char stream[PATH_MAX]);

// The kind of the trace that begins with this file, if it joins several as logs of processes
// (trace_kind.joins); NULL: it does not, or the file cannot be read.
const struct trace_kind *trace_joining_kind(const char *path);

// Whether a core with this name can be inserted into lines.
bool trace_takes_core(const char *name);

#endif
