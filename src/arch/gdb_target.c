#include "arch/gdb_target.h"

#include <stdio.h>

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

const struct gdb_machine *gdb_machine_of(const struct gdb_machine *const *machines,
                                         const struct trawl_index *index, uint32_t isa,
                                         bool is_live)
{
    for (; machines && *machines; machines++) {
        if ((*machines)->isas >> isa & 1 && (is_live || !(*machines)->is_live_only) &&
            names_all(index, *machines))
            return *machines;
    }
    return NULL;
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

// --- The block -----------------------------------------------------------------------------------

static bool add(struct gdb_target *target, const struct trawl_index *index, const char *name,
                const struct gdb_names *run, const struct gdb_machine *machine)
{
    const char *status = machine->status;
    uint32_t next = target->count ? target->registers[target->count - 1].number + 1 : 0;
    struct gdb_register *added = &target->registers[target->count];
    struct trawl_register which;
    ASSERT(target->count < GDB_REGISTERS_MAX);
    if (trawl_register_named(index, machine->isa, name, strlen(name), &which, NULL) != TRAWL_OK)
        return false;
    *added = (struct gdb_register){.place = which.offset,
                                   .offset = target->block_bytes,
                                   .size_bytes = run->bits / 8,
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
    target->block_bytes += run->bits / 8;
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

bool gdb_target_init(struct gdb_target *target, const struct trawl_index *index,
                     const struct gdb_machine *machine)
{
    *target = (struct gdb_target){.status = SIZE_MAX};
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

static void describe_run(const struct gdb_names *run, void (*put)(void *self, const char *line),
                         void *self)
{
    for (unsigned i = 0; i < length_of(run); i++) {
        char name[16], number[24] = "", line[160];
        put_name(name, run->prefix, run, i);
        if (run->number)
            snprintf(number, sizeof number, " regnum=\"%u\"", run->number + i);
        snprintf(line, sizeof line, "<reg name=\"%s\" bitsize=\"%u\"%s%s/>", name, run->bits,
                 run->type, number);
        put(self, line);
    }
}

void gdb_target_describe(const struct gdb_machine *machine,
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
            put(self, *type);
        for (size_t r = 0; r < feature->run_count; r++)
            describe_run(&feature->runs[r], put, self);
        put(self, "</feature>");
    }
    put(self, "</target>");
}
