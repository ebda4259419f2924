// Compares the rules of SFrame tables with the call frame information of the same image.
//
// Both describe the same code, and come from the same directives of the assembler, so that each
// difference is a mistake of the assembler, a linker, or of a tool that changed one of the two. The
// rows of both are walked in step, function by function of .eh_frame: n log n in all. What only one
// of them can say (a place that is an expression, a lost frame pointer) is no difference. The CFA
// of a PLT is an expression even in plain code: it is evaluated with a made-up stack pointer.
#include "elf/sframe_section.h"

#include "base/limits.h"
#include "elf/cfi.h"
#include "elf/cfi_expression.h"
#include "elf/sframe_flat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TEXTS_KEPT = 16, // different ones in one function; more count as the last
    // An expression may have another value at each PC: so many are tried, then only the last one.
    PCS_TRIED = 64,
};

// Unlikely as an address, and far from wrapping.
static const uint64_t MADE_UP_SP = UINT64_C(0x5a5a00000000);

struct difference {
    char text[2 * SFRAME_TEXT_MAX + 64];
    uint64_t first, bytes; // PC, and how many PCs
};

struct comparer {
    const struct sframe_section *section;
    const struct sframe_flat *flat;
    void (*found)(void *self, const struct sframe_finding *finding);
    void *self;
    struct sframe_figures *figures;
    uint64_t steps_left;
    uint64_t at; // PCs before it have been compared: functions may overlap
    struct difference differences[TEXTS_KEPT]; // of the current function
    unsigned difference_count;
};

static void note(struct comparer *comparer, uint64_t pc, uint64_t bytes, const char *text)
{
    unsigned i = 0;
    while (i < comparer->difference_count && strcmp(comparer->differences[i].text, text) != 0)
        i++;
    if (i == TEXTS_KEPT)
        i--;
    struct difference *difference = &comparer->differences[i];
    if (i == comparer->difference_count) {
        *difference = (struct difference){.first = pc};
        snprintf(difference->text, sizeof difference->text, "%s", text);
        comparer->difference_count++;
    }
    difference->bytes += bytes;
}

// --- One rule beside one row ---------------------------------------------------------------------

// For an expression: only the stack pointer and the PC have values.
struct made_up {
    uint64_t pc;
    const struct sframe_registers *registers;
};

static bool read_register(void *self, uint64_t number, uint64_t *value)
{
    const struct made_up *made_up = self;
    *value = number == made_up->registers->sp ? MADE_UP_SP : made_up->pc;
    return number == made_up->registers->sp || number == made_up->registers->ra_column;
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    (void)self, (void)address, (void)size_bytes, (void)value;
    return false;
}

// The place of a row as a table can say it. False: it cannot.
static bool take_place(const struct frame_row *row, const struct frame_location *from,
                       const struct made_up *made_up, struct sframe_location *to)
{
    switch (from->kind) {
    case FRAME_UNSAID:
    case FRAME_SAME:
        *to = (struct sframe_location){0};
        return true;
    case FRAME_MEMORY:
        *to = (struct sframe_location){from->offset, SFRAME_CFA, SFRAME_MEMORY};
        return true;
    case FRAME_VALUE:
        *to = (struct sframe_location){from->offset, SFRAME_CFA, SFRAME_VALUE};
        return true;
    case FRAME_REGISTER:
        *to = (struct sframe_location){from->offset, from->base, SFRAME_VALUE};
        return true;
    case FRAME_VALUE_EXPRESSION: {
        struct cfi_expression expression = {row->expressions + from->offset, from->length, 8,
                                            row->is_big_endian};
        struct cfi_reader reader = {(void *)(uintptr_t)made_up, read_register, read_memory};
        uint64_t value;
        if (!cfi_expression_value(&expression, &reader, NULL, &value))
            return false;
        *to = (struct sframe_location){(int64_t)(value - MADE_UP_SP), made_up->registers->sp,
                                       SFRAME_VALUE};
        return true;
    }
    default:
        return false;
    }
}

static bool is_same_place(const struct sframe_location *a, const struct sframe_location *b)
{
    return a->kind == b->kind &&
           (a->kind == SFRAME_SAME || (a->base == b->base && a->offset == b->offset));
}

enum verdict { EQUAL, DIFFERENT, NOT_COMPARABLE };

// Compares them at one PC. The text names what differs: as the table has it, and as the row does.
static enum verdict compare_at(const struct comparer *comparer, const struct sframe_rule *rule,
                               const struct frame_row *row, uint64_t pc, char *text,
                               size_t text_bytes)
{
    unsigned abi = comparer->section->tables.items[0].abi;
    const struct sframe_registers *registers = sframe_registers(abi);
    const struct made_up made_up = {pc, registers};
    bool is_outermost = row->registers[row->ra].kind == FRAME_UNDEFINED;
    if (rule->kind == SFRAME_NO_ROWS || rule->kind == SFRAME_NO_ROWS_SIGNAL)
        return NOT_COMPARABLE;
    // Older versions cannot say that there is no return address.
    if (is_outermost && comparer->section->tables.items[0].version < 3)
        return NOT_COMPARABLE;
    if (is_outermost != (rule->kind == SFRAME_OUTERMOST)) {
        snprintf(text, text_bytes, "return address %s, %s", is_outermost ? "known" : "undefined",
                 is_outermost ? "undefined" : "known");
        return DIFFERENT;
    }
    if (is_outermost)
        return EQUAL;
    if (row->is_signed != !!(rule->marks & SFRAME_MARK_MANGLED)) {
        snprintf(text, text_bytes, "return address %s, %s", row->is_signed ? "plain" : "signed",
                 row->is_signed ? "signed" : "plain");
        return DIFFERENT;
    }
    const struct {
        const char *name;
        const struct frame_location *theirs;
        const struct sframe_location *ours;
    } places[] = {
        {"CFA", &row->cfa, &rule->cfa},
        {"return address", &row->registers[row->ra], &rule->ra},
        {"frame pointer", &row->registers[registers->fp], &rule->fp},
    };
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        struct sframe_location theirs;
        if (places[i].theirs->kind == FRAME_UNDEFINED) // nothing depends on it
            continue;
        if (!take_place(row, places[i].theirs, &made_up, &theirs))
            return NOT_COMPARABLE;
        if (is_same_place(&theirs, places[i].ours))
            continue;
        char a[SFRAME_TEXT_MAX], b[SFRAME_TEXT_MAX];
        sframe_location_text(a, abi, places[i].ours, i == 0);
        sframe_location_text(b, abi, &theirs, i == 0);
        snprintf(text, text_bytes, "%s %s, %s", places[i].name, a, b);
        return DIFFERENT;
    }
    return EQUAL;
}

// Compares a row with the rules of its PCs.
static void take_row(void *self, const struct frame_row *row)
{
    struct comparer *comparer = self;
    uint64_t next;
    for (uint64_t pc = u64_max(row->start, comparer->at); pc < row->end && comparer->steps_left;
         pc = next) {
        const struct sframe_rule *rule = sframe_flat_range(comparer->flat, pc, &next);
        next = u64_min(next, row->end);
        comparer->steps_left--;
        if (rule->kind == SFRAME_MISS) // sframe_check.c reports gaps
            continue;
        char text[sizeof comparer->differences->text];
        bool has_expression = row->cfa.kind == FRAME_VALUE_EXPRESSION;
        for (uint64_t tried = pc, end; tried < next; tried = end) {
            end = has_expression && tried - pc < PCS_TRIED ? tried + 1 : next;
            switch (compare_at(comparer, rule, row, end - 1, text, sizeof text)) {
            case DIFFERENT:
                note(comparer, tried, end - tried, text);
                comparer->figures->compared_bytes += end - tried;
                break;
            case EQUAL:
                comparer->figures->compared_bytes += end - tried;
                break;
            default:
                break;
            }
        }
    }
    comparer->at = u64_max(comparer->at, row->end);
}

// --- All functions -------------------------------------------------------------------------------

static void tell(struct comparer *comparer, const char *section, const char *function)
{
    for (unsigned i = 0; i < comparer->difference_count; i++) {
        const struct difference *difference = &comparer->differences[i];
        char text[sizeof difference->text + 256];
        snprintf(text, sizeof text, "%" PRIu64 " byte%s%s%.128s: %s by %s", difference->bytes,
                 difference->bytes == 1 ? "" : "s", function ? " of " : "",
                 function ? function : "", difference->text, section);
        comparer->found(comparer->self,
                        &(struct sframe_finding){SFRAME_DIFFERENCE, difference->first, text});
    }
}

static void drop_fault(void *self, const struct error *err)
{
    (void)self, (void)err; // sframe_check.c finds it again
}

bool sframe_compare(const struct sframe_section *section, const struct sframe_witness *witness,
                    void (*found)(void *self, const struct sframe_finding *finding), void *self,
                    struct sframe_figures *figures)
{
    struct sframe_flat flat = {.map.fd = -1};
    struct error err;
    if (!witness->cfi || section->is_object || section->tables.count == 0)
        return true;
    enum status status =
        sframe_flat_build(&flat, section, 0, &(struct sframe_faults){NULL, drop_fault}, &err);
    if (status != STATUS_OK) {
        sframe_flat_free(&flat);
        return status != STATUS_MEMORY;
    }
    uint64_t bytes_left = LIMIT_SFRAME_COMPARED_PER_BYTE * witness->image_bytes;
    struct comparer comparer = {
        .section = section,
        .flat = &flat,
        .found = found,
        .self = self,
        .figures = figures,
        .steps_left = bytes_left,
    };
    for (size_t i = 0, count = cfi_function_count(witness->cfi); i < count; i++) {
        uint64_t start, end;
        cfi_function_at(witness->cfi, i, &start, &end);
        comparer.difference_count = 0;
        if (end > comparer.at &&
            !cfi_function_rows(witness->cfi, i, &bytes_left, take_row, &comparer))
            figures->unread_functions++;
        if (comparer.difference_count)
            tell(&comparer, cfi_function_section(witness->cfi, i),
                 sframe_witness_name(witness, start));
    }
    sframe_flat_free(&flat);
    return true;
}
