#include "dwarf/debug_value.h"

#include "base/fragile.h"
#include "base/vec.h"
#include "elf/cfi_expression.h"

#include <dwarf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

struct global {
    const char *name;
    const char *space; // the namespaces and structures around it, as "a::b"; "": none, or nameless
    uint64_t offset;   // of its entry
    uint32_t unit;
    bool is_type;
    bool is_nested;   // a type in a structure: only found with its space
    bool is_declared; // only declared, and defined elsewhere
    bool is_defined;  // defines what is declared elsewhere, which has the namespace
};

// A read-only section.
struct constant {
    uint64_t address, size_bytes, file_offset;
};

struct debug_info {
    const struct image *image;
    struct lines *lines, *own_lines; // own_lines is NULL if the caller opened them
    struct cfi *cfi;
    struct split_units *split; // opened when a unit is first needed
    VEC(, struct constant) constants;
    bool has_globals, lacks_memory;
    VEC(, struct global) globals; // by name, type or not, and unit
    struct arena spaces;          // names of namespaces
};

// --- Opening -------------------------------------------------------------------------------------

static bool find_constants(struct debug_info *info)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image_elf(info->image), section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
            (header.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_COMPRESSED)) != SHF_ALLOC ||
            !image_holds(info->image, header.sh_offset, header.sh_size))
            continue;
        if (!VEC_ROOM(&info->constants, 1))
            return false;
        info->constants.items[info->constants.count++] =
            (struct constant){header.sh_addr, header.sh_size, header.sh_offset};
    }
    return true;
}

static enum status no_memory(const struct image *image, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for its DWARF", image_path(image));
}

enum status debug_info_over(struct debug_info **out, struct lines *lines, const struct image *image,
                            struct error *err)
{
    *out = NULL;
    struct debug_info *info = calloc(1, sizeof *info);
    if (!info)
        return no_memory(image, err);
    info->image = image;
    info->lines = lines;
    enum status status = cfi_open(&info->cfi, image, err);
    if (status == STATUS_OK && !find_constants(info))
        status = no_memory(image, err);
    if (status == STATUS_OK)
        *out = info;
    else
        debug_info_close(info);
    return status;
}

enum status debug_info_open(struct debug_info **out, const struct image *image, struct error *err)
{
    *out = NULL;
    struct lines *lines;
    enum status status = lines_open(&lines, image, err);
    if (status != STATUS_OK || !lines)
        return status;
    status = debug_info_over(out, lines, image, err);
    if (status == STATUS_OK)
        (*out)->own_lines = lines;
    else
        lines_close(lines);
    return status;
}

void debug_info_close(struct debug_info *info)
{
    if (!info)
        return;
    split_units_free(info->split);
    free(info->globals.items);
    arena_free(&info->spaces);
    free(info->constants.items);
    cfi_close(info->cfi);
    lines_close(info->own_lines);
    free(info);
}

// --- Scopes --------------------------------------------------------------------------------------

static bool holds_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_module;
}

static bool is_scope(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool has_pc(struct debug_frame *frame, Dwarf_Die *die)
{
    return frame->split ? split_unit_has_pc(frame->split, die, frame->pc, &frame->types.work)
                        : dwarf_haspc(die, frame->pc) == 1;
}

// The function at the PC among the children of an entry, and in children that contain functions:
// with `is_deep`, also in functions and their blocks, which contain nested functions, lambdas and
// methods of local classes.
static bool find_function(struct debug_frame *frame, Dwarf_Die *parent, Dwarf_Die *found,
                          bool is_deep, unsigned depth)
{
    Dwarf_Die child;
    int status = dwarf_child(parent, &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram && has_pc(frame, &child)) {
            *found = child;
            return true;
        }
        bool is_holder =
            holds_functions(tag) || (is_deep && (tag == DW_TAG_subprogram || is_scope(tag)));
        if (is_holder && depth < LIMIT_DEBUG_DEPTH &&
            find_function(frame, &child, found, is_deep, depth + 1))
            return true;
    }
    return false;
}

static bool find_inner(struct debug_frame *frame, Dwarf_Die *parent, Dwarf_Die *found)
{
    int status = dwarf_child(parent, found);
    for (; status == 0 && debug_types_draw(&frame->types); status = dwarf_siblingof(found, found)) {
        if (is_scope(dwarf_tag(found)) && has_pc(frame, found))
            return true;
    }
    return false;
}

// Continues in the split unit. Not for values: locations of variables would also need to be bound
// to the image.
static void take_split(struct debug_frame *frame, size_t unit)
{
    struct debug_info *info = frame->info;
    if (frame->point)
        return;
    if (!info->split)
        info->split = split_units_new(info->lines, info->image);
    frame->split = info->split ? split_units_at(info->split, unit) : NULL;
    if (!info->split || split_units_lacked_memory(info->split))
        lines_lack_memory(info->lines);
    if (frame->split)
        frame->unit = split_unit_die(frame->split);
}

void debug_frame_begin(struct debug_frame *frame, struct debug_info *info,
                       const struct debug_point *point, uint64_t pc)
{
    *frame = (struct debug_frame){.info = info, .point = point, .pc = pc};
    frame->types.info = info;
    frame->types.work = LIMIT_DEBUG_WORK;
    frame->types.address_bytes = image_class_bits(info->image) / 8;
    unsigned machine = image_machine(info->image);
    frame->types.is_x86 = machine == EM_X86_64 || machine == EM_386;
    Dwarf_Die inner;
    size_t unit;
    if (!lines_unit_at(frame->info->lines, frame->pc, &unit) ||
        !dwarf_offdie(lines_dwarf(frame->info->lines), lines_unit_offset(frame->info->lines, unit),
                      &frame->unit))
        return;
    frame->has_unit = true;
    take_split(frame, unit);
    // Nearly all functions are found without those inside of others.
    if (!find_function(frame, &frame->unit, &frame->scopes[0], false, 0) &&
        !find_function(frame, &frame->unit, &frame->scopes[0], true, 0))
        return;
    frame->scope_count = 1;
    while (frame->scope_count < LIMIT_DEBUG_SCOPES &&
           find_inner(frame, &frame->scopes[frame->scope_count - 1], &inner)) {
        frame->scopes[frame->scope_count] = inner;
        if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine)
            frame->inlined = frame->scope_count;
        frame->scope_count++;
    }
}

void debug_frame_end(struct debug_frame *frame)
{
    arena_free(&frame->types.arena);
}

// --- Names ---------------------------------------------------------------------------------------

static bool is_structure(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool add_global(struct debug_info *info, Dwarf_Die *die, uint32_t unit, const char *space,
                       bool is_type, bool is_nested)
{
    const char *name = debug_name(die);
    Dwarf_Attribute attribute;
    if (!name)
        return true;
    if (!VEC_ROOM(&info->globals, 1))
        return false;
    info->globals.items[info->globals.count++] =
        (struct global){name,
                        space,
                        dwarf_dieoffset(die),
                        unit,
                        is_type,
                        is_nested,
                        dwarf_attr(die, DW_AT_declaration, &attribute) != NULL,
                        dwarf_attr(die, DW_AT_specification, &attribute) != NULL};
    return true;
}

// The space in a namespace or structure, or the one around it if it has no name. NULL: no memory.
static const char *space_in(struct debug_info *info, const char *around, Dwarf_Die *die)
{
    const char *name = debug_name(die);
    size_t before = strlen(around), length = name ? strlen(name) : 0;
    if (!length)
        return around;
    char *space = arena_alloc(&info->spaces, before + length + sizeof "::");
    if (!space)
        return NULL;
    memcpy(space, around, before);
    memcpy(space + before, "::", before ? 2 : 0);
    memcpy(space + before + (before ? 2 : 0), name, length + 1);
    return space;
}

// Adds what an entry has: all names of a unit or namespace, and the types of a structure.
static bool add_globals(struct debug_info *info, Dwarf_Die *parent, uint32_t unit,
                        const char *space, uint64_t *work, unsigned depth)
{
    Dwarf_Die child;
    bool is_nested = is_structure(dwarf_tag(parent));
    int status = dwarf_child(parent, &child);
    for (; status == 0 && *work; status = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        bool is_type = tag == DW_TAG_base_type || tag == DW_TAG_typedef || is_structure(tag) ||
                       tag == DW_TAG_enumeration_type;
        bool is_name =
            tag == DW_TAG_variable || tag == DW_TAG_subprogram || tag == DW_TAG_enumerator;
        --*work;
        if ((is_type || (is_name && !is_nested)) &&
            !add_global(info, &child, unit, space, is_type, is_nested))
            return false;
        bool has_space = tag == DW_TAG_namespace || is_structure(tag);
        bool has_names = has_space || (tag == DW_TAG_enumeration_type && !is_nested);
        if (!has_names || depth == LIMIT_DEBUG_DEPTH || !dwarf_haschildren(&child))
            continue;
        const char *inner = has_space ? space_in(info, space, &child) : space;
        if (!inner || !add_globals(info, &child, unit, inner, work, depth + 1))
            return false;
    }
    return true;
}

static int compare_globals(const void *a_item, const void *b_item)
{
    const struct global *a = a_item, *b = b_item;
    int order = strcmp(a->name, b->name);
    if (order == 0)
        order = (a->is_type > b->is_type) - (a->is_type < b->is_type);
    if (order == 0)
        order = (a->is_declared > b->is_declared) - (a->is_declared < b->is_declared);
    return order ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

// Gathers the names of all units, once.
static bool find_globals(struct debug_info *info)
{
    uint64_t work = LIMIT_DEBUG_WORK;
    if (info->has_globals)
        return !info->lacks_memory;
    info->has_globals = true;
    for (size_t i = 0; i < lines_unit_count(info->lines) && !info->lacks_memory; i++) {
        Dwarf_Die unit;
        if (dwarf_offdie(lines_dwarf(info->lines), lines_unit_offset(info->lines, i), &unit))
            info->lacks_memory = !add_globals(info, &unit, (uint32_t)i, "", &work, 0);
    }
    if (info->globals.count)
        qsort(info->globals.items, info->globals.count, sizeof *info->globals.items,
              compare_globals);
    return !info->lacks_memory;
}

// The number of the first one that has the name, or would follow it. False: no memory.
static bool begin_globals(struct debug_frame *frame, const char *name, bool is_type, size_t *first)
{
    struct debug_info *info = frame->info;
    const struct global wanted = {.name = name, .is_type = is_type};
    if (!find_globals(info)) {
        frame->types.lacks_memory = true;
        return false;
    }
    PARTITION_POINT(*first, info->globals.count,
                    compare_globals(&info->globals.items[middle], &wanted) < 0);
    return true;
}

// The first one with a name in the unit at the point, otherwise in all units: outside of
// namespaces, or in one if no other has it. With `space`, only in that namespace.
static bool find_global(struct debug_frame *frame, const char *name, bool is_type,
                        const char *space, Dwarf_Die *found)
{
    struct debug_info *info = frame->info;
    const struct global *chosen = NULL;
    const char *other = NULL; // a namespace that has it
    bool has_several = false;
    unsigned best = 0;
    size_t low, here;
    if (!begin_globals(frame, name, is_type, &low))
        return false;
    bool has_here = frame->has_unit && lines_unit_at(info->lines, frame->pc, &here);
    for (; low < info->globals.count; low++) {
        const struct global *item = &info->globals.items[low];
        if (strcmp(item->name, name) != 0 || item->is_type != is_type)
            break;
        if (space ? item->is_defined || strcmp(item->space, space) != 0 : item->is_nested)
            continue;
        bool is_plain = space || !*item->space;
        bool is_here = has_here && item->unit == here && !item->is_declared;
        has_several |= !is_plain && other && strcmp(item->space, other) != 0;
        other = is_plain ? other : item->space;
        unsigned rank = 1 + 2 * is_plain + is_here;
        chosen = rank > best ? item : chosen;
        best = rank > best ? rank : best;
    }
    return chosen && !(has_several && best < 3) &&
           dwarf_offdie(lines_dwarf(info->lines), chosen->offset, found);
}

bool debug_frame_in_space(struct debug_frame *frame, const char *space, const char *name,
                          bool is_type, Dwarf_Die *found)
{
    Dwarf_Die definition;
    Dwarf_Attribute declaration;
    if (!find_global(frame, name, is_type, space, found))
        return false;
    if (!is_type && dwarf_attr(found, DW_AT_declaration, &declaration) &&
        debug_frame_definition(frame, found, &definition))
        *found = definition;
    return true;
}

const struct image *debug_info_image(const struct debug_info *info)
{
    return info->image;
}

struct lines *debug_info_lines(const struct debug_info *info)
{
    return info->lines;
}

bool debug_frame_local(struct debug_frame *frame, const char *name, Dwarf_Die *found)
{
    // Scopes around an inlined function belong to its caller.
    for (size_t i = frame->scope_count; i-- > frame->inlined;) {
        int status = dwarf_child(&frame->scopes[i], found);
        for (; status == 0 && debug_types_draw(&frame->types);
             status = dwarf_siblingof(found, found)) {
            int tag = dwarf_tag(found);
            bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
            const char *other = is_variable ? debug_name(found) : NULL;
            if (other && strcmp(other, name) == 0)
                return true;
        }
    }
    return false;
}

bool debug_frame_name(struct debug_frame *frame, const char *name, Dwarf_Die *found)
{
    return debug_frame_local(frame, name, found) || find_global(frame, name, false, NULL, found);
}

// Whether the source file of a unit is called so: by its path, or the end of it.
static bool is_of_file(Dwarf_Die *unit, const char *file)
{
    const char *path = debug_name(unit);
    size_t length = path ? strlen(path) : 0, wanted = strlen(file);
    return length >= wanted && strcmp(path + (length - wanted), file) == 0 &&
           (length == wanted || path[length - wanted - 1] == '/');
}

bool debug_frame_global(struct debug_frame *frame, const char *name, const char *file,
                        Dwarf_Die *found, bool *is_ambiguous)
{
    struct debug_info *info = frame->info;
    size_t low, here = SIZE_MAX, statics = 0;
    unsigned best = 0; // how good the one in *found is
    *is_ambiguous = false;
    if (!begin_globals(frame, name, false, &low))
        return false;
    struct Dwarf *dwarf = lines_dwarf(info->lines);
    if (frame->has_unit)
        lines_unit_at(info->lines, frame->pc, &here);
    for (; low < info->globals.count && debug_types_draw(&frame->types); low++) {
        const struct global *item = &info->globals.items[low];
        Dwarf_Die unit, entry;
        Dwarf_Attribute external;
        if (strcmp(item->name, name) != 0 || item->is_type)
            break;
        if (!dwarf_offdie(dwarf, item->offset, &entry) ||
            (file && (!dwarf_offdie(dwarf, lines_unit_offset(info->lines, item->unit), &unit) ||
                      !is_of_file(&unit, file))))
            continue;
        bool is_visible = dwarf_attr_integrate(&entry, DW_AT_external, &external) != NULL;
        bool is_static = dwarf_tag(&entry) == DW_TAG_variable && !is_visible && !item->is_declared;
        unsigned rank = item->is_declared ? 1 : item->unit == here ? 4 : is_visible ? 3 : 2;
        statics += is_static;
        if (rank <= best)
            continue;
        best = rank;
        *found = entry;
    }
    *is_ambiguous = best == 2 && statics > 1;
    return best > 0;
}

bool debug_frame_type_name(struct debug_frame *frame, const char *name, Dwarf_Die *found)
{
    static const char *const keywords[] = {"struct ", "union ", "enum ", "class "};
    for (size_t i = 0; i < ARRAY_COUNT(keywords); i++) {
        size_t length = strlen(keywords[i]);
        if (strncmp(name, keywords[i], length) == 0)
            name += length;
    }
    const char *last = NULL; // the end of its space
    for (const char *at = name; (at = strstr(at, "::")); at += strlen("::"))
        last = at;
    if (!last)
        return find_global(frame, name, true, NULL, found);
    name += last > name && strncmp(name, "::", 2) == 0 ? strlen("::") : 0;
    const char *space = arena_copy_string(&frame->types.arena, name, (size_t)(last - name));
    frame->types.lacks_memory |= !space;
    return space && find_global(frame, last + strlen("::"), true, space, found);
}

const char *debug_type_space(struct debug_types *types, Dwarf_Die *die)
{
    struct debug_info *info = types->info;
    const struct global wanted = {.name = debug_name(die), .is_type = true};
    if (!info || !wanted.name || dwarf_cu_getdwarf(die->cu) != lines_dwarf(info->lines))
        return "";
    if (!find_globals(info)) {
        types->lacks_memory = true;
        return "";
    }
    size_t low;
    PARTITION_POINT(low, info->globals.count,
                    compare_globals(&info->globals.items[middle], &wanted) < 0);
    for (; low < info->globals.count && debug_types_draw(types); low++) {
        const struct global *item = &info->globals.items[low];
        if (strcmp(item->name, wanted.name) != 0 || !item->is_type)
            break;
        if (item->offset == dwarf_dieoffset(die))
            return item->space;
    }
    return "";
}

static bool is_specified_by(Dwarf_Die *definition, Dwarf_Die *member)
{
    Dwarf_Attribute found;
    Dwarf_Die declared;
    if (dwarf_formref_die(dwarf_attr(definition, DW_AT_specification, &found), &declared))
        return dwarf_dieoffset(&declared) == dwarf_dieoffset(member);
    return false;
}

static const char *linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute found;
    return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &found));
}

bool debug_frame_definition(struct debug_frame *frame, Dwarf_Die *member, Dwarf_Die *found)
{
    struct debug_info *info = frame->info;
    const char *name = debug_name(member), *linkage = linkage_name(member);
    size_t low;
    if (!name || !begin_globals(frame, name, false, &low))
        return false;
    for (; low < info->globals.count && debug_types_draw(&frame->types); low++) {
        const struct global *item = &info->globals.items[low];
        if (strcmp(item->name, name) != 0 || item->is_type)
            break;
        if (item->is_declared || !dwarf_offdie(lines_dwarf(info->lines), item->offset, found))
            continue;
        const char *other = linkage_name(found);
        if (is_specified_by(found, member) || (linkage && other && strcmp(linkage, other) == 0))
            return true;
    }
    return false;
}

bool debug_frame_structure(struct debug_frame *frame, const char *name, Dwarf_Die *found,
                           bool *is_ambiguous)
{
    struct debug_info *info = frame->info;
    size_t low, count = 0, last_unit = SIZE_MAX;
    *is_ambiguous = false;
    if (!begin_globals(frame, name, true, &low))
        return false;
    for (; low < info->globals.count && debug_types_draw(&frame->types); low++) {
        const struct global *item = &info->globals.items[low];
        Dwarf_Die entry;
        if (strcmp(item->name, name) != 0 || !item->is_type)
            break;
        if (item->is_declared || !dwarf_offdie(lines_dwarf(info->lines), item->offset, &entry))
            continue;
        // Units that include the same header have the same structure each.
        *is_ambiguous |= item->unit == last_unit;
        last_unit = item->unit;
        if (!count++)
            *found = entry;
    }
    return count > 0;
}

bool debug_frame_file(const struct debug_frame *frame, uint64_t number, struct source_location *out)
{
    struct lines *lines = frame->info->lines;
    size_t unit;
    return lines_unit_at(lines, frame->pc, &unit) && lines_unit_file(lines, unit, number, out);
}

// --- Memory and registers ------------------------------------------------------------------------

uint64_t debug_load(const struct debug_frame *frame, const uint8_t *bytes, size_t size_bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size_bytes; i++)
        value = value << 8 | bytes[frame->point->is_big_endian ? i : size_bytes - 1 - i];
    return value;
}

void debug_store(const struct debug_frame *frame, uint64_t value, uint8_t *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++, value = value >> 8)
        bytes[frame->point->is_big_endian ? size_bytes - 1 - i : i] = (uint8_t)value;
}

// Fills in bytes from a section that are not known yet.
static void read_constant(const struct debug_info *info, const struct constant *from,
                          uint64_t address, size_t size_bytes, uint8_t *bytes, uint8_t *known)
{
    struct error err;
    uint64_t first = u64_max(address, from->address);
    uint64_t end = u64_min(address + size_bytes, from->address + from->size_bytes);
    if (first >= end)
        return;
    uint8_t *copy = malloc((size_t)(end - first));
    bool has_it = copy && image_read(info->image, from->file_offset + (first - from->address), copy,
                                     (size_t)(end - first), &err) == STATUS_OK;
    for (uint64_t i = 0; has_it && i < end - first; i++) {
        size_t at = (size_t)(first - address + i);
        bytes[at] = known[at] ? bytes[at] : copy[i];
        known[at] = 1;
    }
    free(copy);
}

void debug_frame_memory(struct debug_frame *frame, uint64_t address, size_t size_bytes,
                        uint8_t *bytes, uint8_t *known)
{
    const struct debug_info *info = frame->info;
    const struct debug_point *point = frame->point;
    address &= point->address_mask;
    memset(known, 0, size_bytes);
    if (address > UINT64_MAX - size_bytes)
        return;
    point->read_memory(point->self, address, size_bytes, bytes, known);
    if (!memchr(known, 0, size_bytes))
        return;
    uint64_t linked = (address - point->offset) & point->address_mask;
    for (size_t i = 0; i < info->constants.count && linked <= UINT64_MAX - size_bytes; i++)
        read_constant(info, &info->constants.items[i], linked, size_bytes, bytes, known);
}

static bool read_register(void *self, uint64_t number, uint64_t *value)
{
    struct debug_frame *frame = self;
    uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES];
    size_t size = frame->point->read_register(frame->point->self, number, bytes);
    if (!size || size > sizeof *value)
        return false;
    *value = debug_load(frame, bytes, size);
    return true;
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    struct debug_frame *frame = self;
    uint8_t bytes[8], known[8];
    if (size_bytes > sizeof bytes)
        return false;
    debug_frame_memory(frame, address, size_bytes, bytes, known);
    if (memchr(known, 0, size_bytes))
        return false;
    *value = debug_load(frame, bytes, size_bytes);
    return true;
}

bool debug_frame_cfa(struct debug_frame *frame, uint64_t *cfa)
{
    const struct cfi_reader reader = {frame, read_register, read_memory};
    const struct frame_row *row = frame->info->cfi ? cfi_find(frame->info->cfi, frame->pc) : NULL;
    uint64_t base;
    if (!row)
        return false;
    if (row->cfa.kind == FRAME_VALUE_EXPRESSION) {
        const struct cfi_expression expression = {row->expressions + row->cfa.offset,
                                                  row->cfa.length, frame->types.address_bytes,
                                                  row->is_big_endian};
        return cfi_expression_value(&expression, &reader, NULL, cfa);
    }
    if (row->cfa.kind != FRAME_REGISTER || !read_register(frame, row->cfa.base, &base))
        return false;
    *cfa = (base + (uint64_t)row->cfa.offset) & frame->point->address_mask;
    return true;
}

// --- Inlined functions ---------------------------------------------------------------------------

// A number of the entry itself, not of its abstract origin.
static bool number_of(Dwarf_Die *die, unsigned which, uint64_t *number)
{
    Dwarf_Attribute found;
    Dwarf_Word value;
    bool has_it = dwarf_formudata(dwarf_attr(die, which, &found), &value) == 0;
    *number = has_it ? value : 0;
    return has_it;
}

static struct debug_inline describe(const struct debug_frame *frame, Dwarf_Die *function)
{
    struct debug_inline described = {.name = debug_name(function),
                                     .entry = (uint64_t)(uintptr_t)function->addr};
    uint64_t file, line;
    if (dwarf_tag(function) != DW_TAG_inlined_subroutine)
        return described;
    if (number_of(function, DW_AT_call_file, &file))
        described.file =
            debug_frame_file(frame, file, &described.call) ? described.call.file : NULL;
    if (number_of(function, DW_AT_call_line, &line) && line <= UINT32_MAX)
        described.line = (uint32_t)line;
    return described;
}

size_t debug_inlines(struct debug_info *info, uint64_t pc, struct debug_inline *chain,
                     size_t capacity)
{
    FRAGILE_BLOCK;
    struct debug_frame frame;
    size_t count = 0;
    debug_frame_begin(&frame, info, NULL, pc);
    for (size_t i = frame.scope_count; i-- > 0 && count < capacity;) {
        bool is_function = i == 0 || dwarf_tag(&frame.scopes[i]) == DW_TAG_inlined_subroutine;
        if (is_function)
            chain[count++] = describe(&frame, &frame.scopes[i]);
    }
    debug_frame_end(&frame);
    return count;
}
