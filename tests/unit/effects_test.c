// What instructions read and write: rows of assembler text, encoded by LLVM, with the flows that
// the architecture's manual gives them.
#include "arch/arm/effects.h"
#include "arch/arm/registers.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

// An output, an arrow, its inputs; flows are separated by semicolons. A place is a register of the
// space and its bytes (x0:4, x0+4:4, v1:16), flags (NZ), memory (m:8, m+8:8), pc, or a system
// register (s:da10). Before an input: = a copy, @ an address, ? a condition.
static void write_place(char *text, size_t room, const struct effect_place *place)
{
    static const char letters[] = "VCZNQGvfc";
    unsigned number = place->offset / 8, low = place->offset % 8;
    char name[32] = "";
    switch (place->kind) {
    case EFFECT_FLAGS:
        for (unsigned bit = 9, at = 0; bit-- > 0;) {
            if (place->offset >> bit & 1)
                name[at++] = letters[bit];
        }
        snprintf(text, room, "%s", name);
        return;
    case EFFECT_SYSTEM:
        snprintf(text, room, "s:%x", place->offset);
        return;
    case EFFECT_PC:
        snprintf(text, room, "pc");
        return;
    case EFFECT_ZERO:
        snprintf(text, room, "0");
        return;
    case EFFECT_MEMORY:
        snprintf(name, sizeof name, "m");
        low = place->offset;
        break;
    case EFFECT_REGISTER:
        if (place->offset < REGISTER_OFFSET_VECTORS) {
            snprintf(name, sizeof name, "x%u", number);
        } else if (place->offset < REGISTER_OFFSET_PREDICATES) {
            number = (place->offset - (unsigned)REGISTER_OFFSET_VECTORS) / REGISTER_BYTES_Z;
            low = place->offset % REGISTER_BYTES_Z;
            snprintf(name, sizeof name, "v%u", number);
        } else {
            number =
                (place->offset - (unsigned)REGISTER_OFFSET_PREDICATES) / REGISTER_BYTES_PREDICATE;
            low = (place->offset - (unsigned)REGISTER_OFFSET_PREDICATES) % REGISTER_BYTES_PREDICATE;
            snprintf(name, sizeof name, "p%u", number);
        }
    }
    if (low)
        snprintf(text, room, "%s+%u:%u", name, low, place->bytes);
    else
        snprintf(text, room, "%s:%u", name, place->bytes);
}

static void write_flows(char *text, size_t room, const struct effects *effects)
{
    size_t at = 0;
    text[0] = '\0';
    if (!effects->is_known) {
        snprintf(text, room, "unknown");
        return;
    }
    for (unsigned i = 0; i < effects->flow_count; i++) {
        char place[64];
        const struct effect_flow *flow = &effects->flows[i];
        write_place(place, sizeof place, &flow->output);
        at += (size_t)snprintf(text + at, room - at, "%s%s <-", i ? "; " : "", place);
        for (unsigned k = 0; k < flow->count; k++) {
            const struct effect_place *input = &effects->inputs[flow->first + k];
            write_place(place, sizeof place, input);
            at += (size_t)snprintf(text + at, room - at, " %s%s",
                                   input->role == ROLE_COPY        ? "="
                                   : input->role == ROLE_ADDRESS   ? "@"
                                   : input->role == ROLE_CONDITION ? "?"
                                                                   : "",
                                   place);
        }
        if (at + 128 > room)
            return;
    }
}

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

static void flows_of_general_registers_of_a64(void)
{
    static const struct effect_row rows[] = {
        {0x8b020020, "x0:8 <- x1:8 x2:8"},                           // add x0, x1, x2
        {0x0b020020, "x0+4:4 <-; x0:4 <- x1:4 x2:4"},                // add w0, w1, w2
        {0xd2800540, "x0:8 <-"},                                     // mov x0, #42
        {0xf2c00540, "x0:4 <- =x0:4; x0+6:2 <- =x0+6:2; x0+4:2 <-"}, // movk x0, #42, lsl #32
        {0xaa0103e0, "x0:8 <- =x1:8"},                               // mov x0, x1
        {0x910003fd, "x29:8 <- =x31:8"},                             // mov x29, sp
        {0x93407c20, "x0:8 <- =x1:4"},                               // sxtw x0, w1
        {0x12001c20, "x0+1:7 <-; x0:1 <- =x1:1"},                    // and w0, w1, #0xff
        {0x53001c20, "x0+4:4 <-; x0+1:3 <-; x0:1 <- =x1:1"},         // uxtb w0, w1
        {0xeb02003f, "NZCV <- x1:8 x2:8"},                           // cmp x1, x2
        {0x9a820020, "x0:8 <- =x1:8 =x2:8 ?Z"},                      // csel x0, x1, x2, eq
        {0xf9400420, "x0:8 <- =m:8 @x1:8"},                          // ldr x0, [x1, #8]
        {0x38401c20, "x0+1:7 <-; x0:1 <- =m:1 @x1:8; x1:8 <- x1:8"}, // ldrb w0, [x1, #1]!
        {0xf8226820, "m:8 <- =x0:8 @x1:8 @x2:8"},                    // str x0, [x1, x2]
        {0xa9bf7bfd, "m:8 <- =x29:8 @x31:8; m+8:8 <- =x30:8 @x31:8; x31:8 <- x31:8"}, // stp, push
        {0x94000001, "x30:8 <- pc; pc <-"},                                           // bl
        {0xd65f03c0, "pc <- =x30:8"},                                                 // ret
        {0xb4000040, "pc <- ?x0:8"},                                                  // cbz x0
        {0xd53b4200, "x0:8 <- =NZCV"}, // mrs x0, nzcv
        {0x01000000, "unknown"},
    };
    check_rows(rows, ARRAY_COUNT(rows), 4, ISA_AARCH64);
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
    {"flows_of_general_registers_of_a64", flows_of_general_registers_of_a64},
    {"blocks_of_it", blocks_of_it},
    {NULL, NULL},
};
