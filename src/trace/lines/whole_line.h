// Finds lines with several records as a whole.
//
// Each record of a line has templates of its own (line_template.h), because there would be one for
// nearly every line if the combinations had. But few combinations are frequent, and finding a
// record takes longer than storing it: a line whose records all fitted templates becomes a pattern
// of the whole line, with copies of these templates. Found is what all of them would fit, so a
// whole line is read exactly as its records are. This halves the instructions that a profile of a
// commit log takes.
//
// The slot of a line follows from where its first record ends (a character that the language
// names), what comes next, and where the line ends.
#ifndef TRAWL_TRACE_LINES_WHOLE_LINE_H
#define TRAWL_TRACE_LINES_WHOLE_LINE_H

#include "trace/lines/line_template.h"

#define WHOLE_LINE_RECORDS 3

#define WHOLE_LINES_KEPT 192
#define WHOLE_LINE_SLOTS 1024
#define WHOLE_LINE_WAYS 2

struct whole_line {
    struct text_pattern columns;
    uint8_t line_bytes; // including its end
    uint8_t count;
    bool is_brief; // only the time matters of the records behind the first, besides what they write
    uint8_t starts[WHOLE_LINE_RECORDS]; // columns of the records
    struct line_template records[WHOLE_LINE_RECORDS];
};

struct whole_lines {
    uint8_t ways[WHOLE_LINE_SLOTS][WHOLE_LINE_WAYS]; // the newest first; 0: none
    size_t count, learned;                           // learned: in this chunk
    struct whole_line items[1 + WHOLE_LINES_KEPT];   // item 0 is unused
};

// The records of a line, as far as they were found.
struct whole_line_draft {
    const char *start, *next; // of the line, and of the record that is expected
    size_t count;             // beyond WHOLE_LINE_RECORDS: it cannot be found as a whole
    const struct line_template *records[WHOLE_LINE_RECORDS];
};

// Adds the record at `start`, of this template, before `next`. True: the line has ended, and could
// be found as a whole.
bool whole_line_add(struct whole_line_draft *draft, const struct line_template *record,
                    const char *start, const char *next);

// Returns an empty set. NULL: no memory. Free with free().
struct whole_lines *whole_lines_new(void);

// Makes the line, which has this slot, a pattern for others, if there is room.
void whole_lines_learn(struct whole_lines *lines, const struct whole_line_draft *draft,
                       uint64_t slot);

#endif
