#include "trace/tarmac/event_text.h"
#include "trace/tarmac/line_read.h"

struct text_lines {
    const char *at, *end;
    struct reading_options how;
    struct line_context context;
    // The line that was read last, without its line end.
    const char *line_end;
    struct trace_line line;
    struct line_columns layout;
};

static struct text_lines text_lines_of(const char *text, size_t size_bytes,
                                       const struct reading_options *how)
{
    struct text_lines lines = {
        .at = text, .end = text + size_bytes, .how = *how, .context = LINE_CONTEXT_START};
    lines.how.implicit_state = STATE_IS_THUMB; // a line that has the state is read the same way
    return lines;
}

// Advances to the next line that can be read. False: there is none.
static bool next_line(struct text_lines *lines)
{
    while (lines->at < lines->end) {
        const char *start = lines->at;
        const char *newline = memchr(start, '\n', (size_t)(lines->end - start));
        struct text_fault fault;
        lines->line_end = line_trim(start, newline ? newline : lines->end);
        lines->at = newline ? newline + 1 : lines->end;
        if (tarmac_line_study(start, lines->line_end, &lines->how, &lines->context, &lines->line,
                              &fault, &lines->layout))
            return true;
    }
    return false;
}

bool tarmac_instruction_text(const char *text, size_t size_bytes, const struct reading_options *how,
                             uint64_t address, struct text_span *found)
{
    struct text_lines lines = text_lines_of(text, size_bytes, how);
    while (next_line(&lines)) {
        if (lines.line.kind != LINE_INSTRUCTION || lines.line.instruction.address != address)
            continue;
        *found = (struct text_span){lines.line.instruction.disassembly, lines.layout.end};
        return found->start < found->end;
    }
    return false;
}

static bool is_number(const struct token *token)
{
    return token_has_class(token, CHAR_HEX) ||
           (token->first == '0' && token_length(token) > 1 && token->start[1] == 'x');
}

// The words at the end of the line of an exception, after its addresses and numbers: "E ADDRESS
// NUMBER CoreEvent_IRQ", "EXC [1] Reset", "E INT_TAKEN 12".
static struct text_span name_in(const struct text_lines *lines)
{
    struct lexer lexer = {lines->layout.type, lines->layout.end};
    struct text_span name = {NULL, lines->layout.end};
    bool was_name = false;
    (void)line_lex(&lexer); // the record word
    for (struct token token = line_lex(&lexer);
         token.kind == TOKEN_WORD || token.kind == TOKEN_PUNCT; token = line_lex(&lexer)) {
        bool is_name = token.kind == TOKEN_WORD && !is_number(&token) && !TOKEN_IS(&token, "EXC");
        if (is_name && !was_name)
            name.start = token.start;
        was_name = is_name;
    }
    return name;
}

bool tarmac_exception_text(const char *text, size_t size_bytes, const struct reading_options *how,
                           const char *lane, struct text_span *found)
{
    struct text_lines lines = text_lines_of(text, size_bytes, how);
    const size_t lane_length = lane ? strlen(lane) : 0;
    uint64_t time = 0;
    *found = (struct text_span){NULL, NULL};
    while (next_line(&lines) && !(found->start && lines.line.time != time)) {
        if (lane_length && (lines.line.cpu_length != lane_length ||
                            memcmp(lines.line.cpu, lane, lane_length) != 0))
            continue;
        if (lines.line.kind == LINE_INSTRUCTION && found->start)
            break;
        if (lines.line.kind != LINE_EXCEPTION)
            continue;
        time = lines.line.time;
        struct text_span name = name_in(&lines);
        *found = name.start ? name : *found;
    }
    return found->start != NULL;
}

// --- What an event does with data ----------------------------------------------------------------

// The system register in the disassembly of MRS and MSR of A64: the operand that is no general one.
static void find_system(const char *at, const char *end, bool is_read,
                        char name[TRACE_SYSTEM_BYTES])
{
    size_t length = 0;
    while (at < end && *at != ' ' && *at != '\t') // the mnemonic
        at++;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    if (is_read && comma)
        at = comma + 1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (at + length < end && length < TRACE_SYSTEM_BYTES - 1 && at[length] != ',' &&
           at[length] != ' ' && at[length] != '\t')
        length++;
    memcpy(name, at, length);
    name[length] = '\0';
}

static void add_page(struct trace_step *step, uint64_t address, uint64_t to_place)
{
    const uint64_t number = address / TRACE_PAGE_BYTES;
    for (unsigned i = 0; i < step->page_count; i++) {
        if (step->pages[i].number == number)
            return;
    }
    if (step->page_count < TRACE_STEP_PAGES)
        step->pages[step->page_count++] = (struct trace_page){number, to_place};
}

static void add_range(struct trace_step *step, uint64_t low, uint64_t high)
{
    step->low = step->has_access ? u64_min(step->low, low) : low;
    step->high = step->has_access ? u64_max(step->high, high) : high;
    step->has_access = true;
}

void tarmac_step_text(const char *text, size_t size_bytes, const struct reading_options *how,
                      bool with_accesses, struct trace_step *step)
{
    struct text_lines lines = text_lines_of(text, size_bytes, how);
    const uint64_t address = step->code.pc & ~UINT64_C(1);
    bool has_code = false;
    step->has_access = false;
    step->page_count = 0;
    *step->system = '\0';
    step->code.size_bytes = 0;
    step->code_bytes = 0;
    step->mode = SP_BANK_NONE;
    while ((!has_code || with_accesses) && next_line(&lines)) {
        const struct line_instruction *instruction = &lines.line.instruction;
        const struct line_memory *memory = &lines.line.memory;
        if (lines.line.kind == LINE_MEMORY && memory->size_bytes) {
            add_range(step, memory->address, memory->address + (memory->size_bytes - 1));
            add_page(step, memory->address, memory->to_place);
        } else if (lines.line.kind == LINE_DIAGRAM) {
            // Two characters for each of sixteen bytes, that of the highest address first; dots
            // are not touched.
            const struct line_diagram *diagram = &lines.line.diagram;
            const char *at = diagram->words;
            for (unsigned i = 16; i-- > 0 && at < diagram->words_end; at += 2) {
                while (at < diagram->words_end && *at == ' ')
                    at++;
                if (at < diagram->words_end && *at != '.')
                    add_range(step, diagram->address + i, diagram->address + i);
            }
        } else if (lines.line.kind == LINE_INSTRUCTION && !has_code &&
                   instruction->address == address) {
            const char *start = lines.layout.address.start, *end = lines.layout.encoding.end;
            has_code = true;
            step->mode = (uint8_t)instruction->bank;
            if (!instruction->fetched || !lines.layout.encoding.start)
                continue;
            step->code.encoding = instruction->encoding;
            step->code.size_bytes = (uint8_t)u64_min(instruction->size_bytes, UINT8_MAX);
            if (step->code.isa == ISA_AARCH64 && (instruction->encoding & 0xffd00000) == 0xd5100000)
                find_system(instruction->disassembly, lines.layout.end,
                            instruction->encoding >> 21 & 1, step->system);
            if (start && start < end) {
                step->code_offset = (uint32_t)(start - text);
                step->code_bytes = (uint32_t)(end - start);
            }
        }
    }
}
