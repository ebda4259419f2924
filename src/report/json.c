#include "report/json.h"
#include "base/utf8.h"

#define JSON_INDENT 2

void json_begin(struct json *json, struct out *out, unsigned broken_depth)
{
    *json = (struct json){.out = out, .broken_depth = broken_depth};
}

void json_end(struct json *json)
{
    ASSERT(json->depth == 0 && !json->after_key);
    out_byte(json->out, '\n');
}

static void json_break_line(struct json *json)
{
    out_byte(json->out, '\n');
    out_pad(json->out, (size_t)json->depth * JSON_INDENT);
}

// Writes what is between the previous value and the next one.
static void json_separate(struct json *json)
{
    bool on_own_line = json->depth && json->depth <= json->broken_depth;
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->has_members)
        out_text(json->out, on_own_line ? "," : ", ");
    if (on_own_line)
        json_break_line(json);
    json->has_members = true;
}

static void json_open(struct json *json, char bracket)
{
    json_separate(json);
    out_byte(json->out, bracket);
    json->depth++;
    json->has_members = false;
}

static void json_close(struct json *json, char bracket)
{
    ASSERT(json->depth > 0 && !json->after_key);
    bool on_own_line = json->depth <= json->broken_depth && json->has_members;
    json->depth--;
    if (on_own_line)
        json_break_line(json);
    out_byte(json->out, bracket);
    json->has_members = true;
}

void json_begin_object(struct json *json)
{
    json_open(json, '{');
}

void json_end_object(struct json *json)
{
    json_close(json, '}');
}

void json_begin_array(struct json *json)
{
    json_open(json, '[');
}

void json_end_array(struct json *json)
{
    json_close(json, ']');
}

// Writes a character that would control a terminal as its number, which is equivalent for readers
// of JSON.
static void json_escape_code(struct out *out, uint32_t code)
{
    out_text(out, "\\u");
    out_hex(out, code, 4);
}

static void json_escape(struct out *out, unsigned char byte)
{
    static const char short_forms[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (byte == 0x7f || (byte < 0x20 && !short_forms[byte])) {
        json_escape_code(out, byte);
        return;
    }
    out_byte(out, '\\');
    out_byte(out, byte >= 0x20 ? (char)byte : short_forms[byte]);
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static void json_string(struct out *out, const char *text)
{
    const char *end = text + strlen(text);
    out_byte(out, '"');
    while (text < end) {
        const char *plain = text;
        while (text < end && is_plain((unsigned char)*text))
            text++;
        out_bytes(out, plain, (size_t)(text - plain));
        if (text == end)
            break;
        unsigned bytes = utf8_character(text, (size_t)(end - text));
        if (bytes == 1)
            json_escape(out, (unsigned char)*text);
        else if (bytes && !utf8_printable(text, bytes))
            json_escape_code(out, utf8_code(text, bytes));
        else if (bytes)
            out_bytes(out, text, bytes);
        else
            out_text(out, UTF8_REPLACEMENT);
        text += bytes ? bytes : 1;
    }
    out_byte(out, '"');
}

void json_key(struct json *json, const char *key)
{
    json_separate(json);
    json_string(json->out, key);
    out_text(json->out, ": ");
    json->after_key = true;
}

void json_u64(struct json *json, uint64_t value)
{
    json_separate(json);
    out_u64(json->out, value);
}

void json_address(struct json *json, uint64_t value)
{
    json_separate(json);
    out_text(json->out, "\"0x");
    out_hex(json->out, value, 0);
    out_byte(json->out, '"');
}

void json_share(struct json *json, uint64_t part, uint64_t whole)
{
    json_separate(json);
    out_ratio(json->out, part, whole, 6);
}

void json_change(struct json *json, uint64_t before, uint64_t after)
{
    json_separate(json);
    out_text(json->out, after < before ? "-" : "");
    out_u64(json->out, after > before ? after - before : before - after);
}

void json_change_share(struct json *json, uint64_t before, uint64_t after)
{
    json_separate(json);
    out_text(json->out, after < before ? "-" : "");
    out_ratio(json->out, after > before ? after - before : before - after, before, 6);
}

void json_seconds(struct json *json, uint64_t ticks, uint64_t hz)
{
    if (!hz) {
        json_text(json, NULL);
        return;
    }
    json_separate(json);
    out_ratio(json->out, ticks, hz, 9);
}

void json_bool(struct json *json, bool value)
{
    json_separate(json);
    out_text(json->out, value ? "true" : "false");
}

void json_text(struct json *json, const char *text)
{
    json_separate(json);
    if (text)
        json_string(json->out, text);
    else
        out_text(json->out, "null");
}

void json_member_u64(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

void json_member_address(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_address(json, value);
}

void json_member_bool(struct json *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}

void json_member_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}
