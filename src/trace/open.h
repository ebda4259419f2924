// Opening a trace of any kind: the table of kinds knows which it is.
#ifndef TRAWL_TRACE_OPEN_H
#define TRAWL_TRACE_OPEN_H

#include "trace/trace.h"

// Opens the file, or standard input for "-", and finds out of what kind it is. STATUS_INPUT: a
// directory. Under READING_TTU all is Tarmac, and "-" is a file. Closed by trace_close.
enum status trace_open(struct trace **trace, const char *path, enum reading reading,
                       struct error *err);

// Files that are one text (base/joint.h).
struct open_files {
    const char *const *paths;
    const char *const *cores; // whose file each is, to merge them by time; NULL: they are pieces
    size_t count;
    bool is_several; // there may be others, if it is but one
    bool follows;    // they are read as they grow
};

// The same of several files; the trace is called as the first.
enum status trace_open_files(struct trace **trace, const struct open_files *files,
                             enum reading reading, struct error *err);

// Whether lines can have that name of a core put in.
bool trace_takes_core(const char *name);

#endif
