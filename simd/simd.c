#include "simd/simd.h"

#include <stdlib.h>

#ifdef SIMD_X86
#include <cpuid.h>
#elif defined(SIMD_ARM)
#include <sys/auxv.h>
#endif

static const char *const names[SIMD_COUNT] = {"scalar", "avx2", "avx512", "neon"};

const char *simd_name(enum simd simd)
{
    return names[simd];
}

#ifdef SIMD_X86

// Bits of leaf 1 and leaf 7, mostly by names from the compiler's header.
#define LEAF_1_ECX (bit_OSXSAVE | bit_AVX | bit_POPCNT)
#define LEAF_7_EBX_AVX2 (bit_AVX2 | bit_BMI | bit_BMI2)
#define LEAF_7_EBX_AVX512 (bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL)
#define LEAF_7_ECX_AVX512 (bit_AVX512VBMI | bit_AVX512VBMI2)

// Registers that the operating system saves: XMM and YMM; those and the mask and ZMM ones.
enum { STATE_AVX = 0x06, STATE_AVX512 = 0xe6 };

static bool has_all(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

// A processor with AVX has leaf 7, because it has the later leaf of XSAVE.
static enum simd best(void)
{
    uint32_t eax, ebx, ecx, edx;
    __cpuid(1, eax, ebx, ecx, edx);
    if (!has_all(ecx, LEAF_1_ECX))
        return SIMD_SCALAR;
    uint32_t state, high;
    __asm__("xgetbv" : "=a"(state), "=d"(high) : "c"(0));
    __cpuid_count(7, 0, eax, ebx, ecx, edx);
    if (!has_all(state, STATE_AVX) || !has_all(ebx, LEAF_7_EBX_AVX2))
        return SIMD_SCALAR;
    bool has_avx512 = has_all(state, STATE_AVX512) && has_all(ebx, LEAF_7_EBX_AVX512) &&
                      has_all(ecx, LEAF_7_ECX_AVX512);
    return has_avx512 ? SIMD_AVX512 : SIMD_AVX2;
}

#elif defined(SIMD_ARM)

static enum simd best(void)
{
    const unsigned long asimd = 1 << 1; // HWCAP_ASIMD
    return getauxval(AT_HWCAP) & asimd ? SIMD_NEON : SIMD_SCALAR;
}

#else

static enum simd best(void)
{
    return SIMD_SCALAR;
}

#endif

// Each machine has all sets below its best one, of its own architecture.
static bool includes(enum simd best, enum simd simd)
{
    return simd == SIMD_SCALAR || simd == best || (best == SIMD_AVX512 && simd == SIMD_AVX2);
}

bool simd_is_here(enum simd simd)
{
    return includes(best(), simd);
}

enum status simd_choose(enum simd *simd, struct error *err)
{
    const char *wanted = getenv("TRAWL_ISA");
    *simd = best();
    if (!wanted || !*wanted)
        return STATUS_OK;
    for (enum simd named = SIMD_SCALAR; named < SIMD_COUNT; named++) {
        if (strcmp(wanted, names[named]) != 0)
            continue;
        if (!includes(*simd, named))
            return error_set(err, STATUS_INPUT, "TRAWL_ISA: this machine has no %s", wanted);
        *simd = named;
        return STATUS_OK;
    }
    return error_set(err, STATUS_INPUT, "TRAWL_ISA: '%s': expected scalar, avx2, avx512 or neon",
                     wanted);
}
