// Symbols that were written as text: System.map and /proc/kallsyms of Linux, nm (also nm -S), and
// the maps of GNU ld, LLD and armlink.
//
// The text is turned into an ELF image in memory that has these symbols and no code, and is opened
// as any other image: what uses symbols need not know that there are two sources of them. A map of
// 10 MB takes 60 ms once. Such text often lacks sizes; there, a symbol reaches up to the next one,
// and the last one before a gap of a megabyte or more for a page at most.
#ifndef TRAWL_ELF_SYMBOL_TEXT_H
#define TRAWL_ELF_SYMBOL_TEXT_H

#include "base/error.h"

// Whether the file may be such text: its first bytes are.
bool symbol_text_is(const void *head, size_t size_bytes);

// Makes the image of the symbols in an open file, in a file without name. STATUS_INPUT: there are
// none. `path` is for messages.
enum status symbol_text_convert(int fd, uint64_t size_bytes, const char *path, int *image_fd,
                                struct error *err);

#endif
