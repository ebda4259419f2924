#include "session/prefix_index.h"

#include "base/file_stamp.h"
#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

// The files are checked after this time without a notification; network file systems send none.
#define LOOK_MS 500

// How long to wait for the next file after a file was closed.
#define NEXT_FILE_NS UINT64_C(1000000000)

// How long to look for more after an index would have been due when the trace had just ended.
#define LAST_NS UINT64_C(200000000)

#define NS_PER_MS UINT64_C(1000000)

static void watch(const struct follow *follow, const char *path)
{
    if (follow->watch_fd >= 0)
        inotify_add_watch(follow->watch_fd, path,
                          IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
}

// --- Waiting -------------------------------------------------------------------------------------

// Waits until the trace changes, an end is requested, or the time is over.
static void wait_ms(const struct follow *follow, uint64_t time_ms)
{
    char events[4096];
    struct pollfd fds[] = {{.fd = follow->watch_fd, .events = POLLIN},
                           {.fd = interrupt_fd(), .events = POLLIN}};
    if (poll(fds, ARRAY_COUNT(fds), (int)time_ms) <= 0 || !(fds[0].revents & POLLIN))
        return;
    while (read(follow->watch_fd, events, sizeof events) > 0)
        continue;
}

static uint64_t size_of(const char *path, bool *has_ended)
{
    struct stat info = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *has_ended = fd >= 0 && file_has_no_writers(fd);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        info.st_size = -1;
    if (fd >= 0)
        close(fd);
    return info.st_size < 0 ? UINT64_MAX : (uint64_t)info.st_size; // opening will report why
}

// How many bytes of several files are certain so far, up to `wanted`; `wanted` if they cannot be
// read.
static uint64_t certain_bytes(const struct follow *follow, size_t wanted, bool *has_ended)
{
    struct session session;
    struct error err;
    char *bytes = malloc(wanted);
    size_t have = 0;
    *has_ended = true;
    session_begin(&session, follow->session->reading, 1);
    session.path = follow->session->path;
    session.index.follows = true;
    bool is_open = bytes && session_files_copy(&session.files, &follow->session->files) &&
                   session_open_trace(&session, &err) == STATUS_OK;
    if (is_open && source_can_be_followed(session.trace->source)) {
        struct source *source = session.trace->source;
        *has_ended = source_has_no_writers(source);
        if (source_peek(source, bytes, wanted, &have, &err) != STATUS_OK)
            have = wanted;
    } else {
        have = wanted; // opening it will report the reason
    }
    session_free(&session);
    free(bytes);
    return have;
}

bool follow_wait_for(const struct follow *follow, size_t size_bytes)
{
    for (;;) {
        bool has_ended, is_several = follow->session->files.typed.count > 0;
        uint64_t size = is_several ? certain_bytes(follow, size_bytes, &has_ended)
                                   : size_of(follow->session->path, &has_ended);
        if (size >= size_bytes)
            return true;
        if (has_ended || interrupt_is_asked())
            return false;
        wait_ms(follow, LOOK_MS);
    }
}

// --- Publishing ----------------------------------------------------------------------------------

static bool has_news(const struct prefix_indexes *indexes, const struct source *source)
{
    return source_read_bytes(source) > indexes->published_bytes;
}

static bool is_due(struct prefix_indexes *indexes, struct source *source)
{
    bool is_due =
        interrupt_is_asked() || (has_news(indexes, source) && monotonic_ns() >= indexes->due_ns);
    return is_due && source_settle(source);
}

static enum pass_pause end_here(struct source *source, bool takes_rest, struct error *err)
{
    source_end_here(source, takes_rest);
    return source_keep_progress(source, err) == STATUS_OK ? PASS_END : PASS_FAIL;
}

// Adds new files.
static enum status add_files(struct follow *follow, struct source *source, struct error *err)
{
    const char *path = NULL;
    enum status status = STATUS_OK;
    do {
        if (follow->find_next_file)
            status = follow->find_next_file(follow->self, &path, err);
        if (status == STATUS_OK && path) {
            watch(follow, path);
            status = source_add_file(source, path, err);
        }
    } while (status == STATUS_OK && path);
    return status;
}

static enum pass_pause pause_pass(struct prefix_indexes *indexes, struct source *source,
                                  const struct prefix_index_writer *writer, struct error *err)
{
    struct follow *follow = (struct follow *)indexes;
    for (;;) {
        if (interrupt_is_asked())
            return end_here(source, false, err);
        bool is_ended = source_has_no_writers(source); // before looking for more
        if (add_files(follow, source, err) != STATUS_OK || source_grow(source, err) != STATUS_OK ||
            source_keep_progress(source, err) != STATUS_OK)
            break;
        bool has_more = source_has_unread(source);
        // The next file may be opened some time after the previous one was closed.
        const bool is_complete = is_ended && !has_more;
        if (!is_complete || !follow->ended_ns)
            follow->ended_ns = is_complete ? monotonic_ns() : 0;
        if (is_complete &&
            (!follow->find_next_file || monotonic_ns() - follow->ended_ns >= NEXT_FILE_NS))
            return end_here(source, true, err);
        if (is_due(indexes, source) && is_ended) {
            // The final index will be made soon. If the current one stayed due, the pass would
            // pause again at once, for ever.
            indexes->due_ns = monotonic_ns() + LAST_NS;
        } else if (is_due(indexes, source)) {
            enum pass_pause next = prefix_index_make(indexes, source, writer, err);
            if (next != PASS_GO_ON)
                return next;
        }
        if (has_more)
            return PASS_GO_ON;
        uint64_t now_ns = monotonic_ns(), time_ms = LOOK_MS;
        if (has_news(indexes, source))
            time_ms = now_ns < indexes->due_ns ? (indexes->due_ns - now_ns) / NS_PER_MS + 1 : 0;
        if (time_ms)
            wait_ms(follow, u64_min(time_ms, LOOK_MS));
    }
    follow->was_changed = err->status == STATUS_INPUT;
    return PASS_FAIL;
}

// --- The whole -----------------------------------------------------------------------------------

enum status follow_begin(struct follow *follow, const struct session *session, struct error *err)
{
    *follow = (struct follow){
        .indexes = {.is_due = is_due, .pause = pause_pass}, .session = session, .watch_fd = -1};
    follow->paths = session_paths(session, &follow->path_count);
    if (!follow->paths)
        return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    follow->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    for (size_t i = 0; i < follow->path_count; i++)
        watch(follow, follow->paths[i]);
    return STATUS_OK;
}

void follow_end(struct follow *follow)
{
    if (follow->watch_fd >= 0)
        close(follow->watch_fd);
    follow->watch_fd = -1;
    free(follow->paths);
    follow->paths = NULL;
}
