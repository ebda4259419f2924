// The text of a source file, line by line.
#ifndef TRAWL_NAMES_SOURCE_TEXT_H
#define TRAWL_NAMES_SOURCE_TEXT_H

#include "names/source_lines.h"

// All zero has no lines.
struct source_text {
    char *text;
    size_t size_bytes; // at most LIMIT_SOURCE_BYTES
    size_t *starts;    // of lines
    size_t line_count;
    int error; // errno, if the file was found and cannot be read
};

// Where source files are, as typed.
struct source_search {
    VEC(, const char *) directories;
    VEC(, const char *) maps; // FROM=TO
};

void source_search_free(struct source_search *search);

// Whether a text is FROM=TO, neither of them empty.
static inline bool source_map_is_sound(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals && equals > text && equals[1];
}

// Finds the source file of a place, the first that can be read, as GDB does:
// - for each map whose FROM its path begins with: the rest of it in TO;
// - its path, in the directory of compilation unless that is absolute;
// - its path, in the current directory unless that is absolute;
// - of the directories of `search`, and the current one, the one where most components at the end
//   of the path are the same. If that is only the name of the file, no other of these directories
//   may have another file of that name, nor the images or the index (source_lines_has_namesake).
// False: not found; `found` is then what the first map that fits makes of the path, or "".
bool source_text_find(char found[PATH_MAX], const struct source_search *search,
                      const struct source_location *place, struct source_lines *lines,
                      const struct names *names);

// Reads that file. False: not found, not a regular file, or no memory (names->lacks_memory).
bool source_text_open(struct source_text *source, const struct source_search *search,
                      const struct source_location *place, struct source_lines *lines,
                      struct names *names);

// Line `line`, from 1, without its end. Returns its length; 0 also if there is no such line.
size_t source_text_line(const struct source_text *source, uint64_t line, const char **start);

void source_text_close(struct source_text *source);

#endif
