// The vector extension: loads, stores, moves, arithmetic, reductions, permutations and masks of V.
//
// An encoding does not say how long vectors are, how wide their elements, nor how many registers
// form a group: vl and vtype do. What the text of an event shows of that is used: the registers
// that it writes, and, as Spike has it, vl and vtype themselves. Without it, all registers of the
// largest group are inputs. Elements of one register are not told apart, but for those behind vl,
// which stay as they were, and for what a load, a store or a move copies.
#include "arch/riscv/control.h"
#include "arch/riscv/effects.h"
#include "flow/effects_build.h"

enum { VL = 0xc20, VTYPE = 0xc21, VXSAT = 0x009, VXRM = 0x00a, GROUP_REGISTERS = 8 };

struct vector {
    struct build *b;
    const struct effect_vectors *text;
    uint32_t code;
    enum riscv_isa isa;
    unsigned vd, first, second; // rs1 or vs1; rs2 or vs2
    unsigned function, width;   // the upper six bits, and bits 12 to 14
    unsigned register_bytes, element_bytes;
    unsigned group;  // registers
    bool is_masked;  // elements whose bit is not set stay as they were
    bool reads_mask; // or it is an operand
    bool has_extent; // vl and the width of elements are known
};

enum { OPIVV, OPFVV, OPMVV, OPIVI, OPIVX, OPFVF, OPMVX, OPCFG };

// --- Places --------------------------------------------------------------------------------------

static unsigned xlen(const struct vector *v)
{
    return v->isa == RISCV_64 ? 8 : 4;
}

static void from_x(const struct vector *v, enum effect_role role, unsigned n)
{
    if (n)
        from_register(v->b, role, riscv_offset_x(n, v->isa), xlen(v));
}

// Bytes of a group that begins with a register.
static void from_group(const struct vector *v, enum effect_role role, unsigned first, unsigned at,
                       unsigned bytes)
{
    while (bytes && first + at / v->register_bytes < 32) {
        const unsigned low = at % v->register_bytes;
        const unsigned here = bytes < v->register_bytes - low ? bytes : v->register_bytes - low;
        from_register(v->b, role, riscv_offset_v(first + at / v->register_bytes) + low, here);
        at += here;
        bytes -= here;
    }
}

// All elements of a group whose elements are `times` as wide as those of vtype.
static void from_all(const struct vector *v, unsigned first, unsigned times)
{
    const uint64_t most = GROUP_REGISTERS * v->register_bytes;
    const uint64_t bytes = v->has_extent ? (uint64_t)v->text->elements * v->element_bytes * times
                                         : (uint64_t)v->group * v->register_bytes * times;
    from_group(v, ROLE_VALUE, first, 0, (unsigned)(bytes < most ? bytes : most));
}

// What decides which elements an instruction reads and writes.
static void decides(const struct vector *v)
{
    if (v->is_masked || v->reads_mask)
        from_register(v->b, ROLE_CONDITION, riscv_offset_v(0), v->register_bytes);
    from(v->b, ROLE_CONDITION, EFFECT_SYSTEM, VL, xlen(v));
    from(v->b, ROLE_CONDITION, EFFECT_SYSTEM, VTYPE, xlen(v));
}

static bool is_written(const struct vector *v, unsigned number)
{
    return number < 32 && v->text->written >> number & 1;
}

// Bytes of a register that stay as they were.
static void keep(const struct vector *v, unsigned number, unsigned from_byte)
{
    if (from_byte >= v->register_bytes)
        return;
    to_register(v->b, riscv_offset_v(number) + from_byte, v->register_bytes - from_byte);
    from_register(v->b, ROLE_COPY, riscv_offset_v(number) + from_byte,
                  v->register_bytes - from_byte);
}

// The bytes of register `k` of a group that vl covers, of elements of this width. All, if it is
// not known.
static unsigned covered(const struct vector *v, unsigned k, unsigned element_bytes)
{
    if (!v->has_extent)
        return v->register_bytes;
    const uint64_t all = (uint64_t)v->text->elements * element_bytes,
                   before = (uint64_t)k * v->register_bytes;
    return all <= before                      ? 0
           : all - before < v->register_bytes ? (unsigned)(all - before)
                                              : v->register_bytes;
}

// --- Memory --------------------------------------------------------------------------------------

enum { UNIT_STRIDE, INDEXED, STRIDED, INDEXED_IN_ORDER };
enum { PLAIN = 0, WHOLE = 8, MASK = 11, FIRST_FAULT = 16 };

// The place of what is accessed: its address, and offsets.
static void located(const struct vector *v)
{
    const unsigned mode = v->code >> 26 & 3;
    from_x(v, ROLE_ADDRESS, v->first);
    if (mode == STRIDED)
        from_x(v, ROLE_ADDRESS, v->second);
    else if (mode != UNIT_STRIDE)
        from_group(v, ROLE_ADDRESS, v->second, 0, v->group * v->register_bytes);
}

// The bytes of an element in registers, and the registers of each field of a segment.
static unsigned accessed_element(const struct vector *v)
{
    const bool is_indexed = v->code >> 26 & 1; // the width is that of the indices
    return is_indexed ? v->element_bytes : v->width ? 1U << (v->width - 4) : 1;
}

static unsigned accessed_group(const struct vector *v)
{
    const unsigned group =
        v->element_bytes ? v->group * accessed_element(v) / v->element_bytes : GROUP_REGISTERS;
    return group ? group : 1;
}

static bool access(const struct vector *v, bool is_load)
{
    const unsigned mode = v->code >> 26 & 3, variant = v->second, fields = (v->code >> 29) + 1;
    const bool is_whole = mode == UNIT_STRIDE && variant == WHOLE;
    if (v->code >> 28 & 1 || (mode == UNIT_STRIDE && variant != PLAIN && !is_whole &&
                              variant != MASK && (variant != FIRST_FAULT || !is_load)))
        return false;
    // Byte after byte, as they are in the registers.
    const bool is_copy = mode == UNIT_STRIDE && !v->is_masked && v->text->is_adjacent &&
                         v->text->bytes && (is_whole || fields == 1);
    unsigned left = v->text->accessed;
    if (is_load) {
        for (unsigned n = 0; n < 32; n++) {
            if (!is_written(v, n))
                continue;
            const unsigned at = is_copy && n >= v->vd ? (n - v->vd) * v->register_bytes : 0;
            unsigned bytes = v->register_bytes;
            if (is_copy)
                bytes = at >= left ? 0 : left - at < bytes ? left - at : bytes;
            else if (n >= v->vd)
                bytes = covered(v, (n - v->vd) % accessed_group(v), accessed_element(v));
            if (bytes) {
                to_register(v->b, riscv_offset_v(n), bytes);
                from_memory(v->b, is_copy ? ROLE_COPY : ROLE_VALUE, at, is_copy ? bytes : 0);
                if (!is_copy && (v->is_masked || !v->has_extent))
                    from_register(v->b, ROLE_VALUE, riscv_offset_v(n), bytes);
                located(v);
                if (!is_whole)
                    decides(v);
            }
            keep(v, n, bytes);
        }
        if (variant == FIRST_FAULT && mode == UNIT_STRIDE) {
            to(v->b, EFFECT_SYSTEM, VL, xlen(v));
            located(v);
            decides(v);
        }
        return true;
    }
    if (is_copy) {
        for (unsigned n = v->vd, at = 0; at < left; n++, at += v->register_bytes) {
            const unsigned bytes = left - at < v->register_bytes ? left - at : v->register_bytes;
            to(v->b, EFFECT_MEMORY, at, bytes);
            from_group(v, ROLE_COPY, n, 0, bytes);
            located(v);
            if (!is_whole)
                decides(v);
        }
        return true;
    }
    to(v->b, EFFECT_MEMORY, 0, 0);
    if (!v->has_extent) {
        const unsigned most = GROUP_REGISTERS * v->register_bytes;
        const bool is_all = v->is_masked || fields > 1 || !left || left > most;
        from_group(v, ROLE_VALUE, v->vd, 0, is_all ? most : left);
    }
    for (unsigned i = 0; i < fields && v->has_extent; i++)
        from_group(v, ROLE_VALUE, v->vd + i * accessed_group(v), 0,
                   (unsigned)u64_min((uint64_t)v->text->elements * accessed_element(v),
                                     GROUP_REGISTERS * v->register_bytes));
    located(v);
    decides(v);
    return true;
}

// --- Arithmetic ----------------------------------------------------------------------------------

// What an operation does with elements.
enum shape {
    NO_SHAPE,
    EACH,        // element by element, of the same width
    ACCUMULATES, // and the destination is an operand
    WIDENS,      // the destination has elements of twice the width
    WIDENS_SUM,  // and is an operand
    WIDENS_WIDE, // as vs2 has
    NARROWS,     // vs2 has elements of twice the width
    COMPARES,    // to a mask
    CARRIES,     // EACH, and v0 is an operand
    CARRY_OUT,   // COMPARES, and v0 is an operand if the instruction is masked
    MERGES,      // v0 chooses; a move without it
    REDUCES,     // to one element
    REDUCES_WIDE,
    MIXES,       // any element of the sources may come to any place
    SHIFTS_IN,   // of which one comes from a scalar
    MASKS,       // bits of single registers
    SATURATES,   // EACH, and vxsat is set
    NARROWS_SAT, // NARROWS, and vxsat is set
    ROUNDS,      // EACH, by vxrm
    SPECIAL,     // told by a source's number
};

static const uint8_t integer_shapes[64] = {
    [0x00] = EACH,         [0x01] = EACH,        [0x02] = EACH,        [0x03] = EACH,
    [0x04] = EACH,         [0x05] = EACH,        [0x06] = EACH,        [0x07] = EACH,
    [0x09] = EACH,         [0x0a] = EACH,        [0x0b] = EACH,        [0x0c] = MIXES,
    [0x0e] = MIXES,        [0x0f] = MIXES,       [0x10] = CARRIES,     [0x11] = CARRY_OUT,
    [0x12] = CARRIES,      [0x13] = CARRY_OUT,   [0x14] = EACH,        [0x15] = EACH,
    [0x17] = MERGES,       [0x18] = COMPARES,    [0x19] = COMPARES,    [0x1a] = COMPARES,
    [0x1b] = COMPARES,     [0x1c] = COMPARES,    [0x1d] = COMPARES,    [0x1e] = COMPARES,
    [0x1f] = COMPARES,     [0x20] = SATURATES,   [0x21] = SATURATES,   [0x22] = SATURATES,
    [0x23] = SATURATES,    [0x25] = EACH,        [0x27] = SATURATES,   [0x28] = EACH,
    [0x29] = EACH,         [0x2a] = ROUNDS,      [0x2b] = ROUNDS,      [0x2c] = NARROWS,
    [0x2d] = NARROWS,      [0x2e] = NARROWS_SAT, [0x2f] = NARROWS_SAT, [0x30] = REDUCES_WIDE,
    [0x31] = REDUCES_WIDE, [0x35] = WIDENS,
};

static const uint8_t multiply_shapes[64] = {
    [0x00] = REDUCES,     [0x01] = REDUCES,     [0x02] = REDUCES,     [0x03] = REDUCES,
    [0x04] = REDUCES,     [0x05] = REDUCES,     [0x06] = REDUCES,     [0x07] = REDUCES,
    [0x08] = ROUNDS,      [0x09] = ROUNDS,      [0x0a] = ROUNDS,      [0x0b] = ROUNDS,
    [0x0e] = SHIFTS_IN,   [0x0f] = SHIFTS_IN,   [0x10] = SPECIAL,     [0x12] = SPECIAL,
    [0x14] = SPECIAL,     [0x17] = MIXES,       [0x18] = MASKS,       [0x19] = MASKS,
    [0x1a] = MASKS,       [0x1b] = MASKS,       [0x1c] = MASKS,       [0x1d] = MASKS,
    [0x1e] = MASKS,       [0x1f] = MASKS,       [0x20] = EACH,        [0x21] = EACH,
    [0x22] = EACH,        [0x23] = EACH,        [0x24] = EACH,        [0x25] = EACH,
    [0x26] = EACH,        [0x27] = EACH,        [0x29] = ACCUMULATES, [0x2b] = ACCUMULATES,
    [0x2d] = ACCUMULATES, [0x2f] = ACCUMULATES, [0x30] = WIDENS,      [0x31] = WIDENS,
    [0x32] = WIDENS,      [0x33] = WIDENS,      [0x34] = WIDENS_WIDE, [0x35] = WIDENS_WIDE,
    [0x36] = WIDENS_WIDE, [0x37] = WIDENS_WIDE, [0x38] = WIDENS,      [0x3a] = WIDENS,
    [0x3b] = WIDENS,      [0x3c] = WIDENS_SUM,  [0x3d] = WIDENS_SUM,  [0x3e] = WIDENS_SUM,
    [0x3f] = WIDENS_SUM,
};

static const uint8_t float_shapes[64] = {
    [0x00] = EACH,         [0x01] = REDUCES,     [0x02] = EACH,         [0x03] = REDUCES,
    [0x04] = EACH,         [0x05] = REDUCES,     [0x06] = EACH,         [0x07] = REDUCES,
    [0x08] = EACH,         [0x09] = EACH,        [0x0a] = EACH,         [0x0e] = SHIFTS_IN,
    [0x0f] = SHIFTS_IN,    [0x10] = SPECIAL,     [0x12] = SPECIAL,      [0x13] = SPECIAL,
    [0x17] = MERGES,       [0x18] = COMPARES,    [0x19] = COMPARES,     [0x1b] = COMPARES,
    [0x1c] = COMPARES,     [0x1d] = COMPARES,    [0x1f] = COMPARES,     [0x20] = EACH,
    [0x21] = EACH,         [0x24] = EACH,        [0x27] = EACH,         [0x28] = ACCUMULATES,
    [0x29] = ACCUMULATES,  [0x2a] = ACCUMULATES, [0x2b] = ACCUMULATES,  [0x2c] = ACCUMULATES,
    [0x2d] = ACCUMULATES,  [0x2e] = ACCUMULATES, [0x2f] = ACCUMULATES,  [0x30] = WIDENS,
    [0x31] = REDUCES_WIDE, [0x32] = WIDENS,      [0x33] = REDUCES_WIDE, [0x34] = WIDENS_WIDE,
    [0x36] = WIDENS_WIDE,  [0x38] = WIDENS,      [0x3c] = WIDENS_SUM,   [0x3d] = WIDENS_SUM,
    [0x3e] = WIDENS_SUM,   [0x3f] = WIDENS_SUM,
};

static bool is_float(const struct vector *v)
{
    return v->width == OPFVV || v->width == OPFVF;
}

static bool has_vector_first(const struct vector *v)
{
    return v->width <= OPMVV;
}

// The operand that is no vector: a register, or an immediate.
static void from_scalar(const struct vector *v)
{
    if (v->width == OPIVX || v->width == OPMVX)
        from_x(v, ROLE_VALUE, v->first);
    else if (v->width == OPFVF)
        from_register(v->b, ROLE_VALUE, riscv_offset_f(v->first), 8);
}

static void from_first(const struct vector *v)
{
    if (has_vector_first(v))
        from_all(v, v->first, 1);
    else
        from_scalar(v);
}

// What a register gets besides its sources: elements that may stay as they were, and what decides
// that. In `merges`, which is for all elements, only an unknown vl can leave some.
static void stays(const struct vector *v, unsigned number, unsigned bytes, bool is_operand)
{
    if (is_operand || v->is_masked || !v->has_extent)
        from_register(v->b, ROLE_VALUE, riscv_offset_v(number), bytes);
    decides(v);
}

// Element by element. Widths are in eighths of an element's of vtype; 0: there is no such vector.
static void each(const struct vector *v, unsigned to_width, unsigned first_width,
                 unsigned second_width, bool is_operand)
{
    for (unsigned k = 0; v->vd + k < 32; k++) {
        if (!is_written(v, v->vd + k))
            continue;
        const unsigned bytes = covered(v, k, v->element_bytes * to_width / 8),
                       at = k * v->register_bytes;
        if (bytes) {
            to_register(v->b, riscv_offset_v(v->vd + k), bytes);
            from_group(v, ROLE_VALUE, v->second, at * second_width / to_width,
                       second_width ? (bytes * second_width + to_width - 1) / to_width : 0);
            if (has_vector_first(v))
                from_group(v, ROLE_VALUE, v->first, at * first_width / to_width,
                           first_width ? (bytes * first_width + to_width - 1) / to_width : 0);
            else
                from_scalar(v);
            stays(v, v->vd + k, bytes, is_operand);
        }
        keep(v, v->vd + k, bytes);
    }
}

// Of which v0 is an operand, so that no element stays as it was.
static void each_by_mask(const struct vector *v)
{
    struct vector all = *v;
    all.is_masked = false;
    all.reads_mask = true;
    each(&all, 8, 8, 8, false);
}

// To the bits of a mask, or to the first `bytes` of a register.
static void begin_single(const struct vector *v, unsigned bytes, bool is_operand)
{
    if (!is_written(v, v->vd)) {
        to_nowhere(v->b);
        return;
    }
    const unsigned here = bytes < v->register_bytes ? bytes : v->register_bytes;
    keep(v, v->vd, bytes);
    to_register(v->b, riscv_offset_v(v->vd), here);
    stays(v, v->vd, here, is_operand);
}

static unsigned mask_bytes(const struct vector *v)
{
    return v->has_extent && v->text->elements ? (v->text->elements + 7) / 8 : v->register_bytes;
}

// Any element of the sources may come to any place. `first_registers`: of the operand that is not
// vs2; 0: a scalar, or none. `is_operand`: elements may stay as they were.
static void mixes(const struct vector *v, unsigned first_registers, bool is_operand)
{
    for (unsigned k = 0; v->vd + k < 32; k++) {
        if (!is_written(v, v->vd + k))
            continue;
        const unsigned bytes = covered(v, k, v->element_bytes);
        if (bytes) {
            to_register(v->b, riscv_offset_v(v->vd + k), bytes);
            from_group(v, ROLE_VALUE, v->second, 0, v->group * v->register_bytes);
            from_group(v, ROLE_VALUE, v->first, 0, first_registers * v->register_bytes);
            from_scalar(v);
            stays(v, v->vd + k, bytes, is_operand);
        }
        keep(v, v->vd + k, bytes);
    }
}

// vmv.v.v and its like, and vmerge.
static bool merges(const struct vector *v)
{
    if (v->is_masked) {
        each_by_mask(v);
        return true;
    }
    if (v->second)
        return false;
    for (unsigned k = 0; v->vd + k < 32; k++) {
        if (!is_written(v, v->vd + k))
            continue;
        const unsigned bytes = covered(v, k, v->element_bytes);
        if (bytes) {
            to_register(v->b, riscv_offset_v(v->vd + k), bytes);
            if (has_vector_first(v))
                from_group(v, ROLE_COPY, v->first + k, 0, bytes);
            else
                from_scalar(v);
            stays(v, v->vd + k, bytes, false);
        }
        keep(v, v->vd + k, bytes);
    }
    return true;
}

// vmv1r.v to vmv8r.v.
static bool move_registers(const struct vector *v)
{
    for (unsigned k = 0; k <= v->first && v->vd + k < 32 && v->second + k < 32; k++) {
        if (!is_written(v, v->vd + k))
            continue;
        to_register(v->b, riscv_offset_v(v->vd + k), v->register_bytes);
        from_register(v->b, ROLE_COPY, riscv_offset_v(v->second + k), v->register_bytes);
    }
    return v->first < GROUP_REGISTERS;
}

// Between the first element and a register of another file; of a mask, its count and its first.
static bool move_scalar(const struct vector *v)
{
    const bool is_count = v->width == OPMVV && (v->first == 16 || v->first == 17);
    if (has_vector_first(v) ? v->first && !is_count : v->second != 0)
        return false;
    if (v->width == OPMVV) {
        if (v->vd)
            to_register(v->b, riscv_offset_x(v->vd, v->isa), xlen(v));
        else
            to_nowhere(v->b);
        from_register(v->b, ROLE_VALUE, riscv_offset_v(v->second),
                      is_count || xlen(v) > v->register_bytes ? v->register_bytes : xlen(v));
        if (is_count)
            decides(v);
        return true;
    }
    if (v->width == OPFVV) {
        to_register(v->b, riscv_offset_f(v->vd), 8);
        from_register(v->b, ROLE_VALUE, riscv_offset_v(v->second),
                      v->register_bytes < 8 ? v->register_bytes : 8);
        return true;
    }
    begin_single(v, v->has_extent ? v->element_bytes : v->register_bytes, false);
    from_scalar(v);
    return true;
}

// Of one vector, by the number in the place of vs1.
static bool special(const struct vector *v)
{
    if (v->function == 0x10)
        return move_scalar(v);
    if (!has_vector_first(v))
        return false;
    if (v->width == OPMVV && v->function == 0x12) { // vzext, vsext: of 1/8, 1/4, 1/2
        if (v->first < 2 || v->first > 7)
            return false;
        each(v, 8, 0, 1U << (v->first / 2 - 1), false);
        return true;
    }
    if (v->width == OPMVV) { // vmsbf, vmsof, vmsif; viota, vid
        if (v->first >= 1 && v->first <= 3) {
            begin_single(v, mask_bytes(v), true);
            from_register(v->b, ROLE_VALUE, riscv_offset_v(v->second), v->register_bytes);
            return true;
        }
        if (v->first != 16 && v->first != 17)
            return false;
        if (v->first == 16) // how many bits are set below
            mixes(v, 0, false);
        else
            each(v, 8, 0, 0, false);
        return true;
    }
    if (v->function == 0x13) { // vfsqrt, vfrsqrt7, vfrec7, vfclass
        each(v, 8, 0, 8, false);
        return v->first == 0 || v->first == 4 || v->first == 5 || v->first == 16;
    }
    // Conversions: of the same width, widening, narrowing.
    if (v->first < 8)
        each(v, 8, 0, 8, false);
    else if (v->first < 16)
        each(v, 16, 0, 8, false);
    else
        each(v, 8, 0, 16, false);
    return v->first < 24;
}

static bool shaped(const struct vector *v, enum shape shape)
{
    switch (shape) {
    case NO_SHAPE:
        return false;
    case EACH:
    case SATURATES:
    case ROUNDS:
        each(v, 8, 8, 8, false);
        return true;
    case CARRIES:
        each_by_mask(v);
        return v->is_masked;
    case ACCUMULATES:
        each(v, 8, 8, 8, true);
        return true;
    case WIDENS:
        each(v, 16, 8, 8, false);
        return true;
    case WIDENS_SUM:
        each(v, 16, 8, 8, true);
        return true;
    case WIDENS_WIDE:
        each(v, 16, 8, 16, false);
        return true;
    case NARROWS:
    case NARROWS_SAT:
        each(v, 8, 8, 16, false);
        return true;
    case COMPARES:
    case CARRY_OUT:
        begin_single(v, mask_bytes(v), v->text->elements % 8 != 0);
        from_all(v, v->second, 1);
        from_first(v);
        return true;
    case MERGES:
        return merges(v);
    case REDUCES:
    case REDUCES_WIDE: {
        const unsigned times = shape == REDUCES ? 1 : 2;
        if (!has_vector_first(v))
            return false;
        begin_single(v, v->has_extent ? v->element_bytes * times : v->register_bytes, false);
        from_all(v, v->second, 1);
        from_register(v->b, ROLE_VALUE, riscv_offset_v(v->first),
                      v->has_extent ? v->element_bytes * times : v->register_bytes);
        return true;
    }
    case MIXES: { // vrgather, vrgatherei16, vcompress; slides
        const bool is_slide = !has_vector_first(v), is_gather = v->function == 0x0c;
        mixes(v,
              is_slide            ? 0
              : is_gather         ? v->group
              : v->width == OPMVV ? 1
                                  : GROUP_REGISTERS,
              v->width == OPMVV || (is_slide && v->function == 0x0e));
        return true;
    }
    case SHIFTS_IN:
        mixes(v, 0, false);
        return !has_vector_first(v);
    case MASKS:
        begin_single(v, mask_bytes(v), v->text->elements % 8 != 0);
        from_register(v->b, ROLE_VALUE, riscv_offset_v(v->second), v->register_bytes);
        from_register(v->b, ROLE_VALUE, riscv_offset_v(v->first), v->register_bytes);
        return has_vector_first(v);
    case SPECIAL:
        return special(v);
    }
    return false;
}

// Flags that an operation sets also depend on its operands.
static void flags(const struct vector *v, enum shape shape)
{
    const bool moves = shape == MERGES || shape == SHIFTS_IN || v->function == 0x10 ||
                       (v->function >= 0x08 && v->function <= 0x0a) ||
                       (v->function == 0x13 && v->first == 16);
    if (is_float(v) && !moves) {
        to_flags(v->b, RISCV_FLAG_STATUS);
        from_flags(v->b, ROLE_VALUE, RISCV_FLAG_STATUS);
        from_flags(v->b, ROLE_CONDITION, RISCV_FLAG_CONTROL);
    } else if (shape == SATURATES || shape == NARROWS_SAT) {
        to(v->b, EFFECT_SYSTEM, VXSAT, xlen(v));
        from(v->b, ROLE_VALUE, EFFECT_SYSTEM, VXSAT, xlen(v));
        from(v->b, ROLE_CONDITION, EFFECT_SYSTEM, VXRM, xlen(v));
    } else {
        return;
    }
    from_all(v, v->second, shape == NARROWS_SAT || shape == WIDENS_WIDE ? 2 : 1);
    from_first(v);
    decides(v);
}

// vsetvli, vsetivli, vsetvl.
static bool configure(const struct vector *v)
{
    const bool has_count = v->code >> 30 != 3, has_type = v->code >> 31 && has_count;
    const bool keeps = has_count && !v->first && !v->vd;
    if (has_type && (v->code >> 25 & 0x3f))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0)
            to(v->b, EFFECT_SYSTEM, VL, xlen(v));
        else if (v->vd)
            to_register(v->b, riscv_offset_x(v->vd, v->isa), xlen(v));
        else
            break;
        if (keeps)
            from(v->b, ROLE_VALUE, EFFECT_SYSTEM, VL, xlen(v));
        else if (has_count)
            from_x(v, ROLE_VALUE, v->first);
        if (has_type)
            from_x(v, ROLE_VALUE, v->second);
    }
    to(v->b, EFFECT_SYSTEM, VTYPE, xlen(v));
    if (has_type)
        from_x(v, ROLE_COPY, v->second);
    return true;
}

bool riscv_vector_effects(struct build *b, uint32_t code, enum riscv_isa isa,
                          const struct effect_vectors *text)
{
    const unsigned element_bytes = text->element_bytes;
    const struct vector v = {
        .b = b,
        .text = text,
        .code = code,
        .isa = isa,
        .vd = code >> 7 & 31,
        .first = code >> 15 & 31,
        .second = code >> 20 & 31,
        .function = code >> 26,
        .width = code >> 12 & 7,
        .register_bytes = text->bytes && text->bytes < RISCV_BYTES_V ? text->bytes : RISCV_BYTES_V,
        .element_bytes = element_bytes,
        .group = text->group ? text->group : GROUP_REGISTERS,
        .is_masked = !(code >> 25 & 1),
        .has_extent = element_bytes && text->bytes,
    };
    if ((code & 0x7f) != 0x57)
        return access(&v, (code & 0x7f) == 0x07);
    if (v.width == OPCFG)
        return configure(&v);
    if (v.width == OPIVI && v.function == 0x27)
        return move_registers(&v);
    const enum shape shape = is_float(&v)                           ? float_shapes[v.function]
                             : v.width == OPMVV || v.width == OPMVX ? multiply_shapes[v.function]
                                                                    : integer_shapes[v.function];
    if (!shaped(&v, shape))
        return false;
    flags(&v, shape);
    return true;
}
