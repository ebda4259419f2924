// Notes at events of a trace. They live as long as the server; on request they are stored next to
// the trace, in TRACE.notes.json, and read from there.
#ifndef TRAWL_SERVE_NOTES_H
#define TRAWL_SERVE_NOTES_H

#include "base/vec.h"
#include "report/json.h"

struct note {
    uint64_t event; // TRAWL_START: before the first
    char *text;     // UTF-8
};

struct note_list {
    VEC(, struct note) items; // ascending by event, the start first
};

void note_list_free(struct note_list *list);

// Sets the note at an event, replacing any other; empty text removes it. STATUS_LIMIT: it is too
// long, or there are too many.
enum status note_list_set(struct note_list *list, uint64_t event, const char *text,
                          struct error *err);

// Reads the notes of a file that was written by this program or by hand, for events below
// `event_count`. STATUS_INPUT with a position: it is invalid.
enum status note_list_parse(struct note_list *list, const char *text, size_t size,
                            uint64_t event_count, struct error *err);

// The file's text.
void note_list_write(const struct note_list *list, struct out *out);

struct notes;

// Opens the notes of a trace. With `is_kept`, those in its file are read, if it exists, and changes
// are written.
enum status notes_open(struct notes **out, const char *trace, uint64_t event_count, bool is_kept,
                       struct error *err);
void notes_close(struct notes *notes);

// Like note_list_set; the file is written completely or not at all.
enum status notes_set(struct notes *notes, uint64_t event, const char *text, struct error *err);

// The members `notes` and `are_kept` of an answer.
void notes_put(struct notes *notes, struct json *json);

#endif
