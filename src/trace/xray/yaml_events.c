#include "trace/xray/yaml_events.h"

#include "base/limits.h"

#include <stdlib.h>
#include <yaml.h>

struct yaml {
    yaml_parser_t parser;
    yaml_event_t event; // the last one; the text of a part points into it
    uint64_t line, nesting;
    bool has_event;
    bool is_begun; // the document has begun
};

struct yaml *yaml_open(const void *text, uint64_t size_bytes)
{
    struct yaml *yaml = calloc(1, sizeof *yaml);
    if (!yaml || !yaml_parser_initialize(&yaml->parser)) {
        free(yaml);
        return NULL;
    }
    yaml_parser_set_input_string(&yaml->parser, text, size_bytes);
    yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
    return yaml;
}

static void drop_event(struct yaml *yaml)
{
    if (yaml->has_event)
        yaml_event_delete(&yaml->event);
    yaml->has_event = false;
}

void yaml_close(struct yaml *yaml)
{
    if (!yaml)
        return;
    drop_event(yaml);
    yaml_parser_delete(&yaml->parser);
    free(yaml);
}

uint64_t yaml_line(const struct yaml *yaml)
{
    return yaml->line;
}

// --- Parts ---------------------------------------------------------------------------------------

// Fills the part; *has_it is false if the event is not a part.
static enum status take_event(struct yaml *yaml, struct yaml_part *part, bool *has_it,
                              struct error *err)
{
    const yaml_event_t *event = &yaml->event;
    *has_it = true;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        part->kind = YAML_SCALAR;
        part->text = (const char *)event->data.scalar.value;
        part->length = event->data.scalar.length;
        return STATUS_OK;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        part->kind = event->type == YAML_MAPPING_START_EVENT ? YAML_MAP : YAML_LIST;
        if (++yaml->nesting <= LIMIT_YAML_NESTING)
            return STATUS_OK;
        return yaml_fault(yaml, err, "nested deeper than %d", LIMIT_YAML_NESTING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        part->kind = YAML_END;
        yaml->nesting--;
        return STATUS_OK;
    case YAML_STREAM_END_EVENT:
        part->kind = YAML_NOTHING;
        return STATUS_OK;
    case YAML_ALIAS_EVENT:
        return yaml_fault(yaml, err, "an alias, which is not supported");
    case YAML_DOCUMENT_START_EVENT:
        *has_it = false;
        if (yaml->is_begun)
            return yaml_fault(yaml, err, "a second YAML document");
        yaml->is_begun = true;
        return STATUS_OK;
    default:
        *has_it = false;
        return STATUS_OK;
    }
}

enum status yaml_next(struct yaml *yaml, struct yaml_part *part, struct error *err)
{
    for (bool has_it = false; !has_it;) {
        drop_event(yaml);
        if (!yaml_parser_parse(&yaml->parser, &yaml->event)) {
            const yaml_parser_t *parser = &yaml->parser;
            if (parser->error == YAML_MEMORY_ERROR)
                return error_set(err, STATUS_MEMORY, "no memory for YAML");
            // Invalid bytes are reported with their offset, all other faults with their line.
            if (parser->error == YAML_READER_ERROR)
                return error_set_at(err, STATUS_INPUT, parser->problem_offset, "invalid YAML: %s",
                                    parser->problem);
            yaml->line = parser->problem_mark.line + 1;
            return yaml_fault(yaml, err, "invalid YAML: %s",
                              parser->problem ? parser->problem : "unknown");
        }
        yaml->has_event = true;
        yaml->line = part->line = yaml->event.start_mark.line + 1;
        enum status status = take_event(yaml, part, &has_it, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
