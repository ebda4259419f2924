#include "trace/examination.h"

#include "base/base.h"
#include "base/characters.h"

enum record {
    RECORD_NONE, // not reached yet
    RECORD_INSTRUCTION,
    RECORD_REGISTER,
    RECORD_OTHER,
};

// How far a line has been read.
struct line_walk {
    enum record record;
    unsigned words;        // after the record word
    unsigned numbers;      // of these words
    bool mnemonic_is_next; // as the previous word implies
    char before;           // the character before the word; 0 at the start
};

#define KEPT_CAPITALS 8 // TRANSFER, AARCH64
#define KEPT_NAME 24    // of the name of a record or a register
#define GLUED_DIGITS 4  // of a number within such a name

static bool is_in_word(char c)
{
    return is_alphanumeric(c) || c == '_' || c == '.' || c == '-' || (c & 0x80);
}

static bool is_text(const char *start, const char *end, const char *text)
{
    return strlen(text) == (size_t)(end - start) && memcmp(start, text, strlen(text)) == 0;
}

// Hexadecimal digits, with the characters that can occur before and among them.
static bool is_number(const char *start, const char *end)
{
    bool has_digit = false;
    if (end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x')
        start += 2;
    for (const char *at = start; at < end; at++) {
        bool is_filler = *at == '_' || *at == '.' || *at == '-' || *at == 'x' || *at == 'X';
        if (!is_hex_digit(*at) && !is_filler)
            return false;
        has_digit |= is_hex_digit(*at);
    }
    return has_digit;
}

// --- What becomes of a word ----------------------------------------------------------------------

static void mask_all(char *start, char *end)
{
    for (char *at = start; at < end; at++) {
        if (is_digit(*at))
            *at = '0';
        else if (is_letter(*at) || *at & 0x80)
            *at = 'x';
    }
}

static void mask_number(char *start, char *end)
{
    if (end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x')
        start += 2;
    for (char *at = start; at < end; at++) {
        if (is_hex_digit(*at))
            *at = '0';
    }
}

// Keeps a name, except for digits in it that may be a number.
static void mask_glued(char *start, char *end)
{
    if (end - start > KEPT_NAME) {
        mask_all(start, end);
        return;
    }
    for (char *at = start, *next; at < end; at = next) {
        bool has_digit = false;
        for (next = at; next < end && is_hex_digit(*next); next++)
            has_digit |= is_digit(*next);
        if (has_digit && next - at >= GLUED_DIGITS)
            mask_number(at, next);
        next += next == at;
    }
}

static bool is_short_capitals(const char *start, const char *end)
{
    if (end - start > KEPT_CAPITALS)
        return false;
    for (const char *at = start; at < end; at++) {
        if (!is_capital(*at) && *at != '_')
            return false;
    }
    return true;
}

static enum record record_of(const char *start, const char *end)
{
    static const char *const instructions[] = {"IT", "IS", "IF", "ES"};
    for (size_t i = 0; i < ARRAY_COUNT(instructions); i++) {
        if (is_text(start, end, instructions[i]))
            return RECORD_INSTRUCTION;
    }
    return is_text(start, end, "R") ? RECORD_REGISTER : RECORD_OTHER;
}

static bool is_unit(const char *start, const char *end)
{
    static const char *const units[] = {"clk", "tic", "cyc", "cs", "ps", "ns", "us", "ms", "s"};
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (is_text(start, end, units[i]))
            return true;
    }
    return false;
}

// cpu0, cluster0.cpu1, core2: common names of cores.
static bool is_core(const char *start, const char *end)
{
    static const char *const words[] = {"cpu", "core", "cluster"};
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - start) > length && memcmp(start, words[i], length) == 0)
            return true;
    }
    return false;
}

// Time, unit and core, up to the record word, which is in capitals.
static void take_before_record(struct line_walk *line, char *start, char *end)
{
    bool is_record = is_capital(*start) && !(is_number(start, end) && end - start > 2) &&
                     !memchr(start, '.', (size_t)(end - start));
    if (is_record) {
        line->record = record_of(start, end);
        mask_glued(start, end);
        for (char *at = start; at < end; at++) {
            if (is_small(*at) || *at & 0x80)
                *at = 'x';
        }
    } else if (is_number(start, end)) {
        mask_number(start, end);
    } else if (is_core(start, end)) {
        mask_glued(start, end);
    } else {
        char *unit = start;
        while (unit < end && (is_digit(*unit) || *unit == '.'))
            unit++;
        mask_all(start, is_unit(unit, end) ? unit : end);
    }
}

static bool is_state(const char *start, const char *end)
{
    return is_text(start, end, "T16") || is_text(start, end, "T32");
}

// False: this word is the mnemonic; nothing after it is kept.
static bool take_of_instruction(struct line_walk *line, char *start, char *end)
{
    bool begins_text = line->mnemonic_is_next || (line->before == ' ' && line->numbers >= 2);
    bool is_one_capital = end - start == 1 && is_capital(*start);
    if (is_state(start, end)) {
        line->mnemonic_is_next = true;
        return true;
    }
    if (line->mnemonic_is_next || (begins_text && !is_number(start, end) && !is_one_capital &&
                                   !memchr(start, '_', (size_t)(end - start)) && *end != ':')) {
        mask_glued(start, end);
        return false;
    }
    if (is_one_capital)
        return true;
    if (is_number(start, end)) {
        line->numbers++;
        mask_number(start, end);
    } else {
        mask_glued(start, end);
    }
    return true;
}

void anonymize_line(char *text)
{
    struct line_walk line = {.record = RECORD_NONE};
    for (char *at = text; *at;) {
        char *start = at;
        while (is_in_word(*at))
            at++;
        if (at == start) {
            bool is_colon = *at == ':' && (at[1] == ' ' || at[1] == '\t');
            line.mnemonic_is_next |= is_colon && line.record == RECORD_INSTRUCTION;
            line.before = *at++;
            continue;
        }
        if (line.record == RECORD_NONE) {
            take_before_record(&line, start, at);
            continue;
        }
        if (line.record != RECORD_INSTRUCTION) {
            bool is_name = line.record == RECORD_REGISTER && !line.words;
            if (is_name && !is_digit(*start))
                mask_glued(start, at);
            else if (is_number(start, at))
                mask_number(start, at);
            else if (!is_short_capitals(start, at))
                mask_all(start, at);
        } else if (!take_of_instruction(&line, start, at)) {
            *at = 0;
        }
        line.words++;
        line.before = at[-1];
    }
}
