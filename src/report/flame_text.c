#include "report/flame_text.h"
#include "base/utf8.h"

#define COLOUR_COUNT 24

// Chinese, Japanese and Korean characters take two columns. Bytes that are not a character may,
// too.
static unsigned columns_of(unsigned bytes)
{
    return bytes >= 3 ? 2 : 1;
}

// The columns of `text`, or `limit` + 1 if there are more.
static size_t count_columns(const char *text, size_t limit)
{
    size_t columns = 0;
    for (const char *end = text + strlen(text); text < end && columns <= limit;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        columns += columns_of(bytes);
        text += bytes ? bytes : 1;
    }
    return columns;
}

static void write_xml_character(struct out *out, const char *text, unsigned bytes)
{
    if (!bytes)
        out_text(out, UTF8_REPLACEMENT);
    else if (bytes > 1)
        out_bytes(out, text, bytes);
    else if (*text == '"')
        out_text(out, "&quot;");
    else
        out_markup(out, *text);
}

void flame_text_write(struct out *out, const char *text, size_t columns)
{
    bool is_cut = count_columns(text, columns) > columns;
    size_t left = is_cut ? columns - 1 : columns;
    for (const char *end = text + strlen(text); text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        if (columns_of(bytes) > left)
            break;
        left -= columns_of(bytes);
        write_xml_character(out, text, bytes);
        text += bytes ? bytes : 1;
    }
    if (is_cut)
        out_text(out, "\xe2\x80\xa6");
}

unsigned flame_colour_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return (hash ^ hash >> 16) % COLOUR_COUNT;
}
