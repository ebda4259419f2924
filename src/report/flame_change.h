// Colours of a flame graph that compares: red for more self time than before, blue for less, the
// stronger the more.
#ifndef TRAWL_REPORT_FLAME_CHANGE_H
#define TRAWL_REPORT_FLAME_CHANGE_H

#include "base/base.h"

// What a frame had in the run before.
struct flame_before {
    uint64_t self, total;
};

// "r1" to "r6", "b1" to "b6", "n": the class of a box, and its NUL.
#define FLAME_CHANGE_BYTES 3

// `most`: the greatest change of any.
void flame_change_class(char text[FLAME_CHANGE_BYTES], uint64_t before, uint64_t after,
                        uint64_t most);

// Their fills.
extern const char *const flame_change_css;

#endif
