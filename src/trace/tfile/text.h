// Reads lines of the header of a trace file: numbers are hexadecimal, and text consists of two
// hexadecimal digits for each byte.
#ifndef TRAWL_TRACE_TFILE_TEXT_H
#define TRAWL_TRACE_TFILE_TEXT_H

#include "base/arena.h"

// The rest of a line.
struct tfile_text {
    const char *at, *end;
};

static inline int tfile_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static inline bool tfile_take_char(struct tfile_text *text, char wanted)
{
    if (text->at == text->end || *text->at != wanted)
        return false;
    text->at++;
    return true;
}

static inline bool tfile_take_word(struct tfile_text *text, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

// A number of at least one digit and at most 64 bits.
static inline bool tfile_take_hex(struct tfile_text *text, uint64_t *value)
{
    const char *start = text->at;
    *value = 0;
    for (; text->at < text->end && tfile_digit(*text->at) >= 0; text->at++) {
        if (*value >> 60)
            return false;
        *value = *value << 4 | (uint64_t)tfile_digit(*text->at);
    }
    return text->at > start;
}

// The text up to the next `stop`, which is skipped, or up to the end.
static inline struct tfile_text tfile_take_until(struct tfile_text *text, char stop)
{
    const char *at = memchr(text->at, stop, (size_t)(text->end - text->at));
    struct tfile_text taken = {text->at, at ? at : text->end};
    text->at = at ? at + 1 : text->end;
    return taken;
}

static inline const char *tfile_copy(struct arena *arena, struct tfile_text text)
{
    return arena_copy_string(arena, text.at, (size_t)(text.end - text.at));
}

// Decodes text in hexadecimal digits, up to the first character that is not a digit; a byte of 0
// becomes a question mark. NULL: no memory.
static inline const char *tfile_decode(struct arena *arena, struct tfile_text text)
{
    size_t length = (size_t)(text.end - text.at) / 2, count = 0;
    char *copy = arena_alloc(arena, length + 1);
    if (!copy)
        return NULL;
    for (; count < length; count++) {
        int high = tfile_digit(text.at[2 * count]), low = tfile_digit(text.at[2 * count + 1]);
        if (high < 0 || low < 0)
            break;
        copy[count] = (char)(high << 4 | low);
        if (!copy[count])
            copy[count] = '?';
    }
    return copy;
}

#endif
