#include "base/limits.h"
#include "elf/demangle.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void demangle_reads_every_mangling(void)
{
    static const char *const pairs[][2] = {
        {"_Z3foov", "foo()"},
        {"_ZNK1a3barERKi", "a::bar(int const&) const"},
        {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
        {"_RNvC6_123foo3bar", "123foo::bar"},
        {"_D3std5stdio4File5writeMFAyaZv", "std.stdio.File.write(immutable(char)[])"},
        {"_Dmain", "D main"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < ARRAY_COUNT(pairs); i++)
        CHECK_STR(demangle_symbol(&arena, pairs[i][0]), pairs[i][1]);
    arena_free(&arena);
}

static void demangle_keeps_the_ending(void)
{
    struct arena arena = {0};
    CHECK_STR(demangle_symbol(&arena, "_Z3foov#12"), "foo()#12");
    CHECK_STR(demangle_symbol(&arena, "_Z3foov@0x8000"), "foo()@0x8000");
    CHECK_STR(demangle_symbol(&arena, "_Dmain@0x8000"), "D main@0x8000");
    CHECK_STR(demangle_symbol(&arena, "_Z3foov.part.0@0x8f"), "foo() [clone .part.0]@0x8f");
    arena_free(&arena);
}

static void demangle_leaves_other_names_alone(void)
{
    static const char *const names[] = {
        "",       "main", "_",        "_start",      "_Z", "_ZN", "_R",       "_D",
        "_Damn",  "__Z",  "_Z3fo",    "_Z3foov#x",   "#0", "@0x", "_#",       "_Z3foov#",
        "_Reset", "_Zzz", "_GLOBAL_", "_Z3foov@0xg", "i",  "v",   "_DYNAMIC",
    };
    struct arena arena = {0};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        CHECK(demangle_symbol(&arena, names[i]) == names[i]);
    CHECK(arena.newest == NULL);
    arena_free(&arena);
}

// --- Hostile names ---

// `first`, followed by repetitions of `part` up to about `length` bytes.
static char *repeat(const char *first, const char *part, size_t length)
{
    size_t step = strlen(part), at = strlen(first);
    char *name = malloc(at + length + step + 1);
    memcpy(name, first, at);
    for (; at < length; at += step)
        memcpy(name + at, part, step);
    name[at] = 0;
    return name;
}

static void check_ends(const char *name)
{
    struct arena arena = {0};
    clock_t start = clock();
    const char *text = demangle_symbol(&arena, name);
    CHECK(text == name || strlen(text) < LIMIT_DEMANGLED_BYTES);
    CHECK(clock() - start < 5 * CLOCKS_PER_SEC);
    arena_free(&arena);
}

static void demangle_ends_whatever_is_repeated(void)
{
    static const char *const parts[][2] = {
        {"_Z1f", "P"},
        {"_Z", "N"},
        {"_Z1fI", "1aI"},
        {"_ZN1a", "cvT_I"},
        {"_ZN1acv", "T_IXcv"},
        {"_Z1fI", "XnwL"},
        {"_Z1f", "DpT_"},
        {"_Z1f", "S_"},
        {"_Z", "Z1fvEN"},
        {"_Z1fI", "Jii"},
        {"_ZN", "1aB1b"},
        {"_Z1fI", "XadL_Z"},
        {"_RI", "I"},
        {"_R", "Nv"},
        {"_RIC0", "T"},
        {"_RIC0", "FGzz_"},
        {"_RNvXIC1a", "FGzzzzzzzz_"},
        {"_RYFG_FGzzzzzzzz_", "FG9_"},
        {"_D1a", "FC1b"},
        {"_D1a", "P"},
        {"_D", "1a"},
        {"_D", "__T1a"},
        {"_D1a", "HQbQd"},
        {"_D1aMFZ", "DF"},
        {"_D1a", "9999999999"},
        {"_Z", "99999999999"},
    };
    static const size_t lengths[] = {50, 100, 200, 400, 800, 1024, 1500, 4000, 100000};
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        for (size_t k = 0; k < ARRAY_COUNT(lengths); k++) {
            char *name = repeat(parts[i][0], parts[i][1], lengths[k]);
            check_ends(name);
            free(name);
        }
    }
}

// Each step refers twice to the previous one, so that forty steps stand for a terabyte of text.
static void demangle_ends_where_text_doubles(void)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char cxx_digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char cxx[1024] = "_Z1fM1AiMS0_S0_", rust[1024] = "_RIC0TmmE";
    size_t last = 3;
    for (int step = 1; step < 35; step++) {
        size_t end = strlen(cxx), next = strlen(rust) - 2;
        char digit = cxx_digits[step];
        snprintf(cxx + end, sizeof cxx - end, "MS%c_S%c_", digit, digit);
        char number[3] = {digits[(last - 1) / 62 % 62], digits[(last - 1) % 62], 0};
        snprintf(rust + next + 2, sizeof rust - next - 2, "TB%s_B%s_E", number + (last <= 62),
                 number + (last <= 62));
        last = next;
    }
    strcat(rust, "E");
    check_ends(cxx);
    check_ends(rust);
}

static void demangle_ends_for_random_names(void)
{
    static const char letters[] = "_ZNRDIEBCMXYTFGSPKQLJUVWscvtipd0123459";
    uint64_t random = 88172645463325252;
    for (int i = 0; i < 100000; i++) {
        char name[80] = "_Z";
        name[1] = "ZRD"[i % 3];
        size_t length = 3 + (size_t)(i % 70);
        for (size_t k = 2; k < length; k++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            name[k] = letters[(random >> 33) % (sizeof letters - 1)];
        }
        check_ends(name);
    }
}

// The names in docs/differences-from-llvm-xray.md: texts of llvm-cxxfilt 22, and ours.
static void demangle_differs_from_llvm_as_documented(void)
{
    static const struct {
        const char *symbol, *llvm, *ours; // NULL: the same
    } names[] = {
        {"_Z3fooISt6vectorIS_IiSaIiEESaIS1_EEEvT_",
         "void foo<std::vector<foo<int, "
         "std::allocator<int>>, std::allocator<"
         "std::allocator<int>>>>(std::vector<foo<int, "
         "std::allocator<int>>, std::allocator<"
         "std::allocator<int>>>)",
         NULL},
        {"_ZN3FooIiE3barIPN1BIS_EEEEvv", "void Foo<int>::bar<B<Foo>*>()", NULL},
        {"_ZgtI1AEbRKT_S3_", "bool operator><A>(A const&, A const&)",
         "bool operator><A>(A const&, A const&)"},
        {"_ZlsI1AEbRKT_S3_", "bool operator<<<A>(A const&, A const&)",
         "bool operator<< <A>(A const&, A const&)"},
        {"_ZN1BCI11AEi", "B::B(int)", "B::A(int)"},
        {"_Z1gIiTnDaLi3EEvT_", "void g<int, 3>(int)", "_Z1gIiTnDaLi3EEvT_"},
        {"_Z3foov.cold", "foo() (.cold)", "foo() [clone .cold]"},
        {"_Z1fRSo", "f(std::ostream&)", NULL},
        {"_Z1fDn", "f(std::nullptr_t)", "f(decltype(nullptr))"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        CHECK_STR(demangle_symbol(&arena, names[i].symbol),
                  names[i].ours ? names[i].ours : names[i].llvm);
    arena_free(&arena);
}

const struct test_case demangle_tests[] = {
    {"demangle_reads_every_mangling", demangle_reads_every_mangling},
    {"demangle_differs_from_llvm_as_documented", demangle_differs_from_llvm_as_documented},
    {"demangle_keeps_the_ending", demangle_keeps_the_ending},
    {"demangle_leaves_other_names_alone", demangle_leaves_other_names_alone},
    {"demangle_ends_whatever_is_repeated", demangle_ends_whatever_is_repeated},
    {"demangle_ends_where_text_doubles", demangle_ends_where_text_doubles},
    {"demangle_ends_for_random_names", demangle_ends_for_random_names},
    {NULL, NULL},
};
