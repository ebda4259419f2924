// What instructions read and write: rows of assembler text, encoded by LLVM, with the flows that
// the architecture's manual gives them.
#include "arch/arm/effects.h"
#include "arch/arm/registers.h"
#include "test.h"
#include "tests/support/effects_text.h"

#include <stdio.h>
#include <string.h>

struct effect_row {
    uint32_t encoding;
    const char *flows;
};

static void check_rows(const struct effect_row *rows, size_t count, uint32_t size_bytes,
                       enum isa_state isa)
{
    static struct effects effects;
    static char text[8192];
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        effects_decode(rows[i].encoding, size_bytes, isa, OUTSIDE_IT, &effects);
        write_flows(text, sizeof text, &effects);
        if (strcmp(text, rows[i].flows) == 0)
            continue;
        fprintf(stderr, "%s %08x: %s\n    not: %s\n", isa_name(isa), rows[i].encoding, text,
                rows[i].flows);
        wrong++;
    }
    CHECK(wrong == 0);
}

#include "effects_rows.h"

static void flows_are_those_of_the_manual(void)
{
    check_rows(effect_rows_a64, ARRAY_COUNT(effect_rows_a64), 4, ISA_AARCH64);
    check_rows(effect_rows_a32, ARRAY_COUNT(effect_rows_a32), 4, ISA_ARM);
    check_rows(effect_rows_t32, ARRAY_COUNT(effect_rows_t32), 4, ISA_THUMB);
    check_rows(effect_rows_t16, ARRAY_COUNT(effect_rows_t16), 2, ISA_THUMB);
}

// Outside of an IT block, most instructions of 16 bits set flags; inside, only comparisons do.
static void flags_in_blocks_of_it(void)
{
    static const struct {
        uint32_t encoding;
        const char *flows;
    } rows[] = {
        {0x1c48, "x0:4 <- x1:4 ?Z"},      // addeq r0, r1, #1
        {0x2801, "NZCV <- x0:4 ?Z"},      // cmpeq r0, #1
        {0x4348, "x0:4 <- x1:4 x0:4 ?Z"}, // muleq r0, r1, r0
        {0x4770, "pc <- =x14:4 ?Z"},      // bxeq lr
    };
    static struct effects effects;
    char text[256];
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        effects_decode(rows[i].encoding, 2, ISA_THUMB, 0, &effects);
        write_flows(text, sizeof text, &effects);
        CHECK_STR(text, rows[i].flows);
        CHECK(effects.is_conditional && effects.condition == 0);
    }
}

// For all of a random million encodings, what the header promises of flows.
static void flows_are_well_formed(void)
{
    static struct effects effects;
    static const enum isa_state isas[] = {ISA_AARCH64, ISA_ARM, ISA_THUMB};
    uint64_t state = 1;
    int wrong = 0;
    unsigned known = 0;
    for (unsigned round = 0; round < 1000000; round++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        uint32_t encoding = (uint32_t)(state >> 32);
        enum isa_state isa = isas[round % 3];
        uint32_t size_bytes = isa == ISA_THUMB && encoding >> 29 != 7 ? 2 : 4;
        effects_decode(size_bytes == 2 ? encoding >> 16 : encoding, size_bytes, isa,
                       round % 8 ? OUTSIDE_IT : round / 8 % 15, &effects);
        known += effects.is_known;
        wrong += effects.flow_count > EFFECT_FLOWS || effects.input_count > EFFECT_INPUTS;
        wrong += !effects.is_known && (effects.flow_count || effects.is_exception);
        for (unsigned i = 0; i < effects.flow_count; i++) {
            const struct effect_flow *flow = &effects.flows[i];
            wrong += flow->first + flow->count > effects.input_count;
            wrong += flow->output.kind == EFFECT_REGISTER &&
                     (!flow->output.bytes ||
                      flow->output.offset + flow->output.bytes > REGISTER_SPACE_BYTES);
            for (unsigned k = 0; k < i; k++) { // no place is written twice
                const struct effect_place *one = &flow->output, *other = &effects.flows[k].output;
                bool overlaps = one->kind == EFFECT_FLAGS ? one->offset & other->offset
                                : one->kind == EFFECT_SYSTEM
                                    ? one->offset == other->offset
                                    : one->offset < other->offset + other->bytes &&
                                          other->offset < one->offset + one->bytes;
                if (one->kind == other->kind && overlaps && wrong++ < 5)
                    fprintf(stderr, "%s %08x writes a place twice\n", isa_name(isa), encoding);
            }
        }
    }
    CHECK(wrong == 0);
    CHECK(known > 500000);
}

static void blocks_of_it(void)
{
    uint8_t conditions[4];
    CHECK(effects_it_block(0xbf08, 2, ISA_THUMB, conditions) == 1 && conditions[0] == 0); // it eq
    CHECK(effects_it_block(0xbfc6, 2, ISA_THUMB, conditions) == 3);                       // itte gt
    CHECK(conditions[0] == 12 && conditions[1] == 12 && conditions[2] == 13);
    CHECK(effects_it_block(0xbf00, 2, ISA_THUMB, conditions) == 0); // nop
    CHECK(effects_it_block(0xbf08, 4, ISA_ARM, conditions) == 0);
}

const struct test_case effects_tests[] = {
    {"flows_are_those_of_the_manual", flows_are_those_of_the_manual},
    {"flags_in_blocks_of_it", flags_in_blocks_of_it},
    {"flows_are_well_formed", flows_are_well_formed},
    {"blocks_of_it", blocks_of_it},
    {NULL, NULL},
};
