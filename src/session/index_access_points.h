// The section of an index with the places where decompression of a compressed trace can be resumed,
// so that its text can be shown later without starting over.
#ifndef TRAWL_SESSION_INDEX_ACCESS_POINTS_H
#define TRAWL_SESSION_INDEX_ACCESS_POINTS_H

#include "base/source.h"
#include "idx/parts.h"
#include "idx/trawl.h"

struct access_points;

// Makes the parts of the section. False: no memory.
bool index_access_points_write(const struct access_points *access_points,
                               struct parts_writer *parts);

// Gives the source the places stored in its index. If they are damaged, or there are none, its text
// is decompressed from the beginning.
void index_access_points_give(struct trawl_index *index, struct source *source);

#endif
