// Calls in the Common Trace Format, which is a directory.
#include "cmd/export.h"

#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"
#include "export/ctf.h"

#include <dirent.h>
#include <errno.h>
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

// Makes the directory, or uses an empty one. *is_made: it was made. False: reported.
static bool make_directory(struct trace_command *command, bool *is_made)
{
    struct error err;
    const char *path = command->output;
    *is_made = false;
    if (!path) {
        error_set(&err, STATUS_INPUT, "%s: --format ctf makes a directory: -o DIRECTORY",
                  command->session.path);
    } else if (mkdir(path, 0777) == 0) {
        *is_made = true;
        return true;
    } else if (errno == EEXIST && is_empty(path)) {
        return true;
    } else if (errno == EEXIST || errno == ENOTDIR) {
        error_set(&err, STATUS_INPUT, "%s: already exists and is not an empty directory", path);
    } else {
        error_set_errno(&err, path, "make the directory");
    }
    trace_command_error(command, &err);
    return false;
}

static enum exit_status end(struct trace_command *command, struct ctf *ctf, bool is_whole,
                            enum exit_status status)
{
    bool is_done = ctf_end(ctf, is_whole);
    if (is_done)
        return trace_command_sum_up(command);
    if (!is_whole)
        return status;
    return ctf->lacks_memory ? trace_command_no_memory(command)
                             : trace_command_error(command, &ctf->failure);
}

enum exit_status export_ctf(struct trace_command *command)
{
    struct session *session = &command->session;
    enum exit_status status = EXIT_STATUS_FAILED;
    struct ctf ctf;
    bool is_made;
    if (!trace_command_open_images(command, &status) || !trace_command_is_open(command, &status))
        return status;
    if (!make_directory(command, &is_made))
        return EXIT_STATUS_FAILED;
    ctf_init(&ctf, command->output, &session->names);
    const struct call_sink sink = ctf_sink(&ctf);
    bool is_whole = trace_command_stream(command, &sink, &status);
    status = end(command, &ctf, is_whole, status);
    if (is_made && status != EXIT_STATUS_DONE && status != EXIT_STATUS_DAMAGED)
        rmdir(command->output);
    return status;
}
