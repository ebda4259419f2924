#include "elf/debug_file.h"

#include "base/limits.h"

#ifdef TRAWL_STATIC // a static program cannot load libraries

void debug_server_begin(bool is_silent)
{
    (void)is_silent;
}

int debug_server_open(const char *build_id)
{
    (void)build_id;
    return -1;
}

void debug_server_refuse(const char *reason)
{
    (void)reason;
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The functions used of elfutils/debuginfod.h, which need not be installed.
typedef struct debuginfod_client client_handle;
typedef int client_progress(client_handle *client, long done, long total);

struct client {
    client_handle *handle; // NULL: none
    int (*find)(client_handle *client, const unsigned char *build_id, int size, char **path);
};

static struct {
    pthread_mutex_t lock;
    int fd;         // to the child; -1: no child
    bool is_silent; // has said what is wrong, or must not
} server = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

// --- In the child --------------------------------------------------------------------------------

static int asker;                      // the socket to the caller
static uint64_t asked_ns, advanced_ns; // when waiting began, and when data last arrived
static long advanced;

// Stops a transfer that makes no progress, or that nobody waits for any more.
static int go_on(client_handle *client, long done, long total)
{
    struct pollfd end = {.fd = asker, .events = POLLRDHUP};
    uint64_t now = monotonic_ns();
    (void)client;
    if (total > 0 && done != advanced)
        advanced_ns = now;
    advanced = done;
    return poll(&end, 1, 0) != 0 || now - advanced_ns > LIMIT_DEBUG_SERVER_STALL_S * NS_PER_S ||
           now - asked_ns > LIMIT_DEBUG_SERVER_WAIT_S * NS_PER_S;
}

static void *function(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

// Answers with the file, or why there is none (-errno). False: the program has ended.
static bool answer(int fd)
{
    int reason = fd < 0 ? -fd : 0;
    struct iovec content = {&reason, sizeof reason};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    return sendmsg(asker, &message, MSG_NOSIGNAL) == sizeof reason;
}

static void serve(void)
{
    struct client client = {0};
    char build_id[2 * LIMIT_BUILD_ID_BYTES + 1];
    bool goes_on = true, is_loaded = false;
    while (goes_on) {
        ssize_t got = recv(asker, build_id, sizeof build_id - 1, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            break;
        build_id[got > 0 ? got : 0] = '\0';
        if (!is_loaded) {
            void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
            void *begin = function(library, "debuginfod_begin"),
                 *set_progress = function(library, "debuginfod_set_progressfn"),
                 *find = function(library, "debuginfod_find_debuginfo");
            client_handle *(*call_begin)(void);
            void (*call_set_progress)(client_handle *, client_progress *);
            if (begin && set_progress && find) {
                memcpy(&call_begin, &begin, sizeof begin);
                memcpy(&call_set_progress, &set_progress, sizeof set_progress);
                memcpy(&client.find, &find, sizeof find);
                client.handle = call_begin();
                if (client.handle)
                    call_set_progress(client.handle, go_on);
            }
        }
        is_loaded = true;
        asked_ns = advanced_ns = monotonic_ns();
        advanced = -1;
        // Size 0: the build-id is text.
        int fd = client.handle && got > 0
                     ? client.find(client.handle, (const unsigned char *)build_id, 0, NULL)
                     : -ENOENT;
        goes_on = answer(fd);
        if (fd >= 0)
            close(fd);
    }
    _exit(0);
}

void debug_server_begin(bool is_silent)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    int ends[2];
    server.is_silent = is_silent;
    if (!urls || !*urls || server.fd >= 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        close(ends[0]);
        asker = ends[1];
        if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
            serve();
        _exit(0);
    }
    close(ends[1]);
    server.fd = ends[0];
    if (child > 0)
        return;
    close(server.fd);
    server.fd = -1;
}

// --- In the program ------------------------------------------------------------------------------

// The file of the next answer, or -errno.
static int receive(void)
{
    int reason = EIO, fd;
    struct iovec content = {&reason, sizeof reason};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got;
    while ((got = recvmsg(server.fd, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    if (got != sizeof reason || reason < 0)
        return -EPIPE;
    struct cmsghdr *header = reason ? NULL : CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof fd))
        return reason ? -reason : -EPIPE;
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

// The file, or -errno.
static int ask(const char *build_id)
{
    struct pollfd wait = {.fd = server.fd, .events = POLLIN};
    int ready = 0, fd = -EPIPE;
    ssize_t size = (ssize_t)strlen(build_id);
    if (server.fd < 0)
        return -ENOSYS;
    bool is_asked = send(server.fd, build_id, (size_t)size, MSG_NOSIGNAL) == size;
    while (is_asked && (ready = poll(&wait, 1, 2 * LIMIT_DEBUG_SERVER_WAIT_S * 1000)) < 0 &&
           errno == EINTR) {
    }
    if (is_asked)
        fd = ready > 0 ? receive() : -ETIMEDOUT;
    if (fd == -EPIPE || fd == -ETIMEDOUT) { // it has ended, or hangs
        close(server.fd);
        server.fd = -1;
    }
    return fd;
}

// Another thread may ask meanwhile: locked by the caller.
static void say(const char *reason)
{
    if (!server.is_silent)
        fprintf(stderr, "trawl: warning: no debugging information from DEBUGINFOD_URLS: %s\n",
                reason);
    server.is_silent = true;
}

int debug_server_open(const char *build_id)
{
    pthread_mutex_lock(&server.lock);
    int fd = ask(build_id);
    if (fd == -EINTR || fd == -ETIME || fd == -ETIMEDOUT)
        say("the server took too long");
    else if (fd < 0 && fd != -ENOENT && fd != -ENOSYS) // it has no such file; there is no client
        say(strerror(-fd));
    pthread_mutex_unlock(&server.lock);
    return fd;
}

void debug_server_refuse(const char *reason)
{
    pthread_mutex_lock(&server.lock);
    say(reason);
    pthread_mutex_unlock(&server.lock);
}

#endif
