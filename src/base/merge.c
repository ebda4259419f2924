#include "base/merge.h"

#include "base/limits.h"
#include "base/line_ends.h"
#include "base/unpack/unpack_stream.h"

#include <stdlib.h>

// Text that is decompressed at a time; more if a line needs it.
#define WINDOW_BYTES ((size_t)128 << 10)

// The most bytes of a core's name.
enum { NAME_BYTES = LIMIT_LANE_NAME_BYTES };

struct feed {
    const struct merge_file *file;
    const char *base;     // of a mapped file
    const char *at, *end; // the text in memory
    bool is_whole;        // nothing follows
    struct unpack_stream *unpack_stream;
    char *window;
    size_t window_bytes;
    // The line at `at`, after find_line.
    bool has_line;
    const char *line_end; // its newline, or the end
    struct line_stamp stamp;
    unsigned __int128 time; // of the last line with a time (line_stamp_time)
    int exponent;
    uint64_t lines;
    uint64_t left_bytes; // of the mapped text, no longer needed
    bool has_times;
    char core[NAME_BYTES];
    size_t core_length;
};

struct span {
    const char *start;
    size_t length;
};

struct merge {
    struct feed *feeds;
    size_t feed_count;
    line_stamp_function *stamp;
    const struct line_prefix *prefix;
    size_t *heap; // the other feeds that have a line, by time and then by number
    size_t heap_count;
    struct feed *current; // NULL: none yet, or all have ended
    size_t shift;         // blanks to insert in lines after one with an inserted name
    uint64_t lines;
    struct feed *last; // the feed of the last line
    struct span rest[6];
    size_t rest_count, rest_at; // of the current line, still to be copied
    bool is_begun;
    struct merge_fault fault;
};

static const char blanks[NAME_BYTES + 2] = {[0 ... NAME_BYTES + 1] = ' '};

// --- One file ------------------------------------------------------------------------------------

static enum status no_memory(const struct feed *feed, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", feed->file->path);
}

static bool grow_window(struct feed *feed, size_t wanted)
{
    if (wanted <= feed->window_bytes)
        return true;
    char *grown = realloc(feed->window, wanted);
    if (!grown)
        return false;
    feed->window = grown;
    feed->window_bytes = wanted;
    return true;
}

// Decompresses more of a file, after the text in memory.
static enum status refill(struct merge *merge, struct feed *feed, struct error *err)
{
    size_t kept = (size_t)(feed->end - feed->at), have = kept;
    struct error cause;
    if (!feed->unpack_stream &&
        !(feed->unpack_stream = unpack_stream_open(feed->file->codec, feed->file->packed, 1)))
        return no_memory(feed, err);
    size_t offset = feed->window ? (size_t)(feed->at - feed->window) : 0;
    if (kept && offset)
        memmove(feed->window, feed->at, kept);
    if (!grow_window(feed, kept + WINDOW_BYTES))
        return no_memory(feed, err);
    if (unpack_stream_read(feed->unpack_stream, feed->window, kept + WINDOW_BYTES, &have, &cause) !=
        STATUS_OK)
        return error_set(err, cause.status, "%s: %s", feed->file->path, cause.text);
    feed->is_whole = have < kept + WINDOW_BYTES;
    feed->at = feed->window;
    feed->end = feed->window + have;
    const struct unpack_stream_fault fault = unpack_stream_fault(feed->unpack_stream);
    if (feed->is_whole && fault.text && !merge->fault.text)
        merge->fault = (struct merge_fault){feed->file->path, fault.text, fault.packed_byte};
    return STATUS_OK;
}

static enum status check_times(const struct feed *feed, struct error *err)
{
    bool is_header = feed->lines < LIMIT_HEADER_LINES && !feed->is_whole;
    if (feed->has_times || is_header || (feed->is_whole && !feed->lines && feed->at == feed->end))
        return STATUS_OK;
    return error_set(
        err, STATUS_INPUT,
        "%s: its lines have no times, so it cannot be merged with files of other cores",
        feed->file->path);
}

// Finds the next line of a file. Without one, has_line is false.
static enum status find_line(struct merge *merge, struct feed *feed, struct error *err)
{
    feed->has_line = false;
    size_t looked_at = 0;
    for (;;) {
        const char *from = feed->at + looked_at;
        feed->line_end = line_end_at(from, feed->end);
        size_t length = (size_t)(feed->line_end - feed->at);
        bool is_enough = feed->is_whole || !feed->file->codec || length > LIMIT_LINE_BYTES;
        if (feed->line_end < feed->end || is_enough)
            break;
        looked_at = length;
        enum status status = refill(merge, feed, err);
        if (status != STATUS_OK)
            return status;
    }
    if (feed->at == feed->end) {
        feed->is_whole = !feed->file->may_grow;
        return check_times(feed, err);
    }
    feed->has_line = true;
    feed->stamp = merge->stamp(feed->at, feed->line_end, merge->prefix);
    if (feed->stamp.has_time) {
        feed->time = feed->stamp.is_counted ? feed->time + 1
                                            : line_stamp_time(&feed->stamp, &feed->exponent);
        feed->has_times = true;
        return STATUS_OK;
    }
    return feed->has_times || feed->lines < LIMIT_HEADER_LINES ? STATUS_OK : check_times(feed, err);
}

// Whether it is not known yet what comes next in the file.
static bool waits(const struct feed *feed)
{
    return !feed->has_line && !feed->is_whole;
}

// --- The order of files --------------------------------------------------------------------------

static bool comes_before(const struct merge *merge, size_t a, size_t b)
{
    unsigned __int128 time_a = merge->feeds[a].time, time_b = merge->feeds[b].time;
    return time_a != time_b ? time_a < time_b : a < b;
}

static void heap_add(struct merge *merge, size_t feed)
{
    size_t at = merge->heap_count++;
    for (; at && comes_before(merge, feed, merge->heap[(at - 1) / 2]); at = (at - 1) / 2)
        merge->heap[at] = merge->heap[(at - 1) / 2];
    merge->heap[at] = feed;
}

static size_t heap_take(struct merge *merge)
{
    size_t taken = merge->heap[0], moved = merge->heap[--merge->heap_count], at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= merge->heap_count)
            break;
        if (child + 1 < merge->heap_count &&
            comes_before(merge, merge->heap[child + 1], merge->heap[child]))
            child++;
        if (!comes_before(merge, merge->heap[child], moved))
            break;
        merge->heap[at] = merge->heap[child];
        at = child;
    }
    merge->heap[at] = moved;
    return taken;
}

static enum status begin(struct merge *merge, bool *has_to_wait, struct error *err)
{
    for (size_t i = 0; i < merge->feed_count; i++) {
        enum status status = find_line(merge, &merge->feeds[i], err);
        *has_to_wait |= status == STATUS_OK && waits(&merge->feeds[i]);
        if (status != STATUS_OK)
            return status;
    }
    if (*has_to_wait)
        return STATUS_OK;
    merge->is_begun = true;
    for (size_t i = 0; i < merge->feed_count; i++) {
        if (merge->feeds[i].has_line)
            heap_add(merge, i);
    }
    return STATUS_OK;
}

// Finds the next line of the current file. *has_to_wait: it is not certain yet.
static enum status look(struct merge *merge, bool *has_to_wait, struct error *err)
{
    struct feed *feed = merge->current;
    *has_to_wait = false;
    enum status status = merge->is_begun ? STATUS_OK : begin(merge, has_to_wait, err);
    if (status == STATUS_OK && feed) {
        status = find_line(merge, feed, err);
        *has_to_wait = waits(feed);
    }
    return status;
}

// Makes the file of the next line the current one; NULL: all have ended.
static void choose(struct merge *merge)
{
    struct feed *feed = merge->current;
    if (feed && feed->has_line) {
        size_t number = (size_t)(feed - merge->feeds);
        if (!feed->stamp.has_time || !merge->heap_count ||
            comes_before(merge, number, merge->heap[0]))
            return;
        heap_add(merge, number);
    }
    merge->current = merge->heap_count ? &merge->feeds[heap_take(merge)] : NULL;
    merge->shift = 0;
}

// --- Lines ---------------------------------------------------------------------------------------

static void add_span(struct merge *merge, const char *start, size_t length)
{
    if (length)
        merge->rest[merge->rest_count++] = (struct span){start, length};
}

// Whether to insert the core's name into a line. If the name does not begin with "cpu", the line is
// parsed with it, because such a word is a name only before certain words.
static bool wants_name(struct merge *merge, const struct feed *feed)
{
    char line[256];
    size_t at = feed->stamp.name_at, length = (size_t)(feed->line_end - feed->at);
    if (!feed->stamp.has_time || feed->stamp.name_length)
        return false;
    if (memcmp(feed->core, "cpu", 3) == 0)
        return true;
    if (at + feed->core_length + 1 > sizeof line / 2)
        return false;
    size_t rest = (size_t)u64_min(length - at, sizeof line - at - feed->core_length - 1);
    memcpy(line, feed->at, at);
    memcpy(line + at, feed->core, feed->core_length);
    line[at + feed->core_length] = ' ';
    memcpy(line + at + feed->core_length + 1, feed->at + at, rest);
    const struct line_stamp stamp =
        merge->stamp(line, line + at + feed->core_length + 1 + rest, merge->prefix);
    return stamp.name_at == at && stamp.name_length == feed->core_length;
}

// Makes the next line the current one. Its text stays valid until the next line.
static enum status next_line(struct merge *merge, bool *is_end, struct error *err)
{
    enum status status = look(merge, is_end, err);
    if (status != STATUS_OK || *is_end)
        return status;
    choose(merge);
    *is_end = !merge->current;
    if (*is_end)
        return STATUS_OK;
    // Prepares the parts of the current line.
    struct feed *feed = merge->current;
    size_t length = (size_t)(feed->line_end - feed->at), name_at = 0;
    merge->rest_count = merge->rest_at = 0;
    if (feed->stamp.has_time)
        merge->shift = 0;
    if (wants_name(merge, feed)) {
        name_at = feed->stamp.name_at;
        add_span(merge, feed->at, name_at);
        add_span(merge, feed->core, feed->core_length);
        add_span(merge, blanks, 1);
        merge->shift = feed->core_length + 1;
    } else if (!feed->stamp.has_time && length && *feed->at == ' ') {
        add_span(merge, blanks, merge->shift); // so that columns match those of the line before
    }
    if (feed->stamp.name_length) {
        feed->core_length = (size_t)u64_min(feed->stamp.name_length, sizeof feed->core);
        memcpy(feed->core, feed->at + feed->stamp.name_at, feed->core_length);
    }
    add_span(merge, feed->at + name_at, length - name_at);
    add_span(merge, "\n", 1);
    // Finishes the current line.
    const struct map *map = feed->file->map;
    if (!feed->file->codec) // the current line may be read again from the file
        feed->left_bytes = map_leave(map, feed->left_bytes, (uint64_t)(feed->at - map->data));
    feed->at = feed->line_end + (feed->line_end < feed->end);
    feed->lines++;
    merge->lines++;
    merge->last = feed;
    return STATUS_OK;
}

enum status merge_skip_line(struct merge *merge, bool *is_end, struct error *err)
{
    merge->rest_at = merge->rest_count;
    return next_line(merge, is_end, err);
}

enum status merge_read(struct merge *merge, char *bytes, size_t wanted, size_t *have,
                       bool only_line, struct error *err)
{
    for (;;) {
        bool is_end;
        while (merge->rest_at < merge->rest_count && *have < wanted) {
            struct span *span = &merge->rest[merge->rest_at];
            size_t length = (size_t)u64_min(span->length, wanted - *have);
            memcpy(bytes + *have, span->start, length);
            *have += length;
            span->start += length;
            span->length -= length;
            merge->rest_at += span->length == 0;
        }
        if (*have == wanted || only_line)
            return STATUS_OK;
        enum status status = next_line(merge, &is_end, err);
        if (status != STATUS_OK || is_end)
            return status;
    }
}

uint64_t merge_line(const struct merge *merge, size_t *file, uint64_t *line_in_file)
{
    *file = merge->last ? (size_t)(merge->last - merge->feeds) : 0;
    *line_in_file = merge->last ? merge->last->lines : 0;
    return merge->lines;
}

// --- Files that grow -----------------------------------------------------------------------------

bool merge_has_more(struct merge *merge)
{
    struct error err;
    bool has_to_wait;
    if (merge->rest_at < merge->rest_count || look(merge, &has_to_wait, &err) != STATUS_OK)
        return true; // reading will report the error
    bool has_line = merge->current && merge->current->has_line;
    return !has_to_wait && (has_line || merge->heap_count);
}

void merge_refresh(struct merge *merge, size_t number)
{
    struct feed *feed = &merge->feeds[number];
    const struct map *map = feed->file->map;
    const char *base = map->data ? map->data : "";
    ASSERT(!feed->file->codec && merge->rest_at == merge->rest_count);
    if (feed->has_line)
        feed->line_end = base + (feed->line_end - feed->base);
    feed->at = base + (feed->at - feed->base);
    feed->end = base + map->size_bytes;
    feed->base = base;
    feed->is_whole = !feed->file->may_grow;
}

uint64_t merge_read_bytes(const struct merge *merge, size_t number)
{
    const struct feed *feed = &merge->feeds[number];
    return (uint64_t)(feed->at - feed->base);
}

struct merge_fault merge_fault(const struct merge *merge)
{
    return merge->fault;
}

// --- The whole -----------------------------------------------------------------------------------

struct merge *merge_open(const struct merge_file *files, size_t count, line_stamp_function *stamp,
                         const struct line_prefix *prefix)
{
    struct merge *merge = calloc(1, sizeof *merge);
    if (!merge)
        return NULL;
    *merge = (struct merge){.stamp = stamp, .prefix = prefix, .feed_count = count};
    merge->feeds = calloc(count, sizeof *merge->feeds);
    merge->heap = calloc(count, sizeof *merge->heap);
    if (!merge->feeds || !merge->heap) {
        merge_close(merge);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        struct feed *feed = &merge->feeds[i];
        feed->file = &files[i];
        feed->exponent = LINE_STAMP_EXPONENT;
        feed->core_length = (size_t)u64_min(strlen(files[i].core), sizeof feed->core);
        memcpy(feed->core, files[i].core, feed->core_length);
        feed->base = feed->at = feed->end = "";
        if (files[i].codec)
            continue;
        if (files[i].map->data)
            feed->base = feed->at = files[i].map->data;
        feed->end = feed->at + files[i].map->size_bytes;
        feed->is_whole = !files[i].may_grow;
    }
    return merge;
}

void merge_close(struct merge *merge)
{
    if (!merge)
        return;
    for (size_t i = 0; merge->feeds && i < merge->feed_count; i++) {
        unpack_stream_close(merge->feeds[i].unpack_stream);
        free(merge->feeds[i].window);
    }
    free(merge->feeds);
    free(merge->heap);
    free(merge);
}
