// Not a part of event_table.c: columns of an index and columns of a table have the same name there.
#include "export/event_table.h"

#include "idx/register_layout.h"
#include "idx/segment_rows.h"

#include <stdlib.h>

// Registers begin and end at multiples of four bytes.
#define UNIT_BYTES 4
#define UNITS (REGISTER_CELLS * 8 / UNIT_BYTES)
#define ISAS (EVENT_ISA + 1)

struct register_places {
    struct register_layout layout;
    uint16_t numbers[ISAS][UNITS]; // number + 1; 0: none
};

// How well the name of a register describes its place; 0: not at all.
static unsigned rank(const struct trawl_register *about, unsigned isa)
{
    if (!(about->isas >> isa & 1) || about->flags & TRAWL_REGISTER_BANKED)
        return 0;
    return 1 + 2 * (about->shown >> isa & 1) + !(about->flags & TRAWL_REGISTER_VIEW);
}

struct register_places *register_places_new(const struct register_table *table)
{
    struct register_places *places = calloc(1, sizeof *places);
    if (!places ||
        !register_layout_make(&places->layout, table->runs, table->count, &table->figures)) {
        register_places_free(places);
        return NULL;
    }
    for (unsigned isa = 0; isa < ISAS; isa++) {
        for (size_t i = 0; i < places->layout.count; i++) {
            const struct trawl_register *registers = places->layout.registers,
                                        *about = &registers[i];
            uint64_t end = u64_min((about->offset + about->size_bytes) / UNIT_BYTES, UNITS);
            for (uint64_t unit = about->offset / UNIT_BYTES; unit < end; unit++) {
                uint16_t *known = &places->numbers[isa][unit];
                if (rank(about, isa) > (*known ? rank(&registers[*known - 1], isa) : 0))
                    *known = (uint16_t)(i + 1);
            }
        }
    }
    return places;
}

void register_places_free(struct register_places *places)
{
    if (places)
        register_layout_free(&places->layout);
    free(places);
}

const char *register_places_find(const struct register_places *places, unsigned isa,
                                 uint64_t place_bytes, uint64_t *offset_bytes)
{
    uint64_t unit = place_bytes / UNIT_BYTES;
    uint16_t number = unit < UNITS ? places->numbers[isa][unit] : 0;
    if (!number)
        return NULL;
    const struct trawl_register *about = &places->layout.registers[number - 1];
    *offset_bytes = place_bytes - about->offset;
    return about->name;
}
