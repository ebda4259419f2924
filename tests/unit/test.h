// A unit test is a function that calls CHECK; main.c lists them all. No framework beyond this.
#ifndef TRAWL_TESTS_UNIT_TEST_H
#define TRAWL_TESTS_UNIT_TEST_H

#include "base/base.h"

struct test_case {
    const char *name;
    void (*run)(void);
};

// The name of a test that starts threads begins with it: ThreadSanitizer, under which tests take
// ten times as long, runs no other.
#define THREADED "threads: "

// Counts a failure of the current test, and prints the place and the reason.
void test_fail(const char *file, int line, const char *what);

// Reports that the current test, or a part of it, cannot run here, and why.
void test_skip(const char *why);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            test_fail(__FILE__, __LINE__, #condition);                                             \
    } while (0)

#define CHECK_STR(actual, expected)                                                                \
    do {                                                                                           \
        if (strcmp((actual), (expected)) != 0)                                                     \
            test_fail(__FILE__, __LINE__, (actual));                                               \
    } while (0)

// Each file of tests exports one array, which ends with an entry without a name.
extern const struct test_case base_tests[];
extern const struct test_case browse_tests[];
extern const struct test_case dfa_tests[];
extern const struct test_case letters_tests[];
extern const struct test_case preview_tests[];
extern const struct test_case elf_tests[];
extern const struct test_case demangle_tests[];
extern const struct test_case value_tests[];
extern const struct test_case report_tests[];
extern const struct test_case cli_tests[];
extern const struct test_case calls_tests[];
extern const struct test_case operands_tests[];
extern const struct test_case control_tests[];
extern const struct test_case riscv_tests[];
extern const struct test_case effects_tests[];
extern const struct test_case entry_set_tests[];
extern const struct test_case function_map_tests[];
extern const struct test_case shadow_stack_tests[];
extern const struct test_case call_chunks_tests[];
extern const struct test_case task_log_tests[];
extern const struct test_case transfer_log_tests[];
extern const struct test_case alignment_tests[];
extern const struct test_case pages_tests[];
extern const struct test_case pending_tests[];
extern const struct test_case hex_tests[];
extern const struct test_case hexdump_tests[];
extern const struct test_case gdb_link_tests[];
extern const struct test_case line_matcher_tests[];
extern const struct test_case lane_state_tests[];
extern const struct test_case consumers_tests[];
extern const struct test_case lexer_tests[];
extern const struct test_case line_fault_tests[];
extern const struct test_case line_tests[];
extern const struct test_case lines_tests[];
extern const struct test_case registers_tests[];
extern const struct test_case access_point_tests[];
extern const struct test_case shape_tests[];
extern const struct test_case riscv_line_tests[];
extern const struct test_case source_tests[];
extern const struct test_case base_io_tests[];
extern const struct test_case fragile_tests[];
extern const struct test_case file_writer_tests[];
extern const struct test_case fingerprint_tests[];
extern const struct test_case index_choice_tests[];
extern const struct test_case latency_tests[];
extern const struct test_case stacks_tests[];
extern const struct test_case records_tests[];
extern const struct test_case scan_tests[];
extern const struct test_case parse_tests[];
extern const struct test_case pipeline_tests[];
extern const struct test_case bitpack_tests[];
extern const struct test_case kernels_tests[];
extern const struct test_case column_tests[];
extern const struct test_case expression_tests[];
extern const struct test_case segment_tests[];
extern const struct test_case segment_write_tests[];
extern const struct test_case many_events_tests[];
extern const struct test_case index_tests[];
extern const struct test_case position_tests[];
extern const struct test_case serve_tests[];
extern const struct test_case xray_map_tests[];
extern const struct test_case unwind_tests[];
extern const struct test_case frame_rows_tests[];
extern const struct test_case xray_tests[];
extern const struct test_case tfile_tests[];
extern const struct test_case ttu_index_tests[];
extern const struct test_case directory_tests[];

#endif
