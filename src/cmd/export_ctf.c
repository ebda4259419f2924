// Calls in the Common Trace Format, which is a directory.
#include "cmd/export.h"

#include "cmd/trace_pass.h"
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
// none is left if a signal ends the program before. False: reported.
static bool check_directory(struct command *command)
{
    struct error err;
    struct stat about;
    char around[PATH_MAX];
    const char *path = command->output;
    if (!path) {
        error_set(&err, STATUS_INPUT, "%s: --format ctf makes a directory: -o DIRECTORY",
                  command->session.path);
    } else if (is_empty(path)) {
        return true;
    } else if (stat(path, &about) == 0 || errno == ENOTDIR) {
        error_set(&err, STATUS_INPUT, "%s: already exists and is not an empty directory", path);
    } else {
        snprintf(around, sizeof around, "%s", path);
        if (access(dirname(around), W_OK | X_OK) == 0)
            return true;
        error_set_errno(&err, path, "make the directory");
    }
    command_error(command, &err);
    return false;
}

static enum exit_status end(struct command *command, struct ctf *ctf, bool is_whole,
                            enum exit_status status)
{
    bool is_done = ctf_end(ctf, is_whole);
    if (is_done)
        return command_sum_up(command);
    if (!is_whole)
        return status;
    return ctf->lacks_memory ? command_no_memory(command) : command_error(command, &ctf->failure);
}

enum exit_status export_ctf(struct command *command)
{
    struct session *session = &command->session;
    enum exit_status status = EXIT_STATUS_FAILED;
    struct ctf ctf;
    if (!command_open_images(command, &status) || !command_is_open(command, &status))
        return status;
    if (!check_directory(command))
        return EXIT_STATUS_FAILED;
    ctf_init(&ctf, command->output, &session->names);
    const struct call_sink sink = ctf_sink(&ctf);
    bool is_whole = command_stream(command, &sink, &status);
    return end(command, &ctf, is_whole, status);
}
