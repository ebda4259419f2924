// Names in a flame graph as text of an XML document, and the colours of boxes: by name, or, in a
// graph of two runs, by how much self time changed.
#ifndef TRAWL_REPORT_FLAME_TEXT_H
#define TRAWL_REPORT_FLAME_TEXT_H

#include "base/base.h"
#include "report/out.h"

// Writes `text` for an XML document, for any bytes. Text of more than `columns` columns is cut and
// ends in an ellipsis.
void flame_text_write(struct out *out, const char *text, size_t columns);

// The number of the colour of a name, the same in every graph (FNV-1a).
unsigned flame_colour_of(const char *name);

// Colours of two runs: red for more self time than before, blue for less, stronger
// for larger changes.

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
