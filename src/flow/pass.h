// A pass over a trace of any kind: its options, its observer, and its result.
#ifndef TRAWL_FLOW_PASS_H
#define TRAWL_FLOW_PASS_H

#include "base/error.h"
#include "base/limits.h"
#include "base/spool.h"
#include "base/vec.h"
#include "flow/clip.h"
#include "flow/doubts.h"
#include "flow/function_map.h"
#include "flow/line_fault.h"
#include "flow/node.h"
#include "flow/pc_counts.h"
#include "flow/reading.h"
#include "flow/segment.h"
#include "flow/task_log.h"
#include "flow/unknown_words.h"
#include "simd/simd.h"

#define PASS_CHUNK_MB_DEFAULT 2
#define PASS_CHUNK_BYTES_DEFAULT ((uint64_t)PASS_CHUNK_MB_DEFAULT << 20)

// --- The visits of a lane ------------------------------------------------------------------------

struct visit_chain {
    uint64_t first, last; // places in the spool, counted from 1; 0: none
};

// All zero is empty.
struct visit_log {
    struct spool spool;
    struct visit_chain *chains; // one for each watched address
    size_t chain_count;
};

// Appends the visits of a chunk; `events_before` is added to their events. False: no memory.
bool visit_log_add(struct visit_log *log, const struct visit *visits, size_t count,
                   size_t watch_count, uint64_t events_before);

// The first visit to a watched address, and the one after `visit`; NULL: none.
const struct visit *visit_log_first(const struct visit_log *log, uint32_t watch);
const struct visit *visit_log_next(const struct visit_log *log, const struct visit *visit);

void visit_log_free(struct visit_log *log);

struct call_decision;
struct task_key;
struct image_programs;

// Receives reports of a pass, in the order of the trace, from any worker, but never from two at a
// time. Any may be NULL.
struct pass_observer {
    void *self;
    void (*note)(void *self, const struct line_note_report *note);
    // Returns whether to continue without the line.
    bool (*fault)(void *self, const struct line_fault *fault);
    // Bytes were read and stitched, up to the end of `chunk`. For progress.
    void (*advanced)(void *self, const struct source_chunk *chunk);
    // One transfer and its interpretation, for debug output. May run at the same time as the other
    // three.
    void (*transfer)(void *self, const struct transfer *transfer,
                     const struct call_decision *decision, uint64_t header_lines);
};

// What a pass over a shard stores for passes over later ones; made and read by the kind of the
// trace.
struct packed_survey {
    const uint8_t *bytes;
    uint64_t size_bytes;
};

// The shard of a trace of lines that a pass reads: the lines that begin in these bytes of the text.
// No chunk continues after its end.
struct pass_shard {
    uint64_t from, end; // of the text; 0 and 0: the whole text
    // Receives the survey of the shard: then only the shard is read, and the pass has no other
    // result.
    struct bytes *survey;
    // The surveys of the previous shards, in order: the text before this shard is not read. None:
    // it is.
    const struct packed_survey *before;
    size_t before_count;
};

// Receives the transfers of a shard of the trace, to be matched elsewhere.
struct transfer_consumer {
    void *self;
    // Takes the transfers of one lane's part of a chunk; called in order, by one thread at a time.
    // Events are absolute. `drop_below` is for call_matcher_drop after them. NULL: not needed.
    // False: no memory.
    bool (*take)(void *self, size_t lane, const struct transfer *transfers, size_t count,
                 uint64_t drop_below);
};

// Pauses of a pass over a trace that is being followed: all that was read is matched, and all
// complete segments are written; the last events are in no segment yet. No thread of the pass runs.
enum pass_pause {
    PASS_GO_ON, // there is more to read
    PASS_END,   // what was read is all
    PASS_FAIL,
};

struct pass_pauses {
    void *self;
    bool (*is_due)(void *self); // called before each chunk, by one thread at a time
    // Called when a pause is due or nothing is left to read.
    enum pass_pause (*pause)(void *self, struct error *err);
};

struct pass_options {
    struct reading_options how; // of reading lines
    unsigned threads;           // at least 1
    uint64_t chunk_bytes;       // LIMIT_CHUNK_BYTES_MIN..MAX
    bool stop_at_fault;         // stop reading a chunk at a line that cannot be read
    bool tells_cut_line;        // with READING_TTU: also of a last line that it alone takes
    bool keep_open_calls;
    bool wants_tasks;        // fills the lanes' `tasks`, if the trace shows any
    bool splits_by_task;     // and counts what happens outside of calls for each task
    bool parts_interrupts;   // likewise, and interrupts for none (struct task_log)
    struct call_range range; // of the calls for the consumer
    struct watch_list watch;
    // Fills the lanes' `pcs` from instructions in this range; NULL: not needed. For kinds with
    // instructions, and only from the trace itself.
    const struct call_range *counted;
    const struct function_map *functions; // of images, to recognize calls; NULL: none
    const struct task_key *task_key;      // given by the user; NULL: whatever the trace shows
    // Images that share addresses: PCs of their code say of which it is. NULL: there are none.
    const struct image_programs *programs;
    bool has_images;               // so an index must have been made with the same programs
    struct call_consumer consumer; // fold == NULL: calls are not matched
    // For an index, which serves both readings: receives all calls in the other reading. fold ==
    // NULL: not needed.
    struct call_consumer other_consumer;
    struct pass_shard shard;            // only of mapped traces of kinds that have surveys
    struct transfer_consumer transfers; // of the shard; not together with consumers of calls
    struct segment_consumer segments;
    bool big_endian; // memory, for segments
    // For a mapped source: the hash of each of its shards (base/fingerprint.h), filled by the pass.
    // NULL: not needed.
    uint64_t *block_hashes;
    const struct pass_pauses *pauses; // for a trace that is followed; NULL: it is not
    enum simd simd;
};

// One core's part of the trace. With READING_TTU there is one lane for all CPU names.
struct lane_result {
    char name[LIMIT_LANE_NAME_BYTES + 1]; // "" for lines without a CPU name
    uint64_t events;                      // lines that made an event
    uint64_t nodes;
    uint64_t instructions;
    bool has_aarch64; // there are AArch64 instructions
    bool has_root;
    struct node_ref root; // first node with an instruction
    struct node_ref last; // last node, if nodes
    struct clip clip;
    struct call_content calls; // what happened outside of all calls
    struct call_counts counts;
    struct call_content other_calls; // in the other reading
    struct call_counts other_counts;
    struct visit_log visits;
    struct pc_counts pcs;  // counts of its instructions, if requested
    struct task_log tasks; // with READING_TRUE, and for an index of both readings
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

// Whether the pass may begin again from the first line: all its consumers can forget what they
// received, and nothing was passed on for good.
bool pass_may_begin_again(const struct pass_options *options, const struct pass_observer *observer);

// Makes its consumers forget what they received.
enum status pass_begin_again(const struct pass_options *options, struct error *err);

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
    uint64_t unknown_events; // with an unknown record word
    struct unknown_summary unknown;
    struct doubts doubts; // gaps only if calls were matched with READING_TRUE
    // Of the programs of one address space only: a bit for each whose space occurs.
    uint64_t programs_at_home[(LIMIT_IMAGE_PROGRAMS + 63) / 64];
    bool stopped_at_fault;    // the observer decided so
    bool readings_differ;     // the other reading may give a different result
    bool lacks_stack_pointer; // calls were matched with READING_TRUE, and no lane ever showed SP
};

// Frees the contents of a lane; the lane itself belongs to the caller.
void lane_result_free(struct lane_result *lane);

bool pass_result_has_events(const struct pass_result *result);

bool pass_result_has_instructions(const struct pass_result *result);

// Whether the pass shows that it is a trace: not if none or only some of its lines were understood.
bool pass_result_is_understood(const struct pass_result *result);

// Adds the gaps and guesses that matching the calls of all lanes found, in the reading that finds
// them: of `other_counts` if the calls are those of READING_TTU.
void pass_result_add_gaps(struct pass_result *result, bool is_ttu);

void pass_result_free(struct pass_result *result);

#endif
