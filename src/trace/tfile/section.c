#include "trace/tfile/section.h"

#include "idx/index_format.h"
#include "idx/parts.h"

#include <stdlib.h>

static bool add_name(struct bytes *names, const char *name)
{
    return name ? bytes_append(names, name, strlen(name) + 1) : bytes_append(names, "", 1);
}

static bool add_names(const struct tfile_pass *pass, struct parts_writer *parts)
{
    const struct tfile_registers *registers = &pass->file->registers;
    struct bytes names = {0};
    bool is_done = add_name(&names, tfile_machine_name(registers->machine)) &&
                   add_name(&names, registers->architecture);
    for (size_t i = 0; i < registers->items.count && is_done; i++)
        is_done = add_name(&names, registers->items.items[i].name);
    for (size_t i = 0; i < pass->slots.count && is_done; i++)
        is_done = add_name(&names, pass->slots.items[i].name);
    is_done = is_done && parts_add_text(parts, PART_TFILE_NAMES, names.items, names.count);
    free(names.items);
    return is_done;
}

static bool add_registers(const struct tfile_pass *pass, struct parts_writer *parts,
                          uint64_t *column)
{
    const struct tfile_registers *registers = &pass->file->registers;
    for (size_t i = 0; i < registers->items.count; i++) {
        const struct tfile_register *item = &registers->items.items[i];
        uint64_t *row = column + i * TFILE_REGISTER_ROWS;
        row[0] = item->offset;
        row[1] = item->size_bytes;
        row[2] = item->number;
    }
    return parts_add_column(parts, PART_TFILE_REGISTERS, column,
                            registers->items.count * TFILE_REGISTER_ROWS);
}

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static bool add_variables(const struct tfile_pass *pass, struct parts_writer *parts,
                          uint64_t *column)
{
    for (size_t i = 0; i < pass->slots.count; i++) {
        const struct tfile_variable *variable =
            tfile_variable_numbered(pass->file, pass->slots.items[i].variable);
        uint64_t *row = column + i * TFILE_VARIABLE_ROWS;
        row[0] = zigzag(pass->slots.items[i].variable);
        row[1] = variable ? zigzag(variable->initial) : 0;
        row[2] = 8 * (uint64_t)tfile_pass_cell(pass, i);
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
        [TFILE_FIGURE_ADDRESS_BYTES] = file->registers.address_bytes,
    };
    size_t rows =
        file->registers.items.count * TFILE_REGISTER_ROWS + pass->slots.count * TFILE_VARIABLE_ROWS;
    uint64_t *column = calloc(rows + 1, sizeof *column);
    bool is_done = column && add_names(pass, parts) &&
                   parts_add_column(parts, PART_TFILE_FIGURES, figures, TFILE_FIGURES) &&
                   add_registers(pass, parts, column) && add_variables(pass, parts, column);
    free(column);
    return is_done;
}
