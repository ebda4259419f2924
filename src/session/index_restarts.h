// The section of an index that says where a compressed trace may be begun again, so that its text
// is shown later without starting over.
#ifndef TRAWL_SESSION_INDEX_RESTARTS_H
#define TRAWL_SESSION_INDEX_RESTARTS_H

#include "base/source.h"
#include "idx/parts.h"
#include "idx/trawl.h"

struct restarts;

// Makes its parts. False: no memory.
bool index_restarts_write(const struct restarts *restarts, struct parts_writer *parts);

// Gives a source the places that an index of it has. Where they are damaged, or there are none, its
// text is decompressed from the beginning.
void index_restarts_give(struct trawl_index *index, struct source *source);

#endif
