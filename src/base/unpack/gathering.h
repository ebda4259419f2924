// Keeps, while a compressed file is read from its beginning, the places that it may be begun at
// again (base/unpack/restart.h), with the hash of the text between them. Without memory it gives
// up: nobody needs them.
#ifndef TRAWL_BASE_UNPACK_GATHERING_H
#define TRAWL_BASE_UNPACK_GATHERING_H

#include "base/unpack/restart.h"

struct gathering {
    bool is_wanted; // at all
    bool is_on;     // it is, and was not given up
    struct restarts found;
    void *state;         // of the hash of the text since the last place
    uint64_t plain_byte; // that the text has come to
};

// Begins, or begins anew. All zero before the first time.
void gathering_begin(struct gathering *gathering, bool is_wanted);
void gathering_free(struct gathering *gathering);

// A piece begins, or a place inside of one was passed, whose window this takes.
void gathering_piece(struct gathering *gathering, uint64_t plain_byte, struct piece piece);
void gathering_point(struct gathering *gathering, uint64_t plain_byte, struct unpack_point *point);

// The text goes on with that. Where it goes on for long without a place, places are kept that it is
// checked up to.
void gathering_text(struct gathering *gathering, const void *bytes, size_t size_bytes);

// It ends.
void gathering_end(struct gathering *gathering, uint64_t text_bytes);
void gathering_give_up(struct gathering *gathering);

// What was kept; NULL: nothing.
const struct restarts *gathering_restarts(const struct gathering *gathering);

#endif
