// "Did you mean": finds, among given names, those nearest to what was typed.
#ifndef TRAWL_CLI_SUGGEST_H
#define TRAWL_CLI_SUGGEST_H

#include "base/base.h"

#define SUGGESTIONS_MAX 3

struct near_name {
    const char *name; // not terminated; NULL: nothing is near enough
    size_t length;
    unsigned distance; // 0: equal; 1: equal except for case; otherwise twice the number of edits
};

struct suggestion {
    const char *wanted;
    size_t wanted_length;
    struct near_name near[SUGGESTIONS_MAX]; // different ones, the nearest first
};

// Starts a search for what the `length` bytes at `wanted` may have meant.
void suggest_begin(struct suggestion *suggestion, const char *wanted, size_t length);

// Offers a name. It is taken if it is near enough, and nearer than one of those taken so far.
void suggest_offer(struct suggestion *suggestion, const char *name, size_t length);

// Bytes that suggest_text may need, with its NUL.
#define SUGGEST_TEXT_BYTES 320

// The result as the end of a message: "; did you mean 'main', 'min' or 'mean'?", or nothing. Long
// names are truncated.
void suggest_text(const struct suggestion *suggestion, char text[SUGGEST_TEXT_BYTES]);

#endif
