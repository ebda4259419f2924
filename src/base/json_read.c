#include "base/json_read.h"
#include "base/characters.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const char *start, *at, *end;
    char *to; // where the next string goes
    struct json_document *document;
    struct error *err;
    unsigned depth;
};

static bool fail(struct reader *reader, const char *expected)
{
    error_set(reader->err, STATUS_INPUT, "byte %zu: expected %s",
              (size_t)(reader->at - reader->start), expected);
    return false;
}

static void pass_blanks(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at && strchr(" \t\r\n", *reader->at))
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

// --- Strings -------------------------------------------------------------------------------------

// Four hexadecimal digits.
static bool read_unit(struct reader *reader, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        int digit = reader->at < reader->end ? hex_digit(*reader->at) : -1;
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

// What follows a backslash. Halves of surrogate pairs are no characters.
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

// As UTF-8, which takes no more bytes than an escape does.
static char *put_code(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *to++ = (char)(0xe0 | code >> 12);
        } else {
            *to++ = (char)(0xf0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 63));
        }
        *to++ = (char)(0x80 | (code >> 6 & 63));
    }
    *to++ = (char)(0x80 | (code & 63));
    return to;
}

static const char *read_string(struct reader *reader)
{
    const char *first = reader->to;
    if (!is_next(reader, '"'))
        return fail(reader, "a string"), NULL;
    while (reader->at < reader->end && *reader->at != '"') {
        bool is_escape = *reader->at == '\\';
        uint32_t code = (unsigned char)*reader->at++;
        if (is_escape && !read_escape(reader, &code))
            return fail(reader, "an escape"), NULL;
        if (code == 0)
            return fail(reader, "no character 0"), NULL;
        if (is_escape)
            reader->to = put_code(reader->to, code);
        else
            *reader->to++ = (char)code;
    }
    *reader->to++ = '\0'; // in place of the quote
    return is_next(reader, '"') ? first : (fail(reader, "the end of a string"), NULL);
}

// --- Values --------------------------------------------------------------------------------------

static bool has_digit(const struct reader *reader)
{
    return reader->at < reader->end && is_digit(*reader->at);
}

static bool pass_digits(struct reader *reader)
{
    if (!has_digit(reader))
        return fail(reader, "a digit");
    while (has_digit(reader))
        reader->at++;
    return true;
}

static const char *read_number(struct reader *reader)
{
    const char *first = reader->at;
    reader->at += *reader->at == '-';
    bool has_zero = reader->at < reader->end && *reader->at == '0';
    if (has_zero)
        reader->at++;
    else if (!pass_digits(reader))
        return NULL;
    if (reader->at < reader->end && *reader->at == '.') {
        reader->at++;
        if (!pass_digits(reader))
            return NULL;
    }
    if (reader->at < reader->end && (*reader->at | 0x20) == 'e') {
        reader->at++;
        reader->at += reader->at < reader->end && (*reader->at == '-' || *reader->at == '+');
        if (!pass_digits(reader))
            return NULL;
    }
    size_t length = (size_t)(reader->at - first);
    char *text = memcpy(reader->to, first, length);
    text[length] = '\0'; // there is room: two strings or numbers have a character between them
    reader->to += length + 1;
    return text;
}

static bool read_word(struct reader *reader, struct json_value *value)
{
    static const struct {
        const char *word;
        enum json_type type;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(reader->end - reader->at) >= length &&
            memcmp(reader->at, words[i].word, length) == 0) {
            reader->at += length;
            value->type = words[i].type;
            return true;
        }
    }
    return fail(reader, "a value");
}

static bool read_value(struct reader *reader, const char *name, uint32_t *number);

// The values of an array or object behind its bracket.
static bool read_inside(struct reader *reader, uint32_t parent, char close, bool has_names)
{
    uint32_t last = 0, number;
    if (++reader->depth > LIMIT_JSON_DEPTH)
        return error_set(reader->err, STATUS_LIMIT, "more than %d levels", LIMIT_JSON_DEPTH), false;
    bool is_over = is_next(reader, close);
    while (!is_over) {
        const char *name = has_names ? read_string(reader) : NULL;
        if (has_names && !name)
            return false;
        if (has_names && !is_next(reader, ':'))
            return fail(reader, "a colon");
        if (!read_value(reader, name, &number))
            return false;
        struct json_value *values = reader->document->values.items;
        *(last ? &values[last].next : &values[parent].child) = number;
        last = number;
        if (is_next(reader, ','))
            continue;
        is_over = is_next(reader, close);
        if (!is_over)
            return fail(reader, close == ']' ? "a comma, or ]" : "a comma, or }");
    }
    reader->depth--;
    return true;
}

static bool read_value(struct reader *reader, const char *name, uint32_t *number)
{
    pass_blanks(reader);
    if (reader->document->values.count >= LIMIT_JSON_VALUES)
        return error_set(reader->err, STATUS_LIMIT, "more than %d values", LIMIT_JSON_VALUES),
               false;
    if (!VEC_ROOM(&reader->document->values, 1))
        return error_set(reader->err, STATUS_MEMORY, "no memory"), false;
    *number = (uint32_t)reader->document->values.count++;
    struct json_value value = {.name = name, .offset = (uint32_t)(reader->at - reader->start)};
    char first = reader->at < reader->end ? *reader->at : '\0';
    bool is_sound = true;
    if (first == '"') {
        value.type = JSON_STRING;
        is_sound = (value.text = read_string(reader)) != NULL;
    } else if (first == '-' || is_digit(first)) {
        value.type = JSON_NUMBER;
        is_sound = (value.text = read_number(reader)) != NULL;
    } else if (first == '[' || first == '{') {
        value.type = first == '[' ? JSON_ARRAY : JSON_OBJECT;
        reader->at++;
        reader->document->values.items[*number] = value;
        return read_inside(reader, *number, first == '[' ? ']' : '}', first == '{');
    } else {
        is_sound = read_word(reader, &value);
    }
    reader->document->values.items[*number] = value;
    return is_sound;
}

enum status json_read(struct json_document *document, const char *text, size_t size_bytes,
                      struct error *err)
{
    uint32_t root;
    *document = (struct json_document){0};
    if (size_bytes > LIMIT_JSON_BYTES)
        return error_set(err, STATUS_LIMIT, "more than %d MB", (int)(LIMIT_JSON_BYTES >> 20));
    document->strings = malloc(size_bytes + 2);
    if (!document->strings)
        return error_set(err, STATUS_MEMORY, "no memory");
    struct reader reader = {text, text, text + size_bytes, document->strings, document, err, 0};
    if (!read_value(&reader, NULL, &root))
        return err->status;
    pass_blanks(&reader);
    return reader.at == reader.end ? STATUS_OK
                                   : (fail(&reader, "the end of the text"), err->status);
}

void json_document_free(struct json_document *document)
{
    free(document->values.items);
    free(document->strings);
    *document = (struct json_document){0};
}

// --- The tree ------------------------------------------------------------------------------------

const struct json_value *json_first(const struct json_document *document,
                                    const struct json_value *parent)
{
    return parent && parent->child ? &document->values.items[parent->child] : NULL;
}

const struct json_value *json_next(const struct json_document *document,
                                   const struct json_value *value)
{
    return value->next ? &document->values.items[value->next] : NULL;
}

const struct json_value *json_find(const struct json_document *document,
                                   const struct json_value *object, const char *name)
{
    const struct json_value *value =
        object && object->type == JSON_OBJECT ? json_first(document, object) : NULL;
    while (value && strcmp(value->name, name) != 0)
        value = json_next(document, value);
    return value;
}

const char *json_string(const struct json_value *value)
{
    return value && value->type == JSON_STRING ? value->text : NULL;
}

bool json_whole(const struct json_value *value, uint64_t *number)
{
    *number = 0;
    if (!value || value->type != JSON_NUMBER)
        return false;
    for (const char *at = value->text; *at; at++) {
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*at - '0'), number))
            return false;
    }
    return true;
}
