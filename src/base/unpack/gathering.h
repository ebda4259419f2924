// Records, while a compressed file is read from its beginning, the places where decompression can
// start again (base/unpack/restart.h), with the hash of the text between them. Without memory it
// gives up, because the places are not essential.
#ifndef TRAWL_BASE_UNPACK_GATHERING_H
#define TRAWL_BASE_UNPACK_GATHERING_H

#include "base/unpack/restart.h"

struct gathering {
    bool is_wanted; // whether to record places
    bool is_on;     // it is wanted, and was not given up
    struct restarts found;
    void *state;         // of the hash of the text since the last place
    uint64_t plain_byte; // the current position in the text
};

// Begins, also again. All zero before the first time.
void gathering_begin(struct gathering *gathering, bool is_wanted);
void gathering_free(struct gathering *gathering);

// A piece begins; or a place inside a piece was passed, whose window this function takes.
void gathering_piece(struct gathering *gathering, uint64_t plain_byte, struct piece piece);
void gathering_point(struct gathering *gathering, uint64_t plain_byte, struct unpack_point *point);

// Adds text. After much text without a place, adds a place up to which the text is checked.
void gathering_text(struct gathering *gathering, const void *bytes, size_t size_bytes);

// The text ends.
void gathering_end(struct gathering *gathering, uint64_t text_bytes);
void gathering_give_up(struct gathering *gathering);

// The places that were recorded; NULL: none.
const struct restarts *gathering_restarts(const struct gathering *gathering);

#endif
