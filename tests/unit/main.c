// Runs all unit tests, or those whose names contain the first argument, or, for K/N, every N-th
// from the K-th on: parts that can run at the same time. Reports in TAP, for `prove` and similar
// programs, and ends with "N passed, N failed, N skipped", which they ignore.
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int failures_in_test;
static const char *skip_reason;

void test_fail(const char *file, int line, const char *what)
{
    if (failures_in_test++ == 0)
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

void test_skip(const char *why)
{
    skip_reason = why;
}

static _Atomic bool has_started_thread;

// Notes that a test starts a thread. Not where sanitizers have their own function, nor in a static
// program, which has nothing to look the next one up with.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && !defined(TRAWL_BARE)
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    has_started_thread = true;
    return next(thread, attributes, run, context);
}
#endif

static bool is_threaded(const struct test_case *test)
{
    return strncmp(test->name, THREADED, strlen(THREADED)) == 0;
}

struct tally {
    int passed, failed, skipped;
};

static int tried(const struct tally *tally)
{
    return tally->passed + tally->failed + tally->skipped;
}

// Which tests run: a part of them, or those whose names contain a text.
struct choice {
    int part, parts;
    const char *text;
};

static struct choice choose(const char *argument)
{
    struct choice choice = {.part = 1, .parts = 1, .text = ""};
    char rest;
    if (argument && sscanf(argument, "%d/%d%c", &choice.part, &choice.parts, &rest) != 2)
        choice = (struct choice){.part = 1, .parts = 1, .text = argument};
    if (choice.part < 1 || choice.part > choice.parts) {
        fprintf(stderr, "no part of all tests: %s\n", argument);
        exit(2);
    }
    return choice;
}

static bool may_run(const struct test_case *test)
{
    return !__has_feature(thread_sanitizer) || is_threaded(test);
}

static void run(const struct test_case *test, struct tally *tally)
{
    const int number = tried(tally) + 1;
    failures_in_test = 0;
    skip_reason = NULL;
    has_started_thread = false;
    test->run();
    if (has_started_thread && !is_threaded(test))
        test_fail(__FILE__, __LINE__, "starts a thread, which its name does not say: " THREADED);
    if (failures_in_test) {
        printf("not ok %d - %s\n", number, test->name);
        tally->failed++;
    } else if (skip_reason) {
        printf("ok %d - %s # SKIP %s\n", number, test->name, skip_reason);
        tally->skipped++;
    } else {
        printf("ok %d - %s\n", number, test->name);
        tally->passed++;
    }
    fflush(stdout); // a test may end the program
}

static const struct test_case *const suites[] = {
    base_tests,          report_tests,       cli_tests,          calls_tests,
    line_matcher_tests,  pages_tests,        pending_tests,      hex_tests,
    hexdump_tests,       lane_state_tests,   consumers_tests,    lexer_tests,
    line_fault_tests,    line_tests,         registers_tests,    source_tests,
    base_io_tests,       records_tests,      scan_tests,         operands_tests,
    parse_tests,         pipeline_tests,     column_tests,       expression_tests,
    segment_tests,       index_tests,        preview_tests,      position_tests,
    file_writer_tests,   bitpack_tests,      kernels_tests,      fingerprint_tests,
    value_tests,         xray_tests,         shape_tests,        riscv_line_tests,
    segment_write_tests, access_point_tests, latency_tests,      fragile_tests,
    index_choice_tests,  tfile_tests,        browse_tests,       dfa_tests,
    letters_tests,       control_tests,      effects_tests,      riscv_tests,
    entry_set_tests,     function_map_tests, shadow_stack_tests, call_chunks_tests,
    transfer_log_tests,  many_events_tests,  task_log_tests,     serve_tests,
    alignment_tests,     ttu_index_tests,    directory_tests,    gdb_link_tests,
#ifndef TRAWL_BARE
    elf_tests,           demangle_tests,     stacks_tests,       xray_map_tests,
    unwind_tests,        frame_rows_tests,   lines_tests,
#endif
};

int main(int argc, char **argv)
{
    struct choice choice = choose(argc > 1 ? argv[1] : NULL);
    struct tally tally = {0};
    int number = 0;
    puts("TAP version 13");
    for (size_t i = 0; i < ARRAY_COUNT(suites); i++)
        for (const struct test_case *test = suites[i]; test->name; test++)
            if (may_run(test) && number++ % choice.parts == choice.part - 1 &&
                strstr(test->name, choice.text))
                run(test, &tally);
    printf("1..%d\n", tried(&tally));
    printf("%d passed, %d failed, %d skipped\n", tally.passed, tally.failed, tally.skipped);
    return tally.failed != 0;
}
