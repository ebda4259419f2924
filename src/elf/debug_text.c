#include "elf/debug_text.h"

#include "base/limits.h"

// Each byte of a character in octal.
static void put_octal(struct out *out, uint32_t unit, size_t unit_bytes)
{
    for (size_t i = 0; i < unit_bytes; i++) {
        uint32_t byte = unit >> 8 * i & 0xff;
        bool is_rest = i > 0 && unit >> 8 * i == 0; // the first says it
        if (is_rest)
            break;
        out_byte(out, '\\');
        out_byte(out, (char)('0' + (byte >> 6)));
        out_byte(out, (char)('0' + (byte >> 3 & 7)));
        out_byte(out, (char)('0' + (byte & 7)));
    }
}

static void put_unit(struct out *out, uint32_t unit, size_t unit_bytes, char quote)
{
    static const char escapes[] = "abtnvfr"; // from 7 on
    unit &= unit_bytes < 4 ? (UINT32_C(1) << 8 * unit_bytes) - 1 : UINT32_MAX;
    if (unit >= 7 && unit <= 13) {
        out_byte(out, '\\');
        out_byte(out, escapes[unit - 7]);
    } else if (unit >= ' ' && unit < 0x7f) {
        if (unit == (uint32_t)quote || unit == '\\')
            out_byte(out, '\\');
        out_byte(out, (char)unit);
    } else {
        put_octal(out, unit, unit_bytes);
    }
}

void debug_text_character(struct out *out, uint32_t unit, size_t unit_bytes, const char *prefix)
{
    out_text(out, prefix);
    out_byte(out, '\'');
    put_unit(out, unit, unit_bytes, '\'');
    out_byte(out, '\'');
}

void debug_text_string(struct out *out, const uint32_t *units, size_t count, size_t unit_bytes,
                       const char *prefix, bool goes_on)
{
    bool is_open = false;
    size_t at = 0;
    while (at < count && at < LIMIT_DEBUG_ELEMENTS) {
        size_t alike = 1;
        while (at + alike < count && units[at + alike] == units[at])
            alike++;
        bool is_counted = alike > LIMIT_DEBUG_REPEATS;
        if (is_counted) {
            out_text(out, is_open ? "\", " : at ? ", " : "");
            debug_text_character(out, units[at], unit_bytes, prefix);
            out_text(out, " <repeats ");
            out_u64(out, alike);
            out_text(out, " times>");
        } else if (!is_open) {
            out_text(out, at ? ", " : "");
            out_text(out, prefix);
            out_byte(out, '"');
        }
        for (size_t i = 0; i < alike && !is_counted; i++)
            put_unit(out, units[at], unit_bytes, '"');
        is_open = !is_counted;
        at += alike;
    }
    if (!count) {
        out_text(out, prefix);
        out_text(out, "\"");
    }
    out_text(out, is_open || !count ? "\"" : "");
    out_text(out, goes_on || at < count ? "..." : "");
}
