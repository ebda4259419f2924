// Indexes of what a pass has read so far, made while it goes on, for those who do not want to wait
// for its end: they look at a trace while its index is built (previews), or while it is written
// (follow.c).
//
// Each is made by a process that is forked while the pass is paused. It has everything that the
// pass knows, ends it as if the trace ended there, and makes the index; the process that forked it
// waits, and then continues as if nothing had happened. So the pass itself reads each line once and
// needs no code for a second end, and what a killed process leaves is the index before. All indexes
// together take at most a tenth of the time.
//
// Such an index describes events as the final one does, with two exceptions: the last event of each
// lane may be incomplete, and it is not yet known which calls return.
#ifndef TRAWL_SESSION_PREFIX_INDEX_H
#define TRAWL_SESSION_PREFIX_INDEX_H

#include "base/source.h"
#include "flow/pass.h"
#include "session/session.h"

// --- prefix_index.c ------------------------------------------------------------------------------

// Functions of the owner of an index that is being written.
struct prefix_index_writer {
    void *self;
    void (*settle)(void *self); // before the fork
    // After it, in the forked process. `file`: to be written, -1: a new one that gets the name.
    enum status (*branch)(void *self, int file, struct error *err);
};

struct prefix_indexes {
    void *self; // passed to these functions
    // Previews are in unnamed files. Otherwise the trace is followed, and each index gets the name
    // of the final one.
    bool are_previews;
    // Whether a preview is wanted now. NULL: always.
    bool (*is_wanted)(void *self);
    // Receives what the index covers, in the thread that builds; and the file of a preview (-1:
    // none), which belongs to the function. NULL: not needed.
    void (*published)(void *self, int file, uint64_t bytes, uint64_t lines);
    bool is_eager; // make a preview whenever the pass can pause; for tests

    // How the pass pauses: functions of pass_pauses. prefix_indexes_begin sets those of previews.
    bool (*is_due)(struct prefix_indexes *indexes, struct source *source);
    enum pass_pause (*pause)(struct prefix_indexes *indexes, struct source *source,
                             const struct prefix_index_writer *writer, struct error *err);
    uint64_t published_bytes; // of the text that the newest index covers

    // Its own.
    const char *path;                 // of the index, for messages
    const struct pass_pauses *others; // these pauses are also respected; NULL: none
    uint64_t start_ns, due_ns, patience_end_ns;
    bool has_given_up;
    bool is_here;  // this is the forked process,
    int report_fd; // which reports here
};

// For a pass that begins; `path` is that of the index.
void prefix_indexes_begin(struct prefix_indexes *indexes, const char *path,
                          const struct pass_pauses *others);

// Makes one now. PASS_END: this is the forked process. PASS_GO_ON: it made an index, which was
// published (unless there was nothing to index yet, or no process can be added). PASS_FAIL: it
// failed, for the reason in `err`.
enum pass_pause prefix_index_make(struct prefix_indexes *indexes, struct source *source,
                                  const struct prefix_index_writer *writer, struct error *err);

// Whether this is the forked process. It ends with prefix_index_report, which reports the result.
bool prefix_index_is_here(const struct prefix_indexes *indexes);
_Noreturn void prefix_index_report(const struct prefix_indexes *indexes, enum status status,
                                   uint64_t lines, const struct error *err);

// --- follow.c ------------------------------------------------------------------------------------

// Follows a trace while it is written: decides when its pass pauses, waits for more, and publishes
// indexes of what was read so far.
//
// An index gets its name when it is complete and was tested. So everyone who opens it finds either
// the previous or the next state, and if the processes are killed, the last one remains.
//
// For several files, what was read is what is certain (base/source_concat_growth.c), so its index
// remains an index of the beginning of the trace.

// Enough for recognizing the kind of a trace and its dialect, and for comparing images.
#define FOLLOW_FIRST_BYTES 65536

struct follow {
    struct prefix_indexes indexes;
    const struct session *session; // of the trace, which is not opened yet
    const char **paths;            // of its files; owned by this struct
    size_t path_count;
    int watch_fd;     // inotify; -1: the files are polled
    bool was_changed; // it was truncated or rewritten: following must start again
    uint64_t
        ended_ns; // time since which no process writes a trace in members; 0: some process does
    void *self;   // passed to find_next_file
    // Finds the member after the known ones; NULL: it does not exist yet. STATUS_INPUT: known
    // members no longer exist. If the function is NULL, there will be no more members.
    enum status (*find_next_file)(void *self, const char **path, struct error *err);
};

// Begins to follow the trace that a session will open.
enum status follow_begin(struct follow *follow, const struct session *session, struct error *err);
void follow_end(struct follow *follow);

// Waits until the trace has this many bytes. False: it never will, because no process writes it any
// more, or an end was requested. If the system does not tell which processes write a file, one may.
bool follow_wait_for(const struct follow *follow, size_t size_bytes);

#endif
