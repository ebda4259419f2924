#include "export/annotation_formats.h"

#include <stdlib.h>

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
