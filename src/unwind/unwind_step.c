#include "unwind/unwind_step.h"

#include "base/program_pc.h"

// --- Ends ----------------------------------------------------------------------------------------

bool unwind_end_at(struct unwind_stack *stack, enum unwind_end end, uint64_t address)
{
    stack->end = end;
    stack->end_address = address;
    return false;
}

// --- Registers and memory ------------------------------------------------------------------------

static bool read_state(struct unwind_step *step, const struct unwind_register *from,
                       uint32_t number, uint64_t *value)
{
    switch (from->state) {
    case STATE_HELD:
        *value = from->value;
        return true;
    case STATE_SAVED:
        return unwind_read_word(step, from->value, value);
    case STATE_LIVE:
        return step->reader->read_register(step->reader->self, number, value) ||
               unwind_end_at(step->stack, UNWIND_NO_REGISTER, step->frame->pc);
    default:
        return unwind_end_at(step->stack, UNWIND_UNSAFE_REGISTER, step->frame->pc);
    }
}

bool unwind_read_register(struct unwind_step *step, uint32_t number, uint64_t *value)
{
    if (number == SFRAME_CFA || number == step->machine->sp) {
        *value = number == SFRAME_CFA ? step->cfa : step->frame->sp;
        return true;
    }
    // Register numbers in SFrame are not bounded.
    static const struct unwind_register live = {.state = STATE_LIVE}, lost = {.state = STATE_LOST};
    const struct unwind_register *from = number < FRAME_REGISTERS ? &step->registers->items[number]
                                         : step->stack->count == 1 /* yet */ ? &live
                                                                             : &lost;
    return read_state(step, from, number, value);
}

bool unwind_read_word(struct unwind_step *step, uint64_t address, uint64_t *value)
{
    unsigned size_bytes = step->machine->word_bytes;
    if (size_bytes == 4)
        address &= UINT32_MAX;
    return step->reader->read_memory(step->reader->self, address, size_bytes, value) ||
           unwind_end_at(step->stack, UNWIND_NO_MEMORY, address);
}

// --- Signed return addresses (pointer authentication, PAC) ---------------------------------------

// How many bits addresses may have; the rest has a signature.
enum { ADDRESS_BITS_LEAST = 32, ADDRESS_BITS_MOST = 52, ADDRESS_BITS_USUAL = 48 };

static uint64_t without_upper_bits(uint64_t address, unsigned bits)
{
    const uint64_t mask = UINT64_MAX << bits;
    return address >> 55 & 1 ? address | mask : address & ~mask;
}

// The bits that an address needs, besides those that are all like bit 55.
static unsigned width_of(uint64_t address)
{
    const uint64_t differing = address >> 55 & 1 ? ~address : address;
    return differing ? 64 - (unsigned)__builtin_clzll(differing) : 0;
}

// An address without its signature: bit 55 tells in which half of memory it is. How many bits
// addresses have is known from the registers of translation; otherwise they have at least those of
// the frame's own PC, and images tell how many, as only the right number leads to code.
static uint64_t strip_signature(const struct unwind_step *step, uint64_t address)
{
    const struct unwind_reader *reader = step->reader;
    const unsigned known = reader->address_bits[address >> 55 & 1];
    if (known)
        return without_upper_bits(address, known);
    const unsigned width = step->frame ? width_of(step->frame->pc) : 0;
    const bool is_wider = width > ADDRESS_BITS_USUAL && width <= ADDRESS_BITS_MOST;
    uint64_t usual = without_upper_bits(address, is_wider ? width : ADDRESS_BITS_USUAL);
    if (usual == address || !reader->is_code || reader->is_code(reader->self, usual - 1))
        return usual;
    for (unsigned bits = ADDRESS_BITS_MOST; bits >= ADDRESS_BITS_LEAST; bits--) {
        uint64_t stripped = without_upper_bits(address, bits);
        if (reader->is_code(reader->self, stripped - 1))
            return stripped;
    }
    return usual;
}

void unwind_set_pc(const struct unwind_step *step, struct unwind_frame *next, uint64_t address,
                   bool is_signed)
{
    next->pc = address;
    if (is_signed && step->machine->is_signed)
        next->pc = strip_signature(step, address);
    next->has_code_bit = step->machine->has_code_bit && address & 1;
    if (step->machine->has_code_bit)
        next->pc &= ~UINT64_C(1);
    if (step->machine->word_bytes == 4)
        next->pc &= UINT32_MAX;
    if (step->machine->has_ones_at_reset && (uint32_t)address == UINT32_MAX)
        next->pc = 0;
    if (step->reader->has_programs && next->pc)
        next->pc = pc_like(next->pc, next == step->frame ? address : step->frame->pc);
}

void unwind_fill_registers(struct unwind_registers *registers, enum unwind_state state)
{
    for (unsigned i = 0; i < FRAME_REGISTERS; i++)
        registers->items[i] = (struct unwind_register){0, state};
}

// An unknown one ends the stack only where it is needed.
void unwind_read_fp(struct unwind_step *step, const struct unwind_registers *registers,
                    struct unwind_frame *frame)
{
    enum unwind_end end = step->stack->end;
    uint64_t end_address = step->stack->end_address;
    uint32_t number = frame->has_code_bit ? step->machine->code_bit_fp : step->machine->fp;
    frame->fp = 0;
    frame->has_fp = read_state(step, &registers->items[number], number, &frame->fp);
    unwind_end_at(step->stack, end, end_address);
}
