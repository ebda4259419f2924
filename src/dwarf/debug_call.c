// Arguments and results of calls.
//
// Where optimized code has an argument when a function is entered, DWARF says. Code without
// optimization says only where the prologue will store it; until then it is where the rules for
// calls pass it, which are a fact of the architecture (call_rules.h). So are results, of which
// DWARF has the type alone. Functions whose arguments the compiler changed (DW_CC_nocall, clang)
// follow no rules. Where flags of the image say how floating point is passed, and these do not say,
// it is unknown.
#include "dwarf/debug_value.h"
#include "dwarf/debug_values.h"

#include "base/fragile.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>

enum { UNIFORM_NUMBERS = 4 }; // members of a structure that is passed like single numbers

enum float_rule { FLOAT_IN_VECTORS, FLOAT_AS_INTEGERS, FLOAT_UNKNOWN };

// What the arguments so far took.
struct passing {
    struct debug_frame *frame;
    const struct call_rules *rules;
    enum float_rule floats;
    unsigned integers; // registers
    uint32_t vectors;  // a bit each
    uint64_t stack;    // bytes
};

static enum float_rule float_rule_of(const struct debug_info *info, const struct call_rules *rules)
{
    GElf_Ehdr header;
    if (!rules->hard_float)
        return FLOAT_IN_VECTORS;
    if (!gelf_getehdr(image_elf(debug_info_image(info)), &header))
        return FLOAT_UNKNOWN;
    return header.e_flags & rules->hard_float   ? FLOAT_IN_VECTORS
           : header.e_flags & rules->soft_float ? FLOAT_AS_INTEGERS
                                                : FLOAT_UNKNOWN;
}

// --- Types ---------------------------------------------------------------------------------------

// How a type is passed.
struct shape {
    unsigned uniform;      // how many floating-point numbers of one size it is; 0: something else
    uint64_t number_bytes; // of these
    uint64_t alignment;
    bool is_mixed; // it has something else
    bool is_composite;
};

static void add_shape(struct debug_frame *frame, const struct debug_type *type, unsigned depth,
                      struct shape *shape)
{
    Dwarf_Die die = type->die, child;
    uint64_t count = 1;
    if (depth == LIMIT_DEBUG_DEPTH || !debug_types_draw(&frame->types)) {
        shape->is_mixed = true;
        return;
    }
    switch (type->kind) {
    case DEBUG_FLOAT:
    case DEBUG_COMPLEX:
        count = type->kind == DEBUG_COMPLEX ? 2 : 1;
        if (shape->uniform && shape->number_bytes != type->size_bytes / count)
            shape->is_mixed = true;
        shape->number_bytes = type->size_bytes / count;
        shape->uniform += (unsigned)count;
        shape->alignment = u64_max(shape->alignment, shape->number_bytes);
        return;
    case DEBUG_ARRAY: {
        struct shape element = {0};
        add_shape(frame, debug_type_target(&frame->types, type), depth + 1, &element);
        shape->is_mixed |= element.is_mixed || !type->has_count ||
                           (element.uniform && type->count > UNIFORM_NUMBERS) ||
                           (shape->uniform && shape->number_bytes != element.number_bytes);
        shape->uniform += element.uniform * (unsigned)u64_min(type->count, UNIFORM_NUMBERS + 1);
        shape->number_bytes = element.number_bytes;
        shape->alignment = u64_max(shape->alignment, element.alignment);
        return;
    }
    case DEBUG_STRUCT: {
        bool is_union = dwarf_tag(&die) == DW_TAG_union_type;
        unsigned before = shape->uniform, most = before;
        int status = dwarf_child(&die, &child);
        for (; status == 0 && debug_types_draw(&frame->types);
             status = dwarf_siblingof(&child, &child)) {
            int tag = dwarf_tag(&child);
            if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
                continue;
            add_shape(frame, debug_type_of(&frame->types, &child), depth + 1, shape);
            most = shape->uniform > most ? shape->uniform : most;
            shape->uniform = is_union ? before : shape->uniform;
        }
        shape->uniform = most;
        return;
    }
    default:
        shape->is_mixed = true;
        shape->alignment = u64_max(shape->alignment, type->size_bytes);
    }
}

static struct shape shape_of(struct debug_frame *frame, const struct debug_type *type)
{
    struct shape shape = {.is_composite = type->kind == DEBUG_STRUCT || type->kind == DEBUG_ARRAY};
    add_shape(frame, type, 0, &shape);
    if (shape.is_mixed || shape.uniform > UNIFORM_NUMBERS)
        shape.uniform = 0;
    return shape;
}

// --- Registers -----------------------------------------------------------------------------------

static void read_part(struct debug_frame *frame, struct debug_value *value, uint64_t at,
                      uint64_t number, uint64_t size_bytes, bool is_low)
{
    uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES];
    if (at >= value->type->size_bytes) // damaged DWARF: members beyond the size
        return;
    size_t have = frame->point->read_register(frame->point->self, number, bytes);
    size_t size = (size_t)u64_min(size_bytes, value->type->size_bytes - at);
    if (have < size) {
        memset(value->states + at, DEBUG_UNAVAILABLE, size);
        return;
    }
    size_t from = frame->point->is_big_endian && is_low ? have - size : 0;
    memcpy(value->bytes + at, bytes + from, size);
    memset(value->states + at, DEBUG_KNOWN, size);
}

static bool read_pointer(struct debug_frame *frame, uint64_t number, uint64_t *address)
{
    uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES];
    size_t size = frame->point->read_register(frame->point->self, number, bytes);
    if (!size || size > 8)
        return false;
    *address = debug_load(frame, bytes, size);
    return true;
}

// Consecutive general registers from `first` on.
static struct debug_value in_integers(const struct passing *passing, const struct debug_type *type,
                                      unsigned first)
{
    const uint64_t word = passing->rules->word_bytes;
    struct debug_value value = debug_value_new(passing->frame, type, DEBUG_UNAVAILABLE);
    bool is_composite = type->kind == DEBUG_STRUCT || type->kind == DEBUG_ARRAY;
    for (uint64_t at = 0; !value.fault && at < type->size_bytes; at += word)
        read_part(passing->frame, &value, at, passing->rules->first_integer + first + at / word,
                  word, !is_composite);
    return value;
}

// Consecutive vector registers from `first` on, each with a number, or with a part of one.
static struct debug_value in_vectors(const struct passing *passing, const struct debug_type *type,
                                     const struct shape *shape, unsigned first)
{
    const struct call_rules *rules = passing->rules;
    const uint64_t each = rules->vector_bytes ? rules->vector_bytes : shape->number_bytes;
    struct debug_value value = debug_value_new(passing->frame, type, DEBUG_UNAVAILABLE);
    for (uint64_t at = 0; !value.fault && each && at < shape->uniform * shape->number_bytes;
         at += each)
        read_part(passing->frame, &value, at, rules->first_vector + first + at / each, each, true);
    return value;
}

static struct debug_value on_stack(struct passing *passing, const struct debug_type *type,
                                   uint64_t alignment)
{
    const uint64_t word = passing->rules->word_bytes;
    uint64_t sp;
    alignment = u64_max(word, u64_min(alignment, 16));
    passing->stack = (passing->stack + alignment - 1) / alignment * alignment;
    uint64_t at = passing->stack;
    passing->stack += (type->size_bytes + word - 1) / word * word;
    if (!read_pointer(passing->frame, passing->rules->sp, &sp))
        return debug_value_new(passing->frame, type, DEBUG_UNAVAILABLE);
    return debug_value_at(passing->frame, type, sp + at);
}

// Takes vector registers for the numbers. False: there are not enough.
static bool take_vectors(struct passing *passing, const struct shape *shape, unsigned *first)
{
    const struct call_rules *rules = passing->rules;
    unsigned step = !rules->vector_bytes || shape->number_bytes <= rules->vector_bytes ? 1 : 2;
    unsigned count = shape->uniform * step, all = rules->vectors;
    uint32_t mask = (UINT32_C(1) << count) - 1;
    unsigned from = 0;
    while (!rules->fills_gaps && from < all && passing->vectors >> from)
        from++;
    for (; from + count <= all; from += step) {
        if (passing->vectors & mask << from)
            continue;
        passing->vectors |= mask << from;
        *first = from;
        return true;
    }
    passing->vectors = UINT32_MAX;
    return false;
}

// The next argument by the rules.
static struct debug_value pass(struct passing *passing, const struct debug_type *type)
{
    struct debug_frame *frame = passing->frame;
    const struct call_rules *rules = passing->rules;
    struct shape shape = shape_of(frame, type);
    const uint64_t word = rules->word_bytes, last = rules->integers;
    unsigned first;
    if (!type->size_bytes)
        return debug_value_new(frame, type, DEBUG_UNAVAILABLE);
    if (shape.uniform && passing->floats == FLOAT_UNKNOWN)
        return debug_value_new(frame, type, DEBUG_UNAVAILABLE); // and all after it, see below
    if (shape.uniform && passing->floats == FLOAT_IN_VECTORS)
        return take_vectors(passing, &shape, &first) ? in_vectors(passing, type, &shape, first)
                                                     : on_stack(passing, type, shape.alignment);
    if (rules->by_reference && shape.is_composite && type->size_bytes > rules->by_reference) {
        uint64_t address;
        if (passing->integers == last) {
            const struct debug_type pointer = {.kind = DEBUG_POINTER, .size_bytes = word};
            struct debug_value place = on_stack(passing, &pointer, word);
            int64_t number;
            return debug_value_integer(frame, &place, &number)
                       ? debug_value_at(frame, type, (uint64_t)number)
                       : debug_value_new(frame, type, DEBUG_UNAVAILABLE);
        }
        return read_pointer(frame, rules->first_integer + passing->integers++, &address)
                   ? debug_value_at(frame, type, address)
                   : debug_value_new(frame, type, DEBUG_UNAVAILABLE);
    }
    uint64_t words = (type->size_bytes + word - 1) / word;
    if (shape.alignment == 2 * word)
        passing->integers += passing->integers & 1;
    if (words <= last && passing->integers + words <= last) {
        first = passing->integers;
        passing->integers += (unsigned)words;
        return in_integers(passing, type, first);
    }
    bool is_split = rules->splits && passing->integers < last && !passing->stack;
    first = passing->integers;
    passing->integers = (unsigned)last;
    if (!is_split)
        return on_stack(passing, type, shape.alignment);
    struct debug_value value = debug_value_new(frame, type, DEBUG_UNAVAILABLE);
    uint64_t at = 0, sp;
    for (; !value.fault && first < last; first++, at += word)
        read_part(frame, &value, at, rules->first_integer + first, word, false);
    passing->stack = (words * word) - at;
    if (!value.fault && read_pointer(frame, rules->sp, &sp)) {
        debug_frame_memory(frame, sp, (size_t)(type->size_bytes - at), value.bytes + at,
                           value.states + at);
        for (uint64_t i = at; i < type->size_bytes; i++)
            value.states[i] = value.states[i] ? DEBUG_KNOWN : DEBUG_UNAVAILABLE;
    }
    return value;
}

// --- Functions -----------------------------------------------------------------------------------

// Whether the location says only where the prologue stores the parameter.
static bool is_stored_later(Dwarf_Die *entry)
{
    Dwarf_Attribute location;
    Dwarf_Op *operations;
    size_t length;
    if (!dwarf_attr_integrate(entry, DW_AT_location, &location))
        return false;
    unsigned form = dwarf_whatform(&location);
    bool is_list = form == DW_FORM_sec_offset || form == DW_FORM_loclistx ||
                   form == DW_FORM_data4 || form == DW_FORM_data8;
    if (is_list || dwarf_getlocation(&location, &operations, &length) != 0 || !length)
        return false;
    uint8_t code = operations[0].atom;
    return code == DW_OP_fbreg || code == DW_OP_call_frame_cfa ||
           (code >= DW_OP_breg0 && code <= DW_OP_breg31);
}

static bool has_rules(Dwarf_Die *function)
{
    int64_t convention;
    return !debug_number(function, DW_AT_calling_convention, &convention) ||
           convention != DW_CC_nocall;
}

// The rules for calls that an image follows; NULL: they are not known.
static const struct call_rules *call_rules(const struct debug_frame *frame)
{
    const struct call_rules *rules = frame->point ? frame->point->calls : NULL;
    return rules && rules->machine == image_machine(debug_info_image(frame->info)) ? rules : NULL;
}

// Begins with the function that is entered at the point.
static bool begin(struct debug_frame *frame, struct debug_info *info,
                  const struct debug_point *point, uint64_t pc)
{
    Dwarf_Addr low;
    debug_frame_begin(frame, info, point, (pc - point->offset) & point->address_mask);
    // Of line tables alone, functions have no declarations.
    Dwarf_Attribute declared;
    if (call_rules(frame) && frame->scope_count &&
        dwarf_attr_integrate(&frame->scopes[0], DW_AT_decl_line, &declared) &&
        dwarf_lowpc(&frame->scopes[0], &low) == 0 && low == frame->pc)
        return true;
    debug_frame_end(frame);
    return false;
}

// Whether the result is in memory, which the caller provides.
static bool is_result_in_memory(const struct passing *passing, const struct debug_type *type)
{
    struct shape shape = shape_of(passing->frame, type);
    return shape.is_composite && !(shape.uniform && passing->floats == FLOAT_IN_VECTORS) &&
           type->size_bytes > passing->rules->result_bytes;
}

static bool is_variadic(struct debug_frame *frame, Dwarf_Die *function)
{
    Dwarf_Die child;
    int status = dwarf_child(function, &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
            return true;
    }
    return false;
}

// The rules for the parameters of the function of a frame; of the result, where it is in memory.
static struct passing rules_of(struct debug_frame *frame, bool *is_in_memory)
{
    Dwarf_Die *function = &frame->scopes[0];
    const struct call_rules *rules = call_rules(frame);
    struct passing passing = {
        .frame = frame, .rules = rules, .floats = float_rule_of(frame->info, rules)};
    if (rules->has_integer_variadics && is_variadic(frame, function))
        passing.floats = FLOAT_AS_INTEGERS;
    *is_in_memory = is_result_in_memory(&passing, debug_type_of(&frame->types, function));
    passing.integers = *is_in_memory && rules->takes_pointer;
    return passing;
}

bool debug_call_parameter(struct debug_frame *frame, Dwarf_Die *entry, struct debug_value *value)
{
    Dwarf_Die child;
    Dwarf_Addr low;
    bool is_in_memory, is_lost = false;
    if (!call_rules(frame) || dwarf_lowpc(&frame->scopes[0], &low) != 0 || low != frame->pc ||
        !has_rules(&frame->scopes[0]) || !is_stored_later(entry))
        return false;
    struct passing passing = rules_of(frame, &is_in_memory);
    int status = dwarf_child(&frame->scopes[0], &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        const struct debug_type *type = debug_type_of(&frame->types, &child);
        *value = pass(&passing, type);
        is_lost |= passing.floats == FLOAT_UNKNOWN && shape_of(frame, type).uniform;
        if (dwarf_dieoffset(&child) == dwarf_dieoffset(entry))
            return !is_lost;
    }
    return false;
}

// A function is looked at for the end of its prologue this far.
enum { PROLOGUE_BYTES = 128 };

bool debug_is_early(struct debug_frame *frame, Dwarf_Die *entry)
{
    Dwarf_Attribute location;
    Dwarf_Addr low;
    struct source_location first, here;
    struct lines *lines = debug_info_lines(frame->info);
    if (dwarf_lowpc(&frame->scopes[0], &low) != 0 || frame->pc < low ||
        frame->pc - low > PROLOGUE_BYTES || !dwarf_attr_integrate(entry, DW_AT_location, &location))
        return false;
    int form = (int)dwarf_whatform(&location);
    if (form != DW_FORM_exprloc && form != DW_FORM_block1 && form != DW_FORM_block &&
        form != DW_FORM_block2 && form != DW_FORM_block4)
        return false;
    if (!lines_find(lines, low, &first))
        return false;
    for (uint64_t pc = low + 2; pc <= frame->pc; pc += 2) {
        if (lines_find(lines, pc, &here) &&
            (here.line != first.line || here.column != first.column))
            return false;
    }
    return true;
}

bool debug_call_arguments(struct debug_info *info, const struct debug_point *point, struct out *out,
                          uint64_t *result_address)
{
    FRAGILE_BLOCK;
    struct debug_frame frame;
    struct passing passing;
    Dwarf_Die child;
    bool is_first = true, is_lost = false;
    if (!begin(&frame, info, point, point->pc))
        return false;
    Dwarf_Die *function = &frame.scopes[0];
    const bool follows_rules = has_rules(function);
    bool is_in_memory;
    passing = rules_of(&frame, &is_in_memory);
    *result_address = UINT64_MAX;
    if (is_in_memory && !read_pointer(&frame, passing.rules->result_pointer, result_address))
        *result_address = UINT64_MAX;
    int status = dwarf_child(function, &child);
    for (; status == 0 && debug_types_draw(&frame.types);
         status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        const struct debug_type *type = debug_type_of(&frame.types, &child);
        const char *name = debug_name(&child);
        struct debug_value value = pass(&passing, type);
        // What follows an argument of which the place is not known has no known place, either.
        is_lost |= passing.floats == FLOAT_UNKNOWN && shape_of(&frame, type).uniform;
        if (!is_stored_later(&child))
            value = debug_variable(&frame, &child);
        else if (!follows_rules || is_lost)
            value = debug_value_new(&frame, type, DEBUG_UNAVAILABLE);
        out_text(out, is_first ? "" : ", ");
        out_text(out, name ? name : "");
        out_text(out, name ? "=" : "");
        debug_print(&frame, &value, false, out);
        is_first = false;
    }
    if (frame.types.lacks_memory)
        out->error_number = ENOMEM;
    debug_frame_end(&frame);
    return true;
}

bool debug_call_result(struct debug_info *info, const struct debug_point *point, uint64_t function,
                       uint64_t result_address, struct out *out)
{
    FRAGILE_BLOCK;
    struct debug_frame frame;
    struct passing passing;
    if (!begin(&frame, info, point, function))
        return false;
    const struct debug_type *type = debug_type_of(&frame.types, &frame.scopes[0]);
    struct shape shape = shape_of(&frame, type);
    struct debug_value value;
    bool is_known = has_rules(&frame.scopes[0]);
    if (type->kind == DEBUG_VOID) {
        debug_frame_end(&frame);
        return true;
    }
    bool is_in_memory;
    passing = rules_of(&frame, &is_in_memory);
    if (!is_known || (shape.uniform && passing.floats == FLOAT_UNKNOWN))
        value = debug_value_new(&frame, type, DEBUG_UNAVAILABLE);
    else if (is_in_memory)
        value = result_address == UINT64_MAX ? debug_value_new(&frame, type, DEBUG_UNAVAILABLE)
                                             : debug_value_at(&frame, type, result_address);
    else if (shape.uniform && passing.floats == FLOAT_IN_VECTORS)
        value = in_vectors(&passing, type, &shape, 0);
    else
        value = in_integers(&passing, type, 0);
    debug_print(&frame, &value, false, out);
    if (frame.types.lacks_memory)
        out->error_number = ENOMEM;
    debug_frame_end(&frame);
    return true;
}
