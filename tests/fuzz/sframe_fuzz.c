// SFrame: the first bytes describe the surroundings of a table, and the rest is its section; the
// bytes are also used as a stored array. Rules that are found one by one, in groups, and in the
// tables must be the same.
#include "fuzz.h"

#include "elf/sframe_flat.h"
#include "elf/sframe_section.h"

#include <fcntl.h>

enum { PCS_MAX = 4000 };

static void on_fault(void *self, const struct error *err)
{
    (void)self;
    CLAIM(err->text[0] && err->status != STATUS_OK);
}

static void on_finding(void *self, const struct sframe_finding *finding)
{
    (void)self;
    CLAIM(finding->text[0] && finding->kind < SFRAME_FINDING_KINDS);
}

static void check_pcs(const struct sframe_flat *flat)
{
    static uint64_t pcs[PCS_MAX];
    static const struct sframe_rule *rules[PCS_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < flat->head->region_count; i++) {
        const struct sframe_region *region = &flat->regions[i];
        for (uint32_t row = 0; row < region->row_count && count + 3 < PCS_MAX; row++) {
            uint64_t pc = region->base + flat->starts[region->first_row + row];
            pcs[count++] = pc - 1;
            pcs[count++] = pc;
            pcs[count++] = pc + 1;
            const struct sframe_rule *rule = sframe_flat_find(flat, pc);
            const struct sframe_rule *told = &flat->rules[flat->numbers[region->first_row + row]];
            // The next region may begin where this one ends.
            CLAIM(rule == told || told->kind == SFRAME_PATTERN || row + 1 == region->row_count);
        }
    }
    sframe_flat_find_many(flat, pcs, count, rules);
    for (size_t i = 0; i < count; i++) {
        CLAIM(rules[i] == sframe_flat_find(flat, pcs[i]) && rules[i]->kind != SFRAME_PATTERN);
        uint64_t end;
        CLAIM(rules[i] == sframe_flat_range(flat, pcs[i], &end) && end > pcs[i]);
        CLAIM(end == UINT64_MAX || rules[i] == sframe_flat_find(flat, end - 1));
        char text[SFRAME_TEXT_MAX];
        sframe_location_text(text, flat->head->abi, &rules[i]->cfa, true);
        sframe_marks_text(text, rules[i]->marks);
    }
}

// Makes a little-endian ELF file with one section, which has these bytes.
static size_t wrap(uint8_t *out, const uint8_t *data, size_t size_bytes, bool is_big)
{
    static const char names[] = "\0.shstrtab\0.sframe";
    size_t names_at = 64 + size_bytes, table = (names_at + sizeof names + 7) & ~(size_t)7;
    memset(out, 0, table + 3 * 64);
    memcpy(out, "\177ELF\2\1\1", 7);
    out[5] = is_big ? 2 : 1;
    memcpy(out + 64, data, size_bytes);
    memcpy(out + names_at, names, sizeof names);
    const struct {
        size_t at, bytes;
        uint64_t value;
    } fields[] = {{16, 2, 2},
                  {18, 2, 62},
                  {20, 4, 1},
                  {40, 8, table},
                  {52, 2, 64},
                  {58, 2, 64},
                  {60, 2, 3},
                  {62, 2, 1},
                  {table + 64, 4, 1},
                  {table + 68, 4, 3},
                  {table + 88, 8, names_at},
                  {table + 96, 8, sizeof names},
                  {table + 128, 4, 11},
                  {table + 132, 4, 1},
                  {table + 144, 8, 0x400000},
                  {table + 152, 8, 64},
                  {table + 160, 8, size_bytes}};
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
        for (size_t byte = 0; byte < fields[i].bytes; byte++)
            out[fields[i].at + (is_big ? fields[i].bytes - 1 - byte : byte)] =
                (uint8_t)(fields[i].value >> 8 * byte);
    return table + 3 * 64;
}

static void check_table(const uint8_t *data, size_t size_bytes)
{
    const struct sframe_faults faults = {NULL, on_fault};
    struct sframe_section section;
    struct sframe_flat flat;
    struct image *image;
    struct error err;
    uint8_t *elf = malloc(size_bytes + 1024);
    CLAIM(elf);
    size_t elf_bytes = wrap(elf, data, size_bytes, size_bytes > 1 && data[0] == 0xde);
    const char *path = fuzz_file(elf, elf_bytes);
    free(elf);
    CLAIM(image_open(&image, path, &err) == STATUS_OK);
    if (sframe_section_read(&section, image, &faults, &err) == STATUS_OK) {
        const struct sframe_witness witness = {elf_bytes, NULL, NULL};
        struct sframe_figures figures;
        CLAIM(sframe_check(&section, &witness, on_finding, NULL, &figures));
        CLAIM(sframe_flat_build(&flat, &section, 0, &faults, &err) == STATUS_OK);
        check_pcs(&flat);
        sframe_flat_free(&flat);
        sframe_section_free(&section);
    }
    image_close(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct sframe_flat flat;
    struct error err;
    if (sframe_flat_open(&flat, fuzz_file(data, size_bytes), &err) == STATUS_OK) {
        check_pcs(&flat);
        sframe_flat_free(&flat);
    }
    check_table(data, size_bytes);
    return 0;
}
