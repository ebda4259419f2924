// What all kinds of sources have in common: chunks of the text, in memory or read in order, and the
// ways to bring the whole text, or parts of it, into memory. What differs is in the table of the
// kind (base/source_kind.h).
#include "base/source.h"

#include "base/interrupt.h"
#include "base/limits.h"
#include "base/source_kind.h"
#include "base/unpack/codec.h"
#include "base/unpack/seekable.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Opening -------------------------------------------------------------------------------------

struct source *source_make(const struct source_kind *kind, size_t size_bytes, const char *path,
                           struct error *err)
{
    struct source *source = calloc(1, size_bytes);
    if (!source || !(source->path = strdup(path))) {
        free(source);
        error_set(err, STATUS_MEMORY, "%s: no memory", path);
        return NULL;
    }
    source->kind = kind;
    source->threads = 1;
    return source;
}

enum status source_open(struct source **source, const char *path, enum source_decoding decoding,
                        struct error *err)
{
    struct stat info;
    bool is_stdin = decoding == SOURCE_DECODED && strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set_errno(err, path, "open");
    if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
        enum status status = S_ISDIR(info.st_mode)
                                 ? error_set(err, STATUS_INPUT, "%s: is a directory", path)
                                 : error_set_errno(err, path, "stat");
        close(fd);
        return status;
    }
    if (!S_ISREG(info.st_mode))
        return source_pipe_open(source, path, fd, err);
    struct map map;
    enum status status = map_open(&map, fd, path, err);
    if (status != STATUS_OK)
        return status;
    if (map.data)
        madvise((void *)(uintptr_t)map.data, map.size_bytes, MADV_SEQUENTIAL);
    const struct packed packed = {(const uint8_t *)map.data, map.size_bytes};
    const struct codec *codec = NULL;
    if (decoding == SOURCE_DECODED && map.data)
        status = codec_of(&packed, &codec, err);
    if (status != STATUS_OK) {
        map_close(&map);
        return status;
    }
    return codec ? source_unpacked_open(source, path, &map, codec, err)
                 : source_mapped_open(source, path, &map, is_stdin, err);
}

void source_set_threads(struct source *source, unsigned threads)
{
    source->threads = threads;
    if (source->kind->set_threads)
        source->kind->set_threads(source);
}

void source_close(struct source *source)
{
    if (!source)
        return;
    source->kind->close(source);
    seekable_close(source->seekable);
    spool_free(&source->spool);
    free(source->carry);
    free(source->path);
    free(source);
}

// --- What it is ----------------------------------------------------------------------------------

uint64_t source_size_bytes(const struct source *source)
{
    return source->text.size_bytes;
}

uint64_t source_text_bytes(const struct source *source)
{
    return source->text.is_at_hand    ? source->text.size_bytes
           : source->seekable         ? seekable_text_bytes(source->seekable)
           : source->kind->text_bytes ? source->kind->text_bytes(source)
                                      : 0;
}

int source_fd(const struct source *source)
{
    return source->kind->fd ? source->kind->fd(source) : -1;
}

bool source_is_mapped(const struct source *source)
{
    return source->text.is_at_hand;
}

bool source_is_file(const struct source *source)
{
    return source->kind->is_file;
}

bool source_is_synthesized(const struct source *source)
{
    return source->kind->is_synthesized;
}

const char *source_packed_by(const struct source *source)
{
    return source->packed_by;
}

const char *source_bytes(const struct source *source)
{
    return source->text.bytes;
}

struct source_fault source_fault(const struct source *source)
{
    return source->kind->fault ? source->kind->fault(source)
                               : (struct source_fault){.path = source->path};
}

// --- Chunks --------------------------------------------------------------------------------------

void source_rewind(struct source *source)
{
    bool is_at_hand = source->text.is_at_hand;
    ASSERT(source_is_file(source) || is_at_hand);
    // A text that was read into memory is not read again.
    if (source->kind->rewind && !(is_at_hand && source->kind->read))
        source->kind->rewind(source);
    if (!is_at_hand) {
        source->is_ended = false;
        source->carry_run_in_bytes = source->carry_bytes = 0;
    }
    source->offset = 0;
    source->is_in_line = false;
}

// Where a chunk of [data, data + available) ends: after the first newline at or after the target.
// SIZE_MAX: more bytes are needed. *is_in_line: the line is too long to reach its end.
static size_t chunk_end(const char *data, size_t available, size_t target_bytes, bool is_all,
                        bool *is_in_line)
{
    *is_in_line = false;
    if (available <= target_bytes)
        return is_all ? available : SIZE_MAX;
    size_t from = target_bytes - 1;
    size_t window = (size_t)u64_min(available - from, LIMIT_LINE_BYTES + 1);
    const char *newline = memchr(data + from, '\n', window);
    if (newline)
        return (size_t)(newline - data) + 1;
    if (window <= LIMIT_LINE_BYTES)
        return is_all ? available : SIZE_MAX;
    *is_in_line = true;
    return from + window;
}

static bool buffer_reserve(char **bytes, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity)
        return true;
    char *grown = realloc(*bytes, wanted);
    if (!grown)
        return false;
    *bytes = grown;
    *capacity = wanted;
    return true;
}

// Reads until the buffer has `wanted` bytes, or the text ends.
static enum status fill(struct source *source, char *bytes, size_t wanted, size_t *have,
                        struct error *err)
{
    return *have < wanted && !source->is_ended
               ? source->kind->read(source, bytes, wanted, have, err)
               : STATUS_OK;
}

enum status source_peek(struct source *source, void *bytes, size_t size_bytes, size_t *have,
                        struct error *err)
{
    enum status status = STATUS_OK;
    ASSERT(source->offset == 0);
    if (source->text.is_at_hand) {
        *have = (size_t)u64_min(size_bytes, source->text.size_bytes);
    } else {
        if (!buffer_reserve(&source->carry, &source->carry_capacity, size_bytes))
            return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
        status = fill(source, source->carry, size_bytes, &source->carry_bytes, err);
        *have = (size_t)u64_min(size_bytes, source->carry_bytes);
    }
    if (*have)
        memcpy(bytes, source->text.is_at_hand ? source->text.bytes : source->carry, *have);
    return status;
}

#define READ_BYTES ((size_t)1 << 20)

static enum status read_to_end(struct source *source, struct error *err)
{
    struct spool *spool = &source->spool;
    size_t have = source->carry_bytes; // in this round
    char *at = spool_reserve(spool, READ_BYTES + have);
    if (at && have)
        memcpy(at, source->carry, have);
    while (at) {
        enum status status = fill(source, at, READ_BYTES, &have, err);
        spool->used_bytes += have;
        atomic_store(&source->spooled_bytes, spool->used_bytes);
        if (status != STATUS_OK || source->is_ended)
            return status;
        have = 0;
        at = spool_reserve(spool, READ_BYTES);
    }
    return error_set_errno(err, source->path, "no room for the trace");
}

enum status source_read_all(struct source *source, const char **bytes, uint64_t *size_bytes,
                            struct error *err)
{
    enum status status = STATUS_OK;
    ASSERT(source->offset == 0);
    if (!source->text.is_at_hand) {
        status = read_to_end(source, err);
        source->text = (struct source_text){source->spool.base, source->spool.used_bytes, true};
    }
    *bytes = source->text.bytes;
    *size_bytes = source->text.size_bytes;
    return status;
}

enum status source_lay_out(struct source *source, struct error *err)
{
    const char *bytes;
    uint64_t size_bytes;
    if (source->text.is_at_hand || !source->kind->is_synthesized)
        return STATUS_OK;
    source_rewind(source);
    if (source->seekable) { // the whole text, by recorded places
        size_bytes = seekable_text_bytes(source->seekable);
        if (!seekable_want(source->seekable, 0, size_bytes))
            return seekable_status(source->seekable, err);
        source->text = (struct source_text){seekable_text(source->seekable), size_bytes, true};
        return STATUS_OK;
    }
    source->kind->keep_access_points(source); // for an index that may be made of it
    source->spool.used_bytes = 0;             // discards the result of a failed attempt
    return source_read_all(source, &bytes, &size_bytes, err);
}

// --- Views ---------------------------------------------------------------------------------------

void source_keep_access_points(struct source *source)
{
    if (!source->kind->keep_access_points || source->text.is_at_hand)
        return;
    ASSERT(source->offset == 0);
    source_rewind(source); // the first bytes may have been read already
    source->kind->keep_access_points(source);
}

const struct access_points *source_access_points(const struct source *source)
{
    return source->kind->access_points ? source->kind->access_points(source) : NULL;
}

void source_use_access_points(struct source *source, struct access_points *access_points)
{
    if (source->kind->use_access_points && !source->seekable)
        source->seekable = source->kind->use_access_points(source, access_points);
    access_points_free(access_points);
}

void source_share_view(struct source *source, struct source *first)
{
    source->first = first;
}

static const struct source *viewed(const struct source *source)
{
    return source->first ? source->first : source;
}

static enum status open_view(struct source *source, struct source_view *view, struct error *err)
{
    *view = (struct source_view){0};
    if (!source->text.is_at_hand && source->seekable)
        view->bytes = seekable_text(source->seekable);
    if (view->bytes) {
        view->size_bytes = seekable_text_bytes(source->seekable);
        source->is_seekable_shown = true;
        return STATUS_OK;
    }
    enum status status = source_lay_out(source, err);
    if (status == STATUS_OK)
        *view = (struct source_view){source->text.bytes, source->text.size_bytes};
    return status;
}

enum status source_view(struct source *source, struct source_view *view, struct error *err)
{
    return open_view(source->first ? source->first : source, view, err);
}

struct source_view source_view_so_far(const struct source *source)
{
    uint64_t size_bytes = atomic_load(&source->spooled_bytes);
    return (struct source_view){size_bytes ? source->spool.base : NULL, size_bytes};
}

bool source_makes_view(const struct source *source)
{
    return viewed(source)->is_seekable_shown;
}

bool source_want(const struct source *source, uint64_t from, uint64_t to)
{
    return !source_makes_view(source) || seekable_want(viewed(source)->seekable, from, to);
}

enum status source_view_status(const struct source *source, struct error *err)
{
    return source_makes_view(source) ? seekable_status(viewed(source)->seekable, err) : STATUS_OK;
}

uint64_t source_unpacked_bytes(const struct source *source)
{
    const struct seekable *seekable = viewed(source)->seekable;
    return seekable ? seekable_made_bytes(viewed(source)->seekable) : 0;
}

// Reads by recorded places. False: they cannot be used.
static bool read_in_part(const struct source *source, uint64_t position, char *bytes,
                         size_t size_bytes, size_t *have)
{
    struct seekable *seekable = viewed(source)->seekable;
    if (viewed(source)->text.is_at_hand || !seekable || !seekable_text(seekable))
        return false;
    uint64_t text_bytes = seekable_text_bytes(seekable);
    *have = position < text_bytes ? (size_t)u64_min(size_bytes, text_bytes - position) : 0;
    if (!seekable_want(seekable, position, position + *have))
        return false;
    memcpy(bytes, seekable_text(seekable) + position, *have);
    return true;
}

size_t source_read_at(struct source *source, uint64_t position, char *bytes, size_t size_bytes)
{
    struct source_view view;
    size_t have;
    if (source->kind->read_at && source->kind->read_at(source, position, bytes, size_bytes, &have))
        return have;
    if (read_in_part(source, position, bytes, size_bytes, &have))
        return have;
    if (source_view(source, &view, NULL) != STATUS_OK || position >= view.size_bytes)
        return 0;
    have = (size_t)u64_min(size_bytes, view.size_bytes - position);
    if (!source_want(source, position, position + have))
        return 0;
    memcpy(bytes, view.bytes + position, have);
    return have;
}

// Stores the text after the chunk for the next call, and the end of the chunk as its run-in.
static bool keep_rest(struct source *source, const char *bytes, size_t end, size_t have)
{
    source->carry_run_in_bytes = (size_t)u64_min(end, SOURCE_RUN_IN_BYTES);
    source->carry_bytes = have - end;
    size_t total = source->carry_run_in_bytes + source->carry_bytes;
    if (!buffer_reserve(&source->carry, &source->carry_capacity, total + 1))
        return false;
    memcpy(source->carry, bytes + end - source->carry_run_in_bytes, total);
    return true;
}

static enum status next_in_order(struct source *source, size_t target_bytes,
                                 struct source_buffer *buffer, struct source_chunk *chunk,
                                 struct error *err)
{
    size_t run_in = source->carry_run_in_bytes;
    size_t have = run_in + source->carry_bytes;
    size_t wanted = run_in + u64_max(target_bytes + 4096, source->carry_bytes + 4096), end;
    bool is_in_line;
    if (!buffer_reserve(&buffer->bytes, &buffer->capacity, wanted))
        return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
    if (have)
        memcpy(buffer->bytes, source->carry, have);
    source->is_ended &= !source->is_followed;
    for (;;) {
        enum status status = fill(source, buffer->bytes, wanted, &have, err);
        if (status != STATUS_OK)
            return status;
        if (source->is_cut_short) { // only whole lines count
            const char *newline = memrchr(buffer->bytes + run_in, '\n', have - run_in);
            have = newline ? (size_t)(newline - buffer->bytes) + 1 : run_in;
        }
        end = chunk_end(buffer->bytes + run_in, have - run_in, target_bytes, source->is_ended,
                        &is_in_line);
        if (end != SIZE_MAX)
            break;
        wanted += (wanted - run_in) / 4 + 4096;
        if (!buffer_reserve(&buffer->bytes, &buffer->capacity, wanted))
            return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
    }
    *chunk = (struct source_chunk){buffer->bytes + run_in, end,  run_in, source->offset,
                                   source->is_in_line,     false};
    if (!keep_rest(source, buffer->bytes, run_in + end, have))
        return error_set(err, STATUS_MEMORY, "%s: no memory for a chunk", source->path);
    source->is_in_line = is_in_line;
    source->offset += end;
    chunk->is_last = source->is_ended && source->carry_bytes == 0 && !source->is_followed;
    return STATUS_OK;
}

void source_end_when_asked(struct source *source, bool heeds)
{
    source->ends_when_asked = heeds;
}

bool source_is_cut_short(const struct source *source)
{
    return source->is_cut_short;
}

bool source_begin_at(struct source *source, uint64_t position)
{
    const struct source_text *text = &source->text;
    if (source->kind->read || position > text->size_bytes ||
        (position && text->bytes[position - 1] != '\n'))
        return false;
    source->offset = position;
    return true;
}

void source_end_chunks_at(struct source *source, uint64_t first, uint64_t second)
{
    source->chunk_ends[0] = first;
    source->chunk_ends[1] = second;
}

enum status source_next(struct source *source, size_t target_bytes, struct source_buffer *buffer,
                        struct source_chunk *chunk, struct error *err)
{
    if (source->ends_when_asked && !source->is_cut_short && interrupt_is_asked()) {
        // Ends the text after the last chunk, unless it has ended anyway.
        bool is_at_hand = source->text.is_at_hand;
        if (!(is_at_hand ? source->offset == source->text.size_bytes
                         : source->is_ended && !source->carry_bytes)) {
            source->is_cut_short = true;
            source->is_ended = true;
            source->carry_bytes = 0;
            if (source->kind->cut)
                source->kind->cut(source, source->offset);
            if (is_at_hand)
                source->text.size_bytes = source->offset;
        }
    }
    // The smallest size of the next chunk, unless the text ends.
    uint64_t target = target_bytes - source->offset % target_bytes; // to the next multiple
    for (size_t i = 0; i < ARRAY_COUNT(source->chunk_ends); i++) {
        if (source->chunk_ends[i] > source->offset)
            target = u64_min(target, source->chunk_ends[i] - source->offset);
    }
    target_bytes = (size_t)target;
    if (!source->text.is_at_hand)
        return next_in_order(source, target_bytes, buffer, chunk, err);
    uint64_t left = source->text.size_bytes - source->offset;
    *chunk = (struct source_chunk){.data = "", .offset = source->offset};
    chunk->is_last = !source->is_followed;
    chunk->starts_in_line = source->is_in_line;
    if (left != 0) {
        if (source->kind->will_read)
            source->kind->will_read(source);
        chunk->data = source->text.bytes + source->offset;
        chunk->run_in_bytes = (size_t)u64_min(source->offset, SOURCE_RUN_IN_BYTES);
        chunk->size_bytes = chunk_end(chunk->data, left, target_bytes, true, &source->is_in_line);
        source->offset += chunk->size_bytes;
        chunk->is_last = chunk->size_bytes == left && !source->is_followed;
    }
    return STATUS_OK;
}

void source_populate(const struct source *source, const struct source_chunk *chunk)
{
    if (source->kind->populate)
        source->kind->populate(chunk);
}

void source_release(const struct source *source, const struct source_chunk *chunk)
{
    if (source->kind->release)
        source->kind->release(chunk);
}

// --- Files that change ---------------------------------------------------------------------------

void source_end_at_line(struct source *source)
{
    if (source->kind->end_at_line)
        source->unfinished_bytes = source->kind->end_at_line(source);
}

uint64_t source_unfinished_bytes(const struct source *source)
{
    return source->unfinished_bytes;
}

void source_keep_fingerprint(struct source *source)
{
    struct error err;
    source->has_fingerprint =
        source_is_file(source) && !source->is_followed &&
        source->kind->fingerprint(source, &source->fingerprint, &err) == STATUS_OK;
}

enum status source_fingerprint(struct source *source, struct fingerprint *fingerprint,
                               struct error *err)
{
    *fingerprint = source->fingerprint;
    return source->has_fingerprint ? STATUS_OK
                                   : source->kind->fingerprint(source, fingerprint, err);
}

static enum map_change change_of(const struct source *source)
{
    return source->kind->change ? source->kind->change(source) : MAP_SAME;
}

bool source_is_intact(const struct source *source)
{
    enum map_change change = change_of(source);
    if (change != MAP_GROWN)
        return change == MAP_SAME;
    return source->has_fingerprint && source->kind->begins_as_before(source);
}

bool source_seems_intact(const struct source *source)
{
    return change_of(source) != MAP_CHANGED;
}

bool source_has_grown(const struct source *source)
{
    return change_of(source) == MAP_GROWN;
}

bool source_is_replaced(const struct source *source)
{
    return source->kind->is_replaced && source->kind->is_replaced(source);
}

bool source_has_no_writers(const struct source *source)
{
    return source->kind->has_no_writers && source->kind->has_no_writers(source);
}

bool source_begins_with(const struct source *source, const struct source_beginning *beginning)
{
    return source->kind->begins_with && source->kind->begins_with(source, beginning);
}

void source_end_after(struct source *source, const struct source_beginning *beginning)
{
    source->kind->end_after(source, beginning);
}

// --- Following -----------------------------------------------------------------------------------

bool source_can_be_followed(const struct source *source)
{
    const struct source_following *following = source->kind->following;
    return following && following->is_possible(source);
}

void source_follow(struct source *source)
{
    ASSERT(source_can_be_followed(source) && source->offset == 0);
    source->is_followed = true;
    source->has_fingerprint = false;
    source->unfinished_bytes = 0;
    source->kind->following->begin(source);
}

bool source_settle(struct source *source)
{
    return source->kind->following->settle(source);
}

bool source_has_unread(struct source *source)
{
    return source->kind->following->has_unread(source);
}

uint64_t source_read_bytes(const struct source *source)
{
    return source->offset;
}

enum status source_grow(struct source *source, struct error *err)
{
    return source->kind->following->grow(source, err);
}

enum status source_add_file(struct source *source, const char *path, struct error *err)
{
    return source->kind->following->add_file(source, path, err);
}

enum status source_keep_progress(struct source *source, struct error *err)
{
    return source->kind->following->keep_progress(source, err);
}

void source_end_here(struct source *source, bool takes_rest)
{
    source->kind->following->end_here(source, takes_rest);
    source->is_followed = false;
}

// --- Files ---------------------------------------------------------------------------------------

size_t source_file_count(const struct source *source)
{
    return source->kind->file_count ? source->kind->file_count(source) : 0;
}

struct source_file source_file(const struct source *source, size_t number)
{
    return source->kind->file(source, number);
}

bool source_has_files(const struct source *source)
{
    return source->kind->has_files;
}

enum status source_find_files(struct source *source, struct error *err)
{
    return source->kind->find_files ? source->kind->find_files(source, err) : STATUS_OK;
}

size_t source_file_of_line(struct source *source, uint64_t line, uint64_t *line_in_file)
{
    *line_in_file = line;
    return source->kind->file_of_line ? source->kind->file_of_line(source, line, line_in_file) : 0;
}

uint64_t source_line_of_file(struct source *source, size_t number, uint64_t line_in_file)
{
    return source->kind->line_of_file ? source->kind->line_of_file(source, number, line_in_file)
                                      : line_in_file;
}

uint64_t source_file_read_bytes(const struct source *source, size_t number)
{
    return source->kind->file_read_bytes(source, number);
}

bool source_file_beginning(const struct source *source, size_t number,
                           struct source_file_beginning *beginning)
{
    return source->kind->file_beginning && source->kind->file_beginning(source, number, beginning);
}
