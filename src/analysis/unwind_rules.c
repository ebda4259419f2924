#include "analysis/unwind_rules.h"

#include <stdlib.h>

static enum status open_member(struct unwind_rules *rules, size_t number, const unsigned abis[2],
                               const struct sframe_faults *faults, struct error *err)
{
    struct sframe_section section;
    enum status status =
        sframe_section_read(&section, rules->images->members.items[number].image, faults, err);
    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    unsigned abi = section.tables.count ? section.tables.items[0].abi : 0;
    if (!section.is_object && abi && (abi == abis[0] || abi == abis[1])) {
        status = sframe_flat_build(&rules->flats[number], &section, 0, faults, err);
        rules->abi = abi;
    }
    sframe_section_free(&section);
    return status;
}

enum status unwind_rules_open(struct unwind_rules *rules, const struct image_set *images,
                              const unsigned abis[2], const struct sframe_faults *faults,
                              struct error *err)
{
    size_t count = images->members.count;
    *rules = (struct unwind_rules){.images = images};
    rules->flats = calloc(count + 1, sizeof *rules->flats);
    if (!rules->flats)
        return error_set(err, STATUS_MEMORY, "no memory for SFrame");
    for (size_t i = 0; i < count; i++)
        rules->flats[i].map.fd = -1;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = open_member(rules, i, abis, faults, err);
    return status;
}

void unwind_rules_free(struct unwind_rules *rules)
{
    for (size_t i = 0; rules->flats && i < rules->images->members.count; i++)
        sframe_flat_free(&rules->flats[i]);
    free(rules->flats);
    *rules = (struct unwind_rules){0};
}

const struct sframe_rule *unwind_rules_find(const struct unwind_rules *rules, uint64_t pc)
{
    static const struct sframe_rule miss = {.kind = SFRAME_MISS};
    for (size_t i = 0; i < rules->images->members.count; i++) {
        if (!rules->flats[i].head)
            continue;
        uint64_t at = pc - rules->images->members.items[i].offset;
        const struct sframe_rule *rule = sframe_flat_find(&rules->flats[i], at);
        if (rule->kind != SFRAME_MISS)
            return rule;
    }
    return &miss;
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
