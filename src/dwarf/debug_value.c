#include "dwarf/debug_value.h"

#include <dwarf.h>

#include <stdio.h>

enum { BYTES_PER_WORK = 16 };

static struct debug_value failed(const struct debug_type *type, const char *why)
{
    return (struct debug_value){.type = type, .fault = why};
}

struct debug_value debug_value_new(struct debug_frame *frame, const struct debug_type *type,
                                   enum debug_state state)
{
    struct debug_value value = {.type = type};
    if (type->size_bytes > LIMIT_DEBUG_VALUE_BYTES) {
        char *text = arena_alloc(&frame->types.arena, 96);
        frame->types.lacks_memory |= !text;
        if (text)
            snprintf(text, 96, "value requires %llu bytes, which is more than max-value-size",
                     (unsigned long long)type->size_bytes);
        return failed(type, text ? text : "no memory");
    }
    if (type->kind == DEBUG_UNKNOWN || type->kind == DEBUG_VOID)
        return failed(type, "its type is unknown");
    // Its memory is kept until the question ends.
    uint64_t cost = type->size_bytes / BYTES_PER_WORK;
    if (cost > frame->types.work) {
        frame->types.work = 0;
        return failed(type, "it takes too many steps");
    }
    frame->types.work -= cost;
    value.bytes = arena_alloc(&frame->types.arena, (size_t)type->size_bytes + 1);
    value.states = arena_alloc(&frame->types.arena, (size_t)type->size_bytes + 1);
    if (!value.bytes || !value.states) {
        frame->types.lacks_memory = true;
        return failed(type, "no memory");
    }
    memset(value.states, (int)state, (size_t)type->size_bytes);
    return value;
}

struct debug_value debug_value_at(struct debug_frame *frame, const struct debug_type *type,
                                  uint64_t address)
{
    struct debug_value value = debug_value_new(frame, type, DEBUG_UNAVAILABLE);
    value.address = address & frame->point->address_mask;
    value.has_address = true;
    if (value.fault || type->kind == DEBUG_FUNCTION)
        return value;
    debug_frame_memory(frame, value.address, (size_t)type->size_bytes, value.bytes, value.states);
    for (size_t i = 0; i < type->size_bytes; i++)
        value.states[i] = value.states[i] ? DEBUG_KNOWN : DEBUG_UNAVAILABLE;
    return value;
}

struct debug_value debug_value_number(struct debug_frame *frame, const struct debug_type *type,
                                      uint64_t number)
{
    struct debug_value value = debug_value_new(frame, type, DEBUG_KNOWN);
    if (!value.fault)
        debug_store(frame, number, value.bytes, (size_t)type->size_bytes);
    return value;
}

bool debug_value_integer(const struct debug_frame *frame, const struct debug_value *value,
                         int64_t *number)
{
    uint64_t size = value->type->size_bytes, loaded;
    unsigned width = value->bit_size ? value->bit_size : (unsigned)(8 * size), shift;
    if (value->fault || size == 0 || size > 8 || width > 64)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (value->states[i] != DEBUG_KNOWN)
            return false;
    }
    loaded = debug_load(frame, value->bytes, (size_t)size);
    if (value->bit_size) {
        shift = value->bit_offset;
        if (shift + width > 8 * size)
            return false;
        loaded >>= frame->point->is_big_endian ? 8 * size - shift - width : shift;
    }
    loaded <<= 64 - width;
    *number = value->type->is_signed ? (int64_t)loaded >> (64 - width)
                                     : (int64_t)(loaded >> (64 - width));
    return true;
}

// --- Members -------------------------------------------------------------------------------------

// Bit-fields as in DWARF 4 and 5; older ones count from the other end.
static bool find_bits(struct debug_frame *frame, Dwarf_Die *member, const struct debug_type *type,
                      uint64_t *bit, int64_t *width)
{
    int64_t from_end, storage = (int64_t)type->size_bytes, offset = 0, data_bit;
    if (!debug_number(member, DW_AT_bit_size, width) || *width <= 0 || *width > 64)
        return false;
    debug_number(member, DW_AT_data_member_location, &offset);
    if (debug_number(member, DW_AT_data_bit_offset, &data_bit)) {
        *bit = (uint64_t)data_bit;
        return true;
    }
    if (!debug_number(member, DW_AT_bit_offset, &from_end))
        return false;
    debug_number(member, DW_AT_byte_size, &storage);
    *bit = 8 * (uint64_t)offset +
           (frame->point->is_big_endian
                ? (uint64_t)from_end
                : 8 * (uint64_t)storage - (uint64_t)from_end - (uint64_t)*width);
    return true;
}

// A bit-field may be in up to 9 bytes: extracts it into the size of its type.
static void take_bits(struct debug_frame *frame, struct debug_value *value,
                      const struct debug_type *type, uint64_t bit, uint32_t width)
{
    const struct debug_value whole = *value;
    uint64_t total = 8 * whole.type->size_bytes;
    *value = debug_value_new(frame, type, DEBUG_KNOWN);
    if (value->fault)
        return;
    if (width > 8 * type->size_bytes || bit > total || width > total - bit) {
        *value = failed(type, "it is outside its structure");
        return;
    }
    bool is_big = frame->point->is_big_endian;
    uint64_t number = 0;
    enum debug_state state = DEBUG_KNOWN;
    for (uint32_t i = 0; i < width; i++) {
        uint64_t at = bit + i;
        unsigned shift = (unsigned)(is_big ? 7 - at % 8 : at % 8);
        uint64_t one = whole.bytes[at / 8] >> shift & 1;
        number = is_big ? number << 1 | one : number | one << i;
        state = whole.states[at / 8] > state ? whole.states[at / 8] : state;
    }
    debug_store(frame, number, value->bytes, (size_t)type->size_bytes);
    memset(value->states, (int)state, (size_t)type->size_bytes);
    value->bit_size = width;
    value->bit_offset = is_big ? (uint32_t)(8 * type->size_bytes - width) : 0;
}

void debug_value_enter(struct debug_frame *frame, struct debug_value *value, Dwarf_Die *member)
{
    const struct debug_type *type = debug_type_of(&frame->types, member);
    int64_t offset = 0, width;
    uint64_t bit;
    if (find_bits(frame, member, type, &bit, &width)) {
        take_bits(frame, value, type, bit, (uint32_t)width);
        return;
    }
    debug_number(member, DW_AT_data_member_location, &offset);
    uint64_t room = value->type->size_bytes;
    if (offset < 0 || (uint64_t)offset > room || type->size_bytes > room - (uint64_t)offset) {
        *value = failed(type, "it is outside its structure");
        return;
    }
    value->type = type;
    value->bytes += offset;
    value->states += offset;
    value->address += (uint64_t)offset;
}

bool debug_is_static_member(Dwarf_Die *part)
{
    Dwarf_Attribute found;
    int tag = dwarf_tag(part);
    return tag == DW_TAG_variable ||
           (tag == DW_TAG_member && (dwarf_attr(part, DW_AT_external, &found) ||
                                     dwarf_attr(part, DW_AT_declaration, &found)));
}

struct debug_value debug_static_member(struct debug_frame *frame, Dwarf_Die *member)
{
    Dwarf_Die definition;
    Dwarf_Attribute constant;
    if (dwarf_attr(member, DW_AT_const_value, &constant))
        return debug_variable(frame, member);
    if (debug_frame_definition(frame, member, &definition))
        return debug_variable(frame, &definition);
    return debug_value_new(frame, debug_type_of(&frame->types, member), DEBUG_OPTIMIZED);
}

static bool find_static(struct debug_frame *frame, const struct debug_type *type, const char *name,
                        unsigned depth, Dwarf_Die *found)
{
    Dwarf_Die die = type->die, child;
    if (type->kind != DEBUG_STRUCT || depth == LIMIT_DEBUG_DEPTH)
        return false;
    int status = dwarf_child(&die, &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        const char *own = debug_name(&child);
        if (debug_is_static_member(&child) && own && strcmp(own, name) == 0) {
            *found = child;
            return true;
        }
        if (dwarf_tag(&child) == DW_TAG_inheritance &&
            find_static(frame, debug_type_of(&frame->types, &child), name, depth + 1, found))
            return true;
    }
    return false;
}

bool debug_type_static_member(struct debug_frame *frame, const struct debug_type *type,
                              const char *name, struct debug_value *value)
{
    Dwarf_Die member;
    if (!find_static(frame, type, name, 0, &member))
        return false;
    *value = debug_static_member(frame, &member);
    return true;
}

// Whether a part of a structure has the name (`is_it`), or may have a member inside that has it: a
// base class, a member without a name.
static bool may_be_named(Dwarf_Die *part, const char *name, bool *is_it)
{
    const bool is_member = dwarf_tag(part) == DW_TAG_member && !debug_is_static_member(part);
    const char *own = debug_name(part);
    *is_it = is_member && own && strcmp(own, name) == 0;
    return *is_it || (is_member && !own) || dwarf_tag(part) == DW_TAG_inheritance;
}

static bool enter_named(struct debug_frame *frame, struct debug_value *value, const char *name,
                        unsigned depth)
{
    Dwarf_Die die = value->type->die, child;
    if (value->type->kind != DEBUG_STRUCT || depth == LIMIT_DEBUG_DEPTH)
        return false;
    int status = dwarf_child(&die, &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        bool is_it;
        if (!may_be_named(&child, name, &is_it))
            continue;
        struct debug_value inner = *value;
        debug_value_enter(frame, &inner, &child);
        if (is_it || (!inner.fault && enter_named(frame, &inner, name, depth + 1))) {
            *value = inner;
            return true;
        }
    }
    return false;
}

static bool find_named(struct debug_frame *frame, const struct debug_type *type, const char *name,
                       unsigned depth, struct debug_member *found)
{
    Dwarf_Die die = type->die, child;
    if (type->kind != DEBUG_STRUCT || depth == LIMIT_DEBUG_DEPTH)
        return false;
    int status = dwarf_child(&die, &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        bool is_it;
        if (!may_be_named(&child, name, &is_it))
            continue;
        struct debug_member member = {.type = debug_type_of(&frame->types, &child)};
        int64_t offset = 0, width;
        if (find_bits(frame, &child, member.type, &member.bit, &width))
            member.bits = (unsigned)width;
        else if (debug_number(&child, DW_AT_data_member_location, &offset) && offset < 0)
            continue;
        member.offset = member.bits ? 0 : (uint64_t)offset;
        if (is_it) {
            *found = member;
            return true;
        }
        if (!member.bits && find_named(frame, member.type, name, depth + 1, found)) {
            found->offset += member.offset;
            return true;
        }
    }
    return false;
}

bool debug_type_member(struct debug_frame *frame, const struct debug_type *type, const char *name,
                       struct debug_member *member)
{
    return find_named(frame, type, name, 0, member);
}

bool debug_value_member(struct debug_frame *frame, struct debug_value *value, const char *name)
{
    return enter_named(frame, value, name, 0) ||
           debug_type_static_member(frame, value->type, name, value);
}
