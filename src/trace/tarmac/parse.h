// The first pass over a chunk: lines are read and leave marks, lane by lane.
#ifndef TRAWL_TRACE_TARMAC_PARSE_H
#define TRAWL_TRACE_TARMAC_PARSE_H

#include "base/hashset.h"
#include "base/limits.h"
#include "base/source.h"
#include "flow/unknown_words.h"
#include "simd/simd.h"
#include "trace/tarmac/line_template.h"
#include "trace/tarmac/marks.h"
#include "trace/tarmac/records.h"

struct lane_name {
    char text[LIMIT_LANE_NAME_BYTES + 1];
};

// All that one line hands to the next. A chunk is parsed from a guess of it.
struct reader_state {
    struct tarmac_context context;
    struct lane_name lane;
};

struct parsed_note {
    uint32_t line, position; // relative to the chunk; line from 0
    enum line_note note;
    uint64_t hash; // of kind and subject
    const char *subject;
    size_t subject_length;
};

struct parsed_fault {
    uint32_t line, position;
    struct text_fault fault;
    const char *text; // in the chunk
    size_t length;
};

// One lane's part of a chunk.
struct lane_part {
    struct lane_name name;
    uint64_t line_count; // that could be read
    uint64_t unknown_event_count;
    struct marks marks;
    struct marks_summary summary;
    struct records records; // empty unless they are kept
};

struct parse_options {
    struct reading_options how;
    bool split_lanes;
    bool stop_at_fault;
    bool keep_records;      // of registers and memory
    bool keep_instructions; // likewise; only with records
    bool keep_names;        // registers of names of their own; likewise
    struct record_options records;
    enum simd simd;
};

// The lanes that the trace had before a chunk.
struct lane_list {
    struct lane_name names[LIMIT_LANES];
    size_t count;
};

// What parsing a chunk leaves. Memory is kept from chunk to chunk.
struct parsed_chunk {
    struct reader_state guess; // what was assumed before the first line
    struct reader_state end;   // what the last line left
    VEC(, struct lane_part) parts;
    size_t part_count;     // in use, in order of their first line
    size_t current_part;   // of the line in hand
    size_t new_lane_count; // parts of lanes that were not known
    uint32_t line_count;
    uint32_t template_line_count; // of those, read by their template
    uint32_t first_event_line;    // UINT32_MAX: none
    VEC(, struct parsed_note) notes;
    VEC(, struct parsed_fault) faults;  // the first LIMIT_DAMAGE_KEPT
    struct unknown_words unknown_words; // that lines begin with which are not understood
    uint64_t fault_count, fault_bytes;
    uint64_t lines_of_refused_lanes;     // beyond LIMIT_LANES
    struct chunk_names names;            // of registers
    const struct lane_list *known_lanes; // while the chunk is parsed, as are the next two
    const struct source_chunk *chunk;
    const char *at; // of the first line that is not parsed yet
    bool keeps_names;
    bool has_refused_lanes;
    bool has_no_memory;
    bool is_stopped;      // at a fault
    bool ends_partial;    // the last line has no newline
    bool readings_differ; // the other reading may make something else of some line
    struct hashset notes_seen;
    struct line_templates *templates; // that were met, in whatever chunk
};

bool reader_state_equal(const struct reader_state *a, const struct reader_state *b);

// What the run-in of the chunk suggests, starting from `known`.
struct reader_state parse_guess(const struct source_chunk *chunk,
                                const struct parse_options *options,
                                const struct reader_state *known);

// What a trace had before a chunk, as far as there are limits for it.
struct known_before {
    const struct lane_list *lanes;
    const struct register_names *names;
};

// Parses the whole chunk from `guess`. Which lanes and names of registers are refused follows from
// `known`; where that is NULL and has_refused_lanes or names.is_cut is set in the end, the chunk
// has to be parsed again with it. False: no memory.
bool parse_chunk(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known);

// The same in steps. parse_begin: false without memory.
bool parse_begin(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known);

// Whether there are lines left to be read.
bool parse_is_going_on(const struct parsed_chunk *parsed);

// Parses the lines that begin in the first `up_to_bytes` of the chunk and are not parsed yet.
// False: no memory.
bool parse_lines(struct parsed_chunk *parsed, const struct parse_options *options,
                 size_t up_to_bytes);

// Sums up, when all lines are read.
void parse_end(struct parsed_chunk *parsed);

// The part of the lane called `name`, or of the current one if that is NULL, which becomes the
// current one. NULL without memory or beyond LIMIT_LANES. For record_line.h.
struct lane_part *parsed_chunk_lane(struct parsed_chunk *parsed, const char *name, size_t length);

void parsed_chunk_free(struct parsed_chunk *parsed);

#endif
