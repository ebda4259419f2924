// A64: loads and stores of general and vector registers, but for SVE.
#include "arch/arm/effects_build.h"

enum { NO_INDEX = 32 };

struct address {
    unsigned base, index, index_bytes;
};

static struct address at_base(unsigned base)
{
    return (struct address){.base = base, .index = NO_INDEX};
}

static void from_address(struct build *b, const struct address *address)
{
    from_xsp(b, ROLE_ADDRESS, address->base, 8);
    if (address->index != NO_INDEX)
        from_x(b, ROLE_ADDRESS, address->index, address->index_bytes);
}

// A register gets bytes of memory, which are extended by their sign to `width`, or by zeros.
static void load_x(struct build *b, unsigned rt, unsigned offset, unsigned bytes, unsigned width,
                   const struct address *address)
{
    to_x(b, rt, width);
    from_memory(b, ROLE_COPY, offset, bytes);
    from_address(b, address);
}

static void store_x(struct build *b, unsigned rt, unsigned offset, unsigned bytes,
                    const struct address *address)
{
    to(b, EFFECT_MEMORY, offset, bytes);
    from_x(b, ROLE_COPY, rt, bytes);
    from_address(b, address);
}

static void load_v(struct build *b, unsigned rt, unsigned offset, unsigned bytes,
                   const struct address *address)
{
    to_v(b, rt, bytes);
    from_memory(b, ROLE_COPY, offset, bytes);
    from_address(b, address);
}

static void store_v(struct build *b, unsigned rt, unsigned offset, unsigned bytes,
                    const struct address *address)
{
    to(b, EFFECT_MEMORY, offset, bytes);
    from_v(b, ROLE_COPY, rt, bytes);
    from_address(b, address);
}

static void write_back(struct build *b, unsigned rn)
{
    to_xsp(b, rn, 8);
    from_xsp(b, ROLE_VALUE, rn, 8);
}

// --- Exclusive and ordered accesses, compare and swap --------------------------------------------

// CAS and CASP: `count` registers of `bytes`. Memory is written if all of it is what was expected.
static void compare_and_swap(struct build *b, unsigned rs, unsigned rt, unsigned count,
                             unsigned bytes, const struct address *address)
{
    for (unsigned i = 0; i < count; i++) {
        store_x(b, rt + i < 32 ? rt + i : 31, i * bytes, bytes, address);
        for (unsigned k = 0; k < count; k++)
            from_x(b, ROLE_CONDITION, rs + k, bytes);
        from_memory(b, ROLE_CONDITION, 0, count * bytes);
    }
    for (unsigned i = 0; i < count; i++)
        load_x(b, rs + i, i * bytes, bytes, bytes, address);
}

static bool exclusive(struct build *b, uint32_t encoding)
{
    unsigned size = encoding >> 30, rs = FIELD(encoding, 16, 5), rt2 = FIELD(encoding, 10, 5);
    unsigned rt = encoding & 31, bytes = 1U << size;
    bool is_ordered = encoding >> 23 & 1, is_load = encoding >> 22 & 1, o1 = encoding >> 21 & 1;
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (is_ordered && o1) { // CAS
        if (rt2 != 31)
            return false;
        compare_and_swap(b, rs, rt, 1, bytes, &address);
    } else if (is_ordered && is_load) { // LDAR
        load_x(b, rt, 0, bytes, bytes, &address);
    } else if (is_ordered) { // STLR
        store_x(b, rt, 0, bytes, &address);
    } else if (o1 && size < 2) { // CASP
        if (rt2 != 31 || (rs & 1) || (rt & 1))
            return false;
        compare_and_swap(b, rs, rt, 2, size ? 8 : 4, &address);
    } else if (is_load) {
        load_x(b, rt, 0, bytes, bytes, &address);
        if (o1)
            load_x(b, rt2, bytes, bytes, bytes, &address);
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
        from_address(b, &address);
    } else {
        // Whether it stores depends on the monitor.
        store_x(b, rt, 0, bytes, &address);
        from(b, ROLE_CONDITION, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
        if (o1) {
            store_x(b, rt2, bytes, bytes, &address);
            from(b, ROLE_CONDITION, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
        }
        to_x(b, rs, 4);
        from(b, ROLE_VALUE, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
        from_address(b, &address);
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
    }
    return true;
}

// --- One register --------------------------------------------------------------------------------

// The part that all addressing modes share.
static bool single(struct build *b, uint32_t encoding, const struct address *address,
                   bool may_prefetch)
{
    unsigned size = encoding >> 30, opc = FIELD(encoding, 22, 2), rt = encoding & 31;
    unsigned bytes = 1U << size;
    if (encoding >> 26 & 1) {
        if (opc >> 1 && size)
            return false;
        if (opc >> 1)
            bytes = 16;
        if (opc & 1)
            load_v(b, rt, 0, bytes, address);
        else
            store_v(b, rt, 0, bytes, address);
        return true;
    }
    if (size == 3 && opc == 2 && may_prefetch)
        return true;
    if (opc == 0)
        store_x(b, rt, 0, bytes, address);
    else if (opc == 1)
        load_x(b, rt, 0, bytes, bytes, address);
    else if (size == 3 || (opc == 3 && size == 2))
        return false;
    else
        load_x(b, rt, 0, bytes, opc == 2 ? 8 : 4, address);
    return true;
}

// What the atomic operations read goes to one register; what they write is computed from another.
static bool atomic(struct build *b, uint32_t encoding)
{
    unsigned bytes = 1U << (encoding >> 30), rs = FIELD(encoding, 16, 5), rt = encoding & 31;
    unsigned opc = FIELD(encoding, 12, 3), order = FIELD(encoding, 22, 2); // A, R
    bool is_other = encoding >> 15 & 1;
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (encoding >> 26 & 1)
        return false;
    if (!is_other || opc == 0) { // SWP among them
        to(b, EFFECT_MEMORY, 0, bytes);
        from_x(b, is_other ? ROLE_COPY : ROLE_VALUE, rs, bytes);
        if (!is_other)
            from_memory(b, ROLE_VALUE, 0, bytes);
        from_address(b, &address);
        load_x(b, rt, 0, bytes, bytes, &address);
        return true;
    }
    if (opc == 4 && order == 2 && rs == 31) { // LDAPR
        load_x(b, rt, 0, bytes, bytes, &address);
        return true;
    }
    if (bytes != 8 || order || rs != 31 || (rt & 1) || rt > 22)
        return false;
    if (opc != 1 && opc != 5)
        return false;
    for (unsigned i = 0; i < 8; i++) { // LD64B, ST64B
        if (opc == 5)
            load_x(b, rt + i, i * 8, 8, 8, &address);
        else
            store_x(b, rt + i, i * 8, 8, &address);
    }
    return true;
}

static bool load_authenticated(struct build *b, uint32_t encoding)
{
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if ((encoding >> 26 & 0x31) != 0x30)
        return false;
    load_x(b, encoding & 31, 0, 8, 8, &address);
    if (encoding >> 11 & 1)
        write_back(b, address.base);
    return true;
}

static bool single_register(struct build *b, uint32_t encoding)
{
    struct address address = at_base(FIELD(encoding, 5, 5));
    unsigned mode = FIELD(encoding, 10, 2);
    if (encoding >> 24 & 1)
        return single(b, encoding, &address, true);
    if (encoding >> 21 & 1) {
        if (mode == 0)
            return atomic(b, encoding);
        if (mode != 2)
            return load_authenticated(b, encoding);
        unsigned option = FIELD(encoding, 13, 3);
        if (!(option & 2))
            return false;
        address.index = FIELD(encoding, 16, 5);
        address.index_bytes = option & 1 ? 8 : 4;
        return single(b, encoding, &address, true);
    }
    if (mode == 2 && (encoding >> 26 & 1)) // without privilege
        return false;
    if (!single(b, encoding, &address, mode == 0))
        return false;
    if (mode & 1)
        write_back(b, address.base);
    return true;
}

static bool literal(struct build *b, uint32_t encoding)
{
    unsigned opc = encoding >> 30, rt = encoding & 31;
    if (encoding >> 26 & 1) {
        if (opc == 3)
            return false;
        to_v(b, rt, 4U << opc);
        from_memory(b, ROLE_COPY, 0, 4U << opc);
        from(b, ROLE_ADDRESS, EFFECT_PC, 0, 8);
        return true;
    }
    if (opc == 3) // PRFM
        return true;
    to_x(b, rt, opc ? 8 : 4);
    from_memory(b, ROLE_COPY, 0, opc == 1 ? 8 : 4);
    from(b, ROLE_ADDRESS, EFFECT_PC, 0, 8);
    return true;
}

static bool pair(struct build *b, uint32_t encoding)
{
    unsigned opc = encoding >> 30, rt = encoding & 31, rt2 = FIELD(encoding, 10, 5);
    unsigned mode = FIELD(encoding, 23, 2);
    bool is_load = encoding >> 22 & 1;
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (opc == 3 || (is_load && rt == rt2))
        return false;
    if (encoding >> 26 & 1) {
        unsigned bytes = 4U << opc;
        for (unsigned i = 0; i < 2; i++) {
            if (is_load)
                load_v(b, i ? rt2 : rt, i * bytes, bytes, &address);
            else
                store_v(b, i ? rt2 : rt, i * bytes, bytes, &address);
        }
    } else if (opc == 1) {
        if (!mode)
            return false;
        if (is_load) { // LDPSW
            load_x(b, rt, 0, 4, 8, &address);
            load_x(b, rt2, 4, 4, 8, &address);
        } else { // STGP
            store_x(b, rt, 0, 8, &address);
            store_x(b, rt2, 8, 8, &address);
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_TAGS, 0);
            from_xsp(b, ROLE_VALUE, address.base, 8);
        }
    } else {
        unsigned bytes = opc ? 8 : 4;
        for (unsigned i = 0; i < 2; i++) {
            if (is_load)
                load_x(b, i ? rt2 : rt, i * bytes, bytes, bytes, &address);
            else
                store_x(b, i ? rt2 : rt, i * bytes, bytes, &address);
        }
    }
    if (mode & 1)
        write_back(b, address.base);
    return true;
}

// --- Tags, copies of memory, pairs in order ------------------------------------------------------

static bool tags(struct build *b, uint32_t encoding)
{
    unsigned op1 = FIELD(encoding, 22, 2), op2 = FIELD(encoding, 10, 2), rt = encoding & 31;
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (op2 == 0 && op1 != 1 && FIELD(encoding, 12, 9))
        return false;
    if (op2 == 0 && op1 == 1) { // LDG
        if (rt == 31)
            return true;
        to_register(b, REGISTER_OFFSET_X(rt), 7);
        from_x(b, ROLE_COPY, rt, 7);
        to_register(b, REGISTER_OFFSET_X(rt) + 7, 1);
        from_register(b, ROLE_VALUE, REGISTER_OFFSET_X(rt) + 7, 1);
        from(b, ROLE_VALUE, EFFECT_SYSTEM, EFFECT_SYSTEM_TAGS, 0);
        from_address(b, &address);
        return true;
    }
    if (op2 == 0 && op1 == 3) { // LDGM
        to_x(b, rt, 8);
        from(b, ROLE_VALUE, EFFECT_SYSTEM, EFFECT_SYSTEM_TAGS, 0);
        from_address(b, &address);
        return true;
    }
    if (op2 ? op1 & 1 : op1 == 0) { // STZG, STZ2G, STZGM
        to(b, EFFECT_MEMORY, 0, op2 ? (op1 == 3 ? 32 : 16) : 0);
        from_address(b, &address);
    }
    to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_TAGS, 0);
    if (op2)
        from_xsp(b, ROLE_VALUE, rt, 8);
    else
        from_x(b, ROLE_VALUE, rt, 8);
    from_address(b, &address);
    if (op2 & 1)
        write_back(b, address.base);
    return true;
}

// CPY and SET in three steps, each of which does as much as it likes, and updates its registers.
static bool copy_memory(struct build *b, uint32_t encoding)
{
    unsigned rd = encoding & 31, rn = FIELD(encoding, 5, 5), rs = FIELD(encoding, 16, 5);
    bool is_set = FIELD(encoding, 22, 2) == 3;
    unsigned step = is_set ? FIELD(encoding, 14, 2) : FIELD(encoding, 22, 2); // prologue, main, end
    if (rd == 31 || rn == 31 || step == 3 || (!is_set && rs == 31) || rd == rn || rd == rs ||
        rn == rs)
        return false;
    unsigned registers[] = {rd, rn, rs};
    to(b, EFFECT_MEMORY, 0, 0);
    if (is_set)
        from_x(b, ROLE_VALUE, rs, 1);
    else
        from_memory(b, ROLE_COPY, 0, 0);
    for (unsigned i = 0; i < (is_set ? 2 : 3); i++)
        from_x(b, ROLE_ADDRESS, registers[i], 8);
    if (step)
        from_flags(b, ROLE_ADDRESS, EFFECT_NZCV);
    for (unsigned i = 0; i < (is_set ? 2 : 3); i++) {
        to_x(b, registers[i], 8);
        for (unsigned k = 0; k < (is_set ? 2 : 3); k++)
            from_x(b, ROLE_VALUE, registers[k], 8);
        if (step)
            from_flags(b, ROLE_VALUE, EFFECT_NZCV);
    }
    if (!step) {
        to_flags(b, EFFECT_NZCV);
        for (unsigned k = 0; k < (is_set ? 2 : 3); k++)
            from_x(b, ROLE_VALUE, registers[k], 8);
    }
    if (is_set && (encoding >> 26 & 1)) { // SETG
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_TAGS, 0);
        from_x(b, ROLE_VALUE, rd, 8);
    }
    return true;
}

// LDIAPP and STILP, LDAPR and STLR with an update of the base.
static bool ordered_with_update(struct build *b, uint32_t encoding)
{
    unsigned opc = FIELD(encoding, 22, 2), rt = encoding & 31, rt2 = FIELD(encoding, 16, 5);
    unsigned bytes = encoding >> 30 & 1 ? 8 : 4, opc2 = FIELD(encoding, 12, 4);
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (!(encoding >> 31) || opc2 > 1 || (opc > 1 && (rt2 || opc2)))
        return false;
    for (unsigned i = 0; i < (opc > 1 ? 1 : 2); i++) {
        if (opc & 1)
            load_x(b, i ? rt2 : rt, i * bytes, bytes, bytes, &address);
        else
            store_x(b, i ? rt2 : rt, i * bytes, bytes, &address);
    }
    if (!opc2)
        write_back(b, address.base);
    return true;
}

// SWPP, LDCLRP, LDSETP.
static bool atomic_pair(struct build *b, uint32_t encoding)
{
    unsigned rt = encoding & 31, rt2 = FIELD(encoding, 16, 5), opc = FIELD(encoding, 12, 4);
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (encoding >> 30 || (encoding & 0xc00) || (opc != 8 && opc != 1 && opc != 3) || rt == 31 ||
        rt2 == 31)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        to(b, EFFECT_MEMORY, i * 8, 8);
        from_x(b, opc == 8 ? ROLE_COPY : ROLE_VALUE, i ? rt2 : rt, 8);
        if (opc != 8)
            from_memory(b, ROLE_VALUE, i * 8, 8);
        from_address(b, &address);
    }
    load_x(b, rt, 0, 8, 8, &address);
    load_x(b, rt2, 8, 8, 8, &address);
    return true;
}

static bool ordered(struct build *b, uint32_t encoding)
{
    unsigned size = encoding >> 30, mode = FIELD(encoding, 10, 2);
    bool is_vector = encoding >> 26 & 1;
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (encoding >> 21 & 1) {
        if (is_vector)
            return false;
        return size == 3 ? tags(b, encoding) : atomic_pair(b, encoding);
    }
    if (mode == 1)
        return !size && copy_memory(b, encoding);
    if (mode == 2 && is_vector) // LDAPUR, STLUR
        return single(b, encoding, &address, false);
    if (mode == 2)
        return ordered_with_update(b, encoding);
    return mode == 0 && !is_vector && single(b, encoding, &address, false);
}

// --- Structures ----------------------------------------------------------------------------------

// Between memory and an element.
static void move_element(struct build *b, bool is_load, unsigned vector, unsigned in_vector,
                         unsigned in_memory, unsigned bytes, const struct address *address)
{
    if (is_load) {
        to_register(b, VECTOR(vector) + in_vector, bytes);
        from_memory(b, ROLE_COPY, in_memory, bytes);
    } else {
        to(b, EFFECT_MEMORY, in_memory, bytes);
        from_register(b, ROLE_COPY, VECTOR(vector) + in_vector, bytes);
    }
    from_address(b, address);
}

static bool update_structure_base(struct build *b, uint32_t encoding)
{
    unsigned rm = FIELD(encoding, 16, 5), rn = FIELD(encoding, 5, 5);
    if (!(encoding >> 23 & 1))
        return rm == 0;
    write_back(b, rn);
    from_x(b, ROLE_VALUE, rm, 8); // 31: by the size
    return true;
}

static bool multiple_structures(struct build *b, uint32_t encoding)
{
    static const struct {
        uint8_t registers, elements;
    } forms[] = {[0] = {4, 4}, [2] = {4, 1}, [4] = {3, 3}, [6] = {3, 1},
                 [7] = {1, 1}, [8] = {2, 2}, [10] = {2, 1}};
    unsigned opcode = FIELD(encoding, 12, 4), size = FIELD(encoding, 10, 2), rt = encoding & 31;
    unsigned bytes = encoding >> 30 & 1 ? 16 : 8, element = 1U << size;
    bool is_load = encoding >> 22 & 1;
    const struct address address = at_base(FIELD(encoding, 5, 5));
    if (opcode > 10 || !forms[opcode].registers || (encoding >> 21 & 1))
        return false;
    unsigned registers = forms[opcode].registers, elements = forms[opcode].elements;
    if (elements > 1 && size == 3 && bytes == 8)
        return false;
    if (elements == 1)
        element = bytes;
    for (unsigned r = 0; r < registers; r++) {
        unsigned vector = (rt + r) & 31;
        if (is_load)
            to_register(b, VECTOR(vector) + bytes, REGISTER_BYTES_Z - bytes);
        for (unsigned at = 0; at < bytes; at += element)
            move_element(b, is_load, vector, at,
                         elements == 1 ? r * bytes : at * elements + r * element, element,
                         &address);
    }
    return update_structure_base(b, encoding);
}

static bool single_structure(struct build *b, uint32_t encoding)
{
    unsigned opcode = FIELD(encoding, 13, 3), size = FIELD(encoding, 10, 2), rt = encoding & 31;
    unsigned q = encoding >> 30 & 1, s = encoding >> 12 & 1, rn = FIELD(encoding, 5, 5);
    unsigned scale = opcode >> 1, elements = ((opcode & 1) << 1 | FIELD(encoding, 21, 1)) + 1;
    unsigned lane = q << 3 | s << 2 | size;
    bool is_load = encoding >> 22 & 1, replicates = scale == 3;
    bool is_ordered = (encoding & 0xbfbffc00) == 0x0d018400; // LDAP1, STL1
    const struct address address = at_base(rn);
    if (replicates) {
        if (!is_load || s)
            return false;
        scale = size;
    } else if (scale == 1) {
        if (size & 1)
            return false;
        lane >>= 1;
    } else if (scale == 2 && size == 1) {
        if (s)
            return false;
        scale = 3;
        lane = q;
    } else if (scale == 2) {
        if (size)
            return false;
        lane >>= 2;
    }
    unsigned bytes = 1U << scale, low = lane * bytes;
    for (unsigned r = 0; r < elements; r++) {
        unsigned vector = (rt + r) & 31, width = q ? 16 : 8;
        if (replicates) {
            to_register(b, VECTOR(vector) + width, REGISTER_BYTES_Z - width);
            for (unsigned at = 0; at < width; at += bytes)
                move_element(b, true, vector, at, r * bytes, bytes, &address);
            continue;
        }
        if (is_load)
            keep_rest_of_v(b, vector, low, bytes);
        move_element(b, is_load, vector, low, r * bytes, bytes, &address);
    }
    return is_ordered || update_structure_base(b, encoding);
}

bool effects_of_a64_access(struct build *b, uint32_t encoding)
{
    switch (FIELD(encoding, 24, 6)) {
    case 0x08:
        return exclusive(b, encoding);
    case 0x0c:
        return !(encoding >> 31) && multiple_structures(b, encoding);
    case 0x0d:
        return !(encoding >> 31) && single_structure(b, encoding);
    case 0x18:
    case 0x1c:
        return literal(b, encoding);
    case 0x19:
    case 0x1d:
        return ordered(b, encoding);
    case 0x28:
    case 0x29:
    case 0x2c:
    case 0x2d:
        return pair(b, encoding);
    case 0x38:
    case 0x39:
    case 0x3c:
    case 0x3d:
        return single_register(b, encoding);
    }
    return false;
}
