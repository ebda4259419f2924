#include "analysis/unwind.h"

enum { WORD_BYTES = 8 };

struct step {
    const struct unwind_reader *reader;
    const struct sframe_registers *registers;
    unsigned abi;
    const struct unwind_frame *frame;
    bool is_innermost;
    uint64_t cfa;
    struct unwind_stack *stack; // for end and end_address
};

static bool end_at(struct unwind_stack *stack, enum unwind_end end, uint64_t address)
{
    stack->end = end;
    stack->end_address = address;
    return false;
}

static bool is_aarch64(unsigned abi)
{
    return abi == SFRAME_AARCH64_BIG || abi == SFRAME_AARCH64_LITTLE;
}

// An address without the code that signs it: bit 55 says which half of memory it is in.
static uint64_t strip_signature(uint64_t address)
{
    const uint64_t mask = UINT64_C(0xffff) << 48;
    return address >> 55 & 1 ? address | mask : address & ~mask;
}

// --- Rules ---------------------------------------------------------------------------------------

static bool read_register(struct step *step, uint32_t number, uint64_t *value)
{
    const struct unwind_frame *frame = step->frame;
    if (number == SFRAME_CFA) {
        *value = step->cfa;
        return true;
    }
    if (number == step->registers->sp) {
        *value = frame->sp;
        return true;
    }
    if (number == step->registers->fp) {
        *value = frame->fp;
        return frame->has_fp || end_at(step->stack, UNWIND_NO_REGISTER, frame->pc);
    }
    if (!step->is_innermost)
        return end_at(step->stack, UNWIND_UNSAFE_REGISTER, frame->pc);
    return step->reader->read_register(step->reader->self, number, value) ||
           end_at(step->stack, UNWIND_NO_REGISTER, frame->pc);
}

static bool read_memory(struct step *step, uint64_t address, uint64_t *value)
{
    return step->reader->read_memory(step->reader->self, address, value) ||
           end_at(step->stack, UNWIND_NO_MEMORY, address);
}

// The value that a place holds; SFRAME_SAME is the register `same`.
static bool read_place(struct step *step, const struct sframe_location *place, uint32_t same,
                       uint64_t *value)
{
    uint64_t base;
    if (place->kind == SFRAME_SAME)
        return read_register(step, same, value);
    if (!read_register(step, place->base, &base))
        return false;
    *value = base + (uint64_t)place->offset;
    return place->kind == SFRAME_VALUE || read_memory(step, *value, value);
}

// The frame pointer of the caller. One that cannot be known is no reason to stop before it is
// needed.
static void recover_fp(struct step *step, const struct sframe_rule *rule, struct unwind_frame *next)
{
    enum unwind_end end = step->stack->end;
    uint64_t end_address = step->stack->end_address;
    next->fp = step->frame->fp;
    next->has_fp = step->frame->has_fp;
    if (rule->fp.kind != SFRAME_SAME)
        next->has_fp = read_place(step, &rule->fp, step->registers->fp, &next->fp);
    end_at(step->stack, end, end_address);
}

// Whether a function has called another while its own return address was in the register that calls
// overwrite: it cannot return, and with no frame pointer either it is where the stack begins. This
// is how versions 1 and 2 describe the code that starts a program.
static bool is_lost(const struct unwind_frame *frame, const struct sframe_rule *rule)
{
    return frame->is_return_address && rule->ra.kind == SFRAME_SAME &&
           (!frame->has_fp || frame->fp == 0);
}

static bool step_by_rule(struct step *step, const struct sframe_rule *rule,
                         struct unwind_frame *next)
{
    const struct unwind_frame *frame = step->frame;
    bool is_signal = rule->marks & SFRAME_MARK_SIGNAL;
    if (is_lost(frame, rule))
        return end_at(step->stack, UNWIND_OUTERMOST, frame->pc);
    if (!read_place(step, &rule->cfa, step->registers->sp, &step->cfa))
        return false;
    next->sp = step->cfa + (uint64_t)step->registers->sp_offset;
    // A signal may be handled on another stack.
    bool is_rising = step->is_innermost ? next->sp >= frame->sp : next->sp > frame->sp;
    if ((!is_rising && !is_signal) || step->cfa % WORD_BYTES)
        return end_at(step->stack, UNWIND_NOT_RISING, step->cfa);
    if (!read_place(step, &rule->ra, step->registers->ra, &next->pc))
        return false;
    if (rule->marks & SFRAME_MARK_MANGLED && is_aarch64(step->abi))
        next->pc = strip_signature(next->pc);
    recover_fp(step, rule, next);
    next->is_return_address = !is_signal;
    next->source = UNWIND_SFRAME;
    return true;
}

// Whether an address that nothing vouches for may be one to return to; 0 ends the stack.
static bool is_return(struct step *step, uint64_t pc)
{
    return pc == 0 || step->reader->is_code(step->reader->self, pc - 1) ||
           end_at(step->stack, UNWIND_NO_RULE, step->frame->pc);
}

// --- Frame pointers ------------------------------------------------------------------------------

// Where the innermost frame has pushed the caller's frame pointer, but still has it in the
// register, the record is at the stack pointer: by its frame pointer alone the caller would be
// passed over.
static uint64_t record_of(struct step *step)
{
    const struct unwind_frame *frame = step->frame;
    const struct unwind_reader *reader = step->reader;
    uint64_t saved, pc;
    bool is_pushed = step->abi == SFRAME_AMD64 && step->is_innermost && frame->fp > frame->sp &&
                     reader->read_memory(reader->self, frame->sp, &saved) && saved == frame->fp &&
                     reader->read_memory(reader->self, frame->sp + WORD_BYTES, &pc) &&
                     reader->is_code(reader->self, pc - 1);
    return is_pushed ? frame->sp : frame->fp;
}

// A record of the caller's frame pointer and the return address, where the ABI has such a chain.
static bool step_by_frame_pointer(struct step *step, struct unwind_frame *next)
{
    const struct unwind_frame *frame = step->frame;
    if (step->abi == SFRAME_S390X || !frame->has_fp || frame->fp == 0)
        return end_at(step->stack, UNWIND_NO_RULE, frame->pc);
    if (frame->fp < frame->sp || frame->fp % WORD_BYTES)
        return end_at(step->stack, UNWIND_NO_RULE, frame->pc);
    uint64_t record = record_of(step);
    if (!read_memory(step, record, &next->fp) || !read_memory(step, record + WORD_BYTES, &next->pc))
        return false;
    if (is_aarch64(step->abi))
        next->pc = strip_signature(next->pc);
    next->sp = record + 2 * WORD_BYTES;
    next->has_fp = true;
    next->is_return_address = true;
    next->source = UNWIND_FRAME_POINTER;
    return is_return(step, next->pc);
}

// --- Return addresses that nobody saved ----------------------------------------------------------

// The return address is in its register, or where the call pushed it.
static bool step_by_return_address(struct step *step, enum unwind_source source,
                                   struct unwind_frame *next)
{
    const struct unwind_frame *frame = step->frame;
    *next = (struct unwind_frame){.sp = frame->sp, .fp = frame->fp, .has_fp = frame->has_fp};
    next->is_return_address = true;
    next->source = source;
    bool is_pushed = step->abi == SFRAME_AMD64;
    if (is_pushed)
        next->sp += WORD_BYTES;
    if (!(is_pushed ? read_memory(step, frame->sp, &next->pc)
                    : read_register(step, step->registers->ra, &next->pc)))
        return false;
    if (is_aarch64(step->abi))
        next->pc = strip_signature(next->pc);
    return is_return(step, next->pc);
}

static bool is_entry(const struct step *step)
{
    const struct unwind_reader *reader = step->reader;
    uint64_t start;
    return reader->find_function(reader->self, step->frame->pc, &start) && start == step->frame->pc;
}

// Whether the register for return addresses has that of this frame still. A function that has
// called another left an address of its own there; one that saved its own has it in the record of
// the frame pointer as well, from where SP is known, too.
static bool has_link(const struct step *step)
{
    const struct unwind_reader *reader = step->reader;
    uint64_t link, start, link_start, saved;
    if (step->abi == SFRAME_AMD64 ||
        !reader->read_register(reader->self, step->registers->ra, &link))
        return false;
    if (is_aarch64(step->abi))
        link = strip_signature(link);
    bool is_other = reader->is_code(reader->self, link - 1) &&
                    reader->find_function(reader->self, step->frame->pc, &start) &&
                    reader->find_function(reader->self, link - 1, &link_start) &&
                    start != link_start;
    bool is_saved = step->frame->has_fp &&
                    reader->read_memory(reader->self, step->frame->fp + WORD_BYTES, &saved) &&
                    is_aarch64(step->abi) && strip_signature(saved) == link;
    return is_other && !is_saved;
}

// What else there is to go by where SFrame says nothing.
static bool step_without_rule(struct step *step, struct unwind_frame *next)
{
    if (step->is_innermost && is_entry(step))
        return step_by_return_address(step, UNWIND_ENTRY, next);
    if (step->is_innermost && has_link(step))
        return step_by_return_address(step, UNWIND_LINK_REGISTER, next);
    return step_by_frame_pointer(step, next);
}

// --- Calls that were seen ------------------------------------------------------------------------

static bool step_by_calls(struct step *step, struct unwind_frame *next)
{
    const struct unwind_reader *reader = step->reader;
    *next = (struct unwind_frame){0};
    if (!reader->find_caller || !reader->find_caller(reader->self, step->frame, next))
        return false;
    next->is_return_address = true;
    next->source = UNWIND_CALLS;
    return step->is_innermost ? next->sp >= step->frame->sp : next->sp > step->frame->sp;
}

// --- The stack -----------------------------------------------------------------------------------

// The caller of the last frame. False: the stack ends there.
static bool step_out(struct unwind_stack *stack, const struct unwind_reader *reader, unsigned abi,
                     struct unwind_frame *next)
{
    struct unwind_frame *frame = &stack->frames[stack->count - 1];
    struct step step = {
        .reader = reader,
        .registers = sframe_registers(abi),
        .abi = abi,
        .frame = frame,
        .is_innermost = stack->count == 1,
        .stack = stack,
    };
    const struct sframe_rule *rule = reader->find_rule(reader->self, unwind_lookup_pc(frame));
    *next = (struct unwind_frame){0};
    frame->is_signal = rule->kind == SFRAME_NO_ROWS_SIGNAL ||
                       (rule->kind == SFRAME_ROW && rule->marks & SFRAME_MARK_SIGNAL);
    switch (rule->kind) {
    case SFRAME_ROW:
        return step_by_rule(&step, rule, next) || step_by_calls(&step, next);
    case SFRAME_OUTERMOST:
    case SFRAME_NO_ROWS:
        return end_at(stack, UNWIND_OUTERMOST, frame->pc);
    case SFRAME_NO_ROWS_SIGNAL:
        return end_at(stack, UNWIND_SIGNAL_FRAME, frame->pc);
    default:
        return step_by_calls(&step, next) || step_without_rule(&step, next);
    }
}

void unwind(struct unwind_stack *stack, const struct unwind_reader *reader, unsigned abi,
            uint64_t pc)
{
    const struct sframe_registers *registers = sframe_registers(abi);
    struct unwind_frame next = {.pc = pc, .source = UNWIND_REGISTERS};
    stack->count = 0;
    end_at(stack, UNWIND_TOO_DEEP, pc);
    if (stack->capacity == 0)
        return;
    next.has_fp = reader->read_register(reader->self, registers->fp, &next.fp);
    bool has_sp = reader->read_register(reader->self, registers->sp, &next.sp);
    stack->frames[stack->count++] = next;
    if (!has_sp) {
        end_at(stack, UNWIND_NO_REGISTER, pc);
        return;
    }
    while (step_out(stack, reader, abi, &next)) {
        if (next.pc == 0) {
            end_at(stack, UNWIND_OUTERMOST, 0);
            return;
        }
        if (stack->count == stack->capacity) {
            end_at(stack, UNWIND_TOO_DEEP, next.pc);
            return;
        }
        stack->frames[stack->count++] = next;
    }
}

// --- Names ---------------------------------------------------------------------------------------

const char *unwind_source_name(enum unwind_source source)
{
    static const char *const names[] = {"registers", "sframe",        "frame pointer",
                                        "entry",     "link register", "calls"};
    return names[source];
}

const char *unwind_end_text(enum unwind_end end)
{
    static const char *const texts[] = {
        "this is the outermost frame",
        "nothing is known about the code at",
        "not known is the memory at",
        "a register is not known at",
        "a rule needs a register of the innermost frame at",
        "a signal frame without rules at",
        "the stack does not rise at",
        "more frames than are followed, at",
    };
    return texts[end];
}
