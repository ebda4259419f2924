#include "report/value.h"

#include "base/limits.h"

static char *put_byte(char *at, uint8_t value, bool is_known)
{
    static const char digits[] = "0123456789abcdef";
    *at++ = is_known ? digits[value >> 4] : '.';
    *at++ = is_known ? digits[value & 15] : '.';
    return at;
}

size_t value_number(char text[VALUE_TEXT_MAX], const uint8_t *values, const uint8_t *known,
                    size_t size_bytes)
{
    char *at = text;
    ASSERT(size_bytes <= LIMIT_VALUE_BYTES);
    *at++ = '0';
    *at++ = 'x';
    for (size_t i = size_bytes; i-- > 0;)
        at = put_byte(at, values[i], known[i]);
    *at = '\0';
    return (size_t)(at - text);
}

void value_bytes(char *text, const uint8_t *values, const uint8_t *known, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        text = put_byte(text, values[i], known[i]);
    *text = '\0';
}

void hexdump_begin(struct hexdump *dump, struct out *out, uint64_t address, uint64_t size_bytes,
                   bool collapse)
{
    uint64_t last = address + (size_bytes ? size_bytes - 1 : 0);
    *dump = (struct hexdump){
        .out = out,
        .address = address,
        .address_digits = last < address || last > UINT32_MAX ? 16 : 8,
        .collapse = collapse,
    };
}

static void write_address(const struct hexdump *dump)
{
    out_text(dump->out, "0x");
    out_hex(dump->out, dump->address, dump->address_digits);
}

static char *put_hex(char *at, const struct hexdump *dump, size_t i)
{
    static const char digits[] = "0123456789abcdef";
    if (i % 8 == 0)
        *at++ = ' ';
    bool is_there = i < dump->count, is_known = is_there && dump->known[i];
    *at++ = ' ';
    *at++ = is_known ? digits[dump->values[i] >> 4] : is_there ? '.' : ' ';
    *at++ = is_known ? digits[dump->values[i] & 15] : is_there ? '.' : ' ';
    return at;
}

static void finish_row(struct hexdump *dump)
{
    bool is_unknown = memchr(dump->known, true, dump->count) == NULL;
    if (!dump->collapse || !is_unknown) {
        write_address(dump);
        char *start = out_room(dump->out, 5 * HEXDUMP_ROW_BYTES), *at = start;
        for (size_t i = 0; i < HEXDUMP_ROW_BYTES; i++)
            at = put_hex(at, dump, i);
        *at++ = ' ';
        *at++ = ' ';
        *at++ = '|';
        for (size_t i = 0; i < dump->count; i++) {
            bool is_printable = dump->values[i] >= 0x20 && dump->values[i] < 0x7f;
            *at++ = !dump->known[i] ? ' ' : is_printable ? (char)dump->values[i] : '.';
        }
        *at++ = '|';
        *at++ = '\n';
        out_commit(dump->out, (size_t)(at - start));
    } else if (!dump->is_collapsed) {
        out_text(dump->out, "*\n");
    }
    dump->is_collapsed = dump->collapse && is_unknown;
    dump->address += dump->count;
    dump->count = 0;
}

void hexdump_bytes(struct hexdump *dump, const uint8_t *values, const bool *known, size_t count)
{
    for (size_t done = 0, part; done < count; done += part) {
        part = (size_t)u64_min(count - done, HEXDUMP_ROW_BYTES - dump->count);
        memcpy(dump->values + dump->count, values + done, part);
        if (known)
            memcpy(dump->known + dump->count, known + done, part * sizeof *known);
        else
            memset(dump->known + dump->count, true, part * sizeof *dump->known);
        dump->count += part;
        if (dump->count == HEXDUMP_ROW_BYTES)
            finish_row(dump);
    }
}

void hexdump_end(struct hexdump *dump)
{
    if (dump->count)
        finish_row(dump);
    if (!dump->is_collapsed)
        return;
    write_address(dump);
    out_byte(dump->out, '\n');
}
