#include "idx/register_layout.h"

#include <string.h>

uint64_t register_run_offset(const struct register_run *run, uint32_t number)
{
    uint32_t beside = run->beside ? run->beside : 1;
    return run->offset + (uint64_t)(number / beside) * run->stride_bytes +
           (uint64_t)(number % beside) * run->size_bytes;
}

// The name of a register of a run. NULL: no memory.
static const char *name_of(struct register_layout *layout, const struct register_run *run,
                           uint32_t number)
{
    char digits[10];
    size_t at = sizeof digits;
    if (!run->count)
        return run->name;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    size_t length = strlen(run->name), digit_count = sizeof digits - at;
    char *name = arena_alloc(&layout->arena, length + digit_count + 1);
    if (name) {
        memcpy(name, run->name, length);
        memcpy(name + length, digits + at, digit_count);
    }
    return name;
}

// Adds the registers of a run. False: no memory.
static bool add_run(struct register_layout *layout, size_t number)
{
    const struct register_run *run = &layout->runs[number];
    layout->firsts[number] = layout->count;
    for (uint32_t i = 0; i < register_run_length(run); i++) {
        struct trawl_register *added = &layout->registers[layout->count++];
        *added = (struct trawl_register){
            .name = name_of(layout, run, i),
            .offset = register_run_offset(run, i),
            .size_bytes = run->size_bytes,
            .flags = run->flags,
            .isas = run->isas,
            .shown = run->shown,
            .dwarf = run->dwarf == TRAWL_NO_DWARF ? TRAWL_NO_DWARF : run->dwarf + i,
        };
        if (!added->name)
            return false;
    }
    return true;
}

bool register_layout_make(struct register_layout *layout, const struct register_run *runs,
                          size_t count, const struct register_figures *figures)
{
    size_t all = 0, shown_count = 0;
    for (size_t i = 0; i < count; i++)
        all += register_run_length(&runs[i]);
    layout->figures = *figures;
    layout->runs = runs;
    layout->run_count = count;
    layout->registers = arena_alloc(&layout->arena, (all + 1) * sizeof *layout->registers);
    layout->firsts = arena_alloc(&layout->arena, (count + 1) * sizeof *layout->firsts);
    if (!layout->registers || !layout->firsts)
        return false;
    for (int banks = 0; banks < 2; banks++) {
        for (size_t i = 0; i < count; i++) {
            if (register_run_is_banked(&runs[i]) == banks && !add_run(layout, i))
                return false;
        }
        if (!banks)
            shown_count = layout->count;
    }
    layout->count = shown_count;
    return true;
}

void register_layout_free(struct register_layout *layout)
{
    arena_free(&layout->arena);
    *layout = (struct register_layout){0};
}
