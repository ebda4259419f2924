#include "report/parquet.h"

#include "base/utf8.h"

#include <stdlib.h>

#include <xxhash.h>

// --- Texts ---------------------------------------------------------------------------------------

static bool is_text(const struct parquet_texts *texts, uint32_t number, const char *text)
{
    return strcmp(texts->items.items[number].given, text) == 0;
}

// The number of a text, which is added if it is new. False: no memory.
static bool find(struct parquet_texts *texts, const char *text, uint32_t *number)
{
    size_t length = strlen(text);
    uint64_t hash = XXH3_64bits_withSeed(text, length, hash_index_seed(&texts->by_text)->mask);
    HASH_INDEX_FIND(*number, &texts->by_text, hash, is_text(texts, candidate, text));
    if (*number != HASH_INDEX_NONE)
        return true;
    *number = (uint32_t)texts->items.count;
    char *given = length < UINT32_MAX ? arena_copy_string(&texts->arena, text, length) : NULL;
    char *inert = given;
    if (given && !utf8_is_plain(text, length)) {
        inert = arena_copy_string(&texts->arena, text, length);
        if (inert)
            utf8_make_inert(inert, length);
    }
    if (!inert || texts->items.count >= PARQUET_NO_TEXT - 1 || !VEC_ROOM(&texts->items, 1) ||
        !hash_index_add(&texts->by_text, hash, (uint32_t)texts->items.count))
        return false;
    texts->items.items[texts->items.count++] =
        (struct parquet_text){given, inert, (uint32_t)length};
    return true;
}

// The same text usually has the same address.
bool parquet_texts_number(struct parquet_texts *texts, const char *text, uint32_t *number)
{
    size_t place = ((uintptr_t)text ^ (uintptr_t)text >> 8) % PARQUET_RECENT_TEXTS;
    uint32_t recent = texts->recent[place];
    if (recent && is_text(texts, recent - 1, text)) {
        *number = recent - 1;
        return true;
    }
    if (!find(texts, text, number))
        return false;
    texts->recent[place] = *number + 1;
    return true;
}

void parquet_texts_free(struct parquet_texts *texts)
{
    arena_free(&texts->arena);
    free(texts->items.items);
    hash_index_free(&texts->by_text);
    *texts = (struct parquet_texts){0};
}

// --- Cells ---------------------------------------------------------------------------------------

void parquet_cells_begin(struct parquet_cells *cells, const enum parquet_type *types,
                         size_t column_count)
{
    ASSERT(column_count > 0 && column_count <= LIMIT_PARQUET_COLUMNS);
    *cells = (struct parquet_cells){.column_count = column_count};
    for (size_t i = 0; i < column_count; i++)
        cells->columns[i].type = types[i];
}

static void put_number(struct parquet_cells *cells, struct parquet_column *column, uint64_t value,
                       bool has)
{
    if (!VEC_ROOM(&column->numbers, 1) || !VEC_ROOM(&column->has, 1)) {
        cells->lacks_memory = true;
        return;
    }
    column->numbers.items[column->numbers.count++] = value;
    column->has.items[column->has.count++] = has;
    column->empty_count += !has;
}

static void put_text(struct parquet_cells *cells, struct parquet_column *column, uint32_t number)
{
    if (!VEC_ROOM(&column->texts, 1)) {
        cells->lacks_memory = true;
        return;
    }
    column->texts.items[column->texts.count++] = number;
    column->empty_count += number == PARQUET_NO_TEXT;
}

void parquet_cells_number(struct parquet_cells *cells, size_t column, uint64_t value)
{
    put_number(cells, &cells->columns[column], value, true);
}

void parquet_cells_f64(struct parquet_cells *cells, size_t column, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(cells, &cells->columns[column], bits, true);
}

void parquet_cells_text(struct parquet_cells *cells, size_t column, const char *text)
{
    uint32_t number = 0;
    if (!parquet_texts_number(&cells->texts, text, &number))
        cells->lacks_memory = true;
    put_text(cells, &cells->columns[column], number);
}

void parquet_cells_none(struct parquet_cells *cells, size_t number)
{
    struct parquet_column *column = &cells->columns[number];
    if (column->type == PARQUET_TEXT)
        put_text(cells, column, PARQUET_NO_TEXT);
    else
        put_number(cells, column, 0, false);
}

void parquet_cells_end_row(struct parquet_cells *cells)
{
    cells->row_count++;
}

// --- Parts ---------------------------------------------------------------------------------------

// Assigns numbers to the texts of a part that are new here.
static bool make_known(struct parquet_cells *cells, struct parquet_cells *part)
{
    size_t count = part->texts.items.count;
    if (!VEC_ROOM(&part->known, count - part->known.count))
        return false;
    for (size_t i = part->known.count; i < count; i++) {
        uint32_t number;
        if (!find(&cells->texts, part->texts.items.items[i].given, &number))
            return false;
        part->known.items[part->known.count++] = number;
    }
    return true;
}

static bool take_texts(struct parquet_column *to, const struct parquet_column *from,
                       const uint32_t *known)
{
    size_t count = from->texts.count;
    if (!VEC_ROOM(&to->texts, count))
        return false;
    uint32_t *at = to->texts.items + to->texts.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = from->texts.items[i];
        at[i] = number == PARQUET_NO_TEXT ? number : known[number];
    }
    to->texts.count += count;
    return true;
}

static bool take_numbers(struct parquet_column *to, const struct parquet_column *from)
{
    size_t count = from->numbers.count;
    if (!VEC_ROOM(&to->numbers, count) || !VEC_ROOM(&to->has, count))
        return false;
    if (!count)
        return true;
    memcpy(to->numbers.items + to->numbers.count, from->numbers.items,
           count * sizeof *to->numbers.items);
    memcpy(to->has.items + to->has.count, from->has.items, count);
    to->numbers.count += count;
    to->has.count += count;
    return true;
}

void parquet_cells_take(struct parquet_cells *cells, struct parquet_cells *part)
{
    bool is_whole = !part->lacks_memory && !cells->lacks_memory && make_known(cells, part);
    for (size_t i = 0; i < cells->column_count && is_whole; i++) {
        struct parquet_column *to = &cells->columns[i];
        const struct parquet_column *from = &part->columns[i];
        is_whole = to->type == PARQUET_TEXT ? take_texts(to, from, part->known.items)
                                            : take_numbers(to, from);
        to->empty_count += from->empty_count;
    }
    cells->lacks_memory |= !is_whole;
    cells->row_count += part->row_count;
    parquet_cells_clear(part);
}

void parquet_cells_clear(struct parquet_cells *cells)
{
    for (size_t i = 0; i < cells->column_count; i++) {
        struct parquet_column *column = &cells->columns[i];
        column->numbers.count = column->has.count = column->texts.count = 0;
        column->empty_count = 0;
    }
    cells->row_count = 0;
}

void parquet_cells_free(struct parquet_cells *cells)
{
    for (size_t i = 0; i < cells->column_count; i++) {
        free(cells->columns[i].numbers.items);
        free(cells->columns[i].has.items);
        free(cells->columns[i].texts.items);
    }
    parquet_texts_free(&cells->texts);
    free(cells->known.items);
    *cells = (struct parquet_cells){0};
}
