#include "trace/riscv/riscv.h"

#include "arch/riscv/control.h"
#include "arch/riscv/effects.h"
#include "arch/riscv/registers.h"
#include "base/limits.h"
#include "trace/riscv/access.h"

_Static_assert(RISCV_CSR_NAME_BYTES <= TRACE_SYSTEM_BYTES, "names of system registers");

static void add_access(struct trace_step *step, const struct line_memory *memory)
{
    const uint64_t low = memory->address, high = low + (memory->size_bytes - 1);
    if (!memory->size_bytes || high < low)
        return;
    step->code.vectors.accessed += memory->size_bytes;
    step->low = step->has_access ? u64_min(step->low, low) : low;
    step->high = step->has_access ? u64_max(step->high, high) : high;
    step->has_access = true;
}

// The instruction that begins a line. False: it is another one.
static bool take_code(struct trace_step *step, const struct line_instruction *instruction,
                      const struct line_columns *columns, const char *text)
{
    const uint64_t mask = step->code.isa == RISCV_64 ? UINT64_MAX : UINT32_MAX;
    if ((instruction->address ^ step->code.pc) & mask & ~UINT64_C(1))
        return false;
    step->mode = (uint8_t)instruction->bank;
    step->code.encoding = instruction->encoding;
    step->code.size_bytes = (uint8_t)riscv_size_bytes(instruction->encoding);
    step->code_offset = (uint32_t)(columns->address.start - text);
    step->code_bytes = (uint32_t)(columns->encoding.end - columns->address.start);
    if (riscv_is_vector(instruction->encoding)) // what it does is not in its code alone
        step->code_bytes = 0;
    const bool moves_system =
        (instruction->encoding & 0x7f) == 0x73 && (instruction->encoding >> 12 & 3) != 0;
    *step->system = '\0';
    if (moves_system)
        riscv_csr_name(instruction->encoding >> 20, step->system);
    return true;
}

// What a line shows of the vectors of its instruction; `behind`: the text behind its code.
static void take_vector_type(struct effect_vectors *vectors, struct text_span behind)
{
    const struct vector_type type = riscv_vector_type(behind);
    vectors->element_bytes = (uint8_t)type.element_bytes;
    vectors->elements = type.count;
    vectors->group = (uint8_t)u64_min((type.group_eighths + 7) / 8, UINT8_MAX);
}

static void add_vector(struct effect_vectors *vectors, const struct line_register *reg)
{
    const uint64_t number = (reg->name.offset - RISCV_OFFSET_V) / RISCV_BYTES_V;
    if (reg->name.kind != REGISTER_OPEN_SIZE || reg->name.offset < RISCV_OFFSET_V || number > 31)
        return;
    vectors->bytes = (uint16_t)((reg->value_end - reg->value_start) / 2);
    vectors->written |= UINT32_C(1) << number;
}

// Reads the records of a line: of the instruction, if it is at the step's PC, and its accesses.
static void read_line(const char *start, const char *end, const char *text,
                      const struct reading_options *how, struct trace_step *step)
{
    struct line_context context = LINE_CONTEXT_START;
    struct trace_line line;
    struct line_columns columns;
    struct text_fault fault;
    const char *at = start, *behind = NULL;
    while (riscv_study(at, end, how, &context, &line, &fault, &columns)) {
        if (line.kind == LINE_INSTRUCTION) {
            if (!columns.encoding.start || !take_code(step, &line.instruction, &columns, text))
                return;
            behind = columns.encoding.end + 1;
            if (riscv_is_vector(step->code.encoding) && behind < end)
                take_vector_type(&step->code.vectors, (struct text_span){behind, end});
        } else if (!behind && !columns.is_of_last) {
            return;
        } else if (line.kind == LINE_REGISTER) {
            add_vector(&step->code.vectors, &line.reg);
        } else if (line.kind == LINE_MEMORY && !line.memory.is_bare) {
            add_access(step, &line.memory);
        } else if (line.kind == LINE_MEMORY && behind) {
            if (behind < at)
                (void)riscv_fill_access(step->code.encoding, step->code.isa == RISCV_64,
                                        riscv_form_of(how->dialect), (struct text_span){behind, at},
                                        (struct text_span){at, end}, &line.memory);
            add_access(step, &line.memory);
        }
        if (!columns.goes_on || columns.read_end <= at)
            return;
        at = columns.read_end;
    }
}

// With commits and the instruction log, both lines of an event show its instruction, and the second
// one its accesses.
static void read_step(const char *text, size_t size_bytes, const struct reading_options *how,
                      bool with_accesses, struct trace_step *step)
{
    const char *at = text, *end = text + size_bytes;
    step->has_access = false;
    step->page_count = 0;
    *step->system = '\0';
    step->code.size_bytes = 0;
    step->code_bytes = 0;
    step->mode = SP_BANK_NONE;
    while (at < end && (with_accesses || !step->code_bytes)) {
        const char *start = at, *newline = memchr(start, '\n', (size_t)(end - start));
        at = newline ? newline + 1 : end;
        read_line(start, line_trim(start, newline ? newline : end), text, how, step);
    }
    step->code.vectors.is_adjacent =
        step->has_access && step->high - step->low + 1 == step->code.vectors.accessed;
}

static unsigned before(const struct trace_code *code)
{
    (void)code;
    return 0;
}

static void effects(const struct trace_code *code, const struct trace_code *before, size_t count,
                    struct effects *effects)
{
    (void)before, (void)count;
    riscv_effects(code->encoding, (enum riscv_isa)code->isa, &code->vectors, effects);
}

// All modes have the same registers.
static bool is_bank(uint64_t cell, unsigned mask)
{
    (void)cell, (void)mask;
    return false;
}

static bool other_bank(uint64_t cell, unsigned before, unsigned now)
{
    (void)cell, (void)before, (void)now;
    return false;
}

static const char *stack_name(unsigned mode)
{
    (void)mode;
    return NULL;
}

static bool leads(const struct trace_code *from, bool is_executed, uint64_t to,
                  struct trace_loop *loop)
{
    const struct branch branch = riscv_branch(from->pc, from->encoding, (enum riscv_isa)from->isa);
    (void)loop;
    if (to == branch.next)
        return true;
    if (branch.kind == BRANCH_NONE || !is_executed)
        return false;
    return branch.target == ADDRESS_UNKNOWN || to == branch.target;
}

const struct trace_dataflow riscv_dataflow = {
    .read = read_step,
    .before = before,
    .effects = effects,
    .vector = "v0",
    .is_bank = is_bank,
    .other_bank = other_bank,
    .stack_cell = RISCV_CELL_SP_64,
    .stack_isa = RISCV_64,
    .stack_name = stack_name,
    .leads = leads,
};
