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
    MESSAGE_FIRST_EVENT, // the first line that made an event, 0: none so far; of a note, whether
                         // the line is, or is before, that one
    MESSAGE_COLUMN,      // of the offending token; of a fault, as are those below
    MESSAGE_LENGTH,      // of that
    MESSAGE_WORDS_BYTES, // of what is wrong; first of the two in the text
    MESSAGE_TEXT_BYTES,  // of the line, as far as it is kept, or of the note's subject
    MESSAGE_ROWS,
};

enum message_kind {
    MESSAGE_UNKNOWN_EVENT,
    MESSAGE_UNSUPPORTED_SYSTEM,
    MESSAGE_FAULT,
    MESSAGE_FAULT_PARTIAL, // in a last line without a newline
    MESSAGE_NOTES_CUT,     // there are more notes than are kept
    // Of the words that are most common among those that lines of unknown events begin with, one.
    // For its line stands how many lines that are, for the offset how many lines of unknown events
    // there are in all, for the first event how many words.
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

// Keep a message. False: no memory.
bool message_log_note(struct message_log *log, const struct line_note_report *note);
bool message_log_fault(struct message_log *log, const struct line_fault *fault);

// Keeps how many lines are of unknown events, and what they are. False: no memory.
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

// Fills what they tell of unknown events.
void messages_unknown(const struct messages *messages, struct unknown_summary *unknown);

// Says them all again, with `chunk` NULL and of each line as much as was kept, until the observer
// stops it. False: it did.
bool messages_replay(const struct messages *messages, const struct pass_observer *observer);

#endif
