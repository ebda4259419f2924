// Memory that host calls may have written, which only an index can determine.
#ifndef TRAWL_SESSION_INDEX_REGIONS_H
#define TRAWL_SESSION_INDEX_REGIONS_H

#include "idx/index_write.h"

// Queries the index that is being written, which is complete except for this section and names, and
// adds the section. `path` is for messages.
enum status index_add_regions(struct index_writer *writer, const char *path, struct error *err);

#endif
