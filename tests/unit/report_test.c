#include "base/limits.h"
#include "export/vcd_writer.h"
#include "report/flame_svg.h"
#include "report/json.h"
#include "report/out.h"
#include "report/table.h"
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

// Opens output to memory, runs `body` with it, and checks the text.
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

// The two halves of eight digits are processed separately, so testing every value of a half is
// enough.
static void decimal_digits_are_those_of_printf(void)
{
    for (unsigned half = 0; half < 10000; half++) {
        char expected[16], text[DECIMAL_ROOM_BYTES];
        unsigned value = half * 10000 + 9999 - half;
        snprintf(expected, sizeof expected, "%u", value);
        *decimal_put(text, value) = 0;
        CHECK_STR(text, expected);
    }
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

// A separate directory for the tests of files.
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
    int count = -2; // minus . and ..
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
    CHECK(out_open(&out, "/", &err) == STATUS_IO);
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

static void out_takes_the_longest_name(void)
{
    struct scratch scratch;
    char path[400];
    scratch_make(&scratch);
    int length = snprintf(path, sizeof path, "%s/", scratch.directory);
    memset(path + length, 'n', 255);
    path[length + 255] = 0;
    write_file(path, "named");
    CHECK(file_holds(path, "named"));
    CHECK(scratch_count_files(&scratch) == 1);
    unlink(path);
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

// A pipe that accepts little at a time, and does not wait.
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
    CHECK(utf8_printable("\xc2\x9b", 2) == 0);     // CSI, which controls terminals
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

static void json_escapes_what_terminals_obey(void)
{
    static const char text[] = "\x7f\xc2\x9b\xe2\x80\xae\xc3\xa9";
    struct json json;
    CHECK_OUT("\"\\u007f\\u009b\\u202e\xc3\xa9\"",
              (json_begin(&json, &out, 0), json_text(&json, text)));
}

static void inert_text_keeps_its_length(void)
{
    static const struct {
        const char *text, *inert;
    } cases[] = {
        {"", ""},
        {"plain text, longer than a word", "plain text, longer than a word"},
        {"\xc3\xa9 stays", "\xc3\xa9 stays"},
        {"12345678\x1b[31m\n", "12345678?[31m?"},
        {"1234567\x7f 12345678", "1234567? 12345678"},
        {"c1 \xc2\x9b \x9b", "c1 ?? ?"},
        {"turned \xe2\x80\xae.", "turned ???."},
        {"cut \xe2\x80", "cut ??"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char text[64];
        size_t length = strlen(cases[i].text);
        memcpy(text, cases[i].text, length + 1);
        CHECK(utf8_is_plain(text, length) == (strcmp(text, cases[i].inert) == 0 && i != 2));
        utf8_make_inert(text, length);
        CHECK_STR(text, cases[i].inert);
        CHECK_OUT(cases[i].inert, out_clean(&out, cases[i].text));
    }
}

static void csv_quotes_where_needed(void)
{
    CHECK_OUT("plain", csv_field(&out, "plain"));
    CHECK_OUT("", csv_field(&out, NULL));
    CHECK_OUT("\"a,b\"", csv_field(&out, "a,b"));
    CHECK_OUT("\"say \"\"x\"\"\"", csv_field(&out, "say \"x\""));
    CHECK_OUT("\"\"\"\"", csv_field(&out, "\""));
    CHECK_OUT("two??lines", csv_field(&out, "two\r\nlines"));
    CHECK_OUT("\"?[31m,\xc3\xa9?\"", csv_field(&out, "\033[31m,\xc3\xa9\x9b"));
}

static void write_example_table(struct out *out, enum table_format format, int row_count)
{
    static const struct table_column columns[] = {
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
    CHECK_OUT("Address  Count  Function  Self [%]  File\n"
              " 0x8000      0  main          0.0%\n"
              "0x10000      1               12.5%  a,b.c\n"
              "0x20000      2  caf\xc3\xa9?[2J\n",
              write_example_table(&out, TABLE_TEXT, 3));
    CHECK_OUT("address,count,function,self_share,file\n"
              "0x8000,0,main,0.000000,\n"
              "0x10000,1,,0.125000,\"a,b.c\"\n"
              "0x20000,2,caf\xc3\xa9?[2J,,\n",
              write_example_table(&out, TABLE_CSV, 3));
    CHECK_OUT("[\n  {\"address\": \"0x8000\", \"count\": 0, \"function\": \"main\", "
              "\"self_share\": 0.000000, \"file\": null},\n"
              "  {\"address\": \"0x10000\", \"count\": 1, \"function\": null, "
              "\"self_share\": 0.125000, \"file\": \"a,b.c\"}\n]\n",
              write_example_table(&out, TABLE_JSON, 2));
    CHECK_OUT("[]\n", write_example_table(&out, TABLE_JSON, 0));
    CHECK_OUT("Address  Count  Function  Self [%]  File\n",
              write_example_table(&out, TABLE_TEXT, 0));
    enum table_format format;
    CHECK(table_format_named("csv", &format) && format == TABLE_CSV);
    CHECK(!table_format_named("xml", &format));
}

static void write_heading_of_times(struct out *out, const char *tick_unit)
{
    static const struct table_column columns[] = {
        {"Self", "self", COLUMN_TICKS},
        {"Self", "self_seconds", COLUMN_SECONDS},
        {"Change", "self_change", COLUMN_CHANGE},
        {"Change", "self_change_share", COLUMN_CHANGE_SHARE},
    };
    struct table table;
    CHECK(table_begin_timed(&table, out, TABLE_TEXT, columns, ARRAY_COUNT(columns), tick_unit,
                            NULL) == STATUS_OK);
    table_end(&table);
}

static void headings_have_units(void)
{
    CHECK_OUT("Self [ticks]  Self [s]  Change [ticks]  Change [%]\n",
              write_heading_of_times(&out, "ticks"));
    CHECK_OUT("Self [ns]  Self [s]  Change [ns]  Change [%]\n", write_heading_of_times(&out, "ns"));
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

// Rows after those that determine the widths are written one by one.
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

// A random tree of calls. If `greedy` is set, the totals of children may exceed their parent's, as
// in damaged input.
struct forest {
    struct flame_frame *frames;
    size_t count, capacity;
    uint64_t random;
    bool greedy;
};

static uint64_t forest_random(struct forest *forest, uint64_t below)
{
    forest->random = forest->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (forest->random >> 33) % below;
}

static void forest_grow(struct forest *forest, uint32_t depth, uint64_t total)
{
    struct flame_frame *frame = &forest->frames[forest->count++];
    *frame = (struct flame_frame){.name = "f", .depth = depth, .total = total, .count = 1};
    uint64_t left = total;
    for (uint64_t i = 1 + forest_random(forest, 5); i; i--) {
        uint64_t share = 1 + forest_random(forest, left / 2 + 1);
        if (left < 2 || depth > 40 || forest->count >= forest->capacity)
            break;
        forest_grow(forest, depth + 1, forest->greedy ? total : share);
        left -= share < left ? share : left;
    }
    frame->self = left;
}

static struct forest forest_make(size_t capacity, uint64_t total, uint64_t seed, bool greedy)
{
    struct forest forest = {.capacity = capacity, .random = seed, .greedy = greedy};
    forest.frames = calloc(capacity + 1, sizeof *forest.frames);
    forest_grow(&forest, 0, total);
    return forest;
}

static size_t left_out_of(const struct flame_bounds *bounds)
{
    return bounds->narrow.frame_count + bounds->deep.frame_count;
}

static size_t drawn_count_of(const struct flame_layout *layout, const struct flame_frame *frames)
{
    size_t count = 0;
    for (size_t i = 0; i < layout->box_count; i++)
        count += flame_is_drawn(layout, frames, &layout->boxes[i]);
    return count;
}

// Boxes that are drawn are on boxes that are drawn.
static void check_drawn(const struct flame_layout *layout, const struct forest *forest)
{
    uint32_t depth_before = 0;
    for (size_t i = 0; i < layout->box_count; i++) {
        uint32_t depth = forest->frames[layout->boxes[i].frame].depth;
        if (!flame_is_drawn(layout, forest->frames, &layout->boxes[i]))
            continue;
        CHECK(depth < layout->level_count && layout->level_count <= LIMIT_FLAME_LEVELS);
        CHECK(!i || layout->boxes[i].width >= layout->drawn.width_min);
        CHECK(depth <= depth_before + 1);
        depth_before = depth;
    }
}

static void check_layout(const struct forest *forest, uint64_t finest)
{
    struct flame_layout layout;
    CHECK(flame_layout_make(&layout, forest->frames, forest->count, finest, NULL) == STATUS_OK);
    uint64_t starts[LIMIT_FLAME_LEVELS], ends[LIMIT_FLAME_LEVELS];
    size_t drawn_count = drawn_count_of(&layout, forest->frames);
    CHECK(layout.box_count + left_out_of(&layout.known) == forest->count);
    CHECK(drawn_count + left_out_of(&layout.drawn) == forest->count);
    CHECK(layout.box_count <= LIMIT_FLAME_BOXES && drawn_count <= LIMIT_FLAME_DRAWN);
    CHECK(layout.boxes[0].frame == 0 && layout.boxes[0].width == forest->frames[0].total);
    check_drawn(&layout, forest);
    for (size_t i = 0; i < layout.box_count; i++) {
        const struct flame_box *box = &layout.boxes[i];
        uint32_t depth = forest->frames[box->frame].depth;
        uint64_t end = box->start + box->width;
        CHECK(box->width <= forest->frames[box->frame].total);
        if (i) {
            CHECK(box->frame > layout.boxes[i - 1].frame);
            CHECK(box->width >= layout.known.width_min);
            CHECK(box->start >= starts[depth - 1] && end <= ends[depth - 1]);
            if (forest->frames[layout.boxes[i - 1].frame].depth >= depth)
                CHECK(box->start >= ends[depth]);
        }
        starts[depth] = box->start;
        ends[depth] = end;
    }
    flame_layout_free(&layout);
}

static void flame_children_stay_inside_parents(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct forest forest = forest_make(5000, seed * seed * 1000003, seed, seed % 4 == 0);
        check_layout(&forest, 1000);
        check_layout(&forest, UINT64_MAX);
        free(forest.frames);
    }
    struct forest large = forest_make(200000, UINT64_MAX, 7, false);
    check_layout(&large, UINT64_MAX);
    free(large.frames);
    struct forest empty = forest_make(10, 0, 1, false);
    check_layout(&empty, 1000);
    free(empty.frames);
}

static void flame_counts_what_it_leaves_out(void)
{
    static const struct flame_frame frames[] = {
        {"all", 0, 10, 1000, 0, 0}, {"wide", 1, 880, 890, 1, 0}, {"thin", 2, 5, 10, 1, 0},
        {"thinner", 3, 5, 5, 1, 0}, {"next", 1, 100, 100, 1, 0},
    };
    struct flame_layout layout;
    CHECK(flame_layout_make(&layout, frames, ARRAY_COUNT(frames), 50, NULL) == STATUS_OK);
    CHECK(drawn_count_of(&layout, frames) == 3 && layout.level_count == 2);
    CHECK(layout.drawn.narrow.frame_count == 2 && layout.drawn.narrow.total == 10);
    CHECK(layout.drawn.deep.frame_count == 0);
    CHECK(layout.box_count == ARRAY_COUNT(frames) && left_out_of(&layout.known) == 0);
    CHECK(layout.boxes[2].start == 0 && layout.boxes[2].width == 10);
    CHECK(layout.boxes[4].start == 890 && layout.boxes[4].width == 100);
    flame_layout_free(&layout);
}

// Stacks of equal width, too many to draw all: the picture becomes lower, not empty.
static void flame_picture_is_bounded_but_full(void)
{
    enum { STACKS = 1000, LEVELS = 600 };
    struct flame_frame *frames = calloc(STACKS * LEVELS + 1, sizeof *frames);
    size_t count = 1;
    frames[0].total = STACKS * 10;
    for (int i = 0; i < STACKS; i++)
        for (uint32_t depth = 1; depth <= LEVELS; depth++)
            frames[count++] = (struct flame_frame){.depth = depth, .total = 10, .address = depth};
    struct flame_layout layout;
    CHECK(flame_layout_make(&layout, frames, count, 4000, NULL) == STATUS_OK);
    size_t drawn_count = drawn_count_of(&layout, frames);
    CHECK(drawn_count > LIMIT_FLAME_DRAWN / 2 && drawn_count <= LIMIT_FLAME_DRAWN);
    CHECK(layout.box_count > LIMIT_FLAME_BOXES / 2 && layout.box_count <= LIMIT_FLAME_BOXES);
    CHECK(layout.drawn.deep.total == frames[0].total);
    flame_layout_free(&layout);
    CHECK(flame_layout_make(&layout, frames, LEVELS + 1, 4000, NULL) == STATUS_OK);
    CHECK(layout.level_count == LIMIT_FLAME_LEVELS);
    CHECK(layout.drawn.deep.frame_count == LEVELS + 1 - LIMIT_FLAME_LEVELS);
    CHECK(layout.box_count == LEVELS + 1);
    flame_layout_free(&layout);
    free(frames);
}

static void flame_svg_disarms_names(void)
{
    static const struct flame_frame frames[] = {
        {"all", 0, 0, 3000000, 0, 0},
        {"</title><script>alert(1)</script>&\"]]>", 1, 1000000, 1000000, 1, 0x8000},
        {"bell\x07"
         "bad\xff\xc0\xaf"
         "esc\x1b[2J",
         1, 1000000, 1000000, 1234, 0x9000},
        {NULL, 1, 1000000, 1000000, 2, 0xabcdef},
    };
    const struct flame_graph graph = {.frames = frames,
                                      .frame_count = ARRAY_COUNT(frames),
                                      .title = "<t>",
                                      .trace_name = "a&b.tarmac",
                                      .unit = "ticks"};
    struct out out;
    CHECK(out_open_memory(&out, NULL) == STATUS_OK);
    CHECK(flame_svg_write(&out, &graph, NULL) == STATUS_OK);
    const char *text = out_memory_text(&out);
    CHECK(strstr(text, "alert(1)") && !strstr(text, "<script>alert"));
    CHECK(strstr(text, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;]]&gt;"));
    CHECK(strstr(text, "bell" UTF8_REPLACEMENT "bad" UTF8_REPLACEMENT));
    CHECK(strstr(text, "esc" UTF8_REPLACEMENT "[2J\ntotal 1,000,000 ticks, 33.33 %\n"));
    CHECK(strstr(text, "1,234 calls\nat 0x9000</title>"));
    CHECK(strstr(text, "<g class=\"f p\" data-d=\"1\" data-s=\"2000000\" data-w=\"1000000\">"
                       "<title>0xabcdef\n"));
    CHECK(strstr(text, "a&amp;b.tarmac \xc2\xb7 3,000,000 ticks"));
    CHECK(!strstr(text, ">Not drawn"));
    CHECK(out_close(&out, NULL) == STATUS_OK);
}

// Frames that are drawn only after zooming are also text of the document.
static void flame_svg_disarms_hidden_names(void)
{
    static const struct flame_frame frames[] = {
        {"all", 0, 0, 3000000, 0, 0},
        {"wide", 1, 2999990, 2999990, 1, 0x8000},
        {"</metadata><script>alert(1)</script>]]>\n\n+1", 1, 2, 3, 2, 0x9000},
        {"deeper", 2, 1, 1, 0, 0x9100},
        {NULL, 1, 4, 4, 1, 0xabcd},
    };
    const struct flame_graph graph = {.frames = frames,
                                      .frame_count = ARRAY_COUNT(frames),
                                      .title = "t",
                                      .trace_name = "x",
                                      .unit = "a\"b"};
    struct out out;
    CHECK(out_open_memory(&out, NULL) == STATUS_OK);
    CHECK(flame_svg_write(&out, &graph, NULL) == STATUS_OK);
    const char *text = out_memory_text(&out);
    CHECK(!strstr(text, "<script>alert") && strstr(text, "<metadata id=\"hidden\" "
                                                         "data-unit=\"a&quot;b\">\n"));
    CHECK(strstr(text,
                 " &lt;/metadata&gt;&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;" UTF8_REPLACEMENT
                     UTF8_REPLACEMENT "+1\n"));
    CHECK(strstr(text, " deeper\n\n+2\n1,0,2999990,3,,2,2,9000\n2,1,,1,,1,,9100\n"
                       "1,,3,4,,4,1,abcd\n</metadata>\n"));
    CHECK(strstr(text, ">Not drawn: 3 frames, 0.00 % of all, each narrower than 0.02"));
    CHECK(out_close(&out, NULL) == STATUS_OK);
}

static void flame_svg_cuts_long_names(void)
{
    char name[5000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    const struct flame_frame frames[] = {{"all", 0, 0, 100, 0, 0}, {name, 1, 100, 100, 1, 0}};
    const struct flame_graph graph = {
        .frames = frames, .frame_count = 2, .title = "t", .trace_name = "x", .unit = "ticks"};
    struct out out;
    CHECK(out_open_memory(&out, NULL) == STATUS_OK);
    CHECK(flame_svg_write(&out, &graph, NULL) == STATUS_OK);
    const char *label = strstr(out_memory_text(&out), "nnn</text>");
    CHECK(label == NULL);
    CHECK(strstr(out_memory_text(&out), "nnn\xe2\x80\xa6</text>") != NULL);
    CHECK(strstr(out_memory_text(&out), "nnn\xe2\x80\xa6\ntotal 100") != NULL);
    CHECK(out_position(&out) < 30000);
    CHECK(out_close(&out, NULL) == STATUS_OK);
}

// Both are put in CDATA sections of a document in UTF-8.
static void flame_assets_fit_into_the_svg(void)
{
    CHECK(strlen(flame_svg_css) > 1000 && strlen(flame_svg_js) > 1000);
    CHECK(!strstr(flame_svg_css, "]]>") && !strstr(flame_svg_js, "]]>"));
    for (const char *c = flame_svg_js; *c; c++)
        CHECK((unsigned char)*c < 0x80);
}

static void vcd_words_are_as_the_standard_has_them(void)
{
    char text[256], *at = text;
    const struct vcd_ending first = vcd_ending_of(0), last = vcd_ending_of(93),
                            next = vcd_ending_of(94), far = vcd_ending_of(UINT32_MAX);
    at = vcd_put_ending(at, &first);
    at = vcd_put_ending(at, &last);
    at = vcd_put_ending(at, &next);
    *at = 0;
    CHECK_STR(text, " !\n ~\n !\"\n");
    CHECK(far.length == 2 + VCD_IDENTIFIER_BYTES_MAX);
    at = vcd_put_bits(text, 0x1234abcd, 4);
    at = vcd_put_short_bits(at + 1, 5);
    at = vcd_put_short_bits(at, 0);
    *at = 0;
    text[32] = ' ';
    CHECK_STR(text, "00010010001101001010101111001101 1010");
    at = vcd_put_short_bits(text, UINT64_MAX);
    CHECK(at == text + 64 && !memchr(text, '0', 64));
    *vcd_put_string(text, "a  \"\t\x80\xff?", 8) = 0;
    CHECK_STR(text, "a\\040\\040\\\"\\t\\.00\\077\\?");
    *vcd_put_words(text, " \t a\t\tb", 7) = 0;
    CHECK_STR(text, "\\040a\\tb");
}

const struct test_case report_tests[] = {
    {"vcd_words_are_as_the_standard_has_them", vcd_words_are_as_the_standard_has_them},
    {"decimal_digits_are_those_of_printf", decimal_digits_are_those_of_printf},
    {"out_numbers_match_printf", out_numbers_match_printf},
    {"out_ratio_rounds_and_survives_extremes", out_ratio_rounds_and_survives_extremes},
    {"out_memory_grows", out_memory_grows},
    {"out_file_appears_only_whole", out_file_appears_only_whole},
    {"out_failed_file_leaves_the_old_one", out_failed_file_leaves_the_old_one},
    {"out_follows_symbolic_links", out_follows_symbolic_links},
    {"out_takes_the_longest_name", out_takes_the_longest_name},
    {"out_remembers_the_first_write_error", out_remembers_the_first_write_error},
    {"out_waits_for_a_non_blocking_pipe", out_waits_for_a_non_blocking_pipe},
    {"utf8_takes_only_well_formed_text", utf8_takes_only_well_formed_text},
    {"json_escapes_and_nests", json_escapes_and_nests},
    {"json_escapes_what_terminals_obey", json_escapes_what_terminals_obey},
    {"inert_text_keeps_its_length", inert_text_keeps_its_length},
    {"csv_quotes_where_needed", csv_quotes_where_needed},
    {"table_has_three_forms", table_has_three_forms},
    {"headings_have_units", headings_have_units},
    {"table_may_be_long", table_may_be_long},
    {"flame_children_stay_inside_parents", flame_children_stay_inside_parents},
    {"flame_counts_what_it_leaves_out", flame_counts_what_it_leaves_out},
    {"flame_picture_is_bounded_but_full", flame_picture_is_bounded_but_full},
    {"flame_svg_disarms_names", flame_svg_disarms_names},
    {"flame_svg_disarms_hidden_names", flame_svg_disarms_hidden_names},
    {"flame_svg_cuts_long_names", flame_svg_cuts_long_names},
    {"flame_assets_fit_into_the_svg", flame_assets_fit_into_the_svg},
    {NULL, NULL},
};
