// Trace files made byte by byte, in either byte order: the contents of the header, the frames that
// are found and their contents, and what is reported about damaged files.
#include "test.h"
#include "trace/tfile/file.h"
#include "trace/tfile/frame.h"

#include <stdio.h>
#include <stdlib.h>

struct maker {
    uint8_t bytes[8192];
    size_t count;
    bool is_big;
    struct tfile file;
};

static void put(struct maker *maker, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        maker->bytes[maker->count + (maker->is_big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    maker->count += size;
}

static void put_text(struct maker *maker, const char *text)
{
    memcpy(maker->bytes + maker->count, text, strlen(text));
    maker->count += strlen(text);
}

// Two registers of 8 bytes, and tracepoint 2 at 0x401000; lines in `more` end with newlines.
static void begin(struct maker *maker, const char *more)
{
    maker->count = 0;
    put_text(maker, "\x7fTRACE0\nR 10\n");
    put_text(maker, more);
    put_text(maker, "tp T2:401000:E:0:0\n\n");
}

static void put_frame(struct maker *maker, uint16_t number, uint32_t size)
{
    put(maker, number, 2);
    put(maker, size, 4);
}

static void put_registers(struct maker *maker, uint64_t a, uint64_t b)
{
    put(maker, 'R', 1);
    put(maker, a, 8);
    put(maker, b, 8);
}

static void put_memory(struct maker *maker, uint64_t address, const char *text)
{
    put(maker, 'M', 1);
    put(maker, address, 8);
    put(maker, strlen(text), 2);
    put_text(maker, text);
}

static void put_variable(struct maker *maker, int32_t number, int64_t value)
{
    put(maker, 'V', 1);
    put(maker, (uint32_t)number, 4);
    put(maker, (uint64_t)value, 8);
}

// A frame of tracepoint 2 with one variable.
static void put_small(struct maker *maker, int64_t value)
{
    put_frame(maker, 2, 13);
    put_variable(maker, 1, value);
}

static bool open_made(struct maker *maker)
{
    struct error err;
    const struct tfile_options options = {0};
    return tfile_open(&maker->file, maker->bytes, maker->count, &options, &err) == STATUS_OK;
}

// The values of variable 1, frame by frame, with '*' after recovered frames, and the kinds of
// faults: "1 2 3* !4".
static const char *told(struct maker *maker)
{
    static char text[256];
    struct tfile *file = &maker->file;
    struct trace_damage damage = file->damage;
    size_t used = 0;
    CHECK(tfile_check_frames(file, 2, &damage));
    text[0] = 0;
    for (size_t i = 0; i < file->frames.count; i++) {
        const struct tfile_frame *frame = &file->frames.items[i];
        int64_t value;
        bool has_value = tfile_frame_variable(file, frame, 1, &value);
        used += (size_t)snprintf(text + used, sizeof text - used, "%lld%s ",
                                 has_value ? (long long)value : -1LL,
                                 frame->marks & TFILE_RECOVERED ? "*" : "");
    }
    for (uint64_t i = 0; i < damage.count; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "!%d@%d+%d ", (int)damage.first[i].kind,
            (int)(damage.first[i].offset - file->frames_offset), (int)damage.first[i].size_bytes);
    return text;
}

#define EXPECT(maker, text)                                                                        \
    do {                                                                                           \
        CHECK(open_made(maker));                                                                   \
        CHECK_STR(told(maker), text);                                                              \
        tfile_close(&(maker)->file);                                                               \
    } while (0)

static void test_blocks(void)
{
    for (int is_big = 0; is_big <= 1; is_big++) {
        struct maker maker = {.is_big = is_big};
        begin(&maker, "tdesc \n"
                      "tdesc <target>\n"
                      "tdesc <feature name=\"f\"><reg name=\"pc\" bitsize=\"64\" regnum=\"7\"/>\n"
                      "tdesc <reg name=\"w\" bitsize=\"64\" regnum=\"3\"/></feature></target>\n");
        put_frame(&maker, 2, 17 + 15 + 15 + 13 + 13);
        put_registers(&maker, 0x1122334455667788, 0x401234);
        put_memory(&maker, 0x1000, "abcd");
        put_memory(&maker, 0x1002, "CDEF");
        put_variable(&maker, 1, -5);
        put_variable(&maker, 1, 7);
        put(&maker, 0, 4);
        CHECK(open_made(&maker));
        struct tfile *file = &maker.file;
        const struct tfile_frame *frame = &file->frames.items[0];
        uint8_t values[8];
        bool known[8];
        uint64_t pc, value;
        int64_t variable;
        CHECK(file->frames.count == 1);
        CHECK(file->is_big_endian == maker.is_big);
#ifndef TRAWL_BARE
        CHECK(file->damage.count == 0);
        const uint8_t *registers = tfile_frame_registers(file, frame);
        CHECK(registers && tfile_frame_pc(file, frame, &pc) && pc == 0x401234);
        uint32_t w = tfile_register_named(&file->registers, "w", 1);
        CHECK(w == 0 && tfile_register_value(file, registers, w) == 0x1122334455667788);
#else
        (void)pc;
#endif
        CHECK(tfile_frame_memory(file, frame, 0xfff, 8, values, known) == 6);
        CHECK(!known[0] && known[1] && known[6] && !known[7] && !memcmp(values + 1, "abcdEF", 6));
        CHECK(tfile_frame_load(file, frame, 0x1004, 2, &value));
        CHECK(value == (maker.is_big ? 0x4546 : 0x4645));
        CHECK(!tfile_frame_load(file, frame, 0x1004, 4, &value));
        CHECK(tfile_frame_variable(file, frame, 1, &variable) && variable == 7);
        CHECK(!tfile_frame_variable(file, frame, 2, &variable));
        tfile_close(file);
    }
}

static void test_header(void)
{
    struct maker maker = {0};
    begin(&maker, "status 0;tstop:626f6f:0;tframes:2;tcreated:10;circular:1;starttime:ff;x:y;"
                  "notes:6869;username:\n"
                  "tsv 1:fffffffffffffffb:1:74696d65\n"
                  "tp T3:500000:D:5:2:F5:S:X3,220027\n"
                  "tp A3:500000:R40\n"
                  "tp Z3:500000:at:0:4:6d61696e\n"
                  "tp V3:500000:12:26\n"
                  "tp Q3:1:what\n"
                  "tp Tz:1\n"
                  "tp T4:500010:E:0:1:F5:\n"); // nothing after the last colon
    put_frame(&maker, 3, 13);
    put_variable(&maker, 1, 1);
    put_frame(&maker, 3, 13);
    put_variable(&maker, 1, 2);
    put(&maker, 0, 2);
    CHECK(open_made(&maker));
    const struct tfile *file = &maker.file;
    const struct tfile_status *status = &file->status;
    CHECK(status->is_told && !status->is_running && status->stop == TFILE_STOP_COMMAND);
    CHECK_STR(status->stop_text, "boo");
    CHECK(status->frames == 2 && status->frames_created == 16 && status->is_circular);
    CHECK(status->buffer_bytes == TFILE_UNKNOWN && status->start_us == 255);
    CHECK_STR(status->notes, "hi");
    CHECK_STR(status->user, "");
    const struct tfile_variable *variable = tfile_variable_named(file, "time", 4);
    CHECK(variable && variable->number == 1 && variable->initial == -5 && variable->is_builtin);
    size_t count;
    const struct tfile_location *location = tfile_locations_of(file, 3, &count);
    CHECK(count == 1 && location->is_defined && !location->is_enabled && location->is_fast);
    CHECK(location->is_static && location->steps == 5 && location->passes == 2);
    CHECK_STR(location->condition, "220027");
    CHECK_STR(location->at, "main");
    // 26 is the size of the frames, so 12 is decimal, too.
    CHECK(location->hits == 12 && location->data_bytes == 26);
    location = tfile_locations_of(file, 4, &count);
    CHECK(count == 1 && location->is_enabled && location->is_fast && location->passes == 1);
    uint64_t pc;
    CHECK(!tfile_frame_pc(file, &file->frames.items[0], &pc)); // a stepping frame
    CHECK(file->unknown_lines == 1);
    CHECK(file->damage.count == 1 && file->damage.first[0].kind == TFILE_FAULT_LINE);
    tfile_close(&maker.file);
}

static void test_ends(void)
{
    struct maker maker = {0};
    begin(&maker, "");
    put_small(&maker, 1);
    put_small(&maker, 2);
    EXPECT(&maker, "1 2 !8@38+0 ");
    maker.count -= 5;
    EXPECT(&maker, "1 -1 !7@19+14 ");
    maker.count -= 10;
    EXPECT(&maker, "1 !8@19+4 ");
    maker.count = 20;
    EXPECT(&maker, "!0@13+7 ");
}

static void test_breaks(void)
{
    struct maker maker = {0};
    // An end mark that is not the end, because fewer frames came before it than the status states.
    begin(&maker, "status 0;tstop:0;tframes:4\n");
    put_small(&maker, 1);
    put(&maker, 0, 6);
    put_small(&maker, 2);
    put_small(&maker, 3);
    put(&maker, 0, 4);
    EXPECT(&maker, "1 2* 3* !6@19+6 ");

    // Data that looks like a frame, but is not followed by another one.
    begin(&maker, "status 0;tstop:0;tframes:4\n");
    put_small(&maker, 1);
    put(&maker, 0, 6);
    put_small(&maker, 9);
    put(&maker, 0x5a5a5a5a5a5a5a5a, 8);
    put_small(&maker, 2);
    put_small(&maker, 3);
    put(&maker, 0, 4);
    EXPECT(&maker, "1 2* 3* !6@19+33 ");

    // A frame with a wrong size, which ends inside the next one.
    begin(&maker, "");
    put_small(&maker, 1);
    put_frame(&maker, 2, 19);
    put(&maker, 0x5a5a5a, 8);
    put_small(&maker, 7);
    put_small(&maker, 8);
    put(&maker, 0, 4);
    EXPECT(&maker, "1 7* 8* !4@19+14 ");

    // Zeros instead of collected data, and a truncated block: the frames after them are found.
    begin(&maker, "");
    put_frame(&maker, 2, 13);
    put(&maker, 0, 8);
    put(&maker, 0, 5);
    put_frame(&maker, 2, 5);
    put(&maker, 'M', 1);
    put(&maker, 0, 4);
    put_small(&maker, 3);
    put(&maker, 0, 4);
    EXPECT(&maker, "-1 -1 3 !10@6+13 !12@25+5 ");
}

#ifndef TRAWL_BARE
// Descriptions that GDB would not write: the defaults of the machine replace them, and nothing
// exceeds the file.
static void test_descriptions(void)
{
    static const char *const descriptions[] = {
        "tdesc <target><feature name=\"f\"><reg name=\"a\" bitsize=\"64\"/>\n",
        "tdesc <target><xi:include href=\"64bit-core.xml\"/></target>\n",
        "tdesc <!DOCTYPE t [<!ENTITY a \"a\"><!ENTITY b \"&a;&a;\">]><target>&b;</target>\n",
        "tdesc <!DOCTYPE t [<!ENTITY a SYSTEM \"other.xml\">]><target>&a;</target>\n",
        "tdesc <target><reg name=\"a\" bitsize=\"0\"/></target>\n",
        "tdesc <target><reg name=\"a\" bitsize=\"64\" regnum=\"99999999999\"/></target>\n",
        "tdesc <target><reg bitsize=\"64\"/></target>\n",
        "tdesc not XML\n",
        "tdesc \n",
    };
    for (size_t i = 0; i < ARRAY_COUNT(descriptions); i++) {
        struct maker maker = {0};
        begin(&maker, descriptions[i]);
        put(&maker, 0, 4);
        CHECK(open_made(&maker));
        CHECK(maker.file.damage.count == 1);
        CHECK(maker.file.damage.first[0].kind == TFILE_FAULT_DESCRIPTION);
        CHECK(!maker.file.registers.is_described && maker.file.registers.items.count == 0);
        tfile_close(&maker.file);
    }
}

// Register numbers may be anywhere and in any order, two registers may claim the same one, and a
// register that is not in the block is not available.
static void test_numbers(void)
{
    struct maker maker = {0};
    begin(&maker, "tdesc <target><architecture>s390:64-bit</architecture><feature name=\"f\">\n"
                  "tdesc <reg name=\"c\" bitsize=\"64\" regnum=\"9\"/>\n"
                  "tdesc <reg name=\"d\" bitsize=\"8\"/>\n"
                  "tdesc <reg name=\"a\" bitsize=\"32\" regnum=\"2\"/>\n"
                  "tdesc <reg name=\"pswa\" bitsize=\"32\" type=\"code_ptr\"/>\n"
                  "tdesc <reg name=\"again\" bitsize=\"64\" regnum=\"2\"/></feature></target>\n");
    put(&maker, 0, 4);
    CHECK(open_made(&maker));
    const struct tfile_registers *registers = &maker.file.registers;
    CHECK(registers->items.count == 3 && maker.file.is_big_endian);
    CHECK_STR(registers->items.items[0].name, "a");
    CHECK_STR(registers->items.items[1].name, "pswa");
    CHECK_STR(registers->items.items[2].name, "c");
    CHECK(registers->items.items[1].offset == 4 && registers->items.items[2].offset == 8);
    CHECK(registers->pc == 1 && tfile_register_named(registers, "pc", 2) == 1);
    CHECK(tfile_register_named(registers, "d", 1) == TFILE_NO_REGISTER);
    tfile_close(&maker.file);
}
#endif

// Without a description, the size of the block decides.
static void test_defaults(void)
{
    static const struct {
        const char *size;
        enum tfile_machine machine;
        const char *pc;
        uint32_t pc_offset, count;
    } cases[] = {
        {"R 94\n", TFILE_X86_64, "rip", 128, 20}, {"R 230\n", TFILE_X86_64, "rip", 128, 60},
        {"R 138\n", TFILE_I386, "eip", 32, 42},   {"R 314\n", TFILE_AARCH64, "pc", 256, 68},
        {"R a8\n", TFILE_ARM, "pc", 60, 26},      {"R 7\n", TFILE_MACHINE_UNKNOWN, NULL, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct maker maker = {0};
        begin(&maker, cases[i].size);
        put(&maker, 0, 4);
        CHECK(open_made(&maker));
        const struct tfile_registers *registers = &maker.file.registers;
        CHECK(registers->machine == cases[i].machine);
        CHECK(registers->items.count == cases[i].count);
        if (cases[i].pc) {
            CHECK_STR(registers->items.items[registers->pc].name, cases[i].pc);
            CHECK(registers->items.items[registers->pc].offset == cases[i].pc_offset);
        }
        tfile_close(&maker.file);
    }
}

// Lines on which GDB crashes, or that it misinterprets.
static void test_lines(void)
{
    static const char *const lines[] = {
        "R -1\n",
        "R 0\n",
        "R ffffffffff\n",
        "R \n",
        "tp Z2:1\n",
        "tp Z2:1:at\n",
        "tp T:\n",
        "tp T2\n",
        "tsv 1:2\n",
        "tsv :::\n",
        "tp V2:\n",
        "tsv 1:99999999999999999:0:61\n",
        "status 0;tstop:0;tframes:x\n",
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct maker maker = {0};
        begin(&maker, lines[i]);
        put_small(&maker, 5);
        put(&maker, 0, 4);
        CHECK(open_made(&maker));
        CHECK(maker.file.damage.count == 1);
        CHECK(maker.file.damage.first[0].kind == TFILE_FAULT_LINE);
        CHECK(maker.file.frames.count == 1 && maker.file.register_bytes == 16);
        tfile_close(&maker.file);
    }
}

// Which of three frames are incomplete: with all blocks, without registers, without memory.
static unsigned short_frames(const char *status, const char *steps)
{
    char head[256];
    struct maker maker = {0};
    unsigned found = 0;
    snprintf(head, sizeof head,
             "\x7fTRACE0\nR 10\nstatus 0;%s\ntp T2:401000:E:%s:0\ntp A2:401000:R0f\n"
             "tp A2:401000:M-1,1000,4\ntp S2:401000:R0f\n\n",
             status, steps);
    put_text(&maker, head);
    put_frame(&maker, 2, 17 + 15);
    put_registers(&maker, 1, 2);
    put_memory(&maker, 0x1000, "abcd");
    put_frame(&maker, 2, 15);
    put_memory(&maker, 0x1000, "abcd");
    put_frame(&maker, 2, 17);
    put_registers(&maker, 1, 2);
    put(&maker, 0, 4);
    CHECK(open_made(&maker) && maker.file.frames.count == 3);
    for (unsigned i = 0; i < 3; i++)
        found |= (unsigned)tfile_frame_is_short(&maker.file, &maker.file.frames.items[i]) << i;
    tfile_close(&maker.file);
    return found;
}

static void test_short(void)
{
    CHECK(short_frames("tfull:0", "0") == 6);
    CHECK(short_frames("tstop:0", "0") == 0);
    // For a tracepoint with steps: what both hits and steps collect.
    CHECK(short_frames("tfull:0", "3") == 2);
}

const struct test_case tfile_tests[] = {
#ifndef TRAWL_BARE
    {"tfile descriptions", test_descriptions},
    {"tfile numbers", test_numbers},
#endif
    {"tfile defaults", test_defaults},
    {"tfile lines", test_lines},
    {"tfile blocks", test_blocks},
    {"tfile header", test_header},
    {"tfile ends", test_ends},
    {"tfile breaks", test_breaks},
    {"tfile short", test_short},
    {0},
};
