// Reads lines of a known template without the reader.
//
// A trace consists of millions of lines of a few dozen templates: the same words in the same
// columns, with digits where there were digits before. The result of reading such a line follows
// from its template except for the numbers. The reader decides by where tokens begin and end, by
// their kinds, and by words; none of this changes if a digit is replaced by another one. So a line
// that was read is a pattern for others: for each column, the character must be the same, a decimal
// digit, a hexadecimal digit, or is never used. A line that fits is read by taking its numbers from
// known places, and the columns after its words need not be scanned at all: if the pattern ends in
// a newline, even the end of the line is known.
//
// Finding the pattern takes one hash of five characters at the column where record words begin ("R
// X12", "MR4 0", "IT (4"); fitting it takes three compares of a vector of columns. Only the pattern
// is checked, so a wrong guess takes time and has no other effect.
//
// Only the reader knows the language. In `struct line_columns` it says where the numbers are and
// how far it read, and sets `is_particular` if other digits could have made a difference: a value
// whose padding depends on its digits, or a bit pattern of one digit that could be an instruction
// set state. Three more conditions are checked here, in `is_odd`: the dots in the drawing of an
// access, a text that begins with CCFAIL, and whether the line continues the access before it.
// tests/unit/line_template_test.c compares every line that fits with the reader.
#ifndef TRAWL_TRACE_LINES_LINE_TEMPLATE_H
#define TRAWL_TRACE_LINES_LINE_TEMPLATE_H

#include "simd/text.h"
#include "trace/lines/line.h"

// The number of columns in a template.
#define LINE_TEMPLATE_BYTES 96

// A line is only compared if this many bytes can be read from its start: all columns, and sixteen
// digits from any of them on.
#define LINE_TEMPLATE_MARGIN_BYTES (TEXT_COLUMNS + 16)

#define LINE_TEMPLATES_MAX 240

// The number of templates that are kept of a trace whose lines are records: more that are no longer
// of use are compared with each line, which costs 2 %.
#define LINE_TEMPLATES_OF_LINES 128
#define LINE_TEMPLATE_SLOTS 1024
#define LINE_TEMPLATE_WAYS 4

// A drawing that can be part of a template: four words of four bytes, separated by blanks.
#define LINE_TEMPLATE_DRAWING_BYTES 35

// What the columns cannot decide, at the first span.
enum template_doubt {
    TEMPLATE_IS_SURE,
    TEMPLATE_MAY_FAIL, // CCFAIL may be at the beginning of the disassembly
    TEMPLATE_HAS_DRAWING,
    TEMPLATE_HAS_SIZE, // a digit tells the size of the instruction
};

struct template_digits {
    uint8_t column, count; // count 0: none
};

struct line_template {
    struct text_pattern columns;
    // Including its end, or up to the next record; 0: the line continues after the compared
    // columns.
    uint8_t line_bytes;
    uint8_t text_bytes; // if it does not continue: without its end
    uint8_t compared_bytes;
    uint8_t first_column; // of the first token, after the prefix
    bool is_continuation; // of the LD or ST before it, or of a line that goes on
    bool keeps_context;   // of the LD or ST before it
    bool ends_line;       // no record behind it
    bool ends_at_tab;     // but for text behind the compared columns, which ends with the record
    bool is_of_last;      // belongs to the last instruction, where lines count these
    uint8_t doubt;        // enum template_doubt
    uint8_t cpu_column;
    uint8_t size_column;   // of the digit that tells the size
    uint8_t name_column;   // of a register whose name is stored
    uint8_t number_column; // of the number of a register, by which its place follows from `cells`
    struct template_digits time, address, encoding, physical;
    const struct register_cells *cells; // NULL: it is that of the model
    uint64_t time_scale;                // by which the number is multiplied
    uint64_t world;                     // to be combined with the physical address for a place
    bool is_counter;                    // of 32 bits, perhaps, which can wrap
    uint8_t span_columns[2][2];         // start and end of the value, second word, or drawing
    uint32_t address_column;            // passed on in the context
    // Set by the code that learned it: whether only the time of such lines matters, besides what
    // they write; and the part that a register line writes, with mask 0 if that depends on the
    // line.
    bool is_only_time;
    struct register_part part;
    struct trace_line model; // everything that does not change
};

// The known templates.
struct line_templates {
    uint8_t ways[LINE_TEMPLATE_SLOTS][LINE_TEMPLATE_WAYS]; // the newest first; 0: none
    uint8_t newest, kept;                                  // kept: at most so many
    uint32_t key_column, key_misses;
    uint32_t learned;                // since line_templates_rest
    struct whole_lines *whole_lines; // NULL: lines are not found as a whole
    struct line_templates *next_spare;
    struct line_template items[1 + LINE_TEMPLATES_MAX]; // item 0 is unused
};

// Returns an empty set. NULL: no memory.
struct line_templates *line_templates_new(void);
void line_templates_free(struct line_templates *templates);

// Makes a line that was read a pattern for others, if possible: [start, newline) and the results of
// the reader; `context` is the state after the previous line. `newline` may be NULL. Returns the
// template, or NULL.
struct line_template *line_templates_learn(struct line_templates *templates, const char *start,
                                           const char *newline, const struct line_context *context,
                                           const struct trace_line *line,
                                           const struct line_columns *layout);

// Allows as many more lines to be learned; so a trace without templates takes little extra time.
void line_templates_rest(struct line_templates *templates);

// The key only distributes lines over slots; nothing is assumed about its contents. `goes_on`: the
// record is not the first of its line. `may_go_on`: lines may have several records; of these, a
// number in brackets at the beginning counts lines, so all of them have one key.
static ALWAYS_INLINE size_t line_template_slot(const struct line_templates *templates,
                                               const char *start, bool may_go_on, bool goes_on)
{
    uint64_t key;
    if (may_go_on && *start == '[')
        return '[';
    memcpy(&key, start + (goes_on ? 0 : templates->key_column), sizeof key);
    return (size_t)((key << 24) * UINT64_C(0x9e3779b97f4a7c15) >> 54);
}

#endif
