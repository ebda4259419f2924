#include "trace/tarmac/branch.h"

struct branch {
    const char *mnemonic; // that the disassembly begins with
    unsigned operand;     // its number, from 1
    uint64_t target;
};

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    value &= (sign << 1) - 1;
    return (value ^ sign) - sign;
}

static bool decode_a64(const struct line_instruction *instruction, struct branch *branch)
{
    uint32_t bits = instruction->encoding;
    uint64_t by_19 = instruction->address + sign_extend(bits >> 5, 19) * 4;
    if ((bits & 0x7c000000) == 0x14000000)
        *branch = (struct branch){bits >> 31 ? "BL" : "B", 1,
                                  instruction->address + sign_extend(bits, 26) * 4};
    else if ((bits & 0xff000000) == 0x54000000)
        *branch = (struct branch){bits & 0x10 ? "BC." : "B.", 1, by_19};
    else if ((bits & 0x7e000000) == 0x34000000)
        *branch = (struct branch){bits & 0x01000000 ? "CBNZ" : "CBZ", 2, by_19};
    else if ((bits & 0x7e000000) == 0x36000000)
        *branch = (struct branch){bits & 0x01000000 ? "TBNZ" : "TBZ", 3,
                                  instruction->address + sign_extend(bits >> 5, 14) * 4};
    else
        return false;
    return true;
}

static bool decode_a32(const struct line_instruction *instruction, struct branch *branch)
{
    uint32_t bits = instruction->encoding;
    if ((bits & 0x0e000000) != 0x0a000000)
        return false;
    uint64_t target = instruction->address + 8 + sign_extend(bits, 24) * 4;
    bool is_link = bits & 0x01000000;
    if (bits >> 28 == 0xf) // where that bit is half of a word
        *branch = (struct branch){"BLX", 1, (target + 2 * is_link) | 1};
    else
        *branch = (struct branch){is_link ? "BL" : "B", 1, target};
    return true;
}

static bool decode_t16(const struct line_instruction *instruction, struct branch *branch)
{
    uint32_t bits = instruction->encoding;
    uint64_t base = instruction->address + 4;
    if ((bits & 0xf800) == 0xe000)
        *branch = (struct branch){"B", 1, base + sign_extend(bits, 11) * 2};
    else if ((bits & 0xf000) == 0xd000 && (bits & 0x0e00) != 0x0e00)
        *branch = (struct branch){"B", 1, base + sign_extend(bits, 8) * 2};
    else if ((bits & 0xf500) == 0xb100)
        *branch = (struct branch){bits & 0x0800 ? "CBNZ" : "CBZ", 2,
                                  base + (bits >> 3 & 0x40) + (bits >> 2 & 0x3e)};
    else
        return false;
    branch->target |= 1;
    return true;
}

// The long forms of T32: two bits of the offset are written as whether they equal its sign.
static uint64_t t32_offset(uint32_t bits)
{
    uint32_t sign = bits >> 26 & 1, j1 = bits >> 13 & 1, j2 = bits >> 11 & 1;
    uint64_t offset = (uint64_t)sign << 24 | (uint64_t)(j1 == sign) << 23 |
                      (uint64_t)(j2 == sign) << 22 | (uint64_t)(bits >> 16 & 0x3ff) << 12 |
                      (uint64_t)(bits & 0x7ff) << 1;
    return sign_extend(offset, 25);
}

static uint64_t t32_conditional_offset(uint32_t bits)
{
    uint64_t offset = (uint64_t)(bits >> 26 & 1) << 20 | (uint64_t)(bits >> 11 & 1) << 19 |
                      (uint64_t)(bits >> 13 & 1) << 18 | (uint64_t)(bits >> 16 & 0x3f) << 12 |
                      (uint64_t)(bits & 0x7ff) << 1;
    return sign_extend(offset, 21);
}

static bool decode_t32(const struct line_instruction *instruction, struct branch *branch)
{
    uint32_t bits = instruction->encoding;
    uint64_t base = instruction->address + 4;
    if ((bits & 0xf8000000) != 0xf0000000)
        return false;
    switch (bits & 0xd000) {
    case 0x9000:
        *branch = (struct branch){"B", 1, (base + t32_offset(bits)) | 1};
        return true;
    case 0xd000:
        *branch = (struct branch){"BL", 1, (base + t32_offset(bits)) | 1};
        return true;
    case 0xc000:
        *branch = (struct branch){"BLX", 1, (base & ~UINT64_C(3)) + t32_offset(bits)};
        return !(bits & 1);
    case 0x8000:
        *branch = (struct branch){"B", 1, (base + t32_conditional_offset(bits)) | 1};
        return (bits >> 22 & 0xe) != 0xe;
    default:
        return false;
    }
}

static bool decode(const struct line_instruction *instruction, struct branch *branch)
{
    bool is_short = instruction->size_bytes == 2;
    if (!is_short && instruction->size_bytes != 4)
        return false;
    switch (instruction->isa) {
    case ISA_THUMB:
        return is_short ? decode_t16(instruction, branch) : decode_t32(instruction, branch);
    case ISA_ARM:
        if (is_short || !decode_a32(instruction, branch))
            return false;
        branch->target &= UINT32_MAX;
        return true;
    default:
        return !is_short && decode_a64(instruction, branch);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Operand `number`, from 1, of a disassembly: up to the next comma or the end.
static bool find_operand(const char *at, const char *end, unsigned number,
                         struct text_span *operand)
{
    while (at < end && !is_blank(*at))
        at++;
    for (; number > 1; number--) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            return false;
        at = comma + 1;
    }
    while (at < end && is_blank(*at))
        at++;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    *operand = (struct text_span){at, comma ? comma : end};
    return operand->start < operand->end;
}

bool tarmac_branch_target(const struct line_instruction *instruction, const char *end,
                          uint64_t *target, struct text_span *operand)
{
    struct branch branch;
    const char *text = instruction->disassembly;
    if (!decode(instruction, &branch))
        return false;
    size_t length = strlen(branch.mnemonic);
    *target = branch.target;
    return (size_t)(end - text) >= length && memcmp(text, branch.mnemonic, length) == 0 &&
           find_operand(text, end, branch.operand, operand);
}
