// Names that are found by some of their letters: "nap" finds work::nap(int). Letters need not
// follow each other; the beginnings of words and letters that do count most.
#ifndef TRAWL_BASE_LETTERS_H
#define TRAWL_BASE_LETTERS_H

#include "base/base.h"

#define LETTERS_MOST 64 // that are looked for; more match nothing

struct letters_match {
    int score;                 // the higher, the better
    size_t count;              // of the letters
    uint32_t at[LETTERS_MOST]; // where each is in the name, in bytes
};

// Case does not matter, except that a capital letter behind a small one begins a word. False: the
// name does not have the letters in this order.
bool letters_find(const char *letters, const char *name, struct letters_match *match);

#endif
