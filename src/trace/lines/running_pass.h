// A running pass: the data that its workers (pipeline.c) share with the roles in stitch.c, match.c,
// join.c and segments.c. Private to them.
#ifndef TRAWL_TRACE_LINES_RUNNING_PASS_H
#define TRAWL_TRACE_LINES_RUNNING_PASS_H

#include "base/base.h"
#include "base/hash_index.h"
#include "base/source.h"
#include "base/stable_table.h"
#include "flow/clip.h"
#include "flow/instruction_times.h"
#include "flow/pass.h"
#include "flow/shadow_stack.h"
#include "simd/hash.h"
#include "trace/lines/gather.h"
#include "trace/lines/lane_state.h"

#include <pthread.h>

// --- tally.c -------------------------------------------------------------------------------------

// The number of recent PCs, indexed by their low bits.
#define TALLY_RECENT 16384

struct tally {
    VEC(, struct pc_counts) lanes;
    uint32_t recent[TALLY_RECENT]; // where they are, or were, counted: in any lane
    struct tally *next;            // in the list that contains it
};

// The place of a part of a chunk in its lane.
struct tally_part {
    size_t lane;
    uint64_t nodes_before;           // of the lane; needed if the range is one of events
    const struct lane_state *before; // before the part
    const struct chunk_base *base;
    const struct call_range *range; // instructions outside of it are not counted
};

// The number of nodes that began in a part, and the last node, as in a scan (trace/lines/scan.h).
struct tally_end {
    uint64_t node_count;
    struct node_ref node;
};

// Counts all instructions except the last one, which is stored in `ends`, like the first. False: no
// memory.
bool tally_marks(struct tally *tally, const struct tally_part *part, const struct marks *marks,
                 struct instruction_ends *ends, struct tally_end *end);

// NULL: no memory.
struct tally *tally_new(void);

// NULL is allowed.
void tally_free(struct tally *tally);

// A walk over the marks of a lane that cuts nodes like a scan (scan.c), for code that needs nothing
// else of them.

// The current node.
struct node_walk {
    uint64_t time;
    uint64_t count; // number of the lane's nodes up to this one
    bool has_node, has_instruction;
    uint64_t counted; // struct lane_state
};

static inline struct node_walk node_walk_from(const struct lane_state *before,
                                              uint64_t nodes_before)
{
    return (struct node_walk){before->time, nodes_before, before->has_node, before->has_instruction,
                              before->counted};
}

// Moves to the node of a mark, which is an event.
static ALWAYS_INLINE void node_walk_cut(struct node_walk *walk, const struct mark *mark,
                                        bool is_instruction)
{
    uint64_t time = walk->counted + mark->time;
    if (time < walk->time && walk->time != NO_TIME)
        time = walk->time;
    if (time != walk->time || (is_instruction && walk->has_instruction)) {
        walk->time = time;
        walk->count++;
        walk->has_node = true;
        walk->has_instruction = false;
    }
    walk->has_instruction |= is_instruction;
}

enum slot_state {
    SLOT_FREE,
    SLOT_PARSING,
    SLOT_PARSED,
    SLOT_STITCHED, // ready to be scanned
    SLOT_SCANNING,
    SLOT_SCANNED,
    SLOT_NUMBERED, // ready to be matched
    SLOT_MATCHING,
    SLOT_MATCHED, // ready to be joined
};

// A chunk in progress. Its memory is reused for later chunks.
struct slot {
    enum slot_state state;
    struct source_chunk chunk;
    struct source_buffer buffer;
    struct chunk_data *data; // NULL if the slot is free
};

struct lane {
    struct lane_state state;      // after the last stitched chunk
    struct lane_carry carry;      // after the last numbered chunk
    uint64_t node_count;          // after the last numbered chunk
    struct last_instruction last; // after the last joined chunk, if instructions are counted
    struct node_ref last_node;    // its node, if the consumer of calls needs instructions
    struct call_matcher *matcher;
    struct shadow_stack *shadow;
    uint64_t instruction_time;     // of the last one, after the last stitched chunk
    uint32_t vector_bytes;         // the widest write to a z, after the last stitched chunk
    struct lane_running *programs; // after the last stitched chunk; NULL: not needed so far
    uint64_t last_event;           // in the trace, after the last joined chunk; or NO_EVENT
    bool has_surveyed_instruction; // for a survey: after its beginning, so far
};

enum segment_state {
    SEGMENT_FREE,
    SEGMENT_COLLECTING,
    SEGMENT_SEALED,    // it gets no more chunks
    SEGMENT_FINISHING, // all of its chunks are gathered
    SEGMENT_GATHERED,  // waiting for its turn to be carried
    SEGMENT_CARRIED,   // ready to be built
    SEGMENT_BUILDING,
    SEGMENT_BUILT, // waiting for its turn to be written
};

struct segment_slot {
    enum segment_state state;
    bool is_gathering;    // by some worker
    bool is_foreign;      // belongs to another shard: it is not passed on
    uint32_t event_count; // once it is sealed
    struct segment segment;
    VEC(, struct chunk_data *) chunks; // from which it is still to be gathered
};

struct survey;

struct pipeline {
    const struct line_language *language;
    struct source *source;
    const struct pass_options *options;
    const struct pass_observer *observer;
    struct pass_result *result;
    struct parse_options parse_options;
    struct scan_options scan_options;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    // The fields below are guarded by the lock, or belong to the worker with the named role.
    struct slot *slots;
    size_t slot_count;
    // Sequence numbers of chunks.
    uint64_t next_taken, next_stitched, next_numbered, next_joined;
    uint64_t end; // one past the last chunk; UINT64_MAX: unknown
    bool is_taking, is_stitching, is_numbering, is_joining; // some worker has the role
    bool banks_differ; // found while numbering, for result->readings_differ
    bool is_pausing;   // `end` is only where the pass pauses
    bool is_ending;    // it does not pause any more
    enum status status;
    struct error error;

    // For the stitching role.
    struct reader_state reader;
    struct stable_table lane_room, result_room; // other roles use lanes while more are added
    struct lane *lanes;           // in `lane_room`; those of the result are in `result_room`
    struct lane_table lane_table; // of the result's lanes
    struct chunk_base base;
    uint64_t first_event_line; // 0: none yet
    int *finer;                // where the pass ends at a finer time (pipeline.h); NULL: nowhere
    struct hashset notes_seen;
    struct unknown_words unknown_words;
    struct survey *survey;            // of a shard, if only that is requested; otherwise NULL
    const struct pass_observer *told; // the observer of its progress
    struct pass_observer survey_observer;
    void *carried; // of language->carry: names belong to the stitching role, the rest to the
                   // carrying role; NULL: it has none

    // Segments, guarded by the lock; numbers are those of segments.
    struct segment_slot *segments;
    size_t segment_slot_count;      // 0: none are made
    struct segment *spare_segments; // their memory can be reused, the most recently used last
    size_t spare_segment_count;
    uint64_t next_sealed; // the segment that collects chunks
    uint64_t next_carried, next_written;
    bool is_carrying, is_writing;           // some worker has the role
    bool is_sealed;                         // the last segment is sealed
    struct chunk_data *dealing;             // the joined chunk that is currently dealt to segments
    struct chunk_data *spare;               // list of unused ones
    struct line_templates *spare_templates; // unused ones, from completely parsed chunks
    struct tally *tallies;                  // list of those that are not in use
    uint64_t events;                        // of the joined chunks, and those before the shard
    uint64_t events_before;                 // before the shard, if only its text is read
};

static inline struct slot *slot_at(struct pipeline *pipeline, uint64_t sequence)
{
    return &pipeline->slots[sequence % pipeline->slot_count];
}

// Ends the pass with an error, unless it already has one. Called without the lock.
void pass_fail(struct pipeline *pipeline, enum status status, const char *text);

// Whether a note, given by its hash (parsed_note_hash), was not reported before, and may be
// reported. Without memory, the pass fails: an index would contain the note twice.
bool pass_is_new_note(struct pipeline *pipeline, uint64_t hash);

// Whether segments pass anything on that the architecture knows.
static inline bool pass_carries(const struct pipeline *pipeline)
{
    const struct line_carry *carry = pipeline->language->carry;
    return carry && carry->is_needed(pipeline->carried);
}

// Adds the time since `since_ns` to a stage.
void pass_add_time(struct pipeline *pipeline, enum pass_stage stage, uint64_t since_ns);

// pass_chunk_data: columns for a chunk, new or reused; NULL: no memory. pass_release_chunk_data:
// puts them back when they are no longer read.
struct chunk_data *pass_chunk_data(struct pipeline *pipeline);
void pass_release_chunk_data(struct pipeline *pipeline, struct chunk_data *data);

// Takes what only parsing needs from a chunk that is completely parsed, for the next one: the chunk
// may wait long for its segment. Called with the lock held.
void pass_keep_templates(struct pipeline *pipeline, struct chunk_data *data);

// pass_tally: a tally for counting, new or with earlier counts; NULL: no memory.
// pass_release_tally: puts it back.
struct tally *pass_tally(struct pipeline *pipeline);
void pass_release_tally(struct pipeline *pipeline, struct tally *tally);

// --- join.c --------------------------------------------------------------------------------------

// Joins all chunks whose turn it is. Called and left with the lock held.
void join_ready(struct pipeline *pipeline);

// Ends the calls of every lane, after all chunks were joined. False: no memory.
bool join_finish(struct pipeline *pipeline);

// --- stitch.c ------------------------------------------------------------------------------------

// Stitches all chunks whose turn it is. Called and left with the lock held.
void stitch_ready(struct pipeline *pipeline);

// --- The hashes of the blocks of a trace ---------------------------------------------------------

struct block_hashes {
    struct hash_state state;
    const char *trace;
    uint64_t size_bytes; // of the trace
    uint64_t at, end;    // offsets in the trace: what is hashed next, and where the last block ends
    uint64_t *hashes;    // of all blocks of the trace
    enum simd simd;
};

// Begins with the blocks whose middles are in the chunk: so whatever the chunks are, each block is
// hashed once, and most of it where it is read.
void block_hashes_begin(struct block_hashes *blocks, const struct source *source,
                        const struct source_chunk *chunk, uint64_t *hashes, enum simd simd);

// Hashes everything before `up_to` in the trace.
void block_hashes_go_on(struct block_hashes *blocks, uint64_t up_to);

// Hashes the rest of the chunk's blocks.
void block_hashes_end(struct block_hashes *blocks);

#endif
