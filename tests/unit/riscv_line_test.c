// Records of RISC-V logs that fit a template are read as the reader of lines reads them.
#include "random.h"
#include "same_line.h"
#include "test.h"
#include "trace/lines/whole_line.h"
#include "trace/riscv/forms.h"

#include <stdlib.h>

#define SHAPED_LINES unused_name
#include "simd/text.inc"

#include "trace/lines/line_template_read.inc"

static const char *const spike_lines[] = {
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
    NULL,
};

static const char *const sail_lines[] = {
    "mem[X,0x0000008000067E] -> 0xF406\n",
    "[20] [M]: 0x000000008000067E (0xF406) c.sdsp ra, 0x5\n",
    "[1234567] [VS]: 0x80000680 (0x00F83023) sd a5, 0x0(a6)\n",
    "mem[W,0x00000080009AF8] <- 0x000000008000003A\n",
    "mem[R,0x080009AF8] -> 0x3A\r\n",
    "mem[0x080009AF8] <- 0x0000003A\n",
    "x15 <- 0x0000000000000001\n",
    "ra <- 0x80000001\n",
    "f4 <- 0x3FE8000000000000\n",
    "v2 <- 0x00000004000000038877665511223384\n",
    "CSR mtvec (0x305) <- 0x0000000080000050\n",
    "CSR mstatus <- 0x0000000A00000080 (input: 0x0)\n",
    "trapping from M to M to handle illegal-instruction\n",
    "handling exc#illegal-instruction at priv M | tval=0x0\n",
    "\n",
    NULL,
};

static const char *const rvvi_lines[] = {
    "VERSION 0 5\n",
    "PARAMS 6 ILEN 32 XLEN 64 FLEN 64 VLEN 0 NHART 1 RETIRE 1\n",
    "HART 0 RET 0x0000000080000000 0x00001197 X 3 0x0000000080001000 MEM I 4 0x0000000080000000 "
    "0x0000000080000000 0 MODE 0x3 VIRT 0x0\n",
    "HART 12 RET 0x80000000 0x0000F406 MEM D 8 0x0000000080001000 0x0000000080001000 2 PTE "
    "0x00000000000000CF PT G MODE 0x3\n",
    "HART 0 TRAP 0x0000000080000388 0xFFFFFFFF C 0x342 0x0000000000000002 C 300 00001800\n",
    "RET 80 '_start' 3e800093 'li ra, 1000' X 1 3E8\n",
    "RET 102a '_start+42' 0062a1a3 META 4 VMEM 1083 4 deafcafe\n",
    "HART 0 \\\n",
    "HART 0 RET 80 00000093 'li ra,0' RET 84 00000113 V 2 00000004000000038877665511223384\n",
    NULL,
};

static const char *const ibex_lines[] = {
    "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n",
    "             22\t         7\t80000000\t00001197\tauipc\tx3,0x1\t  x3=0x80001000\n",
    "            394\t       193\t800001e4\t01172223\tsw\tx17,4(x14)\t x14:0x8000058c "
    "x17:0x00000001 PA:0x80000590 store:0x00000001\n",
    "            398\t       195\t800001e8\t00d50023\tsb\tx13,0(x10)\t x10:0x8000058c+0x000000000 "
    "x13:0x00000027 PA:0x8000058c store:0x??????27\n",
    "            400\t       196\t800001e8\t00001197\t==>auipc\tx3,0x1\t  "
    "x3=0x80001000+0x1a0000003\n",
    "            402\t       197\t800001ea\t8082\tc.jr\tx1\t  x1:0x80000120\n",
    "            404\t       198\thart1 800001ec\t0001\tc.nop\t\r\n",
    "              480 ns              48 800000f4 00100913 c.add            s2, a0              "
    "x18=0000000a\n",
    "                 490              49 800000f6 00100413 addi             x8, x8, 1            "
    "x8=0xxxxxxxxx  x8:0x00000001  PA:80001000\n",
    "                  730000              69 001001da 0145f5d3     fadd.s           f11, f11, f20 "
    "  "
    "    f11=40900000 f11:3fc00000 f20:40400000\n",
    "              740 ns              70 001001de 18b57553 (C) fdiv.s           fa0, fa0, fa1     "
    "  "
    "fa0=40900000  fa0:3fc00000  fa1:40400000              75 790 ns\n",
    "              500 ns              50 800000f8 fe849be3 bne              s1, s0, pc - 10    \n",
    NULL,
};

static const char *const table_lines[] = {
    "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\r\n",
    "0000000080000000,,ra:0000000000000600;a5:0000000000000601,,00000297,3,\"auipc   ra, 0x0\",,\n",
    "80000000,csrrw,zero:00000000,c768_mstatus:00001800,30001073,3,\"csrw\",\"a,b\",\n",
    NULL,
};

static const char bytes[] = "0123456789abcdefABCDEFxfvcm_-: (),>[]'\\=MRW\r\n\t";

#define LINE_BYTES (LINE_TEMPLATE_MARGIN_BYTES + 384)

#define FORM(name) ((uint32_t)RISCV_FORM_##name << RISCV_FORM_SHIFT)

static const struct {
    const char *const *lines;
    uint32_t dialect;
} sets[] = {
    {spike_lines, 0},
    {spike_lines, RISCV_HAS_COMMITS},
    {spike_lines, RISCV_IS_32},
    {spike_lines, RISCV_HAS_COMMITS | RISCV_HAS_NO_HARTS},
    {sail_lines, FORM(SAIL)},
    {sail_lines, FORM(SAIL) | RISCV_IS_32},
    {rvvi_lines, FORM(RVVI)},
    {rvvi_lines, FORM(RVVI) | RISCV_IS_32},
    {ibex_lines, FORM(IBEX) | RISCV_IS_32},
    {table_lines, FORM(DV_CSV)},
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
    const bool is_read = riscv_study(start, end, how, &by_reader, &read, &fault, &columns);
    // Where text of any length does not end with a tab, a line is read by the reader.
    if (template && !(template->ends_at_tab && is_read && !columns.goes_on)) {
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

// Compares the records of a line with those of the whole line that it fits; otherwise learns it, if
// all of its records fit templates.
static void take_whole(struct line_templates *templates, struct whole_lines *lines,
                       const char *start, const char *newline, const struct reading_options *how,
                       size_t *fits)
{
    const size_t length = before_newline(start) + 1;
    const struct whole_line *whole =
        whole_lines_find(lines, whole_line_slot(start, length, ')'), start);
    struct line_context context = LINE_CONTEXT_START;
    struct whole_line_draft draft = {.count = WHOLE_LINE_RECORDS + 1};
    const char *at = start;
    size_t number = 0;
    CHECK(!whole || (start + length == newline + 1 && length == whole->line_bytes));
    for (; at && (!whole || number < whole->count); number++) {
        struct trace_line read, templated;
        struct line_columns columns;
        struct text_fault fault;
        const struct line_template *template =
            whole ? &whole->records[number] : line_templates_find(templates, at, &context, true);
        const bool is_read =
            riscv_study(at, line_trim(at, newline), how, &context, &read, &fault, &columns);
        const char *next = is_read && columns.goes_on ? columns.read_end : NULL;
        if (whole) {
            line_template_read(template, at, context.time, false, true, &templated);
            CHECK(is_read && at == start + whole->starts[number] &&
                  is_same_line(&templated, &read));
            *fits += 1;
        } else if (template && whole_line_add(&draft, template, at, next ? next : newline + 1)) {
            whole_lines_learn(lines, &draft, whole_line_slot(start, length, ')'));
        }
        at = next;
    }
    CHECK(!whole || (!at && number == whole->count));
}

static void records_that_fit_are_read_alike(void)
{
    struct prng prng = {3};
    for (size_t set = 0; set < ARRAY_COUNT(sets); set++) {
        const struct reading_options how = {.reading = READING_TRUE, .dialect = sets[set].dialect};
        size_t line_count = 0;
        while (sets[set].lines[line_count])
            line_count++;
        struct line_templates *templates = line_templates_new();
        struct whole_lines *lines = whole_lines_new();
        size_t fits = 0, whole_fits = 0;
        CHECK(templates && lines);
        for (size_t round = 0; templates && lines && round < 40000; round++) {
            char text[LINE_BYTES];
            const char *line = sets[set].lines[prng_below(&prng, (uint32_t)line_count)];
            const size_t length = strlen(line);
            memset(text, '\n', sizeof text);
            memcpy(text, line, length);
            for (uint32_t count = prng_below(&prng, 3); count; count--)
                text[prng_below(&prng, (uint32_t)length)] =
                    bytes[prng_below(&prng, sizeof bytes - 1)];
            const char *newline = memchr(text, '\n', sizeof text), *at = text;
            struct line_context context = LINE_CONTEXT_START;
            take_whole(templates, lines, text, newline, &how, &whole_fits);
            while (at)
                at = take_record(templates, at, newline, &how, &context, &fits);
            if (round % 500 == 0) {
                line_templates_rest(templates);
                lines->learned = 0;
            }
        }
        CHECK(whole_fits > 5000 || sets[set].lines != spike_lines);
        free(lines);
        CHECK(fits > 8000 || sets[set].lines == table_lines); // whose numbers stand elsewhere
        free(templates);
    }
}

const struct test_case riscv_line_tests[] = {
    {"records_that_fit_are_read_alike", records_that_fit_are_read_alike},
    {NULL, NULL},
};
