// What configure would find for musl, for elfutils' libelf and libdw.
#pragma once

#define PACKAGE_NAME "elfutils"
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_POWEROF2 1
#define HAVE_DECL_RAWMEMCHR 0
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_ERR_H 1
#define HAVE_FALLTHROUGH 1
#define HAVE_MREMAP 1
#define HAVE_STDATOMIC_H 1
#define HAVE_VISIBILITY 1

#include <eu-config.h>
