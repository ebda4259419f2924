// Values as GDB prints those of C: {x = 1, y = 2}, 0x404010 <counter>, "text", '\000' <repeats 12
// times>.
#include "dwarf/debug_value.h"

#include <dwarf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct printer {
    struct debug_frame *frame;
    struct out *out;
    unsigned depth;
    uint64_t statics[32]; // addresses of structures that are static members, shown so far
    size_t static_count;
};

static void put(struct printer *printer, const struct debug_value *value, bool is_whole);

static void put_error(struct printer *printer, const char *text)
{
    out_text(printer->out, "<error: ");
    out_text(printer->out, text);
    out_byte(printer->out, '>');
}

// --- Text ----------------------------------------------------------------------------------------

// Characters that are not printable ASCII are escaped.

static void put_unit(struct out *out, uint32_t unit, size_t unit_bytes, char quote)
{
    static const char escapes[] = "abtnvfr"; // from 7 on
    unit &= unit_bytes < 4 ? (UINT32_C(1) << 8 * unit_bytes) - 1 : UINT32_MAX;
    if (unit >= 7 && unit <= 13) {
        out_byte(out, '\\');
        out_byte(out, escapes[unit - 7]);
    } else if (unit >= ' ' && unit < 0x7f) {
        if (unit == (uint32_t)quote || unit == '\\')
            out_byte(out, '\\');
        out_byte(out, (char)unit);
    } else {
        // Each byte of a character in octal.
        for (size_t i = 0; i < unit_bytes; i++) {
            uint32_t byte = unit >> 8 * i & 0xff;
            bool is_rest = i > 0 && unit >> 8 * i == 0; // the first says it
            if (is_rest)
                break;
            out_byte(out, '\\');
            out_byte(out, (char)('0' + (byte >> 6)));
            out_byte(out, (char)('0' + (byte >> 3 & 7)));
            out_byte(out, (char)('0' + (byte & 7)));
        }
    }
}

// 'a', '\n', L'\000'. `unit_bytes` is the size of a character.
static void put_character(struct out *out, uint32_t unit, size_t unit_bytes, const char *prefix)
{
    out_text(out, prefix);
    out_byte(out, '\'');
    put_unit(out, unit, unit_bytes, '\'');
    out_byte(out, '\'');
}

// "text", '\000' <repeats 12 times>, ... and "..." after LIMIT_DEBUG_ELEMENTS characters, or if
// `goes_on`.
static void put_string(struct out *out, const uint32_t *units, size_t count, size_t unit_bytes,
                       const char *prefix, bool goes_on)
{
    bool is_open = false;
    size_t at = 0;
    while (at < count && at < LIMIT_DEBUG_ELEMENTS) {
        size_t alike = 1;
        while (at + alike < count && units[at + alike] == units[at])
            alike++;
        bool is_counted = alike > LIMIT_DEBUG_REPEATS;
        if (is_counted) {
            out_text(out, is_open ? "\", " : at ? ", " : "");
            put_character(out, units[at], unit_bytes, prefix);
            out_text(out, " <repeats ");
            out_u64(out, alike);
            out_text(out, " times>");
        } else if (!is_open) {
            out_text(out, at ? ", " : "");
            out_text(out, prefix);
            out_byte(out, '"');
        }
        for (size_t i = 0; i < alike && !is_counted; i++)
            put_unit(out, units[at], unit_bytes, '"');
        is_open = !is_counted;
        at += alike;
    }
    if (!count) {
        out_text(out, prefix);
        out_text(out, "\"");
    }
    out_text(out, is_open || !count ? "\"" : "");
    out_text(out, goes_on || at < count ? "..." : "");
}

// --- Numbers -------------------------------------------------------------------------------------

static void put_signed(struct out *out, int64_t number)
{
    if (number < 0)
        out_byte(out, '-');
    out_u64(out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void put_integer(struct printer *printer, const struct debug_value *value)
{
    const char *prefix;
    int64_t number;
    if (!debug_value_integer(printer->frame, value, &number)) {
        if (value->type->size_bytes == 16) {
            // Writes a number of 16 bytes.
            const struct debug_frame *frame = printer->frame;
            bool is_big = frame->point->is_big_endian;
            uint64_t low = debug_load(frame, value->bytes + (is_big ? 8 : 0), 8);
            uint64_t high = debug_load(frame, value->bytes + (is_big ? 0 : 8), 8);
            __extension__ unsigned __int128 rest = high;
            char digits[40];
            size_t count = sizeof digits;
            bool is_negative = value->type->is_signed && high >> 63;
            rest = rest << 64 | low;
            rest = is_negative ? 0 - rest : rest;
            do {
                digits[--count] = (char)('0' + (unsigned)(rest % 10));
                rest /= 10;
            } while (rest);
            out_text(printer->out, is_negative ? "-" : "");
            out_bytes(printer->out, digits + count, sizeof digits - count);
        } else
            put_error(printer, "an integer of unknown size");
        return;
    }
    if (value->type->is_signed)
        put_signed(printer->out, number);
    else
        out_u64(printer->out, (uint64_t)number);
    if (value->bit_size || !debug_type_is_text(value->type, &prefix))
        return;
    out_byte(printer->out, ' ');
    put_character(printer->out, (uint32_t)number, (size_t)value->type->size_bytes, prefix);
}

static void put_bool(struct printer *printer, const struct debug_value *value)
{
    int64_t number = 0;
    debug_value_integer(printer->frame, value, &number);
    if (number == 0 || number == 1)
        out_text(printer->out, number ? "true" : "false");
    else
        put_signed(printer->out, number);
}

// "nan(0x8000000000000)", "-inf". False: it is an ordinary number.
static bool put_special(struct out *out, bool is_negative, bool is_special, uint64_t mantissa)
{
    if (!is_special)
        return false;
    out_text(out, is_negative ? "-" : "");
    if (!mantissa) {
        out_text(out, "inf");
        return true;
    }
    out_text(out, "nan(0x");
    out_hex(out, mantissa, 1);
    out_byte(out, ')');
    return true;
}

// Writes a number of IEEE 754 with these sizes.
static void put_binary(struct out *out, uint64_t bits, unsigned exponent_bits,
                       unsigned mantissa_bits)
{
    char text[64];
    uint64_t mantissa = bits & ((UINT64_C(1) << mantissa_bits) - 1);
    uint64_t top = (UINT64_C(1) << exponent_bits) - 1, exponent = bits >> mantissa_bits & top;
    bool is_negative = bits >> (mantissa_bits + exponent_bits) & 1;
    if (put_special(out, is_negative, exponent == top, mantissa))
        return;
    int scale = (int)(exponent ? exponent : 1) - (int)(top >> 1) - (int)mantissa_bits;
    double number =
        ldexp((double)(exponent ? mantissa | UINT64_C(1) << mantissa_bits : mantissa), scale);
    snprintf(text, sizeof text, "%.*g", (int)(2 + (mantissa_bits + 1) * 0.30103),
             is_negative ? -number : number);
    out_text(out, text);
}

// The 80 bits of an x87.
static void put_extended(struct out *out, const uint8_t bytes[10])
{
    char text[64];
    uint64_t mantissa = 0;
    unsigned exponent = bytes[8] | (bytes[9] & 0x7fu) << 8;
    bool is_negative = bytes[9] >> 7;
    for (unsigned i = 8; i-- > 0;)
        mantissa = mantissa << 8 | bytes[i];
    if (put_special(out, is_negative, exponent == 0x7fff, mantissa & INT64_MAX))
        return;
    long double number = ldexpl((long double)mantissa, (int)(exponent ? exponent : 1) - 16383 - 63);
    snprintf(text, sizeof text, "%.21Lg", is_negative ? -number : number);
    out_text(out, text);
}

static void put_float_of(struct printer *printer, const struct debug_type *type,
                         const uint8_t *bytes, uint64_t size_bytes)
{
    struct debug_frame *frame = printer->frame;
    if (size_bytes == 16 && debug_put_long_double(frame, type, bytes, printer->out))
        return;
    if (size_bytes == 2)
        put_binary(printer->out, debug_load(frame, bytes, 2), 5, 10);
    else if (size_bytes == 4)
        put_binary(printer->out, debug_load(frame, bytes, 4), 8, 23);
    else if (size_bytes == 8)
        put_binary(printer->out, debug_load(frame, bytes, 8), 11, 52);
    else if ((size_bytes == 10 || size_bytes == 12 || size_bytes == 16) && frame->types.is_x86)
        put_extended(printer->out, bytes);
    else
        put_error(printer, "a floating-point number of unknown format");
}

// --- Enumerations --------------------------------------------------------------------------------

// Whether an enumerator consists of adjacent bits, so that a value may combine several of them.
static bool is_flag(int64_t number)
{
    uint64_t bits = (uint64_t)number;
    if (number < 0)
        return false;
    bits = bits ? bits >> __builtin_ctzll(bits) : 0;
    return (bits & (bits + 1)) == 0;
}

static bool next_enumerator(struct printer *printer, Dwarf_Die *enumeration, Dwarf_Die *at,
                            bool *is_begun, int64_t *number)
{
    int status = *is_begun ? dwarf_siblingof(at, at) : dwarf_child(enumeration, at);
    *is_begun = true;
    for (; status == 0 && debug_types_draw(&printer->frame->types);
         status = dwarf_siblingof(at, at)) {
        if (dwarf_tag(at) == DW_TAG_enumerator && debug_number(at, DW_AT_const_value, number))
            return true;
    }
    return false;
}

static void put_name(struct out *out, const char *name)
{
    out_text(out, name ? name : "?");
}

// "(READ | unknown: 0x8)"
static void put_flags(struct printer *printer, Dwarf_Die *enumeration, uint64_t number)
{
    struct out *out = printer->out;
    Dwarf_Die at;
    bool is_begun = false, is_first = true;
    int64_t flag;
    if (number == 0) {
        out_byte(out, '0');
        return;
    }
    while (next_enumerator(printer, enumeration, &at, &is_begun, &flag)) {
        if (!(number & (uint64_t)flag))
            continue;
        out_text(out, is_first ? "(" : " | ");
        put_name(out, debug_name(&at));
        number &= ~(uint64_t)flag;
        is_first = false;
    }
    if (number) {
        out_text(out, is_first ? "(unknown: 0x" : " | unknown: 0x");
        out_hex(out, number, 1);
    }
    out_byte(out, ')');
}

static void put_enum(struct printer *printer, const struct debug_value *value)
{
    Dwarf_Die enumeration = value->type->die, at;
    bool is_begun = false, are_flags = true, has_negative = false;
    int64_t number, other;
    if (!debug_value_integer(printer->frame, value, &number)) {
        put_error(printer, "an enumeration of unknown size");
        return;
    }
    unsigned width = value->bit_size ? value->bit_size : (unsigned)(8 * value->type->size_bytes);
    uint64_t mask = UINT64_MAX >> (64 - width);
    while (next_enumerator(printer, &enumeration, &at, &is_begun, &other)) {
        if (((uint64_t)other & mask) == (uint64_t)number) {
            put_name(printer->out, debug_name(&at));
            return;
        }
        are_flags = are_flags && is_flag(other);
        has_negative |= other < 0;
    }
    if (are_flags)
        put_flags(printer, &enumeration, (uint64_t)number);
    else
        put_signed(printer->out, has_negative && width < 64
                                     ? (int64_t)((uint64_t)number << (64 - width)) >> (64 - width)
                                     : number);
}

// --- Pointers ------------------------------------------------------------------------------------

static void put_address(struct printer *printer, uint64_t address)
{
    const struct debug_point *point = printer->frame->point;
    uint64_t offset = 0;
    out_text(printer->out, "0x");
    out_hex(printer->out, address, 1);
    const char *name = point->find_symbol(point->self, address, &offset);
    if (!name)
        return;
    out_text(printer->out, " <");
    out_text(printer->out, name);
    if (offset) {
        out_byte(printer->out, '+');
        out_u64(printer->out, offset);
    }
    out_byte(printer->out, '>');
}

static void put_string_at(struct printer *printer, uint64_t address,
                          const struct debug_type *target, const char *prefix)
{
    enum { UNITS = LIMIT_DEBUG_ELEMENTS, UNIT_BYTES = 4 };
    uint8_t bytes[UNITS * UNIT_BYTES], known[UNITS * UNIT_BYTES];
    size_t size = (size_t)target->size_bytes, count = 0;
    uint32_t units[UNITS];
    bool has_end = false, is_known = true;
    debug_frame_memory(printer->frame, address, UNITS * size, bytes, known);
    for (; count < UNITS; count++) {
        is_known = !memchr(known + count * size, 0, size);
        if (!is_known)
            break;
        units[count] = (uint32_t)debug_load(printer->frame, bytes + count * size, size);
        has_end = units[count] == 0;
        if (has_end)
            break;
    }
    if (count || has_end) {
        out_byte(printer->out, ' ');
        put_string(printer->out, units, count, size, prefix, !has_end && is_known);
    }
    if (is_known)
        return;
    out_text(printer->out, " <error: Cannot access memory at address 0x");
    out_hex(printer->out, (address + count * size) & printer->frame->point->address_mask, 1);
    out_byte(printer->out, '>');
}

static bool names_char(const struct debug_type *type)
{
    Dwarf_Die die = type->named;
    const char *name = type->has_die ? debug_name(&die) : type->name;
    for (unsigned i = 0; type->has_die && !name && i < LIMIT_DEBUG_DEPTH; i++) {
        Dwarf_Attribute found;
        int tag = dwarf_tag(&die);
        if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
            break;
        if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_type, &found), &die))
            break;
        name = debug_name(&die);
    }
    return name && strcmp(name, "char") == 0;
}

static void put_type(struct printer *printer, const struct debug_type *type)
{
    out_byte(printer->out, '(');
    debug_type_name(&printer->frame->types, type, "", printer->out);
    out_text(printer->out, ") ");
}

// Of a pointer as a whole value, except a "char *" that is not a typedef.
static void put_type_of_pointer(struct printer *printer, const struct debug_type *type)
{
    Dwarf_Die die = type->named;
    bool is_typedef = type->has_die && dwarf_tag(&die) == DW_TAG_typedef;
    if (is_typedef || !names_char(debug_type_target(&printer->frame->types, type)))
        put_type(printer, type);
}

static void put_pointer(struct printer *printer, const struct debug_value *value, bool is_whole)
{
    const struct debug_type *target = debug_type_target(&printer->frame->types, value->type);
    const char *prefix;
    int64_t number;
    if (!debug_value_integer(printer->frame, value, &number)) {
        put_error(printer, "a pointer of unknown size");
        return;
    }
    uint64_t address = (uint64_t)number & printer->frame->point->address_mask;
    if (is_whole)
        put_type_of_pointer(printer, value->type);
    bool is_text = debug_type_is_text(target, &prefix);
    if (is_text) {
        out_text(printer->out, "0x");
        out_hex(printer->out, address, 1);
        if (address)
            put_string_at(printer, address, target, prefix);
        return;
    }
    put_address(printer, address);
}

static void put_reference(struct printer *printer, const struct debug_value *value, bool is_whole)
{
    const struct debug_type *target = debug_type_target(&printer->frame->types, value->type);
    int64_t number;
    if (!debug_value_integer(printer->frame, value, &number)) {
        put_error(printer, "a reference of unknown size");
        return;
    }
    if (is_whole)
        put_type(printer, value->type);
    out_text(printer->out, "@0x");
    out_hex(printer->out, (uint64_t)number, 1);
    out_text(printer->out, ": ");
    const struct debug_value there = debug_value_at(printer->frame, target, (uint64_t)number);
    put(printer, &there, false);
}

// --- Pointers to members -------------------------------------------------------------------------

// The class that a pointer to a member is of. False: it is not told.
static bool find_class(const struct debug_type *type, Dwarf_Die *found)
{
    Dwarf_Attribute attribute;
    Dwarf_Die die = type->die;
    return dwarf_formref_die(dwarf_attr(&die, DW_AT_containing_type, &attribute), found) != NULL;
}

// "Point::y".
static void put_member_name(struct printer *printer, Dwarf_Die *type, Dwarf_Die *member)
{
    put_name(printer->out, debug_name(type));
    out_text(printer->out, "::");
    put_name(printer->out, debug_name(member));
}

// Writes "&Point::y" for the member at an offset of a class or of a base class. False: there is
// none.
static bool put_member_at(struct printer *printer, const struct debug_type *type, uint64_t offset,
                          unsigned depth)
{
    Dwarf_Die die = type->die, child;
    if (type->kind != DEBUG_STRUCT || depth == LIMIT_DEBUG_DEPTH)
        return false;
    int status = dwarf_child(&die, &child);
    for (; status == 0 && debug_types_draw(&printer->frame->types);
         status = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        int64_t at = 0;
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || debug_is_static_member(&child))
            continue;
        debug_number(&child, DW_AT_data_member_location, &at);
        if (tag == DW_TAG_inheritance && offset >= (uint64_t)at &&
            put_member_at(printer, debug_type_of(&printer->frame->types, &child),
                          offset - (uint64_t)at, depth + 1))
            return true;
        if (tag == DW_TAG_member && (uint64_t)at == offset && debug_name(&child)) {
            out_text(printer->out, "&");
            put_member_name(printer, &die, &child);
            return true;
        }
    }
    return false;
}

// "(int, char *)", without "this".
static void put_parameters(struct printer *printer, Dwarf_Die *function)
{
    struct debug_types *types = &printer->frame->types;
    Dwarf_Die child;
    Dwarf_Attribute artificial;
    bool is_first = true;
    int status = dwarf_child(function, &child);
    out_byte(printer->out, '(');
    for (; status == 0 && debug_types_draw(types); status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
            dwarf_attr(&child, DW_AT_artificial, &artificial))
            continue;
        out_text(printer->out, is_first ? "" : ", ");
        is_first = false;
        debug_type_name(types, debug_type_of(types, &child), "", printer->out);
    }
    out_byte(printer->out, ')');
}

// Writes "Base::other()" for the virtual method with a slot in the table of a class.
static bool put_virtual(struct printer *printer, const struct debug_type *type, uint64_t slot,
                        unsigned depth)
{
    Dwarf_Die die = type->die, child;
    if (type->kind != DEBUG_STRUCT || depth == LIMIT_DEBUG_DEPTH)
        return false;
    int status = dwarf_child(&die, &child);
    for (; status == 0 && debug_types_draw(&printer->frame->types);
         status = dwarf_siblingof(&child, &child)) {
        Dwarf_Attribute place;
        Dwarf_Op *code;
        size_t length = 0;
        if (dwarf_tag(&child) == DW_TAG_inheritance &&
            put_virtual(printer, debug_type_of(&printer->frame->types, &child), slot, depth + 1))
            return true;
        if (dwarf_tag(&child) != DW_TAG_subprogram ||
            !dwarf_attr(&child, DW_AT_vtable_elem_location, &place) ||
            dwarf_getlocation(&place, &code, &length) != 0 || length != 1 ||
            code->atom != DW_OP_constu || code->number != slot)
            continue;
        put_member_name(printer, &die, &child);
        put_parameters(printer, &child);
        return true;
    }
    return false;
}

// By the ABI of Itanium: of data the offset, or -1; of a method its address, or 1 more than its
// offset in the virtual table (on Arm, the lowest bit of what follows says which).
static void put_member_pointer(struct printer *printer, const struct debug_value *value)
{
    struct debug_types *types = &printer->frame->types;
    const size_t word = types->address_bytes;
    const uint64_t number = debug_load(printer->frame, value->bytes, word);
    const uint64_t none = UINT64_MAX >> (64 - 8 * word);
    Dwarf_Die class_die;
    if (value->type->size_bytes == word) {
        if (number == none)
            out_text(printer->out, "NULL");
        else if (!find_class(value->type, &class_die) ||
                 !put_member_at(printer, debug_type_at(types, &class_die), number, 0))
            out_u64(printer->out, number);
        return;
    }
    const uint64_t adjustment = debug_load(printer->frame, value->bytes + word, word);
    const unsigned machine = image_machine(debug_info_image(printer->frame->info));
    const bool is_arm = machine == EM_ARM || machine == EM_AARCH64;
    if ((is_arm ? adjustment : number) & 1) {
        out_text(printer->out, "&virtual ");
        const uint64_t slot = (is_arm ? number : number - 1) / word;
        if (!find_class(value->type, &class_die) ||
            !put_virtual(printer, debug_type_at(types, &class_die), slot, 0)) {
            out_text(printer->out, "method ");
            out_u64(printer->out, slot);
        }
    } else if (!number) {
        out_text(printer->out, "NULL");
    } else {
        put_type(printer, value->type);
        put_address(printer, number);
    }
}

// --- Arrays --------------------------------------------------------------------------------------

static bool all_known(const struct debug_value *value)
{
    for (size_t i = 0; i < value->type->size_bytes; i++) {
        if (value->states[i] != DEBUG_KNOWN)
            return false;
    }
    return true;
}

static void put_text(struct printer *printer, const struct debug_value *value,
                     const struct debug_type *type, const char *prefix)
{
    size_t size = (size_t)type->size_bytes, count = (size_t)value->type->count;
    uint32_t *units = arena_alloc(&printer->frame->types.arena, (count + 1) * sizeof *units);
    if (!units) {
        printer->frame->types.lacks_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        units[i] = (uint32_t)debug_load(printer->frame, value->bytes + i * size, size);
    // A terminating zero is not shown.
    bool has_end = count && count <= LIMIT_DEBUG_ELEMENTS && units[count - 1] == 0;
    put_string(printer->out, units, count - has_end, size, prefix, false);
}

static uint64_t alike_from(const struct debug_value *array, uint64_t first, size_t size_bytes)
{
    uint64_t count = 1;
    const uint8_t *bytes = array->bytes + first * size_bytes;
    const uint8_t *states = array->states + first * size_bytes;
    while (first + count < array->type->count &&
           memcmp(states, states + count * size_bytes, size_bytes) == 0 &&
           (states[0] != DEBUG_KNOWN || memcmp(bytes, bytes + count * size_bytes, size_bytes) == 0))
        count++;
    return count;
}

static void put_array(struct printer *printer, const struct debug_value *value)
{
    const struct debug_type *type = debug_type_target(&printer->frame->types, value->type);
    const char *prefix;
    if (!value->type->has_count || !value->type->count || !type->size_bytes) {
        if (value->has_address)
            put_address(printer, value->address);
        else
            out_text(printer->out, "{}");
        return;
    }
    if (debug_type_is_text(type, &prefix) && all_known(value))
        put_text(printer, value, type, prefix);
    else {
        struct out *out = printer->out;
        uint64_t shown = 0, at = 0, count = value->type->count;
        out_byte(out, '{');
        while (at < count && shown < LIMIT_DEBUG_ELEMENTS &&
               debug_types_draw(&printer->frame->types)) {
            struct debug_value one = *value;
            one.type = type;
            one.bytes += at * type->size_bytes;
            one.states += at * type->size_bytes;
            one.address += at * type->size_bytes;
            uint64_t alike = alike_from(value, at, (size_t)type->size_bytes);
            out_text(out, at ? ", " : "");
            put(printer, &one, false);
            bool is_counted = alike > LIMIT_DEBUG_REPEATS;
            if (is_counted) {
                out_text(out, " <repeats ");
                out_u64(out, alike);
                out_text(out, " times>");
            }
            shown += is_counted ? LIMIT_DEBUG_REPEATS : 1;
            at += is_counted ? alike : 1;
        }
        out_text(out, at < count ? "...}" : "}");
    }
}

// --- Structures ----------------------------------------------------------------------------------

// A static member, whose structure may contain itself in this way.
static void put_static(struct printer *printer, Dwarf_Die *member)
{
    const struct debug_value value = debug_static_member(printer->frame, member);
    bool is_known = false;
    if (value.type->kind == DEBUG_STRUCT && value.has_address) {
        for (size_t i = 0; i < printer->static_count && !is_known; i++)
            is_known = printer->statics[i] == value.address;
        if (!is_known && printer->static_count < ARRAY_COUNT(printer->statics))
            printer->statics[printer->static_count++] = value.address;
    }
    if (is_known)
        out_text(printer->out, "<same as static member of an already seen type>");
    else
        put(printer, &value, false);
}

// Members of the structure, those of base classes first.
static void put_struct(struct printer *printer, const struct debug_value *value)
{
    Dwarf_Die die = value->type->die, child;
    bool is_first = true;
    int status = dwarf_child(&die, &child);
    out_byte(printer->out, '{');
    for (; status == 0 && debug_types_draw(&printer->frame->types);
         status = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        bool is_static = debug_is_static_member(&child);
        if (tag != DW_TAG_inheritance && tag != DW_TAG_member && !is_static)
            continue;
        out_text(printer->out, is_first ? "" : ", ");
        is_first = false;
        struct debug_value member = *value;
        const char *name = debug_name(&child);
        if (dwarf_tag(&child) == DW_TAG_inheritance) {
            out_byte(printer->out, '<');
            debug_type_name(&printer->frame->types, debug_type_of(&printer->frame->types, &child),
                            "", printer->out);
            out_text(printer->out, "> = ");
        } else if (name) {
            out_text(printer->out, is_static ? "static " : "");
            out_text(printer->out, name);
            out_text(printer->out, " = ");
        }
        if (is_static) {
            put_static(printer, &child);
            continue;
        }
        debug_value_enter(printer->frame, &member, &child);
        put(printer, &member, false);
    }
    out_text(printer->out, is_first ? "<No data fields>}" : "}");
}

// --- Any -----------------------------------------------------------------------------------------

// Why a value, or part of a value that is printed as one, is missing. NULL: it is known.
static const char *missing(const struct debug_value *value, bool is_inner)
{
    const struct debug_type *type = value->type;
    bool is_one = type->kind != DEBUG_STRUCT && type->kind != DEBUG_ARRAY;
    if (!is_one && is_inner) // reported for its parts
        return NULL;
    size_t size = (size_t)type->size_bytes, unavailable = 0, optimized = 0;
    for (size_t i = 0; i < size; i++) {
        unavailable += value->states[i] == DEBUG_UNAVAILABLE;
        optimized += value->states[i] == DEBUG_OPTIMIZED;
    }
    if (optimized && (is_one || optimized == size))
        return "<optimized out>";
    return unavailable && (is_one || unavailable == size) ? "<unavailable>" : NULL;
}

static void put_known(struct printer *printer, const struct debug_value *value, bool is_whole)
{
    switch (value->type->kind) {
    case DEBUG_INTEGER:
        put_integer(printer, value);
        break;
    case DEBUG_BOOL:
        put_bool(printer, value);
        break;
    case DEBUG_FLOAT:
        put_float_of(printer, value->type, value->bytes, value->type->size_bytes);
        break;
    case DEBUG_COMPLEX:
        put_float_of(printer, value->type, value->bytes, value->type->size_bytes / 2);
        out_text(printer->out, " + ");
        put_float_of(printer, value->type, value->bytes + value->type->size_bytes / 2,
                     value->type->size_bytes / 2);
        out_byte(printer->out, 'i');
        break;
    case DEBUG_ENUM:
        put_enum(printer, value);
        break;
    case DEBUG_POINTER:
        put_pointer(printer, value, is_whole);
        break;
    case DEBUG_REFERENCE:
        put_reference(printer, value, is_whole);
        break;
    case DEBUG_MEMBER_POINTER:
        put_member_pointer(printer, value);
        break;
    case DEBUG_ARRAY:
        put_array(printer, value);
        break;
    case DEBUG_STRUCT:
        put_struct(printer, value);
        break;
    default:
        put_error(printer, "an unknown type");
        break;
    }
}

static void put(struct printer *printer, const struct debug_value *value, bool is_whole)
{
    if (value->fault) {
        put_error(printer, value->fault);
        return;
    }
    if (value->type->kind == DEBUG_FUNCTION && value->has_address) {
        out_byte(printer->out, '{');
        debug_type_name(&printer->frame->types, value->type, "", printer->out);
        out_text(printer->out, "} ");
        put_address(printer, value->address);
        return;
    }
    const char *why_not = missing(value, printer->depth > 0);
    if (why_not) {
        if (is_whole && value->type->kind == DEBUG_POINTER &&
            memchr(value->states, DEBUG_KNOWN, (size_t)value->type->size_bytes))
            put_type_of_pointer(printer, value->type);
        out_text(printer->out, why_not);
        return;
    }
    if (out_position(printer->out) > LIMIT_DEBUG_TEXT_BYTES)
        printer->frame->types.work = 0;
    if (printer->depth == LIMIT_DEBUG_DEPTH || !debug_types_draw(&printer->frame->types)) {
        out_text(printer->out, "...");
        return;
    }
    printer->depth++;
    put_known(printer, value, is_whole);
    printer->depth--;
}

void debug_print(struct debug_frame *frame, const struct debug_value *value, bool is_whole,
                 struct out *out)
{
    struct printer printer = {.frame = frame, .out = out};
    put(&printer, value, is_whole);
}
