#include "session/early.h"

#include "base/clock.h"
#include "base/unnamed.h"

#include <unistd.h>

// The first index is made after this time, and all together take at most one part in SHARE of the
// time.
#define FIRST_NS UINT64_C(50000000)
#define PAUSE_NS_MIN UINT64_C(200000000)
#define SHARE 10

// An index that takes longer than the pass so far plus this is given up.
#define PATIENCE_NS UINT64_C(1000000000)

static bool is_unwanted(void *self)
{
    const struct early *early = self;
    bool is_over = early->others && early->others->is_due(early->others->self);
    return is_over || monotonic_ns() > early->patience_end_ns;
}

void early_begin(struct early *early, const char *path, struct source *source,
                 const struct offshoot_writer *writer, const struct pass_pauses *others)
{
    early->others = others;
    early->source = source;
    early->writer = *writer;
    early->offshoot = (struct offshoot){path, -1, is_unwanted, early};
    early->file = -1;
    early->start_ns = monotonic_ns();
    early->due_ns = early->is_eager ? 0 : early->start_ns + FIRST_NS;
    early->has_given_up = false;
}

bool early_is_due(void *self)
{
    const struct early *early = self;
    if (early->others && early->others->is_due(early->others->self))
        return true;
    return !early->has_given_up && monotonic_ns() >= early->due_ns &&
           (!early->is_wanted || early->is_wanted(early->self));
}

enum pass_pause early_pause(void *self, struct error *err)
{
    struct early *early = self;
    if (early->others && early->others->is_due(early->others->self))
        return early->others->pause(early->others->self, err);
    struct error why;
    uint64_t lines = 0, start_ns = monotonic_ns();
    early->patience_end_ns = 2 * start_ns - early->start_ns + PATIENCE_NS;
    early->file = unnamed_open(unnamed_directory());
    enum pass_pause next = early->file < 0 ? PASS_FAIL
                                           : offshoot_make(&early->offshoot, early->source,
                                                           &early->writer, &lines, &why);
    if (next == PASS_END)
        return next;
    early->has_given_up = next == PASS_FAIL;
    uint64_t now_ns = monotonic_ns();
    if (!early->is_eager)
        early->due_ns = now_ns + u64_max(PAUSE_NS_MIN, SHARE * (now_ns - start_ns));
    if (early->file >= 0 && next == PASS_GO_ON && lines)
        early->published(early->self, early->file, source_read_bytes(early->source));
    else if (early->file >= 0)
        close(early->file);
    early->file = -1;
    return PASS_GO_ON;
}
