// Records of RISC-V logs that fit a template are read as the reader of lines reads them.
#include "random.h"
#include "same_line.h"
#include "test.h"
#include "trace/lines/line_template.h"
#include "trace/riscv/spike.h"

#include <stdlib.h>

#define SHAPED_LINES unused_name
#include "simd/text.inc"

#include "trace/lines/line_template_read.inc"

static const char *const lines[] = {
    "core   0: 3 0x0000000080000150 (0x0285) x5  0x0000000000000001\n",
    "core   0: 3 0x0000000080000152 (0x0182b283) x5  0x0000000080000000 mem 0x0000000000001018\n",
    "core   0: 3 0x0000000080000156 (0xf486) mem 0x0000000080006108 0x0000000080000010\n",
    "core  12: 1 0x80000156 (0xf486) mem 0x80006108 0x10\n",
    "core   0: 3 0x000000008000015a (0x00b6a72f) x14 0x000000007ffff800 mem 0x0000000080002000 mem "
    "0x0000000080002000 0xfffff800\n",
    "core   0: 3 0x000000008000015e (0x30529073) c773_mtvec 0x0000000080000050\r\n",
    "core   0: 0 0x0000000000010100 (0x12d7f753) c1_fflags 0x0000000000000001 f14 "
    "0x3fe8000000000000\n",
    "core   0: 3 0x0000000080000162 (0x02056107) e32 m2 l8 v2  0x00000004000000038877665511223384 "
    "v3  0x00000008000000070000000600000005 c8_vstart 0x0000000000000000 mem 0x0000000080001010\n",
    "core   0: 3 0x0000000080000162 (0x02056107)\n",
    "3 0x0000000010000000 (0x00100413) x 8 0x00000001\n",
    "core   0: 0x0000000080000150 (0x00f83023) sd      a5, 0(a6)\n",
    "core   0: 0x0000000080000154 (0x0000c295) c.beqz  a3, pc + 36\n",
    "core   0: 0x80000154 (0x00008067) ret\n",
    "core   INTERRUPT 0: 0x0000000080000050 (0x0000715d) DASM(0000715d)\n",
    "core   0: exception trap_load_access_fault, epc 0x0000000080000158\n",
    "core   0:           tval 0x0000000040000000\n",
    "core   0: Executed 17 times\n",
    "core   0: >>>>  memcpy\n",
    "Hello, world\n",
};

static const char bytes[] = "0123456789abcdefABCDEFxfvcm_-: (),>\r\n\t";

#define LINE_BYTES (LINE_TEMPLATE_MARGIN_BYTES + 384)

static const struct reading_options option_sets[] = {
    {.reading = READING_TRUE},
    {.reading = READING_TRUE, .dialect = RISCV_HAS_COMMITS},
    {.reading = READING_TRUE, .dialect = RISCV_IS_32},
    {.reading = READING_TRUE, .dialect = RISCV_HAS_COMMITS | RISCV_HAS_NO_HARTS},
};

// Compares a record with what its template says, if it has one, and learns it. Returns where the
// next record of the line begins; NULL: none.
static const char *take_record(struct line_templates *templates, const char *start,
                               const char *newline, const struct reading_options *how,
                               struct line_context *context, size_t *fits)
{
    const char *end = line_trim(start, newline);
    struct line_context by_reader = *context, by_template = *context;
    struct trace_line read, templated;
    struct line_columns columns;
    struct text_fault fault;
    const struct line_template *template = line_templates_find(templates, start, context, true);
    const bool is_read = spike_study(start, end, how, &by_reader, &read, &fault, &columns);
    if (template) {
        const uint64_t time = line_template_time(template, start, &by_template);
        line_template_read(template, start, time, false, true, &templated);
        line_template_pass_on(template, time, false, &by_template);
        CHECK(is_read && is_same_line(&templated, &read));
        CHECK(!is_read || (is_same_context(&by_template, &by_reader) &&
                           template->ends_line == !columns.goes_on));
        CHECK(!template->line_bytes ||
              (template->ends_line ? start + template->line_bytes == newline + 1
                                   : start + template->line_bytes == columns.read_end));
        *fits += 1;
    } else if (is_read) {
        line_templates_learn(templates, start, newline, context, &read, &columns);
    }
    *context = by_reader;
    return is_read && columns.goes_on ? columns.read_end : NULL;
}

static void records_that_fit_are_read_alike(void)
{
    struct prng prng = {3};
    for (size_t set = 0; set < ARRAY_COUNT(option_sets); set++) {
        struct line_templates *templates = line_templates_new();
        size_t fits = 0;
        CHECK(templates);
        for (size_t round = 0; templates && round < 40000; round++) {
            char text[LINE_BYTES];
            const char *line = lines[prng_below(&prng, ARRAY_COUNT(lines))];
            const size_t length = strlen(line);
            memset(text, '\n', sizeof text);
            memcpy(text, line, length);
            for (uint32_t count = prng_below(&prng, 3); count; count--)
                text[prng_below(&prng, (uint32_t)length)] =
                    bytes[prng_below(&prng, sizeof bytes - 1)];
            const char *newline = memchr(text, '\n', sizeof text), *at = text;
            struct line_context context = LINE_CONTEXT_START;
            while (at)
                at = take_record(templates, at, newline, &option_sets[set], &context, &fits);
            if (round % 500 == 0)
                line_templates_rest(templates);
        }
        CHECK(fits > 20000);
        free(templates);
    }
}

const struct test_case riscv_line_tests[] = {
    {"records_that_fit_are_read_alike", records_that_fit_are_read_alike},
    {NULL, NULL},
};
