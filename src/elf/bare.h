// For files that replace a layer in a build without its libraries: names functions that nothing
// calls, because no image can be opened, as aliases of one. A function that frees is called for
// what was never made. To be included once in a file.
#ifndef TRAWL_ELF_BARE_H
#define TRAWL_ELF_BARE_H

static void free_nothing(void) {}

static void need_an_image(void)
{
    __builtin_trap();
}

#define FREES(name) extern __typeof__(name) name __attribute__((alias("free_nothing")))
#define NEEDS(name) extern __typeof__(name) name __attribute__((alias("need_an_image")))

#endif
