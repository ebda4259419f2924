#include "arch/riscv/control.h"

#include "arch/encoding.h"

enum { RA = 1, SP = 2, T0 = 5 };

uint32_t riscv_size_bytes(uint32_t code)
{
    if ((code & 3) != 3)
        return 2;
    if ((code & 0x1c) != 0x1c)
        return 4;
    return (code & 0x20) == 0 ? 6 : (code & 0x40) == 0 ? 8 : 4; // longer ones are reserved
}

// --- Control -------------------------------------------------------------------------------------

// jalr by its registers.
static enum branch_kind jump_by_register(uint32_t link, uint32_t base)
{
    if (link == RA || link == T0)
        return base == RA && link == T0 ? BRANCH_RETURN : BRANCH_CALL;
    return base == RA ? BRANCH_RETURN : BRANCH_INDIRECT;
}

static int64_t offset_of_jal(uint32_t code)
{
    return sign_extend(bits(code, 31, 1) << 20 | bits(code, 12, 8) << 12 | bits(code, 20, 1) << 11 |
                           bits(code, 21, 10) << 1,
                       21);
}

static int64_t offset_of_branch(uint32_t code)
{
    return sign_extend(bits(code, 31, 1) << 12 | bits(code, 7, 1) << 11 | bits(code, 25, 6) << 5 |
                           bits(code, 8, 4) << 1,
                       13);
}

static void direct(struct branch *branch, enum branch_kind kind, int64_t offset)
{
    branch->kind = kind;
    branch->target = branch->pc + (uint64_t)offset;
}

// ecall, ebreak, and what returns from a trap: uret, sret, mret, mnret, dret.
static enum branch_kind system_call(uint32_t code)
{
    switch (code) {
    case 0x00000073:
    case 0x00100073:
        return BRANCH_EXCEPTION;
    case 0x00200073:
    case 0x10200073:
    case 0x30200073:
    case 0x70200073:
    case 0x7b200073:
        return BRANCH_LEAVES;
    }
    return BRANCH_NONE;
}

// Of Zcmp and Zcmt, in the place of c.fsdsp: cm.popretz, cm.popret; cm.jt, cm.jalt, whose targets
// are in a table.
static enum branch_kind table_or_pop(uint32_t code)
{
    const uint32_t which = bits(code, 8, 5), index = bits(code, 2, 8);
    if ((which == 0x1c || which == 0x1e) && bits(code, 4, 4) >= 4)
        return BRANCH_RETURN;
    if (bits(code, 10, 3) == 0)
        return index < 32 ? BRANCH_INDIRECT : BRANCH_CALL;
    return BRANCH_NONE;
}

static void decode_compressed(struct branch *branch, uint32_t code, enum riscv_isa isa)
{
    const uint32_t first = bits(code, 7, 5), second = bits(code, 2, 5);
    switch (bits(code, 13, 3) << 2 | (code & 3)) {
    case 1 << 2 | 1: // c.jal, c.addiw
        if (isa == RISCV_32)
            direct(branch, BRANCH_CALL, offset_of_jal(riscv_expand(code, isa)));
        return;
    case 5 << 2 | 1: // c.j
        direct(branch, BRANCH_JUMP, offset_of_jal(riscv_expand(code, isa)));
        return;
    case 6 << 2 | 1: // c.beqz, c.bnez
    case 7 << 2 | 1:
        direct(branch, BRANCH_JUMP, offset_of_branch(riscv_expand(code, isa)));
        branch->is_conditional = true;
        return;
    case 4 << 2 | 2: // c.jr, c.jalr, c.ebreak
        if (second)
            return; // c.mv, c.add
        if (first)
            branch->kind = jump_by_register(bits(code, 12, 1) ? RA : 0, first);
        else if (bits(code, 12, 1))
            branch->kind = BRANCH_EXCEPTION;
        return;
    case 5 << 2 | 2:
        if (isa == RISCV_32)
            branch->kind = table_or_pop(code);
        return;
    }
}

struct branch riscv_branch(uint64_t pc, uint32_t code, enum riscv_isa isa)
{
    const uint32_t size_bytes = riscv_size_bytes(code), function = bits(code, 12, 3),
                   link = bits(code, 7, 5);
    struct branch branch = {.pc = pc, .next = pc + size_bytes, .target = ADDRESS_UNKNOWN};
    if (size_bytes == 2)
        decode_compressed(&branch, code & 0xffff, isa);
    switch (size_bytes == 4 ? code & 0x7f : 0) {
    case 0x63: // also with an immediate: Zibi, and before it of CV32E40P
        direct(&branch, BRANCH_JUMP, offset_of_branch(code));
        branch.is_conditional = true;
        break;
    case 0x67:
        if (function == 0)
            branch.kind = jump_by_register(link, bits(code, 15, 5));
        break;
    case 0x6f:
        direct(&branch, link == RA || link == T0 ? BRANCH_CALL : BRANCH_JUMP, offset_of_jal(code));
        break;
    case 0x73:
        branch.kind = system_call(code);
        break;
    }
    if (isa == RISCV_32) {
        branch.next &= UINT32_MAX;
        branch.target &= branch.target == ADDRESS_UNKNOWN ? ADDRESS_UNKNOWN : UINT32_MAX;
    }
    return branch;
}

bool riscv_opens_frame(uint32_t code, enum riscv_isa isa)
{
    if (riscv_size_bytes(code) == 4)
        return (code & 0x800fffff) == 0x80010113; // addi sp, sp, -n
    return (code & 0xff83) == 0x7101 ||           // c.addi16sp -n
           (code & 0xff83) == 0x1101 ||           // c.addi sp, -n
           (isa == RISCV_32 && (code & 0xff03) == 0xb802 && bits(code, 4, 4) >= 4); // cm.push
}

// --- Accesses ------------------------------------------------------------------------------------

static struct riscv_access access_of(enum riscv_access_kind kind, enum riscv_file file,
                                     uint32_t number, uint32_t size_log2)
{
    return (struct riscv_access){.kind = (uint8_t)kind,
                                 .size_bytes = (uint8_t)(1U << size_log2),
                                 .file = (uint8_t)file,
                                 .number = (uint8_t)number};
}

static struct riscv_access load(enum riscv_file file, uint32_t number, uint32_t size_log2,
                                bool is_signed)
{
    struct riscv_access access = access_of(RISCV_LOAD, file, number, size_log2);
    access.is_signed = is_signed;
    return access;
}

static struct riscv_access store(enum riscv_file file, uint32_t number, uint32_t size_log2)
{
    return access_of(RISCV_STORE, file, number, size_log2);
}

// Of vectors, whose widths are 8 bits and 16 to 64; and of floating point, the others.
static struct riscv_access access_of_float(uint32_t code, enum riscv_access_kind kind)
{
    const uint32_t width = bits(code, 12, 3), number = bits(code, 7, 5), mode = bits(code, 26, 2);
    if (width >= 1 && width <= 4) {
        const uint32_t stored = bits(code, 20, 5);
        return access_of(kind, RISCV_F, kind == RISCV_LOAD ? number : stored, width);
    }
    struct riscv_access access = access_of(kind, RISCV_V, number, width ? width - 4 : 0);
    access.is_multiple = true;
    if (mode & 1) // indexed: the width is that of indices
        access.size_bytes = 0;
    return access;
}

static struct riscv_access access_of_atomic(uint32_t code)
{
    enum { LR = 2, SC = 3 };
    const uint32_t size_log2 = bits(code, 12, 3), number = bits(code, 7, 5),
                   operation = bits(code, 27, 5);
    if (size_log2 > 4)
        return (struct riscv_access){0};
    if (operation == LR)
        return load(RISCV_X, number, size_log2, true);
    if (operation == SC)
        return access_of(RISCV_STORE_CONDITIONAL, RISCV_X, bits(code, 20, 5), size_log2);
    struct riscv_access access = access_of(RISCV_ATOMIC, RISCV_X, number, size_log2);
    access.is_signed = true;
    return access;
}

// Of a hypervisor, with the address translation of its guest: hlv, hlvx, hsv.
static struct riscv_access access_of_guest(uint32_t code)
{
    const uint32_t function = bits(code, 25, 7), variant = bits(code, 20, 5);
    if (bits(code, 12, 3) != 4 || (function & 0x78) != 0x30)
        return (struct riscv_access){0};
    return function & 1 ? store(RISCV_X, variant, bits(function, 1, 2))
                        : load(RISCV_X, bits(code, 7, 5), bits(function, 1, 2), !variant);
}

static struct riscv_access access_of_word(uint32_t code, enum riscv_isa isa)
{
    const uint32_t function = bits(code, 12, 3), number = bits(code, 7, 5);
    switch (code & 0x7f) {
    case 0x03: {
        struct riscv_access access = load(RISCV_X, number, function & 3, function < 4);
        access.is_multiple = function == 3 && isa == RISCV_32; // Zilsd: two registers
        return function < 7 ? access : (struct riscv_access){0};
    }
    case 0x07:
        return access_of_float(code, RISCV_LOAD);
    case 0x0f:
        if (function == 2 && bits(code, 20, 12) == 4) // cbo.zero
            return (struct riscv_access){.kind = RISCV_STORE, .is_multiple = true};
        break;
    case 0x23: {
        struct riscv_access access = store(RISCV_X, bits(code, 20, 5), function & 3);
        access.is_multiple = function == 3 && isa == RISCV_32;
        return function < 4 ? access : (struct riscv_access){0};
    }
    case 0x27:
        return access_of_float(code, RISCV_STORE);
    case 0x2f:
        return access_of_atomic(code);
    case 0x73:
        return access_of_guest(code);
    }
    return (struct riscv_access){0};
}

// Zcb.
static struct riscv_access access_of_bytes(uint32_t code)
{
    const uint32_t number = 8 + bits(code, 2, 3);
    const bool is_signed = code & 0x40;
    switch (bits(code, 10, 3)) {
    case 0:
        return load(RISCV_X, number, 0, false);
    case 1:
        return load(RISCV_X, number, 1, is_signed);
    case 2:
        return store(RISCV_X, number, 0);
    case 3:
        return is_signed ? (struct riscv_access){0} : store(RISCV_X, number, 1);
    }
    return (struct riscv_access){0};
}

// c.fsdsp, or of Zcmp: cm.push, cm.pop, cm.popretz, cm.popret.
static struct riscv_access access_of_stack(uint32_t code, enum riscv_isa isa)
{
    const uint32_t which = bits(code, 8, 5);
    struct riscv_access access = store(RISCV_F, bits(code, 2, 5), 3);
    if (isa == RISCV_64 || bits(code, 4, 4) < 4 || (which & 0x19) != 0x18)
        return access;
    if (which != 0x18)
        access = load(RISCV_X, RA, 2, true);
    access.is_multiple = true;
    return access;
}

static struct riscv_access access_of_compressed(uint32_t code, enum riscv_isa isa)
{
    const bool is_64 = isa == RISCV_64;
    const enum riscv_file word = is_64 ? RISCV_X : RISCV_F; // c.ld and c.flw share a code
    const uint32_t size_log2 = is_64 ? 3 : 2, small = 8 + bits(code, 2, 3),
                   loaded = bits(code, 7, 5), stored = bits(code, 2, 5);
    switch (bits(code, 13, 3) << 2 | (code & 3)) {
    case 1 << 2:
        return load(RISCV_F, small, 3, false);
    case 2 << 2:
        return load(RISCV_X, small, 2, true);
    case 3 << 2:
        return load(word, small, size_log2, is_64);
    case 4 << 2:
        return access_of_bytes(code);
    case 5 << 2:
        return store(RISCV_F, small, 3);
    case 6 << 2:
        return store(RISCV_X, small, 2);
    case 7 << 2:
        return store(word, small, size_log2);
    case 1 << 2 | 2:
        return load(RISCV_F, loaded, 3, false);
    case 2 << 2 | 2:
        return load(RISCV_X, loaded, 2, true);
    case 3 << 2 | 2:
        return load(word, loaded, size_log2, is_64);
    case 5 << 2 | 2:
        return access_of_stack(code, isa);
    case 6 << 2 | 2:
        return store(RISCV_X, stored, 2);
    case 7 << 2 | 2:
        return store(word, stored, size_log2);
    }
    return (struct riscv_access){0};
}

struct riscv_access riscv_access(uint32_t code, enum riscv_isa isa)
{
    switch (riscv_size_bytes(code)) {
    case 2:
        return access_of_compressed(code & 0xffff, isa);
    case 4:
        return access_of_word(code, isa);
    }
    return (struct riscv_access){0};
}
