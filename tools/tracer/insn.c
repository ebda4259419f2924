#include "insn.h"

#include "regs.h"
#include "style.h"

#include <capstone/capstone.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool insn_cache_open(insn_cache_t *cache, const image_t *image, const struct style *style,
                     bool is_m_profile)
{
    memset(cache, 0, sizeof *cache);
    cache->image = image;
    cache->style = style;
    cache->is_a64 = image->is_64bit;
    cache->is_m_profile = is_m_profile;
    cache->table_count = (image->text_end - image->text_start) / 2;
    cache->table = calloc(cache->table_count, sizeof *cache->table);
    cs_arch arch = cache->is_a64 ? CS_ARCH_ARM64 : CS_ARCH_ARM;
    for (int thumb = 0; thumb <= !cache->is_a64; thumb++) {
        cs_mode mode = thumb ? CS_MODE_THUMB : CS_MODE_ARM;
        mode |= is_m_profile ? CS_MODE_MCLASS : 0;
        if (cs_open(arch, mode, &cache->capstone[thumb]) != CS_ERR_OK) {
            return false;
        }
        cs_option(cache->capstone[thumb], CS_OPT_DETAIL, CS_OPT_ON);
    }
    return cache->table != NULL;
}

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static void add_write(insn_t *in, unsigned reg, unsigned bytes)
{
    if (reg == REG_COUNT || in->write_count == INSN_WRITES_MAX) {
        return;
    }
    for (unsigned i = 0; i < in->write_count; i++) {
        if (in->writes[i].reg == reg) {
            return;
        }
    }
    in->writes[in->write_count++] = (reg_write_t){(uint8_t)reg, (uint8_t)bytes};
}

static void add_capstone_write(insn_t *in, bool is_a64, unsigned capstone_reg)
{
    unsigned bytes = 0;
    unsigned reg = regs_from_capstone(is_a64, capstone_reg, &bytes);
    add_write(in, reg, bytes);
}

// --- A64 -----------------------------------------------------------------------------------

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

// Instructions that Capstone 4 treats as hints, or does not know.
typedef struct {
    uint32_t bits;
    const char *name;
    kind_t kind;
    bool writes_lr;
} signing_t;

static const signing_t *find_signing(uint32_t bits)
{
    static const signing_t known[] = {
        {0xd503233f, "paciasp", KIND_PLAIN, true}, {0xd50323bf, "autiasp", KIND_PLAIN, true},
        {0xd503245f, "bti c", KIND_PLAIN, false},  {0xd503249f, "bti j", KIND_PLAIN, false},
        {0xd50324df, "bti jc", KIND_PLAIN, false}, {0xd65f0bff, "retaa", KIND_RETURN, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].bits == bits) {
            return &known[i];
        }
    }
    return NULL;
}

static void describe_signing(insn_t *in, const signing_t *known)
{
    in->state = 'O';
    in->condition = 14;
    in->kind = known->kind;
    if (known->writes_lr) {
        add_write(in, REG_LR64, 8);
    }
}

static kind_t kind_a64(const cs_insn *cs, uint32_t bits)
{
    if (bits == 0xd45e0000) {
        return KIND_SEMIHOST;
    }
    switch (cs->id) {
    case ARM64_INS_BL:
    case ARM64_INS_BLR:
        return KIND_CALL;
    case ARM64_INS_RET:
        return KIND_RETURN;
    case ARM64_INS_BR:
        return KIND_INDIRECT;
    case ARM64_INS_ERET:
        return KIND_ERET;
    case ARM64_INS_SVC:
        return KIND_SVC;
    case ARM64_INS_CBZ:
    case ARM64_INS_CBNZ:
    case ARM64_INS_TBZ:
    case ARM64_INS_TBNZ:
        return KIND_COND_BRANCH;
    case ARM64_INS_B:
        return starts(cs->mnemonic, "b.") ? KIND_COND_BRANCH : KIND_BRANCH;
    default:
        return KIND_PLAIN;
    }
}

static void msr_a64(insn_t *in, const cs_insn *cs)
{
    const cs_arm64 *a = &cs->detail->arm64;
    in->changes_mode = true;
    const char *comma = strchr(cs->op_str, ',');
    size_t length = comma == NULL ? 0 : (size_t)(comma - cs->op_str);
    if (a->op_count < 2 || a->operands[1].type != ARM64_OP_REG ||
        length >= sizeof in->system_name) {
        add_write(in, REG_CPSR, 4); // MSR (immediate): spsel, daifset, daifclr
        return;
    }
    for (size_t i = 0; i < length; i++) {
        in->system_name[i] = (char)toupper((unsigned char)cs->op_str[i]);
    }
    unsigned bytes = 0;
    if (strcmp(in->system_name, "NZCV") == 0 || strcmp(in->system_name, "DAIF") == 0) {
        add_write(in, REG_CPSR, 4);
    } else if (strcmp(in->system_name, "FPCR") == 0) {
        add_write(in, REG_FPCR, 4);
    } else if (strcmp(in->system_name, "FPSR") == 0) {
        add_write(in, REG_FPSR, 4);
    } else {
        in->system_source = (uint8_t)regs_from_capstone(true, a->operands[1].reg, &bytes);
        add_write(in, REG_SYSTEM, 8);
        in->kind = starts(in->system_name, "S3_") ? KIND_IGNORED : KIND_PLAIN;
    }
}

// Capstone 4's access flags are wrong for several A64 instructions (for example, operands of stores
// are marked as written). So these rules depend on the form of the instruction: stores write at
// most their base register; loads write every register before the address; comparisons write only
// flags; everything else writes its first operand. The tracer's --check compares all registers with
// the result after every instruction.
static void writes_a64(insn_t *in, const cs_insn *cs)
{
    static const char *const none[] = {"nop", "dmb",   "dsb",   "isb", "prfm", "wfi",
                                       "wfe", "sev",   "yield", "dc",  "ic",   "hint",
                                       "sys", "clrex", "prfum", NULL};
    static const char *const flags_only[] = {"cmp",  "cmn",   "tst",   "ccmp",   "ccmn",
                                             "fcmp", "fcmpe", "fccmp", "fccmpe", NULL};
    const cs_arm64 *a = &cs->detail->arm64;
    const char *m = cs->mnemonic;
    if (cs->id == ARM64_INS_MSR) {
        msr_a64(in, cs);
    } else if (in->kind == KIND_CALL) {
        add_write(in, REG_LR64, 8);
    } else if (in->kind == KIND_SEMIHOST) {
        add_write(in, REG_X0, 8);
    } else if (in->kind == KIND_ERET) {
        add_write(in, REG_CPSR, 4);
    } else if (in->kind != KIND_PLAIN || is_one_of(m, none)) {
        return;
    } else if (is_one_of(m, flags_only)) {
        add_write(in, REG_CPSR, 4);
    } else if (starts(m, "st")) {
        if (in->is_store_exclusive) {
            add_capstone_write(in, true, a->operands[0].reg);
        }
    } else {
        bool is_load = starts(m, "ld");
        for (unsigned i = 0; i < (is_load ? a->op_count : 1u); i++) {
            if (a->operands[i].type != ARM64_OP_REG) {
                break;
            }
            add_capstone_write(in, true, a->operands[i].reg);
        }
        if (a->update_flags) {
            add_write(in, REG_CPSR, 4);
        }
    }
    for (unsigned i = 0; a->writeback && i < a->op_count; i++) {
        if (a->operands[i].type == ARM64_OP_MEM) {
            add_capstone_write(in, true, a->operands[i].mem.base);
        }
    }
}

static void describe_a64(insn_t *in, const cs_insn *cs)
{
    const cs_arm64 *a = &cs->detail->arm64;
    const char *m = cs->mnemonic;
    in->state = 'O';
    in->condition = 14;
    in->kind = kind_a64(cs, in->bits);
    in->changes_mode = in->kind == KIND_ERET;
    in->is_store_exclusive =
        starts(m, "stxr") || starts(m, "stlxr") || starts(m, "stxp") || starts(m, "stlxp");
    bool is_memory = starts(m, "ld") || starts(m, "st");
    in->is_simd_list = is_memory && isdigit((unsigned char)m[2]);
    writes_a64(in, cs);
    unsigned bytes = 0;
    if (is_memory && a->op_count > 0 && a->operands[0].type == ARM64_OP_REG) {
        unsigned reg = regs_from_capstone(true, a->operands[0].reg, &bytes);
        bool is_vector = reg >= REG_V0 && reg < REG_V0 + 32 && bytes == 16;
        in->is_16byte = !in->is_simd_list && (is_vector || (starts(m, "ldp") && bytes == 8));
    }
}

// --- A32 and T32 ---------------------------------------------------------------------------

static bool writes_pc(const cs_regs written, uint8_t count)
{
    for (unsigned i = 0; i < count; i++) {
        if (written[i] == ARM_REG_PC) {
            return true;
        }
    }
    return false;
}

static bool is_exception_return(const cs_insn *cs, bool to_pc)
{
    // subs pc, lr, #4 and movs pc, lr; rfe; ldm with the user-bank mark and pc.
    return cs->id == ARM_INS_RFEIA || cs->id == ARM_INS_RFEDB ||
           (to_pc && cs->detail->arm.update_flags) || (to_pc && cs->detail->arm.usermode);
}

static kind_t kind_a32(const insn_t *in, const cs_insn *cs, bool to_pc)
{
    bool is_semihosting = in->state == 'T' ? in->bits == 0xbeab || in->bits == 0xdfab
                                           : (in->bits & 0x0fffffff) == 0x0f123456;
    if (is_semihosting) {
        return KIND_SEMIHOST;
    }
    if (is_exception_return(cs, to_pc)) {
        return KIND_ERET;
    }
    const cs_arm *a = &cs->detail->arm;
    switch (cs->id) {
    case ARM_INS_BL:
    case ARM_INS_BLX:
        return KIND_CALL;
    case ARM_INS_SVC:
        return KIND_SVC;
    case ARM_INS_CBZ:
    case ARM_INS_CBNZ:
        return KIND_COND_BRANCH;
    case ARM_INS_B:
        return KIND_BRANCH;
    case ARM_INS_BX:
        return a->operands[0].reg == ARM_REG_LR ? KIND_RETURN : KIND_INDIRECT;
    case ARM_INS_POP:
    case ARM_INS_LDM:
        return to_pc ? KIND_RETURN : KIND_PLAIN;
    case ARM_INS_MOV:
        return !to_pc ? KIND_PLAIN : a->operands[1].reg == ARM_REG_LR ? KIND_RETURN : KIND_INDIRECT;
    case ARM_INS_LDR:
        // ldr pc, [sp], #4 is a pop of one register.
        return !to_pc                                  ? KIND_PLAIN
               : a->operands[1].mem.base == ARM_REG_SP ? KIND_RETURN
                                                       : KIND_INDIRECT;
    default:
        return to_pc ? KIND_INDIRECT : KIND_PLAIN;
    }
}

// The base register of loads and stores that update it, which Capstone sometimes leaves out.
static void add_base_a32(insn_t *in, const cs_insn *cs)
{
    const cs_arm *a = &cs->detail->arm;
    switch (cs->id) {
    case ARM_INS_PUSH:
    case ARM_INS_POP:
    case ARM_INS_VPUSH:
    case ARM_INS_VPOP:
        add_write(in, REG_SP, 4);
        return;
    default:
        break;
    }
    bool is_list = in->is_simd_list && (strstr(cs->op_str, "]!") || strstr(cs->op_str, "],"));
    for (unsigned i = 0; (a->writeback || is_list) && i < a->op_count; i++) {
        if (a->operands[i].type == ARM_OP_MEM) {
            add_capstone_write(in, false, a->operands[i].mem.base);
        } else if (i == 0 && a->op_count > 1) { // the first operand of ldm and stm is the base
            add_capstone_write(in, false, a->operands[i].reg);
        }
    }
}

// MSR of the M profile, whose special registers have their own names.
static void msr_m(insn_t *in, const cs_insn *cs)
{
    const char *comma = strchr(cs->op_str, ',');
    size_t length = comma == NULL ? 0 : (size_t)(comma - cs->op_str);
    in->write_count = 0;
    if (cs->id != ARM_INS_MSR || length >= sizeof in->system_name) {
        return;
    }
    for (size_t i = 0; i < length; i++) {
        in->system_name[i] = (char)toupper((unsigned char)cs->op_str[i]);
    }
    if (starts(in->system_name, "APSR")) {
        add_write(in, REG_CPSR, 4);
        return;
    }
    in->system_source = in->bits >> 16 & 15;
    add_write(in, REG_SYSTEM, 4);
}

static void writes_a32(insn_t *in, const cs_insn *cs, const cs_regs written, uint8_t count,
                       bool is_m_profile)
{
    if (in->kind == KIND_SEMIHOST) {
        add_write(in, REG_X0, 4);
    }
    if (in->kind == KIND_SVC || in->kind == KIND_SEMIHOST || in->kind == KIND_BRANCH) {
        return;
    }
    if (in->kind == KIND_CALL) {
        add_write(in, REG_LR32, 4);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        add_capstone_write(in, false, written[i]);
    }
    const cs_arm *a = &cs->detail->arm;
    bool is_store = starts(cs->mnemonic, "st") || starts(cs->mnemonic, "vst") ||
                    starts(cs->mnemonic, "push") || starts(cs->mnemonic, "vpush");
    if (is_store && !in->is_store_exclusive) {
        in->write_count = 0;
    }
    add_base_a32(in, cs);
    if (a->update_flags || starts(cs->mnemonic, "cps") || cs->id == ARM_INS_SETEND ||
        in->kind == KIND_ERET) {
        add_write(in, REG_CPSR, 4);
    }
    if (cs->id == ARM_INS_MRC || cs->id == ARM_INS_VMRS ||
        cs->id == ARM_INS_MRS) { // Capstone does not report this write
        for (unsigned i = 0; i < a->op_count; i++) {
            if (a->operands[i].type == ARM_OP_REG) {
                add_capstone_write(in, false, a->operands[i].reg);
                break;
            }
        }
    }
    if (cs->id == ARM_INS_VMSR && starts(cs->op_str, "fpexc")) {
        in->write_count = 0;
    }
    if (is_m_profile && (cs->id == ARM_INS_MSR || cs->id == ARM_INS_CPS)) {
        msr_m(in, cs);
    } else if (cs->id == ARM_INS_MSR) {
        const char *s = cs->op_str;
        in->write_count = 0;
        if (starts(s, "cpsr") || starts(s, "apsr")) {
            add_write(in, REG_CPSR, 4);
        }
    }
}

static void describe_a32(insn_t *in, const cs_insn *cs, size_t capstone, bool is_m_profile)
{
    const cs_arm *a = &cs->detail->arm;
    cs_regs read;
    cs_regs written;
    uint8_t read_count = 0;
    uint8_t written_count = 0;
    cs_regs_access(capstone, cs, read, &read_count, written, &written_count);
    bool to_pc = writes_pc(written, written_count);
    in->condition = a->cc >= ARM_CC_EQ && a->cc <= ARM_CC_AL ? (uint8_t)(a->cc - ARM_CC_EQ) : 14;
    if (in->state == 'T' && in->size_bytes == 2 && (in->bits & 0xff00) == 0xbf00 &&
        (in->bits & 0xf) != 0) {
        in->it_state = in->bits & 0xff;
        in->condition = 14; // it has the condition of its block, but is always executed
        return;
    }
    in->is_store_exclusive = starts(cs->mnemonic, "strex");
    in->is_simd_list = starts(cs->mnemonic, "vld1") || starts(cs->mnemonic, "vst1");
    in->kind = kind_a32(in, cs, to_pc);
    in->changes_mode = in->kind == KIND_ERET || cs->id == ARM_INS_MSR ||
                       starts(cs->mnemonic, "cps") || starts(cs->mnemonic, "setend");
    writes_a32(in, cs, written, written_count, is_m_profile);
    bool is_register_branch = in->kind == KIND_RETURN || in->kind == KIND_INDIRECT;
    if (is_register_branch || cs->id == ARM_INS_BLX) {
        unsigned count = in->write_count;
        add_write(in, REG_CPSR, 4);
        in->may_interwork = in->write_count != count;
    }
}

// --- both ----------------------------------------------------------------------------------

static uint32_t read_bits(const uint8_t *code, unsigned size_bytes, bool is_thumb)
{
    if (size_bytes == 2) {
        return (uint32_t)code[0] | (uint32_t)code[1] << 8;
    }
    if (is_thumb) { // two halfwords, the more significant one first
        return (uint32_t)(code[0] | code[1] << 8) << 16 | (uint32_t)(code[2] | code[3] << 8);
    }
    uint32_t bits;
    memcpy(&bits, code, 4);
    return bits;
}

// Disassembles one instruction. Inside an IT block, its text and the flags that it sets depend on
// the block. So a matching IT instruction is placed before it, whose own text is discarded.
static cs_insn *disassemble(size_t capstone, const insn_t *in, const uint8_t *code,
                            unsigned it_state, size_t *count)
{
    cs_insn *cs = NULL;
    if (it_state == 0) {
        *count = cs_disasm(capstone, code, in->size_bytes, in->pc, 1, &cs);
        return cs;
    }
    uint8_t block[6] = {(uint8_t)((it_state & 0xf0) | 0x08), 0xbf};
    memcpy(block + 2, code, in->size_bytes);
    *count = cs_disasm(capstone, block, in->size_bytes + 2u, in->pc - 2, 2, &cs);
    return cs;
}

void insn_cache_forget(insn_cache_t *cache, uint64_t address, unsigned size_bytes)
{
    // An instruction of four bytes may begin two bytes earlier.
    uint64_t first = (address - 2 - cache->image->text_start) >> 1;
    for (uint64_t slot = first; slot <= first + (size_bytes + 2) / 2; slot++) {
        if (slot < cache->table_count && cache->table[slot] != NULL) {
            cache->table[slot] = NULL; // not freed, because it may be the current instruction
        }
    }
}

insn_t *insn_cache_miss(insn_cache_t *cache, uint64_t pc, unsigned size_bytes, bool is_thumb,
                        unsigned it_state)
{
    uint64_t slot = (pc - cache->image->text_start) >> 1;
    insn_t *in = slot < cache->table_count ? calloc(1, sizeof *in) : NULL;
    if (in == NULL) {
        return NULL;
    }
    const uint8_t *code = ram_at(cache->image, pc);
    in->pc = pc;
    in->size_bytes = (uint8_t)size_bytes;
    in->bits = read_bits(code, size_bytes, is_thumb);
    in->state = is_thumb ? 'T' : 'A';
    in->condition = 14;
    size_t capstone = cache->capstone[is_thumb];
    size_t count = 0;
    const signing_t *signing = cache->is_a64 ? find_signing(in->bits) : NULL;
    if (signing != NULL) {
        describe_signing(in, signing);
        cache->style->prepare(in, signing->name, "");
        cache->table[slot] = in;
        return in;
    }
    cs_insn *list = disassemble(capstone, in, code, it_state, &count);
    if (count == (it_state == 0 ? 1 : 2)) {
        const cs_insn *cs = &list[count - 1];
        if (cache->is_a64) {
            describe_a64(in, cs);
        } else {
            describe_a32(in, cs, capstone, cache->is_m_profile);
        }
        cache->style->prepare(in, cs->mnemonic, cs->op_str);
    } else {
        in->state = cache->is_a64 ? 'O' : in->state;
        cache->style->prepare(in, "undefined", "");
    }
    if (count != 0) {
        cs_free(list, count);
    }
    cache->table[slot] = in;
    return in;
}
