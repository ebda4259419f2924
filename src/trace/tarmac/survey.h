// What a piece of a trace does to all that comes after it, found without the text before it.
//
// A pass over one piece alone makes its survey. Those of all pieces before another one tell, put
// together in order, in what state a pass over that one begins: how many lines and events there
// are before, which cores and names, and what each core carries (lane_state.h, scan.h).
//
// What a core does first in a piece depends on what it did before. So a survey has the marks of its
// beginning, up to where it no longer does but by registers, and they are scanned again once it is
// known. Its events must not depend on it: the piece begins where the time of every core rises
// (piece.h). Where that is not so, or something else stands in the way, whoever wants to know has
// to read the text.
#ifndef TRAWL_TRACE_TARMAC_SURVEY_H
#define TRAWL_TRACE_TARMAC_SURVEY_H

#include "flow/messages.h"
#include "flow/register_names.h"
#include "trace/tarmac/gather.h"

// Why the text of a piece has to be read, and its survey does not do.
enum survey_obstacle {
    SURVEY_SERVES,
    SURVEY_TWO_STACKS,  // cores have two stack pointers (two_stacks.h)
    SURVEY_LIMITS,      // more cores or names than there may be
    SURVEY_STOPPED,     // a line that cannot be read ends the trace
    SURVEY_LONG_START,  // a core does too little for its state to be known
    SURVEY_NO_TIME,     // times that mean that there is none
    SURVEY_IN_LINE,     // it begins in a line that is too long
    SURVEY_OTHER_START, // the piece before ends otherwise than it seemed from its last lines
    SURVEY_TIMES,       // the time of a core does not rise where the piece begins
};

// The obstacle, in words that follow "because"; NULL: there is none.
const char *survey_obstacle_text(enum survey_obstacle obstacle);

// What a lane does in a piece. Lines of marks and nodes count from the piece, positions from the
// piece in marks, and from the trace in nodes.
struct lane_survey {
    struct lane_name name;
    // Its first marks: all that there are, or up to the one after which only registers that were
    // not written still depend on what was before.
    VEC(, struct mark) marks;
    VEC(, struct register_bytes) patches;
    uint32_t instruction_count; // of these marks
    bool is_complete;           // there are more
    bool has_aarch64_doubt;  // the readings differ in its first chunk, if it was in AArch64 state
    bool has_instruction;    // after these marks
    struct lane_state state; // at its end, from LANE_STATE_START
    // Of what is after these marks, from survey_carry_start; but `branch` is of the last
    // instruction of all.
    struct lane_carry carry;
    uint64_t node_count;
    uint64_t last_event; // counted in the piece; NO_EVENT
    uint64_t event_count, instructions_in_all;
    bool has_aarch64;
};

// What is not written in the piece stays what it is here.
struct lane_carry survey_carry_start(void);

struct survey {
    enum survey_obstacle obstacle;
    uint64_t position, size_bytes; // of the piece
    uint64_t line_count, event_count;
    uint64_t first_event_line; // from 1; 0: none
    uint64_t damaged_lines, damaged_bytes, unknown_events;
    bool readings_differ;
    struct reader_state guess, end; // what was taken for granted before the first line, and left
    VEC(, struct lane_survey) lanes;
    struct register_names names;
    struct unknown_words unknown_words;
    struct message_log messages; // while it is made; lines count from the piece
    bool lost_messages;          // for lack of memory
    struct messages said;        // when it was read, in the bytes that it was read from
    uint64_t first_hash;         // of the trace's pieces (base/fingerprint.h)
    VEC(, uint64_t) hashes;
};

void survey_free(struct survey *survey);

// Takes from the marks of a part of a chunk, `lines` and `bytes` of the piece before it, those that
// still belong to the lane's beginning, and returns how many. SIZE_MAX: no memory.
size_t survey_take_marks(struct survey *survey, struct lane_survey *lane, const struct marks *marks,
                         uint64_t lines, uint64_t bytes);

// Has the scan of a part of a chunk, of which so many marks were taken, carry what the marks after
// those alone do. `start` is the state before the part. False: no memory.
bool survey_scan_rest(const struct lane_state *start, const struct marks *marks, size_t taken,
                      const struct source_chunk *chunk, const struct chunk_base *base,
                      struct scan_result *result);

// What a lane brings to the first line of a piece.
struct entry_lane {
    struct lane_name name;
    struct lane_state state;
    struct lane_carry carry;
    uint64_t node_count, last_event, event_count, instruction_count;
    bool has_aarch64, has_root;
    uint64_t root_event;
};

// What a pass begins with. All zero but for the reader: at the beginning of a trace.
struct pass_entry {
    struct chunk_base base;
    struct reader_state reader;
    uint64_t events, first_event_line;
    uint64_t damaged_lines, damaged_bytes, unknown_events;
    bool readings_differ;
    VEC(, struct entry_lane) lanes;
    struct lane_table lane_table;
    struct register_names names;
    struct unknown_words unknown_words;
};

void pass_entry_free(struct pass_entry *entry);

// Moves an entry over the piece after it. STATUS_NOT_FOUND: *obstacle stands in the way.
// STATUS_MEMORY; the entry is then of no use.
enum status pass_entry_move(struct pass_entry *entry, const struct survey *survey,
                            enum survey_obstacle *obstacle);

// --- As bytes (survey_pack.c) --------------------------------------------------------------------

// False: no memory.
bool survey_pack(const struct survey *survey, struct bytes *out);

// The same backwards; the bytes have to stay. STATUS_DAMAGED, STATUS_MEMORY; it has to be freed in
// any case.
enum status survey_unpack(struct survey *survey, const uint8_t *bytes, uint64_t size_bytes);

#endif
