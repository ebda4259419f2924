#include "diff/lane_diff.h"

#include <stdlib.h>

enum status build_keys_open(struct build_keys *keys, struct names *names,
                            const struct hash_seed *seed, struct error *err)
{
    *keys = (struct build_keys){
        .names = names, .seed = seed, .functions = {.names = names}, .recent = UINT32_MAX};
    return image_memory_find(&keys->memory, &names->images, err);
}

void build_keys_close(struct build_keys *keys)
{
    build_functions_free(&keys->functions);
    image_memory_free(&keys->memory);
    free(keys->coded.items);
    hash_index_free(&keys->by_start);
    free(keys->keys.items);
}

static uint64_t mix(const struct build_keys *keys, uint64_t a, uint64_t b)
{
    return hash_key(keys->seed, hash_key(keys->seed, a) ^ b);
}

// The name of the function at an address, as a number; 0: it has none.
static uint64_t function_key(struct build_keys *keys, uint64_t pc)
{
    uint32_t number = build_function_at(&keys->functions, pc);
    keys->lacks_memory |= number == UINT32_MAX;
    const char *name = number == UINT32_MAX ? "" : keys->functions.items.items[number].name;
    return *name ? hash_text(keys->seed, 0, name) : 0;
}

// What an address says that a build does not choose: the symbol there and the bytes behind it, and
// of what has no symbol nothing.
static uint64_t place_key(struct build_keys *keys, uint64_t address)
{
    struct image_symbol symbol;
    return image_set_by_address(&keys->names->images, address, &symbol)
               ? mix(keys, function_key(keys, symbol.address), address - symbol.address)
               : 0;
}

// The same of a number that may be an address; another number is itself.
static uint64_t constant_key(struct build_keys *keys, uint64_t value)
{
    size_t member;
    return image_set_member_at(&keys->names->images, value, &member) ? place_key(keys, value)
                                                                     : value;
}

static uint64_t reference_key(struct build_keys *keys, const struct coded_function *function,
                              const struct code_reference *reference)
{
    // A literal may be several numbers or addresses.
    const unsigned unit = (unsigned)u64_min(reference->bytes, function->isa == ARCH_ISA_64 ? 8 : 4);
    uint8_t bytes[16], known[16] = {0};
    uint64_t key;
    switch (reference->kind) {
    case REFERENCE_PLACE:
        return reference->target - function->start < function->end - function->start
                   ? 0
                   : place_key(keys, reference->target);
    case REFERENCE_CONSTANT:
        return constant_key(keys, reference->target);
    case REFERENCE_LOAD:
    case REFERENCE_LITERAL:
        key = reference->kind == REFERENCE_LOAD ? place_key(keys, reference->target) : 0;
        if (key)
            return key;
        ASSERT(reference->bytes <= sizeof bytes);
        image_memory_fill(&keys->memory, reference->target, reference->bytes, bytes, known);
        if (memchr(known, 0, reference->bytes))
            return 0;
        key = 0;
        for (unsigned at = 0; at < reference->bytes; at += unit) {
            uint64_t value = 0;
            for (unsigned i = 0; i < unit; i++)
                value |= (uint64_t)bytes[at + (keys->names->is_big_endian ? unit - 1 - i : i)]
                         << (8 * i);
            value = constant_key(keys, value);
            key = at ? mix(keys, key, value) : value;
        }
        return key;
    default:
        return 0;
    }
}

// Decodes a function, or no more of it than a limit. False: an image has no bytes for it.
static bool decode(struct build_keys *keys, struct coded_function *function, unsigned unit)
{
    const struct arch *arch = keys->names->options.arch;
    const uint64_t of_function = function_key(keys, function->start);
    const size_t count = (size_t)(function->end - function->start);
    struct code_references before = {0};
    uint8_t *bytes = malloc(2 * count), *known = bytes + count;
    if (!bytes || !VEC_EXTEND(&keys->keys, function->first + count / unit + 1)) {
        free(bytes);
        keys->lacks_memory = true;
        return false;
    }
    memset(known, 0, count);
    image_memory_fill(&keys->memory, function->start, count, bytes, known);
    bool has_all = !memchr(known, 0, count);
    for (size_t at = 0; has_all && at < count;) {
        struct code_reference reference;
        arch->refer(&before, function->isa, function->start + at, bytes + at, count - at,
                    &reference);
        if (!reference.size_bytes)
            break;
        uint64_t key = mix(keys, mix(keys, of_function, reference.rest),
                           reference_key(keys, function, &reference));
        keys->keys.items[function->first + at / unit] = key | 1;
        at += reference.size_bytes;
    }
    free(bytes);
    return has_all;
}

uint64_t build_keys_of(void *self, uint64_t pc)
{
    struct build_keys *keys = self;
    const struct names *names = keys->names;
    const struct arch *arch = names->options.arch;
    const uint64_t address = pc & ~names_code_bits(names);
    struct image_symbol symbol;
    if (names->options.ids)
        return function_key(keys, pc);
    const struct coded_function *function =
        keys->recent == UINT32_MAX ? NULL : &keys->coded.items[keys->recent];
    if (!function || address - function->start >= function->end - function->start) {
        if (!image_set_by_address(&names->images, address, &symbol))
            return mix(keys, 0, address);
        uint64_t hash = hash_key(hash_index_seed(&keys->by_start), symbol.address);
        HASH_INDEX_FIND(keys->recent, &keys->by_start, hash,
                        keys->coded.items[candidate].start == symbol.address);
        if (keys->recent == HASH_INDEX_NONE) {
            const bool is_64 =
                image_class_bits(names->images.members.items[symbol.member].image) == 64;
            struct coded_function made = {
                .start = symbol.address,
                .end = symbol.address + u64_min(symbol.symbol->size, LIMIT_DIFF_FUNCTION_BYTES),
                .isa = is_64  ? ARCH_ISA_64
                       : arch ? arch_isa_at(arch, 0, pc)
                              : 0,
                .first = keys->keys.count};
            const unsigned unit = arch ? arch_least_bytes(arch, made.isa) : 1;
            const uint32_t number = (uint32_t)keys->coded.count;
            if (!arch || !arch->refer || names->has_programs || made.end == made.start ||
                keys->keys.count > LIMIT_DIFF_KEYS || !decode(keys, &made, unit))
                made.end = made.start; // its keys are offsets
            if (!VEC_ROOM(&keys->coded, 1) || !hash_index_add(&keys->by_start, hash, number)) {
                keys->lacks_memory = true;
                return 0;
            }
            keys->coded.items[keys->coded.count++] = made;
            keys->recent = number;
        }
        function = &keys->coded.items[keys->recent];
    }
    const unsigned unit = arch ? arch_least_bytes(arch, function->isa) : 1;
    const uint64_t behind = address - function->start;
    uint64_t key = behind < function->end - function->start
                       ? keys->keys.items[function->first + behind / unit]
                       : 0;
    return key ? key : mix(keys, function_key(keys, function->start), behind);
}
