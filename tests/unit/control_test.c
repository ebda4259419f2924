// The effects of instructions on control are compared with another decoder.
#include "arch/arm/arm.h"
#include "arch/arm/control.h"
#include "test.h"

#include <stdio.h>

struct control_row {
    enum isa_state isa;
    uint32_t size_bytes, encoding;
    enum branch_kind kind;
    bool is_conditional;
    uint64_t target;
};

#include "control_rows.h"
#include "control_rows_newer.h"

#define PC 0x40000

static bool agrees(const struct control_row *row)
{
    uint64_t pc = PC | (row->isa == ISA_THUMB);
    const struct branch branch = control_decode(pc, row->encoding, row->size_bytes, row->isa);
    bool is_same = branch.kind == row->kind && branch.target == row->target && branch.pc == pc &&
                   branch.next == pc + row->size_bytes &&
                   (row->kind == BRANCH_NONE || branch.is_conditional == row->is_conditional);
    if (!is_same)
        fprintf(stderr, "%d %08x: kind %d, not %d; target %llx, not %llx\n", (int)row->isa,
                row->encoding, (int)branch.kind, (int)row->kind, (unsigned long long)branch.target,
                (unsigned long long)row->target);
    return is_same;
}

static void instructions_are_those_of_another_decoder(void)
{
    int wrong = 0;
    for (size_t i = 0; i < ARRAY_COUNT(control_rows); i++)
        wrong += !agrees(&control_rows[i]);
    for (size_t i = 0; i < ARRAY_COUNT(control_rows_newer); i++)
        wrong += !agrees(&control_rows_newer[i]);
    CHECK(ARRAY_COUNT(control_rows) > 600 && ARRAY_COUNT(control_rows_newer) > 150);
    CHECK(wrong == 0);
}

// Encodings made by assemblers.
static void beginnings_of_functions_are_known(void)
{
    static const struct {
        enum isa_state isa;
        uint32_t size_bytes, encoding;
        bool opens;
    } rows[] = {
        {ISA_AARCH64, 4, 0xd503233f, true},  // paciasp
        {ISA_AARCH64, 4, 0xd503245f, true},  // bti c
        {ISA_AARCH64, 4, 0xd503249f, false}, // bti j
        {ISA_AARCH64, 4, 0xa9be7bfd, true},  // stp x29, x30, [sp, #-32]!
        {ISA_AARCH64, 4, 0xa9bf4ffe, true},  // stp x30, x19, [sp, #-16]!
        {ISA_AARCH64, 4, 0xf81f0ffe, true},  // str x30, [sp, #-16]!
        {ISA_AARCH64, 4, 0xd10043ff, true},  // sub sp, sp, #16
        {ISA_AARCH64, 4, 0xa9017bfd, false}, // stp x29, x30, [sp, #16]
        {ISA_AARCH64, 4, 0xa9bf07e0, false}, // stp x0, x1, [sp, #-16]!
        {ISA_AARCH64, 4, 0xa8c17bfd, false}, // ldp x29, x30, [sp], #16
        {ISA_AARCH64, 4, 0xd10043e0, false}, // sub x0, sp, #16
        {ISA_ARM, 4, 0xe92d4010, true},      // push {r4, lr}
        {ISA_ARM, 4, 0xe52de004, true},      // str lr, [sp, #-4]!
        {ISA_ARM, 4, 0x192d4010, false},     // pushne {r4, lr}
        {ISA_ARM, 4, 0xe52d4004, false},     // str r4, [sp, #-4]!
        {ISA_ARM, 4, 0xe8bd8010, false},     // pop {r4, pc}
        {ISA_THUMB, 2, 0xb510, true},        // push {r4, lr}
        {ISA_THUMB, 2, 0xb410, false},       // push {r4}
        {ISA_THUMB, 2, 0xbd10, false},       // pop {r4, pc}
        {ISA_THUMB, 4, 0xe92d41f0, true},    // push.w {r4-r8, lr}
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        CHECK(control_opens_frame(rows[i].encoding, rows[i].size_bytes, rows[i].isa) ==
              rows[i].opens);
}

// Only an instruction at the end of a loop can be left out in further rounds.
static void ends_of_loops_are_known(void)
{
    static const struct {
        uint32_t encoding;
        bool ends_loop;
    } rows[] = {
        {0xf00fc803, true},  // le lr
        {0xf02fc803, true},  // le
        {0xf01fc803, true},  // letp lr
        {0xf040c003, false}, // wls lr, r0
        {0xf04fc003, false}, // not allocated
        {0xf040e001, false}, // dls lr, r0
        {0xf7ffaffe, false}, // a branch backward
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        CHECK(control_decode(PC | 1, rows[i].encoding, 4, ISA_THUMB).ends_loop ==
              rows[i].ends_loop);
}

// Targets as llvm-mc 14 disassembles them: BLX of A32 reaches halfwords by bit 24, which is then no
// part of what two builds have in common.
static void addresses_of_branches_are_known(void)
{
    static const struct {
        uint32_t encoding, rest;
        int64_t distance; // from the instruction
    } rows[] = {
        {0xfb49aa71, 0xfa000000, 19311046 + 8},
        {0xfa49aa71, 0xfa000000, 19311044 + 8},
        {0xfbb203fd, 0xfa000000, -20443146 + 8},
        {0xeb49aa71, 0xeb000000, 19311044 + 8},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const uint32_t word = rows[i].encoding;
        const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                  (uint8_t)(word >> 24)};
        struct code_references before = {0};
        struct code_reference reference;
        arm_refer(&before, ISA_ARM, PC, bytes, sizeof bytes, &reference);
        CHECK(reference.kind == REFERENCE_PLACE && reference.rest == rows[i].rest);
        CHECK(reference.target == PC + (uint64_t)rows[i].distance);
    }
}

const struct test_case control_tests[] = {
    {"addresses_of_branches_are_known", addresses_of_branches_are_known},
    {"ends_of_loops_are_known", ends_of_loops_are_known},
    {"beginnings_of_functions_are_known", beginnings_of_functions_are_known},
    {"instructions_are_those_of_another_decoder", instructions_are_those_of_another_decoder},
    {NULL, NULL},
};
