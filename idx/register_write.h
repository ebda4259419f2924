// The register timelines of a segment. Private to segment_write.c.
#ifndef TRAWL_IDX_REGISTER_WRITE_H
#define TRAWL_IDX_REGISTER_WRITE_H

#include "idx/segment_build.h"

// Adds the parts of registers, and sets writer->cells and writer->register_keys. False: no memory.
bool register_write(struct segment_writer *writer, const struct segment_input *input);

void register_build_free(struct register_build *build);

#endif
