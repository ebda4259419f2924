// Writes names in a flame graph as text of an XML document, and chooses their colours.
#ifndef TRAWL_REPORT_FLAME_TEXT_H
#define TRAWL_REPORT_FLAME_TEXT_H

#include "report/out.h"

// Writes `text` for an XML document, for any bytes. Text of more than `columns` columns is cut and
// ends in an ellipsis.
void flame_text_write(struct out *out, const char *text, size_t columns);

// The number of the colour of a name, the same in every graph (FNV-1a).
unsigned flame_colour_of(const char *name);

#endif
