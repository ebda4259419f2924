// The first pass over a chunk: guesses, lanes, notes and damage.
#include "test.h"
#include "trace/lines/parse.h"
#include "trace/tarmac/tarmac.h"

#include <stdio.h>
#include <stdlib.h>

static const struct parse_options right = {.language = &tarmac_language, .split_lanes = true};
static const struct parse_options strict = {
    .language = &tarmac_language, .split_lanes = true, .stop_at_fault = true};
static const struct reader_state start = {LINE_CONTEXT_START, {""}};

static struct source_chunk chunk_of(const char *text, size_t offset, size_t size_bytes)
{
    size_t run_in = (size_t)u64_min(offset, SOURCE_RUN_IN_BYTES);
    bool is_last = text[offset + size_bytes] == 0;
    return (struct source_chunk){text + offset, size_bytes, run_in, offset, false, is_last};
}

static void parse_text(struct parsed_chunk *parsed, const char *text,
                       const struct parse_options *options)
{
    struct source_chunk chunk = chunk_of(text, 0, strlen(text));
    *parsed = (struct parsed_chunk){.line_count = 0};
    CHECK(parse_chunk(parsed, &chunk, options, &start, NULL));
}

static const char mixed[] = "1 clk cpu0 BR\n"
                            "      LD 0080 ........ ........ 00000000 03f00000\n"
                            "         0070 ........ ........ 00000000 03f00000\n"
                            "7 cpu1 IT zz\n"
                            "BR\n"
                            "9 cpu2 R r0 1g\n"
                            "R r0 12345678\n"
                            "12 cpu0 ST 80 ................................\n"
                            "           70 ................................\n"
                            "        \n"
                            "20 Tarmac\n";

static size_t next_line(const char *text, size_t at)
{
    return (size_t)(strchr(text + at, '\n') - text) + 1;
}

// The state after a line is the same whether it was read as a run-in or as a chunk, and after how
// many lines.
static void guess_from_the_start_is_right(void)
{
    for (size_t cut = next_line(mixed, 0); cut < sizeof mixed - 1; cut = next_line(mixed, cut)) {
        struct parsed_chunk parsed = {.line_count = 0};
        struct source_chunk head = chunk_of(mixed, 0, cut);
        struct source_chunk tail = chunk_of(mixed, cut, sizeof mixed - 1 - cut);
        CHECK(parse_chunk(&parsed, &head, &right, &start, NULL));
        struct reader_state end = parsed.end, guess = parse_guess(&tail, &right, &start);
        CHECK(reader_state_equal(&guess, &end));
        CHECK(parse_chunk(&parsed, &tail, &right, &guess, NULL));
        CHECK(parsed.end.context.time == 20 && strcmp(parsed.end.lane.text, "cpu0") == 0);
        parsed_chunk_free(&parsed);
    }
}

static void guess_in_a_long_line_is_what_was_known(void)
{
    size_t size_bytes = 3 * SOURCE_RUN_IN_BYTES;
    char *text = malloc(size_bytes + 1);
    memset(text, 'x', size_bytes);
    text[size_bytes] = 0;
    text[size_bytes - 2] = '\n';
    struct source_chunk chunk = chunk_of(text, size_bytes - 1, 1);
    const struct reader_state known = {{77, 5, 0, true}, {"cpu7"}};
    struct reader_state guess = parse_guess(&chunk, &right, &known);
    CHECK(reader_state_equal(&guess, &known));
    free(text);
}

static void states_differ_in_each_part(void)
{
    const struct reader_state state = {{77, 5, 0, true}, {"cpu7"}};
    struct reader_state time = state, column = state, read = state, lane = state, wrapped = state;
    time.context.time++;
    wrapped.context.wraps++;
    column.context.address_column++;
    read.context.address_is_read = false;
    lane.lane.text[3] = '8';
    CHECK(reader_state_equal(&state, &state));
    CHECK(!reader_state_equal(&state, &time) && !reader_state_equal(&state, &column));
    CHECK(!reader_state_equal(&state, &wrapped));
    CHECK(!reader_state_equal(&state, &read) && !reader_state_equal(&state, &lane));
    read.context.address_column = LINE_NO_COLUMN; // then it has no effect
    column = read;
    column.context.address_is_read = true;
    CHECK(reader_state_equal(&read, &column));
}

static void lines_go_to_their_lanes(void)
{
    struct parsed_chunk parsed;
    parse_text(&parsed, "BR\ncpu1 BR\nBR\ncpu0 BR\ncpu1 BR\nTarmac\ncpu0 BR\n", &right);
    static const char *const names[] = {"", "cpu1", "cpu0"};
    static const uint64_t events[] = {1, 3, 2};
    CHECK(parsed.part_count == ARRAY_COUNT(names));
    for (size_t i = 0; i < ARRAY_COUNT(names) && i < parsed.part_count; i++) {
        CHECK_STR(parsed.parts.items[i].name.text, names[i]);
        CHECK(parsed.parts.items[i].marks.event_count == events[i]);
    }
    CHECK(parsed.line_count == 7);
    parsed_chunk_free(&parsed);
}

static void names_of_lanes_count_as_far_as_they_are_kept(void)
{
    char text[400], name[100] = "cpu";
    struct parsed_chunk parsed;
    memset(name + 3, 'x', 60);
    snprintf(text, sizeof text, "%s1 BR\n%s2 BR\n%.46s BR\n", name, name, name);
    parse_text(&parsed, text, &right);
    CHECK(parsed.part_count == 2);
    CHECK(strlen(parsed.parts.items[0].name.text) == LIMIT_LANE_NAME_BYTES);
    CHECK(parsed.parts.items[0].line_count == 2);
    parsed_chunk_free(&parsed);
}

static char *text_of_lanes(size_t first, size_t end)
{
    char *text = malloc((end - first) * 20 + 1);
    size_t length = 0;
    for (size_t i = first; i < end; i++)
        length += (size_t)sprintf(text + length, "cpu%zu BR\n", i);
    return text;
}

static void lanes_beyond_the_limit_depend_on_those_known(void)
{
    static struct lane_name names[LIMIT_LANES - 1];
    struct lane_table table = {0};
    const struct lane_list known = {{names, sizeof *names, LIMIT_LANES - 1}, &table};
    char last[32], after_known[32];
    sprintf(last, "cpu%d", LIMIT_LANES - 1);
    sprintf(after_known, "cpu%d", LIMIT_LANES + 1);
    struct parsed_chunk parsed = {.line_count = 0};
    char *text = text_of_lanes(0, 2 * LIMIT_LANES);
    struct source_chunk chunk = chunk_of(text, 0, strlen(text));
    CHECK(parse_chunk(&parsed, &chunk, &right, &start, NULL));
    CHECK(parsed.has_refused_lanes && parsed.lines_of_refused_lanes == LIMIT_LANES);
    CHECK_STR(parsed.parts.items[LIMIT_LANES - 1].name.text, last);
    for (size_t i = 0; i < LIMIT_LANES - 1; i++)
        sprintf(names[i].text, "cpu%zu", 2 * LIMIT_LANES - 1 - i);
    const struct known_before before = {&known, NULL};
    CHECK(parse_chunk(&parsed, &chunk, &right, &start, &before));
    CHECK(parsed.part_count == LIMIT_LANES && parsed.lines_of_refused_lanes == LIMIT_LANES);
    CHECK_STR(parsed.parts.items[0].name.text, "cpu0");
    CHECK_STR(parsed.parts.items[1].name.text, after_known);
    parsed_chunk_free(&parsed);
    lane_table_free(&table);
    free(text);
}

static void damage_is_kept_up_to_the_limit_and_counted_beyond(void)
{
    char text[2000] = "1 BR\n";
    struct parsed_chunk parsed;
    for (int i = 0; i < LIMIT_DAMAGE_KEPT + 5; i++)
        strcat(text, "R r0 1g\r\n");
    parse_text(&parsed, text, &right);
    CHECK(parsed.fault_count == LIMIT_DAMAGE_KEPT + 5 && parsed.faults.count == LIMIT_DAMAGE_KEPT);
    const struct parsed_fault *second = &parsed.faults.items[1];
    CHECK(second->line == 2 && second->position == 14 && second->length == 7);
    CHECK_STR(second->fault.text, "expected register contents");
    CHECK(!parsed.is_stopped && !parsed.ends_partial);
    parsed_chunk_free(&parsed);
}

static void strict_parsing_stops_at_the_first_fault(void)
{
    struct parsed_chunk parsed;
    parse_text(&parsed, "1 BR\n2 {\n3 {\n4 BR\n", &strict);
    CHECK(parsed.is_stopped && parsed.fault_count == 1 && parsed.line_count == 2);
    CHECK(parsed.end.context.time == 1);
    parsed_chunk_free(&parsed);
}

static void line_without_an_end_is_known(void)
{
    struct parsed_chunk parsed;
    parse_text(&parsed, "1 BR\n2 {", &right);
    CHECK(parsed.ends_partial && parsed.line_count == 2 && parsed.fault_count == 1);
    parsed_chunk_free(&parsed);
}

static void notes_are_taken_once_a_chunk(void)
{
    struct parsed_chunk parsed;
    parse_text(&parsed, "FOO\nBAR x\nR DC\nFOO y\nDC\nR DC 1\nBAR {\n: x\n", &right);
    static const uint32_t lines[] = {0, 1, 2, 4, 7};
    CHECK(parsed.notes.count == ARRAY_COUNT(lines));
    for (size_t i = 0; i < ARRAY_COUNT(lines) && i < parsed.notes.count; i++)
        CHECK(parsed.notes.items[i].line == lines[i]);
    parsed_chunk_free(&parsed);
}

static void first_event_is_found(void)
{
    struct parsed_chunk parsed;
    parse_text(&parsed, "Tarmac\nR FOO\n{\nR r0 -\n5 BR\n6 BR\n", &right);
    CHECK(parsed.first_event_line == 4);
    parsed_chunk_free(&parsed);
    parse_text(&parsed, "Tarmac\nR FOO\n{\n", &right);
    CHECK(parsed.first_event_line == UINT32_MAX);
    parsed_chunk_free(&parsed);
}

static void rest_of_a_line_that_is_too_long_is_skipped(void)
{
    struct parsed_chunk parsed = {.line_count = 0};
    struct source_chunk chunk = chunk_of("rest {\n5 BR\n", 0, 12);
    chunk.starts_in_line = true;
    CHECK(parse_chunk(&parsed, &chunk, &right, &start, NULL));
    CHECK(parsed.line_count == 2 && parsed.fault_count == 0 && parsed.first_event_line == 1);
    chunk.size_bytes = 6;
    CHECK(parse_chunk(&parsed, &chunk, &right, &start, NULL));
    CHECK(parsed.line_count == 1 && parsed.part_count == 0);
    chunk.is_last = false;
    CHECK(parse_chunk(&parsed, &chunk, &right, &start, NULL));
    CHECK(parsed.line_count == 0);
    parsed_chunk_free(&parsed);
}

// --- Instruction sets ----------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

static uint64_t hash_marks(uint64_t hash, const struct marks *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        hash = mix(mix(mix(hash, mark->time), mark->value), mark->line);
        hash = mix(mix(mix(hash, mark->position), mark->summary.size), mark->summary.kind);
        hash = mix(mix(hash, mark_isa(mark)), mark->summary.flags);
    }
    return mix(hash, marks->event_count);
}

static uint64_t hash_records(uint64_t hash, const struct records *records)
{
    for (size_t i = 0; i < records->registers.count; i++) {
        const struct register_record *record = &records->registers.items[i];
        hash = mix(mix(mix(hash, record->value), record->line), record->cell);
        hash = mix(mix(hash, record->mask), record->state);
    }
    for (size_t i = 0; i < records->accesses.count; i++) {
        const struct memory_record *record = &records->accesses.items[i];
        hash = mix(mix(mix(hash, record->address), record->value), record->line);
        hash = mix(mix(mix(hash, record->size_bytes), record->is_read), record->is_known);
    }
    return hash;
}

// Everything that a chunk produces, as one number; and how many lines were read by templates.
static uint64_t hash_chunk(const char *text, size_t size_bytes, const struct parse_options *options)
{
    struct source_chunk chunk = {.data = text, .size_bytes = size_bytes, .is_last = true};
    struct parsed_chunk parsed = {.line_count = 0};
    CHECK(parse_chunk(&parsed, &chunk, options, &start, NULL));
    uint64_t hash = mix(mix(parsed.line_count, parsed.fault_count), parsed.end.context.time);
    for (size_t i = 0; i < parsed.part_count; i++) {
        hash = hash_marks(hash, &parsed.parts.items[i].marks);
        hash = hash_records(hash, &parsed.parts.items[i].records);
    }
    CHECK(parsed.line_count == 0 || parsed.template_line_count > parsed.line_count / 2);
    parsed_chunk_free(&parsed);
    return hash;
}

static void every_instruction_set_reads_alike(void)
{
    static const char *const traces[] = {"corpus/traces/fp-a64.it.tarmac",
                                         "corpus/traces/fp-a64.es.tarmac",
                                         "corpus/traces/cut-a64.gem5.tarmac"};
    for (size_t i = 0; i < ARRAY_COUNT(traces); i++) {
        static char text[1 << 20];
        FILE *file = fopen(traces[i], "rb");
        CHECK(file);
        size_t size_bytes = file ? fread(text, 1, sizeof text, file) : 0;
        if (file)
            fclose(file);
        struct parse_options options = {
            .language = &tarmac_language, .split_lanes = true, .keep_records = true};
        uint64_t scalar = hash_chunk(text, size_bytes, &options);
        for (options.simd = SIMD_AVX2; options.simd < SIMD_COUNT; options.simd++)
            CHECK(!simd_is_here(options.simd) || hash_chunk(text, size_bytes, &options) == scalar);
    }
}

const struct test_case parse_tests[] = {
    {"guess_from_the_start_is_right", guess_from_the_start_is_right},
    {"guess_in_a_long_line_is_what_was_known", guess_in_a_long_line_is_what_was_known},
    {"states_differ_in_each_part", states_differ_in_each_part},
    {"lines_go_to_their_lanes", lines_go_to_their_lanes},
    {"names_of_lanes_count_as_far_as_they_are_kept", names_of_lanes_count_as_far_as_they_are_kept},
    {"lanes_beyond_the_limit_depend_on_those_known", lanes_beyond_the_limit_depend_on_those_known},
    {"damage_is_kept_up_to_the_limit_and_counted_beyond",
     damage_is_kept_up_to_the_limit_and_counted_beyond},
    {"strict_parsing_stops_at_the_first_fault", strict_parsing_stops_at_the_first_fault},
    {"line_without_an_end_is_known", line_without_an_end_is_known},
    {"notes_are_taken_once_a_chunk", notes_are_taken_once_a_chunk},
    {"first_event_is_found", first_event_is_found},
    {"rest_of_a_line_that_is_too_long_is_skipped", rest_of_a_line_that_is_too_long_is_skipped},
    {"every_instruction_set_reads_alike", every_instruction_set_reads_alike},
    {NULL, NULL},
};
