// Chunks of a mapped file and of a pipe are the same for the same bytes.
#include "base/source.h"

#include "base/limits.h"
#include "random.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNKS_MAX 4096

struct seen_chunk {
    uint64_t offset;
    size_t size_bytes, run_in_bytes;
    bool starts_in_line;
};

struct seen {
    struct seen_chunk chunks[CHUNKS_MAX];
    size_t count;
    bool is_right; // bytes and run-ins are those of the text
};

struct text {
    char *bytes;
    size_t length;
};

static bool take_chunk(struct seen *seen, const struct source_chunk *chunk, const struct text *text)
{
    bool is_right = chunk->offset + chunk->size_bytes <= text->length &&
                    chunk->run_in_bytes == u64_min(chunk->offset, SOURCE_RUN_IN_BYTES) &&
                    (!chunk->size_bytes ||
                     memcmp(chunk->data, text->bytes + chunk->offset, chunk->size_bytes) == 0) &&
                    (!chunk->size_bytes || memcmp(chunk->data - chunk->run_in_bytes,
                                                  text->bytes + chunk->offset - chunk->run_in_bytes,
                                                  chunk->run_in_bytes) == 0);
    seen->chunks[seen->count] = (struct seen_chunk){chunk->offset, chunk->size_bytes,
                                                    chunk->run_in_bytes, chunk->starts_in_line};
    seen->count += chunk->size_bytes > 0; // a pipe may end with an empty chunk
    return is_right && seen->count < CHUNKS_MAX;
}

static void read_all(const char *path, size_t target_bytes, const struct text *text,
                     struct seen *seen)
{
    struct source *source;
    struct source_buffer buffer = {NULL, 0};
    struct source_chunk chunk = {.is_last = false};
    struct error err;
    seen->count = 0;
    seen->is_right = source_open(&source, path, SOURCE_RAW, &err) == STATUS_OK;
    if (!seen->is_right)
        return;
    while (seen->is_right && !chunk.is_last) {
        seen->is_right = source_next(source, target_bytes, &buffer, &chunk, &err) == STATUS_OK &&
                         take_chunk(seen, &chunk, text);
        source_populate(source, &chunk);
        source_release(source, &chunk);
    }
    seen->is_right &= source_is_intact(source);
    source_close(source);
    free(buffer.bytes);
}

static void write_all(int fd, const struct text *text)
{
    for (size_t at = 0; at < text->length;) {
        ssize_t written = write(fd, text->bytes + at, text->length - at);
        if (written <= 0)
            return;
        at += (size_t)written;
    }
}

static void read_file(size_t target_bytes, const struct text *text, struct seen *seen)
{
    char path[] = "/tmp/trawl-unit-XXXXXX";
    int fd = mkstemp(path);
    seen->is_right = fd >= 0;
    if (fd < 0)
        return;
    write_all(fd, text);
    close(fd);
    read_all(path, target_bytes, text, seen);
    unlink(path);
}

static void read_pipe(size_t target_bytes, const struct text *text, struct seen *seen)
{
    int ends[2];
    char path[40];
    seen->is_right = pipe(ends) == 0;
    if (!seen->is_right)
        return;
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        write_all(ends[1], text);
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    read_all(path, target_bytes, text, seen);
    close(ends[0]);
    waitpid(writer, NULL, 0);
}

// Every chunk is at least as long as requested, not longer than allowed, and ends with a line or
// continues in the next.
static bool cuts_are_right(const struct seen *seen, const struct text *text, size_t target_bytes)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < seen->count; i++) {
        const struct seen_chunk *chunk = &seen->chunks[i];
        bool is_last = i + 1 == seen->count;
        uint64_t end = chunk->offset + chunk->size_bytes;
        bool is_in_line = !is_last && seen->chunks[i + 1].starts_in_line;
        if (chunk->offset != offset || chunk->size_bytes > target_bytes + LIMIT_LINE_BYTES ||
            (!is_last && chunk->size_bytes < target_bytes - offset % target_bytes) ||
            (!is_last && (text->bytes[end - 1] == '\n') == is_in_line))
            return false;
        offset = end;
    }
    return offset == text->length;
}

static bool chunks_are_equal(const struct seen *a, const struct seen *b)
{
    bool are_equal = a->count == b->count;
    for (size_t i = 0; are_equal && i < a->count; i++) {
        const struct seen_chunk *one = &a->chunks[i], *other = &b->chunks[i];
        are_equal = one->offset == other->offset && one->size_bytes == other->size_bytes &&
                    one->run_in_bytes == other->run_in_bytes &&
                    one->starts_in_line == other->starts_in_line;
    }
    return are_equal;
}

static bool both_cut_alike(const struct text *text, size_t target_bytes)
{
    static struct seen file, piped;
    read_file(target_bytes, text, &file);
    read_pipe(target_bytes, text, &piped);
    return file.is_right && piped.is_right && chunks_are_equal(&file, &piped) &&
           cuts_are_right(&file, text, target_bytes);
}

static struct text random_text(size_t length, uint32_t line_bytes, struct prng *prng)
{
    struct text text = {malloc(length + 1), length};
    for (size_t i = 0; i < length; i++)
        text.bytes[i] = prng_below(prng, line_bytes) ? (char)('a' + i % 26) : '\n';
    return text;
}

static void file_and_pipe_are_cut_alike(void)
{
    static const size_t targets[] = {1, 2, 17, 64, 1000, 4096, 5000, 100000};
    struct prng prng = {5};
    for (int i = 0; i < 40; i++) {
        struct text text = random_text(prng_below(&prng, 9000), 1 + prng_below(&prng, 90), &prng);
        for (size_t t = text.length > CHUNKS_MAX - 2 ? 2 : 0; t < ARRAY_COUNT(targets); t++)
            CHECK(both_cut_alike(&text, targets[t]));
        free(text.bytes);
    }
}

static void pipe_is_read_beyond_what_it_holds_at_a_time(void)
{
    struct prng prng = {6};
    struct text text = random_text(700000, 70, &prng);
    CHECK(both_cut_alike(&text, 3000));
    CHECK(both_cut_alike(&text, 300000));
    free(text.bytes);
}

static void overlong_line_is_cut(void)
{
    struct text text = {malloc(10 << 20), 10 << 20};
    memset(text.bytes, 'x', text.length);
    text.bytes[100] = '\n';
    text.bytes[text.length - 50] = '\n';
    CHECK(both_cut_alike(&text, 1));
    CHECK(both_cut_alike(&text, 5 << 20));
    CHECK(both_cut_alike(&text, 64 << 20));
    static struct seen seen;
    read_file(1, &text, &seen);
    CHECK(seen.count == 5 && !seen.chunks[1].starts_in_line);
    CHECK(seen.chunks[1].size_bytes == LIMIT_LINE_BYTES + 1);
    CHECK(seen.chunks[2].starts_in_line && seen.chunks[3].starts_in_line);
    CHECK(!seen.chunks[4].starts_in_line && seen.chunks[4].size_bytes == 49);
    free(text.bytes);
}

// A line of exactly the maximum length is complete.
static void longest_line_is_whole(void)
{
    struct text text = {malloc(LIMIT_LINE_BYTES + 2), LIMIT_LINE_BYTES + 2};
    memset(text.bytes, 'x', text.length);
    text.bytes[LIMIT_LINE_BYTES] = '\n';
    static struct seen seen;
    read_file(1, &text, &seen);
    CHECK(seen.is_right && seen.count == 2 && !seen.chunks[1].starts_in_line);
    CHECK(seen.chunks[0].size_bytes == LIMIT_LINE_BYTES + 1);
    CHECK(both_cut_alike(&text, 1));
    free(text.bytes);
}

static void empty_inputs_are_one_empty_chunk(void)
{
    const struct text text = {NULL, 0};
    static struct seen seen;
    read_file(100, &text, &seen);
    CHECK(seen.is_right && seen.count == 0);
    read_pipe(100, &text, &seen);
    CHECK(seen.is_right && seen.count == 0);
}

static void what_cannot_be_opened_is_said(void)
{
    struct source *source;
    struct error err;
    CHECK(source_open(&source, "/tmp", SOURCE_RAW, &err) == STATUS_INPUT);
    CHECK_STR(err.text, "/tmp: is a directory");
    CHECK(source_open(&source, "/tmp/no such file", SOURCE_RAW, &err) == STATUS_IO);
    CHECK_STR(err.text, "/tmp/no such file: open: No such file or directory");
    CHECK(source_open(&source, "-", SOURCE_RAW, &err) == STATUS_IO);
}

const struct test_case source_tests[] = {
    {"file_and_pipe_are_cut_alike", file_and_pipe_are_cut_alike},
    {"pipe_is_read_beyond_what_it_holds_at_a_time", pipe_is_read_beyond_what_it_holds_at_a_time},
    {"overlong_line_is_cut", overlong_line_is_cut},
    {"longest_line_is_whole", longest_line_is_whole},
    {"empty_inputs_are_one_empty_chunk", empty_inputs_are_one_empty_chunk},
    {"what_cannot_be_opened_is_said", what_cannot_be_opened_is_said},
    {NULL, NULL},
};
