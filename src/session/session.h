// A trace with all that belongs to it: its index, its images and their names, and a filter. Whoever
// reports on a trace, asks it, or lets people look at it opens a session.
//
// The fields under "what is wanted" are set before anything is opened; the others are for reading.
// Nothing here prints: errors go up, and what happens on the way is told to a listener.
#ifndef TRAWL_SESSION_SESSION_H
#define TRAWL_SESSION_SESSION_H

#include "analysis/hidden_names.h"
#include "analysis/index_view.h"
#include "analysis/names.h"
#include "analysis/task_names.h"
#include "idx/file_writer.h"
#include "session/filter.h"
#include "session/index_choice.h"
#include "trace/trace.h"

// Is told of what happens. Any may be NULL.
struct session_listener {
    void *self;
    struct pass_observer pass; // with a `self` of its own; with `transfer`, no index stands in
    // What is done about the index at hand: "using it", "rebuilding it". It may be a foreign file.
    void (*about_index)(void *self, const struct index_file *file, const char *what_follows);
    // Something that was asked for has no meaning, or cannot be done, and is ignored.
    void (*ignoring)(void *self, const char *text);
    // One that does not fit is read nevertheless, as is wanted.
    void (*misfit)(void *self, const struct index_file *file);
    // An image does not have the instructions of the trace: what differs, and what follows.
    void (*image_misfit)(void *self, const char *text);
    // The calls of the index that is read were told by other functions than the images have.
    void (*other_functions)(void *self, const char *text);
    // No index fits, and the text is at hand; one is about to be made. Of who shows_text.
    void (*text_is_at_hand)(void *self);
    // An index was built; it is open where it can be opened.
    void (*built)(void *self, const struct index_file *file);
    // What of the trace is damaged, where its kind finds that without an observer; once.
    void (*damage)(void *self, const struct trace *trace);
};

struct early;
struct follow;

VEC(text_list, char *);

// The other files of a trace. Its own.
struct session_files {
    struct text_list paths; // whose text follows, or is merged with that of the trace's first file
    struct text_list cores; // of which each is, the first file's first, to merge them; else none
    struct text_list typed; // that the paths were found by; some may be patterns
};

// What is to become of the index.
struct session_index {
    const char *path; // NULL: where it stands by default
    enum index_use use;
    bool in_memory;        // none is read, and none is left
    bool is_purpose;       // it is what all is about
    struct follow *follow; // the trace is followed (session/follow.h); NULL: it is not
    struct early *early;   // who wants to know what is read while it is built; NULL: nobody
    uint32_t shard_number; // of a part of the index that is all that is made; 0: none is
    uint32_t shard_count;  // parts in all
    VEC(, uint64_t)
    shard_cuts;               // bytes of the text that they begin at but the first; own; none: at
                              // equal distances
    bool is_survey;           // a survey of the piece is made, and not a part (session/surveys.h)
    struct text_list surveys; // of the pieces before: files
    bool is_verified;         // it is opened as it is, whether it fits or not
    bool is_path_itself;      // session.path is no trace but an index
    bool syncs;               // has it on the disk before it gets its name
    uint32_t segment_events;  // 0: as many as usual
    uint32_t segment_events_max; // of those; 0: no matter
    enum file_writer_io io;
};

// Whether the function of a PC is hidden (session/hidden.h).
#define SESSION_HIDDEN_RECENT 256
struct hidden_answer {
    uint64_t pc;
    bool is_known, is_hidden;
};

struct session {
    // What is wanted.
    const char *path; // of the trace
    struct session_files files;
    enum reading reading;
    bool implicit_thumb;
    bool is_strict;        // stops at the first damage
    bool keeps_open_calls; // that have not returned when the trace ends
    bool asks_calls;       // questions are about calls, too
    bool ends_when_asked; // passes over lines heed Ctrl-C (base/interrupt.h); no index is made then
    const struct pass_pauses *pauses; // of passes over lines, to end them; NULL: none
    bool needs_trace;                 // goes over the trace, whether there is an index or not
    bool shows_text; // of all over the trace, which is at hand before an index is made of it
    enum trace_byte_order byte_order;
    unsigned threads;
    uint64_t chunk_bytes;
    enum simd simd;
    struct session_index index;
    struct name_options name_options; // ids and is_arm are the trace's
    VEC(, const char *) images;       // as typed, FILE[@OFFSET]
    bool forces_images;               // names of images that do not fit the trace are used, too
    bool splits_by_task;              // what passes find is told by tasks
    const char *task_expression;      // what tasks are called by; NULL: none
    struct filter filter;
    struct hidden_names hidden; // functions that reports leave out
    struct session_listener listener;
    struct progress *progress; // that passes are shown on; NULL: none
    enum meter meter;

    // The trace.
    struct trace *trace;      // NULL: not yet, or it cannot be opened
    struct error trace_error; // why it cannot; STATUS_OK: it was not tried
    struct names names;
    bool is_ready;                 // the trace, for passes
    struct function_map functions; // of the images, which its calls are told by
    bool is_damage_told;
    // Passes.
    bool is_decided;           // whether they read the trace or its index
    struct pass_result result; // of the last one
    struct task_names tasks;   // once they were named (session/tasks.h)
    bool is_replayed;          // it is from an index
    struct hidden_answer hidden_recent[SESSION_HIDDEN_RECENT];
    // Questions.
    struct index_view view;
    char *view_path;              // of the index that the view is of
    struct file_stamp view_stamp; // what stood there when that was looked at last
    bool is_rebuildable;          // the view's index, should it prove to be damaged
    bool is_rebuilt;              // it was
    bool is_of_beginning;         // the view's index: the trace has grown since
    // Why an index that was made lacks the source lines of an image; STATUS_OK: it has them.
    struct error lines_left_out;
};

// False: no memory, and the copy may have some of them.
bool session_files_copy(struct session_files *copy, const struct session_files *files);
void session_files_free(struct session_files *files);

// Adds a copy. False: no memory.
bool text_list_add(struct text_list *texts, const char *text);
void text_list_free(struct text_list *texts);

// Nothing but defaults; `path` is set by the caller. What TRAWL_ISA and TRAWL_IO (simd/simd.h,
// idx/file_writer.h) ask for, and cannot have, is passed over.
void session_begin(struct session *session, enum reading reading, unsigned threads);
void session_free(struct session *session);

// Has a session, which is of another trace or opens the same one again, want the same of it as
// another: how it is read, its images, and what is to become of its index.
enum status session_wish_as(struct session *session, const struct session *other,
                            struct error *err);

// Has a session be of the same trace as another: of the same files. STATUS_MEMORY.
enum status session_be_of(struct session *session, const struct session *other, struct error *err);

// Closes the trace, its index and the result alone.
void session_close(struct session *session);

// The paths of all files of the trace, its own the first, to be freed; NULL: no memory.
const char **session_paths(const struct session *session, size_t *count);

// Opens the trace, of whatever kind it is, once. On failure trace_error is set: its index may do.
enum status session_open_trace(struct session *session, struct error *err);

// Opens the images that name its functions, makes the trace ready for passes, and moves images to
// where it shows that they were. A trace that could not be opened is no failure.
enum status session_open_images(struct session *session, struct error *err);

// Makes the trace, which is open, ready for passes; does nothing a second time. What is known to be
// damaged by then is told. Images that do not have its instructions are left out, unless they are
// forced, and under READING_TTU.
enum status session_make_ready(struct session *session, struct error *err);

// Tells what of the trace is damaged (session_listener.damage), once. STATUS_INPUT: is_strict, and
// something is.
enum status session_report_damage(struct session *session, struct error *err);

// Tells of lines_left_out (session_listener.ignoring), once.
void session_report_left_out(struct session *session);

// Tells where the calls of an index, which is about to be asked for them, were told by other
// functions than the images at hand have (session_listener.other_functions).
void session_compare_functions(const struct session *session, const struct trawl_index *index,
                               const char *path);

// Whether the trace can all of that. One that cannot be opened is taken for one of the usual kind,
// as its index may do.
bool session_can(const struct session *session, unsigned abilities);

// A lane's root activation as reports show it, cut to the range. False if the lane takes no part:
// the filter is against it, it is one of several and executed nothing, or it lies outside the
// range.
bool session_root(const struct session *session, const struct lane_result *lane, struct call *root);

// Whether an event is in the filter's range. Its number counts in its lane; of snapshots, which
// belong together whatever their lanes, in the trace.
bool session_takes_event(const struct session *session, const struct trawl_event *about);

// Whether the filter lets calls of the function entered at `pc` through.
bool session_takes_function(struct session *session, uint64_t pc);

#endif
