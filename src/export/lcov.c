#include "export/coverage_formats.h"

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
