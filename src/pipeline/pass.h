// A pass under way: what the workers of pipeline.c share with the roles of stitch.c and match.c.
// Private to them.
#ifndef TRAWL_PIPELINE_PASS_H
#define TRAWL_PIPELINE_PASS_H

#include "base/hashset.h"
#include "pipeline/parse.h"
#include "pipeline/pipeline.h"

#include <pthread.h>

enum slot_state {
    SLOT_FREE,
    SLOT_PARSING,
    SLOT_PARSED,
    SLOT_STITCHED, // ready to be scanned
    SLOT_SCANNING,
    SLOT_SCANNED, // ready to be matched
};

// What the scan of one lane's part of a chunk needs, and leaves.
struct part_scan {
    size_t lane;
    struct lane_state before, state; // the chunk, and as far as it was scanned
    struct scan_result result;
};

// A chunk in flight. Its memory is used again for a later one.
struct slot {
    enum slot_state state;
    struct source_chunk chunk;
    struct source_buffer buffer;
    struct parsed_chunk parsed;
    struct chunk_base base;
    VEC(, struct part_scan) scans; // as many as parts were stitched
    size_t scan_count;
};

struct lane {
    struct lane_state state; // behind the last stitched chunk
    struct call_matcher *matcher;
};

struct pipeline {
    struct source *source;
    const struct pipeline_options *options;
    const struct pipeline_observer *observer;
    struct pipeline_result *result;
    struct parse_options parse_options;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    // All below is guarded by the lock, or belongs to the one worker that holds the named role.
    struct slot *slots;
    size_t slot_count;
    uint64_t next_taken, next_stitched, next_matched; // sequence numbers of chunks
    uint64_t end;                              // one past the last chunk; UINT64_MAX: unknown
    bool is_taking, is_stitching, is_matching; // some worker has the role
    enum status status;
    struct error error;

    // Of the stitching role.
    struct reader_state reader;
    struct lane lanes[LIMIT_LANES];
    struct chunk_base base;
    uint64_t first_event_line; // 0: none yet
    struct hashset notes_seen;
};

static inline struct slot *slot_at(struct pipeline *pipeline, uint64_t sequence)
{
    return &pipeline->slots[sequence % pipeline->slot_count];
}

uint64_t pass_now_ns(void);

// Ends the pass with an error, unless it has one already. Without the lock.
void pass_fail(struct pipeline *pipeline, enum status status, const char *text);

// Adds the time since `since_ns` to a stage.
void pass_add_time(struct pipeline *pipeline, enum pipeline_stage stage, uint64_t since_ns);

// Stitches every chunk whose turn it is. Called and left with the lock held.
void stitch_ready(struct pipeline *pipeline);

// Matches every chunk whose turn it is. Called and left with the lock held.
void match_ready(struct pipeline *pipeline);

// Ends the calls of every lane, when all chunks are matched. False: no memory.
bool match_finish(struct pipeline *pipeline);

#endif
