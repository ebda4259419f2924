// Lines of one template, read without the reader.
//
// A trace is millions of lines of a few dozen templates: the same words in the same columns, and
// digits where digits was before. What the reader makes of such a line follows from its template
// except for the numbers. It decides by where tokens begin and end, of which kind they are, and
// what the words say; none of that changes when one digit takes the place of another. So a line
// that the reader has read is a pattern for others: of each column it says whether the character
// must be the same, a decimal digit, a hexadecimal one, or nothing that anybody looks at. A line
// that fits is read by taking its numbers from known places, and the columns after its words need
// no scanning at all: where the pattern ends in a newline, even the end of the line is known.
//
// Finding the pattern costs one hash of five characters at the column where record words begin
// ("R X12", "MR4 0", "IT (4"), fitting it three compares a vector of columns. The pattern is all
// that is checked, so a wrong guess costs time and nothing else.
//
// The reader stays the one place that knows the language. It tells by `struct tarmac_layout` where
// the numbers stood and how far it looked, and says `is_particular` where other digits might have
// made a difference: a value that is padded by what it consists of, a bit pattern of one digit
// that could be an instruction-set state. Three things are left to be looked at here, in `is_odd`:
// the dots in the drawing of an access, a text that begins with CCFAIL, and whether the line goes
// on with the access before it. tests/unit/line_template_test.c holds every line that fits against
// the reader.
#ifndef TRAWL_TRACE_TARMAC_LINE_TEMPLATE_H
#define TRAWL_TRACE_TARMAC_LINE_TEMPLATE_H

#include "simd/text.h"
#include "trace/tarmac/line.h"

// Columns that a template covers.
#define LINE_TEMPLATE_BYTES 96

// Readable bytes that must follow the start of a line for it to be looked at: all columns, and
// sixteen digits from any of them on.
#define LINE_TEMPLATE_MARGIN_BYTES (TEXT_COLUMNS + 16)

#define LINE_TEMPLATES_MAX 128
#define LINE_TEMPLATE_SLOTS 1024
#define LINE_TEMPLATE_WAYS 4

// A drawing that may be part of a template: four words of four bytes, one blank apart.
#define LINE_TEMPLATE_DRAWING_BYTES 35

// What no column tells, at the first span.
enum template_doubt {
    TEMPLATE_IS_SURE,
    TEMPLATE_MAY_FAIL, // CCFAIL might be where the disassembly begins
    TEMPLATE_HAS_DRAWING,
};

struct template_digits {
    uint8_t column, count; // count 0: none
};

struct line_template {
    struct text_pattern columns;
    uint8_t line_bytes; // with its end; 0: the line continues after what was compared
    uint8_t text_bytes; // of a line that does not: without its end
    uint8_t compared_bytes;
    uint8_t first_column; // of the first token
    bool is_continuation; // of the LD or ST before
    uint8_t doubt;        // enum template_doubt
    uint8_t cpu_column;
    uint8_t name_column; // of a register whose name is kept
    struct template_digits time, address, encoding;
    uint8_t span_columns[2][2]; // start and end of the value, second word, or drawing
    uint32_t address_column;    // that the line leaves in the context
    // For whoever learned it: whether nothing else of such lines matters, or but what they write,
    // and what that is of a register line, mask 0 where that is unknown.
    bool is_only_time;
    struct register_part part;
    struct tarmac_line model; // all that does not change
};

// The templates that were found.
struct line_templates {
    uint8_t ways[LINE_TEMPLATE_SLOTS][LINE_TEMPLATE_WAYS]; // the newest first; 0: none
    struct line_template items[1 + LINE_TEMPLATES_MAX];    // none at 0
    uint8_t newest;
    uint32_t key_column, key_misses;
    uint32_t learned; // since line_templates_rest
    struct line_templates *next_spare;
};

// None were found. NULL: no memory. To be freed by free().
struct line_templates *line_templates_new(void);

// Takes a line that was read as the pattern of others, if it can be one: [start, newline) and what
// the reader told of it, `context` being what the line before left. `newline` may be NULL. Returns
// the template, or NULL.
struct line_template *line_templates_learn(struct line_templates *templates, const char *start,
                                           const char *newline,
                                           const struct tarmac_context *context,
                                           const struct tarmac_line *line,
                                           const struct tarmac_layout *layout);

// Allows as many lines again to be learned, so that a trace without templates costs little.
void line_templates_rest(struct line_templates *templates);

// Nothing about the key must be true. It spreads lines over slots.
static ALWAYS_INLINE size_t line_template_slot(const struct line_templates *templates,
                                               const char *start)
{
    uint64_t key;
    memcpy(&key, start + templates->key_column, sizeof key);
    return (size_t)((key << 24) * UINT64_C(0x9e3779b97f4a7c15) >> 54);
}

#endif
