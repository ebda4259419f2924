#include "unwind/unwind.h"

#include "unwind/unwind_step.h"

// --- Rules of SFrame -----------------------------------------------------------------------------

// The value of a location; SFRAME_SAME is the register `same`.
static bool read_place(struct unwind_step *step, const struct sframe_location *place, uint32_t same,
                       uint64_t *value)
{
    uint64_t base;
    if (place->kind == SFRAME_SAME)
        return unwind_read_register(step, same, value);
    if (!unwind_read_register(step, place->base, &base))
        return false;
    *value = base + (uint64_t)place->offset;
    return place->kind == SFRAME_VALUE || unwind_read_word(step, *value, value);
}

// Whether a function has called another while its own return address was in the register that calls
// overwrite: it cannot return, and with no frame pointer either it is where the stack begins. This
// is how versions 1 and 2 describe the code that starts a program.
static bool is_lost(const struct unwind_frame *frame, const struct sframe_rule *rule)
{
    return frame->is_return_address && rule->ra.kind == SFRAME_SAME &&
           (!frame->has_fp || frame->fp == 0);
}

static bool step_by_rule(struct unwind_step *step, const struct sframe_rule *rule,
                         struct unwind_frame *next)
{
    const struct unwind_frame *frame = step->frame;
    const struct arch_frames *machine = step->machine;
    bool is_signal = rule->marks & SFRAME_MARK_SIGNAL;
    uint64_t pc;
    if (is_lost(frame, rule))
        return unwind_end_at(step->stack, UNWIND_OUTERMOST, frame->pc);
    if (!read_place(step, &rule->cfa, machine->sp, &step->cfa))
        return false;
    next->sp = step->cfa + (uint64_t)machine->sp_offset;
    // A signal may be handled on another stack.
    bool is_rising = unwind_is_anywhere(step) ? next->sp >= frame->sp : next->sp > frame->sp;
    if ((!is_rising && !is_signal) || step->cfa % machine->word_bytes)
        return unwind_end_at(step->stack, UNWIND_NOT_RISING, step->cfa);
    if (!read_place(step, &rule->ra, machine->ra, &pc))
        return false;
    unwind_set_pc(step, next, pc, rule->marks & SFRAME_MARK_MANGLED);
    // The caller's frame pointer, the only register in SFrame besides SP and PC. An unknown one
    // ends the stack only where it is needed.
    enum unwind_end end = step->stack->end;
    uint64_t end_address = step->stack->end_address;
    uint32_t fp = step->machine->fp;
    struct unwind_register *restored = &step->restored->items[fp];
    if (rule->fp.kind == SFRAME_SAME)
        *restored = step->registers->items[fp];
    else if (read_place(step, &rule->fp, fp, &restored->value))
        restored->state = STATE_HELD;
    unwind_end_at(step->stack, end, end_address);
    unwind_read_fp(step, step->restored, next);
    next->is_return_address = !is_signal;
    next->source = UNWIND_SFRAME;
    return true;
}

// Whether an address from an unreliable source may be a return address; 0 ends the stack.
static bool is_return(struct unwind_step *step, uint64_t pc)
{
    return pc == 0 || step->reader->is_code(step->reader->self, pc - 1) ||
           unwind_end_at(step->stack, UNWIND_NO_RULE, step->frame->pc);
}

// --- Frame pointers ------------------------------------------------------------------------------

// Reads a word without recording a failure.
static bool peek(const struct unwind_step *step, uint64_t address, uint64_t *value)
{
    return step->reader->read_memory(step->reader->self, address, step->machine->word_bytes, value);
}

// If the innermost frame has pushed the caller's frame pointer but not yet changed the register,
// the record is at the stack pointer: the frame pointer alone would skip the caller.
static uint64_t record_of(struct unwind_step *step)
{
    const struct unwind_frame *frame = step->frame;
    const struct unwind_reader *reader = step->reader;
    uint64_t saved, pc;
    bool is_pushed = step->machine->is_ra_pushed && unwind_is_anywhere(step) &&
                     frame->fp > frame->sp && peek(step, frame->sp, &saved) && saved == frame->fp &&
                     peek(step, frame->sp + step->machine->word_bytes, &pc) &&
                     reader->is_code(reader->self, pc - 1);
    return is_pushed ? frame->sp : frame->fp;
}

// Where compilers differ (CHAIN_EITHER), as on A32 and T32: clang's frame pointer points to a
// record as on other machines, gcc's to the return address, with the caller's frame pointer below
// it. If it is not the first, it may be the second.
static uint64_t record_of_either(struct unwind_step *step)
{
    const struct unwind_frame *frame = step->frame;
    const struct unwind_reader *reader = step->reader;
    uint64_t fp, pc;
    bool is_record = peek(step, frame->fp, &fp) && (fp == 0 || fp > frame->fp) &&
                     peek(step, frame->fp + 4, &pc) && reader->is_code(reader->self, pc - 1);
    bool is_below = !is_record && peek(step, frame->fp - 4, &fp) && (fp == 0 || fp > frame->fp) &&
                    peek(step, frame->fp, &pc) && reader->is_code(reader->self, pc - 1);
    return is_below ? frame->fp - 4 : frame->fp;
}

// --- Return addresses that nobody saved ----------------------------------------------------------

// The return address is in its register, or where the call pushed it.
static bool step_by_return_address(struct unwind_step *step, enum unwind_source source,
                                   struct unwind_frame *next)
{
    const struct unwind_frame *frame = step->frame;
    uint64_t pc;
    *next = (struct unwind_frame){.sp = frame->sp, .fp = frame->fp, .has_fp = frame->has_fp};
    *step->restored = *step->registers;
    next->is_return_address = true;
    next->source = source;
    bool is_pushed = step->machine->is_ra_pushed;
    if (is_pushed)
        next->sp += step->machine->word_bytes;
    if (!(is_pushed ? unwind_read_word(step, frame->sp, &pc)
                    : unwind_read_register(step, step->machine->ra, &pc)))
        return false;
    unwind_set_pc(step, next, pc, true);
    if (next->has_code_bit != frame->has_code_bit)
        unwind_read_fp(step, step->restored, next);
    return is_return(step, next->pc);
}

// Whether the link register still has the return address of this frame. A function that has called
// another left an address of its own there; one that saved its return address has it also in the
// frame pointer's record, which gives SP, too.
static bool has_link(const struct unwind_step *step)
{
    const struct unwind_reader *reader = step->reader;
    uint64_t value, start, link_start;
    struct unwind_frame link, saved;
    if (step->machine->is_ra_pushed ||
        !reader->read_register(reader->self, step->machine->ra, &value))
        return false;
    unwind_set_pc(step, &link, value, true);
    bool is_other = reader->is_code(reader->self, link.pc - 1) &&
                    reader->find_function(reader->self, step->frame->pc, &start) &&
                    reader->find_function(reader->self, link.pc - 1, &link_start) &&
                    start != link_start;
    if (!is_other || !step->frame->has_fp || step->machine->chain == CHAIN_NONE ||
        !peek(step,
              step->machine->chain == CHAIN_RECORD_BELOW
                  ? step->frame->fp - step->machine->word_bytes
                  : step->frame->fp + step->machine->word_bytes,
              &value))
        return is_other;
    unwind_set_pc(step, &saved, value, true);
    return saved.pc != link.pc;
}

// A function that calls no other saves only the caller's frame pointer, where others have their
// return address (CHAIN_RECORD_BELOW).
static void leave_leaf(struct unwind_step *step, struct unwind_frame *next)
{
    const struct unwind_frame *frame = step->frame;
    uint64_t fp, start;
    if (step->machine->chain != CHAIN_RECORD_BELOW || !frame->has_fp || frame->fp <= frame->sp ||
        !peek(step, frame->fp - step->machine->word_bytes, &fp) || (fp && fp <= frame->fp) ||
        step->reader->find_function(step->reader->self, fp - 1, &start))
        return;
    next->fp = fp;
    next->sp = frame->fp;
    step->restored->items[step->machine->fp] = (struct unwind_register){fp, STATE_HELD};
}

// The methods that need no rule.
static bool step_without_rule(struct unwind_step *step, struct unwind_frame *next)
{
    bool is_live =
        unwind_is_anywhere(step) && step->registers->items[step->machine->ra].state == STATE_LIVE;
    const struct unwind_reader *reader = step->reader;
    uint64_t start;
    if (is_live && reader->find_function(reader->self, step->frame->pc, &start) &&
        start == step->frame->pc)
        return step_by_return_address(step, UNWIND_ENTRY, next);
    if (is_live && has_link(step)) {
        if (!step_by_return_address(step, UNWIND_LINK_REGISTER, next))
            return false;
        leave_leaf(step, next);
        return true;
    }
    // Follows a record of the caller's frame pointer and the return address, if the ABI has such a
    // chain.
    const struct unwind_frame *frame = step->frame;
    unsigned word_bytes = step->machine->word_bytes;
    uint64_t pc;
    if (step->machine->chain == CHAIN_NONE || !frame->has_fp || frame->fp == 0)
        return unwind_end_at(step->stack, UNWIND_NO_RULE, frame->pc);
    if (frame->fp < frame->sp || frame->fp % word_bytes)
        return unwind_end_at(step->stack, UNWIND_NO_RULE, frame->pc);
    uint64_t record = step->machine->chain == CHAIN_EITHER         ? record_of_either(step)
                      : step->machine->chain == CHAIN_RECORD_BELOW ? frame->fp - 2 * word_bytes
                                                                   : record_of(step);
    if (!unwind_read_word(step, record, &next->fp) ||
        !unwind_read_word(step, record + word_bytes, &pc))
        return false;
    unwind_set_pc(step, next, pc, true);
    next->sp = record + 2 * word_bytes;
    next->has_fp = true;
    next->is_return_address = true;
    next->source = UNWIND_FRAME_POINTER;
    step->restored->items[step->machine->fp] = (struct unwind_register){next->fp, STATE_HELD};
    if (frame->has_code_bit)
        step->restored->items[step->machine->code_bit_fp] =
            step->restored->items[step->machine->fp];
    return is_return(step, next->pc);
}

// --- Calls that were seen ------------------------------------------------------------------------

static enum unwind_seen ask(const struct unwind_step *step, struct unwind_frame *caller)
{
    const struct unwind_reader *reader = step->reader;
    *caller = (struct unwind_frame){.is_return_address = true};
    enum unwind_seen seen = reader->find_caller
                                ? reader->find_caller(reader->self, step->frame, caller)
                                : UNWIND_NOT_SEEN;
    // Code interrupted by an exception may be on any stack, and an instruction that switches stacks
    // has already changed the stack pointer: frames must only rise from a callee to its caller.
    bool falls = caller->is_return_address && !caller->is_of_other_world &&
                 !unwind_is_anywhere(step) && caller->sp <= step->frame->sp;
    return seen == UNWIND_SEEN && falls ? UNWIND_NOT_SEEN : seen;
}

// Continues from a caller known from calls, whose registers are known, too.
static bool enter(struct unwind_step *step, const struct unwind_frame *caller,
                  struct unwind_frame *next)
{
    const struct unwind_reader *reader = step->reader;
    bool can_enter = reader->enter_caller;
    *next = *caller;
    next->source = UNWIND_CALLS;
    unwind_fill_registers(step->restored, can_enter ? STATE_LIVE : STATE_LOST);
    if (can_enter)
        reader->enter_caller(reader->self);
    unwind_read_fp(step, step->restored, next);
    return true;
}

static bool step_by_calls(struct unwind_step *step, struct unwind_frame *next)
{
    struct unwind_frame caller;
    switch (ask(step, &caller)) {
    case UNWIND_SEEN:
        return enter(step, &caller, next);
    case UNWIND_SEEN_OUTERMOST:
    case UNWIND_SEEN_BEGIN:
        return unwind_end_at(step->stack, UNWIND_OUTERMOST, step->frame->pc);
    default:
        return false;
    }
}

// --- The stack -----------------------------------------------------------------------------------

// What a method found.
enum outcome {
    NEXT,    // the caller
    NOTHING, // no rule
    END,     // a rule that needs what is unknown, or leads nowhere
    FINAL,   // a rule that says that the stack ends
};

static enum outcome by_sframe(struct unwind_step *step, struct unwind_frame *frame,
                              struct unwind_frame *next)
{
    const struct unwind_reader *reader = step->reader;
    const struct sframe_rule *rule = reader->find_rule(reader->self, unwind_lookup_pc(frame));
    frame->is_signal = rule->kind == SFRAME_NO_ROWS_SIGNAL ||
                       (rule->kind == SFRAME_ROW && rule->marks & SFRAME_MARK_SIGNAL);
    switch (rule->kind) {
    case SFRAME_ROW:
        return step_by_rule(step, rule, next) ? NEXT : END;
    case SFRAME_OUTERMOST:
    case SFRAME_NO_ROWS:
        unwind_end_at(step->stack, UNWIND_OUTERMOST, frame->pc);
        return FINAL;
    case SFRAME_NO_ROWS_SIGNAL:
        unwind_end_at(step->stack, UNWIND_SIGNAL_FRAME, frame->pc);
        return FINAL;
    default:
        return NOTHING;
    }
}

static enum outcome by_row(struct unwind_step *step, struct unwind_frame *frame,
                           enum unwind_source source, struct unwind_frame *next)
{
    const struct unwind_reader *reader = step->reader;
    const struct frame_row *row =
        reader->find_row ? reader->find_row(reader->self, source, unwind_lookup_pc(frame)) : NULL;
    if (!row)
        return NOTHING;
    frame->is_signal = row->is_signal;
    return unwind_by_row(step, row, source, next) ? NEXT : END;
}

// By the rules of images, in order of trust.
static enum outcome by_rules(struct unwind_step *step, struct unwind_frame *frame,
                             struct unwind_frame *next)
{
    enum unwind_source first = step->stack->first;
    enum outcome found = NOTHING;
    if (first <= UNWIND_SFRAME)
        found = by_sframe(step, frame, next);
    if (found == NOTHING && first <= UNWIND_DWARF)
        found = by_row(step, frame, UNWIND_DWARF, next);
    if (found == NOTHING && first <= UNWIND_EXIDX)
        found = by_row(step, frame, UNWIND_EXIDX, next);
    return found;
}

// Whether it leads to something that is not code, which is how M-profile cores return from
// exceptions, or to the start of a function, where calls seldom return: it may be what ends a task.
static bool leads_astray(const struct unwind_step *step, const struct unwind_frame *next)
{
    const struct unwind_reader *reader = step->reader;
    uint64_t start;
    return !reader->is_code(reader->self, unwind_lookup_pc(next)) ||
           (next->is_return_address && reader->find_function(reader->self, next->pc, &start) &&
            start == next->pc);
}

// Compares SP, too, because in a recursion all callers continue at the same place.
static bool is_same_frame(const struct unwind_frame *a, const struct unwind_frame *b)
{
    return a->pc == b->pc && a->sp == b->sp;
}

// Accepts what a rule found, unless it is doubtful and the calls show another caller, or none.
static bool confirm(struct unwind_step *step, struct unwind_frame *next)
{
    struct unwind_frame caller;
    bool is_astray = next->pc && leads_astray(step, next);
    // A rule may be wrong in the last instructions of a function, which compilers do not describe
    // by default, and on 32-bit Arm also in the first ones.
    bool may_not_hold = unwind_is_anywhere(step) && next->source != UNWIND_SFRAME;
    bool is_doubtful = is_astray || may_not_hold;
    switch (ask(step, &caller)) {
    case UNWIND_SEEN:
        return (!is_doubtful && !caller.is_of_other_world) || is_same_frame(&caller, next) ||
               enter(step, &caller, next);
    case UNWIND_SEEN_BEGIN:
        return unwind_end_at(step->stack, UNWIND_OUTERMOST, step->frame->pc);
    case UNWIND_SEEN_OUTERMOST:
        return !is_astray || unwind_end_at(step->stack, UNWIND_OUTERMOST, step->frame->pc);
    default:
        return true;
    }
}

// The caller of the last frame. False: the stack ends there.
static bool step_out(struct unwind_step *step, struct unwind_frame *next)
{
    struct unwind_stack *stack = step->stack;
    struct unwind_frame *frame = &stack->frames[stack->count - 1], caller;
    step->frame = frame;
    *next = (struct unwind_frame){0};
    unwind_fill_registers(step->restored, STATE_LOST);
    unwind_end_at(stack, UNWIND_NO_RULE, frame->pc);
    switch (by_rules(step, frame, next)) {
    case NEXT:
        return confirm(step, next);
    case NOTHING:
        // If frame pointers or calls are requested, they come first.
        if (stack->first == UNWIND_FRAME_POINTER)
            return step_without_rule(step, next) || step_by_calls(step, next);
        return step_by_calls(step, next) ||
               (stack->end != UNWIND_OUTERMOST && step_without_rule(step, next));
    case END: // calls may know better
        return ask(step, &caller) == UNWIND_SEEN && enter(step, &caller, next);
    default:
        return false;
    }
}

// The innermost frame. False: its stack pointer is unknown.
static bool begin(struct unwind_step *step, struct unwind_registers *registers, uint64_t pc)
{
    const struct unwind_reader *reader = step->reader;
    struct unwind_stack *stack = step->stack;
    struct unwind_frame *frame = &stack->frames[stack->count++];
    *frame = (struct unwind_frame){.source = UNWIND_REGISTERS};
    step->frame = frame;
    unwind_set_pc(step, frame, pc, false);
    unwind_fill_registers(registers, STATE_LIVE);
    unwind_read_fp(step, registers, frame);
    return reader->read_register(reader->self, step->machine->sp, &frame->sp) ||
           unwind_end_at(stack, UNWIND_NO_REGISTER, frame->pc);
}

// Whether an interrupted frame would continue behind the end of its function, where its last
// instruction made the exception (a supervisor call that does not return): it is looked up as a
// call is, as what lies behind belongs to something else or to nothing.
static bool stands_behind(const struct unwind_reader *reader, const struct unwind_frame *frame)
{
    uint64_t start;
    return frame->pc && !frame->is_return_address &&
           !reader->find_function(reader->self, frame->pc, &start) &&
           reader->find_function(reader->self, frame->pc - 1, &start);
}

void unwind(struct unwind_stack *stack, const struct unwind_reader *reader,
            const struct arch_frames *machine, uint64_t pc)
{
    struct unwind_registers registers[2];
    struct unwind_step step = {.reader = reader, .machine = machine, .stack = stack};
    struct unwind_frame next;
    stack->count = 0;
    stack->doubt = UNWIND_NO_DOUBT;
    unwind_end_at(stack, UNWIND_TOO_DEEP, pc);
    if (stack->capacity == 0 || !begin(&step, &registers[0], pc))
        return;
    for (unsigned turn = 0;; turn ^= 1) {
        step.registers = &registers[turn];
        step.restored = &registers[!turn];
        if (!step_out(&step, &next))
            return;
        next.is_return_address |= stands_behind(reader, &next);
        if (next.pc == 0 || stack->count == stack->capacity) {
            unwind_end_at(stack, next.pc ? UNWIND_TOO_DEEP : UNWIND_OUTERMOST, next.pc);
            return;
        }
        stack->frames[stack->count++] = next;
    }
}

// --- Names ---------------------------------------------------------------------------------------

const char *unwind_source_name(enum unwind_source source)
{
    static const char *const names[] = {"registers",     "sframe", "dwarf",         "exidx",
                                        "frame pointer", "entry",  "link register", "calls"};
    return names[source];
}

const char *unwind_end_text(enum unwind_end end)
{
    static const char *const texts[] = {
        "this is the outermost frame",
        "nothing is known about the code at",
        "unknown memory at",
        "a register is unknown at",
        "a rule needs a register of the innermost frame at",
        "an expression has no value at",
        "a signal frame without rules at",
        "the stack does not rise at",
        "too many frames, at",
    };
    return texts[end];
}
