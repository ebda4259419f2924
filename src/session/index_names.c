#include "session/index_names.h"

#include "elf/image.h"
#include "idx/index_format.h"
#include "idx/index_sections.h"
#include "idx/rows.h"

#include <stdlib.h>

// --- The symbols ---------------------------------------------------------------------------------

struct kept_symbol {
    const char *name;
    uint64_t address, size; // where it was loaded
    bool is_arm_code;
    size_t order; // index among the symbols of all images
};

struct table {
    const struct image_set *images;
    bool has_arm; // one is for 32-bit Arm
    VEC(, struct kept_symbol) symbols;
    size_t *firsts;            // the first symbol of each image, before sorting
    size_t *numbers;           // the index of each symbol, after sorting
    struct address_vec bounds; // addresses where the answer may change
    VEC(, uint64_t) starts;    // of ranges of the address space
    VEC(, uint64_t) answers;   // number of the symbol + 1; 0: none
};

static bool add_bound(struct table *table, uint64_t address)
{
    if (!VEC_ROOM(&table->bounds, 1))
        return false;
    table->bounds.items[table->bounds.count++] = address;
    return true;
}

// Adds the symbols of an image, and their start and end addresses.
static bool add_image(struct table *table, size_t number)
{
    const struct image_member *member = &table->images->members.items[number];
    size_t count;
    const struct symbol *symbols = symbols_all(member->symbols, &count);
    bool is_arm = image_is_arm32(member->image);
    table->has_arm |= is_arm;
    table->firsts[number] = table->symbols.count;
    if (!VEC_ROOM(&table->symbols, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t address = (symbols[i].address + member->offset) & member->address_mask;
        size_t order = table->symbols.count++;
        table->symbols.items[order] = (struct kept_symbol){
            symbols[i].display, address, symbols[i].size, is_arm && !symbols[i].is_data, order};
        if (!add_bound(table, address) || !add_bound(table, address + symbols[i].reach))
            return false;
    }
    return true;
}

static bool add_images(struct table *table)
{
    const struct image_set *images = table->images;
    table->firsts = calloc(images->members.count + 1, sizeof *table->firsts);
    bool is_done = table->firsts && image_set_add_bounds(images, &table->bounds);
    for (size_t i = 0; i < images->members.count && is_done; i++)
        is_done = add_image(table, i);
    return is_done;
}

static int compare_symbols(const void *a_item, const void *b_item)
{
    const struct kept_symbol *a = a_item, *b = b_item;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

// Sorts symbols by name.
static bool sort_symbols(struct table *table)
{
    size_t count = table->symbols.count;
    table->numbers = calloc(count + 1, sizeof *table->numbers);
    if (!table->numbers)
        return false;
    if (count)
        qsort(table->symbols.items, count, sizeof *table->symbols.items, compare_symbols);
    for (size_t i = 0; i < count; i++)
        table->numbers[table->symbols.items[i].order] = i;
    return true;
}

static uint64_t answer_at(const struct table *table, uint64_t address)
{
    struct image_symbol place;
    size_t count;
    if (!image_set_by_address(table->images, address, &place))
        return 0;
    const struct symbol *all =
        symbols_all(table->images->members.items[place.member].symbols, &count);
    return table->numbers[table->firsts[place.member] + (size_t)(place.symbol - all)] + 1;
}

// Cuts the address space where the images' answer changes.
static bool cut(struct table *table)
{
    uint64_t before = 0;
    if (table->bounds.count)
        qsort(table->bounds.items, table->bounds.count, sizeof *table->bounds.items, u64_compare);
    if (!VEC_ROOM(&table->starts, table->bounds.count) ||
        !VEC_ROOM(&table->answers, table->bounds.count))
        return false;
    for (size_t i = 0; i < table->bounds.count; i++) {
        uint64_t answer = answer_at(table, table->bounds.items[i]);
        if (answer == before)
            continue;
        table->starts.items[table->starts.count++] = table->bounds.items[i];
        table->answers.items[table->answers.count++] = answer;
        before = answer;
    }
    return true;
}

// --- Functions by their ids ----------------------------------------------------------------------

// Adds the functions that have names; each has its own PC.
static bool add_ids(struct table *table, const struct names *names)
{
    const struct function_ids *ids = names->options.ids;
    uint32_t id;
    table->firsts = NULL;
    for (size_t i = 0; ids->at(names->id_names, i, &id); i++) {
        const char *name = ids->name(names->id_names, id);
        if (!name)
            continue;
        if (!VEC_ROOM(&table->symbols, 1))
            return false;
        size_t order = table->symbols.count++;
        table->symbols.items[order] = (struct kept_symbol){name, function_pc(id), 0, false, order};
    }
    return true;
}

static int compare_pcs(const void *a_item, const void *b_item)
{
    const struct kept_symbol *const *a = a_item, *const *b = b_item;
    return ((*a)->address > (*b)->address) - ((*a)->address < (*b)->address);
}

// The ranges between functions have no name.
static bool cut_ids(struct table *table)
{
    size_t count = table->symbols.count;
    const struct kept_symbol **by_pc = calloc(count + 1, sizeof *by_pc);
    bool is_done =
        by_pc && VEC_ROOM(&table->starts, 2 * count) && VEC_ROOM(&table->answers, 2 * count);
    for (size_t i = 0; i < count && is_done; i++)
        by_pc[i] = &table->symbols.items[i];
    if (is_done && count)
        qsort(by_pc, count, sizeof *by_pc, compare_pcs);
    for (size_t i = 0; i < count && is_done; i++) {
        uint64_t pc = by_pc[i]->address, after = function_pc(function_id(pc) + 1);
        bool goes_on = i + 1 < count && by_pc[i + 1]->address == after;
        if (i && by_pc[i - 1]->address == pc)
            continue;
        table->starts.items[table->starts.count++] = pc;
        table->answers.items[table->answers.count++] =
            (uint64_t)(by_pc[i] - table->symbols.items) + 1;
        if (goes_on || after < pc || (i + 1 < count && by_pc[i + 1]->address == pc))
            continue;
        table->starts.items[table->starts.count++] = after;
        table->answers.items[table->answers.count++] = 0;
    }
    free(by_pc);
    return is_done;
}

// --- The section ---------------------------------------------------------------------------------

static bool add_names(const struct table *table, struct parts_writer *parts)
{
    struct bytes names = {0};
    bool is_done = true;
    for (size_t i = 0; i < table->symbols.count && is_done; i++) {
        const char *name = table->symbols.items[i].name;
        is_done = bytes_append(&names, name, strlen(name) + 1);
    }
    is_done = is_done && parts_add_text(parts, PART_SYMBOL_NAMES, names.items, names.count);
    free(names.items);
    return is_done;
}

static bool add_columns(const struct table *table, struct parts_writer *parts)
{
    size_t count = table->symbols.count;
    uint64_t *column = calloc(count + 1, sizeof *column);
    bool is_done = column != NULL;
    for (size_t i = 0; i < count && is_done; i++)
        column[i] = table->symbols.items[i].address;
    is_done = is_done && parts_add_column(parts, PART_SYMBOL_ADDRESSES, column, count);
    for (size_t i = 0; i < count && is_done; i++)
        column[i] = table->symbols.items[i].size;
    is_done = is_done && parts_add_column(parts, PART_SYMBOL_SIZES, column, count) &&
              parts_add_column(parts, PART_SYMBOL_RANGE_STARTS, table->starts.items,
                               table->starts.count) &&
              parts_add_column(parts, PART_SYMBOL_RANGE_NUMBERS, table->answers.items,
                               table->answers.count);
    for (size_t i = 0; i < count && is_done; i++)
        column[i] = table->symbols.items[i].is_arm_code;
    is_done = is_done &&
              (!table->has_arm || parts_add_column(parts, PART_SYMBOL_ARM_CODE, column, count));
    free(column);
    return is_done;
}

// Writes for each image what distinguishes it from others, and the offset by which it was moved.
static bool describe_images(const struct image_set *images, struct bytes *text)
{
    bool is_done = true;
    for (size_t i = 0; i < images->members.count && is_done; i++) {
        const struct image_member *member = &images->members.items[i];
        char identity[IMAGE_IDENTITY_BYTES];
        int length = image_identity(member->image, member->offset, identity);
        is_done = bytes_append(text, identity, (size_t)length + 1);
    }
    return is_done;
}

// Without any symbols if names that are ends of one string would make the index too large.
static bool write_symbols(const struct names *names, struct parts_writer *parts,
                          struct error *left_out)
{
    struct table table = {.images = &names->images};
    struct bytes about = {0};
    struct error why;
    bool fits = image_set_check_names(&names->images, &why) == STATUS_OK;
    if (!fits && left_out)
        error_set(left_out, why.status, "%s: no names of it are kept", why.text);
    bool is_done = !fits || (names->options.ids
                                 ? add_ids(&table, names) && sort_symbols(&table) && cut_ids(&table)
                                 : add_images(&table) && sort_symbols(&table) && cut(&table));
    is_done = is_done && describe_images(&names->images, &about) &&
              parts_add_text(parts, PART_SYMBOL_IMAGES, about.items, about.count) &&
              add_names(&table, parts) && add_columns(&table, parts);
    free(about.items);
    free(table.symbols.items);
    free(table.firsts);
    free(table.numbers);
    free(table.bounds.items);
    free(table.starts.items);
    free(table.answers.items);
    return is_done;
}

bool index_names_write(const struct names *names, struct parts_writer *symbols,
                       struct parts_writer *lines, struct error *left_out)
{
    static const struct image_set none;
    return write_symbols(names, symbols, left_out) &&
           index_lines_write(names->options.ids ? &none : &names->images, lines, left_out);
}

// --- Other images --------------------------------------------------------------------------------

enum status index_names_fit(struct trawl_index *index, const struct names *names, bool *fits,
                            struct error *err)
{
    struct parts parts;
    struct bytes about = {0};
    const char *text = "";
    size_t length = 0;
    bool is_there;
    *fits = false;
    enum status status = index_find_section(index, SECTION_SYMBOLS, &parts, &is_there, err);
    if (status == STATUS_OK && is_there)
        status = parts_text(&parts, PART_SYMBOL_IMAGES, &text, &length, err);
    if (status == STATUS_OK && !describe_images(&names->images, &about))
        status = error_set(err, STATUS_MEMORY, "no memory for the names of the images");
    *fits = status == STATUS_OK && is_there && index_has_section(index, SECTION_SOURCE_LINES) &&
            length == about.count && memcmp(text, about.items, length) == 0;
    free(about.items);
    return status;
}

enum status index_names_replace(struct trawl_index *index, const char *path,
                                const struct names *names, enum file_writer_io io, bool sync,
                                struct error *left_out, struct error *err)
{
    struct parts_writer symbols = {0}, lines = {0};
    const struct index_new_section sections[] = {{SECTION_SYMBOLS, &symbols},
                                                 {SECTION_SOURCE_LINES, &lines}};
    enum status status =
        index_names_write(names, &symbols, &lines, left_out)
            ? index_replace_sections(index, path, sections, ARRAY_COUNT(sections), io, sync, err)
            : error_set(err, STATUS_MEMORY, "no memory for the names of the images");
    parts_writer_free(&symbols);
    parts_writer_free(&lines);
    return status;
}
