// What host calls may have written, which only an index can tell.
#ifndef TRAWL_SESSION_INDEX_REGIONS_H
#define TRAWL_SESSION_INDEX_REGIONS_H

#include "idx/index_write.h"

// Asks the index that is being written, of which all but this and names is there, and adds the
// section. `path` is for messages.
enum status index_add_regions(struct index_writer *writer, const char *path, struct error *err);

#endif
