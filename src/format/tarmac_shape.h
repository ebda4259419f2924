// Lines of one shape, read without the reader.
//
// A trace is millions of lines of a few dozen shapes: the same words in the same columns, and
// digits where digits stood before. What the reader makes of such a line follows from its shape but
// for the numbers. It decides by where tokens begin and end, of which kind they are, and what the
// words say; none of that changes when one digit takes the place of another. So a line that the
// reader has read is a pattern for others: of each column it says whether the character must be
// the same, a decimal digit, a hexadecimal one, or nothing that anybody looks at. A line that fits
// is read by taking its numbers from known places, and the columns behind its words need no
// scanning at all: where the pattern ends in a newline, even the end of the line is known.
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
// on with the access before it. tests/unit/shape_test.c holds every line that fits against the
// reader.
#ifndef TRAWL_FORMAT_TARMAC_SHAPE_H
#define TRAWL_FORMAT_TARMAC_SHAPE_H

#include "format/tarmac_line.h"
#include "simd/decimal.h"
#include "simd/hex.h"

// Columns that a shape covers, in blocks that are compared at once.
#define TARMAC_SHAPE_BYTES 96
#define TARMAC_SHAPE_BLOCK_BYTES 32

// Readable bytes that must follow the start of a line for it to be looked at.
#define TARMAC_SHAPE_MARGIN_BYTES 128

#define TARMAC_SHAPES_MAX 128
#define TARMAC_SHAPE_SLOTS 1024
#define TARMAC_SHAPE_WAYS 4

struct shape_digits {
    uint8_t column, count; // count 0: none
};

struct tarmac_shape {
    // A character fits its column if it is among the `range` behind `low`, or an a to f in either
    // case unless `no_letters` is ff.
    _Alignas(TARMAC_SHAPE_BLOCK_BYTES) uint8_t low[TARMAC_SHAPE_BYTES];
    uint8_t range[TARMAC_SHAPE_BYTES];
    uint8_t no_letters[TARMAC_SHAPE_BYTES];
    uint8_t block_bytes; // of the blocks that have columns to compare

    uint8_t line_bytes; // with its end; 0: the line goes on behind what was compared
    uint8_t text_bytes; // of a line that does not: without its end
    uint8_t compared_bytes;
    uint8_t first_column; // of the first token
    bool is_continuation; // of the LD or ST before
    bool is_open_text;    // CCFAIL might stand where the disassembly begins
    uint8_t cpu_column;
    struct shape_digits time, address, encoding;
    uint8_t span_columns[2][2]; // start and end of the value, second word, or drawing
    uint32_t address_column;    // that the line leaves in the context
    struct tarmac_line model;   // all that does not change
};

// The shapes that were met. All zero has met none.
struct tarmac_shapes {
    uint8_t ways[TARMAC_SHAPE_SLOTS][TARMAC_SHAPE_WAYS]; // the newest first; 0: none
    struct tarmac_shape items[1 + TARMAC_SHAPES_MAX];    // none at 0
    uint8_t newest;
    uint32_t key_column, key_misses;
    uint32_t learned; // since tarmac_shapes_rest
};

// Takes a line that was read as the pattern of others, if it can be one: [start, newline) and what
// the reader told of it, `context` being what the line before left. `newline` may be NULL.
void tarmac_shapes_learn(struct tarmac_shapes *shapes, const char *start, const char *newline,
                         const struct tarmac_context *context, const struct tarmac_line *line,
                         const struct tarmac_layout *layout);

// Allows as many lines again to be learned, so that a trace without shapes costs little.
void tarmac_shapes_rest(struct tarmac_shapes *shapes);

// --- Finding -------------------------------------------------------------------------------------

// Nothing about the key must be true. It spreads lines over slots.
static ALWAYS_INLINE size_t tarmac_shape_slot(const struct tarmac_shapes *shapes, const char *start)
{
    uint64_t key;
    memcpy(&key, start + shapes->key_column, sizeof key);
    return (size_t)((key << 24) * UINT64_C(0x9e3779b97f4a7c15) >> 54);
}

// A block of columns. The compiler makes of it what the instruction set has.
typedef uint8_t shape_block __attribute__((vector_size(TARMAC_SHAPE_BLOCK_BYTES)));

static ALWAYS_INLINE bool columns_fit(const struct tarmac_shape *shape, const char *start)
{
    shape_block misfit = {0}, text, low, range, no_letters;
    uint64_t words[TARMAC_SHAPE_BLOCK_BYTES / 8];
    for (size_t at = 0; at < shape->block_bytes; at += TARMAC_SHAPE_BLOCK_BYTES) {
        memcpy(&text, start + at, sizeof text);
        memcpy(&low, shape->low + at, sizeof low);
        memcpy(&range, shape->range + at, sizeof range);
        memcpy(&no_letters, shape->no_letters + at, sizeof no_letters);
        misfit |= (shape_block)(text - low > range) &
                  ((shape_block)((text | 0x20) - 'a' > 5) | no_letters);
    }
    memcpy(words, &misfit, sizeof words);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
}

#define SHAPE_EACH_BYTE UINT64_C(0x0101010101010101)

// The dots among eight digits, dots and slashes, as ones in their bytes. The columns let a slash
// through, which stands between the dot and the digits: it counts as a misfit.
static ALWAYS_INLINE uint64_t dots_of(const char *text, uint64_t *misfit)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    uint64_t dots = ~(word >> 4 | word >> 6) & SHAPE_EACH_BYTE;
    *misfit |= dots & word;                                    // a slash
    *misfit |= (dots ^ dots >> 8) & UINT64_C(0x1000100010001); // half a byte
    return dots;
}

// Four words of four bytes, one blank apart.
#define SHAPE_DRAWING_BYTES 35

static ALWAYS_INLINE bool drawing_fits(const char *words)
{
    uint64_t misfit = 0, dots = SHAPE_EACH_BYTE;
    for (size_t i = 0; i < 4; i++)
        dots &= dots_of(words + 9 * i, &misfit);
    return misfit == 0 && dots != SHAPE_EACH_BYTE;
}

// What makes a line another one that no column tells.
static ALWAYS_INLINE bool is_odd(const struct tarmac_shape *shape, const char *start,
                                 const struct tarmac_context *context)
{
    if ((context->address_column == shape->first_column) != shape->is_continuation)
        return true;
    if (shape->is_open_text)
        return memcmp(start + shape->span_columns[0][0], "CCFAIL", 6) == 0;
    return shape->model.kind == LINE_DIAGRAM && !drawing_fits(start + shape->span_columns[0][0]);
}

// The shape of the line that begins at `start`, or NULL. TARMAC_SHAPE_MARGIN_BYTES can be read.
static ALWAYS_INLINE const struct tarmac_shape *
tarmac_shapes_find(const struct tarmac_shapes *shapes, const char *start,
                   const struct tarmac_context *context)
{
    const uint8_t *ways = shapes->ways[tarmac_shape_slot(shapes, start)];
    for (size_t way = 0; way < TARMAC_SHAPE_WAYS && ways[way]; way++) {
        const struct tarmac_shape *shape = &shapes->items[ways[way]];
        if (LIKELY(columns_fit(shape, start)) && LIKELY(!is_odd(shape, start, context)))
            return shape;
    }
    return NULL;
}

// --- Reading -------------------------------------------------------------------------------------

static ALWAYS_INLINE struct text_span shape_span(const struct tarmac_shape *shape, size_t which,
                                                 const char *start)
{
    return (struct text_span){start + shape->span_columns[which][0],
                              start + shape->span_columns[which][1]};
}

static ALWAYS_INLINE uint64_t shape_hex(struct shape_digits digits, const char *start)
{
    return hex_up_to_sixteen(start + digits.column, digits.count);
}

// What tarmac_line_read makes of the line at `start`, whose shape this is; of accesses nothing but
// that they are some unless they are wanted.
static ALWAYS_INLINE void tarmac_shape_read(const struct tarmac_shape *shape, const char *start,
                                            struct tarmac_context *context,
                                            struct tarmac_line *line, bool wants_accesses)
{
    const struct tarmac_line *model = &shape->model;
    line->kind = model->kind;
    line->note = NOTE_NONE;
    line->time = shape->time.count
                     ? decimal_up_to_sixteen(start + shape->time.column, shape->time.count)
                     : context->time;
    line->cpu = model->cpu_length ? start + shape->cpu_column : NULL;
    line->cpu_length = model->cpu_length;
    line->looks_like_instruction = model->looks_like_instruction;
    line->is_read = model->is_read;
    line->readings_differ = model->readings_differ;
    switch (model->kind) {
    case LINE_INSTRUCTION:
        line->instruction = model->instruction;
        line->instruction.address = shape_hex(shape->address, start);
        if (shape->encoding.count)
            line->instruction.encoding = (uint32_t)shape_hex(shape->encoding, start);
        line->instruction.disassembly = start + shape->span_columns[0][0];
        break;
    case LINE_REGISTER:
        line->reg = model->reg;
        line->reg.value_start = start + shape->span_columns[0][0];
        line->reg.value_end = start + shape->span_columns[0][1];
        break;
    case LINE_MEMORY:
        if (!wants_accesses)
            break;
        line->memory = model->memory;
        line->memory.address = shape_hex(shape->address, start);
        line->memory.value = shape_span(shape, 0, start);
        line->memory.second = shape_span(shape, 1, start);
        break;
    case LINE_DIAGRAM:
        if (shape->is_continuation)
            line->is_read = context->address_is_read;
        if (!wants_accesses)
            break;
        line->diagram.address = shape_hex(shape->address, start);
        line->diagram.is_read = line->is_read;
        line->diagram.words = start + shape->span_columns[0][0];
        line->diagram.words_end = start + shape->span_columns[0][1];
        break;
    case LINE_NOTHING:
    case LINE_EXCEPTION:
    case LINE_TEXT:
        break;
    }
    if (shape->is_continuation)
        return;
    context->time = line->time;
    context->address_column = shape->address_column;
    context->address_is_read = line->is_read;
}

#endif
