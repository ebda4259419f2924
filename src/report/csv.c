#include "report/csv.h"

void csv_field(struct out *out, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, ",\"\r\n")) {
        out_text(out, text);
        return;
    }
    out_byte(out, '"');
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        out_bytes(out, text, (size_t)(quote - text));
        out_text(out, "\"\"");
    }
    out_text(out, text);
    out_byte(out, '"');
}
