// RISC-V: encodings are compared with another decoder; names and places of registers.
#include "arch/arches.h"
#include "arch/riscv/control.h"
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

const struct test_case riscv_tests[] = {
    {"riscv_instructions_are_those_of_another_decoder", instructions_are_those_of_another_decoder},
    {"riscv_newer_instructions_are_known", newer_instructions_are_known},
    {"riscv_beginnings_of_functions_are_known", beginnings_of_functions_are_known},
    {"riscv_registers_have_places_of_their_own", registers_have_places_of_their_own},
    {"riscv_names_of_the_abi_are_those_of_the_layout", names_of_the_abi_are_those_of_the_layout},
    {"riscv_system_registers_have_names", system_registers_have_names},
    {"riscv_is_in_the_table_of_architectures", the_table_has_the_architecture},
    {NULL, NULL},
};
