// Lines that fit a template are compared with the reader, for any bytes.
#include "random.h"
#include "same_line.h"
#include "test.h"
#include "trace/lines/whole_line.h"
#include "trace/tarmac/line_read.h"

#include <stdlib.h>

#include "simd/text.inc"

#include "trace/lines/line_template_read.inc"

static const char *const samples[] = {
    // Dialects of the corpus.
    "419 clk IT (419) 00080794 1100052a O EL1h_s : ADD      w10,w9,#1\n",
    "513 clk IS (513) 000807bc 54000080 O EL1h_s : B.EQ     {pc}+0x10 ; 0x807cc\n",
    "217 clk IT (217) 0001038a fb01f601 T svc_s : MUL      r6,r1,r1\n",
    "216 clk IT (216) 000103b4 d1e9 T svc_s : BNE      {pc}-0x2a ; 0x1038a\n",
    "201 clk IT (201) 00010520 e15c0002 A svc_s : CMP      ip,r2\n",
    "      40400 tic ES  (0000000000080780:a9be7bfd) O el1h_s:         STP      x29,x30,[sp]\n",
    "      20200 tic ES  (000106e0:4a000005) A svc_s:   CCFAIL BMI      {pc}+0x1c ; 0x106fc\n",
    "      20200 tic ES  (000106e0:4a000005) A svc_s:   CMP    r1,r2\n",
    "      20200 tic ES  (000106e0:--------) A svc_s:   CMP    r1,r2\n",
    "227750 clk cpu0 IT (450) 00080770 b940152a O EL1h_s :   LDR   W10, [X9, #0X14]\n",
    "227750 clk cpu0 MR4 00081014:000000081014 0000001a\n",
    "227750 clk cpu0 R W10 0000001a\n",
    "418 clk R X9 000000000000000C\n",
    "418 clk R X30 00000000000808AC\n",
    "418 clk R SP_EL1 0000000003EFFF10\n",
    "418 clk R cpsr 200003c5\n",
    "200 clk R r12 00000074\n",
    "                    R V9 0000000000000000_bfe01230fba9a5be\n",
    "                    R CPSR 400003c5\n",
    "                    R X10 00000000003ebffe\n",
    "9 clk R ELR_EL1 0000000000080f00\n",
    "9 clk R FPCR 00000000\n",
    "9 clk R s3 3f800000\n",
    "9 clk R X0<31:0> 12345678\n",
    "9 clk R X7 --------12345678\n",
    "9 clk R Z0 00112233_44556677\n",
    "418 clk MR4 00085018:000000085018 0000000c\n",
    "436 clk MW8 03efff30:000003efff30 00000000_00000000\n",
    "451 clk MW1 00091134:000000091134 cc\n",
    "451 clk MR16 00091134:000000091134_NS 0011223344556677 8899aabbccddeeff\n",
    "451 clk MR16 00091134 00112233445566778899aabbccddeeff\n",
    "451 clk MNR4___D 00091134 00112233\n",
    "451 clk MR4X (MTE 1) 00091134 --------\n",
    "451 clk R04 00091134 00112233\n",
    "451 clk MR8 00091134 00112233 44556677\n",
    "451 clk MR8 00091134 00112233 4455667?\n",
    "                    LD 0000000000085010 ........ 0000000d ........ ........    S:0000085010\n",
    "                       0000000000085000 ........ 0000000d ..00.... ........    S:0000085000\n",
    "                    ST 0000000000091130 ....001d ........ ........ ........    S:0000091130\n",
    "                    ST 0000000000091130 ######## ........ ........ ........\n",
    "                    BR (0000000000080780) O\n",
    // Other lines, and limit cases of the syntax.
    "27100ns ES (8000:e1a0) T svc: NOP\n",
    "123456789012 clk IT (0) 8000 e1a00000 A svc : MOV r0,r0\n",
    "1 clk IT (8000) e1a0 T16 svc : NOP\n",
    "1 clk IT 8000:0000008000_NS e1a0 T16 svc : NOP\n",
    "1 clk IT (1:8000) e1a0 T32 NOP\n",
    "1 clk IT 8000 ad A svc : NOP\n",
    "1 clk IT (8000) 8000 b A svc : NOP\n",
    "1 clk IT EXC 00000018 IRQ\n",
    "1 clk E DebugEvent_Halt 1\n",
    "1 clk EXC [0x80] Synchronous\n",
    "1 clk CADI something\n",
    "R r0 00000000\n",
    "12 cpu10 R X0 0000000000000000\r\n",
};

// Replacements for bytes: characters with a meaning in the syntax, and similar ones.
static const char bytes[] = "0123456789abcdefABCDEFxX_-.#/:()<>,[] \t\r\n\0gGTOSzZ@`{~\xff;\"";

#define LINE_BYTES (LINE_TEMPLATE_MARGIN_BYTES + 256)

static const struct reading_options option_sets[] = {
    {.reading = READING_TRUE},
    {.reading = READING_TTU},
    {.reading = READING_TRUE, .implicit_state = STATE_IS_THUMB},
    {.reading = READING_TRUE, .scale = {{TIME_CYCLES, -6}, 0}},
};

static const struct line_context contexts[] = {{77, LINE_NO_COLUMN, 0, false},
                                               {77, 23, 0, true},
                                               {77, 23, 0, false},
                                               {77, 20, 0, true},
                                               {77, 0, 0, false},
                                               {0xfffffff0, LINE_NO_COLUMN, 0, false},
                                               {0x200000005, LINE_NO_COLUMN, 2, false}};

static const char *newline_of(const char *line)
{
    return memchr(line, '\n', LINE_BYTES);
}

// Reads a line, and learns its template. False: the reader refuses it.
static bool learn(struct line_templates *templates, const char *line,
                  const struct reading_options *options, const struct line_context *context)
{
    struct line_context behind = *context;
    struct trace_line read;
    struct text_fault fault;
    struct line_columns layout;
    const char *newline = newline_of(line);
    if (!tarmac_line_study(line, line_trim(line, newline), options, &behind, &read, &fault,
                           &layout))
        return false;
    line_templates_learn(templates, line, newline, context, &read, &layout);
    return true;
}

// Whether the line fits a template. If it does, the reader must give the same result.
static bool fits_as_read(const struct line_templates *templates, const char *line,
                         const struct reading_options *options, const struct line_context *context)
{
    struct line_context by_template = *context, by_reader = *context;
    struct trace_line templated, read;
    struct text_fault fault;
    const struct line_template *template = line_templates_find(templates, line, context, false);
    if (!template)
        return false;
    const char *newline = newline_of(line), *end = line_trim(line, newline);
    uint64_t time = line_template_time(template, line, &by_template);
    bool is_read = line_template_is_read(template, context);
    line_template_read(template, line, time, is_read, true, &templated);
    line_template_pass_on(template, time, is_read, &by_template);
    CHECK(tarmac_line_read(line, end, options, &by_reader, &read, &fault));
    CHECK(is_same_line(&templated, &read));
    CHECK(is_same_context(&by_template, &by_reader));
    CHECK(!template->line_bytes ||
          (newline + 1 - line == template->line_bytes && end - line == template->text_bytes));
    CHECK(template->line_bytes || newline - line >= template->compared_bytes);
    return true;
}

static struct line_templates *new_shapes(void)
{
    struct line_templates *templates = line_templates_new();
    CHECK(templates);
    return templates;
}

// Sets the line to the sample, followed by bytes that may be read but have no effect.
static void set_line(char line[LINE_BYTES], const char *sample)
{
    memset(line, '\n', LINE_BYTES);
    memcpy(line, sample, strlen(sample));
}

static void change(struct prng *prng, char line[LINE_BYTES], size_t length)
{
    for (uint32_t count = prng_below(prng, 4); count; count--) {
        char new_byte = bytes[prng_below(prng, sizeof bytes - 1)];
        line[prng_below(prng, (uint32_t)length)] = new_byte;
    }
}

static const struct line_context *any_context(struct prng *prng)
{
    return &contexts[prng_below(prng, ARRAY_COUNT(contexts))];
}

// Learns samples and some of their mutants, and compares the others with what was learned.
static size_t count_fits(const struct reading_options *options, struct prng *prng)
{
    struct line_templates *templates = new_shapes();
    size_t fits = 0;
    for (size_t round = 0; templates && round < 200 * ARRAY_COUNT(samples); round++) {
        char line[LINE_BYTES];
        const char *sample = samples[round % ARRAY_COUNT(samples)];
        set_line(line, sample);
        learn(templates, line, options, any_context(prng));
        for (int i = 0; i < 40; i++) {
            set_line(line, sample);
            change(prng, line, strlen(sample));
            fits += fits_as_read(templates, line, options, any_context(prng));
            if (i % 8 == 0)
                learn(templates, line, options, any_context(prng));
        }
        if (round % 500 == 0)
            line_templates_rest(templates);
    }
    free(templates);
    return fits;
}

static void mutants_that_fit_are_read_alike(void)
{
    struct prng prng = {1};
    for (size_t i = 0; i < ARRAY_COUNT(option_sets); i++)
        CHECK(count_fits(&option_sets[i], &prng) > 30000);
}

// Nearly every sample is a template for lines like it.
static void samples_fit_their_own_shape(void)
{
    size_t fits = 0;
    for (size_t i = 0; i < ARRAY_COUNT(samples); i++) {
        struct line_templates *templates = new_shapes();
        bool is_continuation = strspn(samples[i], " ") == contexts[1].address_column;
        const struct line_context *context = &contexts[is_continuation];
        char line[LINE_BYTES];
        set_line(line, samples[i]);
        CHECK(templates && learn(templates, line, &option_sets[0], context));
        fits += templates && fits_as_read(templates, line, &option_sets[0], context);
        free(templates);
    }
    CHECK(fits >= ARRAY_COUNT(samples) - 3);
}

static void lines_without_a_shape_cost_little(void)
{
    struct line_templates *templates = new_shapes();
    uint32_t before = 0;
    for (uint32_t i = 0; templates && i < 10000; i++) {
        char line[LINE_BYTES];
        set_line(line, "1 clk R X0 0000000000000000\n");
        line[8] = (char)('a' + i % 26);
        before = templates->learned;
        learn(templates, line, &option_sets[0], &contexts[0]);
    }
    CHECK(templates && templates->learned == before);
    free(templates);
}

const struct test_case shape_tests[] = {
    {"mutants_that_fit_are_read_alike", mutants_that_fit_are_read_alike},
    {"samples_fit_their_own_shape", samples_fit_their_own_shape},
    {"lines_without_a_shape_cost_little", lines_without_a_shape_cost_little},
    {NULL, NULL},
};
