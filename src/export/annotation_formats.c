#include "export/annotation_formats.h"

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
