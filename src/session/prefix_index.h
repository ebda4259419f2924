// A process that is forked while a pass is paused: it has everything that the pass knows, ends it
// as if the trace ended there, and makes an index of what was read so far. The process that forked
// it waits, and then continues as if nothing had happened.
#ifndef TRAWL_SESSION_PREFIX_INDEX_H
#define TRAWL_SESSION_PREFIX_INDEX_H

#include "base/source.h"
#include "flow/pass.h"

struct prefix_index {
    const char *path; // of the index, for messages
    int report_fd;    // of the forked process; otherwise -1
    // Whether it should end at once; called regularly. NULL: never.
    bool (*is_unwanted)(void *self);
    void *self;
};

// Functions of the owner of an index that is being written.
struct prefix_index_writer {
    void *self;
    void (*settle)(void *self);                           // before the fork
    enum status (*branch)(void *self, struct error *err); // after it, in the forked process
};

// PASS_END: this is the forked process. PASS_GO_ON: it made an index of this many lines (0: there
// was nothing to index yet, or no process can be added). PASS_FAIL: it failed, for the reason in
// `err`.
enum pass_pause prefix_index_make(struct prefix_index *prefix_index, struct source *source,
                                  const struct prefix_index_writer *writer, uint64_t *lines,
                                  struct error *err);

// Whether this is the forked process. It ends with prefix_index_report, which reports the result.
bool prefix_index_is_here(const struct prefix_index *prefix_index);
_Noreturn void prefix_index_report(const struct prefix_index *prefix_index, enum status status,
                                   uint64_t lines, const struct error *err);

#endif
