// Marks: letters that stand for events, each with a note. On request they are stored next to the
// trace, as lines of text: "a event:1000 the first wrong value".
#ifndef TRAWL_BROWSE_MARKS_H
#define TRAWL_BROWSE_MARKS_H

#include "base/error.h"

enum { MARK_COUNT = 26, MARK_NOTE_BYTES = 200, MARKS_PATH_BYTES = 4096 };

struct mark {
    bool is_set;
    uint64_t event; // UINT64_MAX: before the first
    char note[MARK_NOTE_BYTES];
};

struct marks {
    struct mark marks[MARK_COUNT]; // by letter
};

// Sets the mark that was typed: a letter from a to z, optionally a space and a note. STATUS_INPUT:
// it is not a mark.
enum status marks_set(struct marks *marks, const char *typed, uint64_t event, struct error *err);

// The mark with the typed letter. NULL: none.
const struct mark *marks_find(const struct marks *marks, const char *typed);

// The file with the marks of a trace: TRACE.marks. False: the path is too long.
bool marks_path(const char *trace, char path[MARKS_PATH_BYTES]);

// Writes them, whole or not at all.
enum status marks_write(const struct marks *marks, const char *path, struct error *err);

// Reads them. *ignored counts lines that are not marks, or whose events the trace does not have.
// STATUS_NOT_FOUND: there is no such file.
enum status marks_read(struct marks *marks, const char *path, uint64_t event_count,
                       uint64_t *ignored, struct error *err);

#endif
