// The Scalable Vector Extension, as far as compilers use it much: contiguous loads and stores,
// integer and floating-point arithmetic, comparisons, predicates, counts. The rest is not known:
// gathers, first faults, tables, matrices, and SME.
//
// How long vectors are, and which elements a predicate leaves out, is not in an encoding. So
// outputs and inputs are whole registers, and what memory gives or takes is all that was accessed.
#include "arch/arm/effects_build.h"

#define PREDICATE(n) (REGISTER_OFFSET_PREDICATES + REGISTER_BYTES_PREDICATE * (uint64_t)(n))

static void to_z(struct build *b, unsigned n)
{
    to_register(b, VECTOR(n), REGISTER_BYTES_Z);
}

static void from_z(struct build *b, enum effect_role role, unsigned n)
{
    from_register(b, role, VECTOR(n), REGISTER_BYTES_Z);
}

static void to_p(struct build *b, unsigned n)
{
    to_register(b, PREDICATE(n), REGISTER_BYTES_PREDICATE);
}

static void from_p(struct build *b, enum effect_role role, unsigned n)
{
    from_register(b, role, PREDICATE(n), REGISTER_BYTES_PREDICATE);
}

// The operands of most encodings: a vector to write at 0, others at 5 and 16, a predicate at 10.
struct operands {
    unsigned d, n, m, g, size;
};

// Floating point also sets flags of FPSR, from the same inputs.
static void status(struct build *b)
{
    from_flags(b, ROLE_CONDITION, EFFECT_FP_CONTROL);
    also_to(b, EFFECT_FLAGS, EFFECT_FP_STATUS, 0);
    from_flags(b, ROLE_VALUE, EFFECT_FP_STATUS);
}

static void of_two(struct build *b, const struct operands *o)
{
    to_z(b, o->d);
    from_z(b, ROLE_VALUE, o->n);
    from_z(b, ROLE_VALUE, o->m);
}

// The destination is an operand too, and stays where the predicate is false.
static void predicated(struct build *b, const struct operands *o, bool has_n, bool has_m)
{
    to_z(b, o->d);
    from_z(b, ROLE_VALUE, o->d);
    if (has_n)
        from_z(b, ROLE_VALUE, o->n);
    if (has_m)
        from_z(b, ROLE_VALUE, o->m);
    from_p(b, ROLE_CONDITION, o->g);
}

// --- Memory --------------------------------------------------------------------------------------

static bool access(struct build *b, uint32_t encoding, const struct operands *o, bool is_load,
                   bool has_index)
{
    if (has_index && o->m == 31)
        return false;
    if (is_load)
        to_z(b, o->d);
    else
        to(b, EFFECT_MEMORY, 0, 0);
    if (is_load)
        from_memory(b, ROLE_VALUE, 0, 0);
    else
        from_z(b, ROLE_VALUE, o->d);
    from_xsp(b, ROLE_ADDRESS, o->n, 8);
    if (has_index)
        from_x(b, ROLE_ADDRESS, o->m, 8);
    from_p(b, ROLE_CONDITION, o->g);
    unsigned msz = FIELD(encoding, 23, 2), size = FIELD(encoding, 21, 2);
    return is_load || size >= msz;
}

// LDR and STR of a vector or predicate: all of it.
static bool whole_register(struct build *b, uint32_t encoding)
{
    bool is_load = !(encoding >> 30 & 1), is_predicate = !(encoding >> 14 & 1);
    unsigned t = encoding & 31, rn = FIELD(encoding, 5, 5);
    if (is_predicate && t > 15)
        return false;
    if (!is_load)
        to(b, EFFECT_MEMORY, 0, 0);
    else if (is_predicate)
        to_p(b, t);
    else
        to_z(b, t);
    if (is_load)
        from_memory(b, ROLE_COPY, 0, 0);
    else if (is_predicate)
        from_p(b, ROLE_COPY, t);
    else
        from_z(b, ROLE_COPY, t);
    from_xsp(b, ROLE_ADDRESS, rn, 8);
    return true;
}

static bool memory(struct build *b, uint32_t encoding, const struct operands *o)
{
    if ((encoding & 0xffc0a000) == 0x85800000 || (encoding & 0xffc0a000) == 0xe5800000)
        return whole_register(b, encoding);
    if ((encoding & 0xfe10e000) == 0xa400a000 || (encoding & 0xfe10e000) == 0xe400e000)
        return access(b, encoding, o, !(encoding >> 30 & 1), false);
    if ((encoding & 0xfe00e000) == 0xa4004000 || (encoding & 0xfe00e000) == 0xe4004000)
        return access(b, encoding, o, !(encoding >> 30 & 1), true);
    return false;
}

// --- Integers ------------------------------------------------------------------------------------

static bool without_predicate(struct build *b, uint32_t encoding, const struct operands *o)
{
    unsigned opc = FIELD(encoding, 10, 3), rd = encoding & 31;
    if ((encoding & 0xff20e000) == 0x04200000) { // ADD, SUB, SQADD, UQADD, SQSUB, UQSUB
        of_two(b, o);
        return opc != 2 && opc != 3;
    }
    if ((encoding & 0xff20fc00) == 0x04203000 && o->size == 1 && o->n == o->m) { // MOV
        to_z(b, o->d);
        from_z(b, ROLE_COPY, o->n);
        return true;
    }
    if ((encoding & 0xff20fc00) == 0x04203000 || (encoding & 0xff20fc00) == 0x04206000) {
        of_two(b, o); // AND, ORR, EOR, BIC; MUL
        return true;
    }
    if ((encoding & 0xff20f000) == 0x04204000) { // INDEX
        to_z(b, o->d);
        if (encoding >> 10 & 1)
            from_x(b, ROLE_VALUE, o->n, 8);
        if (encoding >> 11 & 1)
            from_x(b, ROLE_VALUE, o->m, 8);
        return true;
    }
    if ((encoding & 0xffa0f800) == 0x04205000) { // ADDVL, ADDPL
        to_xsp(b, rd, 8);
        from_xsp(b, ROLE_VALUE, o->m, 8);
        return true;
    }
    if ((encoding & 0xfffff800) == 0x04bf5000 || (encoding & 0xff30fc00) == 0x0420e000) {
        to_x(b, rd, 8); // RDVL, CNT
        return true;
    }
    if ((encoding & 0xff30f800) == 0x0430e000) { // INC, DEC
        to_x(b, rd, 8);
        from_x(b, ROLE_VALUE, rd, 8);
        return true;
    }
    if ((encoding & 0xff30f800) == 0x0430c000 && o->size) {
        to_z(b, o->d);
        from_z(b, ROLE_VALUE, o->d);
        return true;
    }
    if ((encoding & 0xfffffc00) == 0x0420bc00) { // MOVPRFX
        to_z(b, o->d);
        from_z(b, ROLE_COPY, o->n);
        return true;
    }
    return false;
}

static bool with_predicate(struct build *b, uint32_t encoding, const struct operands *o)
{
    unsigned opc = FIELD(encoding, 16, 5);
    switch (FIELD(encoding, 13, 3)) {
    case 0: // ADD, SUB, SUBR, SMAX to UABD, MUL, SMULH, UMULH, divisions, ORR, EOR, AND, BIC
        predicated(b, o, true, false);
        return 0x0ffd3f0b >> opc & 1 && (opc < 20 || opc > 23 || o->size > 1);
    case 1: // SADDV, UADDV, SMAXV to UMINV, ORV, EORV, ANDV; MOVPRFX
        if (opc >> 1 == 8) {
            to_z(b, o->d);
            from_z(b, ROLE_VALUE, o->n);
            if (opc & 1)
                from_z(b, ROLE_VALUE, o->d);
            from_p(b, ROLE_CONDITION, o->g);
            return true;
        }
        to_z(b, o->d);
        from_z(b, ROLE_VALUE, o->n);
        from_p(b, ROLE_CONDITION, o->g);
        return 0x07000f03 >> opc & 1 && !(opc == 0 && o->size == 3);
    case 2:
    case 3: // MLA, MLS
    case 6:
    case 7: // MAD, MSB
        predicated(b, o, true, true);
        return true;
    }
    return false;
}

// --- Moves, comparisons, predicates --------------------------------------------------------------

static bool moves(struct build *b, uint32_t encoding, const struct operands *o)
{
    if ((encoding & 0xff3ffc00) == 0x05203800) { // DUP
        to_z(b, o->d);
        from_xsp(b, ROLE_VALUE, o->n, 8);
        return true;
    }
    if ((encoding & 0xff20fc00) == 0x05202000) {
        to_z(b, o->d);
        from_z(b, ROLE_VALUE, o->n);
        return (encoding & 0x001f0000) != 0;
    }
    if ((encoding & 0xff3fe000) == 0x0528a000 || (encoding & 0xff3fe000) == 0x05208000) { // CPY
        to_z(b, o->d);
        if (encoding >> 13 & 1)
            from_xsp(b, ROLE_VALUE, o->n, 8);
        else
            from_z(b, ROLE_VALUE, o->n);
        from_z(b, ROLE_VALUE, o->d);
        from_p(b, ROLE_CONDITION, o->g);
        return true;
    }
    if ((encoding & 0xff308000) == 0x05100000) { // of an immediate
        to_z(b, o->d);
        if (encoding >> 14 & 1)
            from_z(b, ROLE_VALUE, o->d);
        from_p(b, ROLE_CONDITION, FIELD(encoding, 16, 4));
        return !(encoding >> 13 & 1 && !o->size);
    }
    if ((encoding & 0xff20c000) == 0x0520c000) { // SEL
        of_two(b, o);
        from_p(b, ROLE_CONDITION, FIELD(encoding, 10, 4));
        return true;
    }
    return false;
}

// A predicate and the flags get the result of a comparison.
static void compare(struct build *b, uint32_t encoding, const struct operands *o, bool has_second)
{
    to_p(b, encoding & 15);
    from_z(b, ROLE_VALUE, o->n);
    if (has_second)
        from_z(b, ROLE_VALUE, o->m);
    from_p(b, ROLE_CONDITION, o->g);
    also_to(b, EFFECT_FLAGS, EFFECT_NZCV, 0);
}

static bool predicates(struct build *b, uint32_t encoding, const struct operands *o)
{
    unsigned pd = encoding & 15, pn = FIELD(encoding, 5, 4), pg = FIELD(encoding, 10, 4);
    if ((encoding & 0xff204000) == 0x25000000) { // CMPEQ and the like, with an immediate
        bool exists = FIELD(encoding, 13, 3) != 5;
        compare(b, encoding, o, false);
        return exists;
    }
    if ((encoding & 0xff3efc10) == 0x2518e000) { // PTRUE, PTRUES
        to_p(b, pd);
        if (encoding >> 16 & 1)
            to_flags(b, EFFECT_NZCV);
        return true;
    }
    if ((encoding & 0xfffffff0) == 0x2518e400) { // PFALSE
        to_p(b, pd);
        return true;
    }
    if ((encoding & 0xff20e400) == 0x25200400) { // WHILELT and the like
        to_p(b, pd);
        from_x(b, ROLE_VALUE, o->n, encoding >> 12 & 1 ? 8 : 4);
        from_x(b, ROLE_VALUE, o->m, encoding >> 12 & 1 ? 8 : 4);
        also_to(b, EFFECT_FLAGS, EFFECT_NZCV, 0);
        return true;
    }
    if ((encoding & 0xffffc21f) == 0x2550c000) { // PTEST
        to_flags(b, EFFECT_NZCV);
        from_p(b, ROLE_VALUE, pg);
        from_p(b, ROLE_VALUE, pn);
        return true;
    }
    if ((encoding & 0xff30c000) == 0x25004000) { // AND, ORR, SEL and the like
        bool is_select = (encoding & 0x00800210) == 0x00000210;
        to_p(b, pd);
        from_p(b, ROLE_VALUE, pn);
        from_p(b, ROLE_VALUE, FIELD(encoding, 16, 4));
        from_p(b, ROLE_VALUE, pg);
        if (encoding >> 22 & 1)
            also_to(b, EFFECT_FLAGS, EFFECT_NZCV, 0);
        return !(is_select && encoding >> 22 & 1);
    }
    if ((encoding & 0xff3fc200) == 0x25208000) { // CNTP
        to_x(b, encoding & 31, 8);
        from_p(b, ROLE_VALUE, pg);
        from_p(b, ROLE_VALUE, pn);
        return true;
    }
    if ((encoding & 0xff3fc000) == 0x2538c000) { // DUP of an immediate
        to_z(b, o->d);
        return !(encoding >> 13 & 1 && !o->size);
    }
    return false;
}

// --- Floating point ------------------------------------------------------------------------------

static bool floating_point(struct build *b, uint32_t encoding, const struct operands *o)
{
    if (!o->size)
        return false;
    if (encoding >> 21 & 1) { // FMLA to FNMSB
        predicated(b, o, true, true);
        status(b);
        return true;
    }
    if (encoding >> 14 & 1) { // FCMGE and the like
        unsigned op = (encoding >> 13 & 4) | (encoding >> 12 & 2) | (encoding >> 4 & 1);
        to_p(b, encoding & 15);
        from_z(b, ROLE_VALUE, o->n);
        from_z(b, ROLE_VALUE, o->m);
        from_p(b, ROLE_CONDITION, o->g);
        status(b);
        return op != 6;
    }
    if ((encoding & 0xe000) == 0) { // FADD, FSUB, FMUL, FTSMUL, FRECPS, FRSQRTS
        of_two(b, o);
        status(b);
        return 0xcf >> FIELD(encoding, 10, 3) & 1;
    }
    if ((encoding & 0x0030e000) == 0x8000) { // FADD to FDIV
        predicated(b, o, true, false);
        status(b);
        return 0x37ff >> FIELD(encoding, 16, 4) & 1;
    }
    if ((encoding & 0x0038e000) == 0x2000) { // FADDV, FMAXNMV to FMINV
        to_z(b, o->d);
        from_z(b, ROLE_VALUE, o->n);
        from_p(b, ROLE_CONDITION, o->g);
        status(b);
        return 0xf1 >> FIELD(encoding, 16, 3) & 1;
    }
    return false;
}

bool effects_of_sve(struct build *b, uint32_t encoding)
{
    const struct operands o = {.d = encoding & 31,
                               .n = FIELD(encoding, 5, 5),
                               .m = FIELD(encoding, 16, 5),
                               .g = FIELD(encoding, 10, 3),
                               .size = FIELD(encoding, 22, 2)};
    switch (encoding >> 24) {
    case 0x04:
        return encoding >> 21 & 1 ? without_predicate(b, encoding, &o)
                                  : with_predicate(b, encoding, &o);
    case 0x05:
        return moves(b, encoding, &o);
    case 0x24:
        if (encoding >> 21 & 1) { // with an immediate
            compare(b, encoding, &o, false);
            return true;
        }
        compare(b, encoding, &o, true);
        return 0x31 >> FIELD(encoding, 13, 3) & 1;
    case 0x25:
        return predicates(b, encoding, &o);
    case 0x65:
        return floating_point(b, encoding, &o);
    case 0x85:
    case 0xa4:
    case 0xa5:
    case 0xe4:
    case 0xe5:
        return memory(b, encoding, &o);
    }
    return false;
}
