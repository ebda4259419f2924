#include "trace/tarmac/tarmac.h"

#include "arch/arm/control.h"
#include "base/characters.h"
#include "base/limits.h"
#include "trace/lines/records.h"
#include "trace/tarmac/access.h"
#include "trace/tarmac/line_read.h"

#include <stdlib.h>

// The state of dividing a line into parts.
struct looking {
    struct line_look *look;
    struct lexer lexer;
    const struct trace_line *line;
    const struct line_columns *layout;
    bool has_state, has_mode; // for an instruction
};

static void add_part(struct line_look *look, const char *start, const char *end,
                     enum text_class text_class)
{
    if (look->part_count < LIMIT_LINE_PARTS && start < end)
        look->parts[look->part_count++] = (struct text_part){start, end, text_class};
}

// --- Parts ---------------------------------------------------------------------------------------

static bool is_state(const struct token *token)
{
    return TOKEN_IS(token, "A") || TOKEN_IS(token, "O") || TOKEN_IS(token, "T") ||
           TOKEN_IS(token, "T16") || TOKEN_IS(token, "T32");
}

static enum text_class class_of(struct looking *looking, const struct token *token)
{
    const struct line_columns *layout = looking->layout;
    if (token->kind == TOKEN_PUNCT)
        return TEXT_PUNCTUATION;
    if (token->start == layout->type)
        return TEXT_EVENT;
    if (layout->type && token->start < layout->type)
        return token->start == layout->first && token_has_class(token, CHAR_WORD) &&
                       is_digit(*token->start)
                   ? TEXT_TIME
                   : TEXT_PLAIN;
    if (looking->line->kind != LINE_INSTRUCTION)
        return TEXT_PLAIN;
    // The class of a word of an instruction line after the record word.
    if (token->start == layout->address.start)
        return TEXT_ADDRESS;
    if (token->start == layout->encoding.start)
        return TEXT_ENCODING;
    bool is_behind = layout->encoding.start ? token->start > layout->encoding.start
                                            : token->start > layout->address.start;
    if (!looking->has_state && is_behind && is_state(token)) {
        looking->has_state = true;
        return TEXT_ISA;
    }
    if (TOKEN_IS(token, "CCFAIL"))
        return TEXT_FAILED;
    if (looking->has_state && !looking->has_mode) {
        looking->has_mode = true;
        return TEXT_MODE;
    }
    return TEXT_PLAIN;
}

// Finds parts up to `end`, the end of what the reader used.
static void find_parts(struct looking *looking, const char *end)
{
    for (;;) {
        struct token token = line_lex(&looking->lexer);
        if ((token.kind != TOKEN_WORD && token.kind != TOKEN_PUNCT) || token.start >= end)
            return;
        enum text_class text_class = class_of(looking, &token);
        if (text_class != TEXT_PLAIN)
            add_part(looking->look, token.start, token.end, text_class);
    }
}

// --- What it is about ----------------------------------------------------------------------------

static void look_at_instruction(const struct line_instruction *instruction, const char *end,
                                bool only_operand, struct line_look *look)
{
    bool is_done = instruction->executed && instruction->fetched;
    look->subject = LINE_ABOUT_INSTRUCTION;
    look->address = instruction->address;
    look->code_bytes = (uint8_t)u64_min(instruction->size_bytes, 4);
    look->branch = control_decode(instruction->address | (instruction->isa == ISA_THUMB),
                                  instruction->encoding, instruction->size_bytes, instruction->isa);
    add_part(look, instruction->disassembly, end, is_done ? TEXT_DISASSEMBLY : TEXT_FAILED);
    if (!tarmac_branch_target(instruction, end, &look->target, &look->operand))
        look->operand = (struct text_span){0};
    if (is_done && !only_operand)
        look->read_count =
            tarmac_read_operands(instruction->disassembly, end, look->reads, LIMIT_LINE_READS);
}

static void look_at_register(const struct line_register *reg, bool aarch64, struct line_look *look)
{
    look->subject = LINE_ABOUT_REGISTER;
    look->size_bytes = reg->name.size_bytes;
    switch (reg->name.kind) {
    case REGISTER_CPSR:
        look->place = REGISTER_OFFSET_PSR;
        look->size_bytes = 4;
        break;
    case REGISTER_FPCR:
        look->place = REGISTER_OFFSET_FPCR;
        look->size_bytes = 4;
        break;
    default:
        look->place = register_offset(&reg->name, aarch64);
    }
}

// The last access of the line is used.
static void look_at_memory(const struct trace_line *line, const struct reading_options *how,
                           struct line_look *look)
{
    struct records records = {0};
    const struct record_options options = {.reading = how->reading};
    bool has_memory = line->kind == LINE_MEMORY
                          ? records_add_access(&records, &line->memory, 0, SP_BANK_NONE, &options)
                          : records_add_diagram(&records, &line->diagram, 0, &options);
    if (has_memory && records.accesses.count) {
        const struct memory_record *last = &records.accesses.items[records.accesses.count - 1];
        look->subject = LINE_ABOUT_MEMORY;
        look->place = last->address;
        look->size_bytes = last->size_bytes;
        look->is_load = last->is_read;
    }
    records_free(&records);
}

static void find_subject(const struct trace_line *line, const struct reading_options *how,
                         bool aarch64, const char *end, bool only_operand, struct line_look *look)
{
    if (only_operand && line->kind != LINE_INSTRUCTION)
        return;
    switch (line->kind) {
    case LINE_INSTRUCTION:
        look_at_instruction(&line->instruction, end, only_operand, look);
        break;
    case LINE_REGISTER:
        look_at_register(&line->reg, aarch64, look);
        break;
    case LINE_MEMORY:
    case LINE_DIAGRAM:
        look_at_memory(line, how, look);
        break;
    default:
        break;
    }
}

void tarmac_look(const char *start, const char *end, const struct reading_options *how,
                 uint32_t isa, struct line_look_context *context, struct line_look *look)
{
    struct line_context before = {0, context->address_column, 0, context->is_load};
    struct trace_line line = {0};
    struct line_columns layout;
    struct text_fault fault;
    look->subject = LINE_ABOUT_NOTHING;
    look->part_count = look->read_count = 0;
    look->size_bytes = look->place = look->address = 0;
    look->is_load = false;
    look->code_bytes = 0;
    look->branch = (struct branch){0};
    look->operand = (struct text_span){0};
    bool is_read = tarmac_line_study(start, end, how, &before, &line, &fault, &layout);
    struct looking looking = {look, {start + layout.prefix_bytes, end}, &line, &layout, false,
                              false};
    const char *read_end = is_read ? layout.read_end : start + fault.column;
    if (is_read && line.kind == LINE_INSTRUCTION)
        read_end = line.instruction.disassembly;
    const bool only_operand = context->only_operand;
    if (!only_operand)
        find_parts(&looking, read_end);
    if (is_read && line.kind == LINE_MEMORY && context->text)
        line.memory.is_read = access_is_load(context->text, start, end, &line.memory, how);
    *context = (struct line_look_context){before.address_column, before.address_is_read, NULL,
                                          only_operand};
    if (is_read)
        find_subject(&line, how, isa == ISA_AARCH64, end, only_operand, look);
    else
        add_part(look, start + fault.column, start + fault.column + fault.length, TEXT_BAD);
}
