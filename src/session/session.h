// A trace with its index, its images and their names, and a filter. All code that reports on a
// trace, queries it, or displays it opens a session.
//
// The fields under "Requests" are set before anything is opened; the others are read-only for
// users. Nothing here prints: errors are returned, and what happens meanwhile is reported to a
// listener.
#ifndef TRAWL_SESSION_SESSION_H
#define TRAWL_SESSION_SESSION_H

#include "base/error.h"
#include "base/limits.h"
#include "elf/image_memory.h"
#include "elf/image_programs.h"
#include "flow/clip.h"
#include "idx/file_writer.h"
#include "names/names.h"
#include "names/task_names.h"
#include "session/index_file.h"
#include "session/os.h"
#include "trace/index_view.h"
#include "trace/trace.h"

// --- filter.c ------------------------------------------------------------------------------------

// The part of a trace that a report covers: --time, --lane-events, --lane, --function and --depth,
// for every kind of trace and every report. Filters that select nothing are an error, which says
// what there is.

struct filter {
    struct call_range range; // a single predicate: call_range_has
    const char *lane;        // its name; NULL: all
    const char *function;    // a name or an address; NULL: all
    const char *task;        // a name, a pattern, or an address in its stack; NULL: all
    struct typed_address function_address, task_address; // session_knows_address
    uint64_t depth_max;                                  // levels of calls below the root
};

#define FILTER_NONE ((struct filter){.range = CALL_RANGE_ALL, .depth_max = UINT64_MAX})

// Whether it selects lanes with that name.
bool filter_takes_lane(const struct filter *filter, const char *lane);

// Whether it selects everything, ignoring depth, which never excludes the root.
bool filter_is_all(const struct filter *filter);

// The names of the lanes of a trace, as many as may help to find the right one.
struct lane_names {
    const char *kind; // the term for a lane: "core"
    size_t count;
    bool has_more;
    char names[64][LIMIT_LANE_NAME_BYTES + 1];
};

// Adds a name, unless it is already in the list.
void lane_names_add(struct lane_names *names, const char *name);

// The extent of the lanes that the filter selects: first and last time, and number of the last
// event.
struct filter_extent {
    uint64_t first_time, last_time, last_event;
    bool has_times;
};

// The error that no lane has the filter's name, with the existing names. Both functions return
// STATUS_NOT_FOUND; `path` is that of the trace.
enum status filter_no_lane(const struct filter *filter, const char *path,
                           const struct lane_names *names, struct error *err);

// The error that the range selects nothing, with the existing range.
enum status filter_no_range(const struct filter *filter, const char *path,
                            const struct filter_extent *extent, struct error *err);

// --- session.c -----------------------------------------------------------------------------------

// Receives reports. Any function may be NULL.
struct session_listener {
    void *self;
    struct pass_observer pass; // has its own `self`; with `transfer`, indexes are not read
    // What is done with the existing index: "using it", "rebuilding it". It may be a foreign file.
    void (*about_index)(void *self, const struct index_file *file, const char *what_follows);
    // A request has no meaning, or cannot be fulfilled, and is ignored.
    void (*ignoring)(void *self, const char *text);
    // An index that does not fit is used nevertheless, as requested.
    void (*misfit)(void *self, const struct index_file *file);
    // An image lacks instructions of the trace: the differences, and the consequences.
    void (*image_misfit)(void *self, const char *text);
    // The calls of the index were found with other functions than those of the images.
    void (*other_functions)(void *self, const char *text);
    // No index fits, and the text can be read; an index is about to be built. For users that show
    // text (shows_text).
    void (*text_is_at_hand)(void *self);
    // An index was built; it is open if it can be opened.
    void (*built)(void *self, const struct index_file *file);
    // The damage of the trace, if its kind finds it without an observer; reported once.
    void (*damage)(void *self, const struct trace *trace);
};

struct prefix_indexes;
struct session_task_key;

VEC(text_list, char *);

// The other files of a trace. Owned by this struct.
struct session_files {
    struct text_list paths; // their text follows, or is merged with, that of the trace's first file
    struct text_list cores; // of each file, the first one first, for merging; otherwise empty
    struct text_list typed; // as typed, for finding the paths; some may be patterns
};

// What the user requests about an index. By default, an index that fits is read, and one is built
// only by commands that need it (session/session_index.h).
enum index_use {
    INDEX_AS_NEEDED,
    INDEX_FORCE, // build it, then continue
    INDEX_ONLY,  // build it and stop
    INDEX_NO_BUILD,
};

// What to do with the index.
struct index_policy {
    const char *path; // NULL: the default
    enum index_use use;
    bool in_memory;  // none is read, and none remains
    bool is_purpose; // the command is about the index
    bool follows;    // the trace is read while it is written (session/prefix_index.h)
    // Makes indexes of what was read so far; NULL: none are wanted.
    struct prefix_indexes *prefix_indexes;
    uint32_t shard_number; // make only this part of the index; 0: the whole index
    uint32_t shard_count;  // number of parts
    VEC(, uint64_t)
    shard_cuts;     // start of each part but the first, in bytes of the text; owned; none: at equal
                    // distances
    bool is_survey; // make a survey of the piece, and not a part (session/shard_build.h)
    struct text_list surveys;    // files with surveys of the earlier pieces
    bool is_verified;            // open it as it is, whether it fits or not
    bool is_path_itself;         // session.path is an index, not a trace
    bool syncs;                  // write it to disk before it gets its name
    uint32_t segment_events;     // 0: the default
    uint32_t segment_events_max; // upper limit for this; 0: none
    enum file_writer_io io;
};

// A cached answer: whether the function of a PC is hidden (session/shown.h).
#define SESSION_HIDDEN_RECENT 256
struct hidden_answer {
    uint64_t pc;
    bool is_known, is_hidden;
};

// What passes read.
enum pass_input {
    PASS_UNDECIDED,
    PASS_OVER_TRACE,
    PASS_OVER_INDEX,          // trace->index
    PASS_OVER_INDEX_AS_IT_IS, // whether it fits or not
    PASS_OVER_NEW_INDEX,      // the pass that made it has reported everything
    PASS_OVER_NOTHING,        // only an index was wanted, or it has everything without a pass
};

struct session {
    // Requests.
    const char *path; // of the trace
    struct session_files files;
    enum reading reading;
    bool implicit_thumb;
    unsigned isa_bits;                // 0: as the trace shows
    const struct line_prefix *prefix; // stripped from each line, owned by the caller; NULL: none
    bool is_strict;                   // stop at the first damage
    bool keeps_open_calls;            // report calls that have not returned when the trace ends
    bool asks_calls;                  // queries are also about calls
    bool asks_loads;                  // queries are also about reads of memory
    bool asks_text;                   // they read its instructions again: a pipe is kept
    bool ends_when_asked; // passes over lines end at Ctrl-C (base/interrupt.h), without an index
    const struct pass_pauses *pauses; // can end passes over lines; NULL: none
    bool needs_trace;                 // the trace is read, whether there is an index or not
    bool shows_text; // the whole text of the trace, which can be shown before an index is made
    enum trace_byte_order byte_order;
    unsigned threads;
    uint64_t chunk_bytes;
    enum simd simd;
    struct index_policy index;
    struct name_options name_options; // ids and arch are set for the trace
    // As typed, [LANE=]FILE[@OFFSET], or @LIST for a file with a line for each; the lines replace
    // it when images are opened.
    VEC(, const char *) images;
    struct text_list listed_images; // such lines
    bool forces_images;             // use names of images even if they do not fit the trace
    bool ignores_image_memory;      // what the trace does not show of memory is unknown
    bool splits_by_task;            // passes distinguish tasks
    bool has_fitting_image;         // the trace executes instructions of one
    bool parts_interrupts;          // likewise, and interrupts are none of them
    const char *os; // as typed: a system, a file of them, "none"; NULL: whichever is recognized
    const char *task_expression;     // its value names a task; NULL: none
    bool has_kernel;                 // session_has_kernel: tasks are named by the view
    const char *task_key_expression; // its value tells tasks apart; NULL: what the trace shows
    struct filter filter;
    struct hidden_names hidden; // functions that reports hide
    struct session_listener listener;
    struct progress *progress; // of passes; NULL: none
    enum meter meter;

    // The trace.
    struct trace *trace;      // NULL: not opened yet, or cannot be opened
    struct error trace_error; // why it cannot be opened; STATUS_OK: not tried
    struct names names;
    bool is_ready;                     // the trace is ready for passes
    struct image_programs programs;    // of the images that share addresses
    struct function_map functions;     // of the images, used to find calls
    struct session_task_key *task_key; // NULL: none is given
    bool lacks_encodings;              // the trace shows none in the places that were looked at
    bool is_damage_told;
    bool are_faults_told;             // of lines, by the pass that built the index for answers
    bool are_image_lanes_told;        // cores of images that the trace does not have
    struct text_list image_doubts;    // what was reported of images, a line each
    struct image_memory image_memory; // of the images that fit
    // Passes.
    enum pass_input pass_input; // session_index decides
    struct pass_result result;  // of the last pass
    struct task_names tasks;    // after they were named (session/tasks.h)
    struct os_table os_table;   // read when it is asked for (session/tasks.h)
    bool is_replayed;           // the result is from an index
    struct hidden_answer hidden_recent[SESSION_HIDDEN_RECENT];
    // Questions.
    struct index_view view;
    char *view_path;              // of the view's index
    struct file_stamp view_stamp; // of the file at that path when it was last checked
    bool is_rebuildable;          // the view's index, if it proves to be damaged
    bool is_index_damaged;        // it did; unset when another was built
    bool is_of_beginning;         // the view's index covers only the beginning of the trace
    const char *typed_times;      // of the filter's range, if one is relative
    uint64_t grown_bytes;         // then: of the files of the trace, when it was opened
    // Why an index that was built lacks names or source lines of an image; STATUS_OK: it has all.
    struct error names_left_out;
};

// False: no memory; the copy may then be incomplete.
bool session_files_copy(struct session_files *copy, const struct session_files *files);
void session_files_free(struct session_files *files);

// Adds a copy. False: no memory.
bool text_list_add(struct text_list *texts, const char *text);
void text_list_free(struct text_list *texts);

// Sets the defaults; the caller sets `path`. Requests in TRAWL_ISA and TRAWL_IO (simd/simd.h,
// idx/file_writer.h) that cannot be fulfilled are ignored.
void session_begin(struct session *session, enum reading reading, unsigned threads);
void session_free(struct session *session);

// Copies requests to a session of another trace, or one that opens the same trace again: how it is
// read, its images, and what to do with its index.
enum status session_wish_as(struct session *session, const struct session *other,
                            struct error *err);

// Makes a session refer to the same files as another. STATUS_MEMORY.
enum status session_be_of(struct session *session, const struct session *other, struct error *err);

// Closes only the trace, its index and the result.
void session_close(struct session *session);

// The paths of all files of the trace, the first one first. The caller frees the array; NULL: no
// memory.
const char **session_paths(const struct session *session, size_t *count);

// Opens the trace, whatever its kind, once. On failure sets trace_error: its index may be
// sufficient.
enum status session_open_trace(struct session *session, struct error *err);

// Opens the images that name its functions, makes the trace ready for passes, and moves images to
// the addresses where it shows that they were. A trace that could not be opened is not a failure.
enum status session_open_images(struct session *session, struct error *err);

// Lets questions about memory use what only the images have, after an index was opened.
void session_use_image_memory(struct session *session);

// Makes the open trace ready for passes; has no effect the second time. Reports damage that is
// known by then. Images that lack its instructions are not used, unless they are forced or under
// READING_TTU.
enum status session_make_ready(struct session *session, struct error *err);

// Reports the damage of the trace (session_listener.damage), once. STATUS_INPUT: there is damage,
// and is_strict.
enum status session_report_damage(struct session *session, struct error *err);

// Reports names_left_out (session_listener.ignoring), once.
void session_report_left_out(struct session *session);

// Reports images of cores and address spaces that the trace does not have, once. It is called when
// the cores are known: after a pass, or with an index.
enum status session_tell_idle_images(struct session *session, struct error *err);

// Before calls of an index are queried: reports if they were found with other functions than those
// of the images (session_listener.other_functions).
void session_compare_functions(const struct session *session, const struct trawl_index *index,
                               const char *path);

// Whether the trace has all these abilities. A trace that cannot be opened is assumed to be of the
// default kind, because its index may be sufficient.
bool session_can(const struct session *session, unsigned abilities);

// A lane's root activation as reports show it, limited to the range. False if the lane is not
// shown: the filter excludes it, it is one of several and executed nothing, or it is outside of the
// range.
bool session_root(const struct session *session, const struct lane_result *lane, struct call *root);

// Whether an event is in the filter's range. Its number counts in its lane; for snapshots, which
// belong together across lanes, in the trace.
bool session_takes_event(const struct session *session, const struct trawl_event *about);

// Whether a typed text is an address: an expression of numbers and symbols, as nothing is known of
// registers and memory. It is looked up once, when the images are open.
bool session_knows_address(struct session *session, const char *text,
                           struct typed_address *address);

// Whether the filter selects calls of the function entered at `pc`.
bool session_takes_function(struct session *session, uint64_t pc);

#endif
