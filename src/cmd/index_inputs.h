// The traces to index, from files and directories, and where each index goes.
#ifndef TRAWL_CMD_INDEX_INPUTS_H
#define TRAWL_CMD_INDEX_INPUTS_H

#include "base/error.h"
#include "base/vec.h"

struct index_input {
    char *trace;
    char *below; // its path below the directory that was named, or its name
    char *index; // NULL: where it is by default
};

struct index_inputs {
    VEC(, struct index_input) items; // in the order of the words, those of a directory by name
};

// Adds a file, or all files in a directory and below whose names match a pattern of the shell;
// NULL: those that traces usually have. Indexes are left out. Links to directories are not
// followed. STATUS_NOT_FOUND: there is none in the directory; STATUS_IO: it cannot be read.
enum status index_inputs_add(struct index_inputs *inputs, const char *word, const char *pattern,
                             struct error *err);

// Places all indexes in a directory under their paths `below`; with `makes`, it and what lies
// between are made if they are not there. Where these are the same for different files, a hash of
// the whole path is added to each, so that it does not matter what else is named. A file that was
// named twice is left out once.
enum status index_inputs_place(struct index_inputs *inputs, const char *directory, bool makes,
                               struct error *err);

void index_inputs_free(struct index_inputs *inputs);

#endif
