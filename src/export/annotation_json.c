#include "export/annotation_formats.h"

#include <stdlib.h>

static void put_u64(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

static void put_text(struct json *json, const char *key, const char *value)
{
    json_key(json, key);
    json_text(json, value);
}

// Where code is, or a call that was inlined.
static void put_place(struct json *json, const char *file, uint32_t line)
{
    put_text(json, "file", file);
    json_key(json, "line");
    if (file)
        json_u64(json, line);
    else
        json_text(json, NULL);
}

static void put_line(struct json *json, const struct annotated_line *line,
                     struct annotation_sources *sources)
{
    size_t length;
    const char *text = annotation_source_line(sources, line, &length);
    char *copy = sources->text.text ? strndup(text, length) : NULL;
    json_begin_object(json);
    put_place(json, line->path, line->line);
    put_u64(json, "ticks", line->ticks);
    put_u64(json, "visits", line->visits);
    put_u64(json, "executed", line->executed);
    put_text(json, "text", copy);
    json_end_object(json);
    free(copy);
}

static void put_chain(struct json *json, const struct annotated_instruction *shown)
{
    json_key(json, "inlined");
    json_begin_array(json);
    for (size_t i = 0; i < shown->chain_count; i++) {
        const struct debug_inline *one = &shown->chain[i];
        json_begin_object(json);
        put_text(json, "function", one->name);
        put_text(json, "call_file", one->file);
        put_u64(json, "call_line", one->line);
        json_end_object(json);
    }
    json_end_array(json);
}

static void put_instruction(struct json *json, const struct annotation *annotation,
                            const struct annotated_instruction *shown)
{
    const struct annotated_line *line =
        shown->line == ANNOTATION_NO_LINE ? NULL : &annotation->lines.items[shown->line];
    json_begin_object(json);
    json_key(json, "address");
    json_address(json, shown->count.pc);
    put_text(json, "text", shown->text);
    put_u64(json, "ticks", shown->count.ticks);
    put_u64(json, "executed", shown->count.executed);
    put_u64(json, "skipped", shown->count.skipped);
    json_key(json, "is_branch");
    json_bool(json, shown->is_branch);
    put_u64(json, "taken", shown->taken);
    put_u64(json, "not_taken", shown->not_taken);
    put_place(json, line ? line->path : NULL, line ? line->line : 0);
    put_chain(json, shown);
    json_end_object(json);
}

void annotation_write_json(const struct annotation *annotation, struct annotation_sources *sources,
                           uint64_t whole_ticks, struct json *json)
{
    json_begin_object(json);
    put_text(json, "function", annotation->name);
    json_key(json, "address");
    json_address(json, annotation->address);
    put_u64(json, "ticks", annotation->ticks);
    put_u64(json, "all_ticks", whole_ticks);
    put_u64(json, "executed", annotation->executed);
    json_key(json, "lines");
    json_begin_array(json);
    for (size_t i = 0; i < annotation->lines.count; i++)
        put_line(json, &annotation->lines.items[i], sources);
    json_end_array(json);
    json_key(json, "instructions");
    json_begin_array(json);
    for (size_t i = 0; i < annotation->instructions.count; i++)
        put_instruction(json, annotation, &annotation->instructions.items[i]);
    json_end_array(json);
    json_end_object(json);
}
