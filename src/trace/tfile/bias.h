// The load address of a position-independent image, which a GDB trace file does not contain.
#ifndef TRAWL_TRACE_TFILE_BIAS_H
#define TRAWL_TRACE_TFILE_BIAS_H

#include "elf/image_set.h"
#include "trace/tfile/file.h"

// What was added to the addresses of an image. A tracepoint has its address in the running program,
// and often the name of the function that the user requested. The address is after the prologue of
// that function, and images are moved by whole pages. Most tracepoints must agree. Without such
// names, an image of x86-64 is assumed to be where gdbserver starts programs, if a tracepoint is
// then in one of its functions. False: the image is not relocatable, or its place cannot be
// determined.
bool tfile_bias(const struct tfile *file, const struct image_member *member, uint64_t *bias);

#endif
