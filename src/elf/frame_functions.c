#include "elf/frame_functions.h"

#include "elf/cfi.h"
#include "elf/sframe_section.h"

#include <inttypes.h>
#include <stdlib.h>

struct search {
    struct frame_functions *functions;
    const struct image *image;
    const struct frame_functions_faults *faults;
};

static bool add(const struct search *search, uint64_t start, uint64_t size, bool is_part)
{
    struct frame_functions *functions = search->functions;
    uint64_t thumb_bit = image_is_arm32(search->image);
    if (!VEC_ROOM(functions, 1))
        return false;
    functions->items[functions->count++] =
        (struct frame_function){start & ~thumb_bit, size, is_part};
    return true;
}

static enum status no_memory(const struct search *search, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for its functions",
                     image_path(search->image));
}

// Reports a table that cannot be read at all: its functions are unknown, and the rest continues.
static enum status pass_over(const struct search *search, const struct error *fault,
                             struct error *err)
{
    if (fault->status == STATUS_MEMORY)
        return no_memory(search, err);
    search->faults->fault(search->faults->self, fault);
    return STATUS_OK;
}

static void tell_damaged(const struct search *search, uint64_t count, const char *what)
{
    struct error err;
    if (!count)
        return;
    error_set(&err, STATUS_INPUT, "%s: %" PRIu64 " %s cannot be read: functions may be missing",
              image_path(search->image), count, what);
    search->faults->fault(search->faults->self, &err);
}

// --- Call frame information ----------------------------------------------------------------------

static enum status add_cfi(const struct search *search, struct error *err)
{
    struct cfi *cfi;
    struct error fault;
    bool has_room = true;
    if (cfi_open(&cfi, search->image, &fault) != STATUS_OK)
        return pass_over(search, &fault, err);
    if (!cfi)
        return STATUS_OK;
    for (size_t i = 0; has_room && i < cfi_function_count(cfi); i++) {
        uint64_t start, end;
        cfi_function_at(cfi, i, &start, &end);
        has_room = add(search, start, end - start, cfi_has_frame_at_start(cfi, i));
    }
    tell_damaged(search, cfi_damaged_count(cfi), "entries of its call frame information");
    cfi_close(cfi);
    return has_room ? STATUS_OK : no_memory(search, err);
}

// --- SFrame --------------------------------------------------------------------------------------

// Whether the frame of a function exists before its first instruction. Only for AArch64, where a
// call does not change the stack pointer.
static bool sframe_has_frame_at_start(const struct sframe_table *table,
                                      const struct sframe_function *function)
{
    bool is_aarch64 = table->abi == SFRAME_AARCH64_LITTLE || table->abi == SFRAME_AARCH64_BIG;
    struct sframe_row row;
    if (!is_aarch64 || function->is_flexible || function->is_signal || !function->row_count ||
        sframe_row_read(table, function, function->rows, &row, NULL) != STATUS_OK)
        return false;
    return row.start == 0 && row.word_count &&
           (!sframe_is_sp_based(row.info) || sframe_word(table, &row, 0) != 0);
}

// Adds the functions of one table. Repeated blocks are a PLT, whose blocks are stubs.
static bool add_table(const struct search *search, const struct sframe_section *section,
                      const struct sframe_table *table, uint64_t *damaged_count)
{
    bool has_room = true;
    for (uint32_t i = 0; has_room && i < table->function_count; i++) {
        struct sframe_function function;
        if (sframe_function_read(table, i, &function, NULL) != STATUS_OK)
            ++*damaged_count;
        else if (function.size_bytes && !function.repeat_bytes &&
                 sframe_is_code(section, function.address))
            has_room = add(search, function.address, function.size_bytes,
                           sframe_has_frame_at_start(table, &function));
    }
    return has_room;
}

// Counts damaged parts, which are reported at the end.
static void count_fault(void *self, const struct error *err)
{
    (void)err;
    ++*(uint64_t *)self;
}

static enum status add_sframe(const struct search *search, struct error *err)
{
    uint64_t damaged_count = 0;
    const struct sframe_faults faults = {&damaged_count, count_fault};
    struct sframe_section section;
    struct error fault;
    bool has_room = true;
    enum status status = sframe_section_read(&section, search->image, &faults, &fault);
    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? STATUS_OK : pass_over(search, &fault, err);
    for (size_t i = 0; has_room && !section.is_object && i < section.tables.count; i++) {
        const struct sframe_table *table = &section.tables.items[i];
        if (sframe_abi_machine(table->abi) == image_machine(search->image))
            has_room = add_table(search, &section, table, &damaged_count);
    }
    sframe_section_free(&section);
    tell_damaged(search, damaged_count, "parts of its SFrame tables");
    return has_room ? STATUS_OK : no_memory(search, err);
}

enum status frame_functions_find(struct frame_functions *functions, const struct image *image,
                                 const struct frame_functions_faults *faults, struct error *err)
{
    const struct search search = {functions, image, faults};
    *functions = (struct frame_functions){0};
    enum status status = add_cfi(&search, err);
    return status == STATUS_OK ? add_sframe(&search, err) : status;
}
