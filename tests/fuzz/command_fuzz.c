// Whole commands: options from a list of words, and any bytes as a trace. A command always ends
// with one of its statuses, and frees everything.
//
// Input: a byte that selects the command, the number of words, a byte for each word, then the
// trace. Words come from a list, so that no input can name a file of this machine.
#include "fuzz.h"

#include "cli/diag.h"
#include "cmd/commands.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

enum { WORDS_MAX = 12, WORD_BYTES_MAX = 32, TRACE_BYTES_MAX = 1 << 14 };

// Add commands and words at the end: inputs select them by number.
static const struct command_spec *const commands[] = {
    &profile_command,
    &calltree_command,
    &callinfo_command,
    &flamegraph_command,
    &export_command,
    &vcd_command,
    &state_command,
    &writes_command,
    &pc_command,
    &stack_command,
    &info_command,
    &doctor_command,
    &index_command,
    &verify_command,
    &tarmac_profile_command,
    &tarmac_calltree_command,
    &tarmac_callinfo_command,
    &tarmac_flamegraph_command,
    &tarmac_vcd_command,
    &sframe_command,
    &xray_command,
    &tfile_command,
    &show_command,
    &grep_command,
    &coverage_command,
    &annotate_command,
    &diff_command,
    &merge_command,
};

static const char *const words[] = {
    "--format",
    "csv",
    "json",
    "text",
    "tfile",
    "yaml",
    "dot",
    "raw",
    "trace_event",
    "collapsed",
    "--index",
    "made.index",
    "--no-index",
    "--memory-index",
    "--force-index",
    "--only-index",
    "--segment-events",
    "--threads",
    "1",
    "2",
    "3",
    "7",
    "--chunk-size",
    "0x8000",
    "0x10000:64",
    "8000",
    "--function",
    "--depth",
    "--lane-events",
    "2..9",
    "--time",
    "1..99",
    "--lane",
    "cpu0",
    "time:5",
    "event:3",
    "event:0",
    "line:9",
    "end",
    "start",
    "--at",
    "--memory",
    "--registers",
    "--all-registers",
    "--all",
    "--next",
    "--previous",
    "--last",
    "--diff",
    "x0",
    "r0",
    "sp",
    "r13",
    "pc",
    "--strict",
    "--open-frames",
    "--returned-only",
    "--sort",
    "--top",
    "--sum",
    "name",
    "self",
    "--image",
    "image.elf",
    "--load-offset",
    "--demangle",
    "--no-demangle",
    "-v",
    "-q",
    "--bi",
    "--li",
    "--implicit-thumb",
    "--source",
    "--sizes",
    "--no-date",
    "-o",
    "out",
    "account",
    "stack",
    "graph",
    "graph-diff",
    "convert",
    "extract",
    "dump",
    "--all-stacks",
    "--per-thread-stacks",
    "--stack-format",
    "flame",
    "--aggregation-type",
    "--aggregate-threads",
    "--deduce-sibling-calls",
    "--recursive-calls-only",
    "count",
    "time",
    "-d",
    "-k",
    "--verify",
    "frames",
    "show",
    "series",
    "0",
    "tp1",
    "--check",
    "--stats",
    "--lookup",
    "4000b0",
    "trace",
    "trace",
    "trace",
    "--anonymize",
    "--no-sync",
    "--every",
    "--unwind",
    "--symbolize",
    "--use-tarmac-timestamps",
    "--vertex-label",
    "--edge-label",
    "--color-edges",
    "--color-vertices",
    "--sortorder",
    "dsc",
    "func",
    "sum",
    "r1+2",
    "u32(sp)",
    "--help",
    "--count",
    "--functions",
    "--human",
    "--null",
    "--pc",
    "--section",
    "--max",
    "chrome",
    "perfetto",
    "speedscope",
    "firefox",
    "callgrind",
    "pprof",
    "ctf",
    "arrow",
    "jsonl",
    "svg",
    "html",
    "lcov",
    "cobertura",
    "--table",
    "calls",
    "events",
    "registers",
    "memory",
    "--by",
    "task",
    "line",
    "inline",
    "--lines",
    "--inlines",
    "--instructions",
    "--counter",
    "0x8000:8",
    "--context",
    "--times",
    "other",
    "MOV",
    "ttu",
    "--then",
    "--with",
    "--lane=b=other",
    "--shard",
    "1/2",
    "2/2",
    "--cut",
    "300",
    "--no-sync",
    "--max-memory",
    "32M",
    "[A-Z]+ (r[0-9]|x.)|^.*$",
};

static char directory[] = "/tmp/trawl-fuzz-XXXXXX";
static int home = -1; // where the fuzzer reads and writes its own files

static void remove_directory(void)
{
    if (chdir(directory) == 0)
        unlink("image.elf");
    rmdir(directory);
}

// Enters a directory that only this process uses.
static void enter_directory(void)
{
    if (home >= 0) {
        CLAIM(chdir(directory) == 0);
        return;
    }
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLAIM(home >= 0 && mkdtemp(directory) && chdir(directory) == 0);
    atexit(remove_directory);
    int fd = open("image.elf", O_WRONLY | O_CREAT, 0600), self = open("/proc/self/exe", O_RDONLY);
    static char bytes[1 << 16]; // a truncated image
    ssize_t size_bytes = read(self, bytes, sizeof bytes);
    CLAIM(size_bytes > 0 && write(fd, bytes, (size_t)size_bytes) == size_bytes);
    close(fd);
    close(self);
}

// Removes a file, or a directory of files.
static void remove_any(const char *name)
{
    DIR *files = unlink(name) != 0 ? opendir(name) : NULL;
    const struct dirent *entry;
    while (files && (entry = readdir(files)))
        unlinkat(dirfd(files), entry->d_name, 0);
    if (files)
        closedir(files);
    rmdir(name);
}

static void leave_nothing(void)
{
    static const char *const names[] = {"trace", "trace.index", "trace.trawl",      "made.index",
                                        "out",   "other",       "made.index.index", "other.index"};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        remove_any(names[i]);
}

static void write_file(const char *name, const uint8_t *data, size_t size_bytes)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CLAIM(fd >= 0 && write(fd, data, size_bytes) == (ssize_t)size_bytes);
    close(fd);
}

// Writes the trace, and another one for comparisons: its first two thirds.
static void write_traces(const uint8_t *data, size_t size_bytes)
{
    write_file("trace", data, size_bytes);
    write_file("other", data, size_bytes / 3 * 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static char typed[WORDS_MAX][WORD_BYTES_MAX], trace[] = "trace";
    char *argv[WORDS_MAX + 3];
    int argc = 0;
    if (size_bytes < 2 || size_bytes < 2 + (size_t)(data[1] % (WORDS_MAX + 1)) ||
        size_bytes > TRACE_BYTES_MAX)
        return 0;
    size_t count = data[1] % (WORDS_MAX + 1);
    const struct command_spec *command = commands[data[0] % ARRAY_COUNT(commands)];
    bool is_family = command->commands != NULL;
    if (!is_family)
        argv[argc++] = trace;
    for (size_t i = 0; i < count; i++) {
        snprintf(typed[i], WORD_BYTES_MAX, "%s", words[data[2 + i] % ARRAY_COUNT(words)]);
        argv[argc++] = typed[i];
    }
    if (is_family)
        argv[argc++] = trace;
    argv[argc] = NULL;
    enter_directory();
    write_traces(data + 2 + count, size_bytes - 2 - count);
    enum exit_status status = command->run(command, argc, argv);
    fflush(stdout);
    CLAIM((unsigned)status <= EXIT_STATUS_DAMAGED);
    leave_nothing();
    CLAIM(fchdir(home) == 0);
    return 0;
}
