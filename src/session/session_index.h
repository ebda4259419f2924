// Which index a session uses: the only place that decides whether an index is read, built on disk,
// built aside for this session alone, or not used. Questions, reports, browsers and servers say
// what they need it for, and get it open.
//
//              an index that fits   covers only the   none that fits         none may be built
//              is there             beginning                                (--no-index)
// ANSWERS      read                 read              built (1)              read as it is
// PASS         read                 trace (2)         trace (2)              read as it is
// TRACE        trace                trace, built      trace, built beside    trace
//                                   beside if named   if named (3)
// TEXT, NAMES  read                 none              none                   read if it fits
// DESCRIPTION  read                 none              read if only options   read as it is
//                                                     differ, otherwise none
//
// (1) At its place if that is writable, and if the trace takes longer to read than its index or the
//     user named a place; otherwise aside, in a file without a name.
// (2) Built, then read, if the user named an index or the command is about the index, or if the
//     images now tell of functions that the existing one did not know, and it can be replaced:
//     reading the trace is necessary then, and a better index pays for the next question.
// (3) Then the trace is read, too.
//
// --force-index builds it in any case, as an index does that proves to be damaged when it is read,
// after which the decision is made again; --only-index builds it and does nothing else;
// --memory-index builds it aside where it is necessary. Under --verify and similar, an index is
// read as it is. A kind of trace that is read faster than its index has passes without one unless
// it is asked for.
//
// There used to be two such decisions, one for questions and one for passes, each with its own ways
// to find, judge, open and build an index; they differed in what they forgot.
#ifndef TRAWL_SESSION_SESSION_INDEX_H
#define TRAWL_SESSION_SESSION_INDEX_H

#include "session/session.h"

enum index_need {
    // For questions about points of the trace, which only an index can answer: session.view. The
    // images must be open; the trace, if there is one, must be ready. With is_path_itself, the
    // index is that of session.path.
    INDEX_FOR_ANSWERS,
    // For a pass, which can read an index instead of the trace (session.pass_input). The trace must
    // be ready and at its start. With session.needs_trace, the pass reads the trace itself.
    INDEX_FOR_PASS,
    // For parts of a text that would have to be read or made from its beginning, and for names if
    // there is no image: session.view, if one fits. Otherwise nothing is opened; for names, which
    // may be
    // lost then, the listener is told if the index is not usable.
    INDEX_FOR_TEXT,
    INDEX_FOR_NAMES,
    // To describe the index itself, likewise.
    INDEX_FOR_DESCRIPTION,
};

enum status session_index(struct session *session, enum index_need need, struct error *err);

// Opens the trace and the images of another session with its settings, and a view of its index: for
// another thread. Free it on failure, too.
enum status session_open_again(struct session *session, const struct session *first,
                               struct error *err);

// Closes session.view; or takes the index out of it, which belongs to the caller then (NULL: there
// is none).
void session_close_view(struct session *session);
struct trawl_index *session_release_view(struct session *session);

// Makes another decision possible after an index that was read proved to be damaged: closes it, and
// the next session_index builds another or does without. False: `status` is not about damage, or no
// other decision is possible.
bool session_forsake_view(struct session *session, enum status status);
bool session_forsake_pass(struct session *session, enum status status);

// The error of a pass over the index at `path` that failed: `status` itself if session_forsake_pass
// will make another decision.
enum status session_pass_failure(struct session *session, enum status status, const char *path,
                                 struct error *err);

// Makes passes read the index of session.view if the kind reads it faster than the trace, and the
// trace otherwise. Each following pass begins with session_begin_pass.
enum status session_pass_over_view(struct session *session, struct error *err);

// Tells the listener that the open index of the session's trace is damaged and not used.
void session_tell_damaged(const struct session *session, const struct trawl_index *index);

// Whether the user asked for an index in any way.
bool session_index_is_asked_for(const struct index_policy *index);

// --- An index that is replaced -------------------------------------------------------------------

// What happened to the index of session.view while it is in use: its file was replaced, or it is
// one of what was read so far, and another thread builds that of the whole trace (browse/source.h).
enum index_turn {
    INDEX_STAYS,
    INDEX_IS_NEW,    // another index of this trace replaced it
    INDEX_IS_UNFIT,  // something else replaced it, which is reported once
    INDEX_HAS_GROWN, // there is one of more of the trace
    INDEX_IS_WHOLE,  // there is one of the whole trace
    INDEX_FAILED,    // there will be none of the whole trace
};

// Checks whether the index was replaced or written to while it is in use. INDEX_IS_NEW: *fresh is a
// view of the new one, for session_take_view, or to be closed. INDEX_IS_UNFIT: `err` has the
// reason.
enum index_turn session_look_for_index(struct session *session, struct index_view *fresh,
                                       struct error *err);

// Replaces session.view by `fresh`. Nothing may use the previous view any more.
void session_take_view(struct session *session, struct index_view *fresh);

// --- The policy ----------------------------------------------------------------------------------

// What matters to the decision.
struct index_wish {
    enum index_need need;
    enum index_use use;
    bool is_named;     // by --index
    bool is_in_memory; // no index file is to remain
    bool is_indexing;  // the command is about the index
    bool needs_trace;  // the trace itself is read, whether there is an index or not
    bool is_verified;  // the index is examined as it is
    bool may_replace;  // the place of the index is writable
    bool is_spoiled;   // the index proved to be damaged when it was queried
};

enum index_choice {
    INDEX_USE_NONE,
    INDEX_READ_IT,          // it fits
    INDEX_READ_AS_IT_IS,    // whether it fits or not
    INDEX_BUILD_IT,         // then read it, unless only the index was wanted
    INDEX_BUILD_AND_FORGET, // then read the trace
};

// Chooses what to do with an index that fits in this way.
enum index_choice index_choose(const struct index_wish *wish, enum index_fit fit);

#endif
