// The tree of visits: every execution of each PC, and every exception (as PC 6), by PC and line.
// Nodes are sorted in one array, so the children of each follow from its number.
#ifndef TRAWL_EXPORT_TTU_VISIT_TREE_H
#define TRAWL_EXPORT_TTU_VISIT_TREE_H

#include "export/ttu/event_log.h"
#include "export/ttu/file.h"

// Writes the tree, of log->visit_count nodes, to the stream; *root: its offset, 0 if it is empty.
// False: no memory.
bool ttu_visit_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          uint64_t *root);

#endif
