#include "analysis/names.h"

#include "cli/suggest.h"
#include "elf/demangle.h"
#include "trace/xray/lane.h"
#include "trace/xray/map_yaml.h"

#include <stdio.h>
#include <stdlib.h>

struct name_slot {
    uint64_t pc;
    const char *name; // NULL: free
};

void names_init(struct names *names, const struct name_options *options)
{
    *names = (struct names){.options = *options};
}

void names_free(struct names *names)
{
    arena_free(&names->arena);
    free(names->slots);
    symbols_free(names->ttu_symbols);
    image_set_free(&names->images);
    for (size_t i = 0; i < names->xray_objects.count; i++)
        xray_map_free(&names->xray_objects.items[i].map);
    free(names->xray_objects.items);
    *names = (struct names){0};
}

// A program or shared object by its map in YAML. *is_yaml is false where the file is none.
static enum status add_xray_yaml(struct names *names, const char *path, bool *is_yaml,
                                 struct error *err)
{
    if (!VEC_ROOM(&names->xray_objects, 1))
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    struct xray_object *object = &names->xray_objects.items[names->xray_objects.count];
    *object = (struct xray_object){.symbols = NULL};
    enum status status = xray_map_read_yaml(&object->map, path, is_yaml, err);
    names->xray_objects.count += *is_yaml;
    return status;
}

// The functions of an image that has just been added.
static enum status add_xray_map(struct names *names, const struct image_member *member,
                                struct error *err)
{
    struct xray_object *object = &names->xray_objects.items[names->xray_objects.count++];
    *object = (struct xray_object){.symbols = member->symbols};
    enum status status = xray_map_read(&object->map, member->image, err);
    if (status != STATUS_OK || object->map.functions.count)
        return status;
    return error_set(
        err, STATUS_INPUT,
        "%s: has no XRay instrumentation map (xray_instr_map), so it names no function "
        "of a log",
        image_path(member->image));
}

enum status names_add_image(struct names *names, const char *argument, struct error *err)
{
    if (names->options.reading == READING_TTU)
        return symbols_load_as_ttu(&names->ttu_symbols, argument, &names->is_big_endian, err);
    bool is_yaml = false;
    enum status status =
        names->options.is_xray ? add_xray_yaml(names, argument, &is_yaml, err) : STATUS_OK;
    if (status == STATUS_OK && !is_yaml)
        status = image_set_add_argument(&names->images, argument, names->options.load_offset, err);
    if (status != STATUS_OK || is_yaml)
        return status;
    const struct image_member *member =
        &names->images.members.items[names->images.members.count - 1];
    const struct image *image = member->image;
    if (names->options.is_xray)
        return add_xray_map(names, member, err);
    if (names->options.is_arm && !image_is_for_arm(image))
        return error_set(err, STATUS_INPUT, "%s: is for %s, but the trace is of an Arm core",
                         argument, image_machine_name(image));
    if (names->images.members.count == 1)
        names->is_big_endian = image_is_big_endian(image);
    return STATUS_OK;
}

bool names_have_image(const struct names *names)
{
    return names->ttu_symbols || names->images.members.count || names->xray_objects.count;
}

// What was made of a name; NULL: there was no memory.
static const char *checked(struct names *names, const char *name)
{
    names->lacks_memory |= !name;
    return name ? name : "";
}

static const char *demangled(struct names *names, const char *symbol)
{
    return names->options.demangle ? checked(names, demangle_symbol(&names->arena, symbol))
                                   : symbol;
}

static const char *join(struct names *names, const char *symbol, const char *between,
                        uint64_t number)
{
    char tail[32];
    int tail_length = snprintf(tail, sizeof tail, "%s0x%llx", between, (unsigned long long)number);
    size_t length = strlen(symbol);
    char *joined = arena_alloc(&names->arena, length + (size_t)tail_length + 1);
    if (!joined)
        return checked(names, NULL);
    memcpy(joined, symbol, length);
    memcpy(joined + length, tail, (size_t)tail_length);
    return joined;
}

static const char *ttu_name(struct names *names, uint64_t pc, bool with_offset)
{
    const struct symbol *symbol =
        names->ttu_symbols ? symbols_by_address(names->ttu_symbols, pc) : NULL;
    if (!symbol)
        return "";
    if (symbol->value == pc || !with_offset)
        return symbol->display;
    return join(names, symbol->display, " + ", pc); // the whole PC, as the reference has it
}

static const char *right_name(struct names *names, uint64_t pc, bool with_offset)
{
    struct image_place place;
    if (names->options.is_arm)
        pc &= ~UINT64_C(1);
    if (!image_set_by_address(&names->images, pc, &place))
        return "";
    const char *name = demangled(names, place.symbol->display);
    return place.address == pc || !with_offset ? name : join(names, name, "+", pc - place.address);
}

// An id is the number of an object (the program is 0) above the number of a function in it, from 1;
// in logs of older runtimes only the latter, of any size.
#define OBJECT_SHIFT 24

// NULL: the function has no name.
static const char *xray_symbol(const struct names *names, uint32_t id)
{
    size_t place = id >> OBJECT_SHIFT;
    uint32_t number = id & ((UINT32_C(1) << OBJECT_SHIFT) - 1);
    if (place >= names->xray_objects.count) {
        place = 0;
        number = id;
    }
    if (!names->xray_objects.count)
        return NULL;
    const struct xray_object *object = &names->xray_objects.items[place];
    const struct xray_function *function = xray_map_function(&object->map, number);
    if (!function || function->name || !object->symbols)
        return function ? function->name : NULL;
    const struct symbol *symbol = symbols_by_address(object->symbols, function->address);
    return symbol ? symbol->display : NULL;
}

static const char *xray_name(struct names *names, uint64_t pc)
{
    if (pc == XRAY_ROOT_PC)
        return "[thread]";
    const char *name = xray_symbol(names, xray_function_of(pc));
    if (name)
        return demangled(names, name);
    char number[16];
    int length = snprintf(number, sizeof number, "#%u", xray_function_of(pc));
    return checked(names, arena_copy_string(&names->arena, number, (size_t)length));
}

static uint64_t xray_id_pc(size_t object, uint32_t function)
{
    return xray_pc((uint32_t)(object << OBJECT_SHIFT | function));
}

bool names_find_xray(struct names *names, const char *name, uint64_t *pc)
{
    char *end;
    if (name[0] == '#' && name[1] >= '0' && name[1] <= '9') {
        unsigned long long id = strtoull(name + 1, &end, 10);
        *pc = xray_pc((uint32_t)id);
        return *end == 0 && id <= UINT32_MAX;
    }
    for (size_t i = 0; i < names->xray_objects.count; i++) {
        const struct xray_map *map = &names->xray_objects.items[i].map;
        for (size_t j = 0; j < map->functions.count; j++) {
            *pc = xray_id_pc(i, map->functions.items[j].id);
            if (strcmp(names_of(names, *pc), name) == 0)
                return true;
        }
    }
    return false;
}

static const char *look_up(struct names *names, uint64_t pc, bool with_offset)
{
    if (names->options.is_xray)
        return xray_name(names, pc);
    return names->options.reading == READING_TTU ? ttu_name(names, pc, with_offset)
                                                 : right_name(names, pc, with_offset);
}

static size_t probe(const struct hash_seed *seed, const struct name_slot *slots, size_t slot_count,
                    uint64_t pc)
{
    size_t at = (size_t)hash_key(seed, pc) & (slot_count - 1);
    while (slots[at].name && slots[at].pc != pc)
        at = (at + 1) & (slot_count - 1);
    return at;
}

static bool grow(struct names *names)
{
    size_t slot_count = names->slot_count ? names->slot_count * 2 : 256;
    struct name_slot *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    if (!names->slot_count)
        names->seed = hash_seed_new();
    for (size_t i = 0; i < names->slot_count; i++) {
        if (names->slots[i].name)
            slots[probe(&names->seed, slots, slot_count, names->slots[i].pc)] = names->slots[i];
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = slot_count;
    return true;
}

const char *names_of(struct names *names, uint64_t pc)
{
    if (!names_have_image(names) && !names->options.is_xray)
        return "";
    if (2 * (names->count + 1) > names->slot_count && !grow(names))
        return checked(names, NULL);
    struct name_slot *slot =
        &names->slots[probe(&names->seed, names->slots, names->slot_count, pc)];
    if (!slot->name) {
        *slot = (struct name_slot){pc, look_up(names, pc, names->options.with_offsets)};
        names->count++;
    }
    return slot->name;
}

const char *names_of_root(struct names *names, uint64_t pc)
{
    return look_up(names, pc, false);
}

static bool offer(struct suggestion *suggestion, const char *name)
{
    size_t length = strlen(name);
    suggest_offer(suggestion, name, length);
    return length == suggestion->wanted_length && memcmp(name, suggestion->wanted, length) == 0;
}

bool names_offer(struct names *names, struct suggestion *suggestion)
{
    bool is_there = false;
    for (size_t i = 0; i < names->xray_objects.count; i++) {
        const struct xray_map *map = &names->xray_objects.items[i].map;
        for (size_t j = 0; j < map->functions.count; j++)
            is_there |=
                offer(suggestion, names_of(names, xray_id_pc(i, map->functions.items[j].id)));
    }
    for (size_t i = 0; !names->options.is_xray && i < names->images.members.count; i++) {
        size_t count;
        const struct symbol *symbols = symbols_all(names->images.members.items[i].symbols, &count);
        for (size_t s = 0; s < count; s++)
            is_there |= offer(suggestion, symbols[s].display);
    }
    for (size_t i = 0; i < names->slot_count; i++) {
        if (names->slots[i].name)
            is_there |= offer(suggestion, names->slots[i].name);
    }
    return is_there;
}
