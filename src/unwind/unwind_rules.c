#include "unwind/unwind_trace.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

// --- SFrame --------------------------------------------------------------------------------------

static void on_sframe_fault(void *self, const struct error *err)
{
    const struct unwind_rules *rules = self;
    rules->faults.fault(rules->faults.self, "SFrame", err);
}

static enum status open_sframe(struct unwind_rules *rules, size_t number, struct error *err)
{
    const struct sframe_faults faults = {rules, on_sframe_fault};
    const struct image *image = rules->images->members.items[number].image;
    struct sframe_section section;
    enum status status = sframe_section_read(&section, image, &faults, err);
    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    unsigned abi = section.tables.count ? section.tables.items[0].abi : 0;
    if (!section.is_object && abi && sframe_abi_machine(abi) == image_machine(image))
        status = sframe_flat_build(&rules->of[number].flat, &section, 0, &faults, err);
    sframe_section_free(&section);
    return status;
}

enum status unwind_rules_open(struct unwind_rules *rules, const struct image_set *images,
                              const struct unwind_faults *faults, struct error *err)
{
    size_t count = images->members.count;
    *rules = (struct unwind_rules){.images = images, .faults = *faults};
    rules->of = calloc(count + 1, sizeof *rules->of);
    if (!rules->of)
        return error_set(err, STATUS_MEMORY, "no memory for the rules of images");
    for (size_t i = 0; i < count; i++)
        rules->of[i].flat.map.fd = -1;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = open_sframe(rules, i, err);
    return status;
}

void unwind_rules_free(struct unwind_rules *rules)
{
    for (size_t i = 0; rules->of && i < rules->images->members.count; i++) {
        sframe_flat_free(&rules->of[i].flat);
        cfi_close(rules->of[i].cfi);
        exidx_close(rules->of[i].exidx);
    }
    free(rules->of);
    *rules = (struct unwind_rules){0};
}

// --- DWARF and exception tables ------------------------------------------------------------------

static void note(struct unwind_rules *rules, const char *what, const struct error *err)
{
    if (err->status == STATUS_MEMORY)
        rules->lacks_memory = true;
    else
        rules->faults.fault(rules->faults.self, what, err);
}

static void note_damaged_entries(struct unwind_rules *rules, const struct image *image,
                                 uint64_t count)
{
    struct error err;
    error_set(&err, STATUS_INPUT,
              "%s: %" PRIu64 " entr%s of its call frame information cannot be read",
              image_path(image), count, count == 1 ? "y" : "ies");
    note(rules, "DWARF", &err);
}

// What an image has besides SFrame.
static struct unwind_image *opened(struct unwind_rules *rules, size_t number)
{
    struct unwind_image *of = &rules->of[number];
    const struct image *image = rules->images->members.items[number].image;
    struct error err;
    if (of->is_asked)
        return of;
    of->is_asked = true;
    if (cfi_open(&of->cfi, image, &err) != STATUS_OK)
        note(rules, "DWARF", &err);
    else if (of->cfi && cfi_damaged_count(of->cfi))
        note_damaged_entries(rules, image, cfi_damaged_count(of->cfi));
    if (exidx_open(&of->exidx, image, &err) != STATUS_OK)
        note(rules, ".ARM.exidx", &err);
    return of;
}

static bool is_of(const struct unwind_rules *rules, size_t number, unsigned machine)
{
    return image_machine(rules->images->members.items[number].image) == machine;
}

bool unwind_rules_have(struct unwind_rules *rules, unsigned machine, enum unwind_source source)
{
    for (size_t i = 0; i < rules->images->members.count; i++) {
        if (!is_of(rules, i, machine))
            continue;
        if (source == UNWIND_SFRAME  ? rules->of[i].flat.head != NULL
            : source == UNWIND_DWARF ? opened(rules, i)->cfi != NULL
                                     : opened(rules, i)->exidx != NULL)
            return true;
    }
    return false;
}

// --- Look-ups ------------------------------------------------------------------------------------

const struct sframe_rule *unwind_rules_find(const struct unwind_rules *rules, unsigned machine,
                                            uint64_t pc)
{
    static const struct sframe_rule miss = {.kind = SFRAME_MISS};
    for (size_t i = 0; i < rules->images->members.count; i++) {
        if (!rules->of[i].flat.head || !is_of(rules, i, machine))
            continue;
        uint64_t at = pc - rules->images->members.items[i].offset;
        const struct sframe_rule *rule = sframe_flat_find(&rules->of[i].flat, at);
        if (rule->kind != SFRAME_MISS)
            return rule;
    }
    return &miss;
}

const struct frame_row *unwind_rules_row(struct unwind_rules *rules, unsigned machine,
                                         enum unwind_source source, uint64_t pc)
{
    const struct image_set *images = rules->images;
    for (size_t i = 0; i < images->ranges.count; i++) {
        const struct image_range *range = &images->ranges.items[i];
        if (pc >= range->first && pc <= range->last) {
            if (!is_of(rules, range->member, machine))
                return NULL;
            size_t number = range->member;
            const struct image_member *member = &rules->images->members.items[number];
            const struct unwind_image *of = opened(rules, number);
            uint64_t at = (pc - member->offset) & member->address_mask;
            if (source == UNWIND_DWARF)
                return of->cfi ? cfi_find(of->cfi, at) : NULL;
            return of->exidx && exidx_find(of->exidx, at, &rules->row) == EXIDX_ROW ? &rules->row
                                                                                    : NULL;
        }
    }
    return NULL;
}

bool unwind_rules_is_code(const struct unwind_rules *rules, uint64_t pc)
{
    for (size_t i = 0; i < rules->images->ranges.count; i++) {
        const struct image_range *range = &rules->images->ranges.items[i];
        if (pc >= range->first && pc <= range->last)
            return true;
    }
    return false;
}

bool unwind_rules_function(const struct unwind_rules *rules, uint64_t pc, uint64_t *start)
{
    struct image_symbol place;
    if (!image_set_by_address(rules->images, pc, &place) || !place.symbol->is_function)
        return false;
    *start = place.address;
    return true;
}
