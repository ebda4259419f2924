// A pass under way: what its workers (pipeline.c) share with the roles of stitch.c, number.c,
// match.c, join.c and segments.c. Private to them.
#ifndef TRAWL_TRACE_TARMAC_RUNNING_PASS_H
#define TRAWL_TRACE_TARMAC_RUNNING_PASS_H

#include "base/clock.h"
#include "base/hashset.h"
#include "base/stable_table.h"
#include "flow/pass.h"
#include "flow/shadow_stack.h"
#include "trace/tarmac/gather.h"
#include "trace/tarmac/tally.h"
#include "trace/tarmac/two_stacks.h"

#include <pthread.h>

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

// A chunk in flight. Its memory is used again for a later one.
struct slot {
    enum slot_state state;
    struct source_chunk chunk;
    struct source_buffer buffer;
    struct chunk_data *data; // NULL while the slot is free
};

struct lane {
    struct lane_state state;      // after the last stitched chunk
    struct lane_carry carry;      // after the last numbered chunk
    uint64_t node_count;          // likewise
    struct last_instruction last; // after the last joined chunk, if instructions are counted
    struct node_ref last_node;    // its, if those who want calls want instructions
    struct call_matcher *matcher;
    struct shadow_stack *shadow;
    uint64_t last_event; // of the whole trace, after the last joined chunk; NO_EVENT
    bool
        has_surveyed_instruction; // of a survey: after its beginning, up to the last numbered chunk
};

enum segment_state {
    SEGMENT_FREE,
    SEGMENT_COLLECTING,
    SEGMENT_SEALED, // all its chunks are there
    SEGMENT_GATHERING,
    SEGMENT_GATHERED, // waits for its turn to be carried
    SEGMENT_CARRIED,  // ready to be built
    SEGMENT_BUILDING,
    SEGMENT_BUILT, // waits for its turn to be written
};

struct segment_slot {
    enum segment_state state;
    bool is_foreign; // of another shard: nobody is given it
    struct segment segment;
    VEC(, struct chunk_data *) chunks; // that it is gathered from
};

struct survey;

struct pipeline {
    struct source *source;
    const struct pass_options *options;
    const struct pass_observer *observer;
    struct pass_result *result;
    struct parse_options parse_options;
    struct scan_options scan_options;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    // All below is guarded by the lock, or belongs to the one worker that holds the named role.
    struct slot *slots;
    size_t slot_count;
    // Sequence numbers of chunks.
    uint64_t next_taken, next_stitched, next_numbered, next_joined;
    uint64_t end; // one past the last chunk; UINT64_MAX: unknown
    bool is_taking, is_stitching, is_numbering, is_joining; // some worker has the role
    bool is_pausing; // `end` is only where the pass stands still
    bool is_ending;  // it does so no more
    enum status status;
    struct error error;

    // Of the stitching role.
    struct reader_state reader;
    struct stable_table lane_room, result_room; // other roles use lanes while more come
    struct lane *lanes;                         // in `lane_room`; the result's are in the other
    struct lane_table lane_table;               // of the result's lanes
    struct chunk_base base;
    uint64_t first_event_line; // 0: none yet
    struct hashset notes_seen;
    struct unknown_words unknown_words;
    struct survey *survey;            // of a piece, that is all that is wanted; NULL: it is not
    const struct pass_observer *told; // of its progress
    struct pass_observer survey_observer;
    struct two_stacks stacks; // of names its own, of all else the carrying role's

    // Segments, guarded by the lock; numbers are those of segments.
    struct segment_slot *segments;
    size_t segment_slot_count;      // 0: none are made
    struct segment *spare_segments; // whose memory may be used again, the warmest last
    size_t spare_segment_count;
    uint64_t next_sealed; // the one that collects chunks
    uint64_t next_carried, next_written;
    bool is_carrying, is_writing;           // some worker has the role
    bool is_sealed;                         // the last one is
    struct chunk_data *dealing;             // the joined chunk that is being dealt to segments
    struct chunk_data *spare;               // list of unused ones
    struct line_templates *spare_templates; // likewise, of chunks that are parsed for good
    struct tally *tallies;                  // list of those that nobody counts in
    uint64_t events;                        // of the joined chunks, and those before the piece
    uint64_t events_before;                 // a piece whose text alone is read
};

static inline struct slot *slot_at(struct pipeline *pipeline, uint64_t sequence)
{
    return &pipeline->slots[sequence % pipeline->slot_count];
}

// Ends the pass with an error, unless it has one already. Without the lock.
void pass_fail(struct pipeline *pipeline, enum status status, const char *text);

// Whether a note was not reported before, by its hash (parsed_note_hash), and may still be. Fails
// the pass without memory: an index would have the note twice.
bool pass_is_new_note(struct pipeline *pipeline, uint64_t hash);

// Adds the time since `since_ns` to a stage.
void pass_add_time(struct pipeline *pipeline, enum pass_stage stage, uint64_t since_ns);

// A chunk's columns to fill, new or used before; NULL: no memory. And back, when nobody reads them.
struct chunk_data *pass_chunk_data(struct pipeline *pipeline);
void pass_release_chunk_data(struct pipeline *pipeline, struct chunk_data *data);

// Takes from a chunk that is parsed for good what only parsing needs, for the next one: it may wait
// long for its segment. Called with the lock held.
void pass_keep_templates(struct pipeline *pipeline, struct chunk_data *data);

// A tally to count in, new or with what was counted in it before; NULL: no memory. And back.
struct tally *pass_tally(struct pipeline *pipeline);
void pass_release_tally(struct pipeline *pipeline, struct tally *tally);

#endif
