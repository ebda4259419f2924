#include "elf/cfi_program.h"

#include "base/limits.h"
#include "elf/image.h"

#include <dwarf.h>

// Missing in older headers of libdw: negate_ra_state, also with the PC as a modifier.
enum { CFA_NEGATE_RA_STATE = 0x2d, CFA_NEGATE_RA_STATE_WITH_PC = 0x2c };

// --- Bytes ---------------------------------------------------------------------------------------

uint64_t cfi_read_uint(struct cfi_bytes *bytes, size_t size_bytes)
{
    if ((size_t)(bytes->end - bytes->at) < size_bytes) {
        bytes->is_damaged = true;
        bytes->at = bytes->end;
        return 0;
    }
    const uint8_t *at = bytes->at;
    bytes->at += size_bytes;
    return load_uint(at, size_bytes, bytes->is_big_endian);
}

uint64_t cfi_read_uleb(struct cfi_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = cfi_read_uint(bytes, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

int64_t cfi_read_sleb(struct cfi_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        uint64_t byte = cfi_read_uint(bytes, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if (shift < 64 && byte & 0x40)
            value |= UINT64_MAX << shift;
        return (int64_t)value;
    }
}

static uint64_t sign_extended(uint64_t value, unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(value << unused) >> unused);
}

bool cfi_read_pointer(struct cfi_bytes *bytes, uint8_t encoding, unsigned address_bytes,
                      uint64_t place, uint64_t *address)
{
    switch (encoding & 0x0f) {
    case DW_EH_PE_absptr:
        *address = cfi_read_uint(bytes, address_bytes);
        break;
    case DW_EH_PE_uleb128:
        *address = cfi_read_uleb(bytes);
        break;
    case DW_EH_PE_sleb128:
        *address = (uint64_t)cfi_read_sleb(bytes);
        break;
    case DW_EH_PE_udata2:
    case DW_EH_PE_udata4:
    case DW_EH_PE_udata8:
        *address = cfi_read_uint(bytes, (size_t)1 << ((encoding & 7) - 1));
        break;
    case DW_EH_PE_sdata2:
        *address = sign_extended(cfi_read_uint(bytes, 2), 2);
        break;
    case DW_EH_PE_sdata4:
        *address = sign_extended(cfi_read_uint(bytes, 4), 4);
        break;
    case DW_EH_PE_sdata8:
        *address = cfi_read_uint(bytes, 8);
        break;
    default:
        return false;
    }
    if ((encoding & 0xf0) == DW_EH_PE_pcrel)
        *address += place;
    else if (encoding & 0xf0)
        return false;
    if (address_bytes == 4)
        *address &= UINT32_MAX;
    return true;
}

// --- Instructions --------------------------------------------------------------------------------

// The current registers, those after the common part, and remembered ones.
struct machine {
    const struct cfi_program *program;
    struct cfi_bytes in;
    struct frame_row row, initial;
    struct frame_row saved[LIMIT_CFI_STATES];
    unsigned saved_count;
    uint64_t next; // where the row after this one starts
    bool has_next;
    bool has_initial; // the common part is done
};

// Registers that are not needed share a dummy place.
static struct frame_location *place_of(struct machine *machine, uint64_t number,
                                       struct frame_location *unused)
{
    return number < FRAME_REGISTERS ? &machine->row.registers[number] : unused;
}

static bool set(struct machine *machine, uint64_t number, enum frame_location_kind kind,
                uint64_t base, int64_t offset)
{
    struct frame_location unused;
    if (base >= FRAME_REGISTERS) {
        kind = FRAME_UNDEFINED;
        base = 0;
    }
    *place_of(machine, number, &unused) =
        (struct frame_location){.kind = (uint16_t)kind, .base = (uint16_t)base, .offset = offset};
    return true;
}

static bool set_factored(struct machine *machine, uint64_t number, enum frame_location_kind kind,
                         int64_t count)
{
    int64_t offset;
    return !__builtin_mul_overflow(count, machine->program->common->data_factor, &offset) &&
           set(machine, number, kind, 0, offset);
}

static bool restore(struct machine *machine, uint64_t number)
{
    if (number < FRAME_REGISTERS)
        machine->row.registers[number] = machine->initial.registers[number];
    return machine->has_initial;
}

// An expression stays where it is.
static bool set_expression(struct machine *machine, struct frame_location *place,
                           enum frame_location_kind kind)
{
    uint64_t length = cfi_read_uleb(&machine->in);
    if (length > (uint64_t)(machine->in.end - machine->in.at) || length > UINT32_MAX)
        return false;
    *place = (struct frame_location){.kind = (uint16_t)kind,
                                     .length = (uint32_t)length,
                                     .offset = machine->in.at - machine->program->expressions};
    machine->in.at += length;
    return true;
}

static bool set_cfa(struct machine *machine, uint64_t base, int64_t offset)
{
    machine->row.cfa =
        (struct frame_location){.kind = FRAME_REGISTER, .base = (uint16_t)base, .offset = offset};
    return base < FRAME_REGISTERS;
}

static bool recall(struct machine *machine)
{
    if (machine->saved_count == 0)
        return false;
    uint64_t start = machine->row.start;
    machine->row = machine->saved[--machine->saved_count];
    machine->row.start = start;
    return true;
}

static bool advance(struct machine *machine, uint64_t count)
{
    uint64_t delta;
    machine->has_next = true;
    return machine->has_initial &&
           !__builtin_mul_overflow(count, machine->program->common->code_factor, &delta) &&
           !__builtin_add_overflow(machine->row.start, delta, &machine->next);
}

static bool set_location(struct machine *machine)
{
    const struct cfi_program *program = machine->program;
    uint64_t place = program->place + (uint64_t)(machine->in.at - program->instructions.at);
    machine->has_next = true;
    return machine->has_initial &&
           cfi_read_pointer(&machine->in, program->common->pointer_encoding, program->address_bytes,
                            place, &machine->next) &&
           machine->next >= machine->row.start;
}

// Those that set a CFA; false for others, too.
static bool run_cfa(struct machine *machine, uint8_t code)
{
    struct cfi_bytes *in = &machine->in;
    int64_t factor = machine->program->common->data_factor, offset;
    uint64_t number;
    bool has_register = machine->row.cfa.kind == FRAME_REGISTER;
    switch (code) {
    case DW_CFA_def_cfa:
        number = cfi_read_uleb(in);
        return set_cfa(machine, number, (int64_t)cfi_read_uleb(in));
    case DW_CFA_def_cfa_sf:
        number = cfi_read_uleb(in);
        return !__builtin_mul_overflow(cfi_read_sleb(in), factor, &offset) &&
               set_cfa(machine, number, offset);
    case DW_CFA_def_cfa_register:
        return set_cfa(machine, cfi_read_uleb(in), machine->row.cfa.offset) && has_register;
    case DW_CFA_def_cfa_offset:
        machine->row.cfa.offset = (int64_t)cfi_read_uleb(in);
        return has_register;
    case DW_CFA_def_cfa_offset_sf:
        return !__builtin_mul_overflow(cfi_read_sleb(in), factor, &machine->row.cfa.offset) &&
               has_register;
    case DW_CFA_def_cfa_expression:
        return set_expression(machine, &machine->row.cfa, FRAME_VALUE_EXPRESSION);
    default:
        return false;
    }
}

// Those whose operands are a register and more; false for others, too.
static bool run_register(struct machine *machine, uint8_t code)
{
    struct cfi_bytes *in = &machine->in;
    uint64_t number = cfi_read_uleb(in);
    struct frame_location unused;
    switch (code) {
    case DW_CFA_undefined:
        return set(machine, number, FRAME_UNDEFINED, 0, 0);
    case DW_CFA_same_value:
        return set(machine, number, FRAME_SAME, 0, 0);
    case DW_CFA_restore_extended:
        return restore(machine, number);
    case DW_CFA_register:
        return set(machine, number, FRAME_REGISTER, cfi_read_uleb(in), 0);
    case DW_CFA_offset_extended:
        return set_factored(machine, number, FRAME_MEMORY, (int64_t)cfi_read_uleb(in));
    case DW_CFA_offset_extended_sf:
        return set_factored(machine, number, FRAME_MEMORY, cfi_read_sleb(in));
    case DW_CFA_GNU_negative_offset_extended:
        return set_factored(machine, number, FRAME_MEMORY, -(int64_t)cfi_read_uleb(in));
    case DW_CFA_val_offset:
        return set_factored(machine, number, FRAME_VALUE, (int64_t)cfi_read_uleb(in));
    case DW_CFA_val_offset_sf:
        return set_factored(machine, number, FRAME_VALUE, cfi_read_sleb(in));
    case DW_CFA_expression:
        return set_expression(machine, place_of(machine, number, &unused), FRAME_MEMORY_EXPRESSION);
    case DW_CFA_val_expression:
        return set_expression(machine, place_of(machine, number, &unused), FRAME_VALUE_EXPRESSION);
    default:
        return false;
    }
}

static bool run_extended(struct machine *machine, uint8_t code)
{
    struct cfi_bytes *in = &machine->in;
    switch (code) {
    case DW_CFA_nop:
        return true;
    case DW_CFA_set_loc:
        return set_location(machine);
    case DW_CFA_advance_loc1:
        return advance(machine, cfi_read_uint(in, 1));
    case DW_CFA_advance_loc2:
        return advance(machine, cfi_read_uint(in, 2));
    case DW_CFA_advance_loc4:
        return advance(machine, cfi_read_uint(in, 4));
    case DW_CFA_MIPS_advance_loc8:
        return advance(machine, cfi_read_uint(in, 8));
    case DW_CFA_remember_state:
        if (machine->saved_count == LIMIT_CFI_STATES)
            return false;
        machine->saved[machine->saved_count++] = machine->row;
        return true;
    case DW_CFA_restore_state:
        return recall(machine);
    case DW_CFA_GNU_args_size:
        cfi_read_uleb(in);
        return true;
    case CFA_NEGATE_RA_STATE:
    case CFA_NEGATE_RA_STATE_WITH_PC:
        machine->row.is_signed ^= true;
        return machine->program->is_aarch64;
    case DW_CFA_def_cfa:
    case DW_CFA_def_cfa_sf:
    case DW_CFA_def_cfa_register:
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
    case DW_CFA_def_cfa_expression:
        return run_cfa(machine, code);
    default:
        return run_register(machine, code);
    }
}

static bool run_one(struct machine *machine)
{
    uint8_t code = (uint8_t)cfi_read_uint(&machine->in, 1), low = code & 0x3f;
    switch (code & 0xc0) {
    case DW_CFA_advance_loc:
        return advance(machine, low);
    case DW_CFA_offset:
        return set_factored(machine, low, FRAME_MEMORY, (int64_t)cfi_read_uleb(&machine->in));
    case DW_CFA_restore:
        return restore(machine, low);
    default:
        return run_extended(machine, low);
    }
}

// Runs to the end of the row that contains `pc`, or of the instructions.
static bool run_to(struct machine *machine, uint64_t pc)
{
    while (machine->in.at < machine->in.end) {
        if (!run_one(machine) || machine->in.is_damaged)
            return false;
        if (machine->has_next && machine->next > pc)
            return true;
        if (machine->has_next)
            machine->row.start = machine->next;
        machine->has_next = false;
    }
    return true;
}

// Runs the common instructions. False: they are damaged or not known.
static bool begin(struct machine *machine, const struct cfi_program *program)
{
    const struct cfi_common *common = program->common;
    machine->program = program;
    machine->saved_count = 0;
    machine->has_initial = machine->has_next = false;
    machine->row = (struct frame_row){.start = program->start,
                                      .ra = common->ra,
                                      .is_signal = common->is_signal,
                                      .expressions = program->expressions,
                                      .is_big_endian = program->instructions.is_big_endian};
    machine->in = program->instructions;
    machine->in.at = common->instructions;
    machine->in.end = common->instructions_end;
    if (!run_to(machine, program->start))
        return false;
    machine->initial = machine->row;
    machine->has_initial = true;
    machine->in = program->instructions;
    return true;
}

// Runs to the end of the row that contains `pc`, which then is in machine->row.
static bool run_row(struct machine *machine, uint64_t pc)
{
    uint64_t end = machine->program->end;
    if (!run_to(machine, pc) || machine->row.cfa.kind == FRAME_UNSAID)
        return false;
    machine->row.end = machine->has_next ? u64_min(machine->next, end) : end;
    return true;
}

bool cfi_program_run(const struct cfi_program *program, uint64_t pc, struct frame_row *row)
{
    struct machine machine;
    if (!begin(&machine, program) || !run_row(&machine, pc))
        return false;
    *row = machine.row;
    return true;
}

bool cfi_program_rows(const struct cfi_program *program,
                      void (*take)(void *self, const struct frame_row *row), void *self)
{
    struct machine machine;
    if (!begin(&machine, program))
        return false;
    while (run_row(&machine, machine.row.start)) {
        take(self, &machine.row);
        if (machine.row.end == program->end)
            return true;
        machine.row.start = machine.next;
        machine.has_next = false;
    }
    return false;
}
