#include "query/coverage.h"

#include <stdlib.h>
#include <sys/stat.h>

// Code between two addresses that belongs to one line.
struct range {
    uint64_t start, end;
    const char *path;
    uint32_t line;
    uint64_t visits; // of its most executed instruction
};

struct finder {
    struct coverage *coverage;
    struct names *names;
    const struct pc_count *counts;
    size_t count;
    const struct branch_counts *branches;
    const struct source_search *search; // NULL: paths are those of the images
    struct address_vec bounds;
    VEC(, struct range) ranges; // ascending
    VEC(, struct coverage_line) of_function;
    VEC(, uint64_t) starts; // of functions, ascending
    size_t range;           // the first that may be of the current function
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the coverage");
}

// The first count at or after an address.
static size_t count_at(const struct finder *finder, uint64_t address)
{
    size_t first;
    PARTITION_POINT(first, finder->count, finder->counts[middle].pc < address);
    return first;
}

static uint64_t visits_between(const struct finder *finder, uint64_t start, uint64_t end)
{
    uint64_t most = 0;
    for (size_t i = count_at(finder, start); i < finder->count && finder->counts[i].pc < end; i++)
        most = u64_max(most, finder->counts[i].executed);
    return most;
}

// --- Paths ---------------------------------------------------------------------------------------

static int compare_paths(const void *a_item, const void *b_item)
{
    const struct coverage_path *first = a_item, *second = b_item;
    const struct source_path *a = &first->of_image, *b = &second->of_image;
    int order = a->path == b->path ? 0 : strcmp(a->path, b->path);
    if (order || a->directory == b->directory)
        return order;
    return strcmp(a->directory ? a->directory : "", b->directory ? b->directory : "");
}

bool coverage_place(const struct coverage *coverage, uint64_t address, struct source_location *out)
{
    if (!image_lines_find(coverage->places.of_images, address, out))
        return false;
    const struct coverage_path key = {.of_image = {out->path, out->directory}}, *path = NULL;
    if (coverage->paths.count)
        path = bsearch(&key, coverage->paths.items, coverage->paths.count,
                       sizeof *coverage->paths.items, compare_paths);
    if (path && path->found)
        out->path = path->found;
    return true;
}

// Where a file is, unless it is where its path leads from the current directory. False: no memory.
static bool find_path(struct finder *finder, struct coverage_path *path)
{
    char found[PATH_MAX], joined[PATH_MAX];
    struct stat here, there;
    const struct source_path *of_image = &path->of_image;
    const char *slash = strrchr(of_image->path, '/');
    const struct source_location place = {.file = slash ? slash + 1 : of_image->path,
                                          .path = of_image->path,
                                          .directory = of_image->directory};
    source_text_find(found, finder->search, &place, &finder->coverage->places, finder->names);
    bool is_as_named = source_path_join(NULL, place.path, joined) && strcmp(found, joined) == 0;
    bool is_same = source_path_join(place.directory, place.path, joined) &&
                   strcmp(found, joined) == 0 && stat(found, &there) == 0 &&
                   stat(place.path, &here) == 0 && here.st_dev == there.st_dev &&
                   here.st_ino == there.st_ino;
    if (*found && !is_as_named && !is_same)
        path->found = strdup(found);
    return !*found || is_as_named || is_same || path->found;
}

// Lists the paths of all lines and finds where the files are.
static enum status find_paths(struct finder *finder, struct error *err)
{
    struct coverage *coverage = finder->coverage;
    const struct address_vec *bounds = &finder->bounds;
    uint64_t bytes = 0; // which must be in proportion to the images
    size_t kept = 0;
    for (size_t i = 0; i < bounds->count; i++) {
        struct source_location place;
        if (!image_lines_find(coverage->places.of_images, bounds->items[i], &place) || !place.line)
            continue;
        const struct coverage_path path = {.of_image = {place.path, place.directory}};
        size_t count = coverage->paths.count;
        if (count && compare_paths(&coverage->paths.items[count - 1], &path) == 0)
            continue;
        if (!VEC_ROOM(&coverage->paths, 1))
            return no_memory(err);
        coverage->paths.items[coverage->paths.count++] = path;
    }
    struct coverage_path *paths = coverage->paths.items;
    if (coverage->paths.count)
        qsort(paths, coverage->paths.count, sizeof *paths, compare_paths);
    for (size_t i = 0; i < coverage->paths.count; i++) {
        if (!kept || strcmp(paths[kept - 1].of_image.path, paths[i].of_image.path) != 0)
            bytes += strlen(paths[i].of_image.path) + 1;
        if (!kept || compare_paths(&paths[kept - 1], &paths[i]) != 0)
            paths[kept++] = paths[i];
    }
    coverage->paths.count = kept;
    if (bytes > image_lines_path_bytes_max(coverage->places.of_images))
        return error_set(err, STATUS_LIMIT,
                         "%s: the names of its source files share their bytes, and would take too "
                         "many of them",
                         image_path(finder->names->images.members.items[0].image));
    for (size_t i = 0; i < kept && finder->search; i++) {
        if (!find_path(finder, &paths[i]))
            return no_memory(err);
    }
    return STATUS_OK;
}

// --- Lines ---------------------------------------------------------------------------------------

static bool add_range(struct finder *finder, uint64_t start, uint64_t end)
{
    struct source_location place;
    if (!coverage_place(finder->coverage, start, &place) || place.line == 0)
        return true;
    if (!VEC_ROOM(&finder->ranges, 1))
        return false;
    finder->ranges.items[finder->ranges.count++] =
        (struct range){start, end, place.path, place.line, visits_between(finder, start, end)};
    return true;
}

// Cuts the code of the images where another line begins.
static bool find_ranges(struct finder *finder)
{
    const struct address_vec *bounds = &finder->bounds;
    for (size_t i = 0; i < bounds->count; i++) {
        uint64_t end = i + 1 < bounds->count ? bounds->items[i + 1] : UINT64_MAX;
        if (end != bounds->items[i] && !add_range(finder, bounds->items[i], end))
            return false;
    }
    return true;
}

static int by_line(const void *a, const void *b)
{
    const struct coverage_line *first = a, *second = b;
    int order = strcmp(first->path, second->path);
    return order ? order : (first->line > second->line) - (first->line < second->line);
}

// Sorts lines and joins equal ones; returns how many are left.
static size_t join_lines(struct coverage_line *lines, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(lines, count, sizeof *lines, by_line);
    for (size_t i = 0; i < count; i++) {
        if (kept && by_line(&lines[kept - 1], &lines[i]) == 0)
            lines[kept - 1].visits = u64_max(lines[kept - 1].visits, lines[i].visits);
        else
            lines[kept++] = lines[i];
    }
    return kept;
}

static bool find_lines(struct finder *finder)
{
    struct coverage *coverage = finder->coverage;
    if (!VEC_ROOM(&coverage->lines, finder->ranges.count))
        return false;
    for (size_t i = 0; i < finder->ranges.count; i++) {
        const struct range *range = &finder->ranges.items[i];
        coverage->lines.items[i] = (struct coverage_line){range->path, range->line, range->visits};
    }
    coverage->lines.count = join_lines(coverage->lines.items, finder->ranges.count);
    return true;
}

// --- Functions -----------------------------------------------------------------------------------

static bool add_starts(struct finder *finder, const struct image_member *member)
{
    size_t count;
    const struct symbol *symbols = symbols_all(member->symbols, &count);
    if (!VEC_ROOM(&finder->starts, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].is_function)
            finder->starts.items[finder->starts.count++] =
                (symbols[i].address + member->offset) & member->address_mask;
    }
    return true;
}

// Where the function ends that begins at start `number`: by its symbol, or, if that does not say or
// is wrong, at the next function.
static uint64_t end_of(const struct finder *finder, size_t number)
{
    const uint64_t start = finder->starts.items[number];
    bool is_last = number + 1 == finder->starts.count;
    uint64_t next = is_last ? UINT64_MAX : finder->starts.items[number + 1], end;
    struct image_symbol found;
    if (!image_set_by_address(&finder->names->images, start, &found) || found.symbol->size == 0 ||
        __builtin_add_overflow(start, found.symbol->size, &end))
        return next;
    return u64_min(end, next);
}

// Called in the order of the functions' starts; no function reaches into the next.
static bool find_lines_of(struct finder *finder, struct coverage_function *function, uint64_t end)
{
    finder->of_function.count = 0;
    while (finder->range < finder->ranges.count &&
           finder->ranges.items[finder->range].end <= function->address)
        finder->range++;
    for (size_t i = finder->range; i < finder->ranges.count && finder->ranges.items[i].start < end;
         i++) {
        const struct range *range = &finder->ranges.items[i];
        uint64_t first = u64_max(range->start, function->address);
        if (!VEC_ROOM(&finder->of_function, 1))
            return false;
        finder->of_function.items[finder->of_function.count++] = (struct coverage_line){
            range->path, range->line, visits_between(finder, first, u64_min(range->end, end))};
        if (first == function->address) {
            function->path = range->path;
            function->line = range->line;
        }
    }
    if (finder->of_function.count == 0)
        return true;
    function->lines = join_lines(finder->of_function.items, finder->of_function.count);
    for (size_t i = 0; i < function->lines; i++)
        function->lines_visited += finder->of_function.items[i].visits != 0;
    return true;
}

static bool add_function(struct finder *finder, size_t number)
{
    struct coverage *coverage = finder->coverage;
    struct coverage_function function = {.address = finder->starts.items[number]};
    const uint64_t end = end_of(finder, number);
    function.name = names_of_root(finder->names, function.address);
    for (size_t i = count_at(finder, function.address);
         i < finder->count && finder->counts[i].pc < end; i++) {
        function.instructions += finder->counts[i].executed != 0;
        if (finder->counts[i].pc == function.address)
            function.visits = finder->counts[i].executed;
    }
    if (!find_lines_of(finder, &function, end) || !VEC_ROOM(&coverage->functions, 1))
        return false;
    coverage->functions.items[coverage->functions.count++] = function;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct coverage_function *first = a, *second = b;
    if (!first->path || !second->path) {
        if (first->path || second->path)
            return first->path ? 1 : -1;
    } else {
        int order = strcmp(first->path, second->path);
        if (order)
            return order;
        if (first->line != second->line)
            return first->line > second->line ? 1 : -1;
    }
    return (first->address > second->address) - (first->address < second->address);
}

static bool find_functions(struct finder *finder)
{
    struct coverage *coverage = finder->coverage;
    const struct image_set *images = &finder->names->images;
    size_t kept = 0;
    for (size_t i = 0; i < images->members.count; i++) {
        if (!add_starts(finder, &images->members.items[i]))
            return false;
    }
    uint64_t *starts = finder->starts.items;
    if (finder->starts.count)
        qsort(starts, finder->starts.count, sizeof *starts, u64_compare);
    for (size_t i = 0; i < finder->starts.count; i++) {
        if (kept == 0 || starts[kept - 1] != starts[i])
            starts[kept++] = starts[i];
    }
    finder->starts.count = kept;
    for (size_t i = 0; i < finder->starts.count; i++) {
        if (!add_function(finder, i))
            return false;
    }
    if (coverage->functions.count)
        qsort(coverage->functions.items, coverage->functions.count,
              sizeof *coverage->functions.items, by_place);
    return true;
}

// --- Files ---------------------------------------------------------------------------------------

static bool find_files(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->lines.count; i++) {
        const struct coverage_line *line = &coverage->lines.items[i];
        if (i == 0 || strcmp(line[-1].path, line->path) != 0) {
            if (!VEC_ROOM(&coverage->files, 1))
                return false;
            coverage->files.items[coverage->files.count++] =
                (struct coverage_file){.path = line->path, .first_line = i};
        }
        struct coverage_file *file = &coverage->files.items[coverage->files.count - 1];
        file->line_count++;
        file->lines_visited += line->visits != 0;
    }
    return true;
}

// Files and functions are sorted by path, and the path of every function is also that of a line.
static void find_functions_of_files(struct coverage *coverage)
{
    struct coverage_file *file = coverage->files.items;
    for (size_t i = 0; i < coverage->functions.count; i++) {
        const struct coverage_function *function = &coverage->functions.items[i];
        if (!function->path)
            continue;
        while (strcmp(file->path, function->path) != 0)
            file++;
        if (file->function_count++ == 0)
            file->first_function = i;
        file->functions_visited += function->visits != 0;
    }
}

// --- Branches ------------------------------------------------------------------------------------

static int by_branch_place(const void *a_item, const void *b_item)
{
    const struct coverage_branch *a = a_item, *b = b_item;
    int order = strcmp(a->path, b->path);
    if (order || a->line != b->line)
        return order ? order : (a->line > b->line) - (a->line < b->line);
    return (a->pc > b->pc) - (a->pc < b->pc);
}

static bool find_branches(struct finder *finder)
{
    struct coverage *coverage = finder->coverage;
    size_t count = finder->branches->rows.count;
    if (!VEC_ROOM(&coverage->branches, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct branch_count *branch = &finder->branches->rows.items[i];
        struct source_location place;
        if (coverage_place(coverage, branch->pc, &place) && place.line)
            coverage->branches.items[coverage->branches.count++] = (struct coverage_branch){
                place.path, place.line, branch->pc, branch->taken, branch->not_taken};
    }
    if (coverage->branches.count)
        qsort(coverage->branches.items, coverage->branches.count, sizeof *coverage->branches.items,
              by_branch_place);
    return true;
}

// Files and branches are sorted by path, and the path of every branch is also that of a line.
static void find_branches_of_files(struct coverage *coverage)
{
    struct coverage_file *file = coverage->files.items;
    const struct coverage_file *end = VEC_FROM(&coverage->files, coverage->files.count);
    for (size_t i = 0; i < coverage->branches.count; i++) {
        while (file < end && strcmp(file->path, coverage->branches.items[i].path) != 0)
            file++;
        if (file == end)
            return;
        if (file->branch_count++ == 0)
            file->first_branch = i;
    }
}

// --- All of it -----------------------------------------------------------------------------------

static enum status find_all(struct finder *finder, struct error *err)
{
    struct coverage *coverage = finder->coverage;
    struct image_lines *places = coverage->places.of_images =
        image_lines_open(&finder->names->images);
    if (!places)
        return no_memory(err);
    enum status status = image_lines_add_bounds(places, &finder->bounds, err);
    if (status == STATUS_OK)
        status = image_set_check_names(&finder->names->images, err);
    if (status == STATUS_OK && !image_set_add_bounds(&finder->names->images, &finder->bounds))
        status = no_memory(err);
    if (status == STATUS_OK && finder->bounds.count)
        qsort(finder->bounds.items, finder->bounds.count, sizeof *finder->bounds.items,
              u64_compare);
    if (status == STATUS_OK)
        status = find_paths(finder, err);
    if (status != STATUS_OK)
        return status;
    if (!find_ranges(finder) || !find_lines(finder) || !find_functions(finder) ||
        !find_files(coverage) || !find_branches(finder) ||
        source_lines_lacked_memory(&coverage->places) || finder->names->lacks_memory)
        return no_memory(err);
    find_functions_of_files(coverage);
    find_branches_of_files(coverage);
    return STATUS_OK;
}

enum status coverage_find(struct coverage *coverage, struct names *names,
                          const struct pc_count *counts, size_t count,
                          const struct branch_counts *branches, const struct source_search *search,
                          struct error *err)
{
    struct finder finder = {.coverage = coverage,
                            .names = names,
                            .counts = counts,
                            .count = count,
                            .branches = branches,
                            .search = search};
    *coverage = (struct coverage){0};
    enum status status = find_all(&finder, err);
    free(finder.bounds.items);
    free(finder.ranges.items);
    free(finder.of_function.items);
    free(finder.starts.items);
    return status;
}

void coverage_free(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->paths.count; i++)
        free(coverage->paths.items[i].found);
    free(coverage->paths.items);
    source_lines_free(&coverage->places);
    free(coverage->lines.items);
    free(coverage->functions.items);
    free(coverage->files.items);
    free(coverage->branches.items);
    *coverage = (struct coverage){0};
}
