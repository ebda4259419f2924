// libiberty does the work; this file bounds it, because symbol names come from files that may be
// damaged or hostile.
//
// Recursion: libiberty's own limit stays on (DMGL_NO_RECURSE_LIMIT is not given), and names are
// short. Long texts: substitutions and back references double the text with every few characters.
// C++ and Rust give their text to a callback, which leaves by longjmp when it has enough. libiberty
// is C and holds nothing there except stack (for Rust sometimes the buffer of one Punycode
// identifier). Long readings: some grammars are read twice over in nested places, before there is
// any text; names with many such places are refused beforehand, by looking at their letters only.
// If a harmless name is refused, it is merely shown as it is in the file.
#include "elf/demangle.h"

#include "base/limits.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

#define OPTIONS (DMGL_PARAMS | DMGL_ANSI)

struct output {
    char *bytes;
    size_t count;
    jmp_buf too_long;
};

// Writes to the output buffer of LIMIT_DEMANGLED_BYTES.
static void collect(const char *text, size_t length, void *opaque)
{
    struct output *output = opaque;
    if (length >= LIMIT_DEMANGLED_BYTES - output->count)
        longjmp(output->too_long, 1);
    if (length > 0) // libiberty passes NULL for an empty piece
        memcpy(output->bytes + output->count, text, length);
    output->count += length;
}

// libiberty loops over lifetimes even if it prints nothing, so "FG" or "DG" (a function or a trait
// object with bound lifetimes) must not be followed by a large number.
static bool has_many_lifetimes(const char *symbol)
{
    for (const char *at = symbol; (at = strchr(at, 'G')) != NULL; at++) {
        size_t digits =
            strspn(at + 1, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if ((at[-1] == 'F' || at[-1] == 'D') && digits > LIMIT_MANGLED_LIFETIME_DIGITS &&
            at[1 + digits] == '_')
            return true;
    }
    return false;
}

// Writes the text to `output`, or returns false. Rust is tried first, because its older mangling is
// also valid C++.
static bool demangle_cxx_or_rust(const char *symbol, struct output *output)
{
    if (setjmp(output->too_long) != 0)
        return false;
    if (rust_demangle_callback(symbol, OPTIONS, collect, output))
        return true;
    output->count = 0;
    if (!cplus_demangle_v3_callback(symbol, OPTIONS, collect, output))
        return false;
    // Writes ends of nested templates like LLVM's tools and C++11: libiberty puts a space between
    // them.
    size_t count = 0;
    for (size_t i = 0; i < output->count; i++) {
        bool is_between = output->bytes[i] == ' ' && count && output->bytes[count - 1] == '>' &&
                          i + 1 < output->count && output->bytes[i + 1] == '>';
        if (!is_between)
            output->bytes[count++] = output->bytes[i];
    }
    output->count = count;
    return true;
}

// A copy in `arena` of `length` bytes of text and of `ending`.
static const char *join(struct arena *arena, const char *text, size_t length, const char *ending)
{
    size_t ending_length = strlen(ending);
    char *joined = arena_alloc(arena, length + ending_length + 1);
    if (joined) {
        memcpy(joined, text, length);
        memcpy(joined + length, ending, ending_length + 1);
    }
    return joined;
}

// libiberty does not distinguish a name that is not mangled from a lack of memory (for a buffer for
// Punycode in Rust); errno does.
static const char *demangle_whole(struct arena *arena, const char *symbol, const char *ending,
                                  const char *otherwise)
{
    if (symbol[0] != '_' || strlen(symbol) > LIMIT_MANGLED_BYTES)
        return otherwise;
    if (symbol[1] == 'D') {
        size_t choices = 0;
        for (const char *at = symbol; (at = strpbrk(at, "FUWVRYQ")) != NULL; at++)
            choices++;
        if (strlen(symbol) > LIMIT_MANGLED_D_BYTES || choices > LIMIT_MANGLED_D_CHOICES)
            return otherwise;
        char *text = dlang_demangle(symbol, OPTIONS);
        const char *result = text ? join(arena, text, strlen(text), ending) : otherwise;
        free(text);
        return result;
    }
    size_t conversions = 0;
    for (const char *at = symbol; (at = strstr(at, "cv")) != NULL; at += 2)
        conversions++;
    if (conversions > LIMIT_MANGLED_CONVERSIONS || has_many_lifetimes(symbol))
        return otherwise;
    struct output output = {.bytes = malloc(LIMIT_DEMANGLED_BYTES)};
    errno = output.bytes ? 0 : ENOMEM;
    const char *result = otherwise;
    if (output.bytes && demangle_cxx_or_rust(symbol, &output))
        result = join(arena, output.bytes, output.count, ending);
    else if (errno == ENOMEM)
        result = NULL;
    free(output.bytes);
    return result;
}

// Where "#K" or "@0xVALUE" begins at the end of `symbol`, or its end.
static size_t ending_start(const char *symbol)
{
    size_t length = strlen(symbol);
    const char *mark = strrchr(symbol, '#');
    if (mark && mark[1] && mark[1 + strspn(mark + 1, "0123456789")] == 0)
        return (size_t)(mark - symbol);
    mark = strrchr(symbol, '@');
    if (mark && strncmp(mark, "@0x", 3) == 0 && mark[3] &&
        mark[3 + strspn(mark + 3, "0123456789abcdef")] == 0)
        return (size_t)(mark - symbol);
    return length;
}

const char *demangle_symbol(struct arena *arena, const char *symbol)
{
    if (symbol[0] != '_')
        return symbol;
    size_t start = ending_start(symbol);
    char *mangled = strndup(symbol, start);
    if (!mangled)
        return NULL;
    const char *result = demangle_whole(arena, mangled, symbol + start, symbol);
    free(mangled);
    return result;
}
