// Warnings, errors and damaged places of the input for users: one line each on standard error,
// under the name `trawl`. (Under the tarmac-* names, the reader prints the messages of the Tarmac
// Trace Utilities.) For one thread only.
#ifndef TRAWL_CLI_DIAG_H
#define TRAWL_CLI_DIAG_H

#include "base/error.h"
#include "cli/progress.h"

#include <stdio.h>

// Exit statuses of trawl. The tarmac-* names use only 0 and 1, like the original tools.

enum exit_status {
    EXIT_STATUS_DONE = 0,
    EXIT_STATUS_FAILED = 1,  // bad input, or a task that could not be done
    EXIT_STATUS_USAGE = 2,   // an invalid command line
    EXIT_STATUS_DAMAGED = 3, // done, but parts of the input were left out, as reported
    // Of commands whose answer is a status, as of diff(1) and grep(1) (command_spec.answers).
    EXIT_STATUS_DIFFERENT = 1,
    EXIT_STATUS_NO_MATCH = 1,
    EXIT_STATUS_TROUBLE = 2, // instead of EXIT_STATUS_FAILED
};

// --- diag.c --------------------------------------------------------------------------------------

// Damaged places shown one by one; the rest are only counted.
#define DIAG_DAMAGE_SHOWN 10

// Bytes of the line about a damaged place while it is held back, with a NUL; a longer one is
// truncated.
#define DIAG_DAMAGE_BYTES 400

struct diag {
    FILE *out;
    struct progress *progress; // erased before a line is printed; NULL for none
    bool colour;
    uint64_t damage_count;
    uint64_t damage_bytes;
    unsigned damage_shown;
    bool holds_damage; // the caller may set it: damage is not shown before diag_end
    char held[DIAG_DAMAGE_SHOWN][DIAG_DAMAGE_BYTES];
    bool is_partial;       // a warning has reported that something is missing
    uint64_t memory_bytes; // the limit of --max-memory, for messages about lack of memory; 0: none
};

// Starts with nothing counted. Colour is for a terminal only, and not with NO_COLOR.
void diag_begin(struct diag *diag, FILE *out, struct progress *progress);

// "trawl: TEXT", with the place if the error has one: "trawl: TEXT (line 12, byte 345)". Returns
// the status to end with.
enum exit_status diag_error(struct diag *diag, const struct error *err);

// "trawl: warning: ...".
void diag_warning(struct diag *diag, const char *format, ...) PRINTF_LIKE(2, 3);

// "trawl: ...", for information that is not about a fault, such as why there is no answer.
void diag_note(struct diag *diag, const char *format, ...) PRINTF_LIKE(2, 3);

// A place of the input that was left out: "trawl: PATH:LINE: TEXT (byte OFFSET)", LINE only above
// 0. The first DIAG_DAMAGE_SHOWN are printed, all are counted with their size.
void diag_damage(struct diag *diag, const char *path, uint64_t line, uint64_t offset,
                 uint64_t size_bytes, const char *text);

// Sums up what was left out, if anything. `unit` is the word for places in the plural: "lines",
// "records". EXIT_STATUS_DAMAGED if there was damage, otherwise EXIT_STATUS_DONE.
enum exit_status diag_end(struct diag *diag, const char *path, const char *unit);

#endif
