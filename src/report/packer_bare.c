// For programs without zlib.
#include "report/packer.h"

bool packer_is_there(void)
{
    return false;
}

struct packer *packer_new(packer_sink *sink, void *self)
{
    (void)sink;
    (void)self;
    return NULL;
}

void packer_put(struct packer *packer, const char *bytes, size_t length)
{
    (void)packer;
    (void)bytes;
    (void)length;
}

void packer_end(struct packer *packer)
{
    (void)packer;
}

void packer_free(struct packer *packer)
{
    (void)packer;
}
