// What part of a trace an index covers: the beginning of its file, or, with a section of its own,
// the beginnings of its files. This shows that it is an index of the beginning of the trace after
// the files have grown.
#ifndef TRAWL_SESSION_INDEX_FILES_H
#define TRAWL_SESSION_INDEX_FILES_H

#include "base/source.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Makes the parts of the section, for files whose fingerprint was taken. False: no memory.
bool index_files_write(const struct source *source, struct parts_writer *parts);

// Whether an index covers the beginning of a trace. False also if it is damaged.
bool index_files_fit(struct trawl_index *index, const struct source *source);

// Ends the source of that trace where the index ends. False: no memory, or the index is damaged.
bool index_files_cut(struct trawl_index *index, struct source *source);

#endif
