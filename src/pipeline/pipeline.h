// One pass over a trace: split, parse, stitch, scan, match. See docs/architecture.md for the
// picture.
//
//   split    one worker at a time takes the next chunk from the source
//   parse    in parallel, from a guess of what the line before the chunk left; leaves marks
//   stitch   in order, one step a chunk: checks the guess (and has the chunk parsed again where it
//   was
//            wrong), moves each lane's state over the chunk's summary, passes on notes and damage
//   scan     in parallel: cuts nodes, finds transfers
//   match    in order, one step a transfer: calls
//
// and, where somebody takes segments (segment.h):
//
//   gather   in parallel: a segment's events, registers and accesses from its chunks
//   carry    in order, one step a segment
//   build    in parallel
//   write    in order
//
// What comes out does not depend on the size of chunks or the number of threads.
#ifndef TRAWL_PIPELINE_PIPELINE_H
#define TRAWL_PIPELINE_PIPELINE_H

#include "base/error.h"
#include "base/limits.h"
#include "base/source.h"
#include "pipeline/clip.h"
#include "pipeline/segment.h"
#include "pipeline/unknown_words.h"
#include "pipeline/visits.h"
#include "simd/simd.h"

#define PIPELINE_CHUNK_MB_DEFAULT 2
#define PIPELINE_CHUNK_BYTES_DEFAULT ((uint64_t)PIPELINE_CHUNK_MB_DEFAULT << 20)

// A line that was left out, or stopped the run.
struct line_fault {
    uint64_t line;         // physical, from 1
    uint64_t offset;       // of the line's first byte
    bool has_events;       // some line before it made an event
    uint64_t header_lines; // before the first of those
    bool is_partial;       // the last line, without a newline
    struct tarmac_fault fault;
    const char *text; // the line; valid during the call only
    size_t length;
    const struct source_chunk *chunk; // that it stands in
};

// Something to tell the user once: an event type or system operation that is not understood.
struct line_note_report {
    uint64_t line;
    uint64_t offset;
    bool is_first_event; // the line is, or stands before, the first that made an event
    enum line_note note;
    const char *subject; // not NUL-terminated
    size_t subject_length;
    const struct source_chunk *chunk;
};

// Where a pass reports what it meets, in the order of the trace, from whichever worker is at it,
// but never two at a time. Any may be NULL.
struct pipeline_observer {
    void *self;
    void (*note)(void *self, const struct line_note_report *note);
    // Returns whether to go on without the line.
    bool (*fault)(void *self, const struct line_fault *fault);
    // Bytes that were read and stitched; `chunk` is the last of them. For progress.
    void (*advanced)(void *self, const struct source_chunk *chunk);
    // One transfer and what became of it, for debug output. May run beside the other three.
    void (*transfer)(void *self, const struct transfer *transfer,
                     const struct call_decision *decision, uint64_t header_lines);
};

struct pipeline_options {
    struct tarmac_options tarmac;
    unsigned threads;     // at least 1
    uint64_t chunk_bytes; // LIMIT_CHUNK_BYTES_MIN..MAX
    bool stop_at_fault;   // do not read on in a chunk behind a line that cannot be read
    bool keep_open_calls;
    struct call_range range; // of the calls that the consumer sees
    struct watch_list watch;
    struct call_consumer consumer; // fold == NULL: calls are not matched
    struct segment_consumer segments;
    bool big_endian; // memory, for segments
    // Of a mapped source, one for each of its pieces (base/fingerprint.h): filled by the pass.
    // NULL: nobody wants them.
    uint64_t *piece_hashes;
    enum simd simd;
};

// One core's part of the trace. Under READING_TTU there is one lane, whatever the CPU names.
struct lane_result {
    char name[LIMIT_LANE_NAME_BYTES + 1]; // "" for lines without a CPU name
    uint64_t events;                      // lines that made one
    uint64_t nodes;
    uint64_t instructions;
    bool has_aarch64; // some instruction is of AArch64
    bool has_root;
    struct node_ref root; // first node with an instruction
    struct node_ref last; // last node, if nodes
    struct clip clip;
    struct call_content calls; // what happened outside of every call
    struct call_counts counts;
    struct visit_log visits;
};

enum pipeline_stage {
    STAGE_SPLIT,
    STAGE_PARSE,
    STAGE_STITCH,
    STAGE_SCAN,
    STAGE_MATCH,
    STAGE_GATHER,
    STAGE_CARRY,
    STAGE_BUILD,
    STAGE_WRITE,
    STAGE_COUNT,
};

// "split", "parse" and so on.
const char *pipeline_stage_name(enum pipeline_stage stage);

struct pipeline_result {
    struct lane_result *lanes;
    size_t lane_count;
    uint64_t lines, bytes, chunks;
    uint64_t header_lines; // before the first line that made an event
    uint64_t damaged_lines, damaged_bytes;
    uint64_t lines_of_refused_lanes; // of CPUs beyond LIMIT_LANES; part of damaged_lines
    uint64_t chunks_parsed_again;
    uint64_t stage_ns[STAGE_COUNT]; // sums over all workers
    uint64_t wall_ns;
    uint64_t unknown_events; // whose record word says nothing to us
    // Of the first lines that are not understood, and stand before any instruction, the word that
    // most of them begin with; "": there are none.
    char unknown_word[UNKNOWN_WORD_BYTES];
    bool stopped_at_fault; // the observer said so
    bool readings_differ;  // the other reading may give something else
};

// Runs the pass. `result` is filled as far as the pass got, also on failure. STATUS_INPUT when the
// trace was changed while it was read; a fault that the observer stops at is STATUS_OK with
// stopped_at_fault.
enum status pipeline_run(struct source *source, const struct pipeline_options *options,
                         const struct pipeline_observer *observer, struct pipeline_result *result,
                         struct error *err);

// Whether it shows a Tarmac trace: not one of which (next to) nothing was understood.
bool pipeline_result_is_understood(const struct pipeline_result *result);

void pipeline_result_free(struct pipeline_result *result);

#endif
