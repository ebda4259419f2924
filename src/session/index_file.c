#include "session/index_file.h"

#include "base/dir_entry.h"
#include "base/file_stamp.h"
#include "idx/index_format.h"
#include "session/index_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// The size of the reason why a system call failed.
enum { REASON_BYTES = 80 };

// What is known about a file without opening it as an index.
struct probe {
    enum index_fit fit; // INDEX_FITS: it may be one
    enum file_role role;
    uint64_t mtime_s;
    int error_number;
};

static struct probe blind(int error_number)
{
    bool is_refused = error_number == EACCES || error_number == EPERM;
    enum index_fit fit = error_number == ENOENT                           ? INDEX_MISSING
                         : is_refused                                     ? INDEX_SECRET
                         : error_number == ELOOP || error_number == ENXIO ? INDEX_STRANGE
                                                                          : INDEX_FAILING;
    return (struct probe){.fit = fit, .error_number = error_number};
}

static struct probe probe_file(const char *path)
{
    uint8_t start[INDEX_HEADER_BYTES];
    struct stat info;
    // It may be anything, including a pipe or a device, so opening it must not wait or have an
    // effect.
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return blind(errno);
    struct probe probe = {.fit = INDEX_STRANGE};
    if (fstat(fd, &info) != 0) {
        probe = blind(errno);
    } else if (S_ISREG(info.st_mode)) {
        ssize_t got = file_start_read(fd, start, sizeof start);
        if (got > 0)
            probe.role = file_role(start, (size_t)got, (uint64_t)info.st_size);
        if (probe.role == ROLE_INDEX)
            probe = (struct probe){INDEX_FITS, ROLE_INDEX, (uint64_t)info.st_mtim.tv_sec, 0};
        else if (got == 0) // it is empty, so nothing is lost
            probe.fit = INDEX_DAMAGED;
        else if (got < 0)
            probe = blind(errno);
    }
    close(fd);
    return probe;
}

static char *with_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') // beside a trace that is a directory
        length--;
    char *joined = malloc(length + strlen(suffix) + 1);
    if (joined) {
        memcpy(joined, path, length);
        memcpy(joined + length, suffix, strlen(suffix) + 1);
    }
    return joined;
}

static bool is_of_trace(const struct trawl_info *info, const struct fingerprint *fingerprint)
{
    const struct fingerprint kept = {
        .size_bytes = info->file_bytes,
        .mtime_ns = info->trace_mtime_ns,
        .sample = {info->trace_fingerprint[0], info->trace_fingerprint[1]},
    };
    return fingerprint_compare(&kept, fingerprint) == FINGERPRINT_SAME;
}

// Whether the trace has only grown since then, by whole lines: the index is correct for the part
// that it covers.
static bool is_of_beginning(struct trawl_index *index, const struct trawl_info *info,
                            const struct index_wanted *wanted)
{
    return wanted->source && info->trace_bytes &&
           info->file_bytes < wanted->fingerprint->size_bytes &&
           index_files_fit(index, wanted->source);
}

static bool has_options(const struct trawl_info *info, const struct index_wanted *wanted)
{
    uint64_t mask = wanted->options_mask;
    if (info->options & TRAWL_READINGS_AGREE)
        mask &= ~(uint64_t)TRAWL_READ_AS_TTU;
    return ((info->options ^ wanted->options) & mask) == 0;
}

static enum index_fit judge_open(const struct index_file *file, const struct index_wanted *wanted,
                                 uint64_t mtime_s)
{
    struct trawl_info info;
    trawl_info(file->index, &info);
    bool is_beginning = is_of_beginning(file->index, &info, wanted);
    if (!is_beginning && mtime_s < wanted->fingerprint->mtime_ns / 1000000000)
        return INDEX_OLDER;
    if (!is_beginning && !is_of_trace(&info, wanted->fingerprint))
        return INDEX_OTHER_TRACE;
    if (!has_options(&info, wanted))
        return INDEX_OTHER_OPTIONS;
    const char *task_key = trawl_task_key(file->index);
    if (wanted->task_key && (!task_key || strcmp(task_key, wanted->task_key) != 0))
        return INDEX_OTHER_TASK_KEY;
    if (wanted->functions && info.functions != wanted->functions)
        return INDEX_OTHER_FUNCTIONS;
    return is_beginning ? INDEX_OF_BEGINNING : INDEX_FITS;
}

enum status index_file_judge(struct index_file *file, const struct index_wanted *wanted,
                             struct error *err)
{
    struct trawl_error failure;
    const struct probe probe = probe_file(file->path);
    trawl_close(file->index);
    file->index = NULL;
    file->fit = probe.fit;
    file->role = probe.role;
    file->error_number = probe.error_number;
    if (probe.fit != INDEX_FITS)
        return STATUS_OK;
    switch (trawl_open(&file->index, file->path, &failure)) {
    case TRAWL_OK:
        file->fit = judge_open(file, wanted, probe.mtime_s);
        return STATUS_OK;
    case TRAWL_MEMORY:
        return error_set(err, STATUS_MEMORY, "%s: no memory", file->path);
    case TRAWL_LIMIT:
        file->fit = INDEX_OTHER_VERSION;
        return STATUS_OK;
    case TRAWL_IO:
        file->fit = INDEX_FAILING;
        file->error_number = errno;
        return STATUS_OK;
    default:
        file->fit = INDEX_DAMAGED;
        return STATUS_OK;
    }
}

static enum status look_elsewhere(struct index_file *file, const struct index_wanted *wanted,
                                  struct error *err)
{
    file->foreign_file = file->path;
    file->foreign_fit = file->fit;
    file->foreign_role = file->role;
    file->foreign_error = file->error_number;
    file->path = with_suffix(wanted->trace, wanted->is_of_files ? ".files.trawl" : ".trawl");
    if (!file->path)
        return error_set(err, STATUS_MEMORY, "%s: no memory", wanted->trace);
    return index_file_judge(file, wanted, err);
}

enum status index_file_find(struct index_file *file, const char *named,
                            const struct index_wanted *wanted, struct error *err)
{
    *file = (struct index_file){0};
    const char *suffix = wanted->is_of_files ? ".files.index" : ".index";
    file->path = named ? strdup(named) : with_suffix(wanted->trace, suffix);
    if (!file->path)
        return error_set(err, STATUS_MEMORY, "%s: no memory", wanted->trace);
    enum status status = index_file_judge(file, wanted, err);
    if (status != STATUS_OK || named || file->fit == INDEX_FITS)
        return status;
    struct dir_entry place;
    const bool is_found = dir_entry_find(&place, file->path);
    dir_entry_free(&place);
    if (!is_found && place.is_planted) // also a symbolic link without a target
        file->fit = INDEX_PLANTED;
    return index_file_is_foreign(file) && file->fit != INDEX_FAILING
               ? look_elsewhere(file, wanted, err)
               : STATUS_OK;
}

void index_file_free(struct index_file *file)
{
    trawl_close(file->index);
    free(file->path);
    free(file->foreign_file);
    *file = (struct index_file){0};
}

// What does not fit, to follow "index file X "; "looks ok" if it fits. The name of the trace may
// follow it.
static const char *fit_text(enum index_fit fit, enum file_role role,
                            char room[FILE_ROLE_TEXT_BYTES])
{
    switch (fit) {
    case INDEX_FITS:
        return "looks ok";
    case INDEX_MISSING:
        return "does not exist";
    case INDEX_STRANGE:
        file_role_describe(role, ROLE_INDEX, room);
        return room;
    case INDEX_SECRET:
    case INDEX_FAILING:
        return "cannot be read";
    case INDEX_PLANTED:
        return "belongs to another user";
    case INDEX_OF_BEGINNING:
        return "covers less than the current trace file";
    case INDEX_OLDER:
        return "is older than trace file";
    case INDEX_OTHER_VERSION:
        return "was not generated by this version of the tool";
    case INDEX_DAMAGED:
        return "is damaged";
    case INDEX_OTHER_TRACE:
        return "was made from other contents of trace file";
    case INDEX_OTHER_OPTIONS:
        return "was made with other options";
    case INDEX_OTHER_TASK_KEY:
        return "was made with another --task-key";
    case INDEX_OTHER_FUNCTIONS:
        return "was made without the functions of the images";
    }
    ASSERT(false);
    return "";
}

bool index_fit_is_lost(enum index_fit fit)
{
    return fit == INDEX_SECRET || fit == INDEX_FAILING || fit == INDEX_OTHER_VERSION ||
           fit == INDEX_DAMAGED;
}

bool index_file_is_foreign(const struct index_file *file)
{
    return file->fit == INDEX_STRANGE || file->fit == INDEX_SECRET || file->fit == INDEX_PLANTED ||
           file->fit == INDEX_FAILING;
}

bool index_file_is_writable(const char *path)
{
    struct dir_entry place;
    bool is_writable = dir_entry_find(&place, path) && dir_entry_is_writable(&place);
    dir_entry_free(&place);
    return is_writable;
}

enum status index_file_refuse(const struct index_file *file, struct error *err)
{
    char what[FILE_ROLE_TEXT_BYTES];
    if (file->fit == INDEX_STRANGE)
        return error_set(err, STATUS_INPUT, "%s: %s, so it is not replaced", file->path,
                         fit_text(file->fit, file->role, what));
    errno = file->error_number;
    if (errno == ENAMETOOLONG)
        return error_set_errno(err, file->path, "open for writing");
    return error_set(err, STATUS_IO, "%s: cannot be read (%s), so it is not replaced", file->path,
                     strerror(errno));
}

// " (Too many open files)", if there is such a reason.
static const char *put_reason(char reason[REASON_BYTES], int error_number)
{
    reason[0] = '\0';
    if (error_number)
        snprintf(reason, REASON_BYTES, " (%s)", strerror(error_number));
    return reason;
}

void index_file_describe_foreign(const struct index_file *file, char *text, size_t size)
{
    char reason[REASON_BYTES], what[FILE_ROLE_TEXT_BYTES];
    snprintf(text, size, "index file %.300s %s%s; leaving it alone", file->foreign_file,
             fit_text(file->foreign_fit, file->foreign_role, what),
             put_reason(reason, file->foreign_error));
}

void index_file_describe(const struct index_file *file, const char *trace, char *text, size_t size)
{
    bool names_trace = file->fit == INDEX_OF_BEGINNING || file->fit == INDEX_OLDER ||
                       file->fit == INDEX_OTHER_TRACE;
    char reason[REASON_BYTES], what[FILE_ROLE_TEXT_BYTES];
    bool cannot = file->fit == INDEX_SECRET || file->fit == INDEX_FAILING;
    snprintf(text, size, "index file %.180s %s%s%.180s%s", file->path,
             fit_text(file->fit, file->role, what), names_trace ? " " : "",
             names_trace ? trace : "", put_reason(reason, cannot ? file->error_number : 0));
}
