#include "report/out.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Opens a memory target, runs `body` with it and checks the text.
#define CHECK_OUT(expected, body)                                                                  \
    do {                                                                                           \
        struct out out;                                                                            \
        CHECK(out_open_memory(&out, NULL) == STATUS_OK);                                           \
        body;                                                                                      \
        CHECK_STR(out_memory_text(&out), expected);                                                \
        CHECK(out_close(&out, NULL) == STATUS_OK);                                                 \
    } while (0)

static void check_number(uint64_t value)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    CHECK_OUT(expected, CHECK(out_u64(&out, value) == strlen(expected)));
    snprintf(expected, sizeof expected, "%" PRIx64, value);
    CHECK_OUT(expected, CHECK(out_hex(&out, value, 0) == strlen(expected)));
    snprintf(expected, sizeof expected, "%08" PRIx64, value);
    CHECK_OUT(expected, CHECK(out_hex(&out, value, 8) == strlen(expected)));
    snprintf(expected, sizeof expected, "%016" PRIx64, value);
    CHECK_OUT(expected, CHECK(out_hex(&out, value, 16) == 16));
}

static void out_numbers_match_printf(void)
{
    check_number(0);
    check_number(UINT64_MAX);
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
        for (uint64_t near = power * 10 - 2; near <= power * 10 + 2; near++)
            check_number(near);
    for (unsigned bit = 0; bit < 64; bit++)
        for (uint64_t near = (UINT64_C(1) << bit) - 1; near <= (UINT64_C(1) << bit) + 1; near++)
            check_number(near);
    uint64_t random = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        check_number(random >> (i % 64));
    }
}

static void out_ratio_rounds_and_survives_extremes(void)
{
    CHECK_OUT("0.3333", CHECK(out_ratio(&out, 1, 3, 4) == 6));
    CHECK_OUT("0.6667", out_ratio(&out, 2, 3, 4));
    CHECK_OUT("1.000000", out_ratio(&out, 5, 5, 6));
    CHECK_OUT("0.05", out_ratio(&out, 1, 20, 2));
    CHECK_OUT("13", out_ratio(&out, 25, 2, 0));
    CHECK_OUT("0.0", out_ratio(&out, 7, 0, 1));
    CHECK_OUT("1.000000000", out_ratio(&out, UINT64_MAX, UINT64_MAX, 9));
    CHECK_OUT("0.000000001", out_ratio(&out, UINT64_MAX / 1000000000, UINT64_MAX, 9));
}

static void out_memory_grows(void)
{
    struct out out;
    CHECK(out_open_memory(&out, NULL) == STATUS_OK);
    for (uint64_t i = 0; i < 200000; i++) {
        out_hex(&out, i, 8);
        out_pad(&out, i % 3);
        out_byte(&out, '\n');
    }
    CHECK(out_position(&out) == 200000 * 9 + 66666 * 3 + 1);
    CHECK(strlen(out_memory_text(&out)) == out_position(&out));
    CHECK(memcmp(out_memory_text(&out), "00000000\n00000001 \n00000002  \n", 30) == 0);
    CHECK(out_close(&out, NULL) == STATUS_OK);
}

// A directory of its own for the tests of files.
struct scratch {
    char directory[64], file[80];
};

static void scratch_make(struct scratch *scratch)
{
    strcpy(scratch->directory, "/tmp/trawl-report-XXXXXX");
    CHECK(mkdtemp(scratch->directory) != NULL);
    snprintf(scratch->file, sizeof scratch->file, "%s/report", scratch->directory);
}

static int scratch_count_files(const struct scratch *scratch)
{
    DIR *directory = opendir(scratch->directory);
    int count = -2; // . and ..
    while (directory && readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void scratch_remove(struct scratch *scratch)
{
    unlink(scratch->file);
    CHECK(rmdir(scratch->directory) == 0);
}

static bool file_holds(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return strcmp(text, expected) == 0;
}

static void write_file(const char *path, const char *text)
{
    struct out out;
    CHECK(out_open(&out, path, NULL) == STATUS_OK);
    out_text(&out, text);
    CHECK(out_close(&out, NULL) == STATUS_OK);
}

static void out_file_appears_only_whole(void)
{
    struct scratch scratch;
    struct out out;
    scratch_make(&scratch);
    write_file(scratch.file, "first");
    CHECK(file_holds(scratch.file, "first"));
    CHECK(chmod(scratch.file, 0640) == 0);
    CHECK(out_open(&out, scratch.file, NULL) == STATUS_OK);
    out_text(&out, "second");
    out_flush(&out);
    CHECK(file_holds(scratch.file, "first"));
    CHECK(out_close(&out, NULL) == STATUS_OK);
    CHECK(file_holds(scratch.file, "second"));
    struct stat now;
    CHECK(stat(scratch.file, &now) == 0 && (now.st_mode & 0777) == 0640);
    CHECK(scratch_count_files(&scratch) == 1);
    scratch_remove(&scratch);
}

static void out_failed_file_leaves_the_old_one(void)
{
    struct scratch scratch;
    struct out out;
    struct error err;
    scratch_make(&scratch);
    write_file(scratch.file, "old");
    CHECK(out_open(&out, scratch.file, NULL) == STATUS_OK);
    out_text(&out, "new");
    out_abandon(&out);
    CHECK(out_open(&out, scratch.file, NULL) == STATUS_OK);
    out_text(&out, "new");
    out.error_number = ENOSPC;
    CHECK(out_close(&out, &err) == STATUS_IO);
    CHECK(strstr(err.text, scratch.file) && strstr(err.text, strerror(ENOSPC)));
    CHECK(file_holds(scratch.file, "old"));
    CHECK(scratch_count_files(&scratch) == 1);
    scratch_remove(&scratch);
    snprintf(scratch.file, sizeof scratch.file, "%s/gone/report", scratch.directory);
    CHECK(out_open(&out, scratch.file, &err) == STATUS_IO);
}

static void out_follows_symbolic_links(void)
{
    struct scratch scratch;
    char link[96];
    struct stat now;
    scratch_make(&scratch);
    snprintf(link, sizeof link, "%s/link", scratch.directory);
    CHECK(symlink("report", link) == 0);
    write_file(link, "through a dangling link");
    CHECK(file_holds(scratch.file, "through a dangling link"));
    write_file(link, "again");
    CHECK(file_holds(scratch.file, "again"));
    CHECK(lstat(link, &now) == 0 && S_ISLNK(now.st_mode));
    unlink(link);
    scratch_remove(&scratch);
}

static void out_remembers_the_first_write_error(void)
{
    struct out out;
    struct error err;
    if (access("/dev/full", W_OK) != 0)
        return;
    CHECK(out_open(&out, "/dev/full", &err) == STATUS_OK);
    for (uint64_t i = 0; i < 500000 && !out_failed(&out); i++)
        out_u64(&out, i);
    CHECK(out_failed(&out));
    char *large = calloc(1, 1 << 20);
    out_bytes(&out, large, 1 << 20);
    free(large);
    CHECK(out_close(&out, &err) == STATUS_IO);
    CHECK(strstr(err.text, "/dev/full: write: ") == err.text);
    struct stat device;
    CHECK(stat("/dev/full", &device) == 0 && S_ISCHR(device.st_mode));
    write_file("/dev/null", "goes nowhere");
}

// A pipe that takes little at a time and refuses to wait.
static void out_waits_for_a_non_blocking_pipe(void)
{
    int ends[2];
    struct out out;
    CHECK(pipe(ends) == 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    pid_t child = fork();
    if (child == 0) {
        char text[5000];
        size_t total = 0;
        close(ends[1]);
        for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;)
            total += (size_t)got;
        _exit(total != 1000000);
    }
    close(ends[0]);
    CHECK(out_open_fd(&out, ends[1], "pipe", NULL) == STATUS_OK);
    out_pad(&out, 1000000);
    CHECK(out_close(&out, NULL) == STATUS_OK);
    close(ends[1]);
    int child_status = -1;
    CHECK(waitpid(child, &child_status, 0) == child && child_status == 0);
}

const struct test_case report_tests[] = {
    {"out_numbers_match_printf", out_numbers_match_printf},
    {"out_ratio_rounds_and_survives_extremes", out_ratio_rounds_and_survives_extremes},
    {"out_memory_grows", out_memory_grows},
    {"out_file_appears_only_whole", out_file_appears_only_whole},
    {"out_failed_file_leaves_the_old_one", out_failed_file_leaves_the_old_one},
    {"out_follows_symbolic_links", out_follows_symbolic_links},
    {"out_remembers_the_first_write_error", out_remembers_the_first_write_error},
    {"out_waits_for_a_non_blocking_pipe", out_waits_for_a_non_blocking_pipe},
    {NULL, NULL},
};
