#include "report/csv.h"

#include "report/clean.h"

void csv_quoted(struct out *out, const char *text)
{
    for (const char *end = text + strlen(text); text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        if (*text == '"')
            out_byte(out, '"');
        out_bytes(out, bytes ? text : "?", bytes ? bytes : 1);
        text += bytes ? bytes : 1;
    }
}

void csv_lines(struct out *out, const char *lines)
{
    if (!lines)
        return;
    out_byte(out, '"');
    for (const char *at = lines; *at;) {
        size_t length = strcspn(at, "\n\"");
        out_bytes(out, at, length);
        at += length;
        if (*at == '"')
            out_byte(out, '"');
        if (*at)
            out_byte(out, *at++);
    }
    out_byte(out, '"');
}

void csv_field(struct out *out, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, ",\"")) {
        out_clean(out, text);
        return;
    }
    out_byte(out, '"');
    csv_quoted(out, text);
    out_byte(out, '"');
}
