#include "base/joint.h"

#include "base/file_stamp.h"
#include "base/joint_state.h"
#include "base/limits.h"
#include "base/line_ends.h"
#include "base/unpack/inflow.h"
#include "base/unpack/partial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// --- Rights --------------------------------------------------------------------------------------

bool joint_have_same_rights(int a, int b)
{
    static const char name[] = "system.posix_acl_access";
    struct stat of_a, of_b;
    char list_a[4096], list_b[sizeof list_a];
    if (fstat(a, &of_a) != 0 || fstat(b, &of_b) != 0)
        return false;
    ssize_t length_a = fgetxattr(a, name, list_a, sizeof list_a), length_b;
    bool is_long = length_a < 0 && errno == ERANGE;
    length_b = fgetxattr(b, name, list_b, sizeof list_b);
    is_long |= length_b < 0 && errno == ERANGE;
    return !is_long && of_a.st_uid == of_b.st_uid && of_a.st_gid == of_b.st_gid &&
           (of_a.st_mode & 07777) == (of_b.st_mode & 07777) && length_a == length_b &&
           (length_a <= 0 || memcmp(list_a, list_b, (size_t)length_a) == 0);
}

// Makes the file of joint_fd. -1: no memory.
static int make_rights_fd(const struct joint *joint)
{
    int first = joint->parts[0].map.fd;
    bool is_same = true;
    for (size_t i = 1; i < joint->count; i++)
        is_same &= joint_have_same_rights(first, joint->parts[i].map.fd);
    if (is_same)
        return fcntl(first, F_DUPFD_CLOEXEC, 0);
    int fd = memfd_create("rights", MFD_CLOEXEC);
    if (fd >= 0 && fchmod(fd, 0600) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status refuse(const struct part *part, struct error *err)
{
    return error_set(
        err, STATUS_INPUT,
        "%s: is not a regular file; a trace in several files must consist of regular files",
        part->path);
}

enum status joint_open_part(struct part *part, struct error *err)
{
    struct stat info;
    part->map.fd = -1;
    // Does not wait for the writer of a FIFO.
    int fd = open(part->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return strcmp(part->path, "-") == 0 ? refuse(part, err)
                                            : error_set_errno(err, part->path, "open");
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return refuse(part, err);
    }
    enum status status = map_open(&part->map, fd, part->path, err);
    if (status != STATUS_OK) {
        part->map.fd = -1;
        return status;
    }
    if (part->map.data)
        madvise((void *)(uintptr_t)part->map.data, part->map.size_bytes, MADV_SEQUENTIAL);
    part->packed = (struct packed){(const uint8_t *)part->map.data, part->map.size_bytes};
    part->codec = part->map.data ? codec_of(&part->packed) : NULL;
    return STATUS_OK;
}

// Prepares the merging of the open files.
static enum status prepare_merge(struct joint *joint, struct error *err)
{
    joint->is_found = true; // merged files have no beginnings in the text
    joint->merge_files = calloc(joint->count, sizeof *joint->merge_files);
    if (!joint->merge_files)
        return error_set(err, STATUS_MEMORY, "%s: no memory", joint->parts[0].path);
    for (size_t i = 0; i < joint->count; i++) {
        const struct part *part = &joint->parts[i];
        joint->merge_files[i] = (struct merge_file){part->path,    &part->map, part->codec,
                                                    &part->packed, part->core, false};
    }
    return STATUS_OK;
}

enum status joint_open(struct joint **out, const char *const *paths, size_t count,
                       const struct joint_manner *manner, struct error *err)
{
    if (count > LIMIT_TRACE_FILES)
        return error_set(err, STATUS_LIMIT, "%s: the trace consists of more than %d files",
                         paths[0], LIMIT_TRACE_FILES);
    struct joint *joint = calloc(1, sizeof *joint);
    if (!joint || !(joint->parts = calloc(count, sizeof *joint->parts))) {
        free(joint);
        return error_set(err, STATUS_MEMORY, "%s: no memory", paths[0]);
    }
    joint->threads = 1;
    joint->stamp = manner->cores ? manner->stamp : NULL;
    joint->prefix = manner->prefix;
    joint->rights_fd = -1;
    joint->is_at_line_start = true;
    // The usual limit is too low for one file for each of a thousand cores.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count + 256) {
        limit.rlim_cur = u64_min(limit.rlim_max, count + 256);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    enum status status = STATUS_OK;
    while (status == STATUS_OK && joint->count < count) {
        joint->parts[joint->count].path = paths[joint->count];
        joint->parts[joint->count].core = manner->cores ? manner->cores[joint->count] : NULL;
        status = joint_open_part(&joint->parts[joint->count], err);
        joint->count += status == STATUS_OK;
    }
    if (status == STATUS_OK && (joint->rights_fd = make_rights_fd(joint)) < 0)
        status = error_set_errno(err, paths[0], "open");
    if (status == STATUS_OK && joint->stamp)
        status = prepare_merge(joint, err);
    if (status == STATUS_OK && manner->follows && joint_is_plain(joint))
        joint_follow(joint);
    if (status != STATUS_OK) {
        joint_close(joint);
        return status;
    }
    *out = joint;
    return STATUS_OK;
}

void joint_set_threads(struct joint *joint, unsigned threads)
{
    joint->threads = threads;
}

static uint64_t end_part_at_line(struct part *part)
{
    const struct map *map = &part->map;
    if (part->codec || !map->size_bytes || map->data[map->size_bytes - 1] == '\n' ||
        !file_has_writers(map->fd))
        return 0;
    const char *start = line_start_at(map->data, map->data + map->size_bytes);
    map_cut(&part->map, (uint64_t)(start - map->data));
    part->packed.size_bytes = map->size_bytes;
    return map->file_bytes - map->size_bytes;
}

bool joint_may_grow(const struct joint *joint, size_t number)
{
    return joint->stamp || number + 1 == joint->count;
}

uint64_t joint_end_at_line(struct joint *joint)
{
    uint64_t left_out = 0;
    for (size_t i = 0; i < joint->count && !joint->is_followed; i++)
        left_out += joint_may_grow(joint, i) ? end_part_at_line(&joint->parts[i]) : 0;
    return left_out;
}

static void end_part(struct part *part)
{
    inflow_close(part->inflow);
    part->inflow = NULL;
    part->at = part->left_bytes = 0;
}

void joint_close(struct joint *joint)
{
    if (!joint)
        return;
    for (size_t i = 0; i < joint->count; i++) {
        end_part(&joint->parts[i]);
        map_close(&joint->parts[i].map);
    }
    if (joint->rights_fd >= 0)
        close(joint->rights_fd);
    merge_close(joint->merge);
    merge_close(joint->locator);
    restarts_free(&joint->restarts);
    free(joint->merge_files);
    free(joint->parts);
    free(joint);
}

// --- Reading -------------------------------------------------------------------------------------

void joint_rewind(struct joint *joint)
{
    for (size_t i = 0; i < joint->count; i++)
        end_part(&joint->parts[i]);
    merge_close(joint->merge);
    joint->merge = NULL;
    joint->reading = 0;
    joint->at = joint->lines = 0;
    joint->is_at_line_start = true;
    joint->is_held = false;
    joint->fault = (struct merge_fault){0};
    joint->keeps_restarts = joint->wants_restarts && !joint->stamp;
    restarts_free(&joint->restarts);
}

static enum status read_packed(struct joint *joint, struct part *part, char *bytes, size_t wanted,
                               size_t *have, struct error *err)
{
    struct error cause;
    if (!part->inflow) {
        part->inflow = inflow_open(part->codec, &part->packed, joint->threads);
        if (!part->inflow)
            return error_set(err, STATUS_MEMORY, "%s: no memory", part->path);
        if (joint->keeps_restarts)
            inflow_keep_restarts(part->inflow);
    }
    if (inflow_read(part->inflow, bytes, wanted, have, &cause) != STATUS_OK)
        return error_set(err, cause.status, "%s: %s", part->path, cause.text);
    const struct inflow_fault fault = inflow_fault(part->inflow);
    if (*have < wanted && fault.text) {
        joint->fault = (struct merge_fault){part->path, fault.text, fault.packed_byte};
        joint->fault_plain_byte = part->first_byte + fault.plain_byte;
    }
    return STATUS_OK;
}

static void advance(struct joint *joint, struct part *part, const char *bytes, size_t size_bytes)
{
    if (!size_bytes)
        return;
    part->at += size_bytes;
    joint->at += size_bytes;
    joint->is_at_line_start = bytes[size_bytes - 1] == '\n';
    if (!joint->is_found)
        joint->lines += line_count_in(bytes, bytes + size_bytes);
}

static void begin_part(struct joint *joint)
{
    struct part *part = &joint->parts[joint->reading];
    if (part->at)
        return;
    if (!joint->is_found) { // lines are only counted the first time
        part->first_byte = joint->at;
        part->lines_before = joint->lines;
        part->begins_in_line = !joint->is_at_line_start;
        atomic_store(&part->is_begun, true);
    }
    const struct restart_file file = {part->first_byte, part->lines_before, part->begins_in_line};
    if (joint->keeps_restarts && joint->restarts.files.count == joint->reading)
        joint->keeps_restarts = restarts_add_file(&joint->restarts, &file);
}

// How much of a piece to read at once: after joint_hold, only the rest of its current line.
static size_t room_in(const struct joint *joint, const struct part *part, size_t room)
{
    size_t left = (size_t)u64_min(room, part->map.size_bytes - part->at);
    if (!joint->is_held || !left)
        return room;
    const char *start = part->map.data + part->at, *newline = memchr(start, '\n', left);
    return newline ? (size_t)(newline - start) + 1 : room;
}

// Releases the part that was read, and continues with the next one.
static void leave_part(struct joint *joint)
{
    struct part *part = &joint->parts[joint->reading++];
    if (joint->keeps_restarts && part->at && part->codec) { // the places recorded in it
        const struct restarts *found = part->inflow ? inflow_restarts(part->inflow) : NULL;
        joint->keeps_restarts = found && restarts_add(&joint->restarts, found);
    }
    if (part->map.data && !part->codec)
        madvise((void *)(uintptr_t)part->map.data, part->map.size_bytes, MADV_DONTNEED);
    end_part(part);
}

// Ends the text. Parts after a damaged one have no text.
static void end_text(struct joint *joint)
{
    joint->restarts.text_bytes = joint->at;
    if (joint->is_found)
        return;
    for (size_t i = joint->reading + 1; i < joint->count; i++) {
        joint->parts[i].first_byte = joint->at;
        joint->parts[i].lines_before = joint->lines;
        atomic_store(&joint->parts[i].is_begun, true);
    }
    joint->is_found = true;
    joint->text_bytes = joint->at;
}

static struct merge *open_merge(const struct joint *joint)
{
    return merge_open(joint->merge_files, joint->count, joint->stamp, joint->prefix);
}

static enum status read_merged(struct joint *joint, char *bytes, size_t wanted, size_t *have,
                               struct error *err)
{
    size_t before = *have;
    if (!joint->merge && !(joint->merge = open_merge(joint)))
        return error_set(err, STATUS_MEMORY, "%s: no memory", joint->parts[0].path);
    enum status status = merge_read(joint->merge, bytes, wanted, have, joint->is_held, err);
    const struct merge_fault fault = merge_fault(joint->merge);
    joint->at += *have - before;
    if (*have < wanted)
        joint->text_bytes = joint->at;
    if (fault.text) {
        joint->fault = fault;
        joint->fault_plain_byte = UINT64_MAX;
    }
    return status;
}

enum status joint_read(struct joint *joint, char *bytes, size_t wanted, size_t *have,
                       struct error *err)
{
    if (joint->stamp)
        return read_merged(joint, bytes, wanted, have, err);
    while (*have < wanted && joint->reading < joint->count && !joint->fault.text) {
        struct part *part = &joint->parts[joint->reading];
        if (joint->is_held && joint->is_at_line_start)
            break;
        size_t got = 0, room = room_in(joint, part, wanted - *have);
        begin_part(joint);
        if (part->codec) {
            enum status status = read_packed(joint, part, bytes + *have, room, &got, err);
            if (status != STATUS_OK)
                return status;
        } else {
            got = (size_t)u64_min(room, part->map.size_bytes - part->at);
            if (got) {
                memcpy(bytes + *have, part->map.data + part->at, got);
                part->left_bytes = map_leave(&part->map, part->left_bytes, part->at + got);
            }
        }
        advance(joint, part, bytes + *have, got);
        *have += got;
        if (got < room && !joint->fault.text) {
            bool is_done = !joint->is_followed ||
                           (joint->reading + 1 < joint->count && part->at == part->map.file_bytes);
            if (!is_done)
                break;
            leave_part(joint);
        }
        if (joint->fault.text || joint->reading == joint->count)
            end_text(joint);
    }
    return STATUS_OK;
}

bool joint_read_at(const struct joint *joint, uint64_t position, char *bytes, size_t size_bytes,
                   size_t *have)
{
    *have = 0;
    if (joint->stamp || !joint_is_plain(joint))
        return false;
    for (size_t i = 0; i < joint->count && *have < size_bytes; i++) {
        const struct map *map = &joint->parts[i].map;
        uint64_t left = position < map->size_bytes ? map->size_bytes - position : 0;
        size_t got = (size_t)u64_min(size_bytes - *have, left);
        if (got)
            memcpy(bytes + *have, map->data + position, got);
        *have += got;
        position -= u64_min(position, map->size_bytes);
        position = *have ? 0 : position;
    }
    return true;
}

uint64_t joint_text_bytes(const struct joint *joint)
{
    uint64_t size_bytes = 0;
    if (joint->is_followed)
        return joint->at;
    for (size_t i = 0; i < joint->count; i++)
        size_bytes += joint->parts[i].map.size_bytes;
    return !joint->stamp && joint_is_plain(joint) ? size_bytes : joint->text_bytes;
}

struct joint_fault joint_fault(const struct joint *joint)
{
    const struct merge_fault *fault = &joint->fault;
    return (struct joint_fault){fault->path, fault->text, fault->packed_byte,
                                joint->fault_plain_byte};
}

// --- Places to start again
// ------------------------------------------------------------------------

void joint_keep_restarts(struct joint *joint)
{
    joint->wants_restarts = true;
    joint_rewind(joint);
}

const struct restarts *joint_restarts(const struct joint *joint)
{
    bool is_whole = joint->keeps_restarts && joint->reading == joint->count && !joint->fault.text;
    return is_whole && joint->at && !joint_is_plain(joint) ? &joint->restarts : NULL;
}

// Takes the known beginnings of all files.
static void take_files(struct joint *joint, const struct restarts *restarts)
{
    for (size_t i = 0; i < joint->count && !joint->is_found; i++) {
        const struct restart_file *file = &restarts->files.items[i];
        struct part *part = &joint->parts[i];
        part->first_byte = file->plain_byte;
        part->lines_before = file->lines_before;
        part->begins_in_line = file->begins_in_line;
        atomic_store(&part->is_begun, true);
    }
    joint->is_found = true;
    joint->text_bytes = restarts->text_bytes;
}

struct partial *joint_use_restarts(struct joint *joint, struct restarts *restarts)
{
    struct packed_file *files = joint->stamp ? NULL : calloc(joint->count, sizeof *files);
    struct partial *partial = NULL;
    for (size_t i = 0; files && i < joint->count; i++) {
        const struct part *part = &joint->parts[i];
        files[i] = (struct packed_file){part->path, part->codec, &part->packed};
    }
    if (files && restarts_may_be_of(restarts, files, joint->count)) {
        take_files(joint, restarts);
        partial = partial_open(files, joint->count, restarts, joint->threads);
    }
    free(files);
    return partial;
}

// --- The files -----------------------------------------------------------------------------------

size_t joint_file_count(const struct joint *joint)
{
    return joint->count;
}

struct joint_file joint_file(const struct joint *joint, size_t number)
{
    const struct part *part = &joint->parts[number];
    return (struct joint_file){part->path,        part->codec ? part->codec->name : NULL,
                               part->map.data,    part->map.size_bytes,
                               part->core,        part->first_byte,
                               part->lines_before};
}

bool joint_knows_files(const struct joint *joint)
{
    return joint->is_found;
}

enum status joint_find_files(struct joint *joint, struct error *err)
{
    enum { READ_BYTES = 1 << 18 };
    char *bytes = malloc(READ_BYTES);
    enum status status =
        bytes ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", joint->parts[0].path);
    joint_rewind(joint);
    for (size_t have = READ_BYTES; status == STATUS_OK && have == READ_BYTES;) {
        have = 0;
        status = joint_read(joint, bytes, READ_BYTES, &have, err);
    }
    free(bytes);
    joint_rewind(joint);
    return status;
}

// The first line of the text that begins in a part; UINT64_MAX if the part was not reached yet.
static uint64_t first_line(const struct part *part)
{
    return atomic_load(&part->is_begun) ? part->lines_before + 1 + part->begins_in_line
                                        : UINT64_MAX;
}

// Moves the locator to a line of the text. If it is already after that line, it starts again.
// False: there are fewer lines, or no memory.
static bool locate(struct joint *joint, uint64_t line)
{
    size_t number;
    uint64_t line_in_file;
    struct error err;
    bool is_end = false;
    if (joint->locator && merge_line(joint->locator, &number, &line_in_file) > line) {
        merge_close(joint->locator);
        joint->locator = NULL;
    }
    if (!joint->locator && !(joint->locator = open_merge(joint)))
        return false;
    while (!is_end && merge_line(joint->locator, &number, &line_in_file) < line) {
        if (merge_skip_line(joint->locator, &is_end, &err) != STATUS_OK)
            return false;
    }
    return !is_end;
}

static uint64_t merged_line_of_file(struct joint *joint, size_t wanted, uint64_t wanted_line)
{
    for (uint64_t line = 1; wanted_line && locate(joint, line); line++) {
        size_t number;
        uint64_t line_in_file;
        merge_line(joint->locator, &number, &line_in_file);
        if (number == wanted && line_in_file == wanted_line)
            return line;
    }
    return 0;
}

size_t joint_file_of_line(struct joint *joint, uint64_t line, uint64_t *line_in_file)
{
    size_t number = 0;
    if (joint->stamp) {
        *line_in_file = 0;
        if (locate(joint, line))
            merge_line(joint->locator, &number, line_in_file);
        return number;
    }
    number = joint->count - 1;
    while (number && first_line(&joint->parts[number]) > line)
        number--;
    *line_in_file = line - joint->parts[number].lines_before;
    return number;
}

uint64_t joint_line_of_file(struct joint *joint, size_t number, uint64_t line_in_file)
{
    if (joint->stamp)
        return merged_line_of_file(joint, number, line_in_file);
    const struct part *part = &joint->parts[number];
    if (line_in_file == 0 || line_in_file > UINT64_MAX - part->lines_before)
        return 0;
    uint64_t line = part->lines_before + line_in_file;
    bool is_after = number + 1 < joint->count && line >= first_line(part + 1);
    return is_after ? 0 : line;
}

// --- Whether files have changed
// -------------------------------------------------------------------

static enum status sample_part(struct part *part, uint64_t size_bytes, struct error *err)
{
    const struct map *map = &part->map;
    if (part->has_sample && part->sampled_bytes == size_bytes &&
        part->sampled_mtime_ns == map->mtime_ns)
        return STATUS_OK;
    enum status status = fingerprint_sample(&part->sample, map->fd, size_bytes, part->path, err);
    part->has_sample = status == STATUS_OK;
    part->sampled_bytes = size_bytes;
    part->sampled_mtime_ns = map->mtime_ns;
    return status;
}

enum status joint_fingerprint(struct joint *joint, struct fingerprint *fingerprint,
                              struct error *err)
{
    struct fingerprint *each = calloc(joint->count, sizeof *each);
    enum status status =
        each ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", joint->parts[0].path);
    for (size_t i = 0; i < joint->count && status == STATUS_OK; i++) {
        const struct part *part = &joint->parts[i];
        uint64_t size_bytes = joint_read_bytes(joint, i);
        status = sample_part(&joint->parts[i], size_bytes, err);
        const struct hash128 sample = joint_beginning(joint, i).sample;
        each[i] = (struct fingerprint){size_bytes, part->map.mtime_ns, sample};
    }
    if (status == STATUS_OK)
        *fingerprint = fingerprint_join(each, joint->count);
    free(each);
    return status;
}

int joint_fd(const struct joint *joint)
{
    return joint->rights_fd;
}

enum map_change joint_change(const struct joint *joint)
{
    enum map_change all = MAP_SAME;
    for (size_t i = 0; i < joint->count; i++) {
        enum map_change change = map_change_of(&joint->parts[i].map);
        if (change == MAP_CHANGED || (change == MAP_GROWN && !joint_may_grow(joint, i)))
            return MAP_CHANGED;
        all = change == MAP_GROWN ? MAP_GROWN : all;
    }
    return all;
}

bool joint_is_replaced(const struct joint *joint)
{
    for (size_t i = 0; i < joint->count; i++) {
        const struct file_stamp now = file_stamp_at(joint->parts[i].path);
        const struct file_stamp mapped = file_stamp_of(joint->parts[i].map.fd);
        if (!file_stamp_is_none(&now) && !file_stamp_is_same_file(&now, &mapped))
            return true;
    }
    return false;
}
