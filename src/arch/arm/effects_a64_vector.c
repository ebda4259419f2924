// A64: floating point and Advanced SIMD, and the extensions for cryptography among them.
//
// Operations of lanes name whole vectors as their inputs. Moves of elements are apart, so that a
// value can be followed through DUP, INS, ZIP or EXT.
#include "arch/arm/effects_build.h"

// Of the tables below: sizes of elements that are allocated, and what else is read and written.
enum {
    S0 = 1, // bytes
    S1 = 2,
    S2 = 4,
    S3 = 8,
    S012 = 7,
    S12 = 6,
    ALL = 15,
    D = 16, // reads its destination
    Q = 32, // saturates, and says so in FPSR
    F = 64, // floating point
};

struct operands {
    unsigned d, n, m, bytes;
    unsigned form; // D, Q, F
};

static struct operands operands_of(uint32_t encoding)
{
    return (struct operands){.d = encoding & 31,
                             .n = FIELD(encoding, 5, 5),
                             .m = FIELD(encoding, 16, 5),
                             .bytes = encoding >> 30 & 1 ? 16 : 8};
}

// After the inputs of a result: what it does to FPSR, which has the same inputs and one more.
static void status(struct build *b, unsigned form)
{
    if (!(form & (F | Q)))
        return;
    if (form & F)
        from_flags(b, ROLE_CONDITION, EFFECT_FP_CONTROL);
    also_to(b, EFFECT_FLAGS, EFFECT_FP_STATUS, 0);
    from_flags(b, ROLE_VALUE, EFFECT_FP_STATUS);
}

static void vector_of_two(struct build *b, const struct operands *o, unsigned result,
                          unsigned bytes_n, unsigned bytes_m)
{
    to_v(b, o->d, result);
    from_v(b, ROLE_VALUE, o->n, bytes_n);
    from_v(b, ROLE_VALUE, o->m, bytes_m);
    if (o->form & D)
        from_v(b, ROLE_VALUE, o->d, result);
    status(b, o->form);
}

static void vector_of_one(struct build *b, const struct operands *o, unsigned result,
                          unsigned bytes)
{
    to_v(b, o->d, result);
    from_v(b, ROLE_VALUE, o->n, bytes);
    if (o->form & D)
        from_v(b, ROLE_VALUE, o->d, result);
    status(b, o->form);
}

// To the lower half, or (XTN2) to the upper half beside what is there.
static void to_half(struct build *b, unsigned d, bool is_upper)
{
    if (!is_upper) {
        to_v(b, d, 8);
        return;
    }
    keep_rest_of_v(b, d, 8, 8);
    to_register(b, VECTOR(d) + 8, 8);
}

static void narrow(struct build *b, const struct operands *o, bool has_second)
{
    to_half(b, o->d, o->bytes == 16);
    from_v(b, ROLE_VALUE, o->n, 16);
    if (has_second)
        from_v(b, ROLE_VALUE, o->m, 16);
    status(b, o->form);
}

// The half that a widening operation reads: SADDL the lower, SADDL2 the upper.
static void from_half(struct build *b, unsigned n, unsigned bytes)
{
    from_register(b, ROLE_VALUE, VECTOR(n) + (bytes == 16 ? 8 : 0), 8);
}

// --- Elements ------------------------------------------------------------------------------------

static void copy_element(struct build *b, unsigned d, unsigned to_byte, unsigned n,
                         unsigned from_byte, unsigned bytes)
{
    to_register(b, VECTOR(d) + to_byte, bytes);
    from_register(b, ROLE_COPY, VECTOR(n) + from_byte, bytes);
}

// DUP, INS, SMOV, UMOV.
static bool copy(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned imm4 = FIELD(encoding, 11, 4), imm5 = FIELD(encoding, 16, 5);
    bool is_element = encoding >> 29 & 1, is_q = encoding >> 30 & 1;
    if (!(imm5 & 15))
        return false;
    unsigned size = (unsigned)__builtin_ctz(imm5), element = 1U << size;
    unsigned lane = (imm5 >> (size + 1)) * element;
    if (is_element || imm4 == 3) { // INS
        if (!is_q)
            return false;
        keep_rest_of_v(b, o.d, lane, element);
        to_register(b, VECTOR(o.d) + lane, element);
        if (is_element)
            from_register(b, ROLE_COPY, VECTOR(o.n) + (imm4 >> size) * element, element);
        else
            from_x(b, ROLE_COPY, o.n, element);
        return true;
    }
    switch (imm4) {
    case 0:
    case 1: // DUP
        if (size == 3 && !is_q)
            return false;
        to_register(b, VECTOR(o.d) + o.bytes, REGISTER_BYTES_Z - o.bytes);
        for (unsigned at = 0; at < o.bytes; at += element) {
            to_register(b, VECTOR(o.d) + at, element);
            if (imm4)
                from_x(b, ROLE_COPY, o.n, element);
            else
                from_register(b, ROLE_COPY, VECTOR(o.n) + lane, element);
        }
        return true;
    case 5: // SMOV
        if (size > 2 || (size == 2 && !is_q))
            return false;
        to_x(b, o.d, is_q ? 8 : 4);
        break;
    case 7: // UMOV
        if ((size == 3) != is_q)
            return false;
        to_x(b, o.d, element);
        break;
    default:
        return false;
    }
    from_register(b, ROLE_COPY, VECTOR(o.n) + lane, element);
    return true;
}

// UZP, TRN, ZIP.
static bool permute(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned size = FIELD(encoding, 22, 2), element = 1U << size, count = o.bytes >> size;
    unsigned opcode = FIELD(encoding, 12, 2), part = encoding >> 14 & 1;
    enum { UZP = 1, TRN, ZIP };
    if (!opcode || count < 2)
        return false;
    to_register(b, VECTOR(o.d) + o.bytes, REGISTER_BYTES_Z - o.bytes);
    for (unsigned i = 0; i < count; i++) {
        bool is_second = opcode == UZP ? i >= count / 2 : i & 1;
        unsigned from_element = opcode == UZP   ? (i * 2 + part) % count
                                : opcode == TRN ? (i & ~1U) + part
                                                : part * count / 2 + i / 2;
        copy_element(b, o.d, i * element, is_second ? o.m : o.n, from_element * element, element);
    }
    return true;
}

static bool extract_vector(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned first = FIELD(encoding, 11, 4);
    if (first >= o.bytes || FIELD(encoding, 22, 2))
        return false;
    to_register(b, VECTOR(o.d) + o.bytes, REGISTER_BYTES_Z - o.bytes);
    copy_element(b, o.d, 0, o.n, first, o.bytes - first);
    if (first)
        copy_element(b, o.d, o.bytes - first, o.m, 0, first);
    return true;
}

static bool table_lookup(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned count = FIELD(encoding, 13, 2) + 1;
    if (FIELD(encoding, 22, 2))
        return false;
    to_v(b, o.d, o.bytes);
    from_v(b, ROLE_CONDITION, o.m, o.bytes);
    for (unsigned i = 0; i < count; i++)
        from_v(b, ROLE_VALUE, (o.n + i) & 31, 16);
    if (encoding >> 12 & 1) // TBX
        from_v(b, ROLE_VALUE, o.d, o.bytes);
    return true;
}

// --- Vectors of three registers ------------------------------------------------------------------

static const uint8_t three_same_forms[2][24] = {
    {S012, ALL | Q, S012, ALL,      S012, ALL | Q, ALL,      ALL,  ALL,  ALL | Q, ALL,     ALL | Q,
     S012, S012,    S012, S012 | D, ALL,  ALL,     S012 | D, S012, S012, S012,    S12 | Q, ALL},
    {S012, ALL | Q, S012, ALL,      S012, ALL | Q, ALL,      ALL, ALL,  ALL | Q, ALL,     ALL | Q,
     S012, S012,    S012, S012 | D, ALL,  ALL,     S012 | D, S0,  S012, S012,    S12 | Q, 0},
};

// By U and the upper bit of size: FMAXNM, FMLA, FADD, FMULX, FCMEQ, (FMLAL), FMAX, FRECPS and so
// on.
static const uint8_t three_same_floats[2][2][8] = {
    {{F, F | D, F, F, F, 0, F, F}, {F, F | D, F, 0, 0, 0, F, F}},
    {{F, 0, F, F, F, F, F, F}, {F, 0, F, 0, F, F, F, 0}},
};

static bool three_same(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 11, 5), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    if (opcode < 24) {
        unsigned form = three_same_forms[u][opcode];
        if (!(form >> size & 1) || (opcode != 3 && size == 3 && o.bytes == 8))
            return false;
        o.form = form;
        if (opcode == 3 && u && size) // BSL, BIT, BIF
            o.form |= D;
        if (opcode == 3 && !u && size == 2 && o.n == o.m) { // MOV
            to_v(b, o.d, o.bytes);
            from_v(b, ROLE_COPY, o.n, o.bytes);
            return true;
        }
        vector_of_two(b, &o, o.bytes, o.bytes, o.bytes);
        return true;
    }
    bool is_long = opcode == (u ? 25 : 29); // FMLAL, FMLSL, and with U of the upper halves
    if (is_long && size & 1)
        return false;
    o.form = is_long ? F | D : three_same_floats[u][size >> 1][opcode & 7];
    if (!o.form || (!is_long && size & 1 && o.bytes == 8))
        return false;
    vector_of_two(b, &o, o.bytes, o.bytes, o.bytes);
    return true;
}

// With halves: opcodes as above, without the lowest.
static bool three_same_half(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 11, 3), u = encoding >> 29 & 1, a = encoding >> 23 & 1;
    o.form = three_same_floats[u][a][opcode];
    if (!o.form)
        return false;
    vector_of_two(b, &o, o.bytes, o.bytes, o.bytes);
    return true;
}

// SQRDMLAH, dot products, complex numbers, BF16, matrices.
static bool three_same_extra(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 11, 4), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    bool is_q = o.bytes == 16, exists = false;
    o.form = D;
    switch (opcode) {
    case 0:
    case 1:
        o.form = D | Q;
        exists = u && (size == 1 || size == 2);
        break;
    case 2: // SDOT, UDOT
        exists = size == 2;
        break;
    case 3: // USDOT
        exists = !u && size == 2;
        break;
    case 4: // SMMLA, UMMLA
        exists = size == 2 && is_q;
        break;
    case 5: // USMMLA
        exists = size == 2 && is_q && !u;
        break;
    case 13: // BFMMLA
        exists = u && size == 1 && is_q;
        break;
    case 15: // BFDOT, BFMLAL
        o.form |= F;
        exists = u && (size == 1 || size == 3);
        if (size == 3) {
            vector_of_two(b, &o, 16, 16, 16);
            return exists;
        }
        break;
    case 12:
    case 14: // FCADD
        o.form = F;
        exists = u && size && (size < 3 || is_q);
        break;
    case 8:
    case 9:
    case 10:
    case 11: // FCMLA
        o.form = F | D;
        exists = u && size && (size < 3 || is_q);
    }
    if (!exists)
        return false;
    vector_of_two(b, &o, o.bytes, o.bytes, o.bytes);
    return true;
}

static bool three_different(struct build *b, uint32_t encoding)
{
    static const uint8_t forms[2][16] = {
        {S012, S012, S012, S012, S012, S012 | D, S012, S012, S012 | D, S12 | D | Q, S012 | D,
         S12 | D | Q, S012, S12 | Q, S0 | S3, 0},
        {S012, S012, S012, S012, S012, S012 | D, S012, S012, S012 | D, 0, S012 | D, 0, S012, 0, 0,
         0},
    };
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 4), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    o.form = forms[u][opcode];
    if (!(o.form >> size & 1))
        return false;
    if (opcode == 4 || opcode == 6) {
        narrow(b, &o, true);
        return true;
    }
    to_v(b, o.d, 16);
    if (opcode == 1 || opcode == 3)
        from_v(b, ROLE_VALUE, o.n, 16);
    else
        from_half(b, o.n, o.bytes);
    from_half(b, o.m, o.bytes);
    if (o.form & D)
        from_v(b, ROLE_VALUE, o.d, 16);
    status(b, o.form);
    return true;
}

// --- Vectors of two registers --------------------------------------------------------------------

enum two_kind { NONE, SAME, NARROW, LONG };

struct two_form {
    uint8_t kind, form; // a float's sizes are by its lowest bit: 1 and 2
};

#define FP(sizes)                                                                                  \
    {                                                                                              \
        SAME, (sizes) | F                                                                          \
    }

// By U and opcode; those of floating point with opcodes above 11 by the upper bit of size, too.
static const struct two_form two_forms[2][24] = {
    {[0] = {SAME, S012},
     [1] = {SAME, S0},
     [2] = {SAME, S012},
     [3] = {SAME, ALL | D | Q},
     [4] = {SAME, S012},
     [5] = {SAME, S0},
     [6] = {SAME, S012 | D},
     [7] = {SAME, ALL | Q},
     [8] = {SAME, ALL},
     [9] = {SAME, ALL},
     [10] = {SAME, ALL},
     [11] = {SAME, ALL},
     [18] = {NARROW, S012},
     [20] = {NARROW, S012 | Q}},
    {[0] = {SAME, S0 | S1},
     [2] = {SAME, S012},
     [3] = {SAME, ALL | D | Q},
     [4] = {SAME, S012},
     [5] = {SAME, S0 | S1},
     [6] = {SAME, S012 | D},
     [7] = {SAME, ALL | Q},
     [8] = {SAME, ALL},
     [9] = {SAME, ALL},
     [11] = {SAME, ALL},
     [18] = {NARROW, S012 | Q},
     [19] = {LONG, S012},
     [20] = {NARROW, S012 | Q}},
};

static const struct two_form two_floats[2][2][32] = {
    {{[22] = {NARROW, S0 | S1 | F},
      [23] = {LONG, S0 | S1 | F},
      [24] = FP(3),
      [25] = FP(3),
      [26] = FP(3),
      [27] = FP(3),
      [28] = FP(3),
      [29] = FP(3),
      [30] = FP(3),
      [31] = FP(3)},
     {[12] = FP(3),
      [13] = FP(3),
      [14] = FP(3),
      [15] = {SAME, 3},
      [22] = {NARROW, S0 | F},
      [24] = FP(3),
      [25] = FP(3),
      [26] = FP(3),
      [27] = FP(3),
      [28] = {SAME, S0},
      [29] = FP(3)}},
    {{[22] = {NARROW, S1 | F},
      [24] = FP(3),
      [25] = FP(3),
      [26] = FP(3),
      [27] = FP(3),
      [28] = FP(3),
      [29] = FP(3),
      [30] = FP(3),
      [31] = FP(3)},
     {[12] = FP(3),
      [13] = FP(3),
      [15] = {SAME, 3},
      [25] = FP(3),
      [26] = FP(3),
      [27] = FP(3),
      [28] = {SAME, S0},
      [29] = FP(3),
      [31] = FP(3)}},
};

static bool two_registers(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 5), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    bool is_float = opcode >= 22 || (opcode >= 12 && opcode <= 15);
    struct two_form form = is_float ? two_floats[u][size >> 1][opcode] : two_forms[u][opcode];
    if (!(form.form >> (is_float ? size & 1 : size) & 1) || form.kind == NONE)
        return false;
    o.form = form.form & (D | Q | F);
    bool is_double = is_float ? size & 1 : size == 3;
    switch (form.kind) {
    case SAME:
        if (is_double && o.bytes == 8)
            return false;
        vector_of_one(b, &o, o.bytes, o.bytes);
        return true;
    case NARROW:
        narrow(b, &o, false);
        return true;
    }
    to_v(b, o.d, 16);
    from_half(b, o.n, o.bytes);
    status(b, o.form);
    return true;
}

// With halves: a subset of the opcodes above.
static bool two_registers_half(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 5), u = encoding >> 29 & 1, a = encoding >> 23 & 1;
    struct two_form form = two_floats[u][a][opcode];
    bool is_whole = opcode >= 30 && !(u && a && opcode == 31); // FSQRT exists
    if (form.kind != SAME || is_whole || (opcode == 28 && a))
        return false;
    o.form = form.form & F;
    vector_of_one(b, &o, o.bytes, o.bytes);
    return true;
}

static bool across_lanes(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 5), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    unsigned result = 1U << size;
    switch (opcode) {
    case 3: // SADDLV
        result *= 2;
        break;
    case 10:
    case 26: // SMAXV, SMINV
        break;
    case 27: // ADDV
        if (u)
            return false;
        break;
    case 12:
    case 15: // FMAXNMV, FMAXV
        if (size & 1 || (u && o.bytes == 8))
            return false;
        o.form = F;
        vector_of_one(b, &o, u ? 4 : 2, o.bytes);
        return true;
    default:
        return false;
    }
    if (size == 3 || (size == 2 && o.bytes == 8))
        return false;
    vector_of_one(b, &o, result, o.bytes);
    return true;
}

// --- Immediates, elements of a register ----------------------------------------------------------

enum shift_kind { NO_SHIFT, SHIFT, SHIFT_NARROW, SHIFT_LONG, SHIFT_FLOAT };

struct shift_form {
    uint8_t kind, form;
};

static const struct shift_form shift_forms[2][32] = {
    {[0] = {SHIFT, 0},
     [2] = {SHIFT, D},
     [4] = {SHIFT, 0},
     [6] = {SHIFT, D},
     [10] = {SHIFT, 0},
     [14] = {SHIFT, Q},
     [16] = {SHIFT_NARROW, 0},
     [17] = {SHIFT_NARROW, 0},
     [18] = {SHIFT_NARROW, Q},
     [19] = {SHIFT_NARROW, Q},
     [20] = {SHIFT_LONG, 0},
     [28] = {SHIFT_FLOAT, F},
     [31] = {SHIFT_FLOAT, F}},
    {[0] = {SHIFT, 0},
     [2] = {SHIFT, D},
     [4] = {SHIFT, 0},
     [6] = {SHIFT, D},
     [8] = {SHIFT, D},
     [10] = {SHIFT, D},
     [12] = {SHIFT, Q},
     [14] = {SHIFT, Q},
     [16] = {SHIFT_NARROW, Q},
     [17] = {SHIFT_NARROW, Q},
     [18] = {SHIFT_NARROW, Q},
     [19] = {SHIFT_NARROW, Q},
     [20] = {SHIFT_LONG, 0},
     [28] = {SHIFT_FLOAT, F},
     [31] = {SHIFT_FLOAT, F}},
};

static bool shift_by_immediate(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 11, 5), immh = FIELD(encoding, 19, 4), u = encoding >> 29 & 1;
    struct shift_form form = shift_forms[u][opcode];
    o.form = form.form;
    switch (form.kind) {
    case SHIFT:
    case SHIFT_FLOAT:
        if ((immh >> 3 && o.bytes == 8) || (form.kind == SHIFT_FLOAT && immh < 2))
            return false;
        vector_of_one(b, &o, o.bytes, o.bytes);
        return true;
    case SHIFT_NARROW:
        if (immh >> 3)
            return false;
        narrow(b, &o, false);
        return true;
    case SHIFT_LONG:
        if (immh >> 3)
            return false;
        to_v(b, o.d, 16);
        from_half(b, o.n, o.bytes);
        return true;
    }
    return false;
}

// MOVI, MVNI, FMOV; ORR and BIC change what is there.
static bool modified_immediate(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned cmode = FIELD(encoding, 12, 4), op = encoding >> 29 & 1;
    bool is_half = encoding >> 11 & 1;
    if (is_half ? cmode != 15 || op : cmode == 15 && op && o.bytes == 8)
        return false;
    to_v(b, o.d, o.bytes);
    if (cmode < 12 && cmode & 1)
        from_v(b, ROLE_VALUE, o.d, o.bytes);
    return true;
}

// Of an operation with an element: sizes, what is read, whether it is widening (W) or of complex
// numbers, whose element is a pair.
enum { W = 128 };

static const uint8_t element_forms[2][16] = {
    {0, F | D, S12 | D | W, S12 | D | Q | W, 0, F | D, S12 | D | W, S12 | D | Q | W, S12, F,
     S12 | W, S12 | Q | W, S12 | Q, S12 | Q, S2 | D, 0},
    {S12 | D, 0, S12 | D | W, 0, S12 | D, 0, S12 | D | W, 0, 0, F, S12 | W, 0, 0, S12 | D | Q,
     S2 | D, S12 | D | Q},
};

// The vector of the element (among fewer if it is a half), and the bytes of it.
static void from_element(struct build *b, uint32_t encoding, unsigned size)
{
    unsigned h = encoding >> 11 & 1, l = encoding >> 21 & 1, m = encoding >> 20 & 1;
    unsigned low = FIELD(encoding, 16, 4), n = size == 1 ? low : m << 4 | low;
    unsigned lane = size == 1 ? h << 2 | l << 1 | m : size == 2 ? h << 1 | l : h;
    from_register(b, ROLE_VALUE, VECTOR(n) + (lane << size), 1U << size);
}

static bool with_element(struct build *b, uint32_t encoding, unsigned scalar_bytes)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 4), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    unsigned form = element_forms[u][opcode], element = size;
    bool is_complex = u && opcode < 8 && opcode & 1, is_long_float = false;
    if (is_complex) { // FCMLA
        if ((size != 1 && size != 2) || (encoding >> 21 & 1 && size == 2))
            return false;
        if (size == 1 && encoding >> 11 & 1 && o.bytes == 8)
            return false;
        if (size == 2 && o.bytes == 8)
            return false;
        form = F | D;
        element = size + 1;
    } else if ((opcode == (u ? 8 : 0) || opcode == (u ? 12 : 4)) && size == 2 && !form) {
        is_long_float = true; // FMLAL, FMLSL
        form = F | D;
        element = 1;
    } else if (!u && opcode == 15) { // SUDOT, BFDOT, USDOT, BFMLAL
        form = size & 1 ? F | D : D;
        element = size == 3 ? 1 : 2;
        if (size == 3)
            o.bytes = 16;
    } else if (form & F) {
        if (size == 1 || (size == 3 && (encoding >> 21 & 1 || o.bytes == 8)))
            return false;
        element = size ? size : 1;
    } else if (!(form >> size & 1)) {
        return false;
    }
    if (scalar_bytes && (is_complex || is_long_float || (!u && opcode == 15)))
        return false;
    o.form = form & (D | Q | F);
    unsigned result = form & W ? 16 : o.bytes;
    if (scalar_bytes)
        result = form & W ? 2U << size : 1U << element;
    to_v(b, o.d, result);
    if (scalar_bytes)
        from_v(b, ROLE_VALUE, o.n, 1U << element);
    else if (form & W)
        from_half(b, o.n, o.bytes);
    else
        from_v(b, ROLE_VALUE, o.n, o.bytes);
    if (is_complex) // all that a pair may be in
        from_v(b, ROLE_VALUE, o.m, 16);
    else
        from_element(b, encoding, element);
    if (o.form & D)
        from_v(b, ROLE_VALUE, o.d, result);
    status(b, o.form);
    return true;
}

// --- Scalars of the vector registers -------------------------------------------------------------

static bool scalar_three_same(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 11, 5), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    unsigned bytes = 1U << size;
    bool exists = false;
    switch (opcode) {
    case 1:
    case 5:
    case 9:
    case 11:
        o.form = Q;
        exists = true;
        break;
    case 6:
    case 7:
    case 8:
    case 10:
    case 16:
    case 17:
        exists = size == 3;
        break;
    case 22:
        o.form = Q;
        exists = size == 1 || size == 2;
        break;
    case 26: // FABD
        exists = u && size >> 1;
        break;
    case 27: // FMULX
        exists = !u && !(size >> 1);
        break;
    case 28: // FCMEQ, FCMGE, FCMGT
        exists = u || !(size >> 1);
        break;
    case 29: // FACGE, FACGT
        exists = u;
        break;
    case 31: // FRECPS, FRSQRTS
        exists = !u;
    }
    if (opcode >= 26) {
        o.form = F;
        bytes = size & 1 ? 8 : 4;
    }
    if (exists)
        vector_of_two(b, &o, bytes, bytes, bytes);
    return exists;
}

static bool scalar_three_same_half(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 11, 3), u = encoding >> 29 & 1, a = encoding >> 23 & 1;
    bool exists = opcode == 2   ? u && a
                  : opcode == 3 ? !u && !a
                  : opcode == 4 ? u || !a
                  : opcode == 5 ? u
                                : opcode == 7 && !u;
    o.form = F;
    if (exists)
        vector_of_two(b, &o, 2, 2, 2);
    return exists;
}

static bool scalar_two_registers(struct build *b, uint32_t encoding, bool is_half)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 5), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    unsigned bytes = 1U << size, a = size >> 1;
    if (opcode == 3 || opcode == 7) { // SUQADD, SQABS
        if (is_half)
            return false;
        o.form = opcode == 3 ? D | Q : Q;
        vector_of_one(b, &o, bytes, bytes);
        return true;
    }
    if (opcode >= 8 && opcode <= 11) { // comparisons with 0, ABS, NEG
        if (size != 3 || is_half || (opcode == 10 && u))
            return false;
        vector_of_one(b, &o, 8, 8);
        return true;
    }
    if (opcode == 18 || opcode == 20) { // SQXTUN, SQXTN
        if (size == 3 || is_half || (opcode == 18 && !u))
            return false;
        o.form = Q;
        vector_of_one(b, &o, bytes, bytes * 2);
        return true;
    }
    bool exists = false;
    switch (opcode) {
    case 12:
    case 13:
        exists = a;
        break;
    case 14:
        exists = a && !u;
        break;
    case 22: // FCVTXN
        if (!u || size != 1 || is_half)
            return false;
        o.form = F;
        vector_of_one(b, &o, 4, 8);
        return true;
    case 26:
    case 27:
        exists = true;
        break;
    case 28:
        exists = !a;
        break;
    case 29:
        exists = true;
        break;
    case 31: // FRECPX
        exists = !u && a;
    }
    bytes = is_half ? 2 : size & 1 ? 8 : 4;
    o.form = F;
    if (exists)
        vector_of_one(b, &o, bytes, bytes);
    return exists;
}

// The sum, or a maximum or minimum, of two elements.
static bool scalar_pairwise(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 5), size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1;
    if (opcode == 27) {
        if (u || size != 3)
            return false;
        vector_of_one(b, &o, 8, 16);
        return true;
    }
    if ((opcode != 12 && opcode != 13 && opcode != 15) || (opcode == 13 && size >> 1) ||
        (!u && size & 1))
        return false;
    unsigned bytes = !u ? 2 : size & 1 ? 8 : 4;
    o.form = F;
    vector_of_one(b, &o, bytes, bytes * 2);
    return true;
}

static bool scalar_shift(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 11, 5), immh = FIELD(encoding, 19, 4), u = encoding >> 29 & 1;
    struct shift_form form = shift_forms[u][opcode];
    if (!immh)
        return false;
    unsigned bytes = 1U << (31 - __builtin_clz(immh));
    o.form = form.form;
    switch (form.kind) {
    case SHIFT:
        if (bytes < 8 && !(form.form & Q))
            return false;
        vector_of_one(b, &o, bytes, bytes);
        return true;
    case SHIFT_FLOAT:
        if (bytes < 2)
            return false;
        vector_of_one(b, &o, bytes, bytes);
        return true;
    case SHIFT_NARROW:
        if (bytes > 4 || !(form.form & Q))
            return false;
        vector_of_one(b, &o, bytes, bytes * 2);
        return true;
    }
    return false;
}

static bool scalar_of_vectors(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned size = FIELD(encoding, 22, 2), u = encoding >> 29 & 1, opcode = FIELD(encoding, 12, 4);
    if (encoding >> 24 & 1) {
        if (!(encoding >> 10 & 1)) {
            static const uint16_t exist[2] = {0x3aaa, 0xa200}; // FMLA, SQDMLAL, FMULX and the like
            return exist[u] >> opcode & 1 && with_element(b, encoding, 1);
        }
        return !(encoding >> 23 & 1) && scalar_shift(b, encoding);
    }
    if (encoding >> 21 & 1) {
        if (encoding >> 10 & 1)
            return scalar_three_same(b, encoding);
        if (!(encoding >> 11 & 1)) { // SQDMLAL, SQDMLSL, SQDMULL
            if (u || (opcode != 9 && opcode != 11 && opcode != 13) || (size != 1 && size != 2))
                return false;
            o.form = opcode == 13 ? Q : D | Q;
            vector_of_two(b, &o, 2U << size, 1U << size, 1U << size);
            return true;
        }
        switch (FIELD(encoding, 17, 4)) {
        case 0:
            return scalar_two_registers(b, encoding, false);
        case 8:
            return scalar_pairwise(b, encoding);
        case 12:
            return size & 1 && scalar_two_registers(b, encoding, true);
        case 4: // SHA1H, SHA1SU1, SHA256SU0
            if (size || u || FIELD(encoding, 12, 5) > 2)
                return false;
            opcode = FIELD(encoding, 12, 5);
            o.form = opcode ? D : 0;
            vector_of_one(b, &o, opcode ? 16 : 4, opcode ? 16 : 4);
            return true;
        }
        return false;
    }
    if (!(encoding >> 10 & 1)) { // SHA1C to SHA256SU1
        opcode = FIELD(encoding, 12, 3);
        if (u || size || encoding >> 15 & 1 || encoding >> 11 & 1 || opcode == 7)
            return false;
        o.form = D;
        vector_of_two(b, &o, 16, opcode < 3 ? 4 : 16, 16);
        return true;
    }
    if (encoding >> 15 & 1) { // SQRDMLAH, SQRDMLSH
        if (!u || FIELD(encoding, 11, 4) > 1 || (size != 1 && size != 2))
            return false;
        o.form = D | Q;
        vector_of_two(b, &o, 1U << size, 1U << size, 1U << size);
        return true;
    }
    if (!size && !u && !FIELD(encoding, 11, 4)) { // DUP: MOV of an element
        unsigned imm5 = o.m;
        if (!(imm5 & 15))
            return false;
        unsigned log = (unsigned)__builtin_ctz(imm5), bytes = 1U << log;
        to_v(b, o.d, bytes);
        from_register(b, ROLE_COPY, VECTOR(o.n) + (imm5 >> (log + 1)) * bytes, bytes);
        return true;
    }
    return FIELD(encoding, 14, 2) == 0 && size & 1 && scalar_three_same_half(b, encoding);
}

// --- Floating point ------------------------------------------------------------------------------

static const uint8_t float_bytes[] = {4, 8, 0, 2};

// Between general registers and those of floating point.
static bool convert_integer(struct build *b, uint32_t encoding)
{
    unsigned d = encoding & 31, n = FIELD(encoding, 5, 5), type = FIELD(encoding, 22, 2);
    unsigned rmode = FIELD(encoding, 19, 2), opcode = FIELD(encoding, 16, 3);
    unsigned wide = encoding >> 31 ? 8 : 4, bytes = float_bytes[type];
    if (type == 2) { // FMOV of the upper half
        if (wide != 8 || rmode != 1 || opcode < 6)
            return false;
        if (opcode == 6) {
            to_x(b, d, 8);
            from_register(b, ROLE_COPY, VECTOR(n) + 8, 8);
        } else {
            keep_rest_of_v(b, d, 8, 8);
            to_register(b, VECTOR(d) + 8, 8);
            from_x(b, ROLE_COPY, n, 8);
        }
        return true;
    }
    if (opcode == 6 && rmode == 3 && type == 1 && wide == 4) { // FJCVTZS
        to_flags(b, EFFECT_NZCV);
        from_v(b, ROLE_VALUE, n, 8);
        from_flags(b, ROLE_CONDITION, EFFECT_FP_CONTROL);
        to_x(b, d, 4);
        from_v(b, ROLE_VALUE, n, 8);
        from_flags(b, ROLE_CONDITION, EFFECT_FP_CONTROL);
        to_flags(b, EFFECT_FP_STATUS);
        from_v(b, ROLE_VALUE, n, 8);
        from_flags(b, ROLE_CONDITION, EFFECT_FP_CONTROL);
        from_flags(b, ROLE_VALUE, EFFECT_FP_STATUS);
        return true;
    }
    if (opcode >= 6) { // FMOV
        if (rmode || (bytes != 2 && bytes != wide))
            return false;
        if (opcode == 6) {
            to_x(b, d, bytes);
            from_v(b, ROLE_COPY, n, bytes);
        } else {
            to_v(b, d, bytes);
            from_x(b, ROLE_COPY, n, bytes);
        }
        return true;
    }
    if (opcode >= 2 && rmode)
        return false;
    if (opcode == 2 || opcode == 3) { // SCVTF, UCVTF
        to_v(b, d, bytes);
        from_x(b, ROLE_VALUE, n, wide);
        status(b, F);
        return true;
    }
    if (d == 31) {
        to_flags(b, EFFECT_FP_STATUS);
        from_v(b, ROLE_VALUE, n, bytes);
        from_flags(b, ROLE_CONDITION, EFFECT_FP_CONTROL);
        from_flags(b, ROLE_VALUE, EFFECT_FP_STATUS);
        return true;
    }
    to_x(b, d, wide);
    from_v(b, ROLE_VALUE, n, bytes);
    status(b, F);
    return true;
}

static bool convert_fixed(struct build *b, uint32_t encoding)
{
    unsigned type = FIELD(encoding, 22, 2), kind = FIELD(encoding, 16, 5);
    bool is_wide = encoding >> 31;
    if (type == 2 || (!is_wide && !(encoding >> 15 & 1)))
        return false;
    if (kind != 2 && kind != 3 && kind != 24 && kind != 25)
        return false;
    return convert_integer(b, encoding); // as without a fraction
}

static bool float_of_one(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned type = FIELD(encoding, 22, 2), opcode = FIELD(encoding, 15, 6);
    unsigned bytes = float_bytes[type], result = bytes;
    if (type == 2)
        return false;
    if (opcode == 0) {
        to_v(b, o.d, bytes);
        from_v(b, ROLE_COPY, o.n, bytes);
        return true;
    }
    if (opcode >= 4 && opcode <= 7) { // FCVT, BFCVT
        unsigned target = opcode & 3;
        if (target == type || (target == 2 && type != 1))
            return false;
        if (target == 2)
            bytes = 4;
        result = target == 2 ? 2 : float_bytes[target];
    } else if (opcode > 19 || opcode == 13 || (opcode >= 16 && type == 3)) {
        return false;
    }
    o.form = opcode < 3 ? 0 : F;
    vector_of_one(b, &o, result, bytes);
    return true;
}

static void to_flags_of_floats(struct build *b, unsigned n, unsigned m, bool has_second,
                               unsigned bytes, unsigned condition_flags)
{
    to_flags(b, EFFECT_NZCV);
    from_v(b, ROLE_VALUE, n, bytes);
    if (has_second)
        from_v(b, ROLE_VALUE, m, bytes);
    from_flags(b, ROLE_CONDITION, condition_flags);
    status(b, F);
}

static bool floating_point(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned type = FIELD(encoding, 22, 2), bytes = float_bytes[type];
    if (encoding >> 30 & 1 || (encoding >> 29 & 1))
        return false;
    if (encoding >> 24 & 1) { // FMADD
        if (type == 2 || encoding >> 31)
            return false;
        o.form = F;
        to_v(b, o.d, bytes);
        from_v(b, ROLE_VALUE, o.n, bytes);
        from_v(b, ROLE_VALUE, o.m, bytes);
        from_v(b, ROLE_VALUE, FIELD(encoding, 10, 5), bytes);
        status(b, F);
        return true;
    }
    if (!(encoding >> 21 & 1))
        return convert_fixed(b, encoding);
    if (!FIELD(encoding, 10, 6))
        return convert_integer(b, encoding);
    if (encoding >> 31 || type == 2)
        return false;
    switch (FIELD(encoding, 10, 2)) {
    case 0:
        if (FIELD(encoding, 10, 5) == 16)
            return float_of_one(b, encoding);
        if (FIELD(encoding, 10, 4) == 8) { // FCMP, FCMPE
            bool is_zero = encoding >> 3 & 1;
            if (FIELD(encoding, 14, 2) || encoding & 7)
                return false;
            to_flags_of_floats(b, o.n, o.m, !is_zero, bytes, 0);
            return true;
        }
        if (FIELD(encoding, 10, 3) != 4 || o.n)
            return false;
        to_v(b, o.d, bytes); // FMOV of an immediate
        return true;
    case 1: // FCCMP
        to_flags_of_floats(b, o.n, o.m, true, bytes,
                           effects_condition_flags(FIELD(encoding, 12, 4)));
        return true;
    case 2:
        if (FIELD(encoding, 12, 4) > 8)
            return false;
        o.form = F;
        vector_of_two(b, &o, bytes, bytes, bytes);
        return true;
    }
    unsigned condition = FIELD(encoding, 12, 4); // FCSEL
    to_v(b, o.d, bytes);
    from_v(b, ROLE_COPY, o.n, bytes);
    if (condition >= CONDITION_ALWAYS)
        return true;
    from_v(b, ROLE_COPY, o.m, bytes);
    from_flags(b, ROLE_CONDITION, effects_condition_flags(condition));
    b->effects->selects = true;
    b->effects->condition = (uint8_t)condition;
    return true;
}

// --- Cryptography --------------------------------------------------------------------------------

static bool aes(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned opcode = FIELD(encoding, 12, 5);
    if (FIELD(encoding, 22, 2) || opcode < 4 || opcode > 7)
        return false;
    o.form = opcode < 6 ? D : 0; // AESE and AESD; AESMC and AESIMC
    vector_of_one(b, &o, 16, 16);
    return true;
}

// SHA512, SHA3, SM3 and SM4.
static bool newer_hashes(struct build *b, uint32_t encoding)
{
    struct operands o = operands_of(encoding);
    unsigned a = FIELD(encoding, 10, 5), form = FIELD(encoding, 21, 3);
    o.bytes = 16;
    if (!(encoding >> 23 & 1) && !(encoding >> 15 & 1)) { // EOR3, BCAX, SM3SS1
        if (form > 2)
            return false;
        to_v(b, o.d, 16);
        from_v(b, ROLE_VALUE, o.n, 16);
        from_v(b, ROLE_VALUE, o.m, 16);
        from_v(b, ROLE_VALUE, a, 16);
        return true;
    }
    if (form == 4) { // XAR
        vector_of_two(b, &o, 16, 16, 16);
        return true;
    }
    if (form == 3) {
        static const uint8_t reads_target[] = {1, 1, 1, 0, 1, 1, 0};
        unsigned opcode = FIELD(encoding, 14, 1) << 2 | FIELD(encoding, 10, 2);
        if (opcode > 6 || FIELD(encoding, 12, 2))
            return false;
        o.form = reads_target[opcode] ? D : 0;
        vector_of_two(b, &o, 16, 16, 16);
        return true;
    }
    if (form == 2 && FIELD(encoding, 14, 2) == 2) { // SM3TT
        o.form = D;
        vector_of_two(b, &o, 16, 16, 16);
        return true;
    }
    if ((encoding & 0xfffff800) == 0xcec08000) { // SHA512SU0, SM4E
        o.form = D;
        vector_of_one(b, &o, 16, 16);
        return true;
    }
    return false;
}

static bool vectors(struct build *b, uint32_t encoding)
{
    unsigned u = encoding >> 29 & 1, size = FIELD(encoding, 22, 2);
    if (encoding >> 24 & 1) {
        if (!(encoding >> 10 & 1))
            return with_element(b, encoding, 0);
        if (encoding >> 23 & 1)
            return false;
        return FIELD(encoding, 19, 4) ? shift_by_immediate(b, encoding)
                                      : modified_immediate(b, encoding);
    }
    if (encoding >> 21 & 1) {
        if (encoding >> 10 & 1)
            return three_same(b, encoding);
        if (!(encoding >> 11 & 1))
            return three_different(b, encoding);
        switch (FIELD(encoding, 17, 4)) {
        case 0:
            return two_registers(b, encoding);
        case 8:
            return across_lanes(b, encoding);
        case 12:
            return size & 1 && two_registers_half(b, encoding);
        case 4:
            return !u && encoding >> 30 & 1 && aes(b, encoding);
        }
        return false;
    }
    if (encoding >> 10 & 1) {
        if (encoding >> 15 & 1)
            return three_same_extra(b, encoding);
        if (!size)
            return copy(b, encoding);
        return size & 1 && !(encoding >> 14 & 1) && three_same_half(b, encoding);
    }
    if (encoding >> 15 & 1)
        return false;
    if (u)
        return extract_vector(b, encoding);
    return encoding >> 11 & 1 ? permute(b, encoding) : table_lookup(b, encoding);
}

bool effects_of_a64_vector(struct build *b, uint32_t encoding)
{
    bool is_scalar = encoding >> 28 & 1;
    if ((encoding & 0xff000000) == 0xce000000)
        return newer_hashes(b, encoding);
    if (!is_scalar)
        return !(encoding >> 31) && vectors(b, encoding);
    if ((encoding & 0x40000000) == 0)
        return floating_point(b, encoding);
    return !(encoding >> 31) && scalar_of_vectors(b, encoding);
}
