// Instruction sets that code is compiled for next to the machine's baseline, and which of them this
// machine has.
//
// A file that wants one opens a region, in which functions are compiled for it and may use its
// intrinsics, and includes the body that all instruction sets share:
//
//     #include "simd/simd.h"
//     #ifdef SIMD_X86
//     SIMD_AVX2_BEGIN
//     #define NAME(function) function##_avx2
//     #include "simd/something_body.inc"
//     SIMD_END
//     #endif
//
// Headers with functions that others use as well are included before the region. Which variant runs
// is chosen once, by simd_choose, and handed down as an enum simd: code picks at the outside of its
// loop, never within.
#ifndef TRAWL_SIMD_SIMD_H
#define TRAWL_SIMD_SIMD_H

#include "base/error.h"

#if defined(__x86_64__)
#define SIMD_X86 1
#elif defined(__aarch64__)
#define SIMD_ARM 1
#endif

enum simd {
    SIMD_SCALAR, // what every machine of the architecture has
    SIMD_AVX2,   // with BMI1, BMI2 and POPCNT: x86-64-v3, in short
    SIMD_AVX512, // F, BW, DQ, VL, VBMI and VBMI2, beside all of AVX2: Ice Lake, Zen 4
    SIMD_NEON,
    SIMD_COUNT,
};

// One region at a time, outside of functions.
#define SIMD_AVX2_BEGIN SIMD_PRAGMA(attribute push(SIMD_TARGET("avx2,bmi,bmi2,popcnt"), SIMD_APPLY))
#define SIMD_AVX512_BEGIN                                                                          \
    SIMD_PRAGMA(attribute push(SIMD_TARGET("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,"       \
                                           "avx512vl,avx512vbmi,avx512vbmi2" SIMD_EVEX512),        \
                               SIMD_APPLY))
#define SIMD_END SIMD_PRAGMA(attribute pop)

// Compilers of these versions take registers of 512 bits for a feature of their own.
#if __clang_major__ >= 18 && __clang_major__ < 22
#define SIMD_EVEX512 ",evex512"
#else
#define SIMD_EVEX512 ""
#endif

#define SIMD_PRAGMA(text) _Pragma(SIMD_TEXT(clang text))
#define SIMD_TEXT(text) SIMD_TEXT_(text)
#define SIMD_TEXT_(...) #__VA_ARGS__
#define SIMD_TARGET(features) __attribute__((target(features)))
#define SIMD_APPLY apply_to = function

// The best that this machine has, or the one that the environment variable TRAWL_ISA names, for
// tests and measurements. STATUS_INPUT, and *simd is the best: it names none, or one that is not
// here. Asks the processor, which on a virtual machine takes some microseconds: once is enough.
enum status simd_choose(enum simd *simd, struct error *err);

// Whether this machine has it.
bool simd_is_here(enum simd simd);

// "scalar", "avx2", "avx512" or "neon".
const char *simd_name(enum simd simd);

#endif
