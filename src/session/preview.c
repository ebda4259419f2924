#include "session/preview.h"

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
    const struct preview *preview = self;
    bool is_over = preview->others && preview->others->is_due(preview->others->self);
    return is_over || monotonic_ns() > preview->patience_end_ns;
}

void preview_begin(struct preview *preview, const char *path, struct source *source,
                   const struct prefix_index_writer *writer, const struct pass_pauses *others)
{
    preview->others = others;
    preview->source = source;
    preview->writer = *writer;
    preview->prefix_index = (struct prefix_index){path, -1, is_unwanted, preview};
    preview->file = -1;
    preview->start_ns = monotonic_ns();
    preview->due_ns = preview->is_eager ? 0 : preview->start_ns + FIRST_NS;
    preview->has_given_up = false;
}

bool preview_is_due(void *self)
{
    const struct preview *preview = self;
    if (preview->others && preview->others->is_due(preview->others->self))
        return true;
    return !preview->has_given_up && monotonic_ns() >= preview->due_ns &&
           (!preview->is_wanted || preview->is_wanted(preview->self));
}

enum pass_pause preview_pause(void *self, struct error *err)
{
    struct preview *preview = self;
    if (preview->others && preview->others->is_due(preview->others->self))
        return preview->others->pause(preview->others->self, err);
    struct error why;
    uint64_t lines = 0, start_ns = monotonic_ns();
    preview->patience_end_ns = 2 * start_ns - preview->start_ns + PATIENCE_NS;
    preview->file = unnamed_open(unnamed_directory());
    enum pass_pause next = preview->file < 0
                               ? PASS_FAIL
                               : prefix_index_make(&preview->prefix_index, preview->source,
                                                   &preview->writer, &lines, &why);
    if (next == PASS_END)
        return next;
    preview->has_given_up = next == PASS_FAIL;
    uint64_t now_ns = monotonic_ns();
    if (!preview->is_eager)
        preview->due_ns = now_ns + u64_max(PAUSE_NS_MIN, SHARE * (now_ns - start_ns));
    if (preview->file >= 0 && next == PASS_GO_ON && lines)
        preview->published(preview->self, preview->file, source_read_bytes(preview->source));
    else if (preview->file >= 0)
        close(preview->file);
    preview->file = -1;
    return PASS_GO_ON;
}
