// The source place of the code at an address: from the images, or without images from an index that
// stores their lines. Of images with very many lines (a kernel), the index only stores which they
// are; they are opened when a place in one is first asked for, if they are still where they were.
#ifndef TRAWL_NAMES_SOURCE_LINES_H
#define TRAWL_NAMES_SOURCE_LINES_H

#include "dwarf/image_lines.h"
#include "names/names.h"

#include <limits.h>

struct source_path {
    const char *path, *directory; // as in a source_location
};

// All zero is ready for use.
struct source_lines {
    struct image_lines *of_images;  // opened at first use
    struct image_set kept_in_files; // images of which the index has no lines
    struct error missing;           // why one of these has no lines
    bool are_files_tried;
    bool lacks_memory;               // to open them
    VEC(, struct source_path) paths; // of all files with code, by the last component of their paths
    bool has_paths;
};

void source_lines_free(struct source_lines *lines);

// The place of the code at `pc`, with or without Thumb bit, in the images or the index of `names`,
// which must always be the same. Valid as long as these and the lines. False: unknown, or PCs are
// function ids.
bool source_lines_find(struct source_lines *lines, const struct names *names, uint64_t pc,
                       struct source_location *out);

// The same as "main.c:12", truncated if it does not fit. False: as above, or the line is unknown.
#define SOURCE_PLACE_BYTES 320
bool source_lines_text(struct source_lines *lines, const struct names *names, uint64_t pc,
                       char text[SOURCE_PLACE_BYTES]);

// Whether there is code of another file whose path ends with the same name. Goes over all lines at
// first use. Without memory (source_lines_lacked_memory) true.
bool source_lines_has_namesake(struct source_lines *lines, const struct names *names,
                               const struct source_location *place);

// Writes the path of a place: in the directory of compilation unless it is absolute, without . and
// .. if these have a name before them. False: it is too long.
bool source_path_join(const char *directory, const char *path, char out[PATH_MAX]);

// The addresses where code of a line begins, ascending: the start of each of its ranges. `path` may
// have any number of directories. STATUS_LIMIT, STATUS_MEMORY. An unknown line has no addresses,
// which is not an error.
enum status source_lines_starts(struct source_lines *lines, const struct names *names,
                                const char *path, uint32_t line, struct address_vec *starts,
                                struct error *err);

// The inlined functions at a PC, the innermost first (dwarf/debug_info.h). An index stores none of
// them.
size_t source_lines_inlines(struct source_lines *lines, const struct names *names, uint64_t pc,
                            struct debug_inline *chain, size_t capacity);

// Why the lines of an image were left out; NULL: none were.
const struct error *source_lines_fault(const struct source_lines *lines);

// Whether something was not found for lack of memory.
bool source_lines_lacked_memory(const struct source_lines *lines);

#endif
