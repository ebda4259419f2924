// Addresses in instructions of A64, A32 and T32. Branches, PC-relative addresses and literals say
// them alone. Of pairs, ADRP and MOVW leave what they made in code_references for the second one;
// of MOVW it has to be seen that MOVT follows, because alone it is a number.
#include "arch/arm/arm.h"

#include "arch/arm/isa.h"
#include "arch/encoding.h"

#include <string.h>

static void place(struct code_reference *reference, uint32_t kept, uint64_t target)
{
    reference->rest &= kept;
    reference->kind = REFERENCE_PLACE;
    reference->target = target;
}

static void is_loaded(struct code_reference *reference, enum reference_kind kind, unsigned bytes)
{
    reference->kind = (uint8_t)kind;
    reference->bytes = (uint8_t)bytes;
}

static void literal(struct code_reference *reference, uint32_t kept, uint64_t target,
                    unsigned bytes)
{
    place(reference, kept, target);
    is_loaded(reference, REFERENCE_LITERAL, bytes);
}

// --- A64 -----------------------------------------------------------------------------------------

static void refer_a64(struct code_references *before, uint64_t pc, uint32_t word,
                      struct code_reference *reference)
{
    const unsigned rd = word & 31, rn = word >> 5 & 31;
    const bool has_base = rn < 31 && before->known >> rn & 1;
    const bool is_vector = word >> 26 & 1;
    uint32_t written = 0;                    // registers that no longer have a part of an address
    if ((word & 0x7c000000) == 0x14000000) { // B, BL
        place(reference, 0xfc000000, pc + (uint64_t)(sign_extend(word & 0x3ffffff, 26) * 4));
        written = word >> 31 ? 0x3ffff : 0; // a call keeps x19 to x28
    } else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
        place(reference, 0xff00001f, pc + (uint64_t)(sign_extend(word >> 5 & 0x7ffff, 19) * 4));
    } else if ((word & 0x7e000000) == 0x36000000) { // TBZ, TBNZ
        place(reference, 0xfff8001f, pc + (uint64_t)(sign_extend(word >> 5 & 0x3fff, 14) * 4));
    } else if ((word & 0x1f000000) == 0x10000000) { // ADR, ADRP
        int64_t distance = sign_extend((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
        written = UINT32_C(1) << rd;
        if (word >> 31) {
            reference->rest &= 0x9f00001f;
            before->values[rd] = (pc & ~UINT64_C(0xfff)) + (uint64_t)(distance * 4096);
            before->known |= written;
            return;
        }
        place(reference, 0x9f00001f, pc + (uint64_t)distance);
    } else if ((word & 0x3b000000) == 0x18000000) { // LDR of a literal
        unsigned size = word >> 30;
        unsigned bytes = is_vector ? 4u << size : size == 1 ? 8 : 4;
        uint64_t target = pc + (uint64_t)(sign_extend(word >> 5 & 0x7ffff, 19) * 4);
        if (size == 3) // PRFM, or nothing
            place(reference, 0xff00001f, target);
        else
            literal(reference, 0xff00001f, target, bytes);
        written = is_vector ? 0 : UINT32_C(1) << rd;
    } else if ((word & 0xffc00000) == 0x91000000) { // ADD of 12 bits
        if (has_base)
            place(reference, 0xffc003ff, before->values[rn] + (word >> 10 & 0xfff));
        written = UINT32_C(1) << rd;
    } else if ((word & 0x3b000000) == 0x39000000) { // loads and stores with an offset of 12 bits
        unsigned shift = is_vector && word >> 23 & 1 ? 4 : word >> 30;
        const bool is_store = is_vector ? !(word >> 22 & 1) : !(word >> 22 & 3);
        const bool is_prefetch = !is_vector && word >> 30 == 3 && word >> 23 & 1;
        if (has_base)
            place(reference, 0xffc003ff,
                  before->values[rn] + ((uint64_t)(word >> 10 & 0xfff) << shift));
        if (has_base && !is_store && !is_prefetch)
            is_loaded(reference, REFERENCE_LOAD, 1u << shift);
        written = !is_vector && !is_store ? UINT32_C(1) << rd : 0;
    } else if ((word >> 26 & 7) == 4 || (word >> 25 & 7) == 5) { // other data processing
        written = UINT32_C(1) << rd;
    } else if ((word >> 25 & 5) == 4 && !is_vector) { // other loads and stores
        written = UINT32_C(1) << rd | UINT32_C(1) << (word >> 10 & 31);
    } else if ((word & 0xfffffc1f) == 0xd63f0000) { // BLR
        written = 0x3ffff;
    }
    before->known &= ~written;
}

// --- A32 and T32 ---------------------------------------------------------------------------------

// What MOVW and MOVT have: the number of the register, and 16 bits. False: it is neither.
static bool is_half(uint32_t isa, uint32_t word, bool is_upper, unsigned *reg, uint32_t *half)
{
    if (isa == ISA_THUMB) {
        *reg = word >> 8 & 15;
        *half = (word >> 4 & 0xf000) | (word >> 15 & 0x800) | (word >> 4 & 0x700) | (word & 0xff);
        return (word & 0xfbf08000) == (is_upper ? 0xf2c00000 : 0xf2400000);
    }
    *reg = word >> 12 & 15;
    *half = (word >> 4 & 0xf000) | (word & 0xfff);
    return (word & 0x0ff00000) == (is_upper ? 0x03400000 : 0x03000000) && word >> 28 != 15;
}

static uint32_t read_word(uint32_t isa, const uint8_t *bytes, size_t count, unsigned *size_bytes)
{
    uint32_t low = count >= 2 ? (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 : 0, high;
    *size_bytes = isa == ISA_THUMB && low < 0xe800 ? 2 : 4;
    if (count < *size_bytes)
        *size_bytes = 0;
    if (*size_bytes != 4)
        return low;
    high = (uint32_t)bytes[2] | (uint32_t)bytes[3] << 8;
    return isa == ISA_THUMB ? low << 16 | high : high << 16 | low;
}

enum { PAIR_INSTRUCTIONS = 8 }; // among which the second of a pair is

static bool has_upper(uint32_t isa, unsigned wanted, const uint8_t *bytes, size_t count)
{
    for (unsigned i = 0; i < PAIR_INSTRUCTIONS; i++) {
        unsigned size_bytes, reg;
        uint32_t half, word = read_word(isa, bytes, count, &size_bytes);
        if (!size_bytes)
            return false;
        if (size_bytes == 4 && is_half(isa, word, true, &reg, &half) && reg == wanted)
            return true;
        bytes += size_bytes;
        count -= size_bytes;
    }
    return false;
}

// A load of a literal `distance` before or behind `base`: both sets have the sign in bit 23.
static void literal_near(struct code_reference *reference, uint32_t kept, uint32_t word,
                         uint64_t base, uint64_t distance, unsigned bytes)
{
    literal(reference, kept & ~(UINT32_C(1) << 23),
            word >> 23 & 1 ? base + distance : base - distance, bytes);
}

// VLDR, which both sets encode alike but for the condition.
static void vector_literal(struct code_reference *reference, uint32_t word, uint64_t base)
{
    const unsigned size = word >> 8 & 3; // of a half, a single and a double
    if ((word & 0x0f3f0c00) != 0x0d1f0800 || !size)
        return;
    literal_near(reference, 0xffffff00, word, base, (uint64_t)(word & 0xff) * (size == 1 ? 2 : 4),
                 1u << size);
}

static uint64_t t32_constant(uint32_t word)
{
    return (word >> 15 & 0x800) | (word >> 4 & 0x700) | (word & 0xff);
}

static void refer_t32(uint64_t pc, uint32_t word, struct code_reference *reference)
{
    const uint64_t at = pc + 4, aligned = at & ~UINT64_C(3);
    if (reference->size_bytes == 2) {
        if ((word & 0xf800) == 0x4800) // LDR of a literal
            literal(reference, 0xff00, aligned + 4 * (uint64_t)(word & 0xff), 4);
        else if ((word & 0xf800) == 0xa000) // ADR
            place(reference, 0xff00, aligned + 4 * (uint64_t)(word & 0xff));
        else if ((word & 0xf000) == 0xd000 && (word & 0xe00) != 0xe00) // B of a condition
            place(reference, 0xff00, at + (uint64_t)(sign_extend(word & 0xff, 8) * 2));
        else if ((word & 0xf800) == 0xe000) // B
            place(reference, 0xf800, at + (uint64_t)(sign_extend(word & 0x7ff, 11) * 2));
        else if ((word & 0xf500) == 0xb100) // CBZ, CBNZ
            place(reference, 0xfd07, at + ((word >> 3 & 0x1f) | (word >> 4 & 0x20)) * UINT64_C(2));
        return;
    }
    const unsigned size = word >> 21 & 3; // of a load
    const uint32_t sign = word >> 26 & 1, j1 = word >> 13 & 1, j2 = word >> 11 & 1;
    if ((word & 0xf8008000) == 0xf0008000 && (word & 0x5000)) { // BL, BLX, B
        uint32_t distance = sign << 24 | (1 ^ j1 ^ sign) << 23 | (1 ^ j2 ^ sign) << 22 |
                            (word >> 4 & 0x3ff000) | (word & 0x7ff) << 1;
        place(reference, 0xf800d000,
              (word & 0x1000 ? at : aligned) + (uint64_t)sign_extend(distance, 25));
    } else if ((word & 0xf800d000) == 0xf0008000 && (word >> 22 & 15) < 14) { // B of a condition
        uint32_t distance =
            sign << 20 | j2 << 19 | j1 << 18 | (word >> 4 & 0x3f000) | (word & 0x7ff) << 1;
        place(reference, 0xfbc0d000, at + (uint64_t)sign_extend(distance, 21));
    } else if ((word & 0xfbff8000) == 0xf20f0000) { // ADR
        place(reference, 0xfbff8f00, aligned + t32_constant(word));
    } else if ((word & 0xfbff8000) == 0xf2af0000) {
        place(reference, 0xfbff8f00, aligned - t32_constant(word));
    } else if ((word & 0xfe1f0000) == 0xf81f0000 && size != 3 &&
               (size == 2 || (word >> 12 & 15) != 15)) { // LDR, LDRH, LDRB, with a sign in bit 24
        literal_near(reference, 0xfffff000, word, aligned, word & 0xfff, 1u << size);
    } else if ((word & 0xff7f0000) == 0xe95f0000) { // LDRD
        literal_near(reference, 0xffffff00, word, aligned, 4 * (uint64_t)(word & 0xff), 8);
    } else if (word >> 28 == 14) {
        vector_literal(reference, word, aligned);
    }
}

static uint64_t a32_half_offset(uint32_t word)
{
    return (word >> 4 & 0xf0) | (word & 15);
}

static void refer_a32(uint64_t pc, uint32_t word, struct code_reference *reference)
{
    const uint64_t at = pc + 8;
    if ((word & 0x0e000000) == 0x0a000000) { // B, BL; BLX, where bit 24 is half of a word
        const bool is_blx = word >> 28 == 15;
        place(reference, is_blx ? 0xfe000000 : 0xff000000,
              at + (uint64_t)(sign_extend(word & 0xffffff, 24) * 4) +
                  (is_blx ? word >> 23 & 2 : 0));
    } else if (word >> 28 == 15) {
        return;
    } else if ((word & 0x0f3f0000) == 0x051f0000) { // LDR, LDRB
        literal_near(reference, 0xfffff000, word, at, word & 0xfff, word >> 22 & 1 ? 1 : 4);
    } else if ((word & 0x0f7f0090) == 0x015f0090 && word & 0x60) { // LDRH, LDRSB, LDRSH
        literal_near(reference, 0xfffff0f0, word, at, a32_half_offset(word),
                     (word & 0xf0) == 0xd0 ? 1 : 2);
    } else if ((word & 0x0f7f00f0) == 0x014f00d0) { // LDRD
        literal_near(reference, 0xfffff0f0, word, at, a32_half_offset(word), 8);
    } else {
        vector_literal(reference, word, at);
    }
}

void arm_refer(struct code_references *before, uint32_t isa, uint64_t pc, const uint8_t *bytes,
               size_t count, struct code_reference *reference)
{
    unsigned size_bytes, reg;
    uint32_t half, word = read_word(isa, bytes, count, &size_bytes);
    *reference = (struct code_reference){.size_bytes = (uint8_t)size_bytes, .rest = word};
    pc &= ~UINT64_C(1);
    if (!size_bytes)
        return;
    if (isa == ISA_AARCH64) {
        refer_a64(before, pc, word, reference);
    } else if (size_bytes == 4 && is_half(isa, word, true, &reg, &half)) {
        if (before->known >> reg & 1) {
            reference->rest -= word & (isa == ISA_THUMB ? 0x040f70ff : 0x000f0fff);
            reference->kind = REFERENCE_CONSTANT;
            reference->target = (uint64_t)half << 16 | before->values[reg];
            before->known &= ~(UINT32_C(1) << reg);
        }
    } else if (size_bytes == 4 && is_half(isa, word, false, &reg, &half)) {
        if (has_upper(isa, reg, bytes + size_bytes, count - size_bytes)) {
            reference->rest -= word & (isa == ISA_THUMB ? 0x040f70ff : 0x000f0fff);
            before->values[reg] = half;
            before->known |= UINT32_C(1) << reg;
        }
    } else if (isa == ISA_THUMB) {
        refer_t32(pc, word, reference);
    } else {
        refer_a32(pc, word, reference);
    }
}
