// Results of the line reader for valid lines; registers are tested in another file.
#include "read_line.h"
#include "test.h"

static void times_units_and_cpu_names(void)
{
    static const struct {
        const char *line;
        uint64_t time;
        const char *cpu;
    } lines[] = {
        {"BR", 0, ""},
        {"10 BR", 10, ""},
        {"10 clk BR", 10, ""},
        {"10 ns cpu0 BR", 10, "cpu0"},
        {"10 cs BR", 10, ""},
        {"10 cyc cpu BR", 10, "cpu"},
        {"10 tic cpuidle BR", 10, "cpuidle"},
        {"10 ps cpu0.core1 BR", 10, "cpu0.core1"},
        {"2 us BR", 2, ""},
        {"cpu1 BR", 0, "cpu1"},
        {"271ns BR", 271, ""},
        {"271ns cpu2 BR", 271, "cpu2"},
        {"10.356000us BR", 10356000, ""},
        {"1.5 clk BR", 1500000, ""},
        {"1.5 BR", 1500000, ""},
        {"1. BR", 1000000, ""},
        {".5 BR", 500000, ""},
        {"1.2.3 BR", 1200000, ""},
        {"0.0000004 BR", 0, ""},
        {"0.0000005 BR", 1, ""},
        {"0.0000014999 BR", 1, ""},
        {"00000000000000000000000000000007 BR", 7, ""},
        {"18446744073709551615 BR", UINT64_MAX, ""},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read = read_line(lines[i].line, TTU_OPTIONS);
        bool is_right =
            read.is_read && read.line.kind == LINE_TEXT && !read.line.note &&
            read.line.time == lines[i].time && read.context.time == lines[i].time &&
            read.line.cpu_length == strlen(lines[i].cpu) &&
            memcmp(read.line.cpu ? read.line.cpu : "", lines[i].cpu, read.line.cpu_length) == 0;
        if (!is_right)
            test_fail(__FILE__, __LINE__, lines[i].line);
    }
}

static void second_units_and_other_words_are_event_types(void)
{
    static const char *const lines[][2] = {
        {"10 ms BR", "ms"},      {"10 CLK BR", "CLK"}, {"271ns clk BR", "clk"},
        {"10 clk ns BR", "ns"},  {"CPU0 BR", "CPU0"},  {"cpu0 cpu1 BR", "cpu1"},
        {"271nsx BR", "271nsx"}, {"clk BR", "clk"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read = read_line(lines[i][0], TTU_OPTIONS);
        CHECK(read.is_read && read.line.note == NOTE_UNKNOWN_EVENT &&
              token_text_is(&read.line.note_subject, lines[i][1]));
    }
}

// Names of cores, in any form, before the record.
static void cores_have_any_name(void)
{
    static const struct {
        const char *line, *cpu;
        uint64_t time;
    } lines[] = {
        {"1 clk cluster0.cpu0 BR", "cluster0.cpu0", 1},
        {"2 FVP_Base.cluster1.cpu3 BR x", "FVP_Base.cluster1.cpu3", 2},
        {"3 clk core2 IT 8000 e1a00000 A svc : x", "core2", 3},
        {"4 ns PE_0 R r0 00000000", "PE_0", 4},
        {"5 clk big1 MW4 1000 00000000", "big1", 5},
        {"clk 8 BR", "", 8},
        {"clk 8 cpu1 BR", "cpu1", 8},
        {"\xef\xbb\xbf"
         "9 clk cpu1 BR",
         "cpu1", 9},
        {"7 clk TLB FILL", "", 7},
        {"6 clk core2 FOO", "", 0},
        {"8 clk IT20K.nkP00806d4 d503201f O EL1h_s : NOP", "", 0},
        {"core2 IT 8000 e1a00000 A svc : x", "", 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read = read_line(lines[i].line, RIGHT_OPTIONS);
        if (!read.is_read || read.line.time != lines[i].time ||
            read.line.cpu_length != strlen(lines[i].cpu) ||
            memcmp(read.line.cpu ? read.line.cpu : "", lines[i].cpu, read.line.cpu_length) != 0)
            test_fail(__FILE__, __LINE__, lines[i].line);
    }
}

// A line that is not understood, of whatever program, changes nothing; TTU takes its time.
static void unknown_records_change_nothing(void)
{
    const struct reading_options right_options = RIGHT_OPTIONS, ttu_options = TTU_OPTIONS;
    static const char *const lines[] = {
        "250 ns: [UART] Hello",        "250000 ps  reset released", "250 ns cpu1 FOO", "250 ns",
        "250 clk cluster0.cpu0 FOO x", "250 ns Memory test passed",
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        const char *end = lines[i] + strlen(lines[i]);
        struct line_context right = {7, 5, 0, true}, ttu = LINE_CONTEXT_START;
        struct trace_line line;
        struct text_fault fault;
        if (!tarmac_line_read(lines[i], end, &right_options, &right, &line, &fault) ||
            line.note != NOTE_UNKNOWN_EVENT || line.kind != LINE_NOTHING || line.cpu ||
            line.time != 7 || right.time != 7 || right.address_column != 5 ||
            !right.address_is_read || !line.readings_differ ||
            !tarmac_line_read(lines[i], end, &ttu_options, &ttu, &line, &fault) || ttu.time < 250 ||
            tarmac_line_stamp(lines[i], end, NULL).has_time)
            test_fail(__FILE__, __LINE__, lines[i]);
    }
}

// Each of these lines is read differently by the two readings, and both report that, so that no
// index of one is used for the other.
static void dialects_part_the_readings(void)
{
    static const char *const lines[] = {
        "1 clk cluster0.cpu0 BR",
        "1 clk core2 R r0 00000000",
        "clk 8 BR",
        "1 clk FD (1) 8000 9000 A",
        "1 clk TLB FILL",
        "BNR4O___ 8000 e1a00000",
        "MIO",
        "E 00000020 00000000 10005",
        "MNR8____ 8098 00007804 00007828",
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        if (!read_line(lines[i], TTU_OPTIONS).line.readings_differ ||
            !read_line(lines[i], RIGHT_OPTIONS).line.readings_differ)
            test_fail(__FILE__, __LINE__, lines[i]);
    }
    static const char *const only_right[] = {
        "\xef\xbb\xbf\x31 BR", "MR4 8000:8000_RL 00000000", "MNR4O___ 8000 (wait)", "R s12 4",
        "R V0<63:0> a5",
    };
    for (size_t i = 0; i < ARRAY_COUNT(only_right); i++) {
        struct line_read right = read_line(only_right[i], RIGHT_OPTIONS);
        if (read_line(only_right[i], TTU_OPTIONS).is_read || !right.is_read ||
            !right.line.readings_differ)
            test_fail(__FILE__, __LINE__, only_right[i]);
    }
}

// A truncated line does not contain a small number.
static void short_values_have_leading_zeros(void)
{
    static const char *const cut[] = {"R r0", "R X30 --00", "R r13", "R cpsr"};
    for (size_t i = 0; i < ARRAY_COUNT(cut); i++) {
        struct line_read ttu = read_line(cut[i], TTU_OPTIONS);
        if (read_line(cut[i], RIGHT_OPTIONS).is_read || (ttu.is_read && !ttu.line.readings_differ))
            test_fail(__FILE__, __LINE__, cut[i]);
    }
    CHECK(read_line("R X30 0000", RIGHT_OPTIONS).line.reg.is_short);
    struct line_read read = read_line("R s12 1f4", RIGHT_OPTIONS);
    uint8_t values[4];
    uint8_t effects[4];
    CHECK(read.is_read && line_register_bytes(&read.line.reg, values, effects, 4) == 4);
    CHECK(values[0] == 0xf4 && values[1] == 1 && !values[2] && !values[3] &&
          effects[3] == BYTE_KNOWN);
}

static void large_fractional_times_differ_between_the_readings(void)
{
    static const char line[] = "12345678901234.567891 BR";
    CHECK(read_line(line, RIGHT_OPTIONS).line.time == UINT64_C(12345678901234567891));
    CHECK(read_line(line, TTU_OPTIONS).line.time == UINT64_C(12345678901234567168));
    CHECK(!read_line("99999999999999999.5 BR", RIGHT_OPTIONS).is_read);
}

struct instruction_line {
    const char *line;
    uint64_t address;
    uint32_t encoding, size_bytes;
    enum isa_state isa;
    bool executed, fetched;
    const char *disassembly;
};

static void check_instruction(const struct instruction_line *wanted, struct reading_options options)
{
    struct line_read read = read_line(wanted->line, options);
    const struct line_instruction *found = &read.line.instruction;
    const char *end = wanted->line + strlen(wanted->line);
    if (!read.is_read || read.line.kind != LINE_INSTRUCTION || found->address != wanted->address ||
        found->encoding != wanted->encoding || found->size_bytes != wanted->size_bytes ||
        found->isa != wanted->isa || found->executed != wanted->executed ||
        found->fetched != wanted->fetched || !read.line.looks_like_instruction ||
        (size_t)(end - found->disassembly) != strlen(wanted->disassembly))
        test_fail(__FILE__, __LINE__, wanted->line);
}

static void instructions(void)
{
    static const struct instruction_line lines[] = {
        {"ES (0000000000080000:58000181) O el1h_s:   LDR x1 ", 0x80000, 0x58000181, 4, ISA_AARCH64,
         true, true, "LDR x1 "},
        {"5 clk ES (8000:e1a0) T svc: CCFAIL NOP", 0x8000, 0xe1a0, 2, ISA_THUMB, false, true,
         "NOP"},
        {"ES (8000:--------) A svc : x", 0x8000, 0, 4, ISA_ARM, false, false, "x"},
        {"ES (8000:----) T16 svc : CCFAIL x", 0x8000, 0, 2, ISA_THUMB, false, true, "x"},
        {"ES (8000:e1a00000) A : x", 0x8000, 0xe1a00000, 4, ISA_ARM, true, true, "x"},
        {"IT (1) 00080000 58000181 O EL1h_s : LDR", 0x80000, 0x58000181, 4, ISA_AARCH64, true, true,
         "LDR"},
        {"IS (1) 8000 0a000000 A svc_s : BEQ", 0x8000, 0x0a000000, 4, ISA_ARM, false, true, "BEQ"},
        {"IF (1) 8000 0a000000 A svc_s : BEQ", 0x8000, 0x0a000000, 4, ISA_ARM, true, true, "BEQ"},
        {"IT 8000:12_S,34_NS e1a00000 A svc : x", 0x8000, 0xe1a00000, 4, ISA_ARM, true, true, "x"},
        {"IT 8000:_NS e1a00000 A svc : x", 0x8000, 0xe1a00000, 4, ISA_ARM, true, true, "x"},
        {"IT (1:8002) 46c0 T16 NOP", 0x8002, 0x46c0, 2, ISA_THUMB, true, true, "NOP"},
        {"IT (8000:7) 48f6 T16 : x", 7, 0x48f6, 2, ISA_THUMB, true, true, "x"},
        {"IT (8000) e1a00000 A svc : x", 0x8000, 0xe1a00000, 4, ISA_ARM, true, true, "x"},
        {"IT (8000:9) e1a00000 T svc : x", 9, 0xe1a00000, 4, ISA_THUMB, true, true, "x"},
        {"IT (8000) A A svc : x", 0x8000, 0xa, 0, ISA_ARM, true, true, "x"},
        {"IT 8000 123456789 A : x", 0x8000, 0x23456789, 4, ISA_ARM, true, true, "x"},
        {"IT 8000 e1a00000 T32 : ", 0x8000, 0xe1a00000, 4, ISA_THUMB, true, true, ""},
        {"IT ffffffffffffffff d503201f O : x", UINT64_MAX, 0xd503201f, 4, ISA_AARCH64, true, true,
         "x"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        check_instruction(&lines[i], TTU_OPTIONS);
        check_instruction(&lines[i], RIGHT_OPTIONS);
    }
}

static void instructions_without_a_state(void)
{
    static const struct instruction_line lines[] = {
        {"IT 8000 46c0 NOP", 0x8000, 0x46c0, 2, ISA_THUMB, true, true, "NOP"},
        {"IT 8000 46c0", 0x8000, 0x46c0, 2, ISA_THUMB, true, true, ""},
        {"IT 8000 46c0 svc : NOP", 0x8000, 0x46c0, 2, ISA_THUMB, true, true, "svc : NOP"},
        {"ES (8000:46c0) CCFAIL NOP", 0x8000, 0x46c0, 2, ISA_THUMB, true, true, "CCFAIL NOP"},
        {"ES (8000:e1a00000) A svc : CCFAIL NOP", 0x8000, 0xe1a00000, 4, ISA_ARM, false, true,
         "NOP"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
        check_instruction(&lines[i],
                          (struct reading_options){.reading = READING_TTU, .implicit_state = true});
}

static void exceptions_and_text(void)
{
    static const struct {
        const char *line;
        enum line_kind kind;
    } lines[] = {
        {"ES EXC [0x00] Reset", LINE_EXCEPTION},
        {"IT EXC", LINE_EXCEPTION},
        {"IF Reset x", LINE_EXCEPTION},
        {"EXC", LINE_EXCEPTION},
        {"E foo", LINE_EXCEPTION},
        {"E", LINE_EXCEPTION},
        {"E DebugEvent_Halt", LINE_TEXT},
        {"Tarmac Text Rev 3t", LINE_NOTHING},
        {"CADI E x", LINE_TEXT},
        {"MR4 1000 (ABORTED)", LINE_TEXT},
        {"MR4 1000:2000 (ABORTED)", LINE_TEXT},
        {"MW16 X 1000:2000_NS (ABORTED) 0", LINE_TEXT},
        {"MNR4xxxI 1000", LINE_TEXT},
        {"MNW4xxxA {", LINE_TEXT},
        {"MR4C TRANSFER x", LINE_NOTHING},
        {"P", LINE_TEXT},
        {"LD 1000 ................................", LINE_NOTHING},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read = read_line(lines[i].line, TTU_OPTIONS);
        if (!read.is_read || read.line.kind != lines[i].kind || read.line.note)
            test_fail(__FILE__, __LINE__, lines[i].line);
    }
}

static void what_is_not_understood_is_noted(void)
{
    static const struct {
        const char *line, *subject;
        enum line_note note;
        enum line_kind kind;
    } lines[] = {
        {"FOO x", "FOO", NOTE_UNKNOWN_EVENT, LINE_TEXT},
        {"cadi x", "cadi", NOTE_UNKNOWN_EVENT, LINE_TEXT},
        {"MODE svc", "MODE", NOTE_UNKNOWN_EVENT, LINE_TEXT},
        {"R05 1000 0", "R05", NOTE_UNKNOWN_EVENT, LINE_TEXT},
        {": x", "", NOTE_UNKNOWN_EVENT, LINE_TEXT},
        {"", "", NOTE_UNKNOWN_EVENT, LINE_TEXT},
        {"  \t", "", NOTE_UNKNOWN_EVENT, LINE_TEXT},
        {"R DC 0", "DC", NOTE_UNSUPPORTED_SYSTEM, LINE_NOTHING},
        {"R IC", "IC", NOTE_UNSUPPORTED_SYSTEM, LINE_NOTHING},
        {"R TLBI x", "TLBI", NOTE_UNSUPPORTED_SYSTEM, LINE_NOTHING},
        {"R AT (", "AT", NOTE_UNSUPPORTED_SYSTEM, LINE_NOTHING},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read = read_line(lines[i].line, TTU_OPTIONS);
        if (!read.is_read || read.line.kind != lines[i].kind || read.line.note != lines[i].note ||
            !token_text_is(&read.line.note_subject, lines[i].subject))
            test_fail(__FILE__, __LINE__, lines[i].line);
    }
}

static void contiguous_memory(void)
{
    static const struct {
        const char *line;
        uint64_t address;
        bool is_read, is_memory_order, is_known;
        uint32_t size_bytes;
        const char *value, *second;
    } lines[] = {
        {"MR4 1000 12345678", 0x1000, true, false, true, 4, "12345678", ""},
        {"MW8 X 1000 0", 0x1000, false, false, true, 8, "0", ""},
        {"MR4 (x { y) 1000 0", 0, false, false, false, 0, NULL, NULL}, // with an invalid token
        {"MR4 (x [ y) 1000 0", 0x1000, true, false, true, 4, "0", ""},
        {"MR4 X (x) 1000:2000_NS 1234_5678", 0x1000, true, false, true, 4, "1234_5678", ""},
        {"M 1000 5", 0x1000, false, false, true, 0, "5", ""},
        {"R04 1000 0", 0x1000, true, false, true, 4, "0", ""},
        {"W01 ffffffffffffffff 0", UINT64_MAX, false, false, true, 1, "0", ""},
        {"MR4 1000 hello", 0x1000, true, false, false, 4, "hello", ""},
        {"MR4 1000 ....", 0x1000, true, false, false, 4, "....", ""},
        {"MNW4_xxD 1000 12", 0x1000, false, true, true, 4, "12", ""},
        {"MR2xxxxD 1000 12", 0x1000, true, true, true, 2, "12", ""},
        {"MR16 1000 01 02", 0x1000, true, false, true, 16, "01", "02"},
        {"MW16 1000 xx 02", 0x1000, false, false, false, 16, "xx", "02"},
        {"MW16 1000 00112233445566778899aabbccddeeff", 0x1000, false, false, true, 16,
         "00112233445566778899aabbccddeeff", ""},
        {"MR8 1000 000000000000000000ffffffffffffffff", 0x1000, true, false, true, 8,
         "000000000000000000ffffffffffffffff", ""},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read = read_line(lines[i].line, TTU_OPTIONS);
        const struct line_memory *found = &read.line.memory;
        if (!lines[i].value) {
            CHECK(!read.is_read);
            continue;
        }
        if (!read.is_read || read.line.kind != LINE_MEMORY || found->address != lines[i].address ||
            found->is_read != lines[i].is_read || found->is_known != lines[i].is_known ||
            found->is_memory_order != lines[i].is_memory_order ||
            found->size_bytes != lines[i].size_bytes ||
            !span_text_is(found->value, lines[i].value) ||
            (found->size_bytes == 16 && !span_text_is(found->second, lines[i].second)))
            test_fail(__FILE__, __LINE__, lines[i].line);
    }
}

static bool read_next(struct line_context *context, const char *text, struct trace_line *line)
{
    const struct reading_options options = TTU_OPTIONS;
    struct text_fault fault;
    return tarmac_line_read(text, text + strlen(text), &options, context, line, &fault);
}

#define ROW " ........ ........ 00000000 03f00000"

static void rows_go_on_in_the_column_of_the_address(void)
{
    struct line_context context = LINE_CONTEXT_START;
    struct trace_line line;
    CHECK(read_next(&context, "5 clk LD 0080" ROW, &line));
    CHECK(line.kind == LINE_DIAGRAM && line.diagram.address == 0x80 && line.diagram.is_read);
    CHECK(context.address_column == 9);
    CHECK(read_next(&context, "         0070" ROW " ignored", &line));
    CHECK(line.kind == LINE_DIAGRAM && line.diagram.address == 0x70 && line.diagram.is_read);
    CHECK(line.time == 5);
    CHECK(read_next(&context, "         0060" ROW, &line) && line.diagram.address == 0x60);
    CHECK(!read_next(&context, "         ", &line)); // blanks of exactly that length
    CHECK(context.address_column == 9);              // the sequence continues after them
    CHECK(read_next(&context, "         0050" ROW, &line) && line.diagram.address == 0x50);
    CHECK(read_next(&context, "        0040" ROW, &line)); // one column off, so it is a time
    CHECK(line.kind == LINE_TEXT && line.time == 40 && context.time == 40);
    CHECK(context.address_column == LINE_NO_COLUMN);
    CHECK(read_next(&context, "ST 80" ROW, &line) && !line.diagram.is_read && line.time == 40);
    CHECK(read_next(&context, "   70" ROW, &line) && !line.diagram.is_read);
}

static void lines_without_a_time_inherit_it(void)
{
    struct line_context context = LINE_CONTEXT_START;
    struct trace_line line;
    CHECK(read_next(&context, "R FOO", &line) && line.time == 0);
    CHECK(read_next(&context, "20 R FOO", &line) && line.kind == LINE_NOTHING);
    CHECK(read_next(&context, "R r0 00000001", &line) && line.time == 20);
    CHECK(read_next(&context, "10 Tarmac", &line));
    CHECK(read_next(&context, "BR", &line) && line.time == 10);
}

// The rest of a line that was torn apart may begin with digits.
static void numbers_before_unknown_records_are_no_times(void)
{
    static const struct {
        const char *line;
        bool is_time;
    } lines[] = {
        {"8000", false},
        {"8000 e1a00000 A svc_s : MOV r0,r0", false},
        {"8000 FOO", false},
        {"8000 : x", false},
        {"1.5", false},
        {"1.5 FOO", false},
        {"8000 MODE svc", false},
        {"8000 ........ 00000000", false},
        {"8000 clk BR", true},
        {"8000ns BR", true},
        {"8000 cpu0 BR", true},
        {"8000 BR", true},
        {"8000 R FOO", true},
        {"8000 R DC 0", true},
        {"8000 Tarmac", true},
        {"8000 EXC", true},
        {"8000 MNR4xxxI 1000", true},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read right = read_line(lines[i].line, RIGHT_OPTIONS);
        struct line_read ttu = read_line(lines[i].line, TTU_OPTIONS);
        const char *fault = "expected a known record after a number without a unit";
        bool is_right = lines[i].is_time
                            ? right.is_read && right.context.time
                            : !right.is_read && !right.context.time &&
                                  strcmp(right.fault.text, fault) == 0 && ttu.line.readings_differ;
        if (!is_right || !ttu.is_read || !ttu.context.time)
            test_fail(__FILE__, __LINE__, lines[i].line);
    }
}

const struct test_case line_tests[] = {
    {"times_units_and_cpu_names", times_units_and_cpu_names},
    {"second_units_and_other_words_are_event_types", second_units_and_other_words_are_event_types},
    {"cores_have_any_name", cores_have_any_name},
    {"unknown_records_change_nothing", unknown_records_change_nothing},
    {"dialects_part_the_readings", dialects_part_the_readings},
    {"short_values_have_leading_zeros", short_values_have_leading_zeros},
    {"large_fractional_times_differ_between_the_readings",
     large_fractional_times_differ_between_the_readings},
    {"instructions", instructions},
    {"instructions_without_a_state", instructions_without_a_state},
    {"exceptions_and_text", exceptions_and_text},
    {"what_is_not_understood_is_noted", what_is_not_understood_is_noted},
    {"contiguous_memory", contiguous_memory},
    {"rows_go_on_in_the_column_of_the_address", rows_go_on_in_the_column_of_the_address},
    {"lines_without_a_time_inherit_it", lines_without_a_time_inherit_it},
    {"numbers_before_unknown_records_are_no_times", numbers_before_unknown_records_are_no_times},
    {NULL, NULL},
};
