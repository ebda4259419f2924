#include "base/unpack/codec.h"

const struct codec *codec_of(const struct packed *packed)
{
    static const struct codec *const codecs[] = {&codec_gzip, &codec_zstd, &codec_xz, &codec_lz4,
                                                 &codec_bzip2};
    for (size_t i = 0; i < ARRAY_COUNT(codecs); i++) {
        if (codecs[i]->is(packed))
            return codecs[i];
    }
    return NULL;
}
