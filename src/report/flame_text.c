#include "base/utf8.h"
#include "report/flame_svg.h"

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

void flame_text_write(struct out *out, const char *text, size_t columns)
{
    bool is_cut = count_columns(text, columns) > columns;
    size_t left = is_cut ? columns - 1 : columns;
    for (const char *end = text + strlen(text); text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        if (columns_of(bytes) > left)
            break;
        left -= columns_of(bytes);
        if (!bytes)
            out_text(out, UTF8_REPLACEMENT);
        else if (bytes > 1)
            out_bytes(out, text, bytes);
        else if (*text == '"')
            out_text(out, "&quot;");
        else
            out_markup(out, *text);
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

enum { STEPS = 6 };

void flame_change_class(char text[FLAME_CHANGE_BYTES], uint64_t before, uint64_t after,
                        uint64_t most)
{
    uint64_t change = after > before ? after - before : before - after;
    memcpy(text, "n", 2);
    if (!change || !most)
        return;
    unsigned step = (unsigned)(((unsigned __int128)change * STEPS + most - 1) / most);
    text[0] = after > before ? 'r' : 'b';
    text[1] = (char)('0' + (step > STEPS ? STEPS : step));
    text[2] = '\0';
}

// The text on each has a contrast of 5:1 and more.
const char *const flame_change_css =
    ".n { fill: #e9ebed; }\n"
    ".r1 { fill: #fbe4de; } .r2 { fill: #f9cec3; } .r3 { fill: #f7b7a8; }\n"
    ".r4 { fill: #f4a08d; } .r5 { fill: #f08a74; } .r6 { fill: #ec735b; }\n"
    ".b1 { fill: #e1ebf9; } .b2 { fill: #cbdcf5; } .b3 { fill: #b4cdf1; }\n"
    ".b4 { fill: #9dbeec; } .b5 { fill: #86afe8; } .b6 { fill: #70a0e3; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".n { fill: #3a3f45; }\n"
    ".r1 { fill: #4b3632; } .r2 { fill: #5c3a33; } .r3 { fill: #6d3e34; }\n"
    ".r4 { fill: #7e4135; } .r5 { fill: #8f4436; } .r6 { fill: #a04637; }\n"
    ".b1 { fill: #323c4a; } .b2 { fill: #334460; } .b3 { fill: #344c75; }\n"
    ".b4 { fill: #35548b; } .b5 { fill: #355ca0; } .b6 { fill: #3564b4; }\n"
    "}\n";
