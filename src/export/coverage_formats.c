#include "export/annotation_formats.h"

static void put_count(struct out *out, const char *key, uint64_t value)
{
    out_text(out, key);
    out_u64(out, value);
    out_byte(out, '\n');
}

// Writes a name or path as a line: newlines in it become underscores.
static void put_text(struct out *out, const char *text)
{
    for (; *text; text++)
        out_byte(out, *text == '\n' || *text == '\r' ? '_' : *text);
    out_byte(out, '\n');
}

// Writes two outcomes for each branch; branches of a line have different block numbers.
static void put_branches(const struct coverage *coverage, const struct coverage_file *file,
                         struct out *out)
{
    const struct coverage_branch *branches = coverage_branches_of(coverage, file);
    uint64_t block = 0;
    if (!file->branch_count)
        return;
    for (size_t i = 0; i < file->branch_count; i++) {
        block = i && branches[i].line == branches[i - 1].line ? block + 1 : 0;
        for (int outcome = 0; outcome < 2; outcome++) {
            out_text(out, "BRDA:");
            out_u64(out, branches[i].line);
            out_byte(out, ',');
            out_u64(out, block);
            out_text(out, outcome == 0 ? ",0," : ",1,");
            put_count(out, "", outcome == 0 ? branches[i].taken : branches[i].not_taken);
        }
    }
    put_count(out, "BRF:", 2 * file->branch_count);
    put_count(out, "BRH:", coverage_branches_met(branches, file->branch_count));
}

void coverage_write_lcov(const struct coverage *coverage, struct out *out)
{
    for (size_t i = 0; i < coverage->files.count; i++) {
        const struct coverage_file *file = &coverage->files.items[i];
        out_text(out, "TN:\nSF:");
        put_text(out, file->path);
        const struct coverage_function *functions = coverage_functions_of(coverage, file);
        for (size_t k = 0; k < file->function_count; k++) {
            out_text(out, "FN:");
            out_u64(out, functions[k].line);
            out_byte(out, ',');
            put_text(out, functions[k].name);
        }
        for (size_t k = 0; k < file->function_count; k++) {
            out_text(out, "FNDA:");
            out_u64(out, functions[k].visits);
            out_byte(out, ',');
            put_text(out, functions[k].name);
        }
        put_count(out, "FNF:", file->function_count);
        put_count(out, "FNH:", file->functions_visited);
        put_branches(coverage, file, out);
        const struct coverage_line *lines = coverage->lines.items + file->first_line;
        for (size_t k = 0; k < file->line_count; k++) {
            out_text(out, "DA:");
            out_u64(out, lines[k].line);
            out_byte(out, ',');
            put_count(out, "", lines[k].visits);
        }
        put_count(out, "LF:", file->line_count);
        put_count(out, "LH:", file->lines_visited);
        out_text(out, "end_of_record\n");
    }
}

#define RATE_DECIMALS 4

static void put_attribute(struct out *out, const char *name, const char *value)
{
    out_byte(out, ' ');
    out_text(out, name);
    out_text(out, "=\"");
    // XML has no control characters, not even as entities, and requires valid UTF-8.
    for (const unsigned char *byte = (const unsigned char *)value; *byte; byte++) {
        if (*byte == '"')
            out_text(out, "&quot;");
        else if (*byte < ' ' || *byte >= 0x7f)
            out_byte(out, '_');
        else
            out_markup(out, (char)*byte);
    }
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

// Outcomes of conditional branches: how many were seen, of how many.
struct outcomes {
    uint64_t met, count;
};

static struct outcomes outcomes_of(const struct coverage_branch *branches, size_t count)
{
    return (struct outcomes){coverage_branches_met(branches, count), 2 * count};
}

static void put_rates(struct out *out, uint64_t visited, uint64_t lines, struct outcomes outcomes)
{
    out_text(out, " line-rate=\"");
    out_ratio(out, visited, lines, RATE_DECIMALS);
    out_text(out, "\" branch-rate=\"");
    out_ratio(out, outcomes.met, outcomes.count, RATE_DECIMALS);
    out_text(out, "\" complexity=\"0\"");
}

static void put_line(struct out *out, uint64_t line, uint64_t visits, struct outcomes outcomes)
{
    out_text(out, "<line");
    put_number(out, "number", line);
    put_number(out, "hits", visits);
    if (outcomes.count) {
        out_text(out, " branch=\"true\" condition-coverage=\"");
        out_u64(out, 100 * outcomes.met / outcomes.count);
        out_text(out, "% (");
        out_u64(out, outcomes.met);
        out_byte(out, '/');
        out_u64(out, outcomes.count);
        out_text(out, ")\"");
    }
    out_text(out, "/>\n");
}

// Writes the lines of a file with their branches, which are in the same order.
static void put_lines(const struct coverage *coverage, const struct coverage_file *file,
                      struct out *out)
{
    const struct coverage_line *lines = coverage->lines.items + file->first_line;
    const struct coverage_branch *branches = coverage_branches_of(coverage, file);
    size_t next = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        size_t first = next;
        while (next < file->branch_count && branches[next].line == lines[i].line)
            next++;
        put_line(out, lines[i].line, lines[i].visits,
                 next > first ? outcomes_of(branches + first, next - first) : (struct outcomes){0});
    }
}

void coverage_write_cobertura(const struct coverage *coverage, struct out *out)
{
    uint64_t visited = 0;
    const struct outcomes outcomes =
        outcomes_of(coverage->branches.items, coverage->branches.count);
    for (size_t i = 0; i < coverage->files.count; i++)
        visited += coverage->files.items[i].lines_visited;
    out_text(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE coverage SYSTEM "
                  "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
    put_rates(out, visited, coverage->lines.count, outcomes);
    put_number(out, "lines-covered", visited);
    put_number(out, "lines-valid", coverage->lines.count);
    put_number(out, "branches-covered", outcomes.met);
    put_number(out, "branches-valid", outcomes.count);
    out_text(
        out,
        " version=\"trawl\" "
        "timestamp=\"0\">\n<sources><source>.</source></sources>\n<packages><package name=\"\"");
    put_rates(out, visited, coverage->lines.count, outcomes);
    out_text(out, "><classes>\n");
    for (size_t i = 0; i < coverage->files.count; i++) {
        const struct coverage_file *file = &coverage->files.items[i];
        const struct coverage_function *functions = coverage_functions_of(coverage, file);
        out_text(out, "<class");
        put_attribute(out, "name", file->path);
        put_attribute(out, "filename", file->path);
        put_rates(out, file->lines_visited, file->line_count,
                  outcomes_of(coverage_branches_of(coverage, file), file->branch_count));
        out_text(out, "><methods>\n");
        for (size_t k = 0; k < file->function_count; k++) {
            out_text(out, "<method");
            put_attribute(out, "name", functions[k].name);
            put_attribute(out, "signature", "");
            put_rates(out, functions[k].lines_visited, functions[k].lines, (struct outcomes){0});
            out_text(out, "><lines>");
            put_line(out, functions[k].line, functions[k].visits, (struct outcomes){0});
            out_text(out, "</lines></method>\n");
        }
        out_text(out, "</methods><lines>\n");
        put_lines(coverage, file, out);
        out_text(out, "</lines></class>\n");
    }
    out_text(out, "</classes></package></packages>\n</coverage>\n");
}
