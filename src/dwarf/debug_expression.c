#include "dwarf/debug_value.h"

#include "base/characters.h"

#include <stdlib.h>

struct parser {
    struct debug_frame *frame;
    const char *at;
    unsigned depth;
    struct error *err;
    enum status status;
};

static bool parse_sum(struct parser *parser, struct debug_value *value);
static bool parse_unary(struct parser *parser, struct debug_value *value);

static bool fail(struct parser *parser, enum status status, const char *what, const char *name,
                 size_t length)
{
    if (parser->status == STATUS_OK)
        parser->status =
            error_set(parser->err, status, what, (int)(length < 200 ? length : 200), name);
    return false;
}

static bool not_understood(struct parser *parser)
{
    return fail(parser, STATUS_INPUT, "'%.*s' is not understood", parser->at, strlen(parser->at));
}

static void skip_blanks(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

static bool take(struct parser *parser, const char *text)
{
    size_t length = strlen(text);
    skip_blanks(parser);
    if (strncmp(parser->at, text, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool begins_name(char c)
{
    return is_letter(c) || c == '_';
}

// The length of the name that comes next; 0: none.
static size_t name_length(struct parser *parser)
{
    size_t length = 0;
    skip_blanks(parser);
    if (!begins_name(*parser->at))
        return 0;
    while (begins_name(parser->at[length]) || is_digit(parser->at[length]))
        length++;
    return length;
}

static char *copy(struct parser *parser, const char *text, size_t length)
{
    char *name = arena_copy_string(&parser->frame->types.arena, text, length);
    parser->frame->types.lacks_memory |= !name;
    return name;
}

static bool has_fault(struct parser *parser, const struct debug_value *value)
{
    if (!value->fault)
        return false;
    fail(parser, STATUS_NOT_FOUND, "%.*s", value->fault, strlen(value->fault));
    return true;
}

static const struct debug_type *basic(struct parser *parser, const char *name)
{
    return debug_type_basic(&parser->frame->types, name);
}

static bool make_number(struct parser *parser, struct debug_value *value, const char *type_name,
                        uint64_t number)
{
    const struct debug_type *type = basic(parser, type_name);
    if (type)
        *value = debug_value_number(parser->frame, type, number);
    return type && !has_fault(parser, value);
}

// --- Operations ----------------------------------------------------------------------------------

static bool number_of(struct parser *parser, const struct debug_value *value, int64_t *number)
{
    enum debug_kind kind = value->type->kind;
    bool has_number = kind == DEBUG_INTEGER || kind == DEBUG_BOOL || kind == DEBUG_ENUM ||
                      kind == DEBUG_POINTER || kind == DEBUG_REFERENCE;
    if (has_fault(parser, value))
        return false;
    if (!has_number)
        return fail(parser, STATUS_INPUT, "%.*s", "it is no number", SIZE_MAX);
    return debug_value_integer(parser->frame, value, number) ||
           fail(parser, STATUS_NOT_FOUND, "%.*s", "<unavailable>", SIZE_MAX);
}

static bool dereference(struct parser *parser, struct debug_value *value)
{
    enum debug_kind kind = value->type->kind;
    const struct debug_type *target = debug_type_target(&parser->frame->types, value->type);
    int64_t address;
    if (kind == DEBUG_ARRAY && value->has_address) {
        *value = debug_value_at(parser->frame, target, value->address);
        return !has_fault(parser, value);
    }
    if (kind != DEBUG_POINTER && kind != DEBUG_REFERENCE)
        return fail(parser, STATUS_INPUT, "%.*s", "it points to nothing", SIZE_MAX);
    if (!number_of(parser, value, &address))
        return false;
    *value = debug_value_at(parser->frame, target, (uint64_t)address);
    return !has_fault(parser, value);
}

// The size by which a step moves a pointer.
static uint64_t step_of(struct parser *parser, const struct debug_value *value)
{
    if (value->type->kind != DEBUG_POINTER)
        return 1;
    uint64_t size = debug_type_target(&parser->frame->types, value->type)->size_bytes;
    return size ? size : 1;
}

// An array is a pointer to its first element.
static bool decay(struct parser *parser, struct debug_value *value)
{
    if (value->type->kind != DEBUG_ARRAY || !value->has_address)
        return true;
    const struct debug_type *element = debug_type_target(&parser->frame->types, value->type);
    const struct debug_type *type = debug_type_pointer(&parser->frame->types, element);
    *value = debug_value_number(parser->frame, type, value->address);
    return !has_fault(parser, value);
}

static bool add(struct parser *parser, struct debug_value *left, struct debug_value *right,
                bool is_minus)
{
    int64_t a, b;
    if (!decay(parser, left) || !decay(parser, right) || !number_of(parser, left, &a) ||
        !number_of(parser, right, &b))
        return false;
    bool is_left = left->type->kind == DEBUG_POINTER, is_right = right->type->kind == DEBUG_POINTER;
    if (is_left && is_right && is_minus) {
        int64_t step = (int64_t)step_of(parser, left), apart = (int64_t)((uint64_t)a - (uint64_t)b);
        return make_number(parser, left, "long", (uint64_t)(step > 0 ? apart / step : 0));
    }
    uint64_t first = (uint64_t)a * (is_right ? step_of(parser, right) : 1);
    uint64_t second = (uint64_t)b * (is_left ? step_of(parser, left) : 1);
    uint64_t sum = is_minus ? first - second : first + second;
    if (!is_left && !is_right) {
        bool is_wide = left->type->size_bytes > 4 || right->type->size_bytes > 4;
        return make_number(parser, left, is_wide ? "long" : "int", sum);
    }
    *left = debug_value_number(parser->frame, is_left ? left->type : right->type, sum);
    return !has_fault(parser, left);
}

static bool subscript(struct parser *parser, struct debug_value *value)
{
    struct debug_value index;
    int64_t number;
    if (!parse_sum(parser, &index) || !take(parser, "]"))
        return not_understood(parser);
    if (value->type->kind == DEBUG_ARRAY && !value->has_address) {
        const struct debug_type *type = debug_type_target(&parser->frame->types, value->type);
        if (!number_of(parser, &index, &number))
            return false;
        if (number < 0 || (uint64_t)number >= value->type->count)
            return fail(parser, STATUS_INPUT, "%.*s", "no such element", SIZE_MAX);
        value->type = type;
        value->bytes += (uint64_t)number * type->size_bytes;
        value->states += (uint64_t)number * type->size_bytes;
        return true;
    }
    return add(parser, value, &index, false) && dereference(parser, value);
}

static bool member(struct parser *parser, struct debug_value *value, bool is_arrow)
{
    size_t length = name_length(parser);
    const char *name = length ? copy(parser, parser->at, length) : NULL;
    bool is_indirect = value->type->kind == DEBUG_POINTER || value->type->kind == DEBUG_REFERENCE;
    if (!name)
        return not_understood(parser);
    if (((is_arrow && value->type->kind == DEBUG_ARRAY) || is_indirect) &&
        !dereference(parser, value))
        return false;
    parser->at += length;
    if (!debug_value_member(parser->frame, value, name))
        return fail(parser, STATUS_NOT_FOUND, "there is no member named %.*s.", name, length);
    return !has_fault(parser, value);
}

// --- Primary expressions -------------------------------------------------------------------------

// As in GDB, $pc is a pointer to code, and $sp a pointer to anything.
static const struct debug_type *register_type(struct parser *parser, enum debug_register_kind kind,
                                              size_t size_bytes)
{
    static const struct debug_type code_result = {.kind = DEBUG_VOID, .name = "void"};
    static const struct debug_type code = {
        .kind = DEBUG_FUNCTION, .name = "void (*)()", .size_bytes = 1, .target = &code_result};
    struct debug_types *types = &parser->frame->types;
    if (kind == DEBUG_REGISTER_CODE)
        return debug_type_pointer(types, &code);
    if (kind == DEBUG_REGISTER_DATA)
        return debug_type_pointer(types, basic(parser, "void"));
    switch (size_bytes) {
    case 1:
        return basic(parser, "signed char");
    case 2:
        return basic(parser, "short");
    case 4:
        return basic(parser, "int");
    default:
        return size_bytes == 8 ? basic(parser, "long long") : NULL;
    }
}

static bool parse_register(struct parser *parser, struct debug_value *value)
{
    static const struct debug_type narrow = {.kind = DEBUG_FLOAT, .name = "float", .size_bytes = 4};
    static const struct debug_type wide = {.kind = DEBUG_FLOAT, .name = "double", .size_bytes = 8};
    uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES];
    const struct debug_point *point = parser->frame->point;
    const char *name = ++parser->at;
    size_t length = name_length(parser), size = 0;
    enum debug_register_kind kind = point->find_register(point->self, name, length, bytes, &size);
    if (!length || kind == DEBUG_REGISTER_NONE)
        return fail(parser, STATUS_NOT_FOUND, "there is no register $%.*s", name, length);
    parser->at += length;
    const struct debug_type *type = kind == DEBUG_REGISTER_FLOAT
                                        ? (size == 4   ? &narrow
                                           : size == 8 ? &wide
                                                       : NULL)
                                        : register_type(parser, kind, size);
    if (!type || type->size_bytes != size)
        return fail(parser, STATUS_NOT_FOUND, "%.*s",
                    kind == DEBUG_REGISTER_UNKNOWN ? "<unavailable>" : "it is a vector", SIZE_MAX);
    *value = debug_value_new(parser->frame, type,
                             kind == DEBUG_REGISTER_UNKNOWN ? DEBUG_UNAVAILABLE : DEBUG_KNOWN);
    if (has_fault(parser, value))
        return false;
    if (kind != DEBUG_REGISTER_UNKNOWN)
        memcpy(value->bytes, bytes, size);
    return true;
}

// SPACE::NAME, what a namespace has, or STRUCTURE::MEMBER, a static member; SPACE and STRUCTURE may
// be in namespaces, and ::NAME is in none.
static bool parse_scoped(struct parser *parser, struct debug_value *value)
{
    parser->at += strncmp(parser->at, "::", 2) == 0 ? 2 : 0;
    const char *start = parser->at, *last = start;
    Dwarf_Die entry;
    bool is_ambiguous = false;
    for (size_t length; strncmp(parser->at + (length = name_length(parser)), "::", 2) == 0;)
        last = parser->at += length + strlen("::");
    size_t length = name_length(parser);
    size_t around = last > start ? (size_t)(last - start) - strlen("::") : 0;
    const char *name = copy(parser, last, length), *space = copy(parser, start, around);
    if (!length || !name || !space)
        return not_understood(parser);
    if (debug_frame_in_space(parser->frame, space, name, false, &entry)) {
        parser->at += length;
        *value = debug_variable(parser->frame, &entry);
        return !has_fault(parser, value);
    }
    size_t inner = around;
    while (inner && strncmp(space + inner - 1, "::", 2) != 0)
        inner--;
    const char *outer = copy(parser, space, inner ? inner - 1 : 0);
    bool is_found =
        outer && inner ? debug_frame_in_space(parser->frame, outer, space + inner + 1, true, &entry)
                       : debug_frame_structure(parser->frame, space, &entry, &is_ambiguous);
    if (!is_found) {
        parser->at = start;
        return fail(parser, STATUS_NOT_FOUND, "no symbol \"%.*s\" in current context.", space,
                    around);
    }
    if (is_ambiguous)
        return fail(parser, STATUS_NOT_FOUND, "several structures are called %.*s", space, around);
    parser->at += length;
    const struct debug_type *type = debug_type_at(&parser->frame->types, &entry);
    if (!debug_type_static_member(parser->frame, type, name, value))
        return fail(parser, STATUS_NOT_FOUND, "there is no static member named %.*s.", name,
                    length);
    return !has_fault(parser, value);
}

static bool parse_primary(struct parser *parser, struct debug_value *value)
{
    size_t length = name_length(parser);
    if (strncmp(parser->at + length, "::", 2) == 0)
        return parse_scoped(parser, value);
    if (length) {
        const char *name = copy(parser, parser->at, length);
        Dwarf_Die entry;
        if (!name || !debug_frame_name(parser->frame, name, &entry))
            return fail(parser, STATUS_NOT_FOUND, "no symbol \"%.*s\" in current context.",
                        parser->at, length);
        parser->at += length;
        *value = debug_variable(parser->frame, &entry);
        return !has_fault(parser, value);
    }
    if (is_digit(*parser->at)) {
        char *end;
        uint64_t number = strtoull(parser->at, &end, 0);
        if (begins_name(*end) || *end == '.')
            return not_understood(parser);
        parser->at = end;
        return make_number(parser, value, number > INT32_MAX ? "long" : "int", number);
    }
    if (*parser->at == '$')
        return parse_register(parser, value);
    if (!take(parser, "("))
        return not_understood(parser);
    return parse_sum(parser, value) && (take(parser, ")") || not_understood(parser));
}

// --- Casts ---------------------------------------------------------------------------------------

// Reads the type in "(unsigned char *)" or "(space::item *)". NULL: it is not a type.
static const struct debug_type *parse_type(struct parser *parser)
{
    skip_blanks(parser);
    const char *start = parser->at, *end = start;
    for (;; parser->at = end) {
        size_t length = strncmp(parser->at, "::", 2) == 0 ? 2 : name_length(parser);
        if (!length)
            break;
        end = parser->at + length;
    }
    const char *name = copy(parser, start, (size_t)(end - start));
    Dwarf_Die entry;
    if (!name || !*name)
        return NULL;
    const struct debug_type *type = basic(parser, name);
    if (!type && debug_frame_type_name(parser->frame, name, &entry))
        type = debug_type_at(&parser->frame->types, &entry);
    while (type && take(parser, "*"))
        type = debug_type_pointer(&parser->frame->types, type);
    return type && take(parser, ")") ? type : NULL;
}

static bool cast(struct parser *parser, struct debug_value *value, const struct debug_type *type)
{
    int64_t number;
    if (type->kind != DEBUG_INTEGER && type->kind != DEBUG_POINTER && type->kind != DEBUG_ENUM &&
        type->kind != DEBUG_BOOL)
        return fail(parser, STATUS_INPUT, "%.*s", "casts to such a type are not understood",
                    SIZE_MAX);
    if (!decay(parser, value) || !number_of(parser, value, &number))
        return false;
    *value = debug_value_number(parser->frame, type, (uint64_t)number);
    return !has_fault(parser, value);
}

static bool parse_prefixed(struct parser *parser, struct debug_value *value)
{
    int64_t number;
    if (take(parser, "*"))
        return parse_unary(parser, value) && dereference(parser, value);
    if (take(parser, "&")) {
        if (!parse_unary(parser, value))
            return false;
        if (!value->has_address || value->bit_size)
            return fail(parser, STATUS_INPUT, "%.*s", "it has no address", SIZE_MAX);
        const struct debug_type *type = debug_type_pointer(&parser->frame->types, value->type);
        *value = debug_value_number(parser->frame, type, value->address);
        return !has_fault(parser, value);
    }
    if (take(parser, "-"))
        return parse_unary(parser, value) && number_of(parser, value, &number) &&
               make_number(parser, value, value->type->size_bytes > 4 ? "long" : "int",
                           0 - (uint64_t)number);
    const char *start = parser->at;
    const struct debug_type *type = take(parser, "(") ? parse_type(parser) : NULL;
    if (type)
        return parse_unary(parser, value) && cast(parser, value, type);
    parser->at = start;
    if (!parse_primary(parser, value))
        return false;
    while (debug_types_draw(&parser->frame->types)) {
        bool is_fine;
        if (take(parser, "->"))
            is_fine = member(parser, value, true);
        else if (take(parser, "."))
            is_fine = member(parser, value, false);
        else if (take(parser, "["))
            is_fine = subscript(parser, value);
        else
            return true;
        if (!is_fine)
            return false;
    }
    return not_understood(parser);
}

static bool parse_unary(struct parser *parser, struct debug_value *value)
{
    if (parser->depth == LIMIT_DEBUG_DEPTH)
        return not_understood(parser);
    parser->depth++;
    bool is_fine = parse_prefixed(parser, value);
    parser->depth--;
    return is_fine;
}

static bool parse_product(struct parser *parser, struct debug_value *value)
{
    struct debug_value right;
    int64_t a, b;
    if (!parse_unary(parser, value))
        return false;
    while (take(parser, "*")) {
        if (!parse_unary(parser, &right) || !number_of(parser, value, &a) ||
            !number_of(parser, &right, &b))
            return false;
        bool is_wide = value->type->size_bytes > 4 || right.type->size_bytes > 4;
        if (!make_number(parser, value, is_wide ? "long" : "int", (uint64_t)a * (uint64_t)b))
            return false;
    }
    return true;
}

static bool parse_sum(struct parser *parser, struct debug_value *value)
{
    struct debug_value right;
    if (!parse_product(parser, value))
        return false;
    for (;;) {
        bool is_minus = take(parser, "-");
        if (!is_minus && !take(parser, "+"))
            return true;
        if (!parse_product(parser, &right) || !add(parser, value, &right, is_minus))
            return false;
    }
}

// VALUE@COUNT: consecutive values, as an array.
static bool parse_range(struct parser *parser, struct debug_value *value)
{
    struct debug_value count;
    int64_t number;
    if (!parse_sum(parser, value))
        return false;
    if (!take(parser, "@"))
        return true;
    if (!parse_sum(parser, &count) || !number_of(parser, &count, &number))
        return false;
    if (number <= 0 || !value->has_address)
        return fail(parser, STATUS_INPUT, "%.*s", "only values in memory can be extended with '@'",
                    SIZE_MAX);
    const struct debug_type *type =
        debug_type_array(&parser->frame->types, value->type, (uint64_t)number);
    *value = debug_value_at(parser->frame, type, value->address);
    return !has_fault(parser, value);
}

enum status debug_expression(struct debug_frame *frame, const char *text, struct debug_value *value,
                             struct error *err)
{
    struct parser parser = {.frame = frame, .at = text, .err = err};
    if (strlen(text) > LIMIT_DEBUG_EXPRESSION_BYTES)
        return error_set(err, STATUS_INPUT, "it is too long");
    if (parse_range(&parser, value)) {
        skip_blanks(&parser);
        if (*parser.at)
            not_understood(&parser);
    }
    return parser.status;
}
