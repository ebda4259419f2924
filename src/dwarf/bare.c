// Replaces the other files of this layer in a build without libdw: without an image there are no
// values, so nothing here is ever called.
#include "dwarf/debug_info.h"
#include "dwarf/debug_values.h"

// --- What there is only with an image ------------------------------------------------------------

// The functions that free it are called for what was never made; all others never are.

static void free_nothing(void) {}

static void need_an_image(void)
{
    __builtin_trap();
}

#define FREES(name) extern __typeof__(name) name __attribute__((alias("free_nothing")))
#define NEEDS(name) extern __typeof__(name) name __attribute__((alias("need_an_image")))

FREES(debug_info_close);
NEEDS(debug_info_open);
NEEDS(debug_info_over);
NEEDS(debug_values_list);
NEEDS(debug_values_expression);
NEEDS(debug_signature);
NEEDS(debug_inlines);
