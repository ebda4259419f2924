// Flows of an instruction as text, for tests.
#ifndef TRAWL_TESTS_SUPPORT_EFFECTS_TEXT_H
#define TRAWL_TESTS_SUPPORT_EFFECTS_TEXT_H

#include "arch/arm/effects.h"
#include "arch/arm/registers.h"

#include <stdio.h>

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

#endif
