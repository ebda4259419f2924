// AArch32: floating point and Advanced SIMD, in the encodings of A32, which T32 has with other bits
// above. Registers are written in part: s0 is a quarter of q0, and the rest of q0 stays.
//
// MVE of the M profile shares many of these encodings. Its predication (VPT blocks) is not known
// here: where it leaves elements as they were, the output names too little.
#include "arch/arm/effects_aarch32.h"

enum {
    S0 = 1, // sizes of elements that are allocated: bytes
    S1 = 2,
    S2 = 4,
    S3 = 8,
    S012 = 7,
    S12 = 6,
    ALL = 15,
    D = 16,     // reads its destination
    Q = 32,     // saturates, and says so in FPSCR
    F = 64,     // floating point
    HALF = 128, // only 64 bits
};

// Numbers of d registers.
struct operands {
    unsigned d, n, m, bytes; // of the registers
    bool is_quad;
};

static struct operands operands_of(uint32_t encoding)
{
    struct operands o = {.d = (encoding >> 18 & 16) | FIELD(encoding, 12, 4),
                         .n = (encoding >> 3 & 16) | FIELD(encoding, 16, 4),
                         .m = (encoding >> 1 & 16) | FIELD(encoding, 0, 4),
                         .is_quad = encoding >> 6 & 1};
    o.bytes = o.is_quad ? 16 : 8;
    return o;
}

static uint64_t offset_d(unsigned n)
{
    return VECTOR(n / 2) + 8 * (n & 1);
}

static uint64_t offset_s(unsigned n)
{
    return VECTOR(n / 4) + 4 * (n & 3);
}

static void to_d(struct build *b, unsigned n, unsigned bytes)
{
    to_register(b, offset_d(n & 31), bytes);
}

static void from_d(struct build *b, enum effect_role role, unsigned n, unsigned bytes)
{
    from_register(b, role, offset_d(n & 31), bytes);
}

// A part of a d register is written, and the rest stays.
static void keep_rest_of_d(struct build *b, unsigned n, unsigned low, unsigned bytes)
{
    if (low) {
        to_d(b, n, low);
        from_d(b, ROLE_COPY, n, low);
    }
    if (low + bytes < 8) {
        to_register(b, offset_d(n & 31) + low + bytes, 8 - low - bytes);
        from_register(b, ROLE_COPY, offset_d(n & 31) + low + bytes, 8 - low - bytes);
    }
}

// After the inputs of a result: what it does to FPSCR, which has the same inputs and one more.
static void status(struct build *b, unsigned form)
{
    if (!(form & (F | Q)))
        return;
    if (form & F)
        from_flags(b, ROLE_CONDITION, EFFECT_FP_CONTROL);
    also_to(b, EFFECT_FLAGS, EFFECT_FP_STATUS, 0);
    from_flags(b, ROLE_VALUE, EFFECT_FP_STATUS);
}

static bool of_two(struct build *b, const struct operands *o, unsigned form)
{
    if (o->is_quad && ((o->d | o->n | o->m) & 1 || form & HALF))
        return false;
    to_d(b, o->d, o->bytes);
    from_d(b, ROLE_VALUE, o->n, o->bytes);
    from_d(b, ROLE_VALUE, o->m, o->bytes);
    if (form & D)
        from_d(b, ROLE_VALUE, o->d, o->bytes);
    status(b, form);
    return true;
}

static bool of_one(struct build *b, const struct operands *o, unsigned form)
{
    if (o->is_quad && ((o->d | o->m) & 1 || form & HALF))
        return false;
    to_d(b, o->d, o->bytes);
    from_d(b, ROLE_VALUE, o->m, o->bytes);
    if (form & D)
        from_d(b, ROLE_VALUE, o->d, o->bytes);
    status(b, form);
    return true;
}

// A q register from d registers, or from a q and a d register (`is_wide`).
static bool lengthen(struct build *b, const struct operands *o, bool has_second, bool is_wide,
                     unsigned form)
{
    if (o->d & 1 || (is_wide && o->n & 1))
        return false;
    to_d(b, o->d, 16);
    from_d(b, ROLE_VALUE, o->m, 8);
    if (has_second)
        from_d(b, ROLE_VALUE, o->n, is_wide ? 16 : 8);
    if (form & D)
        from_d(b, ROLE_VALUE, o->d, 16);
    status(b, form);
    return true;
}

static bool narrow(struct build *b, const struct operands *o, bool has_second, unsigned form)
{
    if (o->m & 1 || (has_second && o->n & 1))
        return false;
    to_d(b, o->d, 8);
    from_d(b, ROLE_VALUE, o->m, 16);
    if (has_second)
        from_d(b, ROLE_VALUE, o->n, 16);
    status(b, form);
    return true;
}

// --- Advanced SIMD: data -------------------------------------------------------------------------

// By U, A (bits 11:8) and B (bit 4).
static const uint8_t integer_forms[2][12][2] = {
    {{S012, ALL | Q},
     {S012, ALL},
     {S012, ALL | Q},
     {S012, S012},
     {ALL, ALL | Q},
     {ALL, ALL | Q},
     {S012, S012},
     {S012, S012 | D},
     {ALL, S012},
     {S012 | D, S012},
     {S012 | HALF, S012 | HALF},
     {S12 | Q, S012 | HALF}},
    {{S012, ALL | Q},
     {S012, ALL},
     {S012, ALL | Q},
     {S012, S012},
     {ALL, ALL | Q},
     {ALL, ALL | Q},
     {S012, S012},
     {S012, S012 | D},
     {ALL, S012},
     {S012 | D, S0},
     {S012 | HALF, S012 | HALF},
     {S12 | Q, S12 | Q | D}},
};

// By U, the upper bit of size, A from 12 and B: the float's size is by the lowest bit of size.
static const uint8_t float_forms[2][2][4][2] = {
    {{{0, F | D}, {F, F | D}, {F, 0}, {F, F}}, {{0, F | D}, {F, F | D}, {0, 0}, {F, F}}},
    {{{0, 0}, {F | HALF, F}, {F, F}, {F | HALF, F}}, {{0, 0}, {F, 0}, {F, F}, {F | HALF, F}}},
};

static bool three_same(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned a = FIELD(encoding, 8, 4), bit = FIELD(encoding, 4, 1), size = FIELD(encoding, 20, 2);
    unsigned u = encoding >> 24 & 1;
    if (a < 12) {
        unsigned form = integer_forms[u][a][bit];
        if (!(form >> size & 1))
            return false;
        if (a == 1 && bit && u && size) // VBSL, VBIT, VBIF
            form |= D;
        if (a == 1 && bit && !u && size == 2 && o.n == o.m) { // VMOV
            if (o.is_quad && (o.d | o.m) & 1)
                return false;
            to_d(b, o.d, o.bytes);
            from_d(b, ROLE_COPY, o.m, o.bytes);
            return true;
        }
        return of_two(b, &o, form);
    }
    if (a == 12 && !bit) // SHA1, SHA256
        return o.is_quad && !(u && size == 3) && of_two(b, &o, D);
    if (a == 12 && u) // VQRDMLSH
        return (size == 1 || size == 2) && of_two(b, &o, D | Q);
    unsigned form = float_forms[u][size >> 1][a - 12][bit];
    return form && of_two(b, &o, form);
}

static bool three_different(struct build *b, uint32_t encoding)
{
    static const uint8_t forms[2][16] = {
        {ALL, ALL, ALL, ALL, ALL, D | ALL, ALL, ALL, D | ALL, S12 | D | Q, D | ALL, S12 | D | Q,
         ALL, S12 | Q, S0 | S2, 0},
        {ALL, ALL, ALL, ALL, ALL, D | ALL, ALL, ALL, D | ALL, 0, D | ALL, 0, ALL, 0, 0, 0},
    };
    struct operands o = operands_of(encoding);
    unsigned a = FIELD(encoding, 8, 4), form = forms[encoding >> 24 & 1][a];
    if (!(form >> FIELD(encoding, 20, 2) & 1))
        return false;
    if (a == 4 || a == 6)
        return narrow(b, &o, true, form);
    return lengthen(b, &o, true, a == 1 || a == 3, form);
}

static bool with_scalar(struct build *b, uint32_t encoding)
{
    static const uint8_t forms[16] = {D, F | D, D, Q | D, D, F | D, D,     Q | D,
                                      0, F,     0, Q,     Q, Q,     D | Q, D | Q};
    struct operands o = operands_of(encoding);
    unsigned a = FIELD(encoding, 8, 4), size = FIELD(encoding, 20, 2), u = encoding >> 24 & 1;
    bool is_long = a == 2 || a == 3 || a == 6 || a == 7 || a == 10 || a == 11;
    unsigned vm = encoding & 15, m = FIELD(encoding, 5, 1), form = forms[a];
    if (size == 0 || (is_long && form & Q && u))
        return false;
    uint64_t scalar = size == 1 ? offset_d(vm & 7) + 2 * (m << 1 | vm >> 3) : offset_d(vm) + 4 * m;
    bool is_quad = is_long || u;
    unsigned bytes = is_quad ? 16 : 8, source = is_long || !u ? 8 : 16;
    if ((is_quad && o.d & 1) || (source == 16 && o.n & 1))
        return false;
    to_d(b, o.d, bytes);
    from_d(b, ROLE_VALUE, o.n, source);
    from_register(b, ROLE_VALUE, scalar, 1U << size);
    if (form & D)
        from_d(b, ROLE_VALUE, o.d, bytes);
    status(b, form);
    return true;
}

static bool shift_or_immediate(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned a = FIELD(encoding, 8, 4), u = encoding >> 24 & 1, is_long = FIELD(encoding, 7, 1);
    if (!FIELD(encoding, 19, 3) && !is_long) { // VMOV, VMVN; VORR, VBIC change what is there
        if ((o.is_quad && o.d & 1) || (encoding >> 5 & 1 && a == 15))
            return false;
        to_d(b, o.d, o.bytes);
        if (a < 12 && a & 1)
            from_d(b, ROLE_VALUE, o.d, o.bytes);
        return true;
    }
    switch (a) {
    case 0:
    case 2:
        return of_one(b, &o, 0);
    case 1:
    case 3:
        return of_one(b, &o, D);
    case 4:
        return u && of_one(b, &o, D);
    case 5:
        return of_one(b, &o, u ? D : 0);
    case 6:
        return u && of_one(b, &o, Q);
    case 7:
        return of_one(b, &o, Q);
    case 8: // VSHRN, VQSHRUN
    case 9: // VQSHRN
        return !is_long && narrow(b, &o, false, a == 9 || u ? Q : 0);
    case 10:
        return !is_long && !o.is_quad && lengthen(b, &o, false, false, 0);
    case 12:
    case 13:
    case 14:
    case 15: // VCVT
        return !is_long && encoding >> 21 & 1 && of_one(b, &o, F);
    }
    return false;
}

// VSWP moves, VTRN, VUZP and VZIP mix both registers.
static bool exchange(struct build *b, const struct operands *o, bool is_swap)
{
    if (o->is_quad && (o->d | o->m) & 1)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        to_d(b, i ? o->m : o->d, o->bytes);
        from_d(b, is_swap ? ROLE_COPY : ROLE_VALUE, i ? o->d : o->m, o->bytes);
        if (!is_swap)
            from_d(b, ROLE_VALUE, i ? o->m : o->d, o->bytes);
    }
    return o->d != o->m;
}

static bool two_registers(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned size = FIELD(encoding, 18, 2), op = FIELD(encoding, 7, 4);
    bool bit = encoding >> 6 & 1;
    switch (FIELD(encoding, 16, 2) << 4 | op) {
    case 0x00:
        return size < 3 && of_one(b, &o, 0); // VREV64, VREV32, VREV16
    case 0x01:
        return size < 2 && of_one(b, &o, 0);
    case 0x02:
    case 0x0a:
    case 0x0b: // VCNT, VMVN
        return !size && of_one(b, &o, 0);
    case 0x04:
    case 0x05:
    case 0x08:
    case 0x09:
        return size < 3 && of_one(b, &o, 0);
    case 0x06:
    case 0x07: // AESE, AESD, AESMC, AESIMC
        o.bytes = 16;
        o.is_quad = true;
        return !size && of_one(b, &o, op == 6 ? D : 0);
    case 0x0c:
    case 0x0d:
        return size < 3 && of_one(b, &o, D);
    case 0x0e:
    case 0x0f:
        return size < 3 && of_one(b, &o, Q);
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
    case 0x17:
        return size < 3 && of_one(b, &o, 0);
    case 0x15: // SHA1H
        if (size != 2 || !bit || (o.d | o.m) & 1)
            return false;
        to_d(b, o.d, 16);
        from_d(b, ROLE_VALUE, o.m, 4);
        return true;
    case 0x18:
    case 0x19:
    case 0x1a:
    case 0x1b:
    case 0x1c: // comparisons with 0
        return (size == 1 || size == 2) && of_one(b, &o, F);
    case 0x1e:
    case 0x1f: // VABS, VNEG
        return (size == 1 || size == 2) && of_one(b, &o, 0);
    case 0x20:
        return !size && exchange(b, &o, true);
    case 0x21:
        return size < 3 && exchange(b, &o, false);
    case 0x22:
    case 0x23:
        return size < 2 + o.is_quad && exchange(b, &o, false);
    case 0x24: // VMOVN, VQMOVUN
    case 0x25:
        return size < 3 && narrow(b, &o, false, op == 4 && !bit ? 0 : Q);
    case 0x26: // VSHLL
        return size < 3 && !bit && lengthen(b, &o, false, false, 0);
    case 0x27: // SHA1SU1, SHA256SU0
        o.bytes = 16;
        o.is_quad = true;
        return size == 2 && of_one(b, &o, D);
    case 0x28:
    case 0x29:
    case 0x2a:
    case 0x2b:
    case 0x2d:
    case 0x2f: // VRINT
        return (size == 1 || size == 2) && of_one(b, &o, F);
    case 0x2c: // VCVT to halves, of BF16
        return size == 1 && narrow(b, &o, false, F);
    case 0x2e:
        return size == 1 && !bit && lengthen(b, &o, false, false, F);
    case 0x38:
    case 0x39: // VRECPE, VRSQRTE
        return size == 2 && of_one(b, &o, 0);
    }
    return FIELD(encoding, 16, 2) == 3 && (size == 1 || size == 2) && of_one(b, &o, F); // VCVT
}

static bool extract_or_table(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned first = FIELD(encoding, 8, 4);
    if (!(encoding >> 24 & 1)) { // VEXT
        if (first >= o.bytes || (o.is_quad && (o.d | o.n | o.m) & 1))
            return false;
        to_d(b, o.d, o.bytes - first);
        from_register(b, ROLE_COPY, offset_d(o.n) + first, o.bytes - first);
        if (first) {
            to_register(b, offset_d(o.d) + o.bytes - first, first);
            from_d(b, ROLE_COPY, o.m, first);
        }
        return true;
    }
    if (!(encoding >> 11 & 1))
        return two_registers(b, encoding);
    if (!(encoding >> 10 & 1)) { // VTBL, VTBX
        unsigned count = FIELD(encoding, 8, 2) + 1;
        if (o.n + count > 32)
            return false;
        to_d(b, o.d, 8);
        from_d(b, ROLE_CONDITION, o.m, 8);
        for (unsigned i = 0; i < count; i++)
            from_d(b, ROLE_VALUE, o.n + i, 8);
        if (o.is_quad) // bit 6: VTBX
            from_d(b, ROLE_VALUE, o.d, 8);
        return true;
    }
    unsigned imm4 = FIELD(encoding, 16, 4); // VDUP
    if (FIELD(encoding, 7, 3) || !(imm4 & 7) || (o.is_quad && o.d & 1))
        return false;
    unsigned size = (unsigned)__builtin_ctz(imm4), element = 1U << size;
    for (unsigned at = 0; at < o.bytes; at += element) {
        to_register(b, offset_d(o.d) + at, element);
        from_register(b, ROLE_COPY, offset_d(o.m) + (imm4 >> (size + 1)) * element, element);
    }
    return true;
}

static bool data(struct build *b, uint32_t encoding)
{
    if (!(encoding >> 23 & 1))
        return three_same(b, encoding);
    if (encoding >> 4 & 1)
        return shift_or_immediate(b, encoding);
    if (FIELD(encoding, 20, 2) == 3)
        return extract_or_table(b, encoding);
    return encoding >> 6 & 1 ? with_scalar(b, encoding) : three_different(b, encoding);
}

// --- Advanced SIMD: structures -------------------------------------------------------------------

static void move_element(struct build *b, bool is_load, unsigned d, unsigned in_register,
                         unsigned in_memory, unsigned bytes, unsigned rn)
{
    if (is_load) {
        to_register(b, offset_d(d & 31) + in_register, bytes);
        from_memory(b, ROLE_COPY, in_memory, bytes);
    } else {
        to(b, EFFECT_MEMORY, in_memory, bytes);
        from_register(b, ROLE_COPY, offset_d(d & 31) + in_register, bytes);
    }
    from_r(b, ROLE_ADDRESS, rn, 4);
}

static bool multiple_structures(struct build *b, uint32_t encoding)
{
    static const struct {
        uint8_t elements, stride, groups; // of VLD1, a group for each register
    } forms[] = {{4, 1, 1}, {4, 2, 1}, {1, 1, 4}, {2, 2, 2}, {3, 1, 1}, {3, 2, 1},
                 {1, 1, 3}, {1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {1, 1, 2}};
    unsigned type = FIELD(encoding, 8, 4), size = FIELD(encoding, 6, 2),
             rn = FIELD(encoding, 16, 4);
    unsigned d = operands_of(encoding).d, bytes = 1U << size, offset = 0;
    bool is_load = encoding >> 21 & 1;
    if (type > 10 || rn == R_PC)
        return false;
    unsigned elements = forms[type].elements, stride = forms[type].stride;
    unsigned groups = forms[type].groups, last = d + (elements - 1) * stride + groups - 1;
    if (last > 31 || (elements > 1 && size == 3))
        return false;
    if (elements == 1)
        bytes = 8;
    for (unsigned group = 0; group < groups; group++) {
        for (unsigned at = 0; at < 8; at += bytes) {
            for (unsigned k = 0; k < elements; k++) {
                move_element(b, is_load, d + group + k * stride, at, offset, bytes, rn);
                offset += bytes;
            }
        }
    }
    return true;
}

static bool single_structure(struct build *b, uint32_t encoding)
{
    unsigned size = FIELD(encoding, 10, 2), elements = FIELD(encoding, 8, 2) + 1;
    unsigned d = operands_of(encoding).d, rn = FIELD(encoding, 16, 4), stride = 1, lane;
    bool is_load = encoding >> 21 & 1;
    if (rn == R_PC)
        return false;
    if (size == 3) { // to all lanes
        size = FIELD(encoding, 6, 2);
        bool is_double = encoding >> 5 & 1;
        unsigned registers = elements == 1 && is_double ? 2 : elements;
        if (!is_load || (size == 3 && (elements != 4 || !(encoding >> 4 & 1))))
            return false;
        if (size == 3)
            size = 2;
        if (elements > 1 && is_double)
            stride = 2;
        if (d + (registers - 1) * stride > 31)
            return false;
        for (unsigned k = 0; k < registers; k++) {
            for (unsigned at = 0; at < 8; at += 1U << size)
                move_element(b, true, d + k * stride, at, elements == 1 ? 0 : k << size, 1U << size,
                             rn);
        }
        return true;
    }
    lane = FIELD(encoding, 5, 3) >> size;
    if (size == 1 && encoding >> 5 & 1)
        stride = 2;
    if (size == 2 && encoding >> 6 & 1)
        stride = 2;
    if (elements == 1)
        stride = 1;
    if (d + (elements - 1) * stride > 31)
        return false;
    for (unsigned k = 0; k < elements; k++) {
        if (is_load)
            keep_rest_of_d(b, d + k * stride, lane << size, 1U << size);
        move_element(b, is_load, d + k * stride, lane << size, k << size, 1U << size, rn);
    }
    return true;
}

static bool structures(struct build *b, uint32_t encoding)
{
    unsigned rn = FIELD(encoding, 16, 4), rm = encoding & 15;
    bool exists =
        encoding >> 23 & 1 ? single_structure(b, encoding) : multiple_structures(b, encoding);
    if (rm != R_PC) {
        to_r(b, rn);
        from_r(b, ROLE_VALUE, rn, 4);
        if (rm != R_SP) // by the size
            from_r(b, ROLE_VALUE, rm, 4);
    }
    return exists;
}

// --- Floating point ------------------------------------------------------------------------------

// The number of an s or d register from its five bits: where the single bit is differs.
static uint64_t scalar(uint32_t encoding, unsigned field, unsigned bit, unsigned bytes)
{
    unsigned four = FIELD(encoding, field, 4), one = FIELD(encoding, bit, 1);
    return bytes == 8 ? offset_d(one << 4 | four) : offset_s(four << 1 | one);
}

static uint64_t scalar_d(uint32_t encoding, unsigned bytes)
{
    return scalar(encoding, 12, 22, bytes);
}

static uint64_t scalar_n(uint32_t encoding, unsigned bytes)
{
    return scalar(encoding, 16, 7, bytes);
}

static uint64_t scalar_m(uint32_t encoding, unsigned bytes)
{
    return scalar(encoding, 0, 5, bytes);
}

static void convert(struct build *b, uint64_t output, unsigned result, uint64_t input,
                    unsigned bytes)
{
    to_register(b, output, result);
    from_register(b, ROLE_VALUE, input, bytes);
    status(b, F);
}

// Between precisions, where one half of a register may stay.
static bool convert_half(struct build *b, uint32_t encoding, unsigned bytes)
{
    unsigned half = encoding >> 7 & 1 ? 2 : 0;
    bool is_to_half = encoding >> 16 & 1;
    if (!is_to_half) {
        convert(b, scalar_d(encoding, bytes), bytes, scalar_m(encoding, 4) + half, 2);
        return true;
    }
    uint64_t output = scalar_d(encoding, 4);
    to_register(b, output + 2 - half, 2);
    from_register(b, ROLE_COPY, output + 2 - half, 2);
    convert(b, output + half, 2, scalar_m(encoding, bytes), bytes);
    return true;
}

static bool scalar_of_one(struct build *b, uint32_t encoding, unsigned bytes, bool is_half)
{
    unsigned op = FIELD(encoding, 16, 4), bit = FIELD(encoding, 7, 1);
    uint64_t d = scalar_d(encoding, bytes), m = scalar_m(encoding, bytes);
    switch (op) {
    case 0:
    case 1:
        to_register(b, d, bytes);
        from_register(b, op || bit ? ROLE_VALUE : ROLE_COPY, m, bytes);
        if (op && bit) // VSQRT
            status(b, F);
        return op || bit || !is_half;
    case 2:
    case 3:
        return (!is_half || (op == 3 && bytes == 4)) && convert_half(b, encoding, bytes);
    case 4:
    case 5: // VCMP
        to_flags(b, EFFECT_FP_NZCV);
        from_register(b, ROLE_VALUE, d, bytes);
        if (op == 4)
            from_register(b, ROLE_VALUE, m, bytes);
        status(b, F);
        return true;
    case 6:
        convert(b, d, bytes, m, bytes);
        return true;
    case 7:
        if (bit && is_half)
            return false;
        if (bit) // between single and double
            convert(b, scalar_d(encoding, bytes ^ 12), bytes ^ 12, m, bytes);
        else
            convert(b, d, bytes, m, bytes);
        return true;
    case 8:
        convert(b, d, bytes, scalar_m(encoding, 4), 4);
        return true;
    case 9: // VJCVT
        to_flags(b, EFFECT_FP_NZCV);
        from_register(b, ROLE_VALUE, m, 8);
        convert(b, scalar_d(encoding, 4), 4, m, 8);
        return bit && bytes == 8 && !is_half;
    case 10:
    case 11:
    case 14:
    case 15: // of fixed point, in place
        convert(b, d, bytes, d, bytes);
        return true;
    }
    convert(b, scalar_d(encoding, 4), 4, m, bytes);
    return true;
}

static bool scalar_data(struct build *b, uint32_t encoding)
{
    unsigned op = (encoding >> 21 & 4) | FIELD(encoding, 20, 2), size = FIELD(encoding, 8, 2);
    unsigned bytes = size == 3 ? 8 : 4;
    bool bit = encoding >> 6 & 1, is_half = size == 1;
    uint64_t d = scalar_d(encoding, bytes), n = scalar_n(encoding, bytes),
             m = scalar_m(encoding, bytes);
    if (!size)
        return false;
    if (op == 7 && !bit) { // VMOV of an immediate
        to_register(b, d, bytes);
        return !(encoding & 0xa0);
    }
    if (op == 7)
        return scalar_of_one(b, encoding, bytes, is_half);
    if (op == 4 && bit)
        return false;
    to_register(b, d, bytes);
    from_register(b, ROLE_VALUE, n, bytes);
    from_register(b, ROLE_VALUE, m, bytes);
    if (op < 2 || op > 4) // accumulates
        from_register(b, ROLE_VALUE, d, bytes);
    status(b, F);
    return true;
}

// VSEL, VMAXNM, VRINTA, VCVTA: without a condition in the encoding.
static bool scalar_unconditional(struct build *b, uint32_t encoding)
{
    unsigned size = FIELD(encoding, 8, 2), bytes = size == 3 ? 8 : 4, op = FIELD(encoding, 16, 4);
    uint64_t d = scalar_d(encoding, bytes), n = scalar_n(encoding, bytes),
             m = scalar_m(encoding, bytes);
    bool bit = encoding >> 6 & 1, second = encoding >> 7 & 1;
    if (!size || encoding >> 4 & 1)
        return false;
    if (!(encoding >> 23 & 1)) { // VSEL
        static const uint8_t conditions[] = {0, 6, 10, 12};
        if (bit)
            return false;
        b->effects->selects = true;
        b->effects->condition = conditions[FIELD(encoding, 20, 2)];
        to_register(b, d, bytes);
        from_register(b, ROLE_COPY, n, bytes);
        from_register(b, ROLE_COPY, m, bytes);
        from_flags(b, ROLE_CONDITION, effects_condition_flags(b->effects->condition));
        return true;
    }
    if (FIELD(encoding, 20, 2) == 0) { // VMAXNM, VMINNM
        to_register(b, d, bytes);
        from_register(b, ROLE_VALUE, n, bytes);
        from_register(b, ROLE_VALUE, m, bytes);
        status(b, F);
        return true;
    }
    if (FIELD(encoding, 20, 2) != 3 || !bit)
        return false;
    if (op == 0 && size == 2) { // VMOVX, VINS
        to_register(b, d + (second ? 2 : 0), 2);
        from_register(b, ROLE_COPY, m + (second ? 0 : 2), 2);
        to_register(b, d + (second ? 0 : 2), 2);
        if (second)
            from_register(b, ROLE_COPY, d, 2);
        return true;
    }
    if (op < 8 || (op < 12 && second))
        return false;
    unsigned result = op < 12 ? bytes : 4; // VRINTA; VCVTA to an integer
    convert(b, scalar_d(encoding, result), result, m, bytes);
    return true;
}

// --- Transfers -----------------------------------------------------------------------------------

static bool move_status(struct build *b, uint32_t encoding)
{
    unsigned number = FIELD(encoding, 16, 4), rt = FIELD(encoding, 12, 4);
    const unsigned all = EFFECT_FP_NZCV | EFFECT_FP_STATUS | EFFECT_FP_CONTROL;
    bool reads = encoding >> 20 & 1;
    if (number == 1 && reads && rt == R_PC) { // to APSR
        to_flags(b, EFFECT_NZCV);
        from_flags(b, ROLE_COPY, EFFECT_FP_NZCV);
        return true;
    }
    if (rt == R_PC)
        return false;
    if (reads)
        to_r(b, rt);
    else if (number == 1)
        to_flags(b, all);
    else
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_VFP | number, 4);
    if (!reads)
        from_r(b, ROLE_COPY, rt, 4);
    else if (number == 1)
        from_flags(b, ROLE_COPY, all);
    else
        from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_VFP | number, 4);
    return true;
}

// Between a general register and a register of this file, or an element.
static bool transfer(struct build *b, uint32_t encoding)
{
    unsigned size = FIELD(encoding, 8, 2), rt = FIELD(encoding, 12, 4), op = FIELD(encoding, 21, 3);
    bool to_core = encoding >> 20 & 1;
    if (size == 2 && op == 7)
        return move_status(b, encoding);
    if (rt == R_PC)
        return false;
    if (size == 1 || size == 2) { // VMOV of a single, or a half
        unsigned bytes = size == 1 ? 2 : 4;
        uint64_t s = scalar_n(encoding, 4), r = REGISTER_OFFSET_X(rt);
        if (op)
            return false;
        if (bytes == 2)
            to_register(b, (to_core ? r : s) + 2, 2);
        to_register(b, to_core ? r : s, bytes);
        from_register(b, ROLE_COPY, to_core ? s : r, bytes);
        return true;
    }
    unsigned d = (encoding >> 3 & 16) | FIELD(encoding, 16, 4),
             opc = FIELD(encoding, 21, 2) << 2 | FIELD(encoding, 5, 2);
    if (size != 3)
        return false;
    if (!to_core && encoding >> 23 & 1) { // VDUP
        unsigned b_e = FIELD(encoding, 22, 1) << 1 | FIELD(encoding, 5, 1);
        unsigned element = b_e == 0 ? 4 : b_e == 1 ? 2 : 1;
        bool is_quad = encoding >> 21 & 1;
        if (b_e == 3 || encoding >> 6 & 1 || (is_quad && d & 1))
            return false;
        for (unsigned at = 0; at < (is_quad ? 16U : 8U); at += element) {
            to_register(b, offset_d(d) + at, element);
            from_r(b, ROLE_COPY, rt, element);
        }
        return true;
    }
    unsigned bytes = opc & 8 ? 1 : opc & 1 ? 2 : 4;
    unsigned lane = opc & 8 ? opc & 7 : opc & 1 ? opc >> 1 & 3 : opc >> 2 & 1;
    if (bytes == 4 && (opc & 2 || (to_core && encoding >> 23 & 1)))
        return false;
    uint64_t element = offset_d(d) + lane * bytes;
    if (!to_core) {
        keep_rest_of_d(b, d, lane * bytes, bytes);
        to_register(b, element, bytes);
        from_r(b, ROLE_COPY, rt, bytes);
        return true;
    }
    bool is_signed = !(encoding >> 23 & 1);
    if (bytes < 4 && !is_signed)
        to_register(b, REGISTER_OFFSET_X(rt) + bytes, 4 - bytes);
    to_register(b, REGISTER_OFFSET_X(rt), is_signed ? 4 : bytes);
    from_register(b, ROLE_COPY, element, bytes);
    return true;
}

// Two general registers and two s registers or a d register.
static bool transfer_two(struct build *b, uint32_t encoding)
{
    unsigned size = FIELD(encoding, 8, 2), m = (encoding >> 1 & 16) | (encoding & 15);
    unsigned core[] = {FIELD(encoding, 12, 4), FIELD(encoding, 16, 4)};
    uint64_t first = size == 3 ? offset_d(m) : scalar_m(encoding, 4);
    uint64_t second =
        size == 3 ? first + 4 : offset_s(((encoding & 15) << 1 | FIELD(encoding, 5, 1)) + 1);
    bool to_core = encoding >> 20 & 1;
    if (size < 2 || (encoding & 0xd0) != 0x10 || core[0] == R_PC || core[1] == R_PC)
        return false;
    if (size == 2 && (encoding & 0x2f) == 0x2f)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t vector = i ? second : first, general = REGISTER_OFFSET_X(core[i]);
        to_register(b, to_core ? general : vector, 4);
        from_register(b, ROLE_COPY, to_core ? vector : general, 4);
    }
    return true;
}

// VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP.
static bool access(struct build *b, uint32_t encoding)
{
    unsigned size = FIELD(encoding, 8, 2), rn = FIELD(encoding, 16, 4), imm8 = encoding & 255;
    bool is_before = encoding >> 24 & 1, writes_back = encoding >> 21 & 1,
         is_load = encoding >> 20 & 1;
    bool is_up = encoding >> 23 & 1, is_single = is_before && !writes_back;
    unsigned bytes = size == 3 ? 8 : 4;
    unsigned first =
        size == 3 ? operands_of(encoding).d : FIELD(encoding, 12, 4) << 1 | FIELD(encoding, 22, 1);
    unsigned count = is_single ? 1 : size == 3 ? imm8 / 2 : imm8;
    if (!size || (!is_single && size == 1) || (!is_single && is_before == is_up) || !count ||
        first + count > 32 || (rn == R_PC && !is_single))
        return false;
    if (size == 3 && count > 16)
        return false;
    if (size == 1)
        bytes = 2;
    for (unsigned i = 0; i < count; i++) {
        uint64_t place = size == 3 ? offset_d(first + i) : offset_s(first + i);
        if (is_load) {
            if (size == 1)
                to_register(b, place + 2, 2);
            to_register(b, place, bytes);
            from_memory(b, ROLE_COPY, i * bytes, bytes);
        } else {
            to(b, EFFECT_MEMORY, i * bytes, bytes);
            from_register(b, ROLE_COPY, place, bytes);
        }
        from_r(b, ROLE_ADDRESS, rn, 4);
    }
    if (writes_back) {
        to_r(b, rn);
        from_r(b, ROLE_VALUE, rn, 4);
    }
    return true;
}

// Dot products and complex numbers, which came later.
static bool extensions(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    bool is_vector = (encoding & 0xfe000000) == 0xfc000000;
    if (is_vector && (encoding & 0x01300f00) == 0x00200d00) // VSDOT, VUDOT, VUSDOT
        return of_two(b, &o, D);
    if (is_vector && (encoding & 0x00200f10) == 0x00200800) // VCMLA
        return of_two(b, &o, D | F);
    if (is_vector && (encoding & 0x00a00f10) == 0x00800800) // VCADD
        return of_two(b, &o, F);
    return false;
}

bool effects_of_vfp(struct build *b, uint32_t encoding)
{
    if (encoding >> 28 == 15) {
        if ((encoding & 0xfe000000) == 0xf2000000)
            return data(b, encoding);
        if ((encoding & 0xff100000) == 0xf4000000)
            return structures(b, encoding);
        if ((encoding & 0xff000c00) == 0xfe000800 && FIELD(encoding, 8, 2))
            return scalar_unconditional(b, encoding);
        return (encoding & 0xfe000000) == 0xfc000000 && extensions(b, encoding);
    }
    if (FIELD(encoding, 24, 4) == 14)
        return encoding >> 4 & 1 ? transfer(b, encoding) : scalar_data(b, encoding);
    if ((encoding & 0x0fe00000) == 0x0c400000)
        return transfer_two(b, encoding);
    return access(b, encoding);
}
