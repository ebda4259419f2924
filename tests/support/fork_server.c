// To be preloaded (tests/support/quick.py): the program is loaded once and stops before main. Each
// request on standard input is then answered by a fork, which runs main with the arguments, the
// environment and the directory of the request. Loading takes longer than most runs.
//
// A request, with numbers in the byte order of the machine:
//
//     uint32_t  bytes that follow
//     uint32_t  seconds after which the run is killed
//     uint32_t  outputs that are read: 2: standard output and standard error; 3: also descriptor 3
//     uint32_t  arguments, including the program's name
//     uint32_t  variables of the environment
//     strings with a zero after each: the directory, the arguments, the variables
//     the rest is standard input
//
// The answer, on standard output, where a separate word first announces the server:
//
//     int32_t   status as from waitpid; -1: it was killed because it took too long
//     uint32_t  bytes of standard output, of standard error, of what was written to descriptor 3
//     uint64_t  microseconds of processor time for the run and its answer
//     the bytes of the three
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTPUTS = 3, // the most: descriptors 1, 2 and 3 of a run
    READ_BYTES = 1 << 16,
};

#define GREETING "fork"

// Does not use malloc: the allocator must be in its initial state when main begins.
struct buffer {
    char *bytes;
    size_t used_bytes, size_bytes;
};

struct request {
    uint32_t time_s;
    int output_count;
    char *directory, **arguments, **variables;
    size_t argument_count;
    const char *input;
    size_t input_bytes;
};

struct run {
    pid_t pid;
    int input, outputs[OUTPUTS];
    struct buffer written[OUTPUTS];
    uint64_t used_us;
};

typedef int program_main(int, char **, char **);

static program_main *main_of_program;

// Of another preloaded library: it counts from here on, and reads the environment again.
__attribute__((weak)) void run_begins(void);

static void give_up(const char *what)
{
    dprintf(STDERR_FILENO, "fork_server: %s: %s\n", what, strerror(errno));
    _exit(98);
}

static void reserve(struct buffer *buffer, size_t more_bytes)
{
    size_t size_bytes = buffer->size_bytes ? buffer->size_bytes : READ_BYTES;
    while (size_bytes < buffer->used_bytes + more_bytes)
        size_bytes *= 2;
    if (size_bytes == buffer->size_bytes)
        return;
    int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = buffer->bytes
                       ? mremap(buffer->bytes, buffer->size_bytes, size_bytes, MREMAP_MAYMOVE)
                       : mmap(NULL, size_bytes, protection, flags, -1, 0);
    if (memory == MAP_FAILED)
        give_up("memory");
    buffer->bytes = memory;
    buffer->size_bytes = size_bytes;
}

static bool read_whole(void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = read(STDIN_FILENO, (char *)bytes + done, count - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static void write_whole(const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t put = write(STDOUT_FILENO, (const char *)bytes + done, count - done);
        if (put <= 0)
            give_up("answer");
        done += (size_t)put;
    }
}

static char *next_string(char **from)
{
    char *string = *from;
    *from += strlen(string) + 1;
    return string;
}

static char **next_strings(char **from, char **into, size_t count)
{
    for (size_t i = 0; i < count; i++)
        into[i] = next_string(from);
    into[count] = NULL;
    return into;
}

// Reads the next request. False: there is none. Its strings are in `bytes`, pointers to them in
// `pointers`.
static bool read_request(struct buffer *bytes, struct buffer *pointers, struct request *request)
{
    uint32_t head[5];
    if (!read_whole(head, sizeof head))
        return false;
    size_t rest_bytes = head[0] - (sizeof head - sizeof *head);
    reserve(bytes, rest_bytes + 1);
    if (!read_whole(bytes->bytes, rest_bytes))
        return false;
    reserve(pointers, ((size_t)head[3] + head[4] + 2) * sizeof(char *));
    char *at = bytes->bytes, **into = (char **)(void *)pointers->bytes;
    request->time_s = head[1];
    request->directory = next_string(&at);
    request->output_count = (int)head[2];
    request->argument_count = head[3];
    request->arguments = next_strings(&at, into, head[3]);
    request->variables = next_strings(&at, into + head[3] + 1, head[4]);
    request->input = at;
    request->input_bytes = rest_bytes - (size_t)(at - bytes->bytes);
    return true;
}

// In the fork: sets up what main expects, and runs it.
static int run_main(const struct request *request, int input, const int *outputs)
{
    dup2(input, STDIN_FILENO);
    for (int i = 0; i < request->output_count; i++)
        dup2(outputs[i], STDOUT_FILENO + i);
    close_range((unsigned)(STDOUT_FILENO + request->output_count), ~0U, 0);
    signal(SIGPIPE, SIG_DFL);
    if (chdir(request->directory) != 0)
        give_up(request->directory);
    environ = request->variables;
    program_invocation_name = request->arguments[0];
    char *slash = strrchr(request->arguments[0], '/');
    program_invocation_short_name = slash ? slash + 1 : request->arguments[0];
    if (run_begins)
        run_begins();
    return main_of_program((int)request->argument_count, request->arguments, environ);
}

// A pipe that programs do not inherit. We read if `is_output`, otherwise we write.
static void make_pipe(int *ours, int *theirs, bool is_output)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        give_up("pipe");
    *ours = ends[is_output ? 0 : 1];
    *theirs = ends[is_output ? 1 : 0];
    if (fcntl(*ours, F_SETFL, O_NONBLOCK) != 0)
        give_up("pipe");
}

static uint64_t microseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

static uint64_t used_us(const struct rusage *used)
{
    return microseconds(used->ru_utime) + microseconds(used->ru_stime);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

// Writes some of the input to a run.
static void feed(struct run *run, const struct request *request, size_t *fed_bytes)
{
    ssize_t put = write(run->input, request->input + *fed_bytes, request->input_bytes - *fed_bytes);
    if (put > 0)
        *fed_bytes += (size_t)put;
    if (*fed_bytes == request->input_bytes || (put < 0 && errno != EAGAIN))
        close_end(&run->input);
}

// The output is collected in memory that runs do not share: otherwise each of its pages would be
// copied after a fork when it is written to again.
static void collect(int *output, struct buffer *written)
{
    size_t before_bytes = written->size_bytes;
    reserve(written, READ_BYTES);
    if (written->size_bytes != before_bytes)
        madvise(written->bytes, written->size_bytes, MADV_DONTFORK);
    ssize_t got = read(*output, written->bytes + written->used_bytes,
                       written->size_bytes - written->used_bytes);
    if (got > 0)
        written->used_bytes += (size_t)got;
    else if (got == 0 || errno != EAGAIN)
        close_end(output);
}

// Waits until all output of a run has been read. False: it took too long.
static bool attend(struct run *run, const struct request *request)
{
    uint64_t end_ms = now_ms() + (uint64_t)request->time_s * 1000;
    size_t fed_bytes = 0;
    if (request->input_bytes == 0)
        close_end(&run->input);
    for (;;) {
        struct pollfd polled[1 + OUTPUTS] = {{.fd = run->input, .events = POLLOUT}};
        int open_outputs = 0;
        for (int i = 0; i < OUTPUTS; i++) {
            polled[1 + i] = (struct pollfd){.fd = run->outputs[i], .events = POLLIN};
            open_outputs += run->outputs[i] >= 0;
        }
        uint64_t now = now_ms();
        if (open_outputs == 0)
            return true;
        if (now >= end_ms)
            return false;
        poll(polled, 1 + OUTPUTS, (int)(end_ms - now));
        if (polled[0].revents)
            feed(run, request, &fed_bytes);
        for (int i = 0; i < OUTPUTS; i++)
            if (polled[1 + i].revents)
                collect(&run->outputs[i], &run->written[i]);
    }
}

// Starts a run. True in the fork, which ends with main's end.
static bool start(struct run *run, const struct request *request, int *status)
{
    int input, outputs[OUTPUTS];
    make_pipe(&run->input, &input, false);
    for (int i = 0; i < request->output_count; i++)
        make_pipe(&run->outputs[i], &outputs[i], true);
    run->pid = fork();
    if (run->pid < 0)
        give_up("fork");
    if (run->pid == 0) {
        *status = run_main(request, input, outputs);
        return true;
    }
    close(input);
    for (int i = 0; i < request->output_count; i++)
        close(outputs[i]);
    return false;
}

static int finish(struct run *run, bool is_late)
{
    if (is_late)
        kill(run->pid, SIGKILL);
    int status = 0;
    struct rusage used = {0};
    if (wait4(run->pid, &status, 0, &used) != run->pid)
        give_up("wait");
    run->used_us = used_us(&used);
    close_end(&run->input);
    for (int i = 0; i < OUTPUTS; i++)
        close_end(&run->outputs[i]);
    return is_late ? -1 : status;
}

static void answer(const struct run *run, int status, uint64_t own_us)
{
    struct {
        int32_t status;
        uint32_t written_bytes[OUTPUTS];
        uint64_t used_us;
    } head = {.status = status, .used_us = run->used_us + own_us};
    for (int i = 0; i < OUTPUTS; i++)
        head.written_bytes[i] = (uint32_t)run->written[i].used_bytes;
    write_whole(&head, sizeof head);
    for (int i = 0; i < OUTPUTS; i++)
        write_whole(run->written[i].bytes, run->written[i].used_bytes);
}

// Replaces the program's main: ends with the requests, and in each fork with main.
static int serve(int argument_count, char **arguments, char **variables)
{
    (void)argument_count, (void)arguments, (void)variables;
    struct buffer bytes = {0}, pointers = {0};
    struct run run = {.input = -1, .outputs = {-1, -1, -1}};
    struct request request;
    uint64_t before_us = 0;
    signal(SIGPIPE, SIG_IGN);
    write_whole(GREETING, strlen(GREETING));
    while (read_request(&bytes, &pointers, &request)) {
        int status;
        if (start(&run, &request, &status))
            return status;
        bool is_late = !attend(&run, &request);
        status = finish(&run, is_late);
        struct rusage used;
        getrusage(RUSAGE_SELF, &used);
        uint64_t after_us = used_us(&used);
        answer(&run, status, after_us - before_us);
        before_us = after_us;
        for (int i = 0; i < OUTPUTS; i++)
            run.written[i].used_bytes = 0;
    }
    _exit(0);
}

// The C library's function, which calls main after everything is loaded and all constructors have
// run.
int __libc_start_main(program_main *of_program, int argument_count, char **arguments,
                      void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                      void *stack_end);

int __libc_start_main(program_main *of_program, int argument_count, char **arguments,
                      void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                      void *stack_end)
{
    __typeof__(__libc_start_main) *next;
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&next, &found, sizeof next);
    main_of_program = of_program;
    return next(serve, argument_count, arguments, init, fini, loader_fini, stack_end);
}
