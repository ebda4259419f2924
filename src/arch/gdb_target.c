#include "arch/gdb_target.h"

#include <stdio.h>
#include <stdlib.h>

// --- The machine ---------------------------------------------------------------------------------

static bool names_all(const struct trawl_index *index, const struct gdb_machine *machine)
{
    struct trawl_register which;
    for (const char *const *name = machine->needs; name && *name; name++) {
        if (trawl_register_named(index, machine->isa, *name, strlen(*name), &which, NULL) !=
            TRAWL_OK)
            return false;
    }
    return true;
}

// A single register is a run of one.
static unsigned length_of(const struct gdb_names *run)
{
    return run->count ? run->count : 1;
}

static void put_name(char text[16], const char *prefix, const struct gdb_names *run,
                     unsigned number)
{
    if (run->count)
        snprintf(text, 16, "%s%u", prefix, number);
    else
        snprintf(text, 16, "%s", prefix);
}

static bool is_scaled(const struct gdb_machine *machine, const struct gdb_names *run)
{
    return machine->is_scaled && (run->bits == 128 || run->bits == 16);
}

// The grains of a vector, by the widest that the trace writes of the vectors (which have more than
// one) and predicates of the machine; 0: it shows none.
static uint32_t grains_of(struct trawl_index *index, const struct gdb_machine *machine,
                          const struct gdb_names *run)
{
    const uint64_t unit = run->bits / 8;
    struct trawl_info info;
    uint64_t grains = 0, written;
    trawl_info(index, &info);
    for (unsigned i = 0; i < run->count; i++) {
        char name[16];
        struct trawl_register which;
        put_name(name, run->ours, run, i);
        if (trawl_register_named(index, machine->isa, name, strlen(name), &which, NULL) != TRAWL_OK)
            continue;
        for (uint64_t lane = 0; lane < info.lanes; lane++) {
            uint64_t least = u64_max(grains, unit == 16), most = which.size_bytes / unit;
            if (least >= most ||
                trawl_register_written(index, lane, TRAWL_START, TRAWL_FORWARD,
                                       which.offset + least * unit, (size_t)((most - least) * unit),
                                       &written, NULL) != TRAWL_OK)
                continue;
            while (most > least + 1 &&
                   trawl_register_written(index, lane, TRAWL_START, TRAWL_FORWARD,
                                          which.offset + (most - 1) * unit, (size_t)unit, &written,
                                          NULL) != TRAWL_OK)
                most--;
            grains = most;
        }
    }
    return (uint32_t)grains;
}

static uint32_t vector_grains(struct trawl_index *index, const struct gdb_machine *machine)
{
    uint32_t grains = 0;
    for (size_t f = 0; f < machine->feature_count; f++) {
        const struct gdb_feature *feature = &machine->features[f];
        for (size_t r = 0; r < feature->run_count; r++) {
            const struct gdb_names *run = &feature->runs[r];
            if (is_scaled(machine, run)) {
                const uint32_t here = grains_of(index, machine, run);
                grains = here > grains ? here : grains;
            }
        }
    }
    return grains;
}

const struct gdb_machine *gdb_machine_of(const struct gdb_machine *const *machines,
                                         struct trawl_index *index, uint32_t isa, bool is_live)
{
    for (; machines && *machines; machines++) {
        if ((*machines)->isas >> isa & 1 && (is_live || !(*machines)->is_live_only) &&
            names_all(index, *machines) &&
            (!(*machines)->is_scaled || vector_grains(index, *machines)))
            return *machines;
    }
    return NULL;
}

// --- The block -----------------------------------------------------------------------------------

static bool add(struct gdb_target *target, const struct trawl_index *index, const char *name,
                const struct gdb_names *run, const struct gdb_machine *machine)
{
    const char *status = machine->status;
    uint32_t next = target->count ? target->registers[target->count - 1].number + 1 : 0;
    struct gdb_register *added = &target->registers[target->count];
    struct trawl_register which;
    ASSERT(target->count < GDB_REGISTERS_MAX);
    const uint32_t size_bytes = run->bits / 8 * (is_scaled(machine, run) ? target->grains : 1);
    if (!*name)
        which = (struct trawl_register){.offset = GDB_PLACE_LENGTH};
    else if (trawl_register_named(index, machine->isa, name, strlen(name), &which, NULL) !=
             TRAWL_OK) {
        if (!is_scaled(machine, run))
            return false;
        which = (struct trawl_register){.offset = GDB_PLACE_NONE};
    } else if (which.size_bytes < size_bytes) {
        which.offset = GDB_PLACE_NONE; // shown with fewer bytes than it has
    }
    ASSERT(size_bytes <= GDB_REGISTER_BYTES_MAX);
    *added = (struct gdb_register){.place = which.offset,
                                   .offset = target->block_bytes,
                                   .size_bytes = size_bytes,
                                   .number = run->number ? run->number : next};
    for (const char *const *need = machine->needs; need && *need; need++)
        added->is_needed |= strcmp(*need, name) == 0;
    added->is_needed |= machine->needs_sp && (which.flags & TRAWL_REGISTER_SP);
    if (which.flags & TRAWL_REGISTER_SP)
        target->sp = target->count;
    else if (which.flags & TRAWL_REGISTER_PC)
        target->pc = target->count;
    else if (status && strcmp(name, status) == 0)
        target->status = target->count;
    target->block_bytes += size_bytes;
    target->count++;
    return true;
}

static bool add_run(struct gdb_target *target, const struct trawl_index *index,
                    const struct gdb_names *run, const struct gdb_machine *machine)
{
    bool is_known = true;
    for (unsigned i = 0; i < length_of(run) && is_known; i++) {
        char name[16];
        put_name(name, run->ours, run, i);
        is_known = add(target, index, name, run, machine);
    }
    return is_known;
}

bool gdb_target_init(struct gdb_target *target, struct trawl_index *index,
                     const struct gdb_machine *machine)
{
    *target = (struct gdb_target){.status = SIZE_MAX};
    target->grains = machine->is_scaled ? vector_grains(index, machine) : 1;
    for (size_t f = 0; f < machine->feature_count; f++) {
        const struct gdb_feature *feature = &machine->features[f];
        for (size_t r = 0; r < feature->run_count; r++) {
            if (!add_run(target, index, &feature->runs[r], machine))
                return false;
        }
        if (f == 0)
            target->core_count = target->count;
    }
    ASSERT(target->block_bytes <= GDB_BLOCK_BYTES_MAX);
    return true;
}

size_t gdb_target_number(const struct gdb_target *target, uint64_t number)
{
    size_t i = 0;
    while (i < target->count && target->registers[i].number != number)
        i++;
    return i;
}

// --- The description -----------------------------------------------------------------------------

static void describe_run(const struct gdb_machine *machine, const struct gdb_names *run,
                         uint32_t grains, void (*put)(void *self, const char *line), void *self)
{
    const uint32_t bits = run->bits * (is_scaled(machine, run) ? grains : 1);
    for (unsigned i = 0; i < length_of(run); i++) {
        char name[16], number[24] = "", line[160];
        put_name(name, run->prefix, run, i);
        if (run->number)
            snprintf(number, sizeof number, " regnum=\"%u\"", run->number + i);
        snprintf(line, sizeof line, "<reg name=\"%s\" bitsize=\"%u\"%s%s/>", name, bits, run->type,
                 number);
        put(self, line);
    }
}

// A line about a type, in which "*4" stands for four of each grain.
static void describe_type(const char *type, uint32_t grains,
                          void (*put)(void *self, const char *line), void *self)
{
    char line[160], *end;
    const char *star = strchr(type, '*');
    if (!star) {
        put(self, type);
        return;
    }
    const unsigned long count = strtoul(star + 1, &end, 10) * grains;
    snprintf(line, sizeof line, "%.*s%lu%s", (int)(star - type), type, count, end);
    put(self, line);
}

void gdb_target_describe(const struct gdb_machine *machine, uint32_t grains,
                         void (*put)(void *self, const char *line), void *self)
{
    char line[80];
    put(self, "<target version=\"1.0\">");
    snprintf(line, sizeof line, "<architecture>%s</architecture>", machine->architecture);
    put(self, line);
    for (size_t f = 0; f < machine->feature_count; f++) {
        const struct gdb_feature *feature = &machine->features[f];
        snprintf(line, sizeof line, "<feature name=\"%s\">", feature->name);
        put(self, line);
        for (const char *const *type = feature->types; *type; type++)
            describe_type(*type, grains, put, self);
        for (size_t r = 0; r < feature->run_count; r++)
            describe_run(machine, &feature->runs[r], grains, put, self);
        put(self, "</feature>");
    }
    put(self, "</target>");
}
