// One line of a Tarmac trace, as it was read (trace/tarmac/line_read.h).
//
// What a line means depends on the lines before it only through `struct tarmac_context`, sixteen
// bytes that can be guessed, compared and handed on.
#ifndef TRAWL_TRACE_TARMAC_LINE_H
#define TRAWL_TRACE_TARMAC_LINE_H

#include "flow/line_fault.h"
#include "trace/tarmac/lexer.h"
#include "trace/tarmac/registers.h"

#define TARMAC_NO_COLUMN UINT32_MAX

// Of one vector of the Scalable Vector Extension.
#define TARMAC_ACCESS_BYTES_MAX 256

// What one line hands to the next.
struct tarmac_context {
    uint64_t time;           // of the last line, for lines that carry none
    uint32_t address_column; // where the last line's address began if that was an LD or ST
    bool address_is_read;    // it was an LD
};

#define TARMAC_CONTEXT_START ((struct tarmac_context){0, TARMAC_NO_COLUMN, false})

enum line_kind {
    LINE_NOTHING,        // read, but makes no event (`Tarmac` header, pc)
    LINE_NAMED_REGISTER, // makes none either: a register that only its name tells of
    LINE_INSTRUCTION,
    LINE_REGISTER,
    LINE_MEMORY,  // contiguous access (MR4, MW8, R04...)
    LINE_DIAGRAM, // LD or ST with 16 bytes drawn
    LINE_EXCEPTION,
    LINE_TEXT,
};

enum isa_state {
    ISA_ARM,
    ISA_THUMB,
    ISA_AARCH64,
};

#define ENCODING_DIGITS 8

// What the mark of an instruction has (marks.h) next to its numbers. It is made when a line is
// read, so that of lines of a known shape it is copied in one piece.
struct mark_gist {
    uint32_t encoding_column; // of the digits, of which the last ENCODING_DIGITS count; 0: none
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
    enum sp_bank bank; // of the mode that is written
    bool executed;     // false: failed its condition, or was not fetched
    bool fetched;
    struct mark_gist gist;
    const char *disassembly; // runs to the end of the line
};

struct line_register {
    struct register_name name;
    // The span that holds the digits; `tarmac_register_bytes` decodes them when somebody asks.
    const char *value_start, *value_end;
    bool is_plain;       // digits and no hyphens: every byte is updated
    bool is_range;       // of bits
    uint32_t first_byte; // of a bit range, else 0
    uint32_t size_bytes; // bytes that the value must fill
    // The name, where it is one of its own: that of a system register, or of a register's bank.
    // NULL: the line writes nothing but `name`.
    const char *spelled;
    uint8_t spelled_length; // 0: it is longer than any that is kept
};

struct line_memory {
    uint64_t address;
    bool is_read;
    bool is_memory_order; // the value's bytes are in memory order
    bool is_known;
    uint32_t size_bytes;
    // second: the other word of an access of 16 bytes, or of one of 8 that is written in two words,
    // of which that of the lower address comes first
    struct text_span value, second;
};

struct line_diagram {
    uint64_t address;
    bool is_read;
    const char *words, *words_end; // 32 digits, dots and hashes, blanks between
};

struct tarmac_line {
    enum line_kind kind;
    enum line_note note;
    struct token note_subject;
    struct text_span unknown_word; // of an unknown event without a record word: its first word
    uint64_t time;
    const char *cpu; // name as written, NULL where the line has none
    uint32_t cpu_length;
    bool looks_like_instruction; // set as soon as the record word is read, also if the rest is bad
    bool is_read;                // of LD and ST
    bool readings_differ;        // the other reading may make something else of the line
    union {
        struct line_instruction instruction;
        struct line_register reg;
        struct line_memory memory;
        struct line_diagram diagram;
    };
};

// How a line was read, for those who would read others like it without the reader
// (template.h): where numbers stand, and how far it looked.
struct tarmac_layout {
    const char *first, *type;           // the first token and the record word
    struct text_span time;              // decimal digits
    struct text_span address, encoding; // hexadecimal ones, as are the rest
    struct text_span others[4];         // of numbers that say nothing
    uint32_t other_count;
    const char *read_end; // after the last character that mattered
    bool ends_in_peek;    // of which only the kind of token that it begins was looked at
    bool is_particular;   // other digits in their places might have been read in another way
};

// Takes the line end off [start, end): every trailing CR and LF, except from a line that is nothing
// else. Returns the new end.
const char *tarmac_line_trim(const char *start, const char *end);

// Decodes the value of a register line, lowest byte first, from the register's first written byte:
// byte i goes to values[i], known[i] says whether the line updates it ("--" does not). Returns the
// number of bytes in the value, of which at most `capacity` are stored.
size_t tarmac_register_bytes(const struct line_register *reg, uint8_t *values, bool *known,
                             size_t capacity);

#endif
