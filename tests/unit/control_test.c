// What instructions do to control, against another decoder.
#include "test.h"
#include "trace/tarmac/control.h"

#include <stdio.h>

struct control_row {
    enum isa_state isa;
    uint32_t size_bytes, encoding;
    enum branch_kind kind;
    bool is_conditional;
    uint64_t target;
};

#include "control_rows.h"

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
    CHECK(ARRAY_COUNT(control_rows) > 600);
    CHECK(wrong == 0);
}

const struct test_case control_tests[] = {
    {"instructions_are_those_of_another_decoder", instructions_are_those_of_another_decoder},
    {NULL, NULL},
};
