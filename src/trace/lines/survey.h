// The effect of a shard of a trace on everything after it, found without the text before it.
//
// A pass over a single shard makes its survey. The surveys of all shards before another one, put
// together in order, give the state in which a pass over that one begins: the number of lines and
// events before, which cores and names occurred, and what each core carries (lane_state.h, scan.h).
//
// What a core does first in a shard depends on what it did before. So a survey has the marks of its
// beginning, up to where it depends on earlier text only through registers; these marks are scanned
// again when the earlier state is known. Its events must not depend on it: the shard begins where
// the time of every core rises (shard.h). If that is not so, or there is another obstacle, the text
// must be read instead.
#ifndef TRAWL_TRACE_LINES_SURVEY_H
#define TRAWL_TRACE_LINES_SURVEY_H

#include "flow/messages.h"
#include "flow/register_names.h"
#include "trace/lines/gather.h"

// Why a survey cannot be used, so that the text of a shard must be read.
enum survey_obstacle {
    SURVEY_SERVES,
    SURVEY_TWO_STACKS,  // cores have two stack pointers (line_carry)
    SURVEY_LIMITS,      // more cores or names than allowed
    SURVEY_STOPPED,     // a line that cannot be read ends the trace
    SURVEY_LONG_START,  // a core does too little for its state to become known
    SURVEY_NO_TIME,     // times that are equal to NO_TIME
    SURVEY_IN_LINE,     // the shard begins inside a line that is too long
    SURVEY_OTHER_START, // the shard before it ends in another state than its last lines suggested
    SURVEY_TIMES,       // the time of a core does not rise where the shard begins
    SURVEY_VECTORS,     // vectors are longer than what lanes wrote shows
};

// The obstacle, in words to follow "because"; NULL: none.
const char *survey_obstacle_text(enum survey_obstacle obstacle);

// The effect of a shard on a lane. Lines are counted from the beginning of the shard in marks and
// nodes. Positions are counted from the beginning of the shard in marks, and of the trace in nodes.
struct lane_survey {
    struct lane_name name;
    // Its first marks: all, or up to the one after which only registers that were not written
    // depend on what was before.
    VEC(, struct mark) marks;
    VEC(, struct register_bytes) patches;
    uint32_t instruction_count; // in these marks
    bool is_complete;           // there are more marks
    bool has_aarch64_doubt;     // the readings differ in its first chunk if it was in AArch64 state
    bool has_instruction;       // it has one after these marks
    struct lane_state state;    // at the end of the shard, starting from LANE_STATE_START
    // The effect of what follows these marks, starting from survey_carry_start; but `branch` is
    // that of the last instruction in the shard.
    struct lane_carry carry;
    uint32_t vector_bytes; // the widest write to a z
    uint64_t node_count;
    uint64_t last_event; // counted in the shard; NO_EVENT
    uint64_t event_count, instructions_in_all;
    bool has_aarch64;
};

// What is not written in the shard keeps these values.
struct lane_carry survey_carry_start(void);

struct survey {
    enum survey_obstacle obstacle;
    uint64_t position, size_bytes; // of the shard
    uint64_t line_count, event_count;
    uint64_t first_event_line; // from 1; 0: none
    uint64_t damaged_lines, damaged_bytes, unknown_events;
    struct doubts doubts; // lines count from the beginning of the shard
    bool readings_differ;
    struct reader_state guess, end; // assumed before the first line; after the last line
    VEC(, struct lane_survey) lanes;
    struct register_names names;
    struct unknown_words unknown_words;
    struct message_log messages; // while it is made; lines count from the beginning of the shard
    bool lost_messages;          // because there was no memory
    struct messages said;        // after reading it; points into the bytes from which it was read
    uint64_t first_hash;         // of the trace's shards (base/fingerprint.h)
    VEC(, uint64_t) hashes;
};

void survey_free(struct survey *survey);

// Takes those marks of a part of a chunk that still belong to the lane's beginning, and returns
// their number. `counted`, `lines` and `bytes` are the instructions of the lane, if times count
// those, and the lines and bytes of the shard before the chunk.
// SIZE_MAX: no memory.
size_t survey_take_marks(struct survey *survey, struct lane_survey *lane, const struct marks *marks,
                         uint64_t counted, uint64_t lines, uint64_t bytes);

// Makes the scan of a part of a chunk, from which `taken` marks were taken, carry only the effect
// of the marks after those. `start` is the state before the part. False: no memory.
bool survey_scan_rest(const struct lane_state *start, const struct marks *marks, size_t taken,
                      const struct source_chunk *chunk, const struct chunk_base *base,
                      struct scan_result *result);

// The state of a lane before the first line of a shard.
struct entry_lane {
    struct lane_name name;
    struct lane_state state;
    struct lane_carry carry;
    uint32_t vector_bytes;
    uint64_t node_count, last_event, event_count, instruction_count;
    bool has_aarch64, has_root;
    uint64_t root_event;
};

// The initial state of a pass. All zero except for `reader`: the beginning of a trace.
struct pass_entry {
    struct chunk_base base;
    struct reader_state reader;
    uint64_t events, first_event_line;
    uint64_t damaged_lines, damaged_bytes, unknown_events;
    struct doubts doubts;
    bool readings_differ;
    VEC(, struct entry_lane) lanes;
    struct lane_table lane_table;
    struct register_names names;
    struct unknown_words unknown_words;
};

void pass_entry_free(struct pass_entry *entry);

// Advances an entry over the next shard. STATUS_NOT_FOUND: *obstacle has the reason. STATUS_MEMORY;
// the entry cannot be used afterwards.
enum status pass_entry_move(struct pass_entry *entry, const struct survey *survey,
                            enum survey_obstacle *obstacle);

// --- As bytes (survey_pack.c) --------------------------------------------------------------------

// False: no memory.
bool survey_pack(const struct survey *survey, struct bytes *out);

// The reverse; the bytes must continue to exist. STATUS_DAMAGED, STATUS_MEMORY. Free with
// survey_free in any case.
enum status survey_unpack(struct survey *survey, const uint8_t *bytes, uint64_t size_bytes);

#endif
