#include "trace/tarmac/tarmac.h"

#include "arch/arm/control.h"

#include "base/characters.h"

// The form of a direct branch: the beginning of its disassembly, and the number of the operand,
// from 1, that is the target.
struct form {
    const char *mnemonic; // NULL: not a direct branch
    unsigned operand;
};

static struct form form_of_a64(uint32_t bits, const struct branch *branch)
{
    if ((bits & 0x7e000000) == 0x34000000)
        return (struct form){bits & 0x01000000 ? "CBNZ" : "CBZ", 2};
    if ((bits & 0x7e000000) == 0x36000000)
        return (struct form){bits & 0x01000000 ? "TBNZ" : "TBZ", 3};
    if ((bits & 0x7e000000) == 0x74000000)
        return (struct form){"CB", 3};
    if (branch->is_conditional)
        return (struct form){bits & 0x10 ? "BC." : "B.", 1};
    return (struct form){branch->kind == BRANCH_CALL ? "BL" : "B", 1};
}

static struct form form_of_a32(uint32_t bits, const struct branch *branch)
{
    if (bits >> 28 == 0xf)
        return (struct form){"BLX", 1};
    return (struct form){branch->kind == BRANCH_CALL ? "BL" : "B", 1};
}

static struct form form_of_t16(uint32_t bits)
{
    if ((bits & 0xf500) == 0xb100)
        return (struct form){bits & 0x0800 ? "CBNZ" : "CBZ", 2};
    return (struct form){"B", 1};
}

static struct form form_of_t32(uint32_t bits, const struct branch *branch)
{
    if (branch->kind != BRANCH_CALL)
        return (struct form){"B", 1};
    if (bits & 0x1000)
        return (struct form){"BL", 1};
    return (struct form){bits & 1 ? NULL : "BLX", 1};
}

static struct form form_of(const struct line_instruction *instruction, const struct branch *branch)
{
    uint32_t bits = instruction->encoding;
    bool is_short = instruction->size_bytes == 2;
    if (branch->target == ADDRESS_UNKNOWN || (!is_short && instruction->size_bytes != 4))
        return (struct form){0};
    switch (instruction->isa) {
    case ISA_THUMB:
        return is_short ? form_of_t16(bits) : form_of_t32(bits, branch);
    case ISA_ARM:
        return is_short ? (struct form){0} : form_of_a32(bits, branch);
    default:
        return is_short ? (struct form){0} : form_of_a64(bits, branch);
    }
}

// Operand `number`, from 1, of a disassembly; it ends at the next comma or the end.
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
    const char *text = instruction->disassembly;
    const struct branch branch =
        control_decode(instruction->address | (instruction->isa == ISA_THUMB),
                       instruction->encoding, instruction->size_bytes, instruction->isa);
    const struct form form = form_of(instruction, &branch);
    if (!form.mnemonic)
        return false;
    size_t length = strlen(form.mnemonic);
    *target = branch.target;
    return (size_t)(end - text) >= length && memcmp(text, form.mnemonic, length) == 0 &&
           find_operand(text, end, form.operand, operand);
}
