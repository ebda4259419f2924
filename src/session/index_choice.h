// The one policy of indexes: what is read, or built, for whom, by what was asked for and how the
// index at hand fits.
#ifndef TRAWL_SESSION_INDEX_CHOICE_H
#define TRAWL_SESSION_INDEX_CHOICE_H

#include "session/index_file.h"

// What the user says about an index. Without a word one that fits is read, and one is built only by
// who needs it.
enum index_use {
    INDEX_AS_NEEDED,
    INDEX_FORCE, // build it, then continue
    INDEX_ONLY,  // build it and stop
    INDEX_NO_BUILD,
};

struct index_wish {
    enum index_use use;
    bool is_named;     // by --index
    bool is_in_memory; // none is to be left
    bool is_indexing;  // the index is what the command is about
    bool is_question;  // nothing but an index can answer
    bool needs_trace;  // the trace itself is read, whatever index there is
    bool is_verified;  // the index is to be looked at as it is
    bool is_spoiled;   // this one proved to be damaged when it was asked
};

enum index_choice {
    INDEX_READ_TRACE,       // and no index
    INDEX_READ_IT,          // which fits
    INDEX_READ_AS_IT_IS,    // whatever it was made of
    INDEX_BUILD_IT,         // and read it, where it is read
    INDEX_BUILD_AND_FORGET, // and then read the trace
};

// What to do about an index that fits so.
enum index_choice index_choose(const struct index_wish *wish, enum index_fit fit);

#endif
