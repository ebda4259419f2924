// A message about a line of text: why it cannot be read, or what in it is not understood.
#ifndef TRAWL_FLOW_LINE_FAULT_H
#define TRAWL_FLOW_LINE_FAULT_H

#include "base/source.h"

// Part of a line.
struct text_span {
    const char *start, *end;
};

// What is wrong with a line, in the words of the reference tools, and where.
struct text_fault {
    char text[88];
    uint32_t column; // bytes from the start of the line
    uint32_t length; // of the offending token; 0 if one is missing
};

// A line that was left out, or stopped the run.
struct line_fault {
    uint64_t line;         // physical, from 1
    uint64_t offset;       // of the line's first byte
    bool has_events;       // a line before it made an event
    uint64_t header_lines; // before the first event
    bool is_partial;       // the last line, without a newline
    bool is_kept;          // it is not left out: READING_TTU takes it (pass_options.tells_cut_line)
    struct text_fault fault;
    const char *text; // the line; valid during the call only
    size_t length;
    const struct source_chunk *chunk; // that contains it
};

// What to report once to the user: an event type or system operation that is not understood.
enum line_note {
    NOTE_NONE,
    NOTE_UNKNOWN_EVENT,      // "unknown Tarmac event type 'FOO'"
    NOTE_UNSUPPORTED_SYSTEM, // "unsupported system operation 'DC'"
    NOTE_TOO_MANY_REGISTERS, // the name of the first beyond LIMIT_NAMED_REGISTERS
};

// Such a report.
struct line_note_report {
    uint64_t line;
    uint64_t offset;
    bool is_first_event; // the line is not after the first that made an event
    enum line_note note;
    const char *subject; // not NUL-terminated
    size_t subject_length;
    const struct source_chunk *chunk;
};

#endif
