// Which segments touch which memory: a tree over the segments, whose nodes contain the words
// touched by all segments below them. There is one tree for stores, one for loads that show bytes,
// and one for words of which loads show only what was known. They are built from the leaves up as
// segments arrive. Private to index_write.c.
#ifndef TRAWL_IDX_MEMORY_DIRECTORY_H
#define TRAWL_IDX_MEMORY_DIRECTORY_H

#include "base/vec.h"
#include "idx/file_writer.h"
#include "idx/index_format.h"
#include "idx/parts.h"

// A node with more entries than this is stored in coarser blocks, so that memory stays bounded.
#define MEMORY_NODE_ENTRIES_MAX ((size_t)1 << 18)

struct memory_node {
    uint64_t level, shift, offset, size_bytes;
};

// Entries of a node (address >> shift) that differ only in their last 6 bits, as a set of bits.
// Memory is mostly touched in contiguous ranges, which are merged 64 entries at a time this way.
struct memory_cluster {
    uint64_t number; // entry / 64
    uint64_t entries;
};

VEC(memory_clusters, struct memory_cluster);

// The node of a level that is currently filled.
struct memory_level {
    struct memory_clusters clusters; // ascending
    unsigned shift;
    unsigned children;
    uint64_t nodes; // that are finished
};

struct memory_directory {
    enum simd simd;                                // for column_write
    struct memory_level levels[MEMORY_LEVELS_MAX]; // item 0 is level 1
    VEC(, struct memory_node) nodes;
    struct memory_clusters added, merged; // reused
    VEC(, uint64_t) entries;              // reused
    struct bytes bytes;
    struct bytes kept; // the nodes, if they are not written to a file
};

// Adds the next segment, whose touched words ascend. The nodes that it completes go to the file, or
// if that is NULL to directory->kept, of which their offsets are. False: no memory.
bool memory_directory_add(struct memory_directory *directory, const uint64_t *words, size_t count,
                          struct file_writer *file);

// Finishes the nodes that are not full. False: no memory.
bool memory_directory_end(struct memory_directory *directory, struct file_writer *file);

// Sorts the nodes into the order of SECTION_MEMORY.
void memory_directory_order(struct memory_directory *directory);

void memory_directory_free(struct memory_directory *directory);

#endif
