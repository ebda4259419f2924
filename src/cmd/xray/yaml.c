// The YAML of llvm-xray: a header, and a line for each call and event.
#include "cmd/xray/convert.h"
#include "cmd/xray/yaml_lines.h"

#include <ctype.h>
#include <stdio.h>

enum quotes { QUOTES_NONE, QUOTES_SINGLE, QUOTES_DOUBLE };

static bool is_word(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++) {
        if (strlen(*words) == length && memcmp(*words, text, length) == 0)
            return true;
    }
    return false;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

// Whether a text without quotes would be read as something other than a text.
static bool is_ambiguous(const char *text, size_t length)
{
    static const char *const words[] = {"null",  "Null",  "NULL",  "~",    "true", "True", "TRUE",
                                        "false", "False", "FALSE", ".nan", ".NaN", ".NAN", NULL};
    bool is_number = true;
    for (size_t i = 0; i < length; i++)
        is_number &= isalnum((unsigned char)text[i]) || strchr("+-.", text[i]);
    return is_blank(text[0]) || is_blank(text[length - 1]) ||
           strchr("-?:\\,[]{}#&*!|>'\"%@`", text[0]) || is_word(text, length, words) ||
           (is_number && (isdigit((unsigned char)text[0]) || strchr("+.", text[0])));
}

static enum quotes quotes_of(const char *text, size_t length)
{
    enum quotes quotes = !length || is_ambiguous(text, length) ? QUOTES_SINGLE : QUOTES_NONE;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte < 0x20 && byte != '\t') || byte >= 0x7f)
            return QUOTES_DOUBLE;
        if (!isalnum(byte) && !strchr("_-^. \t", byte))
            quotes = QUOTES_SINGLE;
    }
    return quotes;
}

// Writes bytes that are not ASCII text as \xNN.
static void put_escaped(struct out *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < 0x20 || byte >= 0x7f) {
            out_text(out, "\\x");
            out_hex(out, byte, 2);
            continue;
        }
        if (byte == '"' || byte == '\\')
            out_byte(out, '\\');
        out_byte(out, (char)byte);
    }
}

void xray_put_yaml(struct out *out, const char *text, size_t length)
{
    static const char *const marks[] = {"", "'", "\""};
    enum quotes quotes = quotes_of(text, length);
    out_text(out, marks[quotes]);
    if (quotes == QUOTES_NONE)
        out_bytes(out, text, length);
    else if (quotes == QUOTES_DOUBLE)
        put_escaped(out, text, length);
    else
        for (size_t i = 0; i < length; i++)
            out_bytes(out, "''", text[i] == '\'' ? 2 : 0),
                out_bytes(out, &text[i], text[i] != '\'');
    out_text(out, marks[quotes]);
}

static void put_number(struct out *out, const char *label, uint64_t value)
{
    out_text(out, label);
    out_u64(out, value);
}

static void put_header(const struct xray_header *header, struct out *out)
{
    put_number(out, "---\nheader:\n  version:         ", header->version);
    put_number(out, "\n  type:            ", header->type);
    out_text(out, "\n  constant-tsc:    ");
    out_text(out, header->constant_tsc ? "true" : "false");
    out_text(out, "\n  nonstop-tsc:     ");
    out_text(out, header->nonstop_tsc ? "true" : "false");
    put_number(out, "\n  cycle-frequency: ", header->frequency_hz);
    out_text(out, "\nrecords:\n");
}

bool xray_write_yaml(struct xray_input *input, struct xray_merge *merge, struct out *out)
{
    const struct xray_item *item;
    struct yaml_lines lines;
    bool has_memory = yaml_lines_begin(&lines, input);
    put_header(&input->log.told, out);
    while (has_memory && !out_failed(out) && (item = xray_merge_next(merge)))
        yaml_lines_put(&lines, item, out);
    out_text(out, "...\n");
    yaml_lines_end(&lines);
    return has_memory;
}
