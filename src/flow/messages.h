// The messages of a pass about lines of a trace, stored in its index, so that a report from the
// index repeats them.
//
// All notes are stored, and as many faults as are ever shown. The text of the line is stored only
// for the first fault, after which the tarmac-* names stop.
#ifndef TRAWL_FLOW_MESSAGES_H
#define TRAWL_FLOW_MESSAGES_H

#include "flow/pass.h"
#include "idx/column.h"
#include "idx/parts.h"

// A message in PART_MESSAGE_FIGURES of SECTION_MESSAGES.
enum message_row {
    MESSAGE_KIND, // enum message_kind
    MESSAGE_LINE,
    MESSAGE_OFFSET,      // of the line's first byte
    MESSAGE_FIRST_EVENT, // the first line that made an event, 0: none so far; for a note, whether
                         // the line is not after it
    MESSAGE_COLUMN,      // of the offending token; for a fault, like the following
    MESSAGE_LENGTH,      // of the token
    MESSAGE_WORDS_BYTES, // of the description of the fault, which comes first in the text
    MESSAGE_TEXT_BYTES,  // of the stored part of the line, or of the note's subject
    MESSAGE_ROWS,
};

enum message_kind {
    MESSAGE_UNKNOWN_EVENT,
    MESSAGE_UNSUPPORTED_SYSTEM,
    MESSAGE_FAULT,
    MESSAGE_FAULT_PARTIAL, // in a last line without a newline
    MESSAGE_NOTES_CUT,     // there are more notes than stored
    // One of the most common first words of lines with unknown events. MESSAGE_LINE is its number
    // of lines, MESSAGE_OFFSET the number of all lines with unknown events, MESSAGE_FIRST_EVENT the
    // number of words.
    MESSAGE_UNKNOWN_WORD,
    MESSAGE_TOO_MANY_REGISTERS, // a note
    MESSAGE_KINDS,
};

// All zero is empty.
struct message_log {
    VEC(, uint64_t) figures;
    struct bytes text;
    size_t fault_count;
    bool is_cut;
};

// Store a message. False: no memory.
bool message_log_note(struct message_log *log, const struct line_note_report *note);
bool message_log_fault(struct message_log *log, const struct line_fault *fault);

// Stores the number of lines with unknown events, and their words. False: no memory.
bool message_log_unknown(struct message_log *log, const struct unknown_summary *unknown);

// Makes the parts of SECTION_MESSAGES. False: no memory.
bool message_log_write(const struct message_log *log, struct parts_writer *parts);

void message_log_free(struct message_log *log);

// Messages read from an index.
struct messages {
    struct column figures;
    const char *text;
    size_t text_bytes;
    size_t count;
    bool is_cut; // notes are missing
};

// Opens the parts of a section. STATUS_DAMAGED: damaged.
enum status messages_open(struct messages *messages, const struct parts *parts, struct error *err);

// Returns the summary of unknown events.
void messages_unknown(const struct messages *messages, struct unknown_summary *unknown);

// Repeats all messages, with `chunk` NULL and the stored part of each line, until the observer
// stops. False: it stopped.
bool messages_replay(const struct messages *messages, const struct pass_observer *observer);

#endif
