// Lines that show the key by which the user has told tasks apart (flow/task_key.h): writes to its
// register, and accesses to its variable. A load shows it as a store does, and in a trace that
// begins in the middle, the first of them says which task runs.
//
// Only with such a key are lines of accesses read that no report needs: a profile of 7 MB then
// takes a third more instructions.
#ifndef TRAWL_TRACE_LINES_KEY_LINE_H
#define TRAWL_TRACE_LINES_KEY_LINE_H

#include "trace/lines/language.h"
#include "trace/lines/parsed_chunk.h"

// Whether a line is of a kind that may show the key.
bool key_line_may_show(const struct trace_line *line, const struct task_key *key);

// Adds a mark of the key that such a line shows, if it does. False: no memory.
bool key_line_add(struct marks *marks, const struct trace_line *line,
                  const struct line_extent *place, const struct parse_options *options);

#endif
