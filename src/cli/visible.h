// Text for standard error, which may be a terminal: control bytes are shown as \xNN.
#ifndef TRAWL_CLI_VISIBLE_H
#define TRAWL_CLI_VISIBLE_H

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>

void visible_text(FILE *out, const char *text, size_t length);

// The same if `out` is a terminal, otherwise unchanged, like another tool does.
void visible_on_terminal(FILE *out, const char *text, size_t length);

// As printf, of visible_text.
void visible_format(FILE *out, const char *format, va_list args);
void visible_print(FILE *out, const char *format, ...) PRINTF_LIKE(2, 3);

// A line of it.
void visible_line(FILE *out, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
