#include "query/annotation.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "query/branch_counts.h"

#include <stdlib.h>

// --- The text of the trace -----------------------------------------------------------------------

// Reads the line of an instruction: its last part is the disassembly.
static bool read_line(struct annotation *annotation, const struct annotation_source *source,
                      struct annotated_instruction *made)
{
    struct line_look look;
    made->text = "";
    if (!instruction_look(source->trace, &source->how, made->count.position, &look))
        return true;
    made->code_bytes = look.code_bytes;
    made->is_branch = look.branch.kind != BRANCH_NONE && look.branch.kind != BRANCH_EXCEPTION &&
                      look.branch.kind != BRANCH_LEAVES;
    const struct text_part *last = &look.parts[look.part_count - 1];
    if (last->text_class != TEXT_DISASSEMBLY && last->text_class != TEXT_FAILED)
        return true;
    char *text =
        arena_copy_string(&annotation->arena, last->start, (size_t)(last->end - last->start));
    if (!text)
        return false;
    for (char *tab = text; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    utf8_make_inert(text, strlen(text));
    made->text = text;
    return true;
}

// --- Instructions --------------------------------------------------------------------------------

static bool find_chain(struct annotation *annotation, const struct annotation_source *source,
                       struct annotated_instruction *made)
{
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
    size_t count = source_lines_inlines(source->lines, source->names, made->count.pc, chain,
                                        ARRAY_COUNT(chain));
    if (count < 2)
        return true;
    made->chain = arena_alloc(&annotation->arena, count * sizeof *chain);
    if (!made->chain)
        return false;
    memcpy(made->chain, chain, count * sizeof *chain);
    made->chain_count = count;
    return true;
}

static bool add_instruction(struct annotation *annotation, const struct annotation_source *source,
                            const struct pc_count *count)
{
    struct annotated_instruction made = {.count = *count, .line = ANNOTATION_NO_LINE};
    if (!read_line(annotation, source, &made) || !find_chain(annotation, source, &made) ||
        !VEC_ROOM(&annotation->instructions, 1))
        return false;
    made.taken = made.is_branch ? pc_count_gone(count, made.code_bytes) : 0;
    made.not_taken = made.is_branch ? pc_count_passed(count, made.code_bytes) : 0;
    annotation->ticks += count->ticks;
    annotation->executed += count->executed;
    annotation->instructions.items[annotation->instructions.count++] = made;
    return true;
}

// --- Lines ---------------------------------------------------------------------------------------

static bool line_at(const struct annotation_source *source, uint64_t pc,
                    struct annotated_line *line)
{
    struct source_location place;
    if (!source_lines_find(source->lines, source->names, pc, &place) || !place.line)
        return false;
    *line = (struct annotated_line){
        .path = place.path, .file = place.file, .directory = place.directory, .line = place.line};
    return true;
}

// Where the function ends, according to its symbol or to what was executed of it.
static uint64_t end_of(const struct annotation *annotation, const struct annotation_source *source)
{
    struct image_symbol found;
    uint64_t end = annotation->instructions.items[annotation->instructions.count - 1].count.pc + 2;
    if (!source->names->index &&
        image_set_by_address(&source->names->images, annotation->address, &found) &&
        found.symbol->size <= LIMIT_PANE_CODE_BYTES)
        end = u64_max(end, annotation->address + found.symbol->size);
    return end;
}

static bool add_line(struct annotation *annotation, const struct annotated_line *line)
{
    const struct annotated_line *lines = annotation->lines.items;
    size_t count = annotation->lines.count;
    bool is_there = count && lines[count - 1].line == line->line &&
                    strcmp(lines[count - 1].path, line->path) == 0;
    if (is_there)
        return true;
    if (!VEC_ROOM(&annotation->lines, 1))
        return false;
    annotation->lines.items[annotation->lines.count++] = *line;
    return true;
}

static int by_place(const void *a_item, const void *b_item)
{
    const struct annotated_line *a = a_item, *b = b_item;
    int order = strcmp(a->path, b->path);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

bool annotation_make(struct annotation *annotation, const struct annotation_source *source,
                     uint64_t start, const struct pc_count *counts, size_t count)
{
    *annotation = (struct annotation){.address = start};
    annotation->name = names_of_root(source->names, start);
    annotation->has_programs = source->names->has_programs;
    annotation->tick_unit = trace_tick_unit(source->trace);
    for (size_t i = 0; i < count; i++) {
        if (!add_instruction(annotation, source, &counts[i]))
            return false;
    }
    // All lines of the function's code: instructions are of two or four bytes, at even addresses.
    if (count) {
        struct annotated_line line;
        uint64_t end = end_of(annotation, source);
        bool has_room = true;
        for (size_t i = 0; i < annotation->instructions.count && has_room; i++) {
            if (line_at(source, annotation->instructions.items[i].count.pc, &line))
                has_room = add_line(annotation, &line);
        }
        uint64_t size = u64_min(end - annotation->address, LIMIT_PANE_CODE_BYTES);
        for (uint64_t at = 0; at < size && has_room; at += 2) {
            if (line_at(source, annotation->address + at, &line))
                has_room = add_line(annotation, &line);
        }
        struct annotated_line *lines = annotation->lines.items;
        size_t kept = 0;
        if (annotation->lines.count)
            qsort(lines, annotation->lines.count, sizeof *lines, by_place);
        for (size_t i = 0; i < annotation->lines.count; i++) {
            if (!kept || by_place(&lines[kept - 1], &lines[i]) != 0)
                lines[kept++] = lines[i];
        }
        annotation->lines.count = kept;
        if (!has_room)
            return false;
    }
    for (size_t i = 0; i < annotation->instructions.count; i++) {
        struct annotated_instruction *made = &annotation->instructions.items[i];
        struct annotated_line wanted, *line = NULL;
        if (line_at(source, made->count.pc, &wanted))
            line = bsearch(&wanted, annotation->lines.items, annotation->lines.count,
                           sizeof *annotation->lines.items, by_place);
        if (!line)
            continue;
        made->line = (size_t)(line - annotation->lines.items);
        line->ticks += made->count.ticks;
        line->visits = u64_max(line->visits, made->count.executed);
        line->executed += made->count.executed;
    }
    return true;
}

void annotation_free(struct annotation *annotation)
{
    free(annotation->instructions.items);
    free(annotation->lines.items);
    arena_free(&annotation->arena);
    *annotation = (struct annotation){0};
}

bool annotation_has_lineless(const struct annotation *annotation)
{
    for (size_t i = 0; i < annotation->instructions.count; i++) {
        if (annotation->instructions.items[i].line == ANNOTATION_NO_LINE)
            return true;
    }
    return false;
}
