// The lines of a trace around a place, for people: each with its number, the one of the place
// marked.
//
//       49  1 clk IT (1) 00010000 ...
//     > 50  1 clk R r0 00000001
#ifndef TRAWL_ANALYSIS_TEXT_AROUND_H
#define TRAWL_ANALYSIS_TEXT_AROUND_H

#include "analysis/trace_lines.h"
#include "report/out.h"

// A line: its number, from 1, and where it begins.
struct line_place {
    uint64_t line, position;
};

// Whether a line begins there, as an index says, which may be wrong.
bool text_around_has(const struct trace_lines *lines, const struct line_place *place);

// Up to `count` lines before a line, the first of them; *place stays where there is none.
void text_around_go_back(const struct trace_lines *lines, struct line_place *place, uint64_t count);

// Goes on to the next line. False: there is none.
bool text_around_next(const struct trace_lines *lines, struct line_place *place);

// Goes on from a line to one after it, or to the one that has a byte. False: the text ends before
// that, with the line that *place is then.
bool text_around_go_to_line(const struct trace_lines *lines, struct line_place *place,
                            uint64_t line);
bool text_around_go_to_byte(const struct trace_lines *lines, struct line_place *place,
                            uint64_t position);

// The line, without its end. Returns how long it is.
size_t text_around_line(const struct trace_lines *lines, const struct line_place *place,
                        const char **start);

// Writes the lines from `context` before the place to `context` after it; text that would disturb a
// terminal made inert, tabs stay.
void text_around_put(struct out *out, const struct trace_lines *lines,
                     const struct line_place *place, uint64_t context);

// Writes the text of one line like that, without a newline.
void text_around_put_line(struct out *out, const struct trace_lines *lines,
                          const struct line_place *place);

// Where line `line` begins. False: the text has fewer; then place->line is how many there are.
bool text_around_find_line(const struct trace_lines *lines, uint64_t line, unsigned threads,
                           struct line_place *place);

// The line that the byte at `position`, which the text has, is in.
void text_around_find_byte(const struct trace_lines *lines, uint64_t position, unsigned threads,
                           struct line_place *place);

#endif
