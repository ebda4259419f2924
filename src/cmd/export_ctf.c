// Calls in the Common Trace Format, which is a directory.
#include "cmd/driver.h"
#include "cmd/export.h"

#include "export/ctf.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    size_t count = 0;
    if (!directory)
        return false;
    while (readdir(directory) && count < 3)
        count++;
    closedir(directory);
    return count == 2; // "." and ".."
}

// Whether the directory is empty, or can be made: it is when there is something to write, so that
// none is left if a signal ends the program before.
static bool check_directory(struct command *command)
{
    struct error err;
    struct stat about;
    char around[PATH_MAX];
    const char *path = command->output;
    if (!path)
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: --format ctf makes a directory: -o DIRECTORY",
                                 command->session.path);
    if (is_empty(path))
        return true;
    if (stat(path, &about) == 0 || errno == ENOTDIR)
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: already exists and is not an empty directory", path);
    snprintf(around, sizeof around, "%s", path);
    if (access(dirname(around), W_OK | X_OK) == 0)
        return true;
    error_set_errno(&err, path, "make the directory");
    return command_fail(command, &err);
}

bool export_ctf(struct command *command)
{
    struct ctf ctf;
    if (!command_is_open(command) || !check_directory(command))
        return false;
    ctf_init(&ctf, command->output, &command->session.names);
    const struct call_sink sink = ctf_sink(&ctf);
    bool is_whole = command_stream(command, &sink);
    bool is_written = ctf_end(&ctf, is_whole);
    if (is_written)
        return command_end(command);
    return is_whole &&
           (ctf.lacks_memory ? command_no_memory(command) : command_fail(command, &ctf.failure));
}
