// Places where decompression can start again: the text that is read from them is correct, only what
// is necessary is decompressed, and wrong places do not change the text.
#include "base/source.h"
#include "base/thread.h"
#include "base/unpack/access_point.h"
#include "random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES ((size_t)14 << 20)
#define PLACES 12
#define PLACE_BYTES 5000

// A file that consists of one gzip member, and its text.
struct test_file {
    char path[40], *text;
    size_t size_bytes;
};

static void make_text(struct test_file *file)
{
    struct prng prng = {22};
    file->text = malloc(TEXT_BYTES + 100);
    for (uint64_t i = 0; file->text && file->size_bytes < TEXT_BYTES; i++)
        file->size_bytes += (size_t)sprintf(
            file->text + file->size_bytes, "%llu clk IT (%llu) %08x e1a0%04x A svc_s : NOP\n",
            (unsigned long long)i, (unsigned long long)i, prng_below(&prng, 1 << 20) * 4,
            prng_below(&prng, 1 << 16));
}

// False: such a file cannot be made here.
static bool make_file(struct test_file *file)
{
    char command[80];
    *file = (struct test_file){.path = "/tmp/trawl-restart-XXXXXX"};
    make_text(file);
    int fd = mkstemp(file->path);
    if (fd < 0 || !file->text)
        return false;
    close(fd);
    snprintf(command, sizeof command, "gzip -1c > %s", file->path);
    FILE *gzip = popen(command, "w");
    bool is_written = gzip && fwrite(file->text, 1, file->size_bytes, gzip) == file->size_bytes;
    return gzip && pclose(gzip) == 0 && is_written;
}

static void drop_file(struct test_file *file)
{
    unlink(file->path);
    free(file->text);
}

static struct source *open_file(const struct test_file *file)
{
    struct source *source = NULL;
    struct error err;
    CHECK(source_open(&source, file->path, SOURCE_DECODED, &err) == STATUS_OK);
    return source;
}

static void copy_access_points(struct access_points *copy, const struct access_points *found)
{
    *copy = (struct access_points){.text_bytes = found->text_bytes};
    for (size_t i = 0; i < found->items.count && VEC_ROOM(&copy->items, 1); i++)
        copy->items.items[copy->items.count++] = found->items.items[i];
    for (size_t i = 0; i < found->windows.count && VEC_ROOM(&copy->windows, 1); i++)
        copy->windows.items[copy->windows.count++] = found->windows.items[i];
}

// Reads a file to its end, and copies its places.
static bool gather(const struct test_file *file, struct access_points *copy)
{
    struct source *source = open_file(file);
    struct source_buffer buffer = {NULL, 0};
    struct source_chunk chunk = {.is_last = false};
    struct error err;
    source_keep_access_points(source);
    while (!chunk.is_last && source_next(source, 1 << 20, &buffer, &chunk, &err) == STATUS_OK)
        continue;
    const struct access_points *found = source_access_points(source);
    if (found)
        copy_access_points(copy, found);
    free(buffer.bytes);
    source_close(source);
    return found != NULL;
}

static uint64_t longest_span(const struct access_points *access_points)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < access_points->items.count; i++)
        longest = u64_max(longest, access_point_span_end(access_points, i) -
                                       access_points->items.items[i].plain_byte);
    return longest;
}

// Whether the text in a view of it is correct at a position.
static bool is_right_at(const struct test_file *file, struct source *source,
                        const struct source_view *view, uint64_t position)
{
    uint64_t end = u64_min(position + PLACE_BYTES, file->size_bytes);
    return view->size_bytes == file->size_bytes && source_want(source, position, end) &&
           memcmp(view->bytes + position, file->text + position, (size_t)(end - position)) == 0;
}

static void only_what_is_asked_for_is_decompressed(void)
{
    struct test_file file;
    struct access_points access_points, given;
    struct prng prng = {1};
    bool is_made = make_file(&file), is_found = is_made && gather(&file, &access_points);
    if (!is_found)
        test_skip("no gzip, here or in this build");
    for (int i = 0; i < PLACES && is_found; i++) {
        struct source *source = open_file(&file);
        struct source_view view;
        struct error err;
        uint64_t longest = longest_span(&access_points);
        uint64_t position = prng_below(&prng, (uint32_t)file.size_bytes);
        copy_access_points(&given, &access_points);
        source_use_access_points(source, &given);
        CHECK(source_view(source, &view, &err) == STATUS_OK);
        CHECK(is_right_at(&file, source, &view, position));
        CHECK(source_unpacked_bytes(source) >= PLACE_BYTES || position + PLACE_BYTES > TEXT_BYTES);
        CHECK(source_unpacked_bytes(source) <= 2 * longest);
        CHECK(longest < file.size_bytes / 4);
        uint64_t before = source_unpacked_bytes(source);
        CHECK(is_right_at(&file, source, &view, position));
        CHECK(source_unpacked_bytes(source) == before);
        source_close(source);
    }
    if (is_found)
        access_points_free(&access_points);
    drop_file(&file);
}

// Changes a place, or data that belongs to it.
static void spoil(struct access_points *access_points, struct prng *prng)
{
    struct access_point *access_point =
        &access_points->items.items[prng_below(prng, (uint32_t)access_points->items.count)];
    switch (prng_below(prng, 8)) {
    case 0:
        access_point->chunk.from += prng_below(prng, 2) ? 1 : prng_next(prng);
        break;
    case 1:
        access_point->chunk.from -= 1 + prng_below(prng, 9);
        break;
    case 2:
        access_point->plain_byte += prng_below(prng, 2) ? 1 : prng_next(prng);
        break;
    case 3:
        access_point->hash ^= 1;
        break;
    case 4:
        access_point->window_at += prng_next(prng) % 100;
        break;
    case 5:
        access_point->window_bytes = prng_below(prng, 2) ? 0 : prng_next(prng);
        break;
    case 6:
        access_point->chunk.level ^= 1;
        break;
    default:
        access_points->windows.items[prng_below(prng, (uint32_t)access_points->windows.count)] ^= 4;
    }
}

static void wrong_places_change_nothing(void)
{
    struct test_file file;
    struct access_points access_points, given;
    struct prng prng = {2};
    bool is_found = make_file(&file) && gather(&file, &access_points);
    if (!is_found)
        test_skip("no gzip, here or in this build");
    for (int i = 0; i < PLACES && is_found; i++) {
        struct source *source = open_file(&file);
        struct source_view view;
        struct error err;
        copy_access_points(&given, &access_points);
        spoil(&given, &prng);
        source_use_access_points(source, &given);
        CHECK(source_view(source, &view, &err) == STATUS_OK);
        for (uint64_t at = 0; at < file.size_bytes; at += file.size_bytes / 20)
            CHECK(is_right_at(&file, source, &view, at));
        CHECK(source_view_status(source, &err) == STATUS_OK);
        source_close(source);
    }
    if (is_found)
        access_points_free(&access_points);
    drop_file(&file);
}

// The disk space of the file that contains a text of that size.
static uint64_t room_of_view(uint64_t text_bytes)
{
    enum { FDS = 1000 };
    uint64_t taken_bytes = 0;
    for (int fd = 0; fd < FDS; fd++) {
        struct stat info;
        if (fstat(fd, &info) == 0 && (uint64_t)info.st_size == text_bytes)
            taken_bytes += 512 * (uint64_t)info.st_blocks;
    }
    return taken_bytes;
}

static void text_that_is_only_claimed_takes_no_room(void)
{
    struct test_file file;
    struct access_points access_points;
    if (!make_file(&file) || !gather(&file, &access_points)) {
        test_skip("no gzip, here or in this build");
    } else {
        uint64_t claimed_bytes = access_points.text_bytes += UINT64_C(1) << 30;
        struct source *source = open_file(&file);
        struct source_view view;
        struct error err;
        source_use_access_points(source, &access_points);
        CHECK(source_view(source, &view, &err) == STATUS_OK && view.size_bytes == claimed_bytes);
        CHECK(!source_want(source, claimed_bytes - 1, claimed_bytes));
        CHECK(source_view_status(source, &err) == STATUS_IO);
        CHECK(strstr(err.text, "is not the trace that its index was built from") != NULL);
        CHECK(room_of_view(claimed_bytes) < 2 * TEXT_BYTES);
        source_close(source);
    }
    drop_file(&file);
}

// One of several threads that request parts of one text.
struct asker {
    const struct test_file *file;
    struct source *source;
    const struct source_view *view;
    uint32_t seed;
    bool is_right;
};

static void *ask(void *context)
{
    struct asker *asker = context;
    struct prng prng = {asker->seed};
    asker->is_right = true;
    for (int i = 0; i < PLACES; i++) {
        uint64_t position = prng_below(&prng, (uint32_t)asker->file->size_bytes);
        asker->is_right &= is_right_at(asker->file, asker->source, asker->view, position);
    }
    return NULL;
}

// With correct places, and with wrong ones, which one of the threads detects.
static void several_may_ask(void)
{
    enum { ASKERS = 4, ROUNDS = 4 };
    struct test_file file;
    struct access_points access_points, given;
    struct prng prng = {3};
    bool is_found = make_file(&file) && gather(&file, &access_points);
    if (!is_found)
        test_skip("no gzip, here or in this build");
    for (uint32_t round = 0; round < ROUNDS && is_found; round++) {
        struct source *source = open_file(&file);
        struct source_view view;
        struct error err;
        struct asker askers[ASKERS];
        pthread_t threads[ASKERS];
        copy_access_points(&given, &access_points);
        for (uint32_t i = 0; i < round; i++)
            spoil(&given, &prng);
        source_use_access_points(source, &given);
        CHECK(source_view(source, &view, &err) == STATUS_OK);
        for (uint32_t i = 0; i < ASKERS; i++)
            askers[i] = (struct asker){&file, source, &view, 10 * round + i + 1, false};
        unsigned started = threads_start(threads, ASKERS, ask, askers, sizeof *askers);
        CHECK(started == ASKERS);
        for (unsigned i = 0; i < started; i++) {
            pthread_join(threads[i], NULL);
            CHECK(askers[i].is_right);
        }
        CHECK(source_view_status(source, &err) == STATUS_OK);
        source_close(source);
    }
    if (is_found)
        access_points_free(&access_points);
    drop_file(&file);
}

// A window is not stored if it would take too much of the file's size.
static void windows_take_a_hundredth(void)
{
    struct test_file file;
    struct access_points access_points;
    bool is_found = make_file(&file) && gather(&file, &access_points);
    if (!is_found)
        test_skip("no gzip, here or in this build");
    if (is_found) {
        struct source *source = open_file(&file);
        CHECK(access_points.windows.count <= source_file(source, 0).file_bytes / 100);
        source_close(source);
        access_points_free(&access_points);
    }
    drop_file(&file);
}

const struct test_case access_point_tests[] = {
    {THREADED "only_what_is_asked_for_is_decompressed", only_what_is_asked_for_is_decompressed},
    {THREADED "wrong_places_change_nothing", wrong_places_change_nothing},
    {THREADED "text_that_is_only_claimed_takes_no_room", text_that_is_only_claimed_takes_no_room},
    {THREADED "several_may_ask", several_may_ask},
    {THREADED "windows_take_a_hundredth", windows_take_a_hundredth},
    {NULL, NULL},
};
