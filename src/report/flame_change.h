// Colours of a flame graph of two runs: red for more self time than before, blue for less, stronger
// for larger changes.
#ifndef TRAWL_REPORT_FLAME_CHANGE_H
#define TRAWL_REPORT_FLAME_CHANGE_H

#include "base/base.h"

// The figures of a frame in the earlier run.
struct flame_before {
    uint64_t self, total;
    uint64_t later_total; // of the same frame in the later run: the width may be that of another
};

// "r1" to "r6", "b1" to "b6", "n": the class of a box, and its NUL.
#define FLAME_CHANGE_BYTES 3

// `most` is the largest change of any frame.
void flame_change_class(char text[FLAME_CHANGE_BYTES], uint64_t before, uint64_t after,
                        uint64_t most);

// The fill colours of these classes.
extern const char *const flame_change_css;

#endif
