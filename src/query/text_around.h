// The lines of a trace around a place, for people: with their numbers, the line of the place
// marked.
//
//       49  1 clk IT (1) 00010000 ...
//     > 50  1 clk R r0 00000001
#ifndef TRAWL_QUERY_TEXT_AROUND_H
#define TRAWL_QUERY_TEXT_AROUND_H

#include "query/trace_lines.h"
#include "report/out.h"

// A line: its number, from 1, and where it begins.
struct line_place {
    uint64_t line, position;
};

// Checks that a line begins at a place given by an index, which may be wrong.
bool text_around_has(const struct trace_lines *lines, const struct line_place *place);

// Moves *place back by up to `count` lines, as far as there are any.
void text_around_go_back(const struct trace_lines *lines, struct line_place *place, uint64_t count);

// Moves to the next line. False: there is none.
bool text_around_next(const struct trace_lines *lines, struct line_place *place);

// Moves forward to a line, or to the line that contains a byte. False: the text ends before that,
// and *place is its last line.
bool text_around_go_to_line(const struct trace_lines *lines, struct line_place *place,
                            uint64_t line);
bool text_around_go_to_byte(const struct trace_lines *lines, struct line_place *place,
                            uint64_t position);

// The line, without its end. Returns its length.
size_t text_around_line(const struct trace_lines *lines, const struct line_place *place,
                        const char **start);

// Writes the lines from `context` before the place to `context` after it. Text that would disturb a
// terminal is made inert; tabs are kept.
void text_around_put(struct out *out, const struct trace_lines *lines,
                     const struct line_place *place, uint64_t context);

// Writes the text of one line like that, without a newline.
void text_around_put_line(struct out *out, const struct trace_lines *lines,
                          const struct line_place *place);

// Where line `line` begins. False: the text has fewer lines, and place->line is their number.
bool text_around_find_line(const struct trace_lines *lines, uint64_t line, unsigned threads,
                           struct line_place *place);

// The line that contains the byte at `position`, which must be in the text.
void text_around_find_byte(const struct trace_lines *lines, uint64_t position, unsigned threads,
                           struct line_place *place);

#endif
