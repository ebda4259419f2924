// The progress meter on standard error.
//
// Workers count the bytes that they have processed (progress_add, any thread). One thread, which
// also prints diagnostics, regularly shows the meter; nothing runs on its own.
//
// METER_LINE is trawl's: one line on a terminal, rewritten a few times a second, only shown if the
// work takes longer than a second, and erased at the end. METER_TTU writes the bytes that the
// Tarmac Trace Utilities write: one update for each line of the trace that changes the percentage.
#ifndef TRAWL_CLI_PROGRESS_H
#define TRAWL_CLI_PROGRESS_H

#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>

enum meter { METER_OFF, METER_LINE, METER_TTU };

struct progress {
    FILE *out;
    enum meter meter;
    uint64_t total_bytes;         // 0: unknown
    _Atomic uint64_t done_bytes;  // METER_LINE: by all threads; any thread may read it
    uint64_t start_ns, update_ns; // METER_LINE: when it began, when it may be shown next
    bool visible;                 // METER_LINE: the line is on the screen
    uint64_t percent;             // METER_TTU: last shown; UINT64_MAX: none yet
};

// The meter of a trawl command: METER_LINE if `out` is a terminal and not `quiet`.
enum meter progress_meter_for(FILE *out, bool quiet);

// Starts a meter for `total_bytes` of input; 0: unknown.
void progress_begin(struct progress *progress, FILE *out, enum meter meter, uint64_t total_bytes);

// Counts bytes as done. Any thread; lock-free.
void progress_add(struct progress *progress, uint64_t bytes);

// METER_LINE: shows the state if the last time is long enough ago. Cheap enough to call for each
// chunk and after each wait.
void progress_show(struct progress *progress);

// METER_TTU: the trace has been read up to base + length; `text` has the bytes from `base` on,
// which follow those of the previous call. Writes what the Tarmac Trace Utilities would have
// written by then. Before a warning or error about a line, call it with the text before that line;
// after a parse error on a last line without newline, not for that line.
void progress_show_lines(struct progress *progress, uint64_t base, const char *text, size_t length);

// METER_LINE: erases the line so that something else can be printed; it reappears by itself.
void progress_hide(struct progress *progress);

// Ends the meter: METER_LINE is erased, METER_TTU says "finished". Not for METER_TTU after an
// error.
void progress_end(struct progress *progress);

// progress_show at a given time; for tests.
void progress_show_at(struct progress *progress, uint64_t now_ns);

#endif
