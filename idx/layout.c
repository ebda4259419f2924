// The registers of an index: reads its section LAYOUT, and answers queries of it.
#include "base/characters.h"
#include "base/limits.h"
#include "idx/caller.h"
#include "idx/index.h"

#include <stdlib.h>
#include <strings.h>

// --- Reading -------------------------------------------------------------------------------------

// The columns of runs, from the first to the last.
enum { RUN_COLUMNS = PART_LAYOUT_DWARF + 1 - PART_LAYOUT_COUNTS };

// Reads all of a run but the name. `rows` contains the columns one after the other, of `count` rows
// each.
static bool read_run(struct register_run *run, const uint64_t *rows, size_t count, size_t row)
{
    uint64_t values[PART_LAYOUT_DWARF + 1];
    for (uint32_t part = PART_LAYOUT_COUNTS; part <= PART_LAYOUT_DWARF; part++) {
        values[part] = rows[(part - PART_LAYOUT_COUNTS) * count + row];
        if (values[part] > UINT32_MAX)
            return false;
    }
    uint64_t states = values[PART_LAYOUT_STATES];
    *run = (struct register_run){
        .name = run->name,
        .count = (uint32_t)values[PART_LAYOUT_COUNTS],
        .offset = (uint32_t)values[PART_LAYOUT_OFFSETS],
        .size_bytes = (uint32_t)values[PART_LAYOUT_BYTES],
        .beside = (uint32_t)values[PART_LAYOUT_BESIDE],
        .stride_bytes = (uint32_t)values[PART_LAYOUT_STRIDES],
        .flags = (uint32_t)values[PART_LAYOUT_FLAGS],
        .isas = states & 0xf,
        .shown = (uint8_t)(states >> 4 & states & 0xf),
        .dwarf = (uint32_t)values[PART_LAYOUT_DWARF] - 1,
    };
    if (!run->beside)
        return false;
    uint64_t last = register_run_offset(run, register_run_length(run) - 1);
    return run->count <= LIMIT_REGISTERS && run->stride_bytes <= TRAWL_REGISTER_SPACE_MAX &&
           run->size_bytes <= TRAWL_REGISTER_SPACE_MAX && run->offset <= TRAWL_REGISTER_SPACE_MAX &&
           last + run->size_bytes <= TRAWL_REGISTER_SPACE_MAX;
}

// Reads the columns of runs, one after the other. NULL: `err` has the reason.
static uint64_t *read_rows(struct trawl_index *index, const struct column *columns, size_t count,
                           struct error *err)
{
    uint64_t *rows = calloc(RUN_COLUMNS * count + 1, sizeof *rows);
    if (!rows) {
        error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
        return NULL;
    }
    for (size_t i = 0; i < RUN_COLUMNS; i++) {
        if (!column_read(&columns[PART_LAYOUT_COUNTS + i], 0, count, rows + i * count)) {
            index_damaged(index, "registers", err);
            free(rows);
            return NULL;
        }
    }
    return rows;
}

// Sets the fields of runs from the rows, and their names, which are adjacent in the text.
static enum status fill_runs(struct trawl_index *index, const struct parts *parts,
                             const uint64_t *rows, size_t count, struct register_run *runs,
                             struct error *err)
{
    const char *names;
    size_t size_bytes, all = 0;
    if (parts_text(parts, PART_LAYOUT_NAMES, &names, &size_bytes, NULL) != STATUS_OK)
        return index_damaged(index, "names of registers", err);
    for (size_t i = 0; i < count; i++) {
        struct register_run *run = &runs[i];
        const char *end = memchr(names, 0, size_bytes);
        if (!end)
            return index_damaged(index, "names of registers", err);
        run->name = arena_copy_string(&index->layout.arena, names, (size_t)(end - names));
        if (!run->name)
            return error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
        if (!read_run(run, rows, count, i) || (all += register_run_length(run)) > LIMIT_REGISTERS)
            return index_damaged(index, "registers", err);
        size_bytes -= (size_t)(end + 1 - names);
        names = end + 1;
    }
    return STATUS_OK;
}

static enum status read_runs(struct trawl_index *index, const struct parts *parts,
                             const struct column *columns, struct register_run **runs,
                             struct error *err)
{
    if (columns[PART_LAYOUT_COUNTS].count > LIMIT_REGISTERS)
        return index_damaged(index, "registers", err);
    size_t count = (size_t)columns[PART_LAYOUT_COUNTS].count;
    *runs = arena_alloc(&index->layout.arena, (count + 1) * sizeof **runs);
    if (!*runs)
        return error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
    uint64_t *rows = read_rows(index, columns, count, err);
    if (!rows)
        return err->status;
    enum status status = fill_runs(index, parts, rows, count, *runs, err);
    free(rows);
    return status;
}

static bool read_figures(struct register_figures *figures, const struct column *column)
{
    uint64_t rows[LAYOUT_FIGURES];
    if (column->count < LAYOUT_FIGURES || !column_read(column, 0, LAYOUT_FIGURES, rows) ||
        rows[LAYOUT_ADDRESS_BYTES] > 8 || rows[LAYOUT_MACHINE] > UINT16_MAX)
        return false;
    *figures = (struct register_figures){
        .any_case = rows[LAYOUT_ANY_CASE] != 0,
        .address_bytes = (uint32_t)rows[LAYOUT_ADDRESS_BYTES],
        .machine = (uint32_t)rows[LAYOUT_MACHINE],
    };
    return true;
}

enum status index_read_layout(struct trawl_index *index, struct error *err)
{
    struct parts parts;
    struct column columns[PART_LAYOUT_DWARF + 1];
    struct register_figures figures;
    struct register_run *runs;
    if (!index_has_section(index, SECTION_LAYOUT))
        return STATUS_OK;
    enum status status = index_section(index, SECTION_LAYOUT, &parts, err);
    if (status != STATUS_OK)
        return status;
    for (uint32_t part = PART_LAYOUT_FIGURES; part <= PART_LAYOUT_DWARF; part++) {
        if (parts_column(&parts, part, &columns[part], NULL) != STATUS_OK ||
            (part > PART_LAYOUT_COUNTS && columns[part].count != columns[PART_LAYOUT_COUNTS].count))
            return index_damaged(index, "registers", err);
    }
    if (!read_figures(&figures, &columns[PART_LAYOUT_FIGURES]))
        return index_damaged(index, "registers", err);
    size_t count = (size_t)columns[PART_LAYOUT_COUNTS].count;
    status = read_runs(index, &parts, columns, &runs, err);
    if (status == STATUS_OK && !register_layout_make(&index->layout, runs, count, &figures))
        status = error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
    return status;
}

// --- Questions -----------------------------------------------------------------------------------

static enum trawl_status answer(const struct trawl_index *index, const struct trawl_register *found,
                                struct trawl_register *about, size_t about_bytes,
                                struct trawl_error *err)
{
    struct error why;
    if (!found)
        return errors_give(err, &why,
                           error_set(&why, STATUS_NOT_FOUND, "%s: no such register", index->path));
    caller_give(about, about_bytes, found, sizeof *found);
    return TRAWL_OK;
}

uint64_t trawl_register_count(const struct trawl_index *index)
{
    return index->layout.count;
}

enum trawl_status trawl_register_(const struct trawl_index *index, uint64_t number,
                                  struct trawl_register *about, size_t about_bytes,
                                  struct trawl_error *err)
{
    const struct register_layout *layout = &index->layout;
    return answer(index, number < layout->count ? &layout->registers[number] : NULL, about,
                  about_bytes, err);
}

static bool holds_in(uint32_t isas, uint32_t isa)
{
    return isa < 4 && isas >> isa & 1;
}

// A name as users write it: text, number and bank.
struct written_name {
    const char *text;
    size_t length, number_at, bank_at; // without a number, number_at is bank_at
    uint64_t number;                   // saturated
};

static struct written_name split(const char *text, size_t length)
{
    const char *bank = memchr(text, '_', length);
    struct written_name name = {text, length, 0, bank ? (size_t)(bank - text) : length, 0};
    name.number_at = name.bank_at;
    while (name.number_at && is_digit(text[name.number_at - 1]))
        name.number_at--;
    for (size_t i = name.number_at; i < name.bank_at && name.number < UINT32_MAX; i++)
        name.number = name.number * 10 + (uint64_t)(text[i] - '0');
    return name;
}

// Whether the name is one of the run's; *number: its number in the run.
static bool is_of_run(const struct register_layout *layout, const struct register_run *run,
                      const struct written_name *name, uint32_t *number)
{
    bool has_bank = name->bank_at < name->length;
    size_t end = run->count                    ? name->number_at
                 : register_run_is_banked(run) ? name->bank_at
                                               : name->length;
    if (register_run_is_banked(run) ? !has_bank : run->count && has_bank)
        return false;
    *number = run->count ? (uint32_t)name->number : 0;
    if (strlen(run->name) != end ||
        (layout->figures.any_case ? strncasecmp(run->name, name->text, end) != 0
                                  : memcmp(run->name, name->text, end) != 0))
        return false;
    return !run->count || (name->number_at < name->bank_at && name->number < run->count);
}

enum trawl_status trawl_register_named_(const struct trawl_index *index, uint32_t isa,
                                        const char *text, size_t length,
                                        struct trawl_register *about, size_t about_bytes,
                                        struct trawl_error *err)
{
    const struct register_layout *layout = &index->layout;
    const struct written_name name = split(text, length);
    const struct trawl_register *found = NULL;
    uint32_t number;
    for (size_t i = 0; i < layout->run_count && length && !found; i++) {
        const struct register_run *run = &layout->runs[i];
        if (holds_in(run->isas, isa) && is_of_run(layout, run, &name, &number))
            found = &layout->registers[layout->firsts[i] + number];
    }
    return answer(index, found, about, about_bytes, err);
}

enum trawl_status trawl_register_with_(const struct trawl_index *index, uint32_t isa,
                                       uint32_t flags, struct trawl_register *about,
                                       size_t about_bytes, struct trawl_error *err)
{
    const struct register_layout *layout = &index->layout;
    const struct trawl_register *found = NULL;
    for (size_t i = 0; i < layout->count && !found; i++) {
        const struct trawl_register *candidate = &layout->registers[i];
        if (holds_in(candidate->isas, isa) && (candidate->flags & flags) == flags)
            found = candidate;
    }
    return answer(index, found, about, about_bytes, err);
}

enum trawl_status trawl_register_of_dwarf_(const struct trawl_index *index, uint32_t isa,
                                           uint32_t dwarf, struct trawl_register *about,
                                           size_t about_bytes, struct trawl_error *err)
{
    const struct register_layout *layout = &index->layout;
    const struct trawl_register *found = NULL;
    for (size_t i = 0; i < layout->count && !found; i++) {
        const struct trawl_register *candidate = &layout->registers[i];
        if (holds_in(candidate->isas, isa) && candidate->dwarf == dwarf && dwarf != TRAWL_NO_DWARF)
            found = candidate;
    }
    return answer(index, found, about, about_bytes, err);
}
