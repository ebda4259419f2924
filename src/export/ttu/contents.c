#include "export/ttu/contents.h"

#include <stdlib.h>

bool ttu_contents_begin(struct ttu_contents *contents)
{
    contents->recent = calloc((size_t)1 << TTU_CONTENTS_BITS, sizeof *contents->recent);
    return contents->recent != NULL;
}

void ttu_contents_free(struct ttu_contents *contents)
{
    free(contents->recent);
    contents->recent = NULL;
}
