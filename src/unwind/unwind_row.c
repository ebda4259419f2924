// A step by a row of DWARF's call frame information or of Arm's exception tables.
#include "elf/cfi_expression.h"
#include "unwind/unwind_step.h"

static bool read_register(void *self, uint64_t number, uint64_t *value)
{
    return number < FRAME_REGISTERS && unwind_read_register(self, (uint32_t)number, value);
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    const struct unwind_step *step = self;
    return step->reader->read_memory(step->reader->self, address, size_bytes, value) ||
           unwind_end_at(step->stack, UNWIND_NO_MEMORY, address);
}

static bool evaluate(struct unwind_step *step, const struct frame_row *row,
                     const struct frame_location *place, const uint64_t *initial, uint64_t *value)
{
    const struct cfi_reader reader = {step, read_register, read_memory};
    const struct cfi_expression expression = {.bytes = row->expressions + place->offset,
                                              .size_bytes = place->length,
                                              .address_bytes = step->machine->word_bytes,
                                              .is_big_endian = row->is_big_endian};
    unwind_end_at(step->stack, UNWIND_BAD_EXPRESSION, step->frame->pc);
    return cfi_expression_value(&expression, &reader, initial, value);
}

static uint64_t narrowed(const struct unwind_step *step, uint64_t value)
{
    return step->machine->word_bytes == 4 ? value & UINT32_MAX : value;
}

static bool find_cfa(struct unwind_step *step, const struct frame_row *row)
{
    const struct frame_location *place = &row->cfa;
    uint64_t base;
    if (place->kind == FRAME_VALUE_EXPRESSION)
        return evaluate(step, row, place, NULL, &step->cfa);
    if (!unwind_read_register(step, place->base, &base))
        return false;
    step->cfa = narrowed(step, base + (uint64_t)place->offset);
    return true;
}

// Where a register of the caller is. Saved values are read when they are needed.
static struct unwind_register restored(struct unwind_step *step, const struct frame_row *row,
                                       uint32_t number)
{
    const struct frame_location *place = &row->registers[number];
    struct unwind_register found = {.state = STATE_LOST};
    bool is_kept = row->is_signal || step->machine->kept >> number & 1;
    switch (place->kind) {
    case FRAME_UNSAID:
        return is_kept ? step->registers->items[number] : found;
    case FRAME_SAME:
        return step->registers->items[number];
    case FRAME_MEMORY:
        found.value = narrowed(step, step->cfa + (uint64_t)place->offset);
        found.state = STATE_SAVED;
        return found;
    case FRAME_VALUE:
        found.value = narrowed(step, step->cfa + (uint64_t)place->offset);
        found.state = STATE_HELD;
        return found;
    case FRAME_REGISTER:
        if (place->base != step->machine->sp)
            return step->registers->items[place->base];
        return (struct unwind_register){step->frame->sp, STATE_HELD};
    case FRAME_MEMORY_EXPRESSION:
    case FRAME_VALUE_EXPRESSION:
        if (evaluate(step, row, place, &step->cfa, &found.value))
            found.state = place->kind == FRAME_VALUE_EXPRESSION ? STATE_HELD : STATE_SAVED;
        return found;
    default:
        return found;
    }
}

// The register according to the row's rule, or, without one, as in the frame.
static bool read_restored(struct unwind_step *step, const struct frame_row *row, uint32_t number,
                          uint64_t *value)
{
    struct unwind_register from = restored(step, row, number);
    switch (from.state) {
    case STATE_HELD:
        *value = from.value;
        return true;
    case STATE_SAVED:
        return unwind_read_word(step, from.value, value);
    default:
        return unwind_read_register(step, number, value);
    }
}

static bool has_rule(const struct frame_row *row, uint32_t number)
{
    return row->registers[number].kind != FRAME_UNSAID && row->registers[number].kind != FRAME_SAME;
}

// Whether a function has called another while its own return address was in the register that calls
// overwrite: it cannot return, and with no frame pointer either it is where the stack begins.
static bool is_lost(const struct unwind_frame *frame, const struct frame_row *row)
{
    return frame->is_return_address && !has_rule(row, row->ra) && (!frame->has_fp || !frame->fp);
}

static bool find_sp(struct unwind_step *step, const struct frame_row *row,
                    struct unwind_frame *next)
{
    const struct unwind_frame *frame = step->frame;
    uint32_t sp = step->machine->sp;
    next->sp = step->cfa;
    if (has_rule(row, sp) && !read_restored(step, row, sp, &next->sp))
        return false;
    // A signal may be handled on another stack.
    bool is_rising = unwind_is_anywhere(step) ? next->sp >= frame->sp : next->sp > frame->sp;
    if ((!is_rising && !row->is_signal) || next->sp % step->machine->word_bytes)
        return unwind_end_at(step->stack, UNWIND_NOT_RISING, next->sp);
    return true;
}

bool unwind_by_row(struct unwind_step *step, const struct frame_row *row, enum unwind_source source,
                   struct unwind_frame *next)
{
    uint64_t pc;
    if (row->registers[row->ra].kind == FRAME_UNDEFINED || is_lost(step->frame, row))
        return unwind_end_at(step->stack, UNWIND_OUTERMOST, step->frame->pc);
    if (!find_cfa(step, row) || !find_sp(step, row, next) ||
        !read_restored(step, row, row->ra, &pc))
        return false;
    unwind_set_pc(step, next, pc, row->is_signed);
    for (uint32_t i = 0; i < FRAME_REGISTERS; i++)
        step->restored->items[i] = restored(step, row, i);
    unwind_read_fp(step, step->restored, next);
    next->is_return_address = !row->is_signal;
    next->source = source;
    return true;
}
