#include "report/clean.h"

size_t out_clean_bytes(struct out *out, const char *text, size_t length)
{
    size_t hidden_bytes = 0;
    if (utf8_is_plain(text, length)) {
        out_bytes(out, text, length);
        return 0;
    }
    for (const char *end = text + length; text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        out_bytes(out, bytes ? text : "?", bytes ? bytes : 1);
        hidden_bytes += bytes ? bytes - 1 : 0;
        text += bytes ? bytes : 1;
    }
    return hidden_bytes;
}

size_t out_clean(struct out *out, const char *text)
{
    return out_clean_bytes(out, text, strlen(text));
}

void clean_frame_name(char *name, size_t length)
{
    utf8_make_inert(name, length);
    for (char *at = name; (at = memchr(at, ';', (size_t)(name + length - at)));)
        *at = ':';
}
