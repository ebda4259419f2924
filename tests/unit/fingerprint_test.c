// Fingerprints of files: which changes they detect, and how much they read.
#include "base/fingerprint.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#define SAMPLED_BYTES ((uint64_t)FINGERPRINT_PAGES * FINGERPRINT_PAGE_BYTES)

// An open unnamed file of zeros, without blocks on the disk.
static int open_zeros(uint64_t size_bytes)
{
    char path[] = "/tmp/trawl-unit-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)size_bytes) == 0);
    return fd;
}

static struct fingerprint fingerprint_of(int fd)
{
    struct fingerprint fingerprint = {0};
    struct error err;
    CHECK(fingerprint_take(&fingerprint, fd, "file", &err) == STATUS_OK);
    return fingerprint;
}

struct pieces {
    uint64_t hashes[4], count;
};

static enum status take_piece(void *self, uint64_t piece, uint64_t hash, struct error *err)
{
    struct pieces *pieces = self;
    (void)err;
    CHECK(piece == pieces->count && piece < ARRAY_COUNT(pieces->hashes));
    pieces->hashes[pieces->count++] = hash;
    return STATUS_OK;
}

static void fingerprint_sample_is_xxh3_of_a_small_file(void)
{
    unsigned char bytes[5000];
    int fd = open_zeros(0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 1000);
    CHECK(write(fd, bytes, sizeof bytes) == sizeof bytes);
    XXH128_hash_t expected = XXH3_128bits(bytes, sizeof bytes);
    struct fingerprint small = fingerprint_of(fd);
    CHECK(small.sample.low == expected.low64 && small.sample.high == expected.high64);
    CHECK(small.size_bytes == sizeof bytes && lseek(fd, 0, SEEK_CUR) == sizeof bytes);
    close(fd);
}

static void fingerprint_blocks_cover_the_file(void)
{
    const uint64_t size = 2 * FINGERPRINT_BLOCK_BYTES + 77;
    int fd = open_zeros(size);
    struct pieces before = {.count = 0};
    struct error err;
    CHECK(fingerprint_block_count(size) == 3 && fingerprint_block_count(size - 77) == 2);
    CHECK(fingerprint_block_count(0) == 0 && fingerprint_block_count(UINT64_MAX) == 1ULL << 44);
    CHECK(fingerprint_each_block(fd, "file", take_piece, &before, &err) == STATUS_OK);
    CHECK(before.count == 3 && before.hashes[0] == before.hashes[1]);
    char zeros[77] = {0};
    CHECK(before.hashes[2] == XXH3_64bits(zeros, sizeof zeros));
    for (uint64_t piece = 0; piece < 3; piece++) {
        uint64_t offset = piece * FINGERPRINT_BLOCK_BYTES;
        uint64_t last = u64_min(size, offset + FINGERPRINT_BLOCK_BYTES) - 1;
        for (int side = 0; side < 2; side++) {
            struct pieces after = {.count = 0};
            CHECK(pwrite(fd, "x", 1, (off_t)(side ? last : offset)) == 1);
            CHECK(fingerprint_each_block(fd, "file", take_piece, &after, &err) == STATUS_OK);
            CHECK(pwrite(fd, "", 1, (off_t)(side ? last : offset)) == 1);
            for (uint64_t i = 0; i < 3; i++)
                CHECK((before.hashes[i] != after.hashes[i]) == (i == piece));
        }
    }
    close(fd);
}

static bool change_is_noticed(int fd, uint64_t offset)
{
    struct fingerprint before = fingerprint_of(fd);
    CHECK(pwrite(fd, "x", 1, (off_t)offset) == 1);
    struct fingerprint after = fingerprint_of(fd);
    CHECK(pwrite(fd, "", 1, (off_t)offset) == 1);
    CHECK(hash128_equals(fingerprint_of(fd).sample, before.sample));
    return !hash128_equals(before.sample, after.sample);
}

static void fingerprint_samples_all_over_the_file(void)
{
    uint64_t size = SAMPLED_BYTES * 10 + 123;
    int fd = open_zeros(size);
    unsigned noticed = 0;
    CHECK(change_is_noticed(fd, 0) && change_is_noticed(fd, FINGERPRINT_PAGE_BYTES - 1));
    CHECK(change_is_noticed(fd, size - 1) && change_is_noticed(fd, size - FINGERPRINT_PAGE_BYTES));
    for (uint64_t page = 0; page < size / FINGERPRINT_PAGE_BYTES; page++)
        noticed += change_is_noticed(fd, page * FINGERPRINT_PAGE_BYTES + 200);
    // The last sampled page spans two pages of the file.
    CHECK(noticed == FINGERPRINT_PAGES);
    close(fd);
}

static void fingerprint_is_all_of_what_is_not_larger(void)
{
    int fd = open_zeros(SAMPLED_BYTES);
    for (uint64_t offset = 0; offset < SAMPLED_BYTES; offset += 1000)
        CHECK(change_is_noticed(fd, offset));
    close(fd);
    fd = open_zeros(SAMPLED_BYTES + 1);
    CHECK(change_is_noticed(fd, SAMPLED_BYTES) && change_is_noticed(fd, 0));
    close(fd);
}

static void fingerprint_of_an_empty_file(void)
{
    int fd = open_zeros(0);
    struct fingerprint fingerprint = fingerprint_of(fd);
    CHECK(fingerprint.size_bytes == 0);
    XXH128_hash_t nothing = XXH3_128bits("", 0);
    CHECK(fingerprint.sample.low == nothing.low64 && fingerprint.sample.high == nothing.high64);
    struct pieces pieces = {.count = 0};
    struct error err;
    CHECK(fingerprint_each_block(fd, "file", take_piece, &pieces, &err) == STATUS_OK);
    CHECK(pieces.count == 0);
    close(fd);
}

static void fingerprint_of_the_largest_file(void)
{
    // As large as the file system allows for a file without blocks.
    for (uint64_t size = INT64_MAX - FINGERPRINT_PAGE_BYTES; size > SAMPLED_BYTES; size /= 2) {
        int fd = open_zeros(0);
        bool is_made = ftruncate(fd, (off_t)size) == 0;
        if (is_made)
            CHECK(fingerprint_of(fd).size_bytes == size);
        close(fd);
        if (is_made)
            return;
    }
    CHECK(false);
}

static void fingerprints_compare(void)
{
    const struct fingerprint kept = {1000, 5, {1, 2}};
    struct fingerprint now = kept;
    CHECK(fingerprint_compare(&kept, &now) == FINGERPRINT_SAME);
    now.mtime_ns++;
    CHECK(fingerprint_compare(&kept, &now) == FINGERPRINT_TOUCHED);
    now.sample.high++;
    CHECK(fingerprint_compare(&kept, &now) == FINGERPRINT_OTHER);
    now = kept;
    now.sample.low++;
    CHECK(fingerprint_compare(&kept, &now) == FINGERPRINT_OTHER);
    now = kept;
    now.size_bytes++;
    CHECK(fingerprint_compare(&kept, &now) == FINGERPRINT_OTHER);
}

static void fingerprint_knows_the_time_of_the_file(void)
{
    int fd = open_zeros(100);
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {1234567890, 123456789}};
    CHECK(futimens(fd, times) == 0);
    CHECK(fingerprint_of(fd).mtime_ns == UINT64_C(1234567890123456789));
    close(fd);
}

static void fingerprint_of_what_is_no_file_is_refused(void)
{
    struct fingerprint fingerprint;
    struct pieces pieces = {.count = 0};
    struct error err;
    int ends[2], directory = open("/", O_RDONLY);
    CHECK(pipe(ends) == 0);
    CHECK(fingerprint_take(&fingerprint, ends[0], "pipe", &err) == STATUS_INPUT);
    CHECK(fingerprint_each_block(directory, "/", take_piece, &pieces, &err) == STATUS_INPUT);
    close(directory);
    close(ends[0]);
    close(ends[1]);
    CHECK(fingerprint_take(&fingerprint, -1, "gone", &err) == STATUS_IO);
    CHECK(strstr(err.text, "gone: stat: ") == err.text);
}

const struct test_case fingerprint_tests[] = {
    {"fingerprint_sample_is_xxh3_of_a_small_file", fingerprint_sample_is_xxh3_of_a_small_file},
    {"fingerprint_pieces_cover_the_file", fingerprint_blocks_cover_the_file},
    {"fingerprint_samples_all_over_the_file", fingerprint_samples_all_over_the_file},
    {"fingerprint_is_all_of_what_is_not_larger", fingerprint_is_all_of_what_is_not_larger},
    {"fingerprint_of_an_empty_file", fingerprint_of_an_empty_file},
    {"fingerprint_of_the_largest_file", fingerprint_of_the_largest_file},
    {"fingerprints_compare", fingerprints_compare},
    {"fingerprint_knows_the_time_of_the_file", fingerprint_knows_the_time_of_the_file},
    {"fingerprint_of_what_is_no_file_is_refused", fingerprint_of_what_is_no_file_is_refused},
    {NULL, NULL},
};
