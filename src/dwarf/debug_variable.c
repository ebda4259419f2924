// The values of names in DWARF: where a variable is, by location descriptions (DWARF 5, 2.6), or
// what it is, if it is a constant or a function.
//
// Operations are decoded by libdw and run here: in at most LIMIT_EXPRESSION_STEPS steps, on a stack
// of LIMIT_EXPRESSION_STACK numbers.
#include "dwarf/debug_value.h"

#include <dwarf.h>

enum end {
    FINE,
    NOT_KNOWN, // a needed register or memory is unknown
    NOWHERE,   // known only to the caller, or not at all
    IN_THREAD, // thread-local storage
    BAD,
};

enum place_kind { IN_MEMORY, IN_REGISTER, ON_STACK, IMPLICIT, LOST };

struct place {
    enum place_kind kind;
    uint64_t number; // address, register or value
    Dwarf_Block block;
    uint64_t bits; // of a piece; 0: all the rest
};

struct machine {
    struct debug_frame *frame;
    Dwarf_Attribute attribute; // of the expression
    const Dwarf_Op *operations;
    size_t count, at;
    uint64_t stack[LIMIT_EXPRESSION_STACK];
    size_t depth;
    bool is_base; // the expression is a frame base, which must not need one
    struct place place;
    struct place pieces[LIMIT_DEBUG_PIECES];
    size_t piece_count;
};

static enum end run(struct machine *machine);

static enum end push(struct machine *machine, uint64_t value)
{
    if (machine->depth == LIMIT_EXPRESSION_STACK)
        return BAD;
    machine->stack[machine->depth++] = value & machine->frame->point->address_mask;
    return FINE;
}

static bool pop(struct machine *machine, uint64_t *value)
{
    if (!machine->depth)
        return false;
    *value = machine->stack[--machine->depth];
    return true;
}

static enum end push_register(struct machine *machine, uint64_t number, int64_t offset)
{
    uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES];
    const struct debug_point *point = machine->frame->point;
    size_t size = point->read_register(point->self, number, bytes);
    if (!size || size > 8)
        return NOT_KNOWN;
    return push(machine, debug_load(machine->frame, bytes, size) + (uint64_t)offset);
}

static enum end push_memory(struct machine *machine, uint64_t size_bytes)
{
    uint8_t bytes[8], known[8];
    uint64_t address;
    if (!pop(machine, &address) || size_bytes == 0 || size_bytes > sizeof bytes)
        return BAD;
    debug_frame_memory(machine->frame, address, (size_t)size_bytes, bytes, known);
    if (memchr(known, 0, (size_t)size_bytes))
        return NOT_KNOWN;
    return push(machine, debug_load(machine->frame, bytes, (size_t)size_bytes));
}

// --- Other expressions ---------------------------------------------------------------------------

// The frame base of the function: the value of a register, or an address.
static enum end frame_base(struct machine *machine, uint64_t *base)
{
    struct debug_frame *frame = machine->frame;
    Dwarf_Attribute found;
    Dwarf_Op *operations;
    size_t length;
    if (machine->is_base || !frame->scope_count ||
        !dwarf_attr_integrate(&frame->scopes[0], DW_AT_frame_base, &found) ||
        dwarf_getlocation_addr(&found, frame->pc, &operations, &length, 1) != 1)
        return BAD;
    struct machine inner = {.frame = frame, .attribute = found, .is_base = true};
    inner.operations = operations;
    inner.count = length;
    enum end end = run(&inner);
    if (end != FINE)
        return end;
    if (inner.place.kind == IN_REGISTER) {
        inner.depth = 0;
        end = push_register(&inner, inner.place.number, 0);
        *base = end == FINE ? inner.stack[0] : 0;
        return end;
    }
    *base = inner.place.number;
    return inner.place.kind == IN_MEMORY || inner.place.kind == ON_STACK ? FINE : BAD;
}

// --- Operations ----------------------------------------------------------------------------------

static int64_t signed_of(const struct machine *machine, uint64_t value)
{
    return machine->frame->types.address_bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static enum end divide(struct machine *machine, uint64_t left, uint64_t right, bool is_rest)
{
    int64_t a = signed_of(machine, left), b = signed_of(machine, right);
    if (!right)
        return BAD;
    if (is_rest)
        return push(machine, left % right);
    return push(machine, b == -1 ? 0 - left : (uint64_t)(a / b));
}

static uint64_t shifted(const struct machine *machine, uint8_t code, uint64_t left, uint64_t right)
{
    int64_t a = signed_of(machine, left);
    if (right > 63)
        return code == DW_OP_shra && a < 0 ? UINT64_MAX : 0;
    if (code == DW_OP_shl)
        return left << right;
    return code == DW_OP_shr ? left >> right : (uint64_t)(a >> right);
}

static enum end compare(struct machine *machine, uint8_t code, uint64_t left, uint64_t right)
{
    int64_t a = signed_of(machine, left), b = signed_of(machine, right);
    switch (code) {
    case DW_OP_eq:
        return push(machine, a == b);
    case DW_OP_ne:
        return push(machine, a != b);
    case DW_OP_lt:
        return push(machine, a < b);
    case DW_OP_le:
        return push(machine, a <= b);
    case DW_OP_gt:
        return push(machine, a > b);
    default:
        return push(machine, a >= b);
    }
}

static enum end run_binary(struct machine *machine, uint8_t code)
{
    uint64_t left, right;
    if (!pop(machine, &right) || !pop(machine, &left))
        return BAD;
    switch (code) {
    case DW_OP_and:
        return push(machine, left & right);
    case DW_OP_or:
        return push(machine, left | right);
    case DW_OP_xor:
        return push(machine, left ^ right);
    case DW_OP_plus:
        return push(machine, left + right);
    case DW_OP_minus:
        return push(machine, left - right);
    case DW_OP_mul:
        return push(machine, left * right);
    case DW_OP_div:
    case DW_OP_mod:
        return divide(machine, left, right, code == DW_OP_mod);
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
        return push(machine, shifted(machine, code, left, right));
    default:
        return compare(machine, code, left, right);
    }
}

static enum end run_unary(struct machine *machine, const Dwarf_Op *operation)
{
    uint64_t value;
    if (!pop(machine, &value))
        return BAD;
    switch (operation->atom) {
    case DW_OP_abs:
        return push(machine, signed_of(machine, value) < 0 ? 0 - value : value);
    case DW_OP_neg:
        return push(machine, 0 - value);
    case DW_OP_not:
        return push(machine, ~value);
    default: // DW_OP_plus_uconst
        return push(machine, value + operation->number);
    }
}

static enum end pick(struct machine *machine, uint64_t from_top)
{
    return from_top < machine->depth ? push(machine, machine->stack[machine->depth - 1 - from_top])
                                     : BAD;
}

static enum end rotate(struct machine *machine, size_t count)
{
    if (machine->depth < count)
        return BAD;
    uint64_t *bottom = machine->stack + machine->depth - count, top = bottom[count - 1];
    memmove(bottom + 1, bottom, (count - 1) * sizeof *bottom);
    *bottom = top;
    return FINE;
}

// Jumps to the operation at an offset from this one.
static enum end jump(struct machine *machine, const Dwarf_Op *operation)
{
    enum { OPERATION_BYTES = 3 };
    uint64_t wanted = operation->offset + OPERATION_BYTES + (uint64_t)(int16_t)operation->number;
    for (size_t i = 0; i < machine->count; i++) {
        if (machine->operations[i].offset == wanted) {
            machine->at = i;
            return FINE;
        }
    }
    machine->at = machine->count; // the end is a place, too
    return wanted > machine->operations[machine->count - 1].offset ? FINE : BAD;
}

static enum end run_stack(struct machine *machine, const Dwarf_Op *operation)
{
    uint64_t value;
    switch (operation->atom) {
    case DW_OP_dup:
        return pick(machine, 0);
    case DW_OP_over:
        return pick(machine, 1);
    case DW_OP_pick:
        return pick(machine, operation->number);
    case DW_OP_drop:
        return pop(machine, &value) ? FINE : BAD;
    case DW_OP_swap:
        return rotate(machine, 2);
    case DW_OP_rot:
        return rotate(machine, 3);
    case DW_OP_skip:
        return jump(machine, operation);
    case DW_OP_bra:
        if (!pop(machine, &value))
            return BAD;
        return value ? jump(machine, operation) : FINE;
    default:
        return operation->atom == DW_OP_nop ? FINE : BAD;
    }
}

// --- Places --------------------------------------------------------------------------------------

static enum end set_place(struct machine *machine, enum place_kind kind, uint64_t number)
{
    machine->place = (struct place){.kind = kind, .number = number};
    machine->depth = 0;
    return FINE;
}

static enum end add_piece(struct machine *machine, const Dwarf_Op *operation)
{
    bool is_bits = operation->atom == DW_OP_bit_piece;
    if (machine->piece_count == LIMIT_DEBUG_PIECES || (is_bits && operation->number2 != 0))
        return BAD;
    if (machine->depth)
        set_place(machine, IN_MEMORY, machine->stack[machine->depth - 1]);
    struct place *piece = &machine->pieces[machine->piece_count++];
    *piece = machine->place;
    piece->bits = is_bits ? operation->number : 8 * operation->number;
    set_place(machine, LOST, 0);
    return piece->bits % 8 || operation->number > LIMIT_DEBUG_VALUE_BYTES ? BAD : FINE;
}

static enum end run_place(struct machine *machine, const Dwarf_Op *operation)
{
    uint64_t value;
    switch (operation->atom) {
    case DW_OP_regx:
        return set_place(machine, IN_REGISTER, operation->number);
    case DW_OP_stack_value:
        return pop(machine, &value) ? set_place(machine, ON_STACK, value) : BAD;
    case DW_OP_implicit_value:
        set_place(machine, IMPLICIT, 0);
        return dwarf_getlocation_implicit_value(&machine->attribute, operation,
                                                &machine->place.block) == 0
                   ? FINE
                   : BAD;
    case DW_OP_piece:
    case DW_OP_bit_piece:
        return add_piece(machine, operation);
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        return NOWHERE;
    case DW_OP_form_tls_address:
    case DW_OP_GNU_push_tls_address:
        return IN_THREAD;
    default:
        return run_stack(machine, operation);
    }
}

// The address or constant at an index into .debug_addr, which libdw looks up.
static enum end push_indexed(struct machine *machine, const Dwarf_Op *operation)
{
    bool is_address = operation->atom == DW_OP_addrx || operation->atom == DW_OP_GNU_addr_index;
    Dwarf_Attribute found;
    Dwarf_Word number = 0;
    if (dwarf_getlocation_attr(&machine->attribute, operation, &found) != 0)
        return BAD;
    if (!is_address)
        return dwarf_formudata(&found, &number) == 0 ? push(machine, number) : BAD;
    return dwarf_formaddr(&found, &number) == 0
               ? push(machine, number + machine->frame->point->offset)
               : BAD;
}

static bool is_binary(uint8_t code)
{
    return (code >= DW_OP_and && code <= DW_OP_xor && code != DW_OP_abs && code != DW_OP_neg &&
            code != DW_OP_not && code != DW_OP_plus_uconst) ||
           (code >= DW_OP_eq && code <= DW_OP_ne);
}

static enum end run_one(struct machine *machine, const Dwarf_Op *operation)
{
    uint8_t code = operation->atom;
    uint64_t base = 0;
    enum end end;
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
        return push(machine, code - DW_OP_lit0);
    if (code >= DW_OP_reg0 && code <= DW_OP_reg31)
        return set_place(machine, IN_REGISTER, code - DW_OP_reg0);
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
        return push_register(machine, code - DW_OP_breg0, (int64_t)operation->number);
    if (code >= DW_OP_const1u && code <= DW_OP_consts)
        return push(machine, operation->number);
    if (is_binary(code))
        return run_binary(machine, code);
    switch (code) {
    case DW_OP_addr:
        return push(machine, operation->number + machine->frame->point->offset);
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return push_indexed(machine, operation);
    case DW_OP_bregx:
        return push_register(machine, operation->number, (int64_t)operation->number2);
    case DW_OP_fbreg:
        end = frame_base(machine, &base);
        return end == FINE ? push(machine, base + operation->number) : end;
    case DW_OP_call_frame_cfa:
        return debug_frame_cfa(machine->frame, &base) ? push(machine, base) : NOT_KNOWN;
    case DW_OP_deref:
        return push_memory(machine, machine->frame->types.address_bytes);
    case DW_OP_deref_size:
        return push_memory(machine, operation->number);
    case DW_OP_abs:
    case DW_OP_neg:
    case DW_OP_not:
    case DW_OP_plus_uconst:
        return run_unary(machine, operation);
    default:
        return run_place(machine, operation);
    }
}

static enum end run(struct machine *machine)
{
    machine->place.kind = LOST;
    for (unsigned steps = 0; machine->at < machine->count; steps++) {
        const Dwarf_Op *operation = &machine->operations[machine->at++];
        if (steps == LIMIT_EXPRESSION_STEPS || !debug_types_draw(&machine->frame->types))
            return BAD;
        enum end end = run_one(machine, operation);
        if (end != FINE)
            return end;
    }
    if (machine->depth)
        set_place(machine, IN_MEMORY, machine->stack[machine->depth - 1]);
    return FINE;
}

// --- Values --------------------------------------------------------------------------------------

// Takes the low end of a number or a register, which may be wider than the value.
static void take_low(const struct debug_frame *frame, const uint8_t *from, size_t from_bytes,
                     uint8_t *bytes, uint8_t *states, size_t size_bytes)
{
    size_t count = size_bytes < from_bytes ? size_bytes : from_bytes;
    bool is_big = frame->point->is_big_endian;
    memcpy(is_big ? bytes + (size_bytes - count) : bytes,
           is_big ? from + (from_bytes - count) : from, count);
    memset(states, DEBUG_KNOWN, size_bytes);
}

static void read_place(struct debug_frame *frame, const struct place *place, uint8_t *bytes,
                       uint8_t *states, size_t size_bytes)
{
    uint8_t from[LIMIT_DEBUG_REGISTER_BYTES];
    size_t known;
    switch (place->kind) {
    case IN_MEMORY:
        debug_frame_memory(frame, place->number, size_bytes, bytes, states);
        for (size_t i = 0; i < size_bytes; i++)
            states[i] = states[i] ? DEBUG_KNOWN : DEBUG_UNAVAILABLE;
        return;
    case IN_REGISTER:
        known = frame->point->read_register(frame->point->self, place->number, from);
        if (known >= size_bytes)
            take_low(frame, from, known, bytes, states, size_bytes);
        else
            memset(states, DEBUG_UNAVAILABLE, size_bytes);
        return;
    case ON_STACK:
        debug_store(frame, place->number, from, 8);
        take_low(frame, from, 8, bytes, states, size_bytes);
        return;
    case IMPLICIT:
        known = (size_t)u64_min(size_bytes, place->block.length);
        memcpy(bytes, place->block.data, known);
        memset(states, DEBUG_KNOWN, known);
        return;
    default:
        return; // stays optimized out
    }
}

static struct debug_value not_there(struct debug_frame *frame, const struct debug_type *type,
                                    enum end end)
{
    if (end == NOT_KNOWN)
        return debug_value_new(frame, type, DEBUG_UNAVAILABLE);
    struct debug_value value = debug_value_new(frame, type, DEBUG_OPTIMIZED);
    if (end == IN_THREAD)
        value.fault = "the location of thread-local storage is unknown";
    else if (end == BAD)
        value.fault = "its location cannot be read";
    return value;
}

// --- Constants and functions ---------------------------------------------------------------------

static struct debug_value constant_of(struct debug_frame *frame, Dwarf_Die *entry,
                                      const struct debug_type *type)
{
    Dwarf_Attribute found;
    Dwarf_Block block;
    int64_t number;
    if (debug_number(entry, DW_AT_const_value, &number))
        return debug_value_number(frame, type, (uint64_t)number);
    struct debug_value value = debug_value_new(frame, type, DEBUG_OPTIMIZED);
    if (!value.fault &&
        dwarf_formblock(dwarf_attr_integrate(entry, DW_AT_const_value, &found), &block) == 0) {
        size_t count = (size_t)u64_min(block.length, type->size_bytes);
        memcpy(value.bytes, block.data, count);
        memset(value.states, DEBUG_KNOWN, count);
    }
    return value;
}

struct debug_value debug_variable(struct debug_frame *frame, Dwarf_Die *entry)
{
    Dwarf_Attribute found;
    Dwarf_Addr start;
    int tag = dwarf_tag(entry);
    if (tag == DW_TAG_subprogram) {
        const struct debug_type *function = debug_type_at(&frame->types, entry);
        return dwarf_lowpc(entry, &start) == 0
                   ? debug_value_at(frame, function, start + frame->point->offset)
                   : debug_value_new(frame, function, DEBUG_OPTIMIZED);
    }
    const struct debug_type *type = debug_type_of(&frame->types, entry);
    if (tag == DW_TAG_enumerator) {
        static const struct debug_type plain = {
            .kind = DEBUG_INTEGER, .is_signed = true, .name = "int", .size_bytes = 4};
        return constant_of(frame, entry, &plain);
    }
    if (dwarf_attr_integrate(entry, DW_AT_const_value, &found))
        return constant_of(frame, entry, type);
    struct machine machine = {.frame = frame};
    Dwarf_Op *operations;
    size_t length;
    if (!dwarf_attr_integrate(entry, DW_AT_location, &machine.attribute) ||
        dwarf_getlocation_addr(&machine.attribute, frame->pc, &operations, &length, 1) != 1 ||
        length == 0)
        return not_there(frame, type, NOWHERE);
    machine.operations = operations;
    machine.count = length;
    enum end end = run(&machine);
    if (end != FINE)
        return not_there(frame, type, end);
    if (machine.piece_count == 0 && machine.place.kind == IN_MEMORY)
        return debug_value_at(machine.frame, type, machine.place.number);
    struct debug_value value = debug_value_new(machine.frame, type, DEBUG_OPTIMIZED);
    if (value.fault)
        return value;
    if (!machine.piece_count && machine.place.kind == IN_REGISTER) {
        value.has_register = true;
        value.register_number = machine.place.number;
    }
    if (machine.piece_count) {
        size_t size = (size_t)value.type->size_bytes, at = 0;
        for (size_t i = 0; i < machine.piece_count && at < size; i++) {
            const struct place *piece = &machine.pieces[i];
            size_t count = (size_t)u64_min(piece->bits / 8, size - at);
            read_place(machine.frame, piece, value.bytes + at, value.states + at, count);
            at += count;
        }
    } else
        read_place(machine.frame, &machine.place, value.bytes, value.states,
                   (size_t)type->size_bytes);
    return value;
}
