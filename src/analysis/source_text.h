// The text of a source file, line by line.
#ifndef TRAWL_ANALYSIS_SOURCE_TEXT_H
#define TRAWL_ANALYSIS_SOURCE_TEXT_H

#include "base/base.h"

// All zero has no lines.
struct source_text {
    char *text;
    size_t size_bytes; // at most LIMIT_SOURCE_BYTES
    size_t *starts;    // of lines
    size_t line_count;
};

// Reads the file of that name from the first of the directories that has it, or from the current
// one. Line tables are not trusted: a name with a directory is not searched for. False: not found,
// or no memory.
bool source_text_open(struct source_text *source, const char *const *directories, size_t count,
                      const char *name);

// Line `line`, from 1, without its end. Returns its length; 0 also if there is no such line.
size_t source_text_line(const struct source_text *source, uint64_t line, const char **start);

void source_text_close(struct source_text *source);

#endif
