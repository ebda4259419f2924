// A process that is forked while a pass is paused: it has everything that the pass knows, ends it
// as if the trace ended there, and makes an index of what was read so far. The process that forked
// it waits, and then continues as if nothing had happened.
#ifndef TRAWL_SESSION_OFFSHOOT_H
#define TRAWL_SESSION_OFFSHOOT_H

#include "base/source.h"
#include "flow/pass.h"

struct offshoot {
    const char *path; // of the index, for messages
    int report_fd;    // of the forked process; otherwise -1
    // Whether it should end at once; called regularly. NULL: never.
    bool (*is_unwanted)(void *self);
    void *self;
};

// Functions of the owner of an index that is being written.
struct offshoot_writer {
    void *self;
    void (*settle)(void *self);                           // before the fork
    enum status (*branch)(void *self, struct error *err); // after it, in the forked process
};

// PASS_END: this is the forked process. PASS_GO_ON: it made an index of this many lines (0: there
// was nothing to index yet, or no process can be added). PASS_FAIL: it failed, for the reason in
// `err`.
enum pass_pause offshoot_make(struct offshoot *offshoot, struct source *source,
                              const struct offshoot_writer *writer, uint64_t *lines,
                              struct error *err);

// Whether this is the forked process. It ends with offshoot_report, which reports the result.
bool offshoot_is_here(const struct offshoot *offshoot);
_Noreturn void offshoot_report(const struct offshoot *offshoot, enum status status, uint64_t lines,
                               const struct error *err);

#endif
