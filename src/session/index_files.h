// The section of an index that tells how the files of a trace in several files begin that it is of,
// by which it is known for one of the beginning once they have grown.
#ifndef TRAWL_SESSION_INDEX_FILES_H
#define TRAWL_SESSION_INDEX_FILES_H

#include "base/joint.h"
#include "base/source.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Makes its parts, of files whose fingerprint was taken. False: no memory.
bool index_files_write(const struct joint *joint, struct parts_writer *parts);

// Whether an index is of the beginning of a trace in several files. One that is damaged, or does
// not say, is not.
bool index_files_fit(struct trawl_index *index, const struct source *source);

// Ends that trace where the index does. False: no memory, or the index is damaged.
bool index_files_cut(struct trawl_index *index, struct source *source);

#endif
