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

// The interval of checking whether the process is still wanted.
enum { LOOK_MS = 50 };

// The report of the process at its end.
struct report {
    enum status status;
    uint64_t lines;
    struct error error;
};

bool prefix_index_is_here(const struct prefix_index *prefix_index)
{
    return prefix_index && prefix_index->report_fd >= 0;
}

_Noreturn void prefix_index_report(const struct prefix_index *prefix_index, enum status status,
                                   uint64_t lines, const struct error *err)
{
    struct report report = {.status = status, .lines = lines};
    if (status != STATUS_OK)
        report.error = *err;
    bool is_said = write(prefix_index->report_fd, &report, sizeof report) == (ssize_t)sizeof report;
    _exit(is_said ? EXIT_SUCCESS : EXIT_FAILURE);
}

// Begins the forked process, which is killed when its parent ends.
static enum pass_pause begin(struct prefix_index *prefix_index, struct source *source,
                             const struct prefix_index_writer *writer, pid_t parent,
                             struct error *err)
{
    interrupt_leave();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    source_end_here(source, false);
    if (writer->branch(writer->self, err) != STATUS_OK)
        prefix_index_report(prefix_index, err->status, 0, err);
    return PASS_END;
}

// Waits until there is something to read, or the other end is closed.
static void wait_for_report(const struct prefix_index *prefix_index, int fd, pid_t child)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (prefix_index->is_unwanted && poll(&input, 1, LOOK_MS) <= 0) {
        if (prefix_index->is_unwanted(prefix_index->self)) {
            kill(child, SIGKILL);
            return;
        }
    }
}

// Reads the report; a missing report is a failure.
static enum status take_report(const struct prefix_index *prefix_index, int fd, pid_t child,
                               struct report *report, struct error *err)
{
    size_t have = 0;
    ssize_t got;
    int status;
    wait_for_report(prefix_index, fd, child);
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

enum pass_pause prefix_index_make(struct prefix_index *prefix_index, struct source *source,
                                  const struct prefix_index_writer *writer, uint64_t *lines,
                                  struct error *err)
{
    int fds[2];
    struct report report = {0};
    pid_t parent = getpid();
    writer->settle(writer->self);
    if (pipe2(fds, O_CLOEXEC) != 0)
        return error_set_errno(err, prefix_index->path, "pipe"), PASS_FAIL;
    pid_t child = spools_fork();
    if (child == 0) {
        close(fds[0]);
        prefix_index->report_fd = fds[1];
        return begin(prefix_index, source, writer, parent, err);
    }
    close(fds[1]);
    if (child < 0) { // the index at the end needs no process
        close(fds[0]);
        *lines = 0;
        return PASS_GO_ON;
    }
    if (take_report(prefix_index, fds[0], child, &report, err) != STATUS_OK)
        return PASS_FAIL;
    *lines = report.lines;
    return PASS_GO_ON;
}
