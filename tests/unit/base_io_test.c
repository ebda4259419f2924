// Mapped files that change while they are read, spools that exceed memory, sets of hashes.
#include "base/hash_index.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/spool.h"
#include "random.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- Maps ----------------------------------------------------------------------------------------

#define PAGES 8

struct mapped {
    char path[40];
    size_t page_bytes;
    struct map map;
};

static bool map_new_file(struct mapped *file, size_t size_bytes)
{
    struct error err;
    strcpy(file->path, "/tmp/trawl-unit-XXXXXX");
    int fd = mkstemp(file->path);
    file->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = malloc(size_bytes + 1);
    memset(bytes, 'x', size_bytes);
    bool is_written = fd >= 0 && write(fd, bytes, size_bytes) == (ssize_t)size_bytes;
    free(bytes);
    return is_written && map_open(&file->map, fd, file->path, &err) == STATUS_OK;
}

static void close_file(struct mapped *file)
{
    map_close(&file->map);
    unlink(file->path);
}

static void mapped_file_is_intact_while_nobody_touches_it(void)
{
    struct mapped file;
    CHECK(map_new_file(&file, 5000));
    CHECK(file.map.size_bytes == 5000 && file.map.data[4999] == 'x');
    CHECK(map_is_intact(&file.map));
    close_file(&file);
}

static void empty_file_is_mapped_as_nothing(void)
{
    struct mapped file;
    CHECK(map_new_file(&file, 0));
    CHECK(file.map.size_bytes == 0 && !file.map.data && map_is_intact(&file.map));
    close_file(&file);
}

static void reading_beyond_a_cut_is_survived_and_known(void)
{
    struct mapped file, other;
    struct stat info;
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    map_guard_install();
    CHECK(map_new_file(&file, PAGES * page_bytes) && map_new_file(&other, PAGES * page_bytes));
    CHECK(stat(file.path, &info) == 0);
    CHECK(truncate(file.path, (off_t)page_bytes) == 0);
    volatile const char *data = file.map.data;
    unsigned sum = 0;
    for (size_t i = 1; i < PAGES; i++)
        sum += (unsigned char)data[i * page_bytes + 17];
    CHECK(sum == 0 && data[0] == 'x');
    CHECK(!map_is_intact(&file.map));
    CHECK(map_is_intact(&other.map));
    // With its old size and time it is still not what was read.
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, info.st_mtim};
    CHECK(truncate(file.path, (off_t)(PAGES * page_bytes)) == 0);
    CHECK(utimensat(AT_FDCWD, file.path, times, 0) == 0);
    CHECK(!map_is_intact(&file.map));
    close_file(&file);
    close_file(&other);
}

static void growing_and_writing_are_known(void)
{
    struct mapped file;
    CHECK(map_new_file(&file, 5000));
    CHECK(truncate(file.path, 6000) == 0);
    CHECK(!map_is_intact(&file.map));
    close_file(&file);
    CHECK(map_new_file(&file, 5000));
    usleep(20000); // longer than the resolution of file times
    FILE *stream = fopen(file.path, "r+");
    fputc('y', stream);
    fclose(stream);
    CHECK(!map_is_intact(&file.map));
    close_file(&file);
}

static void slots_of_closed_maps_are_used_again(void)
{
    for (int i = 0; i < 200; i++) {
        struct mapped file;
        CHECK(map_new_file(&file, 100));
        CHECK(file.map.guard_slot >= 0);
        close_file(&file);
    }
}

static void files_beyond_the_guard_are_refused(void)
{
    enum { MANY = LIMIT_MAPPED_FILES + 16 };
    static struct mapped files[MANY];
    struct rlimit before, raised;
    int count = 0;
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    raised = before;
    raised.rlim_cur = u64_min(before.rlim_max, u64_max(before.rlim_cur, MANY + 100));
    CHECK(setrlimit(RLIMIT_NOFILE, &raised) == 0);
    map_guard_install();
    while (count < MANY && map_new_file(&files[count], 100))
        CHECK(files[count++].map.guard_slot >= 0);
    CHECK(count >= 32 && count < MANY);
    unlink(files[count].path);
    while (count--)
        close_file(&files[count]);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
}

static void copies_stay_as_they_were_read(void)
{
    struct mapped file;
    struct map copy;
    struct error err;
    CHECK(map_new_file(&file, 9000));
    CHECK(map_open_copy(&copy, open(file.path, O_RDONLY), file.path, &err) == STATUS_OK);
    CHECK(truncate(file.path, 0) == 0);
    CHECK(copy.size_bytes == 9000 && copy.data[8999] == 'x' && !map_is_intact(&copy));
    map_close(&copy);
    CHECK(map_open_copy(&copy, open("/", O_RDONLY), "/", &err) == STATUS_INPUT);
    close_file(&file);
}

// --- Spools --------------------------------------------------------------------------------------

#define RECORD_BYTES (UINT64_C(1) << 20)
#define RECORDS 50

static bool spool_records(struct spool *spool, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        char *at = spool_reserve(spool, RECORD_BYTES);
        if (!at)
            return false;
        memset(at, (int)(spool->used_bytes / RECORD_BYTES + 1), RECORD_BYTES);
        spool->used_bytes += RECORD_BYTES;
    }
    return true;
}

static bool records_are_there(const struct spool *spool)
{
    for (uint64_t i = 0; i < spool->used_bytes / RECORD_BYTES; i++) {
        const char *at = spool->base + i * RECORD_BYTES;
        if (at[0] != (char)(i + 1) || at[RECORD_BYTES - 1] != (char)(i + 1))
            return false;
    }
    return true;
}

static void spool_goes_on_in_a_file(void)
{
    struct spool spool = {.memory_bytes = RECORD_BYTES};
    CHECK(spool_records(&spool, 1));
    const char *base = spool.base;
    CHECK(spool.fd < 0);
    CHECK(spool_records(&spool, RECORDS - 1));
    CHECK(spool.fd >= 0 && spool.base == base && records_are_there(&spool));
    spool_free(&spool);
    CHECK(!spool.base);
    spool_free(&spool);
}

// Runs in a forked process. Returns its exit status.
static int change_in_fork(struct spool *spool)
{
    int status = -1;
    pid_t child = spools_fork();
    if (child == 0) {
        bool is_kept = spool_records(spool, RECORDS) && records_are_there(spool);
        memset(spool->base, 0, spool->used_bytes);
        spool_leave(spool, 0, spool->used_bytes);
        is_kept &= !spool->base[0] && !spool->base[RECORDS * RECORD_BYTES - 1];
        spool_free(spool);
        _exit(is_kept ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

static void spool_of_a_fork_is_its_own(void)
{
    struct spool spool = {.memory_bytes = RECORD_BYTES};
    CHECK(spool_records(&spool, RECORDS));
    CHECK(change_in_fork(&spool) == 0);
    CHECK(records_are_there(&spool));
    CHECK(spool_records(&spool, RECORDS / 2) && records_are_there(&spool));
    spool_free(&spool);
}

static void spool_takes_a_record_beyond_any_step(void)
{
    struct spool spool = {.memory_bytes = RECORD_BYTES};
    char *at = spool_reserve(&spool, 40 * RECORD_BYTES);
    CHECK(at);
    at[0] = at[40 * RECORD_BYTES - 1] = 1;
    spool_free(&spool);
}

// ThreadSanitizer reserves most of the address space.
#if defined(__has_feature)
#define HAS_ADDRESS_SPACE !__has_feature(thread_sanitizer)
#else
#define HAS_ADDRESS_SPACE true
#endif

static void there_is_room_for_a_spool_for_each_lane(void)
{
    if (!HAS_ADDRESS_SPACE) {
        test_skip("ThreadSanitizer has the address space");
        return;
    }
    enum { LANES = 4096 }; // the most that keep something: a process may have 65,530 mappings
    static struct spool spools[LANES + 1];
    for (size_t i = 0; i < ARRAY_COUNT(spools); i++)
        CHECK(spool_reserve(&spools[i], 1));
    CHECK(spools[LANES].reserved_bytes >= LIMIT_SMALL_SPOOL_BYTES);
    CHECK(spools[0].reserved_bytes >= spools[LANES].reserved_bytes);
    for (size_t i = 0; i < ARRAY_COUNT(spools); i++)
        spool_free(&spools[i]);
}

static void spool_without_a_place_for_files_says_so(void)
{
    struct spool spool = {.memory_bytes = RECORD_BYTES};
    const char *before = getenv("TMPDIR");
    char *kept = before ? strdup(before) : NULL;
    setenv("TMPDIR", "/no such directory", 1);
    errno = 0;
    CHECK(!spool_records(&spool, RECORDS) && errno == ENOENT);
    CHECK(spool.used_bytes >= RECORD_BYTES && records_are_there(&spool));
    spool_free(&spool);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

// A limit on the size of files simulates a full disk.
static void spool_on_a_full_disk_says_so(void)
{
    struct spool spool = {.memory_bytes = RECORD_BYTES};
    struct rlimit before, small;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = RECORD_BYTES;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    errno = 0;
    CHECK(!spool_records(&spool, RECORDS) && errno == EFBIG);
    CHECK(records_are_there(&spool));
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, SIG_DFL);
    CHECK(spool_records(&spool, RECORDS) && records_are_there(&spool));
    spool_free(&spool);
}

// --- Sets of hashes ------------------------------------------------------------------------------

static void hashset_knows_what_was_added(void)
{
    struct hashset set = {0};
    bool is_new, seen[600] = {false};
    struct prng prng = {9};
    size_t count = 0;
    for (int i = 0; i < 5000; i++) {
        uint32_t which = prng_below(&prng, 600);
        // Many have the same low bits, and so the same slot.
        CHECK(hashset_add(&set, which % 3 ? (uint64_t)which << 32 | 5 : which, &is_new));
        CHECK(is_new == !seen[which]);
        count += is_new;
        seen[which] = true;
    }
    CHECK(set.count == count);
    hashset_free(&set);
}

static void hashset_is_empty_after_clearing(void)
{
    struct hashset set = {0};
    bool is_new;
    hashset_clear(&set);
    for (uint64_t i = 0; i < 1000; i++)
        CHECK(hashset_add(&set, i << 20, &is_new) && is_new);
    size_t slot_count = set.slot_count;
    hashset_clear(&set);
    CHECK(set.count == 0 && set.slot_count == slot_count);
    CHECK(hashset_add(&set, 0, &is_new) && is_new);
    CHECK(hashset_add(&set, 0, &is_new) && !is_new);
    hashset_free(&set);
    CHECK(hashset_add(&set, 7, &is_new) && is_new);
    hashset_free(&set);
}

const struct test_case base_io_tests[] = {
    {"mapped_file_is_intact_while_nobody_touches_it",
     mapped_file_is_intact_while_nobody_touches_it},
    {"empty_file_is_mapped_as_nothing", empty_file_is_mapped_as_nothing},
    {"reading_beyond_a_cut_is_survived_and_known", reading_beyond_a_cut_is_survived_and_known},
    {"growing_and_writing_are_known", growing_and_writing_are_known},
    {"slots_of_closed_maps_are_used_again", slots_of_closed_maps_are_used_again},
    {"files_beyond_the_guard_are_refused", files_beyond_the_guard_are_refused},
    {"copies_stay_as_they_were_read", copies_stay_as_they_were_read},
    {"spool_goes_on_in_a_file", spool_goes_on_in_a_file},
    {"spool_of_a_fork_is_its_own", spool_of_a_fork_is_its_own},
    {"spool_takes_a_record_beyond_any_step", spool_takes_a_record_beyond_any_step},
    {"there_is_room_for_a_spool_for_each_lane", there_is_room_for_a_spool_for_each_lane},
    {"spool_without_a_place_for_files_says_so", spool_without_a_place_for_files_says_so},
    {"spool_on_a_full_disk_says_so", spool_on_a_full_disk_says_so},
    {"hashset_knows_what_was_added", hashset_knows_what_was_added},
    {"hashset_is_empty_after_clearing", hashset_is_empty_after_clearing},
    {NULL, NULL},
};
