// What happens to a process that faults in a marked call, and elsewhere.
#include "base/fragile.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void marked_abort(void)
{
    FRAGILE_BLOCK;
    abort();
}

static void marked_fault(void)
{
    FRAGILE_BLOCK;
    raise(SIGSEGV);
}

static void abort_after_a_mark(void)
{
    {
        FRAGILE_BLOCK;
    }
    abort();
}

// How a child that calls `act` ends (waitpid), and what it writes.
static int end_of(void (*act)(void), char *text, size_t text_bytes)
{
    int ends[2], status = -1;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL); // the handler of a sanitizer
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        fragile_install();
        act();
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], text, text_bytes - 1);
    text[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

static void faults_in_marked_calls_are_a_line_and_a_status(void)
{
    void (*const acts[])(void) = {marked_abort, marked_fault};
    for (size_t i = 0; i < 2; i++) {
        char text[200];
        int status = end_of(acts[i], text, sizeof text);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        CHECK(strstr(text, "libdw") && strchr(text, '\n'));
    }
}

static void other_faults_are_signals(void)
{
    void (*const acts[])(void) = {abort, abort_after_a_mark};
    for (size_t i = 0; i < 2; i++) {
        char text[200];
        int status = end_of(acts[i], text, sizeof text);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        CHECK(!*text);
    }
}

const struct test_case fragile_tests[] = {
    {"faults_in_marked_calls_are_a_line_and_a_status",
     faults_in_marked_calls_are_a_line_and_a_status},
    {"other_faults_are_signals", other_faults_are_signals},
    {NULL, NULL},
};
