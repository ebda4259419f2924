#include "cmd/tfile/names.h"

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
    *symbol = (struct expression_symbol){place.address, place.symbol->size};
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
