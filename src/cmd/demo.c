// demo: writes a small trace and its program, profiles it, and says what to type next, so that the
// first minute with trawl needs no file. Both files are of the corpus and embedded as they are:
// packages and archives are compressed anyway, and a bare program could not decompress them.
#include "base/embed.h"
#include "cli/diag.h"
#include "cli/options.h"
#include "cmd/commands.h"
#include "report/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __has_embed

// clang-format off
static const char demo_trace[] = {
#embed "../../corpus/traces/corrupt-a64.it.tarmac" suffix(, 0)
};
static const char demo_image[] = {
#embed "../../corpus/typed/corrupt-a64.elf" suffix(, 0)
};
// clang-format on

#define demo_trace_end (demo_trace + sizeof demo_trace - 1)
#define demo_image_end (demo_image + sizeof demo_image - 1)

#else

EMBED(demo_trace, "corpus/traces/corrupt-a64.it.tarmac");
EMBED(demo_image, "corpus/typed/corrupt-a64.elf");

#endif

// Whether the file has these bytes.
static bool is_same(FILE *file, const char *bytes, const char *end)
{
    for (int byte; (byte = getc(file)) != EOF; bytes++) {
        if (bytes == end || byte != (unsigned char)*bytes)
            return false;
    }
    return bytes == end && !ferror(file);
}

// A file that is there stays, so that its index fits after a second run; one that is not the
// demo's is not ours to replace.
static enum status write_file(const char *path, const char *bytes, const char *end,
                              struct error *err)
{
    struct out out;
    struct stat about;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a FIFO would be waited for
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (fd >= 0 && !file) {
        close(fd);
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    if (file) {
        bool is_ours =
            fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && is_same(file, bytes, end);
        fclose(file);
        if (!is_ours)
            return error_set(err, STATUS_INPUT,
                             "%s: exists, and is not from the demo: 'trawl demo DIR' writes to "
                             "another directory",
                             path);
        return STATUS_OK;
    }
    enum status status = out_open(&out, path, err);
    if (status != STATUS_OK)
        return status;
    out_bytes(&out, bytes, (size_t)(end - bytes));
    return out_close(&out, err);
}

static const char next_steps[] =
    "\n"
    "    trawl stack --image prog.elf run.tarmac --at pc:panic   the calls at the panic\n"
    "    trawl origin run.tarmac x20 --at pc:panic               where its bad pointer comes from\n"
    "    trawl show run.tarmac --at pc:panic                     the trace there\n"
    "    trawl browse run.tarmac                                 all of this by keys; q ends it\n"
    "    trawl serve --image prog.elf run.tarmac                 the same in a window\n"
    "    trawl help                                              what else there is\n";

static enum exit_status show(const char *dir)
{
    char trace[PATH_MAX], image[PATH_MAX];
    const char *here = *dir == '-' ? "./" : ""; // commands would take the name for an option
    struct diag diag;
    struct error err;
    struct out out;
    enum status status = STATUS_OK;
    // As in the examples of all commands, so that most of them work in this directory.
    int length = snprintf(trace, sizeof trace, "%s%s/run.tarmac", here, dir);
    diag_begin(&diag, stderr, NULL);
    if (length >= (int)sizeof trace)
        status = error_set(&err, STATUS_INPUT, "%s: the name is too long", dir);
    else if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        status = error_set_errno(&err, dir, "make directory");
    snprintf(image, sizeof image, "%s%s/prog.elf", here, dir);
    if (status == STATUS_OK)
        status = write_file(trace, demo_trace, demo_trace_end, &err);
    if (status == STATUS_OK)
        status = write_file(image, demo_image, demo_image_end, &err);
    if (status != STATUS_OK)
        return diag_error(&diag, &err);

    status = out_open_fd(&out, STDOUT_FILENO, "standard output", &err);
    if (status != STATUS_OK)
        return diag_error(&diag, &err);
    out_text(&out, "The trace of a small Arm program that panics. Where did its time go?\n\n"
                   "$ trawl profile --image ");
    out_shell_word(&out, image);
    out_text(&out, " --top 5 ");
    out_shell_word(&out, trace);
    out_byte(&out, '\n');
    out_flush(&out);
    char image_option[] = "--image", top_option[] = "--top=5";
    char *const words[] = {image_option, image, top_option, trace, NULL};
    enum exit_status ended =
        profile_command.run(&profile_command, (int)ARRAY_COUNT(words) - 1, words);
    if (ended != EXIT_STATUS_DONE) {
        out_abandon(&out);
        return ended;
    }
    out_text(&out, "\nWhat to type next:\n    cd ");
    out_text(&out, here);
    out_shell_word(&out, dir);
    out_text(&out, next_steps);
    status = out_close(&out, &err);
    return status == STATUS_OK ? EXIT_STATUS_DONE : diag_error(&diag, &err);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct options_parser parser;
    struct option_match match;
    const char *dir = "trawl-demo";
    options_begin(&parser, self, argc, argv);
    for (int id; (id = options_next(&parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP)
            return parser.status;
        dir = match.value;
    }
    return show(dir);
}

static const struct positional_spec positionals[] = {
    {"DIR", "where to write the files (default: trawl-demo); made if it does not exist", NULL, true,
     false},
    {0},
};

const struct command_spec demo_command = {
    .name = "demo",
    .summary = "try trawl without a trace of your own",
    .description =
        "Writes a small trace, run.tarmac, and its program, prog.elf, shows where the time went, "
        "and says what to type next. Most examples in the help of other commands work in that "
        "directory. Files that are there already stay as they are.",
    .positionals = positionals,
    .examples = "trawl demo\n"
                "trawl demo /tmp/demo\n",
    .run = run,
};
