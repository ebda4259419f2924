// "Did you mean": finds, among the names it is offered, the one nearest to what was typed.
#ifndef TRAWL_CLI_SUGGEST_H
#define TRAWL_CLI_SUGGEST_H

#include "base/base.h"

struct suggestion {
    const char *wanted;
    size_t wanted_length;
    const char *best; // not terminated; NULL while nothing is near enough
    size_t best_length;
    unsigned best_distance;
};

// Starts a search for what `length` bytes at `wanted` may have meant.
void suggest_begin(struct suggestion *suggestion, const char *wanted, size_t length);

// Offers a name. It becomes the best when it is near enough and nearer than all before it.
void suggest_offer(struct suggestion *suggestion, const char *name, size_t length);

#endif
