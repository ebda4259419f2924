#include "analysis/names.h"

#include "elf/demangle.h"

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
    *names = (struct names){0};
}

enum status names_add_image(struct names *names, const char *argument, struct error *err)
{
    if (names->options.reading == READING_TTU)
        return symbols_load_as_ttu(&names->ttu_symbols, argument, &names->is_big_endian, err);
    enum status status =
        image_set_add_argument(&names->images, argument, names->options.load_offset, err);
    if (status != STATUS_OK)
        return status;
    const struct image *image = names->images.members.items[names->images.members.count - 1].image;
    if (names->options.arm_only && !image_is_for_arm(image))
        return error_set(err, STATUS_INPUT, "%s: is for %s, but the trace is of an Arm core",
                         argument, image_machine_name(image));
    if (names->images.members.count == 1)
        names->is_big_endian = image_is_big_endian(image);
    return STATUS_OK;
}

bool names_have_image(const struct names *names)
{
    return names->ttu_symbols || names->images.members.count;
}

static const char *join(struct names *names, const char *symbol, const char *between,
                        uint64_t number)
{
    char tail[32];
    int tail_length = snprintf(tail, sizeof tail, "%s0x%llx", between, (unsigned long long)number);
    size_t length = strlen(symbol);
    char *joined = arena_alloc(&names->arena, length + (size_t)tail_length + 1);
    if (!joined)
        return symbol;
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
    pc &= ~UINT64_C(1);
    if (!image_set_by_address(&names->images, pc, &place))
        return "";
    const char *name = place.symbol->display;
    if (names->options.demangle)
        name = demangle_symbol(&names->arena, name);
    return place.address == pc || !with_offset ? name : join(names, name, "+", pc - place.address);
}

static const char *look_up(struct names *names, uint64_t pc, bool with_offset)
{
    return names->options.reading == READING_TTU ? ttu_name(names, pc, with_offset)
                                                 : right_name(names, pc, with_offset);
}

static size_t probe(const struct name_slot *slots, size_t slot_count, uint64_t pc)
{
    size_t at = (size_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (slot_count - 1);
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
    for (size_t i = 0; i < names->slot_count; i++) {
        if (names->slots[i].name)
            slots[probe(slots, slot_count, names->slots[i].pc)] = names->slots[i];
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = slot_count;
    return true;
}

const char *names_of(struct names *names, uint64_t pc)
{
    if (!names_have_image(names))
        return "";
    if (2 * (names->count + 1) > names->slot_count && !grow(names))
        return look_up(names, pc, names->options.with_offsets);
    struct name_slot *slot = &names->slots[probe(names->slots, names->slot_count, pc)];
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
