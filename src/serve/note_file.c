// Reads a file of notes: the necessary part of JSON, for untrusted input.
#include "base/limits.h"
#include "base/utf8.h"
#include "idx/trawl.h"
#include "serve/notes.h"

#include <stdlib.h>

struct reader {
    const char *start, *at, *end;
    struct note_list *list;
    uint64_t event_count;
    struct error *err;
};

static bool fail(struct reader *reader, const char *expected)
{
    error_set(reader->err, STATUS_INPUT, "byte %zu: expected %s",
              (size_t)(reader->at - reader->start), expected);
    return false;
}

static void pass_blanks(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at)
        reader->at++;
}

static bool is_next(struct reader *reader, char c)
{
    pass_blanks(reader);
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

// Four hexadecimal digits.
static bool read_unit(struct reader *reader, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        char c = reader->at < reader->end ? *reader->at : '\0';
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

// Writes a character as UTF-8; half of a surrogate pair is not a character.
static size_t put_code(char *to, uint32_t code)
{
    if (code < 0x80)
        return to[0] = (char)code, 1;
    if (code < 0x800)
        return to[0] = (char)(0xc0 | code >> 6), to[1] = (char)(0x80 | (code & 63)), 2;
    if (code < 0x10000)
        return to[0] = (char)(0xe0 | code >> 12), to[1] = (char)(0x80 | (code >> 6 & 63)),
               to[2] = (char)(0x80 | (code & 63)), 3;
    return to[0] = (char)(0xf0 | code >> 18), to[1] = (char)(0x80 | (code >> 12 & 63)),
           to[2] = (char)(0x80 | (code >> 6 & 63)), to[3] = (char)(0x80 | (code & 63)), 4;
}

static bool read_escape(struct reader *reader, uint32_t *code)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    char c = reader->at < reader->end ? *reader->at++ : '\0';
    const char *name = c ? strchr(names, c) : NULL;
    uint32_t low;
    if (name)
        return *code = (unsigned char)means[name - names], true;
    if (c != 'u' || !read_unit(reader, code))
        return false;
    if (*code < 0xd800 || *code > 0xdfff)
        return true;
    if (*code > 0xdbff || reader->end - reader->at < 6 || memcmp(reader->at, "\\u", 2) != 0)
        return false;
    reader->at += 2;
    if (!read_unit(reader, &low) || low < 0xdc00 || low > 0xdfff)
        return false;
    *code = 0x10000 + ((*code & 0x3ff) << 10 | (low & 0x3ff));
    return true;
}

enum { TEXT_MAX = LIMIT_SERVE_NOTE_BYTES };

// Reads a string, which must not be longer than a note may be.
static bool read_text(struct reader *reader, char text[TEXT_MAX + 5])
{
    size_t length = 0;
    if (!is_next(reader, '"'))
        return fail(reader, "a string");
    while (reader->at < reader->end && *reader->at != '"') {
        bool is_escape = *reader->at == '\\';
        uint32_t code = (unsigned char)*reader->at++;
        if (is_escape && !read_escape(reader, &code))
            return fail(reader, "an escape");
        if (code == 0)
            return fail(reader, "no character 0");
        if (is_escape)
            length += put_code(text + length, code);
        else
            text[length++] = (char)code;
        if (length > TEXT_MAX)
            return fail(reader, "a shorter string");
    }
    text[length] = '\0';
    return is_next(reader, '"') || fail(reader, "the end of a string");
}

static bool read_number(struct reader *reader, uint64_t *number)
{
    const char *first = reader->at;
    *number = 0;
    for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
        uint64_t digit = (uint64_t)(*reader->at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return fail(reader, "a smaller number");
        *number = *number * 10 + digit;
    }
    return reader->at > first || fail(reader, "a number");
}

static bool read_event(struct reader *reader, uint64_t *event)
{
    char word[TEXT_MAX + 5];
    pass_blanks(reader);
    if (reader->at < reader->end && *reader->at == '"') {
        *event = TRAWL_START;
        return read_text(reader, word) &&
               (strcmp(word, "start") == 0 || fail(reader, "start, or a number"));
    }
    return read_number(reader, event) &&
           (*event < reader->event_count || fail(reader, "an event that the trace has"));
}

static bool read_note(struct reader *reader)
{
    char key[TEXT_MAX + 5], text[TEXT_MAX + 5] = "";
    uint64_t event = 0;
    bool has_event = false;
    if (!is_next(reader, '{'))
        return fail(reader, "a note");
    do {
        if (!read_text(reader, key) || !(is_next(reader, ':') || fail(reader, "a colon")))
            return false;
        bool is_event = strcmp(key, "event") == 0;
        if (!is_event && strcmp(key, "text") != 0)
            return fail(reader, "event or text");
        if (is_event ? !read_event(reader, &event) : !read_text(reader, text))
            return false;
        has_event |= is_event;
    } while (is_next(reader, ','));
    if (!is_next(reader, '}') || !has_event)
        return fail(reader, "the end of a note with an event");
    return note_list_set(reader->list, event, text, reader->err) == STATUS_OK;
}

static bool read_notes(struct reader *reader)
{
    if (!is_next(reader, '['))
        return fail(reader, "a list of notes");
    if (is_next(reader, ']'))
        return true;
    do {
        if (!read_note(reader))
            return false;
    } while (is_next(reader, ','));
    return is_next(reader, ']') || fail(reader, "the end of the notes");
}

static bool read_file(struct reader *reader)
{
    char key[TEXT_MAX + 5], word[TEXT_MAX + 5];
    if (!is_next(reader, '{'))
        return fail(reader, "an object");
    do {
        if (!read_text(reader, key) || !(is_next(reader, ':') || fail(reader, "a colon")))
            return false;
        if (strcmp(key, "notes") == 0 ? !read_notes(reader) : !read_text(reader, word))
            return false;
        if (strcmp(key, "format") == 0 && strcmp(word, "trawl notes 1") != 0)
            return fail(reader, "a known version of the format of notes");
    } while (is_next(reader, ','));
    if (!is_next(reader, '}'))
        return fail(reader, "the end of the file");
    pass_blanks(reader);
    return reader->at == reader->end || fail(reader, "the end of the file");
}

enum status note_list_parse(struct note_list *list, const char *text, size_t size,
                            uint64_t event_count, struct error *err)
{
    struct reader reader = {text, text, text + size, list, event_count, err};
    return read_file(&reader) ? STATUS_OK : err->status;
}
