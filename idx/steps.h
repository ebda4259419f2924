// The lines and positions of a segment's events: columns of their own or, if the segment has them,
// steps by PC (idx/step_write.c).
#ifndef TRAWL_IDX_STEPS_H
#define TRAWL_IDX_STEPS_H

#include "idx/index.h"

// Those of `count` rows from `from` on; NULL: not wanted.
enum status segment_read_text(struct trawl_index *index, struct segment_view *view, uint64_t from,
                              size_t count, uint64_t *lines, uint64_t *positions,
                              struct error *err);

// The last row whose line, or position (PART_LINE or PART_POSITION), is not above `wanted`.
enum status segment_find_text(struct trawl_index *index, struct segment_view *view,
                              enum segment_part part, uint64_t wanted, uint64_t *row,
                              struct error *err);

#endif
