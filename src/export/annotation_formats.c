#include "export/annotation_formats.h"

#include <stdlib.h>

// The most lines without code that are shown between two with code.
enum { GAP_LINES = 6 };

static bool has_file(struct annotation_sources *sources, const struct annotated_line *line)
{
    const struct source_location place = {
        .file = line->file, .path = line->path, .directory = line->directory};
    if (!sources->path || strcmp(sources->path, line->path) != 0 ||
        sources->directory != line->directory) {
        source_text_close(&sources->text);
        sources->path = line->path;
        sources->directory = line->directory;
        if (!source_text_open(&sources->text, sources->search, &place, sources->lines,
                              sources->names) &&
            sources->text.error) {
            sources->unread = line->path;
            sources->error = sources->text.error;
        }
    }
    return sources->text.text != NULL;
}

const char *annotation_source_line(struct annotation_sources *sources,
                                   const struct annotated_line *line, size_t *length)
{
    const char *start = "";
    *length = has_file(sources, line) ? source_text_line(&sources->text, line->line, &start) : 0;
    return start;
}

uint32_t annotation_lines_before(struct annotation_sources *sources,
                                 const struct annotation *annotation, size_t at, uint32_t *first)
{
    const struct annotated_line *line = &annotation->lines.items[at];
    if (at == 0 || strcmp(line[-1].path, line->path) != 0 || !has_file(sources, line))
        return 0;
    uint32_t count = line->line - line[-1].line - 1;
    *first = line[-1].line + 1;
    return count <= GAP_LINES ? count : 0;
}

void annotation_sources_close(struct annotation_sources *sources)
{
    source_text_close(&sources->text);
    sources->path = sources->directory = NULL;
}

void annotation_write_sums(const struct annotation *annotation, uint64_t whole_ticks,
                           struct out *out)
{
    out_text(out, "at 0x");
    out_hex(out, annotation_shown(annotation, annotation->address), 1);
    out_text(out, ": ");
    out_u64(out, annotation->ticks);
    out_byte(out, ' ');
    out_text(out, annotation->tick_unit);
    out_text(out, " (");
    out_percent(out, annotation->ticks, whole_ticks, 1);
    out_text(out, "% of all), ");
    out_u64(out, annotation->executed);
    out_text(out, " instructions");
}

// The place of code, or of an inlined call.
static void put_place(struct json *json, const char *file, uint32_t line)
{
    json_member_text(json, "file", file);
    json_key(json, "line");
    if (file)
        json_u64(json, line);
    else
        json_text(json, NULL);
}

static void put_chain(struct json *json, const struct annotated_instruction *shown)
{
    json_key(json, "inlined");
    json_begin_array(json);
    for (size_t i = 0; i < shown->chain_count; i++) {
        const struct debug_inline *one = &shown->chain[i];
        json_begin_object(json);
        json_member_text(json, "function", one->name);
        json_member_text(json, "call_file", one->file);
        json_member_u64(json, "call_line", one->line);
        json_end_object(json);
    }
    json_end_array(json);
}

void annotation_write_json(const struct annotation *annotation, struct annotation_sources *sources,
                           uint64_t whole_ticks, struct json *json)
{
    json_begin_object(json);
    json_member_text(json, "function", annotation->name);
    json_member_address(json, "address", annotation_shown(annotation, annotation->address));
    json_member_u64(json, "ticks", annotation->ticks);
    json_member_u64(json, "all_ticks", whole_ticks);
    json_member_u64(json, "executed", annotation->executed);
    json_key(json, "lines");
    json_begin_array(json);
    for (size_t i = 0; i < annotation->lines.count; i++) {
        const struct annotated_line *line = &annotation->lines.items[i];
        size_t length;
        const char *text = annotation_source_line(sources, line, &length);
        char *copy = sources->text.text ? strndup(text, length) : NULL;
        sources->names->lacks_memory |= sources->text.text && !copy;
        json_begin_object(json);
        put_place(json, line->path, line->line);
        json_member_u64(json, "ticks", line->ticks);
        json_member_u64(json, "visits", line->visits);
        json_member_u64(json, "executed", line->executed);
        json_member_text(json, "text", copy);
        json_end_object(json);
        free(copy);
    }
    json_end_array(json);
    json_key(json, "instructions");
    json_begin_array(json);
    for (size_t i = 0; i < annotation->instructions.count; i++) {
        const struct annotated_instruction *shown = &annotation->instructions.items[i];
        const struct annotated_line *line =
            shown->line == ANNOTATION_NO_LINE ? NULL : &annotation->lines.items[shown->line];
        json_begin_object(json);
        json_member_address(json, "address", annotation_shown(annotation, shown->count.pc));
        json_member_text(json, "text", shown->text);
        json_member_u64(json, "ticks", shown->count.ticks);
        json_member_u64(json, "executed", shown->count.executed);
        json_member_u64(json, "skipped", shown->count.skipped);
        json_member_bool(json, "is_branch", shown->is_branch);
        json_member_u64(json, "taken", shown->taken);
        json_member_u64(json, "not_taken", shown->not_taken);
        put_place(json, line ? line->path : NULL, line ? line->line : 0);
        put_chain(json, shown);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}
