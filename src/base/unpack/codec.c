#include "base/unpack/codec.h"

#include "base/library.h"

enum status codec_of(const struct packed *packed, const struct codec **codec, struct error *err)
{
    static const struct codec *const codecs[] = {&codec_gzip, &codec_zstd, &codec_xz, &codec_lz4,
                                                 &codec_bzip2};
    *codec = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(codecs) && !*codec; i++) {
        if (codecs[i]->is(packed))
            *codec = codecs[i];
    }
    return *codec && (*codec)->library ? library_load((*codec)->library, err) : STATUS_OK;
}
