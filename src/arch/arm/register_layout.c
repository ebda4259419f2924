// The registers of an Arm core under the names that users and viewers use: SECTION_LAYOUT of an
// index.
#include "arch/arm/arm.h"

#include "arch/arm/isa.h"
#include "arch/arm/registers.h"
#include "flow/register_names.h"

#include <stdlib.h>

enum {
    A32 = 1 << ISA_ARM | 1 << ISA_THUMB, // names of registers are the same in both
    A64 = 1 << ISA_AARCH64,
    ALL = A32 | A64,
};

enum {
    GENERAL = TRAWL_REGISTER_GENERAL,
    VECTOR = TRAWL_REGISTER_VECTOR,
    SYSTEM = TRAWL_REGISTER_SYSTEM,
    PC = TRAWL_REGISTER_PC | TRAWL_REGISTER_CODE,
    SP = TRAWL_REGISTER_SP | TRAWL_REGISTER_DATA,
    LINK = TRAWL_REGISTER_LINK | TRAWL_REGISTER_CODE,
    VIEW = TRAWL_REGISTER_VIEW,
    BANK = TRAWL_REGISTER_BANKED,
};

#define VECTOR_STRIDE 0x100
#define X(n) (uint32_t) REGISTER_OFFSET_X(n)
#define XSP (uint32_t) REGISTER_OFFSET_XSP
#define Z (uint32_t) REGISTER_OFFSET_VECTORS
#define P (uint32_t) REGISTER_OFFSET_PREDICATES
#define NONE TRAWL_NO_DWARF
#define PREDICATE REGISTER_BYTES_PREDICATE

// Name, count, offset, bytes, adjacent ones, stride, flags, states in which the name has this
// meaning and in which it is shown, DWARF number.
static const struct register_run runs[] = {
    {"x", 31, X(0), 8, 1, 8, GENERAL, A64, A64, 0},
    {"r", 13, X(0), 4, 1, 8, GENERAL, A32, A32, 0},
    {"lr", 0, X(14), 4, 1, 0, GENERAL | LINK, A32, A32, 14},
    {"sp", 0, X(13), 4, 1, 0, GENERAL | SP, A32, A32, 13},
    {"sp", 0, XSP, 8, 1, 0, GENERAL | SP, A64, A64, 31},
    {"psr", 0, REGISTER_OFFSET_PSR, 4, 1, 0, GENERAL | SYSTEM, ALL, ALL, NONE},
    {"v", 32, Z, 16, 1, VECTOR_STRIDE, VECTOR, A64, A64, 64},
    {"z", 32, Z, 256, 1, VECTOR_STRIDE, VECTOR | VIEW, A64, A64, 96},
    {"p", 16, P, PREDICATE, 1, PREDICATE, VECTOR | VIEW, A64, A64, 48},
    {"d", 32, Z, 8, 2, VECTOR_STRIDE, VECTOR, A32, A32, 256},
    {"s", 32, Z, 4, 4, VECTOR_STRIDE, VECTOR | VIEW, A32, A32, 64},
    {"q", 16, Z, 16, 1, VECTOR_STRIDE, VECTOR | VIEW, A32, A32, NONE},
    {"fpcr", 0, REGISTER_OFFSET_FPCR, 4, 1, 0, SYSTEM, ALL, A64, NONE},
    {"fpsr", 0, REGISTER_OFFSET_FPSR, 4, 1, 0, SYSTEM, ALL, A64, NONE},
    {"fpscr", 0, REGISTER_OFFSET_FPSCR, 4, 1, 0, SYSTEM, ALL, A32, NONE},
    {"vpr", 0, REGISTER_OFFSET_VPR, 4, 1, 0, SYSTEM, ALL, A32, NONE},
    // The PC of the next instruction.
    {"pc", 0, 0, 0, 1, 0, PC, A32, 0, 15},
    {"pc", 0, 0, 0, 1, 0, PC, A64, 0, 32},
    // Other names.
    {"lr", 0, X(30), 8, 1, 0, GENERAL | LINK, A64, 0, NONE},
    {"fp", 0, X(29), 8, 1, 0, GENERAL, A64, 0, NONE},
    {"fp", 0, X(11), 4, 1, 0, GENERAL, A32, 0, NONE},
    {"ip", 0, X(12), 4, 1, 0, GENERAL, A32, 0, NONE},
    {"sl", 0, X(10), 4, 1, 0, GENERAL, A32, 0, NONE},
    {"sb", 0, X(9), 4, 1, 0, GENERAL, A32, 0, NONE},
    {"x", 31, X(0), 8, 1, 8, GENERAL, A32, 0, NONE},
    {"w", 31, X(0), 4, 1, 8, GENERAL, ALL, 0, NONE},
    {"r", 16, X(0), 4, 1, 8, GENERAL, ALL, 0, NONE},
    {"e", 32, X(0), 8, 1, 8, GENERAL, ALL, 0, NONE},
    {"wsp", 0, XSP, 4, 1, 0, GENERAL | SP, ALL, 0, NONE},
    {"xsp", 0, XSP, 8, 1, 0, GENERAL | SP, ALL, 0, NONE},
    {"msp", 0, X(13), 4, 1, 0, GENERAL | SP, ALL, 0, NONE},
    {"cpsr", 0, REGISTER_OFFSET_PSR, 4, 1, 0, GENERAL | SYSTEM, ALL, 0, NONE},
    {"v", 32, Z, 16, 1, VECTOR_STRIDE, VECTOR, A32, 0, NONE},
    {"z", 32, Z, 256, 1, VECTOR_STRIDE, VECTOR, A32, 0, NONE},
    {"p", 16, P, PREDICATE, 1, PREDICATE, VECTOR, A32, 0, NONE},
    {"q", 32, Z, 16, 1, VECTOR_STRIDE, VECTOR, ALL, 0, NONE},
    {"d", 32, Z, 8, 1, VECTOR_STRIDE, VECTOR, A64, 0, NONE},
    {"s", 32, Z, 4, 1, VECTOR_STRIDE, VECTOR, A64, 0, NONE},
    {"h", 32, Z, 2, 1, VECTOR_STRIDE, VECTOR, A64, 0, NONE},
    {"b", 32, Z, 1, 1, VECTOR_STRIDE, VECTOR, A64, 0, NONE},
    // Of a mode or exception level: r14_svc, SP_EL0, if the trace never names it.
    {"r", 16, X(0), 4, 1, 8, GENERAL | BANK, ALL, 0, NONE},
    {"lr", 0, X(14), 4, 1, 0, GENERAL | LINK | BANK, ALL, 0, NONE},
    {"sp", 0, X(13), 4, 1, 0, GENERAL | SP | BANK, A32, 0, NONE},
    {"sp", 0, XSP, 8, 1, 0, GENERAL | SP | BANK, A64, 0, NONE},
    {"msp", 0, X(13), 4, 1, 0, GENERAL | SP | BANK, ALL, 0, NONE},
    {"cpsr", 0, REGISTER_OFFSET_PSR, 4, 1, 0, GENERAL | SYSTEM | BANK, ALL, 0, NONE},
};

enum { EM_AARCH64 = 183 };

const struct register_table tarmac_registers = {
    runs, ARRAY_COUNT(runs), {.any_case = true, .address_bytes = 8, .machine = EM_AARCH64}};

_Static_assert(REGISTER_SPACE_BYTES <= TRAWL_REGISTER_BYTES, "the register space of an index");

bool tarmac_layout_write(struct parts_writer *parts, const struct register_names *names,
                         enum reading reading)
{
    size_t count;
    struct register_run *all = named_layout_make(runs, tarmac_registers.count, names, ALL, &count);
    if (!all)
        return false;
    for (size_t i = 0; i < count && reading == READING_TTU; i++) {
        if (all[i].offset == P)
            all[i].size_bytes = all[i].stride_bytes = REGISTER_BYTES_PREDICATE_TTU;
    }
    bool is_done = register_layout_write(parts, all, count, &tarmac_registers.figures);
    free(all);
    return is_done;
}
