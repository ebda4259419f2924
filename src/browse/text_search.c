#include "browse/search.h"

#include "base/line_ends.h"
#include "browse/shown_line.h"
#include "search/line_matcher.h"

#include <stdatomic.h>
#include <stdlib.h>

#define BLOCK_BYTES (UINT64_C(1) << 20)

// Tests are slow, so for each counted block it is stored in which chunks matching lines begin, and
// lines in other chunks are not tested again.
enum { CHUNK_BYTES = 4096, CHUNK_WORDS = (1 << 20) / CHUNK_BYTES / 64 };

struct chunks {
    _Atomic bool is_known;
    uint64_t taken[CHUNK_WORDS];
};

struct text_search {
    struct trace_lines text;
    enum simd simd;
    char *pattern;             // NULL: lines are tested
    struct line_test test;     // else
    struct shown_lines *shown; // NULL: lines are shown as they are written
    _Atomic bool is_stopped;
    struct chunks *chunks; // of each block; NULL: lines are not tested, and shown as written
};

struct text_seeker {
    const struct text_search *search;
    struct line_matcher *matcher; // NULL: lines are tested
    bool has_written;
    const char *written; // the next line that matches as it is written; NULL: none
};

// --- Lines ---------------------------------------------------------------------------------------

static const char *text_end(const struct text_seeker *seeker)
{
    return seeker->search->text.text + seeker->search->text.size_bytes;
}

// Prepares to search for lines that begin before `limit`.
static void begin_lines(struct text_seeker *seeker, const char *limit)
{
    if (seeker->matcher)
        line_matcher_begin(seeker->matcher, limit, text_end(seeker));
    seeker->has_written = false;
}

// The chunks of the block in which a line begins.
static struct chunks *chunks_at(const struct text_seeker *seeker, const char *line, size_t *chunk)
{
    uint64_t offset = (uint64_t)(line - seeker->search->text.text);
    *chunk = (size_t)(offset % BLOCK_BYTES / CHUNK_BYTES);
    return &seeker->search->chunks[offset / BLOCK_BYTES];
}

// The first line at or after another that may match according to the chunks, up to `limit`.
static const char *skip_chunks(const struct text_seeker *seeker, const char *at, const char *limit)
{
    const char *text = seeker->search->text.text;
    while (at < limit) {
        size_t chunk;
        const struct chunks *chunks = chunks_at(seeker, at, &chunk);
        if (!atomic_load(&chunks->is_known) || chunks->taken[chunk / 64] >> chunk % 64 & 1)
            break;
        uint64_t end = ((uint64_t)(at - text) / CHUNK_BYTES + 1) * CHUNK_BYTES;
        if (end >= (uint64_t)(limit - text))
            return limit;
        // The first line that begins in the next chunk.
        at = text[end - 1] == '\n' ? text + end : line_end_at(text + end, text_end(seeker)) + 1;
    }
    return at < limit ? at : limit;
}

static bool matches_as_shown(const struct text_seeker *seeker, struct text_span line)
{
    char room[SHOWN_LINE_BYTES + 1];
    if (!shown_lines_name(seeker->search->shown, &line, room))
        return false;
    room[line.end - line.start] = '\n';
    return line_matcher_takes(seeker->matcher, room, room + (line.end - line.start));
}

// The first line at or after another that passes the test or matches as it is shown.
static const char *next_tested(const struct text_seeker *seeker, const char *at, const char *limit)
{
    const struct text_search *search = seeker->search;
    while ((at = skip_chunks(seeker, at, limit)) < limit && !atomic_load(&search->is_stopped)) {
        const char *stop = line_end_at(at, text_end(seeker));
        size_t length = (size_t)u64_min((uint64_t)(stop - at), TEXT_SEARCH_LINE_BYTES);
        length -= length && at[length - 1] == '\r';
        if (search->shown ? matches_as_shown(seeker, (struct text_span){at, at + length})
                          : search->test.takes(search->test.self, &search->text, at, at + length))
            return at;
        at = stop + 1;
    }
    return NULL;
}

// The first matching line at or after `at`, the start of a line, that begins before `limit`. NULL:
// none.
static const char *next_line(struct text_seeker *seeker, const char *at, const char *limit)
{
    if (!seeker->matcher)
        return next_tested(seeker, at, limit);
    if (!seeker->has_written || (seeker->written && seeker->written < at))
        seeker->written = line_matcher_next(seeker->matcher, at);
    seeker->has_written = true;
    const char *shown = seeker->search->shown
                            ? next_tested(seeker, at, seeker->written ? seeker->written : limit)
                            : NULL;
    return shown ? shown : seeker->written;
}

// --- Blocks --------------------------------------------------------------------------------------

// The first line that begins in a block, and the end of where its lines begin; NULL if the text is
// not available. Makes all lines of the block available.
static const char *block_bounds(const struct text_seeker *seeker, uint64_t block,
                                const char **limit)
{
    const struct trace_lines *lines = &seeker->search->text;
    uint64_t at = block * BLOCK_BYTES, end = u64_min(at + BLOCK_BYTES, lines->size_bytes);
    *limit = lines->text + end;
    if (!trace_lines_want(lines, at - (at != 0), end))
        return *limit;
    if (lines->source) // the last line may extend beyond the block
        trace_lines_end(lines, end - 1);
    bool is_in_line = at && lines->text[at - 1] != '\n';
    return lines->text + (is_in_line ? trace_lines_next(lines, at) : at);
}

static uint64_t count_lines(void *self, uint64_t block)
{
    struct text_seeker *seeker = self;
    const char *limit, *at = block_bounds(seeker, block, &limit);
    begin_lines(seeker, limit);
    if (!seeker->search->chunks)
        return line_matcher_count(seeker->matcher, at);
    struct chunks *chunks = &seeker->search->chunks[block];
    uint64_t lines = 0;
    while (at < limit && (at = next_line(seeker, at, limit))) {
        size_t chunk;
        chunks_at(seeker, at, &chunk);
        chunks->taken[chunk / 64] |= UINT64_C(1) << chunk % 64;
        lines++;
        at = line_end_at(at, text_end(seeker)) + 1;
    }
    atomic_store(&chunks->is_known, true);
    return lines;
}

static bool find_line(void *self, uint64_t block, uint64_t from, bool is_forward, uint64_t *found)
{
    struct text_seeker *seeker = self;
    const char *text = seeker->search->text.text, *limit;
    const char *at = block_bounds(seeker, block, &limit), *line = NULL;
    if (from != SEARCH_START && is_forward) {
        const char *after = line_end_at(text + from, text_end(seeker)) + 1;
        at = after > at ? after : at;
    } else if (from != SEARCH_START) {
        limit = text + from < limit ? text + from : limit;
    }
    begin_lines(seeker, limit);
    if (is_forward) {
        line = next_line(seeker, at, limit);
    } else { // the last one before the limit
        while (at < limit && (at = next_line(seeker, at, limit))) {
            line = at;
            at = line_end_at(at, text_end(seeker)) + 1;
        }
    }
    *found = line ? (uint64_t)(line - text) : 0;
    return line != NULL;
}

// --- Opening -------------------------------------------------------------------------------------

static void close_seeker(void *self)
{
    struct text_seeker *seeker = self;
    line_matcher_close(seeker->matcher);
    free(seeker);
}

static enum status open_seeker(void *what, void **out, struct error *err)
{
    const struct text_search *search = what;
    struct text_seeker *seeker = calloc(1, sizeof *seeker);
    if (!seeker)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    seeker->search = search;
    enum status status = STATUS_OK;
    if (search->pattern)
        status = line_matcher_open(&seeker->matcher, search->pattern, search->simd, err);
    if (seeker->matcher)
        line_matcher_stop_at(seeker->matcher, &search->is_stopped);
    if (status == STATUS_OK)
        *out = seeker;
    else
        close_seeker(seeker);
    return status;
}

static void stop_search(void *self)
{
    atomic_store(&((struct text_search *)self)->is_stopped, true);
}

static bool has_failed(const void *self)
{
    const struct text_search *search = self;
    const struct source *source = search->text.source;
    return source && source_view_status(source, NULL) != STATUS_OK;
}

static void free_search(void *self)
{
    struct text_search *search = self;
    if (search->test.free)
        search->test.free(search->test.self);
    free(search->chunks);
    free(search->pattern);
    free(search);
}

static const struct search_kind text_kind = {
    .open = open_seeker,
    .close = close_seeker,
    .stop = stop_search,
    .count = count_lines,
    .find = find_line,
    .has_failed = has_failed,
    .free = free_search,
    .unit = "line",
};

static uint64_t block_count(const struct text_search *search)
{
    return (search->text.size_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

static enum status begin(struct search **out, struct text_search *search, const char *description,
                         const struct search_way *way, struct error *err)
{
    const struct search_plan plan = {
        .kind = &text_kind,
        .what = search,
        .text = description,
        .block_count = block_count(search),
        .block_size = BLOCK_BYTES,
        .start = way->start,
        .is_forward = way->is_forward,
        .threads = way->threads,
    };
    simd_choose(&search->simd, NULL);
    return search_open(out, &plan, err);
}

enum status text_search_open(struct search **out, const struct trace_lines *text,
                             const char *pattern, struct shown_lines *shown,
                             const struct search_way *way, struct error *err)
{
    struct text_search *search = calloc(1, sizeof *search);
    *out = NULL;
    if (search) {
        search->text = *text;
        search->shown = shown;
        search->pattern = strdup(pattern);
        if (shown)
            search->chunks = calloc((size_t)block_count(search) + 1, sizeof *search->chunks);
    }
    if (!search || !search->pattern || (shown && !search->chunks)) {
        if (search)
            free_search(search);
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    }
    return begin(out, search, pattern, way, err);
}

enum status line_search_open(struct search **out, const struct trace_lines *text,
                             const struct line_test *test, const char *description,
                             const struct search_way *way, struct error *err)
{
    struct text_search *search = calloc(1, sizeof *search);
    *out = NULL;
    if (search) {
        search->text = *text;
        search->chunks = calloc((size_t)block_count(search) + 1, sizeof *search->chunks);
    }
    if (!search || !search->chunks) {
        free(search);
        if (test->free)
            test->free(test->self);
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    }
    search->test = *test;
    return begin(out, search, description, way, err);
}

// --- Matches -------------------------------------------------------------------------------------

size_t text_search_matches(struct search *search, const char *line, size_t length,
                           struct pattern_match *matches, size_t capacity)
{
    const struct text_seeker *seeker = search_seeker(search);
    if (search_kind(search) != &text_kind || !seeker->search->pattern)
        return 0;
    return pattern_matches(line_matcher_pattern(seeker->matcher), line, length, matches, capacity);
}
