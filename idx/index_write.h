// Writes an index: segments as they arrive, then what is known only at the end.
#ifndef TRAWL_IDX_INDEX_WRITE_H
#define TRAWL_IDX_INDEX_WRITE_H

#include "base/fingerprint.h"
#include "base/vec.h"
#include "idx/call_batch.h"
#include "idx/file_writer.h"
#include "idx/index_format.h"
#include "idx/parts.h"
#include "idx/segment_write.h"

// --- memory_directory.c --------------------------------------------------------------------------

// Which segments touch which memory: a tree over the segments, whose nodes contain the words
// touched by all segments below them. There is one tree for stores, one for loads that show bytes,
// and one for words of which loads show only what was known. They are built from the leaves up as
// segments arrive. Private to index_write.c.

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

// --- index_write.c -------------------------------------------------------------------------------

struct index_writer;

// Begins the file. index_writer_publish gives it its name.
enum status index_writer_open(struct index_writer **writer, const struct file_writer_target *target,
                              enum file_writer_io io, uint32_t segment_events, enum simd simd,
                              struct error *err);

// The shard of a trace that a part covers (idx/shard_format.h).
struct shard_place {
    uint64_t number, count; // of this shard, from 1; of shards
    uint64_t from, end;     // the bytes of the text in which its segments begin
};

// Makes the file a part of an index, to be merged with others. Call before the first segment.
// False: no memory.
bool index_writer_be_part(struct index_writer *writer, const struct shard_place *place);

// Sets the number in the trace of the first segment.
void index_writer_begin_at(struct index_writer *writer, uint64_t first_segment);

// Declares that each event is complete by itself, so that checkpoints would be empty.
void index_writer_has_snapshots(struct index_writer *writer);

// Adds the next segment, in order. False: no memory. A failed write is reported at the end, and by
// index_writer_failed.
bool index_writer_add_segment(struct index_writer *writer, const struct segment_writer *segment,
                              const struct segment_input *input);
bool index_writer_add_late(struct index_writer *writer, const struct segment_late *late,
                           size_t count);
bool index_writer_failed(const struct index_writer *writer);

// Sets the number of threads that pack calls. Call before the first call. The default is one.
void index_writer_use_threads(struct index_writer *writer, unsigned threads);

// Adds one call after the others. False: no memory.
bool index_writer_add_call(struct index_writer *writer, const struct index_call *call);

// For adding many calls by several threads: the batch in which they store them. A full batch must
// be flushed, when all its calls are stored, before calls are added. False: no memory.
struct call_batch *index_writer_calls(struct index_writer *writer);
bool index_writer_flush_calls(struct index_writer *writer);

// Adds a group that call_group_pack packed into `parts`, instead of single calls. All groups but
// the last must be full. False: no memory.
bool index_writer_add_group(struct index_writer *writer, const struct call_group *calls,
                            const struct parts_writer *parts);

// The number of calls added so far.
uint64_t index_writer_call_count(const struct index_writer *writer);

// Known at the end of the pass.
struct index_lane {
    const char *name;
    uint64_t figures[LANE_ROWS];
};

struct index_ending {
    uint64_t identity[IDENTITY_ROWS];
    const char *task_key; // the expression that tells tasks apart; NULL: none
    const char *kind;     // of the trace: "tarmac"; shorter than INDEX_KIND_BYTES
    const struct index_lane *lanes;
    size_t lane_count;
    bool is_packed;   // the trace is compressed
    bool is_by_lanes; // events are numbered lane by lane (SECTION_XRAY)
};

// Fills the rows of the identity that identify the trace.
void index_ending_set_trace(struct index_ending *ending, const struct fingerprint *trace);

// Writes the directories of segments, registers, memory and calls, the lanes and the identity.
// False: no memory.
bool index_writer_end(struct index_writer *writer, const struct index_ending *ending);

// For a part, after everything else: writes where its segments are. False: no memory.
bool index_writer_end_part(struct index_writer *writer);

// Adds a section made by the caller, after index_writer_end. False: no memory.
bool index_writer_add_section(struct index_writer *writer, enum index_section number,
                              const struct parts_writer *parts);

// The same with the bytes of a section of a part.
bool index_writer_copy_section(struct index_writer *writer, enum index_section number,
                               const uint8_t *bytes, uint64_t size_bytes);

// Maps what was written so far as a complete index with the sections that it has, for facts that
// can only be found by querying it.
enum status index_writer_read_back(struct index_writer *writer, struct map *map, struct error *err);

// For a process that forks to publish what was written so far: index_writer_settle must be called
// before the fork, and index_writer_branch in the process that publishes (idx/file_writer.h).
void index_writer_settle(struct index_writer *writer);
enum status index_writer_branch(struct index_writer *writer,
                                const struct file_writer_target *target, struct error *err);

// Gives the file its name and frees the writer, even on failure.
enum status index_writer_publish(struct index_writer *writer, bool sync, struct error *err);

// Frees the writer and removes the file. NULL is allowed.
void index_writer_abandon(struct index_writer *writer);

#endif
