#include "export/annotation_formats.h"
#include "report/out.h"

// Columns of figures before a source line, and before an instruction below it.
enum { TICKS_WIDTH = 12, SHARE_WIDTH = 7, VISITS_WIDTH = 10, LINE_WIDTH = 6 };

static void put_number(struct out *out, uint64_t value, unsigned width)
{
    unsigned digits = 1;
    for (uint64_t rest = value; rest >= 10; rest /= 10)
        digits++;
    out_pad(out, digits < width ? width - digits : 0);
    out_u64(out, value);
}

static void put_figures(struct out *out, uint64_t ticks, uint64_t whole, uint64_t visits)
{
    put_number(out, ticks, TICKS_WIDTH);
    out_byte(out, ' ');
    bool is_wide = whole && ticks >= whole; // "100.0%"
    bool is_medium = whole && ticks >= whole - whole / 10 * 9;
    out_pad(out, SHARE_WIDTH - (is_wide ? 6 : is_medium ? 5 : 4));
    out_percent(out, ticks, whole, 1);
    out_byte(out, '%');
    put_number(out, visits, VISITS_WIDTH);
    out_text(out, "  ");
}

static void put_source(struct out *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\t')
            out_text(out, "    ");
        else {
            size_t end = i;
            while (end < length && text[end] != '\t')
                end++;
            out_clean_bytes(out, text + i, end - i);
            i = end - 1;
        }
    }
}

static void put_count(struct out *out, const char *name, uint64_t count, bool *is_first)
{
    if (!count)
        return;
    out_text(out, *is_first ? "  (" : ", ");
    out_text(out, name);
    out_byte(out, ' ');
    out_u64(out, count);
    *is_first = false;
}

static void put_instructions(struct out *out, const struct annotation *annotation, size_t line)
{
    for (size_t i = 0; i < annotation->instructions.count; i++) {
        const struct annotated_instruction *shown = &annotation->instructions.items[i];
        if (shown->line == line) {
            bool is_first = true;
            put_figures(out, shown->count.ticks, annotation->ticks, shown->count.executed);
            out_pad(out, LINE_WIDTH + 2);
            out_text(out, "0x");
            out_hex(out, annotation_shown(annotation, shown->count.pc), 1);
            out_text(out, "  ");
            out_clean(out, shown->text);
            put_count(out, "taken", shown->taken, &is_first);
            put_count(out, "not taken", shown->not_taken, &is_first);
            put_count(out, "skipped", shown->count.skipped, &is_first);
            if (!is_first)
                out_byte(out, ')');
            for (size_t k = 0; k + 1 < shown->chain_count; k++) {
                out_text(out, k ? ", in " : "  in ");
                out_clean(out, shown->chain[k].name ? shown->chain[k].name : "?");
            }
            out_byte(out, '\n');
        }
    }
}

static void put_line(struct out *out, const struct annotation *annotation,
                     struct annotation_sources *sources, size_t at)
{
    const struct annotated_line *line = &annotation->lines.items[at];
    uint32_t first, count = annotation_lines_before(sources, annotation, at, &first);
    size_t length;
    const char *text;
    if (at == 0 || strcmp(line[-1].path, line->path) != 0) {
        out_byte(out, '\n');
        out_clean(out, line->path);
        out_text(out, ":\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        out_pad(out, TICKS_WIDTH + 1 + SHARE_WIDTH + VISITS_WIDTH + 2);
        put_number(out, first + i, LINE_WIDTH);
        out_text(out, "  ");
        length = source_text_line(&sources->text, first + i, &text);
        put_source(out, text, length);
        out_byte(out, '\n');
    }
    put_figures(out, line->ticks, annotation->ticks, line->visits);
    put_number(out, line->line, LINE_WIDTH);
    out_text(out, "  ");
    text = annotation_source_line(sources, line, &length);
    put_source(out, text, length);
    out_byte(out, '\n');
    put_instructions(out, annotation, at);
}

void annotation_write_text(const struct annotation *annotation, struct annotation_sources *sources,
                           uint64_t whole_ticks, struct out *out)
{
    out_clean(out, annotation->name);
    out_byte(out, ' ');
    annotation_write_sums(annotation, whole_ticks, out);
    out_text(out, "\n\n");
    // "instructions" is as wide as the column.
    const size_t unit_bytes = strlen(annotation->tick_unit);
    const bool is_alone = strlen("Self []") + unit_bytes > TICKS_WIDTH;
    const size_t heading_bytes = unit_bytes + (is_alone ? 0 : strlen("Self []"));
    out_pad(out, TICKS_WIDTH - u64_min(heading_bytes, TICKS_WIDTH));
    out_text(out, is_alone ? "" : "Self [");
    out_text(out, annotation->tick_unit);
    out_text(out, is_alone ? "   Share" : "]   Share");
    out_text(out, "    Visits    Line  Source, instructions\n");
    if (annotation_has_lineless(annotation)) {
        out_text(out, "\nwithout a line:\n");
        put_instructions(out, annotation, ANNOTATION_NO_LINE);
    }
    for (size_t i = 0; i < annotation->lines.count; i++)
        put_line(out, annotation, sources, i);
    out_byte(out, '\n');
}
