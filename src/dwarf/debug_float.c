// Floating-point numbers that no type of C holds on every machine: quadruple precision of IEEE 754,
// and the pairs of doubles of PowerPC. Their digits are those of the exact value, rounded once.
#include "dwarf/debug_value.h"

#include "base/base.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    QUAD_BIAS = 16383 + 112,    // of its exponent, for a whole mantissa
    QUAD_DIGITS = 36,           // that distinguish all numbers, as in GDB
    PAIR_BIAS = 1074,           // the least bit of a double is worth 2^-1074
    PAIR_WORDS = 2112 / 32 + 1, // of the sum of two doubles in such bits
    PAIR_DIGITS = 33,
    LIMBS = 1400, // enough for 5^16494 * 2^113
    LIMB_DIGITS = 9,
};

// A whole number in limbs of 9 decimal digits, the lowest first.
struct decimal {
    uint32_t limbs[LIMBS];
    size_t count;
};

static void multiply_add(struct decimal *number, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)(carry % 1000000000);
        carry /= 1000000000;
    }
    for (; carry && number->count < LIMBS; carry /= 1000000000)
        number->limbs[number->count++] = (uint32_t)(carry % 1000000000);
}

static void multiply_by_powers(struct decimal *number, uint32_t base, unsigned at_once,
                               unsigned exponent)
{
    for (; exponent; exponent -= exponent < at_once ? exponent : at_once) {
        uint32_t factor = 1;
        for (unsigned i = 0; i < at_once && i < exponent; i++)
            factor *= base;
        multiply_add(number, factor, 0);
    }
}

// Writes `count` digits as "%.*g" of C does; `text` has these digits and `length` in all, of which
// `point` are before the point.
static void put_digits(struct out *out, char *text, size_t length, long point, size_t count)
{
    bool is_up = false;
    if (length > count) {
        bool has_rest = false;
        for (size_t i = count + 1; i < length; i++)
            has_rest |= text[i] != '0';
        is_up =
            text[count] > '5' || (text[count] == '5' && (has_rest || (text[count - 1] - '0') % 2));
        length = count;
    }
    for (size_t i = length; is_up && i-- > 0;) {
        is_up = text[i] == '9';
        text[i] = is_up ? '0' : (char)(text[i] + 1);
    }
    if (is_up) { // from 99.9 to 100
        memmove(text + 1, text, length - 1);
        text[0] = '1';
        point++;
    }
    while (length > 1 && text[length - 1] == '0')
        length--;
    if (point - 1 < -4 || point - 1 >= (long)count) {
        char exponent[24];
        out_bytes(out, text, 1);
        out_text(out, length > 1 ? "." : "");
        out_bytes(out, text + 1, length - 1);
        snprintf(exponent, sizeof exponent, "e%c%02ld", point < 1 ? '-' : '+', labs(point - 1));
        out_text(out, exponent);
        return;
    }
    out_text(out, point <= 0 ? "0." : "");
    for (long i = point; i < 0; i++)
        out_byte(out, '0');
    for (long i = 0; i < (long)length || i < point; i++) {
        out_text(out, i && i == point ? "." : "");
        out_byte(out, i < (long)length ? text[i] : '0');
    }
}

// Writes words * 2^exponent, the lowest word first, with up to `count` digits. Long numbers use up
// the budget of the question.
static void put_exact(struct debug_frame *frame, struct out *out, const uint32_t *words,
                      size_t word_count, int exponent, size_t count)
{
    struct decimal number = {.count = 0};
    char digits[LIMBS * LIMB_DIGITS + 1];
    uint64_t cost = (uint64_t)abs(exponent) / 8;
    size_t length = 0;
    frame->types.work -= u64_min(cost, frame->types.work);
    for (size_t i = word_count; i-- > 0;) {
        multiply_add(&number, 1u << 16, words[i] >> 16);
        multiply_add(&number, 1u << 16, words[i] & 0xffff);
    }
    if (!number.count) {
        out_byte(out, '0');
        return;
    }
    if (exponent > 0)
        multiply_by_powers(&number, 2, 29, (unsigned)exponent);
    else
        multiply_by_powers(&number, 5, 13, (unsigned)-exponent);
    for (size_t i = number.count; i-- > 0; length += LIMB_DIGITS) {
        uint32_t rest = number.limbs[i];
        for (size_t k = LIMB_DIGITS; k-- > 0; rest /= 10)
            digits[length + k] = (char)('0' + rest % 10);
    }
    digits[length] = 0;
    size_t zeros = strspn(digits, "0");
    put_digits(out, digits + zeros, length - zeros,
               (long)(length - zeros) + (exponent < 0 ? exponent : 0), count);
}

// --- Quadruple precision -------------------------------------------------------------------------

static void put_quad(struct debug_frame *frame, const uint8_t *bytes, struct out *out)
{
    uint64_t first = debug_load(frame, bytes, 8), second = debug_load(frame, bytes + 8, 8);
    const bool is_big = frame->point->is_big_endian;
    const uint64_t high = is_big ? first : second, low = is_big ? second : first;
    const unsigned exponent = high >> 48 & 0x7fff;
    uint64_t mantissa = high & (UINT64_MAX >> 16);
    out_text(out, high >> 63 ? "-" : "");
    if (exponent == 0x7fff && !mantissa && !low) {
        out_text(out, "inf");
    } else if (exponent == 0x7fff) {
        out_text(out, "nan(0x");
        if (mantissa)
            out_hex(out, mantissa, 1);
        out_hex(out, low, mantissa ? 16 : 1);
        out_byte(out, ')');
    } else {
        mantissa |= exponent ? UINT64_C(1) << 48 : 0;
        const uint32_t words[] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)mantissa,
                                  (uint32_t)(mantissa >> 32)};
        put_exact(frame, out, words, ARRAY_COUNT(words), (int)(exponent ? exponent : 1) - QUAD_BIAS,
                  QUAD_DIGITS);
    }
}

// --- Pairs of doubles ----------------------------------------------------------------------------

// Adds the magnitude of a double, in its least bits, or subtracts it.
static void add_double(uint32_t words[PAIR_WORDS], uint64_t bits, bool subtracts)
{
    uint64_t mantissa = bits & (UINT64_MAX >> 12), exponent = bits >> 52 & 0x7ff;
    mantissa |= exponent ? UINT64_C(1) << 52 : 0;
    unsigned shift = (unsigned)(exponent ? exponent - 1 : 0);
    __extension__ unsigned __int128 shifted = (unsigned __int128)mantissa << shift % 32;
    int64_t carry = 0;
    for (size_t i = shift / 32; i < PAIR_WORDS; i++, shifted >>= 32) {
        int64_t part = (int64_t)(uint32_t)shifted;
        carry += (int64_t)words[i] + (subtracts ? -part : part);
        words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void put_pair(struct debug_frame *frame, const uint8_t *bytes, struct out *out)
{
    uint32_t words[PAIR_WORDS] = {0};
    uint64_t first = debug_load(frame, bytes, 8), second = debug_load(frame, bytes + 8, 8);
    const uint64_t magnitude = UINT64_MAX >> 1;
    out_text(out, first >> 63 ? "-" : "");
    if ((first & magnitude) >= UINT64_C(0x7ff) << 52) {
        bool is_number = first << 12;
        out_text(out, is_number ? "nan(0x" : "inf");
        if (is_number) {
            out_hex(out, first & (UINT64_MAX >> 12), 1);
            out_byte(out, ')');
        }
    } else if ((second & magnitude) > (first & magnitude)) {
        out_text(out, "<error: no pair of doubles, of which the first is the larger one>");
    } else {
        add_double(words, first, false);
        add_double(words, second, first >> 63 != second >> 63);
        put_exact(frame, out, words, PAIR_WORDS, -PAIR_BIAS, PAIR_DIGITS);
    }
}

// --- Which of them -------------------------------------------------------------------------------

// What .gnu.attributes says of long double (Tag_GNU_Power_ABI_FP): one subsection "gnu" of one part
// for the whole file is all that linkers write.
static bool has_quad_attribute(const struct image *image)
{
    enum { MOST_BYTES = 256, HEAD_BYTES = 14, TAG_FP = 4, QUAD = 3 };
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image_elf(image), section))) {
        GElf_Shdr header;
        unsigned char bytes[MOST_BYTES];
        struct error err;
        if (!gelf_getshdr(section, &header) ||
            strcmp(image_section_name(image, &header), ".gnu.attributes") != 0)
            continue;
        size_t size = (size_t)u64_min(header.sh_size, sizeof bytes);
        if (!image_holds(image, header.sh_offset, size) ||
            image_read(image, header.sh_offset, bytes, size, &err) != STATUS_OK)
            return false;
        for (size_t at = HEAD_BYTES; at + 1 < size; at += 2) { // tags and values below 128
            if (bytes[at] == TAG_FP)
                return bytes[at + 1] >> 2 == QUAD;
        }
    }
    return false;
}

bool debug_put_long_double(struct debug_frame *frame, const struct debug_type *type,
                           const uint8_t *bytes, struct out *out)
{
    Dwarf_Die die = type->die;
    const char *name = type->has_die ? debug_name(&die) : NULL;
    const struct image *image = debug_info_image(frame->info);
    const unsigned machine = image_machine(image);
    const bool is_power = machine == EM_PPC64 || machine == EM_PPC;
    const bool is_named_quad =
        name && (strstr(name, "loat128") || strstr(name, "ieee128") || strstr(name, "loat64x"));
    if (is_named_quad) {
        put_quad(frame, bytes, out);
        return true;
    }
    if (frame->types.is_x86)
        return false;
    if ((name && strstr(name, "ibm128")) || (is_power && !has_quad_attribute(image)))
        put_pair(frame, bytes, out);
    else
        put_quad(frame, bytes, out);
    return true;
}
