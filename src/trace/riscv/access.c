#include "trace/riscv/access.h"

#include "arch/riscv/control.h"
#include "trace/lines/parsed_chunk.h"

// How far behind the code of an instruction its registers stand: more text is not looked at for
// each access, of which a line may have many.
#define RECORDS_BYTES 4096

// The digits of a register's value among the records of a line: " x5  0x0000000080000000". NULL:
// it is not among them.
static struct text_span value_of(struct text_span records, char file, unsigned number)
{
    const char *at = records.start, *end = records.end;
    while (at < end) {
        while (at < end && *at == ' ')
            at++;
        const char *word = at;
        while (at < end && *at != ' ')
            at++;
        if (at - word == 3 && memcmp(word, "mem", 3) == 0)
            break; // registers stand before accesses
        if (at == word || *word != file)
            continue;
        const char *digit = word + 1;
        if (digit == at) { // "x 5"
            while (at < end && *at == ' ')
                at++;
            digit = at;
            while (at < end && *at != ' ')
                at++;
        }
        unsigned found = 0;
        const char *digits = digit;
        for (; digit < at && *digit >= '0' && *digit <= '9' && digit - digits < 2; digit++)
            found = found * 10 + (unsigned)(*digit - '0');
        if (digit == digits || digit != at || found != number)
            continue;
        while (at < end && *at == ' ')
            at++;
        const char *value = at;
        while (at < end && *at != ' ')
            at++;
        if (at - value > 2 && value[0] == '0' && value[1] == 'x')
            return (struct text_span){value + 2, at};
    }
    return (struct text_span){NULL, NULL};
}

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

bool riscv_fill_access(uint32_t code, bool is_64, struct text_span behind,
                       struct line_memory *memory)
{
    static const char files[] = {[RISCV_X] = 'x', [RISCV_F] = 'f', [RISCV_V] = 'v'};
    const struct riscv_access access = riscv_access(code, is_64 ? RISCV_64 : RISCV_32);
    uint32_t size_bytes = access.size_bytes;
    if (access.kind != RISCV_NO_ACCESS && !size_bytes)
        size_bytes = element_bytes(behind);
    if (!memory->is_read) { // a value as wide as a register: what is stored is its lowest bytes
        if (size_bytes && size_bytes < memory->size_bytes) {
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
    const struct text_span value = value_of(behind, files[access.file], access.number);
    if (value.end - value.start < 2 * (ptrdiff_t)size_bytes || size_bytes > 8)
        return true;
    memory->value = (struct text_span){value.end - 2 * (ptrdiff_t)size_bytes, value.end};
    memory->second = (struct text_span){value.end, value.end};
    memory->is_known = true;
    return true;
}

bool riscv_add_access(struct lane_part *part, const struct line_memory *memory,
                      const struct line_extent *place, const struct parse_options *options)
{
    const uint32_t last = part->marks.last_instruction;
    const struct mark *mark = last == NO_MARK ? NULL : &part->marks.items[last];
    struct line_memory access = *memory;
    if (!mark || mark->line != place->number)
        return true; // the instruction is of a hart that is left out
    const char *line = place->chunk->data + mark->position;
    const char *code = line + mark->summary.encoding_column;
    struct text_span behind = {code + (mark->summary.size < 4 ? 4 : 8) + 1, place->start};
    if (behind.end - behind.start > RECORDS_BYTES)
        behind.end = behind.start + RECORDS_BYTES;
    return behind.start > behind.end ||
           !riscv_fill_access(mark_encoding(mark, place->chunk), mark_isa(mark) == ISA_AARCH64,
                              behind, &access) ||
           records_add_access(&part->records, &access, place->number, marks_bank(&part->marks),
                              &options->records);
}
