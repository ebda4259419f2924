#include "report/csv.h"
#include "report/json.h"
#include "report/out.h"
#include "report/table.h"
#include "report/utf8.h"
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

static void utf8_takes_only_well_formed_text(void)
{
    static const char *const bad[] = {
        "\x80", "\xc0\xaf",         "\xc1\x80", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xff", "\xf4\x90\x80\x80", "\xc3",     "\xe2\x82",     "\xc3(",        "\xf0\x9f\x98"};
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
        CHECK(utf8_character(bad[i], strlen(bad[i])) == 0);
    CHECK(utf8_character("\xc3\xa9", 2) == 2);
    CHECK(utf8_character("\xe2\x82\xac", 3) == 3);
    CHECK(utf8_character("\xf4\x8f\xbf\xbf", 4) == 4);
    CHECK(utf8_printable("\n", 1) == 0 && utf8_printable("\x7f", 1) == 0);
    CHECK(utf8_printable("\xc2\x9b", 2) == 0);     // CSI, which terminals obey
    CHECK(utf8_printable("\xe2\x80\xae", 3) == 0); // right-to-left override
    CHECK(utf8_printable("\xef\xbf\xbf", 3) == 0); // not a character of XML
    CHECK(utf8_printable("\xe2\x82\xac", 3) == 3);
}

static void json_escapes_and_nests(void)
{
    struct json json;
    CHECK_OUT(
        "{\n  \"a\\\"b\": [1, \"\\u0001\\n\\t\\\\/\\u001f\"],\n  \"e\": {},\n"
        "  \"n\": null,\n  \"t\": true,\n  \"s\": 0.250000,\n  \"p\": \"0xffffffffffffffff\",\n"
        "  \"u\": \"\xc3\xa9" UTF8_REPLACEMENT "x\",\n  \"m\": 18446744073709551615\n}\n",
        {
            json_begin(&json, &out, 1);
            json_begin_object(&json);
            json_key(&json, "a\"b");
            json_begin_array(&json);
            json_u64(&json, 1);
            json_text(&json, "\x01\n\t\\/\x1f");
            json_end_array(&json);
            json_key(&json, "e");
            json_begin_object(&json);
            json_end_object(&json);
            json_key(&json, "n");
            json_text(&json, NULL);
            json_key(&json, "t");
            json_bool(&json, true);
            json_key(&json, "s");
            json_share(&json, 1, 4);
            json_key(&json, "p");
            json_address(&json, UINT64_MAX);
            json_key(&json, "u");
            json_text(&json, "\xc3\xa9\xffx");
            json_key(&json, "m");
            json_u64(&json, UINT64_MAX);
            json_end_object(&json);
            json_end(&json);
        });
}

static void csv_quotes_where_needed(void)
{
    CHECK_OUT("plain", csv_field(&out, "plain"));
    CHECK_OUT("", csv_field(&out, NULL));
    CHECK_OUT("\"a,b\"", csv_field(&out, "a,b"));
    CHECK_OUT("\"say \"\"x\"\"\"", csv_field(&out, "say \"x\""));
    CHECK_OUT("\"\"\"\"", csv_field(&out, "\""));
    CHECK_OUT("\"two\r\nlines\"", csv_field(&out, "two\r\nlines"));
}

static void write_example_table(struct out *out, enum table_format format, int row_count)
{
    static const struct column columns[] = {
        {"Address", "address", COLUMN_ADDRESS}, {"Count", "count", COLUMN_U64},
        {"Function", "function", COLUMN_TEXT},  {"Self", "self_share", COLUMN_SHARE},
        {"File", "file", COLUMN_TEXT},
    };
    static const char *const names[] = {"main", NULL, "caf\xc3\xa9\x1b[2J"};
    struct table table;
    CHECK(table_begin(&table, out, format, columns, ARRAY_COUNT(columns), NULL) == STATUS_OK);
    for (int i = 0; i < row_count; i++) {
        table_address(&table, 0x8000u << i % 20);
        table_u64(&table, i);
        table_text(&table, names[i % 3]);
        if (i == 2)
            table_none(&table);
        else
            table_share(&table, i, 8);
        table_text(&table, i == 1 ? "a,b.c" : NULL);
    }
    table_end(&table);
}

static void table_has_three_forms(void)
{
    CHECK_OUT("Address  Count  Function   Self  File\n"
              " 0x8000      0  main       0.0%\n"
              "0x10000      1            12.5%  a,b.c\n"
              "0x20000      2  caf\xc3\xa9?[2J\n",
              write_example_table(&out, TABLE_TEXT, 3));
    CHECK_OUT("address,count,function,self_share,file\n"
              "0x8000,0,main,0.000000,\n"
              "0x10000,1,,0.125000,\"a,b.c\"\n"
              "0x20000,2,caf\xc3\xa9\x1b[2J,,\n",
              write_example_table(&out, TABLE_CSV, 3));
    CHECK_OUT("[\n  {\"address\": \"0x8000\", \"count\": 0, \"function\": \"main\", "
              "\"self_share\": 0.000000, \"file\": null},\n"
              "  {\"address\": \"0x10000\", \"count\": 1, \"function\": null, "
              "\"self_share\": 0.125000, \"file\": \"a,b.c\"}\n]\n",
              write_example_table(&out, TABLE_JSON, 2));
    CHECK_OUT("[]\n", write_example_table(&out, TABLE_JSON, 0));
    CHECK_OUT("Address  Count  Function  Self  File\n", write_example_table(&out, TABLE_TEXT, 0));
    enum table_format format;
    CHECK(table_format_named("csv", &format) && format == TABLE_CSV);
    CHECK(!table_format_named("xml", &format));
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    while ((text = strchr(text, '\n')) != NULL) {
        lines++;
        text++;
    }
    return lines;
}

// Past the rows that are measured, lines go out one by one.
static void table_may_be_long(void)
{
    struct out out;
    CHECK(out_open_memory(&out, NULL) == STATUS_OK);
    write_example_table(&out, TABLE_TEXT, 20000);
    const char *text = out_memory_text(&out);
    CHECK(count_lines(text) == 20001);
    CHECK(strstr(text, "  19999  ") != NULL);
    CHECK(strstr(text, " \n") == NULL);
    CHECK(out_close(&out, NULL) == STATUS_OK);
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
    {"utf8_takes_only_well_formed_text", utf8_takes_only_well_formed_text},
    {"json_escapes_and_nests", json_escapes_and_nests},
    {"csv_quotes_where_needed", csv_quotes_where_needed},
    {"table_has_three_forms", table_has_three_forms},
    {"table_may_be_long", table_may_be_long},
    {NULL, NULL},
};
