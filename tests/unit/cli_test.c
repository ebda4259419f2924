#include "cli/diag.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/suggest.h"
#include "cli/values.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPT_IMAGE = 1, OPT_OFFSET, OPT_LI, OPT_VERBOSE, OPT_QUIET, OPT_COLOUR, OPT_HIDDEN, OPT_OUT };

static const struct option_spec common_options[] = {
    {OPT_IMAGE, 0, "image", "IMAGEFILE", "image file name"},
    {OPT_OFFSET, 0, "load-offset", "OFFSET",
     "offset from addresses in the image file to addresses in the trace"},
    {OPT_LI, 0, "li", NULL, "assume trace is from a little-endian platform"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "make tool more verbose"},
    {OPT_QUIET, 'q', "quiet", NULL, "make tool quiet"},
    {OPT_COLOUR, 0, "no-colour,no-color", NULL, "don't use colour in the terminal"},
    {OPT_HIDDEN, 0, "only-index", NULL, NULL},
    {0, 0, NULL, NULL, NULL},
};
static const struct option_spec own_options[] = {
    {OPT_OUT, 'o', "output", "OUTFILE", "write output to OUTFILE (default: standard output)"},
    {0, 0, NULL, NULL, NULL},
};
static const struct option_group groups[] = {
    {NULL, common_options}, {NULL, own_options}, {NULL, NULL}};
static const struct positional_spec positionals[] = {
    {"TRACEFILE", "Tarmac trace file to read", NULL, false, false},
    {"FUNCTION", "name or hex address of function to find calls to",
     "expected at least one function name", false, true},
    {NULL, NULL, NULL, false, false},
};
static const struct command_spec ttu_command = {
    .name = "tarmac-callinfo",
    .option_set = OPTIONS_TTU,
    .groups = groups,
    .positionals = positionals,
};
static const struct command_spec trawl_command = {
    .name = "callinfo",
    .option_set = OPTIONS_TRAWL,
    .summary = "list the visits of functions",
    .description = "Lists visits.\n\nIn order.",
    .groups = groups,
    .positionals = positionals,
    .examples = "trawl callinfo t main\n",
};

// The result of a command line: the matches as text, and everything written to a standard stream.
struct outcome {
    char matches[512], printed[2048];
    enum exit_status status;
};

// Redirects both standard streams to a temporary file.
struct capture {
    FILE *file;
    int out, err;
};

static struct capture capture_begin(void)
{
    fflush(stdout);
    fflush(stderr);
    struct capture capture = {tmpfile(), dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    dup2(fileno(capture.file), STDOUT_FILENO);
    dup2(fileno(capture.file), STDERR_FILENO);
    return capture;
}

static void capture_end(struct capture *capture, char *text, size_t size)
{
    fflush(stdout);
    fflush(stderr);
    dup2(capture->out, STDOUT_FILENO);
    dup2(capture->err, STDERR_FILENO);
    close(capture->out);
    close(capture->err);
    rewind(capture->file);
    text[fread(text, 1, size - 1, capture->file)] = 0;
    fclose(capture->file);
}

static void parse_all(struct outcome *outcome, const struct command_spec *command, int argc,
                      char *const *argv)
{
    struct options_parser parser;
    struct option_match match;
    size_t used = 0;
    options_begin(&parser, command, argc, argv);
    for (int id; (id = options_next(&parser, &match)) != OPTION_END && id != OPTION_STOP;) {
        used += (size_t)snprintf(outcome->matches + used, sizeof outcome->matches - used, "%d%s%s ",
                                 id == OPTION_POSITIONAL ? -(int)match.positional - 1 : id,
                                 match.value ? "=" : "", match.value ? match.value : "");
    }
    outcome->status = parser.status;
}

static void parse_words(struct outcome *outcome, const struct command_spec *command,
                        const char *line)
{
    char words[256];
    char *argv[16];
    int argc = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    *outcome = (struct outcome){.status = EXIT_STATUS_DONE};
    struct capture capture = capture_begin();
    parse_all(outcome, command, argc, argv);
    capture_end(&capture, outcome->printed, sizeof outcome->printed);
}

static void expect_matches(const struct command_spec *command, const char *line,
                           const char *matches)
{
    struct outcome outcome;
    parse_words(&outcome, command, line);
    CHECK_STR(outcome.matches, matches);
    CHECK_STR(outcome.printed, "");
}

static void expect_error(const struct command_spec *command, const char *line, const char *problem)
{
    struct outcome outcome;
    char expected[256];
    parse_words(&outcome, command, line);
    bool is_ttu = command->option_set == OPTIONS_TTU;
    snprintf(expected, sizeof expected,
             is_ttu
                 ? "tarmac-callinfo: %s\n                 try 'tarmac-callinfo --help' for help\n"
                 : "trawl callinfo: %s\ntry 'trawl callinfo --help'\n",
             problem);
    CHECK_STR(outcome.printed, expected);
    CHECK(outcome.status == (is_ttu ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE));
}

static void options_match_in_order(void)
{
    expect_matches(&ttu_command, "t --image=a f --image b -vqoout -o out --li",
                   "-1=t 1=a -2=f 1=b 4 5 8=out 8=out 3 ");
    expect_matches(&ttu_command, "t --image= -o=x -- --li -- -v",
                   "-1=t 1= 8==x -2=--li -2=-- -2=-v ");
    expect_matches(&ttu_command, "t f --image --li --load-offset -4 --image --",
                   "-1=t -2=f 1=--li 2=-4 1=-- ");
    expect_matches(&ttu_command, "t f --only-index --no-color --no-colour", "-1=t -2=f 7 6 6 ");
    expect_matches(&trawl_command, "- f -v -", "-1=- -2=f 4 -2=- ");
}

static void options_complain_as_ttu(void)
{
    expect_error(&ttu_command, "", "expected additional arguments (starting with 'TRACEFILE')");
    expect_error(&ttu_command, "t", "expected at least one function name");
    expect_error(&ttu_command, "--nope --help", "'--nope': unrecognised option name");
    expect_error(&ttu_command, "--nope=3", "'--nope': unrecognised option name");
    expect_error(&ttu_command, "--verb", "'--verb': unrecognised option name");
    expect_error(&ttu_command, "--=x", "'--': unrecognised option name");
    expect_error(&ttu_command, "--li=3", "'--li': option expects no value");
    expect_error(&ttu_command, "--image", "'--image': option expects a value");
    expect_error(&ttu_command, "-vo", "'-o': option expects a value");
    expect_error(&ttu_command, "-vxq", "'-x': unrecognised option name");
    expect_error(&ttu_command, "-v-", "'--': unrecognised option name");
    expect_error(&ttu_command, "-v=3", "'-=': unrecognised option name");
    expect_error(&ttu_command, "-h", "'-h': unrecognised option name");
    expect_error(&ttu_command, "-", "'-': badly formatted option");
    expect_error(&ttu_command, "---x=3", "'---x=3': badly formatted option");
}

static void options_complain_as_trawl(void)
{
    expect_error(&trawl_command, "", "no TRACEFILE given");
    expect_error(&trawl_command, "--imag=3", "'--imag': unknown option (did you mean '--image'?)");
    expect_error(&trawl_command, "--out", "'--out': unknown option (did you mean '--output'?)");
    expect_error(&trawl_command, "--onlyindex", "'--onlyindex': unknown option");
    expect_error(&trawl_command, "-image=x", "'-i': unknown option (did you mean '--image'?)");
    expect_error(&trawl_command, "--li=3", "'--li': option takes no value");
    expect_error(&trawl_command, "--help=3", "'--help': option takes no value");
    expect_error(&trawl_command, "---x", "'---x': unknown option");
}

static void options_report_bad_values(void)
{
    struct options_parser parser;
    options_begin(&parser, &trawl_command, 0, NULL);
    const struct option_match match = {.option = &own_options[0], .value = "x"};
    char text[256];
    struct capture capture = capture_begin();
    CHECK(options_bad_value(&parser, &match, "a number") == OPTION_STOP);
    capture_end(&capture, text, sizeof text);
    CHECK_STR(text, "trawl callinfo: '--output': 'x': expected a number\n"
                    "try 'trawl callinfo --help'\n");
}

#define OPTIONS_HELP                                                                               \
    "options:\n"                                                                                   \
    "    --image=IMAGEFILE   image file name\n"                                                    \
    "    --load-offset=OFFSET\n"                                                                   \
    "                        offset from addresses in the image file to addresses in\n"            \
    "                          the trace\n"                                                        \
    "    --li                assume trace is from a little-endian platform\n"                      \
    "    -v, --verbose       make tool more verbose\n"                                             \
    "    -q, --quiet         make tool quiet\n"                                                    \
    "    --no-colour, --no-color\n"                                                                \
    "                        don't use colour in the terminal\n"                                   \
    "    -o, --output=OUTFILE\n"                                                                   \
    "                        write output to OUTFILE (default: standard output)\n"                 \
    "positional arguments:\n"                                                                      \
    "    TRACEFILE           Tarmac trace file to read\n"                                          \
    "    FUNCTION            name or hex address of function to find calls to\n"

static void help_has_the_layout_of_ttu(void)
{
    struct outcome outcome;
    parse_words(&outcome, &ttu_command, "-v --help=x --nope");
    CHECK(outcome.status == EXIT_STATUS_DONE);
    CHECK_STR(outcome.printed,
              "usage: tarmac-callinfo [options] TRACEFILE FUNCTION...\n" OPTIONS_HELP
              "also:\n    tarmac-callinfo --help      display this text\n");
    parse_words(&outcome, &trawl_command, "-vh");
    CHECK_STR(outcome.printed,
              "usage: trawl callinfo [options] TRACEFILE FUNCTION...\n"
              "Lists visits.\n\nIn order.\n" OPTIONS_HELP "examples:\n    trawl callinfo t main\n"
              "also:\n    trawl callinfo --help       display this text\n");
}

static void commands_are_found_and_suggested(void)
{
    const struct command_spec *const commands[] = {&ttu_command, &trawl_command, NULL};
    const struct command_spec family = {.name = "family", .commands = commands};
    CHECK(help_find_command(NULL, commands, "callinfo") == &trawl_command);
    CHECK(help_find_command(NULL, commands, "tarmac-callinfo") == &ttu_command);
    CHECK(help_find_command(NULL, commands, "call") == NULL);
    CHECK(help_find_command(NULL, commands, "") == NULL);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    help_unknown_command(out, NULL, commands, "calinfo");
    help_unknown_command(out, NULL, commands, "zip");
    help_family(out, &family);
    fclose(out);
    static const char expected[] = "trawl: 'calinfo': unknown command (did you mean 'callinfo'?)\n"
                                   "try 'trawl help'\n"
                                   "trawl: 'zip': unknown command\n"
                                   "try 'trawl help'\n";
    CHECK(strncmp(text, expected, strlen(expected)) == 0);
    CHECK(strstr(text, "\n    callinfo            list the visits of functions\n") != NULL);
    free(text);
}

static void suggestions_are_near_or_none(void)
{
    static const struct {
        const char *wanted, *name;
        bool is_near;
    } cases[] = {
        {"thread", "threads", true},
        {"theards", "threads", true},
        {"tread", "threads", false},
        {"qiuet", "quiet", true},
        {"out", "output", true},
        {"xyz", "output", false},
        {"o", "output", false},
        {"", "output", false},
        {"li", "li", true},
        {"lx", "li", false},
        {"outputs", "output", true},
        {"bi", "li", false},
        {"implicit-tumb", "implicit-thumb", true},
        {"LI", "li", true},
        {"Main", "main", true},
        {"FIBONACI", "fibonacci", true},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct suggestion near;
        suggest_begin(&near, cases[i].wanted, strlen(cases[i].wanted));
        suggest_offer(&near, cases[i].name, strlen(cases[i].name));
        if (cases[i].is_near != (near.near[0].name != NULL))
            test_fail(__FILE__, __LINE__, cases[i].wanted);
    }
}

static void suggestions_are_listed_once_each_the_nearest_first(void)
{
    static const char *const names[] = {"mainly", "mine", "main", "man", "main", "moin", "exit"};
    char text[SUGGEST_TEXT_BYTES];
    struct suggestion near;
    suggest_begin(&near, "mian", 4);
    suggest_text(&near, text);
    CHECK_STR(text, "");
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        suggest_offer(&near, names[i], strlen(names[i]));
    suggest_text(&near, text);
    CHECK_STR(text, "; did you mean 'main' or 'man'?");
    suggest_begin(&near, "MAIN", 4);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        suggest_offer(&near, names[i], strlen(names[i]));
    suggest_text(&near, text);
    CHECK_STR(text, "; did you mean 'main', 'man' or 'moin'?");
}

static void numbers_are_taken_whole(void)
{
    uint64_t value = 7;
    CHECK(parse_u64("0", &value) && value == 0);
    CHECK(parse_u64("18446744073709551615", &value) && value == UINT64_MAX);
    CHECK(parse_u64("0xfFffFfffffffffff", &value) && value == UINT64_MAX);
    static const char *const bad[] = {"",
                                      "x",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "0x",
                                      "1k",
                                      "a",
                                      "18446744073709551616",
                                      "0x10000000000000000"};
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
        CHECK(!parse_u64(bad[i], &value));
    CHECK(parse_u64_within("256", 1, 256, &value) && value == 256);
    CHECK(!parse_u64_within("257", 1, 256, &value) && !parse_u64_within("0", 1, 256, &value));
    CHECK(parse_size("1", &value) && value == 1);
    CHECK(parse_size("64K", &value) && value == 65536);
    CHECK(parse_size("0x10m", &value) && value == 16u << 20);
    CHECK(parse_size("17179869183g", &value) && value == UINT64_C(17179869183) << 30);
    CHECK(!parse_size("17179869184G", &value) && !parse_size("K", &value));
    CHECK(!parse_size("1KB", &value) && !parse_size("1T", &value) && !parse_size("1 ", &value));
}

static void ranges_have_one_end_at_least(void)
{
    struct value_range range;
    uint64_t time;
    CHECK(parse_time("10.356", &time) && time == 10356000 && parse_time(".5", &time) &&
          time == 500000 && parse_time("7", &time) && time == 7);
    CHECK(!parse_time("1.", &time) && !parse_time("1.0000001", &time) &&
          !parse_time("1.x", &time) && !parse_time("18446744073710.0", &time) &&
          !parse_time("1.2.3", &time));
    CHECK(!parse_time_range("1.5..2", &range)); // 2 is a tick
    CHECK(parse_time_range("1.5..2.25", &range) && range.first == 1500000 && range.last == 2250000);
    CHECK(parse_time_range("..2.25", &range) && range.first == 0 &&
          !parse_time_range("2.", &range));
    uint64_t ns;
    CHECK(parse_duration("1.5s", &ns) && ns == 1500000000 && parse_duration("20ms", &ns) &&
          ns == 20000000 && parse_duration(".5us", &ns) && ns == 500 && parse_duration("7ns", &ns));
    CHECK(!parse_duration("7", &ns) && !parse_duration("s", &ns) && !parse_duration("1.5ns", &ns) &&
          !parse_duration("0x7s", &ns) && !parse_duration("18446744074s", &ns) &&
          !parse_duration("+1s", &ns));
    CHECK(parse_seconds("+1", &ns) && ns == 1000000000 && parse_seconds("+1.5", &ns) &&
          !parse_seconds("1", &ns) && !parse_seconds("++1", &ns) && !parse_seconds("+", &ns));
    CHECK(time_range_is_relative("+1..2") && time_range_is_relative("1ms..") &&
          time_range_is_relative("..1.5") && !time_range_is_relative("1..2"));
    CHECK(parse_range("3..0x10", &range) && range.first == 3 && range.last == 16);
    CHECK(parse_range("3..", &range) && range.first == 3 && range.last == UINT64_MAX);
    CHECK(parse_range("..3", &range) && range.first == 0 && range.last == 3);
    CHECK(parse_range("3..3", &range));
    CHECK(!parse_range("", &range) && !parse_range("..", &range) && !parse_range("3", &range));
    CHECK(parse_range("4..3", &range) && range.first == UINT64_MAX); // empty
    CHECK(!parse_range("3.4", &range));
    CHECK(!parse_range("3..4x", &range) && !parse_range("3...4", &range));
}

static void load_offset_is_read_as_c_does(void)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0x10", 16},
        {"-4", UINT64_MAX - 3},
        {"+0x10", 16},
        {"-0x10", UINT64_MAX - 15},
        {"12abc", 12},
        {"010", 8},
        {"08", 0},
        {"0x", 0},
        {"0xg", 0},
        {"0b1", 0},
        {" \t7", 7},
        {"\v7", 7},
        {"0X1f", 31},
        {"1_000", 1},
        {"18446744073709551615", UINT64_MAX},
        {"-18446744073709551615", 1},
    };
    uint64_t value;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++)
        if (!parse_load_offset(good[i].text, &value) || value != good[i].value)
            test_fail(__FILE__, __LINE__, good[i].text);
    static const char *const bad[] = {"", "abc", "-", "+", "- 7", "--7", "99999999999999999999"};
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
        CHECK(!parse_load_offset(bad[i], &value));
}

// The output of a meter as text; to be freed by the caller.
struct written {
    FILE *file;
    char *text;
    size_t length;
};

static void written_begin(struct written *written)
{
    *written = (struct written){0};
    written->file = open_memstream(&written->text, &written->length);
}

static void written_end(struct written *written, const char *expected)
{
    fclose(written->file);
    CHECK_STR(written->text, expected);
    free(written->text);
}

// The meter of the Tarmac Trace Utilities, line by line.
static void naive_meter(FILE *out, const char *text, size_t length)
{
    uint64_t shown = UINT64_MAX, done = 0;
    while (done < length) {
        const char *newline = memchr(text + done, '\n', length - done);
        done = newline ? (uint64_t)(newline - text) + 1 : length + 1;
        if (done * 100 / length != shown)
            fprintf(out, "\rReading trace file (%d%%)", (int)(shown = done * 100 / length));
    }
    fputs("\rReading trace file (finished)\n", out);
}

static void check_meter(const char *text, size_t length, size_t piece)
{
    struct written naive, ours;
    struct progress progress;
    written_begin(&naive);
    naive_meter(naive.file, text, length);
    fflush(naive.file);
    written_begin(&ours);
    progress_begin(&progress, ours.file, METER_TTU, length);
    for (size_t base = 0; base < length; base += piece)
        progress_show_lines(&progress, base, text + base,
                            length - base < piece ? length - base : piece);
    progress_end(&progress);
    written_end(&ours, naive.text);
    fclose(naive.file);
    free(naive.text);
}

static void ttu_meter_is_that_of_every_line(void)
{
    char text[3000];
    uint32_t random = 1;
    for (size_t length = 1; length < sizeof text; length = length * 3 / 2 + 1) {
        for (unsigned every = 1; every < 200; every *= 3) {
            for (size_t i = 0; i < length; i++) {
                random = random * 1664525 + 1013904223;
                text[i] = (random >> 8) % every == 0 ? '\n' : 'x';
            }
            check_meter(text, length, length);
            check_meter(text, length, 1);
            check_meter(text, length, 7);
        }
    }
    check_meter(text, 0, 1);
}

static void line_meter_waits_a_second_and_wipes_itself(void)
{
    struct written written;
    struct progress progress;
    written_begin(&written);
    progress_begin(&progress, written.file, METER_LINE, 200000000);
    uint64_t start = progress.start_ns;
    progress_add(&progress, 50000000);
    progress_show_at(&progress, start + 999999999);
    progress_hide(&progress);
    progress_show_at(&progress, start + 1000000000);
    progress_show_at(&progress, start + 1100000000);
    progress_add(&progress, 150000000);
    progress_show_at(&progress, start + 2000000000);
    progress_end(&progress);
    progress_show_at(&progress, start + 9000000000);
    written_end(&written, "\rtrawl: 25 %, 50 MB, 50 MB/s, 0:03 left\033[K"
                          "\rtrawl: 100 %, 200 MB, 100 MB/s\033[K\r\033[K");
}

static void line_meter_does_without_a_total(void)
{
    struct written written;
    struct progress progress;
    written_begin(&written);
    progress_begin(&progress, written.file, METER_LINE, 0);
    progress_add(&progress, 3000000);
    progress_show_at(&progress, progress.start_ns + 3000000000);
    progress_end(&progress);
    written_end(&written, "\rtrawl: 3 MB, 1 MB/s\033[K\r\033[K");
}

static void damage_is_shown_ten_times_then_counted(void)
{
    struct written written;
    struct diag diag;
    written_begin(&written);
    diag_begin(&diag, written.file, NULL);
    CHECK(diag_end(&diag, "t", "lines") == EXIT_STATUS_DONE);
    diag_damage(&diag, "t", 3, 40, 5, "what\033 is this");
    diag_damage(&diag, "x.log", 0, 41, 5, "no such record");
    CHECK(diag_end(&diag, "t", "lines") == EXIT_STATUS_DAMAGED);
    written_end(&written, "trawl: t:3: what\\x1b is this (byte 40)\n"
                          "trawl: x.log: no such record (byte 41)\n"
                          "trawl: t: damaged lines left out: 2 (10 bytes)\n");
    written_begin(&written);
    diag_begin(&diag, written.file, NULL);
    for (uint64_t line = 1; line < 13; line++)
        diag_damage(&diag, "t", line, line, 1, "");
    CHECK(diag_end(&diag, "t", "lines") == EXIT_STATUS_DAMAGED);
    fflush(written.file);
    CHECK(strstr(written.text, "\ntrawl: t:10:  (byte 10)\n"
                               "trawl: t: damaged lines left out: 12 (12 bytes), the first 10 "
                               "shown\n") != NULL);
    fclose(written.file);
    free(written.text);
}

static void errors_say_where(void)
{
    struct written written;
    struct diag diag;
    struct error err;
    written_begin(&written);
    diag_begin(&diag, written.file, NULL);
    error_set(&err, STATUS_INPUT, "a.elf: not an ELF file");
    CHECK(diag_error(&diag, &err) == EXIT_STATUS_FAILED);
    error_set_at(&err, STATUS_INPUT, 9, "t: bad");
    diag_error(&diag, &err);
    err.line = 2;
    diag_error(&diag, &err);
    diag_warning(&diag, "%d left", 3);
    written_end(&written, "trawl: a.elf: not an ELF file\ntrawl: t: bad (byte 9)\n"
                          "trawl: t: bad (line 2, byte 9)\ntrawl: warning: 3 left\n");
}

const struct test_case cli_tests[] = {
    {"options_match_in_order", options_match_in_order},
    {"options_complain_as_ttu", options_complain_as_ttu},
    {"options_complain_as_trawl", options_complain_as_trawl},
    {"options_report_bad_values", options_report_bad_values},
    {"help_has_the_layout_of_ttu", help_has_the_layout_of_ttu},
    {"commands_are_found_and_suggested", commands_are_found_and_suggested},
    {"suggestions_are_near_or_none", suggestions_are_near_or_none},
    {"suggestions_are_listed_once_each_the_nearest_first",
     suggestions_are_listed_once_each_the_nearest_first},
    {"numbers_are_taken_whole", numbers_are_taken_whole},
    {"ranges_have_one_end_at_least", ranges_have_one_end_at_least},
    {"load_offset_is_read_as_c_does", load_offset_is_read_as_c_does},
    {"ttu_meter_is_that_of_every_line", ttu_meter_is_that_of_every_line},
    {"line_meter_waits_a_second_and_wipes_itself", line_meter_waits_a_second_and_wipes_itself},
    {"line_meter_does_without_a_total", line_meter_does_without_a_total},
    {"damage_is_shown_ten_times_then_counted", damage_is_shown_ten_times_then_counted},
    {"errors_say_where", errors_say_where},
    {NULL, NULL},
};
