// What an exception was taken for, in words: the number of a system call, with the name that the
// kernel's own table has for it, or what the machine itself keeps about the cause. A vector says
// only that there was one.
//
// A register of the machine says why (arch/arch.h), and nothing shows when it stays as it was: so
// its value counts even if it was written long ago, of the level whose register was written last.
// An answer costs a few reads of registers and one of memory.
#ifndef TRAWL_QUERY_EXCEPTION_TEXT_H
#define TRAWL_QUERY_EXCEPTION_TEXT_H

#include "names/names.h"
#include "trace/index_view.h"

#define EXCEPTION_TEXT_BYTES 128

// Writes "syscall 64 (write)", "page fault at 0xffff0000", "interrupt". False: nothing is known.
bool exception_text(const struct index_view *view, struct names *names, uint64_t lane,
                    const struct trawl_call *exception, char text[EXCEPTION_TEXT_BYTES]);

#endif
