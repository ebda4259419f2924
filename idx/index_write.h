// Writes an index: segments as they come, and at the end what is known then.
#ifndef TRAWL_IDX_INDEX_WRITE_H
#define TRAWL_IDX_INDEX_WRITE_H

#include "base/fingerprint.h"
#include "idx/call_batch.h"
#include "idx/file_writer.h"
#include "idx/index_format.h"
#include "idx/segment_write.h"

struct index_writer;

// Begins the file, to which index_writer_publish will give its name.
enum status index_writer_open(struct index_writer **writer, const struct file_writer_target *target,
                              enum file_writer_io io, uint32_t segment_events, enum simd simd,
                              struct error *err);

// Which piece of a trace a part is of (idx/shard_format.h).
struct shard_place {
    uint64_t number, count; // from 1; of all
    uint64_t from, end;     // the bytes of the text in which its segments begin
};

// Makes the file a part of an index, to be merged with others. Before the first segment. False: no
// memory.
bool index_writer_be_part(struct index_writer *writer, const struct shard_place *place);

// Says which segment of the trace the first one is.
void index_writer_begin_at(struct index_writer *writer, uint64_t first_segment);

// Says that an event holds nothing of those before it, so that checkpoints have nothing to tell.
void index_writer_has_snapshots(struct index_writer *writer);

// Adds the next segment, in order. False: no memory. That a write failed shows at the end, and in
// index_writer_failed.
bool index_writer_add_segment(struct index_writer *writer, const struct segment_writer *segment,
                              const struct segment_input *input);
bool index_writer_add_late(struct index_writer *writer, const struct segment_late *late,
                           size_t count);
bool index_writer_failed(const struct index_writer *writer);

// Has calls packed by so many threads; before the first of them. Else one does all.
void index_writer_use_threads(struct index_writer *writer, unsigned threads);

// Adds one call after all others. False: no memory.
bool index_writer_add_call(struct index_writer *writer, const struct index_call *call);

// For those who add many calls by several threads: where they are stored. A batch that is full has
// to be flushed, when all its calls are stored, before it gets more. False: no memory.
struct call_batch *index_writer_calls(struct index_writer *writer);
bool index_writer_flush_calls(struct index_writer *writer);

// A group that call_group_pack packed into `parts`, in place of single calls: all but the last are
// full. False: no memory.
bool index_writer_add_group(struct index_writer *writer, const struct call_group *calls,
                            const struct parts_writer *parts);

// How many calls were added so far.
uint64_t index_writer_call_count(const struct index_writer *writer);

// What is known at the end of the pass.
struct index_lane {
    const char *name;
    uint64_t figures[LANE_ROWS];
};

struct index_ending {
    uint64_t identity[IDENTITY_ROWS];
    const char *kind; // of the trace: "tarmac"; shorter than INDEX_KIND_BYTES
    const struct index_lane *lanes;
    size_t lane_count;
    bool is_packed;   // the trace is compressed
    bool is_by_lanes; // the events of each stand together (SECTION_XRAY)
};

// Fills the rows of the identity that tell which trace it is.
void index_ending_set_trace(struct index_ending *ending, const struct fingerprint *trace);

// Writes the directories of segments, registers, memory and calls, lanes and identity. False: no
// memory.
bool index_writer_end(struct index_writer *writer, const struct index_ending *ending);

// Of a part, after all else of it: where its segments are. False: no memory.
bool index_writer_end_part(struct index_writer *writer);

// Adds a section of the caller's making, after index_writer_end. False: no memory.
bool index_writer_add_section(struct index_writer *writer, enum index_section number,
                              const struct parts_writer *parts);

// The same with the bytes of one, of a part.
bool index_writer_copy_section(struct index_writer *writer, enum index_section number,
                               const uint8_t *bytes, uint64_t size_bytes);

// Maps what is written so far, as a whole index with the sections that it has: for what can be
// known only by asking it.
enum status index_writer_read_back(struct index_writer *writer, struct map *map, struct error *err);

// For a process that publishes what is there so far by a fork: to be called before it, and in the
// process that is to publish after it (idx/file_writer.h).
void index_writer_settle(struct index_writer *writer);
enum status index_writer_branch(struct index_writer *writer,
                                const struct file_writer_target *target, struct error *err);

// Gives the file its name and frees the writer, also on failure.
enum status index_writer_publish(struct index_writer *writer, bool sync, struct error *err);

// Frees the writer and leaves nothing. NULL is allowed.
void index_writer_abandon(struct index_writer *writer);

#endif
