#include "elf/sframe_section.h"

#include "base/limits.h"
#include "elf/cfi.h"
#include "elf/sframe_rule.h"
#include "elf/symbols.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    // gas writes this for a register that it could not name.
    GAS_NO_REGISTER = 0x1fffffff,

    // Code is aligned to so many bytes at most. What is shorter, and neither a symbol nor call
    // frame information knows, is padding.
    ALIGNMENT_BYTES = 64,
};

struct extent {
    uint64_t start, end;
    uint64_t offset; // of the function's entry
    uint32_t section;
};

// A function as symbols or call frame information have it.
struct code {
    uint64_t start, end; // end: start for a symbol without a size
    const char *name;    // NULL: none
};

struct checker {
    const struct sframe_section *section;
    const struct sframe_witness *witness;
    struct sframe_figures *figures;
    VEC(, struct code) codes;
    void (*found)(void *self, const struct sframe_finding *finding);
    void *self;
    VEC(, struct extent) extents;
    uint64_t rows_left; // still to be read: functions that share rows must not take more time
    bool has_no_memory;
};

// One function with what its rows have shown so far.
struct walk {
    struct checker *checker;
    const struct sframe_table *table;
    const struct sframe_function *function;
    struct sframe_rule first, previous; // rules
    uint32_t previous_start;
};

static void find(struct checker *checker, enum sframe_finding_kind kind, uint64_t at,
                 const char *format, ...) PRINTF_LIKE(4, 5);

static void find(struct checker *checker, enum sframe_finding_kind kind, uint64_t at,
                 const char *format, ...)
{
    char text[256];
    va_list args;
    if (checker->has_no_memory) // without memory, findings would be wrong
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    checker->found(checker->self, &(struct sframe_finding){kind, at, text});
}

static void find_error(struct checker *checker, const struct error *err)
{
    find(checker, SFRAME_VIOLATION, err->offset, "%s", err->text);
}

const char *sframe_finding_name(unsigned kind)
{
    static const char *const names[] = {"violation", "defect", "difference", "gap"};
    return kind < ARRAY_COUNT(names) ? names[kind] : "?";
}

// The executable section that an address of a linked image is in; "" for none.
static const char *code_name(const struct checker *checker, uint64_t address)
{
    const struct sframe_code *code = sframe_code_at(checker->section, address);
    return code && !checker->section->is_object ? code->name : "";
}

// --- Tables --------------------------------------------------------------------------------------

static void check_header(struct checker *checker, const struct sframe_table *table)
{
    static const uint8_t known_flags[] = {0, 0x3, 0x7, 0x5};
    uint64_t at = table->offset;
    unsigned unknown = table->flags & ~known_flags[table->version];
    uint64_t index_end = sframe_entry_offset(table, table->function_count);
    if (unknown)
        find(checker, SFRAME_VIOLATION, at + 3, "flags 0x%x are not of version %u", unknown,
             table->version);
    if (table->functions > table->rows)
        find(checker, SFRAME_VIOLATION, at + 20, "functions begin after the rows");
    else if (index_end > table->rows)
        find(checker, SFRAME_VIOLATION, at + 24, "rows begin within the functions");
    else if (index_end < table->rows)
        find(checker, SFRAME_VIOLATION, at + 24, "%" PRIu64 " bytes between functions and rows",
             table->rows - index_end);
    if (table->abi == SFRAME_AMD64 && table->fixed_ra != -8)
        find(checker, SFRAME_VIOLATION, at + 6, "return address at CFA%+d, on AMD64 it is at CFA-8",
             table->fixed_ra);
    if (table->abi != SFRAME_AMD64 && table->fixed_ra != 0)
        find(checker, SFRAME_VIOLATION, at + 6, "a fixed place of the return address on %s",
             sframe_abi_name(table->abi));
    if (table->is_unlinked && !checker->section->is_object)
        find(checker, SFRAME_DEFECT, at,
             "an object's table, taken over by a linker that does not know the format");
    if (at > 0)
        find(checker, SFRAME_DEFECT, at,
             "one more table: the linker does not merge them, and most readers see only the first");
}

// Checks for bytes that belong to no table.
static void check_tail(struct checker *checker)
{
    const struct sframe_section *section = checker->section;
    uint64_t end = 0;
    for (size_t i = 0; i < section->tables.count; i++)
        end = u64_max(end, section->tables.items[i].end);
    for (uint64_t at = end; at < section->size_bytes; at++) {
        if (section->bytes[at] == 0)
            continue;
        find(checker, SFRAME_VIOLATION, at, "%" PRIu64 " bytes after the table that are not zero",
             section->size_bytes - at);
        return;
    }
}

// --- Rows ----------------------------------------------------------------------------------------

static void check_place(struct walk *walk, uint64_t at, const char *what,
                        const struct sframe_location *place)
{
    if (place->kind == SFRAME_SAME || place->base == SFRAME_CFA)
        return;
    if (place->base == GAS_NO_REGISTER)
        find(walk->checker, SFRAME_DEFECT, at,
             "%s from register 0x1fffffff: gas does so for an expression on another register than "
             "the frame pointer",
             what);
    else if (place->base >= sframe_registers(walk->table->abi)->count)
        find(walk->checker, SFRAME_VIOLATION, at, "%s from register %" PRIu32 ", which %s lacks",
             what, place->base, sframe_abi_name(walk->table->abi));
}

// Checks for known mistakes of tools, as far as a table alone shows them.
static void check_defects(struct walk *walk, const struct sframe_row *row,
                          const struct sframe_rule *rule)
{
    struct checker *checker = walk->checker;
    const struct sframe_registers *registers = sframe_registers(walk->table->abi);
    bool is_amd64 = walk->table->abi == SFRAME_AMD64;
    if (is_amd64 && walk->function->repeat_bytes && row->start == 0 &&
        rule->cfa.base == registers->sp && rule->cfa.offset == 16 &&
        strcmp(code_name(checker, walk->function->address), ".plt.got") == 0)
        find(checker, SFRAME_DEFECT, row->offset,
             "CFA at SP+16 in .plt.got, where nothing has been pushed: ld should say SP+8");
    if (is_amd64 && rule->ra.kind == SFRAME_MEMORY && rule->ra.base == SFRAME_CFA &&
        rule->ra.offset != walk->table->fixed_ra && row->word_shift == 0)
        find(checker, SFRAME_DEFECT, row->offset,
             "return address at CFA%+" PRId64 " in words of 1 byte: gas may have cut the offset",
             rule->ra.offset);
    if (walk->first.fp.kind == SFRAME_MEMORY && rule->fp.kind == SFRAME_MEMORY &&
        rule->fp.base == SFRAME_CFA && rule->cfa.base == registers->sp &&
        walk->previous.cfa.base == registers->sp && rule->cfa.offset < -rule->fp.offset)
        find(checker, SFRAME_DEFECT, row->offset,
             "frame pointer at CFA%+" PRId64 ", below the stack pointer: gas lets .cfi_restore go "
             "back to the first row",
             rule->fp.offset);
}

static void check_row(struct walk *walk, const struct sframe_row *row, uint32_t index)
{
    struct checker *checker = walk->checker;
    struct sframe_rule rule;
    struct error err;
    uint32_t limit =
        walk->function->repeat_bytes ? walk->function->repeat_bytes : walk->function->size_bytes;
    if (sframe_rule_resolve(walk->table, walk->function, row, &rule, &err) != STATUS_OK) {
        find_error(checker, &err);
        return;
    }
    if (index == 0 && row->start != 0)
        find(checker, SFRAME_VIOLATION, row->offset, "the first row begins at 0x%" PRIx32,
             row->start);
    if (index > 0 && row->start <= walk->previous_start)
        find(checker, SFRAME_VIOLATION, row->offset,
             "a row at 0x%" PRIx32 " after one at 0x%" PRIx32, row->start, walk->previous_start);
    if (row->start >= limit && walk->function->size_bytes)
        find(checker, SFRAME_VIOLATION, row->offset,
             "a row at 0x%" PRIx32 " of 0x%" PRIx32 " bytes", row->start, limit);
    if (sframe_is_mangled(row->info) && walk->table->abi > SFRAME_AARCH64_LITTLE)
        find(checker, SFRAME_VIOLATION, row->offset, "a signed return address on %s",
             sframe_abi_name(walk->table->abi));
    unsigned most = walk->function->is_flexible ? 6 : walk->table->abi == SFRAME_AMD64 ? 2 : 3;
    if (row->word_count > most)
        find(walk->checker, SFRAME_VIOLATION, row->offset, "%u words, where %u say everything",
             row->word_count, most);
    if (walk->function->is_flexible && row->word_count == 3)
        find(walk->checker, SFRAME_VIOLATION, row->offset, "padding with nothing after it");
    check_place(walk, row->offset, "CFA", &rule.cfa);
    check_place(walk, row->offset, "return address", &rule.ra);
    check_place(walk, row->offset, "frame pointer", &rule.fp);
    if (index == 0)
        walk->first = walk->previous = rule;
    check_defects(walk, row, &rule);
    walk->previous = rule;
    walk->previous_start = row->start;
}

// --- Functions -----------------------------------------------------------------------------------

static void check_rows(struct checker *checker, const struct sframe_table *table,
                       const struct sframe_function *function)
{
    struct walk walk = {.checker = checker, .table = table, .function = function};
    uint64_t at = function->rows;
    for (uint32_t i = 0; i < function->row_count; i++) {
        struct sframe_row row;
        struct error err;
        if (checker->rows_left == 0) {
            find(checker, SFRAME_VIOLATION, function->offset,
                 "functions share more rows than there is room for");
            return;
        }
        checker->rows_left--;
        if (sframe_row_read(table, function, at, &row, &err) != STATUS_OK) {
            find_error(checker, &err);
            return;
        }
        check_row(&walk, &row, i);
        at = sframe_row_end(&row);
    }
}

// Bits that must be clear.
static void check_unused(struct checker *checker, const struct sframe_table *table,
                         const struct sframe_function *function)
{
    uint64_t at = function->offset;
    if (table->version == 3) {
        uint64_t attribute = function->rows - SFRAME_ATTRIBUTE_BYTES;
        if (table->bytes[attribute + 2] & 0x40 || table->bytes[attribute + 3] & 0xe0)
            find(checker, SFRAME_VIOLATION, attribute + 2, "unused bits of the info bytes are set");
        return;
    }
    if (table->bytes[at + 16] & 0xc0)
        find(checker, SFRAME_VIOLATION, at + 16, "unused bits of the info byte are set");
    if (table->version == 2 && (table->bytes[at + 18] || table->bytes[at + 19]))
        find(checker, SFRAME_VIOLATION, at + 18, "padding that is not zero");
}

static void keep_extent(struct checker *checker, const struct sframe_function *function,
                        uint32_t section)
{
    if (function->size_bytes == 0)
        return;
    if (!VEC_ROOM(&checker->extents, 1)) {
        checker->has_no_memory = true;
        return;
    }
    checker->extents.items[checker->extents.count++] = (struct extent){
        function->address, function->address + function->size_bytes, function->offset, section};
}

static void check_function(struct checker *checker, const struct sframe_table *table,
                           uint32_t index)
{
    const struct sframe_section *section = checker->section;
    struct sframe_function function;
    struct error err;
    if (sframe_function_read(table, index, &function, &err) != STATUS_OK) {
        find_error(checker, &err);
        return;
    }
    uint32_t code = section->is_object ? section->code_sections[table->first_function + index] : 0;
    if (section->is_object && code == 0)
        find(checker, SFRAME_DEFECT, function.offset,
             "no relocation places this function: ld -r up to 2.44 does that");
    else if (!section->is_object && !sframe_is_code(section, function.address))
        find(checker, SFRAME_VIOLATION, function.offset, "0x%" PRIx64 " is not in the image's code",
             function.address);
    check_unused(checker, table, &function);
    check_rows(checker, table, &function);
    if (code != 0 || !section->is_object)
        keep_extent(checker, &function, code);
}

// --- Coverage ------------------------------------------------------------------------------------

ORDER_BY_2(compare_extents, struct extent, section, start)

// Of functions with one start, the longest first, of these one with a name.
static int compare_codes(const void *a_item, const void *b_item)
{
    const struct code *a = a_item, *b = b_item;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return (a->name == NULL) - (b->name == NULL);
}

// Gathers the functions that the image has by other sources, by their starts.
static void gather_codes(struct checker *checker)
{
    const struct sframe_witness *witness = checker->witness;
    size_t symbol_count = 0;
    const struct symbol *symbols =
        witness->symbols ? symbols_all(witness->symbols, &symbol_count) : NULL;
    size_t function_count = witness->cfi ? cfi_function_count(witness->cfi) : 0;
    if (checker->section->is_object)
        return;
    if (!VEC_ROOM(&checker->codes, symbol_count + function_count)) {
        checker->has_no_memory = true;
        return;
    }
    for (size_t i = 0; i < function_count; i++) {
        struct code code = {0};
        cfi_function_at(witness->cfi, i, &code.start, &code.end);
        checker->codes.items[checker->codes.count++] = code;
    }
    for (size_t i = 0; i < symbol_count; i++) {
        const struct symbol *symbol = &symbols[i];
        uint64_t end;
        if (symbol->is_function && sframe_code_at(checker->section, symbol->address) &&
            !__builtin_add_overflow(symbol->address, symbol->size, &end))
            checker->codes.items[checker->codes.count++] =
                (struct code){symbol->address, end, symbol->name};
    }
    if (checker->codes.count)
        qsort(checker->codes.items, checker->codes.count, sizeof *checker->codes.items,
              compare_codes);
    size_t kept = 0;
    for (size_t i = 0; i < checker->codes.count; i++) {
        struct code *code = &checker->codes.items[i];
        if (kept > 0 && checker->codes.items[kept - 1].start == code->start) {
            if (!checker->codes.items[kept - 1].name)
                checker->codes.items[kept - 1].name = code->name;
            continue;
        }
        checker->codes.items[kept++] = *code;
    }
    checker->codes.count = kept;
}

const char *sframe_witness_name(const struct sframe_witness *witness, uint64_t pc)
{
    const struct symbol *symbol =
        witness->symbols ? symbols_by_address(witness->symbols, pc) : NULL;
    return symbol ? symbol->name : NULL;
}

static void find_gap(struct checker *checker, const struct sframe_code *code, uint64_t from,
                     uint64_t to)
{
    if (from >= to)
        return;
    // The functions that begin in it, and one that reaches into it.
    const struct code *codes = checker->codes.items;
    size_t first, end;
    PARTITION_POINT(first, checker->codes.count, codes[middle].start < from);
    PARTITION_POINT(end, checker->codes.count, codes[middle].start < to);
    if (first > 0 && codes[first - 1].end > from)
        first--;
    bool knows_code = checker->codes.count > 0;
    if (first == end && knows_code && to - from < ALIGNMENT_BYTES) {
        checker->figures->padding_bytes += to - from;
        return;
    }
    const char *name = first < end ? codes[first].name : NULL;
    char others[48] = "";
    if (name && end - first > 1)
        snprintf(others, sizeof others, " and %zu more", end - first - 1);
    find(checker, SFRAME_GAP, from, "%" PRIu64 " bytes of %s without a function%s%.128s%s",
         to - from, *code->name ? code->name : "code", name ? ": " : "", name ? name : "", others);
}

// The first extent of the section that ends after an address.
static size_t first_behind(const struct checker *checker, uint32_t section, uint64_t address)
{
    const struct extent *extents = checker->extents.items;
    size_t first;
    PARTITION_POINT(first, checker->extents.count,
                    extents[middle].section < section ||
                        (extents[middle].section == section && extents[middle].end <= address));
    return first;
}

static void check_gaps(struct checker *checker, const struct sframe_code *code)
{
    uint32_t section = checker->section->is_object ? code->section : 0;
    uint64_t at = code->first;
    for (size_t i = first_behind(checker, section, at); i < checker->extents.count; i++) {
        const struct extent *extent = &checker->extents.items[i];
        if (extent->section != section || extent->start >= code->end)
            break;
        find_gap(checker, code, at, u64_max(at, extent->start));
        at = extent->end;
    }
    find_gap(checker, code, at, code->end);
}

// Counts the functions in a section's code, and those that the tables cover from end to end.
static void count_functions(struct checker *checker, const struct sframe_code *code)
{
    const struct code *codes = checker->codes.items;
    size_t first;
    PARTITION_POINT(first, checker->codes.count, codes[middle].start < code->first);
    for (size_t i = first; i < checker->codes.count && codes[i].start < code->end; i++) {
        if (codes[i].end == codes[i].start)
            continue;
        size_t run = first_behind(checker, 0, codes[i].start);
        checker->figures->functions++;
        checker->figures->covered_functions +=
            run < checker->extents.count && checker->extents.items[run].start <= codes[i].start &&
            checker->extents.items[run].end >= codes[i].end;
    }
}

static void check_coverage(struct checker *checker)
{
    const struct sframe_section *section = checker->section;
    bool only_plt = checker->extents.count > 0;
    if (checker->extents.count)
        qsort(checker->extents.items, checker->extents.count, sizeof *checker->extents.items,
              compare_extents);
    struct extent *extents = checker->extents.items;
    for (size_t i = 1; i < checker->extents.count; i++)
        if (extents[i].section == extents[i - 1].section && extents[i].start < extents[i - 1].end)
            find(checker, SFRAME_VIOLATION, extents[i].offset,
                 "0x%" PRIx64 " is in the function at 0x%" PRIx64 " as well", extents[i].start,
                 extents[i - 1].start);
    for (size_t i = 0; only_plt && i < checker->extents.count; i++)
        only_plt = strncmp(code_name(checker, checker->extents.items[i].start), ".plt", 4) == 0;
    // Joins those that touch, so that a look-up finds all that is covered without a break.
    size_t runs = 0;
    for (size_t i = 0; i < checker->extents.count; i++) {
        struct extent *last = runs > 0 ? &extents[runs - 1] : NULL;
        if (last && last->section == extents[i].section && last->end >= extents[i].start)
            last->end = u64_max(last->end, extents[i].end);
        else
            extents[runs++] = extents[i];
    }
    checker->extents.count = runs;
    if (only_plt && !section->is_object)
        find(checker, SFRAME_DEFECT, 0,
             "only PLTs are described: ld leaves out inputs of other versions");
    for (size_t i = 0; i < section->code.count; i++) {
        bool has_sections = section->code.items[0].section != 0;
        if (has_sections && strncmp(section->code.items[i].name, ".text", 5) != 0)
            continue;
        count_functions(checker, &section->code.items[i]);
        check_gaps(checker, &section->code.items[i]);
    }
}

bool sframe_check(const struct sframe_section *section, const struct sframe_witness *witness,
                  void (*found)(void *self, const struct sframe_finding *finding), void *self,
                  struct sframe_figures *figures)
{
    *figures = (struct sframe_figures){0};
    struct checker checker = {
        .section = section,
        .witness = witness,
        .figures = figures,
        .found = found,
        .self = self,
        .rows_left = LIMIT_SFRAME_ROWS_PER_BYTE * section->size_bytes,
    };
    for (size_t i = 0; i < section->tables.count; i++) {
        const struct sframe_table *table = &section->tables.items[i];
        check_header(&checker, table);
        uint64_t last = 0, rows = 0;
        bool is_sorted = true;
        for (uint32_t k = 0; k < table->function_count; k++) {
            struct sframe_function function;
            uint64_t start = sframe_start_address(table, k);
            is_sorted &= start >= last;
            last = start;
            check_function(&checker, table, k);
            if (sframe_function_read(table, k, &function, NULL) == STATUS_OK)
                rows += function.row_count;
        }
        if (table->flags & SFRAME_SORTED && !is_sorted && !checker.section->is_object)
            find(&checker, SFRAME_VIOLATION, table->offset + 3,
                 "functions are not sorted as it says");
        if (rows != table->row_count)
            find(&checker, SFRAME_VIOLATION, table->offset + 12,
                 "%" PRIu32 " rows in the header, functions have %" PRIu64, table->row_count, rows);
    }
    check_tail(&checker);
    if (!checker.has_no_memory && !sframe_compare(section, witness, found, self, figures))
        checker.has_no_memory = true;
    gather_codes(&checker);
    check_coverage(&checker);
    free(checker.extents.items);
    free(checker.codes.items);
    return !checker.has_no_memory;
}
