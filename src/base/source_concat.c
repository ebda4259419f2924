// A source of several files: either the files of a rotated trace, whose text is concatenated, or
// files of several cores, which are merged by time (base/merge.h). Each may be compressed.
//
// All files stay open from the beginning, so that the files that were identified are the ones that
// are read, and each is mapped, guarded and checked for changes by itself; a compressed one is
// decompressed when its turn comes. The text is copied into the buffers of chunks, because a line
// may continue in the next file, and a chunk is one member of memory. Where a file
// begins in the text, in bytes and lines, is known only when everything before it was read, because
// a compressed file does not tell how long its text is.
#include "base/source_concat.h"

#include "base/file_stamp.h"
#include "base/limits.h"
#include "base/line_ends.h"
#include "base/unpack/seekable.h"
#include "base/unpack/unpack_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// --- Rights --------------------------------------------------------------------------------------

bool concat_have_same_rights(int a, int b)
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

// Makes the file of source_fd. -1: no memory.
static int make_rights_fd(const struct concat *concat)
{
    int first = concat->parts[0].map.fd;
    bool is_same = true;
    for (size_t i = 1; i < concat->count; i++)
        is_same &= concat_have_same_rights(first, concat->parts[i].map.fd);
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

enum status concat_open_part(struct part *part, struct error *err)
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
    return part->map.data ? codec_of(&part->packed, &part->codec, err) : STATUS_OK;
}

// Prepares the merging of the open files.
static enum status prepare_merge(struct concat *concat, struct error *err)
{
    concat->is_found = true; // merged files have no beginnings in the text
    concat->merge_files = calloc(concat->count, sizeof *concat->merge_files);
    if (!concat->merge_files)
        return error_set(err, STATUS_MEMORY, "%s: no memory", concat->parts[0].path);
    for (size_t i = 0; i < concat->count; i++) {
        const struct part *part = &concat->parts[i];
        concat->merge_files[i] = (struct merge_file){part->path,    &part->map, part->codec,
                                                     &part->packed, part->core, false};
    }
    return STATUS_OK;
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

bool concat_may_grow(const struct concat *concat, size_t number)
{
    return concat->stamp || number + 1 == concat->count;
}

static uint64_t end_at_line(struct source *source)
{
    struct concat *concat = concat_of(source);
    uint64_t left_out = 0;
    for (size_t i = 0; i < concat->count && !source->is_followed; i++)
        left_out += concat_may_grow(concat, i) ? end_part_at_line(&concat->parts[i]) : 0;
    return left_out;
}

static void end_part(struct part *part)
{
    unpack_stream_close(part->unpack_stream);
    part->unpack_stream = NULL;
    part->at = part->left_bytes = 0;
}

static void close_files(struct source *source)
{
    struct concat *concat = concat_of(source);
    for (size_t i = 0; i < concat->count; i++) {
        end_part(&concat->parts[i]);
        map_close(&concat->parts[i].map);
    }
    if (concat->rights_fd >= 0)
        close(concat->rights_fd);
    merge_close(concat->merge);
    merge_close(concat->locator);
    access_points_free(&concat->access_points);
    free(concat->merge_files);
    free(concat->parts);
}

// --- Reading -------------------------------------------------------------------------------------

void concat_rewind(struct source *source)
{
    struct concat *concat = concat_of(source);
    for (size_t i = 0; i < concat->count; i++)
        end_part(&concat->parts[i]);
    merge_close(concat->merge);
    concat->merge = NULL;
    concat->reading = 0;
    concat->at = concat->lines = 0;
    concat->is_at_line_start = true;
    concat->is_held = false;
    concat->fault = (struct merge_fault){0};
    concat->keeps_access_points = concat->wants_access_points && !concat->stamp;
    access_points_free(&concat->access_points);
}

static enum status read_packed(struct concat *concat, struct part *part, char *bytes, size_t wanted,
                               size_t *have, struct error *err)
{
    struct error cause;
    if (!part->unpack_stream) {
        part->unpack_stream =
            unpack_stream_open(part->codec, &part->packed, concat->source.threads);
        if (!part->unpack_stream)
            return error_set(err, STATUS_MEMORY, "%s: no memory", part->path);
        if (concat->keeps_access_points)
            unpack_stream_keep_access_points(part->unpack_stream);
    }
    if (unpack_stream_read(part->unpack_stream, bytes, wanted, have, &cause) != STATUS_OK)
        return error_set(err, cause.status, "%s: %s", part->path, cause.text);
    const struct unpack_stream_fault fault = unpack_stream_fault(part->unpack_stream);
    if (*have < wanted && fault.text) {
        concat->fault = (struct merge_fault){part->path, fault.text, fault.packed_byte};
        concat->fault_plain_byte = part->first_byte + fault.plain_byte;
    }
    return STATUS_OK;
}

static void advance(struct concat *concat, struct part *part, const char *bytes, size_t size_bytes)
{
    if (!size_bytes)
        return;
    part->at += size_bytes;
    concat->at += size_bytes;
    concat->is_at_line_start = bytes[size_bytes - 1] == '\n';
    if (!concat->is_found)
        concat->lines += line_count_in(bytes, bytes + size_bytes);
}

static void begin_part(struct concat *concat)
{
    struct part *part = &concat->parts[concat->reading];
    if (part->at)
        return;
    if (!concat->is_found) { // lines are only counted the first time
        part->first_byte = concat->at;
        part->lines_before = concat->lines;
        part->begins_in_line = !concat->is_at_line_start;
        atomic_store(&part->is_begun, true);
    }
    const struct access_point_file file = {part->first_byte, part->lines_before,
                                           part->begins_in_line};
    if (concat->keeps_access_points && concat->access_points.files.count == concat->reading)
        concat->keeps_access_points = access_points_add_file(&concat->access_points, &file);
}

// How much of a member to read at once: after concat_hold, only the rest of its current line.
static size_t room_in(const struct concat *concat, const struct part *part, size_t room)
{
    size_t left = (size_t)u64_min(room, part->map.size_bytes - part->at);
    if (!concat->is_held || !left)
        return room;
    const char *start = part->map.data + part->at, *newline = memchr(start, '\n', left);
    return newline ? (size_t)(newline - start) + 1 : room;
}

// Releases the part that was read, and continues with the next one.
static void leave_part(struct concat *concat)
{
    struct part *part = &concat->parts[concat->reading++];
    if (concat->keeps_access_points && part->at && part->codec) { // the places recorded in it
        const struct access_points *found =
            part->unpack_stream ? unpack_stream_access_points(part->unpack_stream) : NULL;
        concat->keeps_access_points = found && access_points_add(&concat->access_points, found);
    }
    if (part->map.data && !part->codec)
        madvise((void *)(uintptr_t)part->map.data, part->map.size_bytes, MADV_DONTNEED);
    end_part(part);
}

static struct merge *open_merge(const struct concat *concat)
{
    return merge_open(concat->merge_files, concat->count, concat->stamp, concat->prefix);
}

static enum status read_merged(struct concat *concat, char *bytes, size_t wanted, size_t *have,
                               struct error *err)
{
    size_t before = *have;
    if (!concat->merge && !(concat->merge = open_merge(concat)))
        return error_set(err, STATUS_MEMORY, "%s: no memory", concat->parts[0].path);
    enum status status = merge_read(concat->merge, bytes, wanted, have, concat->is_held, err);
    const struct merge_fault fault = merge_fault(concat->merge);
    concat->at += *have - before;
    if (*have < wanted)
        concat->text_bytes = concat->at;
    if (fault.text) {
        concat->fault = fault;
        concat->fault_plain_byte = UINT64_MAX;
    }
    return status;
}

static enum status read_members(struct concat *concat, char *bytes, size_t wanted, size_t *have,
                                struct error *err)
{
    while (*have < wanted && concat->reading < concat->count && !concat->fault.text) {
        struct part *part = &concat->parts[concat->reading];
        if (concat->is_held && concat->is_at_line_start)
            break;
        size_t got = 0, room = room_in(concat, part, wanted - *have);
        begin_part(concat);
        if (part->codec) {
            enum status status = read_packed(concat, part, bytes + *have, room, &got, err);
            if (status != STATUS_OK)
                return status;
        } else {
            got = (size_t)u64_min(room, part->map.size_bytes - part->at);
            if (got) {
                memcpy(bytes + *have, part->map.data + part->at, got);
                part->left_bytes = map_leave(&part->map, part->left_bytes, part->at + got);
            }
        }
        advance(concat, part, bytes + *have, got);
        *have += got;
        if (got < room && !concat->fault.text) {
            bool is_done = !concat->source.is_followed || (concat->reading + 1 < concat->count &&
                                                           part->at == part->map.file_bytes);
            if (!is_done)
                break;
            leave_part(concat);
        }
        if (concat->fault.text || concat->reading == concat->count) {
            // Ends the text. Parts after a damaged one have no text.
            concat->access_points.text_bytes = concat->at;
            if (!concat->is_found) {
                for (size_t i = concat->reading + 1; i < concat->count; i++) {
                    concat->parts[i].first_byte = concat->at;
                    concat->parts[i].lines_before = concat->lines;
                    atomic_store(&concat->parts[i].is_begun, true);
                }
                concat->is_found = true;
                concat->text_bytes = concat->at;
            }
        }
    }
    return STATUS_OK;
}

static enum status read_in_order(struct source *source, char *bytes, size_t wanted, size_t *have,
                                 struct error *err)
{
    struct concat *concat = concat_of(source);
    enum status status = concat->stamp ? read_merged(concat, bytes, wanted, have, err)
                                       : read_members(concat, bytes, wanted, have, err);
    source->is_ended = status == STATUS_OK && *have < wanted;
    return status;
}

// Plain files have every part of the text at hand.
static bool read_at(const struct source *source, uint64_t position, char *bytes, size_t size_bytes,
                    size_t *have)
{
    const struct concat *concat = const_concat_of(source);
    *have = 0;
    if (concat->stamp || !concat_is_plain(concat))
        return false;
    for (size_t i = 0; i < concat->count && *have < size_bytes; i++) {
        const struct map *map = &concat->parts[i].map;
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

static uint64_t text_bytes(const struct source *source)
{
    const struct concat *concat = const_concat_of(source);
    uint64_t size_bytes = 0;
    if (concat->source.is_followed)
        return concat->at;
    for (size_t i = 0; i < concat->count; i++)
        size_bytes += concat->parts[i].map.size_bytes;
    return !concat->stamp && concat_is_plain(concat) ? size_bytes : concat->text_bytes;
}

static struct source_fault fault_of(const struct source *source)
{
    const struct concat *concat = const_concat_of(source);
    const struct merge_fault *fault = &concat->fault;
    return (struct source_fault){fault->path, fault->text, fault->packed_byte,
                                 concat->fault_plain_byte};
}

// --- Places to start again -----------------------------------------------------------------------

static void keep_access_points(struct source *source)
{
    concat_of(source)->wants_access_points = true;
    concat_rewind(source);
}

static const struct access_points *access_points_of(const struct source *source)
{
    const struct concat *concat = const_concat_of(source);
    bool is_whole =
        concat->keeps_access_points && concat->reading == concat->count && !concat->fault.text;
    return is_whole && concat->at && !concat_is_plain(concat) ? &concat->access_points : NULL;
}

// Afterwards it is known where each file begins.
static struct seekable *use_access_points(struct source *source,
                                          struct access_points *access_points)
{
    struct concat *concat = concat_of(source);
    struct packed_file *files = concat->stamp ? NULL : calloc(concat->count, sizeof *files);
    struct seekable *seekable = NULL;
    for (size_t i = 0; files && i < concat->count; i++) {
        const struct part *part = &concat->parts[i];
        files[i] = (struct packed_file){part->path, part->codec, &part->packed};
    }
    if (files && access_points_may_be_of(access_points, files, concat->count)) {
        // Takes the known beginnings of all files.
        for (size_t i = 0; i < concat->count && !concat->is_found; i++) {
            const struct access_point_file *file = &access_points->files.items[i];
            struct part *part = &concat->parts[i];
            part->first_byte = file->plain_byte;
            part->lines_before = file->lines_before;
            part->begins_in_line = file->begins_in_line;
            atomic_store(&part->is_begun, true);
        }
        concat->is_found = true;
        concat->text_bytes = access_points->text_bytes;
        seekable = seekable_open(files, concat->count, access_points, concat->source.threads);
    }
    free(files);
    return seekable;
}

// --- The files -----------------------------------------------------------------------------------

static size_t file_count(const struct source *source)
{
    return const_concat_of(source)->count;
}

static struct source_file file_of(const struct source *source, size_t number)
{
    const struct part *part = &const_concat_of(source)->parts[number];
    return (struct source_file){part->path,        part->codec ? part->codec->name : NULL,
                                part->map.data,    part->map.size_bytes,
                                part->core,        part->first_byte,
                                part->lines_before};
}

static enum status find_files(struct source *source, struct error *err)
{
    enum { READ_BYTES = 1 << 18 };
    if (concat_of(source)->is_found)
        return STATUS_OK;
    char *bytes = malloc(READ_BYTES);
    enum status status =
        bytes ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", source->path);
    concat_rewind(source);
    for (size_t have = READ_BYTES; status == STATUS_OK && have == READ_BYTES;) {
        have = 0;
        status = read_in_order(source, bytes, READ_BYTES, &have, err);
    }
    free(bytes);
    source_rewind(source);
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
static bool locate(struct concat *concat, uint64_t line)
{
    size_t number;
    uint64_t line_in_file;
    struct error err;
    bool is_end = false;
    if (concat->locator && merge_line(concat->locator, &number, &line_in_file) > line) {
        merge_close(concat->locator);
        concat->locator = NULL;
    }
    if (!concat->locator && !(concat->locator = open_merge(concat)))
        return false;
    while (!is_end && merge_line(concat->locator, &number, &line_in_file) < line) {
        if (merge_skip_line(concat->locator, &is_end, &err) != STATUS_OK)
            return false;
    }
    return !is_end;
}

static uint64_t merged_line_of_file(struct concat *concat, size_t wanted, uint64_t wanted_line)
{
    for (uint64_t line = 1; wanted_line && locate(concat, line); line++) {
        size_t number;
        uint64_t line_in_file;
        merge_line(concat->locator, &number, &line_in_file);
        if (number == wanted && line_in_file == wanted_line)
            return line;
    }
    return 0;
}

static size_t file_of_line(struct source *source, uint64_t line, uint64_t *line_in_file)
{
    struct concat *concat = concat_of(source);
    size_t number = 0;
    if (concat->stamp) {
        *line_in_file = 0;
        if (locate(concat, line))
            merge_line(concat->locator, &number, line_in_file);
        return number;
    }
    number = concat->count - 1;
    while (number && first_line(&concat->parts[number]) > line)
        number--;
    *line_in_file = line - concat->parts[number].lines_before;
    return number;
}

static uint64_t line_of_file(struct source *source, size_t number, uint64_t line_in_file)
{
    struct concat *concat = concat_of(source);
    if (concat->stamp)
        return merged_line_of_file(concat, number, line_in_file);
    const struct part *part = &concat->parts[number];
    if (line_in_file == 0 || line_in_file > UINT64_MAX - part->lines_before)
        return 0;
    uint64_t line = part->lines_before + line_in_file;
    bool is_after = number + 1 < concat->count && line >= first_line(part + 1);
    return is_after ? 0 : line;
}

// --- Whether files have changed -----------------------------------------------------------------

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

enum status concat_fingerprint(struct source *source, struct fingerprint *fingerprint,
                               struct error *err)
{
    struct concat *concat = concat_of(source);
    struct fingerprint *each = calloc(concat->count, sizeof *each);
    enum status status =
        each ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", concat->parts[0].path);
    for (size_t i = 0; i < concat->count && status == STATUS_OK; i++) {
        const struct part *part = &concat->parts[i];
        uint64_t size_bytes = concat_read_bytes(source, i);
        status = sample_part(&concat->parts[i], size_bytes, err);
        const struct hash128 sample = concat_beginning(concat, i).sample;
        each[i] = (struct fingerprint){size_bytes, part->map.mtime_ns, sample};
    }
    if (status == STATUS_OK)
        *fingerprint = fingerprint_join(each, concat->count);
    free(each);
    return status;
}

static int rights_fd(const struct source *source)
{
    return const_concat_of(source)->rights_fd;
}

// Only the last file, or some merged files, may grow.
static enum map_change change_of(const struct source *source)
{
    const struct concat *concat = const_concat_of(source);
    enum map_change all = MAP_SAME;
    for (size_t i = 0; i < concat->count; i++) {
        enum map_change change = map_change_of(&concat->parts[i].map);
        if (change == MAP_CHANGED || (change == MAP_GROWN && !concat_may_grow(concat, i)))
            return MAP_CHANGED;
        all = change == MAP_GROWN ? MAP_GROWN : all;
    }
    return all;
}

bool concat_is_replaced(const struct source *source)
{
    const struct concat *concat = const_concat_of(source);
    for (size_t i = 0; i < concat->count; i++) {
        const struct file_stamp now = file_stamp_at(concat->parts[i].path);
        const struct file_stamp mapped = file_stamp_of(concat->parts[i].map.fd);
        if (!file_stamp_is_none(&now) && !file_stamp_is_same_file(&now, &mapped))
            return true;
    }
    return false;
}

// --- The kind ------------------------------------------------------------------------------------

static const struct source_kind concat_kind = {
    .is_file = true,
    .is_synthesized = true,
    .has_files = true,
    .read = read_in_order,
    .rewind = concat_rewind,
    .text_bytes = text_bytes,
    .fault = fault_of,
    .read_at = read_at,
    .close = close_files,
    .keep_access_points = keep_access_points,
    .access_points = access_points_of,
    .use_access_points = use_access_points,
    .file_count = file_count,
    .file = file_of,
    .fd = rights_fd,
    .fingerprint = concat_fingerprint,
    .change = change_of,
    .begins_as_before = concat_begins_as_before,
    .is_replaced = concat_is_replaced,
    .has_no_writers = concat_has_no_writers,
    .end_at_line = end_at_line,
    .begins_with = concat_begins_with,
    .end_after = concat_end_after,
    .following = &concat_following,
    .find_files = find_files,
    .file_of_line = file_of_line,
    .line_of_file = line_of_file,
    .file_read_bytes = concat_read_bytes,
    .file_beginning = concat_file_beginning,
};

enum status source_open_files(struct source **out, const char *const *paths, size_t count,
                              const struct source_files_options *options, struct error *err)
{
    if (count > LIMIT_TRACE_FILES)
        return error_set(err, STATUS_LIMIT, "%s: the trace consists of more than %d files",
                         paths[0], LIMIT_TRACE_FILES);
    struct source *source = source_make(&concat_kind, sizeof(struct concat), paths[0], err);
    if (!source)
        return STATUS_MEMORY;
    struct concat *concat = concat_of(source);
    concat->stamp = options->cores ? options->stamp : NULL;
    concat->prefix = options->prefix;
    concat->rights_fd = -1;
    concat->is_at_line_start = true;
    // The usual limit is too low for one file for each of a thousand cores.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count + 256) {
        limit.rlim_cur = u64_min(limit.rlim_max, count + 256);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    concat->parts = calloc(count, sizeof *concat->parts);
    enum status status =
        concat->parts ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", paths[0]);
    while (status == STATUS_OK && concat->count < count) {
        concat->parts[concat->count].path = paths[concat->count];
        concat->parts[concat->count].core = options->cores ? options->cores[concat->count] : NULL;
        status = concat_open_part(&concat->parts[concat->count], err);
        concat->count += status == STATUS_OK;
    }
    if (status == STATUS_OK && (concat->rights_fd = make_rights_fd(concat)) < 0)
        status = error_set_errno(err, paths[0], "open");
    if (status == STATUS_OK && concat->stamp)
        status = prepare_merge(concat, err);
    if (status != STATUS_OK) {
        source_close(source);
        return status;
    }
    source->is_followed = options->follows && concat_is_plain(concat);
    if (source->is_followed)
        concat_follow(concat);
    *out = source;
    return STATUS_OK;
}
