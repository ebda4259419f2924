// RISC-V: encodings are compared with another decoder; names and places of registers.
#include "arch/arches.h"
#include "arch/riscv/control.h"
#include "arch/riscv/effects.h"
#include "arch/riscv/register_layout.h"
#include "arch/riscv/registers.h"
#include "test.h"

#include <elf.h>
#include <stdio.h>

struct riscv_row {
    enum riscv_isa isa;
    uint32_t encoding;
    enum branch_kind kind;
    bool is_conditional;
    uint64_t target;
    struct {
        enum riscv_access_kind kind;
        uint8_t size_bytes;
        bool is_signed;
        enum riscv_file file;
        uint8_t number;
    } access;
};

#include "riscv_rows.h"

#define PC 0x40000

static bool agrees(const struct riscv_row *row)
{
    const struct branch branch = riscv_branch(PC, row->encoding, row->isa);
    const struct riscv_access access = riscv_access(row->encoding, row->isa);
    const uint32_t size_bytes = (row->encoding & 3) == 3 ? 4 : 2;
    const bool is_same =
        branch.kind == row->kind && branch.target == row->target && branch.pc == PC &&
        branch.next == PC + size_bytes && branch.is_conditional == row->is_conditional &&
        riscv_size_bytes(row->encoding) == size_bytes && access.kind == row->access.kind &&
        access.size_bytes == row->access.size_bytes && access.is_signed == row->access.is_signed &&
        access.file == row->access.file && access.number == row->access.number;
    if (!is_same)
        fprintf(stderr, "RV%d %08x: kind %d, not %d; target %llx; access %d of %d\n",
                row->isa ? 64 : 32, row->encoding, (int)branch.kind, (int)row->kind,
                (unsigned long long)branch.target, access.kind, access.size_bytes);
    return is_same;
}

static void instructions_are_those_of_another_decoder(void)
{
    int wrong = 0;
    for (size_t i = 0; i < ARRAY_COUNT(riscv_rows); i++)
        wrong += !agrees(&riscv_rows[i]);
    CHECK(ARRAY_COUNT(riscv_rows) == 800);
    CHECK(wrong == 0);
}

// What the other decoder does not know: a code that depends on the width, returns from traps of
// newer extensions, Zcb, Zcmp and Zcmt, guests of hypervisors.
static void newer_instructions_are_known(void)
{
    CHECK(riscv_branch(PC, 0x2001, RISCV_32).kind == BRANCH_CALL); // c.jal
    CHECK(riscv_branch(PC, 0x2001, RISCV_64).kind == BRANCH_NONE); // c.addiw
    CHECK(riscv_branch(PC, 0x70200073, RISCV_64).kind == BRANCH_LEAVES);
    CHECK(riscv_branch(PC, 0x10500073, RISCV_64).kind == BRANCH_NONE); // wfi
    CHECK(riscv_branch(PC, 0xbe42, RISCV_32).kind == BRANCH_RETURN);   // cm.popret {ra}, 16
    CHECK(riscv_branch(PC, 0xbc42, RISCV_32).kind == BRANCH_RETURN);   // cm.popretz {ra}, 16
    CHECK(riscv_branch(PC, 0xba42, RISCV_32).kind == BRANCH_NONE);     // cm.pop {ra}, 16
    CHECK(riscv_branch(PC, 0xbe42, RISCV_64).kind == BRANCH_NONE);     // c.fsdsp
    CHECK(riscv_branch(PC, 0xa006, RISCV_32).kind == BRANCH_INDIRECT); // cm.jt 1
    CHECK(riscv_branch(PC, 0xa0ae, RISCV_32).kind == BRANCH_CALL);     // cm.jalt 43
    CHECK(riscv_access(0xba42, RISCV_32).kind == RISCV_LOAD);
    CHECK(riscv_access(0xba42, RISCV_32).size_bytes == 4);
    CHECK(riscv_access(0xba42, RISCV_64).kind == RISCV_STORE);
    CHECK(riscv_access(0xb842, RISCV_32).is_multiple); // cm.push {ra}, -16
    CHECK(riscv_access(0x8000, RISCV_64).size_bytes == 1 &&
          !riscv_access(0x8000, RISCV_64).is_signed); // c.lbu s0, 0(s0)
    CHECK(riscv_access(0x8440, RISCV_64).size_bytes == 2 &&
          riscv_access(0x8440, RISCV_64).is_signed);                      // c.lh s0, 0(s0)
    const struct riscv_access guest = riscv_access(0x6815c2f3, RISCV_64); // hlv.wu t0, (a1)
    CHECK(guest.kind == RISCV_LOAD && guest.size_bytes == 4 && !guest.is_signed &&
          guest.number == 5);
    CHECK(riscv_size_bytes(0x1f) == 6 && riscv_size_bytes(0x3f) == 8);
    // A log may show more bits than an instruction has.
    CHECK(riscv_branch(PC, 0x12348082, RISCV_64).kind == BRANCH_RETURN);
}

static void beginnings_of_functions_are_known(void)
{
    CHECK(riscv_opens_frame(0x1141, RISCV_64));      // c.addi sp, -16
    CHECK(!riscv_opens_frame(0x0141, RISCV_64));     // c.addi sp, 16
    CHECK(riscv_opens_frame(0x715d, RISCV_64));      // c.addi16sp sp, -80
    CHECK(!riscv_opens_frame(0x6161, RISCV_64));     // c.addi16sp sp, 80
    CHECK(riscv_opens_frame(0xff010113, RISCV_32));  // addi sp, sp, -16
    CHECK(!riscv_opens_frame(0x01010113, RISCV_32)); // addi sp, sp, 16
    CHECK(!riscv_opens_frame(0xff010413, RISCV_32)); // addi s0, sp, -16
    CHECK(riscv_opens_frame(0xb842, RISCV_32));      // cm.push {ra}, -16
    CHECK(!riscv_opens_frame(0xb842, RISCV_64));     // c.fsdsp
}

static const struct register_run *run_named(const char *name, enum riscv_isa isa)
{
    for (size_t i = 0; i < riscv_registers.count; i++) {
        const struct register_run *run = &riscv_registers.runs[i];
        if (strcmp(run->name, name) == 0 && run->isas >> isa & 1)
            return run;
    }
    return NULL;
}

static void registers_have_places_of_their_own(void)
{
    static const enum riscv_isa isas[] = {RISCV_32, RISCV_64};
    for (size_t i = 0; i < ARRAY_COUNT(isas); i++) {
        uint64_t seen[2] = {0};
        for (unsigned n = 0; n < 32; n++) {
            char name[8];
            snprintf(name, sizeof name, "x%u", n);
            const struct register_run *run = run_named(name, isas[i]);
            const uint64_t offset = riscv_offset_x(n, isas[i]);
            uint64_t *among = &seen[offset >= RISCV_OFFSET_REST];
            CHECK(run && run->offset == offset && run->dwarf == n);
            CHECK(run && run->size_bytes == (isas[i] == RISCV_64 ? 8 : 4));
            CHECK(offset < 0x100 || (offset >= RISCV_OFFSET_REST && offset < 0x2210));
            CHECK(!(*among >> (offset / 8 % 64) & 1));
            *among |= UINT64_C(1) << (offset / 8 % 64);
        }
        CHECK(run_named("sp", isas[i])->offset == riscv_offset_x(2, isas[i]));
        CHECK(run_named("sp", isas[i])->flags & TRAWL_REGISTER_SP);
        CHECK(run_named("ra", isas[i])->flags & TRAWL_REGISTER_LINK);
    }
    CHECK(riscv_offset_x(2, RISCV_64) == 31 * 8 && riscv_offset_x(1, RISCV_64) == 30 * 8);
    CHECK(riscv_offset_x(2, RISCV_32) == 13 * 8 && riscv_offset_x(1, RISCV_32) == 14 * 8);
}

static void names_of_the_abi_are_those_of_the_layout(void)
{
    unsigned count = 0;
    for (size_t i = 0; i < riscv_registers.count; i++) {
        const struct register_run *run = &riscv_registers.runs[i];
        unsigned number = 99;
        if (run->shown || run->flags & TRAWL_REGISTER_PC)
            continue;
        const size_t length = strlen(run->name);
        const bool is_f = run->flags & TRAWL_REGISTER_VECTOR;
        CHECK(is_f ? riscv_abi_f(run->name, length, &number)
                   : riscv_abi_x(run->name, length, &number));
        CHECK(run->offset ==
              (is_f ? riscv_offset_f(number)
                    : riscv_offset_x(number, run->isas >> RISCV_64 & 1 ? RISCV_64 : RISCV_32)));
        count++;
    }
    CHECK(count == 2 * 33 + 32);
    static const char *const none[] = {"",    "a",  "a8",  "t7",  "s12",
                                       "s01", "x1", "ra0", "fa8", "a100"};
    for (size_t i = 0; i < ARRAY_COUNT(none); i++) {
        unsigned number;
        CHECK(!riscv_abi_x(none[i], strlen(none[i]), &number));
        CHECK(!riscv_abi_f(none[i], strlen(none[i]), &number));
    }
}

static void system_registers_have_names(void)
{
    char name[RISCV_CSR_NAME_BYTES];
    unsigned named = 0;
    for (unsigned number = 0; number < 0x1000; number++) {
        unsigned found = 0;
        riscv_csr_name(number, name);
        if (strncmp(name, "csr_", 4) == 0)
            continue;
        named++;
        CHECK(riscv_csr_number(name, strlen(name), &found) && found == number);
    }
    CHECK(named == 459);
    riscv_csr_name(0x300, name);
    CHECK_STR(name, "mstatus");
    riscv_csr_name(0x3ef, name);
    CHECK_STR(name, "pmpaddr63");
    riscv_csr_name(0xb9f, name);
    CHECK_STR(name, "mhpmcounter31h");
    riscv_csr_name(0x7c0, name);
    CHECK_STR(name, "csr_7c0");
    CHECK(!riscv_csr_number("mstatu", 6, &named) && !riscv_csr_number("pmpaddr64", 9, &named));
}

static void the_table_has_the_architecture(void)
{
    const struct arch *arch = arch_of_machine(EM_RISCV);
    enum task_key_kind kind;
    CHECK_STR(arch->core, "a RISC-V core");
    CHECK(arch->tells_tasks("satp", 4, &kind) && kind == KEY_OF_SPACE);
    CHECK(!arch->tells_tasks("sat", 3, &kind) && !arch->tells_tasks("sscratch", 8, &kind));
    CHECK(!exception_link(arch->exceptions, 0) && !exception_link(arch->exceptions, 1) &&
          !exception_link(arch->exceptions, UINT64_MAX));
    for (unsigned isa = 0; isa < ARCH_ISAS; isa += 2) {
        for (const char *const *name = arch->isas[isa].arguments; name && *name; name++)
            CHECK(run_named(*name, (enum riscv_isa)isa));
    }
}

// --- Effects -------------------------------------------------------------------------------------

static char *put_place(char *at, const char *end, enum riscv_isa isa,
                       const struct effect_place *place)
{
    const unsigned xlen = isa == RISCV_64 ? 8 : 4;
    for (unsigned n = 0; n < 32 && place->kind == EFFECT_REGISTER; n++) {
        const uint64_t from_x = place->offset - riscv_offset_x(n, isa),
                       from_f = place->offset - riscv_offset_f(n),
                       from_v = place->offset - riscv_offset_v(n);
        if (from_v < RISCV_BYTES_V)
            return at + snprintf(at, (size_t)(end - at), "v%u[%u:%u]", n, (unsigned)from_v,
                                 place->bytes);
        if (from_x < xlen || from_f < 8)
            return at + snprintf(at, (size_t)(end - at), "%c%u[%u:%u]", from_x < xlen ? 'x' : 'f',
                                 n, (unsigned)(from_x < xlen ? from_x : from_f), place->bytes);
    }
    return at + snprintf(at, (size_t)(end - at), "%c%x[%u]", "RFMSPZ"[place->kind], place -> offset,
                         place -> bytes);
}

// Each output, and after "=" its inputs with their roles: "x5[0:8]=CM0[4],Ax6[0:8]".
static void write_effects(const struct effects *effects, enum riscv_isa isa, char text[1024])
{
    char *at = text;
    const char *const end = text + 1024;
    at += snprintf(at, 1024, "%s", effects->is_known ? effects->is_exception ? "!" : "" : "?");
    for (unsigned i = 0; i < effects->flow_count; i++) {
        const struct effect_flow *flow = &effects->flows[i];
        if (i)
            *at++ = ' ';
        at = put_place(at, end, isa, &flow->output);
        *at++ = '=';
        for (unsigned k = 0; k < flow->count; k++) {
            const struct effect_place *input = &effects->inputs[flow->first + k];
            at += snprintf(at, (size_t)(end - at), "%s%c", k ? "," : "", "VCAN"[input->role]);
            at = put_place(at, end, isa, input);
        }
    }
    *at = '\0';
}

// V: the value is computed from it; C: its bytes are moved; A: an address; N: it decides. x, f:
// registers, with bytes; F1: exceptions of floating point, F2: its rounding mode; M: memory; S: a
// system register; P: the PC.
static void effects_are_those_of_the_specification(void)
{
    static const struct effect_vectors no_vectors = {0};
    static const struct {
        enum riscv_isa isa;
        uint32_t code;
        const char *effects;
    } rows[] = {
        // clang-format off
        {RISCV_64, 0x829a, "x5[0:8]=Cx6[0:8]"}, // addi x5,x6,0
        {RISCV_64, 0x130293, "x5[0:8]=Vx6[0:8]"}, // addi x5,x6,1
        {RISCV_64, 0x130013, ""}, // addi x0,x6,1
        {RISCV_64, 0x429d, "x5[0:8]="}, // addi x5,x0,7
        {RISCV_64, 0xfff34293, "x5[0:8]=Vx6[0:8]"}, // xori x5,x6,-1
        {RISCV_64, 0xff37293, "x5[1:7]= x5[0:1]=Cx6[0:1]"}, // andi x5,x6,255
        {RISCV_64, 0x37293, "x5[0:8]="}, // andi x5,x6,0
        {RISCV_64, 0x332293, "x5[0:8]=Vx6[0:8]"}, // slti x5,x6,3
        {RISCV_64, 0x331293, "x5[0:8]=Vx6[0:8]"}, // slli x5,x6,3
        {RISCV_64, 0x4033529b, "x5[0:8]=Vx6[0:4]"}, // sraiw x5,x6,3
        {RISCV_64, 0x3029b, "x5[0:8]=Cx6[0:4]"}, // addiw x5,x6,0
        {RISCV_64, 0x13029b, "x5[0:8]=Vx6[0:4]"}, // addiw x5,x6,1
        {RISCV_64, 0x6285, "x5[0:8]="}, // lui x5,1
        {RISCV_64, 0x1297, "x5[0:8]=VP0[8]"}, // auipc x5,1
        {RISCV_64, 0x7302b3, "x5[0:8]=Vx6[0:8],Vx7[0:8]"}, // add x5,x6,x7
        {RISCV_64, 0x829e, "x5[0:8]=Cx7[0:8]"}, // add x5,x0,x7
        {RISCV_64, 0x400302b3, "x5[0:8]=Cx6[0:8]"}, // sub x5,x6,x0
        {RISCV_64, 0x407002b3, "x5[0:8]=Vx7[0:8]"}, // sub x5,x0,x7
        {RISCV_64, 0x7312b3, "x5[0:8]=Vx6[0:8],Vx7[0:1]"}, // sll x5,x6,x7
        {RISCV_64, 0x7302bb, "x5[0:8]=Vx6[0:4],Vx7[0:4]"}, // addw x5,x6,x7
        {RISCV_64, 0x27332b3, "x5[0:8]=Vx6[0:8],Vx7[0:8]"}, // mulhu x5,x6,x7
        {RISCV_64, 0x27342bb, "x5[0:8]=Vx6[0:4],Vx7[0:4]"}, // divw x5,x6,x7
        {RISCV_64, 0x430283, "x5[0:8]=CM0[1],Ax6[0:8]"}, // lb x5,4(x6)
        {RISCV_64, 0x434283, "x5[1:7]= x5[0:1]=CM0[1],Ax6[0:8]"}, // lbu x5,4(x6)
        {RISCV_64, 0x436283, "x5[4:4]= x5[0:4]=CM0[4],Ax6[0:8]"}, // lwu x5,4(x6)
        {RISCV_64, 0x433003, ""}, // ld x0,4(x6)
        {RISCV_64, 0x531223, "M0[2]=Ax6[0:8],Cx5[0:2]"}, // sh x5,4(x6)
        {RISCV_64, 0x3223, "M0[8]="}, // sd x0,4(x0)
        {RISCV_64, 0x432287, "f5[4:4]= f5[0:4]=CM0[4],Ax6[0:8]"}, // flw f5,4(x6)
        {RISCV_64, 0x433287, "f5[0:8]=CM0[8],Ax6[0:8]"}, // fld f5,4(x6)
        {RISCV_64, 0x532227, "M0[4]=Ax6[0:8],Cf5[0:4]"}, // fsw f5,4(x6)
        {RISCV_64, 0x100322af, "x5[0:8]=CM0[4],Ax6[0:8] S1000[0]=Ax6[0:8]"}, // lr.w x5,(x6)
        {RISCV_64, 0x187332af, "M0[8]=Ax6[0:8],Cx7[0:8],NS1000[0] x5[0:8]=VS1000[0],Ax6[0:8] S1000[0]="}, // sc.d x5,x7,(x6)
        {RISCV_64, 0x7322af, "x5[0:8]=CM0[4],Ax6[0:8] M0[4]=Ax6[0:8],Vx7[0:4],VM0[4]"}, // amoadd.w x5,x7,(x6)
        {RISCV_64, 0x873302f, "M0[8]=Ax6[0:8],Cx7[0:8]"}, // amoswap.d x0,x7,(x6)
        {RISCV_64, 0x628063, "P0[8]=Nx5[0:8],Nx6[0:8]"}, // beq x5,x6,.
        {RISCV_64, 0xef, "x1[0:8]=VP0[8]"}, // jal x1,.
        {RISCV_64, 0x8067, "P0[8]=Cx1[0:8]"}, // jalr x0,0(x1)
        {RISCV_64, 0x4300e7, "x1[0:8]=VP0[8] P0[8]=Vx6[0:8]"}, // jalr x1,4(x6)
        {RISCV_64, 0x34011173, "x2[0:8]=CS340[8] S340[8]=Cx2[0:8]"}, // csrrw x2,mscratch,x2
        {RISCV_64, 0x341022f3, "x5[0:8]=CS341[8]"}, // csrrs x5,mepc,x0
        {RISCV_64, 0x30432073, "S304[8]=VS304[8],Vx6[0:8]"}, // csrrs x0,mie,x6
        {RISCV_64, 0x30405073, "S304[8]="}, // csrrwi x0,mie,0
        {RISCV_64, 0x3040f2f3, "x5[0:8]=CS304[8] S304[8]=VS304[8]"}, // csrrci x5,mie,1
        {RISCV_64, 0x73, "!"}, // ecall
        {RISCV_64, 0x30200073, "!P0[8]=CS341[8]"}, // mret
        {RISCV_64, 0x330000f, ""}, // fence rw,rw
        {RISCV_64, 0x10500073, ""}, // wfi
        {RISCV_64, 0x7302d3, "f5[4:4]= f5[0:4]=Vf6[0:8],Vf7[0:8] F1[0]=Vf6[0:8],Vf7[0:8],VF1[0]"}, // fadd.s f5,f6,f7,rne
        {RISCV_64, 0x27372d3, "f5[0:8]=Vf6[0:8],Vf7[0:8],NF2[0] F1[0]=Vf6[0:8],Vf7[0:8],NF2[0],VF1[0]"}, // fadd.d f5,f6,f7,dyn
        {RISCV_64, 0x580302d3, "f5[4:4]= f5[0:4]=Vf6[0:8] F1[0]=Vf6[0:8],VF1[0]"}, // fsqrt.s f5,f6,rne
        {RISCV_64, 0x226302d3, "f5[0:8]=Cf6[0:8]"}, // fsgnj.d f5,f6,f6
        {RISCV_64, 0x226312d3, "f5[0:8]=Vf6[0:8],Vf6[0:8]"}, // fsgnjn.d f5,f6,f6
        {RISCV_64, 0x427302c3, "f5[0:8]=Vf6[0:8],Vf7[0:8],Vf8[0:8] F1[0]=Vf6[0:8],Vf7[0:8],Vf8[0:8],VF1[0]"}, // fmadd.d f5,f6,f7,f8,rne
        {RISCV_64, 0xc20312d3, "x5[0:8]=Vf6[0:8] F1[0]=Vf6[0:8],VF1[0]"}, // fcvt.w.d x5,f6,rtz
        {RISCV_64, 0xd20302d3, "f5[0:8]=Vx6[0:4] F1[0]=Vx6[0:4],VF1[0]"}, // fcvt.d.w f5,x6
        {RISCV_64, 0x401302d3, "f5[4:4]= f5[0:4]=Vf6[0:8] F1[0]=Vf6[0:8],VF1[0]"}, // fcvt.s.d f5,f6,rne
        {RISCV_64, 0xa27322d3, "x5[0:8]=Vf6[0:8],Vf7[0:8] F1[0]=Vf6[0:8],Vf7[0:8],VF1[0]"}, // feq.d x5,f6,f7
        {RISCV_64, 0xe00312d3, "x5[0:8]=Vf6[0:8]"}, // fclass.s x5,f6
        {RISCV_64, 0xe00302d3, "x5[0:8]=Cf6[0:4]"}, // fmv.x.w x5,f6
        {RISCV_64, 0xf20302d3, "f5[0:8]=Cx6[0:8]"}, // fmv.d.x f5,x6
        {RISCV_64, 0x287302d3, "f5[4:4]= f5[0:4]=Vf6[0:8],Vf7[0:8] F1[0]=Vf6[0:8],Vf7[0:8],VF1[0]"}, // fmin.s f5,f6,f7
        {RISCV_64, 0x207322b3, "x5[0:8]=Vx6[0:8],Vx7[0:8]"}, // sh1add x5,x6,x7
        {RISCV_64, 0x87302bb, "x5[0:8]=Vx6[0:4],Vx7[0:8]"}, // add.uw x5,x6,x7
        {RISCV_64, 0x80302bb, "x5[4:4]= x5[0:4]=Cx6[0:4]"}, // zext.w x5,x6
        {RISCV_64, 0x80342bb, "x5[2:6]= x5[0:2]=Cx6[0:2]"}, // zext.h x5,x6
        {RISCV_64, 0x60431293, "x5[0:8]=Cx6[0:1]"}, // sext.b x5,x6
        {RISCV_64, 0x487352b3, "x5[0:8]=Vx6[0:8],Vx7[0:1]"}, // bext x5,x6,x7
        {RISCV_64, 0x6b835293, "x5[0:8]=Vx6[0:8]"}, // rev8 x5,x6
        {RISCV_64, 0x60031293, "x5[0:8]=Vx6[0:8]"}, // clz x5,x6
        {RISCV_64, 0xa7342b3, "x5[0:8]=Vx6[0:8],Vx7[0:8]"}, // min x5,x6,x7
        {RISCV_64, 0x929a, "x5[0:8]=Vx5[0:8],Vx6[0:8]"}, // c.add x5,x6
        {RISCV_64, 0x428d, "x5[0:8]="}, // c.li x5,3
        {RISCV_64, 0x42a2, "x5[0:8]=CM0[4],Ax2[0:8]"}, // c.lwsp x5,8(sp)
        {RISCV_64, 0xe416, "M0[8]=Ax2[0:8],Cx5[0:8]"}, // c.sdsp x5,8(sp)
        {RISCV_64, 0x7139, "x2[0:8]=Vx2[0:8]"}, // c.addi16sp sp,-64
        {RISCV_64, 0x9c05, "x8[0:8]=Vx8[0:4],Vx9[0:4]"}, // c.subw x8,x9
        {RISCV_64, 0xc001, "P0[8]=Nx8[0:8]"}, // c.beqz x8,.
        {RISCV_64, 0x8082, "P0[8]=Cx1[0:8]"}, // c.jr x1
        {RISCV_64, 0x9302, "x1[0:8]=VP0[8] P0[8]=Cx6[0:8]"}, // c.jalr x6
        {RISCV_32, 0x2001, "x1[0:4]=VP0[4]"}, // c.jal
        {RISCV_32, 0x00432287, "f5[4:4]= f5[0:4]=CM0[4],Ax6[0:4]"}, // flw f5,4(x6)
        {RISCV_32, 0x00430283, "x5[0:4]=CM0[1],Ax6[0:4]"}, // lb x5,4(x6)
        {RISCV_32, 0x00433283, "?"}, // ld
        {RISCV_32, 0x007302bb, "?"}, // addw
        {RISCV_32, 0xa002, "?"}, // c.fsdsp or cm.jt
        // clang-format on
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct effects effects;
        char text[1024];
        riscv_effects(rows[i].code, rows[i].isa, &no_vectors, &effects);
        write_effects(&effects, rows[i].isa, text);
        CHECK_STR(text, rows[i].effects);
    }
}

// Of vectors of 16 bytes, of which groups of two are set up, with 6 elements of 32 bits: the
// registers that an event shows as written, and what it accesses.
#define VECTORS(registers, memory_bytes, adjacent)                                                 \
    {                                                                                              \
        .written = (registers), .elements = 6, .accessed = (memory_bytes), .bytes = 16,            \
        .element_bytes = 4, .group = 2, .is_adjacent = (adjacent)                                  \
    }

static void effects_of_vectors_are_those_of_the_specification(void)
{
    static const struct {
        uint32_t code;
        const char *effects;
        struct effect_vectors vectors;
    } rows[] = {
        // clang-format off
        // Sc20, Sc21: vl and vtype.
        {0xd1372d7, "Sc20[8]=Vx6[0:8] x5[0:8]=Vx6[0:8] Sc21[8]=", VECTORS(0x0, 0, false)}, // vsetvli x5,x6,e32,m2,ta,ma
        {0x2430157, "v2[0:16]=Vv4[0:16],Vv6[0:16],NSc20[8],NSc21[8] v3[0:8]=Vv5[0:8],Vv7[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vadd.vv v2,v4,v6
        {0x430157, "v2[0:16]=Vv4[0:16],Vv6[0:16],Vv2[0:16],Nv0[0:16],NSc20[8],NSc21[8] v3[0:8]=Vv5[0:8],Vv7[0:8],Vv3[0:8],Nv0[0:16],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vadd.vv v2,v4,v6,v0.t
        {0x2434157, "v2[0:16]=Vv4[0:16],Vx6[0:8],NSc20[8],NSc21[8] v3[0:8]=Vv5[0:8],Vx6[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vadd.vx v2,v4,x6
        {0x5e020157, "v2[0:16]=Cv4[0:16],NSc20[8],NSc21[8] v3[0:8]=Cv5[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vmv.v.v v2,v4
        {0x5c430157, "v2[0:16]=Vv4[0:16],Vv6[0:16],Nv0[0:16],NSc20[8],NSc21[8] v3[0:8]=Vv5[0:8],Vv7[0:8],Nv0[0:16],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vmerge.vvm v2,v4,v6,v0
        {0x9e40b157, "v2[0:16]=Cv4[0:16] v3[0:16]=Cv5[0:16]", VECTORS(0xc, 0, false)}, // vmv2r.v v2,v4
        {0xc621a257, "v4[0:16]=Vv2[0:8],Vv3[0:8],NSc20[8],NSc21[8] v5[0:16]=Vv2[8:8],Vv3[8:8],NSc20[8],NSc21[8] v6[0:16]=Vv3[0:8],Vv4[0:8],NSc20[8],NSc21[8]", VECTORS(0x70, 0, false)}, // vwadd.vv v4,v2,v3
        {0xb240b157, "v2[0:16]=Vv4[0:16],Vv5[0:16],NSc20[8],NSc21[8] v3[0:8]=Vv6[0:16],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vnsrl.wi v2,v4,1
        {0x622200d7, "v1[1:15]=Cv1[1:15] v1[0:1]=Vv1[0:1],NSc20[8],NSc21[8],Vv2[0:16],Vv3[0:8],Vv4[0:16],Vv5[0:8]", VECTORS(0x2, 0, false)}, // vmseq.vv v1,v2,v4
        {0x6621a0d7, "v1[1:15]=Cv1[1:15] v1[0:1]=Vv1[0:1],NSc20[8],NSc21[8],Vv2[0:16],Vv3[0:16]", VECTORS(0x2, 0, false)}, // vmand.mm v1,v2,v3
        {0x221a0d7, "v1[4:12]=Cv1[4:12] v1[0:4]=NSc20[8],NSc21[8],Vv2[0:16],Vv3[0:8],Vv3[0:4]", VECTORS(0x2, 0, false)}, // vredsum.vs v1,v2,v3
        {0x422022d7, "x5[0:8]=Vv2[0:8]", VECTORS(0x0, 0, false)}, // vmv.x.s x5,v2
        {0x42036157, "v2[4:12]=Cv2[4:12] v2[0:4]=NSc20[8],NSc21[8],Vx6[0:8]", VECTORS(0x4, 0, false)}, // vmv.s.x v2,x6
        {0xb2621157, "v2[0:16]=Vv6[0:16],Vv4[0:16],Vv2[0:16],NSc20[8],NSc21[8] v3[0:8]=Vv7[0:8],Vv5[0:8],Vv3[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8] F1[0]=VF1[0],NF2[0],Vv6[0:16],Vv7[0:8],Vv4[0:16],Vv5[0:8],NSc20[8],NSc21[8]", VECTORS(0xc, 0, false)}, // vfmacc.vv v2,v4,v6
        {0x32430157, "v2[0:16]=Vv4[0:16],Vv5[0:16],Vv6[0:16],Vv7[0:16],NSc20[8],NSc21[8] v3[0:8]=Vv4[0:16],Vv5[0:16],Vv6[0:16],Vv7[0:16],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vrgather.vv v2,v4,v6
        {0x3e436157, "v2[0:16]=Vv4[0:16],Vv5[0:16],Vx6[0:8],NSc20[8],NSc21[8] v3[0:8]=Vv4[0:16],Vv5[0:16],Vx6[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vslide1down.vx v2,v4,x6
        {0x4a422157, "v2[0:16]=Vv4[0:4],NSc20[8],NSc21[8] v3[0:8]=Vv4[4:2],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vzext.vf4 v2,v4
        {0x421822d7, "x5[0:8]=Vv1[0:16],NSc20[8],NSc21[8]", VECTORS(0x0, 0, false)}, // vcpop.m x5,v1
        {0x5208a157, "v2[0:16]=NSc20[8],NSc21[8] v3[0:8]=NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 0, false)}, // vid.v v2
        {0x2036107, "v2[0:16]=CM0[16],Ax6[0:8],NSc20[8],NSc21[8] v3[0:8]=CM10[8],Ax6[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 24, true)}, // vle32.v v2,(x6)
        {0x36107, "v2[0:16]=VM0[0],Vv2[0:16],Ax6[0:8],Nv0[0:16],NSc20[8],NSc21[8] v3[0:8]=VM0[0],Vv3[0:8],Ax6[0:8],Nv0[0:16],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 12, false)}, // vle32.v v2,(x6),v0.t
        {0x2036127, "M0[16]=Cv2[0:16],Ax6[0:8],NSc20[8],NSc21[8] M10[8]=Cv3[0:8],Ax6[0:8],NSc20[8],NSc21[8]", VECTORS(0x0, 24, true)}, // vse32.v v2,(x6)
        {0xa736107, "v2[0:16]=VM0[0],Ax6[0:8],Ax7[0:8],NSc20[8],NSc21[8] v3[0:8]=VM0[0],Ax6[0:8],Ax7[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8]", VECTORS(0xc, 24, false)}, // vlse32.v v2,(x6),x7
        {0x6436127, "M0[0]=Vv2[0:16],Vv3[0:8],Ax6[0:8],Av4[0:16],Av5[0:16],NSc20[8],NSc21[8]", VECTORS(0x0, 24, false)}, // vsuxei32.v v2,(x6),v4
        {0x2830107, "v2[0:16]=CM0[16],Ax6[0:8]", VECTORS(0x4, 16, true)}, // vl1re8.v v2,(x6)
        {0x86430157, "v2[0:16]=Vv4[0:16],Vv6[0:16],NSc20[8],NSc21[8] v3[0:8]=Vv5[0:8],Vv7[0:8],NSc20[8],NSc21[8] v3[8:8]=Cv3[8:8] S9[8]=VS9[8],NSa[8],Vv4[0:16],Vv5[0:8],Vv6[0:16],Vv7[0:8],NSc20[8],NSc21[8]", VECTORS(0xc, 0, false)}, // vsadd.vv v2,v4,v6
        {0x2000057, "", VECTORS(0, 0, false)}, // vadd.vv of no elements
        {0xfe003057, "?", VECTORS(1, 0, false)}, // reserved
        // clang-format on
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct effects effects;
        char text[1024];
        riscv_effects(rows[i].code, RISCV_64, &rows[i].vectors, &effects);
        write_effects(&effects, RISCV_64, text);
        CHECK_STR(text, rows[i].effects);
    }
}

// Whatever the code, what is said of it fits, and no two flows write the same bytes.
static void effects_of_any_code_are_sound(void)
{
    static const enum riscv_isa isas[] = {RISCV_32, RISCV_64};
    static bool written[RISCV_OFFSET_REST];
    uint32_t code = 1, random = 1;
    unsigned known = 0;
    for (unsigned i = 0; i < 400000; i++) {
        struct effects effects;
        code = i < 0x10000 ? i : code * UINT32_C(1664525) + UINT32_C(1013904223);
        random = random * UINT32_C(22695477) + 1;
        const uint16_t bytes = (uint16_t)(random >> 16 & 0x1ff);
        const struct effect_vectors vectors = {.written = random * 31 & random,
                                               .elements = random >> 8 & 0x3ff,
                                               .accessed = random >> 4 & 0xfff,
                                               .bytes = bytes,
                                               .element_bytes = (uint8_t)(random >> 28 & 0xf),
                                               .group = (uint8_t)(random >> 24 & 0xf),
                                               .is_adjacent = random >> 20 & 1};
        const bool is_vector = riscv_is_vector(code);
        riscv_effects(code, isas[i >> 1 & 1], &vectors, &effects);
        known += effects.is_known;
        CHECK(effects.is_known || (!effects.flow_count && !effects.is_exception));
        CHECK(effects.flow_count < (is_vector ? EFFECT_FLOWS : 8));
        CHECK(effects.input_count < (is_vector ? EFFECT_INPUTS : 16));
        memset(written, 0, sizeof written);
        for (unsigned k = 0; k < effects.flow_count; k++) {
            const struct effect_place *output = &effects.flows[k].output;
            if (output->kind != EFFECT_REGISTER || output->offset >= RISCV_OFFSET_REST)
                continue;
            CHECK(output->bytes > 0 && output->offset + output->bytes <= RISCV_OFFSET_REST);
            for (unsigned at = output->offset; at < output->offset + output->bytes; at++) {
                CHECK(!written[at]);
                written[at] = true;
            }
        }
    }
    CHECK(known > 60000);
}

const struct test_case riscv_tests[] = {
    {"riscv_effects_are_those_of_the_specification", effects_are_those_of_the_specification},
    {"riscv_effects_of_vectors_are_those_of_the_specification",
     effects_of_vectors_are_those_of_the_specification},
    {"riscv_effects_of_any_code_are_sound", effects_of_any_code_are_sound},
    {"riscv_instructions_are_those_of_another_decoder", instructions_are_those_of_another_decoder},
    {"riscv_newer_instructions_are_known", newer_instructions_are_known},
    {"riscv_beginnings_of_functions_are_known", beginnings_of_functions_are_known},
    {"riscv_registers_have_places_of_their_own", registers_have_places_of_their_own},
    {"riscv_names_of_the_abi_are_those_of_the_layout", names_of_the_abi_are_those_of_the_layout},
    {"riscv_system_registers_have_names", system_registers_have_names},
    {"riscv_is_in_the_table_of_architectures", the_table_has_the_architecture},
    {NULL, NULL},
};
