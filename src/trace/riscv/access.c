#include "trace/riscv/access.h"

#include "arch/riscv/control.h"
#include "trace/lines/parsed_chunk.h"

#include "base/characters.h"

// How far behind the code of an instruction its registers stand: more text is not searched for them
// for each access, of which a line may have many.
#define RECORDS_BYTES 4096

static uint32_t take_number(const char **at, const char *end)
{
    uint32_t number = 0;
    for (; *at < end && is_digit(**at); (*at)++)
        number = (number * 10 + (uint32_t)(**at - '0')) % 100000;
    return number;
}

struct vector_type riscv_vector_type(struct text_span records)
{
    const char *end = records.end;
    for (const char *at = records.start; at + 2 < end; at++) {
        if (at[0] != ' ' || at[1] != 'e')
            continue;
        struct vector_type type = {0};
        at += 2;
        const uint32_t bits = take_number(&at, end);
        if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
            continue;
        type.element_bytes = bits / 8;
        if (end - at > 3 && at[0] == ' ' && at[1] == 'm') {
            const bool is_fraction = at[2] == 'f';
            at += 2 + is_fraction;
            const uint32_t group = take_number(&at, end);
            type.group_eighths = !is_fraction ? 8 * group : group ? 8 / group : 0;
            if (end - at > 2 && at[0] == ' ' && at[1] == 'l') {
                at += 2;
                type.count = take_number(&at, end);
            }
        }
        return type;
    }
    return (struct vector_type){0};
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

// The loads of a line, all of which are equally long, and one of them.
struct vector_loads {
    uint32_t number, count; // of the loads before it; of all
    // How far behind the first one it reads, and the last one: as far as their low digits show.
    uint64_t distance, span;
};

static uint64_t address_in(const char *load, ptrdiff_t bytes)
{
    uint64_t address = 0;
    for (const char *digit = load + strlen(" mem 0x"); digit < load + bytes; digit++)
        address = address << 4 | digit_of(*digit);
    return address;
}

// `behind`: the text between the code of the instruction and the access; `rest`: from the access to
// the end of the line. False: they are not equally long.
static bool count_loads(struct text_span behind, struct text_span rest, struct vector_loads *loads)
{
    const char *next = rest.start + 1; // behind a blank
    next = memchr(next, ' ', (size_t)(rest.end - next));
    next = next ? memchr(next + 1, ' ', (size_t)(rest.end - next - 1)) : NULL;
    const ptrdiff_t bytes = (next ? next : rest.end) - rest.start;
    const char *first = memmem(behind.start, (size_t)(rest.start - behind.start), " mem ", 5);
    if (!first)
        first = rest.start;
    if ((rest.start - first) % bytes || (rest.end - first) % bytes)
        return false;
    const uint64_t begin = address_in(first, bytes);
    *loads = (struct vector_loads){
        .number = (uint32_t)((rest.start - first) / bytes),
        .count = (uint32_t)((rest.end - first) / bytes),
        .distance = address_in(rest.start, bytes) - begin,
        .span = address_in(rest.end - bytes, bytes) - begin,
    };
    return true;
}

// The value of the element that an access of a vector load read, if it is clear which one that is.
// There are as many accesses as elements, or, as a mask leaves some out, the first and the last of
// consecutive elements are there. (A load that is resumed has fewer.) Segments are read one after
// the other, with an element of each field.
static void take_element(uint32_t code, const struct riscv_form *form, struct text_span behind,
                         struct text_span rest, uint32_t first_register, struct line_memory *memory)
{
    enum { UNIT_STRIDE = 0, PLAIN = 0, WHOLE = 8, MASK = 11, FAULT_ONLY_FIRST = 16 };
    const bool is_reserved = code >> 28 & 1;
    const uint32_t mode = code >> 26 & 3, variant = mode == UNIT_STRIDE ? code >> 20 & 31 : PLAIN;
    const uint32_t size_bytes = memory->size_bytes;
    const bool is_whole = variant == WHOLE; // registers, one after the other, whatever their type
    const uint32_t fields = is_whole ? 1 : (code >> 29) + 1;
    const struct vector_type type = riscv_vector_type(behind);
    struct vector_loads loads;
    if (is_reserved || !type.group_eighths || rest.end - rest.start < 2 ||
        (variant != PLAIN && !is_whole && variant != MASK && variant != FAULT_ONLY_FIRST) ||
        !count_loads(behind, rest, &loads))
        return;
    const uint32_t group =
        is_whole ? 1
                 : (uint32_t)u64_max(type.group_eighths * size_bytes / type.element_bytes / 8, 1);
    struct text_span value = form->value(behind, 'v', first_register, false);
    const uint32_t in_register = (uint32_t)(value.end - value.start) / 2 / size_bytes;
    const uint32_t elements = is_whole          ? ((code >> 29) + 1) * in_register
                              : variant == MASK ? (type.count + 7) / 8
                                                : type.count * fields;
    if (!in_register)
        return;
    if (loads.count != elements) {
        if (mode != UNIT_STRIDE || loads.distance % size_bytes ||
            loads.span != (uint64_t)(elements - 1) * size_bytes || loads.distance > loads.span)
            return;
        loads.number = (uint32_t)(loads.distance / size_bytes);
    }
    const uint32_t element = loads.number / fields;
    const uint32_t first = first_register + loads.number % fields * group;
    value = form->value(behind, 'v', first + element / in_register, false);
    const ptrdiff_t above = 2 * (ptrdiff_t)(element % in_register * size_bytes);
    if (value.end - value.start < above)
        return;
    value.end -= above;
    (void)take_value(value, size_bytes, memory);
}

bool riscv_fill_access(uint32_t code, bool is_64, const struct riscv_form *form,
                       struct text_span behind, struct text_span rest, struct line_memory *memory)
{
    static const char files[] = {[RISCV_X] = 'x', [RISCV_F] = 'f', [RISCV_V] = 'v'};
    const struct riscv_access access = riscv_access(code, is_64 ? RISCV_64 : RISCV_32);
    uint32_t size_bytes = access.size_bytes;
    if (access.kind != RISCV_NO_ACCESS && !size_bytes)
        size_bytes = riscv_vector_type(behind).element_bytes;
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
    if (access.file == RISCV_V && !form->hides_direction)
        take_element(code, form, behind, rest, access.number, memory);
    if (access.is_multiple || access.file == RISCV_V)
        return true; // which of several registers has which value is not shown
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
    const char *chunk_end = place->chunk->data + place->chunk->size_bytes;
    const char *newline = memchr(place->start, '\n', (size_t)(chunk_end - place->start));
    const struct text_span rest = {place->start,
                                   line_trim(place->start, newline ? newline : chunk_end)};
    if (behind.end - behind.start > RECORDS_BYTES)
        behind.end = behind.start + RECORDS_BYTES;
    if (behind.start > behind.end)
        return true;
    const uint32_t encoding = mark_encoding(mark, place->chunk);
    const bool is_64 = mark_isa(mark) == ISA_AARCH64;
    struct line_memory access = *memory;
    if (!riscv_fill_access(encoding, is_64, form, behind, rest, &access))
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
