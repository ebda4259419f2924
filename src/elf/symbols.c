#include "elf/symbols.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/vec.h"
#include "elf/address_index.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

VEC(symbol_vec, struct symbol);

struct symbols {
    struct arena arena; // the string tables and the display names
    struct symbol_vec table;
    uint32_t *by_name; // places in the table, by name and then table order
    struct address_index by_address;
    enum symbols_reading reading;
    bool is_arm32;
};

// One SHT_SYMTAB and the string table that its names are in.
struct symtab {
    const char *path;
    size_t section;
    Elf_Data *entries;
    size_t count;
    const char *strings; // followed by a NUL that is not in the file
    uint64_t strings_bytes;
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the symbols");
}

// --- Reading the table ---

// The bytes of a section, once its place is known to be within the file.
static enum status section_data(Elf_Data **out, const struct image *image, Elf_Scn *section,
                                const GElf_Shdr *header, struct error *err)
{
    size_t number = elf_ndxscn(section);
    if (!image_holds(image, header->sh_offset, header->sh_size))
        return error_set_at(err, STATUS_INPUT, header->sh_offset,
                            "%s: section %zu lies beyond the end of the file", image_path(image),
                            number);
    *out = elf_getdata(section, NULL);
    if (!*out || (header->sh_size > 0 && !(*out)->d_buf))
        return error_set(err, STATUS_INPUT, "%s: section %zu: %s", image_path(image), number,
                         elf_errmsg(-1));
    return STATUS_OK;
}

static enum status copy_strings(struct symbols *symbols, struct symtab *symtab,
                                const struct image *image, Elf_Scn *section,
                                const GElf_Shdr *header, struct error *err)
{
    Elf_Data *data = NULL;
    enum status status = section_data(&data, image, section, header, err);
    if (status != STATUS_OK)
        return status;
    symtab->strings_bytes = header->sh_size > 0 ? data->d_size : 0;
    const char *bytes = symtab->strings_bytes > 0 ? data->d_buf : "";
    symtab->strings = arena_copy_string(&symbols->arena, bytes, symtab->strings_bytes);
    return symtab->strings ? STATUS_OK : no_memory(err);
}

// $a $t $x $d, with anything after them, mark data and instruction sets (section 7).
static bool is_mapping_symbol(const char *name)
{
    return name[0] == '$' && name[1] != 0 && strchr("atxd", name[1]) != NULL;
}

static bool is_wanted(const struct symbols *symbols, const GElf_Sym *entry)
{
    unsigned binding = GELF_ST_BIND(entry->st_info), type = GELF_ST_TYPE(entry->st_info);
    bool is_right = symbols->reading == SYMBOLS_RIGHT;
    if (is_right && entry->st_shndx == SHN_UNDEF)
        return false;
    if (binding != STB_LOCAL && binding != STB_GLOBAL && binding != STB_WEAK &&
        !(is_right && binding == STB_GNU_UNIQUE))
        return false;
    return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC ||
           (is_right && type == STT_GNU_IFUNC);
}

static enum status check_name(const struct symtab *symtab, size_t number, uint64_t offset,
                              struct error *err)
{
    if (offset >= symtab->strings_bytes && offset > 0)
        return error_set(err, STATUS_INPUT,
                         "%s: section %zu, symbol %zu: name outside the string table", symtab->path,
                         symtab->section, number);
    // The copy has a NUL of its own at the end of the table, so this stops there at the latest.
    size_t length = strlen(symtab->strings + offset);
    if (length > 0 && offset + length >= symtab->strings_bytes)
        return error_set(err, STATUS_INPUT,
                         "%s: section %zu, symbol %zu: name without an end in the string table",
                         symtab->path, symtab->section, number);
    if (length > LIMIT_SYMBOL_NAME_BYTES)
        return error_set(err, STATUS_LIMIT,
                         "%s: section %zu, symbol %zu: name longer than %" PRIu64 " bytes",
                         symtab->path, symtab->section, number, LIMIT_SYMBOL_NAME_BYTES);
    return STATUS_OK;
}

static enum status add_entry(struct symbols *symbols, const struct symtab *symtab, size_t number,
                             struct error *err)
{
    GElf_Sym entry;
    if (!gelf_getsym(symtab->entries, (int)number, &entry))
        return error_set(err, STATUS_INPUT, "%s: section %zu, symbol %zu: %s", symtab->path,
                         symtab->section, number, elf_errmsg(-1));
    if (!is_wanted(symbols, &entry))
        return STATUS_OK;
    enum status status = check_name(symtab, number, entry.st_name, err);
    if (status != STATUS_OK)
        return status;
    const char *name = symtab->strings + entry.st_name;
    if (name[0] == 0 || is_mapping_symbol(name))
        return STATUS_OK;
    if (!VEC_ROOM(&symbols->table, 1))
        return no_memory(err);
    unsigned type = GELF_ST_TYPE(entry.st_info);
    struct symbol symbol = {
        .name = name,
        .display = name,
        .value = entry.st_value,
        .address = entry.st_value,
        .size = entry.st_size,
        .is_function = type == STT_FUNC || type == STT_GNU_IFUNC,
    };
    if (symbol.is_function && symbols->is_arm32 && symbols->reading == SYMBOLS_RIGHT)
        symbol.address &= ~UINT64_C(1);
    symbols->table.items[symbols->table.count++] = symbol;
    return STATUS_OK;
}

static enum status check_shape(const struct symbols *symbols, struct symtab *symtab,
                               const struct image *image, const GElf_Shdr *header,
                               struct error *err)
{
    size_t entry_bytes = gelf_fsize(image_elf(image), ELF_T_SYM, 1, EV_CURRENT);
    if (header->sh_entsize != entry_bytes || header->sh_size % entry_bytes != 0)
        return error_set(err, STATUS_INPUT,
                         "%s: section %zu: %" PRIu64 " bytes in symbols of %" PRIu64
                         " bytes where %zu are due",
                         symtab->path, symtab->section, (uint64_t)header->sh_size,
                         (uint64_t)header->sh_entsize, entry_bytes);
    uint64_t count = header->sh_size / entry_bytes;
    if (count > LIMIT_SYMBOLS - symbols->table.count)
        return error_set(err, STATUS_LIMIT, "%s: section %zu: more than %" PRIu64 " symbols",
                         symtab->path, symtab->section, LIMIT_SYMBOLS);
    symtab->count = count;
    return STATUS_OK;
}

static enum status read_symtab(struct symbols *symbols, const struct image *image, Elf_Scn *section,
                               const GElf_Shdr *header, struct error *err)
{
    struct symtab symtab = {.path = image_path(image), .section = elf_ndxscn(section)};
    GElf_Shdr strings_header;
    Elf_Scn *strings = elf_getscn(image_elf(image), header->sh_link);
    if (!strings || !gelf_getshdr(strings, &strings_header))
        return error_set(err, STATUS_INPUT, "%s: section %zu: there is no section %u to link to",
                         symtab.path, symtab.section, header->sh_link);
    if (strings_header.sh_type != SHT_STRTAB)
        return STATUS_OK;
    enum status status = check_shape(symbols, &symtab, image, header, err);
    if (status == STATUS_OK)
        status = section_data(&symtab.entries, image, section, header, err);
    if (status == STATUS_OK)
        status = copy_strings(symbols, &symtab, image, strings, &strings_header, err);
    for (size_t i = 0; status == STATUS_OK && i < symtab.count; i++)
        status = add_entry(symbols, &symtab, i, err);
    return status;
}

static enum status read_tables(struct symbols *symbols, const struct image *image,
                               struct error *err)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image_elf(image), section)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return error_set(err, STATUS_INPUT, "%s: section table: %s", image_path(image),
                             elf_errmsg(-1));
        if (header.sh_type != SHT_SYMTAB)
            continue;
        enum status status = read_symtab(symbols, image, section, &header, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// --- Names ---

struct name_place {
    const char *name;
    uint32_t place;
};

static int compare_names(const void *a_item, const void *b_item)
{
    const struct name_place *a = a_item, *b = b_item;
    int order = a->name == b->name ? 0 : strcmp(a->name, b->name);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static enum status display_duplicates(struct symbols *symbols, const struct name_place *same,
                                      size_t count, uint64_t *display_bytes, struct error *err)
{
    size_t room = strlen(same->name) + sizeof "@0x0123456789abcdef";
    *display_bytes += room * count;
    if (*display_bytes > LIMIT_SYMBOL_DISPLAY_BYTES)
        return error_set(err, STATUS_LIMIT,
                         "more than %" PRIu64 " bytes of names that symbols share",
                         LIMIT_SYMBOL_DISPLAY_BYTES);
    for (size_t i = 0; i < count; i++) {
        struct symbol *symbol = &symbols->table.items[same[i].place];
        char *display = arena_alloc(&symbols->arena, room);
        if (!display)
            return no_memory(err);
        snprintf(display, room, "%s@0x%" PRIx64, symbol->name, symbol->value);
        symbol->display = display;
    }
    return STATUS_OK;
}

static enum status index_sorted_names(struct symbols *symbols, const struct name_place *sorted,
                                      struct error *err)
{
    uint64_t display_bytes = 0;
    enum status status = STATUS_OK;
    size_t count = symbols->table.count;
    for (size_t first = 0, end; first < count && status == STATUS_OK; first = end) {
        for (end = first; end < count && strcmp(sorted[end].name, sorted[first].name) == 0; end++)
            symbols->by_name[end] = sorted[end].place;
        if (end - first > 1)
            status = display_duplicates(symbols, sorted + first, end - first, &display_bytes, err);
    }
    return status;
}

static enum status index_names(struct symbols *symbols, struct error *err)
{
    size_t count = symbols->table.count;
    struct name_place *sorted = calloc(count, sizeof *sorted);
    symbols->by_name = calloc(count, sizeof *symbols->by_name);
    enum status status = STATUS_OK;
    if (sorted && symbols->by_name) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = (struct name_place){symbols->table.items[i].name, (uint32_t)i};
        qsort(sorted, count, sizeof *sorted, compare_names);
        status = index_sorted_names(symbols, sorted, err);
    } else {
        status = no_memory(err);
    }
    free(sorted);
    return status;
}

// Compares the name of a symbol with the first `length` bytes of `name`.
static int compare_with_name(const char *symbol_name, const char *name, size_t length)
{
    int order = strncmp(symbol_name, name, length);
    return order ? order : symbol_name[length] != 0;
}

// The first place in by_name whose name is not below `name`.
static size_t lowest_place(const struct symbols *symbols, const char *name, size_t length)
{
    size_t low = 0, high = symbols->table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct symbol *symbol = &symbols->table.items[symbols->by_name[middle]];
        if (compare_with_name(symbol->name, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The `skip`-th symbol, from 0, of those called `name`.
static const struct symbol *find_nth(const struct symbols *symbols, const char *name, size_t length,
                                     uint64_t skip)
{
    size_t place = lowest_place(symbols, name, length);
    if (skip >= symbols->table.count - place)
        return NULL;
    const struct symbol *symbol = &symbols->table.items[symbols->by_name[place + skip]];
    return compare_with_name(symbol->name, name, length) == 0 ? symbol : NULL;
}

// NAME#K; `hash` points at the '#'. As TTU reads K: white space, a sign and digits, then anything.
static const struct symbol *find_numbered(const struct symbols *symbols, const char *name,
                                          const char *hash)
{
    char *end;
    errno = 0;
    long long number = strtoll(hash + 1, &end, 10);
    if (end == hash + 1 || errno != 0 || number < 0)
        return NULL;
    return find_nth(symbols, name, (size_t)(hash - name), (uint64_t)number);
}

// NAME@0xVALUE, as duplicates are displayed.
static const struct symbol *find_displayed(const struct symbols *symbols, const char *name)
{
    const char *at = strrchr(name, '@');
    if (!at)
        return NULL;
    size_t length = (size_t)(at - name);
    for (size_t i = lowest_place(symbols, name, length); i < symbols->table.count; i++) {
        const struct symbol *symbol = &symbols->table.items[symbols->by_name[i]];
        if (compare_with_name(symbol->name, name, length) != 0)
            return NULL;
        if (strcmp(symbol->display, name) == 0)
            return symbol;
    }
    return NULL;
}

const struct symbol *symbols_by_name(const struct symbols *symbols, const char *name)
{
    const char *hash = strrchr(name, '#');
    const struct symbol *found = NULL;
    if (!hash || symbols->reading == SYMBOLS_RIGHT)
        found = find_nth(symbols, name, strlen(name), 0);
    if (!found && hash)
        found = find_numbered(symbols, name, hash);
    if (!found && symbols->reading == SYMBOLS_RIGHT)
        found = find_displayed(symbols, name);
    return found;
}

// --- Addresses ---

// Of symbols of one address and size, functions first and then table order.
static int compare_alternatives(const void *a_item, const void *b_item)
{
    const struct symbol *a = *(const struct symbol *const *)a_item;
    const struct symbol *b = *(const struct symbol *const *)b_item;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->is_function != b->is_function)
        return a->is_function ? -1 : 1;
    return (a > b) - (a < b);
}

// Lets the best of the symbols of one address and size answer for all of them.
static bool prefer_functions(struct symbols *symbols)
{
    const struct symbol *items = symbols->table.items;
    size_t count = symbols->table.count;
    const struct symbol **sorted = calloc(count, sizeof *sorted);
    uint32_t *answers = calloc(count, sizeof *answers);
    bool has_room = sorted && answers;
    if (has_room) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = &items[i];
        qsort(sorted, count, sizeof *sorted, compare_alternatives);
        const struct symbol *best = sorted[0];
        for (size_t i = 0; i < count; i++) {
            if (sorted[i]->address != best->address || sorted[i]->size != best->size)
                best = sorted[i];
            answers[sorted[i] - items] = (uint32_t)(best - items);
        }
        for (size_t i = 0; i < symbols->by_address.count; i++)
            symbols->by_address.ids[i] = answers[symbols->by_address.ids[i]];
    }
    free(sorted);
    free(answers);
    return has_room;
}

static uint64_t lowest_address(const struct symbols *symbols)
{
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 0; i < symbols->table.count; i++)
        lowest = u64_min(lowest, symbols->table.items[i].address);
    return lowest;
}

static enum status index_addresses(struct symbols *symbols, struct error *err)
{
    struct address_span *spans = calloc(symbols->table.count, sizeof *spans);
    if (!spans)
        return no_memory(err);
    bool is_right = symbols->reading == SYMBOLS_RIGHT;
    uint64_t lowest = lowest_address(symbols);
    size_t count = 0;
    for (size_t i = 0; i < symbols->table.count; i++) {
        const struct symbol *symbol = &symbols->table.items[i];
        if (is_right || symbol->address != lowest)
            spans[count++] = (struct address_span){symbol->address, symbol->size, (uint32_t)i};
    }
    bool is_built = address_index_build(&symbols->by_address, spans, count);
    free(spans);
    if (is_built && is_right)
        is_built = prefer_functions(symbols);
    return is_built ? STATUS_OK : no_memory(err);
}

const struct symbol *symbols_by_address(const struct symbols *symbols, uint64_t address)
{
    uint32_t place;
    if (!address_index_find(&symbols->by_address, address, &place))
        return NULL;
    return &symbols->table.items[place];
}

// --- The whole ---

enum status symbols_load(struct symbols **out, const struct image *image,
                         enum symbols_reading reading, struct error *err)
{
    *out = NULL;
    struct symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols)
        return no_memory(err);
    symbols->reading = reading;
    symbols->is_arm32 = image_is_arm32(image);
    enum status status = read_tables(symbols, image, err);
    if (status == STATUS_OK && symbols->table.count > 0)
        status = index_names(symbols, err);
    if (status == STATUS_OK && symbols->table.count > 0)
        status = index_addresses(symbols, err);
    if (status != STATUS_OK) {
        symbols_free(symbols);
        return status;
    }
    *out = symbols;
    return STATUS_OK;
}

void symbols_free(struct symbols *symbols)
{
    if (!symbols)
        return;
    arena_free(&symbols->arena);
    address_index_free(&symbols->by_address);
    free(symbols->by_name);
    free(symbols->table.items);
    free(symbols);
}

const struct symbol *symbols_all(const struct symbols *symbols, size_t *count)
{
    *count = symbols->table.count;
    return symbols->table.items;
}
