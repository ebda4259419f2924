// The first words of lines that are not understood, and the number of such lines: for a file that
// is not a trace, or of an unknown kind, this is all that can be reported.
//
// Words are counted up to a maximum number of different ones, in the order of the trace. After that
// only the number of lines is known; so the report depends neither on chunks nor on threads.
#ifndef TRAWL_FLOW_UNKNOWN_WORDS_H
#define TRAWL_FLOW_UNKNOWN_WORDS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "flow/line_fault.h"

// Significant bytes of a word, with a NUL.
#define UNKNOWN_WORD_BYTES 48

// Words that are shown at the end.
#define UNKNOWN_WORDS_SHOWN 3

struct unknown_word {
    uint64_t line_count;
    char text[UNKNOWN_WORD_BYTES];
};

// All zero: none yet.
struct unknown_words {
    VEC(, struct unknown_word) items; // in the order in which they were found
    struct hash_index by_text;
    uint64_t line_count; // of all words
    bool is_cut;         // there are more words
};

// A summary: the most common words; of equally common ones, the one found first.
struct unknown_summary {
    struct unknown_word most[UNKNOWN_WORDS_SHOWN]; // line_count 0: no more words
    uint64_t kinds;                                // different words; 0: more than were counted
    uint64_t line_count;                           // of all words
};

// Counts `line_count` lines that begin with a word. False: no memory.
bool unknown_words_add(struct unknown_words *words, const char *text, size_t length,
                       uint64_t line_count);

// Adds all of `more`, which was found later. False: no memory.
bool unknown_words_join(struct unknown_words *words, const struct unknown_words *more);

void unknown_words_sum_up(const struct unknown_words *words, struct unknown_summary *summary);

// Forgets the words and keeps the memory.
void unknown_words_clear(struct unknown_words *words);
void unknown_words_free(struct unknown_words *words);

#endif
