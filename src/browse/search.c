#include "browse/search.h"

#include "base/limits.h"
#include "base/thread.h"

#include <regex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_BYTES (UINT64_C(1) << 20)

enum { NEEDED_BYTES = 128 };

// A pattern, compiled. The C library's matcher locks what it matches by, so that each thread has
// one of its own.
struct matcher {
    regex_t regex;
    bool is_compiled;
    bool is_text; // the pattern is `needed`, and nothing more
    size_t needed_length;
    char needed[NEEDED_BYTES]; // stands in every line that matches
    char *line;                // room for one
};

struct search_block {
    _Atomic uint32_t lines; // that match
    _Atomic bool is_done;
};

struct search_worker {
    struct search *search;
    struct matcher matcher;
};

struct search {
    const char *text;
    uint64_t size_bytes;
    char *pattern;
    struct matcher matcher; // of whoever asks
    uint64_t block_count, first_block;
    struct search_block *blocks;
    _Atomic uint64_t next, done, lines;
    _Atomic bool is_cancelled;
    struct search_worker *workers;
    unsigned worker_count;
    pthread_t threads[LIMIT_THREADS];
    unsigned thread_count;
};

// --- Patterns ------------------------------------------------------------------------------------

// Whether the pattern as a whole is one of several.
static bool is_choice(const char *pattern)
{
    size_t depth = 0;
    for (; *pattern; pattern++) {
        depth += *pattern == '(' || *pattern == '[';
        depth -= depth && (*pattern == ')' || *pattern == ']');
        if (*pattern == '|' && !depth)
            return true;
        pattern += *pattern == '\\' && pattern[1];
    }
    return false;
}

// The longest run of plain characters outside of anything that may be repeated or left out.
static void find_needed(struct matcher *matcher, const char *pattern)
{
    size_t start = 0, length = 0, depth = 0, i;
    bool has_choice = is_choice(pattern);
    matcher->is_text = !strpbrk(pattern, ".[]()*+?{}|^$\\") && strlen(pattern) < NEEDED_BYTES;
    for (i = 0; pattern[i] && !has_choice; i++) {
        char c = pattern[i];
        depth += c == '(' || c == '[';
        depth -= depth && (c == ')' || c == ']');
        bool is_plain = !depth && !strchr(".[]()*+?{}^$\\", c);
        bool is_optional = is_plain && pattern[i + 1] && strchr("*?{", pattern[i + 1]);
        if (c == '\\' && pattern[i + 1])
            i++;
        if (!is_plain || is_optional) {
            start = i + 1;
            length = 0;
            if (c == '{') { // a bound is no text
                i += strcspn(pattern + i, "}");
                start = i + 1;
            }
            if (!pattern[i])
                break;
            continue;
        }
        length++;
        if (length > matcher->needed_length && length < NEEDED_BYTES) {
            matcher->needed_length = length;
            memcpy(matcher->needed, pattern + start, length);
        }
        if (!pattern[i + 1])
            break;
    }
}

static enum status compile(struct matcher *matcher, const char *pattern, struct error *err)
{
    char why[128];
    *matcher = (struct matcher){0};
    int failure = regcomp(&matcher->regex, pattern, REG_EXTENDED);
    if (failure == REG_ESPACE)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    if (failure) {
        regerror(failure, &matcher->regex, why, sizeof why);
        return error_set(err, STATUS_INPUT, "%s", why);
    }
    matcher->is_compiled = true;
    matcher->line = malloc(SEARCH_LINE_BYTES + 1);
    if (!matcher->line)
        return error_set(err, STATUS_MEMORY, "no memory for the pattern");
    find_needed(matcher, pattern);
    return STATUS_OK;
}

static void matcher_free(struct matcher *matcher)
{
    if (matcher->is_compiled)
        regfree(&matcher->regex);
    free(matcher->line);
}

// The first match in [at, end) of a line. False: there is none.
static bool match_at(const struct matcher *matcher, const char *line, size_t at, size_t end,
                     struct search_match *match)
{
    regmatch_t found;
    if (matcher->is_text) {
        const char *place = memmem(line + at, end - at, matcher->needed, matcher->needed_length);
        if (!place)
            return false;
        match->start = (size_t)(place - line);
        match->end = match->start + matcher->needed_length;
        return true;
    }
    // The matcher of the C library wants an end, and stops at a zero.
    memcpy(matcher->line, line + at, end - at);
    matcher->line[end - at] = '\0';
    for (char *zero; (zero = memchr(matcher->line, '\0', end - at));)
        *zero = '\1';
    if (regexec(&matcher->regex, matcher->line, 1, &found, at ? REG_NOTBOL : 0) != 0)
        return false;
    *match = (struct search_match){at + (size_t)found.rm_so, at + (size_t)found.rm_eo};
    return true;
}

// --- Lines ---------------------------------------------------------------------------------------

static const char *line_end(const char *at, const char *end)
{
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return newline ? newline : end;
}

static const char *line_start(const char *start, const char *at)
{
    const char *newline = at > start ? memrchr(start, '\n', (size_t)(at - start)) : NULL;
    return newline ? newline + 1 : start;
}

static bool line_matches(const struct matcher *matcher, const char *start, const char *end)
{
    struct search_match match;
    size_t length = (size_t)u64_min((uint64_t)(end - start), SEARCH_LINE_BYTES);
    if (length && start[length - 1] == '\r')
        length--;
    return match_at(matcher, start, 0, length, &match);
}

// The first line at or after `at`, where one begins, that begins before `limit` and matches. NULL:
// none does.
static const char *next_line(const struct search *search, const struct matcher *matcher,
                             const char *at, const char *limit)
{
    const char *end = search->text + search->size_bytes;
    while (at < limit) {
        const char *stop;
        if (matcher->needed_length) {
            // What is needed may stand in a line that begins before the limit and ends after it.
            const char *until = line_end(limit - 1, end);
            const char *place =
                memmem(at, (size_t)(until - at), matcher->needed, matcher->needed_length);
            if (!place)
                return NULL;
            at = line_start(at, place);
        }
        stop = line_end(at, end);
        if (line_matches(matcher, at, stop))
            return at;
        at = stop + 1;
    }
    return NULL;
}

// --- Blocks --------------------------------------------------------------------------------------

// The first line that begins in a block, and where lines of it cannot begin any more.
static const char *block_bounds(const struct search *search, uint64_t block, const char **limit)
{
    const char *text = search->text, *end = text + search->size_bytes;
    const char *start = text + block * BLOCK_BYTES;
    *limit = block + 1 < search->block_count ? start + BLOCK_BYTES : end;
    if (block && start[-1] != '\n') {
        start = line_end(start, end);
        start += start < end;
    }
    return start;
}

static void search_block(struct search *search, const struct matcher *matcher, uint64_t number)
{
    const char *limit, *at = block_bounds(search, number, &limit);
    const char *end = search->text + search->size_bytes;
    uint32_t lines = 0;
    while (at < limit && (at = next_line(search, matcher, at, limit))) {
        lines++;
        at = line_end(at, end) + 1;
    }
    struct search_block *block = &search->blocks[number];
    atomic_store(&block->lines, lines);
    atomic_store(&block->is_done, true);
    atomic_fetch_add(&search->lines, lines);
    atomic_fetch_add(&search->done, 1);
}

static void *work(void *context)
{
    struct search_worker *worker = context;
    struct search *search = worker->search;
    while (!atomic_load(&search->is_cancelled)) {
        uint64_t turn = atomic_fetch_add(&search->next, 1);
        if (turn >= search->block_count)
            break;
        search_block(search, &worker->matcher, (search->first_block + turn) % search->block_count);
    }
    return NULL;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status prepare(struct search *search, const char *pattern, unsigned threads,
                           struct error *err)
{
    search->pattern = strdup(pattern);
    search->blocks = calloc((size_t)search->block_count + 1, sizeof *search->blocks);
    search->workers = calloc(threads, sizeof *search->workers);
    if (!search->pattern || !search->blocks || !search->workers)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    enum status status = compile(&search->matcher, pattern, err);
    for (unsigned i = 0; i < threads && status == STATUS_OK; i++) {
        search->workers[i].search = search;
        status = compile(&search->workers[i].matcher, pattern, err);
        search->worker_count++;
    }
    return status;
}

enum status search_open(struct search **out, const char *text, uint64_t size_bytes,
                        const char *pattern, uint64_t start, unsigned threads, struct error *err)
{
    struct search *search = calloc(1, sizeof *search);
    *out = NULL;
    if (!search)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    threads = threads < 1 ? 1 : threads < LIMIT_THREADS ? threads : LIMIT_THREADS;
    search->text = text;
    search->size_bytes = size_bytes;
    search->block_count = (size_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    search->first_block = u64_min(start, size_bytes ? size_bytes - 1 : 0) / BLOCK_BYTES;
    enum status status = prepare(search, pattern, threads, err);
    if (status != STATUS_OK) {
        search_close(search);
        return status;
    }
    search->thread_count =
        threads_start(search->threads, threads, work, search->workers, sizeof *search->workers);
    if (!search->thread_count) // then it takes its time now
        work(&search->workers[0]);
    *out = search;
    return STATUS_OK;
}

void search_close(struct search *search)
{
    if (!search)
        return;
    atomic_store(&search->is_cancelled, true);
    for (unsigned i = 0; i < search->thread_count; i++)
        pthread_join(search->threads[i], NULL);
    for (unsigned i = 0; i < search->worker_count; i++)
        matcher_free(&search->workers[i].matcher);
    matcher_free(&search->matcher);
    free(search->workers);
    free(search->blocks);
    free(search->pattern);
    free(search);
}

// --- Questions -----------------------------------------------------------------------------------

const char *search_pattern(const struct search *search)
{
    return search->pattern;
}

struct search_progress search_progress(struct search *search)
{
    uint64_t done = atomic_load(&search->done);
    uint64_t count = search->block_count ? search->block_count : 1;
    return (struct search_progress){
        .lines = atomic_load(&search->lines),
        .percent = (unsigned)(done * 100 / count),
        .is_done = done >= search->block_count,
    };
}

// The last line before `limit` that begins at or after `at` and matches.
static const char *last_line(const struct search *search, const char *at, const char *limit)
{
    const char *end = search->text + search->size_bytes, *last = NULL;
    while (at < limit && (at = next_line(search, &search->matcher, at, limit))) {
        last = at;
        at = line_end(at, end) + 1;
    }
    return last;
}

// Looks at one block, from or up to a line in it.
static const char *look_at_block(const struct search *search, uint64_t block, const char *from,
                                 bool is_forward)
{
    const char *limit, *at = block_bounds(search, block, &limit);
    if (is_forward)
        return next_line(search, &search->matcher, from && from > at ? from : at, limit);
    return last_line(search, at, from && from < limit ? from : limit);
}

enum search_outcome search_next(struct search *search, uint64_t from, bool is_forward,
                                uint64_t *found, bool *has_wrapped)
{
    const char *text = search->text, *end = text + search->size_bytes;
    *has_wrapped = false;
    if (!search->block_count)
        return SEARCH_NOWHERE;
    uint64_t block = u64_min(from, search->size_bytes - 1) / BLOCK_BYTES;
    const char *at = text + from;
    if (is_forward && from < search->size_bytes)
        at = line_end(at, end) + 1; // it may be the end of all
    if (is_forward && at < end)
        block = (uint64_t)(at - text) / BLOCK_BYTES;
    const char *line =
        is_forward && at >= end ? NULL : look_at_block(search, block, at, is_forward);
    // The first block comes again at the end, whole.
    for (uint64_t i = 0; !line && i < search->block_count; i++) {
        bool is_last = is_forward ? block + 1 == search->block_count : block == 0;
        *has_wrapped |= is_last;
        block = is_forward ? (block + 1) % search->block_count
                           : (block ? block : search->block_count) - 1;
        if (!atomic_load(&search->blocks[block].is_done))
            return SEARCH_UNDER_WAY;
        if (atomic_load(&search->blocks[block].lines))
            line = look_at_block(search, block, NULL, is_forward);
    }
    *found = line ? (uint64_t)(line - text) : 0;
    return line ? SEARCH_FOUND : SEARCH_NOWHERE;
}

size_t search_matches(struct search *search, const char *line, size_t length,
                      struct search_match *matches, size_t capacity)
{
    size_t count = 0, at = 0;
    length = (size_t)u64_min(length, SEARCH_LINE_BYTES);
    while (count < capacity && at <= length &&
           match_at(&search->matcher, line, at, length, &matches[count])) {
        at = matches[count].end;
        if (matches[count].end == matches[count].start)
            at++;
        else
            count++;
    }
    return count;
}
