// The traces to index, from files and directories, and where each index goes.
#ifndef TRAWL_CMD_INDEX_INPUTS_H
#define TRAWL_CMD_INDEX_INPUTS_H

#include "base/error.h"
#include "base/vec.h"

struct index_input {
    char *trace;
    char *below; // its path relative to the named directory, or its name
    char *index; // NULL: the default place
};

struct index_inputs {
    VEC(, struct index_input) items; // in the order of the words; files of a directory by name
};

// Adds a file, or all files in a directory and its subdirectories whose names match a shell pattern
// (NULL: the usual names of traces). Indexes are left out, and links to directories are not
// followed. STATUS_NOT_FOUND: the directory has none; STATUS_IO: it cannot be read.
enum status index_inputs_add(struct index_inputs *inputs, const char *word, const char *pattern,
                             struct error *err);

// Leaves out files that were named before, by this or another path.
enum status index_inputs_leave_out_same(struct index_inputs *inputs, struct error *err);

// Places all indexes below a directory, at their paths `below`; with `makes`, missing directories
// are made. If different files would have the same path, a hash of the whole path is added to each,
// so that the result does not depend on what else is named. A file that is named several times is
// kept once.
enum status index_inputs_place(struct index_inputs *inputs, const char *directory, bool makes,
                               struct error *err);

void index_inputs_free(struct index_inputs *inputs);

#endif
