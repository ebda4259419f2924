#include "trace/tfile/tfile.h"

#include "idx/index_format.h"
#include "idx/register_layout.h"
#include "idx/varint.h"

#include <stdlib.h>

// --- The registers -------------------------------------------------------------------------------

// Names of registers with a special meaning on any machine, and their flags.
static const struct {
    const char *name;
    uint32_t flags;
} common[] = {
    {"pc", TRAWL_REGISTER_PC},
    {"sp", TRAWL_REGISTER_SP},
    {"fp", TRAWL_REGISTER_FP},
    {"lr", TRAWL_REGISTER_LINK},
};

enum { DWARF_NUMBERS = 32 };

struct layout {
    const struct tfile_pass *pass;
    struct register_run *runs; // beginning with the registers of the block, in their order
    size_t count;
};

static struct register_run run_of(const struct tfile *file, const struct tfile_register *item)
{
    static const uint32_t types[] = {
        [TFILE_CODE] = TRAWL_REGISTER_CODE,
        [TFILE_DATA] = TRAWL_REGISTER_DATA,
        [TFILE_FLOAT] = TRAWL_REGISTER_FLOAT,
        [TFILE_VECTOR] = 0,
    };
    bool is_general = tfile_register_is_general(item);
    return (struct register_run){
        .name = item->name,
        .offset = item->offset,
        .size_bytes = item->size_bytes,
        .flags = (is_general ? TRAWL_REGISTER_GENERAL : TRAWL_REGISTER_VECTOR) | types[item->type] |
                 (file->is_big_endian ? TRAWL_REGISTER_BIG_ENDIAN : 0u),
        .isas = REGISTER_ISAS_ALL,
        .shown = REGISTER_ISAS_ALL,
        .dwarf = TRAWL_NO_DWARF,
    };
}

static void add_registers(struct layout *layout)
{
    const struct tfile_registers *registers = &layout->pass->file->registers;
    for (size_t i = 0; i < registers->items.count; i++)
        layout->runs[layout->count++] = run_of(layout->pass->file, &registers->items.items[i]);
    for (uint32_t dwarf = 0; dwarf < DWARF_NUMBERS; dwarf++) {
        uint32_t number = tfile_register_dwarf(registers, dwarf);
        if (number != TFILE_NO_REGISTER)
            layout->runs[number].dwarf = dwarf;
    }
}

static void add_common_names(struct layout *layout)
{
    const struct tfile_registers *registers = &layout->pass->file->registers;
    for (size_t i = 0; i < ARRAY_COUNT(common); i++) {
        uint32_t number = tfile_register_named(registers, common[i].name, 2);
        if (number == TFILE_NO_REGISTER)
            continue;
        struct register_run *run = &layout->runs[number];
        run->flags |= common[i].flags;
        if (strcmp(run->name, common[i].name) == 0)
            continue;
        struct register_run *other_name = &layout->runs[layout->count++];
        *other_name = *run;
        other_name->name = common[i].name;
        other_name->shown = 0;
        other_name->dwarf = TRAWL_NO_DWARF;
    }
}

static struct register_run variable_run(const struct tfile_pass *pass, size_t slot)
{
    const char *name = pass->slots.items[slot].name;
    return (struct register_run){
        .name = name ? name : "",
        .offset = 8 * tfile_pass_cell(pass, slot),
        .size_bytes = 8,
        .flags = TRAWL_REGISTER_VARIABLE,
        .isas = REGISTER_ISAS_ALL,
        .shown = REGISTER_ISAS_ALL,
        .dwarf = TRAWL_NO_DWARF,
    };
}

bool tfile_layout_write(const struct tfile_pass *pass, struct parts_writer *parts)
{
    const struct tfile_registers *registers = &pass->file->registers;
    static const uint32_t elf_machines[] = {
        [TFILE_X86_64] = 62, [TFILE_I386] = 3,  [TFILE_AARCH64] = 183,
        [TFILE_ARM] = 40,    [TFILE_OTHER] = 0,
    };
    const struct register_figures figures = {false, registers->address_bytes,
                                             elf_machines[registers->machine]};
    size_t room = registers->items.count + ARRAY_COUNT(common) + pass->slots.count;
    struct layout layout = {.pass = pass, .runs = calloc(room, sizeof *layout.runs)};
    if (!layout.runs)
        return false;
    add_registers(&layout);
    add_common_names(&layout);
    for (size_t i = 0; i < pass->slots.count; i++)
        layout.runs[layout.count++] = variable_run(pass, i);
    bool is_done = register_layout_write(parts, layout.runs, layout.count, &figures);
    free(layout.runs);
    return is_done;
}

// --- The rest ------------------------------------------------------------------------------------

static bool add_name(struct bytes *names, const char *name)
{
    return name ? bytes_append(names, name, strlen(name) + 1) : bytes_append(names, "", 1);
}

static bool add_names(const struct tfile_pass *pass, struct parts_writer *parts)
{
    const struct tfile_registers *registers = &pass->file->registers;
    struct bytes names = {0};
    bool is_done = add_name(&names, tfile_machine_name(registers->machine)) &&
                   add_name(&names, registers->architecture) &&
                   parts_add_text(parts, PART_TFILE_NAMES, names.items, names.count);
    free(names.items);
    return is_done;
}

static bool add_variables(const struct tfile_pass *pass, struct parts_writer *parts,
                          uint64_t *column)
{
    for (size_t i = 0; i < pass->slots.count; i++) {
        const struct tfile_variable *variable =
            tfile_variable_numbered(pass->file, pass->slots.items[i].variable);
        uint64_t *row = column + i * TFILE_VARIABLE_ROWS;
        row[0] = zigzag((uint64_t)pass->slots.items[i].variable);
        row[1] = variable ? zigzag((uint64_t)variable->initial) : 0;
    }
    return parts_add_column(parts, PART_TFILE_VARIABLES, column,
                            pass->slots.count * TFILE_VARIABLE_ROWS);
}

bool tfile_section_write(const struct tfile_pass *pass, struct parts_writer *parts)
{
    const struct tfile *file = pass->file;
    const uint64_t figures[TFILE_FIGURES] = {
        [TFILE_FIGURE_BIG_ENDIAN] = file->is_big_endian,
        [TFILE_FIGURE_REGISTER_BYTES] = file->register_bytes,
    };
    size_t rows = file->registers.items.count + pass->slots.count * TFILE_VARIABLE_ROWS;
    uint64_t *column = calloc(rows + 1, sizeof *column);
    bool is_done = column && add_names(pass, parts) &&
                   parts_add_column(parts, PART_TFILE_FIGURES, figures, TFILE_FIGURES);
    for (size_t i = 0; i < file->registers.items.count && is_done; i++)
        column[i] = file->registers.items.items[i].number;
    is_done = is_done &&
              parts_add_column(parts, PART_TFILE_NUMBERS, column, file->registers.items.count) &&
              add_variables(pass, parts, column);
    free(column);
    return is_done;
}
