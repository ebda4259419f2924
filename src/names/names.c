#include "names/names.h"

#include "cli/suggest.h"
#include "elf/demangle.h"
#include "trace/index_view.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void names_init(struct names *names, const struct name_options *options)
{
    *names = (struct names){.options = *options};
}

void names_free(struct names *names)
{
    arena_free(&names->arena);
    free(names->given.items);
    hash_index_free(&names->by_pc);
    symbols_free(names->ttu_symbols);
    image_lines_close(names->types);
    image_set_free(&names->images);
    if (names->options.ids)
        names->options.ids->free(names->id_names);
    *names = (struct names){0};
}

enum status names_add_image(struct names *names, const char *argument, struct error *err)
{
    if (names->options.reading == READING_TTU)
        return symbols_load_as_ttu(&names->ttu_symbols, argument, &names->is_big_endian, err);
    if (names->options.ids)
        return names->options.ids->add(&names->id_names, argument, names->options.load_offset,
                                       &names->images, err);
    enum status status =
        image_set_add_argument(&names->images, argument, names->options.load_offset, err);
    if (status != STATUS_OK)
        return status;
    const struct image_member *member =
        &names->images.members.items[names->images.members.count - 1];
    const struct image *image = member->image;
    const struct arch *arch = names->options.arch;
    if (arch && !names->options.takes_any_machine && !arch_runs(arch, image_machine(image)))
        return error_set(err, STATUS_INPUT, "%s: is for %s, but the trace is of %s", argument,
                         image_machine_name(image), arch->core);
    if (names->images.members.count == 1)
        names->is_big_endian = image_is_big_endian(image);
    return STATUS_OK;
}

bool names_have_image(const struct names *names)
{
    return names->ttu_symbols || names->images.members.count || names->id_names || names->index;
}

enum status names_take_index(struct names *names, struct trawl_index *index, struct error *err)
{
    struct trawl_error from;
    uint64_t count = 0;
    names->index = NULL;
    if (!index || names->options.reading == READING_TTU || names_have_image(names))
        return STATUS_OK;
    struct trawl_info info;
    trawl_info(index, &info);
    names->has_programs = (info.options & TRAWL_HAS_PROGRAMS) != 0;
    enum status status = index_status(trawl_symbol_count(index, &count, &from), &from, err);
    if (status == STATUS_OK && count)
        names->index = index;
    return status;
}

// Returns `name`, or, if it is NULL, records that there was no memory.
static const char *checked(struct names *names, const char *name)
{
    names->lacks_memory |= !name;
    return name ? name : "";
}

enum status names_check(struct names *names, struct error *err)
{
    if (!names->lacks_memory)
        return STATUS_OK;
    names->lacks_memory = false;
    return error_set(err, STATUS_MEMORY, "no memory for names");
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
    return join(names, symbol->display, " + ", pc); // the whole PC, like the reference
}

static const char *right_name(struct names *names, uint64_t pc, bool with_offset)
{
    struct image_symbol place;
    pc &= ~names_code_bits(names);
    if (names->index) {
        // Copied, because the index may be closed before the names are.
        struct trawl_symbol symbol;
        if (trawl_symbol_at(names->index, pc, &symbol, NULL) != TRAWL_OK)
            return "";
        const char *copy =
            checked(names, arena_copy_string(&names->arena, symbol.name, strlen(symbol.name)));
        const char *name = demangled(names, copy);
        return symbol.address == pc || !with_offset ? name
                                                    : join(names, name, "+", pc - symbol.address);
    }
    if (!image_set_by_address(&names->images, pc, &place))
        return "";
    const char *name = demangled(names, place.symbol->display);
    return place.address == pc || !with_offset ? name : join(names, name, "+", pc - place.address);
}

// From the images or the index; NULL: none.
static const char *name_of_id(const struct names *names, uint64_t pc)
{
    struct trawl_symbol symbol;
    if (names->index)
        return trawl_symbol_at(names->index, pc, &symbol, NULL) == TRAWL_OK ? symbol.name : NULL;
    return names->options.ids->name(names->id_names, function_id(pc));
}

// Whether a name has the form "#12", and the PC of that id.
static bool is_id_text(const char *name, uint64_t *pc)
{
    char *end;
    if (name[0] != '#' || name[1] < '0' || name[1] > '9')
        return false;
    unsigned long long number = strtoull(name + 1, &end, 10);
    *pc = function_pc((uint32_t)number);
    return *end == 0 && number <= UINT32_MAX;
}

bool names_is_called(struct names *names, uint64_t pc, const char *name)
{
    uint64_t by_id;
    if (strcmp(names_of(names, pc), name) == 0)
        return true;
    if (!names->options.ids)
        return false;
    const char *mangled = name_of_id(names, pc);
    return (is_id_text(name, &by_id) && by_id == pc) || (mangled && strcmp(mangled, name) == 0);
}

bool names_find_id(struct names *names, const char *name, uint64_t *pc)
{
    struct trawl_symbol symbol;
    uint32_t id;
    if (is_id_text(name, pc))
        return true;
    for (size_t i = 0; names->options.ids->at(names->id_names, i, &id); i++) {
        *pc = function_pc(id);
        if (names_is_called(names, *pc, name))
            return true;
    }
    for (uint64_t i = 0; names->index && trawl_symbol(names->index, i, &symbol, NULL) == TRAWL_OK;
         i++) {
        *pc = symbol.address;
        if (names_is_called(names, *pc, name))
            return true;
    }
    return false;
}

// --- Symbols by their names ----------------------------------------------------------------------

static bool is_demangled_to(struct names *names, const char *symbol, const char *name)
{
    struct arena scratch = {0};
    bool is_it =
        symbol[0] == '_' && strcmp(checked(names, demangle_symbol(&scratch, symbol)), name) == 0;
    arena_free(&scratch);
    return is_it;
}

// The first symbol of an image whose demangled form is `name`.
static bool find_demangled(struct names *names, const char *name, uint64_t *address,
                           uint64_t *size_bytes)
{
    for (size_t i = 0; i < names->images.members.count; i++) {
        const struct image_member *member = &names->images.members.items[i];
        size_t count;
        const struct symbol *symbols = symbols_all(member->symbols, &count);
        for (size_t s = 0; s < count; s++) {
            if (!is_demangled_to(names, symbols[s].display, name))
                continue;
            *address = (symbols[s].address + member->offset) & member->address_mask;
            *size_bytes = symbols[s].size;
            return true;
        }
    }
    return false;
}

// Likewise in the index.
static bool find_demangled_in_index(struct names *names, const char *name, uint64_t *address,
                                    uint64_t *size_bytes)
{
    struct trawl_symbol symbol;
    for (uint64_t i = 0; trawl_symbol(names->index, i, &symbol, NULL) == TRAWL_OK; i++) {
        if (!is_demangled_to(names, symbol.name, name))
            continue;
        *address = symbol.address;
        *size_bytes = symbol.size_bytes;
        return true;
    }
    return false;
}

bool names_find_symbol(struct names *names, const char *name, uint64_t *address,
                       uint64_t *size_bytes)
{
    struct image_symbol place;
    *address = *size_bytes = 0;
    if (names->options.ids)
        return names_find_id(names, name, address);
    if (names->index) {
        struct trawl_symbol symbol;
        if (trawl_symbol_named(names->index, name, &symbol, NULL) != TRAWL_OK)
            return find_demangled_in_index(names, name, address, size_bytes);
        *address = symbol.address;
        *size_bytes = symbol.size_bytes;
        return true;
    }
    if (!image_set_by_name(&names->images, name, &place))
        return find_demangled(names, name, address, size_bytes);
    // Memory does not say of which program it is.
    *address = place.symbol->is_data ? names_address(names, place.address) : place.address;
    *size_bytes = place.symbol->size;
    return true;
}

struct image_lines *names_types(struct names *names)
{
    size_t count = names->images.members.count;
    if (names->options.reading == READING_TTU || names->options.ids || !count)
        return NULL;
    if (names->types && image_lines_count(names->types) == count)
        return names->types;
    image_lines_close(names->types);
    names->types = image_lines_open(&names->images);
    names->lacks_memory |= !names->types;
    return names->types;
}

static const char *look_up(struct names *names, uint64_t pc, bool with_offset)
{
    if (names->options.ids) {
        if (pc == FUNCTION_PC_OUTSIDE)
            return names->options.ids->outside;
        const char *name = name_of_id(names, pc);
        if (name && names->index) // copied, because the index may be closed before the names are
            name = checked(names, arena_copy_string(&names->arena, name, strlen(name)));
        if (name)
            return demangled(names, name);
        char number[16];
        int length = snprintf(number, sizeof number, "#%u", function_id(pc));
        name = checked(names, arena_copy_string(&names->arena, number, (size_t)length));
        bool has_image = names->id_names && !names->index;
        if (has_image && !(names->unknown_id && names->unknown_id_number < function_id(pc))) {
            names->unknown_id = name;
            names->unknown_id_number = function_id(pc);
        }
        return name;
    }
    return names->options.reading == READING_TTU ? ttu_name(names, pc, with_offset)
                                                 : right_name(names, pc, with_offset);
}

const char *names_of(struct names *names, uint64_t pc)
{
    if (!names_have_image(names) && !names->options.ids)
        return "";
    uint64_t hash = hash_key(hash_index_seed(&names->by_pc), pc);
    uint32_t number;
    HASH_INDEX_FIND(number, &names->by_pc, hash, names->given.items[candidate].pc == pc);
    if (number != HASH_INDEX_NONE)
        return names->given.items[number].name;
    const char *name = look_up(names, pc, names->options.with_offsets);
    if (names->lacks_memory) // there may be memory another time
        return name;
    if (names->given.count >= HASH_INDEX_NONE || !VEC_ROOM(&names->given, 1) ||
        !hash_index_add(&names->by_pc, hash, (uint32_t)names->given.count))
        return checked(names, NULL);
    names->given.items[names->given.count++] = (struct given_name){pc, name};
    return name;
}

const char *names_or_address(struct names *names, uint64_t pc, char address[NAMES_ADDRESS_BYTES])
{
    const char *name = names_of(names, pc);
    if (*name)
        return name;
    snprintf(address, NAMES_ADDRESS_BYTES, "0x%" PRIx64, names_address(names, pc) & ~UINT64_C(1));
    return address;
}

const char *names_of_root(struct names *names, uint64_t pc)
{
    return look_up(names, pc, false);
}

bool names_start_of(const struct names *names, uint64_t pc, uint64_t *start)
{
    struct image_symbol place;
    struct trawl_symbol symbol;
    if (names->index) {
        bool is_there = trawl_symbol_at(names->index, pc, &symbol, NULL) == TRAWL_OK;
        *start = is_there ? symbol.address : 0;
        return is_there;
    }
    bool is_there = image_set_by_address(&names->images, pc, &place);
    *start = is_there ? place.address : 0;
    return is_there;
}

const char *names_of_value(struct names *names, uint64_t value, bool has_code_bit, uint64_t *behind)
{
    struct image_symbol place;
    struct trawl_symbol symbol;
    uint64_t start;
    const char *section;
    bool is_code = has_code_bit;
    if (names->index) {
        if (trawl_symbol_at(names->index, value, &symbol, NULL) != TRAWL_OK)
            return NULL;
        start = symbol.address;
        is_code = symbol.is_arm_code < 0 ? has_code_bit : symbol.is_arm_code;
    } else if (image_set_by_address(&names->images, value, &place)) {
        start = place.address;
        is_code = !place.symbol->is_data &&
                  image_is_arm32(names->images.members.items[place.member].image);
    } else if (image_set_data_section(&names->images, value, &section, &start)) {
        *behind = value - start;
        return section;
    } else {
        return NULL;
    }
    *behind = value - start;
    if (is_code)
        *behind &= ~UINT64_C(1);
    return names_of(names, start); // which is cached
}

static bool offer(struct suggestion *suggestion, const char *name)
{
    size_t length = strlen(name);
    suggest_offer(suggestion, name, length);
    return length == suggestion->wanted_length && memcmp(name, suggestion->wanted, length) == 0;
}

static bool offer_index(const struct names *names, struct suggestion *suggestion)
{
    struct trawl_symbol symbol;
    bool is_there = false;
    for (uint64_t i = 0; names->index && trawl_symbol(names->index, i, &symbol, NULL) == TRAWL_OK;
         i++)
        is_there |= offer(suggestion, symbol.name);
    return is_there;
}

bool names_offer(struct names *names, struct suggestion *suggestion)
{
    bool is_there = offer_index(names, suggestion);
    uint32_t id;
    const struct function_ids *ids = names->options.ids;
    for (size_t i = 0; ids && ids->at(names->id_names, i, &id); i++) {
        const char *mangled = ids->name(names->id_names, id);
        offer(suggestion, names_of(names, function_pc(id)));
        if (mangled)
            offer(suggestion, mangled);
        is_there |= names_is_called(names, function_pc(id), suggestion->wanted);
    }
    for (size_t i = 0; !names->options.ids && i < names->images.members.count; i++) {
        size_t count;
        const struct symbol *symbols = symbols_all(names->images.members.items[i].symbols, &count);
        for (size_t s = 0; s < count; s++)
            is_there |= offer(suggestion, symbols[s].display);
    }
    for (size_t i = 0; i < names->given.count; i++)
        is_there |= offer(suggestion, names->given.items[i].name);
    return is_there;
}

// --- Names asked for of late ---------------------------------------------------------------------

const char *name_asked_for(const struct names_at_hand *at_hand,
                           const char *(*find)(struct names *names, uint64_t pc), uint64_t pc)
{
    if (at_hand->lock)
        pthread_mutex_lock(at_hand->lock);
    const char *name = find(at_hand->names, pc);
    if (at_hand->lock)
        pthread_mutex_unlock(at_hand->lock);
    return name;
}

const char *name_at_hand(struct names_at_hand *at_hand, uint64_t pc)
{
    // Many functions begin at multiples of 16, so all bits of their addresses choose the place.
    struct name_at_hand *item =
        &at_hand->items[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_AT_HAND_BITS)];
    if (!item->name || item->pc != pc)
        *item = (struct name_at_hand){pc, name_asked_for(at_hand, at_hand->find, pc)};
    return item->name;
}

// --- Names that are hidden -----------------------------------------------------------------------

bool hidden_names_add(struct hidden_names *hidden, const char *pattern)
{
    if (!VEC_ROOM(&hidden->items, 1))
        return false;
    hidden->items.items[hidden->items.count++] = (struct hidden_name){.pattern = pattern};
    return true;
}

void hidden_names_free(struct hidden_names *hidden)
{
    free(hidden->items.items);
    *hidden = (struct hidden_names){0};
}

bool hidden_name_is(const struct hidden_name *hidden, const char *name)
{
    return strcmp(hidden->pattern, name) == 0 || fnmatch(hidden->pattern, name, 0) == 0;
}

bool hidden_names_have(struct hidden_names *hidden, void *self,
                       bool (*is_meant)(void *self, struct hidden_name *hidden))
{
    bool is_hidden = false;
    for (size_t i = 0; i < hidden->items.count; i++) {
        if (!is_meant(self, &hidden->items.items[i]))
            continue;
        hidden->items.items[i].was_met = true;
        is_hidden = true;
    }
    return is_hidden;
}
