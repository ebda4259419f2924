// The words of a command line that is made to start a program.
#ifndef TRAWL_BASE_WORDS_H
#define TRAWL_BASE_WORDS_H

#include "base/vec.h"

// All zero is empty. Words that cannot be stored are left out, which words_end tells.
struct words {
    VEC(, char *) items; // each owned
    bool lacks_memory;
};

void words_add(struct words *words, const char *format, ...) PRINTF_LIKE(2, 3);

// The words for exec, with a NULL behind them; valid until the next is added. NULL: no memory for
// all of them.
char **words_end(struct words *words);

void words_free(struct words *words);

#endif
