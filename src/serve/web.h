// The page: the files of src/serve/web, unchanged.
#ifndef TRAWL_SERVE_WEB_H
#define TRAWL_SERVE_WEB_H

#include "base/base.h"

struct web_part {
    const char *name, *type;
    const char *text; // ends with a NUL
};

// NULL: there is none with that name.
const struct web_part *web_part_named(const char *name);

#endif
