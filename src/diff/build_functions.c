#include "diff/build_functions.h"

#include "base/characters.h"

#include <stdlib.h>

// --- Names ---------------------------------------------------------------------------------------

// What compilers append, after a dot and before numbers: GCC's clones and parts, LLVM's promoted
// and unique names. In a demangled name they stand as " [clone .constprop.0]".
static const struct {
    const char *word;
    bool is_part;
} endings[] = {
    {"constprop", false}, {"isra", false},       {"part", true},
    {"cold", true},       {"lto_priv", false},   {"llvm", false},
    {"clone", false},     {"localalias", false}, {"__uniq", false},
};

// The length of a name of `length` characters without its last ending; the same if it has none.
static size_t without_ending(const char *name, size_t length, bool *is_part)
{
    size_t end = length, dot;
    while (end && (name[end - 1] == '.' || is_digit(name[end - 1])))
        end--;
    for (dot = end; dot && name[dot - 1] != '.';)
        dot--;
    if (dot < 2) // nothing would be left
        return length;
    for (size_t i = 0; i < ARRAY_COUNT(endings); i++) {
        const char *word = endings[i].word;
        if (strlen(word) == end - dot && memcmp(name + dot, word, end - dot) == 0) {
            *is_part |= endings[i].is_part;
            return dot - 1;
        }
    }
    return length;
}

// Likewise without a number after a mark.
static size_t without_number(const char *name, size_t length, const char mark[3])
{
    size_t hex = length;
    while (hex && (is_digit(name[hex - 1]) || (name[hex - 1] >= 'a' && name[hex - 1] <= 'f')))
        hex--;
    return hex < length && hex > 3 && memcmp(name + hex - 3, mark, 3) == 0 ? hex - 3 : length;
}

size_t build_name_length(const char *name, bool *is_part)
{
    static const char clone[] = " [clone ";
    size_t length = without_number(name, strlen(name), "+0x"); // an offset
    length = without_number(name, length, "@0x");              // tells namesakes apart
    *is_part = false;
    for (;;) {
        bool is_bracketed = length && name[length - 1] == ']';
        size_t start = length;
        while (is_bracketed && start && strncmp(name + start - 1, clone, sizeof clone - 1) != 0)
            start--;
        if (is_bracketed && !start)
            return length;
        size_t less = without_ending(name, length - is_bracketed, is_part);
        if (less == length - is_bracketed)
            return length;
        length = is_bracketed ? start - 1 : less;
    }
}

// --- Functions -----------------------------------------------------------------------------------

void build_functions_free(struct build_functions *functions)
{
    source_lines_free(&functions->lines);
    arena_free(&functions->arena);
    free(functions->items.items);
    hash_index_free(&functions->by_pc);
    hash_index_free(&functions->by_name);
}

void build_function_place(struct build_functions *functions, uint32_t number)
{
    struct build_function *function = &functions->items.items[number];
    struct source_location place;
    if (function->has_place)
        return;
    function->has_place = true;
    if (source_lines_find(&functions->lines, functions->names, function->pc, &place)) {
        function->file = place.file;
        function->line = place.line;
    }
}

// Whether two functions of one name are the same: unless the compiler appended something, there is
// one of them, or there are several in as many files.
static bool is_same(struct build_functions *functions, uint32_t first, uint32_t number)
{
    build_function_place(functions, first);
    build_function_place(functions, number);
    const struct build_function *a = &functions->items.items[first],
                                *b = &functions->items.items[number];
    return !a->file || !b->file || strcmp(a->file, b->file) == 0;
}

uint32_t build_function_at(struct build_functions *functions, uint64_t pc)
{
    const struct build_function *items = functions->items.items;
    uint64_t hash = hash_key(hash_index_seed(&functions->by_pc), pc);
    uint32_t number, first;
    HASH_INDEX_FIND(number, &functions->by_pc, hash, items[candidate].pc == pc);
    if (number != HASH_INDEX_NONE)
        return number;
    number = (uint32_t)functions->items.count;
    if (number >= HASH_INDEX_NONE - 1 || !VEC_ROOM(&functions->items, 1))
        return UINT32_MAX;
    struct build_function *function = &functions->items.items[number];
    const char *name = names_of(functions->names, pc);
    *function = (struct build_function){.pc = pc, .first = number, .name = name};
    size_t length = build_name_length(name, &function->is_part);
    if (name[length])
        function->name = arena_copy_string(&functions->arena, name, length);
    if (!function->name || !hash_index_add(&functions->by_pc, hash, number))
        return UINT32_MAX;
    functions->items.count++;
    if (!*function->name)
        return number;
    items = functions->items.items;
    hash = hash_text(hash_index_seed(&functions->by_name), 0, function->name);
    HASH_INDEX_FIND(first, &functions->by_name, hash,
                    strcmp(items[candidate].name, function->name) == 0 &&
                        is_same(functions, candidate, number));
    if (first == HASH_INDEX_NONE)
        return hash_index_add(&functions->by_name, hash, number) ? number : UINT32_MAX;
    function->first = first;
    return number;
}

// --- Contexts ------------------------------------------------------------------------------------

bool build_functions_fold(struct build_functions *functions, struct context_tree *tree,
                          const uint32_t *roots, size_t root_count)
{
    struct context_node *nodes = tree->nodes.items;
    for (size_t i = 0; i < root_count; i++) {
        for (uint32_t at = roots[i]; at != CONTEXT_NONE;
             at = context_tree_next(tree, roots[i], at, false)) {
            uint32_t number = build_function_at(functions, nodes[at].pc);
            if (number == UINT32_MAX)
                return false;
            const struct build_function *function = &functions->items.items[number];
            nodes[at].pc = functions->items.items[function->first].pc;
            // Its parent was folded before it.
            if (function->is_part && at != roots[i] && nodes[nodes[at].parent].pc == nodes[at].pc)
                nodes[at].count = 0;
        }
    }
    return true;
}
