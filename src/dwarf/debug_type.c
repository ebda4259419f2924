#include "dwarf/debug_value.h"

#include "base/limits.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>

enum { DECLARATOR_BYTES = 512 };

static const struct debug_type unknown_type = {.kind = DEBUG_UNKNOWN, .name = "<unknown type>"};
static const struct debug_type void_type = {.kind = DEBUG_VOID, .name = "void"};

bool debug_types_draw(struct debug_types *types)
{
    return types->work && types->work--;
}

bool debug_number(Dwarf_Die *die, unsigned attribute, int64_t *value)
{
    Dwarf_Attribute found;
    Dwarf_Sword with_sign;
    Dwarf_Word number;
    if (!dwarf_attr_integrate(die, attribute, &found))
        return false;
    unsigned form = dwarf_whatform(&found);
    if (form == DW_FORM_sdata || form == DW_FORM_implicit_const || form == DW_FORM_data1 ||
        form == DW_FORM_data2 || form == DW_FORM_data4 || form == DW_FORM_data8) {
        bool is_signed = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
        if (is_signed ? dwarf_formsdata(&found, &with_sign) : dwarf_formudata(&found, &number))
            return false;
        *value = is_signed ? (int64_t)with_sign : (int64_t)number;
        return true;
    }
    if (form != DW_FORM_udata || dwarf_formudata(&found, &number) != 0)
        return false;
    *value = (int64_t)number;
    return true;
}

const char *debug_name(Dwarf_Die *die)
{
    Dwarf_Attribute found;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &found));
    return name && *name ? name : NULL;
}

// --- What a type is ------------------------------------------------------------------------------

static bool is_qualifier(int tag)
{
    return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_typedef ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

// The type of an entry. False: none, which means void.
static bool follow(Dwarf_Die *die, Dwarf_Die *target)
{
    Dwarf_Attribute found;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &found), target) != NULL;
}

// Strips typedefs and qualifiers. False: the rest is void, or they never end.
static bool strip(Dwarf_Die *die, bool *is_void)
{
    *is_void = false;
    for (unsigned i = 0; i < LIMIT_DEBUG_DEPTH; i++) {
        Dwarf_Die next;
        if (!is_qualifier(dwarf_tag(die)))
            return true;
        if (!follow(die, &next)) {
            *is_void = true;
            return false;
        }
        *die = next;
    }
    return false;
}

static void classify_base(struct debug_type *type)
{
    int64_t encoding = 0;
    debug_number(&type->die, DW_AT_encoding, &encoding);
    switch (encoding) {
    case DW_ATE_boolean:
        type->kind = DEBUG_BOOL;
        break;
    case DW_ATE_float:
        type->kind = DEBUG_FLOAT;
        break;
    case DW_ATE_complex_float:
        type->kind = DEBUG_COMPLEX;
        break;
    case DW_ATE_signed:
    case DW_ATE_signed_char:
        type->kind = DEBUG_INTEGER;
        type->is_signed = true;
        break;
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
    case DW_ATE_address:
        type->kind = DEBUG_INTEGER;
        break;
    default:
        break;
    }
}

// Dimension `number` of an array.
static bool find_dimension(struct debug_types *types, Dwarf_Die *array, unsigned number,
                           Dwarf_Die *found)
{
    int status = dwarf_child(array, found);
    for (; status == 0 && debug_types_draw(types); status = dwarf_siblingof(found, found)) {
        int tag = dwarf_tag(found);
        if ((tag == DW_TAG_subrange_type || tag == DW_TAG_enumeration_type) && number-- == 0)
            return true;
    }
    return false;
}

static bool read_count(Dwarf_Die *dimension, uint64_t *count)
{
    int64_t number, first = 0;
    if (debug_number(dimension, DW_AT_count, &number)) {
        *count = (uint64_t)number;
        return number >= 0;
    }
    debug_number(dimension, DW_AT_lower_bound, &first);
    if (!debug_number(dimension, DW_AT_upper_bound, &number) || number == INT64_MAX ||
        number + 1 < first)
        return false;
    *count = (uint64_t)number + 1 - (uint64_t)first;
    return true;
}

static const struct debug_type *element_of(struct debug_types *types,
                                           const struct debug_type *type);

static void classify_array(struct debug_types *types, struct debug_type *type)
{
    Dwarf_Die dimension;
    type->kind = DEBUG_ARRAY;
    type->has_count = find_dimension(types, &type->die, type->dimension, &dimension) &&
                      read_count(&dimension, &type->count);
    if (types->depth == LIMIT_DEBUG_DEPTH) // an array of itself
        return;
    types->depth++;
    const struct debug_type *element = element_of(types, type);
    types->depth--;
    if (!type->has_count ||
        __builtin_mul_overflow(type->count, element->size_bytes, &type->size_bytes)) {
        type->has_count = false;
        type->count = type->size_bytes = 0;
    }
}

static void classify(struct debug_types *types, struct debug_type *type)
{
    int64_t size;
    if (debug_number(&type->die, DW_AT_byte_size, &size))
        type->size_bytes = (uint64_t)size;
    switch (dwarf_tag(&type->die)) {
    case DW_TAG_base_type:
        classify_base(type);
        break;
    case DW_TAG_enumeration_type:
        type->kind = DEBUG_ENUM;
        break;
    case DW_TAG_pointer_type:
        type->kind = DEBUG_POINTER;
        type->size_bytes = type->size_bytes ? type->size_bytes : types->address_bytes;
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = DEBUG_REFERENCE;
        type->size_bytes = type->size_bytes ? type->size_bytes : types->address_bytes;
        break;
    case DW_TAG_ptr_to_member_type: {
        Dwarf_Die target, pointer = type->die;
        bool is_void;
        type->kind = DEBUG_MEMBER_POINTER;
        // Of a method, two words.
        bool is_method = follow(&pointer, &target) && strip(&target, &is_void) &&
                         dwarf_tag(&target) == DW_TAG_subroutine_type;
        type->size_bytes = (is_method ? 2 : 1) * (uint64_t)types->address_bytes;
        break;
    }
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_class_type:
        type->kind = DEBUG_STRUCT;
        break;
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        type->kind = DEBUG_FUNCTION;
        type->size_bytes = 1; // as in GDB
        break;
    case DW_TAG_array_type:
        classify_array(types, type);
        break;
    default:
        break;
    }
}

static struct debug_type *make(struct debug_types *types)
{
    struct debug_type *type = arena_alloc(&types->arena, sizeof *type);
    types->lacks_memory |= !type;
    return type;
}

static const struct debug_type *type_at(struct debug_types *types, Dwarf_Die *die,
                                        unsigned dimension)
{
    bool is_void;
    Dwarf_Die stripped = *die;
    bool has_kind = strip(&stripped, &is_void);
    if (!debug_types_draw(types) || (!has_kind && !is_void))
        return &unknown_type;
    struct debug_type *type = make(types);
    if (!type)
        return &unknown_type;
    *type = (struct debug_type){.has_die = true, .named = *die, .die = stripped};
    type->dimension = dimension;
    if (is_void)
        type->kind = DEBUG_VOID;
    else
        classify(types, type);
    return type;
}

const struct debug_type *debug_type_at(struct debug_types *types, Dwarf_Die *die)
{
    return type_at(types, die, 0);
}

const struct debug_type *debug_type_of(struct debug_types *types, Dwarf_Die *entry)
{
    Dwarf_Die target;
    if (!debug_types_draw(types))
        return &unknown_type;
    return follow(entry, &target) ? debug_type_at(types, &target) : &void_type;
}

static const struct debug_type *element_of(struct debug_types *types, const struct debug_type *type)
{
    Dwarf_Die array = type->die, dimension;
    if (find_dimension(types, &array, type->dimension + 1, &dimension))
        return type_at(types, &array, type->dimension + 1);
    return debug_type_of(types, &array);
}

const struct debug_type *debug_type_target(struct debug_types *types, const struct debug_type *type)
{
    Dwarf_Die die = type->die;
    if (type->target)
        return type->target;
    if (!type->has_die)
        return &unknown_type;
    return type->kind == DEBUG_ARRAY ? element_of(types, type) : debug_type_of(types, &die);
}

// --- Types of expressions ------------------------------------------------------------------------

const struct debug_type *debug_type_pointer(struct debug_types *types,
                                            const struct debug_type *target)
{
    struct debug_type *type = make(types);
    if (!type)
        return &unknown_type;
    *type = (struct debug_type){
        .kind = DEBUG_POINTER, .target = target, .size_bytes = types->address_bytes};
    return type;
}

const struct debug_type *debug_type_array(struct debug_types *types,
                                          const struct debug_type *target, uint64_t count)
{
    struct debug_type *type = make(types);
    uint64_t size_bytes;
    if (!type || __builtin_mul_overflow(count, target->size_bytes, &size_bytes))
        return &unknown_type;
    *type = (struct debug_type){.kind = DEBUG_ARRAY,
                                .target = target,
                                .has_count = true,
                                .count = count,
                                .size_bytes = size_bytes};
    return type;
}

const struct debug_type *debug_type_basic(struct debug_types *types, const char *name)
{
    static const struct {
        const char *name;
        uint8_t size_bytes; // 0: the size of an address
        bool is_signed;
    } basic[] = {
        {"char", 1, true},           {"signed char", 1, true},     {"unsigned char", 1, false},
        {"short", 2, true},          {"unsigned short", 2, false}, {"int", 4, true},
        {"unsigned int", 4, false},  {"unsigned", 4, false},       {"long", 0, true},
        {"unsigned long", 0, false}, {"long long", 8, true},       {"unsigned long long", 8, false},
    };
    if (strcmp(name, "void") == 0)
        return &void_type;
    for (size_t i = 0; i < ARRAY_COUNT(basic); i++) {
        struct debug_type *type = strcmp(name, basic[i].name) == 0 ? make(types) : NULL;
        if (!type)
            continue;
        *type = (struct debug_type){.kind = DEBUG_INTEGER,
                                    .is_signed = basic[i].is_signed,
                                    .name = basic[i].name,
                                    .size_bytes = basic[i].size_bytes};
        if (!type->size_bytes)
            type->size_bytes = types->address_bytes;
        return type;
    }
    return NULL;
}

bool debug_type_is_text(const struct debug_type *type, const char **prefix)
{
    static const struct {
        const char *name, *prefix;
    } wide[] = {{"wchar_t", "L"}, {"char16_t", "u"}, {"char32_t", "U"}};
    *prefix = "";
    if (type->kind != DEBUG_INTEGER)
        return false;
    if (type->size_bytes == 1)
        return true;
    Dwarf_Die die = type->named, next;
    for (unsigned hops = 0; type->has_die && hops < LIMIT_DEBUG_DEPTH; hops++, die = next) {
        const char *name = debug_name(&die);
        for (size_t i = 0; name && i < ARRAY_COUNT(wide); i++) {
            *prefix = wide[i].prefix;
            if (strcmp(name, wide[i].name) == 0)
                return type->size_bytes == 2 || type->size_bytes == 4;
        }
        if (!is_qualifier(dwarf_tag(&die)) || !follow(&die, &next))
            break;
    }
    return false;
}

// --- Names ---------------------------------------------------------------------------------------

static const char *keyword_of(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_structure_type:
        return "struct ";
    case DW_TAG_union_type:
        return "union ";
    case DW_TAG_enumeration_type:
        return "enum ";
    default:
        return "";
    }
}

static void put_base(struct debug_types *types, Dwarf_Die *die, const char *qualifiers,
                     const char *inner, struct out *out)
{
    const char *name = debug_name(die), *keyword = keyword_of(die);
    const char *space = debug_type_space(types, die);
    Dwarf_Die unit;
    Dwarf_CU *of = die->cu;
    bool is_c = !*keyword || !of || !dwarf_cu_die(of, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
                (dwarf_srclang(&unit) != DW_LANG_C_plus_plus &&
                 dwarf_srclang(&unit) != DW_LANG_C_plus_plus_11 &&
                 dwarf_srclang(&unit) != DW_LANG_C_plus_plus_14);
    out_text(out, qualifiers);
    out_text(out, is_c || !name ? keyword : "");
    out_text(out, space);
    out_text(out, *space ? "::" : "");
    out_text(out, name ? name : "{...}");
    out_text(out, *inner ? " " : "");
    out_text(out, inner);
}

// The declarator grows outward from the declared name; each step of `die` wraps it.
static void put_name(struct debug_types *types, Dwarf_Die *start, const char *inner,
                     struct out *out, unsigned dimension);

static void put_target(struct debug_types *types, Dwarf_Die *die, const char *inner,
                       struct out *out)
{
    Dwarf_Die target;
    if (follow(die, &target)) {
        put_name(types, &target, inner, out, 0);
        return;
    }
    out_text(out, *inner ? "void " : "void");
    out_text(out, inner);
}

static const char *bracket(const char *inner, const char *end)
{
    return *inner == '*' || *inner == '&' || strstr(inner, "::*") ? end : "";
}

static void put_array(struct debug_types *types, Dwarf_Die *die, const char *inner, struct out *out,
                      unsigned dimension)
{
    char text[DECLARATOR_BYTES];
    Dwarf_Die found;
    uint64_t count;
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s%s", bracket(inner, "("), inner,
                                   bracket(inner, ")"));
    for (; used < sizeof text - 32 && find_dimension(types, die, dimension, &found); dimension++) {
        bool has_count = read_count(&found, &count);
        used += (size_t)(has_count ? snprintf(text + used, 32, "[%" PRIu64 "]", count)
                                   : snprintf(text + used, 32, "[]"));
    }
    put_target(types, die, text, out);
}

static void put_function(struct debug_types *types, Dwarf_Die *die, const char *inner,
                         struct out *out)
{
    char text[DECLARATOR_BYTES];
    struct error err;
    struct out parameters;
    if (out_open_memory(&parameters, &err) != STATUS_OK) {
        types->lacks_memory = true;
        return;
    }
    Dwarf_Die child;
    Dwarf_Attribute prototyped, artificial;
    const bool is_type = dwarf_tag(die) == DW_TAG_subroutine_type;
    bool is_first = true;
    int status = dwarf_child(die, &child);
    for (; status == 0 && debug_types_draw(types); status = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        bool is_more = tag == DW_TAG_unspecified_parameters;
        if (!is_more && tag != DW_TAG_formal_parameter)
            continue;
        out_text(&parameters, is_first ? "" : ", ");
        is_first = false;
        if (is_more)
            out_text(&parameters, "...");
        else
            debug_type_name(types, debug_type_of(types, &child), "", &parameters);
        if (is_type && dwarf_attr(&child, DW_AT_artificial, &artificial))
            out_text(&parameters, " const"); // "this", as in GDB
    }
    if (is_first && dwarf_attr_integrate(die, DW_AT_prototyped, &prototyped))
        out_text(&parameters, "void");
    snprintf(text, sizeof text, "%s%s%s(%.400s)", bracket(inner, "("), inner, bracket(inner, ")"),
             out_memory_text(&parameters));
    types->lacks_memory |= out_failed(&parameters);
    out_abandon(&parameters);
    put_target(types, die, text, out);
}

// "const ", or "* const" for a pointer; *die becomes the qualified type.
static bool take_qualifiers(Dwarf_Die *die, char text[64])
{
    Dwarf_Die next;
    bool is_const = false, is_volatile = false;
    for (unsigned i = 0; i < LIMIT_DEBUG_DEPTH; i++, *die = next) {
        int tag = dwarf_tag(die);
        if (tag == DW_TAG_typedef || !is_qualifier(tag))
            break;
        is_const |= tag == DW_TAG_const_type;
        is_volatile |= tag == DW_TAG_volatile_type;
        if (!follow(die, &next)) {
            snprintf(text, 64, "%s%s", is_const ? "const " : "", is_volatile ? "volatile " : "");
            return false;
        }
    }
    snprintf(text, 64, "%s%s", is_const ? "const " : "", is_volatile ? "volatile " : "");
    return true;
}

static void put_pointer(struct debug_types *types, Dwarf_Die *die, const char *mark,
                        const char *qualifiers, const char *inner, struct out *out)
{
    char text[DECLARATOR_BYTES];
    size_t length = strlen(qualifiers);
    snprintf(text, sizeof text, "%s%s%.*s%s%s", mark, length ? " " : "",
             (int)(length ? length - 1 : 0), qualifiers, length && *inner ? " " : "", inner);
    put_target(types, die, text, out);
}

// "int Point::*", "int (Point::*)(Point *, int)".
static void put_member_pointer(struct debug_types *types, Dwarf_Die *die, const char *inner,
                               struct out *out)
{
    char text[DECLARATOR_BYTES];
    Dwarf_Attribute found;
    Dwarf_Die of;
    bool is_known = dwarf_formref_die(dwarf_attr(die, DW_AT_containing_type, &found), &of) != NULL;
    const char *name = is_known ? debug_name(&of) : NULL;
    const char *space = name ? debug_type_space(types, &of) : "";
    snprintf(text, sizeof text, "%.100s%s%.150s::*%.200s", space, *space ? "::" : "",
             name ? name : "?", inner);
    put_target(types, die, text, out);
}

static void put_known(struct debug_types *types, Dwarf_Die *start, const char *inner,
                      struct out *out, unsigned dimension)
{
    char qualifiers[64];
    Dwarf_Die die = *start;
    if (!take_qualifiers(&die, qualifiers)) {
        out_text(out, qualifiers);
        out_text(out, *inner ? "void " : "void");
        out_text(out, inner);
        return;
    }
    switch (dwarf_tag(&die)) {
    case DW_TAG_pointer_type:
        put_pointer(types, &die, "*", qualifiers, inner, out);
        break;
    case DW_TAG_reference_type:
        put_pointer(types, &die, "&", qualifiers, inner, out);
        break;
    case DW_TAG_rvalue_reference_type:
        put_pointer(types, &die, "&&", qualifiers, inner, out);
        break;
    case DW_TAG_ptr_to_member_type:
        put_member_pointer(types, &die, inner, out);
        break;
    case DW_TAG_array_type:
        put_array(types, &die, inner, out, dimension);
        break;
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        put_function(types, &die, inner, out);
        break;
    default:
        put_base(types, &die, qualifiers, inner, out);
        break;
    }
}

static void put_name(struct debug_types *types, Dwarf_Die *start, const char *inner,
                     struct out *out, unsigned dimension)
{
    bool is_enough = !debug_types_draw(types) || types->depth == LIMIT_DEBUG_DEPTH;
    if (is_enough || strlen(inner) > DECLARATOR_BYTES - 64) {
        out_text(out, "...");
        return;
    }
    types->depth++;
    put_known(types, start, inner, out, dimension);
    types->depth--;
}

void debug_type_name(struct debug_types *types, const struct debug_type *type, const char *inner,
                     struct out *out)
{
    char text[DECLARATOR_BYTES];
    Dwarf_Die die = type->dimension ? type->die : type->named;
    if (type->has_die) {
        put_name(types, &die, inner, out, type->dimension);
        return;
    }
    if (!type->target || strlen(inner) > sizeof text - 64) {
        out_text(out, type->name ? type->name : "void");
        out_text(out, *inner ? " " : "");
        out_text(out, inner);
        return;
    }
    if (type->kind == DEBUG_POINTER)
        snprintf(text, sizeof text, "*%s", inner);
    else if (type->kind == DEBUG_FUNCTION)
        snprintf(text, sizeof text, "%s%s%s()", bracket(inner, "("), inner, bracket(inner, ")"));
    else
        snprintf(text, sizeof text, "%s%s%s[%" PRIu64 "]", bracket(inner, "("), inner,
                 bracket(inner, ")"), type->count);
    debug_type_name(types, type->target, text, out);
}
