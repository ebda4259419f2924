// Replaces the other files of this layer in a build without libdw: without an image there are no
// values, so nothing here is ever called.
#include "elf/bare.h"
#include "dwarf/debug_info.h"
#include "dwarf/debug_values.h"

// --- What there is only with an image ------------------------------------------------------------

FREES(debug_info_close);
NEEDS(debug_info_open);
NEEDS(debug_info_over);
NEEDS(debug_values_list);
NEEDS(debug_values_expression);
NEEDS(debug_signature);
NEEDS(debug_inlines);
