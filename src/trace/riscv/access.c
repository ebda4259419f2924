#include "trace/riscv/access.h"

#include "arch/riscv/control.h"
#include "trace/lines/parsed_chunk.h"

// How far behind the code of an instruction its registers stand: more text is not looked at for
// each access, of which a line may have many.
#define RECORDS_BYTES 4096

// The size of elements that a line names: " e32 m2 l8". 0: it names none.
static uint32_t element_bytes(struct text_span records)
{
    for (const char *at = records.start; at + 2 < records.end; at++) {
        unsigned bits = 0;
        if (at[0] != ' ' || at[1] != 'e')
            continue;
        for (const char *digit = at + 2; digit < records.end && *digit >= '0' && *digit <= '9';
             digit++)
            bits = (bits * 10 + (unsigned)(*digit - '0')) % 10000;
        if (bits == 8 || bits == 16 || bits == 32 || bits == 64)
            return bits / 8;
    }
    return 0;
}

// The lowest bytes of a value that is as wide as a register. False: it has fewer.
static bool take_value(struct text_span value, uint32_t size_bytes, struct line_memory *memory)
{
    if (value.end - value.start < 2 * (ptrdiff_t)size_bytes || size_bytes > 8)
        return false;
    memory->value = (struct text_span){value.end - 2 * (ptrdiff_t)size_bytes, value.end};
    memory->second = (struct text_span){value.end, value.end};
    memory->is_known = true;
    return true;
}

bool riscv_fill_access(uint32_t code, bool is_64, const struct riscv_form *form,
                       struct text_span behind, struct line_memory *memory)
{
    static const char files[] = {[RISCV_X] = 'x', [RISCV_F] = 'f', [RISCV_V] = 'v'};
    const struct riscv_access access = riscv_access(code, is_64 ? RISCV_64 : RISCV_32);
    uint32_t size_bytes = access.size_bytes;
    if (access.kind != RISCV_NO_ACCESS && !size_bytes)
        size_bytes = element_bytes(behind);
    if (form->hides_direction) {
        memory->is_read = access.kind == RISCV_LOAD;
        size_bytes = size_bytes ? size_bytes : memory->size_bytes;
        memory->size_bytes = size_bytes;
        if (access.kind == RISCV_NO_ACCESS || !size_bytes || size_bytes > 8)
            return false;
        if (!memory->is_read && !access.is_multiple && access.kind == RISCV_STORE &&
            access.file != RISCV_V)
            (void)take_value(form->value(behind, files[access.file], access.number, true),
                             size_bytes, memory);
    }
    if (!memory->is_read) { // a value as wide as a register: what is stored is its lowest bytes
        if (!form->hides_direction && size_bytes && size_bytes < memory->size_bytes) {
            memory->value.start = memory->value.end - 2 * (ptrdiff_t)size_bytes;
            memory->size_bytes = size_bytes;
        }
        return true;
    }
    memory->size_bytes = size_bytes;
    if (!size_bytes)
        return false;
    if (access.is_multiple || access.file == RISCV_V)
        return true; // which of its registers has which value is not shown
    (void)take_value(form->value(behind, files[access.file], access.number, false), size_bytes,
                     memory);
    return true;
}

bool riscv_add_access(struct lane_part *part, const struct line_memory *memory,
                      const struct line_extent *place, const struct parse_options *options)
{
    const struct riscv_form *form = riscv_form_of(options->how.dialect);
    const uint32_t last = part->marks.last_instruction;
    const struct mark *mark = last == NO_MARK ? NULL : &part->marks.items[last];
    if (!mark || mark->line != place->number)
        return true; // the instruction is of a hart that is left out
    const char *line = place->chunk->data + mark->position;
    const char *code = line + mark->summary.encoding_column;
    struct text_span behind = {code + (mark->summary.size < 4 ? 4 : 8) + 1, place->start};
    if (behind.end - behind.start > RECORDS_BYTES)
        behind.end = behind.start + RECORDS_BYTES;
    if (behind.start > behind.end)
        return true;
    const uint32_t encoding = mark_encoding(mark, place->chunk);
    const bool is_64 = mark_isa(mark) == ISA_AARCH64;
    struct line_memory access = *memory;
    if (!riscv_fill_access(encoding, is_64, form, behind, &access))
        return true;
    if (!records_add_access(&part->records, &access, place->number, marks_bank(&part->marks),
                            &options->records))
        return false;
    // An atomic operation of which only the address is shown loads, too.
    const bool is_both = form->hides_direction &&
                         riscv_access(encoding, is_64 ? RISCV_64 : RISCV_32).kind == RISCV_ATOMIC;
    access.is_read = true;
    return !is_both || records_add_access(&part->records, &access, place->number,
                                          marks_bank(&part->marks), &options->records);
}
