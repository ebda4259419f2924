// Picks the command: by the program's own name (tarmac-profile), or by the first argument.
#include "base/fragile.h"
#include "base/large_pages.h"
#include "base/map.h"
#include "base/thread.h"
#include "base/version.h"
#include "cli/help.h"
#include "cli/visible.h"
#include "cmd/commands.h"
#include "idx/file_writer.h"
#include "simd/simd.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

// jemalloc's. Large pages: base/large_pages.h. One arena, for blocks of any size: what a thread
// does not need any more is the next memory of another one, instead of pages that the kernel has to
// clear (60 MB: a tenth of the time of an index). Threads rarely allocate, so they do not wait for
// it.
extern const char *const malloc_conf;
__attribute__((visibility("default"))) const char *const malloc_conf =
    "thp:always,narenas:1,oversize_threshold:0";

// Before jemalloc touches the first page.
__attribute__((constructor(101))) static void begin_small(void)
{
    large_pages_wait();
}

// The tarmac-* tool that the program was called as, or NULL.
static const struct command_spec *own_command(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (const struct command_spec *const *command = all_commands; *command; command++) {
        if ((*command)->option_set == OPTIONS_TTU && strcmp((*command)->name, name) == 0)
            return *command;
    }
    return NULL;
}

// "help", "help COMMAND", "help options" and "help options COMMAND".
static enum exit_status help(int argc, char **argv)
{
    const struct command_spec *family = NULL, *command = NULL;
    const struct command_spec *const *list = all_commands;
    bool has_all_options = argc > 0 && strcmp(argv[0], "options") == 0;
    for (int i = has_all_options; i < argc && list; i++) {
        command = help_find_command(family, list, argv[i]);
        if (!command) {
            help_unknown_command(stderr, family, list, argv[i]);
            return EXIT_STATUS_USAGE;
        }
        family = command;
        list = command->commands;
    }
    if (!command && has_all_options)
        help_print_common(stdout, &trace_common_options);
    else if (!command)
        help_overview(stdout, overview);
    else if (command->commands)
        help_family(stdout, command);
    else
        help_print(stdout, command, has_all_options ? HELP_COMPLETE : HELP_USUAL);
    return EXIT_STATUS_DONE;
}

static bool is_one_of(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

// What is said without a command.
static enum exit_status say_about(int argc, char **argv)
{
    if (argc < 2) {
        help_overview(stderr, overview);
        return EXIT_STATUS_USAGE;
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        puts("trawl " TRAWL_VERSION);
        return EXIT_STATUS_DONE;
    }
    if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
        return help(argc - 2, argv + 2);
    help_unknown_command(stderr, NULL, all_commands, argv[1]);
    return EXIT_STATUS_USAGE;
}

// What commands take from the environment without asking again.
static bool is_environment_sound(void)
{
    enum simd simd;
    struct error err;
    enum file_writer_io io;
    if (simd_choose(&simd, &err) == STATUS_OK && file_writer_choose(&io, &err) == STATUS_OK)
        return true;
    visible_line(stderr, "trawl: %s", err.text);
    return false;
}

// What the command ends with where it has failed.
static enum exit_status failed(int argc, char **argv)
{
    const struct command_spec *command =
        argc > 1 ? help_find_command(NULL, all_commands, argv[1]) : NULL;
    return command && command->answers[0] ? EXIT_STATUS_TROUBLE : EXIT_STATUS_FAILED;
}

static enum exit_status run(int argc, char **argv)
{
    if (!is_environment_sound())
        return failed(argc, argv);
    map_guard_install();
    fragile_install();
    const struct command_spec *command = own_command(argv[0]);
    const int words = command ? 1 : 2; // that name the command
    argc = confine(argc, argv, !command);
    signal(SIGXFSZ, SIG_IGN); // a file that grows beyond a limit is a failed write with a message
    if (!command && argc > 1)
        command = help_find_command(NULL, all_commands, argv[1]);
    enum exit_status status =
        command ? command->run(command, argc - words, argv + words) : say_about(argc, argv);
    // musl has nothing left to flush after a failed write.
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_STATUS_DONE) {
        perror("trawl: standard output");
        status = failed(argc, argv);
    }
    return status;
}

// --- The stack -----------------------------------------------------------------------------------

// Paths, windows and tables of some commands take more than 100 KB of it, and libraries more.
#define STACK_BYTES_MIN ((size_t)1 << 20)
#define STACK_BYTES ((size_t)8 << 20)

struct start {
    int argc;
    char **argv;
    enum exit_status status;
};

static void *run_in_thread(void *self)
{
    struct start *start = self;
    start->status = run(start->argc, start->argv);
    return NULL;
}

// With a small limit (ulimit -s 128), runs in a thread that has enough, as then do all others.
int main(int argc, char **argv)
{
    struct start start = {argc, argv, EXIT_STATUS_FAILED};
    struct rlimit limit;
    pthread_attr_t large;
    pthread_t thread;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES_MIN)
        return (int)run(argc, argv);
    pthread_attr_init(&large);
    bool has_room = pthread_attr_setstacksize(&large, STACK_BYTES) == 0 &&
                    pthread_setattr_default_np(&large) == 0 &&
                    threads_start(&thread, 1, run_in_thread, &start, sizeof start) == 1;
    pthread_attr_destroy(&large);
    if (!has_room)
        return (int)run(argc, argv);
    pthread_join(thread, NULL);
    return (int)start.status;
}
