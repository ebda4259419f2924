// The forms in which `trawl sframe` shows the tables of an image.
#ifndef TRAWL_CMD_SFRAME_H
#define TRAWL_CMD_SFRAME_H

#include "elf/sframe_flat.h"
#include "report/json.h"

// All tables in the form of `readelf --sframe`.
void sframe_dump(struct out *out, const struct sframe_section *section,
                 const struct sframe_faults *faults);

// The value of "tables": header, functions and rows of each.
void sframe_dump_json(struct json *json, const struct sframe_section *section,
                      const struct sframe_faults *faults);

#endif
