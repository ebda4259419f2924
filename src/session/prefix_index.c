#include "session/prefix_index.h"

#include "base/interrupt.h"
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// The shortest time between two indexes, which take at most one part in SHARE of the time; and when
// the first preview is made.
#define PAUSE_NS_MIN UINT64_C(200000000)
#define FIRST_NS UINT64_C(50000000)
#define SHARE 10

// A preview that takes longer than the pass so far plus this is given up: the final index will be
// there first, or memory is short.
#define PATIENCE_NS UINT64_C(1000000000)

// The interval of checking whether the process is still wanted.
enum { LOOK_MS = 50 };

// The report of the process at its end.
struct report {
    enum status status;
    uint64_t lines;
    struct error error;
};

bool prefix_index_is_here(const struct prefix_indexes *indexes)
{
    return indexes && indexes->is_here;
}

_Noreturn void prefix_index_report(const struct prefix_indexes *indexes, enum status status,
                                   uint64_t lines, const struct error *err)
{
    struct report report = {.status = status, .lines = lines};
    if (status != STATUS_OK)
        report.error = *err;
    bool is_said = write(indexes->report_fd, &report, sizeof report) == (ssize_t)sizeof report;
    _exit(is_said ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool are_others_due(const struct prefix_indexes *indexes)
{
    return indexes->others && indexes->others->is_due(indexes->others->self);
}

// Waits until there is something to read, or the other end is closed; for a preview only as long as
// it is wanted.
static void wait_for_report(const struct prefix_indexes *indexes, int fd, pid_t child)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (indexes->are_previews && poll(&input, 1, LOOK_MS) <= 0) {
        if (are_others_due(indexes) || monotonic_ns() > indexes->patience_end_ns) {
            kill(child, SIGKILL);
            return;
        }
    }
}

// Reads the report; a missing report is a failure.
static enum status take_report(const struct prefix_indexes *indexes, int fd, pid_t child,
                               struct report *report, struct error *err)
{
    size_t have = 0;
    ssize_t got;
    int status;
    wait_for_report(indexes, fd, child);
    do {
        got = read(fd, (char *)report + have, sizeof *report - have);
        have += got > 0 ? (size_t)got : 0;
    } while ((got > 0 && have < sizeof *report) || (got < 0 && errno == EINTR));
    close(fd);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (have < sizeof *report)
        return error_set(err, STATUS_MEMORY, "the process that publishes the index has ended");
    if (report->status != STATUS_OK)
        *err = report->error;
    return report->status;
}

// Makes an index in a file, or (-1) with the name of the final one.
static enum pass_pause make(struct prefix_indexes *indexes, struct source *source,
                            const struct prefix_index_writer *writer, int file, uint64_t *lines,
                            struct error *err)
{
    int fds[2];
    struct report report = {0};
    pid_t parent = getpid();
    writer->settle(writer->self);
    *lines = 0;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return error_set_errno(err, indexes->path, "pipe"), PASS_FAIL;
    pid_t child = spools_fork();
    if (child == 0) {
        close(fds[0]);
        indexes->is_here = true;
        indexes->report_fd = fds[1];
        // Begins the forked process, which is killed when its parent ends.
        interrupt_leave();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_FAILURE);
        source_end_here(source, false);
        if (writer->branch(writer->self, file, err) != STATUS_OK)
            prefix_index_report(indexes, err->status, 0, err);
        return PASS_END;
    }
    close(fds[1]);
    if (child < 0) { // the index at the end needs no process
        close(fds[0]);
        return PASS_GO_ON;
    }
    if (take_report(indexes, fds[0], child, &report, err) != STATUS_OK)
        return PASS_FAIL;
    *lines = report.lines;
    return PASS_GO_ON;
}

enum pass_pause prefix_index_make(struct prefix_indexes *indexes, struct source *source,
                                  const struct prefix_index_writer *writer, struct error *err)
{
    uint64_t lines, start_ns = monotonic_ns();
    int file = -1;
    indexes->patience_end_ns = 2 * start_ns - indexes->start_ns + PATIENCE_NS;
    if (indexes->are_previews && (file = unnamed_open(unnamed_directory())) < 0)
        return error_set_errno(err, unnamed_directory(), "open"), PASS_FAIL;
    enum pass_pause next = make(indexes, source, writer, file, &lines, err);
    if (next == PASS_END)
        return next;
    uint64_t now_ns = monotonic_ns();
    if (!indexes->is_eager)
        indexes->due_ns = now_ns + u64_max(PAUSE_NS_MIN, SHARE * (now_ns - start_ns));
    if (next == PASS_GO_ON && !indexes->are_previews)
        indexes->published_bytes = source_read_bytes(source);
    if (next == PASS_GO_ON && lines && indexes->published)
        indexes->published(indexes->self, file, source_read_bytes(source), lines);
    else if (file >= 0)
        close(file);
    return next;
}

// --- Previews ------------------------------------------------------------------------------------

static bool is_preview_due(struct prefix_indexes *indexes, struct source *source)
{
    (void)source;
    if (are_others_due(indexes))
        return true;
    return !indexes->has_given_up && monotonic_ns() >= indexes->due_ns &&
           (!indexes->is_wanted || indexes->is_wanted(indexes->self));
}

// After a failure, no further preview is attempted, and the pass continues.
static enum pass_pause make_preview(struct prefix_indexes *indexes, struct source *source,
                                    const struct prefix_index_writer *writer, struct error *err)
{
    struct error why;
    if (are_others_due(indexes))
        return indexes->others->pause(indexes->others->self, err);
    enum pass_pause next = prefix_index_make(indexes, source, writer, &why);
    indexes->has_given_up = next == PASS_FAIL;
    return next == PASS_END ? next : PASS_GO_ON;
}

void prefix_indexes_begin(struct prefix_indexes *indexes, const char *path,
                          const struct pass_pauses *others)
{
    indexes->path = path;
    indexes->others = others;
    indexes->start_ns = monotonic_ns();
    if (!indexes->are_previews)
        return;
    indexes->is_due = is_preview_due;
    indexes->pause = make_preview;
    indexes->due_ns = indexes->is_eager ? 0 : indexes->start_ns + FIRST_NS;
    indexes->has_given_up = false;
}
