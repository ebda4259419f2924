#include "elf/image_set.h"

#include "base/characters.h"
#include "base/limits.h"
#include "idx/spaces.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <unistd.h>

VEC(range_vec, struct image_range);

static enum status no_memory(const char *path, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", path);
}

// --- The addresses that an image covers ---

// Adds `size` bytes at `address`, moved like the member; a range past the end of the address space
// continues at its start.
static bool add_range(struct range_vec *ranges, const struct image_member *member, uint64_t address,
                      uint64_t size)
{
    uint64_t mask = member->address_mask;
    if (size == 0)
        return true;
    if (!VEC_ROOM(ranges, 2))
        return false;
    uint64_t first = (address + member->offset) & mask;
    uint64_t beyond = size - 1 > mask - first ? (size - 1) - (mask - first) : 0;
    ranges->items[ranges->count++] =
        (struct image_range){.first = first, .last = beyond ? mask : first + (size - 1)};
    if (beyond && first > 0)
        ranges->items[ranges->count++] =
            (struct image_range){.first = 0, .last = u64_min(beyond, first) - 1};
    return true;
}

static enum status segment_ranges(struct range_vec *ranges, const struct image_member *member,
                                  struct error *err)
{
    Elf *elf = image_elf(member->image);
    const char *path = image_path(member->image);
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return error_set(err, STATUS_INPUT, "%s: segments: %s", path, elf_errmsg(-1));
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment))
            return error_set(err, STATUS_INPUT, "%s: segment %zu: %s", path, i, elf_errmsg(-1));
        if (segment.p_type == PT_LOAD &&
            !add_range(ranges, member, segment.p_vaddr, segment.p_memsz))
            return no_memory(path, err);
    }
    return STATUS_OK;
}

static enum status section_ranges(struct range_vec *ranges, const struct image_member *member,
                                  struct error *err)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image_elf(member->image), section)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return error_set(err, STATUS_INPUT, "%s: section table: %s", image_path(member->image),
                             elf_errmsg(-1));
        if ((header.sh_flags & SHF_ALLOC) &&
            !add_range(ranges, member, header.sh_addr, header.sh_size))
            return no_memory(image_path(member->image), err);
    }
    return STATUS_OK;
}

ORDER_BY(compare_ranges, struct image_range, first)

// Adds the part of `wanted` that no range of `taken` covers; `member` knows if any does. `*at` is
// the first of `taken` that may reach into it; as the wanted ranges ascend, it only moves on. So do
// `members`, those before.
static bool add_free_parts(struct range_vec *out, const struct range_vec *taken, size_t *at,
                           struct image_range wanted, struct image_member *member,
                           struct image_member *members)
{
    while (*at < taken->count && taken->items[*at].last < wanted.first)
        (*at)++;
    for (size_t i = *at; i < taken->count && taken->items[i].first <= wanted.last; i++) {
        if (!VEC_ROOM(out, 1))
            return false;
        member->overlaps = members[taken->items[i].member].overlaps = true;
        if (wanted.first < taken->items[i].first) {
            out->items[out->count] = wanted;
            out->items[out->count++].last = taken->items[i].first - 1;
        }
        if (taken->items[i].last >= wanted.last)
            return true;
        wanted.first = taken->items[i].last + 1;
    }
    if (!VEC_ROOM(out, 1))
        return false;
    out->items[out->count++] = wanted;
    return true;
}

// Gives the addresses in `ranges` that nobody has yet to the next member.
static bool claim(struct image_set *set, struct range_vec *ranges, struct image_member *member)
{
    struct range_vec taken = {set->ranges.items, set->ranges.count, set->ranges.capacity};
    struct range_vec all = {0};
    size_t at = 0;
    bool has_room = VEC_ROOM(&all, taken.count);
    // Sorts `ranges` and merges those that overlap or touch.
    size_t kept = 0;
    if (ranges->count != 0) {
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
        for (size_t i = 1; i < ranges->count; i++) {
            struct image_range *last = &ranges->items[kept], *next = &ranges->items[i];
            if (last->last == UINT64_MAX || next->first <= last->last + 1)
                last->last = u64_max(last->last, next->last);
            else
                ranges->items[++kept] = *next;
        }
        ranges->count = kept + 1;
    }
    for (size_t i = 0; has_room && i < ranges->count; i++) {
        ranges->items[i].member = set->members.count;
        has_room = add_free_parts(&all, &taken, &at, ranges->items[i], member, set->members.items);
    }
    if (!has_room || !VEC_ROOM(&all, taken.count)) {
        free(all.items);
        return false;
    }
    if (taken.count > 0)
        memcpy(all.items + all.count, taken.items, taken.count * sizeof *taken.items);
    all.count += taken.count;
    if (all.count > 0)
        qsort(all.items, all.count, sizeof *all.items, compare_ranges);
    free(taken.items);
    set->ranges.items = all.items;
    set->ranges.count = all.count;
    set->ranges.capacity = all.capacity;
    return true;
}

// --- Members ---

static void close_member(struct image_member *member)
{
    symbols_free(member->symbols);
    image_close(member->image);
    free(member->lane);
    free(member->space);
}

static enum status add_member(struct image_set *set, struct image_member *member, struct error *err)
{
    struct range_vec ranges = {0};
    enum status status = segment_ranges(&ranges, member, err);
    if (status == STATUS_OK && ranges.count == 0)
        status = section_ranges(&ranges, member, err);
    member->has_ranges = ranges.count > 0;
    if (status == STATUS_OK && (!VEC_ROOM(&set->members, 1) || !claim(set, &ranges, member)))
        status = no_memory(image_path(member->image), err);
    if (status == STATUS_OK)
        set->members.items[set->members.count++] = *member;
    free(ranges.items);
    return status;
}

enum status image_set_move(struct image_set *set, size_t member, uint64_t offset, struct error *err)
{
    size_t count = set->members.count;
    enum status status = STATUS_OK;
    set->members.items[member].offset = offset;
    set->members.items[member].is_placed = true;
    set->ranges.count = 0;
    for (size_t i = 0; i < count; i++)
        set->members.items[i].overlaps = false;
    // Each claims what is left of its addresses again.
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct image_member again = set->members.items[i];
        set->members.count = i;
        status = add_member(set, &again, err);
    }
    set->members.count = count;
    return status;
}

enum status image_set_add(struct image_set *set, const char *path, uint64_t offset,
                          struct error *err)
{
    struct image_member member = {.offset = offset, .last_time = UINT64_MAX};
    enum status status = image_open_or_text(&member.image, path, err);
    if (status != STATUS_OK)
        return status;
    member.address_mask = image_class_bits(member.image) == 64 ? UINT64_MAX : UINT32_MAX;
    status = symbols_load(&member.symbols, member.image, SYMBOLS_RIGHT, err);
    if (status == STATUS_OK)
        status = add_member(set, &member, err);
    if (status != STATUS_OK)
        close_member(&member);
    return status;
}

// A C integer and nothing else, with a sign or without; the whole range of 64 bits either way.
static bool parse_offset(const char *text, uint64_t *offset)
{
    bool is_negative = text[0] == '-';
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    char *end;
    if (digits[0] < '0' || digits[0] > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(digits, &end, 0);
    if (*end != 0 || errno != 0)
        return false;
    *offset = is_negative ? -(uint64_t)value : value;
    return true;
}

// Adds it where the user says that it was.
static enum status add_placed(struct image_set *set, const char *path, uint64_t offset,
                              struct error *err)
{
    enum status status = image_set_add(set, path, offset, err);
    if (status == STATUS_OK)
        set->members.items[set->members.count - 1].is_placed = true;
    return status;
}

// FILE[@OFFSET].
static enum status add_file(struct image_set *set, const char *argument, uint64_t default_offset,
                            struct error *err)
{
    const char *at = strrchr(argument, '@');
    uint64_t offset;
    if (!at || access(argument, F_OK) == 0)
        return default_offset ? add_placed(set, argument, default_offset, err)
                              : image_set_add(set, argument, 0, err);
    if (!parse_offset(at + 1, &offset))
        return error_set(err, STATUS_INPUT, "%s: no such file, and '%s' is not a load offset",
                         argument, at + 1);
    char *path = strndup(argument, (size_t)(at - argument));
    if (!path)
        return no_memory(argument, err);
    enum status status = add_placed(set, path, offset, err);
    free(path);
    return status;
}

// "A..B", whole ticks; either may be left out.
static bool parse_times(const char *text, uint64_t *first, uint64_t *last)
{
    char *end = NULL;
    *first = 0;
    *last = UINT64_MAX;
    errno = 0;
    if (is_digit(*text)) {
        *first = strtoull(text, &end, 10);
        text = end;
    }
    if (text[0] != '.' || text[1] != '.')
        return false;
    text += 2;
    if (is_digit(*text)) {
        *last = strtoull(text, &end, 10);
        text = end;
    }
    return *text == '\0' && errno == 0 && *first <= *last;
}

// The "=" before FILE[@OFFSET]; NULL: there is none. After the name of an address space, which may
// have "=" in it, it is the first that a file follows, or if there is no such file, the last.
static char *find_file(char *argument, bool is_of_space)
{
    char *found = strchr(argument, '=');
    for (char *equals = found; is_of_space && equals; equals = strchr(equals + 1, '=')) {
        char *at = strrchr(equals, '@');
        bool is_file = access(equals + 1, F_OK) == 0;
        if (at && !is_file) {
            *at = '\0';
            is_file = access(equals + 1, F_OK) == 0;
            *at = '@';
        }
        found = equals;
        if (is_file)
            break;
    }
    return found;
}

enum status image_set_add_argument(struct image_set *set, const char *argument,
                                   uint64_t default_offset, struct error *err)
{
    if (access(argument, F_OK) == 0)
        return add_file(set, argument, default_offset, err);
    char *rest = strdup(argument), *file = rest, *whose = NULL;
    if (!rest)
        return no_memory(argument, err);
    uint64_t first = 0, last = UINT64_MAX;
    char *blank = strrchr(rest, ' '), *equals = strchr(rest, '=');
    if (blank && parse_times(blank + 1, &first, &last))
        *blank = '\0';
    bool has_owner = equals && equals != rest && !memchr(rest, '/', (size_t)(equals - rest));
    bool is_space = false;
    if (has_owner) {
        *equals = '\0';
        is_space = index_space_is_name(rest);
        *equals = '=';
        equals = find_file(rest, is_space);
        *equals = '\0';
        whose = rest;
        file = equals + 1;
    }
    char *copy = whose ? strdup(whose) : NULL;
    enum status status =
        whose && !copy ? no_memory(argument, err) : add_file(set, file, default_offset, err);
    if (status == STATUS_OK) {
        struct image_member *member = &set->members.items[set->members.count - 1];
        member->lane = is_space ? NULL : copy;
        member->space = is_space ? copy : NULL;
        member->first_time = first;
        member->last_time = last;
    } else {
        free(copy);
    }
    free(rest);
    return status;
}

void image_set_free(struct image_set *set)
{
    for (size_t i = 0; i < set->members.count; i++)
        close_member(&set->members.items[i]);
    free(set->members.items);
    free(set->ranges.items);
    *set = (struct image_set){0};
}

// --- Look-ups ---

static bool found(const struct image_set *set, size_t number, const struct symbol *symbol,
                  struct image_symbol *out)
{
    const struct image_member *member = &set->members.items[number];
    if (!symbol)
        return false;
    *out = (struct image_symbol){
        .symbol = symbol,
        .address = (symbol->address + member->offset) & member->address_mask,
        .member = number,
    };
    return true;
}

static bool find_in_member(const struct image_set *set, size_t number, uint64_t address,
                           struct image_symbol *out)
{
    const struct image_member *member = &set->members.items[number];
    if (address > member->address_mask)
        return false;
    uint64_t unmoved = (address - member->offset) & member->address_mask;
    return found(set, number, symbols_by_address(member->symbols, unmoved), out);
}

// The range that holds `address`, or NULL.
static const struct image_range *find_range(const struct image_set *set, uint64_t address)
{
    size_t low;
    PARTITION_POINT(low, set->ranges.count, set->ranges.items[middle].last < address);
    if (low == set->ranges.count || set->ranges.items[low].first > address)
        return NULL;
    return &set->ranges.items[low];
}

bool image_set_member_at(const struct image_set *set, uint64_t address, size_t *member)
{
    const struct image_range *range = find_range(set, address);
    if (range)
        *member = range->member;
    return range != NULL;
}

bool image_set_may_cover(const struct image_set *set, uint64_t address)
{
    for (size_t i = 0; i < set->members.count; i++) {
        if (!set->members.items[i].has_ranges)
            return true;
    }
    return find_range(set, address) != NULL;
}

bool image_set_by_address(const struct image_set *set, uint64_t address, struct image_symbol *out)
{
    const struct image_range *range = find_range(set, address);
    if (range)
        return find_in_member(set, range->member, address, out);
    for (size_t i = 0; i < set->members.count; i++) {
        if (!set->members.items[i].has_ranges && find_in_member(set, i, address, out))
            return true;
    }
    return false;
}

bool image_set_data_section(const struct image_set *set, uint64_t address, const char **name,
                            uint64_t *start)
{
    const struct image_range *range = find_range(set, address);
    const struct image_member *member = range ? &set->members.items[range->member] : NULL;
    Elf_Scn *section = NULL;
    GElf_Ehdr about;
    GElf_Shdr header;
    if (!member || !gelf_getehdr(image_elf(member->image), &about) || about.e_type == ET_REL)
        return false;
    uint64_t unmoved = (address - member->offset) & member->address_mask;
    while ((section = elf_nextscn(image_elf(member->image), section)) != NULL) {
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
            header.sh_flags & (SHF_EXECINSTR | SHF_TLS) || unmoved < header.sh_addr ||
            unmoved - header.sh_addr >= header.sh_size)
            continue;
        *name = image_section_name(member->image, &header);
        *start = (header.sh_addr + member->offset) & member->address_mask;
        return **name != 0;
    }
    return false;
}

bool image_set_by_name(const struct image_set *set, const char *name, struct image_symbol *out)
{
    for (size_t i = 0; i < set->members.count; i++) {
        if (found(set, i, symbols_by_name(set->members.items[i].symbols, name), out))
            return true;
    }
    return false;
}

enum status image_set_check_names(const struct image_set *set, struct error *err)
{
    for (size_t i = 0; i < set->members.count; i++) {
        const struct image_member *member = &set->members.items[i];
        uint64_t bytes = 0, bytes_max = LIMIT_IMAGE_NAME_TEXT(image_file_bytes(member->image));
        size_t count;
        const struct symbol *symbols = symbols_all(member->symbols, &count);
        for (size_t n = 0; n < count; n++)
            bytes += symbols[n].name_length;
        if (bytes > bytes_max)
            return error_set(err, STATUS_LIMIT,
                             "%s: the names of its symbols share their bytes, and would take "
                             "%" PRIu64 " of them",
                             image_path(member->image), bytes);
    }
    return STATUS_OK;
}
