// Shows how trawl reads the call frame information (.debug_frame, .eh_frame) and the exception
// tables (.ARM.exidx) of an image, one line for each range of PCs, for test_frame_rows.py to
// compare with other readers. With --functions, shows the functions that it finds by these and by
// SFrame, for test_stripped.py.
#include "elf/cfi.h"
#include "elf/exidx.h"
#include "elf/frame_functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void put_expression(const struct frame_row *row, const struct frame_location *place)
{
    for (uint32_t i = 0; i < place->length; i++)
        printf("%02x", row->expressions[place->offset + i]);
}

static void put_place(const struct frame_row *row, unsigned number)
{
    const struct frame_location *place = &row->registers[number];
    static const char *const names[] = {
        "",          " r%u=s",    " r%u=u", " r%u=c%+" PRId64, " r%u=v%+" PRId64, " r%u=r%" PRId64,
        " r%u=exp:", " r%u=vexp:"};
    if (place->kind == FRAME_UNSAID)
        return;
    printf(names[place->kind], number, place->kind == FRAME_REGISTER ? place->base : place->offset);
    if (place->kind == FRAME_MEMORY_EXPRESSION || place->kind == FRAME_VALUE_EXPRESSION)
        put_expression(row, place);
}

static void put_row(const char *source, const struct frame_row *row)
{
    printf("%s %" PRIx64 " %" PRIx64, source, row->start, row->end);
    if (row->cfa.kind == FRAME_REGISTER) {
        printf(" cfa=r%u%+" PRId64, row->cfa.base, row->cfa.offset);
    } else {
        printf(" cfa=exp:");
        put_expression(row, &row->cfa);
    }
    for (unsigned i = 0; i < FRAME_REGISTERS; i++)
        put_place(row, i);
    printf(" ra=r%u%s%s\n", row->ra, row->is_signal ? " signal" : "",
           row->is_signed ? " signed" : "");
}

static void show_cfi(struct cfi *cfi)
{
    for (size_t i = 0; i < cfi_function_count(cfi); i++) {
        uint64_t start, end;
        cfi_function_at(cfi, i, &start, &end);
        const struct frame_row *row = cfi_find(cfi, start);
        for (uint64_t pc = start; row && pc < end; row = pc < end ? cfi_find(cfi, pc) : NULL) {
            put_row("dwarf", row);
            pc = row->end;
        }
        if (!cfi_find(cfi, start))
            printf("dwarf %" PRIx64 " %" PRIx64 " none\n", start, end);
    }
    printf("damaged %" PRIu64 "\n", cfi_damaged_count(cfi));
}

static void show_exidx(const struct exidx *exidx)
{
    static const char *const names[] = {"none", "row", "cantunwind", "damaged", "unsupported"};
    for (size_t i = 0; i < exidx_function_count(exidx); i++) {
        struct frame_row row;
        uint64_t start = exidx_function_at(exidx, i);
        enum exidx_kind kind = exidx_find(exidx, start, &row);
        if (kind == EXIDX_ROW)
            put_row("exidx", &row);
        else
            printf("exidx %" PRIx64 " %" PRIx64 " %s\n", row.start, row.end, names[kind]);
    }
}

static enum status show_rows(const struct image *image, struct error *err)
{
    struct cfi *cfi = NULL;
    struct exidx *exidx = NULL;
    enum status status = cfi_open(&cfi, image, err);
    if (status == STATUS_OK)
        status = exidx_open(&exidx, image, err);
    if (status == STATUS_OK && cfi)
        show_cfi(cfi);
    if (status == STATUS_OK && exidx)
        show_exidx(exidx);
    cfi_close(cfi);
    exidx_close(exidx);
    return status;
}

static void show_fault(void *self, const struct error *err)
{
    (void)self;
    printf("fault %s\n", err->text);
}

static enum status show_functions(const struct image *image, struct error *err)
{
    const struct frame_functions_faults faults = {NULL, show_fault};
    struct frame_functions functions;
    enum status status = frame_functions_find(&functions, image, &faults, err);
    for (size_t i = 0; i < functions.count; i++) {
        const struct frame_function *function = &functions.items[i];
        printf("%s %" PRIx64 " %" PRIu64 "\n", function->is_part ? "part" : "function",
               function->start, function->size);
    }
    free(functions.items);
    return status;
}

int main(int argc, char **argv)
{
    struct image *image = NULL;
    struct error err = {.text = "usage: frame-rows [--functions] IMAGE"};
    bool shows_functions = argc == 3 && strcmp(argv[1], "--functions") == 0;
    bool is_shown = (argc == 2 || shows_functions) &&
                    image_open(&image, argv[argc - 1], &err) == STATUS_OK &&
                    (shows_functions ? show_functions : show_rows)(image, &err) == STATUS_OK;
    if (!is_shown)
        fprintf(stderr, "%s\n", err.text);
    image_close(image);
    return !is_shown;
}
