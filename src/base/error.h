// A result code with the position of the problem, for every function that can meet bad input.
//
// A library function that can fail returns `enum status` and, when it is not STATUS_OK, fills the
// caller's `struct error`. It never prints and never exits: the command line does that.
#ifndef TRAWL_BASE_ERROR_H
#define TRAWL_BASE_ERROR_H

#include "base/base.h"

#include <stdarg.h>

enum status {
    STATUS_OK = 0,
    STATUS_IO,        // the system refused: open, read, write, map
    STATUS_INPUT,     // the bytes of the input are not valid
    STATUS_LIMIT,     // a documented limit (base/limits.h) was exceeded
    STATUS_MEMORY,    // no memory
    STATUS_NOT_FOUND, // a name or place does not exist
    STATUS_DAMAGED,   // an index has changed since it was written; a new one can be built
    STATUS_STOPPED,   // a callback stopped the work, and knows the reason
};

#define ERROR_NO_OFFSET UINT64_MAX

struct error {
    enum status status;
    uint64_t line;   // 1-based line of the input, 0 if there is none
    uint64_t offset; // byte offset in the input, ERROR_NO_OFFSET if there is none
    char text[480];  // one line, no newline, names the file: "x.elf: not an ELF file"
};

// Fills `err` (which may be NULL) without a position and returns `status`, so that a function can
// end with `return error_set(err, STATUS_INPUT, ...)`. If the text is too long, its middle is cut
// out.
enum status error_set(struct error *err, enum status status, const char *format, ...)
    PRINTF_LIKE(3, 4);

// The same, with the arguments as a list.
void error_set_list(struct error *err, enum status status, const char *format, va_list args);

// Like error_set, for a fault at a byte of the input.
enum status error_set_at(struct error *err, enum status status, uint64_t offset, const char *format,
                         ...) PRINTF_LIKE(4, 5);

// Like error_set for a failed system call on `path`: "PATH: ACTION: strerror(errno)".
enum status error_set_errno(struct error *err, const char *path, const char *action);

#endif
