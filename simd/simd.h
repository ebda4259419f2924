// The instruction sets for which code is compiled in addition to the baseline, and which of them
// this machine has.
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
// Headers with functions that others also use are included before the region. The variant is chosen
// once, by simd_choose, and passed down as an enum simd: code selects outside of its loop, never
// within.
#ifndef TRAWL_SIMD_SIMD_H
#define TRAWL_SIMD_SIMD_H

#include "base/error.h"

#if defined(__x86_64__)
#define SIMD_X86 1
#elif defined(__aarch64__)
#define SIMD_ARM 1
#endif

enum simd {
    SIMD_SCALAR, // every machine of the architecture has it
    SIMD_AVX2,   // with BMI1, BMI2 and POPCNT: like x86-64-v3
    SIMD_AVX512, // F, BW, DQ, VL, VBMI and VBMI2, besides all of AVX2: Ice Lake, Zen 4
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

// To compilers of these versions, 512-bit registers are a separate feature.
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

// The best set of this machine, or the one in the environment variable TRAWL_ISA, for tests and
// measurements. STATUS_INPUT, with *simd the best: the variable names no set, or one that this
// machine lacks. Querying the processor takes some microseconds on a virtual machine, so do it
// once.
enum status simd_choose(enum simd *simd, struct error *err);

// Whether this machine has it.
bool simd_is_here(enum simd simd);

// "scalar", "avx2", "avx512" or "neon".
const char *simd_name(enum simd simd);

#endif
