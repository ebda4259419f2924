// Names in a flame graph: as text of an XML document, and their colours.
#ifndef TRAWL_REPORT_FLAME_TEXT_H
#define TRAWL_REPORT_FLAME_TEXT_H

#include "report/out.h"

// `text` for an XML document, whatever its bytes, with an ellipsis for what passes `columns`.
void flame_text_write(struct out *out, const char *text, size_t columns);

// The number of a colour: the same name has the same one in every graph (FNV-1a).
unsigned flame_colour_of(const char *name);

#endif
