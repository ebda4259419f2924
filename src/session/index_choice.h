// The policy for indexes: which one is read or built, depending on what was requested and whether
// the existing index fits.
#ifndef TRAWL_SESSION_INDEX_CHOICE_H
#define TRAWL_SESSION_INDEX_CHOICE_H

#include "session/index_file.h"

// What the user requests about an index. By default, an index that fits is read, and one is built
// only by commands that need it.
enum index_use {
    INDEX_AS_NEEDED,
    INDEX_FORCE, // build it, then continue
    INDEX_ONLY,  // build it and stop
    INDEX_NO_BUILD,
};

struct index_wish {
    enum index_use use;
    bool is_named;     // by --index
    bool is_in_memory; // no index file is to remain
    bool is_indexing;  // the command is about the index
    bool is_question;  // only an index can answer
    bool needs_trace;  // the trace itself is read, whether there is an index or not
    bool is_verified;  // the index is examined as it is
    bool may_replace;  // the place of the index is writable
    bool is_spoiled;   // the index proved to be damaged when it was queried
};

enum index_choice {
    INDEX_READ_TRACE,       // without an index
    INDEX_READ_IT,          // it fits
    INDEX_READ_AS_IT_IS,    // whether it fits or not
    INDEX_BUILD_IT,         // then read it, unless only the index was wanted
    INDEX_BUILD_AND_FORGET, // then read the trace
};

// Chooses what to do with an index that fits in this way.
enum index_choice index_choose(const struct index_wish *wish, enum index_fit fit);

#endif
