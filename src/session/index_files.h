// The section of an index that describes the beginnings of the files of a trace in several files.
// It shows that the index covers the beginning of the trace after the files have grown.
#ifndef TRAWL_SESSION_INDEX_FILES_H
#define TRAWL_SESSION_INDEX_FILES_H

#include "base/concat.h"
#include "base/source.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Makes the parts of the section, for files whose fingerprints were taken. False: no memory.
bool index_files_write(const struct concat *concat, struct parts_writer *parts);

// Whether an index covers the beginning of a trace in several files. False if it is damaged, or
// lacks the section.
bool index_files_fit(struct trawl_index *index, const struct source *source);

// Ends the source of that trace where the index ends. False: no memory, or the index is damaged.
bool index_files_cut(struct trawl_index *index, struct source *source);

#endif
