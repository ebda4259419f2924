#include "elf/exidx.h"

#include "elf/image.h"
#include "elf/image_extents.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

enum {
    ENTRY_BYTES = 8,
    CANNOT_UNWIND = 1,
    INSTRUCTIONS_MAX = 3 + 4 * 255,
    SP = 13,
    LR = 14,
    PC = 15,
};

struct exidx {
    const struct image *image;
    struct image_extents extents;
    uint8_t *table;
    size_t count;
    uint64_t address; // of the table
};

// --- Unwind instructions -------------------------------------------------------------------------

// The virtual stack pointer is a register plus an offset. Until the end, places of registers are
// relative to that register.
struct interpretation {
    const uint8_t *at, *end;
    struct frame_row *row;
    int64_t offset;
    bool has_popped, has_popped_sp;
    enum exidx_kind kind; // what stopped it; EXIDX_ROW: nothing
};

static uint8_t next_byte(struct interpretation *of)
{
    if (of->at == of->end) {
        of->kind = EXIDX_DAMAGED;
        return 0;
    }
    return *of->at++;
}

static void move_sp(struct interpretation *of, int64_t bytes)
{
    if (of->has_popped_sp)
        of->kind = EXIDX_UNSUPPORTED;
    of->offset += bytes;
}

// Pops the registers from `first` up whose bits are set.
static void pop(struct interpretation *of, unsigned first, uint32_t mask)
{
    for (unsigned number = first; mask; number++, mask >>= 1) {
        if (!(mask & 1))
            continue;
        of->row->registers[number] =
            (struct frame_location){.kind = FRAME_MEMORY, .offset = of->offset};
        move_sp(of, 4);
    }
    of->has_popped = true;
    of->has_popped_sp |= of->row->registers[SP].kind == FRAME_MEMORY;
}

static void set_sp(struct interpretation *of, unsigned number)
{
    if (number == SP || number == PC)
        of->kind = EXIDX_DAMAGED; // reserved
    else if (of->has_popped)
        of->kind = EXIDX_UNSUPPORTED;
    of->row->cfa.base = (uint16_t)number;
    of->offset = 0;
}

static void move_far(struct interpretation *of)
{
    uint64_t value = 0;
    for (unsigned shift = 0; of->kind == EXIDX_ROW; shift += 7) {
        uint8_t byte = next_byte(of);
        if (shift > 28)
            of->kind = EXIDX_DAMAGED; // beyond 32 bits
        else
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    move_sp(of, 0x204 + (int64_t)(value << 2));
}

// Reads a second byte: four bits that are 0, and four that stand for registers.
static uint32_t four_registers(struct interpretation *of)
{
    uint8_t mask = next_byte(of);
    if (mask == 0 || mask > 0x0f)
        of->kind = EXIDX_DAMAGED; // spare
    return mask & 0x0f;
}

// Pops registers of 8 bytes: as many as the low half of the next byte says, plus one.
static void pop_wide(struct interpretation *of, int64_t more_bytes)
{
    move_sp(of, 8 * ((next_byte(of) & 0x0f) + 1) + more_bytes);
}

// 1011xxxx
static void run_b(struct interpretation *of, uint8_t code)
{
    if (code >= 0xb8) { // FSTMFDX d8 and up
        move_sp(of, 8 * ((code & 7) + 1) + 4);
        return;
    }
    switch (code) {
    case 0xb0: // finish
        of->at = of->end;
        break;
    case 0xb1:
        pop(of, 0, four_registers(of));
        break;
    case 0xb2:
        move_far(of);
        break;
    case 0xb3: // FSTMFDX
        pop_wide(of, 4);
        break;
    case 0xb4: // the signature of the return address
        move_sp(of, 4);
        break;
    case 0xb5: // what it was signed with: the modifier
        break;
    default:
        of->kind = EXIDX_DAMAGED;
    }
}

// 11xxxxxx
static void run_c(struct interpretation *of, uint8_t code)
{
    if (code <= 0xc5 || (code >= 0xd0 && code <= 0xd7)) { // iWMMXt wR10 and up; d8 and up
        move_sp(of, 8 * ((code & 7) + 1));
        return;
    }
    switch (code) {
    case 0xc6: // iWMMXt
    case 0xc8: // d16 and up
    case 0xc9: // d0 and up
        pop_wide(of, 0);
        break;
    case 0xc7: // iWMMXt control registers
        move_sp(of, 4 * __builtin_popcount(four_registers(of)));
        break;
    default:
        of->kind = EXIDX_DAMAGED;
    }
}

static void run_one(struct interpretation *of)
{
    uint8_t code = next_byte(of);
    uint32_t mask;
    switch (code >> 4) {
    case 0x0:
    case 0x1:
    case 0x2:
    case 0x3:
        move_sp(of, ((code & 0x3f) << 2) + 4);
        break;
    case 0x4:
    case 0x5:
    case 0x6:
    case 0x7:
        move_sp(of, -(((code & 0x3f) << 2) + 4));
        break;
    case 0x8:
        mask = (uint32_t)(code & 0x0f) << 8 | next_byte(of);
        if (mask == 0)
            of->kind = of->kind == EXIDX_ROW ? EXIDX_CANNOT_UNWIND : of->kind;
        pop(of, 4, mask);
        break;
    case 0x9:
        set_sp(of, code & 0x0f);
        break;
    case 0xa:
        pop(of, 4, (2u << (code & 7)) - 1);
        if (code & 8)
            pop(of, LR, 1);
        break;
    case 0xb:
        run_b(of, code);
        break;
    default:
        run_c(of, code);
    }
}

enum exidx_kind exidx_run(const uint8_t *instructions, size_t count, struct frame_row *row)
{
    struct interpretation of = {.at = instructions, .end = instructions + count, .row = row};
    of.kind = EXIDX_ROW;
    memset(row->registers, 0, sizeof row->registers);
    row->cfa = (struct frame_location){.kind = FRAME_REGISTER, .base = SP};
    while (of.at < of.end && of.kind == EXIDX_ROW)
        run_one(&of);
    row->cfa.offset = of.offset;
    for (unsigned i = 0; i < FRAME_REGISTERS; i++)
        row->registers[i].offset -= row->registers[i].kind == FRAME_MEMORY ? of.offset : 0;
    row->ra = row->registers[PC].kind == FRAME_MEMORY ? PC : LR;
    row->is_sp_known = of.has_popped_sp;
    row->is_signal = row->is_signed = false;
    row->expressions = NULL;
    return of.kind;
}

// --- The table -----------------------------------------------------------------------------------

static uint32_t load_word(const struct exidx *exidx, const uint8_t *bytes)
{
    return (uint32_t)load_uint(bytes, 4, image_is_big_endian(exidx->image));
}

// A 31-bit offset relative to its own place.
static uint64_t target_of(uint32_t word, uint64_t place)
{
    int32_t distance = (int32_t)(word << 1) >> 1;
    return (place + (uint64_t)(int64_t)distance) & UINT32_MAX;
}

static bool read_word(const struct exidx *exidx, uint64_t address, uint32_t *word)
{
    uint8_t bytes[4];
    bool is_there = image_extents_read(&exidx->extents, address & UINT32_MAX, bytes, sizeof bytes);
    *word = is_there ? load_word(exidx, bytes) : 0;
    return is_there;
}

// Runs the low `have` bytes of the word, then `count` words from `address` on.
static enum exidx_kind run_words(const struct exidx *exidx, uint32_t word, unsigned have,
                                 uint64_t address, unsigned count, struct frame_row *row)
{
    uint8_t instructions[INSTRUCTIONS_MAX];
    size_t length = 0;
    for (unsigned left = have; left > 0; left--)
        instructions[length++] = (uint8_t)(word >> 8 * (left - 1));
    for (unsigned i = 0; i < count; i++) {
        if (!read_word(exidx, address + 4 * i, &word))
            return EXIDX_DAMAGED;
        for (unsigned left = 4; left > 0; left--)
            instructions[length++] = (uint8_t)(word >> 8 * (left - 1));
    }
    return exidx_run(instructions, length, row);
}

// Runs an entry of .ARM.extab: in one of the ABI's own forms, or in the form of GNU compilers.
static enum exidx_kind run_entry(const struct exidx *exidx, uint64_t address, struct frame_row *row)
{
    uint32_t word;
    if (!read_word(exidx, address, &word))
        return EXIDX_DAMAGED;
    if (!(word & UINT32_C(1) << 31)) {
        if (!read_word(exidx, address + 4, &word))
            return EXIDX_DAMAGED;
        return run_words(exidx, word, 3, address + 8, word >> 24, row);
    }
    switch (word >> 24 & 0x7f) {
    case 0:
        return run_words(exidx, word, 3, 0, 0, row);
    case 1:
    case 2:
        return run_words(exidx, word, 2, address + 4, word >> 16 & 0xff, row);
    default:
        return EXIDX_DAMAGED;
    }
}

size_t exidx_function_count(const struct exidx *exidx)
{
    return exidx->count;
}

uint64_t exidx_function_at(const struct exidx *exidx, size_t number)
{
    uint64_t place = ENTRY_BYTES * number;
    return target_of(load_word(exidx, exidx->table + place), exidx->address + place);
}

enum exidx_kind exidx_find(const struct exidx *exidx, uint64_t pc, struct frame_row *row)
{
    size_t low;
    PARTITION_POINT(low, exidx->count, exidx_function_at(exidx, middle) <= pc);
    if (low == 0)
        return EXIDX_NONE;
    row->start = exidx_function_at(exidx, low - 1);
    row->end = low < exidx->count ? exidx_function_at(exidx, low) : UINT64_C(1) << 32;
    if (pc >= row->end)
        return EXIDX_NONE;
    size_t number = low - 1;
    uint64_t place = exidx->address + ENTRY_BYTES * number + 4;
    uint32_t word = load_word(exidx, exidx->table + ENTRY_BYTES * number + 4);
    if (word == CANNOT_UNWIND)
        return EXIDX_CANNOT_UNWIND;
    if (!(word & UINT32_C(1) << 31))
        return run_entry(exidx, target_of(word, place), row);
    return word >> 24 == 0x80 ? run_words(exidx, word, 3, 0, 0, row) : EXIDX_DAMAGED;
}

// --- Opening -------------------------------------------------------------------------------------

// Where the table is in the file: a section of its type, otherwise the segment.
static bool find_table(const struct image *image, uint64_t *offset, uint64_t *size_bytes,
                       uint64_t *address)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Phdr segment;
    size_t count = 0;
    while ((section = elf_nextscn(image_elf(image), section)) != NULL) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_ARM_EXIDX)
            continue;
        *offset = header.sh_offset;
        *size_bytes = header.sh_size;
        *address = header.sh_addr;
        return true;
    }
    if (elf_getphdrnum(image_elf(image), &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(image_elf(image), (int)i, &segment) || segment.p_type != PT_ARM_EXIDX)
            continue;
        *offset = segment.p_offset;
        *size_bytes = segment.p_filesz;
        *address = segment.p_vaddr;
        return true;
    }
    return false;
}

static enum status read_table(struct exidx *exidx, struct error *err)
{
    const struct image *image = exidx->image;
    uint64_t offset, size_bytes;
    GElf_Ehdr header;
    if (!gelf_getehdr(image_elf(image), &header) || header.e_type == ET_REL ||
        !find_table(image, &offset, &size_bytes, &exidx->address))
        return STATUS_OK;
    if (!image_holds(image, offset, size_bytes))
        return error_set_at(err, STATUS_INPUT, offset,
                            "%s: .ARM.exidx lies beyond the end of the file", image_path(image));
    exidx->count = (size_t)(size_bytes / ENTRY_BYTES);
    exidx->table = malloc((size_t)size_bytes + 1);
    if (!exidx->table)
        return error_set(err, STATUS_MEMORY, "%s: no memory for .ARM.exidx", image_path(image));
    enum status status = image_read(image, offset, exidx->table, (size_t)size_bytes, err);
    return status == STATUS_OK ? image_extents_find(&exidx->extents, image, EXTENTS_LOADED, err)
                               : status;
}

enum status exidx_open(struct exidx **out, const struct image *image, struct error *err)
{
    *out = NULL;
    if (!image_is_arm32(image))
        return STATUS_OK;
    struct exidx *exidx = calloc(1, sizeof *exidx);
    if (!exidx)
        return error_set(err, STATUS_MEMORY, "%s: no memory", image_path(image));
    exidx->image = image;
    enum status status = read_table(exidx, err);
    if (status == STATUS_OK && exidx->count)
        *out = exidx;
    else
        exidx_close(exidx);
    return status;
}

void exidx_close(struct exidx *exidx)
{
    if (!exidx)
        return;
    free(exidx->table);
    image_extents_free(&exidx->extents);
    free(exidx);
}
