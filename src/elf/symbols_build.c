// A table of symbols: filled by one of the two readings (symbols_strict.c, symbols_lenient.c),
// indexed once by name and by address, then only read.
//
// Names are indexed by sorted hashes, not by sorted texts: names may be ends of one another, as
// linkers store them ("name" within "rename"), so that a table of a few MB can have tens of
// thousands of names of one MB each, which must not be read one by one. A name is hashed from its
// last byte to its first, so that the hash of a longer one continues from that of its end. The hash
// is a polynomial modulo a prime at two random points: without knowing the points, nobody can find
// different names with the same hash, so names with equal hash and length count as equal.
#include "elf/symbols_build.h"

#include "base/hash_index.h"
#include "base/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PRIME ((UINT64_C(1) << 61) - 1)

enum status symbols_no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the symbols");
}

// --- Hashes of names ---

static uint64_t fold(uint64_t value)
{
    value = (value & PRIME) + (value >> 61);
    return value >= PRIME ? value - PRIME : value;
}

// value * point + byte, in its class but not yet below the prime. As points have 60 bits, a value
// below 2^63 stays there.
static ALWAYS_INLINE uint64_t take(uint64_t value, uint64_t point, uint64_t byte)
{
    unsigned __int128 product = (unsigned __int128)value * point;
    return ((uint64_t)product & PRIME) + (uint64_t)(product >> 61) + byte;
}

// The hash of the `length` bytes at `text` followed by the text with the hash `end`; 0 is the hash
// of no text.
static struct name_hash name_hash_before(const struct name_hasher *hasher, const char *text,
                                         size_t length, struct name_hash end)
{
    uint64_t first = end.values[0], second = end.values[1];
    while (length) {
        uint64_t byte = 1 + (uint64_t)(unsigned char)text[--length];
        first = take(first, hasher->points[0], byte);
        second = take(second, hasher->points[1], byte);
    }
    return (struct name_hash){{fold(first), fold(second)}};
}

static int name_hash_compare(const struct name_hash *a, const struct name_hash *b)
{
    for (unsigned i = 0; i < 2; i++) {
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    }
    return 0;
}

// --- Names ---

struct name_place {
    const char *name;
    struct name_hash hash;
    uint32_t place;
    uint32_t length; // at most LIMIT_SYMBOL_NAME_BYTES, or truncated: hashes then differ
};

static int compare_starts(const void *a_item, const void *b_item)
{
    const struct name_place *a = a_item, *b = b_item;
    uintptr_t a_at = (uintptr_t)a->name, b_at = (uintptr_t)b->name;
    return a_at != b_at ? (a_at < b_at ? 1 : -1) : 0;
}

static int compare_hashes(const struct name_place *a, const struct name_place *b)
{
    int order = name_hash_compare(&a->hash, &b->hash);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_names(const void *a_item, const void *b_item)
{
    const struct name_place *a = a_item, *b = b_item;
    int order = compare_hashes(a, b);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static enum status display_duplicates(struct symbols *symbols, const struct name_place *same,
                                      size_t count, uint64_t *display_bytes, struct error *err)
{
    size_t room = strlen(same->name) + sizeof "@0x0123456789abcdef";
    *display_bytes += room * count;
    if (*display_bytes > symbols->display_bytes_max)
        return error_set(err, STATUS_LIMIT,
                         "more than %" PRIu64 " bytes of names that symbols share",
                         symbols->display_bytes_max);
    for (size_t i = 0; i < count; i++) {
        struct symbol *symbol = &symbols->table.items[same[i].place];
        char *display = arena_alloc(&symbols->arena, room);
        if (!display)
            return symbols_no_memory(err);
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
        for (end = first; end < count && compare_hashes(&sorted[end], &sorted[first]) == 0; end++)
            symbols->by_name[end] = (struct named_symbol){sorted[end].hash, sorted[end].place};
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
    const struct hash_seed seed = hash_seed_new();
    symbols->hasher = (struct name_hasher){{seed.mask >> 4, seed.factor >> 4}};
    enum status status = STATUS_OK;
    if (sorted && symbols->by_name) {
        for (size_t i = 0; i < count; i++)
            sorted[i] =
                (struct name_place){.name = symbols->table.items[i].name, .place = (uint32_t)i};
        // From the last name in memory to the first, so that each byte of names that are ends of
        // others is read once.
        struct name_place last = {.name = NULL};
        qsort(sorted, count, sizeof *sorted, compare_starts);
        for (size_t i = 0; i < count; i++) {
            struct name_place *name = &sorted[i];
            size_t apart =
                last.name ? (size_t)((uintptr_t)last.name - (uintptr_t)name->name) : SIZE_MAX;
            size_t length = strnlen(name->name, apart);
            if (length < apart) // it ends before the last one begins
                last.hash = (struct name_hash){{0}}, last.length = 0;
            name->hash = name_hash_before(&symbols->hasher, name->name, length, last.hash);
            name->length = last.length + (uint32_t)length;
            symbols->table.items[name->place].name_length = name->length;
            last = *name;
        }
        qsort(sorted, count, sizeof *sorted, compare_names);
        status = index_sorted_names(symbols, sorted, err);
    } else {
        status = symbols_no_memory(err);
    }
    free(sorted);
    return status;
}

// --- Addresses ---

// Of symbols with the same address and size, those that reach further first, then functions, then
// table order.
static int compare_alternatives(const void *a_item, const void *b_item)
{
    const struct symbol *a = *(const struct symbol *const *)a_item;
    const struct symbol *b = *(const struct symbol *const *)b_item;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->reach != b->reach)
        return a->reach > b->reach ? -1 : 1;
    if (a->is_function != b->is_function)
        return a->is_function ? -1 : 1;
    return (a > b) - (a < b);
}

// Makes the best of the symbols with the same address and size stand for all of them.
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
        for (size_t i = 0; i < symbols->by_address.count; i++) {
            uint32_t *id = &symbols->by_address.ids[i];
            *id = *id < count ? answers[*id] : *id; // not of gaps
        }
    }
    free(sorted);
    free(answers);
    return has_room;
}

ORDER_BY(compare_starts_of_spans, struct address_span, start)

// Gives spans without a size the one that they name: up to the next start, as far as one of the
// symbols that start there reaches; nothing in a span that has a size.
static size_t bound_spans(const struct symbols *symbols, struct address_span *spans, size_t count)
{
    size_t kept = 0;
    uint64_t covered = 0; // the end of the spans so far that have a size; UINT64_MAX: all the rest
    qsort(spans, count, sizeof *spans, compare_starts_of_spans);
    for (size_t first = 0, end; first < count; first = end) {
        uint64_t start = spans[first].start, reach = 0;
        for (end = first; end < count && spans[end].start == start; end++) {
            const struct symbol *symbol = &symbols->table.items[spans[end].id];
            reach = u64_max(reach, symbol->reach);
            if (symbol->size)
                covered = u64_max(
                    covered, symbol->size > UINT64_MAX - start ? UINT64_MAX : start + symbol->size);
        }
        if (end < count)
            reach = u64_min(reach, spans[end].start - start);
        for (size_t i = first; i < end; i++) {
            struct address_span span = spans[i];
            bool has_size = span.size > 0;
            span.size = has_size ? span.size : reach;
            if (has_size || covered <= start)
                spans[kept++] = span;
        }
    }
    return kept;
}

static enum status index_addresses(struct symbols *symbols, struct error *err)
{
    struct address_span *spans = calloc(symbols->table.count, sizeof *spans);
    if (!spans)
        return symbols_no_memory(err);
    bool is_right = symbols->reading == SYMBOLS_RIGHT;
    uint64_t lowest = UINT64_MAX;
    size_t count = 0;
    for (size_t i = 0; i < symbols->table.count; i++)
        lowest = u64_min(lowest, symbols->table.items[i].address);
    for (size_t i = 0; i < symbols->table.count; i++) {
        const struct symbol *symbol = &symbols->table.items[i];
        if (is_right ? symbol->reach > 0 : symbol->address != lowest)
            spans[count++] = (struct address_span){symbol->address, symbol->size, (uint32_t)i};
    }
    if (is_right)
        count = bound_spans(symbols, spans, count);
    bool is_built = address_index_build(&symbols->by_address, spans, count,
                                        is_right ? ADDRESS_GAPS_UNNAMED : ADDRESS_GAPS_TO_NEAREST);
    free(spans);
    if (is_built && is_right)
        is_built = prefer_functions(symbols);
    return is_built ? STATUS_OK : symbols_no_memory(err);
}

// --- The whole ---

struct symbols *symbols_create(enum symbols_reading reading)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols)
        symbols->reading = reading, symbols->display_bytes_max = LIMIT_SYMBOL_DISPLAY_BYTES;
    return symbols;
}

bool symbols_want_name(const char *name)
{
    // $a $t $x $d, with anything after them, mark data and instruction sets.
    bool is_mark = name[0] == '$' && name[1] != 0 && strchr("atxd", name[1]);
    return name[0] != 0 && !is_mark;
}

bool symbols_add(struct symbols *symbols, const struct symbol *symbol)
{
    if (!VEC_ROOM(&symbols->table, 1))
        return false;
    struct symbol *added = &symbols->table.items[symbols->table.count++];
    *added = *symbol;
    added->display = symbol->name;
    return true;
}

enum status symbols_finish(struct symbols **out, struct symbols *symbols, enum status status,
                           struct error *err)
{
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

// --- Look-ups by name ---

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

// --- Look-ups by address ---

const struct symbol *symbols_by_address(const struct symbols *symbols, uint64_t address)
{
    uint32_t place;
    if (!address_index_find(&symbols->by_address, address, &place))
        return NULL;
    return &symbols->table.items[place];
}
