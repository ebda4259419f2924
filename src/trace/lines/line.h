// One line of a trace, after a kind has read it (trace/lines/language.h).
//
// The meaning of a line depends on the lines before it only through `struct line_context`,
// sixteen bytes that can be guessed, compared and passed on.
#ifndef TRAWL_TRACE_LINES_LINE_H
#define TRAWL_TRACE_LINES_LINE_H

#include "arch/arm/isa.h"
#include "arch/arm/registers.h"
#include "flow/line_fault.h"
#include "trace/lines/lexer.h"

#define LINE_NO_COLUMN UINT32_MAX

// The size of a vector of the Scalable Vector Extension.
#define LINE_ACCESS_BYTES_MAX 256

// The state that is passed from line to line.
struct line_context {
    uint64_t time;           // of the last line; used for lines without a time
    uint32_t address_column; // column of the last line's address if it was an LD or ST
    uint16_t wraps;       // how many times the counter of 32 bits that times come from has wrapped
    bool address_is_read; // the last line was an LD
};

#define LINE_CONTEXT_START ((struct line_context){0, LINE_NO_COLUMN, 0, false})

// Instead of a column, if the last record does not end its line: the next record begins behind it.
#define LINE_GOES_ON 0

enum line_kind {
    LINE_NOTHING,        // read, but makes no event (a header, the pc, unknown records)
    LINE_NAMED_REGISTER, // makes no event either: a register of which only the name is known
    LINE_INSTRUCTION,
    LINE_REGISTER,
    LINE_MEMORY,  // contiguous access (MR4, MW8, R04...)
    LINE_DIAGRAM, // LD or ST with a drawing of 16 bytes
    LINE_EXCEPTION,
    LINE_TEXT,
};

#define ENCODING_DIGITS 8

// Fields of the mark of an instruction (marks.h) besides its numbers. They are set when a line is
// read; for lines of a known template they are copied together.
struct mark_summary {
    uint32_t encoding_column; // of the digits, of which the last ENCODING_DIGITS are used; 0: none
    uint8_t kind;             // enum mark_kind
    uint8_t mode;             // mark_isa, mark_bank
    uint8_t flags;            // enum mark_flag
    uint8_t size;
};

struct line_instruction {
    uint64_t address; // without Thumb bit
    uint32_t encoding;
    uint32_t size_bytes; // half the number of digits written
    enum isa_state isa;
    enum sp_bank bank; // of the mode in the line
    bool executed;     // false: failed its condition, or was not fetched
    bool fetched;
    struct mark_summary summary;
    const char *disassembly; // runs to the end of the line
};

struct line_register {
    struct register_name name;
    // The text with the digits; `line_register_bytes` decodes them when needed.
    const char *value_start, *value_end;
    bool is_plain;       // digits and no hyphens: every byte is updated
    bool is_range;       // of bits
    bool is_short;       // fewer digits than the register has, without leading zeros
    bool has_unknown;    // x and z are digits that are not known; otherwise they are ignored
    uint32_t first_byte; // of a bit range, otherwise 0
    uint32_t size_bytes; // bytes that the value must fill
    // The name, if it is stored as a separate register: a system register, or a banked register.
    // NULL: the line writes only `name`.
    const char *spelled;
    uint8_t spelled_length; // 0: longer than stored names can be
};

struct line_memory {
    uint64_t address;
    bool is_read;
    bool is_memory_order; // the value's bytes are in memory order
    bool is_known;
    bool is_partial; // not known, but the value has digits for all bytes, some of which are known
    // MR or MW and a size, without the world of a physical address: may be by gem5 (access.h).
    bool is_of_gem5;
    // Only the address is shown: size and value follow from the instruction and its registers.
    bool is_bare;
    uint32_t size_bytes;
    // What is added to the address for the number of the place in memory: 0 if the line has no
    // physical address, or the same one in the world of the trace's first (rules.h).
    uint64_t to_place;
    // second: the other word of an access of 16 bytes, or of one of 8 bytes that is written in two
    // words, the one at the lower address first
    struct text_span value, second;
};

struct line_diagram {
    uint64_t address;
    bool is_read;
    const char *words, *words_end; // 32 digits, dots and hashes, with blanks between words
};

// Why the time of a line is doubtful.
enum time_doubt {
    TIME_IS_SURE,
    TIME_OF_OTHER_UNIT, // than the trace has, and neither can be converted
    TIME_IS_FINER,      // than the unit of the trace: it was rounded down
};

struct trace_line {
    enum line_kind kind;
    enum time_doubt time_doubt;
    enum line_note note;
    struct token note_subject;
    struct text_span unknown_word; // by which an unknown event without a record word is counted
    uint64_t time;
    int time_exponent; // of TIME_IS_FINER: of the unit in which it would be whole
    const char *cpu;   // name in the line, or NULL
    uint32_t cpu_length;
    bool looks_like_instruction; // set when the record word is read, even if the rest cannot be
    bool is_read;                // of LD and ST
    bool readings_differ;        // the other reading may read the line differently
    bool has_long_value;         // of a register, which is therefore not kept
    uint64_t handler;            // of LINE_EXCEPTION: where control goes; 0: the line does not say
    // Where lines count instructions: so many more times than it has lines, the last one was
    // executed.
    uint64_t repeats;
    bool has_physical; // the line has a physical address
    uint8_t world;     // of that, enum physical_world
    union {
        struct line_instruction instruction;
        struct line_register reg;
        struct line_memory memory;
        struct line_diagram diagram;
    };
};

// Sets what a record has before any of it is read, but for its kind and what that has.
static inline void line_begin(struct trace_line *line, const struct line_context *context)
{
    line->note = NOTE_NONE;
    line->time_doubt = TIME_IS_SURE;
    line->unknown_word = (struct text_span){0};
    line->time = context->time;
    line->cpu = NULL;
    line->cpu_length = 0;
    line->looks_like_instruction = false;
    line->is_read = line->readings_differ = line->has_long_value = line->has_physical = false;
    line->handler = line->repeats = 0;
}

// The cells of a file of registers by their numbers, which all are read alike but those with cell
// 0.
struct register_cells {
    uint16_t of[32];
};

// How a line was read, for reading similar lines without the reader (line_template.h): where its
// numbers are, and how far it was read.
struct line_columns {
    uint32_t prefix_bytes;      // that were stripped: columns that lines share begin behind them
    uint32_t prefix_seen_bytes; // that decided where the prefix ends
    const char *end;            // of the line, without a color that the prefix began
    const char *first, *type;   // the first token and the record word
    struct text_span time;      // decimal digits
    uint64_t time_scale;        // by which their number was multiplied
    bool is_counter;            // the time may be of a counter of 32 bits (line_unwrap)
    struct text_span address, encoding; // hexadecimal ones, as are the rest
    struct text_span physical;          // of an access
    struct text_span others[4];         // of numbers that are ignored
    uint32_t other_count;
    // Two characters with the decimal number of a register: one digit and a blank, or two digits.
    // With any number that has a place in `cells`, where it is in the register space, and none that
    // is 0, the line would be read alike but for that place. NULL: no other number would.
    const char *number;
    const struct register_cells *cells;
    struct text_span counter; // decimal digits of another number that is ignored
    const char *read_end;     // after the last character that mattered
    bool ends_in_peek;        // only the kind of the token that begins there was used
    const char
        *size_digit;     // whose lowest two bits tell the size of the instruction; NULL: none does
    bool goes_on;        // a blank at read_end begins the next record of the line
    bool has_no_text;    // an instruction without disassembly
    uint32_t peek_bytes; // of the next record, besides its blank, which decided where this one ends
    bool is_particular;  // with other digits in these places, it might have been read differently
    // The text of an instruction with records behind it, in which any characters but tabs would be
    // read alike; whether it has any length, up to a tab before a blank or the end of the line; and
    // whether its first two characters tell the size of the instruction ("c.").
    struct text_span text;
    bool text_ends_at_tab, text_tells_size;
    // Where lines count instructions: what is on this line belongs to the last one.
    bool is_of_last;
};

// The number in two characters: two digits, or one and a blank.
static ALWAYS_INLINE unsigned line_register_number(const char *at)
{
    const unsigned first = (unsigned)(at[0] - '0'), second = (unsigned)(at[1] - '0');
    return at[1] == ' ' ? first : 10 * first + second;
}

static inline bool line_digit_is_unknown(char c)
{
    return (c | 0x20) == 'x' || (c | 0x20) == 'z';
}

// Whether only the instruction of an access shows its direction, its size or which data it has
// (line_language.add_access).
static ALWAYS_INLINE bool line_memory_is_doubtful(const struct line_memory *memory)
{
    return memory->is_bare ||
           (memory->is_of_gem5 && (!memory->is_read || memory->size_bytes >= 16));
}

// Removes the line end from [start, end): every trailing CR and LF, except from a line that
// contains nothing else. Returns the new end.
const char *line_trim(const char *start, const char *end);

// The time of a line, and how many times its counter has wrapped.
struct unwrapped_time {
    uint64_t time;
    uint16_t wraps;
};

// The time of a line whose number is less than the time `before` it, up to which the counter had
// wrapped `wraps` times. If the difference shows that a counter of 32 bits wrapped in between, it
// is what a wider counter would show; otherwise the number itself, after the wraps so far. A line
// from before the wrap may come late.
struct unwrapped_time line_unwrap(uint64_t before, uint16_t wraps, uint64_t number);

// 10^exponent. 0: it does not fit 64 bits.
uint64_t power_of_ten(int exponent);

// What a register line does to a byte.
enum byte_effect {
    BYTE_KEPT,    // "--": it does not update it
    BYTE_KNOWN,   // it writes a value
    BYTE_UNKNOWN, // "xx": it writes a value that is not known, at least not all of it
};

// Decodes the value of a register line, lowest byte first, beginning with the register's first
// written byte: values[i] is byte i, effects[i] its enum byte_effect. Returns the number of bytes
// in the value, of which at most `capacity` are stored.
size_t line_register_bytes(const struct line_register *reg, uint8_t *values, uint8_t *effects,
                           size_t capacity);

#endif
