// The source place of the code at an address: from the images, or without images from an index that
// stores what they said.
#ifndef TRAWL_ANALYSIS_SOURCE_LINES_H
#define TRAWL_ANALYSIS_SOURCE_LINES_H

#include "analysis/names.h"
#include "elf/image_lines.h"

// All zero is ready for use.
struct source_lines {
    struct image_lines *of_images; // opened when they are first asked
    bool lacks_memory;             // to open them
};

void source_lines_free(struct source_lines *lines);

// The place of the code at `pc`, with or without Thumb bit, of what `names` are of; always the same
// ones. It lives as long as these and the lines. False: nothing is known of it, or PCs are function
// ids.
bool source_lines_find(struct source_lines *lines, const struct names *names, uint64_t pc,
                       struct source_location *out);

// The same as "main.c:12", cut where it does not fit. False: as above, or no line is known.
#define SOURCE_PLACE_BYTES 320
bool source_lines_text(struct source_lines *lines, const struct names *names, uint64_t pc,
                       char text[SOURCE_PLACE_BYTES]);

// The addresses where code of a line begins, ascending: of each of its pieces that something else
// is before. `path` has as many directories as is wanted. STATUS_LIMIT, STATUS_MEMORY; where
// nothing is known of the line there are none, and all is well.
enum status source_lines_starts(struct source_lines *lines, const struct names *names,
                                const char *path, uint32_t line, struct address_vec *starts,
                                struct error *err);

// The functions that were inlined into each other there, the innermost first (elf/debug_inlines.h).
// An index keeps none of them.
size_t source_lines_inlines(struct source_lines *lines, const struct names *names, uint64_t pc,
                            struct debug_inline *chain, size_t capacity);

// Why the lines of an image were left out; NULL: none were.
const struct error *source_lines_fault(const struct source_lines *lines);

// Whether something was not found for lack of memory.
bool source_lines_lacked_memory(const struct source_lines *lines);

#endif
