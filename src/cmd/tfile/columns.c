#include "cmd/tfile/commands.h"

#include "base/limits.h"
#include "cli/suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- Reading -------------------------------------------------------------------------------------

static bool find_address(const struct tfile *file, const struct tfile_frame *frame,
                         const uint8_t *registers, const struct tfile_series *series,
                         uint64_t *address)
{
    struct tfile_point point = {file, frame, registers};
    const struct expression_registers known = tfile_point_registers(&point);
    return expression_evaluate(series->address, &known, address, NULL) == STATUS_OK;
}

bool tfile_series_value(const struct tfile *file, const struct tfile_frame *frame,
                        const uint8_t *registers, const struct tfile_series *series,
                        uint64_t *value)
{
    uint64_t address;
    int64_t variable;
    switch (series->kind) {
    case TFILE_SERIES_REGISTER:
        if (!registers && series->register_number == file->registers.pc)
            return tfile_frame_pc(file, frame, value);
        if (registers)
            *value = tfile_register_value(file, registers, series->register_number);
        return registers != NULL;
    case TFILE_SERIES_VARIABLE:
        if (!tfile_frame_variable(file, frame, series->variable, &variable))
            return false;
        *value = (uint64_t)variable;
        return true;
    case TFILE_SERIES_TYPED:
        return false;
    default:
        return find_address(file, frame, registers, series, &address) &&
               tfile_frame_load(file, frame, address, series->size_bytes, value);
    }
}

bool tfile_series_bytes(const struct tfile *file, const struct tfile_frame *frame,
                        const uint8_t *registers, const struct tfile_series *series,
                        uint8_t bytes[LIMIT_SERIES_BYTES])
{
    bool known[LIMIT_SERIES_BYTES];
    uint64_t address;
    if (series->kind == TFILE_SERIES_REGISTER) {
        if (registers)
            memcpy(bytes, registers + file->registers.items.items[series->register_number].offset,
                   series->size_bytes);
        return registers != NULL;
    }
    return find_address(file, frame, registers, series, &address) &&
           tfile_frame_memory(file, frame, address, series->size_bytes, bytes, known) ==
               series->size_bytes;
}

// --- Parsing -------------------------------------------------------------------------------------

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory");
}

static enum status add(struct tfile_series_list *list, const struct tfile_series *series,
                       struct error *err)
{
    if (!VEC_ROOM(&list->items, 1))
        return no_memory(err);
    list->items.items[list->items.count++] = *series;
    return STATUS_OK;
}

static enum status add_register(struct tfile_series_list *list, const struct tfile *file,
                                uint32_t number, const char *name, struct error *err)
{
    const struct tfile_register *item = &file->registers.items.items[number];
    bool is_long = item->size_bytes > sizeof(uint64_t);
    if (item->size_bytes > LIMIT_SERIES_BYTES)
        return error_set_at(err, STATUS_LIMIT, 0, "a register of more than %d bytes",
                            LIMIT_SERIES_BYTES);
    return add(list,
               &(struct tfile_series){.name = name,
                                      .kind = TFILE_SERIES_REGISTER,
                                      .form = is_long ? TFILE_SERIES_BYTES : TFILE_SERIES_HEX,
                                      .size_bytes = item->size_bytes,
                                      .register_number = number},
               err);
}

// Adds all registers, or those that GDB shows by default.
static enum status add_registers(struct tfile_series_list *list, const struct tfile *file,
                                 bool wants_all, struct error *err)
{
    enum status status = STATUS_OK;
    if (!file->registers.items.count)
        return error_set_at(err, STATUS_NOT_FOUND, 0, "the file does not say which registers");
    for (uint32_t i = 0; i < file->registers.items.count && status == STATUS_OK; i++) {
        const struct tfile_register *item = &file->registers.items.items[i];
        if (wants_all || tfile_register_is_general(item))
            status = add_register(list, file, i, item->name, err);
    }
    return status;
}

static bool parse_decimal(const char *text, char stop, uint32_t *number)
{
    char *end;
    unsigned long value = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    *number = (uint32_t)value;
    return value && value <= LIMIT_SERIES_BYTES && *end == stop && (!stop || !end[1]);
}

static bool parse_type(const char *type, struct tfile_series *series)
{
    static const struct {
        char letter;
        enum tfile_series_form form;
        uint32_t bits_min;
    } letters[] = {
        {'u', TFILE_SERIES_UNSIGNED, 8},
        {'i', TFILE_SERIES_SIGNED, 8},
        {'x', TFILE_SERIES_HEX, 8},
        {'f', TFILE_SERIES_FLOAT, 32},
    };
    if (strncmp(type, "bytes[", 6) == 0) {
        series->form = TFILE_SERIES_BYTES;
        return parse_decimal(type + 6, ']', &series->size_bytes);
    }
    for (size_t i = 0; i < ARRAY_COUNT(letters); i++) {
        uint32_t bits;
        if (*type != letters[i].letter || !parse_decimal(type + 1, 0, &bits))
            continue;
        series->form = letters[i].form;
        series->size_bytes = bits / 8;
        return bits >= letters[i].bits_min && bits <= 64 && (bits & (bits - 1)) == 0;
    }
    return false;
}

static enum status add_memory(struct tfile_series_list *list, struct tfile_names *known,
                              const char *text, const char *colon, struct error *err)
{
    const struct expression_names names = tfile_expression_names(known);
    struct tfile_series series = {.name = text, .kind = TFILE_SERIES_MEMORY};
    if (!parse_type(colon + 1, &series))
        return error_set_at(err, STATUS_INPUT, (uint64_t)(colon + 1 - text),
                            "expected a type: u8 to u64, i8 to i64, x8 to x64, f32, f64, bytes[N] "
                            "up to %d",
                            LIMIT_SERIES_BYTES);
    series.address = malloc(sizeof *series.address);
    if (!series.address)
        return no_memory(err);
    enum status status =
        expression_parse(series.address, text, (size_t)(colon - text), &names, err);
    if (status == STATUS_OK)
        status = add(list, &series, err);
    if (status != STATUS_OK)
        free(series.address);
    return status;
}

enum status tfile_series_add(struct tfile_series_list *list, struct tfile_names *names,
                             const char *text, struct error *err)
{
    const struct tfile *file = names->file;
    const char *colon = strrchr(text, ':');
    if (colon && (colon == text || colon[-1] != ':')) // :: belongs to reg:: and sym::
        return add_memory(list, names, text, colon, err);
    bool wants_all = strcmp(text, "all-registers") == 0;
    if (wants_all || strcmp(text, "registers") == 0)
        return add_registers(list, file, wants_all, err);
    const char *name = text + (*text == '$');
    uint32_t number = tfile_register_named(&file->registers, name, strlen(name));
    const struct tfile_variable *variable = tfile_variable_named(file, name, strlen(name));
    if (number != TFILE_NO_REGISTER)
        return add_register(list, file, number, text, err);
    if (!variable && names->images->members.count)
        return add(list,
                   &(struct tfile_series){.name = text,
                                          .kind = TFILE_SERIES_TYPED,
                                          .form = TFILE_SERIES_FLOAT,
                                          .size_bytes = sizeof(double)},
                   err);
    if (!variable) {
        struct suggestion near;
        char hint[SUGGEST_TEXT_BYTES];
        suggest_begin(&near, name, strlen(name));
        for (size_t i = 0; i < file->registers.items.count; i++)
            suggest_offer(&near, file->registers.items.items[i].name,
                          strlen(file->registers.items.items[i].name));
        for (size_t i = 0; i < file->variables.count; i++)
            suggest_offer(&near, file->variables.items[i].name,
                          strlen(file->variables.items[i].name));
        suggest_text(&near, hint);
        return error_set_at(err, STATUS_NOT_FOUND, 0,
                            "no register or variable; memory needs a type, as in ADDR:u32, or "
                            "an image with debugging information (--image)%s",
                            hint);
    }
    return add(list,
               &(struct tfile_series){.name = text,
                                      .kind = TFILE_SERIES_VARIABLE,
                                      .form = TFILE_SERIES_SIGNED,
                                      .size_bytes = sizeof(int64_t),
                                      .variable = variable->number},
               err);
}

void tfile_series_free(struct tfile_series_list *list)
{
    for (size_t i = 0; i < list->items.count; i++)
        free(list->items.items[i].address);
    free(list->items.items);
    *list = (struct tfile_series_list){0};
}

// --- Names ---------------------------------------------------------------------------------------

static bool find_register(void *self, const char *name, size_t length, struct trawl_register *found)
{
    const struct tfile *file = ((const struct tfile_names *)self)->file;
    uint32_t number = tfile_register_named(&file->registers, name, length);
    if (number == TFILE_NO_REGISTER)
        return false;
    const struct tfile_register *item = &file->registers.items.items[number];
    *found = (struct trawl_register){.offset = item->offset, .size_bytes = item->size_bytes};
    return true;
}

static bool find_symbol(void *self, const char *name, size_t length,
                        struct expression_symbol *symbol)
{
    const struct tfile_names *names = self;
    struct image_symbol place;
    char text[512];
    if (length >= sizeof text)
        return false;
    memcpy(text, name, length);
    text[length] = 0;
    if (!image_set_by_name(names->images, text, &place))
        return false;
    *symbol =
        (struct expression_symbol){.address = place.address, .size_bytes = place.symbol->size};
    return true;
}

struct expression_names tfile_expression_names(struct tfile_names *names)
{
    return (struct expression_names){
        .self = names,
        .find_register = find_register,
        .find_symbol = find_symbol,
        .takes_conditions = true, // with reads of memory
    };
}

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    const struct tfile_point *point = self;
    if (!point->registers || which->size_bytes > sizeof *value)
        return false;
    *value =
        tfile_number(point->file, point->registers + which->offset, (uint32_t)which->size_bytes);
    return true;
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    const struct tfile_point *point = self;
    return tfile_frame_load(point->file, point->frame, address, (size_t)size_bytes, value);
}

struct expression_registers tfile_point_registers(struct tfile_point *point)
{
    return (struct expression_registers){
        .self = point, .read = read_register, .read_memory = read_memory};
}

// --- Values --------------------------------------------------------------------------------------

enum { WORD_BYTES = 8, GROUP_BYTES_MAX = LIMIT_VALUE_BYTES };

void tfile_value_hex(const struct tfile *file, const uint8_t *registers, uint32_t number,
                     char text[VALUE_TEXT_MAX])
{
    const struct tfile_register *item = &file->registers.items.items[number];
    uint8_t values[GROUP_BYTES_MAX], known[GROUP_BYTES_MAX];
    size_t count = (size_t)u64_min(item->size_bytes, sizeof values);
    if (item->size_bytes <= WORD_BYTES) {
        snprintf(text, VALUE_TEXT_MAX, "0x%" PRIx64, tfile_register_value(file, registers, number));
        return;
    }
    memset(known, 1, count);
    for (size_t i = 0; i < count; i++)
        values[i] = registers[item->offset + (file->is_big_endian ? count - 1 - i : i)];
    value_number(text, values, known, count);
}

int64_t tfile_value_signed(uint64_t value, uint32_t size_bytes)
{
    unsigned unused_bits = 64 - 8 * size_bytes;
    return (int64_t)(value << unused_bits) >> unused_bits;
}

double tfile_value_float(uint64_t value, uint32_t size_bytes)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)value;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return size_bytes == sizeof narrow ? (double)narrow : wide;
}

void tfile_value_natural(const struct tfile *file, const uint8_t *registers, uint32_t number,
                         char text[VALUE_TEXT_MAX])
{
    const struct tfile_register *item = &file->registers.items.items[number];
    uint64_t value = tfile_register_value(file, registers, number);
    text[0] = 0;
    if (item->size_bytes > WORD_BYTES)
        return;
    if (item->type == TFILE_INTEGER)
        snprintf(text, VALUE_TEXT_MAX, "%" PRId64, tfile_value_signed(value, item->size_bytes));
    else if (item->type == TFILE_CODE || item->type == TFILE_DATA)
        snprintf(text, VALUE_TEXT_MAX, "0x%" PRIx64, value);
    else if (item->type == TFILE_FLOAT && item->size_bytes >= sizeof(float))
        snprintf(text, VALUE_TEXT_MAX, "%.17g", tfile_value_float(value, item->size_bytes));
}
