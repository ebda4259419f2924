// Addresses in instructions of RISC-V. Jumps and branches say them alone. AUIPC and LUI leave their
// part in code_references for the instruction with the low 12 bits; LUI alone is a number, so that
// instruction must follow. Offsets from the global pointer, which the linker makes of such pairs,
// stand as they are: where they differ between builds, so do the instructions.
#include "arch/riscv/references.h"

#include "arch/riscv/control.h"

enum { PAIR_INSTRUCTIONS = 8 }; // among which the second of a pair is

enum opcode { LOAD = 0x03, LOAD_FP = 0x07, OP_IMM = 0x13, AUIPC = 0x17, OP_IMM_32 = 0x1b };
enum { STORE = 0x23, STORE_FP = 0x27, LUI = 0x37, BRANCH = 0x63, JALR = 0x67, JAL = 0x6f };

static uint32_t read_code(const uint8_t *bytes, size_t count, unsigned *size_bytes)
{
    uint32_t code = count >= 2 ? (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 : 0;
    *size_bytes = riscv_size_bytes(code);
    if (count < *size_bytes || count < 2)
        *size_bytes = 0;
    if (*size_bytes >= 4)
        code |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return code;
}

// Whether an instruction of 32 bits adds 12 bits to register rs1, and which bits of it these are.
static bool adds_low(uint32_t code, uint32_t *low_bits)
{
    const uint32_t opcode = code & 0x7f;
    const bool is_of_fp = opcode == LOAD_FP || opcode == STORE_FP;
    const unsigned size = code >> 12 & 7; // of vectors 0, 5, 6 and 7, which have no offset
    *low_bits = opcode == STORE || opcode == STORE_FP ? 0xfe000f80 : 0xfff00000;
    return opcode == LOAD || opcode == STORE || (is_of_fp && size >= 1 && size <= 4) ||
           opcode == JALR || ((opcode == OP_IMM || opcode == OP_IMM_32) && !(code & 0x7000));
}

static bool has_low(unsigned wanted, const uint8_t *bytes, size_t count)
{
    for (unsigned i = 0; i < PAIR_INSTRUCTIONS; i++) {
        unsigned size_bytes;
        uint32_t low_bits, code = read_code(bytes, count, &size_bytes);
        if (!size_bytes)
            return false;
        if (size_bytes == 4 && adds_low(code, &low_bits) && (code >> 15 & 31) == wanted)
            return true;
        bytes += size_bytes;
        count -= size_bytes;
    }
    return false;
}

void riscv_refer(struct code_references *before, uint32_t isa, uint64_t pc, const uint8_t *bytes,
                 size_t count, struct code_reference *reference)
{
    const uint64_t mask = isa == RISCV_64 ? UINT64_MAX : UINT32_MAX;
    unsigned size_bytes;
    const uint32_t code = read_code(bytes, count, &size_bytes);
    const unsigned rd = code >> 7 & 31, rs1 = code >> 15 & 31;
    uint32_t place = 0, low_bits; // bits that say where a jump or branch goes
    *reference = (struct code_reference){.size_bytes = (uint8_t)size_bytes, .rest = code};
    if (size_bytes == 2) {
        const unsigned form = (code & 3) << 3 | code >> 13;
        const bool is_jump = form == 015 || (form == 011 && isa == RISCV_32); // c.j, c.jal
        place = is_jump ? 0x1ffc : form == 016 || form == 017 ? 0x1c7c : 0;   // c.beqz, c.bnez
        if ((code & 3) == 0) // loads and c.addi4spn
            before->known &= ~(UINT32_C(1) << (8 + (code >> 2 & 7)));
        else if (!place)
            before->known &= ~(UINT32_C(1) << rd | UINT32_C(1) << (8 + (code >> 7 & 7)));
    } else if (size_bytes == 4) {
        const uint32_t opcode = code & 0x7f;
        const uint64_t upper = (uint64_t)(int64_t)(int32_t)(code & 0xfffff000);
        const bool is_store = opcode == STORE || opcode == STORE_FP;
        place = opcode == JAL ? 0xfffff000 : opcode == BRANCH ? 0xfe000f80 : 0;
        if (opcode == AUIPC || (opcode == LUI && has_low(rd, bytes + 4, count - 4))) {
            reference->rest &= 0xfff;
            before->values[rd] = (upper + (opcode == AUIPC ? pc : 0)) & mask;
            before->known |= UINT32_C(1) << rd;
            before->places &= ~(UINT32_C(1) << rd);
            before->places |= (uint32_t)(opcode == AUIPC) << rd;
            return;
        }
        if (adds_low(code, &low_bits) && before->known >> rs1 & 1) {
            const int64_t low =
                is_store ? (int32_t)(code & 0xfe000000) >> 20 | (int32_t)rd : (int32_t)code >> 20;
            reference->rest &= ~low_bits;
            reference->kind = before->places >> rs1 & 1 ? REFERENCE_PLACE : REFERENCE_CONSTANT;
            reference->target = (before->values[rs1] + (uint64_t)low) & mask;
            if (reference->kind == REFERENCE_PLACE && (opcode == LOAD || opcode == LOAD_FP)) {
                reference->kind = REFERENCE_LOAD;
                reference->bytes = (uint8_t)(1u << (code >> 12 & (opcode == LOAD ? 3 : 7)));
            }
        }
        if (!is_store && opcode != BRANCH && opcode != LOAD_FP)
            before->known &= ~(UINT32_C(1) << rd);
    }
    if (place) {
        reference->rest &= ~place;
        reference->kind = REFERENCE_PLACE;
        reference->target = riscv_branch(pc, code, (enum riscv_isa)isa).target;
    }
}
