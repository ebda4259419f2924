#include "idx/spaces.h"

#include "idx/segment_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

enum space_register {
    TTBR0_EL1,
    TTBR1_EL1,
    VTTBR_EL2,
    TTBR0_EL2,
    TTBR1_EL2,
    TTBR0_EL3,
    CONTEXTIDR_EL1,
    TTBR0, // of AArch32, like the next ones
    TTBR1,
    VTTBR,
    HTTBR,
    CONTEXTIDR,
    SPACE_REGISTERS,
};

_Static_assert(SPACE_REGISTERS <= SPACE_REGISTER_ROOM, "the indexer's room");

static const char *const space_registers[SPACE_REGISTERS] = {
    [TTBR0_EL1] = "TTBR0_EL1",
    [TTBR1_EL1] = "TTBR1_EL1",
    [VTTBR_EL2] = "VTTBR_EL2",
    [TTBR0_EL2] = "TTBR0_EL2",
    [TTBR1_EL2] = "TTBR1_EL2",
    [TTBR0_EL3] = "TTBR0_EL3",
    [CONTEXTIDR_EL1] = "CONTEXTIDR_EL1",
    [TTBR0] = "TTBR0",
    [TTBR1] = "TTBR1",
    [VTTBR] = "VTTBR",
    [HTTBR] = "HTTBR",
    [CONTEXTIDR] = "CONTEXTIDR",
};

int index_space_register(const char *name)
{
    for (int i = 0; i < SPACE_REGISTERS; i++) {
        if (strcasecmp(name, space_registers[i]) == 0)
            return i;
    }
    return -1;
}

const char *index_space_register_name(int number)
{
    return number < SPACE_REGISTERS ? space_registers[number] : NULL;
}

static void take_table(struct index_space *space, const uint64_t *values, enum space_register first,
                       enum space_register second)
{
    space->source = (uint8_t)(values[first] != INDEX_SPACE_UNKNOWN ? first : second);
    space->table = values[space->source];
}

// Linux keeps the ASID in TTBR1, and uses its lowest bit while a process runs with the kernel
// unmapped. All processes share the upper half, for which it therefore means nothing.
struct index_space index_space_of(const uint64_t values[SPACE_REGISTER_ROOM], uint8_t regime,
                                  bool is_upper)
{
    struct index_space space = {.regime = regime, .is_upper = is_upper};
    if (regime == REGIME_EL3) {
        take_table(&space, values, TTBR0_EL3, TTBR0_EL3);
    } else if (regime == REGIME_EL2) {
        take_table(&space, values, is_upper ? TTBR1_EL2 : TTBR0_EL2, is_upper ? TTBR1_EL2 : HTTBR);
    } else {
        space.machine =
            values[VTTBR_EL2] != INDEX_SPACE_UNKNOWN ? values[VTTBR_EL2] : values[VTTBR];
        if (is_upper)
            return space;
        take_table(&space, values, TTBR0_EL1, TTBR0);
        if (space.table == INDEX_SPACE_UNKNOWN) // a host in EL2
            take_table(&space, values, TTBR0_EL2, TTBR0_EL2);
        if (space.table == INDEX_SPACE_UNKNOWN)
            take_table(&space, values, CONTEXTIDR_EL1, CONTEXTIDR);
        if (values[TTBR1_EL1] != INDEX_SPACE_UNKNOWN)
            space.asid = values[TTBR1_EL1] >> 49;
    }
    if (space.table != INDEX_SPACE_UNKNOWN)
        space.table &= ~(uint64_t)(space.source < CONTEXTIDR_EL1);
    return space;
}

bool index_is_upper(uint64_t virtual_page)
{
    return virtual_page >> 43 & 1;
}

bool index_is_same_space(const struct index_space *a, const struct index_space *b)
{
    return (a->regime == b->regime || !a->regime || !b->regime) && a->is_upper == b->is_upper &&
           a->table == b->table && a->asid == b->asid && a->machine == b->machine;
}

void index_space_text(const struct index_space *space, char text[INDEX_SPACE_TEXT_BYTES])
{
    static const char *const regimes[] = {"", "EL1", "EL2", "EL3"};
    int at = snprintf(text, INDEX_SPACE_TEXT_BYTES, "%s%s", regimes[space->regime & 3],
                      space->is_upper ? " upper half" : "");
    if (space->table && space->table != INDEX_SPACE_UNKNOWN)
        at += snprintf(text + at, INDEX_SPACE_TEXT_BYTES - (size_t)at, " %s=0x%" PRIx64,
                       space_registers[space->source], space->table);
    if (space->asid)
        at += snprintf(text + at, INDEX_SPACE_TEXT_BYTES - (size_t)at, " ASID=0x%" PRIx64 "/2",
                       2 * space->asid);
    if (space->machine != INDEX_SPACE_UNKNOWN && space->machine)
        snprintf(text + at, INDEX_SPACE_TEXT_BYTES - (size_t)at, " VTTBR=0x%" PRIx64,
                 space->machine);
}

bool index_space_is_name(const char *text)
{
    const bool is_level = strncasecmp(text, "EL", 2) == 0 && text[2] >= '1' && text[2] <= '3' &&
                          (text[3] == ' ' || text[3] == '\0');
    return is_level || strcasestr(text, "TTBR") || strcasestr(text, "CONTEXTIDR") ||
           strcasestr(text, "ASID=");
}

bool index_space_has(const struct index_space *space, const char *text)
{
    char name[INDEX_SPACE_TEXT_BYTES];
    index_space_text(space, name);
    return strcasestr(name, text) != NULL;
}

uint64_t index_space_key(const struct index_space *space)
{
    const uint64_t words[] = {space->table, space->asid, space->machine, space->source,
                              (uint64_t)space->regime << 1 | space->is_upper};
    const bool is_told = (space->table && space->table != INDEX_SPACE_UNKNOWN) || space->asid ||
                         (space->machine && space->machine != INDEX_SPACE_UNKNOWN);
    uint64_t key = 0;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        key = (key ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 29;
    }
    return is_told ? key | 1 : 0;
}
