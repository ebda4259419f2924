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

static void put_name(char text[GDB_NAME_BYTES], const char *prefix, const struct gdb_names *run,
                     unsigned number)
{
    if (run->count)
        snprintf(text, GDB_NAME_BYTES, "%s%u", prefix, number);
    else
        snprintf(text, GDB_NAME_BYTES, "%s", prefix);
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
        char name[GDB_NAME_BYTES];
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

// 0: the machine is not scaled, or the trace shows no vector.
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

// The bytes of a register of a run, of which the trace shows `shown` (0: it does not name it).
static uint32_t size_of(const struct gdb_target *target, const struct gdb_machine *machine,
                        const struct gdb_names *run, uint64_t shown)
{
    if (!run->bits)
        return (uint32_t)shown;
    return is_scaled(machine, run) ? target->vector_bytes * run->bits / 128 : run->bits / 8;
}

static void add(struct gdb_target *target, const struct gdb_machine *machine,
                const struct gdb_register *about, const struct trawl_register *which)
{
    ASSERT(target->count < GDB_REGISTERS_MAX && about->size_bytes <= GDB_REGISTER_BYTES_MAX);
    struct gdb_register *added = &target->registers[target->count];
    *added = *about;
    added->offset = target->block_bytes;
    if (which->flags & TRAWL_REGISTER_SP)
        target->sp = target->count;
    else if (which->flags & TRAWL_REGISTER_PC)
        target->pc = target->count;
    added->is_needed |= machine->needs_sp && (which->flags & TRAWL_REGISTER_SP);
    target->block_bytes += added->size_bytes;
    target->count++;
}

// The registers of a run. False: the trace does not name one of them.
static bool add_run(struct gdb_target *target, const struct trawl_index *index,
                    const struct gdb_machine *machine, size_t feature, const struct gdb_names *run)
{
    for (unsigned i = 0; i < length_of(run); i++) {
        char name[GDB_NAME_BYTES];
        struct trawl_register which = {.offset = GDB_PLACE_LENGTH};
        put_name(name, run->ours, run, i);
        if (*name && trawl_register_named(index, machine->isa, name, strlen(name), &which, NULL) !=
                         TRAWL_OK) {
            if (!is_scaled(machine, run))
                return false;
            which = (struct trawl_register){.offset = GDB_PLACE_NONE};
        }
        const uint32_t next = target->count ? target->registers[target->count - 1].number + 1 : 0;
        struct gdb_register about = {.place = which.offset,
                                     .size_bytes = size_of(target, machine, run, which.size_bytes),
                                     .number = run->number ? run->number + i : next,
                                     .feature = (uint8_t)feature,
                                     .type = run->type};
        if (*name && which.size_bytes < about.size_bytes)
            about.place = GDB_PLACE_NONE; // shown with fewer bytes than it has
        if (!run->bits)
            target->vector_bytes = about.size_bytes;
        put_name(about.name, run->prefix, run, i);
        for (const char *const *need = machine->needs; need && *need; need++)
            about.is_needed |= strcmp(*need, name) == 0;
        if (machine->status && strcmp(name, machine->status) == 0)
            target->status = target->count;
        add(target, machine, &about, &which);
    }
    return true;
}

// The registers that the trace names and that have a number, in the order of these, which is that
// of the block for GDB.
static void add_named(struct gdb_target *target, const struct trawl_index *index,
                      const struct gdb_machine *machine, size_t feature)
{
    const struct gdb_feature *of = &machine->features[feature];
    const uint32_t word_bytes = target->registers[0].size_bytes;
    const size_t first = target->count;
    struct trawl_register which;
    for (uint64_t i = 0; trawl_register(index, i, &which, NULL) == TRAWL_OK; i++) {
        unsigned number;
        const size_t length = strlen(which.name);
        if (!(which.isas >> machine->isa & 1) || length >= GDB_NAME_BYTES || !which.size_bytes ||
            !of->number_of(which.name, length, &number) || target->count - first == GDB_NAMED_MAX ||
            gdb_target_number(target, of->first_number + number) < target->count)
            continue;
        struct gdb_register about = {.place = which.offset,
                                     .size_bytes = (uint32_t)u64_min(which.size_bytes, word_bytes),
                                     .number = of->first_number + number,
                                     .feature = (uint8_t)feature,
                                     .type = ""};
        memcpy(about.name, which.name, length);
        add(target, machine, &about, &which);
        struct gdb_register *at = &target->registers[target->count - 1];
        for (about = *at; at > &target->registers[first] && at[-1].number > about.number; at--) {
            about.offset = at[-1].offset;
            at[0] = at[-1];
            at[0].offset = about.offset + about.size_bytes;
        }
        *at = about;
    }
}

bool gdb_target_init(struct gdb_target *target, struct trawl_index *index,
                     const struct gdb_machine *machine)
{
    *target = (struct gdb_target){.status = SIZE_MAX};
    target->vector_bytes = machine->is_scaled ? 16 * vector_grains(index, machine) : 0;
    for (size_t f = 0; f < machine->feature_count; f++) {
        const struct gdb_feature *feature = &machine->features[f];
        for (size_t r = 0; r < feature->run_count; r++) {
            if (!add_run(target, index, machine, f, &feature->runs[r])) {
                if (!feature->is_optional)
                    return false;
                break;
            }
        }
        if (feature->number_of)
            add_named(target, index, machine, f);
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

// A line about a type, in which "*4" stands for four of every 16 bytes.
static void describe_type(const char *type, uint32_t vector_bytes,
                          void (*put)(void *self, const char *line), void *self)
{
    char line[160], *end;
    const char *star = strchr(type, '*');
    if (!star) {
        put(self, type);
        return;
    }
    const unsigned long count = strtoul(star + 1, &end, 10) * vector_bytes / 16;
    snprintf(line, sizeof line, "%.*s%lu%s", (int)(star - type), type, count, end);
    put(self, line);
}

void gdb_target_describe(const struct gdb_machine *machine, const struct gdb_target *target,
                         void (*put)(void *self, const char *line), void *self)
{
    char line[160];
    uint32_t next = 0;
    put(self, "<target version=\"1.0\">");
    snprintf(line, sizeof line, "<architecture>%s</architecture>", machine->architecture);
    put(self, line);
    for (size_t i = 0; i < target->count; i++) {
        const struct gdb_register *which = &target->registers[i];
        if (i == 0 || which->feature != which[-1].feature) {
            const struct gdb_feature *feature = &machine->features[which->feature];
            snprintf(line, sizeof line, "<feature name=\"%s\">", feature->name);
            put(self, line);
            for (const char *const *type = feature->types; *type; type++)
                describe_type(*type, target->vector_bytes, put, self);
        }
        char number[24] = "";
        if (which->number != next)
            snprintf(number, sizeof number, " regnum=\"%u\"", which->number);
        snprintf(line, sizeof line, "<reg name=\"%s\" bitsize=\"%u\"%s%s/>", which->name,
                 8 * which->size_bytes, which->type, number);
        put(self, line);
        if (i + 1 == target->count || which[1].feature != which->feature)
            put(self, "</feature>");
        next = which->number + 1;
    }
    put(self, "</target>");
}
