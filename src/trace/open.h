// Opening a trace of any kind: the table of kinds knows which it is.
#ifndef TRAWL_TRACE_OPEN_H
#define TRAWL_TRACE_OPEN_H

#include "trace/trace.h"

// Opens the file, or standard input for "-", and finds out of what kind it is. STATUS_INPUT: a
// directory. Under READING_TTU all is Tarmac, and "-" is a file. Closed by trace_close.
enum status trace_open(struct trace **trace, const char *path, enum reading reading,
                       struct error *err);

// The same of several files that are one text (base/joint.h); the trace is called as the first.
// With `cores`, whose file each is, they are merged by time.
enum status trace_open_files(struct trace **trace, const char *const *paths,
                             const char *const *cores, size_t count, enum reading reading,
                             struct error *err);

// Whether lines can have that name of a core put in.
bool trace_takes_core(const char *name);

#endif
