// The supported codecs, each with its library.
#ifndef TRAWL_BASE_UNPACK_CODECS_H
#define TRAWL_BASE_UNPACK_CODECS_H

#include "base/unpack/codec.h"

extern const struct codec codec_gzip, codec_zstd, codec_xz, codec_lz4, codec_bzip2;

#endif
