// What the lines begin with that nobody understands: of a file that is no Tarmac trace, or one of a
// kind that we do not know, it is all there is to say.
//
// Only the first lines count, in the order of the trace, so that what is found depends neither on
// chunks nor on how long the trace is.
#ifndef TRAWL_FLOW_UNKNOWN_WORDS_H
#define TRAWL_FLOW_UNKNOWN_WORDS_H

#include "base/base.h"
#include "flow/line_fault.h"

// Lines that count.
#define UNKNOWN_WORD_LINES 4096

// Bytes of a word that count, with a NUL.
#define UNKNOWN_WORD_BYTES 48

struct unknown_word {
    uint32_t count;
    char text[UNKNOWN_WORD_BYTES];
};

// All zero: none yet.
struct unknown_words {
    struct unknown_word *slots; // of a hash table; count 0: free
    uint32_t line_count;
    struct unknown_word most; // the most common so far, of several the one that came to it first
};

// Counts the words of the next lines, as far as they count. Without memory it does nothing.
void unknown_words_add(struct unknown_words *words, const struct text_span *spans, size_t count);

void unknown_words_free(struct unknown_words *words);

#endif
