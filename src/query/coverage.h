// Coverage: which functions and source lines of images were executed, and how often.
//
// The count of a function is that of its first instruction, the count of a line that of its most
// executed instruction. Lines are those for which the images' line tables have code.
#ifndef TRAWL_QUERY_COVERAGE_H
#define TRAWL_QUERY_COVERAGE_H

#include "flow/pc_counts.h"
#include "names/names.h"
#include "names/source_text.h"
#include "query/branch_counts.h"

// A source file of the images.
struct coverage_path {
    struct source_path of_image;
    char *found; // where the file is here; NULL: not looked for, not found, or just there
};

struct coverage_line {
    const char *path; // as stored in the image, or where the file is here
    uint32_t line;
    uint64_t visits;
};

struct coverage_branch {
    const char *path; // of its line
    uint32_t line;
    uint64_t pc, taken, not_taken;
};

struct coverage_function {
    const char *name;
    const char *path; // of its first instruction; NULL: unknown
    uint32_t line;    // likewise
    uint64_t address; // without Thumb bit
    uint64_t visits;
    uint64_t instructions; // executed at least once
    uint64_t lines, lines_visited;
};

struct coverage_file {
    const char *path;
    size_t first_line, line_count;         // in coverage.lines
    size_t first_function, function_count; // in coverage.functions
    uint64_t lines_visited, functions_visited;
    size_t first_branch, branch_count; // in coverage.branches
};

struct coverage {
    VEC(, struct coverage_line) lines; // by path and line, each once
    VEC(, struct coverage_function)
    functions;                              // by path, line and address; those without path first
    VEC(, struct coverage_file) files;      // by path
    VEC(, struct coverage_branch) branches; // by path, line and PC: those whose lines are known
    struct source_lines places;             // that the paths belong to
    VEC(, struct coverage_path) paths;      // by path and directory, each once
};

// Finds the coverage of the images of `names`, which must not change meanwhile, from `count` counts
// in the order of their PCs. STATUS_LIMIT as for image_lines_add_bounds and
// image_set_check_names, and for paths; STATUS_MEMORY. `branches`
// must be joined. With `search`, paths are those of the files that it finds; files that it does not
// find keep the path in the image, or the one that a map makes of it. NULL: all keep it.
enum status coverage_find(struct coverage *coverage, struct names *names,
                          const struct pc_count *counts, size_t count,
                          const struct branch_counts *branches, const struct source_search *search,
                          struct error *err);

// The place of the code at an address, with the path that its line has here. False: unknown.
bool coverage_place(const struct coverage *coverage, uint64_t address, struct source_location *out);

// How many outcomes of conditional branches were seen, of the two that each has.
static inline uint64_t coverage_branches_met(const struct coverage_branch *branches, size_t count)
{
    uint64_t met = 0;
    for (size_t i = 0; i < count; i++)
        met += (branches[i].taken != 0) + (branches[i].not_taken != 0);
    return met;
}

// The branches of a file; NULL: none.
static inline const struct coverage_branch *coverage_branches_of(const struct coverage *coverage,
                                                                 const struct coverage_file *file)
{
    return file->branch_count ? &coverage->branches.items[file->first_branch] : NULL;
}

// The functions of a file; NULL: none.
static inline const struct coverage_function *
coverage_functions_of(const struct coverage *coverage, const struct coverage_file *file)
{
    return file->function_count ? &coverage->functions.items[file->first_function] : NULL;
}

void coverage_free(struct coverage *coverage);

#endif
