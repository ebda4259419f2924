// The symbols that an index stores for images, by address and by name.
#include "idx/caller.h"
#include "idx/index.h"

#include <stdlib.h>

void symbol_table_free(struct symbol_table *table)
{
    free(table->names);
    free(table->text);
    free(table->columns[0]);
    free(table->arm_code);
    *table = (struct symbol_table){0};
}

// --- Reading -------------------------------------------------------------------------------------

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "symbols", err);
}

// Copies the names, and finds where each begins. They must ascend.
static enum status read_names(struct trawl_index *index, const struct parts *parts,
                              struct error *err)
{
    struct symbol_table *table = &index->symbols;
    const char *text;
    size_t length;
    if (parts_text(parts, PART_SYMBOL_NAMES, &text, &length, NULL) != STATUS_OK ||
        table->count > length)
        return damaged(index, err);
    table->text = malloc(length + 1);
    table->names = calloc(table->count + 1, sizeof *table->names);
    if (!table->text || !table->names)
        return index_no_memory(index, err);
    memcpy(table->text, text, length);
    for (size_t i = 0, at = 0; i < table->count; i++) {
        const char *end = memchr(table->text + at, 0, length - at);
        table->names[i] = table->text + at;
        if (!end || (i && strcmp(table->names[i - 1], table->names[i]) > 0))
            return damaged(index, err);
        at = (size_t)(end + 1 - table->text);
    }
    return STATUS_OK;
}

// Whether the starts of the ranges of the address space ascend, and their numbers are those of
// symbols + 1.
static bool are_ranges_sound(const struct symbol_table *table)
{
    const uint64_t *starts = table->columns[SYMBOL_RANGE_STARTS];
    const uint64_t *numbers = table->columns[SYMBOL_RANGE_NUMBERS];
    for (size_t i = 0; i < table->range_count; i++) {
        if (numbers[i] > table->count || (i && starts[i] <= starts[i - 1]))
            return false;
    }
    return true;
}

static enum status read_columns(struct trawl_index *index, const struct column *columns,
                                struct error *err)
{
    struct symbol_table *table = &index->symbols;
    const size_t counts[SYMBOL_COLUMNS] = {table->count, table->count, table->range_count,
                                           table->range_count};
    uint64_t *values = calloc(2 * (table->count + table->range_count) + 1, sizeof *values);
    if (!values)
        return index_no_memory(index, err);
    for (size_t i = 0; i < SYMBOL_COLUMNS; i++) {
        table->columns[i] = values;
        if (!column_read(&columns[i], 0, counts[i], values))
            return damaged(index, err);
        values += counts[i];
    }
    return are_ranges_sound(table) ? STATUS_OK : damaged(index, err);
}

// Reads the column that only symbols of 32-bit Arm have.
static enum status read_arm_code(struct trawl_index *index, const struct parts *parts,
                                 struct error *err)
{
    struct symbol_table *table = &index->symbols;
    struct column column;
    if (parts_column(parts, PART_SYMBOL_ARM_CODE, &column, NULL) != STATUS_OK ||
        (!column.count && table->count))
        return STATUS_OK;
    table->arm_code = calloc(table->count + 1, sizeof *table->arm_code);
    if (!table->arm_code)
        return index_no_memory(index, err);
    return column.count == table->count && column_read(&column, 0, table->count, table->arm_code)
               ? STATUS_OK
               : damaged(index, err);
}

static enum status read_table(struct trawl_index *index, struct error *err)
{
    struct symbol_table *table = &index->symbols;
    struct column columns[SYMBOL_COLUMNS];
    struct parts parts;
    enum status status = index_section(index, SECTION_SYMBOLS, &parts, err);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < SYMBOL_COLUMNS; i++) {
        if (parts_column(&parts, PART_SYMBOL_ADDRESSES + i, &columns[i], NULL) != STATUS_OK)
            return damaged(index, err);
    }
    // Each symbol has a name, and starts of ranges differ, so both take bytes.
    const struct column *starts = &columns[SYMBOL_RANGE_STARTS];
    if (columns[0].count != columns[1].count || columns[0].count > index->size_bytes ||
        starts->count != columns[SYMBOL_RANGE_NUMBERS].count || !column_may_rise(starts))
        return damaged(index, err);
    table->count = (size_t)columns[0].count;
    table->range_count = (size_t)starts->count;
    status = read_names(index, &parts, err);
    if (status == STATUS_OK)
        status = read_columns(index, columns, err);
    return status == STATUS_OK ? read_arm_code(index, &parts, err) : status;
}

// Reads the section on first use.
static enum status make_ready(struct trawl_index *index, struct error *err)
{
    if (index->symbols.is_read || !index_has_section(index, SECTION_SYMBOLS))
        return STATUS_OK;
    enum status status = read_table(index, err);
    if (status != STATUS_OK)
        symbol_table_free(&index->symbols);
    index->symbols.is_read = status == STATUS_OK;
    return status;
}

// --- Questions -----------------------------------------------------------------------------------

// Returns the symbol with that number, if there is one.
static enum status give(const struct trawl_index *index, uint64_t number,
                        struct trawl_symbol *about, size_t about_bytes, struct error *err)
{
    const struct symbol_table *table = &index->symbols;
    if (number >= table->count)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such symbol", index->path);
    const struct trawl_symbol found = {
        table->names[number], table->columns[SYMBOL_ADDRESSES][number],
        table->columns[SYMBOL_SIZES][number], table->arm_code ? table->arm_code[number] != 0 : -1};
    caller_give(about, about_bytes, &found, sizeof found);
    return STATUS_OK;
}

enum trawl_status trawl_symbol_count(struct trawl_index *index, uint64_t *count,
                                     struct trawl_error *err)
{
    struct error why;
    enum status status = make_ready(index, &why);
    *count = index->symbols.count;
    return errors_give(err, &why, status);
}

enum trawl_status trawl_symbol_(struct trawl_index *index, uint64_t number,
                                struct trawl_symbol *about, size_t about_bytes,
                                struct trawl_error *err)
{
    struct error why;
    enum status status = make_ready(index, &why);
    if (status == STATUS_OK)
        status = give(index, number, about, about_bytes, &why);
    return errors_give(err, &why, status);
}

enum trawl_status trawl_symbol_at_(struct trawl_index *index, uint64_t address,
                                   struct trawl_symbol *about, size_t about_bytes,
                                   struct trawl_error *err)
{
    struct error why;
    const struct symbol_table *table = &index->symbols;
    enum status status = make_ready(index, &why);
    if (status == STATUS_OK) {
        size_t low;
        PARTITION_POINT(low, table->range_count,
                        table->columns[SYMBOL_RANGE_STARTS][middle] <= address);
        uint64_t number = low ? table->columns[SYMBOL_RANGE_NUMBERS][low - 1] : 0; // counted from 1
        status = give(index, number ? (size_t)number - 1 : SIZE_MAX, about, about_bytes, &why);
    }
    return errors_give(err, &why, status);
}

enum trawl_status trawl_symbol_named_(struct trawl_index *index, const char *name,
                                      struct trawl_symbol *about, size_t about_bytes,
                                      struct trawl_error *err)
{
    struct error why;
    const struct symbol_table *table = &index->symbols;
    enum status status = make_ready(index, &why);
    if (status == STATUS_OK) {
        size_t low;
        PARTITION_POINT(low, table->count, strcmp(table->names[middle], name) < 0);
        bool is_there = low < table->count && strcmp(table->names[low], name) == 0;
        status = give(index, is_there ? low : SIZE_MAX, about, about_bytes, &why);
    }
    return errors_give(err, &why, status);
}
