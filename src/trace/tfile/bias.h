// Where a position-independent image was loaded, which a GDB trace file does not tell.
#ifndef TRAWL_TRACE_TFILE_BIAS_H
#define TRAWL_TRACE_TFILE_BIAS_H

#include "elf/image_set.h"
#include "trace/tfile/file.h"

// What was added to the addresses of an image. A tracepoint tells its address as the program ran,
// and often the function that the user wanted; it lies after that one's prologue, and images move
// by whole pages. Most tracepoints have to agree. Without any, an image of x86-64 was where
// programs are that gdbserver starts, if that makes a tracepoint lie in one of its functions.
// False: the image does not move, or that is not to be known.
bool tfile_bias(const struct tfile *file, const struct image_member *member, uint64_t *bias);

#endif
