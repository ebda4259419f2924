#include "trace/riscv/text.h"

#include "arch/riscv/control.h"
#include "trace/riscv/forms.h"

#include <stdio.h>
#include <stdlib.h>

// The first record of a line.
struct first_record {
    struct trace_line line;
    struct line_columns columns;
    const char *start, *end;
};

static bool read_first(const char *start, const char *end, const struct reading_options *how,
                       struct first_record *first)
{
    struct line_context context = LINE_CONTEXT_START;
    struct text_fault fault;
    first->start = start;
    first->end = end;
    return riscv_study(start, end, how, &context, &first->line, &fault, &first->columns);
}

static bool is_instruction(const struct first_record *first)
{
    return first->line.kind == LINE_INSTRUCTION || first->columns.encoding.start;
}

static struct text_span disassembly_of(const struct first_record *first)
{
    struct text_span text = {first->line.instruction.disassembly, first->end};
    if (first->columns.text.start)
        text = first->columns.text;
    while (text.end > text.start && (text.end[-1] == ' ' || text.end[-1] == '\t'))
        text.end--;
    return text;
}

// Moves to the next line that begins with a record. False: there is none.
static bool next_line(const char **at, const char *end, const struct reading_options *how,
                      struct first_record *first)
{
    while (*at < end) {
        const char *start = *at, *newline = memchr(start, '\n', (size_t)(end - start));
        *at = newline ? newline + 1 : end;
        if (read_first(start, line_trim(start, newline ? newline : end), how, first))
            return true;
    }
    return false;
}

bool riscv_instruction_text(const char *text, size_t size_bytes, const struct reading_options *how,
                            uint64_t address, struct text_span *found)
{
    const char *at = text, *end = text + size_bytes;
    struct first_record first;
    while (next_line(&at, end, how, &first)) {
        const struct line_instruction *instruction = &first.line.instruction;
        if (!is_instruction(&first) || first.columns.has_no_text || instruction->address != address)
            continue;
        *found = disassembly_of(&first);
        return found->start < found->end;
    }
    return false;
}

static bool is_of_lane(const struct first_record *first, const char *lane)
{
    char name[LIMIT_LANE_NAME_BYTES + 1];
    if (!lane || !*lane || !first->line.cpu)
        return true;
    snprintf(name, sizeof name, RISCV_LANE_PREFIX "%.*s", (int)first->line.cpu_length,
             first->line.cpu);
    return strcmp(name, lane) == 0;
}

bool riscv_exception_text(const char *text, size_t size_bytes, const struct reading_options *how,
                          const char *lane, struct text_span *found)
{
    const char *at = text, *end = text + size_bytes;
    struct first_record first;
    while (next_line(&at, end, how, &first)) {
        if (first.line.kind != LINE_EXCEPTION || !is_of_lane(&first, lane))
            continue;
        struct text_span name = first.columns.others[0];
        *found = name;
        return name.start < name.end;
    }
    return false;
}

// --- Parts of a line -----------------------------------------------------------------------------

static void add_part(struct line_look *look, struct text_span span, enum text_class text_class)
{
    if (span.start < span.end && look->part_count < LIMIT_LINE_PARTS)
        look->parts[look->part_count++] = (struct text_part){span.start, span.end, text_class};
}

// "pc + 36", the target of a direct branch.
static void look_at_target(const struct first_record *first, struct line_look *look)
{
    const char *text = first->line.instruction.disassembly;
    if (first->columns.has_no_text || look->branch.target == ADDRESS_UNKNOWN ||
        look->branch.kind == BRANCH_NONE)
        return;
    const char *pc = memmem(text, (size_t)(first->end - text), "pc ", 3);
    if (!pc)
        return;
    look->operand = (struct text_span){pc, first->end};
    look->target = look->branch.target;
}

static void look_at_instruction(const struct first_record *first, struct line_look *look)
{
    const struct line_instruction *instruction = &first->line.instruction;
    const struct line_columns *columns = &first->columns;
    look->subject = LINE_ABOUT_INSTRUCTION;
    look->address = instruction->address;
    look->code_bytes = (uint8_t)u64_min(instruction->size_bytes, 4);
    look->branch = riscv_branch(instruction->address, instruction->encoding,
                                instruction->isa == ISA_AARCH64 ? RISCV_64 : RISCV_32);
    if (instruction->bank >= MODE_SHARED) {            // the digit before " 0x"
        const char *mode = columns->address.start - 4; // or the letter before "]: 0x"
        while (mode > first->start && (*mode < '0' || *mode > '3') && !strchr("USM", *mode))
            mode--;
        add_part(look, (struct text_span){mode, mode + 1}, TEXT_MODE);
    }
    add_part(look, columns->address, TEXT_ADDRESS);
    add_part(look, columns->encoding, TEXT_ENCODING);
    if (!first->columns.has_no_text)
        add_part(look, disassembly_of(first), TEXT_DISASSEMBLY);
    look_at_target(first, look);
}

void riscv_look(const char *start, const char *end, const struct reading_options *how, uint32_t isa,
                struct line_look_context *context, struct line_look *look)
{
    struct first_record first;
    (void)isa;
    (void)context;
    *look = (struct line_look){.branch = {.target = ADDRESS_UNKNOWN}};
    if (!read_first(start, end, how, &first)) {
        add_part(look, (struct text_span){start, end}, TEXT_BAD);
        return;
    }
    if (is_instruction(&first)) {
        look_at_instruction(&first, look);
    } else if (first.line.kind == LINE_EXCEPTION) {
        add_part(look, first.columns.others[0], TEXT_EVENT);
    }
}

// --- Samples -------------------------------------------------------------------------------------

// In a file, places of 4 KiB, with some 40 lines each; in a pipe, the same amount.
enum { PLACE_BYTES = 4096, PLACE_INSTRUCTIONS = 64 };

struct sampler {
    const struct reading_options *how;
    struct trace_instruction *instructions;
    size_t count, capacity;
};

static void take_place(struct sampler *sampler, const char *text, size_t size_bytes, bool is_start,
                       uint16_t place)
{
    const char *end = text + size_bytes, *at = text;
    struct first_record first;
    if (!is_start) {
        const char *newline = memchr(text, '\n', size_bytes);
        at = newline ? newline + 1 : end;
    }
    const char *last = memrchr(at, '\n', (size_t)(end - at));
    end = last ? last + 1 : at;
    while (sampler->count < sampler->capacity && next_line(&at, end, sampler->how, &first)) {
        const struct line_instruction *read = &first.line.instruction;
        // An image has compressed instructions as they are, and not as what they stand for.
        const bool is_expanded = first.columns.text_tells_size && read->size_bytes == 2;
        if (first.line.kind != LINE_INSTRUCTION || !read->encoding || is_expanded)
            continue;
        struct trace_instruction *taken = &sampler->instructions[sampler->count++];
        *taken = (struct trace_instruction){.address = read->address,
                                            .encoding = read->encoding,
                                            .size_bytes = (uint8_t)u64_min(read->size_bytes, 4),
                                            .place = place};
        if (first.line.cpu)
            snprintf(taken->lane, sizeof taken->lane, RISCV_LANE_PREFIX "%.*s",
                     (int)u64_min(first.line.cpu_length, LIMIT_LANE_NAME_BYTES), first.line.cpu);
    }
}

size_t riscv_sample(struct source *source, const struct reading_options *how,
                    struct trace_instruction *instructions, size_t capacity)
{
    struct sampler sampler = {how, instructions, 0, capacity};
    const size_t places = u64_max(capacity / PLACE_INSTRUCTIONS, 1);
    const char *bytes = source_bytes(source);
    uint64_t size_bytes = source_size_bytes(source), step = PLACE_BYTES;
    char *text = NULL;
    if (bytes) {
        step = u64_max(size_bytes / places, PLACE_BYTES);
    } else { // of a pipe, its beginning
        size_t have = 0;
        text = malloc(places * PLACE_BYTES);
        if (!text || source_peek(source, text, places * PLACE_BYTES, &have, NULL) != STATUS_OK)
            have = 0;
        bytes = text;
        size_bytes = have;
    }
    for (uint64_t at = 0, place = 0; at < size_bytes; at += step, place++)
        take_place(&sampler, bytes + at, (size_t)u64_min(PLACE_BYTES, size_bytes - at), at == 0,
                   (uint16_t)place);
    free(text);
    return sampler.count;
}
