// A source that is not a file: a pipe, a FIFO, a terminal, a device. It can be read once, in order,
// and nothing is known of it beforehand, so it has no index, no fingerprint and no files. It is the
// only kind whose reader may have to wait: an end that is requested meanwhile (base/interrupt.h)
// must not wait with it.
#include "base/interrupt.h"
#include "base/source.h"
#include "base/source_kind.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

struct pipe_source {
    struct source common;
    int fd;
};

// Waits until a pipe has more, or has ended. False: an end was requested first.
static bool wait_for_more(struct source *source, int fd)
{
    struct pollfd waited[] = {{.fd = fd, .events = POLLIN},
                              {.fd = interrupt_fd(), .events = POLLIN}};
    if (!source->ends_when_asked)
        return true;
    while (poll(waited, ARRAY_COUNT(waited), -1) < 0 && errno == EINTR)
        continue;
    source->is_cut_short = interrupt_is_asked();
    return !source->is_cut_short;
}

static enum status read_in_order(struct source *source, char *bytes, size_t wanted, size_t *have,
                                 struct error *err)
{
    int fd = ((struct pipe_source *)source)->fd;
    while (*have < wanted && !source->is_ended) {
        if (!wait_for_more(source, fd)) {
            source->is_ended = true;
            break;
        }
        ssize_t got = read(fd, bytes + *have, wanted - *have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, source->path, "read");
        source->is_ended = got == 0;
        *have += (size_t)got;
    }
    return STATUS_OK;
}

static void close_pipe(struct source *source)
{
    close(((struct pipe_source *)source)->fd);
}

static const struct source_kind pipe_kind = {.read = read_in_order, .close = close_pipe};

enum status source_pipe_open(struct source **out, const char *path, int fd, struct error *err)
{
    struct source *source = source_make(&pipe_kind, sizeof(struct pipe_source), path, err);
    if (!source) {
        close(fd);
        return STATUS_MEMORY;
    }
    ((struct pipe_source *)source)->fd = fd;
    *out = source;
    return STATUS_OK;
}
