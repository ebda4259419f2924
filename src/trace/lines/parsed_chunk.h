// The results of parsing a chunk: its lines, lane by lane; and the options for parsing.
#ifndef TRAWL_TRACE_LINES_PARSED_CHUNK_H
#define TRAWL_TRACE_LINES_PARSED_CHUNK_H

#include "base/hash_index.h"
#include "base/limits.h"
#include "base/source.h"
#include "flow/doubts.h"
#include "flow/unknown_words.h"
#include "simd/simd.h"
#include "trace/lines/lane_programs.h"
#include "trace/lines/lane_table.h"
#include "trace/lines/language.h"
#include "trace/lines/line_template.h"
#include "trace/lines/marks.h"
#include "trace/lines/records.h"

struct lane_name {
    char text[LIMIT_LANE_NAME_BYTES + 1];
};

// Cuts names that are longer than stored ones can be. `prefix`: before the text; NULL: nothing.
void lane_name_set(struct lane_name *name, const char *prefix, const char *text, size_t length);

// Whether the name is this text, after a prefix of so many bytes.
static ALWAYS_INLINE bool lane_name_is(const struct lane_name *name, size_t prefix_bytes,
                                       const char *text, size_t length)
{
    const char *own = name->text + prefix_bytes;
    if (length == 1) // as most harts are named, in each of their lines
        return own[0] == *text && own[1] == 0;
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES - prefix_bytes);
    return memcmp(own, text, length) == 0 && own[length] == 0;
}

// Everything that is passed from line to line. A chunk is parsed from a guess of it.
struct reader_state {
    struct line_context context;
    struct lane_name lane;
};

struct parsed_note {
    uint32_t line, position; // relative to the chunk; line from 0
    enum line_note note;
    uint64_t hash; // of kind and subject
    const char *subject;
    size_t subject_length;
};

// Notes of the same kind and subject are reported once.
uint64_t parsed_note_hash(enum line_note note, const char *subject, size_t length);

struct parsed_fault {
    uint32_t line, position;
    struct text_fault fault;
    const char *text; // in the chunk
    size_t length;
    bool is_kept; // struct line_fault
};

// The instruction to which the accesses on the lines directly after it belong.
struct accessing {
    uint32_t next_line; // that of the next access; relative to the chunk
    uint32_t count;     // of its accesses so far
    uint32_t encoding, size_bytes;
    int64_t position; // of its line, relative to the chunk
    enum isa_state isa;
    bool is_executed;
};

// One lane's part of a chunk.
struct lane_part {
    struct lane_name name;
    uint64_t line_count; // that could be read
    struct marks marks;
    struct marks_summary summary;
    struct accessing accessing;
    struct records records;         // empty unless records are kept
    struct chunk_programs programs; // only if images share addresses
};

// The lanes that occurred in the trace before a chunk.
struct lane_list {
    struct lane_items items;
    struct lane_table *table; // of these items
};

// Where a line ends, for all records from `from` on: a line may have many, and be long.
struct record_line_end {
    const char *from;
    const char *end;      // its newline, or the end of the chunk
    const char *text_end; // without the line end
    bool has_newline;
};

// The results of parsing a chunk. Memory is reused from chunk to chunk.
struct parsed_chunk {
    struct reader_state guess; // what was assumed before the first line
    struct reader_state end;   // after the last line
    VEC(, struct lane_part) parts;
    struct lane_table part_table;
    size_t part_count;     // in use; ordered by their first lines
    size_t current_part;   // of the current line
    size_t new_lane_count; // parts of lanes that were unknown
    uint32_t line_count;
    uint32_t template_line_count; // of those, read by a template
    uint32_t first_event_line;    // UINT32_MAX: none
    VEC(, struct parsed_note) notes;
    VEC(, struct parsed_fault) faults;  // the first LIMIT_DAMAGE_KEPT
    struct unknown_words unknown_words; // first words of lines that are not understood
    uint64_t fault_count, fault_bytes, unknown_events;
    struct doubts doubts;            // of single lines, which count from the beginning of the chunk
    bool has_finer;                  // than the unit of the trace, which can become theirs:
    int finest_exponent;             // of the finest
    uint64_t lines_of_refused_lanes; // beyond LIMIT_LANES
    struct chunk_names names;        // of registers
    const struct lane_list *known_lanes; // these three are only used while the chunk is parsed
    const struct source_chunk *chunk;
    const char *at;                  // start of the first record that is not parsed yet
    struct record_line_end line_end; // of the record that was read last
    // Of the language.
    const char *lane_prefix;
    const char *const *exception_returns, *const *vector_bases;
    bool keeps_names, keeps_spaces;
    bool has_refused_lanes;
    bool has_no_memory;
    bool is_stopped;      // at a fault
    bool ends_partial;    // the last line has no newline
    bool readings_differ; // the other reading may read some line differently
    struct hashset notes_seen;
    struct line_templates *templates; // known templates, from any chunk
};

struct parse_options {
    const struct line_language *language;
    struct reading_options how;
    bool split_lanes;
    uint8_t lane_prefix_bytes; // of the language
    bool stop_at_fault;
    bool tells_cut_line;
    bool keep_records;      // of registers and memory
    bool keep_instructions; // of each line; only with records
    bool keep_names;        // of registers with names of their own; only with records
    struct record_options records;
    enum simd simd;
    const struct image_programs *programs; // NULL: none share addresses
    const struct task_key *task_key;       // given by the user; NULL: not
};

// Returns the part of the lane called `name`, or the current part if that is NULL, and makes it the
// current one. NULL: no memory, or beyond LIMIT_LANES.
struct lane_part *parsed_chunk_lane(struct parsed_chunk *parsed, const char *name, size_t length);

void parsed_chunk_free(struct parsed_chunk *parsed);

#endif
