// Reads the description of a target with expat. Not allowed are entities, whose expansion is
// unbounded, and includes, which would refer to GDB's own files.
#include "trace/tfile/registers.h"

#include "base/characters.h"
#include "base/limits.h"

#include <expat.h>
#include <stdlib.h>

struct tfile_xml {
    struct tfile_registers *registers;
    struct arena *arena;
    XML_Parser parser;
    bool is_broken, lacks_memory, in_architecture;
    uint32_t next_number;
    char architecture[64];
    size_t architecture_length;
};

static void give_up(struct tfile_xml *description)
{
    description->is_broken = true;
    XML_StopParser(description->parser, XML_FALSE);
}

static const char *value_of(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    }
    return NULL;
}

static bool parse_number(const char *text, uint32_t *number)
{
    char *end;
    unsigned long value = text && is_digit(*text) ? strtoul(text, &end, 10) : UINT32_MAX;
    *number = (uint32_t)value;
    return value < INT32_MAX && !*end;
}

static enum tfile_register_type type_named(const char *name)
{
    static const struct {
        const char *name;
        enum tfile_register_type type;
    } types[] = {
        {"int", TFILE_INTEGER},       {"long", TFILE_INTEGER},      {"int8", TFILE_INTEGER},
        {"int16", TFILE_INTEGER},     {"int32", TFILE_INTEGER},     {"int64", TFILE_INTEGER},
        {"uint8", TFILE_INTEGER},     {"uint16", TFILE_INTEGER},    {"uint32", TFILE_INTEGER},
        {"uint64", TFILE_INTEGER},    {"code_ptr", TFILE_CODE},     {"data_ptr", TFILE_DATA},
        {"ieee_single", TFILE_FLOAT}, {"ieee_double", TFILE_FLOAT}, {"float", TFILE_FLOAT},
        {"i387_ext", TFILE_FLOAT},    {"arm_fpa_ext", TFILE_FLOAT},
    };
    for (size_t i = 0; name && i < ARRAY_COUNT(types); i++) {
        if (strcmp(name, types[i].name) == 0)
            return types[i].type;
    }
    return name ? TFILE_VECTOR : TFILE_INTEGER;
}

static void add_register(struct tfile_xml *description, const XML_Char **attributes)
{
    struct tfile_registers *registers = description->registers;
    const char *name = value_of(attributes, "name"), *number = value_of(attributes, "regnum");
    struct tfile_register item = {.type = type_named(value_of(attributes, "type")),
                                  .number = description->next_number};
    uint32_t bits;
    bool is_sound = name && parse_number(value_of(attributes, "bitsize"), &bits) && bits &&
                    (!number || parse_number(number, &item.number)) &&
                    registers->items.count < LIMIT_TFILE_REGISTERS;
    if (!is_sound) {
        give_up(description);
        return;
    }
    item.name = arena_copy_string(description->arena, name, strlen(name));
    item.size_bytes = bits / 8;
    if (!item.name || !VEC_ROOM(&registers->items, 1)) {
        description->lacks_memory = true;
        give_up(description);
        return;
    }
    description->next_number = item.number + 1;
    registers->items.items[registers->items.count++] = item;
}

static void XMLCALL on_start(void *self, const XML_Char *name, const XML_Char **attributes)
{
    struct tfile_xml *description = self;
    if (strcmp(name, "reg") == 0)
        add_register(description, attributes);
    else if (strcmp(name, "xi:include") == 0)
        give_up(description);
    description->in_architecture = strcmp(name, "architecture") == 0;
}

static void XMLCALL on_end(void *self, const XML_Char *name)
{
    (void)name;
    ((struct tfile_xml *)self)->in_architecture = false;
}

static void XMLCALL on_text(void *self, const XML_Char *text, int length)
{
    struct tfile_xml *description = self;
    size_t room = sizeof description->architecture - 1 - description->architecture_length;
    if (!description->in_architecture)
        return;
    size_t count = (size_t)u64_min((uint64_t)length, room);
    memcpy(description->architecture + description->architecture_length, text, count);
    description->architecture_length += count;
}

static void XMLCALL on_entity(void *self, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int length, const XML_Char *base,
                              const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length;
    (void)base, (void)system, (void)public, (void)notation;
    give_up(self);
}

struct tfile_xml *tfile_xml_begin(struct tfile_registers *registers, struct arena *arena)
{
    struct tfile_xml *description = calloc(1, sizeof *description);
    if (!description)
        return NULL;
    description->registers = registers;
    description->arena = arena;
    description->parser = XML_ParserCreate(NULL);
    if (!description->parser) {
        free(description);
        return NULL;
    }
    XML_SetUserData(description->parser, description);
    XML_SetElementHandler(description->parser, on_start, on_end);
    XML_SetCharacterDataHandler(description->parser, on_text);
    XML_SetEntityDeclHandler(description->parser, on_entity);
    return description;
}

static void parse(struct tfile_xml *description, const char *text, size_t length, bool ends)
{
    if (description->is_broken ||
        XML_Parse(description->parser, text, (int)length, ends) == XML_STATUS_OK)
        return;
    description->is_broken = true;
    description->lacks_memory |= XML_GetErrorCode(description->parser) == XML_ERROR_NO_MEMORY;
}

void tfile_xml_line(struct tfile_xml *description, const char *text, size_t length)
{
    static const char newline = '\n';
    // In files of GDB, the first line is empty, but an XML declaration must be first.
    if (length == 0 && XML_GetCurrentByteCount(description->parser) == 0 &&
        XML_GetCurrentLineNumber(description->parser) <= 1)
        return;
    parse(description, text, length, false);
    parse(description, &newline, 1, false);
}

ORDER_BY(compare_numbers, struct tfile_register, number)

// Packed in the order of their numbers, without alignment. Of registers with the same number, one
// is kept.
static bool lay_out(struct tfile_registers *registers)
{
    struct tfile_register *items = registers->items.items;
    uint64_t offset = 0;
    size_t kept = 0;
    if (!registers->items.count)
        return false;
    qsort(items, registers->items.count, sizeof *items, compare_numbers);
    for (size_t i = 0; i < registers->items.count; i++) {
        if ((kept && items[kept - 1].number == items[i].number) || !items[i].size_bytes)
            continue;
        if (offset + items[i].size_bytes > INT32_MAX)
            break;
        items[kept] = items[i];
        items[kept++].offset = (uint32_t)offset;
        offset += items[i].size_bytes;
    }
    registers->items.count = kept;
    return kept != 0;
}

static void name_machine(struct tfile_xml *description)
{
    static const struct {
        const char *prefix;
        enum tfile_machine machine;
        enum tfile_byte_order byte_order;
        uint32_t address_bytes;
    } machines[] = {
        {"i386:x86-64", TFILE_X86_64, TFILE_LITTLE_ENDIAN, 8},
        {"i386:x64-32", TFILE_X86_64, TFILE_LITTLE_ENDIAN, 4},
        {"i386", TFILE_I386, TFILE_LITTLE_ENDIAN, 4},
        {"aarch64", TFILE_AARCH64, TFILE_ORDER_UNKNOWN, 8},
        {"arm", TFILE_ARM, TFILE_ORDER_UNKNOWN, 4},
        {"iwmmxt", TFILE_ARM, TFILE_ORDER_UNKNOWN, 4},
        {"s390:64", TFILE_OTHER, TFILE_BIG_ENDIAN, 8},
        {"s390", TFILE_OTHER, TFILE_BIG_ENDIAN, 4},
        {"sparc", TFILE_OTHER, TFILE_BIG_ENDIAN, 0},
        {"m68k", TFILE_OTHER, TFILE_BIG_ENDIAN, 4},
        {"riscv:rv64", TFILE_OTHER, TFILE_LITTLE_ENDIAN, 8},
        {"riscv", TFILE_OTHER, TFILE_LITTLE_ENDIAN, 4},
    };
    struct tfile_registers *registers = description->registers;
    registers->machine = TFILE_OTHER;
    registers->architecture = arena_copy_string(description->arena, description->architecture,
                                                description->architecture_length);
    description->lacks_memory |= !registers->architecture;
    for (size_t i = 0; i < ARRAY_COUNT(machines); i++) {
        if (strncmp(description->architecture, machines[i].prefix, strlen(machines[i].prefix)) != 0)
            continue;
        registers->machine = machines[i].machine;
        registers->byte_order = machines[i].byte_order;
        registers->address_bytes = machines[i].address_bytes;
        return;
    }
}

bool tfile_xml_end(struct tfile_xml *description)
{
    struct tfile_registers *registers = description->registers;
    parse(description, "", 0, true);
    registers->machine = TFILE_MACHINE_UNKNOWN;
    if (description->architecture_length)
        name_machine(description);
    registers->is_described = !description->is_broken && lay_out(registers);
    if (!registers->is_described)
        registers->items.count = 0;
    bool has_memory = !description->lacks_memory;
    XML_ParserFree(description->parser);
    free(description);
    return has_memory;
}
