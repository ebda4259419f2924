#include "export/coverage_formats.h"

#define RATE_DECIMALS 4

// XML has no control characters, not even as entities, and wants valid UTF-8.
static void put_text(struct out *out, const char *text)
{
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
        if (*byte == '"')
            out_text(out, "&quot;");
        else if (*byte < ' ' || *byte >= 0x7f)
            out_byte(out, '_');
        else
            out_markup(out, (char)*byte);
    }
}

static void put_attribute(struct out *out, const char *name, const char *value)
{
    out_byte(out, ' ');
    out_text(out, name);
    out_text(out, "=\"");
    put_text(out, value);
    out_byte(out, '"');
}

static void put_number(struct out *out, const char *name, uint64_t value)
{
    out_byte(out, ' ');
    out_text(out, name);
    out_text(out, "=\"");
    out_u64(out, value);
    out_byte(out, '"');
}

// Of branches nothing is known.
static void put_rates(struct out *out, uint64_t visited, uint64_t lines)
{
    out_text(out, " line-rate=\"");
    out_ratio(out, visited, lines, RATE_DECIMALS);
    out_text(out, "\" branch-rate=\"0\" complexity=\"0\"");
}

static void put_line(struct out *out, uint64_t line, uint64_t visits)
{
    out_text(out, "<line");
    put_number(out, "number", line);
    put_number(out, "hits", visits);
    out_text(out, "/>\n");
}

static void put_class(const struct coverage *coverage, const struct coverage_file *file,
                      struct out *out)
{
    const struct coverage_function *functions = coverage_functions_of(coverage, file);
    const struct coverage_line *lines = coverage->lines.items + file->first_line;
    out_text(out, "<class");
    put_attribute(out, "name", file->path);
    put_attribute(out, "filename", file->path);
    put_rates(out, file->lines_visited, file->line_count);
    out_text(out, "><methods>\n");
    for (size_t i = 0; i < file->function_count; i++) {
        out_text(out, "<method");
        put_attribute(out, "name", functions[i].name);
        put_attribute(out, "signature", "");
        put_rates(out, functions[i].lines_visited, functions[i].lines);
        out_text(out, "><lines>");
        put_line(out, functions[i].line, functions[i].visits);
        out_text(out, "</lines></method>\n");
    }
    out_text(out, "</methods><lines>\n");
    for (size_t i = 0; i < file->line_count; i++)
        put_line(out, lines[i].line, lines[i].visits);
    out_text(out, "</lines></class>\n");
}

void coverage_write_cobertura(const struct coverage *coverage, struct out *out)
{
    uint64_t visited = 0;
    for (size_t i = 0; i < coverage->files.count; i++)
        visited += coverage->files.items[i].lines_visited;
    out_text(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE coverage SYSTEM "
                  "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
    put_rates(out, visited, coverage->lines.count);
    put_number(out, "lines-covered", visited);
    put_number(out, "lines-valid", coverage->lines.count);
    out_text(out, " branches-covered=\"0\" branches-valid=\"0\" version=\"trawl\" timestamp=\"0\">"
                  "\n<sources><source>.</source></sources>\n<packages><package name=\"\"");
    put_rates(out, visited, coverage->lines.count);
    out_text(out, "><classes>\n");
    for (size_t i = 0; i < coverage->files.count; i++)
        put_class(coverage, &coverage->files.items[i], out);
    out_text(out, "</classes></package></packages>\n</coverage>\n");
}
