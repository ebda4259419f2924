// Runs every unit test, or those whose names contain the first argument. Prints each failure and
// ends with "N passed, N failed, N skipped".
#include "test.h"

#include <stdio.h>

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

// Counts the test as what it came to.
static void run(const struct test_case *test, int *passed, int *failed, int *skipped)
{
    failures_in_test = 0;
    skip_reason = NULL;
    test->run();
    if (failures_in_test)
        fprintf(stderr, "FAILED %s\n", test->name);
    else if (skip_reason)
        fprintf(stderr, "skipped %s: %s\n", test->name, skip_reason);
    *(failures_in_test ? failed : skip_reason ? skipped : passed) += 1;
}

static const struct test_case *const suites[] = {
    base_tests,         report_tests,        cli_tests,          calls_tests,
    line_matcher_tests, pending_tests,       hex_tests,          hexdump_tests,
    lane_state_tests,   consumers_tests,     lexer_tests,        line_fault_tests,
    line_tests,         registers_tests,     source_tests,       base_io_tests,
    records_tests,      scan_tests,          operands_tests,     parse_tests,
    pipeline_tests,     column_tests,        expression_tests,   segment_tests,
    index_tests,        position_tests,      file_writer_tests,  bitpack_tests,
    kernels_tests,      fingerprint_tests,   value_tests,        xray_tests,
    shape_tests,        segment_write_tests, latency_tests,      index_choice_tests,
    tfile_tests,        browse_tests,        dfa_tests,          control_tests,
    entry_set_tests,    function_map_tests,  shadow_stack_tests, many_events_tests,
#ifndef TRAWL_BARE
    elf_tests,          demangle_tests,      stacks_tests,       xray_map_tests,
    unwind_tests,       frame_rows_tests,    lines_tests,
#endif
};

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    for (size_t i = 0; i < ARRAY_COUNT(suites); i++) {
        for (const struct test_case *test = suites[i]; test->name; test++) {
            if (argc > 1 && !strstr(test->name, argv[1]))
                continue;
            run(test, &passed, &failed, &skipped);
        }
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
