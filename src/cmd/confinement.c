#include "cmd/commands.h"

#include "base/dir_entry.h"
#include "base/sandbox.h"
#include "base/spool.h"
#include "cmd/fst.h"
#include "cmd/opener.h"
#include "elf/debug_file.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// What every program may read: names of locales, times, terminals; debug information of the system.
static const char *const readable[] = {"/usr",  "/lib", "/lib64",   "/etc",
                                       "/proc", "/sys", "/dev/null"};

// Options whose value names a file that is only read, without an index next to it.
static const char *const image_options[] = {
    "--image",     "-i",         "-m",       "--instr-map", "-instr-map",
    "--instr_map", "-instr_map", "--source", "--dir",       "--os"};

// Options whose value may be a pattern for such files.
static const char *const pattern_options[] = {"--then", "--with", "--other-then", "--other-with",
                                              "--after"};

static bool is_one_of(const char *text, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && memcmp(list[i], text, length) == 0)
            return true;
    }
    return false;
}

static bool is_image_option(const char *word, size_t length)
{
    return is_one_of(word, length, image_options, ARRAY_COUNT(image_options));
}

// --- Files that are named ------------------------------------------------------------------------

// Allows the directory in which a file of that name is, or would be made, following links.
static void allow_place(const struct sandbox *sandbox, const char *path, const char *suffix,
                        enum sandbox_access access)
{
    char joined[PATH_MAX];
    struct dir_entry entry;
    int length = snprintf(joined, sizeof joined, "%s%s", path, suffix);
    if (length < 0 || (size_t)length >= sizeof joined)
        return;
    if (dir_entry_find(&entry, joined))
        sandbox_allow(sandbox, entry.directory, access);
    dir_entry_free(&entry);
}

// A word that names a file may have a number after the last @.
static void allow_image(const struct sandbox *sandbox, const char *path)
{
    char name[PATH_MAX];
    const char *at = strrchr(path, '@');
    size_t length = at ? (size_t)(at - path) : strlen(path);
    sandbox_allow_path(sandbox, path, SANDBOX_READ);
    allow_place(sandbox, path, "", SANDBOX_READ);
    if (!at || length >= sizeof name)
        return;
    memcpy(name, path, length);
    name[length] = '\0';
    sandbox_allow_path(sandbox, name, SANDBOX_READ);
    allow_place(sandbox, name, "", SANDBOX_READ);
}

// Whether `word`, or the option before it, is one whose value may be a pattern.
static bool is_pattern_option(const char *option, const char *word)
{
    size_t length = strcspn(word, "=");
    return is_one_of(option, strlen(option), pattern_options, ARRAY_COUNT(pattern_options)) ||
           (word[length] && is_one_of(word, length, pattern_options, ARRAY_COUNT(pattern_options)));
}

static bool is_output(const char *option)
{
    return strncmp(option, "-o", 2) == 0 || strncmp(option, "--o", 3) == 0 ||
           strncmp(option, "--index", 7) == 0 || strncmp(option, "--live", 6) == 0 ||
           strncmp(option, "--write", 7) == 0;
}

// The files that a pattern matches, which are read.
static void allow_pattern(const struct sandbox *sandbox, const char *pattern)
{
    glob_t found = {0};
    char fixed[PATH_MAX]; // the part before the first pattern character
    size_t length = strcspn(pattern, "*?[");
    if (pattern[length] && length < sizeof fixed && glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        memcpy(fixed, pattern, length);
        fixed[length] = '\0';
        allow_place(sandbox, fixed, "x", SANDBOX_READ);
        for (size_t i = 0; i < found.gl_pathc; i++)
            allow_image(sandbox, found.gl_pathv[i]);
    }
    globfree(&found);
}

// Allows what a word may name, by itself, after `=`, or directly after an option letter; `option`
// is the previous word.
static void allow_word(const struct sandbox *sandbox, const char *option, const char *word)
{
    const char *equals = strchr(word, '=');
    bool has_dash = word[0] == '-' && word[1];
    bool is_image = has_dash && equals ? is_image_option(word, (size_t)(equals - word))
                                       : is_image_option(option, strlen(option));
    const char *second = equals ? strchr(equals + 1, '=') : NULL; // --with=NAME=FILE
    const char *names[] = {has_dash ? NULL : word, equals ? equals + 1 : NULL,
                           second ? second + 1 : NULL,
                           has_dash && word[1] != '-' && word[2] ? word + 2 : NULL};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (!names[i] || !*names[i])
            continue;
        if (is_pattern_option(option, word))
            allow_pattern(sandbox, names[i]);
        if (is_image || strchr(names[i], '@'))
            allow_image(sandbox, names[i]);
        // The name of an address space has = in it: TTBR0_EL1=0x1000=FILE.
        for (const char *at = strchr(names[i], '='); is_image && at; at = strchr(at + 1, '='))
            allow_image(sandbox, at + 1);
        if (!is_image && (is_output(has_dash ? word : option) || access(names[i], F_OK) == 0)) {
            // Allows a trace, with the index next to it; an index; or an output.
            const char *path = names[i];
            sandbox_allow_path(sandbox, path, SANDBOX_WRITE);
            allow_place(sandbox, path, "", SANDBOX_WRITE);
            allow_place(sandbox, path, ".index", SANDBOX_WRITE);
            allow_place(sandbox, path, ".trawl", SANDBOX_WRITE);
        }
    }
}

// --- The whole -----------------------------------------------------------------------------------

static bool is_named(int argc, char **argv, const char *own_name, const char *command)
{
    const char *slash = strrchr(argv[0], '/');
    return strcmp(slash ? slash + 1 : argv[0], own_name) == 0 ||
           (argc > 1 && strcmp(argv[1], command) == 0);
}

static bool is_browser(int argc, char **argv)
{
    return is_named(argc, argv, "tarmac-browser", "browse");
}

static bool is_server(int argc, char **argv)
{
    return is_named(argc, argv, "tarmac-gui-browser", "serve");
}

// Whether waveforms are requested in a format that another program makes.
static bool makes_fst(int argc, char **argv)
{
    bool has_name = false;
    for (int i = 2; i < argc; i++)
        has_name |= fst_is_name(argv[i]);
    return has_name && argc > 1 && strcmp(argv[1], "vcd") == 0;
}

int confine(int argc, char **argv, bool has_option)
{
    struct sandbox sandbox;
    const char *setting = getenv("TRAWL_SANDBOX");
    bool is_confined = !setting || strcmp(setting, "off") != 0;
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        bool is_option = has_option && i && strcmp(argv[i], "--no-sandbox") == 0;
        is_confined &= !is_option;
        if (!is_option)
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    argc = kept;
    if (is_confined && argc > 1 && strcmp(argv[1], "mcp") == 0) {
        // Each command that answers an agent confines itself, and none asks a server.
        unsetenv("DEBUGINFOD_URLS");
        sandbox_begin(&sandbox, SANDBOX_STARTS);
        sandbox_enter(&sandbox);
        return argc;
    }
    if (is_server(argc, argv))
        opener_begin();
    if (makes_fst(argc, argv))
        fst_begin();
    debug_server_begin(is_browser(argc, argv));
    // Tasks of a farm are separate processes, each confined to what the plan names; so are the
    // server of the GDB that `gdb` starts. The demo reads nothing from outside, and makes the
    // directory that it writes to.
    static const char *const not_confined[] = {"farm", "gdb", "demo"};
    if (!is_confined || argc < 2 ||
        is_one_of(argv[1], strlen(argv[1]), not_confined, ARRAY_COUNT(not_confined)))
        return argc;
    sandbox_begin(&sandbox,
                  (is_server(argc, argv) || (argc > 1 && strcmp(argv[1], "gdbserver") == 0))
                      ? SANDBOX_LISTENS
                      : SANDBOX_SILENT);
    if (sandbox.ruleset >= 0) {
        // Source files may be anywhere, as the lines of an image name them; so may the image that
        // an index names.
        bool reads_all =
            is_browser(argc, argv) || is_server(argc, argv) || strcmp(argv[1], "annotate") == 0;
        for (int i = 2; i < argc; i++)
            reads_all |= strncmp(argv[i], "--line", 6) == 0;
        for (size_t i = 0; i < ARRAY_COUNT(readable); i++)
            sandbox_allow_path(&sandbox, readable[i], SANDBOX_READ);
        sandbox_allow_path(&sandbox, unnamed_directory(), SANDBOX_WRITE);
        // Files opened for us can be opened again, as /dev/stdin and the like.
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
            sandbox_allow(&sandbox, fd, SANDBOX_WRITE);
        if (reads_all)
            sandbox_allow_path(&sandbox, "/", SANDBOX_READ);
        for (int i = 1; i < argc; i++)
            allow_word(&sandbox, argv[i - 1], argv[i]);
    }
    sandbox_enter(&sandbox);
    return argc;
}
