#include "elf/symbols.h"

#include "elf/symbols_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void symbols_free(struct symbols *symbols)
{
    symbols_discard(symbols);
}

const struct symbol *symbols_all(const struct symbols *symbols, size_t *count)
{
    *count = symbols->table.count;
    return symbols->table.items;
}

// --- Names ---

static const struct symbol *symbol_at(const struct symbols *symbols, size_t place)
{
    return &symbols->table.items[symbols->by_name[place].place];
}

static bool is_called(const struct symbol *symbol, const char *name, size_t length)
{
    return strncmp(symbol->name, name, length) == 0 && symbol->name[length] == 0;
}

// The first place in by_name of a symbol called `name`, or the number of all symbols if there is
// none.
static size_t first_place(const struct symbols *symbols, const char *name, size_t length)
{
    const struct name_hash hash =
        name_hash_before(&symbols->hasher, name, length, (struct name_hash){{0}});
    size_t low;
    PARTITION_POINT(low, symbols->table.count,
                    name_hash_compare(&symbols->by_name[middle].hash, &hash) < 0);
    bool is_there = low < symbols->table.count && is_called(symbol_at(symbols, low), name, length);
    return is_there ? low : symbols->table.count;
}

// The `skip`-th symbol, from 0, of those called `name`.
static const struct symbol *find_nth(const struct symbols *symbols, const char *name, size_t length,
                                     uint64_t skip)
{
    size_t place = first_place(symbols, name, length);
    if (skip >= symbols->table.count - place)
        return NULL;
    const struct symbol *symbol = symbol_at(symbols, place + skip);
    return is_called(symbol, name, length) ? symbol : NULL;
}

// NAME#K; `hash` points at the '#'. K is read as in TTU: white space, a sign and digits, then
// anything.
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
    for (size_t i = first_place(symbols, name, length); i < symbols->table.count; i++) {
        const struct symbol *symbol = symbol_at(symbols, i);
        if (!is_called(symbol, name, length))
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

const struct symbol *symbols_by_address(const struct symbols *symbols, uint64_t address)
{
    uint32_t place;
    if (!address_index_find(&symbols->by_address, address, &place))
        return NULL;
    return &symbols->table.items[place];
}
