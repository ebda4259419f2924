#include "cmd/opener.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// To the child; -1: none.
static int to_child = -1;

enum { ADDRESS_BYTES = 256 };

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool has_desktop(void)
{
    bool is_remote = is_set("SSH_CONNECTION") || is_set("SSH_CLIENT") || is_set("SSH_TTY");
    return !is_remote && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"));
}

// --- In the child --------------------------------------------------------------------------------

// Reads up to the end of a line. False: the writer ended before that.
static bool read_address(int fd, char address[ADDRESS_BYTES])
{
    for (size_t length = 0; length < ADDRESS_BYTES;) {
        ssize_t got = read(fd, address + length, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        if (address[length] == '\n') {
            address[length] = '\0';
            return true;
        }
        length++;
    }
    return false;
}

// Writes a page that redirects to the address. False: it cannot be written.
static bool write_file(char path[PATH_MAX], const char *address)
{
    const char *directory = getenv("XDG_RUNTIME_DIR");
    bool is_absolute = directory && directory[0] == '/';
    int length = snprintf(path, PATH_MAX, "%s/trawl-XXXXXX.html", is_absolute ? directory : "/tmp");
    if (length < 0 || length >= PATH_MAX)
        return false;
    int fd = mkostemps(path, 5, O_CLOEXEC); // only the user can read it
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return false;
    fprintf(file,
            "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" "
            "content=\"no-referrer\">\n<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n"
            "<title>trawl</title>\n",
            address);
    return fclose(file) == 0;
}

// Runs the first command of $BROWSER, which colons separate; %s is the path, which otherwise comes
// last.
static void run_browser(const char *path)
{
    static char words[PATH_MAX];
    char *argv[LIMIT_OPENER_WORDS + 2], *rest = words;
    size_t count = 0;
    bool has_path = false;
    const char *setting = getenv("BROWSER");
    snprintf(words, sizeof words, "%s", setting && *setting ? setting : "xdg-open");
    words[strcspn(words, ":")] = '\0';
    for (char *word; count < LIMIT_OPENER_WORDS && (word = strsep(&rest, " "));) {
        bool is_path = strcmp(word, "%s") == 0;
        has_path |= is_path;
        if (*word)
            argv[count++] = is_path ? (char *)(uintptr_t)path : word;
    }
    if (!has_path)
        argv[count++] = (char *)(uintptr_t)path;
    argv[count] = NULL;
    execvp(argv[0], argv);
    _exit(127);
}

// --- In the server -------------------------------------------------------------------------------

void opener_begin(void)
{
    int ends[2];
    if (!has_desktop() || pipe2(ends, O_CLOEXEC) != 0)
        return;
    // Starts a child of a child, for which nobody needs to wait.
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        signal(SIGCHLD, SIG_IGN);
        if (fork() == 0) {
            char address[ADDRESS_BYTES], path[PATH_MAX], rest;
            // Discards messages of the browser.
            int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
            for (int fd = STDIN_FILENO; nothing >= 0 && fd <= STDERR_FILENO; fd++)
                dup2(nothing, fd);
            setsid(); // Ctrl-C is only for the server; this process ends with it
            if (!read_address(ends[0], address) || !write_file(path, address))
                _exit(1);
            pid_t browser = fork();
            if (browser == 0)
                run_browser(path);
            while (read(ends[0], &rest, 1) < 0 && errno == EINTR) {
            }
            unlink(path);
            _exit(0);
        }
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    close(ends[0]);
    to_child = ends[1];
}

bool opener_open(const char *address)
{
    char line[ADDRESS_BYTES];
    int length = snprintf(line, sizeof line, "%s\n", address);
    if (to_child < 0 || length < 0 || (size_t)length >= sizeof line)
        return false;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); // the child may be gone
    bool is_sent = write(to_child, line, (size_t)length) == length;
    sigaction(SIGPIPE, &before, NULL);
    return is_sent;
}
