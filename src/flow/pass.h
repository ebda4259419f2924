// A pass over a trace of any kind: what it is asked for, whom it tells of what it meets, and what
// it results in.
#ifndef TRAWL_FLOW_PASS_H
#define TRAWL_FLOW_PASS_H

#include "base/error.h"
#include "base/limits.h"
#include "flow/clip.h"
#include "flow/function_map.h"
#include "flow/line_fault.h"
#include "flow/pc_counts.h"
#include "flow/reading.h"
#include "flow/segment.h"
#include "flow/task_log.h"
#include "flow/unknown_words.h"
#include "flow/visits.h"
#include "idx/bytes.h"
#include "simd/simd.h"

#define PASS_CHUNK_MB_DEFAULT 2
#define PASS_CHUNK_BYTES_DEFAULT ((uint64_t)PASS_CHUNK_MB_DEFAULT << 20)

struct call_decision;

// Where a pass reports what it meets, in the order of the trace, from whichever worker is at it,
// but never two at a time. Any may be NULL.
struct pass_observer {
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

// What a pass over a piece left for those over later ones; made and read by the kind of the trace.
struct packed_survey {
    const uint8_t *bytes;
    uint64_t size_bytes;
};

// A pass for a piece of a trace of lines: those that begin in some bytes of the text. Chunks end
// where it does.
struct pass_piece {
    uint64_t from, end; // of the text; 0 and 0: of all
    // Where its survey goes: nothing but the piece is read, and nothing else comes of the pass.
    struct bytes *survey;
    // Of the pieces before, in order: the text before is not read. None: it is.
    const struct packed_survey *before;
    size_t before_count;
};

// Who takes the transfers of a piece of the trace instead of their calls, to match them elsewhere.
struct transfer_consumer {
    void *self;
    // Of one lane's part of a chunk, in order, one at a time; events are absolute. `drop_below` is
    // what call_matcher_drop is told after them. NULL: nobody takes any. False: no memory.
    bool (*take)(void *self, size_t lane, const struct transfer *transfers, size_t count,
                 uint64_t drop_below);
};

// Where a pass over a trace that is followed stands still: all that was read is matched, and all
// whole segments are written; the last events are in none yet. No thread of the pass runs.
enum pass_pause {
    PASS_GO_ON, // there is more to read
    PASS_END,   // what was read is all
    PASS_FAIL,
};

struct pass_pauses {
    void *self;
    bool (*is_due)(void *self); // asked before each chunk, by one thread at a time
    // Called when it is due or nothing is left to read.
    enum pass_pause (*pause)(void *self, struct error *err);
};

struct pass_options {
    struct reading_options how; // of lines
    unsigned threads;           // at least 1
    uint64_t chunk_bytes;       // LIMIT_CHUNK_BYTES_MIN..MAX
    bool stop_at_fault;         // do not read on in a chunk after a line that cannot be read
    bool keep_open_calls;
    bool wants_tasks;        // fills the lanes' `tasks`, where the trace shows any
    bool splits_by_task;     // and what happens outside of calls counts there, for each task
    struct call_range range; // of the calls that the consumer sees
    struct watch_list watch;
    // Fills the lanes' `pcs`, by instructions within this range; NULL: nobody wants them. Kinds
    // with instructions can, by the trace itself.
    const struct call_range *counted;
    const struct function_map *functions; // of images, which calls are told by; NULL: none
    struct call_consumer consumer;        // fold == NULL: calls are not matched
    // For an index, which serves both readings: the calls as the other reading matches them, all of
    // them. fold == NULL: nobody wants them.
    struct call_consumer other_consumer;
    struct pass_piece piece;            // of mapped traces, where there are surveys
    struct transfer_consumer transfers; // of the piece; without consumers of calls
    struct segment_consumer segments;
    bool big_endian; // memory, for segments
    // Of a mapped source, one for each of its pieces (base/fingerprint.h): filled by the pass.
    // NULL: nobody wants them.
    uint64_t *piece_hashes;
    const struct pass_pauses *pauses; // of a trace that is followed; NULL: it is not
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
    struct call_content other_calls; // as the other reading matches them
    struct call_counts other_counts;
    struct visit_log visits;
    struct pc_counts pcs;  // what its instructions did, if that is wanted
    struct task_log tasks; // READING_RIGHT has them, and an index of both
};

enum pass_stage {
    STAGE_SPLIT,
    STAGE_PARSE,
    STAGE_STITCH,
    STAGE_SCAN,
    STAGE_MATCH,
    STAGE_JOIN,
    STAGE_GATHER,
    STAGE_CARRY,
    STAGE_BUILD,
    STAGE_WRITE,
    STAGE_COUNT,
};

// "split", "parse" and so on.
const char *pass_stage_name(enum pass_stage stage);

struct pass_result {
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
    struct unknown_summary unknown;
    bool stopped_at_fault;    // the observer said so
    bool readings_differ;     // the other reading may give something else
    bool lacks_stack_pointer; // calls were matched by READING_RIGHT, and no lane ever showed SP
};

// What a lane of a result holds; the lane itself is the caller's.
void lane_result_free(struct lane_result *lane);

bool pass_result_has_events(const struct pass_result *result);

bool pass_result_has_instructions(const struct pass_result *result);

// Whether the pass shows a trace: not one of which nothing, or but some lines, was understood.
bool pass_result_is_understood(const struct pass_result *result);

void pass_result_free(struct pass_result *result);

#endif
