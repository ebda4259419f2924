
#include "base/hash_index.h"
#include "base/limits.h"
#include "report/flame_svg.h"

#include <stdlib.h>

// --- Names ---------------------------------------------------------------------------------------

// False: no memory.
static bool number_of(struct hash_index *numbers, struct flame_hidden *hidden, const char *name,
                      uint32_t *number)
{
    uint64_t hash = hash_key(hash_index_seed(numbers), (uintptr_t)name);
    HASH_INDEX_FIND(*number, numbers, hash, hidden->names[candidate] == name);
    if (*number != HASH_INDEX_NONE)
        return true;
    *number = hidden->name_count;
    hidden->names[hidden->name_count++] = name;
    return hash_index_add(numbers, hash, *number);
}

static bool is_hidden(const struct flame_hidden *hidden, size_t box)
{
    return !flame_is_drawn(hidden->layout, hidden->frames, &hidden->layout->boxes[box]);
}

static bool number_names(struct flame_hidden *hidden)
{
    struct hash_index numbers = {0};
    uint32_t *number = hidden->name_numbers;
    bool has_memory = true;
    for (size_t i = 0; i < hidden->layout->box_count && has_memory; i++) {
        const char *name = hidden->frames[hidden->layout->boxes[i].frame].name;
        if (!is_hidden(hidden, i))
            continue;
        *number = 0;
        has_memory = !name || number_of(&numbers, hidden, name, number);
        number++;
    }
    hash_index_free(&numbers);
    return has_memory;
}

enum status flame_hidden_make(struct flame_hidden *hidden, const struct flame_layout *layout,
                              const struct flame_frame *frames, struct error *err)
{
    *hidden = (struct flame_hidden){.layout = layout, .frames = frames};
    for (size_t i = 0; i < layout->box_count; i++)
        hidden->box_count += is_hidden(hidden, i);
    if (!hidden->box_count)
        return STATUS_OK;
    hidden->names = calloc(hidden->box_count, sizeof *hidden->names);
    hidden->name_numbers = calloc(hidden->box_count, sizeof *hidden->name_numbers);
    if (!hidden->names || !hidden->name_numbers || !number_names(hidden))
        return error_set(err, STATUS_MEMORY, "flame graph: no memory");
    return STATUS_OK;
}

void flame_hidden_free(struct flame_hidden *hidden)
{
    free(hidden->names);
    free(hidden->name_numbers);
    *hidden = (struct flame_hidden){0};
}

// --- Boxes ---------------------------------------------------------------------------------------

static void write_field(struct out *out, uint64_t value)
{
    out_byte(out, ',');
    if (value)
        out_u64(out, value);
}

static void write_box(const struct flame_hidden *hidden, struct out *out,
                      const struct flame_frame *frame, const struct flame_box *box, uint32_t name,
                      uint64_t start_before)
{
    out_u64(out, frame->depth);
    out_byte(out, ',');
    if (frame->name)
        out_u64(out, name);
    write_field(out, box->start - start_before);
    write_field(out, box->width);
    uint64_t total =
        hidden->before ? hidden->before[frame - hidden->frames].later_total : frame->total;
    out_byte(out, ',');
    if (total != box->width)
        out_u64(out, total);
    write_field(out, frame->self);
    write_field(out, frame->count);
    out_byte(out, ',');
    if (frame->address)
        out_hex(out, frame->address, 0);
    if (hidden->before) {
        // What only a graph that compares has.
        const struct flame_before *before = hidden->before + (frame - hidden->frames);
        char change[FLAME_CHANGE_BYTES];
        flame_change_class(change, before->self, frame->self, hidden->change_most);
        out_byte(out, ',');
        out_text(out, change);
        write_field(out, before->total);
        write_field(out, before->self);
    }
    out_byte(out, '\n');
}

static void write_drawn(struct out *out, size_t *drawn_count)
{
    if (!*drawn_count)
        return;
    out_byte(out, '+');
    out_u64(out, *drawn_count);
    out_byte(out, '\n');
    *drawn_count = 0;
}

void flame_hidden_write(const struct flame_hidden *hidden, struct out *out, const char *unit)
{
    if (!hidden->box_count)
        return;
    out_text(out, "<metadata id=\"hidden\" data-unit=\"");
    flame_text_write(out, unit, LIMIT_FLAME_NAME_COLUMNS);
    if (hidden->before) {
        out_text(out, "\" data-total=\"");
        out_u64(out, hidden->before->later_total);
    }
    out_text(out, "\">\n");
    for (uint32_t i = 0; i < hidden->name_count; i++) {
        out_u64(out, flame_colour_of(hidden->names[i]));
        out_byte(out, ' ');
        flame_text_write(out, hidden->names[i], LIMIT_FLAME_NAME_COLUMNS);
        out_byte(out, '\n');
    }
    out_byte(out, '\n');
    const struct flame_box *boxes = hidden->layout->boxes;
    size_t drawn_count = 0, number = 0;
    for (size_t i = 0; i < hidden->layout->box_count; i++) {
        if (!is_hidden(hidden, i)) {
            drawn_count++;
            continue;
        }
        write_drawn(out, &drawn_count);
        // The root is always drawn, so there is one before.
        write_box(hidden, out, &hidden->frames[boxes[i].frame], &boxes[i],
                  hidden->name_numbers[number++], boxes[i - 1].start);
    }
    write_drawn(out, &drawn_count);
    out_text(out, "</metadata>\n");
}
