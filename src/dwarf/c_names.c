#include "dwarf/c_names.h"

#include "base/fragile.h"
#include "base/vec.h"
#include "dwarf/debug_value.h"

#include <dwarf.h>
#include <stdlib.h>

// A PC of no function.
#define NOWHERE UINT64_MAX

// Scopes around a PC of an image, whose arena has the types that were found from there.
struct c_frame {
    struct debug_frame frame;
    struct debug_point point; // nothing is known there
    size_t image;
    struct c_frame *next;
};

struct c_names {
    struct image_lines *lines;
    struct c_frame *frames;
    struct debug_frame plain; // C's own types, where no image has DWARF
    bool lacks_memory;
};

static void know_nothing(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes,
                         uint8_t *known)
{
    (void)self, (void)address, (void)bytes;
    memset(known, 0, size_bytes);
}

static size_t know_no_register(void *self, uint64_t number,
                               uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES])
{
    (void)self, (void)number, (void)bytes;
    return 0;
}

struct c_names *c_names_begin(struct image_lines *lines, unsigned address_bytes)
{
    struct c_names *names = calloc(1, sizeof *names);
    if (!names)
        return NULL;
    names->lines = lines;
    names->plain.types.work = LIMIT_DEBUG_WORK;
    names->plain.types.address_bytes = address_bytes;
    return names;
}

void c_names_end(struct c_names *names)
{
    if (!names)
        return;
    while (names->frames) {
        struct c_frame *frame = names->frames;
        names->frames = frame->next;
        debug_frame_end(&frame->frame);
        free(frame);
    }
    arena_free(&names->plain.types.arena);
    free(names);
}

bool c_names_lack_memory(const struct c_names *names)
{
    bool lacks_memory = names->lacks_memory || names->plain.types.lacks_memory;
    for (const struct c_frame *frame = names->frames; frame && !lacks_memory; frame = frame->next)
        lacks_memory = frame->frame.types.lacks_memory;
    return lacks_memory;
}

// The scopes at a PC, as linked, of an image. NULL: it has no DWARF, or no memory.
static struct c_frame *frame_at(struct c_names *names, size_t image, uint64_t pc)
{
    struct c_frame *frame = names->frames;
    while (frame && (frame->image != image || frame->frame.pc != pc))
        frame = frame->next;
    if (frame)
        return frame;
    struct debug_info *info = image_lines_info(names->lines, image);
    const struct image_member *member = image_lines_member(names->lines, image);
    if (!info)
        return NULL;
    frame = calloc(1, sizeof *frame);
    names->lacks_memory |= !frame;
    if (!frame)
        return NULL;
    frame->image = image;
    frame->point = (struct debug_point){.offset = member->offset,
                                        .address_mask = member->address_mask,
                                        .is_big_endian = image_is_big_endian(member->image),
                                        .read_memory = know_nothing,
                                        .read_register = know_no_register};
    debug_frame_begin(&frame->frame, info, &frame->point, pc);
    frame->next = names->frames;
    names->frames = frame;
    return frame;
}

// --- Types ---------------------------------------------------------------------------------------

static struct c_type type_from(struct c_frame *frame, const struct debug_type *of)
{
    static const uint8_t kinds[] = {
        [DEBUG_UNKNOWN] = C_OTHER, [DEBUG_VOID] = C_VOID,       [DEBUG_INTEGER] = C_NUMBER,
        [DEBUG_BOOL] = C_NUMBER,   [DEBUG_FLOAT] = C_FLOAT,     [DEBUG_COMPLEX] = C_OTHER,
        [DEBUG_ENUM] = C_NUMBER,   [DEBUG_POINTER] = C_POINTER, [DEBUG_REFERENCE] = C_POINTER,
        [DEBUG_ARRAY] = C_ARRAY,   [DEBUG_STRUCT] = C_STRUCT,   [DEBUG_FUNCTION] = C_FUNCTION,
    };
    struct c_type type = {.kind = (enum c_kind)kinds[of->kind],
                          .is_signed = of->is_signed,
                          .has_count = of->has_count,
                          .size_bytes = of->size_bytes,
                          .count = of->count,
                          .of = of,
                          .frame = frame};
    bool is_word =
        of->size_bytes && of->size_bytes <= 8 && !(of->size_bytes & (of->size_bytes - 1));
    if ((type.kind == C_NUMBER || type.kind == C_POINTER) && !is_word)
        type.kind = C_OTHER;
    return type;
}

struct c_type c_type_target(const struct c_type *type)
{
    FRAGILE_BLOCK;
    struct debug_types *types = &type->frame->frame.types;
    return type_from(type->frame, debug_type_target(types, type->of));
}

struct c_type c_type_pointer(struct c_names *names, const struct c_type *target)
{
    (void)names;
    struct debug_types *types = &target->frame->frame.types;
    return type_from(target->frame, debug_type_pointer(types, target->of));
}

// C's integers, also those of <stdint.h>.
static const struct debug_type *own_type(struct debug_types *types, const char *name)
{
    static const struct {
        const char *name, *means;
    } others[] = {
        {"uint8_t", "unsigned char"},
        {"int8_t", "signed char"},
        {"uint16_t", "unsigned short"},
        {"int16_t", "short"},
        {"uint32_t", "unsigned int"},
        {"int32_t", "int"},
        {"uint64_t", "unsigned long long"},
        {"int64_t", "long long"},
        {"uintptr_t", "unsigned long"},
        {"intptr_t", "long"},
        {"size_t", "unsigned long"},
        {"signed", "int"},
        {"signed int", "int"},
        {"unsigned short int", "unsigned short"},
        {"unsigned long int", "unsigned long"},
        {"long int", "long"},
        {"short int", "short"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        if (strcmp(name, others[i].name) == 0)
            name = others[i].means;
    }
    return debug_type_basic(types, name);
}

bool c_names_type(struct c_names *names, const char *name, size_t length, unsigned pointers,
                  struct c_type *type)
{
    FRAGILE_BLOCK;
    char *text = arena_copy_string(&names->plain.types.arena, name, length);
    const struct debug_type *of = NULL;
    struct c_frame *frame = NULL;
    names->lacks_memory |= !text;
    for (size_t i = 0; text && names->lines && i < image_lines_count(names->lines) && !of; i++) {
        Dwarf_Die entry;
        frame = frame_at(names, i, NOWHERE);
        if (!frame)
            continue;
        of = own_type(&frame->frame.types, text);
        if (!of && debug_frame_type_name(&frame->frame, text, &entry))
            of = debug_type_at(&frame->frame.types, &entry);
    }
    if (text && !of && !names->frames) {
        // A frame without an image has the types of the language.
        frame = calloc(1, sizeof *frame);
        names->lacks_memory |= !frame;
        if (!frame)
            return false;
        frame->image = SIZE_MAX;
        frame->frame.types = (struct debug_types){
            .work = LIMIT_DEBUG_WORK, .address_bytes = names->plain.types.address_bytes};
        names->frames = frame;
    }
    for (frame = of ? frame : names->frames; text && !of && frame; frame = of ? frame : frame->next)
        of = own_type(&frame->frame.types, text);
    for (; of && pointers; pointers--)
        of = debug_type_pointer(&frame->frame.types, of);
    if (of)
        *type = type_from(frame, of);
    return of != NULL;
}

// A structure that one unit only declares is defined in another.
static void complete(struct c_frame *frame, const struct debug_type **type)
{
    Dwarf_Attribute found;
    Dwarf_Die die = (*type)->die, entry;
    const char *name = (*type)->has_die ? debug_name(&die) : NULL;
    if (name && dwarf_attr(&die, DW_AT_declaration, &found) &&
        debug_frame_type_name(&frame->frame, name, &entry))
        *type = debug_type_at(&frame->frame.types, &entry);
}

bool c_type_member(const struct c_type *type, const char *name, size_t length,
                   struct c_member *member)
{
    FRAGILE_BLOCK;
    struct c_frame *frame = type->frame;
    const struct debug_type *of = type->of;
    struct debug_member found;
    if (type->kind != C_STRUCT)
        return false;
    complete(frame, &of);
    char *text = arena_copy_string(&frame->frame.types.arena, name, length);
    frame->frame.types.lacks_memory |= !text;
    if (!text || !debug_type_member(&frame->frame, of, text, &found))
        return false;
    *member = (struct c_member){.offset = found.offset, .type = type_from(frame, found.type)};
    if (!found.bits)
        return true;
    // The bytes that have bits of it, as a number that can be loaded, within the structure if
    // possible.
    uint64_t first = found.offset + found.bit / 8;
    unsigned low = (unsigned)(found.bit % 8), bytes = (low + found.bits + 7) / 8, size = 1;
    while (size < bytes)
        size *= 2;
    if (size > 8)
        return false;
    uint64_t start =
        first + size <= of->size_bytes || size > of->size_bytes ? first : of->size_bytes - size;
    unsigned skipped = (unsigned)(8 * (first - start)) + low;
    bool is_big = frame->point.is_big_endian;
    member->offset = start;
    member->load_bytes = size;
    member->bits = found.bits;
    member->shift = is_big ? 8 * size - skipped - found.bits : skipped;
    return true;
}

// --- Names ---------------------------------------------------------------------------------------

// A variable in a function: of the blocks at the point, or of any of its blocks.
static bool find_local(struct debug_frame *frame, Dwarf_Die *parent, const char *name,
                       Dwarf_Die *found, unsigned depth)
{
    Dwarf_Die child;
    int status = dwarf_child(parent, &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
        const char *other = is_variable ? debug_name(&child) : NULL;
        if (other && strcmp(other, name) == 0) {
            *found = child;
            return true;
        }
        if (tag == DW_TAG_lexical_block && depth < LIMIT_DEBUG_DEPTH &&
            find_local(frame, &child, name, found, depth + 1))
            return true;
    }
    return false;
}

// What an entry of DWARF is.
static void describe(struct c_frame *frame, Dwarf_Die *entry, bool is_local,
                     struct c_variable *found)
{
    struct debug_frame *of = &frame->frame;
    const struct debug_value value = debug_variable(of, entry);
    int64_t number;
    *found = (struct c_variable){.kind = C_STATIC, .type = type_from(frame, value.type)};
    const struct debug_type *whole = value.type;
    if (found->type.kind == C_STRUCT && !found->type.size_bytes) {
        complete(frame, &whole);
        found->type = type_from(frame, whole);
    }
    if (value.has_address) {
        found->value = value.address;
        found->has_address = true;
    } else if (dwarf_tag(entry) == DW_TAG_enumerator && debug_value_integer(of, &value, &number)) {
        found->kind = C_CONSTANT;
        found->value = (uint64_t)number;
    } else if (is_local) {
        Dwarf_Addr low = 0, high = 0;
        found->kind = C_LOCAL;
        found->high = UINT64_MAX;
        if (dwarf_lowpc(&of->scopes[0], &low) == 0 && dwarf_highpc(&of->scopes[0], &high) == 0) {
            found->low = (low + frame->point.offset) & frame->point.address_mask;
            found->high = found->low + (high - low);
        }
    }
}

static enum c_found find_in_function(struct c_names *names, const struct c_scope *scope,
                                     const char *name, struct c_variable *found)
{
    size_t image;
    Dwarf_Die entry;
    if (!image_lines_member_at(names->lines, scope->pc, &image))
        return C_NOT_FOUND;
    const struct image_member *member = image_lines_member(names->lines, image);
    struct c_frame *frame =
        frame_at(names, image, (scope->pc - member->offset) & member->address_mask);
    if (!frame || !frame->frame.scope_count)
        return C_NOT_FOUND;
    bool is_found = scope->is_point
                        ? debug_frame_local(&frame->frame, name, &entry)
                        : find_local(&frame->frame, &frame->frame.scopes[0], name, &entry, 0);
    if (!is_found)
        return C_NOT_FOUND;
    describe(frame, &entry, true, found);
    return C_FOUND;
}

enum c_found c_names_find(struct c_names *names, const struct c_scope *scope, const char *name,
                          size_t length, struct c_variable *found)
{
    FRAGILE_BLOCK;
    enum c_found status = C_NOT_FOUND;
    size_t here = SIZE_MAX;
    if (!names->lines)
        return C_NOT_FOUND;
    char *text = arena_copy_string(&names->plain.types.arena, name, length);
    char *file = scope->file
                     ? arena_copy_string(&names->plain.types.arena, scope->file, scope->file_length)
                     : NULL;
    names->lacks_memory |= !text || (scope->file && !file);
    if (!text || (scope->file && !file))
        return C_NOT_FOUND;
    if (scope->has_pc && !file) {
        status = find_in_function(names, scope, text, found);
        if (status != C_NOT_FOUND || scope->is_only)
            return status;
        image_lines_member_at(names->lines, scope->pc, &here);
    }
    for (size_t i = 0; i < image_lines_count(names->lines); i++) {
        const struct image_member *member = image_lines_member(names->lines, i);
        uint64_t pc = i == here ? (scope->pc - member->offset) & member->address_mask : NOWHERE;
        struct c_frame *frame = frame_at(names, i, pc);
        Dwarf_Die entry;
        bool is_ambiguous = false;
        if (!frame || !debug_frame_global(&frame->frame, text, file, &entry, &is_ambiguous))
            continue;
        if (is_ambiguous)
            return C_AMBIGUOUS;
        describe(frame, &entry, false, found);
        return C_FOUND;
    }
    return status;
}

// --- Variables of functions ----------------------------------------------------------------------

// Begins a frame at the point, and finds the variable. False: nothing was begun.
static bool begin_local(struct debug_frame *frame, struct debug_point *point,
                        struct image_lines *lines, const char *name, size_t length,
                        Dwarf_Die *entry)
{
    size_t image;
    char text[256];
    if (length >= sizeof text || !image_lines_member_at(lines, point->pc, &image))
        return false;
    struct debug_info *info = image_lines_info(lines, image);
    if (!info)
        return false;
    const struct image_member *member = image_lines_member(lines, image);
    memcpy(text, name, length);
    text[length] = '\0';
    point->offset = member->offset;
    point->address_mask = member->address_mask;
    debug_frame_begin(frame, info, point, (point->pc - point->offset) & point->address_mask);
    if (frame->scope_count && debug_frame_local(frame, text, entry))
        return true;
    debug_frame_end(frame);
    return false;
}

bool c_local_read(struct image_lines *lines, const struct debug_point *at,
                  const struct c_local *local, const char *name, size_t length, uint64_t *value)
{
    FRAGILE_BLOCK;
    struct debug_frame frame;
    struct debug_point point = *at;
    Dwarf_Die entry;
    int64_t number;
    if (point.pc < local->low || point.pc >= local->high ||
        !begin_local(&frame, &point, lines, name, length, &entry))
        return false;
    bool is_early = debug_is_early(&frame, &entry);
    struct debug_value found;
    if (!is_early)
        found = debug_variable(&frame, &entry);
    else if (!debug_call_parameter(&frame, &entry, &found)) {
        debug_frame_end(&frame);
        return false;
    }
    struct c_type type = type_from(NULL, found.type);
    bool is_known = type.kind == local->kind && type.is_signed == local->is_signed &&
                    type.size_bytes == local->size_bytes;
    if (is_known && local->wants_address) {
        is_known = found.has_address;
        *value = found.address;
    } else if (is_known) {
        is_known = debug_value_integer(&frame, &found, &number);
        *value = is_known ? (uint64_t)number : 0;
    }
    debug_frame_end(&frame);
    return is_known;
}

bool c_local_register(struct image_lines *lines, const struct debug_point *at, const char *name,
                      size_t length, uint64_t *number)
{
    FRAGILE_BLOCK;
    struct debug_frame frame;
    struct debug_point point = *at;
    Dwarf_Die entry;
    if (!begin_local(&frame, &point, lines, name, length, &entry))
        return false;
    const struct debug_value found = debug_variable(&frame, &entry);
    bool has_register = found.has_register && !debug_is_early(&frame, &entry);
    *number = found.register_number;
    debug_frame_end(&frame);
    return has_register;
}
