#include "base/utf8.h"
#include "export/annotation_formats.h"
#include "report/look.h"

#include <stdlib.h>

static const char style[] =
    "<style>\n" LOOK_CSS "body { font: 13px/20px var(--sans); margin: 16px; }\n"
    "h1 { font-size: 17px; font-weight: 600; margin: 24px 0 0; } p { color: var(--weak); margin: 0 "
    "0 8px; }\n"
    "table { border-collapse: collapse; font: 12px/18px var(--mono); }\n"
    "th, td { text-align: right; padding: 0 12px; white-space: pre; }\n"
    "th { position: sticky; top: 0; font-weight: normal; color: var(--weak); background: "
    "var(--bar); border-bottom: 1px solid var(--line); }\n"
    "td.t, th.t { text-align: left; }\n"
    "td.h { background: color-mix(in srgb, var(--heat) calc(var(--share) * 100%), transparent); }\n"
    "tr.i, tr.n { color: var(--weak); } tr.f td { padding-top: 16px; font-weight: 600; }\n"
    "small { font-size: inherit; color: var(--blue); }\n"
    "@media print { th { position: static; } tr { break-inside: avoid; } }\n"
    "</style>\n";

// Writes valid, inert characters; others become question marks.
static void put_text(struct out *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned bytes = utf8_printable(text + i, length - i);
        if (text[i] == '\t')
            out_text(out, "    ");
        else if (bytes > 1)
            out_bytes(out, text + i, bytes);
        else if (bytes == 1 && text[i] == '"')
            out_text(out, "&quot;");
        else
            out_markup(out, bytes ? text[i] : '?');
        i += bytes ? bytes : 1;
    }
}

static void put_string(struct out *out, const char *text)
{
    put_text(out, text, strlen(text));
}

void annotation_begin_html(struct out *out, const char *trace_name)
{
    out_text(out,
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    put_string(out, trace_name);
    out_text(out, "</title>\n");
    out_text(out, style);
    out_text(out, "</head><body>\n");
}

void annotation_end_html(struct out *out)
{
    out_text(out, "</body></html>\n");
}

static void put_cell(struct out *out, uint64_t value)
{
    out_text(out, "<td>");
    out_u64(out, value);
    out_text(out, "</td>");
}

// The more time, the redder.
static void put_ticks(struct out *out, uint64_t ticks, uint64_t whole)
{
    out_text(out, "<td class=\"h\" style=\"--share:");
    out_ratio(out, ticks, whole, 2);
    out_text(out, "\">");
    out_u64(out, ticks);
    out_text(out, "</td><td>");
    out_percent(out, ticks, whole, 1);
    out_text(out, "%</td>");
}

static void put_count(struct out *out, const char *name, uint64_t count)
{
    if (!count)
        return;
    out_text(out, " <small>");
    out_text(out, name);
    out_byte(out, ' ');
    out_u64(out, count);
    out_text(out, "</small>");
}

static void put_instructions(struct out *out, const struct annotation *annotation, size_t line)
{
    for (size_t i = 0; i < annotation->instructions.count; i++) {
        const struct annotated_instruction *shown = &annotation->instructions.items[i];
        if (shown->line == line) {
            out_text(out, "<tr class=\"i\">");
            put_ticks(out, shown->count.ticks, annotation->ticks);
            put_cell(out, shown->count.executed);
            out_text(out, "<td></td><td class=\"t\">    0x");
            out_hex(out, annotation_shown(annotation, shown->count.pc), 1);
            out_text(out, "  ");
            put_string(out, shown->text);
            put_count(out, "taken", shown->taken);
            put_count(out, "not taken", shown->not_taken);
            put_count(out, "skipped", shown->count.skipped);
            for (size_t k = 0; k + 1 < shown->chain_count; k++) {
                out_text(out, k ? ", in " : " <small>in ");
                put_string(out, shown->chain[k].name ? shown->chain[k].name : "?");
            }
            out_text(out, shown->chain_count ? "</small></td></tr>\n" : "</td></tr>\n");
        }
    }
}

static void put_heading(struct out *out, const char *text)
{
    out_text(out, "<tr class=\"f\"><td colspan=\"5\" class=\"t\">");
    put_string(out, text);
    out_text(out, "</td></tr>\n");
}

static void put_source(struct out *out, uint64_t line, const char *text, size_t length)
{
    put_cell(out, line);
    out_text(out, "<td class=\"t\">");
    put_text(out, text, length);
    out_text(out, "</td></tr>\n");
}

static void put_line(struct out *out, const struct annotation *annotation,
                     struct annotation_sources *sources, size_t at)
{
    const struct annotated_line *line = &annotation->lines.items[at];
    uint32_t first, count = annotation_lines_before(sources, annotation, at, &first);
    size_t length;
    const char *text;
    if (at == 0 || strcmp(line[-1].path, line->path) != 0)
        put_heading(out, line->path);
    for (uint32_t i = 0; i < count; i++) {
        out_text(out, "<tr class=\"n\"><td></td><td></td><td></td>");
        length = source_text_line(&sources->text, first + i, &text);
        put_source(out, first + i, text, length);
    }
    out_text(out, "<tr>");
    put_ticks(out, line->ticks, annotation->ticks);
    put_cell(out, line->visits);
    text = annotation_source_line(sources, line, &length);
    put_source(out, line->line, text, length);
    put_instructions(out, annotation, at);
}

void annotation_write_html(const struct annotation *annotation, struct annotation_sources *sources,
                           uint64_t whole_ticks, struct out *out)
{
    out_text(out, "<h1>");
    put_string(out, annotation->name);
    out_text(out, "</h1>\n<p>");
    annotation_write_sums(annotation, whole_ticks, out);
    out_text(out, "</p>\n<table><tr><th>Self [");
    out_text(out, annotation->tick_unit);
    out_text(out, "]</th><th>Share</th><th>Visits</th>"
                  "<th>Line</th><th class=\"t\">Source, instructions</th></tr>\n");
    if (annotation_has_lineless(annotation)) {
        put_heading(out, "without a line");
        put_instructions(out, annotation, ANNOTATION_NO_LINE);
    }
    for (size_t i = 0; i < annotation->lines.count; i++)
        put_line(out, annotation, sources, i);
    out_text(out, "</table>\n");
}
